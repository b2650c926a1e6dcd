/*
 * Units of a simulated probe. A unit's rate is a product: its own rate, which is log-normal over
 * the units, times the slow rhythm of all, times its place in the oscillation, times what a
 * stimulus does to it. Gaps are drawn at the highest rate and thinned to the present one (Lewis &
 * Shedler 1979). Where a unit has bursts, three in ten spikes begin one.
 */
#include <math.h>

#include "base/memory.h"
#include "recording/segments.h"
#include "simulate/probe.h"

static const double BURST_CHANCE = 0.3;      /* that a spike begins a burst */
static const double BURST_GOES_ON = 0.5;     /* that a spike of a burst is followed by another */
static const double STIMULATED = 5;          /* times the rate while a stimulus acts */
static const double STIMULUS_SECONDS = 0.05; /* how long it acts on a unit */
static const double LATENCY_SECONDS[] = {0.02, 0.15};
static const double BURST_SECONDS[] = {0.003, 0.006}; /* between two spikes of a burst */

/* ---- what units are like --------------------------------------------------------------------- */

static double between(spk_random *random, const double range[2])
{
    return range[0] + (range[1] - range[0]) * spk_random_unit(random);
}

/* Every unit takes the same numbers of its sequence, whatever the options. */
static probe_unit draw_unit(const probe *p, uint32_t number)
{
    const spk_probe_options *o = p->options;
    spk_random random = spk_random_start(o->seed, SPK_RANDOM_PROBE_UNIT, number);
    probe_unit u = {0};
    const double sigma = o->rate_spread;
    const double factor = spk_portable_exp(sigma * spk_random_normal(&random) - sigma * sigma / 2);
    double rate = o->mean_rate_hz * factor / p->second;
    u.has_bursts = spk_random_chance(&random, o->burst_share);
    if (u.has_bursts)
        rate /= 1 + BURST_CHANCE / (1 - BURST_GOES_ON);
    const double busy = rate * (double)p->refractory;
    u.gap_rate = busy < 0.5 ? rate / (1 - busy) : 2 * rate;
    u.phase = spk_random_unit(&random);
    u.latency = between(&random, LATENCY_SECONDS) * p->second;
    const bool is_fading_in = spk_random_chance(&random, 0.5);
    if (spk_random_chance(&random, o->drift))
        u.fade = is_fading_in ? 1 : -1;
    return u;
}

/* Intervals are half their mean and an exponential part, so that no two stimuli act at once. */
static spk_status draw_stimuli(spk_context *context, probe *p)
{
    spk_random random = spk_random_start(p->options->seed, SPK_RANDOM_PROBE_STIMULUS, 0);
    const double mean = probe_ticks(p, p->options->stimulus);
    uint64_t capacity = 0;
    spk_status status = SPK_OK;
    for (double t = 0; mean > 0 && status == SPK_OK;) {
        t += mean * (0.5 + 0.5 * spk_random_exponential(&random));
        if (!(t < (double)p->stop))
            break;
        status = spk_grow(context, &p->stimulus, &capacity, p->n_stimuli + 1, "stimuli");
        if (status == SPK_OK)
            p->stimulus[p->n_stimuli++] = t;
    }
    return status;
}

spk_status probe_draw_units(spk_context *context, probe *p)
{
    spk_status status = spk_alloc_zero(context, &p->unit, p->n_units, "units");
    for (uint32_t u = 0; u < p->n_units && status == SPK_OK; u++)
        p->unit[u] = draw_unit(p, u);
    return status == SPK_OK && p->background == NULL ? draw_stimuli(context, p) : status;
}

bool probe_is_recorded(const probe *p, uint32_t unit, double time, spk_random *random)
{
    const double past = time / (double)p->stop;
    const int8_t fade = p->unit[unit].fade;
    const double level = fade == 0 ? 1 : fade > 0 ? past : 1 - past;
    return spk_random_chance(random, level * (1 - p->options->missed));
}

/* ---- simulated spikes ------------------------------------------------------------------------ */

/* Whether a stimulus acts on the unit; *next, at first 0, walks along the stimuli. */
static bool is_stimulated(const probe *p, const probe_unit *u, double time, uint64_t *next)
{
    const double length = STIMULUS_SECONDS * p->second;
    while (*next < p->n_stimuli && p->stimulus[*next] + u->latency + length <= time)
        ++*next;
    return *next < p->n_stimuli && p->stimulus[*next] + u->latency <= time;
}

/* The unit's rate at a time, for its own rate. */
static double level_at(const probe *p, const probe_unit *u, double time, uint64_t *next)
{
    const spk_probe_options *o = p->options;
    const double seconds = time / p->second;
    const double slow = 1 + o->modulation * spk_portable_sin_turns(seconds * o->modulation_hz);
    const double fast = 1 + o->rhythm * spk_portable_sin_turns(seconds * o->rhythm_hz + u->phase);
    return slow * fast * (is_stimulated(p, u, time, next) ? STIMULATED : 1);
}

static double highest_level(const probe *p)
{
    return (1 + p->options->modulation) * (1 + p->options->rhythm) *
           (p->n_stimuli > 0 ? STIMULATED : 1);
}

/* A spike of the unit, if nothing planted is near and it is recorded. */
static spk_status add_spike(spk_context *context, probe *p, uint32_t unit, uint64_t *next_planted,
                            double time, spk_random *random)
{
    const bool is_clear =
        spk_planted_times_clear(&p->planted, unit, next_planted, (int64_t)time, p->refractory);
    if (!probe_is_recorded(p, unit, time, random) || !is_clear || !(time < (double)p->stop))
        return SPK_OK;
    return spk_event_buffer_add(context, &p->events, (int64_t)time, unit);
}

static spk_status simulate_unit(spk_context *context, probe *p, uint32_t unit)
{
    const probe_unit *u = &p->unit[unit];
    spk_random random = spk_random_start(p->options->seed, SPK_RANDOM_PROBE_SPIKES, unit);
    const double highest = highest_level(p), dead = (double)p->refractory + 1;
    uint64_t next_planted = p->planted.first[unit], next_stimulus = 0;
    spk_status status = SPK_OK;
    for (double t = 0; u->gap_rate > 0 && status == SPK_OK;) {
        t += spk_random_exponential(&random) / (u->gap_rate * highest);
        if (!(t < (double)p->stop))
            break;
        if (!spk_random_chance(&random, level_at(p, u, t, &next_stimulus) / highest))
            continue;
        status = add_spike(context, p, unit, &next_planted, t, &random);
        bool goes_on = u->has_bursts && spk_random_chance(&random, BURST_CHANCE);
        while (goes_on && status == SPK_OK) {
            t += fmax(dead, between(&random, BURST_SECONDS) * p->second);
            status = add_spike(context, p, unit, &next_planted, t, &random);
            goes_on = spk_random_chance(&random, BURST_GOES_ON);
        }
        t = floor(t) + dead;
    }
    return status;
}

/* ---- real spikes ----------------------------------------------------------------------------- */

/* The spikes of a real unit, shifted in a circle: those that come leader lead. */
static spk_status shift_unit(spk_context *context, probe *p, uint32_t unit)
{
    const spk_events events = spk_recording_events(p->background);
    const int64_t start = spk_recording_start(p->background);
    spk_random random = spk_random_start(p->options->seed, SPK_RANDOM_PROBE_SPIKES, unit);
    const int64_t shift = (int64_t)spk_random_below(&random, (uint64_t)p->stop);
    const uint64_t first = events.unit_first[unit], stop = events.unit_first[unit + 1];
    uint64_t next_planted = p->planted.first[unit];
    const uint64_t leader = spk_unit_first_from(&events, unit, start + p->stop - shift);
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < stop - first && status == SPK_OK; k++) {
        const uint64_t i = leader + k < stop ? leader + k : leader + k - (stop - first);
        const int64_t time = events.time[events.by_unit[i]] - start;
        status = add_spike(context, p, unit, &next_planted,
                           (double)(time < p->stop - shift ? time + shift : time - p->stop + shift),
                           &random);
    }
    return status;
}

spk_status probe_add_units(spk_context *context, probe *p)
{
    spk_status status = SPK_OK;
    for (uint32_t u = 0; u < p->n_units && status == SPK_OK; u++) {
        status = p->background == NULL ? simulate_unit(context, p, u) : shift_unit(context, p, u);
        spk_progress(context, "simulating units", u + 1, p->n_units);
    }
    return status;
}
