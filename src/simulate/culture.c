/*
 * A dissociated culture on an electrode array, after what Wagenaar, Pine & Potter, "An extremely
 * rich repertoire of bursting patterns during the development of cortical cultures", BMC
 * Neuroscience 7:11 (2006), describe: channels of very different rates that fire little between
 * population bursts, and bursts that sweep over all channels.
 *
 * A burst starts on the first channel of a random but fixed order; every channel follows the one
 * before after its nominal delay and some jitter (all delays lie in (1 ms, 2 ms]), then fires
 * further spikes at a decaying rate. Bursts never overlap and are always complete, so the order's
 * first spikes are as many non-overlapped occurrences of one chain as there are bursts.
 *
 * Written in order of time: quiet time, burst, quiet time; only the spikes of one burst are ever
 * sorted, so beyond the columns memory is that of one burst and of the kept truth.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "simulate/simulate.h"

/* Ticks of 40 us, the sampling grid of such arrays. */
static const spk_rate RATE = {25000, 1};

enum {
    REFRACTORY = 25, /* 1 ms: no two spikes of a channel so close */
    DELAY_LOW = 31,  /* 1.24 ms: nominal delays are uniform from here */
    DELAY_HIGH = 45, /* to here, 1.8 ms */
    JITTER = 5,      /* 0.2 ms */
    DECAY = 2500,    /* 100 ms: mean time of further spikes after the channel's first one */
    UNIT_BITS = 24,  /* of a packed spike; the rest is its time since the burst's start */
    MOST_UNITS = 100000,
    BYTES_PER_EVENT = 24
};
static_assert(MOST_UNITS <= 1 << UNIT_BITS, "a packed spike holds every unit");
static_assert(DELAY_LOW - JITTER > 25 && DELAY_HIGH + JITTER <= 50, "delays lie in (1 ms, 2 ms]");

static const double RATE_SIGMA = 1.0; /* of the log of the channels' rates: a heavy tail */
static const double SIZE_SIGMA = 0.4; /* of the log of the bursts' sizes */

typedef struct culture {
    const spk_culture_options *options;
    int64_t stop; /* of the recording, ticks; with bursts known only when they are made */
    uint64_t n_bursts;
    int64_t burst_ticks; /* no spike of a burst is later after its first one */
    double mean_gap;     /* from burst to burst, ticks; 0: no bursts */
    double smallest_gap;
    double *weight;        /* rate of a channel relative to the mean */
    double *weight_before; /* n_units + 1 running sums of the weights */
    int64_t *last_tonic;   /* by channel */
    int64_t *place;        /* times of one sweep, in the order of the chain */
    int64_t *first_spike;  /* the same by channel */
    uint64_t *spike_first; /* n_units + 1: a channel's spikes in `spike`, before sorting */
    uint64_t *spike;       /* one burst: time since `burst_start` << UNIT_BITS | channel */
    uint64_t spike_capacity;
    uint64_t n_spikes;
    int64_t burst_start;
    spk_truth *truth;
    spk_event_buffer events;
} culture;

SPK_OPTIONS_INIT(spk_culture_options, .seed = 1, .n_events = 1000000, .n_units = 59,
                 .tonic_hz = 0.5, .bursts_per_min = 12, .burst_spikes = 12);

/* ---- options --------------------------------------------------------------------------------- */

static spk_status check_options(spk_context *context, const spk_culture_options *o)
{
    const struct {
        const char *name;
        double value, minimum, maximum;
    } numbers[] = {
        {"the number of events", (double)o->n_events, 1, SPK_MAX_EVENTS},
        {"the number of units", o->n_units, 2, MOST_UNITS},
        {"the tonic rate in Hz", o->tonic_hz, 0, 20},
        {"the number of bursts a minute", o->bursts_per_min, 0, 600},
        {"the number of spikes in a burst", o->burst_spikes, 1, 200},
    };
    spk_status status = SPK_OK;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0] && status == SPK_OK; k++)
        status = spk_check_number(context, numbers[k].name, numbers[k].value, numbers[k].minimum,
                                  numbers[k].maximum);
    if (status == SPK_OK && !(o->tonic_hz + o->bursts_per_min > 0))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "without tonic firing and without bursts there are no events; raise the "
                        "tonic rate or the number of bursts a minute");
    return status;
}

/* The longest sweep, then the tail: 0.25 % of an exponential is beyond six times its mean. */
static spk_status plan_bursts(spk_context *context, culture *c)
{
    const spk_culture_options *o = c->options;
    const spk_planted *chain = &c->truth->chain[0];
    double spread = 4 * (REFRACTORY + 1) * o->burst_spikes;
    c->burst_ticks = 6 * (int64_t)DECAY + (int64_t)spread;
    for (uint32_t p = 1; p < o->n_units; p++)
        c->burst_ticks += chain->delay_ticks[p - 1] + JITTER;
    double taken = (double)c->burst_ticks + 2 * ((int64_t)REFRACTORY + 1);
    double most = 60 * (double)RATE.numerator / (1.1 * taken);
    if (o->bursts_per_min > most)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%g bursts a minute would overlap: a burst over %u units takes %.2g s, so "
                        "at most %.3g a minute fit; lower their number",
                        o->bursts_per_min, o->n_units, taken / (double)RATE.numerator, most);
    c->mean_gap = o->bursts_per_min > 0 ? 60 * (double)RATE.numerator / o->bursts_per_min : 0;
    c->smallest_gap = c->mean_gap / 2 > taken ? c->mean_gap / 2 : taken;
    return SPK_OK;
}

/* The number of bursts, or without them the duration, that gives the number of events on average,
 * and space for them. */
static spk_status plan_duration(spk_context *context, culture *c)
{
    const spk_culture_options *o = c->options;
    double burst_events = o->burst_spikes * o->n_units;
    double per_s = o->tonic_hz * o->n_units + o->bursts_per_min / 60 * burst_events;
    double ticks = (double)o->n_events / per_s * (double)RATE.numerator;
    if (!(ticks < 0x1p52))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%g events a second are too few for %llu events: the times would not fit; "
                        "raise the rates",
                        per_s, (unsigned long long)o->n_events);
    c->stop = (int64_t)ticks + 1;
    double n_bursts = c->mean_gap > 0 ? ticks / c->mean_gap + 0.5 : 0;
    c->n_bursts = c->mean_gap > 0 && n_bursts < 1 ? 1 : (uint64_t)n_bursts;
    double expected = (double)o->n_events + 3 * burst_events * sqrt((double)c->n_bursts);
    return spk_event_buffer_reserve(context, &c->events, expected, BYTES_PER_EVENT);
}

/* ---- channels -------------------------------------------------------------------------------- */

static spk_status allocate(spk_context *context, culture *c)
{
    uint32_t n = c->options->n_units;
    spk_status status = spk_truth_create(context, 1, &n, &c->truth);
    if (status != SPK_OK)
        return status;
    return spk_alloc_columns(context, "channels of a culture", SPK_COLUMN_ZERO(&c->weight, n),
                             SPK_COLUMN_ZERO(&c->weight_before, (uint64_t)n + 1),
                             SPK_COLUMN_ZERO(&c->last_tonic, n), SPK_COLUMN_ZERO(&c->place, n),
                             SPK_COLUMN_ZERO(&c->first_spike, n),
                             SPK_COLUMN_ZERO(&c->spike_first, (uint64_t)n + 1));
}

static void release(culture *c)
{
    spk_free_all(c->weight, c->weight_before, c->last_tonic, c->place, c->first_spike,
                 c->spike_first, c->spike);
    spk_truth_free(c->truth);
    spk_event_buffer_free(&c->events);
}

/* Log-normal weights, scaled to a mean of exactly one, so that the rates of the options hold. */
static void draw_weights(culture *c)
{
    uint32_t n = c->options->n_units;
    double sum = 0;
    for (uint32_t u = 0; u < n; u++) {
        spk_random random = spk_random_start(c->options->seed, SPK_RANDOM_CULTURE_RATE, u);
        c->weight[u] = spk_portable_exp(RATE_SIGMA * spk_random_normal(&random));
        sum += c->weight[u];
        c->last_tonic[u] = -REFRACTORY - 1;
    }
    for (uint32_t u = 0; u < n; u++) {
        c->weight[u] *= n / sum;
        c->weight_before[u + 1] = c->weight_before[u] + c->weight[u];
    }
}

static void draw_order(culture *c)
{
    spk_planted *chain = &c->truth->chain[0];
    spk_random random = spk_random_start(c->options->seed, SPK_RANDOM_CULTURE_ORDER, 0);
    chain->jitter_ticks = JITTER;
    spk_random_order(&random, chain->size, chain->unit);
    for (uint32_t p = 1; p < chain->size; p++)
        chain->delay_ticks[p - 1] =
            DELAY_LOW + (int64_t)spk_random_below(&random, DELAY_HIGH - DELAY_LOW + 1);
}

/* ---- spikes ---------------------------------------------------------------------------------- */

static spk_status add_to_burst(spk_context *context, culture *c, int64_t time, uint32_t unit)
{
    assert(time >= c->burst_start && time - c->burst_start < INT64_C(1) << (64 - UNIT_BITS));
    spk_status status =
        spk_grow(context, &c->spike, &c->spike_capacity, c->n_spikes + 1, "the spikes of a burst");
    if (status == SPK_OK)
        c->spike[c->n_spikes++] = (uint64_t)(time - c->burst_start) << UNIT_BITS | unit;
    return status;
}

/* The channel in whose share of the summed weights a uniform draw falls. */
static uint32_t draw_channel(const culture *c, spk_random *random)
{
    spk_bisect s = {0, c->options->n_units - 1};
    double at = spk_random_unit(random) * c->weight_before[s.high + 1];
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, c->weight_before[s.middle + 1] <= at);
    return (uint32_t)s.low;
}

static bool clear_of_burst(const culture *c, uint32_t unit, int64_t time)
{
    for (uint64_t i = c->spike_first[unit]; i < c->spike_first[unit + 1]; i++) {
        int64_t distance = time - c->burst_start - (int64_t)(c->spike[i] >> UNIT_BITS);
        if (distance >= -REFRACTORY && distance <= REFRACTORY)
            return false;
    }
    return true;
}

/* Tonic spikes of all channels in [from, to): one Poisson process, shared out by weight. Within a
 * burst they join its spikes and keep clear of them. */
static spk_status add_tonic(spk_context *context, culture *c, spk_random *random, int64_t from,
                            int64_t to, bool in_burst)
{
    double per_tick = c->options->tonic_hz * c->options->n_units / (double)RATE.numerator;
    spk_status status = SPK_OK;
    for (double t = (double)from; per_tick > 0 && status == SPK_OK;) {
        t += spk_random_exponential(random) / per_tick;
        if (!(t < (double)to))
            break;
        int64_t time = (int64_t)t;
        uint32_t unit = draw_channel(c, random);
        if (time - c->last_tonic[unit] <= REFRACTORY ||
            (in_burst && !clear_of_burst(c, unit, time)))
            continue;
        c->last_tonic[unit] = time;
        status = in_burst ? add_to_burst(context, c, time, unit)
                          : spk_event_buffer_add(context, &c->events, time, unit);
    }
    return status;
}

/* The first spikes of all channels, which are the planted occurrence. */
static spk_status sweep(spk_context *context, culture *c, spk_random *random, int64_t onset)
{
    spk_planted *chain = &c->truth->chain[0];
    int64_t time = onset;
    for (uint32_t p = 0; p < chain->size; p++) {
        if (p > 0)
            time += chain->delay_ticks[p - 1] + (int64_t)spk_random_below(random, 2 * JITTER + 1) -
                    JITTER;
        c->place[p] = time;
        c->first_spike[chain->unit[p]] = time;
    }
    return spk_planted_add(context, chain, c->place);
}

/* One channel's spikes. Sorted exponentials come from their independent gaps (Renyi 1953); moving
 * each by the refractory time of those before keeps them apart without losing any. */
static spk_status add_channel(spk_context *context, culture *c, spk_random *random, uint32_t unit,
                              double size)
{
    int64_t first = c->first_spike[unit];
    int64_t latest = c->burst_start + REFRACTORY + 1 + c->burst_ticks;
    uint64_t n =
        spk_random_poisson(random, (c->options->burst_spikes - 1) * c->weight[unit] * size);
    c->spike_first[unit] = c->n_spikes;
    spk_status status = add_to_burst(context, c, first, unit);
    double decayed = 0;
    for (uint64_t k = 1; k <= n && status == SPK_OK; k++) {
        decayed += DECAY * spk_random_exponential(random) / (double)(n - k + 1);
        int64_t time = first + (int64_t)decayed + (int64_t)k * (REFRACTORY + 1);
        if (time > latest)
            break;
        status = add_to_burst(context, c, time, unit);
    }
    c->spike_first[unit + 1] = c->n_spikes;
    return status;
}

/* Burst `number` from `start`, with the tonic spikes up to `end`, into the event columns. */
static spk_status add_burst(spk_context *context, culture *c, uint64_t number, int64_t start,
                            int64_t end, spk_random *tonic)
{
    spk_random random = spk_random_start(c->options->seed, SPK_RANDOM_CULTURE_BURST, number);
    double z = spk_random_normal(&random);
    double size = spk_portable_exp(SIZE_SIGMA * z - SIZE_SIGMA * SIZE_SIGMA / 2);
    c->burst_start = start;
    c->n_spikes = 0;
    spk_status status = sweep(context, c, &random, start + REFRACTORY + 1);
    for (uint32_t u = 0; u < c->options->n_units && status == SPK_OK; u++)
        status = add_channel(context, c, &random, u, size);
    if (status == SPK_OK)
        status = add_tonic(context, c, tonic, start, end, true);
    if (status == SPK_OK)
        qsort(c->spike, (size_t)c->n_spikes, sizeof *c->spike, spk_compare_uint64);
    for (uint64_t i = 0; i < c->n_spikes && status == SPK_OK; i++)
        status =
            spk_event_buffer_add(context, &c->events, start + (int64_t)(c->spike[i] >> UNIT_BITS),
                                 (uint32_t)(c->spike[i] & ((1u << UNIT_BITS) - 1)));
    return status;
}

/* Every burst has its quiet time before it; both take numbers of its own sequences. A burst's span
 * starts and ends a refractory time around its spikes, so quiet time needs no look at them. The
 * recording stops where the burst after the last would start. */
static spk_status add_all(spk_context *context, culture *c)
{
    spk_random gaps = spk_random_start(c->options->seed, SPK_RANDOM_CULTURE_GAP, 0);
    int64_t span = c->burst_ticks + 2 * ((int64_t)REFRACTORY + 1);
    double next = c->mean_gap * spk_random_unit(&gaps);
    int64_t quiet_from = 0;
    spk_status status = SPK_OK;
    for (uint64_t number = 0; status == SPK_OK; number++) {
        spk_random tonic = spk_random_start(c->options->seed, SPK_RANDOM_CULTURE_TONIC, number);
        int64_t start = c->n_bursts > 0 ? (int64_t)next : c->stop;
        status = add_tonic(context, c, &tonic, quiet_from, start, false);
        c->stop = start;
        if (status != SPK_OK || number == c->n_bursts)
            break;
        quiet_from = start + span;
        status = add_burst(context, c, number, start, quiet_from, &tonic);
        next += c->smallest_gap + (c->mean_gap - c->smallest_gap) * spk_random_exponential(&gaps);
        spk_progress(context, "simulating bursts", number + 1, c->n_bursts);
    }
    return status;
}

spk_status spk_simulate_culture(spk_context *context, const spk_culture_options *given,
                                spk_recording **recording, spk_truth **truth)
{
    *recording = NULL;
    if (truth != NULL)
        *truth = NULL;
    spk_culture_options own;
    const spk_culture_options *options = &own;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &own, spk_culture_options);
    if (status != SPK_OK)
        return status;
    culture c = {.options = options};
    status = check_options(context, options);
    if (status == SPK_OK)
        status = allocate(context, &c);
    if (status != SPK_OK)
        goto done;
    draw_weights(&c);
    draw_order(&c);
    status = plan_bursts(context, &c);
    if (status == SPK_OK)
        status = plan_duration(context, &c);
    if (status == SPK_OK)
        status = add_all(context, &c);
    if (status == SPK_OK)
        status = spk_event_buffer_take(context, &c.events, options->n_units, NULL, RATE, c.stop,
                                       recording);
    if (status == SPK_OK && truth != NULL) {
        *truth = c.truth;
        c.truth = NULL;
    }
done:
    release(&c);
    return status;
}
