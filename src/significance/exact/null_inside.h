/* The inside of the null hypothesis. */
#pragma once

#include "base/stage.h"
#include "episode/engine/engine.h"
#include "recording/bin_grid.h"
#include "significance/exact/cuda/means.h"
#include "significance/exact/null.h"
#include "significance/surrogates/surrogates.h"

/* A trial of patterns. Its bins 0 .. n_bins - 1 lie in windows of jitter; bin b is in window
 * (b + offset) / length. */
typedef struct null_trial {
    spk_bin_grid grid;
    spk_segment ticks;
    uint64_t n_bins;
    uint64_t first; /* the place of its window 0 in the row of a unit */
    uint64_t n_windows;
} null_trial;

/* What patterns need. The row of a unit has the numbers of its occupied bins, trial by trial and
 * window by window; zeros stand between two trials and behind the last one, so that no item of a
 * pattern that starts in one trial reaches the next. */
typedef struct null_patterns {
    uint32_t window;  /* most bins of a pattern */
    uint64_t divisor; /* of items: see null_unit */
    uint64_t length;  /* bins of a whole window of jitter */
    uint64_t offset;  /* bins of the first window before its trial, below length */
    size_t n_trials;
    null_trial *trial;
    uint64_t most_shift; /* windows between the items of a pattern */
    uint64_t n_row;      /* windows, and zeros between trials */
    uint64_t stride;     /* from row to row */
    float *row;          /* unit by unit */
    null_lag *lag;       /* by lag */
    double *starts;      /* by window: 0 in the first one of a trial and outside, else 1 */
    double *ends;        /* by window: 0 in the last one of a trial, else 1 */
    uint64_t n_blocks;
    uint64_t *block_order; /* blocks in which most fires first */
    bool *has_end;         /* by block: the last window of a trial is within reach */
    double *chance;      /* by unit, and bins by lag, as means_rates has them; NULL: windows are */
    double *rate_starts; /* kept */
} null_patterns;

/* The events of a unit in a window of jitter in which it fires. */
typedef struct null_group {
    int64_t start; /* the window's first tick */
    uint64_t n;    /* its ticks */
    uint32_t taken;
    uint32_t unit;
} null_group;

/* Windows of jitter are sorted into classes by how many events they have, of all units. */
enum { NULL_CLASSES = 8 };

/* A number for each class. */
typedef struct null_classes {
    double of[NULL_CLASSES];
} null_classes;

/* What episodes need. */
typedef struct null_episodes {
    size_t n_delays;
    spk_tick_delay *delay;
    uint64_t *first_group; /* by unit, n_units + 1 */
    null_group *group;     /* unit by unit, in order of time */
    double longest;        /* ticks of the longest segment: no delay is longer */
    null_classes ticks;    /* of the windows of a class in all segments */
    null_classes *events;  /* by unit: in all segments; an event in two of them counts twice */
    float *followers;      /* [unit][delay][next unit][class]: mean number behind one event; NULL
                              where the table would be too large */
    double *rate;          /* by unit: events a tick of all segments; NULL: windows are kept */
} null_episodes;

/* Ticks of an interval of delays, as far as segments reach. */
static inline double null_delay_length(const null_episodes *e, uint64_t delay)
{
    const double lo = (double)e->delay[delay].lo, hi = (double)e->delay[delay].hi;
    const double most = hi < e->longest ? hi : e->longest;
    return lo < most ? most - lo : 0;
}

/* What pairs do in draws, beside what windows say (pairs.h). */
typedef struct null_pairs {
    uint32_t n_units;
    uint32_t n_lags; /* intervals of delays of episodes, lags of patterns */
    uint64_t n;
    float *ratio;  /* [unit][lag][next unit]: mean count for one of the windows; NULL: windows are
                      right */
    float *excess; /* variance beyond that of Poisson, for a mean count of 1 */
    spk_holding holding;
} null_pairs;

/* What they make of a mean and its spread. */
typedef struct null_correction {
    double ratio;
    double excess;
} null_correction;

struct spk_null {
    uint32_t n_units;
    null_patterns patterns;
    null_episodes episodes;
    null_pairs pairs;
    spk_holding holding;
};

static inline uint64_t null_pair_at(const null_pairs *p, uint32_t unit, uint64_t lag, uint32_t next)
{
    return ((uint64_t)unit * p->n_lags + lag) * p->n_units + next;
}

static inline void null_add_pair(const null_pairs *p, uint32_t unit, uint64_t lag, uint32_t next,
                                 null_correction *c)
{
    const uint64_t k = null_pair_at(p, unit, lag, next);
    c->ratio *= p->ratio[k];
    c->excess += p->excess[k];
}

/* The variance of a count, for one of Poisson. */
static inline double null_spread(const null_correction *c, double mean)
{
    return 1 + c->excess * mean;
}

/* Bins of window w of a trial. */
static inline uint64_t null_first_bin(const null_patterns *p, uint64_t w)
{
    return w == 0 ? 0 : w * p->length - p->offset;
}

static inline uint64_t null_stop_bin(const null_patterns *p, const null_trial *trial, uint64_t w)
{
    uint64_t stop = (w + 1) * p->length - p->offset;
    return stop < trial->n_bins ? stop : trial->n_bins;
}

/* item / window, the unit of an item, without a division: Lemire, Kaser & Kurz, "Faster remainder
 * by direct computation" (2019). */
static inline uint32_t null_unit(const null_patterns *p, uint32_t item)
{
    return p->divisor == 0 ? item : (uint32_t)((unsigned __int128)p->divisor * item >> 64);
}

static inline uint32_t null_lag_of(const null_patterns *p, uint32_t item)
{
    return item - null_unit(p, item) * p->window;
}

/* What the means of patterns are made of, for means.h; it is the null's. */
means_view null_means_view(const spk_null *null);

static inline means_rates null_rates(const spk_null *null)
{
    return (means_rates){null->patterns.chance, null->patterns.rate_starts};
}
