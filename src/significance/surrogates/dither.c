/*
 * Uniform dithering of single spikes.
 *
 *     dither-spikes     to any tick up to `dither` away; drawn again where it is taken
 *     with refractory   |<- period ->|    room to move    |<- period ->|
 *     period            spike before                      next spike
 *
 * Invariant: no two spikes of a run get one tick. With a refractory period the order of spikes
 * stays, and no interval becomes shorter than the period. Cost: some draws a spike, one with a
 * period.
 */
#include "significance/surrogates/surrogates.h"

#include "base/memory.h"
#include "base/subset.h"

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
            /* `drawn` is the place plus the dither, so that what lies before the stretch is not
             * below 0. */
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
              .summary = "each spike moves by itself, uniformly up to the jitter",
              .null_hypothesis =
                  "spikes have no timing finer than the jitter, neither between units "
                  "nor within one",
              .keeps = "the rate profile, smoothed over the jitter; the number of spikes but for "
                       "those that leave a segment (all of them with edges off)",
              .source = "Date, Bienenstock & Geman 1998; Gruen 2009; Louis, Gerstein, Gruen & "
                        "Diesmann 2010",
              .warning = SURROGATE_LOSES_BINS},
    .number = 1,
    .prepare = spk_surrogate_prepare_dither,
    .make = dither_spikes,
};

/* ---- keeping the refractory period ----------------------------------------------------------- */

spk_status spk_surrogate_prepare_refractory(spk_context *context,
                                            const spk_surrogate_options *options, spk_surrogates *s)
{
    uint32_t n_units = s->recording->events.n_units;
    char text[48];
    spk_duration_format(options->refractory, text, sizeof text);
    if (options->refractory.digits < 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the refractory period of surrogates is %s; it cannot be below 0", text);
    spk_status status = spk_alloc(context, &s->refractory, n_units, "surrogates");
    if (status != SPK_OK)
        return status;
    int64_t given = spk_duration_first_tick(options->refractory, s->recording->rate);
    for (uint32_t u = 0; u < n_units; u++)
        s->refractory[u] = given > 0 ? (uint64_t)given : 1;
    /* A unit that fires faster than the period keeps the interval that it has: nothing else would
     * leave its spikes a place. */
    for (uint64_t r = 0; r < s->n_runs; r++) {
        const surrogate_run *run = &s->run[r];
        const int64_t *time = s->time + run->first;
        for (uint64_t i = 1; i < run->n; i++) {
            uint64_t interval = (uint64_t)time[i] - (uint64_t)time[i - 1];
            if (interval < s->refractory[run->unit])
                s->refractory[run->unit] = interval;
        }
    }
    return SPK_OK;
}

static spk_status prepare(spk_context *context, const spk_surrogate_options *options,
                          spk_surrogates *s)
{
    spk_status status = spk_surrogate_prepare_dither(context, options, s);
    return status == SPK_OK ? spk_surrogate_prepare_refractory(context, options, s) : status;
}

/* Moves spike i uniformly over what its neighbours, the stretch and the dither leave. */
static void move_one(const spk_surrogates *s, const surrogate_run *run, uint64_t length, uint64_t i,
                     spk_random *random, uint64_t *place)
{
    uint64_t refractory = s->refractory[run->unit], at = place[i];
    uint64_t low = i > 0 ? place[i - 1] + refractory : 0;
    uint64_t high = i + 1 < run->n ? place[i + 1] - refractory : length - 1;
    low = at - low > s->dither ? at - s->dither : low;
    high = high - at > s->dither ? at + s->dither : high;
    place[i] = low + spk_random_below(random, high - low + 1);
}

/* Spikes move in random order, each once, between where its neighbours are by then. */
static uint64_t dither_apart(const spk_surrogates *s, const surrogate_run *run, spk_random *random,
                             const surrogate_space *space, int64_t *out)
{
    spk_segment stretch = surrogate_stretch(s, run);
    uint64_t *place = space->number, *order = space->other;
    for (uint64_t i = 0; i < run->n; i++) {
        place[i] = surrogate_distance(stretch, s->time[run->first + i]);
        order[i] = i;
    }
    spk_put_in_random_order(random, run->n, order);
    for (uint64_t i = 0; i < run->n; i++)
        move_one(s, run, surrogate_length(stretch), order[i], random, place);
    for (uint64_t i = 0; i < run->n; i++)
        out[i] = surrogate_tick(stretch, place[i]);
    return run->n;
}

const surrogate_method spk_surrogate_dither_spikes_refractory = {
    .facts = {.name = "dither-spikes-with-refractory-period",
              .summary = "each spike moves up to the jitter, and not too near to its neighbours",
              .null_hypothesis = "spikes have no timing finer than the jitter, but for the "
                                 "refractory period",
              .keeps =
                  "the number of spikes of each unit in each segment and their order; no "
                  "interval is shorter than the refractory period, or than the shortest one of "
                  "the unit; the rate profile, smoothed over the jitter",
              .source = "Stella, Bouss, Palm & Gruen 2022 (uniform dithering with dead time)",
              .warning = SURROGATE_LOSES_BINS},
    .number = 9,
    .prepare = prepare,
    .make = dither_apart,
};
