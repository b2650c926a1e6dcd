/* The signature test of a recording with a planted chain. */
#include <stdlib.h>

#include "pooled.h"
#include "signature.h"
#include "study.h"

static spk_status tally_patterns(spk_context *context, const spk_recording *recording,
                                 const exact_job *job, const planted *chain,
                                 const exact_found *found, double alpha, uint8_t *keep,
                                 planted_tally *tally)
{
    study_job signature;
    study_found mined = {0};
    spk_maxima *maxima = NULL;
    study_job_init(&signature);
    signature.windows = job->windows;
    signature.patterns = job->patterns;
    signature.surrogates = job->null;
    signature.n_surrogates = job->exact.n_surrogates;
    signature.alpha = alpha;
    spk_status status = study_mine(context, recording, &signature, &mined);
    if (status == SPK_OK)
        status = study_maxima(context, recording, &signature, NULL, &maxima);
    for (int rule = 0; rule < N_SIGNATURE_RULES && status == SPK_OK; rule++) {
        spk_signature *verdicts = NULL;
        const spk_pattern_columns patterns = spk_pattern_list_columns(mined.patterns);
        const bool published = rule == SIGNATURE_PUBLISHED;
        status = study_test(context, &mined, maxima, &signature, published, &verdicts);
        if (status == SPK_OK && rule == SIGNATURE_REDUCED)
            status = study_keep(context, &mined, maxima, &signature, false, verdicts, keep);
        else if (status == SPK_OK)
            status = spk_pattern_spectrum_filter(context, &patterns, verdicts, mined.n_entries,
                                                 false, keep);
        if (status == SPK_OK)
            planted_tally_found(&tally[rule], chain, found, keep);
        free(verdicts);
    }
    spk_maxima_free(maxima);
    study_found_free(&mined);
    return status;
}

/* The same of episodes, which have no reduction. */
static spk_status tally_episodes(spk_context *context, const spk_recording *recording,
                                 const exact_job *job, const planted *chain,
                                 const exact_found *found, double alpha, uint8_t *keep,
                                 planted_tally *tally)
{
    uint8_t *published = calloc((size_t)found->n + 1, 1);
    if (published == NULL)
        return SPK_ERR_MEMORY;
    spk_status status = pooled_test(context, recording, job, found, alpha, keep, published);
    if (status == SPK_OK) {
        planted_tally_found(&tally[SIGNATURE_OURS], chain, found, keep);
        planted_tally_found(&tally[SIGNATURE_PUBLISHED], chain, found, published);
    }
    free(published);
    return status;
}

spk_status signature_tally(spk_context *context, const spk_recording *recording,
                           const exact_job *job, const planted *chain, const exact_found *found,
                           double alpha, planted_tally *tally)
{
    uint8_t *keep = calloc((size_t)found->n + 1, 1);
    if (keep == NULL)
        return SPK_ERR_MEMORY;
    spk_status status =
        job->of_patterns
            ? tally_patterns(context, recording, job, chain, found, alpha, keep, tally)
            : tally_episodes(context, recording, job, chain, found, alpha, keep, tally);
    free(keep);
    return status;
}
