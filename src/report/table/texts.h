/* Texts that are made once and copied many times, one behind the other: labels of units, delay
 * intervals. Writers of millions of rows need it. */
#ifndef SPK_REPORT_TABLE_TEXTS_H
#define SPK_REPORT_TABLE_TEXTS_H

#include "spikemine/episode.h"
#include "spikemine/pattern.h"

typedef struct report_texts {
    char *bytes;
    uint64_t *first; /* n + 1: text k is bytes[first[k]] .. bytes[first[k + 1] - 1] */
    uint64_t n;
    uint64_t bytes_capacity;
    uint64_t first_capacity;
} report_texts;

/* Start with zeros. */
void report_texts_free(report_texts *texts);

/* The labels of units 0 .. n_units - 1 as they stand in episodes, in patterns, or as strings of
 * JSON. `recording` may be NULL for the last two: then a label is the unit's number. Errors:
 * SPK_ERR_FORMAT for a label that is not UTF-8, as JSON needs. */
typedef enum report_label_form {
    REPORT_LABEL_EPISODE,
    REPORT_LABEL_PATTERN,
    REPORT_LABEL_JSON
} report_label_form;
spk_status report_labels_make(spk_context *context, const spk_recording *recording,
                              uint32_t n_units, report_label_form form, report_texts *out);

/* Delay intervals as they stand between the units of an episode: " (5ms,10ms] ". */
spk_status report_delays_make(spk_context *context, const spk_delay *delays, size_t n_delays,
                              report_texts *out);

#endif
