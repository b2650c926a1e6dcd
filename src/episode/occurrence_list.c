/* Lists of occurrences: growing columns. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stage.h"
#include "spikemine/episode.h"
#include "spikemine/occurrences.h"

struct spk_occurrence_list {
    spk_context *context;
    uint64_t n;
    uint32_t size;
    uint64_t capacity;      /* of segment */
    uint64_t time_capacity; /* of time, which has `size` elements a row */
    uint64_t *segment;
    int64_t *time;
    spk_holding holding;
};

spk_status spk_occurrence_list_create(spk_context *context, spk_occurrence_list **out)
{
    spk_status status = spk_alloc_zero(context, out, 1, "a list of occurrences");
    if (status == SPK_OK)
        (*out)->context = context;
    return status;
}

void spk_occurrence_list_free(spk_occurrence_list *list)
{
    if (list == NULL)
        return;
    free(list->segment);
    free(list->time);
    spk_holding_release(&list->holding);
    free(list);
}

spk_occurrence_columns spk_occurrence_list_columns(const spk_occurrence_list *list)
{
    return (spk_occurrence_columns){
        .n = list->n, .size = list->size, .segment = list->segment, .time = list->time};
}

/* Space for one more occurrence. */
static spk_status grow(spk_occurrence_list *list)
{
    const char *what = "a list of occurrences";
    const uint64_t end = (list->n + 1) * list->size;
    if (list->n < list->capacity && end <= list->time_capacity)
        return SPK_OK;
    spk_stage stage = spk_stage_open(list->context);
    spk_status status = spk_grow(list->context, &list->segment, &list->capacity, list->n + 1, what);
    if (status == SPK_OK)
        status = spk_grow(list->context, &list->time, &list->time_capacity, end, what);
    spk_stage_close(list->context, &stage);
    spk_holding_set(list->context, &list->holding,
                    list->capacity * sizeof *list->segment +
                        list->time_capacity * sizeof *list->time);
    return status;
}

spk_status spk_occurrence_list_add(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    spk_occurrence_list *list = user;
    if (size == 0 || (list->n > 0 && size != list->size))
        return spk_fail(list->context, SPK_ERR_ARGUMENT,
                        "an occurrence of %u positions in a list of occurrences of %u", size,
                        list->size);
    list->size = size;
    spk_status status = grow(list);
    if (status != SPK_OK)
        return status;
    list->segment[list->n] = segment;
    memcpy(list->time + list->n * size, time, size * sizeof *time);
    list->n++;
    return SPK_OK;
}
