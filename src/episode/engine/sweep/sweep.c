/*
 * Engine `sweep`: ours. A prefix's occurrences in the form (end, latest start) are computed once
 * and serve every unit and interval that may continue it (lists.h); delay tables turn the search
 * for the next event into one load (table.h); 32 units are counted at a time (kernel.h).
 *
 * Cost: per prefix one step per end and per stream (an interval and 32 units), a step being about
 * six vector instructions on one cache line. Where the counts that are left cannot lift any
 * candidate of a stream to the threshold the stream stops (task.c).
 *
 * When the tables of all units fit into the memory that the engine may take they are built once and
 * stay. Otherwise one unit's tables at a time: all prefixes that end with it, and as many streams
 * at once as fit. Should even one stream of one unit be too large, its rows are cut into stretches
 * and a batch of prefixes is carried through all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/sweep/task.h"

enum { MOST_TASKS_A_CHUNK = 128, SMALLEST_STRETCH = 1024 };
/* What the engine takes where no limit is set, and what its tables and lists take at least. */
static const uint64_t DEFAULT_MEMORY = 160u << 20;
static const uint64_t LEAST_MEMORY = 16u << 20;

typedef struct sweep_state {
    const spk_episode_job *job;
    sweep_index index;
    sweep_table table;
    uint64_t memory; /* for tables and lists, beyond the index */
} sweep_state;

/* Candidates [first[g], first[g + 1]) share their prefix. */
typedef struct prefix_groups {
    uint64_t n;
    uint64_t *first;
} prefix_groups;

/* Some of the groups, in order; list = NULL: all of them. */
typedef struct group_set {
    uint64_t n;
    const uint64_t *list;
} group_set;

static uint64_t group_at(const group_set *set, uint64_t k)
{
    return set->list != NULL ? set->list[k] : k;
}

static bool available(char *reason, size_t reason_size)
{
    (void)reason_size;
    reason[0] = '\0';
    return true;
}

static void close_job(void *raw)
{
    sweep_state *state = raw;
    if (state == NULL)
        return;
    sweep_table_close(&state->table);
    sweep_index_close(&state->index);
    free(state);
}

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **out)
{
    *out = NULL;
    sweep_state *state = NULL;
    spk_status status =
        spk_alloc_zero(context, (void **)&state, 1, sizeof *state, "engine 'sweep'");
    if (status != SPK_OK)
        return status;
    state->job = job;
    status = sweep_index_open(context, job, &state->index);
    state->memory = job->memory > 0 ? job->memory : DEFAULT_MEMORY;
    state->memory = state->memory > state->index.bytes + LEAST_MEMORY
                        ? state->memory - state->index.bytes
                        : LEAST_MEMORY;
    if (status == SPK_OK)
        status = sweep_table_open(context, &state->index, &state->table);
    if (status == SPK_OK)
        *out = state;
    else
        close_job(state);
    return status;
}

/* ---- groups and streams ---------------------------------------------------------------------- */

static bool same_prefix(const spk_episode_block *block, uint64_t a, uint64_t b)
{
    size_t n = block->size - 1;
    return memcmp(block->unit + a * block->size, block->unit + b * block->size,
                  n * sizeof(uint32_t)) == 0 &&
           memcmp(block->delay + a * block->size, block->delay + b * block->size,
                  n * sizeof(uint16_t)) == 0;
}

static spk_status find_groups(spk_context *context, const spk_episode_block *block,
                              prefix_groups *groups)
{
    uint64_t capacity = 0;
    spk_status status = SPK_OK;
    for (uint64_t c = 0; c <= block->n && status == SPK_OK; c++) {
        if (c > 0 && c < block->n && same_prefix(block, c - 1, c))
            continue;
        status = spk_grow(context, (void **)&groups->first, &capacity, groups->n + 1,
                          sizeof(uint64_t), "candidate groups");
        if (status == SPK_OK)
            groups->first[groups->n++] = c;
    }
    groups->n--; /* the last entry only closes the last group */
    return status;
}

static uint32_t last_unit(const spk_episode_block *block, const prefix_groups *groups, uint64_t g)
{
    return block->unit[groups->first[g] * block->size + block->size - 2];
}

/* Marks the streams that hold candidates of these groups; returns how many. */
static uint64_t mark_needed(const sweep_index *index, const spk_episode_block *block,
                            const prefix_groups *groups, const group_set *set, bool *needed)
{
    uint64_t n = 0;
    memset(needed, 0, index->n_delays * index->n_tiles * sizeof *needed);
    for (uint64_t k = 0; k < set->n; k++) {
        uint64_t g = group_at(set, k);
        for (uint64_t c = groups->first[g]; c < groups->first[g + 1]; c++) {
            uint64_t final = c * block->size + block->size - 1;
            uint32_t lane = index->unit_lane[block->unit[final]];
            size_t id = block->delay[final] * index->n_tiles + lane / SWEEP_LANES;
            n += !needed[id];
            needed[id] = true;
        }
    }
    return n;
}

/* ---- with the tables in memory --------------------------------------------------------------- */

static spk_status count_group(const sweep_shared *shared, const sweep_table *table,
                              const prefix_groups *groups, uint64_t g, sweep_path *path,
                              sweep_task *task, uint64_t *counts)
{
    const spk_episode_block *block = shared->block;
    uint64_t first = groups->first[g];
    uint32_t size = block->size - 1;
    spk_status status =
        sweep_path_go(shared->index, shared->kernels.extend, size,
                      block->unit + first * block->size, block->delay + first * block->size, path);
    if (status != SPK_OK)
        return status;
    task->list = path->list[size - 1]; /* borrowed from the path */
    status = sweep_task_begin(shared, first, groups->first[g + 1], task);
    if (status == SPK_OK) {
        sweep_task_advance(shared, table, task);
        sweep_task_finish(shared, first, groups->first[g + 1], task, counts);
    }
    task->list = (sweep_list){.n = 0};
    return status;
}

static spk_status count_resident(spk_context *context, const sweep_shared *shared,
                                 const sweep_state *state, const prefix_groups *groups,
                                 const group_set *set, uint64_t *counts)
{
    spk_status result = SPK_OK;
    /* Neighbours share most of their path, so long chunks save work; short ones balance it. */
    uint64_t chunk_size = set->n / (16 * (uint64_t)state->job->threads) + 1;
    chunk_size = chunk_size < MOST_TASKS_A_CHUNK ? chunk_size : MOST_TASKS_A_CHUNK;
    uint64_t n_chunks = (set->n + chunk_size - 1) / chunk_size;
#pragma omp parallel num_threads(state->job->threads)
    {
        sweep_path path = {.depth = 0};
        sweep_task task = {.n_streams = 0};
        spk_status status = SPK_OK;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t chunk = 0; chunk < n_chunks; chunk++) {
            uint64_t end = (chunk + 1) * chunk_size;
            end = end < set->n ? end : set->n;
            for (uint64_t k = chunk * chunk_size; k < end; k++)
                if (status == SPK_OK && !spk_context_cancelled(context))
                    status = count_group(shared, &state->table, groups, group_at(set, k), &path,
                                         &task, counts);
        }
        sweep_path_free(&path);
        sweep_task_free(&task);
        if (status != SPK_OK) {
#pragma omp critical(spk_sweep_status)
            result = status;
        }
    }
    return result;
}

/* ---- stretch by stretch ---------------------------------------------------------------------- */

static uint32_t *shrink(uint32_t *column, uint64_t n)
{
    uint32_t *smaller = realloc(column, n > 0 ? n * sizeof *column : 1);
    if (smaller == NULL)
        return column;
    return smaller;
}

static void move_list(sweep_list *from, sweep_list *to)
{
    /* Copies into exactly as much as is used: lists of a batch live side by side. */
    *to = (sweep_list){.n = from->n, .capacity = from->n};
    to->end = shrink(from->end, from->n);
    to->start = shrink(from->start, from->n);
    *from = (sweep_list){.n = 0};
}

/* A batch of groups on its way through the stretches. */
typedef struct sweep_batch {
    const prefix_groups *groups;
    const group_set *set;
    uint64_t first; /* the groups first .. last - 1 of the set */
    uint64_t last;
    sweep_task *tasks; /* one each */
} sweep_batch;

/* Lists and lanes of all tasks. */
static spk_status begin_batch(spk_context *context, const sweep_shared *shared, int threads,
                              const sweep_batch *batch)
{
    const spk_episode_block *block = shared->block;
    uint32_t size = block->size - 1;
    spk_status result = SPK_OK;
#pragma omp parallel num_threads(threads)
    {
        sweep_path path = {.depth = 0};
        spk_status status = SPK_OK;
#pragma omp for schedule(dynamic, 4)
        for (uint64_t k = batch->first; k < batch->last; k++) {
            if (status != SPK_OK || spk_context_cancelled(context))
                continue;
            uint64_t g = group_at(batch->set, k);
            uint64_t c = batch->groups->first[g];
            sweep_task *task = &batch->tasks[k - batch->first];
            status =
                sweep_path_go(shared->index, shared->kernels.extend, size,
                              block->unit + c * block->size, block->delay + c * block->size, &path);
            if (status != SPK_OK)
                continue;
            move_list(&path.list[size - 1], &task->list);
            path.depth = size - 1;
            status = sweep_task_begin(shared, c, batch->groups->first[g + 1], task);
        }
        sweep_path_free(&path);
        if (status != SPK_OK) {
#pragma omp critical(spk_sweep_status)
            result = status;
        }
    }
    return result;
}

static spk_status run_batch(spk_context *context, const sweep_shared *shared, sweep_state *state,
                            uint32_t unit, uint64_t stretch, const sweep_batch *batch,
                            uint64_t *counts)
{
    int threads = state->job->threads;
    const uint64_t *place = state->index.events.unit_first + unit;
    uint64_t n_tasks = batch->last - batch->first;
    spk_status status = begin_batch(context, shared, threads, batch);
    for (uint64_t first = place[0]; first < place[1] && status == SPK_OK; first += stretch) {
        uint64_t n_rows = place[1] - first < stretch ? place[1] - first : stretch;
        if (spk_context_cancelled(context))
            return SPK_OK;
        status = sweep_table_cover(context, &state->index, first, n_rows, shared->wide,
                                   shared->active, threads, &state->table);
        if (status != SPK_OK)
            break;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
        for (uint64_t k = 0; k < n_tasks; k++)
            sweep_task_advance(shared, &state->table, &batch->tasks[k]);
    }
    for (uint64_t k = 0; k < n_tasks && status == SPK_OK; k++) {
        uint64_t g = group_at(batch->set, batch->first + k);
        sweep_task_finish(shared, batch->groups->first[g], batch->groups->first[g + 1],
                          &batch->tasks[k], counts);
    }
    return status;
}

/* As many groups at once as half of the memory holds: a list is never longer than its last unit has
 * events. */
static uint64_t batch_size(const sweep_state *state, uint32_t unit)
{
    const uint64_t *place = state->index.events.unit_first + unit;
    uint64_t bytes = (place[1] - place[0]) * 2 * sizeof(uint32_t) + sizeof(sweep_wide) +
                     sizeof(sweep_stream) + sizeof(sweep_task);
    return state->memory / 2 / bytes + 1;
}

static spk_status count_by_stretches(spk_context *context, const sweep_shared *shared,
                                     sweep_state *state, uint32_t unit, uint64_t stretch,
                                     const prefix_groups *groups, const group_set *set,
                                     uint64_t *counts)
{
    spk_status status = SPK_OK;
    uint64_t most = batch_size(state, unit);
    for (uint64_t first = 0; first < set->n && status == SPK_OK; first += most) {
        sweep_batch batch = {.groups = groups,
                             .set = set,
                             .first = first,
                             .last = set->n - first < most ? set->n : first + most};
        uint64_t n_tasks = batch.last - first;
        status =
            spk_alloc_zero(context, (void **)&batch.tasks, n_tasks, sizeof *batch.tasks, "a batch");
        if (status == SPK_OK)
            status = run_batch(context, shared, state, unit, stretch, &batch, counts);
        for (uint64_t k = 0; batch.tasks != NULL && k < n_tasks; k++)
            sweep_task_free(&batch.tasks[k]);
        free(batch.tasks);
        if (spk_context_cancelled(context))
            break;
    }
    return status;
}

/* ---- unit by unit ---------------------------------------------------------------------------- */

/* Picks from `needed`, from *next on, as many streams as fit together; false when none are left. */
static bool pick_streams(const sweep_table *table, const bool *needed, uint64_t most, size_t *next,
                         bool *active)
{
    uint64_t n = 0;
    memset(active, 0, table->n_streams * sizeof *active);
    for (; *next < table->n_streams && n < most; ++*next) {
        active[*next] = needed[*next];
        n += needed[*next];
    }
    return n > 0;
}

/* Groups whose prefix ends with one unit. */
static spk_status count_unit(spk_context *context, sweep_shared *shared, sweep_state *state,
                             uint32_t unit, const prefix_groups *groups, const group_set *set,
                             bool *needed, bool *active, uint64_t *counts)
{
    const uint64_t *place = state->index.events.unit_first + unit;
    uint64_t n_rows = place[1] - place[0];
    uint64_t rows_fit = state->memory / 2 / sweep_table_stream_bytes(1, shared->wide);
    uint64_t streams_fit = n_rows > 0 && rows_fit / n_rows > 1 ? rows_fit / n_rows : 1;
    size_t next = 0;
    spk_status status = SPK_OK;
    mark_needed(&state->index, shared->block, groups, set, needed);
    shared->active = active;
    while (status == SPK_OK && pick_streams(&state->table, needed, streams_fit, &next, active)) {
        if (rows_fit < n_rows) {
            uint64_t stretch = rows_fit > SMALLEST_STRETCH ? rows_fit : SMALLEST_STRETCH;
            status = count_by_stretches(context, shared, state, unit, stretch, groups, set, counts);
            continue;
        }
        status = sweep_table_cover(context, &state->index, place[0], n_rows, shared->wide, active,
                                   state->job->threads, &state->table);
        if (status == SPK_OK)
            status = count_resident(context, shared, state, groups, set, counts);
    }
    return status;
}

static spk_status count_unit_by_unit(spk_context *context, sweep_shared *shared, sweep_state *state,
                                     const prefix_groups *groups, bool *needed, uint64_t *counts)
{
    uint32_t n_units = state->index.events.n_units;
    uint64_t *first = NULL; /* per unit: where its groups start in `list` */
    uint64_t *list = NULL;
    bool *active = NULL;
    spk_status status = spk_alloc_zero(context, (void **)&first, (uint64_t)n_units + 2,
                                       sizeof *first, "candidate groups");
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)&list, groups->n, sizeof *list, "candidate groups");
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)&active, state->table.n_streams, sizeof *active,
                           "delay tables");
    if (status != SPK_OK)
        goto done;
    for (uint64_t g = 0; g < groups->n; g++)
        first[last_unit(shared->block, groups, g) + 2]++;
    for (uint32_t u = 0; u < n_units; u++)
        first[u + 2] += first[u + 1];
    for (uint64_t g = 0; g < groups->n; g++)
        list[first[last_unit(shared->block, groups, g) + 1]++] = g;
    for (uint32_t u = 0; u < n_units && status == SPK_OK; u++) {
        group_set set = {first[u + 1] - first[u], list + first[u]};
        if (set.n > 0 && !spk_context_cancelled(context))
            status = count_unit(context, shared, state, u, groups, &set, needed, active, counts);
    }
done:
    free(first);
    free(list);
    free(active);
    return status;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_single_units(const sweep_state *state, const spk_episode_block *block,
                               uint64_t *counts)
{
    const uint64_t *unit_first = state->index.events.unit_first;
    for (uint64_t c = 0; c < block->n; c++)
        counts[c] = unit_first[block->unit[c] + 1] - unit_first[block->unit[c]];
}

static spk_status count(spk_context *context, void *raw, const spk_episode_block *block,
                        uint64_t *counts)
{
    sweep_state *state = raw;
    uint64_t n_events = state->index.events.n_events;
    if (block->size == 1 || n_events == 0 || block->n == 0) {
        if (block->size == 1)
            count_single_units(state, block, counts);
        else
            memset(counts, 0, block->n * sizeof *counts);
        return SPK_OK;
    }
    prefix_groups groups = {.n = 0};
    bool *needed = NULL;
    sweep_shared shared = {.index = &state->index,
                           .block = block,
                           .kernels = sweep_kernels_choose(),
                           .wide = (block->size - 1) * state->index.widest_span + 1 > UINT16_MAX};
    spk_status status = find_groups(context, block, &groups);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, (void **)&needed, state->table.n_streams, sizeof *needed,
                                "delay tables");
    if (status != SPK_OK)
        goto done;
    group_set all = {groups.n, NULL};
    uint64_t n_needed = mark_needed(&state->index, block, &groups, &all, needed);
    if (n_needed * sweep_table_stream_bytes(n_events, shared.wide) <= state->memory / 2) {
        shared.active = needed;
        status = sweep_table_cover(context, &state->index, 0, n_events, shared.wide, needed,
                                   state->job->threads, &state->table);
        if (status == SPK_OK)
            status = count_resident(context, &shared, state, &groups, &all, counts);
    } else {
        status = count_unit_by_unit(context, &shared, state, &groups, needed, counts);
    }
    if (status == SPK_ERR_MEMORY)
        spk_fail(context, status,
                 "engine 'sweep': out of memory; close other programs, or mine "
                 "fewer units or a shorter stretch");
    if (status == SPK_OK)
        status = spk_check_cancel(context);
done:
    free(groups.first);
    free(needed);
    return status;
}

const spk_episode_engine spk_engine_sweep = {
    .name = "sweep",
    .summary = "latest starts, delay tables, 32 units at a time: the fastest on a CPU",
    .needs = "",
    .available = available,
    .open = open_job,
    .count = count,
    .close = close_job,
};
