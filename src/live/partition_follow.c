/* Comparing the episodes of two partitions through a table of hashes. */
#include "live/partition_follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "spikemine/partitions.h"

static const uint64_t NOT_THERE = UINT64_MAX;

void partition_episodes_free(partition_episodes *episodes)
{
    spk_holding_release(&episodes->holding);
    free(episodes->offset);
    free(episodes->unit);
    free(episodes->delay);
    free(episodes->count);
    free(episodes->slots);
    *episodes = (partition_episodes){.n = 0};
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_of(const partition_episodes *e, uint64_t i)
{
    uint64_t hash = e->offset[i + 1] - e->offset[i];
    for (uint64_t k = e->offset[i]; k < e->offset[i + 1]; k++)
        hash = mix(hash, (uint64_t)e->unit[k] << 16 | e->delay[k]);
    return hash;
}

static bool same(const partition_episodes *a, uint64_t i, const partition_episodes *b, uint64_t k)
{
    uint64_t size = a->offset[i + 1] - a->offset[i];
    return b->offset[k + 1] - b->offset[k] == size &&
           memcmp(a->unit + a->offset[i], b->unit + b->offset[k], size * sizeof *a->unit) == 0 &&
           memcmp(a->delay + a->offset[i], b->delay + b->offset[k], size * sizeof *a->delay) == 0;
}

static void fill_table(partition_episodes *e)
{
    for (uint64_t i = 0; i < e->n; i++) {
        uint64_t slot = hash_of(e, i) & (e->n_slots - 1);
        while (e->slots[slot] != 0)
            slot = (slot + 1) & (e->n_slots - 1);
        e->slots[slot] = i + 1;
    }
}

/* The number in `in` of episode i of `e`; NOT_THERE where there is none. */
static uint64_t find(const partition_episodes *in, const partition_episodes *e, uint64_t i)
{
    if (in->n == 0)
        return NOT_THERE;
    for (uint64_t slot = hash_of(e, i);; slot++) {
        uint64_t found = in->slots[slot & (in->n_slots - 1)];
        if (found == 0)
            return NOT_THERE;
        if (same(in, found - 1, e, i))
            return found - 1;
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

static spk_status make(spk_context *context, uint64_t n, uint64_t n_positions,
                       partition_episodes *out)
{
    *out = (partition_episodes){.n_slots = 1};
    while (out->n_slots < 2 * n)
        out->n_slots *= 2;
    spk_stage stage = spk_stage_open(context);
    spk_status status =
        spk_alloc_columns(context, "episodes of a partition", SPK_COLUMN(&out->offset, n + 1),
                          SPK_COLUMN(&out->unit, n_positions), SPK_COLUMN(&out->delay, n_positions),
                          SPK_COLUMN(&out->count, n), SPK_COLUMN_ZERO(&out->slots, out->n_slots));
    spk_stage_keep(context, &stage, &out->holding);
    return status;
}

spk_status partition_episodes_copy(spk_context *context, const spk_episode_columns *from,
                                   const uint32_t *unit_number, partition_episodes *out)
{
    uint64_t n_positions = from->n > 0 ? from->offset[from->n] : 0;
    spk_status status = make(context, from->n, n_positions, out);
    if (status != SPK_OK)
        return status;
    out->n = from->n;
    out->offset[0] = 0;
    for (uint64_t i = 0; i < from->n; i++) {
        out->offset[i + 1] = from->offset[i + 1];
        out->count[i] = from->count[i];
    }
    for (uint64_t k = 0; k < n_positions; k++) {
        out->unit[k] = unit_number[from->unit[k]];
        out->delay[k] = from->delay[k];
    }
    fill_table(out);
    return SPK_OK;
}

/* Those of `from` that are not `kept`. */
static spk_status copy_rest(spk_context *context, const partition_episodes *from, const bool *kept,
                            partition_episodes *out)
{
    spk_status status = make(context, from->n, from->n > 0 ? from->offset[from->n] : 0, out);
    if (status != SPK_OK)
        return status;
    uint64_t at = out->offset[0] = 0;
    for (uint64_t i = 0; i < from->n; i++) {
        if (kept[i])
            continue;
        for (uint64_t k = from->offset[i]; k < from->offset[i + 1]; k++, at++) {
            out->unit[at] = from->unit[k];
            out->delay[at] = from->delay[k];
        }
        out->count[out->n++] = from->count[i];
        out->offset[out->n] = at;
    }
    return SPK_OK;
}

spk_status partition_follow(spk_context *context, const partition_episodes *before,
                            const partition_episodes *now, uint8_t *trend, uint64_t *count_before,
                            partition_episodes *vanished)
{
    bool *kept = NULL;
    spk_status status = spk_alloc_zero(context, &kept, before->n, "episodes of a partition");
    if (status != SPK_OK)
        return status;
    for (uint64_t i = 0; i < now->n; i++) {
        uint64_t k = find(before, now, i);
        count_before[i] = k != NOT_THERE ? before->count[k] : 0;
        trend[i] = k == NOT_THERE                     ? SPK_TREND_NEW
                   : now->count[i] > count_before[i]  ? SPK_TREND_GROWING
                   : now->count[i] == count_before[i] ? SPK_TREND_STEADY
                                                      : SPK_TREND_SHRINKING;
        if (k != NOT_THERE)
            kept[k] = true;
    }
    status = copy_rest(context, before, kept, vanished);
    free(kept);
    return status;
}
