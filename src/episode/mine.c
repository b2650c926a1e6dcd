/*
 * The level-wise search (section 5 of the papers): count single units, then join frequent episodes
 * to candidates one longer, count them, keep the frequent, until none is left.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/stage.h"
#include "episode/level.h"
#include "episode/order.h"
#include "episode/run.h"

/* A call of spk_episode_mine. */
typedef struct search {
    spk_context *context;
    spk_episode_options options;
    episode_run *run;
    episode_level before; /* the last complete level */
    episode_level level;  /* the one in the making */
    candidate_block block;
    uint64_t *counts; /* of the block */
    spk_episode_sink *sink;
    void *user;
    spk_episode_summary *summary;
    bool tallies; /* the engine searches by itself: episodes are told as they are delivered */
} search;

void spk_episode_options_init(spk_episode_options *options, size_t struct_size)
{
    static const spk_episode_options defaults = {.support = 1,
                                                 .max_size = SPK_EPISODE_MAX_SIZE,
                                                 .engine = "auto",
                                                 .two_pass = SPK_TWO_PASS_AUTO};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

static spk_status check_options(spk_context *context, const spk_episode_options *options)
{
    if (options->support == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the support must be at least 1");
    if (options->max_size == 0 || options->max_size > SPK_EPISODE_MAX_SIZE)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the maximum size must be from 1 to %u",
                        SPK_EPISODE_MAX_SIZE);
    if (options->n_delays == 0 && options->max_size > 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "no delay interval given; name at least one, for example 5ms:10ms");
    return SPK_OK;
}

/* ---- one level ------------------------------------------------------------------------------- */

/* Hands on what was found of one size, with the table that its delay entries index. */
static spk_status deliver(void *user, const spk_episode_columns *found)
{
    search *s = user;
    spk_episode_columns episodes = *found;
    assert(found->level != NULL && s->summary->n_levels <= SPK_EPISODE_MAX_SIZE);
    episodes.delays = s->options.delays;
    episodes.n_delays = s->options.n_delays;
    if (s->tallies)
        spk_tally_add(s->context, episodes.n, 0);
    spk_status status = s->sink != NULL ? s->sink(s->user, &episodes) : SPK_OK;
    if (status == SPK_OK)
        s->summary->level[s->summary->n_levels++] = *found->level;
    return status;
}

static spk_status report_level(search *s, const spk_episode_level *facts)
{
    episode_sorted sorted;
    spk_status status = episode_sorted_make(s->context, &s->level, &sorted);
    sorted.columns.level = facts;
    if (status == SPK_OK)
        status = deliver(s, &sorted.columns);
    episode_sorted_free(&sorted);
    return status;
}

static spk_status count_units(search *s)
{
    double start = spk_seconds_now();
    uint32_t n_units = episode_run_n_units(s->run);
    spk_status status = episode_level_start(s->context, NULL, &s->level);
    for (uint32_t u = 0; u < n_units && status == SPK_OK; u++) {
        uint64_t n = episode_run_unit_count(s->run, u);
        if (n >= s->options.support)
            status = episode_level_append(s->context, NULL, 0, 0, u, 0, n, &s->level);
    }
    spk_tally_add(s->context, s->level.n, 0);
    spk_episode_level facts = {.size = 1,
                               .candidates = n_units,
                               .frequent = s->level.n,
                               .seconds = spk_seconds_now() - start};
    return status == SPK_OK ? report_level(s, &facts) : status;
}

/* Room for the next size's candidates: all of them, or as many as a block may hold. */
static spk_status reserve_block(search *s, uint32_t size, uint64_t n_candidates)
{
    uint64_t each = size * (sizeof(uint32_t) + sizeof(uint16_t)) * 2 + 4 * sizeof(uint64_t);
    uint64_t n = episode_run_block_capacity(s->run, size, each);
    spk_status status =
        candidate_block_reserve(s->context, size, n < n_candidates ? n : n_candidates, &s->block);
    free(s->counts);
    s->counts = NULL;
    return status == SPK_OK ? spk_alloc(s->context, &s->counts, s->block.capacity, "counts")
                            : status;
}

static spk_status keep_frequent(search *s)
{
    const candidate_block *b = &s->block;
    uint32_t size = s->before.size + 1;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < b->n && status == SPK_OK; k++) {
        uint64_t final = k * size + size - 1;
        if (s->counts[k] >= s->options.support)
            status = episode_level_append(s->context, &s->before, b->prefix[k], b->delay[final],
                                          b->unit[final], b->suffix[k], s->counts[k], &s->level);
    }
    return status;
}

/* Refuses to go on when the frequent episodes alone pass the limit: nothing is lost silently. */
static spk_status check_memory(const search *s)
{
    uint64_t limit = spk_memory_left(s->context);
    uint64_t used = episode_level_bytes(&s->before) + 2 * episode_level_bytes(&s->level);
    if (limit == 0 || used < limit)
        return SPK_OK;
    return spk_fail(s->context, SPK_ERR_MEMORY,
                    "%" PRIu64 " frequent episodes of size %" PRIu32
                    " so far take %.2f MB, over the memory limit of %.2f MB, of which %.2f MB are "
                    "left; raise the limit or the support",
                    s->level.n, s->level.size, (double)used / 1e6,
                    (double)spk_context_memory_limit(s->context) / 1e6, (double)limit / 1e6);
}

/* Makes the next block of candidates, counts it and keeps the frequent ones. */
static spk_status count_block(search *s, candidate_cursor *cursor, uint64_t *eliminated)
{
    double start = spk_seconds_now();
    candidate_fill(&s->before, s->options.n_delays, cursor, &s->block);
    episode_run_spent(s->run, spk_seconds_now() - start);
    spk_episode_block block = {.size = s->before.size + 1,
                               .n = s->block.n,
                               .unit = s->block.unit,
                               .delay = s->block.delay,
                               .prefix = s->block.prefix,
                               .prefix_count = s->before.count,
                               .support = s->options.support};
    spk_status status = episode_run_count(s->context, s->run, &block, s->counts, eliminated);
    start = spk_seconds_now();
    uint64_t before = s->level.n;
    if (status == SPK_OK)
        status = keep_frequent(s);
    spk_tally_add(s->context, s->level.n - before, 0);
    episode_run_spent(s->run, spk_seconds_now() - start);
    return status == SPK_OK ? check_memory(s) : status;
}

static spk_status count_level(search *s)
{
    double start = spk_seconds_now();
    uint32_t size = s->before.size + 1;
    spk_episode_level facts = {.size = size,
                               .candidates = candidate_total(&s->before, s->options.n_delays)};
    candidate_cursor cursor = {.prefix = 0};
    uint64_t done = 0;
    char what[48];
    snprintf(what, sizeof what, "counting size %" PRIu32, size);
    spk_status status = episode_level_start(s->context, &s->before, &s->level);
    if (status == SPK_OK)
        status = reserve_block(s, size, facts.candidates);
    if (status == SPK_OK) /* the first block may take long */
        spk_progress(s->context, what, 0, facts.candidates);
    while (status == SPK_OK && done < facts.candidates) {
        status = count_block(s, &cursor, &facts.eliminated);
        done += s->block.n;
        spk_progress(s->context, what, done, facts.candidates);
    }
    if (status != SPK_OK)
        return status;
    episode_level_finish(&s->level);
    facts.frequent = s->level.n;
    facts.seconds = spk_seconds_now() - start;
    return report_level(s, &facts);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static spk_status run_levels(search *s)
{
    spk_status status = episode_run_start(s->context, s->run);
    if (status == SPK_OK)
        status = count_units(s);
    while (status == SPK_OK && s->level.n > 0 && s->level.size < s->options.max_size) {
        episode_level_free(&s->before);
        s->before = s->level;
        s->level = (episode_level){.size = 0};
        status = count_level(s);
    }
    return status;
}

static void search_free(search *s)
{
    episode_run_close(s->run);
    episode_level_free(&s->before);
    episode_level_free(&s->level);
    candidate_block_free(&s->block);
    free(s->counts);
}

spk_status spk_episode_mine(spk_context *context, const spk_recording *recording,
                            const spk_episode_options *given, spk_episode_sink *sink, void *user,
                            spk_episode_summary *summary)
{
    spk_episode_summary unwanted = {.choice = ""};
    summary = summary != NULL ? summary : &unwanted;
    *summary = (spk_episode_summary){.choice = ""};
    search s = {.context = context, .sink = sink, .user = user, .summary = summary};
    spk_status status = SPK_OPTIONS_TAKE(context, given, &s.options, spk_episode_options);
    if (status == SPK_OK)
        status = check_options(context, &s.options);
    if (status == SPK_OK)
        status = episode_run_open(context, recording, &s.options, EPISODE_RUN_SEARCH, &s.run);
    s.tallies = status == SPK_OK && episode_run_searches(s.run);
    /* The engine searches by itself where it can, else it counts the candidates that we make. */
    if (status == SPK_OK)
        status = episode_run_searches(s.run) ? episode_run_search(context, s.run, s.options.support,
                                                                  s.options.max_size, deliver, &s)
                                             : run_levels(&s);
    episode_run_report(s.run, status, summary);
    search_free(&s);
    return status;
}
