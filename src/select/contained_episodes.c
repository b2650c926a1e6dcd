/*
 * Episodes that another episode contains. All episodes are in a hash table by their content. Of
 * each episode the two parts that are one position shorter are looked up. A part that is in the
 * list is marked, and answers for its own parts. A part that is not there, in a list that a filter
 * went over, is cut further. A list as mining makes it holds all parts, so that two look-ups an
 * episode are enough.
 */
#include <string.h>

#include "base/memory.h"
#include "base/stage.h"
#include "select/results.h"

#define EMPTY UINT64_MAX
/* Odd; any part's hash is a difference of two prefixes' hashes. */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

typedef struct episode_table {
    const spk_results *results;
    uint64_t mask;
    uint64_t *slot; /* upper half of the hash, number of the episode */
    uint32_t *same; /* by episode: the first one with the same content */
    uint64_t power[SPK_EPISODE_MAX_SIZE + 1];
} episode_table;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t step_hash(uint32_t unit, uint32_t delay)
{
    return mix(((uint64_t)delay << 32 | unit) + BASE);
}

/* Hashes of the prefixes of episode i: prefix[k] is that of its first k positions. */
static void hash_prefixes(const spk_results *r, uint64_t i, uint64_t *prefix)
{
    uint32_t size = spk_result_size(r, i);
    prefix[0] = 0;
    for (uint32_t p = 0; p < size; p++)
        prefix[p + 1] =
            prefix[p] * BASE + step_hash(r->entry[r->offset[i] + p], r->delay[r->offset[i] + p]);
}

/* Of positions first .. first + size - 1. What stands before the first one's unit is no part. */
static uint64_t hash_part(const episode_table *table, uint64_t i, const uint64_t *prefix,
                          uint32_t first, uint32_t size)
{
    const spk_results *r = table->results;
    uint64_t at = r->offset[i] + first;
    uint64_t hash = prefix[first + size] - prefix[first] * table->power[size];
    hash += (step_hash(r->entry[at], 0) - step_hash(r->entry[at], r->delay[at])) *
            table->power[size - 1];
    return mix(hash + size);
}

static bool is_part(const spk_results *r, uint64_t part, uint64_t whole, uint32_t first,
                    uint32_t size)
{
    uint64_t x = r->offset[part];
    uint64_t y = r->offset[whole] + first;
    return spk_result_size(r, part) == size &&
           memcmp(r->entry + x, r->entry + y, size * sizeof *r->entry) == 0 &&
           memcmp(r->delay + x + 1, r->delay + y + 1, (size - 1) * sizeof *r->delay) == 0;
}

/* The slot of a part of episode i, or the empty one where it would be. */
static uint64_t *find(const episode_table *table, uint64_t hash, uint64_t i, uint32_t first,
                      uint32_t size)
{
    uint64_t at = hash & table->mask;
    for (; table->slot[at] != EMPTY; at = (at + 1) & table->mask)
        if (table->slot[at] >> 32 == hash >> 32 &&
            is_part(table->results, (uint32_t)table->slot[at], i, first, size))
            break;
    return &table->slot[at];
}

static spk_status fill(spk_context *context, episode_table *table, const uint8_t *keep)
{
    const spk_results *r = table->results;
    uint64_t prefix[SPK_EPISODE_MAX_SIZE + 1];
    uint64_t slots = 16;
    while (slots < 2 * r->n)
        slots *= 2;
    spk_status status = spk_alloc_columns(context, "a selection", SPK_COLUMN(&table->slot, slots),
                                          SPK_COLUMN(&table->same, r->n));
    if (status != SPK_OK)
        return status;
    table->mask = slots - 1;
    memset(table->slot, 0xff, slots * sizeof *table->slot);
    table->power[0] = 1;
    for (uint32_t k = 1; k <= SPK_EPISODE_MAX_SIZE; k++)
        table->power[k] = table->power[k - 1] * BASE;
    for (uint64_t i = 0; i < r->n; i++) {
        table->same[i] = (uint32_t)i;
        if (keep[i] == 0)
            continue;
        hash_prefixes(r, i, prefix);
        uint64_t hash = hash_part(table, i, prefix, 0, spk_result_size(r, i));
        uint64_t *slot = find(table, hash, i, 0, spk_result_size(r, i));
        if (*slot == EMPTY)
            *slot = (hash >> 32 << 32) | i;
        table->same[i] = (uint32_t)*slot;
    }
    return SPK_OK;
}

/* Marks the parts of episode i. `open` has a bit for each first position of a part of the present
 * size that no part in the list answers for. */
static void mark_parts(const episode_table *table, uint64_t i, bool same_count, uint8_t *contained)
{
    const spk_results *r = table->results;
    uint64_t prefix[SPK_EPISODE_MAX_SIZE + 1];
    uint32_t size = spk_result_size(r, i);
    hash_prefixes(r, i, prefix);
    uint64_t open = size > 1 ? 3 : 0;
    while (open != 0 && --size > 0) {
        uint64_t missing = 0;
        for (uint32_t first = 0; first < SPK_EPISODE_MAX_SIZE && open >> first != 0; first++) {
            if ((open >> first & 1) == 0)
                continue;
            uint64_t slot = *find(table, hash_part(table, i, prefix, first, size), i, first, size);
            if (slot == EMPTY)
                missing |= UINT64_C(1) << first;
            else if (!same_count || spk_result_count(r, (uint32_t)slot) == spk_result_count(r, i))
                contained[(uint32_t)slot] = 1;
        }
        open = missing | missing << 1;
    }
}

spk_status spk_episodes_drop_contained(spk_context *context, const spk_results *results,
                                       bool same_count, uint8_t *keep)
{
    episode_table table = {.results = results};
    uint8_t *contained = NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_zero(context, &contained, results->n, "a selection");
    if (status == SPK_OK)
        status = fill(context, &table, keep);
    for (uint64_t i = 0; i < results->n && status == SPK_OK; i++) {
        if (keep[i] != 0 && table.same[i] == i)
            mark_parts(&table, i, same_count, contained);
        if (i % 4096 == 0)
            status = spk_check_cancel(context);
    }
    for (uint64_t i = 0; i < results->n && status == SPK_OK; i++)
        keep[i] = keep[i] != 0 && contained[table.same[i]] == 0;
    spk_free_all(contained, table.slot, table.same);
    spk_stage_close(context, &stage);
    return status;
}
