/* Surrogates that keep numbers or intervals and give up the rate profile. */
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
