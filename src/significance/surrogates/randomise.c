/*
 * Surrogates that keep numbers or intervals and give up the rate profile.
 *
 * Example of shuffled intervals, in a segment that begins at tick 0:
 *     spikes       2     5  6        intervals   3  3  1     (from tick -1)
 *     shuffled     0     3     6     intervals   1  3  3
 *
 * Invariant: the last spike stays, as the sum of intervals does. Cost: a step a spike, and for
 * randomised spikes a draw without replacement. Bytes: a number for each spike of the longest run.
 */
#include "base/subset.h"
#include "significance/surrogates/surrogates.h"

/* ---- randomise-spikes ------------------------------------------------------------------------ */

static uint64_t randomise(const spk_surrogates *s, const surrogate_run *run, spk_random *random,
                          const surrogate_space *space, int64_t *out)
{
    spk_segment stretch = surrogate_stretch(s, run);
    spk_draw_subset(random, surrogate_length(stretch), run->n, space->words, space->number);
    for (uint64_t i = 0; i < run->n; i++)
        out[i] = surrogate_tick(stretch, space->number[i]);
    return run->n;
}

const surrogate_method spk_surrogate_randomise_spikes = {
    .facts = {.name = "randomise-spikes",
              .summary = "spikes take any ticks of the segment",
              .null_hypothesis = "units are independent Poisson processes of constant rate in each "
                                 "segment",
              .keeps = "the number of spikes of each unit in each segment",
              .source = "Gruen 2009",
              .warning = "rate profiles and intervals are lost: units whose rates change together "
                         "make false positives"},
    .number = 7,
    .prepare = spk_surrogate_prepare_nothing,
    .make = randomise,
};

/* ---- shuffle-isis ---------------------------------------------------------------------------- */

/* The first interval counts from the tick before the segment, so that none is 0 and the last spike
 * stays where it is. */
static uint64_t shuffle_intervals(const spk_surrogates *s, const surrogate_run *run,
                                  spk_random *random, const surrogate_space *space, int64_t *out)
{
    spk_segment stretch = surrogate_stretch(s, run);
    const int64_t *time = s->time + run->first;
    uint64_t *interval = space->number, sum = 0;
    interval[0] = surrogate_distance(stretch, time[0]) + 1;
    for (uint64_t i = 1; i < run->n; i++)
        interval[i] = (uint64_t)time[i] - (uint64_t)time[i - 1];
    spk_put_in_random_order(random, run->n, interval);
    for (uint64_t i = 0; i < run->n; i++) {
        sum += interval[i];
        out[i] = surrogate_tick(stretch, sum - 1);
    }
    return run->n;
}

const surrogate_method spk_surrogate_shuffle_isis = {
    .facts = {.name = "shuffle-isis",
              .summary = "the intervals of a unit in a segment change places",
              .null_hypothesis = "units are independent renewal processes of constant rate in each "
                                 "segment",
              .keeps =
                  "the number of spikes of each unit in each segment, the set of its intervals "
                  "with the one from the segment's start to the first spike, the last spike",
              .source = "Gruen 2009; Louis, Gerstein, Gruen & Diesmann 2010",
              .warning = "rate profiles are lost: units whose rates change together make false "
                         "positives"},
    .number = 8,
    .prepare = spk_surrogate_prepare_nothing,
    .make = shuffle_intervals,
};

/* ---- trials dealt anew ----------------------------------------------------------------------- */

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
