/*
 * Counting window by window.
 *
 * All threads go through the windows together. In each: find every unit's places there, build the
 * rows of the events that some prefix may end at and, where bit sets of all ranks do not fit, those
 * of the window's; then extend the prefixes' lists and count, groups of candidates side by side.
 * What a group has counted, and until when its lanes are blocked, stays in its task from window to
 * window.
 *
 * What one window needs:
 *     recording   |----------------|--- the window ---|----------------|
 *     rows                         |------------------|
 *     words                 |------|------------------|--|
 *                           the longest prefix, back;  one interval, on
 *
 * Invariant: an end belongs to the window in which it lies, wherever its start does; events of one
 * time are in one window. Cost: all windows once for each batch of groups; what prefixes reach back
 * is extended again in each window. Bytes: sweep_windows_event_bytes an event of a window, and the
 * tasks of a batch, for which a quarter of the memory is set aside.
 */
#include "episode/engine/sweep/strategy.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

/* Tables of a window: smaller ones, that stay in the cache, were not measured to be faster, and
 * each window makes the threads wait for each other three times. What is worked out again, because
 * occurrences reach back into the window before, should be little. */
static const uint64_t GOOD_BYTES = 64u << 20;
enum { LEAST_EVENTS = 1024, REACHES_A_WINDOW = 8, EVENTS_A_PIECE = 4096, CHUNKS_A_THREAD = 8 };

static const char what[] = "windows";

/* ---- how long windows are -------------------------------------------------------------------- */

/* From `first` on as many groups as a quarter of the memory holds tasks for, at least one. */
static uint64_t batch_end(const sweep_shared *shared, const sweep_resources *resources,
                          const sweep_groups *groups, uint64_t first)
{
    uint64_t bytes = 0;
    uint64_t g = first;
    while (g < groups->n && (g == first || bytes < resources->memory / 4)) {
        bytes += sweep_task_bytes(shared, groups->first[g + 1] - groups->first[g]);
        g++;
    }
    return g;
}

uint64_t sweep_windows_batches(const sweep_shared *shared, const sweep_resources *resources,
                               const sweep_groups *groups)
{
    uint64_t n = 0;
    for (uint64_t g = 0; g < groups->n; g = batch_end(shared, resources, groups, g))
        n++;
    return n;
}

uint64_t sweep_windows_event_bytes(const sweep_shared *shared, uint64_t n_strips)
{
    uint64_t words = shared->index->events.n_units * sizeof(sweep_word) / 64 + 1;
    return n_strips * sweep_table_strip_bytes(1, shared->wide) + words;
}

uint64_t sweep_windows_length(const sweep_shared *shared, const sweep_resources *resources,
                              uint64_t n_strips)
{
    const sweep_index *index = shared->index;
    uint64_t row = sweep_windows_event_bytes(shared, n_strips);
    uint64_t most = resources->memory / 2 / row;
    uint64_t n_steps = shared->block->size - 1;
    uint64_t least = REACHES_A_WINDOW * n_steps * index->widest_span;
    least = least > LEAST_EVENTS ? least : LEAST_EVENTS;
    /* Ties make a window larger, by as many events as there are units at most. */
    if (most < least + index->events.n_units)
        return 0;
    most -= index->events.n_units;
    uint64_t good = GOOD_BYTES / row > least ? GOOD_BYTES / row : least;
    return good < most ? good : most;
}

/* ---- one window ------------------------------------------------------------------------------ */

typedef struct run {
    const sweep_shared *shared;
    const sweep_groups *groups;
    sweep_table *table;
    uint64_t window_events;
    uint64_t first_group; /* of the batch */
    uint64_t n_tasks;
    sweep_task *task; /* a group each */
    bool *is_last;    /* per unit: some prefix of the batch ends with it */
    /* The present window. */
    uint64_t first_event, end_event;
    sweep_window ranks;
    sweep_layout layout;
    sweep_index index; /* the search's, with words for this window where it has none */
    sweep_word *word;  /* memory for them, or NULL */
    bool done;
    spk_status status;
} run;

static void run_free(run *r)
{
    for (uint64_t k = 0; r->task != NULL && k < r->n_tasks; k++) {
        r->task[k].list = (sweep_list){.n = 0}; /* was borrowed */
        sweep_task_free(&r->task[k]);
    }
    spk_free_all(r->task, r->is_last, r->layout.first, r->layout.n, r->layout.row_shift, r->word);
}

/* How far behind a window's first event its episodes' prefixes may begin. */
static uint64_t reach_back(const run *r)
{
    return (r->shared->block->size - 1) * (uint64_t)r->shared->index->widest_span;
}

/* Words of a unit in any window. */
static uint64_t most_words(const run *r)
{
    const sweep_index *index = r->shared->index;
    uint64_t ranks = r->window_events + index->events.n_units; /* with ties at its end */
    ranks += reach_back(r) + index->widest_span;
    return (ranks < index->n_ranks ? ranks : index->n_ranks) / 64 + 2;
}

/* Words are made for prefixes of two units and more, where the search has none of the whole
 * recording. */
static spk_status run_open(run *r)
{
    uint64_t n_units = r->shared->index->events.n_units;
    sweep_layout *layout = &r->layout;
    spk_status status = spk_alloc_columns(
        NULL, what, SPK_COLUMN_ZERO(&r->task, r->n_tasks), SPK_COLUMN_ZERO(&r->is_last, n_units),
        SPK_COLUMN(&layout->first, n_units), SPK_COLUMN_ZERO(&layout->n, n_units),
        SPK_COLUMN(&layout->row_shift, n_units));
    if (status == SPK_OK && r->index.word == NULL && r->shared->block->size > 2)
        status = spk_alloc(NULL, &r->word, n_units * most_words(r), what);
    if (status != SPK_OK)
        return status;
    memcpy(layout->first, r->shared->index->events.unit_first, n_units * sizeof *layout->first);
    for (uint64_t k = 0; k < r->n_tasks; k++)
        r->is_last[sweep_groups_last_unit(r->shared->block, r->groups, r->first_group + k)] = true;
    return SPK_OK;
}

/* Events of the unit from `place` on with ranks before `end`; few, so from the front. */
static uint64_t count_until(const sweep_index *index, uint32_t unit, uint64_t place, uint32_t end)
{
    const uint32_t *rank = index->unit_rank;
    uint64_t last = index->events.unit_first[unit + 1];
    uint64_t low = place; /* all before it are before `end` */
    uint64_t step = 1;
    while (last - low > step && rank[low + step - 1] < end) {
        low += step;
        step *= 2;
    }
    uint64_t high = last - low > step ? low + step : last;
    return sweep_place_of_rank(index, low, high, end) - place;
}

/* Which ranks the window's words are for: all that its lists may ask for. */
static void place_words(run *r)
{
    const sweep_index *whole = r->shared->index;
    uint64_t back = reach_back(r);
    uint64_t first = r->ranks.first > back ? r->ranks.first - back : 0;
    uint64_t last = r->ranks.end - 1 + whole->widest_span;
    last = last < whole->n_ranks ? last : whole->n_ranks - 1;
    r->index.word = r->word;
    r->index.first_word = (uint32_t)(first / 64);
    r->index.n_words = (uint32_t)(last / 64 - first / 64 + 1);
    assert(r->index.n_words <= most_words(r));
}

/* Bits of the unit's events in the window's ranks; `before` of a word: how many of its events, from
 * the recording's begin on, lie in earlier words. */
static void write_words(const run *r, uint32_t unit)
{
    const sweep_index *index = &r->index;
    const uint32_t *rank = index->unit_rank;
    uint64_t begin = index->events.unit_first[unit];
    uint64_t end = index->events.unit_first[unit + 1];
    uint64_t place = r->layout.first[unit];
    while (place > begin && rank[place - 1] / 64 >= index->first_word)
        place--;
    sweep_word *word = index->word + (uint64_t)unit * index->n_words;
    memset(word, 0, index->n_words * sizeof *word);
    uint64_t before = place - begin;
    for (; place < end && rank[place] / 64 - index->first_word < index->n_words; place++) {
        sweep_word *at = word + (rank[place] / 64 - index->first_word);
        at->bits |= (uint64_t)1 << rank[place] % 64;
        at->before++; /* within the word, for now */
    }
    for (uint32_t w = 0; w < index->n_words; w++) {
        uint64_t within = word[w].before;
        word[w].before = before;
        before += within;
    }
}

/* Goes to the next window; `done` when there is none, or nothing left to count. */
static void next_window(run *r)
{
    const sweep_index *index = r->shared->index;
    const spk_events *e = &index->events;
    uint64_t from = r->end_event;
    uint64_t to = e->n_events - from > r->window_events ? from + r->window_events : e->n_events;
    r->done = from == e->n_events || r->status != SPK_OK || spk_context_cancelled(r->shared->watch);
    if (r->done)
        return;
    /* Events at one time stay in one window: ranks tell windows apart. */
    while (to < e->n_events && index->rank[to] == index->rank[to - 1])
        to++;
    r->first_event = from;
    r->end_event = to;
    r->ranks.first = index->rank[from];
    r->ranks.end = to < e->n_events ? index->rank[to] : index->n_ranks;
    uint64_t n_rows = 0;
    sweep_layout *layout = &r->layout;
    for (uint32_t u = 0; u < e->n_units; u++) {
        layout->first[u] += layout->n[u];
        layout->n[u] = count_until(index, u, layout->first[u], r->ranks.end);
        layout->row_shift[u] = r->is_last[u] ? n_rows - layout->first[u] : SWEEP_NO_ROWS;
        n_rows += r->is_last[u] ? layout->n[u] : 0;
    }
    assert(n_rows <= r->table->n_rows);
    if (r->word != NULL)
        place_words(r);
}

static bool is_needed(const run *r, size_t delay)
{
    uint32_t n_tiles = r->shared->index->n_tiles;
    for (uint32_t tile = 0; tile < n_tiles; tile++)
        if (r->shared->active[delay * n_tiles + tile])
            return true;
    return false;
}

/* The rows of a piece of the window's events for one interval. */
static void write_piece(const run *r, uint64_t piece, size_t delay, sweep_row_walk *walk)
{
    uint64_t from = r->first_event + piece * EVENTS_A_PIECE;
    uint64_t to = r->end_event - from > EVENTS_A_PIECE ? from + EVENTS_A_PIECE : r->end_event;
    if (is_needed(r, delay))
        sweep_row_walk_write(walk, r->shared->active, delay, from, to, &r->layout);
}

/* Extends the prefix of group k in this window and counts what follows. Neighbouring groups have
 * prefixes that begin alike: the path keeps their lists. */
static spk_status count_task(const run *r, uint64_t k, sweep_path *path)
{
    const sweep_shared *shared = r->shared;
    const spk_episode_block *block = shared->block;
    uint64_t c = r->groups->first[r->first_group + k];
    sweep_task *task = &r->task[k];
    if (task->dead)
        return SPK_OK;
    const uint32_t *unit = block->unit + c * block->size;
    spk_status status =
        sweep_path_window(&r->index, shared->kernels.extend, block->size - 1, unit,
                          block->delay + c * block->size, r->ranks, path, &task->list);
    if (status == SPK_OK)
        sweep_task_window(shared, r->table, r->layout.row_shift[unit[block->size - 2]], task);
    task->list = (sweep_list){.n = 0};
    return status;
}

/* ---- all windows ----------------------------------------------------------------------------- */

static spk_status begin_tasks(run *r)
{
    const uint64_t *first = r->groups->first + r->first_group;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < r->n_tasks && status == SPK_OK; k++)
        status = sweep_task_begin(r->shared, first[k], first[k + 1], true, &r->task[k]);
    return status;
}

static void fail(run *r, spk_status status)
{
#pragma omp critical(spk_sweep_status)
    r->status = status;
}

static void go_through(run *r, int threads)
{
    const sweep_index *index = r->shared->index;
    uint64_t chunk = r->n_tasks / (CHUNKS_A_THREAD * (uint64_t)threads) + 1;
    uint64_t n_chunks = (r->n_tasks + chunk - 1) / chunk;
    uint32_t n_word_units = r->word != NULL ? index->events.n_units : 0;
#pragma omp parallel num_threads(threads)
    {
        /* All threads go from window to window together. Loops without nowait end with a barrier:
         * rows are there before anybody counts with them. A thread that has failed goes along, or
         * the others would wait for it. */
        sweep_path path = {.depth = 0};
        sweep_row_walk *walk = NULL;
        spk_status status = sweep_row_walk_open(index, r->table, &walk);
        if (status != SPK_OK)
            fail(r, status);
#pragma omp barrier
#pragma omp single
        next_window(r);
        while (!r->done) {
            uint64_t n_pieces =
                (r->end_event - r->first_event + EVENTS_A_PIECE - 1) / EVENTS_A_PIECE;
#pragma omp for schedule(dynamic, 1) nowait
            for (uint32_t unit = 0; unit < n_word_units; unit++)
                write_words(r, unit);
#pragma omp for collapse(2) schedule(dynamic, 1)
            for (uint64_t piece = 0; piece < n_pieces; piece++)
                for (size_t delay = 0; delay < index->n_delays; delay++)
                    write_piece(r, piece, delay, walk);
            path.depth = 0;
#pragma omp for schedule(dynamic, 1)
            for (uint64_t c = 0; c < n_chunks; c++) {
                uint64_t end = (c + 1) * chunk < r->n_tasks ? (c + 1) * chunk : r->n_tasks;
                for (uint64_t k = c * chunk; k < end && status == SPK_OK; k++)
                    status = count_task(r, k, &path);
                if (status != SPK_OK)
                    fail(r, status);
            }
#pragma omp single
            next_window(r);
        }
        sweep_row_walk_close(walk);
        sweep_path_free(&path);
    }
}

spk_status sweep_count_windows(const sweep_shared *shared, const sweep_resources *resources,
                               const sweep_groups *groups, uint64_t stretch, uint64_t *counts)
{
    uint64_t n_rows = stretch + shared->index->events.n_units;
    spk_status status =
        sweep_table_reserve(NULL, n_rows, shared->wide, shared->active, resources->table);
    /* As many groups as memory has room for go through the whole recording together. */
    for (uint64_t g = 0; g < groups->n && status == SPK_OK;) {
        uint64_t end = batch_end(shared, resources, groups, g);
        run r = {.shared = shared,
                 .groups = groups,
                 .index = *shared->index,
                 .table = resources->table,
                 .window_events = stretch,
                 .first_group = g,
                 .n_tasks = end - g};
        status = run_open(&r);
        if (status == SPK_OK)
            status = begin_tasks(&r);
        if (status == SPK_OK) {
            go_through(&r, resources->threads);
            status = r.status;
        }
        for (uint64_t k = 0; k < r.n_tasks && status == SPK_OK; k++)
            sweep_task_finish(shared, groups->first[g + k], groups->first[g + k + 1], &r.task[k],
                              counts);
        run_free(&r);
        g = end;
        if (spk_context_cancelled(shared->watch))
            break;
    }
    return status;
}
