/*
 * The largest counts by branch and bound: bounds, and the pattern that a set stands for.
 *
 *     set  ->  its windows  ->  items of all of them: the closure  ->  limits, moving-window step
 *          ->  row of its duration, size, count  ->  the table, and a new version of it
 *
 * Invariant: the table only rises, so that bounds of an old version cut too little, never too much.
 * Where the duration of a set is open, its bound is the least one of all durations it may get.
 * Cost: a set that raises is looked up in the windows of its root, and its closure in the items of
 * one window; few sets raise, so that neither is in an inner loop.
 */
#include <stdlib.h>

#include "base/bisect.h"
#include "pattern/engine/bitmap/maxima.h"
#include "pattern/engine/item_order.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The least count that is reported for a size. */
static uint32_t support_at(const spk_pattern_maxima_job *given, uint32_t size)
{
    const spk_pattern_supports *t = given->supports;
    if (t == NULL)
        return given->job.limits.min_support;
    size = size < 2 ? 2 : smaller(size, t->n);
    return t->at_size[size] < UINT32_MAX ? (uint32_t)t->at_size[size] : UINT32_MAX;
}

static uint32_t bound_at(const spk_bitmap_bounds *shared, const spk_maxima_row *row, uint32_t size)
{
    const spk_pattern_maxima_job *given = shared->given;
    if (size < given->job.limits.min_spikes)
        return UINT32_MAX;
    uint32_t bound = row != NULL ? spk_maxima_at(row, size) : 0;
    uint32_t support = support_at(given, size);
    bound = support - 1 > bound ? support - 1 : bound;
    return shared->floor - 1 > bound ? shared->floor - 1 : bound;
}

/* Sizes from the return value on have one bound. */
static uint32_t last_change(const spk_bitmap_bounds *shared, const spk_maxima_row *row)
{
    uint32_t size = shared->given->job.limits.min_spikes;
    if (shared->given->supports != NULL && shared->given->supports->n > size)
        size = shared->given->supports->n;
    if (row != NULL && row->n > 0 && row->step[row->n - 1].size + 1 > size)
        size = row->step[row->n - 1].size + 1;
    return size;
}

/* With the table's lock. */
static bool make_bounds(spk_maxima_search *search)
{
    spk_bitmap_bounds *shared = search->shared;
    const uint32_t n_spans = search->n_spans;
    const spk_maxima_row *row =
        search->duration == SPK_MAXIMA_ANY ? NULL : &shared->table->row[search->duration];
    uint32_t n = 0;
    for (uint32_t s = 0; s < n_spans; s++) {
        uint32_t last = last_change(shared, n_spans > 1 ? &shared->table->row[s] : row) + 1;
        n = last > n ? last : n;
    }
    if ((uint64_t)n * n_spans > search->bound_capacity) {
        uint32_t *larger = realloc(search->bounds, 2 * (size_t)n * n_spans * sizeof *larger);
        if (larger == NULL)
            return false;
        search->bounds = larger;
        search->bound_capacity = 2 * (uint64_t)n * n_spans;
    }
    /* A set lasts as long as its span or longer, in the end. */
    for (uint32_t s = n_spans; s-- > 0;) {
        uint32_t *bound = search->bounds + (size_t)s * n;
        for (uint32_t z = 0; z < n; z++) {
            bound[z] = bound_at(shared, n_spans > 1 ? &shared->table->row[s] : row, z);
            if (s + 1 < n_spans && bound[n + z] < bound[z])
                bound[z] = bound[n + z];
        }
    }
    search->n_bound = n;
    search->bound = search->bounds;
    search->bound_duration = search->duration;
    spk_maxima_set_bound(search);
    return true;
}

bool spk_maxima_refresh(spk_maxima_search *search)
{
    spk_bitmap_bounds *shared = search->shared;
    uint32_t version = atomic_load_explicit(&shared->version, memory_order_acquire);
    if (version == search->bound_version && search->duration == search->bound_duration)
        return true;
    pthread_mutex_lock(&shared->lock);
    bool good = make_bounds(search);
    search->bound_version = version;
    pthread_mutex_unlock(&shared->lock);
    if (!good)
        spk_maxima_fail(search, SPK_ERR_MEMORY);
    return good;
}

void spk_maxima_fail(spk_maxima_search *search, spk_status status)
{
    int none = SPK_OK;
    atomic_compare_exchange_strong(&search->shared->status, &none, (int)status);
}

/* ---- the pattern that a set stands for ------------------------------------------------------- */

static inline bool has_rank(const spk_bitmap_job *job, uint64_t w, uint32_t rank)
{
    return (job->row[w * job->row_words + rank / 64] >> (rank % 64) & 1) != 0;
}

/* Whether window w has an item. The item must have a rank, or be missed in one of the windows that
 * are asked about: an item that all windows of a set have is frequent. */
static inline bool has_common(const spk_bitmap_job *job, uint64_t w, uint32_t item)
{
    if (job->row == NULL)
        return spk_window_has(job->windows, w, item);
    uint32_t rank = job->rank_of[item];
    return rank != UINT32_MAX && has_rank(job, w, rank);
}

static uint32_t item_of(const spk_bitmap_job *job, uint32_t rank)
{
    return (uint32_t)job->key_of[rank];
}

/* The rank of an item of the set whose lags count from the `earliest` one. */
static uint32_t rank_in_set(const spk_maxima_search *search, uint32_t k, uint32_t earliest)
{
    const spk_bitmap_job *job = search->job;
    const uint32_t rank = search->rank[k];
    if (search->reach == 0)
        return rank;
    const uint32_t lag = search->lag_of[rank] - earliest;
    return job->rank_of[(size_t)search->unit_of[rank] * job->windows->window + lag];
}

/* The windows of the set, into search->window. */
static uint32_t find_windows(spk_maxima_search *search)
{
    const spk_bitmap_job *job = search->job;
    uint32_t n = 0, root = search->root, earliest = UINT32_MAX;
    /* Around anchors a window that holds the set begins with its earliest item: the root of that
     * item lists all of them. */
    for (uint32_t k = 0; k < search->size && search->reach > 0; k++)
        if (search->lag_of[search->rank[k]] < earliest) {
            earliest = search->lag_of[search->rank[k]];
            root = rank_in_set(search, k, earliest);
        }
    for (uint64_t i = job->root_first[root]; i < job->root_first[root + 1]; i++) {
        uint32_t w = job->root_window[i];
        bool all = true;
        for (uint32_t k = search->size; k-- > 0 && all;) {
            uint32_t rank = rank_in_set(search, k, earliest);
            all = job->row != NULL ? has_rank(job, w, rank)
                                   : spk_window_has(job->windows, w, item_of(job, rank));
        }
        if (all)
            search->window[n++] = w;
    }
    return n;
}

/* Items that all n windows have in common, into search->item. */
static uint32_t find_closure(spk_maxima_search *search, uint32_t n)
{
    const spk_window_columns *windows = search->job->windows;
    uint32_t size = 0;
    for (uint64_t k = windows->first[search->window[0]]; k < windows->first[search->window[0] + 1];
         k++) {
        bool all = true;
        for (uint32_t i = 1; i < n && all; i++)
            all = has_common(search->job, search->window[i], windows->item[k]);
        if (all)
            search->item[size++] = windows->item[k];
    }
    return size;
}

static uint32_t duration_of(const spk_maxima_search *search, uint32_t size)
{
    uint32_t duration = 0, window = search->job->windows->window;
    for (uint32_t k = 0; k < size; k++)
        if (search->item[k] % window > duration)
            duration = search->item[k] % window;
    return duration;
}

static uint32_t neurons_of(spk_maxima_search *search, uint32_t size)
{
    uint32_t window = search->job->windows->window, n = 0;
    for (uint32_t k = 0; k < size; k++)
        n += search->unit_met[search->item[k] / window]++ == 0;
    for (uint32_t k = 0; k < size; k++)
        search->unit_met[search->item[k] / window] = 0;
    return n;
}

/* ---- the moving-window step ------------------------------------------------------------------ */

/* The window that starts `shift` bins before window w, in its trial; UINT64_MAX: none. */
static uint64_t window_before(const spk_window_columns *windows, uint64_t w, uint32_t shift)
{
    if (windows->start_bin[w] < shift)
        return UINT64_MAX;
    uint64_t bin = windows->start_bin[w] - shift;
    for (uint64_t v = w; v-- > 0 && windows->trial[v] == windows->trial[w];)
        if (windows->start_bin[v] <= bin)
            return windows->start_bin[v] == bin ? v : UINT64_MAX;
    return UINT64_MAX;
}

/* Units that fire `shift` bins before each of the n windows. */
static uint32_t units_before(const spk_maxima_search *search, uint32_t n, uint32_t shift)
{
    const spk_window_columns *windows = search->job->windows;
    uint32_t n_units = 0;
    uint64_t v = window_before(windows, search->window[0], shift);
    if (v == UINT64_MAX)
        return 0;
    for (uint64_t k = windows->first[v]; k < windows->first[v + 1]; k++) {
        bool all = windows->item[k] % windows->window == 0;
        for (uint32_t i = 1; i < n && all; i++) {
            uint64_t x = window_before(windows, search->window[i], shift);
            all = x != UINT64_MAX && has_common(search->job, x, windows->item[k]);
        }
        n_units += all;
    }
    return n_units;
}

/*
 * Whether the moving-window step drops the closed pattern of `size` spikes in the n windows. It is
 * dropped for a pattern Q with as many occurrences of which it is the end. Then every window of Q
 * lies the same number of bins before one of the pattern, and Q begins there with a spike. So look
 * for a unit that fires that many bins before all windows of the pattern; with the nearest such
 * bin, Q is the pattern and these units. The limit on spikes can hide Q.
 */
static bool is_end_of_another(const spk_maxima_search *search, uint32_t n, uint32_t size,
                              uint32_t duration)
{
    uint32_t window = search->job->windows->window;
    for (uint32_t shift = 1; shift < window - duration; shift++) {
        uint32_t more = units_before(search, n, shift);
        if (more > 0)
            return (uint64_t)size + more <= search->job->limits.max_spikes;
    }
    return false;
}

/* ---- raising --------------------------------------------------------------------------------- */

static void raise_row(spk_maxima_search *search, uint32_t duration, uint32_t size, uint32_t count)
{
    spk_bitmap_bounds *shared = search->shared;
    pthread_mutex_lock(&shared->lock);
    if (!spk_maxima_would_raise(&shared->table->row[duration], size, count)) {
        pthread_mutex_unlock(&shared->lock);
        return;
    }
    bool good = spk_maxima_raise(&shared->table->row[duration], size, count);
    uint32_t version = 1 + atomic_fetch_add_explicit(&shared->version, 1, memory_order_release);
    if (search->duration == duration)
        good = good && make_bounds(search);
    pthread_mutex_unlock(&shared->lock);
    if (search->duration == duration)
        search->bound_version = version;
    if (!good)
        spk_maxima_fail(search, SPK_ERR_MEMORY);
}

bool spk_maxima_raise_by(spk_maxima_search *search)
{
    const spk_pattern_maxima_job *given = search->shared->given;
    const spk_pattern_limits *limits = &search->job->limits;
    uint32_t count = find_windows(search);
    assert(count > 0);
    if (!given->by_duration && limits->max_spikes == UINT32_MAX) {
        raise_row(search, 0, search->size, count);
        return true;
    }
    uint32_t size = find_closure(search, count);
    uint32_t duration = given->by_duration ? duration_of(search, size) : 0;
    bool fixed = search->duration != SPK_MAXIMA_ANY; /* larger sets have the same duration */
    if (fixed && duration > search->duration)
        return false;
    if (size > limits->max_spikes) /* larger sets have larger closures */
        return false;
    if (size < limits->min_spikes || neurons_of(search, size) < limits->min_neurons)
        return true;
    if (given->drop_ends && is_end_of_another(search, count, size, duration))
        return limits->max_spikes != UINT32_MAX || !fixed;
    raise_row(search, duration, size, count);
    return true;
}
