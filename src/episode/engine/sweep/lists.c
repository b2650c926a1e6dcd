/*
 * Occurrence lists (end, latest start).
 *
 *     events           a: 10 20      b: 13 14 22      interval (0, 5]
 *     list of a        (10, 10) (20, 20)
 *     list of a -> b   (13, 10) (14, 10) (22, 20)     times stand for places and ranks here
 *
 * Invariant: ends rise and starts never fall, so that the greedy choice goes through a list once. A
 * path keeps the list of each position; the next episode remakes those behind the first position
 * that differs. Cost: a list takes a step for each end of the one before (extend_simd.c), and 8
 * bytes an entry; it is no longer than its last unit has events.
 */
#include "episode/engine/sweep/task.h"

#include <assert.h>
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
    spk_status status =
        spk_alloc_columns(NULL, "", SPK_COLUMN(&list->end, n), SPK_COLUMN(&list->start, n));
    if (status == SPK_OK)
        list->capacity = n;
    else
        sweep_list_free(list);
    return status;
}

spk_status sweep_list_of_unit(const sweep_index *index, uint32_t unit, sweep_list *out)
{
    const uint64_t *first = index->events.unit_first + unit;
    uint64_t n = first[1] - first[0];
    spk_status status = reserve(out, n);
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < n; k++) {
        out->end[k] = (uint32_t)(first[0] + k);
        out->start[k] = index->unit_rank[first[0] + k];
    }
    out->n = n;
    return SPK_OK;
}

/* Occurrences of prefix -delays[delay]-> unit. */
static spk_status sweep_list_extend(const sweep_index *index, sweep_extend_fn *extend,
                                    const sweep_list *prefix, size_t delay, uint32_t unit,
                                    sweep_list *out)
{
    const uint64_t *first = index->events.unit_first + unit;
    spk_status status = reserve(out, first[1] - first[0] + SWEEP_EXTEND_SPARE);
    if (status == SPK_OK)
        out->n =
            extend(index, prefix->n, prefix->end, prefix->start, delay, unit, out->end, out->start);
    assert(status != SPK_OK || out->n <= first[1] - first[0]); /* an event ends one entry */
    return status;
}

/* How many positions of the path this episode shares. */
static uint32_t shared_positions(const sweep_path *path, uint32_t size, const uint32_t *unit,
                                 const uint16_t *delay)
{
    uint32_t common = 0;
    while (common < path->depth && common < size && path->unit[common] == unit[common] &&
           (common == 0 || path->delay[common] == delay[common]))
        common++;
    return common;
}

spk_status sweep_path_go(const sweep_index *index, sweep_extend_fn *extend, uint32_t size,
                         const uint32_t *unit, const uint16_t *delay, sweep_path *path)
{
    uint32_t common = shared_positions(path, size, unit, delay);
    assert(size > 0 && size <= SPK_EPISODE_MAX_SIZE);
    path->depth = common;
    for (uint32_t p = common; p < size; p++) {
        spk_status status = p == 0 ? sweep_list_of_unit(index, unit[0], &path->list[0])
                                   : sweep_list_extend(index, extend, &path->list[p - 1], delay[p],
                                                       unit[p], &path->list[p]);
        if (status != SPK_OK)
            return status;
        path->unit[p] = unit[p];
        path->delay[p] = delay[p];
        path->depth = p + 1;
    }
    return SPK_OK;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Places of a unit's events with ranks from `first` on and before `end`: *n of them from the place
 * returned on. */
static uint64_t places_within(const sweep_index *index, uint32_t unit, uint64_t first, uint64_t end,
                              uint64_t *n)
{
    const uint64_t *place = index->events.unit_first + unit;
    uint64_t from = sweep_place_of_rank(index, place[0], place[1], first);
    *n = sweep_place_of_rank(index, from, place[1], end) - from;
    return from;
}

static spk_status window_of_unit(const sweep_index *index, uint32_t unit, uint64_t first,
                                 uint64_t end, sweep_list *out)
{
    uint64_t n = 0;
    uint64_t place = places_within(index, unit, first, end, &n);
    spk_status status = reserve(out, n);
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < n; k++) {
        out->end[k] = (uint32_t)(place + k);
        out->start[k] = index->unit_rank[place + k];
    }
    out->n = n;
    return SPK_OK;
}

/* Extends a list whose ends have ranks from `first` on and before `end`; keeps those before `end`.
 */
static spk_status extend_window(const sweep_index *index, sweep_extend_fn *extend,
                                const sweep_list *prefix, size_t delay, uint32_t unit,
                                uint64_t first, uint64_t end, sweep_list *out)
{
    uint64_t most = 0;
    (void)places_within(index, unit, first, end + index->widest_span, &most);
    spk_status status = reserve(out, most + SWEEP_EXTEND_SPARE);
    if (status != SPK_OK)
        return status;
    out->n =
        extend(index, prefix->n, prefix->end, prefix->start, delay, unit, out->end, out->start);
    assert(out->n <= most);
    while (out->n > 0 && index->unit_rank[out->end[out->n - 1]] >= end)
        out->n--;
    return SPK_OK;
}

spk_status sweep_path_window(const sweep_index *index, sweep_extend_fn *extend, uint32_t size,
                             const uint32_t *unit, const uint16_t *delay, sweep_window window,
                             sweep_path *path, sweep_list *out)
{
    /* An occurrence reaches back over size - 1 bounds at most. What ends before the window served
     * to get here, and is left out at last. */
    uint64_t back = (size - 1) * index->widest_span;
    uint64_t first = window.first > back ? window.first - back : 0;
    uint32_t common = shared_positions(path, size, unit, delay);
    assert(size > 0 && size <= SPK_EPISODE_MAX_SIZE);
    path->depth = common;
    for (uint32_t p = common; p < size; p++) {
        spk_status status = p == 0
                                ? window_of_unit(index, unit[0], first, window.end, &path->list[0])
                                : extend_window(index, extend, &path->list[p - 1], delay[p],
                                                unit[p], first, window.end, &path->list[p]);
        if (status != SPK_OK)
            return status;
        path->unit[p] = unit[p];
        path->delay[p] = delay[p];
        path->depth = p + 1;
    }
    const sweep_list *last = &path->list[size - 1];
    uint64_t before = 0;
    while (before < last->n && index->unit_rank[last->end[before]] < window.first)
        before++;
    *out = (sweep_list){
        .n = last->n - before, .end = last->end + before, .start = last->start + before};
    return SPK_OK;
}

void sweep_path_free(sweep_path *path)
{
    for (uint32_t p = 0; p < SPK_EPISODE_MAX_SIZE; p++)
        sweep_list_free(&path->list[p]);
}
