/*
 * What each window D of an exact test needs: surrogates, means, and the pilots that tell what is
 * usual; and the search of a surrogate. Draws have numbers of 64 bits:
 *
 *     from    0    2^60           2^61           2^62 - 1   2^62    6 * 2^60   7 * 2^60
 *     serve   test calibration's  calibration's  stand-in   pilots  pairs      rhythm
 *                  surrogates     data
 *
 * Invariant: draws for different ends never have one number, so that what makes the scores is
 * independent of what is scored. All of it follows from the recording's conserved numbers and the
 * seed. Cost: a search for each pilot; where pairs are fitted, one of pairs for each of their
 * draws.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "distribute/queue.h"
#include "pattern/run.h"
#include "pattern/windows.h"
#include "recording/clock.h"
#include "significance/exact/exact.h"
#include "significance/exact/pairs.h"
#include "significance/maxima/maxima.h"
#include "significance/surrogates/windows.h"

enum { FEW_TRIALS = 12 };

/* ---- windows D ------------------------------------------------------------------------------- */

spk_status spk_exact_check_trials(spk_context *context, const spk_surrogates *surrogates)
{
    const spk_stretches *where = &surrogates->where;
    const spk_rate rate = spk_recording_rate(surrogates->recording);
    size_t n_segments = 0;
    uint64_t longest = 0;
    if (surrogates->method != &spk_surrogate_deal_trials)
        return SPK_OK;
    (void)spk_recording_segments(surrogates->recording, &n_segments);
    for (size_t k = 0; k < where->n; k++) {
        const uint64_t length = surrogate_length(where->stretch[k]);
        longest = length > longest ? length : longest;
    }
    if (where->n < 2 || where->n != n_segments)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "trials are dealt anew, and the recording has no two of them that do not "
                        "overlap; name its trials, or take another null hypothesis");
    for (size_t k = 1; k < n_segments; k++)
        if (spk_recording_trial(surrogates->recording, k) ==
            spk_recording_trial(surrogates->recording, k - 1))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "trials are dealt anew, and trial %zu is in pieces; leave it out, or "
                            "take another null hypothesis",
                            spk_recording_trial(surrogates->recording, k) + 1);
    /* Here the dither is the shortest trial: what lies behind it in longer ones stays, and would
     * never be drawn. */
    if (longest - surrogates->dither > longest / 100 + 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "trials are dealt anew, and theirs are of %.6g to %.6g s; cut them to one "
                        "length, or take another null hypothesis",
                        spk_clock_seconds((int64_t)surrogates->dither, rate),
                        spk_clock_seconds((int64_t)longest, rate));
    if (where->n < FEW_TRIALS)
        spk_note(context,
                 "only %zu trials are dealt anew: few orders differ much from the given "
                 "one, and little can be found",
                 where->n);
    return SPK_OK;
}

/* Ticks or bins in a window, among which a spike may lie. */
static spk_status count_places(spk_context *context, const spk_exact_job *job, spk_duration window,
                               spk_duration bin, spk_rate rate, uint64_t *out)
{
    *out = spk_duration_ticks(window, rate);
    return job->of_patterns ? spk_surrogate_bins_in(context, window, bin, rate, out) : SPK_OK;
}

/* A window of one place leaves no choice, so that every surrogate equals the recording. */
static spk_status check_room(spk_context *context, const spk_recording *recording,
                             const spk_exact_job *job, const spk_surrogate_options *options)
{
    enum { ENOUGH_PLACES = 4 };
    const spk_rate rate = spk_recording_rate(recording);
    char given[48], place[48], longer[48];
    spk_duration window = options->dither;
    uint64_t n_places = 0;
    if (strcmp(options->method, spk_surrogate_deal_trials.facts.name) == 0)
        return SPK_OK; /* trials are as long as they are */
    spk_status status = count_places(context, job, window, options->bin, rate, &n_places);
    if (status != SPK_OK || n_places >= 2)
        return status;
    while (status == SPK_OK && n_places < ENOUGH_PLACES) {
        window.exponent++;
        status = count_places(context, job, window, options->bin, rate, &n_places);
    }
    spk_duration_format(options->dither, given, sizeof given);
    spk_duration_format(window, longer, sizeof longer);
    if (job->of_patterns)
        spk_duration_format(options->bin, place, sizeof place);
    else
        snprintf(place, sizeof place, "%.3gms",
                 1e3 * (double)rate.denominator / (double)rate.numerator);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "jitter %s: a window of this length has less than two %s of %s, so that "
                    "nothing would move; try jitter %s",
                    given, job->of_patterns ? "bins" : "ticks", place, longer);
}

/* ---- searches -------------------------------------------------------------------------------- */

typedef struct pattern_search {
    const spk_window_columns *windows;
    spk_exact_scorer *scorer;
    bool begun;
} pattern_search;

/* A spk_placed_search. */
static spk_status find_patterns(spk_context *own, const spk_pattern_options *options, void *user)
{
    pattern_search *s = user;
    const spk_pattern_sieve sieve = {spk_exact_sift, s->scorer};
    const spk_status status = s->begun ? spk_exact_scorer_restart(s->scorer) : SPK_OK;
    s->begun = true;
    return status == SPK_OK ? spk_pattern_run_unordered(own, s->windows, options,
                                                        spk_exact_score_patterns, s->scorer, &sieve)
                            : status;
}

static spk_status search_patterns(spk_context *own, const spk_exact_job *job,
                                  const spk_recording *surrogate, spk_exact_scorer *scorer)
{
    spk_windows *windows = NULL;
    spk_status status = spk_windows_create(own, surrogate, &job->windows, &windows);
    if (status == SPK_OK)
        status = spk_pattern_check_options(own, &job->patterns);
    if (status == SPK_OK) {
        const spk_window_columns columns = spk_windows_columns(windows);
        pattern_search search = {.windows = &columns, .scorer = scorer};
        status = job->places != NULL
                     ? spk_pattern_places_run(job->places, own, find_patterns, &search)
                     : find_patterns(own, &job->patterns, &search);
    }
    spk_windows_free(windows);
    return status;
}

static spk_status count_given(spk_context *own, const spk_exact_job *job,
                              const spk_recording *surrogate, spk_exact_scorer *scorer)
{
    spk_episode_list *list = NULL;
    spk_status status = spk_episode_list_create(own, &list);
    if (status == SPK_OK)
        status = spk_episode_list_add(list, job->options.given);
    if (status == SPK_OK)
        status = spk_episode_count(own, surrogate, &job->episodes, list, NULL);
    if (status == SPK_OK) {
        const spk_episode_columns counted = spk_episode_list_columns(list);
        status = spk_exact_score_episodes(scorer, &counted);
    }
    spk_episode_list_free(list);
    return status;
}

spk_status spk_exact_search_episodes(spk_context *own, const spk_exact_job *job,
                                     const spk_recording *surrogate, spk_exact_scorer *scorer)
{
    return job->options.given != NULL ? count_given(own, job, surrogate, scorer)
                                      : spk_episode_mine(own, surrogate, &job->episodes,
                                                         spk_exact_score_episodes, scorer, NULL);
}

spk_status spk_exact_search(spk_context *own, const spk_exact_job *job,
                            const spk_surrogates *surrogates, uint64_t k, spk_exact_scorer *scorer)
{
    spk_recording *surrogate = NULL;
    spk_status status = spk_surrogates_make(own, surrogates, k, &surrogate);
    if (status == SPK_OK && job->of_patterns)
        status = search_patterns(own, job, surrogate, scorer);
    else if (status == SPK_OK)
        status = spk_exact_search_episodes(own, job, surrogate, scorer);
    spk_recording_free(surrogate);
    return status;
}

/* Pilots, and what stands for the recording, are surrogates with numbers that no test reaches. */
static const uint64_t FIRST_PILOT = UINT64_C(1) << 62;
static const uint64_t STAND_IN = (UINT64_C(1) << 62) - 1;

typedef struct pilots {
    const spk_exact_job *job;
    const spk_exact_scale *scale;
    pthread_mutex_t lock;
    spk_class_tops *tops;
} pilots;

static spk_status search_pilot(spk_context *own, uint64_t task, void *user)
{
    pilots *p = user;
    spk_exact_scorer *scorer = NULL;
    spk_status status = spk_exact_scorer_create(own, p->job, p->scale, NULL, &scorer);
    if (status == SPK_OK)
        status = spk_exact_search(own, p->job, p->scale->surrogates, FIRST_PILOT + task, scorer);
    if (status == SPK_OK) {
        pthread_mutex_lock(&p->lock);
        spk_class_tops_join(p->tops, scorer->tops);
        pthread_mutex_unlock(&p->lock);
    }
    spk_exact_scorer_free(scorer);
    return status;
}

/* ---- pilots of other ranks ------------------------------------------------------------------- */

static spk_status pack_pilots(spk_context *context, void *user, spk_blob *out)
{
    const pilots *p = user;
    return spk_blob_add(context, out, p->tops, sizeof *p->tops);
}

static spk_status join_pilots(spk_context *context, void *user, spk_blob_reader *bytes)
{
    const pilots *p = user;
    spk_class_tops *tops = NULL;
    spk_status status = spk_alloc(context, &tops, 1, "scores of pilots");
    if (status == SPK_OK && !spk_blob_take(bytes, tops, sizeof *tops))
        status = SPK_ERR_FORMAT;
    if (status == SPK_OK)
        spk_class_tops_join(p->tops, tops);
    spk_free(context, tops);
    return status;
}

static spk_status run_pilots(spk_context *context, const spk_exact_job *job, spk_exact_scale *scale)
{
    pilots p = {.job = job, .scale = scale};
    const spk_queue_job queue = {.n = SPK_EXACT_PILOTS,
                                 .what = "pilots",
                                 .task = search_pilot,
                                 .user = &p,
                                 .pack = pack_pilots,
                                 .unpack = join_pilots};
    spk_status status = spk_alloc_zero(context, &p.tops, 1, "scores of pilots");
    if (status != SPK_OK)
        return status;
    pthread_mutex_init(&p.lock, NULL);
    status = spk_queue_run(context, &queue);
    pthread_mutex_destroy(&p.lock);
    if (status == SPK_OK)
        spk_exact_classes_fit(p.tops, &scale->classes);
    spk_free(context, p.tops);
    return status;
}

/* ---- all of a window ------------------------------------------------------------------------- */

spk_surrogate_options spk_exact_draws(const spk_exact_job *job, size_t k)
{
    spk_surrogate_options out;
    spk_surrogate_options_init(&out, sizeof out);
    out.method = job->null->facts.method;
    out.dither = job->jitter[k];
    out.seed = job->options.seed;
    out.history = job->options.history;
    if (job->of_patterns)
        out.bin = job->windows.bin;
    return out;
}

static spk_status create_null(spk_context *context, const spk_recording *recording,
                              const spk_exact_job *job, const spk_surrogates *windows,
                              spk_null **out)
{
    return job->of_patterns
               ? spk_null_create_patterns(context, recording, &job->windows, windows, out)
               : spk_null_create_episodes(context, recording, job->episodes.delays,
                                          job->episodes.n_delays, windows, out);
}

/* Means from the windows of the stand-in. */
static spk_status create_null_of_stand_in(spk_context *context, const spk_exact_job *job, size_t k,
                                          spk_exact_scale *scale)
{
    spk_surrogate_options options = spk_exact_draws(job, k);
    spk_recording *stand_in = NULL;
    spk_surrogates *windows = NULL;
    options.method = spk_surrogate_interval_jitter.facts.name;
    spk_status status = spk_surrogates_make(context, scale->surrogates, STAND_IN, &stand_in);
    if (status == SPK_OK)
        status = spk_surrogates_create(context, stand_in, &options, &windows);
    if (status == SPK_OK)
        status = create_null(context, stand_in, job, windows, &scale->null);
    if (status == SPK_OK)
        status = job->of_patterns ? spk_null_lean_patterns(context, scale->null)
                                  : spk_null_lean_episodes(context, stand_in, scale->null);
    spk_surrogates_free(windows);
    spk_recording_free(stand_in);
    return status;
}

spk_status spk_exact_scale_open(spk_context *context, const spk_recording *recording,
                                const spk_exact_job *job, size_t k, bool with_pilots,
                                spk_exact_scale *out)
{
    const spk_surrogate_options options = spk_exact_draws(job, k);
    out->surrogates = NULL;
    out->null = NULL;
    out->gpus = 0;
    spk_status status = check_room(context, recording, job, &options);
    if (status == SPK_OK)
        status = spk_surrogates_create(context, recording, &options, &out->surrogates);
    if (status == SPK_OK && job->of_patterns && with_pilots)
        status = spk_pattern_gpus(context, &job->patterns, &out->gpus);
    if (status == SPK_OK)
        status = spk_exact_check_trials(context, out->surrogates);
    if (status == SPK_OK && job->null->keeps_windows)
        status = create_null(context, recording, job, out->surrogates, &out->null);
    else if (status == SPK_OK)
        status = create_null_of_stand_in(context, job, k, out);
    if (status == SPK_OK && with_pilots && job->null->fits_pairs)
        status = spk_exact_fit_pairs(context, job, out);
    if (status == SPK_OK && with_pilots)
        status = run_pilots(context, job, out);
    if (status != SPK_OK)
        spk_exact_scale_close(out);
    return status;
}

void spk_exact_scale_close(spk_exact_scale *scale)
{
    spk_null_free(scale->null);
    spk_surrogates_free(scale->surrogates);
    scale->surrogates = NULL;
    scale->null = NULL;
}

/* ---- of all windows -------------------------------------------------------------------------- */

void spk_exact_scales_free(void *raw)
{
    spk_exact_scales *scales = raw;
    for (size_t k = 0; scales != NULL && k < scales->n; k++)
        spk_exact_scale_close(&scales->scale[k]);
    free(scales);
}

spk_status spk_exact_scales_open(spk_context *context, const spk_recording *recording,
                                 const spk_exact_job *job, spk_exact_scales **out)
{
    const size_t n = job->options.n_jitter;
    unsigned char *memory = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(
        context, &memory, sizeof(spk_exact_scales) + n * sizeof(spk_exact_scale), "the test");
    if (status != SPK_OK)
        return status;
    /* Scales are counted as they open, so that a failure frees just these. */
    spk_exact_scales *scales = (spk_exact_scales *)(void *)memory;
    while (scales->n < n && status == SPK_OK) {
        status = spk_exact_scale_open(context, recording, job, scales->n, true,
                                      &scales->scale[scales->n]);
        scales->n += status == SPK_OK;
    }
    if (status == SPK_OK)
        *out = scales;
    else
        spk_exact_scales_free(scales);
    return status;
}

/* ---- the surrogates -------------------------------------------------------------------------- */

typedef struct exact_run {
    const spk_exact_job *job;
    spk_exact_scales *scales;
} exact_run;

/* ---- one surrogate --------------------------------------------------------------------------- */

/* Adds the steps of surrogate k at one scale. */
static spk_status find_scale(spk_context *own, const exact_run *r, uint32_t k_scale, uint64_t k,
                             spk_score_step *step, size_t *n)
{
    const spk_exact_scale *scale = &r->scales->scale[k_scale];
    spk_exact_scorer *scorer = NULL;
    spk_status status = spk_exact_scorer_create(own, r->job, scale, &scale->classes, &scorer);
    if (status == SPK_OK)
        status = spk_exact_search(own, r->job, scale->surrogates, k, scorer);
    if (status == SPK_OK)
        *n += spk_top_scores_steps(&scorer->top, k_scale, step + *n);
    spk_exact_scorer_free(scorer);
    return status;
}

/* A spk_maxima_find; `user` is an exact_run. */
static spk_status find_scores(spk_context *own, const void *user, uint64_t k,
                              spk_maxima_entry **entry, size_t *n)
{
    const exact_run *r = user;
    const size_t n_scales = r->job->options.n_jitter;
    spk_score_step *step = NULL;
    spk_maxima_entry *found = NULL;
    *n = 0;
    spk_status status = spk_alloc(own, &step, n_scales * SPK_EXACT_KEPT, "scores");
    for (uint32_t s = 0; s < n_scales && status == SPK_OK; s++)
        status = find_scale(own, r, s, k, step, n);
    if (status == SPK_OK)
        status = spk_alloc(own, &found, *n, "scores");
    for (size_t i = 0; i < *n && status == SPK_OK; i++)
        found[i].step = step[i];
    spk_free(own, step);
    *entry = found;
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status run_job(spk_context *context, const spk_recording *recording,
                          const spk_exact_job *job, spk_maxima **out)
{
    const spk_exact_options *o = &job->options;
    const spk_maxima_part part = {.job = job->text,
                                  .n_surrogates = o->n_surrogates,
                                  .shard = o->shard,
                                  .n_shards = o->n_shards,
                                  .n_scales = (uint32_t)o->n_jitter};
    exact_run r = {.job = job};
    spk_status status = spk_exact_scales_open(context, recording, job, &r.scales);
    for (size_t k = 0; status == SPK_OK && k < r.scales->n; k++)
        status = spk_exact_check_null(context, recording, job, &r.scales->scale[k], k);
    if (status == SPK_OK)
        status = spk_maxima_run_part(context, &part, o->checkpoint, find_scores, &r, out);
    if (status != SPK_OK) {
        spk_exact_scales_free(r.scales);
        return status;
    }
    for (size_t k = 0; k < r.scales->n; k++) { /* they borrow the recording */
        spk_surrogates_free(r.scales->scale[k].surrogates);
        r.scales->scale[k].surrogates = NULL;
    }
    (*out)->kept = r.scales;
    (*out)->free_kept = spk_exact_scales_free;
    return SPK_OK;
}

/* The same with a GPU for surrogates that are left, where that pays. Then it makes the means of the
 * recording's own patterns, too. */
static spk_status run_pattern_job(spk_context *context, const spk_recording *recording,
                                  spk_exact_job *job, spk_maxima **out)
{
    const spk_exact_options *o = &job->options;
    spk_pattern_places places;
    job->places = &places;
    spk_pattern_places_open(&places, context, &job->patterns,
                            (SPK_EXACT_PILOTS + o->n_surrogates / o->n_shards) * o->n_jitter);
    spk_status status = run_job(context, recording, job, out);
    job->places = NULL;
    spk_exact_scales *scales = status == SPK_OK ? (*out)->kept : NULL;
    for (size_t k = 0; scales != NULL && k < scales->n; k++)
        if (places.place == SPK_PLACE_GPU)
            scales->scale[k].gpus = 1;
    spk_pattern_places_close(&places);
    return status;
}

spk_status spk_exact_run(spk_context *context, const spk_recording *recording,
                         const spk_exact_options *options, spk_maxima **out)
{
    spk_exact_job job;
    spk_recording *on_grid = NULL;
    *out = NULL;
    spk_status status = spk_exact_job_take(context, recording, options, &job);
    if (status == SPK_OK && !job.of_patterns)
        status = spk_exact_on_grid(context, recording, job.episodes.delays, job.episodes.n_delays,
                                   &on_grid);
    if (status == SPK_OK && job.of_patterns)
        status = run_pattern_job(context, recording, &job, out);
    else if (status == SPK_OK)
        status = run_job(context, on_grid != NULL ? on_grid : recording, &job, out);
    spk_recording_free(on_grid);
    free(job.text);
    return status;
}

spk_status spk_exact_check(spk_context *context, const spk_maxima *maxima,
                           const spk_recording *recording, const spk_exact_options *options)
{
    spk_exact_job job;
    spk_status status = spk_exact_job_take(context, recording, options, &job);
    if (status == SPK_OK)
        status = spk_maxima_check_text(context, maxima, job.text, job.options.n_surrogates);
    free(job.text);
    return status;
}
