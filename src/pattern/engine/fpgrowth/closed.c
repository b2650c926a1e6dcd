/*
 * Closed detection after mining (Porrmann et al. 2021, sections 2.5.1 and 2.6), in order of the
 * header entries.
 *
 * A pattern is closed when no proper superset of any size has the same count, that is: occurs in
 * the same windows. The mining order makes the closed pattern the first of all patterns with its
 * set of windows. So one pass over the collectors, least frequent entry first, decides: a pattern
 * whose signature and count were met before in a superset is not closed. The signature only finds
 * the candidates; the superset is always checked, so a collision of signatures costs time, never a
 * wrong answer.
 *
 * Patterns of different signatures never meet. The work is therefore cut into partitions by
 * signature, which run in parallel (what the published module does on one core) and keep the tables
 * small.
 *
 * Filtered supersets. The lower limits and the maximum of occurrences never hide a witness: a
 * superset with the same count has at least as many spikes and neurons, and a lag-0 item. A
 * maximum of spikes does hide them. Then the survivors of the pass are checked against the windows:
 * a pattern is closed when no further item is in all windows that contain it.
 */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "pattern/engine/fpgrowth/mine.h"

enum { PATTERNS_PER_PARTITION = 1 << 21 };

static bool is_subset(const spk_found_pattern *small, const spk_found_pattern *large)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < small->n; i++) {
        while (j < large->n && large->item[j] < small->item[i])
            j++;
        if (j == large->n || large->item[j] != small->item[i])
            return false;
        j++;
    }
    return true;
}

/* ---- repeated window sets -----------------------------------------------------------------------
 */

typedef struct closed_detector {
    spk_fp_job *job;
    unsigned bits; /* 2^bits partitions, by the upper bits of the signature */
    uint64_t *n_in;
    atomic_bool failed;
} closed_detector;

static size_t partition_of(const closed_detector *detector, const spk_found_pattern *pattern)
{
    return detector->bits > 0 ? (size_t)(pattern->signature >> (64 - detector->bits)) : 0;
}

/* Enters the pattern, or marks it when a superset with the same windows is there already. */
static void enter(spk_found_pattern **table, uint64_t mask, spk_found_pattern *pattern)
{
    uint64_t slot = pattern->signature & mask;
    for (; table[slot] != NULL; slot = (slot + 1) & mask) {
        const spk_found_pattern *other = table[slot];
        if (other->signature == pattern->signature && other->count == pattern->count &&
            is_subset(pattern, other)) {
            pattern->count = 0;
            return;
        }
    }
    table[slot] = pattern;
}

static void detect_partition(closed_detector *detector, size_t partition)
{
    spk_fp_job *job = detector->job;
    /* Half of the slots stay empty, so that walks over taken ones are short. */
    uint64_t slots = 64;
    while (slots < 2 * detector->n_in[partition])
        slots *= 2;
    size_t bytes = (size_t)slots * sizeof(spk_found_pattern *);
    spk_found_pattern **table = spk_budget_alloc(&job->budget, bytes);
    if (table == NULL) {
        atomic_store(&detector->failed, true);
        return;
    }
    memset(table, 0, bytes);
    /* Least frequent entry first: then the closed pattern is in the table before those that repeat
     * its windows. */
    for (uint32_t k = job->tree.n_entries; k-- > 0;) {
        spk_fp_cursor cursor = {.block = NULL};
        spk_found_pattern *pattern;
        while ((pattern = spk_fp_collector_next(&job->collector[k], &cursor)) != NULL)
            if (partition_of(detector, pattern) == partition)
                enter(table, slots - 1, pattern);
    }
    spk_budget_free(&job->budget, table, bytes);
}

static void count_partitions(closed_detector *detector)
{
    for (uint32_t k = 0; k < detector->job->tree.n_entries; k++) {
        spk_fp_cursor cursor = {.block = NULL};
        spk_found_pattern *pattern;
        while ((pattern = spk_fp_collector_next(&detector->job->collector[k], &cursor)) != NULL)
            detector->n_in[partition_of(detector, pattern)]++;
    }
}

static bool mark_repeated(spk_fp_job *job)
{
    closed_detector detector = {.job = job};
    /* Each partition walks over all patterns. More of them than the size of tables asks for are
     * worth it only where threads would have nothing to do. */
    uint64_t wanted = job->n_patterns / PATTERNS_PER_PARTITION + 1;
    if (wanted < (uint64_t)job->threads && job->n_patterns > 10000)
        wanted = (uint64_t)job->threads;
    while ((UINT64_C(1) << detector.bits) < wanted)
        detector.bits++;
    size_t n = (size_t)1 << detector.bits;
    detector.n_in = spk_budget_alloc(&job->budget, n * sizeof *detector.n_in);
    if (detector.n_in == NULL)
        return false;
    memset(detector.n_in, 0, n * sizeof *detector.n_in);
    atomic_init(&detector.failed, false);
    count_partitions(&detector);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(spk_fp_job_threads(job, n))
#endif
    for (size_t k = 0; k < n; k++)
        detect_partition(&detector, k);
    spk_budget_free(&job->budget, detector.n_in, n * sizeof *detector.n_in);
    return !atomic_load(&detector.failed);
}

/* ---- against the windows ------------------------------------------------------------------------
 */

/* Which windows hold an item: window[first[item]] .. window[first[item + 1] - 1], ascending. */
typedef struct item_index {
    uint64_t *first;
    uint32_t *window;
} item_index;

static bool index_items(spk_fp_job *job, item_index *index)
{
    const spk_fp_transactions *all = &job->transactions;
    size_t n_items = (size_t)all->n_units * job->filter.window;
    uint64_t n_total = all->first[all->n_windows] - all->first[0];
    index->first = spk_arena_alloc(&job->arena, n_items + 2, sizeof *index->first);
    index->window = spk_arena_alloc(&job->arena, (size_t)n_total, sizeof *index->window);
    if (index->first == NULL || index->window == NULL)
        return false;
    memset(index->first, 0, (n_items + 2) * sizeof *index->first);
    for (uint64_t k = all->first[0]; k < all->first[all->n_windows]; k++)
        index->first[all->item[k] + 2]++;
    for (size_t k = 2; k < n_items + 2; k++)
        index->first[k] += index->first[k - 1];
    for (uint32_t w = 0; w < all->n_windows; w++)
        for (uint64_t k = all->first[w]; k < all->first[w + 1]; k++)
            index->window[index->first[all->item[k] + 1]++] = w;
    return true;
}

/* Keeps of extra[0 .. n) what is among item[0 .. n_items); both ascending. */
static uint32_t intersect(uint32_t *extra, uint32_t n, const uint32_t *item, uint64_t n_items)
{
    uint32_t kept = 0;
    uint64_t j = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (j < n_items && item[j] < extra[i])
            j++;
        if (j < n_items && item[j] == extra[i])
            extra[kept++] = extra[i];
    }
    return kept;
}

static bool contains(const uint32_t *item, uint64_t n_items, const spk_found_pattern *pattern)
{
    uint64_t j = 0;
    for (uint32_t i = 0; i < pattern->n; i++) {
        while (j < n_items && item[j] < pattern->item[i])
            j++;
        if (j == n_items || item[j] != pattern->item[i])
            return false;
    }
    return true;
}

/* Intersects the windows that contain the pattern until nothing but the pattern is left. `common`
 * holds the largest window. */
static bool closed_in_windows(const spk_fp_job *job, const item_index *index,
                              const spk_found_pattern *pattern, uint32_t *common)
{
    const spk_fp_transactions *all = &job->transactions;
    assert(pattern->n > 0);
    uint32_t rarest = pattern->item[0];
    for (uint32_t i = 1; i < pattern->n; i++) {
        uint32_t item = pattern->item[i];
        if (index->first[item + 1] - index->first[item] <
            index->first[rarest + 1] - index->first[rarest])
            rarest = item;
    }
    /* The intersection never loses an item of the pattern: it is closed as soon as no other item is
     * left. The rarest item lists the fewest windows. */
    uint32_t n = 0;
    for (uint64_t k = index->first[rarest]; k < index->first[rarest + 1]; k++) {
        uint32_t w = index->window[k];
        const uint32_t *item = all->item + all->first[w];
        uint64_t n_items = all->first[w + 1] - all->first[w];
        if (!contains(item, n_items, pattern))
            continue;
        if (n == 0) {
            n = (uint32_t)n_items;
            memcpy(common, item, n * sizeof *common);
        } else {
            n = intersect(common, n, item, n_items);
        }
        if (n == pattern->n)
            return true;
    }
    return false;
}

/* One thread's share: collectors taken from a common counter. */
static void check_share(spk_fp_job *job, const item_index *index, uint64_t longest,
                        atomic_uint *next, atomic_bool *failed)
{
    uint32_t *common = spk_budget_alloc(&job->budget, longest * sizeof *common);
    if (common == NULL) {
        atomic_store(failed, true);
        return;
    }
    uint32_t k;
    while (!atomic_load(failed) && (k = atomic_fetch_add(next, 1)) < job->tree.n_entries) {
        spk_fp_cursor cursor = {.block = NULL};
        spk_found_pattern *pattern;
        while ((pattern = spk_fp_collector_next(&job->collector[k], &cursor)) != NULL)
            if (pattern->count > 0 && !closed_in_windows(job, index, pattern, common))
                pattern->count = 0;
    }
    spk_budget_free(&job->budget, common, longest * sizeof *common);
}

static bool mark_extensible(spk_fp_job *job)
{
    const spk_fp_transactions *all = &job->transactions;
    item_index index;
    uint64_t longest = 0;
    for (uint32_t w = 0; w < all->n_windows; w++)
        if (all->first[w + 1] - all->first[w] > longest)
            longest = all->first[w + 1] - all->first[w];
    spk_arena_mark mark = spk_arena_get_mark(&job->arena);
    if (!index_items(job, &index))
        return false;
    atomic_uint next = 0;
    atomic_bool failed = false;
#ifdef _OPENMP
#pragma omp parallel num_threads(spk_fp_job_threads(job, job->tree.n_entries))
#endif
    check_share(job, &index, longest, &next, &failed);
    spk_arena_release(&job->arena, mark);
    return !atomic_load(&failed);
}

spk_status spk_fp_job_mark_closed(spk_fp_job *job)
{
    const spk_fp_transactions *all = &job->transactions;
    bool hidden = job->filter.max_spikes < (uint64_t)all->n_units * job->filter.window;
    if (mark_repeated(job) && (!hidden || mark_extensible(job)))
        return spk_check_cancel(job->context);
    return spk_fp_job_fail_memory(job);
}
