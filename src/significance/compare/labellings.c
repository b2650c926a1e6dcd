/* Ways to deal out two conditions to trials: all of them, or random ones by number. */
#include <assert.h>

#include "base/random.h"
#include "base/subset.h"
#include "significance/compare/compare.h"

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
