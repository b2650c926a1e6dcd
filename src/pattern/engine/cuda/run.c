/* cuda-bitmap: memory of the machine, batches of roots, rounds of tasks. */
#include "pattern/engine/cuda/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pattern/engine/cuda/search.h"

static const char *const WHAT = "engine 'cuda-bitmap'";

/* Of the memory that a job may take, this share at most is for one of its parts. */
enum { SHARE_COLUMNS = 4, SHARE_ARENAS = 4, SHARE_OUTPUT = 8, SHARE_KEPT = 16 };
/* Words of an arena. Arenas do not lie powers of two apart: else they would share few places of a
 * cache. */
enum { COUNT_WORDS = (1 << 15) + 1056, LIST_WORDS = (1 << 17) + 1056 };
enum { OUTPUT_WORDS = 1 << 26, LEAST_OUTPUT_WORDS = 1 << 14 };
enum { HEAD = SPK_PATTERN_PILE_HEAD }; /* words of a pattern before its items */
enum { SPLIT_ROOM = 1 << 17, KEPT_WORDS = 1 << 26, LIST_STEPS = 8 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A place for an array: small ones share one piece of memory, since asking a device for some takes
 * long beside making a surrogate. */
static spk_status find_place(cp_run *run, uint64_t bytes, const char *what, void **out)
{
    enum { SHARED_BYTES = 1 << 22, SMALL_BYTES = SHARED_BYTES / 8, ALIGNMENT = 256 };
    gpu_buffer *shared = &run->buffer[0];
    spk_status status = SPK_OK;
    /* The shared piece comes with the first array. */
    if (run->n_buffers == 0) {
        run->n_buffers = 1;
        status = run->machine->reserve(run->context, shared, SHARED_BYTES, 1, what);
    }
    if (status == SPK_OK && bytes <= SMALL_BYTES && run->shared + bytes <= SHARED_BYTES) {
        *out = (char *)shared->data + run->shared;
        run->shared += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return SPK_OK;
    }
    assert(run->n_buffers < CP_BUFFERS);
    gpu_buffer *own = &run->buffer[run->n_buffers++];
    if (status == SPK_OK)
        status = run->machine->reserve(run->context, own, bytes, 1, what);
    *out = own->data;
    return status;
}

spk_status cp_run_array(cp_run *run, void *out, const void *from, uint64_t n, uint64_t size,
                        const char *what)
{
    void *data = NULL;
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(n, size, &bytes))
        return spk_fail_memory(run->context, UINT64_MAX, what);
    spk_status status = find_place(run, bytes, what, &data);
    if (status == SPK_OK && from != NULL)
        status = run->machine->send(run->context, data, from, bytes);
    memcpy(out, &data, sizeof data);
    return status;
}

static spk_status send_job(cp_run *run)
{
    const cp_job *job = run->job;
    const cp_view *from = &job->view;
    cp_view *v = &run->view;
    const uint64_t word = sizeof(uint32_t), n_units = job->windows->n_units;
    /* Addresses of the host become those of the machine, one array after the other. */
    const struct {
        void *out;
        const void *from;
        uint64_t n;
    } arrays[] = {{&v->bits, from->bits, job->n_bits},
                  {&v->unit_of, from->unit_of, n_units},
                  {&v->number_of, from->number_of, n_units},
                  {&v->item, from->item, from->n_items},
                  {&v->root_code, from->root_code, from->n_roots},
                  {&v->root_first, from->root_first, (uint64_t)from->n_roots + 1},
                  {&v->root_window, from->root_window, job->n_root_windows}};
    spk_status status = SPK_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0] && status == SPK_OK; k++)
        status = cp_run_array(run, arrays[k].out, arrays[k].from, arrays[k].n, word, WHAT);
    return status;
}

/* Words of the columns of a root, at most. */
static uint64_t column_words(const cp_job *job, uint32_t r)
{
    return (uint64_t)cp_words(cp_n_windows(&job->view, r)) * job->view.n_items;
}

/* Room for roots: all of them where that is no large share of the memory, one in any case. */
static spk_status make_room(cp_run *run)
{
    cp_view *v = &run->view;
    uint64_t all = 0, most = 0;
    for (uint32_t r = 0; r < v->n_roots; r++) {
        const uint64_t words = column_words(run->job, r);
        all += words;
        most = larger(most, words);
    }
    /* The largest root has room whatever its share of the memory. */
    const uint64_t share = run->memory / SHARE_COLUMNS / sizeof *v->column;
    v->column_room = larger(most, smaller(all, share));
    v->item_room = larger(v->n_items, smaller((uint64_t)v->n_roots * v->n_items, share));
    spk_status status =
        cp_run_array(run, &v->column, NULL, v->column_room, sizeof *v->column, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->code, NULL, v->item_room, sizeof *v->code, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->order, NULL, v->aim == CP_LISTS ? v->item_room : 0,
                              sizeof *v->order, WHAT);
    return status;
}

static spk_status make_search_room(cp_run *run)
{
    cp_view *v = &run->view;
    const bool reports = v->aim != CP_COUNTS;
    run->arena_total = smaller(run->n_warps * (uint64_t)(reports ? LIST_WORDS : COUNT_WORDS),
                               run->memory / SHARE_ARENAS / sizeof *v->arena);
    run->n_large_warps = 0;
    v->out_words = reports
                       ? larger(LEAST_OUTPUT_WORDS,
                                smaller(OUTPUT_WORDS, run->memory / SHARE_OUTPUT / sizeof *v->out))
                       : 0;
    /* A pattern must fit. */
    v->out_words = larger(v->out_words, reports ? run->job->longest + (uint64_t)HEAD : 0);
    spk_status status =
        cp_run_array(run, &v->arena, NULL, run->arena_total, sizeof *v->arena, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->out, NULL, v->out_words, sizeof *v->out, WHAT);
    if (status == SPK_OK && v->has_places)
        status = cp_run_array(run, &v->place, NULL, v->out_words / (HEAD + 1) + 1, sizeof *v->place,
                              WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->again, NULL, run->n_warps, sizeof *v->again, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->large, NULL, run->n_warps, sizeof *v->large, WHAT);
    if (status == SPK_OK)
        status =
            cp_run_array(run, &v->given, NULL, 2 * (uint64_t)run->n_warps, sizeof *v->given, WHAT);
    run->split_room = smaller(SPLIT_ROOM, run->memory / SHARE_OUTPUT / sizeof *v->split);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->split, NULL, run->split_room, sizeof *v->split, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->new_split, NULL, run->split_room, sizeof *v->split, WHAT);
    v->kept_words = reports ? smaller(KEPT_WORDS, run->memory / SHARE_KEPT / sizeof *v->kept) : 0;
    if (status == SPK_OK)
        status = cp_run_array(run, &v->kept, NULL, v->kept_words, sizeof *v->kept, WHAT);
    if (status == SPK_OK)
        status = spk_alloc(run->context, &run->split, run->split_room, WHAT);
    return status;
}

spk_status cp_run_open(cp_run *run, spk_context *context, const cp_machine *machine,
                       const cp_job *job, uint64_t memory)
{
    *run = (cp_run){.context = context, .machine = machine, .job = job, .view = job->view};
    cp_view *v = &run->view;
    const uint64_t n_roots = v->n_roots, word = sizeof(uint32_t);
    const uint64_t n_common = v->aim == CP_LISTS ? n_roots * v->n_lags * v->words : 0;
    /* Branches of sets are uneven: each of their items is a part. */
    v->split_items = v->aim == CP_SETS ? machine->split_items / 2 : machine->split_items;
    v->part_steps = v->aim == CP_SETS ? 1 : LIST_STEPS;
    spk_status status = machine->open(context, memory, &run->memory, &run->n_warps);
    if (status == SPK_OK)
        status = send_job(run);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->count, NULL, n_roots * v->n_items, word, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->root, NULL, n_roots, sizeof *v->root, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->common, NULL, n_common, word, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->task_first, NULL, n_roots + 1, sizeof *v->task_first, WHAT);
    if (status == SPK_OK)
        status = cp_run_array(run, &v->state, NULL, 1, sizeof *v->state, WHAT);
    if (status == SPK_OK)
        status = make_room(run);
    if (status == SPK_OK)
        status = make_search_room(run);
    /* In how many windows of a root an item is depends on no limit: it is counted once. */
    if (status == SPK_OK)
        status = machine->run(context, v, CP_COUNT_ITEMS,
                              n_roots * ((v->n_items + CP_CHUNK - 1) / CP_CHUNK));
    return status;
}

void cp_run_close(cp_run *run)
{
    for (uint32_t k = 0; k < run->n_buffers; k++)
        run->machine->release(&run->buffer[k]);
    free(run->again.task);
    free(run->large.task);
    free(run->split);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Adds unfinished tasks that the machine put down. */
static spk_status fetch_tasks(cp_run *run, const cp_again *from, uint64_t n, cp_tasks *to)
{
    spk_status status = spk_grow(run->context, &to->task, &to->room, to->n + n, WHAT);
    if (status == SPK_OK)
        status = run->machine->fetch(run->context, to->task + to->n, from, n * sizeof *from);
    if (status == SPK_OK)
        to->n += n;
    return status;
}

/* Takes the first n tasks off a list. */
static void drop_tasks(cp_tasks *tasks, uint64_t n)
{
    tasks->n -= n;
    if (tasks->n > 0)
        memmove(tasks->task, tasks->task + n, tasks->n * sizeof *tasks->task);
}

/* One launch: tasks of the list, then those of the view. */
static spk_status search_round(cp_run *run, cp_tasks *tasks, uint32_t n_warps)
{
    cp_view *v = &run->view;
    const cp_machine *machine = run->machine;
    const uint64_t n_given = smaller(tasks->n, 2 * (uint64_t)run->n_warps);
    run->state = (cp_state){.out_end = UINT64_MAX};
    v->n_given = n_given;
    v->n_split_room = v->n_splits == 0 && tasks == &run->again ? run->split_room : 0;
    v->arena_words = run->arena_total / n_warps / 4 * 4;
    if (n_given < tasks->n) /* the others first */
        v->end = v->begin;
    spk_status status = machine->send(run->context, v->state, &run->state, sizeof run->state);
    if (status == SPK_OK && n_given > 0)
        status = machine->send(run->context, (cp_again *)v->given, tasks->task,
                               n_given * sizeof *tasks->task);
    if (status == SPK_OK)
        status = machine->run(run->context, v, CP_SEARCH, n_warps);
    if (status == SPK_OK)
        status = machine->fetch(run->context, &run->state, v->state, sizeof run->state);
    if (status == SPK_OK)
        status = spk_check_cancel(run->context);
    if (status != SPK_OK)
        return status;
    drop_tasks(tasks, smaller(run->state.next, n_given));
    run->n_dropped += run->state.n_dropped;
    run->n_raised += run->state.n_raised;
    return SPK_OK;
}

/* Of the tasks that were not begun before, so many were. */
static uint64_t n_begun(const cp_run *run)
{
    const cp_view *v = &run->view;
    const uint64_t next = run->state.next;
    return next > v->n_given ? smaller(next - v->n_given, v->end - v->begin) : 0;
}

/* The tasks that several warps are to share, from now on before all others. */
static spk_status fetch_splits(cp_run *run)
{
    cp_view *v = &run->view;
    const uint64_t n = smaller(run->state.n_splits, v->n_split_room);
    uint64_t n_parts = 0;
    if (n == 0)
        return SPK_OK;
    spk_status status =
        run->machine->fetch(run->context, run->split, v->new_split, n * sizeof *v->split);
    /* `first` comes as a number of parts, and becomes the number of all parts before. */
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        const uint64_t more = run->split[k].first;
        run->split[k].first = n_parts;
        n_parts += more;
    }
    if (status == SPK_OK)
        status = run->machine->send(run->context, (cp_split *)v->split, run->split,
                                    n * sizeof *v->split);
    v->n_splits = n;
    run->part = 0;
    run->n_parts = n_parts;
    return status;
}

/* The first task that may still report something. */
static uint64_t first_open(const cp_run *run, uint64_t begin)
{
    uint64_t least = begin;
    for (uint64_t k = 0; k < run->view.n_splits; k++)
        least = smaller(least, run->split[k].task);
    for (uint64_t k = 0; k < run->again.n; k++)
        least = smaller(least, run->again.task[k].task);
    for (uint64_t k = 0; k < run->large.n; k++)
        least = smaller(least, run->large.task[k].task);
    return least;
}

/* The tasks whose branches are large, with a fourth of the warps each time that is not enough. */
static spk_status large_round(cp_run *run)
{
    const uint64_t before = run->large.n;
    run->n_large_warps = run->n_large_warps > 0 ? run->n_large_warps : run->n_warps / 4;
    run->n_large_warps = cp_larger(run->n_large_warps, 1);
    /* The tasks of the list alone: there are none from begin to end. */
    run->view.begin = run->view.end = 0;
    spk_status status = search_round(run, &run->large, run->n_large_warps);
    if (status == SPK_OK && run->state.n_large > 0 && run->n_large_warps == 1)
        status = spk_fail(run->context, SPK_ERR_MEMORY,
                          "engine 'cuda-bitmap': a single branch of the search does not fit into "
                          "%.1f MB; raise the memory limit, or take engine 'bitmap'",
                          (double)run->arena_total * sizeof(uint32_t) / 1e6);
    /* A fourth of the warps have arenas of four times the size. */
    if (status == SPK_OK && run->state.n_large > 0)
        run->n_large_warps = cp_larger(run->n_large_warps / 4, 1);
    if (status == SPK_OK)
        status = fetch_tasks(run, run->view.large, run->state.n_large, &run->large);
    if (status == SPK_OK)
        status = fetch_tasks(run, run->view.again, run->state.n_again, &run->large);
    if (status == SPK_OK && run->large.n == 0 && before > 0)
        run->n_large_warps = 0;
    return status;
}

/* A round of tasks begin .. end - 1, or of parts while there are some. */
static spk_status common_round(cp_run *run, uint64_t *begin, uint64_t *end)
{
    cp_view *v = &run->view;
    const bool parts = v->n_splits > 0;
    v->begin = parts ? run->part : *begin;
    v->end = parts ? run->n_parts : *end;
    spk_status status = search_round(run, &run->again, run->n_warps);
    const uint64_t n = n_begun(run);
    /* Parts and lists go through tasks in order. Others begin at the end, with the most frequent
     * units: with largest counts, what occurs often raises the bounds. */
    if (parts)
        run->part += n;
    else if (v->aim == CP_LISTS)
        *begin += n;
    else
        *end -= n;
    if (status == SPK_OK)
        status = fetch_tasks(run, v->again, run->state.n_again, &run->again);
    if (status == SPK_OK)
        status = fetch_tasks(run, v->large, run->state.n_large, &run->large);
    if (parts && run->part == run->n_parts && run->again.n == 0 && run->large.n == 0)
        v->n_splits = 0;
    if (status == SPK_OK && !parts)
        status = fetch_splits(run);
    return status;
}

/* All tasks of the roots whose columns are there. */
static spk_status search_tasks(cp_run *run, uint64_t n_tasks, cp_take *take, void *user)
{
    uint64_t begin = 0, end = n_tasks;
    spk_status status = SPK_OK;
    while (status == SPK_OK &&
           (begin < end || run->again.n > 0 || run->large.n > 0 || run->view.n_splits > 0)) {
        status = run->large.n > 0 ? large_round(run) : common_round(run, &begin, &end);
        if (status == SPK_OK && take != NULL)
            status = take(run, first_open(run, begin), user);
    }
    return status;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* From root `begin` on as many as there is room for. */
static uint32_t end_of_batch(const cp_run *run, uint32_t begin)
{
    const cp_view *v = &run->view;
    uint64_t words = 0, items = 0;
    uint32_t r = begin;
    for (; r < v->n_roots; r++) {
        words += column_words(run->job, r);
        items += v->n_items;
        if (words > v->column_room || items > v->item_room)
            break;
    }
    return r;
}

static spk_status make_columns(cp_run *run, uint64_t *n_tasks)
{
    cp_view *v = &run->view;
    const cp_machine *machine = run->machine;
    const uint64_t n_chunks = (v->n_items + CP_CHUNK - 1) / CP_CHUNK;
    const cp_state none = {.next = 0};
    spk_status status = machine->send(run->context, v->state, &none, sizeof none);
    if (status == SPK_OK)
        status = machine->run(run->context, v, CP_LIST_ROOTS, v->n_roots);
    if (status == SPK_OK)
        status = machine->run(run->context, v, CP_FILL_COLUMNS, v->n_roots * n_chunks);
    if (status == SPK_OK)
        status = machine->run(run->context, v, CP_PLAN, 1);
    if (status == SPK_OK)
        status = machine->fetch(run->context, n_tasks, v->task_first + v->n_roots, sizeof *n_tasks);
    return status;
}

spk_status cp_run_search(cp_run *run, cp_take *take, void *user)
{
    cp_view *v = &run->view;
    spk_status status = SPK_OK;
    for (uint32_t begin = 0; begin < v->n_roots && status == SPK_OK; begin = v->root_end) {
        uint64_t n_tasks = 0;
        v->root_begin = begin;
        v->root_end = end_of_batch(run, begin);
        status = make_columns(run, &n_tasks);
        if (status == SPK_OK)
            status = search_tasks(run, n_tasks, take, user);
    }
    return status;
}
