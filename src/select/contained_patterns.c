/*
 * Patterns that another pattern contains, at any shift. Larger patterns come first. Each one that
 * nothing contains is listed under all pairs of its spikes (unit, unit, distance in bins):
 *
 *     a@0 b@3 c@5     a-b 3, a-c 5, b-c 2
 *
 * A pattern is sought among those under its rarest pair. What contains something that is contained
 * itself is contained in something that is listed. For equal counts that holds, too: what lies
 * between two of one count has this count.
 */
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/stage.h"
#include "select/results.h"

#define EMPTY UINT64_MAX
#define NONE  UINT32_MAX

/* A pattern under one of its pairs. */
typedef struct listed {
    uint32_t pattern;
    uint32_t lag;  /* of the pair's first spike */
    uint32_t next; /* of the same pair; NONE at the end */
} listed;

/* A pair of spikes and the patterns that have it. */
typedef struct pair {
    uint32_t first;
    uint32_t second;
    uint32_t distance;
    uint32_t n;
    uint32_t head;
} pair;

typedef struct pair_table {
    const spk_results *results;
    uint64_t *slot; /* number of a pair, EMPTY */
    uint64_t mask;
    pair *pairs;
    uint64_t n_pairs;
    uint64_t pair_capacity;
    listed *list;
    uint64_t n_listed;
    uint64_t list_capacity;
    uint8_t *has_unit; /* some listed pattern of two spikes or more has it */
} pair_table;

static uint64_t hash_pair(const pair *p)
{
    uint64_t x = ((uint64_t)p->first << 32 | p->second) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29 ^ p->distance) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 32;
}

static uint64_t *find(const pair_table *t, const pair *p)
{
    uint64_t at = hash_pair(p) & t->mask;
    for (; t->slot[at] != EMPTY; at = (at + 1) & t->mask) {
        const pair *q = &t->pairs[t->slot[at]];
        if (q->first == p->first && q->second == p->second && q->distance == p->distance)
            break;
    }
    return &t->slot[at];
}

/* Twice as many slots. */
static spk_status rehash(spk_context *context, pair_table *t)
{
    uint64_t slots = 2 * (t->mask + 1);
    uint64_t *slot = NULL;
    spk_status status = spk_alloc(context, &slot, slots, "a selection");
    if (status != SPK_OK)
        return status;
    spk_free(context, t->slot);
    t->slot = slot;
    t->mask = slots - 1;
    memset(slot, 0xff, slots * sizeof *slot);
    for (uint64_t k = 0; k < t->n_pairs; k++)
        *find(t, &t->pairs[k]) = k;
    return SPK_OK;
}

static uint32_t lag_of(const spk_results *r, uint64_t at)
{
    return r->entry[at] % r->window;
}

static pair pair_at(const spk_results *r, uint64_t a, uint64_t b)
{
    return (pair){.first = spk_result_unit(r, a),
                  .second = spk_result_unit(r, b),
                  .distance = lag_of(r, b) - lag_of(r, a),
                  .head = NONE};
}

static spk_status list_under(spk_context *context, pair_table *t, uint32_t i, uint64_t a,
                             uint64_t b)
{
    pair p = pair_at(t->results, a, b);
    uint64_t *slot = find(t, &p);
    spk_status status =
        spk_grow(context, &t->list, &t->list_capacity, t->n_listed + 1, "a selection");
    if (status == SPK_OK && *slot == EMPTY) {
        status = spk_grow(context, &t->pairs, &t->pair_capacity, t->n_pairs + 1, "a selection");
        if (status != SPK_OK)
            return status;
        *slot = t->n_pairs;
        t->pairs[t->n_pairs++] = p;
        if (2 * t->n_pairs > t->mask)
            status = rehash(context, t);
        slot = find(t, &p);
    }
    if (status == SPK_OK && t->n_listed >= NONE)
        status = spk_fail(context, SPK_ERR_RANGE,
                          "the patterns have too many spikes for a selection; raise --min-spikes");
    if (status != SPK_OK)
        return status;
    pair *found = &t->pairs[*slot];
    t->list[t->n_listed] = (listed){i, lag_of(t->results, a), found->head};
    found->head = (uint32_t)t->n_listed++;
    found->n++;
    return SPK_OK;
}

static spk_status list_pattern(spk_context *context, pair_table *t, uint32_t i)
{
    const spk_results *r = t->results;
    spk_status status = SPK_OK;
    bool single = spk_result_size(r, i) == 1;
    for (uint64_t a = r->offset[i]; a < r->offset[i + 1] && !single; a++) {
        t->has_unit[spk_result_unit(r, a)] = 1;
        for (uint64_t b = a + 1; b < r->offset[i + 1] && status == SPK_OK; b++)
            status = list_under(context, t, i, a, b);
    }
    return status;
}

/* Whether pattern `large` has all spikes of `small`, `shift` bins later. Both are ordered by lag,
 * then unit, and the shift changes no order. */
static bool contains(const spk_results *r, uint64_t large, uint64_t small, uint32_t shift)
{
    uint64_t j = r->offset[large];
    uint64_t end = r->offset[large + 1];
    for (uint64_t k = r->offset[small]; k < r->offset[small + 1]; k++, j++) {
        uint64_t lag = (uint64_t)lag_of(r, k) + shift;
        uint32_t unit = spk_result_unit(r, k);
        while (j < end &&
               (lag_of(r, j) < lag || (lag_of(r, j) == lag && spk_result_unit(r, j) < unit)))
            j++;
        if (j == end || lag_of(r, j) != lag || spk_result_unit(r, j) != unit)
            return false;
    }
    return true;
}

/* The pair of spikes that the fewest patterns have, NULL where no pattern has all pairs; *lag
 * is that of its first spike. */
static const pair *rarest_pair(const pair_table *t, uint64_t i, uint32_t *lag)
{
    const spk_results *r = t->results;
    const pair *rarest = NULL;
    for (uint64_t a = r->offset[i]; a + 1 < r->offset[i + 1]; a++) {
        for (uint64_t b = a + 1; b < r->offset[i + 1]; b++) {
            pair p = pair_at(r, a, b);
            uint64_t slot = *find(t, &p);
            if (slot == EMPTY)
                return NULL;
            if (rarest == NULL || t->pairs[slot].n < rarest->n) {
                rarest = &t->pairs[slot];
                *lag = lag_of(r, a);
            }
        }
    }
    return rarest;
}

static bool is_contained(const pair_table *t, uint32_t i, bool same_count)
{
    const spk_results *r = t->results;
    uint32_t lag = 0;
    const pair *rarest = rarest_pair(t, i, &lag);
    if (rarest == NULL)
        return false;
    for (uint32_t at = rarest->head; at != NONE; at = t->list[at].next) {
        const listed *other = &t->list[at];
        if (other->lag >= lag && spk_result_size(r, other->pattern) > spk_result_size(r, i) &&
            (!same_count || spk_result_count(r, other->pattern) == spk_result_count(r, i)) &&
            contains(r, other->pattern, i, other->lag - lag))
            return true;
    }
    return false;
}

/* A single spike is in every pattern of its unit, with that count or not. */
static bool is_contained_single(const pair_table *t, uint32_t i, bool same_count,
                                const uint32_t *order, uint64_t n)
{
    const spk_results *r = t->results;
    uint32_t unit = spk_result_unit(r, r->offset[i]);
    if (!same_count || t->has_unit[unit] == 0)
        return t->has_unit[unit] != 0;
    for (uint64_t k = 0; k < n; k++) {
        uint32_t j = order[k];
        if (spk_result_size(r, j) == 1 || spk_result_count(r, j) != spk_result_count(r, i))
            continue;
        for (uint64_t at = r->offset[j]; at < r->offset[j + 1]; at++)
            if (spk_result_unit(r, at) == unit)
                return true;
    }
    return false;
}

/* The kept ones, larger ones first. */
static int compare_sizes(const void *results, uint32_t a, uint32_t b)
{
    const spk_results *r = results;
    uint32_t x = spk_result_size(r, a);
    uint32_t y = spk_result_size(r, b);
    return (x < y) - (x > y);
}

static spk_status drop(spk_context *context, pair_table *t, bool same_count, const uint32_t *order,
                       uint64_t n, uint8_t *keep)
{
    const spk_results *r = t->results;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        uint32_t i = order[k];
        bool contained = spk_result_size(r, i) == 1
                             ? is_contained_single(t, i, same_count, order, n)
                             : is_contained(t, i, same_count);
        keep[i] = !contained;
        if (!contained)
            status = list_pattern(context, t, i);
        if (status == SPK_OK && k % 1024 == 0)
            status = spk_check_cancel(context);
    }
    return status;
}

spk_status spk_patterns_drop_contained(spk_context *context, const spk_results *results,
                                       bool same_count, uint8_t *keep)
{
    pair_table t = {.results = results, .mask = 1023};
    uint32_t *order = NULL;
    uint64_t n = 0;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_columns(context, "a selection", SPK_COLUMN(&order, results->n),
                                          SPK_COLUMN(&t.slot, t.mask + 1),
                                          SPK_COLUMN_ZERO(&t.has_unit, results->n_units));
    if (status == SPK_OK) {
        memset(t.slot, 0xff, (t.mask + 1) * sizeof *t.slot);
        for (uint64_t i = 0; i < results->n; i++)
            if (keep[i] != 0)
                order[n++] = (uint32_t)i;
        status = spk_sort_indices(context, n, order, compare_sizes, results);
    }
    if (status == SPK_OK)
        status = drop(context, &t, same_count, order, n, keep);
    spk_free_all(order, t.slot, t.pairs, t.list, t.has_unit);
    spk_stage_close(context, &stage);
    return status;
}
