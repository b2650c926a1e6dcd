/* Canonical order. */
#include "episode/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

/* Most comparisons are settled by count and first unit, which a key holds in one word. */
typedef struct order_keys {
    const episode_level *level;
    uint64_t *key;
} order_keys;

static uint64_t make_key(const episode_level *level, uint64_t row)
{
    uint64_t count = level->count[row];
    /* Counts beyond 32 bits share the first key; their order is found in full. */
    return count < UINT32_MAX ? ~count << 32 | level->unit[row * level->size] : 0;
}

static int compare_rows(const void *user, uint32_t a, uint32_t b)
{
    const order_keys *keys = user;
    const episode_level *level = keys->level;
    if (keys->key[a] != keys->key[b])
        return keys->key[a] < keys->key[b] ? -1 : 1;
    if (level->count[a] != level->count[b])
        return level->count[a] > level->count[b] ? -1 : 1;
    uint32_t size = level->size;
    const uint32_t *unit_a = level->unit + (uint64_t)a * size;
    const uint32_t *unit_b = level->unit + (uint64_t)b * size;
    for (uint32_t p = 0; p < size; p++)
        if (unit_a[p] != unit_b[p])
            return unit_a[p] < unit_b[p] ? -1 : 1;
    const uint16_t *delay_a = level->delay + (uint64_t)a * size;
    const uint16_t *delay_b = level->delay + (uint64_t)b * size;
    for (uint32_t p = 1; p < size; p++)
        if (delay_a[p] != delay_b[p])
            return delay_a[p] < delay_b[p] ? -1 : 1;
    return 0;
}

static void copy_rows(const episode_level *level, const uint32_t *order, episode_sorted *out)
{
    uint32_t size = level->size;
    for (uint64_t k = 0; k < level->n; k++) {
        uint64_t row = order[k];
        assert(row < level->n);
        out->offset[k] = k * size;
        out->count[k] = level->count[row];
        memcpy(out->unit + k * size, level->unit + row * size, size * sizeof(uint32_t));
        memcpy(out->delay + k * size, level->delay + row * size, size * sizeof(uint16_t));
    }
    out->offset[level->n] = level->n * size;
    out->columns = (spk_episode_columns){.n = level->n,
                                         .offset = out->offset,
                                         .unit = out->unit,
                                         .delay = out->delay,
                                         .count = out->count};
}

spk_status episode_sorted_make(spk_context *context, const episode_level *level,
                               episode_sorted *out)
{
    *out = (episode_sorted){.unit = NULL};
    uint32_t *order = NULL;
    uint64_t n = level->n;
    order_keys keys = {.level = level};
    const char *what = "frequent episodes in order";
    spk_status status =
        spk_alloc_columns(context, what, SPK_COLUMN(&order, n), SPK_COLUMN(&keys.key, n),
                          SPK_COLUMN(&out->offset, n + 1), SPK_COLUMN(&out->unit, n * level->size),
                          SPK_COLUMN(&out->delay, n * level->size), SPK_COLUMN(&out->count, n));
    if (status != SPK_OK)
        goto done;
    for (uint64_t k = 0; k < n; k++) {
        order[k] = (uint32_t)k;
        keys.key[k] = make_key(level, k);
    }
    status = spk_sort_indices(context, n, order, compare_rows, &keys);
    if (status == SPK_OK)
        copy_rows(level, order, out);
done:
    free(order);
    free(keys.key);
    if (status != SPK_OK)
        episode_sorted_free(out);
    return status;
}

void episode_sorted_free(episode_sorted *sorted)
{
    free(sorted->offset);
    free(sorted->unit);
    free(sorted->delay);
    free(sorted->count);
    *sorted = (episode_sorted){.unit = NULL};
}
