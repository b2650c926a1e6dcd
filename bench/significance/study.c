/* A test of one recording, by the library's public interface. */
#include <stdlib.h>

#include "study.h"

void study_job_init(study_job *job)
{
    *job = (study_job){.alpha = 0.05, .correction = "fdr-bh"};
    spk_window_options_init(&job->windows, sizeof job->windows);
    spk_pattern_options_init(&job->patterns, sizeof job->patterns);
    spk_surrogate_options_init(&job->surrogates, sizeof job->surrogates);
}

typedef struct both_sinks {
    spk_pattern_list *patterns;
    spk_spectrum *spectrum;
} both_sinks;

static spk_status keep_both(void *user, const spk_pattern_columns *patterns)
{
    const both_sinks *sinks = user;
    spk_status status = spk_pattern_list_add(sinks->patterns, patterns);
    return status == SPK_OK ? spk_spectrum_add(sinks->spectrum, patterns) : status;
}

spk_status study_mine(spk_context *context, const spk_recording *recording, const study_job *job,
                      study_found *out)
{
    *out = (study_found){0};
    spk_status status = spk_windows_create(context, recording, &job->windows, &out->windows);
    if (status == SPK_OK)
        status = spk_pattern_list_create(context, job->windows.window, &out->patterns);
    if (status == SPK_OK)
        status = spk_spectrum_create(context, job->by_duration, &out->spectrum);
    both_sinks sinks = {out->patterns, out->spectrum};
    if (status == SPK_OK)
        status = spk_pattern_mine(context, out->windows, &job->patterns, keep_both, &sinks, NULL);
    if (status == SPK_OK)
        status = spk_spectrum_entries(out->spectrum, &out->entry, &out->n_entries);
    return status;
}

void study_found_free(study_found *found)
{
    spk_spectrum_free(found->spectrum);
    spk_pattern_list_free(found->patterns);
    spk_windows_free(found->windows);
    *found = (study_found){0};
}

spk_status study_maxima(spk_context *context, const spk_recording *recording, const study_job *job,
                        const char *checkpoint, spk_maxima **out)
{
    spk_maxima_options options;
    spk_maxima_options_init(&options, sizeof options);
    options.windows = &job->windows;
    options.patterns = &job->patterns;
    options.surrogates = &job->surrogates;
    options.n_surrogates = job->n_surrogates;
    options.by_duration = job->by_duration;
    options.checkpoint = checkpoint;
    return spk_maxima_run(context, recording, &options, out);
}

spk_status study_test(spk_context *context, const study_found *found, const spk_maxima *maxima,
                      const study_job *job, bool published, spk_signature **out)
{
    spk_signature_options options;
    spk_signature_options_init(&options, sizeof options);
    options.alpha = job->alpha;
    options.correction = job->correction;
    options.published = published;
    options.min_spikes = job->patterns.min_spikes;
    options.support = job->patterns.support;
    *out = malloc((found->n_entries + 1) * sizeof **out);
    if (*out == NULL)
        return SPK_ERR_MEMORY;
    spk_maxima_columns columns = spk_maxima_columns_of(maxima);
    return spk_signatures_test(context, &columns, found->entry, found->n_entries, &options, *out);
}

spk_status study_supports(spk_context *context, const spk_recording *recording,
                          const study_job *job, spk_pattern_supports *out)
{
    spk_windows *windows = NULL;
    spk_pattern_recipe_options options;
    spk_pattern_recipe_options_init(&options, sizeof options);
    spk_status status = spk_windows_create(context, recording, &job->windows, &windows);
    if (status == SPK_OK)
        status = spk_pattern_estimate_published(context, windows, &options, out);
    spk_windows_free(windows);
    return status;
}

/* Patterns whose keep[i] is 1, as a list of their own. */
static spk_status list_kept(spk_context *context, const spk_pattern_columns *patterns,
                            const uint8_t *keep, spk_pattern_list **out)
{
    spk_status status = spk_pattern_list_create(context, patterns->window, out);
    for (uint64_t i = 0; i < patterns->n && status == SPK_OK; i++) {
        const spk_pattern_columns one = {1, patterns->window, patterns->offset + i, patterns->item,
                                         patterns->count + i};
        if (keep[i])
            status = spk_pattern_list_add(*out, &one);
    }
    return status;
}

/* Patterns that the filter left, reduced as published: h, k, l = 2, 0, 0. */
static spk_status reduce(spk_context *context, const study_found *found, const spk_maxima *maxima,
                         const study_job *job, bool published, const spk_signature *signatures,
                         uint8_t *keep)
{
    spk_pattern_columns all = spk_pattern_list_columns(found->patterns);
    spk_maxima_columns columns = spk_maxima_columns_of(maxima);
    spk_reduce_options options;
    spk_reduce_options_init(&options, sizeof options);
    options.h = 2;
    options.min_spikes = job->patterns.min_spikes;
    options.support = job->patterns.support;
    options.maxima = &columns;
    options.signatures = signatures;
    options.n_signatures = found->n_entries;
    options.published = published;
    spk_pattern_list *left = NULL;
    spk_status status = list_kept(context, &all, keep, &left);
    uint64_t n = status == SPK_OK ? spk_pattern_list_columns(left).n : 0;
    uint8_t *still = calloc(n + 1, 1);
    if (still == NULL)
        status = SPK_ERR_MEMORY;
    if (status == SPK_OK) {
        spk_pattern_columns filtered = spk_pattern_list_columns(left);
        status = spk_pattern_reduce(context, found->windows, &filtered, &options, still);
    }
    for (uint64_t i = 0, k = 0; i < all.n && status == SPK_OK; i++)
        if (keep[i])
            keep[i] = still[k++];
    free(still);
    spk_pattern_list_free(left);
    return status;
}

spk_status study_keep(spk_context *context, const study_found *found, const spk_maxima *maxima,
                      const study_job *job, bool published, const spk_signature *signatures,
                      uint8_t *keep)
{
    spk_pattern_columns patterns = spk_pattern_list_columns(found->patterns);
    spk_status status = spk_pattern_spectrum_filter(context, &patterns, signatures,
                                                    found->n_entries, job->by_duration, keep);
    if (status == SPK_OK)
        status = reduce(context, found, maxima, job, published, signatures, keep);
    return status;
}
