/*
 * The largest score of all results for each way to deal out the conditions. A task is a block of
 * ways. For each trial a row of masks says in which ways of the block it has the chosen condition;
 * the counts of a result are added row by row, so that all ways of the block go together.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/subset.h"
#include "distribute/queue.h"
#include "significance/compare/compare.h"

/* ---- labellings ------------------------------------------------------------------------------ */

static const uint64_t MOST_CHOICES = UINT64_C(1) << 53;

uint64_t spk_count_choices(uint64_t n, uint64_t k)
{
    unsigned __int128 choices = 1;
    if (k > n)
        return 0;
    k = k < n - k ? k : n - k;
    for (uint64_t j = 1; j <= k; j++) {
        choices = choices * (n - k + j) / j; /* choices of j out of n - k + j: a whole number */
        if (choices > MOST_CHOICES)
            return UINT64_MAX;
    }
    return (uint64_t)choices;
}

double spk_compare_smallest_p(size_t n_trials_0, size_t n_trials_1, uint64_t n_permutations)
{
    uint64_t ways = spk_count_choices((uint64_t)n_trials_0 + n_trials_1, n_trials_0);
    bool all = ways - 1 <= n_permutations;
    if (n_trials_0 == 0 || n_trials_1 == 0)
        return 1;
    return (all && n_trials_0 == n_trials_1 ? 2 : 1) /
           (all ? (double)ways : (double)n_permutations + 1);
}

/* The place of the recording's own conditions among all ways in lexicographic order. */
static uint64_t rank_own(const spk_trials *trials, uint8_t chosen, size_t n_chosen)
{
    uint64_t rank = 0, left = n_chosen;
    for (size_t t = 0; t < trials->n && left > 0; t++) {
        if (trials->condition[t] == chosen)
            left--;
        else
            rank += spk_count_choices(trials->n - t - 1, left - 1); /* ways that choose t */
    }
    return rank;
}

spk_labellings spk_labellings_of(const spk_trials *trials, uint64_t most, uint64_t seed)
{
    const uint8_t chosen = trials->n_of[1] <= trials->n_of[0];
    spk_labellings l = {.n_trials = trials->n,
                        .n_chosen = trials->n_of[chosen],
                        .chosen = chosen,
                        .n = most,
                        .seed = seed};
    uint64_t ways = spk_count_choices(trials->n, l.n_chosen);
    l.all = ways - 1 <= most;
    if (l.all) {
        l.n = ways - 1;
        l.own = rank_own(trials, chosen, l.n_chosen);
    }
    return l;
}

uint64_t spk_labellings_words(const spk_labellings *labellings)
{
    return spk_number_set_words(labellings->n_chosen);
}

/* The way of this rank in lexicographic order. */
static void choose_ranked(const spk_labellings *l, uint64_t rank, uint64_t *chosen)
{
    uint64_t left = l->n_chosen, n = 0;
    for (uint64_t t = 0; t < l->n_trials && left > 0; t++) {
        uint64_t with = spk_count_choices(l->n_trials - t - 1, left - 1); /* ways that choose t */
        if (rank < with) {
            chosen[n++] = t;
            left--;
        } else {
            rank -= with;
        }
    }
    assert(left == 0);
}

void spk_labelling_draw(const spk_labellings *l, uint64_t k, uint64_t *words, uint64_t *chosen)
{
    if (l->all) {
        choose_ranked(l, k < l->own ? k : k + 1, chosen);
        return;
    }
    spk_random random = spk_random_start(l->seed, SPK_RANDOM_COMPARE, k);
    spk_draw_subset(&random, l->n_trials, l->n_chosen, words, chosen);
}

/* ---- the largest ----------------------------------------------------------------------------- */

/* Ways in a block: their sums stay in registers, and the masks of some hundred trials in the
 * processor's nearest cache. Results between two looks at a cancel. */
enum { WAYS = 32, RESULTS = 4096 };

typedef struct search {
    const spk_compare_search *of;
    double *largest;
} search;

/* What a block of ways needs. */
typedef struct block {
    uint32_t (*mask)[WAYS]; /* by trial: all bits where it has the chosen condition */
    double length[WAYS];    /* of the trials that have it */
    double best[WAYS];
} block;

static void fill_block(const spk_compare_search *s, uint64_t begin, uint64_t n, uint64_t *words,
                       uint64_t *chosen, block *b)
{
    const spk_labellings *l = s->labellings;
    memset(b->mask, 0, s->trials->n * sizeof *b->mask);
    for (uint64_t k = 0; k < WAYS; k++) {
        b->length[k] = 0;
        b->best[k] = 0;
        if (k >= n)
            continue;
        spk_labelling_draw(l, begin + k, words, chosen);
        for (size_t j = 0; j < l->n_chosen; j++) {
            b->mask[chosen[j]][k] = UINT32_MAX;
            b->length[k] += (double)s->trials->length[chosen[j]];
        }
    }
}

/* Both conditions have the same score: their numerators add up to 0. */
static void add_result(const spk_compare_search *s, uint64_t i, block *b)
{
    const spk_trial_counts *c = s->counts;
    const spk_contrast *contrast = &s->contrast[i];
    const double total = (double)s->trials->total;
    uint32_t sum[WAYS] = {0};
    for (uint64_t k = c->first[i]; k < c->first[i] + c->used[i]; k++) {
        const uint32_t *mask = b->mask[c->trial[k]];
        const uint32_t count = c->count[k];
        for (int w = 0; w < WAYS; w++)
            sum[w] += count & mask[w];
    }
    for (int w = 0; w < WAYS; w++) {
        double score = spk_contrast_score(
            contrast, spk_contrast_numerator(contrast, total, sum[w], b->length[w]));
        b->best[w] = score > b->best[w] ? score : b->best[w];
    }
}

static spk_status search_block(spk_context *own, uint64_t task, void *user)
{
    const search *run = user;
    const spk_compare_search *s = run->of;
    const uint64_t begin = task * WAYS;
    const uint64_t left = s->labellings->n - begin, n = left < WAYS ? left : WAYS;
    block b;
    uint64_t *words = NULL, *chosen = NULL;
    spk_status status =
        spk_alloc_columns(own, "conditions of trials", SPK_COLUMN(&b.mask, s->trials->n),
                          SPK_COLUMN(&words, spk_labellings_words(s->labellings)),
                          SPK_COLUMN(&chosen, s->labellings->n_chosen));
    if (status != SPK_OK)
        return status;
    fill_block(s, begin, n, words, chosen, &b);
    for (uint64_t k = 0; k < s->n_tested && status == SPK_OK; k++) {
        add_result(s, s->tested[k], &b);
        if (k % RESULTS == RESULTS - 1)
            status = spk_check_cancel(own);
    }
    memcpy(run->largest + begin, b.best, n * sizeof *b.best);
    spk_free_all(b.mask, words, chosen);
    return status;
}

spk_status spk_compare_largest(spk_context *context, const spk_compare_search *of, double *largest)
{
    search run = {of, largest};
    const spk_queue_job queue = {.n = (of->labellings->n + WAYS - 1) / WAYS,
                                 .what = "ways to deal out the conditions",
                                 .task = search_block,
                                 .user = &run};
    return spk_queue_run(context, &queue);
}
