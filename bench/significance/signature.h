/* What the signature test says of a recording with a planted chain. */
#pragma once

#include "planted.h"

/* As our command does it, with fdr-bh; the same after the reduction with 2,0,0 (patterns only); by
 * the published rule. */
enum { SIGNATURE_OURS, SIGNATURE_REDUCED, SIGNATURE_PUBLISHED, N_SIGNATURE_RULES };

/* Tests the results of the job's search with the job's surrogates, its first n_surrogates, and adds
 * those that are significant at alpha to the tally of each rule. */
spk_status signature_tally(spk_context *context, const spk_recording *recording,
                           const exact_job *job, const planted *chain, const exact_found *found,
                           double alpha, planted_tally *tally);
