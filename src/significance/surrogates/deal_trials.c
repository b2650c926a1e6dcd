/*
 * Trials dealt anew: what a unit did in one trial is taken for what it did in another one. Each
 * unit has a permutation of its own.
 *
 *     trial:    1     2     3                      1     2     3
 *     unit A:   a1    a2    a3         drawn:      a2    a3    a1
 *     unit B:   b1    b2    b3                     b1    b3    b2
 *
 * Trials are the stretches of the recording. Of trials of different lengths the parts that all of
 * them have change places, and what is behind stays: every permutation then can be taken back, and
 * a recording and its surrogates are draws from one set.
 */
#include "base/subset.h"
#include "significance/surrogates/surrogates.h"

static spk_status prepare(spk_context *context, const spk_surrogate_options *options,
                          spk_surrogates *s)
{
    (void)context;
    (void)options;
    s->dither = UINT64_MAX; /* the part that all trials have */
    for (size_t k = 0; k < s->where.n; k++) {
        const uint64_t length = surrogate_length(s->where.stretch[k]);
        s->dither = length < s->dither ? length : s->dither;
    }
    return SPK_OK;
}

static void deal(const spk_surrogates *s, const surrogate_run *run, uint64_t n, spk_random *random,
                 const surrogate_space *space, int64_t *out)
{
    uint64_t *drawn = space->number, made = 0;
    for (size_t k = 0; k < s->where.n; k++)
        drawn[k] = k;
    spk_put_in_random_order(random, s->where.n, drawn);
    for (uint64_t r = 0; r < n; r++) {
        const spk_segment own = surrogate_stretch(s, &run[r]);
        const spk_segment other = s->where.stretch[drawn[run[r].stretch]];
        for (uint64_t i = run[r].first; i < run[r].first + run[r].n; i++) {
            const uint64_t distance = surrogate_distance(own, s->time[i]);
            out[made++] = distance < s->dither ? surrogate_tick(other, distance) : s->time[i];
        }
    }
}

const surrogate_method spk_surrogate_deal_trials = {
    .facts = {.name = "deal-trials",
              .summary = "a unit's segments change places, independently of the other units",
              .null_hypothesis = "the segments are trials; given what each unit does in each of "
                                 "them, all orders are equally likely and independent",
              .keeps = "each unit's spikes within a trial, and what is locked to its start, "
                       "exactly; of trials of different lengths the part that all have",
              .source = "Gerstein & Perkel 1972 (shuffled trials)",
              .warning = "units that change from trial to trial together make false positives"},
    .number = 14,
    .prepare = prepare,
    .make_unit = deal,
};
