/*
 * Counting unit by unit.
 *
 *     units by work      large   large   | small small small small ...
 *     threads            all together, one unit after the other | one unit each
 *
 * Invariant: a group is counted by one thread at a time, and its state goes on from stretch to
 * stretch of its unit. How many units go first is what makes the whole shortest by the model of
 * cost.c (order_work). Bytes: the tables of one unit, or of one for each thread.
 */
#include "episode/engine/sweep/strategy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

enum { SMALLEST_STRETCH = 1024 };

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
    const sweep_groups *groups;
    const sweep_group_set *set;
    uint64_t first; /* the groups first .. last - 1 of the set */
    uint64_t last;
    sweep_task *tasks; /* one each */
} sweep_batch;

/* Lists and lanes of all tasks. */
static spk_status begin_batch(const sweep_shared *shared, int threads, const sweep_batch *batch)
{
    const spk_episode_block *block = shared->block;
    uint32_t size = block->size - 1;
    spk_status result = SPK_OK;
#pragma omp parallel num_threads(threads)
    {
        sweep_path path = {.depth = 0};
        spk_status status = SPK_OK;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t k = batch->first; k < batch->last; k++) {
            if (status != SPK_OK || spk_context_cancelled(shared->watch))
                continue;
            uint64_t g = sweep_group_at(batch->set, k);
            uint64_t c = batch->groups->first[g];
            sweep_task *task = &batch->tasks[k - batch->first];
            status =
                sweep_path_go(shared->index, shared->kernels.extend, size,
                              block->unit + c * block->size, block->delay + c * block->size, &path);
            if (status != SPK_OK)
                continue;
            /* The task owns its list; the path keeps the levels above, which the next prefix mostly
             * shares. */
            move_list(&path.list[size - 1], &task->list);
            path.depth = size - 1;
            status = sweep_task_begin(shared, c, batch->groups->first[g + 1], false, task);
        }
        sweep_path_free(&path);
        if (status != SPK_OK) {
#pragma omp critical(spk_sweep_status)
            result = status;
        }
    }
    return result;
}

static spk_status run_batch(const sweep_shared *shared, const sweep_resources *resources,
                            uint32_t unit, uint64_t stretch, const sweep_batch *batch,
                            uint64_t *counts)
{
    int threads = resources->threads;
    const uint64_t *place = shared->index->events.unit_first + unit;
    uint64_t n_tasks = batch->last - batch->first;
    spk_status status = begin_batch(shared, threads, batch);
    for (uint64_t first = place[0]; first < place[1] && status == SPK_OK; first += stretch) {
        uint64_t n_rows = place[1] - first < stretch ? place[1] - first : stretch;
        if (spk_context_cancelled(shared->watch))
            return SPK_OK;
        /* One table for a stretch of the unit's events: every task goes through its own ends there
         * and keeps its state for the next stretch. */
        status = sweep_table_cover(NULL, shared->index, first, n_rows, shared->wide, shared->active,
                                   threads, resources->table);
        if (status != SPK_OK)
            break;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
        for (uint64_t k = 0; k < n_tasks; k++)
            sweep_task_advance(shared, resources->table, &batch->tasks[k]);
    }
    for (uint64_t k = 0; k < n_tasks && status == SPK_OK; k++) {
        uint64_t g = sweep_group_at(batch->set, batch->first + k);
        sweep_task_finish(shared, batch->groups->first[g], batch->groups->first[g + 1],
                          &batch->tasks[k], counts);
    }
    return status;
}

/* As many groups at once as half of the memory holds: a list is never longer than its last unit has
 * events. */
static uint64_t batch_size(const sweep_index *index, uint32_t unit, uint64_t memory)
{
    const uint64_t *place = index->events.unit_first + unit;
    uint64_t bytes = (place[1] - place[0]) * 2 * sizeof(uint32_t) + sizeof(sweep_wide) +
                     sizeof(sweep_strip) + sizeof(sweep_task);
    return memory / 2 / bytes + 1;
}

static spk_status count_by_stretches(const sweep_shared *shared, const sweep_resources *resources,
                                     uint32_t unit, uint64_t stretch, const sweep_groups *groups,
                                     const sweep_group_set *set, uint64_t *counts)
{
    spk_status status = SPK_OK;
    uint64_t most = batch_size(shared->index, unit, resources->memory);
    for (uint64_t first = 0; first < set->n && status == SPK_OK; first += most) {
        sweep_batch batch = {.groups = groups,
                             .set = set,
                             .first = first,
                             .last = set->n - first < most ? set->n : first + most};
        /* Of so many prefixes the lists are in memory together. */
        uint64_t n_tasks = batch.last - first;
        status = spk_alloc_zero(NULL, &batch.tasks, n_tasks, "a batch");
        if (status == SPK_OK)
            status = run_batch(shared, resources, unit, stretch, &batch, counts);
        for (uint64_t k = 0; batch.tasks != NULL && k < n_tasks; k++)
            sweep_task_free(&batch.tasks[k]);
        free(batch.tasks);
        if (spk_context_cancelled(shared->watch))
            break;
    }
    return status;
}

/* ---- one unit -------------------------------------------------------------------------------- */

/* Picks from `needed`, from *next on, as many strips as fit together; false when none are left. */
static bool pick_strips(const sweep_table *table, const bool *needed, uint64_t most, size_t *next,
                        bool *active)
{
    uint64_t n = 0;
    memset(active, 0, table->n_strips * sizeof *active);
    for (; *next < table->n_strips && n < most; ++*next) {
        active[*next] = needed[*next];
        n += needed[*next];
    }
    return n > 0;
}

/* Rows of one strip that the memory holds. */
static uint64_t rows_that_fit(const sweep_shared *shared, uint64_t memory)
{
    return memory / 2 / sweep_table_strip_bytes(1, shared->wide);
}

/* Groups whose prefix ends with one unit; `flags` has room for two flags a strip. */
static spk_status count_unit(sweep_shared *shared, const sweep_resources *resources, uint32_t unit,
                             const sweep_groups *groups, const sweep_group_set *set, bool *flags,
                             uint64_t *counts)
{
    const uint64_t *place = shared->index->events.unit_first + unit;
    uint64_t n_rows = place[1] - place[0];
    uint64_t rows_fit = rows_that_fit(shared, resources->memory);
    uint64_t strips_fit = n_rows > 0 && rows_fit / n_rows > 1 ? rows_fit / n_rows : 1;
    assert(set->n > 0 && resources->threads > 0);
    bool *needed = flags;
    bool *active = flags + resources->table->n_strips;
    size_t next = 0;
    spk_status status = SPK_OK;
    sweep_groups_mark(shared->index, shared->block, groups, set, needed);
    shared->active = active;
    while (status == SPK_OK && pick_strips(resources->table, needed, strips_fit, &next, active)) {
        /* Not even one strip has room for all rows of the unit. */
        if (rows_fit < n_rows) {
            uint64_t stretch = rows_fit > SMALLEST_STRETCH ? rows_fit : SMALLEST_STRETCH;
            status = count_by_stretches(shared, resources, unit, stretch, groups, set, counts);
            continue;
        }
        status = sweep_table_cover(NULL, shared->index, place[0], n_rows, shared->wide, active,
                                   resources->threads, resources->table);
        if (status == SPK_OK)
            status = sweep_count_set(shared, resources, groups, set, counts);
    }
    return status;
}

/* ---- all units ------------------------------------------------------------------------------- */

/* A unit and the groups whose prefix ends with it; its steps beside other units, one thread each,
 * and by itself, with all threads. */
typedef struct unit_work {
    uint64_t beside;
    uint64_t alone;
    uint32_t unit;
    sweep_group_set set;
} unit_work;

typedef struct work_list {
    uint64_t n;
    unit_work *item;
    uint64_t *group; /* numbers of groups, unit by unit */
} work_list;

static void free_work(work_list *list)
{
    free(list->item);
    free(list->group);
}

static spk_status collect_work(const sweep_shared *shared, const sweep_groups *groups,
                               work_list *list)
{
    uint32_t n_units = shared->index->events.n_units;
    uint64_t *first = NULL; /* per unit: where its groups start in `group` */
    const char *what = "candidate groups";
    spk_status status =
        spk_alloc_columns(NULL, what, SPK_COLUMN_ZERO(&first, (uint64_t)n_units + 2),
                          SPK_COLUMN(&list->group, groups->n), SPK_COLUMN(&list->item, n_units));
    if (status != SPK_OK)
        goto done;
    for (uint64_t g = 0; g < groups->n; g++)
        first[sweep_groups_last_unit(shared->block, groups, g) + 2]++;
    for (uint32_t u = 0; u < n_units; u++)
        first[u + 2] += first[u + 1];
    for (uint64_t g = 0; g < groups->n; g++)
        list->group[first[sweep_groups_last_unit(shared->block, groups, g) + 1]++] = g;
    for (uint32_t u = 0; u < n_units; u++) {
        sweep_group_set set = {first[u + 1] - first[u], list->group + first[u]};
        if (set.n > 0)
            list->item[list->n++] = (unit_work){.unit = u, .set = set};
    }
done:
    free(first);
    return status;
}

/* Steps that the unit's groups take when `threads` threads share them. */
static uint64_t steps_of(const sweep_shared *shared, const unit_work *item, uint64_t memory,
                         int threads)
{
    const uint64_t *place = shared->index->events.unit_first + item->unit;
    uint64_t rows = place[1] - place[0];
    uint64_t n_batches = 1;
    if (rows > rows_that_fit(shared, memory)) {
        uint64_t most = batch_size(shared->index, item->unit, memory);
        n_batches = (item->set.n + most - 1) / most;
    }
    return sweep_cost_unit(rows, item->set.n, n_batches, threads);
}

static int by_falling_work(const void *one, const void *other)
{
    const unit_work *a = one, *b = other;
    return SPK_BY(SPK_DOWN(a->beside, b->beside), SPK_UP(a->unit, b->unit));
}

/* Puts the largest first, and tells how many of them are better counted one after the other before
 * the rest go side by side: what goes side by side takes as long as its largest, at least. */
static uint64_t order_work(const sweep_shared *shared, const sweep_resources *resources,
                           work_list *list)
{
    uint64_t n_threads = (uint64_t)resources->threads;
    uint64_t rest = 0;
    for (uint64_t k = 0; k < list->n; k++) {
        unit_work *item = &list->item[k];
        item->beside = steps_of(shared, item, resources->memory / n_threads, 1);
        item->alone = steps_of(shared, item, resources->memory, resources->threads);
        rest += item->beside;
    }
    qsort(list->item, list->n, sizeof *list->item, by_falling_work);
    uint64_t in_turn = 0;
    uint64_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint64_t k = 0; k <= list->n; k++) {
        /* With k units in turn before: what is left takes its largest, or its share of the whole.
         */
        uint64_t largest = k < list->n ? list->item[k].beside : 0;
        uint64_t beside = largest > rest / n_threads ? largest : rest / n_threads;
        if (in_turn + beside < least) {
            least = in_turn + beside;
            best = k;
        }
        if (k < list->n) {
            in_turn += list->item[k].alone;
            rest -= list->item[k].beside;
        }
    }
    return n_threads > 1 ? best : list->n;
}

static spk_status count_in_turn(const sweep_shared *shared, const sweep_resources *resources,
                                const sweep_groups *groups, const work_list *list, uint64_t *counts)
{
    sweep_shared own = *shared;
    bool *flags = NULL;
    spk_status status = spk_alloc(NULL, &flags, 2 * resources->table->n_strips, "delay tables");
    for (uint64_t k = 0; k < list->n && status == SPK_OK; k++)
        if (!spk_context_cancelled(shared->watch))
            status = count_unit(&own, resources, list->item[k].unit, groups, &list->item[k].set,
                                flags, counts);
    free(flags);
    return status;
}

static spk_status count_side_by_side(const sweep_shared *shared, const sweep_resources *all,
                                     const sweep_groups *groups, const work_list *list,
                                     uint64_t *counts)
{
    spk_status result = SPK_OK;
#pragma omp parallel num_threads(all->threads)
    {
        /* A thread has its own table and its share of the memory. A unit's groups are counted by
         * one thread, so that counts need no lock. */
        sweep_shared own = *shared;
        sweep_table table;
        sweep_resources resources = {&table, all->memory / (uint64_t)all->threads, 1};
        bool *flags = NULL;
        spk_status status = sweep_table_open(NULL, shared->index, &table);
        if (status == SPK_OK)
            status = spk_alloc(NULL, &flags, 2 * table.n_strips, "delay tables");
#pragma omp for schedule(dynamic, 1)
        for (uint64_t k = 0; k < list->n; k++)
            if (status == SPK_OK && !spk_context_cancelled(shared->watch))
                status = count_unit(&own, &resources, list->item[k].unit, groups,
                                    &list->item[k].set, flags, counts);
        free(flags);
        sweep_table_close(&table);
        if (status != SPK_OK) {
#pragma omp critical(spk_sweep_status)
            result = status;
        }
    }
    return result;
}

spk_status sweep_count_units(const sweep_shared *shared, const sweep_resources *resources,
                             const sweep_groups *groups, uint64_t stretch, uint64_t *counts)
{
    (void)stretch;
    work_list all = {.n = 0};
    spk_status status = collect_work(shared, groups, &all);
    if (status == SPK_OK) {
        uint64_t n_first = order_work(shared, resources, &all);
        work_list large = {n_first, all.item, all.group};
        work_list rest = {all.n - n_first, all.item + n_first, all.group};
        status = count_in_turn(shared, resources, groups, &large, counts);
        if (status == SPK_OK && rest.n > 0) {
            sweep_table_empty(resources->table);
            status = count_side_by_side(shared, resources, groups, &rest, counts);
        }
    }
    free_work(&all);
    return status;
}
