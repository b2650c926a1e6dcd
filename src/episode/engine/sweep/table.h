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
#ifndef SPK_EPISODE_ENGINE_SWEEP_TABLE_H
#define SPK_EPISODE_ENGINE_SWEEP_TABLE_H

#include "episode/engine/sweep/index.h"

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

#endif
