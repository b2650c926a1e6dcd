/* Which results of a list are shown. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/stage.h"
#include "select/results.h"
#include "spikemine/select.h"

/* ---- results of both languages --------------------------------------------------------------- */

/* The units of every result, counted once each. */
static spk_status count_distinct(spk_context *context, spk_results *r)
{
    uint64_t *seen = NULL; /* by unit: the last result that had it, from 1 */
    for (uint64_t k = r->n == 0 ? 0 : r->offset[0]; r->n > 0 && k < r->offset[r->n]; k++)
        r->n_units = spk_result_unit(r, k) >= r->n_units ? spk_result_unit(r, k) + 1 : r->n_units;
    spk_status status =
        spk_alloc_columns(context, "a selection", SPK_COLUMN_ZERO(&seen, r->n_units),
                          SPK_COLUMN_ZERO(&r->distinct, r->n));
    for (uint64_t i = 0; i < r->n && status == SPK_OK; i++) {
        for (uint64_t k = r->offset[i]; k < r->offset[i + 1]; k++) {
            uint64_t *last = &seen[spk_result_unit(r, k)];
            r->distinct[i] += *last != i + 1;
            *last = i + 1;
        }
    }
    spk_free(context, seen);
    return status;
}

static spk_status check(spk_context *context, const spk_results *r, uint64_t largest)
{
    if (r->n > SPK_MAX_RESULTS)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%" PRIu64 " results are too many for a selection (at most %u)", r->n,
                        SPK_MAX_RESULTS);
    for (uint64_t i = 0; i < r->n; i++)
        if (r->offset[i + 1] <= r->offset[i] || r->offset[i + 1] - r->offset[i] > largest)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "result %" PRIu64 " of the list is empty or too large", i);
    return SPK_OK;
}

spk_status spk_results_of_episodes(spk_context *context, const spk_episode_columns *episodes,
                                   spk_results *out)
{
    *out = (spk_results){.n = episodes->n,
                         .offset = episodes->offset,
                         .entry = episodes->unit,
                         .window = 1,
                         .delay = episodes->delay,
                         .count = episodes->count};
    spk_status status = check(context, out, SPK_EPISODE_MAX_SIZE);
    return status == SPK_OK ? count_distinct(context, out) : status;
}

spk_status spk_results_of_patterns(spk_context *context, const spk_pattern_columns *patterns,
                                   spk_results *out)
{
    *out = (spk_results){.n = 0};
    if (patterns->window == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "patterns need a window of at least one bin");
    *out = (spk_results){.n = patterns->n,
                         .offset = patterns->offset,
                         .entry = patterns->item,
                         .window = patterns->window,
                         .n_windows = patterns->count};
    spk_status status = check(context, out, UINT32_MAX);
    return status == SPK_OK ? count_distinct(context, out) : status;
}

void spk_results_close(spk_results *results)
{
    free(results->distinct);
    results->distinct = NULL;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Of two results of one size: by entries, then by intervals. */
static int compare_content(const spk_results *r, uint64_t a, uint64_t b)
{
    uint32_t size = spk_result_size(r, a);
    uint64_t x = r->offset[a];
    uint64_t y = r->offset[b];
    for (uint32_t p = 0; p < size; p++)
        if (r->entry[x + p] != r->entry[y + p])
            return compare_numbers(r->entry[x + p], r->entry[y + p]);
    for (uint32_t p = 1; p < size && r->delay != NULL; p++)
        if (r->delay[x + p] != r->delay[y + p])
            return compare_numbers(r->delay[x + p], r->delay[y + p]);
    return 0;
}

int spk_result_compare(const void *results, uint32_t a, uint32_t b)
{
    const spk_results *r = results;
    int order = r->score != NULL ? compare_numbers(r->score[b], r->score[a]) : 0;
    if (order == 0)
        order = compare_numbers(r->distinct[b], r->distinct[a]);
    if (order == 0)
        order = compare_numbers(spk_result_size(r, b), spk_result_size(r, a));
    if (order == 0)
        order = compare_numbers(spk_result_count(r, b), spk_result_count(r, a));
    return order != 0 ? order : compare_content(r, a, b);
}

/* ---- selection ------------------------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_select_options, .min_size = 0);

typedef spk_status drop_contained_fn(spk_context *context, const spk_results *results,
                                     bool same_count, uint8_t *keep);

/* The limits on one result. */
static void keep_within_limits(const spk_results *r, const spk_select_options *options,
                               uint8_t *keep)
{
    for (uint64_t i = 0; i < r->n; i++)
        keep[i] = (options->among == NULL || options->among[i] != 0) &&
                  spk_result_size(r, i) >= options->min_size &&
                  r->distinct[i] >= options->distinct_units;
}

static void list_kept(const spk_results *r, const uint8_t *keep, uint64_t *chosen, uint64_t *n)
{
    *n = 0;
    for (uint64_t i = 0; i < r->n; i++)
        if (keep[i] != 0)
            chosen[(*n)++] = i;
}

/* The best of them, the best one first. */
static spk_status list_best(spk_context *context, const spk_results *r, uint64_t top,
                            uint64_t *chosen, uint64_t *n)
{
    uint32_t *order = NULL;
    spk_status status = spk_alloc(context, &order, *n, "a selection");
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < *n; k++)
        order[k] = (uint32_t)chosen[k];
    status = spk_sort_indices(context, *n, order, spk_result_compare, r);
    *n = *n < top ? *n : top;
    for (uint64_t k = 0; k < *n && status == SPK_OK; k++)
        chosen[k] = order[k];
    free(order);
    return status;
}

static spk_status choose(spk_context *context, spk_results *r, const spk_select_options *options,
                         drop_contained_fn *drop_contained, uint64_t *chosen, uint64_t *n)
{
    uint8_t *keep = NULL;
    r->score = options->score;
    spk_status status = spk_alloc(context, &keep, r->n, "a selection");
    if (status != SPK_OK)
        return status;
    keep_within_limits(r, options, keep);
    if (options->maximal || options->closed) /* what is maximal is closed */
        status = drop_contained(context, r, !options->maximal, keep);
    if (status == SPK_OK)
        list_kept(r, keep, chosen, n);
    if (status == SPK_OK && options->top > 0)
        status = list_best(context, r, options->top, chosen, n);
    free(keep);
    return status;
}

/* Of patterns or of episodes; the others are NULL. */
static spk_status select_from(spk_context *context, bool of_patterns,
                              const spk_episode_columns *episodes,
                              const spk_pattern_columns *patterns,
                              const spk_select_options *options, uint64_t *chosen,
                              uint64_t *n_chosen)
{
    spk_select_options own;
    spk_results results = {.n = 0};
    *n_chosen = 0;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_select_options);
    if (status != SPK_OK)
        return status;
    spk_stage stage = spk_stage_open(context);
    status = of_patterns ? spk_results_of_patterns(context, patterns, &results)
                         : spk_results_of_episodes(context, episodes, &results);
    if (status == SPK_OK)
        status = choose(context, &results, &own,
                        of_patterns ? spk_patterns_drop_contained : spk_episodes_drop_contained,
                        chosen, n_chosen);
    spk_results_close(&results);
    spk_stage_close(context, &stage);
    return status;
}

spk_status spk_select_episodes(spk_context *context, const spk_episode_columns *episodes,
                               const spk_select_options *options, uint64_t *chosen,
                               uint64_t *n_chosen)
{
    return select_from(context, false, episodes, NULL, options, chosen, n_chosen);
}

spk_status spk_select_patterns(spk_context *context, const spk_pattern_columns *patterns,
                               const spk_select_options *options, uint64_t *chosen,
                               uint64_t *n_chosen)
{
    return select_from(context, true, NULL, patterns, options, chosen, n_chosen);
}
