/* Rows of a search without a test that are handed on as they are found. Held are those whose place
 * depends on all others, until the search has ended. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"

/* A search while it runs. */
typedef struct stream {
    spk_analysis *a;
    spk_select_options limits; /* of the selection, those on one result alone */
    bool limits_any;
} stream;

bool spk_analysis_hands_on(const spk_analysis *a)
{
    return a->options.episode_rows != NULL || a->options.pattern_rows != NULL;
}

static bool holds(const spk_analysis *a)
{
    return a->select.maximal || a->select.closed || a->select.top > 0 || a->options.families;
}

static spk_status hand_on(spk_analysis *a, const spk_results *rows, const spk_episode_level *level)
{
    spk_episode_columns episodes = spk_results_episodes(rows);
    spk_pattern_columns patterns = spk_results_patterns(rows);
    episodes.level = level;
    a->columns.n += spk_results_count(rows);
    return a->search.episodes != NULL ? a->options.episode_rows(a->options.user, &episodes)
                                      : a->options.pattern_rows(a->options.user, &patterns);
}

/* What the limits leave of a batch. */
static spk_status pick(const stream *s, const spk_results *batch, spk_results *out)
{
    spk_context *context = s->a->context;
    uint64_t *number = NULL, n = 0;
    spk_status status = spk_alloc(context, &number, spk_results_count(batch), "a selection");
    if (status == SPK_OK)
        status = spk_results_select(context, batch, &s->limits, number, &n);
    if (status == SPK_OK)
        status = spk_results_pick(context, batch, number, n, out);
    free(number);
    return status;
}

static spk_status take(const stream *s, const spk_results *batch, const spk_episode_level *level)
{
    spk_analysis *a = s->a;
    spk_results left = *batch;
    spk_status status = s->limits_any ? pick(s, batch, &left) : SPK_OK;
    a->columns.n_results += spk_results_count(batch);
    if (status == SPK_OK)
        status = holds(a) ? spk_results_add(&a->all, &left) : hand_on(a, &left, level);
    if (status == SPK_OK && holds(a) && level != NULL && a->options.level != NULL)
        a->options.level(a->options.user, level);
    if (s->limits_any)
        spk_results_free(&left);
    return status;
}

static spk_status take_episodes(void *user, const spk_episode_columns *episodes)
{
    const stream *s = user;
    const spk_results batch = {.search = s->a->search, .episode_batch = episodes};
    return take(s, &batch, episodes->level);
}

static spk_status take_patterns(void *user, const spk_pattern_columns *patterns)
{
    const stream *s = user;
    const spk_results batch = {.search = s->a->search, .pattern_batch = patterns};
    return take(s, &batch, NULL);
}

spk_status spk_analysis_stream(spk_analysis *a)
{
    stream s = {.a = a, .limits = a->select};
    s.limits.maximal = s.limits.closed = false;
    s.limits.top = 0;
    s.limits_any = s.limits.min_size > 0 || s.limits.distinct_units > 0;
    spk_status status = spk_results_open(a->context, &a->search, &a->all);
    if (status == SPK_OK)
        status = spk_results_mine(a->context, &a->all, take_episodes, take_patterns, &s);
    if (status != SPK_ERR_CANCELLED || !holds(a))
        return status;
    spk_context_cancel_clear(a->context);
    a->ended = status;
    return SPK_OK;
}

spk_status spk_analysis_hand_on(spk_analysis *a)
{
    spk_status status = SPK_OK;
    if (!spk_analysis_hands_on(a) || !holds(a))
        return SPK_OK;
    if (a->columns.families != NULL && a->options.grouped != NULL)
        status = a->options.grouped(a->options.user, a->columns.families, a->n_rows);
    return status == SPK_OK ? hand_on(a, &a->rows, NULL) : status;
}
