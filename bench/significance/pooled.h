/* The signature test of SPADE, applied to episodes: results of one size and count are judged alike,
 * by the largest count that each surrogate has among its episodes of that size or larger. */
#pragma once

#include "exact_job.h"

/* Tests the episodes of `found`, which has at least two different units in the recording and in
 * the surrogates, the first n_surrogates of job->null. keep[i] is 1 for significant ones by our
 * rule with fdr-bh, published[i] by the published rule. */
spk_status pooled_test(spk_context *context, const spk_recording *recording, const exact_job *job,
                       const exact_found *found, double alpha, uint8_t *keep, uint8_t *published);
