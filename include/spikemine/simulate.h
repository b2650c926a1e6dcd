/*
 * Generators of recordings with known ground truth. The same seed gives the same recording on every
 * machine and for any number of threads (counter-based random numbers, Philox 4x32-10).
 */
#ifndef SPIKEMINE_SIMULATE_H
#define SPIKEMINE_SIMULATE_H

#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The planted chains: their units, their delays, and the times of every occurrence. A truth never
 * changes. Threads: any number may use one at the same time; free it when none does. */
typedef struct spk_truth spk_truth;

/* One chain; the pointers are into the truth. */
typedef struct spk_truth_chain {
    uint32_t size;
    const uint32_t *unit;       /* size entries: unit numbers of the recording */
    const int64_t *delay_ticks; /* size - 1 entries: nominal delays */
    int64_t jitter_ticks;       /* each delay was drawn from nominal +- jitter */
    uint64_t planted;           /* complete occurrences put into the recording */
    uint64_t kept;              /* of these, the first ones whose times are kept: all, unless */
                                /* planted * size is over SPK_TRUTH_MAX_TIMES */
    const int64_t *time;        /* kept * size times in ticks, one occurrence a row */
} spk_truth_chain;

/* Most times that are kept of one chain. */
#define SPK_TRUTH_MAX_TIMES 1048576u

/* Frees it; NULL is accepted. */
SPK_API void spk_truth_free(spk_truth *truth);

/* Number of chains, and chain k < n; of a larger k all is 0. */
SPK_API uint32_t spk_truth_n_chains(const spk_truth *truth);
SPK_API spk_truth_chain spk_truth_get_chain(const spk_truth *truth, uint32_t k);

/* Sym26 as in Cao et al. section 7.1 and Patnaik et al. 2008: 26 neurons (A..Z), inhomogeneous
 * Poisson, 20 Hz basal rate, one short and one long causal chain. */
typedef struct spk_sym26_options {
    size_t struct_size; /* set by spk_sym26_options_init */
    uint64_t seed;
    spk_duration duration; /* 60 s */
    double rate_hz;        /* 20: basal rate per neuron */
    double strength;       /* probability that a chain member makes the next one fire */
} spk_sym26_options;
SPK_API void spk_sym26_options_init(spk_sym26_options *options, size_t struct_size);
SPK_API SPK_MUST_CHECK spk_status spk_simulate_sym26(spk_context *context,
                                                     const spk_sym26_options *options,
                                                     spk_recording **recording, spk_truth **truth);

/* A network of independent units (Poisson with refractory time; rates log-normal about mean_rate_hz
 * when rate_spread > 0; slow common modulation) with planted chains of given delays. */
typedef struct spk_network_options {
    size_t struct_size; /* set by spk_network_options_init */
    uint64_t seed;
    spk_duration duration;   /* 60 s */
    uint32_t n_units;        /* 64 */
    double mean_rate_hz;     /* 10 */
    double rate_spread;      /* 0: sigma of the log of the rates */
    spk_duration refractory; /* 1 ms: no other spike of the unit so close; planted ones excepted */
    double modulation;       /* 0: depth 0..1 of a slow common modulation of all rates */
    double modulation_hz;    /* 0.2 */
    uint32_t n_chains;       /* 2 */
    uint32_t chain_size;     /* 5 */
    spk_duration delay;      /* 5 ms: nominal delay between members */
    spk_duration jitter;     /* 1 ms: uniform in +- jitter */
    double chain_rate_hz;    /* 2: starts of each chain per second */
    double strength;         /* 0.9: probability of every further member to follow */
} spk_network_options;
SPK_API void spk_network_options_init(spk_network_options *options, size_t struct_size);
SPK_API SPK_MUST_CHECK spk_status spk_simulate_network(spk_context *context,
                                                       const spk_network_options *options,
                                                       spk_recording **recording,
                                                       spk_truth **truth);

/* A dissociated culture on a 59-electrode array: low tonic firing, population bursts that sweep
 * over all channels in a recurring order, 40 us grid. The rates of the channels are log-normal
 * (sigma 1). The number of bursts, at least one, gives n_events on average. Bursts vary in size, so
 * the number of events varies: by about 1 % for a million, 10 % for ten thousand. The duration
 * follows from the rates. The truth is one chain over all channels, planted once in each burst. Its
 * delays lie in (1ms, 2ms]. No channel fires twice within 1 ms. Memory: at most 24 bytes for each
 * event.
 * Errors: SPK_ERR_ARGUMENT (a number out of its range, bursts that would overlap), SPK_ERR_RANGE
 * (too many events), SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
typedef struct spk_culture_options {
    size_t struct_size; /* set by spk_culture_options_init */
    uint64_t seed;
    uint64_t n_events;     /* 1000000: about this many */
    uint32_t n_units;      /* 59 */
    double tonic_hz;       /* 0.5: mean over the channels */
    double bursts_per_min; /* 12 */
    double burst_spikes;   /* 12: mean spikes per channel and burst, at least 1 */
} spk_culture_options;
SPK_API void spk_culture_options_init(spk_culture_options *options, size_t struct_size);
SPK_API SPK_MUST_CHECK spk_status spk_simulate_culture(spk_context *context,
                                                       const spk_culture_options *options,
                                                       spk_recording **recording,
                                                       spk_truth **truth);

/* Writes the chains as JSON: units, delays, jitter, number and times of what was planted, times as
 * exact decimal seconds. `recording` is the one that the truth came with; "-" is standard output.
 * The file appears under its name only when complete. Errors: SPK_ERR_IO, SPK_ERR_ARGUMENT (the
 * truth of another recording), SPK_ERR_FORMAT (a label that is not UTF-8), SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_truth_write(spk_context *context,
                                                  const spk_recording *recording,
                                                  const spk_truth *truth, const char *path);

/* Makes a copy of a recording in which chance alone places the spikes. Every unit keeps its number
 * of spikes in every segment. Their times are distinct ticks of the segment (stop outside), and all
 * sets of that number of ticks are equally likely; where segments overlap, spikes move between
 * neighbouring borders. Memory: 24 bytes for each event, and at most 40 bytes for each spike
 * of the busiest unit. Errors: SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_shuffle(spk_context *context,
                                                        const spk_recording *recording,
                                                        uint64_t seed, spk_recording **out);

#ifdef __cplusplus
}
#endif

#endif
