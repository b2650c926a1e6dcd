/* Uniform dithering of single spikes. */
#include "base/subset.h"
#include "significance/surrogates/surrogates.h"

typedef unsigned __int128 uint128;

/* The free places nearest to the two ends of a stretch, for spikes that would leave it. What lies
 * outside of them was taken. */
typedef struct ends {
    uint64_t low;
    uint64_t high;
} ends;

/* Takes the free place nearest to the start. There is one: a stretch has a tick for each spike. */
static uint64_t take_low(ends *e, spk_number_set *taken)
{
    while (!spk_number_set_add(taken, e->low))
        e->low++;
    return e->low;
}

static uint64_t take_high(ends *e, spk_number_set *taken)
{
    while (!spk_number_set_add(taken, e->high))
        e->high--;
    return e->high;
}

/*
 * Spikes are drawn in order of time, again where another spike has the tick. That ends: the latest
 * tick that a spike can reach is taken by no earlier spike, or lies outside.
 */
static uint64_t dither_spikes(const spk_surrogates *s, const surrogate_run *run, spk_random *random,
                              const surrogate_space *space, int64_t *out)
{
    spk_segment stretch = surrogate_stretch(s, run);
    uint64_t length = surrogate_length(stretch), n = 0;
    ends e = {0, length - 1};
    spk_number_set taken = spk_number_set_start(run->n, space->words);
    for (uint64_t i = 0; i < run->n; i++) {
        uint64_t from = surrogate_distance(stretch, s->time[run->first + i]), to;
        for (;;) {
            uint128 drawn = (uint128)from + spk_random_below(random, 2 * s->dither + 1);
            bool before = drawn < s->dither, behind = drawn >= (uint128)length + s->dither;
            if ((before || behind) && s->edges)
                break;
            to = (uint64_t)(drawn - s->dither);
            if (before || behind)
                to = before ? take_low(&e, &taken) : take_high(&e, &taken);
            else if (!spk_number_set_add(&taken, to))
                continue;
            out[n++] = surrogate_tick(stretch, to);
            break;
        }
    }
    return n;
}

const surrogate_method spk_surrogate_dither_spikes = {
    .facts = {.name = "dither-spikes",
              .summary = "each spike moves by itself, uniformly up to the dither",
              .null_hypothesis =
                  "spikes have no timing finer than the dither, neither between units "
                  "nor within one",
              .keeps = "the rate profile, smoothed over the dither; the number of spikes but for "
                       "those that leave a segment (all of them with edges off)",
              .source = "Date, Bienenstock & Geman 1998; Gruen 2009; Louis, Gerstein, Gruen & "
                        "Diesmann 2010",
              .warning = SURROGATE_LOSES_BINS},
    .number = 1,
    .prepare = spk_surrogate_prepare_dither,
    .make = dither_spikes,
};
