/* The recording's inside, for the readers, the generators and slicing. */
#pragma once

#include "base/context.h"
#include "base/sha256.h"
#include "base/stage.h"
#include "spikemine/describe.h"
#include "spikemine/recording.h"

/* The exact bounds behind an extent that was given as times. Each holds the events that its tick
 * does, but may lie before it. */
typedef struct spk_recording_bounds {
    bool has_start;
    bool has_stop;
    bool open_stop; /* a file whose stop was not given: it stops a tick behind its last event */
    spk_duration start;
    spk_duration stop;
    bool
        start_of_events; /* nobody gave a start: it is that of the events, and segments may begin */
    bool stop_of_events; /* before it; the same for the stop */
} spk_recording_bounds;

/* A border of a segment: an event at `tick` is the first one behind it. */
typedef struct spk_border {
    int64_t tick;
    bool between; /* it lies between two ticks, at `time`, and `tick` is the second one */
    spk_duration time;
} spk_border;

typedef struct spk_exact_segment {
    spk_border start;
    spk_border stop;
    size_t trial; /* to which it belongs, from 0 */
} spk_exact_segment;

/* Whether times are rounded multiples of a step, by those of one part. */
typedef enum spk_part_grid {
    SPK_PART_NO_GRID,
    SPK_PART_ROUNDED,
    SPK_PART_TOO_FEW, /* to tell */
} spk_part_grid;

/* What a recording that is a part of another one knows of the whole. */
typedef struct spk_part {
    bool divided;       /* it is one */
    bool joined;        /* spk_ranks_join_parts has filled in what is below */
    uint64_t margin;    /* events before its own stretch, the first ones */
    spk_duration reach; /* as far as these go, times steps */
    uint32_t steps;
    spk_part_grid grid;
    char columns[SPK_SHA256_HEX]; /* of the whole's events, where the reader went through all of
                                     them; else "" */
    uint64_t before;              /* events of the whole that are left of it */
    uint64_t n_events;            /* of the whole */
    uint64_t *unit_count;         /* per unit, of the whole */
} spk_part;

/* How times were written that are points of a grid now (grid.h). */
typedef struct spk_written {
    spk_rate rate;      /* in these ticks, rounded */
    double tolerance_s; /* so near to a point, its time is meant */
    int64_t first;      /* points lie at first + k * step of the recording's ticks */
    uint64_t step;      /* 0: times are as they were written */
} spk_written;

struct spk_recording {
    spk_events events; /* views of the columns below, or of the caller's */
    int64_t *time;     /* NULL where the columns are the caller's */
    uint32_t *unit;
    spk_release_fn *release; /* of the caller's columns, NULL: nobody waits for them */
    void *owner;
    uint32_t *by_unit;
    uint64_t *unit_first;
    char *label_bytes;     /* all labels, each terminated, in order of unit */
    uint64_t *label_first; /* n_units offsets into label_bytes */
    spk_rate rate;
    spk_segment extent;
    size_t n_segments; /* 0: the extent is the only one, and `given` has its exact bounds */
    spk_segment *segments;
    spk_exact_segment *exact; /* the same segments */
    size_t n_trials;          /* of which some may have no segment; 0 where n_segments is */
    spk_recording_bounds given;
    spk_time_unit time_unit; /* of the file it was read from; seconds where there was none */
    spk_written written;
    spk_recording_facts facts;
    spk_part part;
    spk_holding holding; /* of the columns and labels that are its own */
};

/* Raw material of a recording. */
typedef struct spk_recording_parts {
    uint64_t n_events;
    int64_t *time;  /* any order; allocated, as is unit */
    uint32_t *unit; /* any numbering; labels[unit] names it */
    uint32_t n_units;
    const char *const *labels; /* distinct; NULL: "0", "1", ... */
    spk_rate rate;
    const int64_t *start; /* extent; NULL: the first event's tick */
    const int64_t *stop;  /* NULL: the last event's tick + 1 */
    /* The stretches in which the recording was observed, in any order; they may overlap. Borrowed,
     * 0: the extent. Events outside all of them are dropped and counted in facts.outside. An extent
     * that was given (start, stop) cuts them; it becomes that from the first to the last one. A
     * reader that sets start or stop to what its events have says so in given.start_of_events and
     * given.stop_of_events. */
    size_t n_segments;
    const spk_time_range *segments; /* each is a trial, numbered as they come */
    size_t n_exact; /* the segments of the recording that this is a copy of, in order; with
                       n_segments, too, those cut it */
    const spk_exact_segment *exact;
    size_t n_trials;  /* of the exact segments */
    bool keep_trials; /* with both: what is left belongs to the trials of `exact` */
    spk_recording_bounds given;
    spk_time_unit time_unit;
    spk_written written;
    spk_recording_facts facts; /* sorted, duplicates and ties are filled in */
} spk_recording_parts;

/* What a copy of the recording begins with: its ticks, extent and segments, without events and
 * units. */
spk_recording_parts spk_recording_frame(const spk_recording *recording);

/* Renumbers units in natural order of labels, sorts by (time, unit), drops duplicates, builds the
 * index, in place: beyond the columns 4 bytes an event, 12 while sorting unsorted ones. The columns
 * of the parts are taken over, freed on failure, and are NULL afterwards; labels are copied. */
spk_status spk_recording_assemble(spk_context *context, spk_recording_parts *parts,
                                  spk_recording **out);

/* A recording that reads the columns where they are. They must be in order of (time, unit) without
 * duplicates and have labels in natural order, which are copied; the source must have passed the
 * check below. `exact`: its segments, in order, of n_trials, NULL where it has none; where they do
 * not hold all events *out is NULL. */
spk_status spk_recording_borrow(spk_context *context, const spk_recording_source *source,
                                const spk_exact_segment *exact, size_t n_trials,
                                spk_recording **out);

/* Checks the numbers of events and units, the rate and that what is needed is there; no event. */
spk_status spk_recording_check_source(spk_context *context, const spk_recording_source *source);

/* Sorts both columns by (time, unit) in place. Columns already in order of time cost one pass (ties
 * are put in order of unit); others are radix sorted through a copy, 12 bytes an event.
 * *was_sorted tells whether times never went backwards. */
spk_status spk_sort_events(spk_context *context, uint64_t n, int64_t *time, uint32_t *unit,
                           bool *was_sorted);

/* What a reader tells of a recording that it has made: a note when the rates of the units are
 * implausible, as the unit of time may be wrong. None of a part before it is joined.
 * SPK_ERR_MEMORY. */
spk_status spk_recording_tell_rates(spk_context *context, const spk_recording *recording,
                                    const char *name);

/* What the description doubts, as a sentence; "" where all is plausible. Its length. */
size_t spk_rate_doubt_format(const spk_recording_description *description, char *buffer,
                             size_t size);

/* A copy of the first so many seconds, cut to two digits; `stop` is where they end, as the option
 * of that name has it ("312s"). Errors: SPK_ERR_MEMORY. */
spk_status spk_recording_beginning(spk_context *context, const spk_recording *recording,
                                   double seconds, char *stop, size_t size, spk_recording **out);

/* ---- a part by time, for one of several readers (spk_read_options.part) ---------------------- */

/* Whether the options ask for a part, and have nothing that needs the whole. */
bool spk_part_is_wanted(const spk_read_options *options);

/* How far the margin before a part's own stretch goes back, in ticks of this rate. */
uint64_t spk_part_reach(const spk_read_part *wanted, spk_rate rate);

/* Makes the recording a part whose own stretch begins at the time `own`. */
void spk_part_set(spk_recording *recording, const spk_read_part *wanted, int64_t own);
