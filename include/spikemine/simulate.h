/*
 * Generators of recordings with known ground truth. The same seed gives the same recording on every
 * machine and for any number of threads (counter-based random numbers, Philox 4x32-10).
 */
#ifndef SPIKEMINE_SIMULATE_H
#define SPIKEMINE_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

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
    const int64_t *time;        /* kept * size times in ticks, one occurrence a row; */
                                /* SPK_TRUTH_MISSING: this member did not fire */
} spk_truth_chain;

/* Most times that are kept of one chain. */
#define SPK_TRUTH_MAX_TIMES 1048576u

/* In place of the time of a member that is missing in an occurrence; of spk_simulate_probe alone.
 */
#define SPK_TRUTH_MISSING INT64_MIN

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

/* A recording as of a probe with all that makes sequences hard to find: units of very different
 * rates, bursts, rates that change together, spikes that are missing, units that were sorted
 * wrongly. In place of simulated units, those of a real recording may be taken, each shifted in a
 * circle by itself, so that they keep their rhythms and lose what holds between them. Sequences are
 * planted on top. Numbers in brackets are the defaults.
 *
 * An occurrence of a sequence takes time t0 + w * lag + jitter of each member's spike, or
 * t0 + w * (span - lag) + jitter where it is reversed. Occurrences of one sequence do not overlap.
 */
typedef struct spk_probe_options {
    size_t struct_size; /* set by spk_probe_options_init */
    uint64_t seed;
    spk_duration refractory; /* 2 ms: no other spike of the unit so close; planted ones excepted. Of
                                a background, spikes so close to a planted one are left out */
    /* Simulated units and their rates; with a background these do nothing. */
    spk_duration duration; /* 90 s */
    uint32_t n_units;      /* 40 */
    double mean_rate_hz;   /* 5 */
    double rate_spread;    /* 1: sigma of the log of the rates */
    double burst_share;    /* 0: share of the units that fire in bursts of 2 and more spikes, 3 to
                              6 ms apart */
    double modulation;     /* 0: depth 0..1 of a slow rhythm of all rates */
    double modulation_hz;  /* 0.2 */
    spk_duration stimulus; /* 0: none; else mean interval of stimuli. After each one, units fire
                              more: each for 50 ms, with a latency of its own of 20 to 150 ms */
    double rhythm;    /* 0: depth 0..1 of an oscillation, to which each unit has its own phase */
    double rhythm_hz; /* 8 */
    /* Recording and sorting, of simulated and of planted spikes alike. */
    double drift;      /* 0: share of the units that fade in or out over the recording */
    double missed;     /* 0: share of all spikes that are missed */
    uint32_t n_merged; /* 0: pairs of units that are taken for one, labelled as "3+17" */
    uint32_t n_split;  /* 0: units whose spikes are dealt to two, labelled as "5" and "5b" */
    /* Sequences. */
    uint32_t n_sequences; /* 2 */
    uint32_t min_size;    /* 5: members of a sequence, from .. to */
    uint32_t max_size;    /* 7 */
    spk_duration
        min_step; /* 10 ms: lags between neighbouring members, from .. to; both 0: synchrony */
    spk_duration max_step; /* 30 ms */
    spk_duration jitter;   /* 2 ms: standard deviation of each spike (normal) */
    bool adding_jitter;    /* false; true: a member's jitter moves all later ones, too */
    double failing;        /* 0.1: share of planted spikes that are missing */
    uint32_t repeats;      /* 30: occurrences of each sequence */
    double warp;           /* 1: none; else lags are longer by a factor of 1 / warp .. warp, its
                              logarithm uniform */
    double reversed;       /* 0: share of the occurrences in reverse order */
    uint32_t n_shared;     /* 0: members of each sequence that the next one has, too */
    bool nested;           /* false; true: each second sequence is the inner half of the one before,
                              with its lags, at times of its own */
} spk_probe_options;
SPK_API void spk_probe_options_init(spk_probe_options *options, size_t struct_size);

/* `background` NULL: simulated units on a grid of 10 us; else a recording of one segment, whose
 * grid stays, and whose time begins at 0. The truth has one chain for each sequence: its units as
 * they are sorted, where a split unit stands for both; each occurrence in a row, SPK_TRUTH_MISSING
 * where a spike is missing for whatever reason. Memory: 48 bytes an event. Errors: SPK_ERR_ARGUMENT
 * (a number out of its range, occurrences that do not fit, too few units, a background of several
 * segments), SPK_ERR_RANGE (too many events), SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_simulate_probe(spk_context *context,
                                                     const spk_probe_options *options,
                                                     const spk_recording *background,
                                                     spk_recording **recording, spk_truth **truth);

/* Writes the chains as JSON: units, delays, jitter, number and times of what was planted, times as
 * exact decimal seconds, null where a spike is missing. `recording` is the one that the truth came
 * with; "-" is standard output. The file appears under its name only when complete. Errors:
 * SPK_ERR_IO, SPK_ERR_ARGUMENT (the truth of another recording), SPK_ERR_FORMAT (a label that is
 * not UTF-8), SPK_ERR_CANCELLED. */
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

SPK_END_C

#endif
