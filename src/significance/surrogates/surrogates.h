/*
 * Surrogates from inside: what methods share, and the table of them.
 *
 * A run is the spikes of one unit in one stretch (recording/segments.h). A method makes a run at a
 * time, from the run's own sequence of random numbers.
 */
#pragma once

#include "base/random.h"
#include "base/stage.h"
#include "recording/bin_grid.h"
#include "recording/segments.h"
#include "spikemine/surrogate.h"

/* As in base/random.c: the same bits on machines with and without fused multiply-add. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

typedef struct surrogate_run {
    uint32_t unit;
    uint32_t stretch;
    uint64_t first; /* its spikes are time[first] .. time[first + n - 1], ascending */
    uint64_t n;     /* at least 1 */
} surrogate_run;

/* The events of one unit in one window, and the places that they may take. */
typedef struct surrogate_group {
    uint64_t first;   /* place: a tick as distance from the stretch's start, or a bin */
    uint64_t n;       /* places */
    uint64_t n_taken; /* of them, in the recording */
    bool mixed;       /* bins that hold different numbers of spikes */
} surrogate_group;

/* Windows of the runs (windows.c). */
typedef struct surrogate_windows {
    uint64_t *first_group; /* by run, n_runs + 1 */
    surrogate_group *group;
    uint64_t n_groups, capacity;
    spk_bin_grid *grid;  /* by stretch: of bins; NULL where places are ticks */
    uint32_t *in_bin;    /* spikes in each taken bin, group by group */
    uint64_t *first_bin; /* by group: its first entry of in_bin */
    uint64_t length;     /* in bins: of a whole window; 0 where places are ticks */
    uint64_t offset;     /* bins, or ticks, of the first window before its segment */
} surrogate_windows;

/* Events of a run that follow each other within the history; they move together (pieces.c). */
typedef struct surrogate_piece {
    uint64_t n_events; /* places, taken */
    int64_t lowest;  /* how far it moves in position 0, in places; in position x by x steps more */
    uint64_t n;      /* positions */
    int64_t behind;  /* with this piece in position x the next one is in x + behind or higher */
    uint64_t n_flat; /* its first positions leave the next piece all of its own */
    double beyond;   /* arrangements with a higher position, for one with a lower */
    uint64_t ratio;  /* where its ratios begin */
} surrogate_piece;

/* Pieces of the runs (pieces.c). */
typedef struct surrogate_pieces {
    uint64_t *place;       /* of all runs: taken ticks from the stretch's start, or taken bins */
    uint64_t *first_place; /* by run, n_runs + 1 */
    uint64_t *first_piece; /* by run, n_runs + 1 */
    surrogate_piece *piece;
    uint64_t n_pieces, capacity;
    double *ratio; /* of the arrangements with at least that position: those with a higher one */
    uint64_t n_ratios, ratio_capacity;
    uint64_t step; /* places from position to position */
} surrogate_pieces;

/* Distributions of intervals (joint_isi.c); lengths in ticks. */
typedef struct surrogate_intervals {
    uint32_t n_bins;
    uint64_t truncation; /* bin = floor(interval * factor / divisor) below it */
    uint64_t factor;
    uint64_t divisor;
    uint32_t reach; /* bins that a spike may move by */
    bool fast;      /* it may move further */
    bool alternate; /* every other spike first */
    bool keeps_refractory;
    uint64_t *step;     /* ticks of j bins, n_bins + 1 */
    uint64_t *table_of; /* by unit */
    double *weight;     /* table by table, see diagonal of joint_isi.c */
} surrogate_intervals;

struct surrogate_method;

struct spk_surrogates {
    const spk_recording *recording; /* borrowed */
    const struct surrogate_method *method;
    uint64_t seed;
    const char **label; /* of the recording */
    int64_t *time;      /* unit by unit */
    spk_stretches where;
    surrogate_run *run;
    uint64_t n_runs;
    uint64_t most;   /* spikes of a run */
    uint64_t dither; /* ticks, at most INT64_MAX */
    bool edges;
    uint64_t *refractory; /* by unit: no shorter interval is made */
    surrogate_windows windows;
    surrogate_pieces pieces;
    surrogate_intervals intervals;
    spk_holding holding;
};

/* Memory for one run at a time, for the most spikes of a run each, or for all stretches. */
typedef struct surrogate_space {
    uint64_t *words; /* for a set of numbers (base/subset.h) */
    uint64_t *number;
    uint64_t *other;
} surrogate_space;

typedef struct surrogate_method {
    spk_surrogate_method facts;
    uint32_t number; /* of its random numbers: never changes */
    spk_status (*prepare)(spk_context *context, const spk_surrogate_options *options,
                          spk_surrogates *surrogates);
    /* Puts the ticks of the run's spikes into `out`, in any order, no two the same, and returns how
     * many they are: at most run->n. */
    uint64_t (*make)(const spk_surrogates *surrogates, const surrogate_run *run, spk_random *random,
                     const surrogate_space *space, int64_t *out);
    /* Instead of `make`: the same for the n runs of a unit together, from the unit's own sequence;
     * all of their spikes stay. */
    void (*make_unit)(const spk_surrogates *surrogates, const surrogate_run *run, uint64_t n,
                      spk_random *random, const surrogate_space *space, int64_t *out);
} surrogate_method;

extern const surrogate_method spk_surrogate_bin_shuffling;
extern const surrogate_method spk_surrogate_deal_trials;
extern const surrogate_method spk_surrogate_dither_spike_train;
extern const surrogate_method spk_surrogate_dither_spikes;
extern const surrogate_method spk_surrogate_dither_spikes_refractory;
extern const surrogate_method spk_surrogate_interval_jitter;
extern const surrogate_method spk_surrogate_isi_dithering;
extern const surrogate_method spk_surrogate_jitter_spikes;
extern const surrogate_method spk_surrogate_joint_isi_dithering;
extern const surrogate_method spk_surrogate_pattern_jitter;
extern const surrogate_method spk_surrogate_randomise_spikes;
extern const surrogate_method spk_surrogate_shift_apart;
extern const surrogate_method spk_surrogate_shift_pieces;
extern const surrogate_method spk_surrogate_shuffle_isis;
extern const surrogate_method spk_surrogate_trial_shifting;

/* Warnings that several methods share. */
#define SURROGATE_LOSES_BINS                                                                       \
    "moved spikes of a unit fall into one bin more often than its own do, and count once there: "  \
    "surrogates have fewer occupied bins than the recording, which makes false positives (Stella " \
    "et al. 2022)"
#define SURROGATE_SPARSE_INTERVALS                                                                 \
    "spikes whose two intervals together pass the truncation move uniformly, so that units that "  \
    "fire slowly lose occupied bins as with dither-spikes"

/* The method of this name; SPK_ERR_ARGUMENT where there is none. */
spk_status spk_surrogate_method_find(spk_context *context, const char *name,
                                     const surrogate_method **out);

/* The history of a shift that names none, in windows of so many ticks: 4, or up to 32 where more
 * than half of the units keep time beyond (pieces.c). */
uint64_t spk_shift_windows(const spk_recording *recording, uint64_t window);

/* A prepare function: the dither in ticks, at least 1. */
spk_status spk_surrogate_prepare_dither(spk_context *context, const spk_surrogate_options *options,
                                        spk_surrogates *surrogates);

/* A prepare function of methods that need nothing. */
spk_status spk_surrogate_prepare_nothing(spk_context *context, const spk_surrogate_options *options,
                                         spk_surrogates *surrogates);

/* ---- inline ---------------------------------------------------------------------------------- */

/* The run's stretch. */
static inline spk_segment surrogate_stretch(const spk_surrogates *surrogates,
                                            const surrogate_run *run)
{
    return surrogates->where.stretch[run->stretch];
}

static inline uint64_t surrogate_length(spk_segment stretch)
{
    return (uint64_t)stretch.stop - (uint64_t)stretch.start;
}

/* A tick as distance from the start of the stretch, and back. */
static inline uint64_t surrogate_distance(spk_segment stretch, int64_t tick)
{
    return (uint64_t)tick - (uint64_t)stretch.start;
}

static inline int64_t surrogate_tick(spk_segment stretch, uint64_t distance)
{
    return (int64_t)((uint64_t)stretch.start + distance);
}

/* A prepare function: fills surrogates->refractory with the one given, or the shortest interval of
 * the unit where that is shorter; in ticks, at least 1. */
spk_status spk_surrogate_prepare_refractory(spk_context *context,
                                            const spk_surrogate_options *options,
                                            spk_surrogates *surrogates);
