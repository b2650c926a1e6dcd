/* Texts of units and delays, made once and copied many times: writers of millions of lines need it.
 */
#ifndef SPK_REPORT_TABLE_NAMES_H
#define SPK_REPORT_TABLE_NAMES_H

#include <stdio.h>

#include "spikemine/episode.h"

typedef struct report_names {
    char *bytes;
    uint64_t *unit_first;  /* n_units + 1: text of a unit as it stands in an episode */
    uint64_t *delay_first; /* n_delays + 1: " (5ms,10ms] " with its blanks */
    uint32_t n_units;
    size_t n_delays;
} report_names;

spk_status report_names_make(spk_context *context, const spk_recording *recording,
                             const spk_delay *delays, size_t n_delays, report_names *out);
void report_names_free(report_names *names);

/* Writes the text form of one episode. */
void report_names_write(const report_names *names, uint32_t size, const uint32_t *unit,
                        const uint16_t *delay, FILE *stream);

#endif
