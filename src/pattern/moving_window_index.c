/*
 * The moving-window step for any list of patterns: nothing is known about the windows, so a pattern
 * can be contained in any other of the same count. Candidates are the larger patterns with the
 * same rarest spike, found through an inverted index per count; rare means in few patterns of
 * that count.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pattern/moving_window_internal.h"

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
    const numbered *a = left;
    const numbered *b = right;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
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
    free(all);
    free(index.first);
    free(index.pattern);
    return status;
}
