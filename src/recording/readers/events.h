/* The work of reading events from arrays: what readers/spikes.c and readers/events.c share. */
#pragma once

#include "recording/clock.h"
#include "recording/readers/spikes.h"

typedef struct spk_event_work {
    spk_context *context;
    const spk_spikes *spikes;
    const spk_read_options *options;
    const spk_values *times;

    /* what times mean */
    bool real; /* stored as floating point */
    spk_time_unit time_unit;
    spk_rate rate;  /* of whole numbers */
    double divisor; /* of floating point, to seconds */

    /* which are read: n from number `first` on */
    bool has_start;
    bool has_stop;
    bool narrow;        /* not all, because they seem to be in order */
    bool part;          /* those of a part; the times of all are looked at */
    int64_t own;        /* where the part's own stretch begins */
    spk_sha256 columns; /* of a part: numbers of units and times of all events */
    uint64_t first;
    uint64_t n;

    /* the units found, and what becomes of them */
    spk_labels labels;
    uint32_t *number;   /* new number of each, UINT32_MAX: left out */
    const char **label; /* of the new numbers */
    uint32_t n_units;

    /* the events kept */
    uint64_t kept;
    int64_t *time; /* doubles until the clock is found */
    uint32_t *unit;
    bool disorder; /* a time went backwards */
    int64_t least; /* of all times looked at, in ticks */
    int64_t most;
    double least_s;
    double most_s;
    spk_clock clock;
    bool clocked;
} spk_event_work;

/* Decides which events are read, by the options. */
spk_status spk_events_find_range(spk_event_work *work);

/* All are. */
void spk_events_take_all(spk_event_work *work);

/* Once times were read: whether they are in order, and none makes the recording of another part
 * fail. */
bool spk_events_part_is_good(const spk_event_work *work);

/* How many of the events kept make the recording: none where only a part's margin is left. */
uint64_t spk_events_in_part(const spk_event_work *work);

/* Numbers the units of all events, and keeps the numbers of those that are read. */
spk_status spk_events_read_units(spk_event_work *work);

/* Decides which units stay: by the format, then by --units. */
spk_status spk_events_choose(spk_event_work *work);

/* Appends the times of the units that stay. */
spk_status spk_events_read_times(spk_event_work *work);

/* Ticks, bounds, segments, the recording. */
spk_status spk_events_finish(spk_event_work *work, spk_recording **out);

/* Frees what the work holds; NULL is accepted. */
void spk_events_clear(spk_event_work *work);
