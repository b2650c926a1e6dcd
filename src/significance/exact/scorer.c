/*
 * Scores of the results of a search, as they come. Most cannot change the largest scores: their
 * means are left as soon as they pass a limit, which the scores so far tell. Patterns that lie on a
 * GPU are looked at there with the limits of now, and only what may matter comes here
 * (cuda/sieve.h):
 *
 *     pile    2001 | 6003 | 18012 | ...          looked at, in turn
 *     kept    2001   1700    1500                scored here, which lowers the limits
 *
 * Invariant: the largest scores are the same in either way, since a pattern is dropped only where
 * its mean passes a limit that is the true one or above it.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pattern/run.h"
#include "significance/exact/exact.h"
#include "significance/exact/null_inside.h"

enum { HEAD = SIEVE_HEAD };
static_assert((int)HEAD == (int)SPK_PATTERN_PILE_HEAD, "the sieve reads the piles of the engine");

/* ---- the sieve ------------------------------------------------------------------------------- */

struct spk_exact_sieve {
    device_sieve *device;
    uint32_t *row; /* by class: of limits, from 0 in the order in which classes were seen */
    uint32_t n_rows;
    uint32_t *class_of_row;
    uint32_t most_step; /* of the counts that were seen */
    double *limit;      /* by row and step */
    uint64_t limit_room;
    uint64_t *dropped; /* by class */
    /* What was kept, as columns. */
    uint64_t *offset;
    uint32_t *count;
    uint32_t *item;
    uint64_t offset_room, count_room, item_room;
};

static void sieve_free(spk_exact_sieve *s)
{
    if (s == NULL)
        return;
    device_sieve_close(s->device);
    spk_free_all(s->row, s->class_of_row, s->limit, s->dropped, s->offset, s->count, s->item, s);
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

static void free_batch(spk_exact_scores *batch)
{
    spk_free_all(batch->class_number, batch->mean, batch->spread, batch->limit);
    *batch = (spk_exact_scores){.mean = NULL};
}

static spk_status create_batch(spk_context *own, uint64_t n, spk_exact_scores *out)
{
    return spk_alloc_columns(own, "scores", SPK_COLUMN(&out->class_number, n),
                             SPK_COLUMN(&out->mean, n), SPK_COLUMN(&out->spread, n),
                             SPK_COLUMN(&out->limit, n));
}

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
    if (status == SPK_OK)
        status = create_batch(own, SPK_EXACT_BATCH, &scorer->batch);
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
    sieve_free(scorer->sieve);
    free(scorer->known);
    free(scorer->tops);
    free_batch(&scorer->batch);
    free(scorer);
}

spk_status spk_exact_scorer_restart(spk_exact_scorer *scorer)
{
    spk_top_scores_start(&scorer->top);
    scorer->n_scored = 0;
    if (scorer->tops != NULL)
        memset(scorer->tops, 0, sizeof *scorer->tops);
    sieve_free(scorer->sieve);
    scorer->sieve = NULL;
    free_batch(&scorer->batch);
    return create_batch(scorer->context, SPK_EXACT_BATCH, &scorer->batch);
}

/* The smallest raw score of the class that changes something. */
static uint32_t least_raw(const spk_exact_scorer *scorer, uint32_t class_number)
{
    if (scorer->classes == NULL)
        return scorer->tops->top[class_number][SPK_EXACT_PILOTS] + 1;
    return spk_exact_classes_raw(scorer->classes, class_number, scorer->top.least + 1);
}

static double limit_of(spk_exact_scorer *scorer, uint32_t class_number, uint64_t count)
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

/* A result without a class has no score. */
static void expect(spk_exact_scorer *scorer, uint64_t i, const uint32_t *value, uint64_t size,
                   uint64_t count)
{
    spk_exact_scores *b = &scorer->batch;
    uint32_t class_number = spk_exact_class_of(scorer->job, value, size);
    b->class_number[i] = class_number;
    b->limit[i] = class_number == SPK_EXACT_NO_CLASS ? -1 : limit_of(scorer, class_number, count);
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
        spk_top_scores_add(&scorer->top,
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
            expect(scorer, i, part.unit + part.offset[i], part.offset[i + 1] - part.offset[i],
                   part.count[i]);
        spk_null_episode_means(scorer->scale->null, &part, scorer->batch.mean,
                               scorer->batch.spread);
        for (uint64_t i = 0; i < part.n; i++)
            add_score(scorer, i, part.count[i]);
    }
    return SPK_OK;
}

/* How many of the results that are left are looked at next: scores of the first ones tell which
 * means do not matter any more, first of all those of twice SPK_EXACT_KEPT results. Later batches
 * are larger than all before them, so that a GPU has enough to do. */
static uint64_t batch_size(const spk_exact_scorer *scorer, uint64_t most, uint64_t left)
{
    enum { GROWTH = 3 };
    const uint64_t first = 2 * SPK_EXACT_KEPT + 1;
    uint64_t size = scorer->n_scored < first ? first : GROWTH * scorer->n_scored;
    size = size < most ? size : most;
    return size < left ? size : left;
}

spk_status spk_exact_score_patterns(void *user, const spk_pattern_columns *patterns)
{
    spk_exact_scorer *scorer = user;
    for (uint64_t begin = 0, n = 0; begin < patterns->n; begin += n) {
        spk_pattern_columns part = *patterns;
        n = batch_size(scorer, SPK_EXACT_BATCH, patterns->n - begin);
        part.n = n;
        part.offset += begin;
        part.count += begin;
        for (uint64_t i = 0; i < part.n; i++)
            expect(scorer, i, part.item + part.offset[i], part.offset[i + 1] - part.offset[i],
                   part.count[i]);
        spk_null_pattern_means(scorer->scale->null, &part, scorer->batch.limit, scorer->batch.mean,
                               scorer->batch.spread);
        scorer->n_scored += n;
        for (uint64_t i = 0; i < part.n; i++)
            add_score(scorer, i, part.count[i]);
    }
    return SPK_OK;
}

/* ---- on a GPU -------------------------------------------------------------------------------- */

/* The scorer's own, which it frees. */
static spk_status open_sieve(spk_exact_scorer *scorer)
{
    const spk_null *null = scorer->scale->null;
    const spk_exact_options *o = &scorer->job->options;
    const sieve_view view = {.means = null_means_view(null),
                             .rates = null_rates(null),
                             .ratio = null->pairs.ratio,
                             .least_size = (uint32_t)o->min_size,
                             .least_units = (uint32_t)o->distinct_units,
                             .largest = SPK_EXACT_LARGEST,
                             .n_classes = SPK_EXACT_CLASSES};
    spk_status status = spk_alloc_zero(scorer->context, &scorer->sieve, 1, "scores");
    free_batch(&scorer->batch);
    if (status == SPK_OK)
        status = create_batch(scorer->context, SPK_EXACT_GPU_BATCH, &scorer->batch);
    if (status != SPK_OK)
        return status;
    spk_exact_sieve *s = scorer->sieve;
    status = spk_alloc_columns(scorer->context, "scores", SPK_COLUMN(&s->row, SPK_EXACT_CLASSES),
                               SPK_COLUMN(&s->class_of_row, SPK_EXACT_CLASSES),
                               SPK_COLUMN(&s->dropped, SPK_EXACT_CLASSES));
    for (uint32_t c = 0; c < SPK_EXACT_CLASSES && status == SPK_OK; c++)
        s->row[c] = UINT32_MAX;
    return status == SPK_OK ? device_sieve_open(scorer->context, &view, &s->device) : status;
}

/* Limits of the classes that were seen, as scores tell them now. */
static spk_status set_limits(spk_exact_scorer *scorer)
{
    spk_exact_sieve *s = scorer->sieve;
    const uint64_t n = (uint64_t)s->n_rows * SIEVE_STEPS;
    spk_status status = spk_grow(scorer->context, &s->limit, &s->limit_room, n + 1, "scores");
    for (uint32_t r = 0; r < s->n_rows && status == SPK_OK; r++)
        for (uint32_t step = 0; step < SIEVE_STEPS; step++)
            s->limit[(uint64_t)r * SIEVE_STEPS + step] =
                step > 0 && step <= s->most_step
                    ? limit_of(scorer, s->class_of_row[r], sieve_last(step))
                    : INFINITY;
    return status == SPK_OK
               ? device_sieve_set(scorer->context, s->device, s->row, s->limit, s->n_rows)
               : status;
}

/* Takes note of what patterns there are. */
static void see(spk_exact_sieve *s, uint32_t class_number, uint32_t count)
{
    const uint32_t step = sieve_step(count);
    s->most_step = s->most_step < step ? step : s->most_step;
    if (class_number == SPK_EXACT_NO_CLASS || s->row[class_number] != UINT32_MAX)
        return;
    s->class_of_row[s->n_rows] = class_number;
    s->row[class_number] = s->n_rows++;
}

/* What was kept, as columns, and its sums into the scorer's batch. */
static spk_status list_kept(spk_exact_scorer *scorer, const uint32_t *word, uint64_t n_words,
                            uint64_t n)
{
    spk_exact_sieve *s = scorer->sieve;
    spk_context *own = scorer->context;
    spk_status status = spk_grow(own, &s->offset, &s->offset_room, n + 1, "scores");
    if (status == SPK_OK)
        status = spk_grow(own, &s->count, &s->count_room, n + 1, "scores");
    if (status == SPK_OK)
        status = spk_grow(own, &s->item, &s->item_room, n_words + 1, "scores");
    if (status != SPK_OK)
        return status;
    s->offset[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t size = word[2];
        memcpy(&scorer->batch.mean[i], word, sizeof(double));
        s->count[i] = word[3];
        memcpy(s->item + s->offset[i], word + HEAD, size * sizeof *word);
        s->offset[i + 1] = s->offset[i] + size;
        word += HEAD + size;
    }
    return SPK_OK;
}

static spk_status score_kept(spk_exact_scorer *scorer, const uint32_t *word, uint64_t n_words,
                             uint64_t n)
{
    const spk_null *null = scorer->scale->null;
    const spk_exact_sieve *s = scorer->sieve;
    spk_exact_scores *b = &scorer->batch;
    spk_status status = list_kept(scorer, word, n_words, n);
    if (status != SPK_OK)
        return status;
    const spk_pattern_columns kept = {.n = n,
                                      .window = scorer->job->windows.window,
                                      .offset = s->offset,
                                      .item = s->item,
                                      .count = s->count};
    for (uint64_t i = 0; i < n; i++) {
        expect(scorer, i, kept.item + kept.offset[i], kept.offset[i + 1] - kept.offset[i],
               kept.count[i]);
        see(scorer->sieve, b->class_number[i], kept.count[i]);
    }
    spk_null_pattern_limits(null, &kept, b->limit, b->spread);
    spk_null_pattern_finish(null, &kept, b->spread, b->mean, b->spread);
    for (uint64_t i = 0; i < n; i++)
        add_score(scorer, i, kept.count[i]);
    return SPK_OK;
}

/* n patterns of a pile from number `begin` on. */
static spk_status look_at(spk_exact_scorer *scorer, const spk_pattern_pile *pile, uint64_t begin,
                          uint64_t n)
{
    spk_exact_sieve *s = scorer->sieve;
    const uint32_t *word = NULL;
    uint64_t n_words = 0, n_kept = 0;
    spk_status status = set_limits(scorer);
    if (status == SPK_OK)
        status = device_sieve_run(scorer->context, s->device, pile->word, pile->n_words,
                                  pile->place + begin, n, &word, &n_words, &n_kept, s->dropped);
    if (status == SPK_OK)
        status = score_kept(scorer, word, n_words, n_kept);
    for (uint32_t c = 0; c < SPK_EXACT_CLASSES && scorer->tops != NULL && status == SPK_OK; c++)
        scorer->tops->n[c] += s->dropped[c];
    return status;
}

spk_status spk_exact_sift(void *user, const spk_pattern_pile *pile)
{
    spk_exact_scorer *scorer = user;
    spk_status status = scorer->sieve == NULL ? open_sieve(scorer) : SPK_OK;
    for (uint64_t begin = 0, n; begin < pile->n && status == SPK_OK; begin += n) {
        n = batch_size(scorer, SPK_EXACT_GPU_BATCH, pile->n - begin);
        status = look_at(scorer, pile, begin, n);
        scorer->n_scored += n;
    }
    return status;
}
