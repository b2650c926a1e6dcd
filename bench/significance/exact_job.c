/* The exact test of one recording. */
#include <stdlib.h>
#include <string.h>

#include "exact_job.h"

/* The method that a null hypothesis takes. */
static const char *method_of(const char *null)
{
    const spk_exact_null *facts;
    for (size_t k = 0; (facts = spk_exact_null_get(k)) != NULL; k++)
        if (strcmp(facts->name, null) == 0)
            return facts->method;
    return null; /* which the test refuses */
}

void exact_job_init(exact_job *job, bool of_patterns, const char *null, int64_t jitter_ms,
                    uint64_t n_surrogates, uint64_t seed)
{
    const spk_duration bin = {5, -3, 0};
    *job = (exact_job){.of_patterns = of_patterns};
    spk_episode_options_init(&job->episodes, sizeof job->episodes);
    spk_window_options_init(&job->windows, sizeof job->windows);
    spk_pattern_options_init(&job->patterns, sizeof job->patterns);
    spk_exact_options_init(&job->exact, sizeof job->exact);
    spk_surrogate_options_init(&job->null, sizeof job->null);
    job->delay[0] = (spk_delay){{0, 0, 0}, {5, -3, 0}};
    job->delay[1] = (spk_delay){{5, -3, 0}, {10, -3, 0}};
    job->episodes.delays = job->delay, job->episodes.n_delays = 2;
    job->windows.bin = bin;
    job->jitter = (spk_duration){jitter_ms, -3, 0};
    job->exact.jitter = &job->jitter, job->exact.n_jitter = 1;
    job->exact.seed = seed, job->exact.n_surrogates = n_surrogates;
    job->exact.null = "interval-jitter"; /* the studies of other nulls are nulls.sh and its like */
    job->exact.episodes = of_patterns ? NULL : &job->episodes;
    job->exact.windows = of_patterns ? &job->windows : NULL;
    job->exact.patterns = of_patterns ? &job->patterns : NULL;
    job->exact.null = null != NULL ? null : job->exact.null;
    job->null.method = method_of(job->exact.null);
    job->null.dither = job->jitter, job->null.seed = seed;
    if (of_patterns)
        job->null.bin = bin;
}

/* ---- the search and its test ----------------------------------------------------------------- */

static spk_status mine_episodes(spk_context *context, const spk_recording *recording,
                                const exact_job *job, exact_found *out)
{
    spk_status status = spk_episode_list_create(context, &out->episodes);
    if (status == SPK_OK)
        status = spk_episode_mine(context, recording, &job->episodes, spk_episode_list_add,
                                  out->episodes, NULL);
    if (status == SPK_OK)
        out->n = spk_episode_list_columns(out->episodes).n;
    return status;
}

static spk_status mine_patterns(spk_context *context, const spk_recording *recording,
                                const exact_job *job, exact_found *out)
{
    spk_windows *windows = NULL;
    spk_status status = spk_pattern_list_create(context, job->windows.window, &out->patterns);
    if (status == SPK_OK)
        status = spk_windows_create(context, recording, &job->windows, &windows);
    if (status == SPK_OK)
        status = spk_pattern_mine(context, windows, &job->patterns, spk_pattern_list_add,
                                  out->patterns, NULL);
    if (status == SPK_OK)
        out->n = spk_pattern_list_columns(out->patterns).n;
    spk_windows_free(windows);
    return status;
}

static spk_status judge(spk_context *context, const spk_recording *recording, const exact_job *job,
                        const spk_maxima *maxima, exact_found *out)
{
    out->verdict = calloc((size_t)out->n + 1, sizeof *out->verdict);
    if (out->verdict == NULL)
        return SPK_ERR_MEMORY;
    if (job->of_patterns) {
        const spk_pattern_columns found = spk_pattern_list_columns(out->patterns);
        return spk_exact_test_patterns(context, recording, &job->exact, maxima, &found,
                                       out->verdict, NULL);
    }
    const spk_episode_columns found = spk_episode_list_columns(out->episodes);
    return spk_exact_test_episodes(context, recording, &job->exact, maxima, &found, out->verdict,
                                   NULL);
}

spk_status exact_job_run(spk_context *context, const spk_recording *recording, const exact_job *job,
                         exact_found *out)
{
    spk_maxima *maxima = NULL;
    *out = (exact_found){0};
    spk_status status = spk_exact_run(context, recording, &job->exact, &maxima);
    if (status == SPK_OK)
        status = job->of_patterns ? mine_patterns(context, recording, job, out)
                                  : mine_episodes(context, recording, job, out);
    if (status == SPK_OK)
        status = judge(context, recording, job, maxima, out);
    spk_maxima_free(maxima);
    return status;
}

void exact_found_free(exact_found *found)
{
    free(found->verdict);
    spk_episode_list_free(found->episodes);
    spk_pattern_list_free(found->patterns);
    *found = (exact_found){0};
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Result i alone. */
static spk_status explain_one(spk_context *context, const spk_recording *recording,
                              const exact_job *job, const exact_found *found, uint64_t i, double *p)
{
    uint32_t left_out = 0;
    if (job->of_patterns) {
        const spk_pattern_columns all = spk_pattern_list_columns(found->patterns);
        const spk_pattern_columns one = {1, all.window, all.offset + i, all.item, all.count + i};
        return spk_exact_explain_patterns(context, recording, &job->exact, &one, &found->verdict[i],
                                          p, &left_out);
    }
    spk_episode_columns one = spk_episode_list_columns(found->episodes);
    one.n = 1;
    one.offset += i;
    one.count += i;
    return spk_exact_explain_episodes(context, recording, &job->exact, &one, &found->verdict[i], p,
                                      &left_out);
}

spk_status exact_found_core(spk_context *context, const spk_recording *recording,
                            const exact_job *job, const exact_found *found, double alpha,
                            uint8_t *core)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < found->n && status == SPK_OK; i++) {
        double p = 1;
        if (found->verdict[i].p <= alpha)
            status = explain_one(context, recording, job, found, i, &p);
        core[i] = p <= alpha;
    }
    return status;
}
