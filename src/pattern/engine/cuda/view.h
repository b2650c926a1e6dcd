/*
 * cuda-bitmap: what a search works on. The same struct serves the GPU and the host; its pointers
 * lead to memory of the machine that searches (machine.h).
 *
 * All questions are put to one table of bits, by bin, lag and unit:
 *
 *     bits[place + lag * words + unit / 32], bit unit % 32
 *
 * says whether a window that begins at `place` has a unit at a lag. Where windows slide, a bin has
 * `words` words and place + lag * words is a later bin; silence of a window's length lies between
 * trials, and longer silence is cut to that. Windows of a file have rows of their own.
 *
 * An item's code is the number of its unit, rare ones first, and its lag: code order is the order
 * of columns. A search has one of three aims:
 *
 *   lists     from windows that begin with the root, its lags count from there. Items of lag 0 come
 *             before all others (cp_later): the canonical order of patterns. Closed sets by
 *             prefix-preserving closure extension (Uno et al. 2004)
 *   counts    the largest ones: around the spikes of the rarest unit (`reach` bins before and
 *             after), sets of items in code order, by branch and bound. Lags count from `reach`
 *             bins before the spike
 *   sets      all patterns, in no order, around the same spikes: of all frequent sets those that
 *             are closed (cp_settle_set)
 */
#pragma once

#include "pattern/engine/cuda/lanes.h"

enum {
    CP_LAG_BITS = 11,
    CP_LAG_MASK = (1 << CP_LAG_BITS) - 1,
    CP_UNIT_BITS = 20, /* the highest bit of a code is free */
    CP_CHUNK = 32      /* items whose columns one warp makes */
};

/* What is known of a root: its items that matter, as codes, and their columns. */
typedef struct cp_root {
    uint64_t item;   /* code[item] .. code[item + n - 1] */
    uint64_t column; /* word w of item k: column[column + w * n + k] */
    uint32_t n;
    uint32_t words;
    uint32_t n_windows;
    uint32_t ready; /* 0: nothing is to be searched */
} cp_root;

/* A task that was not finished: its first reports are out. */
typedef struct cp_again {
    uint64_t task;
    uint64_t n_reports;
    uint64_t part; /* 0: all of it; else that part of its branch, from 1 */
} cp_again;

/* A task whose branch is so large that several warps share it: parts first .. of all such tasks'.
 */
typedef struct cp_split {
    uint64_t task;
    uint64_t first;
    uint64_t kept; /* where its branch is kept; CP_NOT_KEPT: each part makes it anew */
} cp_split;

#define CP_NOT_KEPT UINT64_MAX

/* How much of the output is taken is one number, so that patterns and their words are counted in
 * one step: words in the low bits, patterns above. */
enum { CP_OUT_BITS = 40 };

SPK_SHARED uint64_t cp_out_words(uint64_t used)
{
    return used & ((UINT64_C(1) << CP_OUT_BITS) - 1);
}

SPK_SHARED uint64_t cp_out_patterns(uint64_t used)
{
    return used >> CP_OUT_BITS;
}

typedef enum cp_aim { CP_LISTS, CP_COUNTS, CP_SETS } cp_aim;

/* What warps share. */
typedef struct cp_state {
    uint64_t next;        /* of the tasks */
    uint64_t out_used;    /* patterns and words, as CP_OUT_BITS says; may lie beyond the end */
    uint64_t out_end;     /* what lies beyond is not whole */
    uint64_t item_used;   /* of the codes */
    uint64_t column_used; /* words */
    uint64_t kept_used;   /* words; may lie beyond the end */
    uint64_t n_dropped;   /* ends of other patterns */
    uint32_t n_again;     /* tasks for which the output had no room left */
    uint32_t n_large;     /* tasks that need a larger arena */
    uint32_t n_raised;
    uint32_t n_splits; /* tasks left for several warps; beyond n_split_room none is */
} cp_state;

typedef struct cp_view {
    const uint32_t *bits;
    uint32_t words;
    uint32_t n_lags; /* of a window */
    uint32_t reach;
    const uint32_t *unit_of;   /* by number in codes */
    const uint32_t *number_of; /* by unit */
    const uint32_t *item;      /* codes of all items, in order */
    uint32_t n_items;
    uint32_t n_roots;
    const uint32_t *root_code;
    const uint32_t *root_first;  /* windows of root r: root_window[root_first[r]] .. */
    const uint32_t *root_window; /* places in the table of bits */

    cp_aim aim;
    bool by_duration;
    uint32_t min_spikes;
    uint32_t max_spikes;
    uint32_t max_count;
    uint32_t min_neurons;
    uint32_t drop_ends_of; /* 0: ends of other patterns stay */
    uint32_t least;        /* fewest windows that matter at all */
    uint32_t ceiling;      /* counts above it are known already */
    uint32_t n_sizes;      /* of a row of the two tables */
    uint32_t n_spans;
    uint32_t *bound; /* by span of a set and size: what a count must exceed to matter */
    uint32_t *most;  /* by duration and size: largest counts so far */

    uint32_t root_begin; /* the roots in work */
    uint32_t root_end;
    uint32_t *count; /* by root and item */
    cp_root *root;
    uint32_t *common; /* by root: what its windows have in common, n_lags * words */
    uint32_t *code;
    uint32_t *order; /* in lists, beside the codes: the items of a root as they are searched */
    uint64_t item_room;
    uint32_t *column;
    uint64_t column_room;
    uint64_t *task_first; /* by root: task_first[r] is the root itself, the next ones its items */
    cp_state *state;

    uint32_t *arena; /* arena_words for each warp */
    uint64_t arena_words;
    uint32_t *out; /* patterns: task, part, size, count, items */
    uint64_t out_words;
    bool has_places;       /* whether it is told where patterns begin: */
    uint64_t *place;       /* by pattern */
    const cp_again *given; /* tasks to begin with */
    uint64_t n_given;
    uint64_t begin; /* then those from here, or parts of tasks where there are splits */
    uint64_t end;   /* to here */
    const cp_split *split;
    uint64_t n_splits;
    uint32_t split_items; /* of a branch that is left to several warps */
    uint32_t part_steps;  /* of such a branch, in a part */
    cp_split *new_split;  /* first: the number of parts */
    uint64_t n_split_room;
    uint32_t *kept; /* branches that several warps share */
    uint64_t kept_words;
    cp_again *again;
    cp_again *large;
} cp_view;

/* A kernel that has one aim alone says so before, by CP_AIM. */
#ifdef CP_AIM
#define CP_HAS_AIM(view, name) ((void)(view), CP_AIM == (name))
#else
#define CP_HAS_AIM(view, name) ((view)->aim == (name))
#endif
#define CP_LISTING(view) CP_HAS_AIM(view, CP_LISTS)

SPK_SHARED uint32_t cp_lag(uint32_t code)
{
    return code & CP_LAG_MASK;
}

SPK_SHARED uint32_t cp_number(uint32_t code)
{
    return code >> CP_LAG_BITS;
}

SPK_SHARED bool cp_is_first(const cp_view *v, uint32_t code)
{
    return CP_LISTING(v) && cp_lag(code) == 0;
}

/* Whether b comes after a in a search. */
SPK_SHARED bool cp_later(const cp_view *v, uint32_t a, uint32_t b)
{
    const bool a_first = cp_is_first(v, a), b_first = cp_is_first(v, b);
    return a_first == b_first ? b > a : a_first;
}

/* Whether two items fit into one window. */
SPK_SHARED bool cp_fit(const cp_view *v, uint32_t a, uint32_t b)
{
    return CP_LISTING(v) || cp_lag(a) - cp_lag(b) + v->reach <= 2 * v->reach;
}

SPK_SHARED uint32_t cp_words(uint32_t n_bits)
{
    return (n_bits + 31) / 32;
}

/* Whether a window has an item. */
SPK_SHARED uint32_t cp_bit(const cp_view *v, uint32_t window, uint32_t code)
{
    const uint32_t unit = v->unit_of[cp_number(code)];
    const uint32_t row = window + (cp_lag(code) - v->reach) * v->words;
    return v->bits[row + unit / 32] >> unit % 32 & 1;
}

SPK_SHARED uint32_t cp_bound(const cp_view *v, uint32_t span, uint32_t size)
{
    const uint32_t row = v->n_spans > 1 ? span * v->n_sizes : 0;
    return v->bound[row + cp_smaller(size, v->n_sizes - 1)];
}
