/* Which results of a list are shown. */
#include "spikemine/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/stage.h"
#include "select/contained.h"

void spk_select_options_init(spk_select_options *options, size_t struct_size)
{
    static const spk_select_options defaults = {.min_size = 0};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

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

spk_status spk_select_episodes(spk_context *context, const spk_episode_columns *episodes,
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
    status = spk_results_of_episodes(context, episodes, &results);
    if (status == SPK_OK)
        status = choose(context, &results, &own, spk_episodes_drop_contained, chosen, n_chosen);
    spk_results_close(&results);
    spk_stage_close(context, &stage);
    return status;
}

spk_status spk_select_patterns(spk_context *context, const spk_pattern_columns *patterns,
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
    status = spk_results_of_patterns(context, patterns, &results);
    if (status == SPK_OK)
        status = choose(context, &results, &own, spk_patterns_drop_contained, chosen, n_chosen);
    spk_results_close(&results);
    spk_stage_close(context, &stage);
    return status;
}
