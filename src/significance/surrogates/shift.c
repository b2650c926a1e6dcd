/*
 * Shifts of all spikes of a unit together.
 *
 *     ticks                  0 1 2 3 4 5 6 7 8 9      of a stretch
 *     spikes                 . a . . . b . . c .
 *     shifted by 3           . c . . a . . . b .      in a circle: trial-shifting, shift-apart
 *                            . . . . a . . . b .      c leaves: dither-spike-train
 *
 * Invariant: intervals stay, but for what the ends of the stretch cut. Cost: one draw a run and a
 * step a spike. Sources stand with each method.
 */
#include "significance/surrogates/surrogates.h"

typedef unsigned __int128 uint128;

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
                                 "jitter in each trial",
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

/* ---- shift-apart ----------------------------------------------------------------------------- */

static uint64_t shift_apart(const spk_surrogates *s, const surrogate_run *run, spk_random *random,
                            const surrogate_space *space, int64_t *out)
{
    (void)space;
    spk_segment stretch = surrogate_stretch(s, run);
    const uint64_t length = surrogate_length(stretch), shift = spk_random_below(random, length);
    for (uint64_t i = 0; i < run->n; i++)
        out[i] =
            surrogate_tick(stretch, move_round(surrogate_distance(stretch, s->time[run->first + i]),
                                               shift, length));
    return run->n;
}

const surrogate_method spk_surrogate_shift_apart = {
    .facts = {.name = "shift-apart",
              .summary = "all spikes of a unit in a segment move in a circle by any amount",
              .null_hypothesis = "units fire independently of each other, at rates that change "
                                 "together in no way",
              .keeps = "the number of spikes and the intervals of each unit in each segment, but "
                       "for the one that the segment's ends cut",
              .source = "Louis, Borgelt & Gruen 2010 (the whole train in a circle)",
              .warning = "units whose rates change together make false positives: it shows what a "
                         "test does with independent units of this kind"},
    .number = 15,
    .prepare = spk_surrogate_prepare_nothing,
    .make = shift_apart,
};

/* ---- shifts that leave the segment ----------------------------------------------------------- */

/* Spikes that a shift pushed over the stop go to the last free ticks before it; `n_within` spikes
 * are in `out` already, ascending. */
static void fill_high(spk_segment stretch, uint64_t n_within, uint64_t n, int64_t *out)
{
    uint64_t place = surrogate_length(stretch) - 1, within = n_within;
    for (uint64_t i = n_within; i < n; place--) {
        if (within > 0 && surrogate_distance(stretch, out[within - 1]) == place)
            within--;
        else
            out[i++] = surrogate_tick(stretch, place);
    }
}

/* The same at the start. */
static void fill_low(spk_segment stretch, uint64_t n_within, uint64_t n, int64_t *out)
{
    uint64_t place = 0, within = 0;
    for (uint64_t i = n_within; i < n; place++) {
        if (within < n_within && surrogate_distance(stretch, out[within]) == place)
            within++;
        else
            out[i++] = surrogate_tick(stretch, place);
    }
}

static uint64_t shift_train(const spk_surrogates *s, const surrogate_run *run, spk_random *random,
                            const surrogate_space *space, int64_t *out)
{
    (void)space;
    spk_segment stretch = surrogate_stretch(s, run);
    uint64_t drawn = spk_random_below(random, 2 * s->dither + 1), n = 0;
    for (uint64_t i = 0; i < run->n; i++) {
        uint128 moved = (uint128)surrogate_distance(stretch, s->time[run->first + i]) + drawn;
        if (moved >= s->dither && moved - s->dither < surrogate_length(stretch))
            out[n++] = surrogate_tick(stretch, (uint64_t)(moved - s->dither));
    }
    if (s->edges)
        return n;
    if (drawn > s->dither)
        fill_high(stretch, n, run->n, out);
    else
        fill_low(stretch, n, run->n, out);
    return run->n;
}

const surrogate_method spk_surrogate_dither_spike_train = {
    .facts = {.name = "dither-spike-train",
              .summary = "all spikes of a unit in a segment move together; some leave it",
              .null_hypothesis = "units fire independently of each other, up to a shift by the "
                                 "dither",
              .keeps =
                  "the intervals of each unit; the rate profile, smoothed over the jitter; the "
                  "number of spikes but for those that leave a segment (all of them with edges "
                  "off)",
              .source = "Pipa, Wheeler, Singer & Nikolic 2008; Louis, Gerstein, Gruen & Diesmann "
                        "2010",
              .warning = "spikes that leave a segment are lost, or gather at its end: take "
                         "trial-shifting in short segments"},
    .number = 4,
    .prepare = spk_surrogate_prepare_dither,
    .make = shift_train,
};
