/*
 * The bitmap engine's inside: what setup, search, schedule and output share.
 *
 * Items are ranked: lag-0 items first, then the others unit by unit, rare units first. A closed set
 * is reached from its parent by adding one item of higher rank and closing it; it counts only when
 * the closure adds no item of lower rank (prefix-preserving closure extension, Uno et al. 2004), so
 * every closed set is met once. Starting from lag-0 items alone meets exactly the patterns.
 *
 *     items a b c, ranks 0 1 2; windows {a b c} {a b c} {a} {b} {c}; support 2
 *     root a    {a}, 3 windows    + b   {a b c}, 2 windows: c is in both
 *                                 + c   {a b c} again: b, of lower rank than c, is in both
 *     root b    {b}, 3 windows    + c   {a b c} again: a is in both
 *     root c    {c}, 3 windows
 */
#pragma once

#include <assert.h>

#include "base/arena.h"
#include "pattern/engine/bitmap/ends.h"
#include "pattern/engine/engine.h"

/* ---- the job: read only while mining --------------------------------------------------------- */

typedef struct spk_bitmap_job {
    spk_pattern_limits limits;
    const spk_window_columns *windows;
    int threads;
    uint32_t n_items; /* ranks 0 .. n_items - 1: frequent items that are not in every window */
    uint32_t n_lag0;  /* ranks below it have lag 0 */
    uint32_t n_roots; /* ranks that start a search: n_lag0, or all when `always` has a lag-0 item */
    uint32_t n_always; /* items in every window */
    uint32_t row_words;
    bool unordered;
    bool always_lag0;
    bool shared;       /* several processes share the search */
    uint32_t *rank_of; /* by item; UINT32_MAX: none */
    uint32_t *unit_of; /* by rank */
    uint64_t *key_of;  /* by rank: lag, unit and item packed, in the order of a pattern's items */
    uint64_t *root_first;  /* windows that contain root r: root_window[root_first[r]] .. */
    uint32_t *root_window; /* ... root_window[root_first[r + 1] - 1], ascending */
    uint32_t *always_unit;
    uint64_t *always_key;
    /* Bit rows over the ranks, one per window, row_words words each and aligned to 64 bytes; NULL
     * when they would take more than the windows themselves, that is for few spikes per window. */
    uint64_t *row;
    void *row_memory;
    spk_bitmap_ends ends; /* where ends of patterns are left out */
    uint64_t *n_dropped;
    const spk_pattern_bytes *bytes; /* as in the engine's job */
} spk_bitmap_job;

spk_status spk_bitmap_job_create(spk_context *context, const spk_pattern_job *given,
                                 spk_bitmap_job *job);
void spk_bitmap_job_free(spk_bitmap_job *job);

/* ---- nodes ----------------------------------------------------------------------------------- */

/*
 * One closed set P that is being extended. Its items are those that share at least min_support
 * windows with P, ascending by rank; the first n_excluded ones have lower ranks than the extensions
 * and only serve to see that a closure is not prefix-preserving.
 *
 * Bits of a column are the windows of P. Up to 64 windows a column is one word of `width` bits (16,
 * 32 or 64) and the bit rows are not needed; beyond, width is 0, a column has column_words words
 * and row w holds the items of window w.
 *
 * share and inside are bit rows over the items, one per extension e (item n_excluded + e): bit k of
 * share says that e and k are together in at least min_support windows of P, bit k of inside that
 * e's windows are all k's as well. Bit e itself is clear in both. They are kept for the whole node
 * unless that takes too much memory (kept false: NULL, made one at a time).
 */
typedef struct spk_bitmap_node {
    uint32_t n;
    uint32_t n_excluded;
    uint32_t n_lag0; /* items 0 .. n_lag0 - 1 have lag 0 */
    uint32_t n_windows;
    uint32_t width;
    uint32_t words; /* of a bit row over the items */
    uint32_t column_words;
    bool kept;
    bool later;     /* the search goes on in later.h: width is 64 or 0 */
    uint32_t *rank; /* n */
    void *column;
    const uint32_t *window; /* of each bit of a column; NULL where nobody asks which they are */
    uint64_t *row;          /* [n_windows][words] when width is 0 */
    uint64_t *share;
    uint64_t *inside;
    uint64_t *alive; /* extensions that can be part of something reportable */
    /* Items of one unit are neighbours (lag-0 ones stand alone): last marks the end of each such
     * group within a word, low its other bits, joined the end of a group that began a word before.
     */
    uint64_t *fresh; /* items whose unit is not in P */
    uint64_t *low;
    uint64_t *last;
    uint64_t *joined;
    uint32_t *partner; /* of lag-0 item k: the last bit of its unit's group, or UINT32_MAX */
} spk_bitmap_node;

/* ---- output: batches in the order of the search, whoever finds them ---------------------------
 */

/* Patterns, or the bytes that were made of them. */
typedef struct spk_bitmap_block {
    struct spk_bitmap_block *next;
    char *bytes; /* NULL: the columns below */
    uint64_t n_bytes;
    uint32_t n;
    uint32_t n_items;
    uint64_t *offset;
    uint32_t *count;
    uint32_t *item;
    uint32_t capacity;
    uint32_t item_capacity;
} spk_bitmap_block;

enum { SPK_BITMAP_BLOCK_PATTERNS = 16384, SPK_BITMAP_BLOCK_ITEMS = 98304 };

typedef struct spk_bitmap_schedule spk_bitmap_schedule;
typedef struct spk_bitmap_chunk spk_bitmap_chunk;

/* ---- one search: a thread's state -------------------------------------------------------------
 */

/* Of the arenas, one a search and one a root in work: rows of bits start where a vector does. */
enum { SPK_BITMAP_ALIGNMENT = 64, SPK_BITMAP_ARENA_BYTES = 1 << 20 };

/* A step of a search: the node, and which of its items was added. */
typedef struct spk_bitmap_level {
    const spk_bitmap_node *node;
    uint32_t position;
} spk_bitmap_level;

typedef struct spk_bitmap_search {
    const spk_bitmap_job *job;
    spk_bitmap_schedule *schedule;
    spk_bitmap_chunk *chunk; /* the piece of work in hand */
    spk_bitmap_block *block; /* being filled, NULL at first */
    spk_bitmap_block *made;  /* of its patterns, where the job wants bytes; NULL else */
    int maker;               /* of bytes */
    spk_arena arena;
    uint64_t *key;  /* the pattern: keys in the order in which items came */
    uint32_t *unit; /* and units */
    uint32_t size;
    uint32_t neurons;
    uint16_t *unit_count; /* by unit: items of the pattern, at most the window length */
    uint32_t *unit_end;   /* scratch by unit */
    uint64_t *unit_met;   /* scratch by unit: the newest mark that it got */
    uint64_t mark;        /* the newest of all */
    uint32_t *count;      /* scratch by rank */
    uint64_t *sorted;     /* scratch for patterns of more than 64 items */
    uint64_t *mask;       /* scratch, bit rows over all items */
    uint64_t *any;
    uint64_t steps;      /* nodes so far; also to ask for cancel now and then */
    uint64_t seen;       /* windows that hold them */
    uint64_t told_steps; /* of both, what the share knows */
    uint64_t told_seen;
    uint64_t n_dropped;      /* ends of other patterns so far */
    spk_bitmap_level *level; /* the steps from the node in hand on */
    uint32_t depth;
    const struct spk_bitmap_branch *branch; /* of the node in hand, with a share */
    bool cut;                               /* the search leaves what it has not begun */
    spk_status status;
} spk_bitmap_search;

/* Adds the item of a rank to the pattern, takes the newest items off until `size` remain. */
static inline void spk_bitmap_push(spk_bitmap_search *search, uint64_t key, uint32_t unit)
{
    search->key[search->size] = key;
    search->unit[search->size++] = unit;
    search->neurons += search->unit_count[unit]++ == 0;
}

static inline void spk_bitmap_pop(spk_bitmap_search *search, uint32_t size)
{
    assert(search->size >= size);
    while (search->size > size) {
        uint32_t unit = search->unit[--search->size];
        assert(search->unit_count[unit] > 0 && search->neurons > 0);
        search->neurons -= --search->unit_count[unit] == 0;
    }
}

/* Whether a pattern may be reported. */
static inline bool spk_bitmap_within(const spk_bitmap_search *search, uint32_t size,
                                     uint32_t neurons, uint32_t count)
{
    const spk_pattern_limits *limits = &search->job->limits;
    return size >= limits->min_spikes && size <= limits->max_spikes && count <= limits->max_count &&
           neurons >= limits->min_neurons;
}

/* Whether it is an end that is left out, which it counts. An end is not reported, but what lies
 * below it is searched: that need not be one. */
bool spk_bitmap_drops(spk_bitmap_search *search, const spk_bitmap_places *places, uint32_t duration,
                      uint32_t size);

/* A block with room for one more pattern; NULL where the search shall end. */
spk_bitmap_block *spk_bitmap_next_block(spk_bitmap_search *search, uint32_t size);

/* Where the caller writes the items of a pattern that is reported; NULL as above. */
static inline uint32_t *spk_bitmap_room(spk_bitmap_search *search, uint32_t size, uint32_t count)
{
    spk_bitmap_block *block = search->block;
    if (block == NULL || block->n == SPK_BITMAP_BLOCK_PATTERNS ||
        block->item_capacity - block->n_items < size)
        block = spk_bitmap_next_block(search, size);
    if (block == NULL)
        return NULL;
    uint32_t *item = block->item + block->n_items;
    block->n_items += size;
    block->count[block->n++] = count;
    block->offset[block->n] = block->n_items;
    return item;
}

/* Reports the pattern when it is within the limits, and no end that is left out. `places`, its
 * windows, need names of windows only where ends are left out. */
void spk_bitmap_emit(spk_bitmap_search *search, uint32_t count, const spk_bitmap_places *places);

/* True when the search shall end (error, cancel, a sink that said stop). Asked once for each node,
 * which it counts. */
bool spk_bitmap_stopped(spk_bitmap_search *search);

/* The same, for work inside a node. */
bool spk_bitmap_ended(spk_bitmap_search *search);

/* Leaves extensions begin .. end - 1 of a node, in which the search is, to whoever takes them. Each
 * costs `cost`; 0: as much as the kernels say. */
void spk_bitmap_leave(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t begin,
                      uint32_t end, uint64_t cost);

/* ---- the search, compiled once per instruction set --------------------------------------------
 */

typedef struct spk_bitmap_kernels {
    /* Makes the node of root r in the search's arena, ready to be extended (by several searches at
     * once), and adds the root's closure to the pattern; NULL when nothing lies below. *valid,
     * where somebody asks, is false when the closure is not prefix-preserving: then the root is no
     * pattern of its own.
     * `alive`, where it is not NULL, is what is known of the node from before: its rows are then
     * made when they are needed. */
    spk_bitmap_node *(*root)(spk_bitmap_search *search, uint32_t root, const uint64_t *alive,
                             bool *valid);
    /* The same for the node that the item of a rank makes of this one, which is known. NULL also
     * where the node has no such item. */
    spk_bitmap_node *(*child)(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t rank,
                              const uint64_t *alive);
    /* Pairs of items that the child of extension e looks at; 0: it is not alive. For nodes that
     * are kept. */
    uint64_t (*pairs)(const spk_bitmap_node *node, uint32_t e);
    /* Searches below extension e of the node. */
    void (*extend)(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t e);
} spk_bitmap_kernels;

extern const spk_bitmap_kernels spk_bitmap_kernels_portable, spk_bitmap_kernels_neon,
    spk_bitmap_kernels_avx2, spk_bitmap_kernels_avx512;

/* Runs the search over all roots with the job's threads. */
spk_status spk_bitmap_run(spk_context *context, const spk_bitmap_job *job,
                          const spk_bitmap_kernels *kernels, spk_pattern_sink *sink, void *user);

/* The same for what this process takes of a search that several share. */
spk_status spk_bitmap_run_shared(spk_context *context, const spk_bitmap_job *job,
                                 const spk_bitmap_kernels *kernels, const spk_pattern_share *share,
                                 spk_pattern_sink *sink, void *user);

/* ---- pieces, for several processes ----------------------------------------------------------- */

/* Chunks of a branch, begin .. end - 1. */
typedef struct spk_bitmap_piece {
    uint64_t branch;
    uint32_t begin;
    uint32_t end;
    uint64_t cost;
} spk_bitmap_piece;

/* All pieces in the order of their branches, and the order in which they are handed out: large ones
 * first. */
typedef struct spk_bitmap_pieces {
    uint64_t n;
    spk_bitmap_piece *piece;
    uint32_t *order;
} spk_bitmap_pieces;

/* Plans them for this many processes. n_chunks[b]: chunks of branch b, numbered from 0; cost: pairs
 * of items that each looks at, those of branch 0 first. */
spk_status spk_bitmap_pieces_make(spk_context *context, uint64_t n_branches,
                                  const uint64_t *n_chunks, const uint64_t *cost, int n_processes,
                                  spk_bitmap_pieces *out);
void spk_bitmap_pieces_free(spk_bitmap_pieces *pieces);
