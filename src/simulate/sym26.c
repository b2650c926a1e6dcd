/*
 * Sym26: the 26-neuron data of Cao, Patnaik et al., section 7.1, after the model of Patnaik, Sastry
 * & Unnikrishnan, "Inferring neuronal network connectivity from spike data: a temporal data mining
 * approach", Scientific Programming 16 (2008): each neuron is an inhomogeneous Poisson process, a
 * basal rate plus what recent spikes of its predecessor in a chain add.
 *
 * Here every spike of a chain member, whatever caused it, makes the next member fire with
 * probability `strength` after a delay uniform over the ticks of (5 ms, 10 ms]. So the expected
 * rate of the p-th member is basal * (1 + s + ... + s^p), and with the default strength of 0.72 the
 * chains A..D and H..O bring the 31200 basal spikes of 60 s to 50000, the published number.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "simulate/simulate.h"

enum { NEURONS = 26, CHAINS = 2, LONGEST = 8, DELAY_LOW = 500, DELAY_HIGH = 1000 };

static const spk_rate RATE = {100000, 1}; /* ticks of 10 us */
static const uint32_t CHAIN_FIRST[CHAINS] = {0, 7};
static const uint32_t CHAIN_SIZE[CHAINS] = {4, LONGEST};
static_assert(7 + LONGEST <= NEURONS, "the second chain ends among the neurons");

/* The spikes of one chain member; `cause` is the spike of the member before, NO_CAUSE if basal. */
typedef struct member {
    uint64_t n;
    int64_t *time;
    uint64_t *cause;
    uint64_t capacity;
} member;

static const uint64_t NO_CAUSE = UINT64_MAX;

SPK_OPTIONS_INIT(spk_sym26_options, .seed = 1, .duration = {6, 1}, .rate_hz = 20, .strength = 0.72);

static spk_status member_add(spk_context *context, member *m, int64_t time, uint64_t cause)
{
    spk_status status = spk_grow_columns(context, &m->capacity, m->n + 1, "chain spikes",
                                         SPK_COLUMN(&m->time, 1), SPK_COLUMN(&m->cause, 1));
    if (status != SPK_OK)
        return status;
    m->time[m->n] = time;
    m->cause[m->n++] = cause;
    return (m->n & 0xffff) == 0 ? spk_check_cancel(context) : SPK_OK;
}

/* Basal spikes: exponential gaps, from time 0. */
static spk_status add_basal(spk_context *context, const spk_sym26_options *options, uint32_t neuron,
                            int64_t stop, member *m)
{
    spk_random random = spk_random_start(options->seed, SPK_RANDOM_SYM26_BASAL, neuron);
    double mean_gap = (double)RATE.numerator / options->rate_hz;
    spk_status status = SPK_OK;
    for (double t = 0; status == SPK_OK;) {
        t += mean_gap * spk_random_exponential(&random);
        if (!(t < (double)stop))
            break;
        status = member_add(context, m, (int64_t)t, NO_CAUSE);
    }
    return status;
}

/* What the spikes of the predecessor cause. */
static spk_status add_caused(spk_context *context, const spk_sym26_options *options,
                             uint32_t neuron, int64_t stop, const member *before, member *m)
{
    spk_random random = spk_random_start(options->seed, SPK_RANDOM_SYM26_CHAIN, neuron);
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < before->n && status == SPK_OK; i++) {
        uint64_t extra = spk_random_below(&random, DELAY_HIGH - DELAY_LOW);
        int64_t time = before->time[i] + DELAY_LOW + 1 + (int64_t)extra;
        if (spk_random_chance(&random, options->strength) && time < stop)
            status = member_add(context, m, time, i);
    }
    return status;
}

static spk_status store_member(spk_context *context, const member *m, uint32_t neuron,
                               spk_event_buffer *buffer)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < m->n && status == SPK_OK; i++)
        status = spk_event_buffer_add(context, buffer, m->time[i], neuron);
    return status;
}

/* Every spike of the last member whose causes lead back to the first one ends an occurrence. */
static spk_status trace_back(spk_context *context, const member *members, spk_planted *chain)
{
    int64_t time[LONGEST];
    assert(chain->size <= LONGEST);
    spk_status status = SPK_OK;
    uint32_t last = chain->size - 1;
    for (uint64_t i = 0; i < members[last].n && status == SPK_OK; i++) {
        uint64_t at = i;
        uint32_t p = last;
        time[p] = members[p].time[at];
        while (p > 0 && members[p].cause[at] != NO_CAUSE) {
            at = members[p].cause[at];
            p--;
            time[p] = members[p].time[at];
        }
        if (p == 0)
            status = spk_planted_add(context, chain, time);
    }
    return status;
}

static spk_status simulate_chain(spk_context *context, const spk_sym26_options *options,
                                 uint32_t first, int64_t stop, spk_event_buffer *buffer,
                                 spk_planted *chain)
{
    member members[LONGEST] = {{0}};
    spk_status status = SPK_OK;
    for (uint32_t p = 0; p < chain->size && status == SPK_OK; p++) {
        chain->unit[p] = first + p;
        if (p > 0)
            chain->delay_ticks[p - 1] = (DELAY_LOW + DELAY_HIGH) / 2;
        status = add_basal(context, options, first + p, stop, &members[p]);
        if (status == SPK_OK && p > 0)
            status = add_caused(context, options, first + p, stop, &members[p - 1], &members[p]);
        if (status == SPK_OK)
            status = store_member(context, &members[p], first + p, buffer);
    }
    chain->jitter_ticks = (DELAY_HIGH - DELAY_LOW) / 2;
    if (status == SPK_OK)
        status = trace_back(context, members, chain);
    for (uint32_t p = 0; p < LONGEST; p++) {
        free(members[p].time);
        free(members[p].cause);
    }
    return status;
}

static bool in_chain(uint32_t neuron)
{
    for (uint32_t k = 0; k < CHAINS; k++)
        if (neuron >= CHAIN_FIRST[k] && neuron < CHAIN_FIRST[k] + CHAIN_SIZE[k])
            return true;
    return false;
}

static spk_status simulate_others(spk_context *context, const spk_sym26_options *options,
                                  int64_t stop, spk_event_buffer *buffer)
{
    spk_status status = SPK_OK;
    for (uint32_t neuron = 0; neuron < NEURONS && status == SPK_OK; neuron++) {
        member spikes = {0};
        if (in_chain(neuron))
            continue;
        status = add_basal(context, options, neuron, stop, &spikes);
        if (status == SPK_OK)
            status = store_member(context, &spikes, neuron, buffer);
        free(spikes.time);
        free(spikes.cause);
        spk_progress(context, "simulating neurons", neuron + 1, NEURONS);
    }
    return status;
}

static double expected_events(const spk_sym26_options *options, int64_t stop)
{
    double rates = NEURONS;
    for (uint32_t k = 0; k < CHAINS; k++) {
        double rate = 1;
        for (uint32_t p = 1; p < CHAIN_SIZE[k]; p++) {
            rate = 1 + options->strength * rate;
            rates += rate - 1;
        }
    }
    return rates * options->rate_hz * (double)stop / (double)RATE.numerator;
}

spk_status spk_simulate_sym26(spk_context *context, const spk_sym26_options *given,
                              spk_recording **recording, spk_truth **truth)
{
    *recording = NULL;
    if (truth != NULL)
        *truth = NULL;
    spk_sym26_options own;
    const spk_sym26_options *options = &own;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &own, spk_sym26_options);
    if (status != SPK_OK)
        return status;
    static const char *const labels[NEURONS] = {"A", "B", "C", "D", "E", "F", "G", "H", "I",
                                                "J", "K", "L", "M", "N", "O", "P", "Q", "R",
                                                "S", "T", "U", "V", "W", "X", "Y", "Z"};
    enum { BYTES_PER_EVENT = 48 }; /* while sorting: columns, pairs and the sort's own copy */
    spk_event_buffer buffer = {0};
    spk_truth *planted = NULL;
    int64_t stop = 0;
    status = spk_check_duration(context, options->duration, RATE, &stop);
    if (status == SPK_OK)
        status = spk_check_number(context, "the rate in Hz", options->rate_hz, 0.001, 1000);
    if (status == SPK_OK)
        status = spk_check_number(context, "the strength", options->strength, 0, 1);
    if (status == SPK_OK)
        status = spk_event_buffer_reserve(context, &buffer, expected_events(options, stop),
                                          BYTES_PER_EVENT);
    if (status == SPK_OK)
        status = spk_truth_create(context, CHAINS, CHAIN_SIZE, &planted);
    for (uint32_t k = 0; k < CHAINS && status == SPK_OK; k++)
        status =
            simulate_chain(context, options, CHAIN_FIRST[k], stop, &buffer, &planted->chain[k]);
    if (status == SPK_OK)
        status = simulate_others(context, options, stop, &buffer);
    if (status == SPK_OK)
        status = spk_event_buffer_take(context, &buffer, NEURONS, labels, RATE, stop, recording);
    if (status == SPK_OK && truth != NULL) {
        *truth = planted;
        planted = NULL;
    }
    spk_truth_free(planted);
    spk_event_buffer_free(&buffer);
    return status;
}
