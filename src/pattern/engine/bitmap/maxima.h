/*
 * The largest counts by branch and bound: what the search and its schedule share.
 *
 * The search goes through sets of items, not through closed patterns: a set has the count of its
 * closure, which is at least as large. What it knows so far cuts the search. Let M(z) be the
 * largest count known of a pattern with at least z spikes, for example
 *
 *     z:     5   6   7   8   9
 *     M(z): 48  24  14  10   9 (support 10, nothing found)
 *
 * A set of 4 items in 20 windows, to which at most 3 items can be added, helps when the outcome has
 * 7 spikes (M is 14 there): 5 and 6 spikes would need more windows than it has. So each window must
 * hold 3 of these items, and 15 windows must. Windows and items that fall short are dropped, which
 * makes others fall short; see maxima_simd.c.
 *
 * Sets are searched from their rarest unit where windows slide (below). How long a set lasts is
 * open then until its last item; where counts are asked for by duration, M is the least one of all
 * durations from the set's span on.
 *
 * Several passes, each with a third of the support of the one before, find large counts soon; after
 * one that finds nothing the steps are larger. What has at least the support of the pass before was
 * found then: its ceiling lies below.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "pattern/engine/bitmap/bitmap.h"
#include "pattern/engine/maxima.h"

/* ---- anchors --------------------------------------------------------------------------------- */

/*
 * Patterns by their rarest unit: where a search for sets of items may begin when windows slide.
 *
 * A pattern is found in the windows that begin with its first spike. Its occurrences can be counted
 * at any other spike of it just as well. Let unit a fire rarely, b and c often, and let the pattern
 * be b@0 a@3 c@5. Seen from the spike of a it is
 *
 *     b 3 bins before, c 2 bins after
 *
 * and has as many occurrences as a has spikes with these two around it. So each set of items can be
 * searched from the first spike of its rarest unit: its anchor. Next comes the rarest of the
 * others. Then a set of four items is looked at only where its two rarest ones form frequent sets
 * with each of the two others, which are the fewest sets of three that one can ask for.
 *
 * Around an anchor lie 2 length - 1 bins; the items of a set must fit into one window.
 */

/* Spikes of the units from one on, by window. */
typedef struct spk_bitmap_spikes {
    uint32_t unit;   /* and all that are more frequent */
    uint64_t *first; /* the spikes in the window's first bin are first[w] .. first[w + 1] - 1 */
    uint32_t *spike; /* unit * span + bin, modulo 2^32 */
} spk_bitmap_spikes;

/* A root needs the spikes of its unit and of more frequent ones. */
enum { SPK_BITMAP_SPIKE_LISTS = 4 };

/* Units are numbered by the job's roots: rare ones first. The item of unit r that lies `lag` bins
 * after the anchor (before it: lag < 0) has the place r * span + lag + reach. */
typedef struct spk_bitmap_anchors {
    uint32_t reach;  /* bins before and after the anchor; 0: not in use */
    uint32_t span;   /* 2 reach + 1 */
    uint32_t *begin; /* by window: the first one within reach of it, and the one after the last */
    uint32_t *end;
    spk_bitmap_spikes spikes[SPK_BITMAP_SPIKE_LISTS]; /* by their units */
    uint32_t *unit_of; /* by place: the unit's number in the windows */
    uint32_t *lag_of;  /* by place: lag + reach */
} spk_bitmap_anchors;

/* Whether the job's windows are those of a recording, of several bins, none of whose items is in
 * all of them, and the tables, which each root goes through, are small beside the windows. */
bool spk_bitmap_can_anchor(const spk_bitmap_job *job);

/* Free them in any case. Errors: SPK_ERR_MEMORY. */
spk_status spk_bitmap_anchors_create(spk_context *context, const spk_bitmap_job *job,
                                     spk_bitmap_anchors *anchors);
void spk_bitmap_anchors_free(spk_bitmap_anchors *anchors);

/* The shortest list that holds all spikes of a root's patterns. */
static inline const spk_bitmap_spikes *spk_bitmap_spikes_of(const spk_bitmap_anchors *anchors,
                                                            uint32_t root)
{
    uint32_t k = SPK_BITMAP_SPIKE_LISTS - 1;
    while (anchors->spikes[k].unit > root)
        k--;
    return &anchors->spikes[k];
}

/* ---- largest counts -------------------------------------------------------------------------- */

/* A duration that is not set yet: bounds that hold for all. */
#define SPK_MAXIMA_ANY UINT32_MAX

/* The items around an anchor that have the least support of any size. */
typedef struct spk_maxima_near {
    bool known;      /* the largest count is */
    bool kept;       /* the lists are, for later passes */
    uint32_t most;   /* the largest count of an item */
    uint32_t n;      /* items */
    uint32_t *place; /* of each; NULL: not known */
    uint32_t *count; /* windows that hold both, anchor and item */
} spk_maxima_near;

/* What all searches of a job share. Begins with the first four; all else is zero. */
typedef struct spk_bitmap_bounds {
    spk_context *context;
    const spk_bitmap_job *job;
    const spk_pattern_maxima_job *given;
    spk_maxima_table *table;
    uint32_t floor; /* of the pass: counts in floor .. ceiling are looked for */
    uint32_t ceiling;
    spk_bitmap_anchors anchors; /* reach 0: items are ranks of the job */
    const struct spk_maxima_kernels *kernels;
    struct spk_maxima_search *search; /* one a thread */
    int n_searches;
    uint32_t longest;      /* most items of a window */
    uint64_t most_windows; /* of a root */
    spk_maxima_near *near; /* by root, where there are anchors */
    atomic_ullong n_kept;  /* items of all of them */
    uint32_t most_around;  /* most spikes around an anchor */
    pthread_mutex_t lock;  /* of the table */
    atomic_uint next_root;
    atomic_uint version; /* of the table */
    atomic_int status;
} spk_bitmap_bounds;

/* A thread's state. */
typedef struct spk_maxima_search {
    spk_bitmap_bounds *shared;
    const spk_bitmap_job *job;
    spk_arena arena;
    const uint32_t *unit_of;            /* by rank, or by place around an anchor */
    const uint32_t *lag_of;             /* by place */
    uint32_t reach;                     /* of the anchors */
    uint32_t *rank;                     /* the set: ranks or places */
    struct spk_anchored_output *output; /* where patterns are reported; NULL: counts are wanted */
    uint32_t size;
    uint32_t neurons;
    uint32_t *unit_count; /* by unit */
    uint32_t root;
    uint32_t duration; /* the row of the table, or SPK_MAXIMA_ANY */
    /* bound[z]: what a count must exceed to matter for z spikes; the last one for all larger z.
     * bounds has it for each span of a set, where sets may still get longer: n_spans rows. */
    uint32_t *bound;
    uint32_t *bounds;
    uint32_t n_spans;
    uint32_t n_bound;
    uint64_t bound_capacity;
    uint32_t bound_version;
    uint32_t bound_duration;
    uint32_t *count;   /* scratch: by place around an anchor */
    uint32_t *window;  /* scratch: windows of the set */
    uint32_t *item;    /* scratch: its closure */
    uint8_t *unit_met; /* scratch: by unit */
    uint64_t steps;
} spk_maxima_search;

static inline uint32_t spk_maxima_bound(const spk_maxima_search *search, uint32_t size)
{
    return search->bound[size < search->n_bound ? size : search->n_bound - 1];
}

static inline uint32_t spk_maxima_lag(const spk_bitmap_job *job, uint32_t rank)
{
    return (uint32_t)(job->key_of[rank] >> 32);
}

static inline uint64_t spk_maxima_windows_of(const spk_bitmap_job *job, uint32_t root)
{
    return job->root_first[root + 1] - job->root_first[root];
}

/* Of a count, what can matter in this pass. */
static inline uint32_t spk_maxima_useful(const spk_maxima_search *search, uint32_t count)
{
    return count < search->shared->ceiling ? count : search->shared->ceiling;
}

/* Around anchors, the bound of the set's span, from its first to its last spike. */
static inline void spk_maxima_set_bound(spk_maxima_search *search)
{
    uint32_t least = UINT32_MAX, most = 0;
    if (search->n_spans == 1)
        return;
    for (uint32_t k = 0; k < search->size; k++) {
        uint32_t lag = search->lag_of[search->rank[k]];
        least = lag < least ? lag : least;
        most = lag > most ? lag : most;
    }
    uint32_t span = search->size > 0 ? most - least : 0;
    search->bound = search->bounds + (size_t)span * search->n_bound;
}

/* Adds an item to the set; takes the newest ones off until `size` remain. */
static inline void spk_maxima_push(spk_maxima_search *search, uint32_t rank)
{
    search->rank[search->size++] = rank;
    search->neurons += search->unit_count[search->unit_of[rank]]++ == 0;
    spk_maxima_set_bound(search);
}

static inline void spk_maxima_pop(spk_maxima_search *search, uint32_t size)
{
    assert(search->size >= size);
    while (search->size > size) {
        uint32_t rank = search->rank[--search->size];
        search->neurons -= --search->unit_count[search->unit_of[rank]] == 0;
    }
    spk_maxima_set_bound(search);
}

/* Bounds as the table has them now, for the search's duration. False when the search shall end. */
bool spk_maxima_refresh(spk_maxima_search *search);

/* The set has a count that would raise the table: looks at its closure, and raises when it is
 * reported. False when neither the set nor any larger one with the same last spike is. */
bool spk_maxima_raise_by(spk_maxima_search *search);

/* Reports the set, and moves items that belong to it from the branch, whose items are `rank`, to
 * the set (anchored.h). False when nothing lies below. */
bool spk_anchored_report(spk_maxima_search *search, uint32_t count, const uint32_t *rank,
                         uint32_t n, uint64_t *items);

/* What is reported from now on is below this root: its n windows, the items by place, and their
 * columns. */
void spk_anchored_root(spk_maxima_search *search, const uint32_t *window, const uint32_t *item,
                       uint32_t n, const uint64_t *column, uint32_t column_words);

/* Ends all searches. */
void spk_maxima_fail(spk_maxima_search *search, spk_status status);

/* So many rows are looked at together. */
enum { SPK_MAXIMA_ROWS = 4 };

/* Compiled once per instruction set. */
typedef struct spk_maxima_kernels {
    /* Searches all sets whose first item by rank, of lag 0, is the root. */
    void (*root)(spk_maxima_search *search, uint32_t root);
    /* What rows of n words have in common; returns the number of bits. */
    uint32_t (*common)(const uint64_t *const *row, size_t n, uint64_t *out);
} spk_maxima_kernels;

extern const spk_maxima_kernels spk_maxima_kernels_portable, spk_maxima_kernels_neon,
    spk_maxima_kernels_avx2, spk_maxima_kernels_avx512;

/* Makes the searches, one a thread; none where no pattern can be long enough. Close it in any case.
 * Errors: SPK_ERR_MEMORY. */
spk_status spk_maxima_open(spk_bitmap_bounds *shared);
void spk_maxima_close(spk_bitmap_bounds *shared);

/* Goes through all roots once, with all threads. */
void spk_maxima_run_pass(spk_bitmap_bounds *shared);

/* What ended the searches. */
spk_status spk_maxima_status(spk_bitmap_bounds *shared);

/* The engine's function. */
spk_status spk_bitmap_maxima(spk_context *context, const spk_pattern_maxima_job *given,
                             spk_maxima_table *table, bool *done);
