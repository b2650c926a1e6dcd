/*
 * The exact test: scores of the recording's results against those of its surrogates.
 *
 *     surrogates, largest score of each:      910   730   730   655  ...      (S of them)
 *     results, from the largest down:    [950]   [740]   [700]
 *     surrogates at or above:              0       1       3
 *
 * At each window D the recording and its surrogates are draws from one set that are equally likely,
 * where the null hypothesis holds. So p of a result is a rank, (1 + surrogates at or above) /
 * (S + 1). Each surrogate counts with the largest score of its whole search: then p holds for all
 * results together (Westfall and Young, "Resampling-Based Multiple Testing", 1993).
 *
 * Cost: sorting both lists; then one walk through them, side by side.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/stage.h"
#include "base/threads.h"
#include "significance/exact/exact.h"
#include "significance/exact/null_inside.h"
#include "significance/maxima/maxima.h"

/* ---- surrogates at one scale ----------------------------------------------------------------- */

/* All steps of all surrogates, and the largest score of each, from the largest down. */
typedef struct chance {
    uint64_t n_surrogates;
    uint32_t *largest;
    uint64_t n_steps;
    uint32_t *score;
    uint64_t *results; /* of all surrogates, with at least that score */
    uint32_t bound;    /* of scores up to it `results` is a lower bound; 0: of none */
} chance;

typedef struct rise {
    uint32_t score;
    uint32_t more; /* results with this score of one surrogate */
} rise;

static int compare_rises(const void *a, const void *b)
{
    const rise *x = a, *y = b;
    return SPK_DOWN(x->score, y->score);
}

/* Rises of the scale, in any order; fills `largest` and `bound`. */
static uint64_t list_rises(const spk_exact_columns *c, uint32_t scale, chance *out, rise *rises)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < c->n; k++) {
        uint32_t before = 0;
        out->largest[k] = 0;
        for (uint64_t i = c->first[k]; i < c->first[k + 1]; i++) {
            const spk_score_step *s = &c->step[i];
            if (s->scale != scale)
                continue;
            if (before == 0)
                out->largest[k] = s->score;
            rises[n++] = (rise){s->score, s->results - before};
            before = s->results;
            if (before == SPK_EXACT_KEPT && s->score > out->bound)
                out->bound = s->score;
        }
    }
    return n;
}

static spk_status find_chance(spk_context *context, const spk_exact_columns *c, uint32_t scale,
                              chance *out)
{
    rise *rises = NULL;
    const uint64_t most = c->first[c->n];
    uint64_t total = 0;
    *out = (chance){.n_surrogates = c->n};
    spk_status status = spk_alloc_columns(
        context, "scores of surrogates", SPK_COLUMN(&out->largest, c->n),
        SPK_COLUMN(&out->score, most), SPK_COLUMN(&out->results, most), SPK_COLUMN(&rises, most));
    if (status != SPK_OK)
        return status;
    uint64_t n = list_rises(c, scale, out, rises);
    qsort(rises, n, sizeof *rises, compare_rises);
    qsort(out->largest, c->n, sizeof *out->largest, spk_falling_u32);
    for (uint64_t i = 0; i < n; i++) {
        total += rises[i].more;
        /* Of equal scores the last one tells the total. */
        if (i + 1 < n && rises[i + 1].score == rises[i].score)
            continue;
        out->score[out->n_steps] = rises[i].score;
        out->results[out->n_steps++] = total;
    }
    spk_free(context, rises);
    return SPK_OK;
}

static void chance_free(chance *c)
{
    spk_free_all(c->largest, c->score, c->results);
}

/* ---- verdicts at one scale ------------------------------------------------------------------- */

/* A result by its score. */
typedef struct ranked {
    uint32_t score;
    bool tested;
    uint64_t number;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return SPK_DOWN(x->score, y->score);
}

typedef struct findings {
    uint64_t n;
    ranked *order; /* from the largest score down */
    double *expected;
    double *p;
    double *e_value;
    double *fdr;
} findings;

static spk_status findings_create(spk_context *context, uint64_t n, findings *out)
{
    *out = (findings){.n = n};
    return spk_alloc_columns(context, "the test", SPK_COLUMN(&out->order, n),
                             SPK_COLUMN(&out->expected, n), SPK_COLUMN(&out->p, n),
                             SPK_COLUMN(&out->e_value, n), SPK_COLUMN(&out->fdr, n));
}

static void findings_free(findings *f)
{
    spk_free_all(f->order, f->expected, f->p, f->e_value, f->fdr);
}

/* p and e_value; f->order is sorted. Results and surrogates are walked through together. The result
 * itself is counted with what the surrogates have: none in any number of them shows no 0. */
static void judge_all(const chance *c, findings *f)
{
    const double n_draws = (double)(c->n_surrogates + 1);
    uint64_t n_above = 0, step = 0, results = 0;
    for (uint64_t k = 0; k < f->n; k++) {
        const ranked *r = &f->order[k];
        while (n_above < c->n_surrogates && c->largest[n_above] >= r->score)
            n_above++;
        for (; step < c->n_steps && c->score[step] >= r->score; step++)
            results = c->results[step];
        f->p[r->number] = (double)(1 + n_above) / n_draws;
        f->e_value[r->number] = (double)(1 + results) / n_draws;
    }
}

/* From the smallest score up: the ratio that no lower threshold falls below. The recording is one
 * more draw, so that each of its results adds to the mean, of which e_value has but one. */
static void find_fdr(const chance *c, findings *f)
{
    double least = 1;
    for (uint64_t end = f->n; end > 0;) {
        uint32_t score = f->order[end - 1].score;
        uint64_t begin = end;
        while (begin > 0 && f->order[begin - 1].score == score)
            begin--;
        double others = (double)(end - 1) / (double)(c->n_surrogates + 1);
        double ratio = (f->e_value[f->order[end - 1].number] + others) / (double)end;
        if (score > c->bound && score > 0 && ratio < least)
            least = ratio;
        for (uint64_t k = begin; k < end; k++)
            f->fdr[f->order[k].number] = least;
        end = begin;
    }
}

/* ---- means ----------------------------------------------------------------------------------- */

/* The results of either language. */
typedef struct results {
    const spk_episode_columns *episodes;
    const spk_pattern_columns *patterns;
    uint64_t n;
    bool summed; /* of patterns a GPU made the means, but for first and last windows */
} results;

/* The results begin .. begin + n - 1, which are patterns. */
static spk_pattern_columns patterns_of(const results *r, uint64_t begin, uint64_t n)
{
    spk_pattern_columns part = *r->patterns;
    part.n = n, part.offset += begin, part.count += begin;
    return part;
}

static void find_means(const results *r, const spk_null *null, uint64_t begin, uint64_t n,
                       double *mean, double *spread)
{
    if (r->patterns != NULL) {
        const spk_pattern_columns part = patterns_of(r, begin, n);
        if (r->summed)
            spk_null_pattern_finish(null, &part, NULL, mean, spread);
        else
            spk_null_pattern_means(null, &part, NULL, mean, spread);
    } else {
        spk_episode_columns part = *r->episodes;
        part.n = n, part.offset += begin, part.count += begin;
        spk_null_episode_means(null, &part, mean, spread);
    }
}

static uint64_t size_of(const results *r, uint64_t i)
{
    const uint64_t *offset = r->patterns != NULL ? r->patterns->offset : r->episodes->offset;
    return offset[i + 1] - offset[i];
}

static uint64_t count_of(const results *r, uint64_t i)
{
    return r->patterns != NULL ? r->patterns->count[i] : r->episodes->count[i];
}

static uint32_t class_of(const results *r, const spk_exact_job *job, uint64_t i)
{
    const uint32_t *value = r->patterns != NULL ? r->patterns->item + r->patterns->offset[i]
                                                : r->episodes->unit + r->episodes->offset[i];
    return spk_exact_class_of(job, value, size_of(r, i));
}

/* Results begin .. begin + n - 1; from any thread. */
static void score_batch(const results *r, const spk_exact_job *job, const spk_exact_scale *scale,
                        uint64_t begin, uint64_t n, double *spread, findings *f)
{
    find_means(r, scale->null, begin, n, f->expected + begin, spread);
    for (uint64_t i = begin; i < begin + n; i++) {
        uint32_t class_number = class_of(r, job, i), score = 0;
        if (class_number != SPK_EXACT_NO_CLASS)
            score = spk_exact_classes_score(
                &scale->classes, class_number,
                spk_exact_spread_score(f->expected[i], spread[i - begin], count_of(r, i)));
        /* A single item is what it is expected to be: the null hypothesis keeps its number. */
        if (size_of(r, i) < 2)
            f->expected[i] = (double)count_of(r, i);
        f->order[i] =
            (ranked){.score = score, .tested = class_number != SPK_EXACT_NO_CLASS, .number = i};
    }
}

/* Sums of patterns, by a GPU where the scale has one: then all that is left are edges. */
static spk_status sum_patterns(spk_context *context, const spk_exact_scale *scale, results *r,
                               double *mean)
{
    device_means *device = NULL;
    r->summed = r->patterns != NULL && scale->gpus > 0 && r->n > SPK_EXACT_BATCH;
    if (!r->summed)
        return SPK_OK;
    const means_view view = null_means_view(scale->null);
    spk_status status = device_means_open(context, 0, &view, &device);
    for (uint64_t begin = 0, n; begin < r->n && status == SPK_OK; begin += n) {
        n = r->n - begin < SPK_EXACT_GPU_BATCH ? r->n - begin : SPK_EXACT_GPU_BATCH;
        const spk_pattern_columns part = patterns_of(r, begin, n);
        for (uint64_t i = 0; i < n; i++)
            mean[begin + i] = INFINITY; /* no limit */
        status = device_means_find(context, device, n, part.offset, part.item, mean + begin);
    }
    device_means_close(device);
    return status;
}

/* Threads take batches in turn. */
static spk_status find_scores(spk_context *context, const results *given, const spk_exact_job *job,
                              const spk_exact_scale *scale, findings *f)
{
    results own = *given, *r = &own;
    const uint64_t batch = SPK_EXACT_BATCH, n_batches = (r->n + batch - 1) / batch;
    const int threads = spk_threads_take(context);
    double *spread = NULL;
    spk_status status = spk_alloc(context, &spread, (uint64_t)threads * batch, "the test");
    if (status == SPK_OK)
        status = sum_patterns(context, scale, r, f->expected);
    for (uint64_t turn = 0; turn < n_batches && status == SPK_OK; turn += (uint64_t)threads) {
        const uint64_t left = n_batches - turn;
        const int n = left < (uint64_t)threads ? (int)left : threads;
#pragma omp parallel for num_threads(threads) if (n > 1)
        for (int k = 0; k < n; k++) {
            const uint64_t begin = (turn + (uint64_t)k) * batch;
            const uint64_t end = begin + batch < r->n ? begin + batch : r->n;
            score_batch(r, job, scale, begin, end - begin, spread + (uint64_t)k * batch, f);
        }
        status = spk_check_cancel(context);
    }
    spk_free(context, spread);
    return status;
}

/* ---- all scales ------------------------------------------------------------------------------ */

/* Takes over what is better at this scale. */
static void take_scale(const findings *f, uint32_t scale, uint32_t n_scales, spk_exact_verdict *out,
                       double *scale_p)
{
    for (uint64_t k = 0; k < f->n; k++) {
        uint64_t i = f->order[k].number;
        double p = f->p[i] * n_scales < 1 ? f->p[i] * n_scales : 1;
        const spk_exact_verdict here = {.scale = scale,
                                        .tested = f->order[k].tested,
                                        .score = f->order[k].score,
                                        .expected = f->expected[i],
                                        .p = p,
                                        .e_value = f->e_value[i],
                                        .fdr = f->fdr[i]};
        if (scale == 0 || p < out[i].p || (p == out[i].p && here.score > out[i].score))
            out[i] = here;
        if (scale_p != NULL)
            scale_p[i * n_scales + scale] = f->p[i];
    }
}

static spk_status test_scale(spk_context *context, const spk_exact_job *job,
                             const spk_exact_scales *scales, const spk_exact_columns *columns,
                             size_t k, const results *r, findings *f)
{
    chance c = {.n_surrogates = 0};
    spk_status status = find_scores(context, r, job, &scales->scale[k], f);
    if (status == SPK_OK)
        status = find_chance(context, columns, (uint32_t)k, &c);
    if (status == SPK_OK) {
        qsort(f->order, f->n, sizeof *f->order, compare_ranked);
        judge_all(&c, f);
        find_fdr(&c, f);
    }
    chance_free(&c);
    return status;
}

/* As the run has them, which is where maxima that were read come from. */
static spk_status open_scales(spk_context *context, const spk_recording *recording,
                              const spk_exact_job *job, spk_exact_scales **out)
{
    spk_recording *on_grid = NULL;
    spk_status status = SPK_OK;
    if (!job->of_patterns)
        status = spk_exact_on_grid(context, recording, job->episodes.delays, job->episodes.n_delays,
                                   &on_grid);
    if (status == SPK_OK)
        status = spk_exact_scales_open(context, on_grid != NULL ? on_grid : recording, job, out);
    for (size_t k = 0; status == SPK_OK && k < (*out)->n; k++) {
        spk_surrogates_free((*out)->scale[k].surrogates); /* they borrow the recording */
        (*out)->scale[k].surrogates = NULL;
    }
    spk_recording_free(on_grid);
    return status;
}

/* Episodes name their intervals by number, in a table that must be that of the test. */
static spk_status check_delays(spk_context *context, const spk_exact_job *job, const results *r)
{
    const spk_episode_options *o = &job->episodes;
    if (r->episodes == NULL || r->n == 0)
        return SPK_OK;
    bool same = r->episodes->n_delays == o->n_delays;
    for (size_t d = 0; same && d < o->n_delays; d++)
        same = spk_duration_compare(r->episodes->delays[d].lo, o->delays[d].lo) == 0 &&
               spk_duration_compare(r->episodes->delays[d].hi, o->delays[d].hi) == 0;
    return same ? SPK_OK
                : spk_fail(context, SPK_ERR_ARGUMENT,
                           "the episodes have another table of intervals than the exact test; hand "
                           "over what its search finds, and name no interval twice");
}

static spk_status test(spk_context *context, const spk_recording *recording,
                       const spk_exact_options *options, const spk_maxima *maxima, const results *r,
                       spk_exact_verdict *out, double *scale_p)
{
    spk_exact_job job;
    findings f = {.n = 0};
    spk_exact_scales *own = NULL;
    spk_stage stage = spk_stage_open(context);
    const spk_exact_columns columns = spk_exact_columns_of(maxima);
    spk_status status = spk_exact_job_take(context, recording, options, &job);
    if (status == SPK_OK)
        status = check_delays(context, &job, r);
    if (status == SPK_OK)
        status = spk_maxima_check_text(context, maxima, job.text, job.options.n_surrogates);
    /* A run in this process has kept its scales. Maxima of a file need them made anew: the same
     * ones, since the job has the seed. */
    if (status == SPK_OK && maxima->kept == NULL)
        status = open_scales(context, recording, &job, &own);
    if (status == SPK_OK)
        status = findings_create(context, r->n, &f);
    const spk_exact_scales *scales = own != NULL ? own : maxima->kept;
    for (size_t k = 0; status == SPK_OK && scales != NULL && k < scales->n; k++) {
        status = test_scale(context, &job, scales, &columns, k, r, &f);
        if (status == SPK_OK)
            take_scale(&f, (uint32_t)k, columns.n_scales, out, scale_p);
    }
    findings_free(&f);
    spk_exact_scales_free(own);
    free(job.text);
    spk_stage_close(context, &stage);
    return status;
}

spk_status spk_exact_test_episodes(spk_context *context, const spk_recording *recording,
                                   const spk_exact_options *options, const spk_maxima *maxima,
                                   const spk_episode_columns *episodes, spk_exact_verdict *out,
                                   double *scale_p)
{
    const results r = {.episodes = episodes, .n = episodes->n};
    if (options == NULL || options->episodes == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "this exact test is not of episodes");
    return test(context, recording, options, maxima, &r, out, scale_p);
}

spk_status spk_exact_test_patterns(spk_context *context, const spk_recording *recording,
                                   const spk_exact_options *options, const spk_maxima *maxima,
                                   const spk_pattern_columns *patterns, spk_exact_verdict *out,
                                   double *scale_p)
{
    const results r = {.patterns = patterns, .n = patterns->n};
    if (options == NULL || options->patterns == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "this exact test is not of patterns");
    return test(context, recording, options, maxima, &r, out, scale_p);
}
