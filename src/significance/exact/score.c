/*
 * Scores and their inverse. The logarithm of a tail is a number with an error of its last digits,
 * so that near a whole score it could be rounded to either side. There the inverse decides: it is a
 * fixed number, and who asks for the score or for the mean gets the same answer.
 */
#include "significance/exact/score.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/tails.h"
#include "significance/exact/exact.h"
#include "significance/exact/null_inside.h"

/* Means below are as 0. */
static const double LEAST_MEAN = 1e-300;
/* 1000 / log(10). */
static const double THOUSANDTHS = 434.29448190325182765;

/* The score before rounding; mean >= LEAST_MEAN. */
static double exact_value(double mean, uint64_t count)
{
    return -spk_poisson_log_tail(count, mean, NULL) * THOUSANDTHS;
}

/* ---- the inverse ----------------------------------------------------------------------------- */

/* The number of a positive double in their order, and back. */
static uint64_t number_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t number)
{
    double value = 0;
    memcpy(&value, &number, sizeof value);
    return value;
}

/* log of a mean near that whose tail has this logarithm. The logarithm of the tail is concave in
 * log(mean), so that Newton's steps from the left stay left; P <= mean^count / count! is left. */
static double solve(double log_tail, uint64_t count)
{
    const double x = (double)count;
    const double log_factorial =
        spk_stirling_error(x) + (x + 0.5) * spk_portable_log(x) - x + SPK_LOG_TWO_PI / 2;
    double u = (log_tail + log_factorial) / x;
    for (int k = 0; k < 200 && u > -690; k++) {
        double slope = 0, mean = spk_portable_exp(u);
        double missing = log_tail - spk_poisson_log_tail(count, mean, &slope);
        double step = missing / (slope * mean);
        u += step;
        if (!(step > 4e-16 * (1 + fabs(u))))
            break;
    }
    return u;
}

/* Whether a mean of this number has the score. */
static bool has_score(uint64_t number, uint64_t count, double score)
{
    double mean = double_of(number);
    return mean < LEAST_MEAN || exact_value(mean, count) >= score;
}

double spk_exact_mean_for(uint32_t score, uint64_t count)
{
    if (score == 0)
        return INFINITY;
    if (count == 0 || score > SPK_EXACT_MOST_SCORE)
        return -1;
    double u = solve(-(double)score / THOUSANDTHS, count);
    double near = u > -690 ? spk_portable_exp(u) : LEAST_MEAN;
    uint64_t least = number_of(LEAST_MEAN) - 1; /* has every score */
    uint64_t low = number_of(near < LEAST_MEAN ? LEAST_MEAN : near), high = low, step = 1;
    for (; low > least && !has_score(low, count, score); step *= 2) {
        high = low;
        low = low - least > step ? low - step : least;
    }
    for (; high == low || has_score(high, count, score); step *= 2) {
        low = high;
        high += step;
    }
    spk_bisect s = {low + 1, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, has_score(s.middle, count, score));
    return double_of(s.low - 1);
}

/* ---- the score ------------------------------------------------------------------------------- */

uint32_t spk_exact_score(double mean, uint64_t count)
{
    assert(mean >= 0 && isfinite(mean));
    if (count == 0)
        return 0;
    if (mean < LEAST_MEAN)
        return SPK_EXACT_MOST_SCORE;
    double value = exact_value(mean, count);
    double doubt = 1e-6 + value * 1e-13; /* far above the error of the value */
    if (value > SPK_EXACT_MOST_SCORE + doubt)
        return SPK_EXACT_MOST_SCORE;
    uint32_t score = (uint32_t)value;
    double beyond = value - score;
    if (beyond < doubt && mean > spk_exact_mean_for(score, count))
        return score - 1;
    if (beyond > 1 - doubt && mean <= spk_exact_mean_for(score + 1, count))
        return score + 1;
    return score;
}

uint32_t spk_exact_spread_score(double mean, double spread, uint64_t count)
{
    const double beyond = (double)count - mean;
    assert(spread >= 1);
    if (spread > 1 && beyond > 0)
        count = (uint64_t)(mean + beyond / sqrt(spread));
    return spk_exact_score(mean, count);
}

/* ---- the largest scores ---------------------------------------------------------------------- */

static int compare_falling(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

static void keep_largest(spk_top_scores *top)
{
    qsort(top->score, top->n, sizeof *top->score, compare_falling);
    if (top->n < SPK_EXACT_KEPT)
        return;
    top->n = SPK_EXACT_KEPT;
    top->least = top->score[SPK_EXACT_KEPT - 1];
}

static void top_scores_add(spk_top_scores *top, uint32_t score)
{
    if (score <= top->least)
        return;
    assert(top->n < 2 * SPK_EXACT_KEPT);
    top->score[top->n++] = score;
    if (top->n == 2 * SPK_EXACT_KEPT)
        keep_largest(top);
}

size_t spk_top_scores_steps(spk_top_scores *top, uint32_t scale, spk_score_step *out)
{
    size_t n = 0;
    keep_largest(top);
    for (uint32_t k = 0; k < top->n; k++)
        if (k + 1 == top->n || top->score[k] != top->score[k + 1])
            out[n++] = (spk_score_step){.scale = scale, .score = top->score[k], .results = k + 1};
    return n;
}

/* ---- classes of results ---------------------------------------------------------------------- */

/* Number of different values among the n, each divided by `divisor`: those of one result lie in a
 * stretch of that length. */
static uint64_t count_different(const uint32_t *value, uint64_t n, uint32_t divisor)
{
    uint64_t different = 0;
    for (uint64_t k = 0; k < n; k++) {
        const uint32_t first = value[k] - value[k] % divisor;
        uint64_t j = 0;
        while (j < k && value[j] - first >= divisor)
            j++;
        different += j == k;
    }
    return different;
}

uint32_t spk_exact_class_of(const spk_exact_job *job, const uint32_t *value, uint64_t size)
{
    const spk_exact_options *o = &job->options;
    const uint64_t units = count_different(value, size, job->of_patterns ? job->windows.window : 1);
    if (size < 2 || size < o->min_size || units < o->distinct_units)
        return SPK_EXACT_NO_CLASS;
    return spk_exact_class(size, units);
}

/* ---- scores of results ----------------------------------------------------------------------- */

enum { KNOWN_LIMITS = 1 << 14 };

/* Of results with this class and count: means above it give a score that changes nothing. */
typedef struct spk_known_limit {
    uint64_t count;
    uint32_t class_number;
    uint32_t least; /* holds while this is the smallest raw score that changes something */
    double mean;
} spk_known_limit;

spk_status spk_exact_scorer_create(spk_context *own, const spk_exact_job *job,
                                   const spk_exact_scale *scale, const spk_exact_classes *classes,
                                   spk_exact_scorer **out)
{
    spk_exact_scorer *scorer = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(own, &scorer, 1, "scores");
    if (status == SPK_OK)
        status = spk_alloc_zero(own, &scorer->known, KNOWN_LIMITS, "scores");
    if (status == SPK_OK && classes == NULL)
        status = spk_alloc_zero(own, &scorer->tops, 1, "scores");
    if (status != SPK_OK) {
        spk_exact_scorer_free(scorer);
        return status;
    }
    scorer->context = own;
    scorer->job = job;
    scorer->scale = scale;
    scorer->classes = classes;
    spk_top_scores_start(&scorer->top);
    *out = scorer;
    return SPK_OK;
}

void spk_exact_scorer_free(spk_exact_scorer *scorer)
{
    if (scorer == NULL)
        return;
    device_means_close(scorer->device);
    free(scorer->known);
    free(scorer->tops);
    free(scorer);
}

/* The smallest raw score of the class that changes something. */
static uint32_t least_raw(const spk_exact_scorer *scorer, uint32_t class_number)
{
    if (scorer->classes == NULL)
        return scorer->tops->top[class_number][SPK_EXACT_PILOTS] + 1;
    return spk_exact_classes_raw(scorer->classes, class_number, scorer->top.least + 1);
}

static double most_mean(spk_exact_scorer *scorer, uint32_t class_number, uint64_t count)
{
    uint32_t least = least_raw(scorer, class_number);
    spk_known_limit *known = &scorer->known[(count * 31 + class_number) % KNOWN_LIMITS];
    if (known->count != count || known->class_number != class_number || known->least != least)
        *known = (spk_known_limit){.count = count,
                                   .class_number = class_number,
                                   .least = least,
                                   .mean = spk_exact_mean_for(least, count)};
    return known->mean;
}

/* Before the means are made; a result without a class has no score. */
static void set_limit(spk_exact_scorer *scorer, uint64_t i, const uint32_t *value, uint64_t size,
                      uint64_t count)
{
    spk_exact_scores *b = &scorer->batch;
    uint32_t class_number = spk_exact_class_of(scorer->job, value, size);
    b->class_number[i] = class_number;
    b->limit[i] = class_number == SPK_EXACT_NO_CLASS ? -1 : most_mean(scorer, class_number, count);
}

static void add_score(spk_exact_scorer *scorer, uint64_t i, uint64_t count)
{
    const spk_exact_scores *b = &scorer->batch;
    bool counts = b->mean[i] <= b->limit[i];
    if (b->class_number[i] == SPK_EXACT_NO_CLASS || (!counts && scorer->classes != NULL))
        return;
    uint32_t raw = counts ? spk_exact_spread_score(b->mean[i], b->spread[i], count) : 0;
    if (scorer->classes == NULL)
        spk_class_tops_add(scorer->tops, b->class_number[i], raw);
    else
        top_scores_add(&scorer->top,
                       spk_exact_classes_score(scorer->classes, b->class_number[i], raw));
}

spk_status spk_exact_score_episodes(void *user, const spk_episode_columns *episodes)
{
    spk_exact_scorer *scorer = user;
    for (uint64_t begin = 0; begin < episodes->n; begin += SPK_EXACT_BATCH) {
        spk_episode_columns part = *episodes;
        part.n = episodes->n - begin < SPK_EXACT_BATCH ? episodes->n - begin : SPK_EXACT_BATCH;
        part.offset += begin;
        part.count += begin;
        for (uint64_t i = 0; i < part.n; i++)
            set_limit(scorer, i, part.unit + part.offset[i], part.offset[i + 1] - part.offset[i],
                      part.count[i]);
        spk_null_episode_means(scorer->scale->null, &part, scorer->batch.mean,
                               scorer->batch.spread);
        for (uint64_t i = 0; i < part.n; i++)
            add_score(scorer, i, part.count[i]);
    }
    return SPK_OK;
}

/* GPUs in turn. */
static int next_gpu(int n_gpus)
{
    static unsigned n_taken;
    return (int)(__atomic_fetch_add(&n_taken, 1, __ATOMIC_RELAXED) % (unsigned)n_gpus);
}

/* Scores tell which means do not matter any more, first of all those of twice SPK_EXACT_KEPT
 * results: the first batch has these. Later ones are as large as all before them, so that a GPU has
 * enough to do. */
static uint64_t batch_size(const spk_exact_scorer *scorer, uint64_t left)
{
    const uint64_t first = 2 * SPK_EXACT_KEPT + 1;
    const uint64_t most = scorer->scale->gpus > 0 ? SPK_EXACT_GPU_BATCH : SPK_EXACT_BATCH;
    uint64_t size = scorer->n_scored < first ? first : scorer->n_scored;
    size = size < most ? size : most;
    return size < left ? size : left;
}

/* Means of the batch: by a GPU, where there is one and the batch is worth it. */
static spk_status find_pattern_means(spk_exact_scorer *scorer, const spk_pattern_columns *part)
{
    enum { WORTH_A_GPU = 512 };
    const spk_null *null = scorer->scale->null;
    spk_exact_scores *b = &scorer->batch;
    if (scorer->scale->gpus == 0 || part->n < WORTH_A_GPU) {
        spk_null_pattern_means(null, part, b->limit, b->mean, b->spread);
        return SPK_OK;
    }
    const means_view view = null_means_view(null);
    spk_status status = scorer->device != NULL
                            ? SPK_OK
                            : device_means_open(scorer->context, next_gpu(scorer->scale->gpus),
                                                &view, &scorer->device);
    return status == SPK_OK
               ? spk_null_pattern_means_by(scorer->context, null, device_means_find, scorer->device,
                                           part, b->limit, b->mean, b->spread)
               : status;
}

spk_status spk_exact_score_patterns(void *user, const spk_pattern_columns *patterns)
{
    spk_exact_scorer *scorer = user;
    for (uint64_t begin = 0, n = 0; begin < patterns->n; begin += n) {
        spk_pattern_columns part = *patterns;
        n = batch_size(scorer, patterns->n - begin);
        part.n = n;
        part.offset += begin;
        part.count += begin;
        for (uint64_t i = 0; i < part.n; i++)
            set_limit(scorer, i, part.item + part.offset[i], part.offset[i + 1] - part.offset[i],
                      part.count[i]);
        const spk_status status = find_pattern_means(scorer, &part);
        if (status != SPK_OK)
            return status;
        scorer->n_scored += n;
        for (uint64_t i = 0; i < part.n; i++)
            add_score(scorer, i, part.count[i]);
    }
    return SPK_OK;
}
