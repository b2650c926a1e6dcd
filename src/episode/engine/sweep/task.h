/*
 * A task: one prefix with all units and intervals that may continue it. Its life: begin (which
 * strips, which lanes), advance through one or several stretches of the recording, finish (hand
 * out the counts).
 */
#pragma once

#include "episode/engine/sweep/index.h"
#include "episode/engine/sweep/kernel.h"

/* ---- the table ------------------------------------------------------------------------------- */

/*
 * Delay tables: for every event (row) and 32 units (lanes) how many ranks later the first event of
 * that unit within a delay interval comes; 0 when there is none.
 *
 * Only the first matters for counting: an occurrence of the prefix ending at the row's event can be
 * continued by any event of the unit within the interval, and the earliest leaves most room.
 *
 * A table covers a stretch of places: all of them, or some of one unit, and has a row for each. It
 * is `narrow` (16 bit entries, one cache line a row) when no episode that is counted can span 65535
 * ranks, else `wide` (32 bit).
 */

typedef struct sweep_table {
    uint64_t first; /* places first .. first + n_rows - 1 */
    uint64_t n_rows;
    bool wide;
    void **strip;    /* per strip: n_rows * SWEEP_LANES entries, or NULL */
    bool *built;     /* per strip: its rows are of the present stretch */
    uint64_t *bytes; /* per strip: what it has room for */
    size_t n_strips;
} sweep_table;

spk_status sweep_table_open(spk_context *context, const sweep_index *index, sweep_table *table);
void sweep_table_close(sweep_table *table);

/* Makes the table have room for n_rows rows of the strips that `needed` names, for windows. */
spk_status sweep_table_reserve(spk_context *context, uint64_t n_rows, bool wide, const bool *needed,
                               sweep_table *table);

/* A walk back in time that writes rows; one a thread. */
typedef struct sweep_row_walk sweep_row_walk;
spk_status sweep_row_walk_open(const sweep_index *index, sweep_table *table, sweep_row_walk **out);
void sweep_row_walk_close(sweep_row_walk *walk);

/* Where the rows of a window's events lie: unit u has the places first[u] .. first[u] + n[u] - 1 in
 * it, with rows at place + row_shift[u] (modulo 2^64), or none: SWEEP_NO_ROWS. */
typedef struct sweep_layout {
    uint64_t *first;
    uint64_t *n;
    uint64_t *row_shift;
} sweep_layout;

/* Farther than any place is from any row. */
#define SWEEP_NO_ROWS ((uint64_t)1 << 63)

/* Writes the rows of the window's events [from, to) for one interval, all strips of it that
 * `needed` names. */
void sweep_row_walk_write(sweep_row_walk *walk, const bool *needed, size_t delay, uint64_t from,
                          uint64_t to, const sweep_layout *layout);

/* How many of the strips that `needed` names a table of all places would still have to build. */
uint64_t sweep_table_missing(const sweep_table *table, uint64_t n_events, bool wide,
                             const bool *needed);

/* Gives the memory of all strips back. */
void sweep_table_empty(sweep_table *table);

/* Bytes of one strip over n_rows events. */
uint64_t sweep_table_strip_bytes(uint64_t n_rows, bool wide);

/* Makes the table cover the places first .. first + n_rows - 1, which are all places or places of
 * one unit, with the strips that `needed` (n_strips flags) names. What is built already is kept,
 * other strips' memory is given back. Works with `threads` threads. */
spk_status sweep_table_cover(spk_context *context, const sweep_index *index, uint64_t first,
                             uint64_t n_rows, bool wide, const bool *needed, int threads,
                             sweep_table *table);

/* ---- lists ----------------------------------------------------------------------------------- */

/*
 * Occurrence lists of prefix episodes in the form (end, latest start): for every event at which
 * some occurrence ends, the latest start of any that ends there. Both columns never fall, so an
 * event of the next unit at t needs only the last end before t - lo.
 */

enum {
    SWEEP_CHUNK = 64
}; /* ends between two looks at whether a candidate can still reach the support */

typedef struct sweep_list {
    uint64_t n;
    uint64_t capacity;
    uint32_t *end;   /* places, rising */
    uint32_t *start; /* ranks, not falling */
} sweep_list;

void sweep_list_free(sweep_list *list);

/* Occurrences of a single unit: its events. */
spk_status sweep_list_of_unit(const sweep_index *index, uint32_t unit, sweep_list *out);

/* A stack of lists along one episode: list[p] belongs to its first p + 1 positions. Going to the
 * next episode in lexicographic order recomputes only what differs. */
typedef struct sweep_path {
    uint32_t depth; /* lists that are valid */
    uint32_t unit[SPK_EPISODE_MAX_SIZE];
    uint16_t delay[SPK_EPISODE_MAX_SIZE];
    sweep_list list[SPK_EPISODE_MAX_SIZE];
} sweep_path;

/* Makes list[size - 1] the list of this episode. SPK_ERR_MEMORY without a message on failure. */
spk_status sweep_path_go(const sweep_index *index, sweep_extend_fn *extend, uint32_t size,
                         const uint32_t *unit, const uint16_t *delay, sweep_path *path);
void sweep_path_free(sweep_path *path);

/* The ranks [first, end) of the recording. */
typedef struct sweep_window {
    uint32_t first;
    uint32_t end;
} sweep_window;

/* *out = the list of this episode's occurrences that end within the window, as part of the path's
 * lists, valid until the path goes on. Lists reach back behind the window as far as occurrences
 * can, so a path must be started afresh (depth 0) for another window or size. Time and memory grow
 * with the window and size * widest_span, not with the recording. */
spk_status sweep_path_window(const sweep_index *index, sweep_extend_fn *extend, uint32_t size,
                             const uint32_t *unit, const uint16_t *delay, sweep_window window,
                             sweep_path *path, sweep_list *out);

typedef struct sweep_strip {
    uint32_t id;         /* its number */
    uint32_t candidates; /* bit per lane */
    bool alive;          /* some candidate can still reach the support */
    uint64_t total[SWEEP_LANES];
} sweep_strip;

typedef struct sweep_task {
    sweep_list list;    /* of the prefix */
    bool goes_on;       /* the list is that of one window, others follow */
    bool begun;         /* an end has been gone over, whose start is `before` */
    bool dead;          /* no candidate can reach the support any more */
    uint32_t before;    /* rank */
    uint64_t at;        /* next end to go over */
    uint64_t undrained; /* steps since the counts were added to the totals */
    uint64_t unpruned;  /* steps since the last look at what can still reach the support */
    uint32_t n_strips;
    uint32_t strip_capacity;
    sweep_strip *strip;
    void *lanes; /* n_strips sweep_narrow or sweep_wide, 64-byte aligned */
    /* Greedy count of the prefix itself: all of it, and what lies before `at`. */
    uint64_t prefix_count;
    uint64_t taken;
    uint32_t last_end; /* rank, of the last one taken */
} sweep_task;

/* What tasks of one block share. */
typedef struct sweep_shared {
    const spk_context *watch; /* a cancel of it ends the counting */
    const sweep_index *index;
    const spk_episode_block *block;
    sweep_kernels kernels;
    bool wide;
    const bool *active;  /* per strip: counted in this pass; candidates of others are left alone */
    uint64_t *free_from; /* per candidate, as spk_episode_engine.resume has it; only SWEEP_SCAN
                            heeds it. NULL: the block is counted from the beginning */
} sweep_shared;

/* Prepares a task for the candidates [first, last) of the block, whose common prefix has the list
 * task->list; goes_on: its lists come later, window by window. Memory of an earlier life is used
 * again. */
spk_status sweep_task_begin(const sweep_shared *shared, uint64_t first, uint64_t last, bool goes_on,
                            sweep_task *task);

/* Bytes that a task of n_candidates candidates takes beside its list. */
uint64_t sweep_task_bytes(const sweep_shared *shared, uint64_t n_candidates);

/* Goes over all ends of task->list, the next window's; the rows of the prefix's last unit are at
 * place + row_shift. */
void sweep_task_window(const sweep_shared *shared, const sweep_table *table, uint64_t row_shift,
                       sweep_task *task);

/* Goes over the ends that the table covers. */
void sweep_task_advance(const sweep_shared *shared, const sweep_table *table, sweep_task *task);

/* Writes the counts of the candidates in [first, last) whose strip is active. */
void sweep_task_finish(const sweep_shared *shared, uint64_t first, uint64_t last, sweep_task *task,
                       uint64_t *counts);

void sweep_task_free(sweep_task *task);
