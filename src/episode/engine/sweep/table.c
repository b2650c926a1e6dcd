/* Builds delay tables, going back in time through a stretch of events. */
#include "episode/engine/sweep/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ROW_ALIGNMENT = 64, ROWS_A_TASK = 8192 };

uint64_t sweep_table_stream_bytes(uint64_t n_rows, bool wide)
{
    return n_rows * SWEEP_LANES * (wide ? sizeof(uint32_t) : sizeof(uint16_t));
}

spk_status sweep_table_open(spk_context *context, const sweep_index *index, sweep_table *table)
{
    *table = (sweep_table){.n_streams = index->n_delays * index->n_tiles};
    spk_status status = spk_alloc_zero(context, (void **)&table->stream, table->n_streams,
                                       sizeof(void *), "delay tables");
    if (status == SPK_OK)
        status = spk_alloc_zero(context, (void **)&table->built, table->n_streams, sizeof(bool),
                                "delay tables");
    return status;
}

static void drop_streams(sweep_table *table)
{
    for (size_t k = 0; k < table->n_streams; k++) {
        free(table->stream[k]);
        table->stream[k] = NULL;
    }
}

void sweep_table_close(sweep_table *table)
{
    if (table->stream != NULL)
        drop_streams(table);
    free(table->stream);
    free(table->built);
    *table = (sweep_table){.n_rows = 0};
}

/* First event whose time lies more than `distance` after `time`. */
static uint64_t first_event_after(const spk_events *e, int64_t time, uint64_t distance)
{
    uint64_t low = 0;
    uint64_t high = e->n_events;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bool after = e->time[middle] > time &&
                     (uint64_t)e->time[middle] - (uint64_t)time > distance;
        if (after)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* What a walk back in time knows at a row. */
typedef struct row_walk {
    const sweep_index *index;
    spk_tick_delay delay;
    const uint32_t *lane_unit;   /* of the tile */
    uint32_t tile_first;         /* first lane of the tile */
    uint64_t reach;              /* first event beyond lo of the row */
    uint64_t last;               /* one past the last event within hi of the row */
    uint32_t next[SWEEP_LANES];  /* rank of the lane's first event beyond lo, or UINT32_MAX */
} row_walk;

static void walk_start(row_walk *w, const sweep_index *index, size_t delay, uint32_t tile,
                       uint64_t row)
{
    w->index = index;
    w->delay = index->delays[delay];
    w->tile_first = tile * SWEEP_LANES;
    w->last = first_event_after(&index->events, index->events.time[row], w->delay.hi);
    /* Nothing beyond hi of the last row concerns an earlier row. */
    w->reach = w->last;
    for (int lane = 0; lane < SWEEP_LANES; lane++)
        w->next[lane] = UINT32_MAX;
}

static void walk_to(row_walk *w, uint64_t row)
{
    const spk_events *e = &w->index->events;
    int64_t time = e->time[row];
    while (w->last > row + 1 && (uint64_t)e->time[w->last - 1] - (uint64_t)time > w->delay.hi)
        w->last--;
    while (w->reach > row + 1 && e->time[w->reach - 1] > time &&
           (uint64_t)e->time[w->reach - 1] - (uint64_t)time > w->delay.lo) {
        w->reach--;
        uint32_t lane = w->index->unit_lane[e->unit[w->reach]] - w->tile_first;
        if (lane < SWEEP_LANES)
            w->next[lane] = w->index->rank[w->reach];
    }
}

static void write_narrow(const row_walk *w, uint64_t row, uint16_t *out)
{
    uint32_t here = w->index->rank[row];
    uint32_t within = w->index->rank[w->last - 1];
    for (int lane = 0; lane < SWEEP_LANES; lane++)
        out[lane] = (uint16_t)(w->next[lane] <= within ? w->next[lane] - here : 0);
}

static void write_wide(const row_walk *w, uint64_t row, uint32_t *out)
{
    uint32_t here = w->index->rank[row];
    uint32_t within = w->index->rank[w->last - 1];
    for (int lane = 0; lane < SWEEP_LANES; lane++)
        out[lane] = w->next[lane] <= within ? w->next[lane] - here : 0;
}

static void write_row(const row_walk *w, const sweep_table *table, size_t stream, uint64_t event,
                      uint64_t place)
{
    uint64_t at = (place - table->first) * SWEEP_LANES;
    if (table->wide)
        write_wide(w, event, (uint32_t *)table->stream[stream] + at);
    else
        write_narrow(w, event, (uint16_t *)table->stream[stream] + at);
}

/* The place of the unit's first event at or behind event number `event`. */
static uint64_t place_of(const spk_events *e, uint32_t unit, uint64_t event)
{
    uint64_t low = e->unit_first[unit];
    uint64_t high = e->unit_first[unit + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (e->by_unit[middle] >= event)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Rows of the events [from, to), of all units: one walk, with a cursor into every unit's places. */
static void build_all_units(const sweep_index *index, const sweep_table *table, size_t stream,
                            uint64_t from, uint64_t to, uint64_t *cursor)
{
    const spk_events *e = &index->events;
    row_walk walk;
    walk_start(&walk, index, stream / index->n_tiles, (uint32_t)(stream % index->n_tiles), to - 1);
    for (uint32_t u = 0; u < e->n_units; u++)
        cursor[u] = place_of(e, u, to);
    for (uint64_t event = to; event-- > from;) {
        walk_to(&walk, event);
        write_row(&walk, table, stream, event, --cursor[e->unit[event]]);
    }
}

/* Rows of the places [from, to) of one unit. */
static void build_one_unit(const sweep_index *index, const sweep_table *table, size_t stream,
                           uint64_t from, uint64_t to)
{
    const uint32_t *by_unit = index->events.by_unit;
    row_walk walk;
    walk_start(&walk, index, stream / index->n_tiles, (uint32_t)(stream % index->n_tiles),
               by_unit[to - 1]);
    for (uint64_t place = to; place-- > from;) {
        walk_to(&walk, by_unit[place]);
        write_row(&walk, table, stream, by_unit[place], place);
    }
}

static spk_status build_streams(const sweep_index *index, const sweep_table *table,
                                const bool *build, int threads)
{
    bool all = table->n_rows == index->events.n_events;
    uint64_t n_tasks = (table->n_rows + ROWS_A_TASK - 1) / ROWS_A_TASK;
    spk_status result = SPK_OK;
#pragma omp parallel num_threads(threads)
    {
        uint64_t *cursor = NULL;
        spk_status status = spk_alloc(NULL, (void **)&cursor, index->events.n_units,
                                      sizeof *cursor, "delay tables");
#pragma omp for collapse(2) schedule(dynamic, 1)
        for (uint64_t task = 0; task < n_tasks; task++) {
            for (size_t k = 0; k < table->n_streams; k++) {
                uint64_t from = table->first + task * ROWS_A_TASK;
                uint64_t to = table->first + table->n_rows;
                to = to - from > ROWS_A_TASK ? from + ROWS_A_TASK : to;
                if (build[k] && status == SPK_OK && all)
                    build_all_units(index, table, k, from, to, cursor);
                else if (build[k] && status == SPK_OK)
                    build_one_unit(index, table, k, from, to);
            }
        }
        free(cursor);
        if (status != SPK_OK) {
#pragma omp critical(spk_sweep_table_status)
            result = status;
        }
    }
    return result;
}

/* Room for the rows of every stream that is needed and not there. */
static spk_status allocate_streams(spk_context *context, const bool *needed, sweep_table *table)
{
    uint64_t bytes = sweep_table_stream_bytes(table->n_rows, table->wide);
    for (size_t k = 0; k < table->n_streams; k++) {
        if (!needed[k] || table->stream[k] != NULL)
            continue;
        if (bytes < SIZE_MAX / 2)
            table->stream[k] = aligned_alloc(ROW_ALIGNMENT, (size_t)bytes);
        if (table->stream[k] == NULL)
            return spk_fail_memory(context, bytes, "delay tables");
    }
    return SPK_OK;
}

spk_status sweep_table_cover(spk_context *context, const sweep_index *index, uint64_t first,
                             uint64_t n_rows, bool wide, const bool *needed, int threads,
                             sweep_table *table)
{
    bool *build = NULL;
    spk_status status = spk_alloc_zero(context, (void **)&build, table->n_streams, sizeof *build,
                                       "delay tables");
    if (status != SPK_OK)
        return status;
    if (table->first != first || n_rows != table->n_rows || wide != table->wide) {
        drop_streams(table);
        memset(table->built, 0, table->n_streams * sizeof *table->built);
    }
    table->first = first;
    table->n_rows = n_rows;
    table->wide = wide;
    status = allocate_streams(context, needed, table);
    if (status == SPK_OK) {
        for (size_t k = 0; k < table->n_streams; k++) {
            build[k] = needed[k] && !table->built[k];
            table->built[k] |= build[k];
        }
        status = build_streams(index, table, build, threads);
    }
    free(build);
    return status;
}
