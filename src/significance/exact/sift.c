/*
 * Scores of patterns that lie on a GPU. The device looks at some of them with the limits of now and
 * keeps what may matter (cuda/sieve.h); the host scores that, which lowers the limits for the next:
 *
 *     pile    2001 | 6003 | 24012 | ...          looked at, in turn
 *     kept    2001   1700    1500                scored here
 *
 * Invariant: the largest scores are those of spk_exact_score_patterns, since a pattern is dropped
 * only where its mean passes a limit that is the true one or above it. Cost: 16 bytes of the
 * device's state for each look, and what is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pattern/run.h"
#include "significance/exact/exact.h"
#include "significance/exact/null_inside.h"

enum { HEAD = SPK_PATTERN_PILE_HEAD };

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

void spk_exact_sieve_free(spk_exact_sieve *s)
{
    if (s == NULL)
        return;
    device_sieve_close(s->device);
    free(s->row);
    free(s->class_of_row);
    free(s->limit);
    free(s->dropped);
    free(s->offset);
    free(s->count);
    free(s->item);
    free(s);
}

/* The scorer's own, which it frees. */
static spk_status open_sieve(spk_exact_scorer *scorer)
{
    const spk_null *null = scorer->scale->null;
    const spk_exact_options *o = &scorer->job->options;
    const sieve_view view = {.means = null_means_view(null),
                             .ratio = null->pairs.ratio,
                             .least_size = (uint32_t)o->min_size,
                             .least_units = (uint32_t)o->distinct_units,
                             .largest = SPK_EXACT_LARGEST,
                             .n_classes = SPK_EXACT_CLASSES};
    spk_status status = spk_alloc_zero(scorer->context, &scorer->sieve, 1, "scores");
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
                    ? spk_exact_scorer_limit(scorer, s->class_of_row[r], sieve_last(step))
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
        spk_exact_scorer_expect(scorer, i, kept.item + kept.offset[i],
                                kept.offset[i + 1] - kept.offset[i], kept.count[i]);
        see(scorer->sieve, b->class_number[i], kept.count[i]);
    }
    spk_null_pattern_limits(null, &kept, b->limit, b->spread);
    spk_null_pattern_finish(null, &kept, b->spread, b->mean, b->spread);
    for (uint64_t i = 0; i < n; i++)
        spk_exact_scorer_add(scorer, i, kept.count[i]);
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
        n = spk_exact_scorer_batch(scorer, pile->n - begin);
        status = look_at(scorer, pile, begin, n);
        scorer->n_scored += n;
    }
    return status;
}
