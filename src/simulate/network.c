/*
 * A network of independent units with planted chains. Each unit is a Poisson process with a dead
 * time (refractory); rates are log-normal over the units and may wax and wane together. Chains are
 * planted on top: the starts of one chain keep clear of each other, so that its occurrences never
 * overlap and its count is at least what was planted.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "simulate/simulate.h"

static const spk_rate RATE = {100000, 1}; /* ticks of 10 us */

SPK_OPTIONS_INIT(spk_network_options, .seed = 1, .duration = {6, 1}, .n_units = 64,
                 .mean_rate_hz = 10, .refractory = {1, -3}, .modulation_hz = 0.2, .n_chains = 2,
                 .chain_size = 5, .delay = {5, -3}, .jitter = {1, -3}, .chain_rate_hz = 2,
                 .strength = 0.9);

/* The options in ticks, and what belongs to the run. */
typedef struct network {
    const spk_network_options *options;
    int64_t stop;
    int64_t refractory;
    int64_t delay;
    int64_t jitter;
    int64_t chain_dead; /* from a chain's start to the earliest next one */
    spk_truth *truth;
    spk_event_buffer events;
    spk_planted_times planted; /* events of chains, which come first in `events` */
} network;

/* ---- options --------------------------------------------------------------------------------- */

static spk_status check_chains(spk_context *context, network *net)
{
    const spk_network_options *o = net->options;
    if (o->n_chains == 0)
        return SPK_OK;
    if (o->chain_size < 2 || o->chain_size > o->n_units)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the chain size is %u; it must be from 2 to the number of units, %u",
                        o->chain_size, o->n_units);
    uint64_t delay = spk_duration_ticks(o->delay, RATE);
    uint64_t jitter = spk_duration_ticks(o->jitter, RATE);
    if (delay < 1 || delay > RATE.numerator || jitter >= delay)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the delay must be from 10us to 1s and longer than the jitter (delay %llu, "
                        "jitter %llu ticks of 10 us)",
                        (unsigned long long)delay, (unsigned long long)jitter);
    net->delay = (int64_t)delay;
    net->jitter = (int64_t)jitter;
    net->chain_dead = (int64_t)(o->chain_size - 1) * (int64_t)(delay + jitter) + 1;
    double limit = (double)RATE.numerator / (double)net->chain_dead;
    if (o->chain_rate_hz > 0.9 * limit)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the chain rate is %g Hz; chains of this size and delay fit at most %g Hz "
                        "without overlap: lower the rate, size or delay",
                        o->chain_rate_hz, 0.9 * limit);
    return SPK_OK;
}

static spk_status check_options(spk_context *context, network *net)
{
    const spk_network_options *o = net->options;
    spk_status status = spk_check_duration(context, o->duration, RATE, &net->stop);
    const struct {
        const char *name;
        double value, minimum, maximum;
    } numbers[] = {
        {"the number of units", o->n_units, 1, SPK_MAX_UNITS},
        {"the mean rate in Hz", o->mean_rate_hz, 0, 1000},
        {"the rate spread", o->rate_spread, 0, 5},
        {"the modulation depth", o->modulation, 0, 1},
        {"the modulation in Hz", o->modulation_hz, 0, 1000},
        {"the number of chains", o->n_chains, 0, 100000},
        {"the chain rate in Hz", o->chain_rate_hz, 0.000001, 1000},
        {"the strength", o->strength, 0, 1},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0] && status == SPK_OK; k++)
        status = spk_check_number(context, numbers[k].name, numbers[k].value, numbers[k].minimum,
                                  numbers[k].maximum);
    if (status != SPK_OK)
        return status;
    uint64_t refractory = spk_duration_ticks(o->refractory, RATE);
    double busy = (double)refractory * o->mean_rate_hz / (double)RATE.numerator;
    if (refractory > RATE.numerator || busy > 0.5)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a refractory time of %llu ticks of 10 us leaves no room for %g Hz; lower "
                        "one of them",
                        (unsigned long long)refractory, o->mean_rate_hz);
    net->refractory = (int64_t)refractory;
    return check_chains(context, net);
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Members: consecutive units of one random order, so that chains share units only when there are
 * more members than units. */
static spk_status choose_members(spk_context *context, network *net)
{
    const spk_network_options *o = net->options;
    uint32_t *order = NULL;
    spk_status status = spk_alloc(context, &order, o->n_units, "a random order");
    if (status != SPK_OK)
        return status;
    spk_random random = spk_random_start(o->seed, SPK_RANDOM_NETWORK_UNITS, 0);
    spk_random_order(&random, o->n_units, order);
    for (uint32_t k = 0; k < o->n_chains && o->n_units > 0; k++) {
        spk_planted *chain = &net->truth->chain[k];
        chain->jitter_ticks = net->jitter;
        for (uint32_t p = 0; p < o->chain_size; p++) {
            chain->unit[p] = order[((uint64_t)k * o->chain_size + p) % o->n_units];
            chain->delay_ticks[p] = net->delay;
        }
    }
    free(order);
    return SPK_OK;
}

/* One start: members follow until one fails. Incomplete ones are events, but not planted. */
static spk_status plant_one(spk_context *context, network *net, spk_planted *chain,
                            spk_random *random, int64_t start, int64_t *time)
{
    spk_status status = spk_event_buffer_add(context, &net->events, start, chain->unit[0]);
    uint64_t choices = 2 * (uint64_t)net->jitter + 1;
    time[0] = start;
    for (uint32_t p = 1; p < chain->size && status == SPK_OK; p++) {
        if (!spk_random_chance(random, net->options->strength))
            return SPK_OK;
        int64_t jitter = (int64_t)spk_random_below(random, choices) - net->jitter;
        time[p] = time[p - 1] + net->delay + jitter;
        assert(time[p] > time[p - 1]);
        if (time[p] >= net->stop)
            return SPK_OK;
        status = spk_event_buffer_add(context, &net->events, time[p], chain->unit[p]);
    }
    return status == SPK_OK ? spk_planted_add(context, chain, time) : status;
}

static spk_status plant_chain(spk_context *context, network *net, uint32_t k, int64_t *time)
{
    spk_random random = spk_random_start(net->options->seed, SPK_RANDOM_NETWORK_CHAIN, k);
    double mean_gap =
        (double)RATE.numerator / net->options->chain_rate_hz - (double)net->chain_dead;
    double t = mean_gap * spk_random_exponential(&random);
    spk_status status = SPK_OK;
    while (t < (double)net->stop && status == SPK_OK) {
        status = plant_one(context, net, &net->truth->chain[k], &random, (int64_t)t, time);
        t += (double)net->chain_dead + mean_gap * spk_random_exponential(&random);
    }
    return status;
}

static spk_status plant_chains(spk_context *context, network *net)
{
    const spk_network_options *o = net->options;
    int64_t *time = NULL;
    spk_status status = spk_alloc(context, &time, o->chain_size, "a chain");
    if (status == SPK_OK && o->n_chains > 0)
        status = choose_members(context, net);
    for (uint32_t k = 0; k < o->n_chains && status == SPK_OK; k++) {
        status = plant_chain(context, net, k, time);
        spk_progress(context, "planting chains", k + 1, o->n_chains);
    }
    if (status == SPK_OK)
        status = spk_planted_times_take(context, &net->events, o->n_units, &net->planted);
    free(time);
    return status;
}

/* ---- background ------------------------------------------------------------------------------ */

/* Rate of the exponential gaps, per tick, for which dead time and modulation leave the unit's rate.
 */
static double gap_rate(const network *net, uint32_t unit)
{
    const spk_network_options *o = net->options;
    spk_random random = spk_random_start(o->seed, SPK_RANDOM_NETWORK_RATE, unit);
    double sigma = o->rate_spread;
    double factor = spk_portable_exp(sigma * spk_random_normal(&random) - sigma * sigma / 2);
    double rate = o->mean_rate_hz * factor / (double)RATE.numerator;
    double busy = rate * (double)net->refractory;
    return busy < 0.5 ? rate / (1 - busy) : 2 * rate;
}

/* Candidates at the highest rate, thinned (Lewis & Shedler 1979) to the modulated one. */
static spk_status simulate_unit(spk_context *context, network *net, uint32_t unit)
{
    const spk_network_options *o = net->options;
    spk_random random = spk_random_start(o->seed, SPK_RANDOM_NETWORK_SPIKES, unit);
    double peak = gap_rate(net, unit) * (1 + o->modulation);
    double turns_per_tick = o->modulation_hz / (double)RATE.numerator;
    uint64_t next = net->planted.first[unit];
    spk_status status = SPK_OK;
    for (double t = 0; peak > 0 && status == SPK_OK;) {
        t += spk_random_exponential(&random) / peak;
        if (!(t < (double)net->stop))
            break;
        double level = 1 + o->modulation * spk_portable_sin_turns(t * turns_per_tick);
        if (!spk_random_chance(&random, level / (1 + o->modulation)) ||
            !spk_planted_times_clear(&net->planted, unit, &next, (int64_t)t, net->refractory))
            continue;
        status = spk_event_buffer_add(context, &net->events, (int64_t)t, unit);
        t = floor(t) + (double)net->refractory + 1;
    }
    return status;
}

/* With a spread, single units can be far above the mean: the sum of what was drawn, not its mean.
 */
static double expected_events(const network *net)
{
    const spk_network_options *o = net->options;
    double seconds = (double)net->stop / (double)RATE.numerator;
    double per_tick = 0;
    for (uint32_t u = 0; u < o->n_units; u++)
        per_tick += gap_rate(net, u);
    return per_tick * (double)net->stop +
           seconds * o->chain_rate_hz * (double)o->n_chains * (double)o->chain_size;
}

static spk_status create_truth(spk_context *context, network *net)
{
    uint32_t n_chains = net->options->n_chains;
    uint32_t *size = NULL;
    spk_status status = spk_alloc(context, &size, n_chains, "the truth");
    for (uint32_t k = 0; k < n_chains && status == SPK_OK; k++)
        size[k] = net->options->chain_size;
    if (status == SPK_OK)
        status = spk_truth_create(context, n_chains, size, &net->truth);
    free(size);
    return status;
}

spk_status spk_simulate_network(spk_context *context, const spk_network_options *given,
                                spk_recording **recording, spk_truth **truth)
{
    *recording = NULL;
    if (truth != NULL)
        *truth = NULL;
    spk_network_options own;
    const spk_network_options *options = &own;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &own, spk_network_options);
    if (status != SPK_OK)
        return status;
    enum { BYTES_PER_EVENT = 48 }; /* while sorting: columns, pairs and the sort's own copy */
    network net = {.options = options};
    status = check_options(context, &net);
    if (status == SPK_OK)
        status =
            spk_event_buffer_reserve(context, &net.events, expected_events(&net), BYTES_PER_EVENT);
    if (status == SPK_OK)
        status = create_truth(context, &net);
    if (status == SPK_OK)
        status = plant_chains(context, &net);
    for (uint32_t u = 0; u < options->n_units && status == SPK_OK; u++) {
        status = simulate_unit(context, &net, u);
        spk_progress(context, "simulating units", u + 1, options->n_units);
    }
    if (status == SPK_OK)
        status = spk_event_buffer_take(context, &net.events, options->n_units, NULL, RATE, net.stop,
                                       recording);
    if (status == SPK_OK && truth != NULL) {
        *truth = net.truth;
        net.truth = NULL;
    }
    spk_truth_free(net.truth);
    spk_event_buffer_free(&net.events);
    spk_planted_times_free(&net.planted);
    return status;
}
