/* Shifts of all spikes of a unit together. */
#include "significance/surrogates/surrogates.h"

/* A distance moved on by `shift` within a circle of `length`, both distances below it. */
static uint64_t move_round(uint64_t distance, uint64_t shift, uint64_t length)
{
    return distance >= length - shift ? distance - (length - shift) : distance + shift;
}

static uint64_t shift_trials(const spk_surrogates *s, const surrogate_run *run, spk_random *random,
                             const surrogate_space *space, int64_t *out)
{
    (void)space;
    spk_segment stretch = surrogate_stretch(s, run);
    uint64_t length = surrogate_length(stretch);
    uint64_t forward = spk_random_below(random, 2 * s->dither + 1) % length;
    uint64_t shift = move_round(forward, (length - s->dither % length) % length, length);
    for (uint64_t i = 0; i < run->n; i++)
        out[i] =
            surrogate_tick(stretch, move_round(surrogate_distance(stretch, s->time[run->first + i]),
                                               shift, length));
    return run->n;
}

const surrogate_method spk_surrogate_trial_shifting = {
    .facts = {.name = "trial-shifting",
              .summary = "all spikes of a unit in a segment move together, round its ends",
              .null_hypothesis = "units fire independently of each other, up to a shift by the "
                                 "dither in each trial",
              .keeps =
                  "the number of spikes and the intervals of each unit in each segment, but for "
                  "the one that the segment's ends cut; the rate profile, smoothed over the "
                  "dither",
              .source =
                  "Pipa, Wheeler, Singer & Nikolic 2008; Louis, Borgelt & Gruen 2010; Stella, "
                  "Bouss, Palm & Gruen 2022",
              .warning = ""},
    .number = 2,
    .prepare = spk_surrogate_prepare_dither,
    .make = shift_trials,
};
