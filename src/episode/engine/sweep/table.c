/*
 * Builds delay tables, going back in time through a stretch of events.
 *
 *     time             t       t + lo                t + hi
 *     events of b      |  b      |      b    b          |    b
 *     next[lane of b]                   ^ the first one beyond lo
 *     row of t         its rank less that of t, where it lies within hi; else 0
 *
 * Invariant: at each row `next` has the first event beyond lo of each lane. Going back, lo uncovers
 * one event after the other, and an earlier one takes the place of a later one: each event enters
 * once. Cost: a step an event of the stretch and of what its end reaches, and the rows that are
 * written. Bytes: 32 entries of 2 or 4 a row and strip; a number for each lane and unit a thread.
 */
#include "episode/engine/sweep/task.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ROW_ALIGNMENT = 64, ROWS_A_TASK = 8192 };

uint64_t sweep_table_strip_bytes(uint64_t n_rows, bool wide)
{
    return n_rows * SWEEP_LANES * (wide ? sizeof(uint32_t) : sizeof(uint16_t));
}

spk_status sweep_table_open(spk_context *context, const sweep_index *index, sweep_table *table)
{
    *table = (sweep_table){.n_strips = sweep_n_strips(index)};
    spk_status status =
        spk_alloc_columns(context, "delay tables", SPK_COLUMN_ZERO(&table->strip, table->n_strips),
                          SPK_COLUMN_ZERO(&table->bytes, table->n_strips),
                          SPK_COLUMN_ZERO(&table->built, table->n_strips));
    return status;
}

static void drop_strip(sweep_table *table, size_t k)
{
    free(table->strip[k]);
    table->strip[k] = NULL;
    table->bytes[k] = 0;
}

uint64_t sweep_table_missing(const sweep_table *table, uint64_t n_events, bool wide,
                             const bool *needed)
{
    bool same = table->first == 0 && table->n_rows == n_events && table->wide == wide;
    uint64_t n = 0;
    for (size_t k = 0; k < table->n_strips; k++)
        n += needed[k] && !(same && table->built[k]);
    return n;
}

void sweep_table_empty(sweep_table *table)
{
    for (size_t k = 0; k < table->n_strips; k++) {
        drop_strip(table, k);
        table->built[k] = false;
    }
}

void sweep_table_close(sweep_table *table)
{
    for (size_t k = 0; table->strip != NULL && table->bytes != NULL && k < table->n_strips; k++)
        drop_strip(table, k);
    spk_free_all(table->strip, table->bytes, table->built);
    *table = (sweep_table){.n_rows = 0};
}

/* A walk back in time that builds rows of one delay interval, all tiles at once. */
struct sweep_row_walk {
    const sweep_index *index;
    sweep_table *table;
    const bool *build; /* per strip: are its rows wanted? */
    size_t delay;
    uint64_t reach;   /* first event beyond lo of the present row */
    uint64_t last;    /* one past the last event within hi of it */
    uint32_t *next;   /* per lane: rank of its first event beyond lo, or UINT32_MAX */
    uint64_t *cursor; /* per unit: a place, for walks through all units */
};

typedef struct sweep_row_walk row_walk;

static spk_status walk_open(const sweep_index *index, sweep_table *table, const bool *build,
                            row_walk *w)
{
    *w = (row_walk){.index = index, .table = table, .build = build};
    spk_status status = spk_alloc_columns(
        NULL, "delay tables", SPK_COLUMN(&w->next, (uint64_t)index->n_tiles * SWEEP_LANES),
        SPK_COLUMN(&w->cursor, index->events.n_units));
    return status;
}

static void walk_close(row_walk *w)
{
    free(w->next);
    free(w->cursor);
}

static void walk_start(row_walk *w, size_t delay, uint64_t event)
{
    const spk_events *e = &w->index->events;
    assert(delay < w->index->n_delays && event < e->n_events);
    w->delay = delay;
    w->last = sweep_first_event_after(e, e->time[event], w->index->delays[delay].hi);
    /* Nothing beyond hi of the last row concerns an earlier row. */
    w->reach = w->last;
    for (uint32_t lane = 0; lane < w->index->n_tiles * SWEEP_LANES; lane++)
        w->next[lane] = UINT32_MAX;
}

static void walk_to(row_walk *w, uint64_t event)
{
    const sweep_index *index = w->index;
    const spk_events *e = &index->events;
    const spk_tick_delay delay = index->delays[w->delay];
    const int64_t time = e->time[event];
    uint64_t reach = w->reach;
    while (w->last > event + 1 && (uint64_t)e->time[w->last - 1] - (uint64_t)time > delay.hi)
        w->last--;
    /* Events after this one are not before it, so the distance cannot wrap; ties have distance 0.
     */
    while (reach > event + 1 && (uint64_t)e->time[reach - 1] - (uint64_t)time > delay.lo) {
        reach--;
        w->next[index->unit_lane[e->unit[reach]]] = index->rank[reach];
    }
    w->reach = reach;
}

static void write_narrow(const uint32_t *next, uint32_t here, uint32_t within, uint16_t *out)
{
    for (int lane = 0; lane < SWEEP_LANES; lane++)
        out[lane] = (uint16_t)(next[lane] <= within ? next[lane] - here : 0);
}

static void write_wide(const uint32_t *next, uint32_t here, uint32_t within, uint32_t *out)
{
    for (int lane = 0; lane < SWEEP_LANES; lane++)
        out[lane] = next[lane] <= within ? next[lane] - here : 0;
}

/* Goes to an event and writes its rows, number `row` of each strip. */
static void write_rows(row_walk *w, uint64_t event, uint64_t row)
{
    const sweep_index *index = w->index;
    uint64_t at = row * SWEEP_LANES;
    assert(event < index->events.n_events && row < w->table->n_rows);
    walk_to(w, event);
    uint32_t here = index->rank[event];
    uint32_t within = index->rank[w->last - 1];
    for (uint32_t tile = 0; tile < index->n_tiles; tile++) {
        size_t strip = w->delay * index->n_tiles + tile;
        const uint32_t *next = w->next + (size_t)tile * SWEEP_LANES;
        if (!w->build[strip])
            continue;
        assert(w->table->strip[strip] != NULL);
        if (w->table->wide)
            write_wide(next, here, within, (uint32_t *)w->table->strip[strip] + at);
        else
            write_narrow(next, here, within, (uint16_t *)w->table->strip[strip] + at);
    }
}

/* Rows of the events [from, to), of all units: one walk, with a cursor into every unit's places. */
static void build_all_units(row_walk *w, size_t delay, uint64_t from, uint64_t to)
{
    const spk_events *e = &w->index->events;
    walk_start(w, delay, to - 1);
    for (uint32_t u = 0; u < e->n_units; u++)
        w->cursor[u] = sweep_place_among(e, e->unit_first[u], e->unit_first[u + 1], to);
    for (uint64_t event = to; event-- > from;)
        write_rows(w, event, --w->cursor[e->unit[event]] - w->table->first);
}

/* Rows of the places [from, to) of one unit. */
static void build_one_unit(row_walk *w, size_t delay, uint64_t from, uint64_t to)
{
    const uint32_t *by_unit = w->index->events.by_unit;
    walk_start(w, delay, by_unit[to - 1]);
    for (uint64_t place = to; place-- > from;)
        write_rows(w, by_unit[place], place - w->table->first);
}

spk_status sweep_row_walk_open(const sweep_index *index, sweep_table *table, sweep_row_walk **out)
{
    *out = NULL;
    row_walk *walk = NULL;
    spk_status status = spk_alloc_zero(NULL, &walk, 1, "delay tables");
    if (status == SPK_OK)
        status = walk_open(index, table, NULL, walk);
    if (status == SPK_OK)
        *out = walk;
    else
        sweep_row_walk_close(walk);
    return status;
}

void sweep_row_walk_close(sweep_row_walk *walk)
{
    if (walk != NULL)
        walk_close(walk);
    free(walk);
}

void sweep_row_walk_write(sweep_row_walk *walk, const bool *needed, size_t delay, uint64_t from,
                          uint64_t to, const sweep_layout *layout)
{
    const spk_events *e = &walk->index->events;
    walk->build = needed;
    walk_start(walk, delay, to - 1);
    for (uint32_t u = 0; u < e->n_units; u++)
        if (layout->row_shift[u] != SWEEP_NO_ROWS)
            walk->cursor[u] =
                sweep_place_among(e, layout->first[u], layout->first[u] + layout->n[u], to);
    for (uint64_t event = to; event-- > from;) {
        uint32_t unit = e->unit[event];
        if (layout->row_shift[unit] != SWEEP_NO_ROWS)
            write_rows(walk, event, --walk->cursor[unit] + layout->row_shift[unit]);
    }
}

static bool any_tile(const sweep_index *index, const bool *build, size_t delay)
{
    for (uint32_t tile = 0; tile < index->n_tiles; tile++)
        if (build[delay * index->n_tiles + tile])
            return true;
    return false;
}

static spk_status build_strips(const sweep_index *index, sweep_table *table, const bool *build,
                               int threads)
{
    bool all = table->n_rows == index->events.n_events;
    uint64_t n_tasks = (table->n_rows + ROWS_A_TASK - 1) / ROWS_A_TASK;
    spk_status result = SPK_OK;
#pragma omp parallel num_threads(threads)
    {
        row_walk walk;
        spk_status status = walk_open(index, table, build, &walk);
#pragma omp for collapse(2) schedule(dynamic, 1)
        for (uint64_t task = 0; task < n_tasks; task++) {
            /* A task has some rows of all strips of one delay: no two threads write the same row.
             */
            for (size_t delay = 0; delay < index->n_delays; delay++) {
                uint64_t from = table->first + task * ROWS_A_TASK;
                uint64_t to = table->first + table->n_rows;
                to = to - from > ROWS_A_TASK ? from + ROWS_A_TASK : to;
                if (status != SPK_OK || !any_tile(index, build, delay))
                    continue;
                if (all)
                    build_all_units(&walk, delay, from, to);
                else
                    build_one_unit(&walk, delay, from, to);
            }
        }
        walk_close(&walk);
        if (status != SPK_OK) {
#pragma omp critical(spk_sweep_table_status)
            result = status;
        }
    }
    return result;
}

/* Room for the rows of every strip that is needed. Room that is there is used again: tables of one
 * unit after the other would leave the heap full of holes. */
static spk_status allocate_strips(spk_context *context, const bool *needed, sweep_table *table)
{
    uint64_t bytes = sweep_table_strip_bytes(table->n_rows, table->wide);
    for (size_t k = 0; k < table->n_strips; k++)
        if ((!needed[k] && !table->built[k]) || table->bytes[k] < bytes)
            drop_strip(table, k);
    for (size_t k = 0; k < table->n_strips; k++) {
        if (!needed[k] || table->strip[k] != NULL)
            continue;
        if (bytes < SIZE_MAX / 2)
            table->strip[k] = aligned_alloc(ROW_ALIGNMENT, (size_t)bytes);
        if (table->strip[k] == NULL)
            return spk_fail_memory(context, bytes, "delay tables");
        table->bytes[k] = bytes;
    }
    return SPK_OK;
}

spk_status sweep_table_reserve(spk_context *context, uint64_t n_rows, bool wide, const bool *needed,
                               sweep_table *table)
{
    memset(table->built, 0, table->n_strips * sizeof *table->built);
    table->first = 0;
    table->n_rows = n_rows;
    table->wide = wide;
    return allocate_strips(context, needed, table);
}

spk_status sweep_table_cover(spk_context *context, const sweep_index *index, uint64_t first,
                             uint64_t n_rows, bool wide, const bool *needed, int threads,
                             sweep_table *table)
{
    bool *build = NULL;
    assert(first + n_rows <= index->events.n_events && threads > 0);
    spk_status status = spk_alloc_zero(context, &build, table->n_strips, "delay tables");
    if (status != SPK_OK)
        return status;
    /* Strips of the same rows stay: only what is new is built. */
    if (table->first != first || n_rows != table->n_rows || wide != table->wide)
        memset(table->built, 0, table->n_strips * sizeof *table->built);
    table->first = first;
    table->n_rows = n_rows;
    table->wide = wide;
    status = allocate_strips(context, needed, table);
    if (status == SPK_OK) {
        for (size_t k = 0; k < table->n_strips; k++) {
            build[k] = needed[k] && !table->built[k];
            table->built[k] |= build[k];
        }
        status = build_strips(index, table, build, threads);
    }
    free(build);
    return status;
}
