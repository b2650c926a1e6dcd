/*
 * Counts all continuations of one prefix.
 *
 *     list of ends -> chunks of SWEEP_CHUNK -> rows of the strips -> lanes -> totals
 *     bits                                     16 or 32              16 or 32   64
 *
 * Invariant: a lane counts at most one a step, so that lanes of 16 bits are emptied into the totals
 * before DRAIN_STEPS and a chunk have passed. Strips that cannot reach the support any more are
 * dropped chunk by chunk (prune). Cost: a step for each end and strip that is left. Bytes: a lane's
 * state and total for each strip with candidates.
 */
#include "episode/engine/sweep/task.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/sweep/groups.h"

enum { DRAIN_STEPS = 65535 - SWEEP_CHUNK };
static_assert(DRAIN_STEPS > 0 && DRAIN_STEPS + SWEEP_CHUNK <= UINT16_MAX,
              "a lane of 16 bits counts at most one a step");
static_assert(SWEEP_LANES == 32, "sweep_strip.candidates has a bit for each lane");

static size_t lanes_bytes(bool wide)
{
    return wide ? sizeof(sweep_wide) : sizeof(sweep_narrow);
}

/* Where a candidate is counted. */
typedef struct candidate_place {
    uint32_t strip;
    uint32_t lane; /* in the strip */
} candidate_place;

static candidate_place place_candidate(const sweep_index *index, const spk_episode_block *block,
                                       uint64_t c)
{
    return (candidate_place){(uint32_t)sweep_final_strip(index, block, c),
                             index->unit_lane[sweep_final_unit(block, c)] % SWEEP_LANES};
}

/* The strip with this id, made when it is new. Strips of a task are few; candidates come in order
 * of delay, so the last ones are looked at first. */
static sweep_strip *find_strip(sweep_task *task, uint32_t id)
{
    for (uint32_t s = task->n_strips; s-- > 0;)
        if (task->strip[s].id == id)
            return &task->strip[s];
    assert(task->n_strips < task->strip_capacity);
    sweep_strip *strip = &task->strip[task->n_strips++];
    memset(strip, 0, sizeof *strip);
    strip->id = id;
    strip->alive = true;
    return strip;
}

static uint64_t most_strips(const sweep_shared *shared, uint64_t n_candidates)
{
    uint64_t most = sweep_n_strips(shared->index);
    return n_candidates < most ? n_candidates : most;
}

uint64_t sweep_task_bytes(const sweep_shared *shared, uint64_t n_candidates)
{
    return sizeof(sweep_task) +
           most_strips(shared, n_candidates) * (sizeof(sweep_wide) + sizeof(sweep_strip));
}

static spk_status reserve_strips(const sweep_shared *shared, uint64_t n, sweep_task *task)
{
    n = most_strips(shared, n);
    if (n <= task->strip_capacity)
        return SPK_OK;
    free(task->strip);
    free(task->lanes);
    task->strip = NULL;
    task->strip_capacity = 0;
    task->lanes = aligned_alloc(64, (size_t)n * sizeof(sweep_wide));
    if (task->lanes == NULL)
        return SPK_ERR_MEMORY;
    spk_status status = spk_alloc(NULL, &task->strip, n, "");
    if (status == SPK_OK)
        task->strip_capacity = (uint32_t)n;
    return status;
}

/* The count of the prefix: from the caller, or by going over its list once. */
static uint64_t find_prefix_count(const sweep_shared *shared, uint64_t first,
                                  const sweep_list *list)
{
    const spk_episode_block *block = shared->block;
    if (block->prefix != NULL)
        return block->prefix_count[block->prefix[first]];
    const uint32_t *rank = shared->index->unit_rank;
    uint64_t taken = 0;
    uint32_t last_end = 0;
    for (uint64_t k = 0; k < list->n; k++) {
        bool take = taken == 0 || list->start[k] > last_end;
        last_end = take ? rank[list->end[k]] : last_end;
        taken += take;
    }
    return taken;
}

spk_status sweep_task_begin(const sweep_shared *shared, uint64_t first, uint64_t last, bool goes_on,
                            sweep_task *task)
{
    const spk_episode_block *block = shared->block;
    const sweep_index *index = shared->index;
    assert(first < last && last <= block->n);
    spk_status status = reserve_strips(shared, last - first, task);
    if (status != SPK_OK)
        return status;
    task->n_strips = 0;
    task->goes_on = goes_on;
    task->begun = false;
    task->dead = false;
    task->at = 0;
    task->undrained = 0;
    task->unpruned = 0;
    task->taken = 0;
    task->last_end = 0;
    if (goes_on && block->prefix == NULL)
        task->prefix_count = UINT64_MAX / 2; /* not known before all windows are through */
    else if (block->support > 0)
        task->prefix_count = find_prefix_count(shared, first, &task->list);
    for (uint64_t c = first; c < last; c++) {
        candidate_place at = place_candidate(index, block, c);
        if (shared->active[at.strip])
            find_strip(task, at.strip)->candidates |= 1u << at.lane;
    }
    memset(task->lanes, 0, task->n_strips * lanes_bytes(shared->wide));
    return SPK_OK;
}

/* ---- going over the ends --------------------------------------------------------------------- */

/* A chunk of ends as the kernels want it. */
typedef struct chunk {
    uint32_t n;
    uint32_t row[SWEEP_CHUNK];
    uint16_t shift16[SWEEP_CHUNK];
    uint16_t base16[SWEEP_CHUNK];
    uint32_t shift[SWEEP_CHUNK];
    uint32_t base[SWEEP_CHUNK];
} chunk;

/* Fills a chunk from the next n ends, whose rows are at place + row_shift, and counts the prefix
 * along. */
static void fill_chunk(const sweep_index *index, uint64_t row_shift, uint32_t n, sweep_task *task,
                       chunk *c)
{
    const uint32_t *end = task->list.end + task->at;
    const uint32_t *start = task->list.start + task->at;
    uint32_t before = task->begun ? task->before : start[0];
    uint64_t taken = task->taken;
    uint32_t last_end = task->last_end;
    assert(n <= SWEEP_CHUNK && task->at + n <= task->list.n);
    c->n = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = index->unit_rank[end[i]];
        uint32_t shift = start[i] - before;
        uint32_t base = rank - start[i] + 1;
        bool take = taken == 0 || start[i] > last_end;
        assert(start[i] >= before &&
               rank >= start[i]); /* starts rise, and come before their ends */
        last_end = take ? rank : last_end;
        taken += take;
        before = start[i];
        c->row[i] = (uint32_t)(end[i] + row_shift);
        c->shift[i] = shift;
        c->base[i] = base;
        c->shift16[i] = (uint16_t)(shift < UINT16_MAX ? shift : UINT16_MAX);
        c->base16[i] = (uint16_t)base;
    }
    task->taken = taken;
    task->last_end = last_end;
    task->before = before;
    task->begun = true;
}

static void run_narrow(const sweep_shared *shared, const sweep_table *table, const chunk *c,
                       sweep_task *task)
{
    sweep_narrow *lanes = task->lanes;
    const uint16_t *rows[SWEEP_MAX_STRIPS];
    sweep_narrow *state[SWEEP_MAX_STRIPS];
    uint32_t n = 0;
    for (uint32_t s = 0; s < task->n_strips; s++) {
        if (task->strip[s].alive) {
            rows[n] = table->strip[task->strip[s].id];
            state[n++] = &lanes[s];
        }
        if (n == SWEEP_MAX_STRIPS || (n > 0 && s + 1 == task->n_strips)) {
            shared->kernels.narrow(c->n, c->row, c->shift16, c->base16, n, rows, state);
            n = 0;
        }
    }
}

static void run_wide(const sweep_shared *shared, const sweep_table *table, const chunk *c,
                     sweep_task *task)
{
    sweep_wide *lanes = task->lanes;
    for (uint32_t s = 0; s < task->n_strips; s++) {
        const uint32_t *rows = table->strip[task->strip[s].id];
        sweep_wide *state = &lanes[s];
        if (task->strip[s].alive)
            shared->kernels.wide(c->n, c->row, c->shift, c->base, 1, &rows, &state);
    }
}

/* Adds the lanes' counts to the totals and empties them. */
static void drain(const sweep_shared *shared, sweep_task *task)
{
    for (uint32_t s = 0; s < task->n_strips; s++) {
        uint64_t *total = task->strip[s].total;
        if (shared->wide) {
            sweep_wide *lanes = (sweep_wide *)task->lanes + s;
            for (int l = 0; l < SWEEP_LANES; l++)
                total[l] += lanes->count[l];
            memset(lanes->count, 0, sizeof lanes->count);
        } else {
            sweep_narrow *lanes = (sweep_narrow *)task->lanes + s;
            for (int l = 0; l < SWEEP_LANES; l++)
                total[l] += lanes->count[l];
            memset(lanes->count, 0, sizeof lanes->count);
        }
    }
    task->undrained = 0;
}

static uint64_t best_candidate(const sweep_shared *shared, const sweep_task *task, uint32_t s)
{
    const sweep_strip *strip = &task->strip[s];
    uint64_t best = 0;
    for (uint32_t bits = strip->candidates; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        uint64_t count = strip->total[lane];
        count += shared->wide ? ((const sweep_wide *)task->lanes)[s].count[lane]
                              : ((const sweep_narrow *)task->lanes)[s].count[lane];
        best = count > best ? count : best;
    }
    return best;
}

/* Drops strips in which no candidate can reach the support any more; true when one is left.
 * What a candidate may still count contains occurrences of the prefix that start at or behind the
 * present end and do not overlap; counting those greedily gives at most one more than the greedy
 * count of the whole prefix has left. */
static bool prune(const sweep_shared *shared, sweep_task *task)
{
    assert(task->taken <= task->prefix_count);
    bool more = task->goes_on || task->at < task->list.n;
    uint64_t stays = more ? task->prefix_count - task->taken + 1 : 0;
    bool any = false;
    for (uint32_t s = 0; s < task->n_strips; s++) {
        sweep_strip *strip = &task->strip[s];
        if (strip->alive)
            strip->alive = best_candidate(shared, task, s) + stays >= shared->block->support;
        any |= strip->alive;
    }
    return any;
}

/* Ends from task->at that lie in the table, up to the next chunk border. */
static uint32_t chunk_length(const sweep_table *table, const sweep_task *task)
{
    uint64_t n = SWEEP_CHUNK - task->at % SWEEP_CHUNK;
    uint64_t limit = table->first + table->n_rows;
    if (n > task->list.n - task->at)
        n = task->list.n - task->at;
    while (n > 0 && task->list.end[task->at + n - 1] >= limit)
        n--;
    return (uint32_t)n;
}

/* Goes over the next n ends, at most a chunk of them. */
static void advance(const sweep_shared *shared, const sweep_table *table, uint64_t row_shift,
                    uint32_t n, sweep_task *task)
{
    chunk c;
    fill_chunk(shared->index, row_shift, n, task, &c);
    for (uint32_t i = 0; i < n; i++)
        assert(c.row[i] < table->n_rows && (shared->wide || c.base[i] <= UINT16_MAX));
    if (shared->wide)
        run_wide(shared, table, &c, task);
    else
        run_narrow(shared, table, &c, task);
    task->at += n;
    task->undrained += n;
    if (task->undrained > DRAIN_STEPS)
        drain(shared, task);
}

void sweep_task_advance(const sweep_shared *shared, const sweep_table *table, sweep_task *task)
{
    while (task->at < task->list.n) {
        uint32_t n = chunk_length(table, task);
        if (n == 0)
            return;
        advance(shared, table, 0 - table->first, n, task);
        if (shared->block->support > 0 && task->at % SWEEP_CHUNK == 0 && !prune(shared, task)) {
            task->at = task->list.n;
            return;
        }
    }
}

void sweep_task_window(const sweep_shared *shared, const sweep_table *table, uint64_t row_shift,
                       sweep_task *task)
{
    task->at = 0;
    while (task->at < task->list.n && !task->dead) {
        uint64_t left = task->list.n - task->at;
        uint32_t n = left < SWEEP_CHUNK ? (uint32_t)left : SWEEP_CHUNK;
        advance(shared, table, row_shift, n, task);
        task->unpruned += n;
        if (shared->block->support > 0 && task->unpruned >= SWEEP_CHUNK) {
            task->unpruned = 0;
            task->dead = !prune(shared, task);
        }
    }
}

void sweep_task_finish(const sweep_shared *shared, uint64_t first, uint64_t last, sweep_task *task,
                       uint64_t *counts)
{
    const spk_episode_block *block = shared->block;
    const sweep_index *index = shared->index;
    drain(shared, task);
    for (uint64_t c = first; c < last; c++) {
        candidate_place at = place_candidate(index, block, c);
        if (shared->active[at.strip])
            counts[c] = find_strip(task, at.strip)->total[at.lane];
    }
}

void sweep_task_free(sweep_task *task)
{
    sweep_list_free(&task->list);
    free(task->strip);
    free(task->lanes);
    *task = (sweep_task){.n_strips = 0};
}
