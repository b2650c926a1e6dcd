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

spk_status sweep_list_extend(const sweep_index *index, sweep_extend_fn *extend,
                             const sweep_list *prefix, size_t delay, uint32_t unit, sweep_list *out)
{
    const uint64_t *first = index->events.unit_first + unit;
    spk_status status = reserve(out, first[1] - first[0] + SWEEP_EXTEND_SPARE);
    if (status == SPK_OK)
        out->n =
            extend(index, prefix->n, prefix->end, prefix->start, delay, unit, out->end, out->start);
    return status;
}

spk_status sweep_path_go(const sweep_index *index, sweep_extend_fn *extend, uint32_t size,
                         const uint32_t *unit, const uint16_t *delay, sweep_path *path)
{
    uint32_t common = 0;
    while (common < path->depth && common < size && path->unit[common] == unit[common] &&
           (common == 0 || path->delay[common] == delay[common]))
        common++;
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

void sweep_path_free(sweep_path *path)
{
    for (uint32_t p = 0; p < SPK_EPISODE_MAX_SIZE; p++)
        sweep_list_free(&path->list[p]);
}
