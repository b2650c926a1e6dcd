/* Occurrence lists (end, latest start). */
#include "episode/engine/sweep/lists.h"

#include <stdlib.h>

#include "base/memory.h"

void sweep_list_free(sweep_list *list)
{
    free(list->end);
    free(list->start);
    *list = (sweep_list){.n = 0};
}

static spk_status reserve(sweep_list *list, uint64_t n)
{
    if (n <= list->capacity)
        return SPK_OK;
    sweep_list_free(list);
    spk_status status = spk_alloc(NULL, (void **)&list->end, n, sizeof(uint32_t), "");
    if (status == SPK_OK)
        status = spk_alloc(NULL, (void **)&list->start, n, sizeof(uint32_t), "");
    if (status == SPK_OK)
        list->capacity = n;
    else
        sweep_list_free(list);
    return status;
}

spk_status sweep_list_of_unit(const sweep_index *index, uint32_t unit, sweep_list *out)
{
    const spk_events *e = &index->events;
    const uint32_t *event = e->by_unit + e->unit_first[unit];
    uint64_t n = e->unit_first[unit + 1] - e->unit_first[unit];
    spk_status status = reserve(out, n);
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < n; k++) {
        out->end[k] = event[k];
        out->start[k] = index->rank[event[k]];
    }
    out->n = n;
    return SPK_OK;
}

/* First k >= from with time[event[k]] more than `distance` after `time`: doubling steps, then halving,
 * because the next one is usually near. */
static uint64_t gallop(const int64_t *time_of, const uint32_t *event, uint64_t from, uint64_t n,
                       int64_t time, uint64_t distance)
{
#define AFTER(k)                                                                                   \
    (time_of[event[k]] > time && (uint64_t)time_of[event[k]] - (uint64_t)time > distance)
    if (from >= n || AFTER(from))
        return from;
    uint64_t step = 1;
    uint64_t low = from; /* not after */
    while (low + step < n && !AFTER(low + step)) {
        low += step;
        step *= 2;
    }
    uint64_t high = low + step < n ? low + step : n; /* after, or the end */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (AFTER(middle))
            high = middle;
        else
            low = middle;
    }
    return high;
#undef AFTER
}

spk_status sweep_list_extend(const sweep_index *index, const sweep_list *prefix,
                             spk_tick_delay delay, uint32_t unit, sweep_list *out)
{
    const spk_events *e = &index->events;
    const int64_t *time = e->time;
    const uint32_t *event = e->by_unit + e->unit_first[unit];
    uint64_t n_events = e->unit_first[unit + 1] - e->unit_first[unit];
    spk_status status = reserve(out, n_events);
    if (status != SPK_OK)
        return status;
    uint64_t n = 0;
    uint64_t next = 0; /* first event of the unit beyond lo of the present end */
    for (uint64_t k = 0; k < prefix->n; k++) {
        int64_t t = time[prefix->end[k]];
        next = gallop(time, event, next, n_events, t, delay.lo);
        if (next == n_events)
            break;
        /* Events beyond lo of the following end belong to that one: its start is later. */
        uint64_t k_next = k + 1 < prefix->n ? k + 1 : k;
        int64_t t_next = time[prefix->end[k_next]];
        while (next < n_events && (uint64_t)time[event[next]] - (uint64_t)t <= delay.hi) {
            int64_t now = time[event[next]];
            if (k_next != k && now > t_next && (uint64_t)now - (uint64_t)t_next > delay.lo)
                break;
            out->end[n] = event[next++];
            out->start[n++] = prefix->start[k];
        }
    }
    out->n = n;
    return SPK_OK;
}

spk_status sweep_path_go(const sweep_index *index, uint32_t size, const uint32_t *unit,
                         const uint16_t *delay, sweep_path *path)
{
    uint32_t common = 0;
    while (common < path->depth && common < size && path->unit[common] == unit[common] &&
           (common == 0 || path->delay[common] == delay[common]))
        common++;
    path->depth = common;
    for (uint32_t p = common; p < size; p++) {
        spk_status status =
            p == 0 ? sweep_list_of_unit(index, unit[0], &path->list[0])
                   : sweep_list_extend(index, &path->list[p - 1], index->delays[delay[p]], unit[p],
                                       &path->list[p]);
        if (status != SPK_OK)
            return status;
        path->unit[p] = unit[p];
        path->delay[p] = delay[p];
        path->depth = p + 1;
    }
    return SPK_OK;
}

void sweep_path_free(sweep_path *path)
{
    for (uint32_t p = 0; p < SPK_EPISODE_MAX_SIZE; p++)
        sweep_list_free(&path->list[p]);
}
