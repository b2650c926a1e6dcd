/*
 * Pairs in draws of a null hypothesis, and what they make of the means of windows.
 *
 *     draws 0 .. 23    counts by pair      [first unit][delay or lag][second unit]
 *          -> sum and sum of squares -> ratio to the mean of the windows, excess of the variance
 *
 * Invariant: sums are whole numbers, so that neither the order of draws nor the number of threads
 * and ranks matters. Pairs that come less than once a draw keep the mean of the windows. Cost: a
 * search of pairs for each draw. Bytes: 16 a pair, 8 for each draw at work, 8 that stay; at most
 * MOST_PAIRS.
 */
#include "significance/exact/pairs.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "distribute/queue.h"
#include "significance/exact/null_inside.h"

enum { DRAWS = 24 };
static const uint64_t MOST_PAIRS = UINT64_C(1) << 21;
static const uint64_t FIRST_DRAW = UINT64_C(3) << 61;
/* The variance of 24 draws of a Poisson number is in one of 100 cases above so many means. */
static const double USUAL_SPREAD = 1.75;

/* ---- sums ------------------------------------------------------------------------------------ */

/* Counts of all draws so far, by pair. Whole numbers, so that their order does not matter. */
typedef struct pair_sum {
    uint64_t sum;
    uint64_t squares;
} pair_sum;

typedef struct pair_draws {
    const spk_exact_job *job;
    const spk_exact_scale *scale;
    null_pairs *pairs;
    pthread_mutex_t lock;
    pair_sum *all;
} pair_draws;

static spk_status pack(spk_context *context, void *user, spk_blob *out)
{
    const pair_draws *d = user;
    return spk_blob_add(context, out, d->all, d->pairs->n * sizeof *d->all);
}

static spk_status unpack(spk_context *context, void *user, spk_blob_reader *bytes)
{
    const pair_draws *d = user;
    pair_sum *other = NULL;
    spk_status status = spk_alloc(context, &other, d->pairs->n, "pairs");
    if (status == SPK_OK && !spk_blob_take(bytes, other, d->pairs->n * sizeof *other))
        status = SPK_ERR_FORMAT;
    for (uint64_t k = 0; k < d->pairs->n && status == SPK_OK; k++) {
        d->all[k].sum += other[k].sum;
        d->all[k].squares += other[k].squares;
    }
    spk_free(context, other);
    return status;
}

/* ---- one draw -------------------------------------------------------------------------------- */

/* The counts of a draw, by pair. */
typedef struct pair_counts {
    const null_pairs *pairs;
    uint64_t *count;
} pair_counts;

/* A spk_episode_sink. */
static spk_status add_episodes(void *user, const spk_episode_columns *e)
{
    const pair_counts *c = user;
    for (uint64_t i = 0; i < e->n; i++) {
        const uint64_t at = e->offset[i];
        if (e->offset[i + 1] - at == 2)
            c->count[null_pair_at(c->pairs, e->unit[at], e->delay[at + 1], e->unit[at + 1])] =
                e->count[i];
    }
    return SPK_OK;
}

static spk_status count_episodes(spk_context *own, const spk_exact_job *job,
                                 const spk_recording *made, pair_counts *c)
{
    spk_episode_options options = job->episodes;
    options.support = 1;
    options.max_size = 2;
    return spk_episode_mine(own, made, &options, add_episodes, c, NULL);
}

/* Adds the pairs of two windows of one bin each, `lag` bins apart. */
static void add_bins(const spk_window_columns *w, uint64_t a, uint64_t b, uint64_t lag,
                     pair_counts *c)
{
    for (uint64_t i = w->first[a]; i < w->first[a + 1]; i++)
        for (uint64_t j = w->first[b]; j < w->first[b + 1]; j++)
            if (lag > 0 || i != j)
                c->count[null_pair_at(c->pairs, w->item[i], lag, w->item[j])]++;
}

static spk_status count_patterns(spk_context *own, const spk_exact_job *job,
                                 const spk_recording *made, pair_counts *c)
{
    spk_windows *windows = NULL;
    spk_window_options options = job->windows;
    options.window = 1; /* items are units */
    spk_status status = spk_windows_create(own, made, &options, &windows);
    if (status != SPK_OK)
        return status;
    const spk_window_columns w = spk_windows_columns(windows);
    for (uint64_t a = 0; a < w.n_windows && status == SPK_OK; a++) {
        for (uint64_t b = a; b < w.n_windows && w.trial[b] == w.trial[a] &&
                             w.start_bin[b] - w.start_bin[a] < job->windows.window;
             b++)
            add_bins(&w, a, b, w.start_bin[b] - w.start_bin[a], c);
        if (a % 4096 == 0)
            status = spk_check_cancel(own);
    }
    spk_windows_free(windows);
    return status;
}

/* A spk_queue_task. */
static spk_status count_draw(spk_context *own, uint64_t task, void *user)
{
    pair_draws *d = user;
    spk_recording *made = NULL;
    pair_counts c = {.pairs = d->pairs};
    spk_status status = spk_alloc_zero(own, &c.count, d->pairs->n, "pairs");
    if (status == SPK_OK)
        status = spk_surrogates_make(own, d->scale->surrogates, FIRST_DRAW + task, &made);
    if (status == SPK_OK)
        status = d->job->of_patterns ? count_patterns(own, d->job, made, &c)
                                     : count_episodes(own, d->job, made, &c);
    if (status == SPK_OK) {
        /* Adding is all that needs the lock: counts are this draw's own. */
        pthread_mutex_lock(&d->lock);
        for (uint64_t k = 0; k < d->pairs->n; k++) {
            d->all[k].sum += c.count[k];
            d->all[k].squares += c.count[k] * c.count[k];
        }
        pthread_mutex_unlock(&d->lock);
    }
    spk_recording_free(made);
    spk_free(own, c.count);
    return status;
}

/* ---- what windows say ------------------------------------------------------------------------ */

/* The mean of the windows for n pairs from `first` on. */
static void window_means(const pair_draws *d, uint64_t first, uint64_t n, double *mean)
{
    enum { MOST = 256 };
    const null_pairs *p = d->pairs;
    uint64_t offset[MOST + 1];
    uint32_t unit[2 * MOST];
    uint16_t delay[2 * MOST];
    for (uint64_t i = 0; i < n; i++) {
        /* Pair k: the first unit counts slowest, then the lag or delay, then the second unit. */
        const uint64_t k = first + i;
        const uint32_t a = (uint32_t)(k / ((uint64_t)p->n_lags * p->n_units));
        const uint32_t lag = (uint32_t)(k / p->n_units % p->n_lags);
        const uint32_t b = (uint32_t)(k % p->n_units);
        offset[i] = 2 * i;
        unit[2 * i] = d->job->of_patterns ? a * p->n_lags : a;
        unit[2 * i + 1] = d->job->of_patterns ? b * p->n_lags + lag : b;
        delay[2 * i + 1] = (uint16_t)lag;
    }
    offset[n] = 2 * n;
    if (d->job->of_patterns) {
        const spk_pattern_columns columns = {
            .n = n, .window = p->n_lags, .offset = offset, .item = unit};
        spk_null_pattern_means(d->scale->null, &columns, NULL, mean, NULL);
    } else {
        const spk_episode_columns columns = {
            .n = n, .offset = offset, .unit = unit, .delay = delay, .n_delays = p->n_lags};
        spk_null_episode_means(d->scale->null, &columns, mean, NULL);
    }
}

/* One count more on both sides keeps rare pairs near the windows. */
static void fit_pair(const pair_sum *s, double mean_of_windows, float *ratio, float *excess)
{
    const double mean = (double)s->sum / DRAWS;
    const double variance = ((double)s->squares - (double)s->sum * mean) / (DRAWS - 1);
    *ratio = (float)((mean + 1) / (mean_of_windows + 1));
    if (variance > USUAL_SPREAD * mean && mean > 0)
        *excess = (float)((variance - mean) / (mean * mean));
}

enum { TOGETHER = 256 };

/* TOGETHER pairs from `first` on, or those that are left; from any thread. */
static void fit_some(const pair_draws *d, uint64_t first, float *ratio, float *excess)
{
    const uint64_t left = d->pairs->n - first, n = left < TOGETHER ? left : TOGETHER;
    double mean[TOGETHER] = {0};
    uint64_t most = 0;
    for (uint64_t k = first; k < first + n; k++)
        most = d->all[k].sum > most ? d->all[k].sum : most;
    if (most >= DRAWS) /* less than one in each says nothing */
        window_means(d, first, n, mean);
    for (uint64_t k = first; k < first + n; k++) {
        ratio[k] = 1;
        excess[k] = 0;
        if (d->all[k].sum >= DRAWS)
            fit_pair(&d->all[k], mean[k - first], &ratio[k], &excess[k]);
    }
}

/* In turns, between which a cancel is looked for. */
static spk_status fit(spk_context *context, const pair_draws *d, float *ratio, float *excess)
{
    const int threads = spk_threads_take(context);
    const uint64_t most = (uint64_t)threads * 16 * TOGETHER;
    spk_status status = SPK_OK;
    for (uint64_t turn = 0; turn < d->pairs->n && status == SPK_OK; turn += most) {
        const uint64_t left = d->pairs->n - turn, end = turn + (left < most ? left : most);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) if (left > TOGETHER)
        for (uint64_t first = turn; first < end; first += TOGETHER)
            fit_some(d, first, ratio, excess);
        status = spk_check_cancel(context);
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status run(spk_context *context, pair_draws *d, float **ratio, float **excess)
{
    /* Each rank makes some of the draws; pack and unpack add up the sums of all. */
    const spk_queue_job queue = {.n = DRAWS,
                                 .what = "pairs of chance",
                                 .task = count_draw,
                                 .user = d,
                                 .pack = pack,
                                 .unpack = unpack};
    spk_status status =
        spk_alloc_columns(context, "pairs", SPK_COLUMN_ZERO(&d->all, d->pairs->n),
                          SPK_COLUMN(ratio, d->pairs->n), SPK_COLUMN(excess, d->pairs->n));
    if (status != SPK_OK)
        return status;
    pthread_mutex_init(&d->lock, NULL);
    status = spk_queue_run(context, &queue);
    pthread_mutex_destroy(&d->lock);
    if (status == SPK_OK)
        status = fit(context, d, *ratio, *excess);
    spk_free(context, d->all);
    return status;
}

spk_status spk_exact_fit_pairs(spk_context *context, const spk_exact_job *job,
                               const spk_exact_scale *scale)
{
    null_pairs *pairs = &scale->null->pairs;
    pair_draws d = {.job = job, .scale = scale, .pairs = pairs};
    float *ratio = NULL, *excess = NULL;
    pairs->n_units = scale->null->n_units;
    pairs->n_lags = job->of_patterns ? job->windows.window : (uint32_t)job->episodes.n_delays;
    /* Without a table of pairs the means of windows stand as they are. */
    if ((uint64_t)pairs->n_units * pairs->n_units > MOST_PAIRS / pairs->n_lags)
        return SPK_OK;
    pairs->n = (uint64_t)pairs->n_units * pairs->n_units * pairs->n_lags;
    spk_stage stage = spk_stage_open(context);
    spk_status status = run(context, &d, &ratio, &excess);
    if (status == SPK_OK) {
        pairs->ratio = ratio;
        pairs->excess = excess;
        spk_stage_keep(context, &stage, &pairs->holding);
        return SPK_OK;
    }
    free(ratio);
    free(excess);
    spk_stage_close(context, &stage);
    return status;
}
