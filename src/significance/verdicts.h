/* Verdicts on any signature, also on those that no pattern has: what the reduction asks. */
#ifndef SPK_SIGNIFICANCE_VERDICTS_H
#define SPK_SIGNIFICANCE_VERDICTS_H

#include "significance/reached.h"
#include "spikemine/significance.h"

typedef struct spk_verdicts {
    const spk_signature *signature; /* those that were tested */
    uint64_t n;
    spk_reached reached;
    uint32_t *most; /* largest count by duration, then size; MOST_UNKNOWN before it is asked for */
} spk_verdicts;

/* Opens them. Without maxima there was no test, and every signature is significant. Close them in
 * any case. Errors: SPK_ERR_ARGUMENT (maxima), SPK_ERR_MEMORY. */
spk_status spk_verdicts_open(spk_context *context, const spk_maxima_columns *maxima,
                             const spk_signature *signature, uint64_t n, bool published,
                             spk_verdicts *verdicts);
void spk_verdicts_close(spk_verdicts *verdicts);

/* The verdict of the test where the signature was observed; else whether no surrogate reaches it.
 */
bool spk_verdicts_significant(spk_verdicts *verdicts, uint64_t size, uint64_t count,
                              uint32_t duration);

#endif
