/* The recording's inside, for the readers, the generators and slicing. */
#ifndef SPK_RECORDING_RECORDING_H
#define SPK_RECORDING_RECORDING_H

#include "base/context.h"
#include "base/stage.h"
#include "spikemine/recording.h"

/* The exact bounds behind an extent that was given as times. Each holds the events that its tick
 * does, but may lie before it. */
typedef struct spk_recording_bounds {
    bool has_start;
    bool has_stop;
    bool open_stop; /* a file whose stop was not given: it stops a tick behind its last event */
    spk_duration start;
    spk_duration stop;
} spk_recording_bounds;

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
    spk_recording_bounds given;
    spk_time_unit time_unit; /* of the file it was read from; seconds where there was none */
    spk_recording_facts facts;
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
    spk_recording_bounds given;
    spk_time_unit time_unit;
    spk_recording_facts facts; /* sorted, duplicates and ties are filled in */
} spk_recording_parts;

/* Renumbers units in natural order of labels, sorts by (time, unit), drops duplicates, builds the
 * index, in place: beyond the columns 4 bytes an event, 12 while sorting unsorted ones. The columns
 * of the parts are taken over, freed on failure, and are NULL afterwards; labels are copied. */
spk_status spk_recording_assemble(spk_context *context, spk_recording_parts *parts,
                                  spk_recording **out);

/* A recording that reads the columns where they are. They must be in order of (time, unit) without
 * duplicates and have labels in natural order, which are copied; the source must have passed the
 * check below. */
spk_status spk_recording_borrow(spk_context *context, const spk_recording_source *source,
                                spk_recording **out);

/* Checks the numbers of events and units, the rate and that what is needed is there; no event. */
spk_status spk_recording_check_source(spk_context *context, const spk_recording_source *source);

#endif
