/*
 * The moving-window step for windows that slide, in time linear in the number of spikes.
 *
 * Let X be contained in Y, aligned to the last spike, with the same count; d = duration(Y) -
 * duration(X). X has a lag-0 spike, so Y has a spike of lag d, which begins a window of its own in
 * every occurrence of Y: d bins later, X occurs. As many occurrences of X as of Y, so these are all
 * of X. The spikes of Y from lag d on are therefore in every window that contains X, and X, being
 * closed, has them all: X is exactly Y without the spikes before lag d.
 *
 * So nothing needs searching. Every pattern goes into a hash table under its count and its
 * aligned spikes; then of every pattern Y all ends - Y cut at each of its lags - are looked up and
 * what is found is dropped. (The published implementation intersects sets of patterns per spike.)
 *
 * A pattern and its ends have the spikes of the last bin in common, and the count. By a hash of
 * those the patterns are split into groups that are worked on in parallel, with small tables.
 */
#include "pattern/moving_window.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "base/stage.h"
#include "base/threads.h"

/* ---- the index ------------------------------------------------------------------------------- */

/*
 * The moving-window step for any list of patterns: nothing is known about the windows, so a pattern
 * can be contained in any other of the same count. Candidates are the larger patterns with the
 * same rarest spike, found through an inverted index per count; rare means in few patterns of
 * that count.
 */

/* Patterns that hold a spike: pattern[first[s]] .. pattern[first[s + 1] - 1], larger ones first.
 * `first` has an entry for every aligned spike (unit * window + lags before the last spike). */
typedef struct spike_index {
    const spk_pattern_columns *patterns;
    uint64_t n_spikes;
    uint64_t *first;
    uint32_t *pattern;
    uint64_t capacity;
} spike_index;

static uint32_t aligned(const spk_pattern_columns *patterns, uint32_t item, uint32_t duration)
{
    return item + duration - 2 * (item % patterns->window);
}

typedef struct numbered {
    uint32_t count;
    uint32_t size;
    uint32_t number;
} numbered;

/* By count, then larger ones first. */
static int compare_numbered(const void *left, const void *right)
{
    const numbered *a = left, *b = right;
    return SPK_BY(SPK_UP(a->count, b->count), SPK_DOWN(a->size, b->size),
                  SPK_UP(a->number, b->number));
}

static spk_status index_group(spk_context *context, spike_index *index, const numbered *group,
                              uint64_t n)
{
    const spk_pattern_columns *patterns = index->patterns;
    memset(index->first, 0, (index->n_spikes + 2) * sizeof *index->first);
    uint64_t total = 0;
    for (uint64_t g = 0; g < n; g++) {
        uint32_t i = group[g].number;
        uint32_t duration = spk_pattern_duration(patterns, i);
        for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++)
            index->first[aligned(patterns, patterns->item[k], duration) + 2]++;
        total += group[g].size;
    }
    spk_status status =
        spk_grow(context, &index->pattern, &index->capacity, total, "the moving-window step");
    if (status != SPK_OK)
        return status;
    for (uint64_t s = 2; s < index->n_spikes + 2; s++)
        index->first[s] += index->first[s - 1];
    for (uint64_t g = 0; g < n; g++) {
        uint32_t i = group[g].number;
        uint32_t duration = spk_pattern_duration(patterns, i);
        for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++)
            index->pattern[index->first[aligned(patterns, patterns->item[k], duration) + 1]++] = i;
    }
    return SPK_OK;
}

/* Whether pattern `small` is contained in `large`, aligned to the last spike. The order of items,
 * by lag and then unit, survives the shift. */
static bool contained(const spk_pattern_columns *patterns, uint32_t small, uint32_t large)
{
    uint32_t window = patterns->window;
    uint32_t d_small = spk_pattern_duration(patterns, small);
    uint32_t d_large = spk_pattern_duration(patterns, large);
    if (d_small > d_large)
        return false;
    uint64_t j = patterns->offset[large];
    uint64_t end = patterns->offset[large + 1];
    for (uint64_t k = patterns->offset[small]; k < patterns->offset[small + 1]; k++, j++) {
        uint32_t wanted = patterns->item[k] + (d_large - d_small);
        while (j < end &&
               (patterns->item[j] % window < wanted % window ||
                (patterns->item[j] % window == wanted % window && patterns->item[j] < wanted)))
            j++;
        if (j == end || patterns->item[j] != wanted)
            return false;
    }
    return true;
}

static bool has_superset(const spike_index *index, uint32_t number)
{
    const spk_pattern_columns *patterns = index->patterns;
    uint32_t duration = spk_pattern_duration(patterns, number);
    uint32_t size = spk_pattern_size(patterns, number);
    uint64_t begin = 0;
    uint64_t end = UINT64_MAX;
    for (uint64_t k = patterns->offset[number]; k < patterns->offset[number + 1]; k++) {
        uint32_t spike = aligned(patterns, patterns->item[k], duration);
        if (index->first[spike + 1] - index->first[spike] < end - begin) {
            begin = index->first[spike];
            end = index->first[spike + 1];
        }
    }
    for (uint64_t k = begin; k < end; k++) {
        uint32_t other = index->pattern[k];
        if (spk_pattern_size(patterns, other) <= size)
            return false;
        if (contained(patterns, number, other))
            return true;
    }
    return false;
}

static spk_status filter_counts(spk_context *context, spike_index *index, const numbered *all,
                                uint8_t *keep)
{
    uint64_t n = index->patterns->n;
    spk_status status = SPK_OK;
    for (uint64_t begin = 0, end; status == SPK_OK && begin < n; begin = end) {
        for (end = begin; end < n && all[end].count == all[begin].count; end++)
            continue;
        status = index_group(context, index, all + begin, end - begin);
        for (uint64_t k = begin; status == SPK_OK && k < end; k++) {
            keep[all[k].number] = !has_superset(index, all[k].number);
            if (k % 1024 == 0)
                status = spk_check_cancel(context);
        }
    }
    return status;
}

spk_status spk_moving_window_by_index(spk_context *context, const spk_pattern_columns *patterns,
                                      uint8_t *keep)
{
    spike_index index = {.patterns = patterns};
    numbered *all = NULL;
    uint32_t largest = 0;
    for (uint64_t k = patterns->offset[0]; k < patterns->offset[patterns->n]; k++)
        largest = patterns->item[k] > largest ? patterns->item[k] : largest;
    index.n_spikes = ((uint64_t)largest / patterns->window + 1) * patterns->window;
    spk_status status =
        spk_alloc_columns(context, "the moving-window step", SPK_COLUMN(&all, patterns->n),
                          SPK_COLUMN(&index.first, index.n_spikes + 2));
    if (status != SPK_OK)
        goto done;
    for (uint32_t i = 0; i < patterns->n; i++)
        all[i] = (numbered){patterns->count[i], spk_pattern_size(patterns, i), i};
    qsort(all, patterns->n, sizeof *all, compare_numbered);
    status = filter_counts(context, &index, all, keep);
done:
    spk_free_all(all, index.first, index.pattern);
    return status;
}

/* ---- the step -------------------------------------------------------------------------------- */

enum { PATTERNS_PER_GROUP = 1 << 17, MAX_GROUPS = 1 << 16 };

#define EMPTY UINT64_MAX

/* Group by count and the units of the last bin. */
static uint32_t group_of(const spk_pattern_columns *patterns, uint64_t i, uint32_t n_groups)
{
    uint32_t duration = spk_pattern_duration(patterns, i);
    uint64_t hash = spk_hash(patterns->count[i]);
    for (uint64_t k = patterns->offset[i + 1]; k-- > patterns->offset[i];) {
        if (patterns->item[k] % patterns->window != duration)
            break;
        hash += spk_hash(patterns->item[k] - duration);
    }
    return (uint32_t)(spk_hash(hash) % n_groups);
}

/* Sorts numbers of patterns into groups: order[] lists 0 .. n-1 by group_of(i) < n_groups,
 * ascending within a group; group g is order[first[g]] .. order[first[g + 1] - 1]. Both arrays are
 * malloc'ed here, NULL on failure. */
static spk_status sort_into_groups(spk_context *context, const spk_pattern_columns *patterns,
                                   uint32_t n_groups, uint32_t **order, uint64_t **first)
{
    *first = NULL;
    spk_status status =
        spk_alloc_columns(context, "the moving-window step", SPK_COLUMN(order, patterns->n),
                          SPK_COLUMN_ZERO(first, (uint64_t)n_groups + 2));
    if (status != SPK_OK) {
        free(*order);
        *order = NULL;
        return status;
    }
    for (uint64_t i = 0; i < patterns->n; i++) {
        assert(group_of(patterns, i, n_groups) < n_groups);
        (*first)[group_of(patterns, i, n_groups) + 2]++;
    }
    for (uint64_t g = 2; g < (uint64_t)n_groups + 2; g++)
        (*first)[g] += (*first)[g - 1];
    for (uint64_t i = 0; i < patterns->n; i++)
        (*order)[(*first)[group_of(patterns, i, n_groups) + 1]++] = (uint32_t)i;
    return SPK_OK;
}

/* ---- the table of one group ---------------------------------------------------------------------
 */

/* Slots hold the upper half of a pattern's hash and its number. */
typedef struct end_table {
    const spk_pattern_columns *patterns;
    uint64_t *slot;
    uint64_t mask;
} end_table;

/* One aligned spike's share of the hash, which is a sum: cutting a pattern leaves a partial sum. */
static uint64_t spike_hash(const spk_pattern_columns *patterns, uint32_t item, uint32_t duration)
{
    uint32_t lag = item % patterns->window;
    return spk_hash((uint64_t)(item / patterns->window) << 32 | (duration - lag));
}

static void table_add(end_table *table, uint32_t number, uint64_t hash)
{
    uint64_t at = hash & table->mask;
    while (table->slot[at] != EMPTY)
        at = (at + 1) & table->mask;
    table->slot[at] = (hash >> 32) << 32 | number;
}

/* Whether pattern `number` is pattern `whole` from its spike `begin` on, `shift` lags earlier. */
static bool is_end(const spk_pattern_columns *patterns, uint32_t number, uint32_t whole,
                   uint64_t begin, uint32_t shift)
{
    uint64_t n = patterns->offset[whole + 1] - begin;
    const uint32_t *item = patterns->item + patterns->offset[number];
    if (patterns->count[number] != patterns->count[whole] ||
        spk_pattern_size(patterns, number) != n)
        return false;
    for (uint64_t k = 0; k < n; k++)
        if (item[k] + shift != patterns->item[begin + k])
            return false;
    return true;
}

static void drop_end(const end_table *table, uint32_t whole, uint64_t begin, uint64_t hash,
                     uint8_t *keep)
{
    uint32_t shift = table->patterns->item[begin] % table->patterns->window;
    for (uint64_t at = hash & table->mask; table->slot[at] != EMPTY; at = (at + 1) & table->mask) {
        uint32_t number = (uint32_t)table->slot[at];
        if (table->slot[at] >> 32 == hash >> 32 &&
            is_end(table->patterns, number, whole, begin, shift)) {
            keep[number] = 0;
            return; /* the patterns are distinct */
        }
    }
}

/* Enters pattern `number`, or (keep != NULL) drops all its proper ends. */
static void visit(end_table *table, uint32_t number, uint8_t *keep)
{
    const spk_pattern_columns *patterns = table->patterns;
    uint32_t duration = spk_pattern_duration(patterns, number);
    uint64_t hash = spk_hash(patterns->count[number]);
    uint64_t begin = patterns->offset[number];
    for (uint64_t k = patterns->offset[number + 1]; k-- > begin;) {
        hash += spike_hash(patterns, patterns->item[k], duration);
        bool new_lag = k > begin && patterns->item[k] % patterns->window !=
                                        patterns->item[k - 1] % patterns->window;
        if (keep != NULL && new_lag)
            drop_end(table, number, k, hash, keep);
    }
    if (keep == NULL)
        table_add(table, number, hash);
}

static bool filter_group(const spk_pattern_columns *patterns, const uint32_t *number, uint64_t n,
                         uint8_t *keep)
{
    uint64_t slots = 16;
    while (slots < 2 * n)
        slots *= 2;
    end_table table = {
        .patterns = patterns, .slot = malloc(slots * sizeof *table.slot), .mask = slots - 1};
    if (table.slot == NULL)
        return false;
    memset(table.slot, 0xff, slots * sizeof *table.slot);
    for (uint64_t k = 0; k < n; k++)
        visit(&table, number[k], NULL);
    for (uint64_t k = 0; k < n; k++)
        visit(&table, number[k], keep);
    free(table.slot);
    return true;
}

spk_status spk_moving_window_by_ends(spk_context *context, const spk_pattern_columns *patterns,
                                     uint8_t *keep)
{
    uint64_t wanted = patterns->n / PATTERNS_PER_GROUP + 1;
    uint32_t n_groups = wanted < MAX_GROUPS ? (uint32_t)wanted : MAX_GROUPS;
    uint32_t *order;
    uint64_t *first;
    spk_status status = sort_into_groups(context, patterns, n_groups, &order, &first);
    if (status != SPK_OK)
        return status;
    atomic_bool no_memory = false;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(n_groups > 1 ? spk_threads_take(context) : 1)
#endif
    for (uint32_t g = 0; g < n_groups; g++)
        if (!atomic_load(&no_memory) && !spk_context_cancelled(context) &&
            !filter_group(patterns, order + first[g], first[g + 1] - first[g], keep))
            atomic_store(&no_memory, true);
    status = atomic_load(&no_memory) ? spk_fail_memory(context, 32 * (uint64_t)PATTERNS_PER_GROUP,
                                                       "the moving-window step")
                                     : spk_check_cancel(context);
    free(order);
    free(first);
    return status;
}

/* ---- windows that slide -------------------------------------------------------------------------
 */

/* Smallest lag above 0 in a window; 0 when there is none. */
static uint32_t second_lag(const spk_window_columns *windows, uint64_t w)
{
    uint32_t smallest = 0;
    for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
        uint32_t lag = windows->item[k] % windows->window;
        if (lag > 0 && (smallest == 0 || lag < smallest))
            smallest = lag;
    }
    return smallest;
}

/* Whether window `next` shows what window w shows from bin `shift` on. */
static bool shows_the_same(const spk_window_columns *windows, uint64_t w, uint64_t next,
                           uint32_t shift)
{
    uint64_t j = windows->first[next];
    uint64_t end = windows->first[next + 1];
    for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
        if (windows->item[k] % windows->window < shift)
            continue;
        while (j < end && windows->item[j] + shift < windows->item[k])
            if (windows->item[j++] % windows->window < windows->window - shift)
                return false;
        if (j == end || windows->item[j] + shift != windows->item[k])
            return false;
        j++;
    }
    while (j < end && windows->item[j] % windows->window >= windows->window - shift)
        j++;
    return j == end;
}

/* The same for the window behind w, `shift` bins later; 0: w shows none. */
static bool slides_on(const spk_window_columns *windows, uint64_t w, uint32_t shift)
{
    return shift == 0 || (w + 1 < windows->n_windows && shows_the_same(windows, w, w + 1, shift));
}

bool spk_windows_slide(const spk_window_columns *windows)
{
    if (windows->start_time != NULL) /* of a recording: by construction */
        return true;
    for (uint64_t w = 0; w < windows->n_windows; w++)
        if (!slides_on(windows, w, second_lag(windows, w)))
            return false;
    return true;
}

/* The spikes of the recording are the items of lag 0. A window shows those of its own bin and,
 * where it slides on, what the next one shows; so from the last window on, each shows all of them
 * that lie in its bins, and no other. */
bool spk_windows_place(const spk_window_columns *windows, uint64_t *start_bin)
{
    uint64_t bin = 0;
    for (uint64_t w = 0; w < windows->n_windows; w++) {
        const uint32_t shift = second_lag(windows, w);
        uint64_t k = windows->first[w];
        while (k < windows->first[w + 1] && windows->item[k] % windows->window != 0)
            k++;
        if (k == windows->first[w + 1] || !slides_on(windows, w, shift))
            return false;
        start_bin[w] = bin;
        bin += shift > 0 ? shift : windows->window;
    }
    return true;
}

/* Whether the step fits beside the patterns: their order and small tables where windows slide, else
 * their sorted numbers and the index. */
static spk_status check_limit(spk_context *context, const spk_pattern_columns *patterns, bool slide)
{
    uint64_t left = spk_memory_left(context);
    uint64_t n_spikes = patterns->offset[patterns->n] - patterns->offset[0];
    uint64_t columns = 12 * patterns->n + 4 * n_spikes;
    uint64_t step = slide ? 4 * patterns->n + (4 << 20) : 12 * patterns->n + 4 * n_spikes;
    if (left == 0 || step <= left) /* the patterns are in use already */
        return SPK_OK;
    return spk_fail(
        context, SPK_ERR_MEMORY,
        "the moving-window step needs %.1f MB beside %.1f MB of patterns, more than the "
        "memory limit of %.1f MB; raise the limit or turn the step off",
        (double)step / 1e6, (double)columns / 1e6, (double)spk_context_memory_limit(context) / 1e6);
}

spk_status spk_moving_window_filter(spk_context *context, const spk_window_columns *windows,
                                    const spk_pattern_columns *patterns, uint8_t *keep)
{
    if (patterns->n == 0)
        return SPK_OK;
    if (patterns->n >= UINT32_MAX)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%llu patterns are too many for the moving-window step (at most 2^32 - 2); "
                        "raise the minimum of occurrences or turn the step off",
                        (unsigned long long)patterns->n);
    memset(keep, 1, patterns->n);
    if (patterns->window == 1)
        return SPK_OK;
    bool slide = windows != NULL && spk_windows_slide(windows);
    spk_status status = check_limit(context, patterns, slide);
    if (status != SPK_OK)
        return status;
    return slide ? spk_moving_window_by_ends(context, patterns, keep)
                 : spk_moving_window_by_index(context, patterns, keep);
}
