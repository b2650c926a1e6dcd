/* The parts of a simulated probe: units, planted sequences, sorting. */
#pragma once

#include "simulate/simulate.h"

/* A unit, as it was drawn. */
typedef struct probe_unit {
    double gap_rate; /* of the exponential gaps between what begins a burst, per tick */
    double phase;    /* of the oscillation, turns */
    double latency;  /* of what follows a stimulus, ticks */
    bool has_bursts;
    int8_t fade; /* 1: in, -1: out, 0: neither */
} probe_unit;

typedef struct probe {
    const spk_probe_options *options;
    const spk_recording *background; /* NULL: simulated units */
    spk_rate rate;
    double second; /* ticks */
    int64_t stop;
    int64_t refractory;
    uint32_t n_units; /* before sorting */
    probe_unit *unit;
    uint64_t n_stimuli;
    double *stimulus; /* ticks, ascending */
    spk_planted_times planted;
    spk_event_buffer events;
    spk_truth *truth;
} probe;

/* A duration in ticks. */
static inline double probe_ticks(const probe *p, spk_duration duration)
{
    return (double)spk_duration_ticks(duration, p->rate);
}

/* Draws what units are like, and the times of stimuli. */
spk_status probe_draw_units(spk_context *context, probe *p);

/* Whether a spike that was fired is in the recording: it is not missed, and its unit not faded. */
bool probe_is_recorded(const probe *p, uint32_t unit, double time, spk_random *random);

/* Adds the spikes of all units, clear of planted ones. */
spk_status probe_add_units(spk_context *context, probe *p);

/* Chooses members and lags of the sequences, and adds all occurrences: events and truth. Before
 * probe_add_units. */
spk_status probe_plant(spk_context *context, probe *p);

/* Merges and splits units; makes the recording, and gives the truth its unit numbers. */
spk_status probe_sort(spk_context *context, probe *p, spk_recording **out);
