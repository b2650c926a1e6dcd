/*
 * Calibration of the exact test: data that are chance, each with surrogates of its own.
 *
 * Runs:
 *     run          1                          2
 *     data         draw 2^61 + run, for all windows D
 *     surrogates   n draws of the data, from 2^60 + run * n on, for each window D
 *     gives        p and rank of the largest score of the data among them
 *
 * Invariant: a run has numbers of its own, so that runs are independent and may go in any order;
 * ties are broken by a random number of the run and window. Cost: n + 1 searches for each run and
 * window, and the pilots of all windows but those whose means are shared. Bytes: 24 for each run
 * and window at most.
 */
#include "spikemine/calibrate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "base/stage.h"
#include "base/tails.h"
#include "distribute/queue.h"
#include "significance/exact/exact.h"

/* Numbers of surrogates that no test reaches, apart from pilots and from each other: data, and the
 * surrogates of data. */
static const uint64_t FIRST_DATA = UINT64_C(1) << 61;
static const uint64_t FIRST_OWN = UINT64_C(1) << 60;
static const uint64_t MOST_SURROGATES = UINT64_C(1) << 59; /* of all runs */

/* Less runs say nothing of how ranks lie. */
enum { LEAST_RUNS = 25, RANK_CLASSES = 5 };

struct spk_calibration {
    spk_calibration_columns columns;
    double *p;
    double *scale_p;
    uint64_t *rank;
    spk_holding holding;
};

typedef struct calibration_job {
    const spk_exact_job *test;
    spk_surrogates *source;  /* of the recording: data */
    spk_exact_scale *shared; /* the longest window of the recording: data by jitter have the same
                                means, and its pilots serve all of them; its surrogates are not
                                used. NULL: data come from another method */
    spk_calibration *out;
} calibration_job;

/* ---- options --------------------------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_calibrate_options, .n_runs = 200);

static spk_status check_options(spk_context *context, const spk_calibrate_options *o,
                                const spk_exact_job *test)
{
    const spk_exact_options *t = &test->options;
    if (t->n_shards != 1 || t->checkpoint != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a calibration has neither shards nor a checkpoint");
    if (o->n_runs == 0 || t->n_surrogates == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a calibration needs at least one run and one surrogate for each");
    if (o->draws != NULL && o->method != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "draws say how data are drawn, and method '%s' does; give one of them",
                        o->method);
    if (o->n_runs > MOST_SURROGATES / t->n_surrogates)
        return spk_fail(
            context, SPK_ERR_RANGE,
            "the surrogates of all runs together are more than 64 bit number; take less");
    return SPK_OK;
}

uint64_t spk_exact_least_surrogates(double alpha, size_t n_jitter)
{
    assert(alpha > 0 && alpha <= 1 && n_jitter > 0);
    uint64_t n = (uint64_t)((double)n_jitter / alpha);
    n = n > 2 ? n - 2 : 1;
    while ((double)n_jitter / (double)(n + 1) > alpha)
        n++;
    return n;
}

/* ---- one run --------------------------------------------------------------------------------- */

/* The largest score among those that were added; 0 where there is none. */
static uint32_t largest_of(spk_exact_scorer *scorer)
{
    spk_score_step step[SPK_EXACT_KEPT];
    return spk_top_scores_steps(&scorer->top, 0, step) > 0 ? step[0].score : 0;
}

/* A search of data: all of it, as a user's. */
static spk_status search_data(spk_context *own, const spk_exact_job *test,
                              const spk_recording *data, spk_exact_scorer *scorer)
{
    spk_windows *windows = NULL;
    if (!test->of_patterns)
        return spk_exact_search_episodes(own, test, data, scorer);
    spk_status status = spk_windows_create(own, data, &test->windows, &windows);
    if (status == SPK_OK)
        status =
            spk_pattern_mine(own, windows, &test->patterns, spk_exact_score_patterns, scorer, NULL);
    spk_windows_free(windows);
    return status;
}

/* The largest score of the data, or with k > 0 of surrogate k. */
static spk_status find_largest(spk_context *own, const spk_exact_job *test,
                               const spk_recording *data, const spk_exact_scale *scale, uint64_t k,
                               uint32_t *out)
{
    spk_exact_scorer *scorer = NULL;
    spk_status status = spk_exact_scorer_create(own, test, scale, &scale->classes, &scorer);
    if (status == SPK_OK && k == 0)
        status = search_data(own, test, data, scorer);
    else if (status == SPK_OK)
        status = spk_exact_search(own, test, scale->surrogates, k, scorer);
    if (status == SPK_OK)
        *out = largest_of(scorer);
    spk_exact_scorer_free(scorer);
    return status;
}

/* p and rank of the data of a run at a window. */
static spk_status rank_data(spk_context *own, const calibration_job *c, const spk_recording *data,
                            const spk_exact_scale *scale, uint64_t run, uint32_t s)
{
    const uint64_t n = c->out->columns.n_surrogates;
    const uint64_t at = run * c->out->columns.n_scales + s;
    uint64_t n_above = 0, n_equal = 0;
    uint32_t largest = 0, other = 0;
    spk_status status = find_largest(own, c->test, data, scale, 0, &largest);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        status = find_largest(own, c->test, data, scale, FIRST_OWN + run * n + k, &other);
        n_above += other > largest;
        n_equal += other == largest;
    }
    if (status != SPK_OK)
        return status;
    spk_random random = spk_random_start(c->test->options.seed, SPK_RANDOM_CALIBRATION_TIE, at);
    c->out->scale_p[at] = (double)(1 + n_above + n_equal) / (double)(n + 1);
    c->out->rank[at] = 1 + n_above + spk_random_below(&random, n_equal + 1);
    return SPK_OK;
}

/* At the longest window of data by jitter. */
static spk_status rank_shared(spk_context *own, const calibration_job *c, const spk_recording *data,
                              uint64_t run, uint32_t s)
{
    const spk_surrogate_options jitter = spk_exact_draws(c->test, s);
    spk_exact_scale scale = *c->shared;
    spk_status status = spk_surrogates_create(own, data, &jitter, &scale.surrogates);
    if (status == SPK_OK)
        status = rank_data(own, c, data, &scale, run, s);
    spk_surrogates_free(scale.surrogates);
    return status;
}

static spk_status rank_alone(spk_context *own, const calibration_job *c, const spk_recording *data,
                             uint64_t run, uint32_t s)
{
    spk_exact_scale *scale = NULL;
    spk_status status = spk_alloc_zero(own, &scale, 1, "the test");
    if (status == SPK_OK)
        status = spk_exact_scale_open(own, data, c->test, s, true, scale);
    if (status == SPK_OK)
        status = rank_data(own, c, data, scale, run, s);
    if (scale != NULL)
        spk_exact_scale_close(scale);
    spk_free(own, scale);
    return status;
}

/* A spk_queue_task. */
static spk_status do_run(spk_context *own, uint64_t run, void *user)
{
    const calibration_job *c = user;
    const uint32_t n_scales = c->out->columns.n_scales;
    spk_recording *data = NULL;
    double least = 1;
    spk_status status = spk_surrogates_make(own, c->source, FIRST_DATA + run, &data);
    for (uint32_t s = 0; s < n_scales && status == SPK_OK; s++) {
        status = c->shared != NULL && s + 1 == n_scales ? rank_shared(own, c, data, run, s)
                                                        : rank_alone(own, c, data, run, s);
        const double p = c->out->scale_p[run * n_scales + s] * n_scales;
        least = status == SPK_OK && p < least ? p : least;
    }
    c->out->p[run] = least;
    spk_recording_free(data);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static spk_status create(spk_context *context, const spk_calibrate_options *o,
                         const spk_exact_job *test, spk_calibration **out)
{
    spk_calibration *c = NULL;
    const uint64_t n = o->n_runs, n_scales = test->options.n_jitter;
    spk_status status = spk_alloc_zero(context, &c, 1, "a calibration");
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "a calibration", SPK_COLUMN_ZERO(&c->p, n),
                                   SPK_COLUMN_ZERO(&c->scale_p, n * n_scales),
                                   SPK_COLUMN_ZERO(&c->rank, n * n_scales));
    if (status != SPK_OK) {
        spk_calibration_free(c);
        return status;
    }
    /* The columns lead into the arrays, which live as long as the calibration. */
    c->columns = (spk_calibration_columns){.n = n,
                                           .n_scales = (uint32_t)n_scales,
                                           .n_surrogates = test->options.n_surrogates,
                                           .p = c->p,
                                           .scale_p = c->scale_p,
                                           .rank = c->rank};
    spk_holding_set(context, &c->holding, n * (sizeof *c->p + n_scales * 2 * sizeof *c->rank));
    *out = c;
    return SPK_OK;
}

static spk_status run_all(spk_context *context, const spk_recording *recording,
                          const spk_calibrate_options *o, const spk_exact_job *test,
                          spk_calibration *out)
{
    const size_t longest = test->options.n_jitter - 1;
    const bool as_tested = o->draws == NULL && o->method == NULL;
    spk_surrogate_options draws = spk_exact_draws(test, longest);
    spk_exact_scale *shared = NULL;
    calibration_job c = {.test = test, .out = out};
    const spk_queue_job queue = {
        .n = o->n_runs, .what = "runs of the calibration", .task = do_run, .user = &c};
    out->columns.method = as_tested ? draws.method : NULL;
    if (o->method != NULL)
        draws.method = o->method;
    spk_status status =
        spk_surrogates_create(context, recording, o->draws != NULL ? o->draws : &draws, &c.source);
    if (status == SPK_OK && as_tested)
        status = spk_alloc_zero(context, &shared, 1, "the test");
    if (status == SPK_OK && as_tested)
        status = spk_exact_scale_open(context, recording, test, longest, true, shared);
    /* Runs of jitter are drawn from the hypothesis that is tested, so that its means and what is
     * usual hold for all of them and are made once; other draws need their own. */
    c.shared = shared;
    if (status == SPK_OK)
        status = spk_queue_run(context, &queue);
    if (shared != NULL)
        spk_exact_scale_close(shared);
    spk_free(context, shared);
    spk_surrogates_free(c.source);
    return status;
}

spk_status spk_exact_calibrate(spk_context *context, const spk_recording *recording,
                               const spk_calibrate_options *options, spk_calibration **out)
{
    spk_calibrate_options own;
    spk_exact_job test;
    spk_recording *on_grid = NULL;
    spk_calibration *made = NULL;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_calibrate_options);
    if (status != SPK_OK)
        return status;
    if (own.test == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "a calibration needs the options of a test");
    status = spk_exact_job_take(context, recording, own.test, &test);
    if (status == SPK_OK)
        status = check_options(context, &own, &test);
    /* As the test itself does: times on their grid, or no surrogate could have the delays of the
     * recording. */
    if (status == SPK_OK && !test.of_patterns)
        status = spk_exact_on_grid(context, recording, test.episodes.delays, test.episodes.n_delays,
                                   &on_grid);
    if (status == SPK_OK)
        status = create(context, &own, &test, &made);
    if (status == SPK_OK)
        status = run_all(context, on_grid != NULL ? on_grid : recording, &own, &test, made);
    spk_recording_free(on_grid);
    free(test.text);
    if (status == SPK_OK)
        *out = made;
    else
        spk_calibration_free(made);
    return status;
}

void spk_calibration_free(spk_calibration *calibration)
{
    if (calibration == NULL)
        return;
    spk_free_all(calibration->p, calibration->scale_p, calibration->rank);
    spk_holding_release(&calibration->holding);
    free(calibration);
}

spk_calibration_columns spk_calibration_columns_of(const spk_calibration *calibration)
{
    return calibration->columns;
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* The first rank, from 0, of class k. */
static uint64_t first_rank(uint64_t k, uint64_t n_classes, uint64_t n_ranks)
{
    return (uint64_t)(((unsigned __int128)k * n_ranks + n_classes - 1) / n_classes);
}

/* The class of a rank from 0. */
static uint64_t class_of(uint64_t rank, uint64_t n_classes, uint64_t n_ranks)
{
    return (uint64_t)((unsigned __int128)rank * n_classes / n_ranks);
}

/* P[chi-square of n_classes - 1 degrees of freedom, 2 or 4, is larger]. */
static double chi_square_tail(double x, uint64_t n_classes)
{
    const double y = x / 2;
    if (y > 700)
        return 0;
    return spk_portable_exp(-y) * (n_classes == 3 ? 1 : 1 + y);
}

static double find_uniform_p(const spk_calibration_columns *c, uint32_t scale)
{
    const uint64_t n_ranks = c->n_surrogates + 1;
    const uint64_t n_classes = n_ranks >= RANK_CLASSES ? RANK_CLASSES : 3;
    uint64_t n[RANK_CLASSES] = {0};
    double x = 0;
    if (c->n < LEAST_RUNS || n_ranks < 3)
        return NAN;
    for (uint64_t r = 0; r < c->n; r++)
        n[class_of(c->rank[r * c->n_scales + scale] - 1, n_classes, n_ranks)]++;
    for (uint64_t k = 0; k < n_classes; k++) {
        uint64_t ranks = first_rank(k + 1, n_classes, n_ranks) - first_rank(k, n_classes, n_ranks);
        double expected = (double)c->n * (double)ranks / (double)n_ranks;
        double beyond = (double)n[k] - expected;
        x += beyond * beyond / expected;
    }
    return chi_square_tail(x, n_classes);
}

/* The share of ranks whose p, times the number of windows, is at most alpha; over all windows. */
static double promise(const spk_calibration_columns *c, double alpha, uint32_t n_windows)
{
    const double n_ranks = (double)(c->n_surrogates + 1);
    double n_low = floor(alpha * n_ranks / n_windows);
    while (n_windows * ((n_low + 1) / n_ranks) <= alpha) /* as p is rounded */
        n_low++;
    while (n_low > 0 && n_windows * (n_low / n_ranks) > alpha)
        n_low--;
    const double all = n_windows * n_low / n_ranks;
    return all < 1 ? all : 1;
}

void spk_calibration_rate(const spk_calibration *calibration, double alpha, uint32_t scale,
                          spk_alarm_rate *out)
{
    const spk_calibration_columns *c = &calibration->columns;
    const bool together = scale == SPK_ALL_SCALES;
    assert(together || scale < c->n_scales);
    *out = (spk_alarm_rate){.promised = promise(c, alpha, together ? c->n_scales : 1),
                            .uniform_p = together ? NAN : find_uniform_p(c, scale)};
    for (uint64_t r = 0; r < c->n; r++)
        out->n_alarms += (together ? c->p[r] : c->scale_p[r * c->n_scales + scale]) <= alpha;
    out->share = (double)out->n_alarms / (double)c->n;
    spk_binomial_interval(out->n_alarms, c->n, 0.95, &out->low, &out->high);
}
