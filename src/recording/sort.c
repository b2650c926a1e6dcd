/*
 * Sorts event columns. Recordings come nearly always in order of time, so that case is one pass;
 * the others are sorted as (time, unit) pairs in 16 bytes an event, released afterwards.
 */
#include "recording/sort.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct event {
    int64_t time;
    uint32_t unit;
} event;

static int compare_events(const void *a, const void *b)
{
    const event *x = a;
    const event *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static int compare_units(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_sorted(uint64_t n, const int64_t *time)
{
    for (uint64_t i = 1; i < n; i++)
        if (time[i - 1] > time[i])
            return false;
    return true;
}

/* Puts every run of equal times in order of unit. */
static void sort_ties(uint64_t n, const int64_t *time, uint32_t *unit)
{
    for (uint64_t i = 0; i < n;) {
        uint64_t end = i + 1;
        bool ordered = true;
        for (; end < n && time[end] == time[i]; end++)
            ordered &= unit[end - 1] <= unit[end];
        if (!ordered)
            qsort(unit + i, (size_t)(end - i), sizeof *unit, compare_units);
        i = end;
    }
}

spk_status spk_sort_events(spk_context *context, uint64_t n, int64_t *time, uint32_t *unit,
                           uint32_t n_units, bool *was_sorted)
{
    (void)n_units;
    *was_sorted = is_sorted(n, time);
    if (*was_sorted) {
        sort_ties(n, time, unit);
        return SPK_OK;
    }
    event *events = NULL;
    spk_status status = spk_alloc(context, (void **)&events, n, sizeof *events, "sorting");
    if (status != SPK_OK)
        return status;
    for (uint64_t i = 0; i < n; i++)
        events[i] = (event){time[i], unit[i]};
    qsort(events, (size_t)n, sizeof *events, compare_events);
    for (uint64_t i = 0; i < n; i++) {
        time[i] = events[i].time;
        unit[i] = events[i].unit;
    }
    free(events);
    return SPK_OK;
}
