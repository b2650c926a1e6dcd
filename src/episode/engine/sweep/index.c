/* Builds ranks, lanes and the widest span. */
#include "episode/engine/sweep/index.h"

#include <stdlib.h>

#include "base/memory.h"

static spk_status build_ranks(spk_context *context, sweep_index *index)
{
    const spk_events *e = &index->events;
    spk_status status =
        spk_alloc(context, (void **)&index->rank, e->n_events, sizeof(uint32_t), "event ranks");
    if (status != SPK_OK)
        return status;
    uint32_t rank = 0;
    for (uint64_t i = 0; i < e->n_events; i++) {
        rank += i > 0 && e->time[i] != e->time[i - 1];
        index->rank[i] = rank;
    }
    index->n_ranks = e->n_events > 0 ? rank + 1 : 0;
    return SPK_OK;
}

typedef struct unit_size {
    uint64_t n;
    uint32_t unit;
} unit_size;

static int by_falling_size(const void *a, const void *b)
{
    const unit_size *x = a;
    const unit_size *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static spk_status build_lanes(spk_context *context, sweep_index *index)
{
    const spk_events *e = &index->events;
    unit_size *order = NULL;
    index->n_tiles = e->n_units / SWEEP_LANES + (e->n_units % SWEEP_LANES != 0);
    uint32_t n_lanes = index->n_tiles * SWEEP_LANES;
    spk_status status = spk_alloc(context, (void **)&order, e->n_units, sizeof *order, "lanes");
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)&index->lane_unit, n_lanes, sizeof(uint32_t), "lanes");
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)&index->unit_lane, e->n_units, sizeof(uint32_t), "lanes");
    if (status != SPK_OK)
        goto done;
    for (uint32_t u = 0; u < e->n_units; u++)
        order[u] = (unit_size){e->unit_first[u + 1] - e->unit_first[u], u};
    qsort(order, e->n_units, sizeof *order, by_falling_size);
    for (uint32_t lane = 0; lane < n_lanes; lane++)
        index->lane_unit[lane] = lane < e->n_units ? order[lane].unit : UINT32_MAX;
    for (uint32_t lane = 0; lane < e->n_units; lane++)
        index->unit_lane[order[lane].unit] = lane;
done:
    free(order);
    return status;
}

static void find_widest_span(sweep_index *index)
{
    const spk_events *e = &index->events;
    for (size_t d = 0; d < index->n_delays; d++) {
        uint64_t last = 0;
        for (uint64_t i = 0; i < e->n_events; i++) {
            while (last + 1 < e->n_events &&
                   (uint64_t)e->time[last + 1] - (uint64_t)e->time[i] <= index->delays[d].hi)
                last++;
            uint64_t span = index->rank[last] - index->rank[i];
            if (last >= i && span > index->widest_span)
                index->widest_span = span;
        }
    }
}

spk_status sweep_index_open(spk_context *context, const spk_episode_job *job, sweep_index *index)
{
    *index = (sweep_index){.events = spk_recording_events(job->recording),
                           .delays = job->delays,
                           .n_delays = job->n_delays};
    spk_status status = build_ranks(context, index);
    if (status == SPK_OK)
        status = build_lanes(context, index);
    if (status == SPK_OK)
        find_widest_span(index);
    else
        sweep_index_close(index);
    return status;
}

void sweep_index_close(sweep_index *index)
{
    free(index->rank);
    free(index->lane_unit);
    free(index->unit_lane);
    *index = (sweep_index){.n_delays = 0};
}
