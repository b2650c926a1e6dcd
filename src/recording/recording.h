/* The recording's inside, for the readers, the generators and slicing. */
#ifndef SPK_RECORDING_RECORDING_H
#define SPK_RECORDING_RECORDING_H

#include "base/context.h"
#include "spikemine/recording.h"

struct spk_recording {
    spk_events events; /* borrowed views of the columns below */
    int64_t *time;
    uint32_t *unit;
    uint32_t *by_unit;
    uint64_t *unit_first;
    char *label_bytes;     /* all labels, each terminated, in order of unit */
    uint64_t *label_first; /* n_units offsets into label_bytes */
    spk_rate rate;
    spk_segment extent;
    spk_recording_facts facts;
};

/* Raw material of a recording. spk_recording_take takes the columns over (frees them on failure)
 * and leaves NULL behind; labels are copied. */
typedef struct spk_recording_parts {
    uint64_t n_events;
    int64_t *time;  /* any order */
    uint32_t *unit; /* any numbering; labels[unit] names it */
    uint32_t n_units;
    const char *const *labels; /* distinct; NULL: "0", "1", ... */
    spk_rate rate;
    const int64_t *start;      /* extent; NULL: the first event's tick */
    const int64_t *stop;       /* NULL: the last event's tick + 1 */
    spk_recording_facts facts; /* sorted, duplicates and ties are filled in by take */
} spk_recording_parts;

/* Renumbers units in natural order of labels, sorts by (time, unit), drops duplicates, builds the
 * index, in place: beyond the columns 4 bytes an event, 12 while sorting unsorted ones. */
spk_status spk_recording_take(spk_context *context, spk_recording_parts *parts,
                              spk_recording **out);

#endif
