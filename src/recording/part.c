/* A part of a recording by time: what readers of all formats do alike. */
#include "recording/part.h"

#include "recording/grid.h"

bool spk_part_is_wanted(const spk_read_options *options)
{
    const spk_read_options *o = options;
    return o->part != NULL && o->part->n > 1 && !o->sort && o->units == NULL &&
           o->min_rate_hz == 0 && o->start == NULL && o->stop == NULL;
}

/* Rounded up: delays are cut to whole ticks, of these or of coarser ones. */
uint64_t spk_part_reach(const spk_read_part *wanted, spk_rate rate)
{
    uint64_t one = spk_duration_ticks(wanted->reach, rate);
    uint64_t all = 0;
    if (__builtin_add_overflow(one, 2, &one) ||
        __builtin_mul_overflow(one, (uint64_t)wanted->steps, &all))
        return UINT64_MAX;
    return all;
}

void spk_part_set(spk_recording *recording, const spk_read_part *wanted, int64_t own)
{
    const spk_events *events = &recording->events;
    spk_part *part = &recording->part;
    *part = (spk_part){.divided = true, .reach = wanted->reach, .steps = wanted->steps};
    spk_time_grid grid;
    spk_recording_find_grid(recording, &grid);
    if (recording->time_unit == SPK_TIME_SAMPLES)
        part->grid = SPK_PART_NO_GRID;
    else if (grid.rounded)
        part->grid = SPK_PART_ROUNDED;
    else
        part->grid = spk_times_are_few(events) ? SPK_PART_TOO_FEW : SPK_PART_NO_GRID;
    while (part->margin < events->n_events && events->time[part->margin] < own)
        part->margin++;
}
