/*
 * From arrays to a recording: a time and a unit of each event, in any order of time. What all array
 * formats share lies here: the unit of time, start, stop and units of the options, the clock.
 */
#pragma once

#include "recording/labels.h"
#include "recording/readers/array.h"
#include "recording/recording.h"

/* What becomes of the units found in a file, by their number in spk_labels: a format may leave
 * units out, and name them otherwise. */
typedef struct spk_unit_choice {
    bool *keep;
    const char **label; /* borrowed from `labels` or the format, until the recording is made */
} spk_unit_choice;

typedef spk_status spk_choose_units_fn(spk_context *context, void *user, const spk_labels *found,
                                       spk_unit_choice *choice);

/* Events as columns of arrays. */
typedef struct spk_spikes {
    const char *name; /* before messages */
    spk_values times;
    spk_values units;
    spk_rate rate;   /* of times in samples, where the format tells it; {0, 0}: it does not */
    bool samples;    /* the format says that times are samples, also where no rate is known */
    bool single;     /* times were stored in 32 bit, whatever they are now */
    bool in_seconds; /* the format says seconds: --time-unit may say nothing else */
    spk_choose_units_fn *choose; /* NULL: all, under their own names */
    void *user;
    const spk_labels *more; /* labels of units that may have no event; NULL: none */
    uint64_t n_segments;    /* stretches observed, in the unit of the times; 0: the extent */
    const double *segment_start;
    const double *segment_stop;
    bool closed; /* an event at a segment's stop is in it */
    /* A recording as it was, where times are ticks of `rate`. */
    bool ticks;
    const int64_t *start; /* NULL: nobody gave it */
    const int64_t *stop;
    spk_recording_bounds given; /* start and stop where they lie between ticks */
    size_t n_exact;             /* of several segments */
    const spk_exact_segment *exact;
    size_t n_trials; /* of these */
} spk_spikes;

/* Makes the recording. Times that are in order are found by bisection where the options have start
 * or stop; else everything is read once. Of whole numbers in order a part is kept where the options
 * want one (spk_read_options.part); then everything is read, too, for the units, the extent and the
 * order. Memory: 12 bytes an event kept, and 4 an event of the range or part. */
spk_status spk_spikes_read(spk_context *context, const spk_spikes *spikes,
                           const spk_read_options *options, spk_recording **out);
