/*
 * Engine `sweep`: ours. A prefix's occurrences in the form (end, latest start) are computed once and
 * serve every unit and interval that may continue it (lists.h); delay tables turn the search for the
 * next event into one load (table.h); 32 units are counted at a time (kernel.h).
 *
 * Cost: per prefix one step per end and per stream (an interval and 32 units), a step being about six
 * vector instructions on one cache line. Where the counts that are left cannot lift any candidate of
 * a stream to the threshold the stream stops (task.c).
 *
 * When the tables of the whole recording fit into the memory that the engine may take they are built
 * once and prefixes are visited depth first, each thread with its own stack of lists. Otherwise the
 * recording is cut into stretches: a batch of prefixes is carried through all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/sweep/task.h"

enum { TASKS_A_CHUNK = 32, SMALLEST_STRETCH = 1024 };
/* What the engine takes where no limit is set, and what its tables and lists take at least. */
static const uint64_t DEFAULT_MEMORY = 224u << 20;
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
    spk_status status = spk_alloc_zero(context, (void **)&state, 1, sizeof *state, "engine 'sweep'");
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

static uint64_t mark_needed(const sweep_index *index, const spk_episode_block *block, bool *needed)
{
    uint64_t n = 0;
    for (uint64_t c = 0; c < block->n; c++) {
        uint64_t final = c * block->size + block->size - 1;
        uint32_t lane = index->unit_lane[block->unit[final]];
        size_t id = block->delay[final] * index->n_tiles + lane / SWEEP_LANES;
        n += !needed[id];
        needed[id] = true;
    }
    return n;
}

/* ---- the whole recording at once ------------------------------------------------------------- */

static spk_status count_group(const sweep_shared *shared, const sweep_table *table,
                              const prefix_groups *groups, uint64_t g, sweep_path *path,
                              sweep_task *task, uint64_t *counts)
{
    const spk_episode_block *block = shared->block;
    uint64_t first = groups->first[g];
    uint32_t size = block->size - 1;
    spk_status status = sweep_path_go(shared->index, shared->kernels.extend, size,
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
                                 uint64_t *counts)
{
    spk_status result = SPK_OK;
    uint64_t n_chunks = (groups->n + TASKS_A_CHUNK - 1) / TASKS_A_CHUNK;
#pragma omp parallel num_threads(state->job->threads)
    {
        sweep_path path = {.depth = 0};
        sweep_task task = {.n_streams = 0};
        spk_status status = SPK_OK;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t chunk = 0; chunk < n_chunks; chunk++) {
            uint64_t end = (chunk + 1) * TASKS_A_CHUNK;
            end = end < groups->n ? end : groups->n;
            for (uint64_t g = chunk * TASKS_A_CHUNK; g < end; g++)
                if (status == SPK_OK && !spk_context_cancelled(context))
                    status = count_group(shared, &state->table, groups, g, &path, &task, counts);
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
    return smaller != NULL ? smaller : column;
}

static void move_list(sweep_list *from, sweep_list *to)
{
    /* Copies into exactly as much as is used: lists of a batch live side by side. */
    *to = (sweep_list){.n = from->n, .capacity = from->n};
    to->end = shrink(from->end, from->n);
    to->start = shrink(from->start, from->n);
    *from = (sweep_list){.n = 0};
}

/* Lists and lanes of the groups [first, last). */
static spk_status begin_batch(spk_context *context, const sweep_shared *shared, int threads,
                              const prefix_groups *groups, uint64_t first, uint64_t last,
                              sweep_task *tasks)
{
    const spk_episode_block *block = shared->block;
    uint32_t size = block->size - 1;
    spk_status result = SPK_OK;
#pragma omp parallel num_threads(threads)
    {
        sweep_path path = {.depth = 0};
        spk_status status = SPK_OK;
#pragma omp for schedule(dynamic, 4)
        for (uint64_t g = first; g < last; g++) {
            if (status != SPK_OK || spk_context_cancelled(context))
                continue;
            uint64_t c = groups->first[g];
            status = sweep_path_go(shared->index, shared->kernels.extend, size,
                                   block->unit + c * block->size, block->delay + c * block->size, &path);
            if (status != SPK_OK)
                continue;
            move_list(&path.list[size - 1], &tasks[g - first].list);
            path.depth = size - 1;
            status = sweep_task_begin(shared, c, groups->first[g + 1], &tasks[g - first]);
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
                            const prefix_groups *groups, uint64_t first, uint64_t last,
                            uint32_t stretch, const bool *needed, sweep_task *tasks,
                            uint64_t *counts)
{
    int threads = state->job->threads;
    uint64_t n_events = state->index.events.n_events;
    spk_status status = begin_batch(context, shared, threads, groups, first, last, tasks);
    for (uint64_t row = 0; row < n_events && status == SPK_OK; row += stretch) {
        uint32_t n_rows = (uint32_t)(n_events - row < stretch ? n_events - row : stretch);
        if (spk_context_cancelled(context))
            return SPK_OK;
        status = sweep_table_cover(context, &state->index, (uint32_t)row, n_rows, shared->wide,
                                   needed, threads, &state->table);
        if (status != SPK_OK)
            break;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
        for (uint64_t g = first; g < last; g++)
            sweep_task_advance(shared, &state->table, &tasks[g - first]);
    }
    for (uint64_t g = first; g < last && status == SPK_OK; g++)
        sweep_task_finish(shared, groups->first[g], groups->first[g + 1], &tasks[g - first], counts);
    return status;
}

/* Bytes that a group's task can take: a list is never longer than its last unit's events. */
static uint64_t task_bytes(const sweep_shared *shared, const prefix_groups *groups, uint64_t g)
{
    const spk_episode_block *block = shared->block;
    uint64_t last = groups->first[g] * block->size + block->size - 2;
    const uint64_t *unit_first = shared->index->events.unit_first + block->unit[last];
    uint64_t streams = groups->first[g + 1] - groups->first[g];
    uint64_t most = shared->index->n_delays * shared->index->n_tiles;
    streams = streams < most ? streams : most;
    return (unit_first[1] - unit_first[0]) * 2 * sizeof(uint32_t) +
           streams * (sizeof(sweep_wide) + sizeof(sweep_stream)) + sizeof(sweep_task);
}

static spk_status count_by_stretches(spk_context *context, const sweep_shared *shared,
                                     sweep_state *state, const prefix_groups *groups,
                                     uint32_t stretch, const bool *needed, uint64_t *counts)
{
    spk_status status = SPK_OK;
    for (uint64_t first = 0; first < groups->n && status == SPK_OK;) {
        uint64_t bytes = task_bytes(shared, groups, first);
        uint64_t last = first + 1;
        while (last < groups->n && bytes + task_bytes(shared, groups, last) <= state->memory / 2)
            bytes += task_bytes(shared, groups, last++);
        sweep_task *tasks = NULL;
        status = spk_alloc_zero(context, (void **)&tasks, last - first, sizeof *tasks, "a batch");
        if (status == SPK_OK)
            status = run_batch(context, shared, state, groups, first, last, stretch, needed, tasks,
                               counts);
        for (uint64_t g = first; g < last && tasks != NULL; g++)
            sweep_task_free(&tasks[g - first]);
        free(tasks);
        first = last;
        if (spk_context_cancelled(context))
            break;
    }
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

/* Rows of a stretch: all when the tables fit into half of the memory, else as many as fit. */
static uint32_t choose_stretch(const sweep_state *state, uint64_t n_needed, bool wide)
{
    uint64_t n_events = state->index.events.n_events;
    uint64_t fit = state->memory / 2 / (n_needed * sweep_table_stream_bytes(1, wide));
    if (fit < SMALLEST_STRETCH)
        fit = SMALLEST_STRETCH;
    return (uint32_t)(fit < n_events ? fit : n_events);
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
    uint64_t n_needed = mark_needed(&state->index, block, needed);
    uint32_t stretch = choose_stretch(state, n_needed, shared.wide);
    if (stretch == n_events) {
        status = sweep_table_cover(context, &state->index, 0, stretch, shared.wide, needed,
                                   state->job->threads, &state->table);
        if (status == SPK_OK)
            status = count_resident(context, &shared, state, &groups, counts);
    } else {
        status = count_by_stretches(context, &shared, state, &groups, stretch, needed, counts);
    }
    if (status == SPK_ERR_MEMORY)
        spk_fail(context, status, "engine 'sweep': out of memory; close other programs, or mine "
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
