/*
 * The level-wise search (section 5 of the papers): count single units, then join frequent episodes
 * to candidates one longer, count them, keep the frequent, until none is left.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "cuda/gpus.h"
#include "episode/delays.h"
#include "episode/level.h"
#include "episode/order.h"
#include "episode/two_pass.h"

enum { MOST_CANDIDATES = 1 << 20, FEWEST_CANDIDATES = 1 << 12 };

/* A run of spk_episode_mine. */
typedef struct search {
    spk_context *context;
    const spk_recording *recording;
    const spk_episode_options *options;
    spk_episode_job job;
    episode_counter counter;
    episode_level before; /* the last complete level */
    episode_level level;  /* the one in the making */
    candidate_block block;
    uint64_t *counts; /* of the block */
    uint64_t blocks_memory;
    spk_episode_sink *sink;
    void *user;
    spk_episode_summary *summary;
} search;

void spk_episode_options_init(spk_episode_options *options, size_t struct_size)
{
    static const spk_episode_options defaults = {.support = 1,
                                                 .max_size = SPK_EPISODE_MAX_SIZE,
                                                 .engine = "auto",
                                                 .two_pass = SPK_TWO_PASS_AUTO,
                                                 .gpus = 1};
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
    return spk_delays_check(context, options->delays, options->n_delays);
}

/* ---- one level ------------------------------------------------------------------------------- */

/* Hands on what was found of one size, with the table that its delay entries index. */
static spk_status deliver(void *user, const spk_episode_columns *found)
{
    search *s = user;
    spk_episode_columns episodes = *found;
    assert(found->level != NULL && s->summary->n_levels <= SPK_EPISODE_MAX_SIZE);
    episodes.delays = s->options->delays;
    episodes.n_delays = s->options->n_delays;
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
    spk_events events = spk_recording_events(s->recording);
    spk_status status = episode_level_start(s->context, NULL, &s->level);
    for (uint32_t u = 0; u < events.n_units && status == SPK_OK; u++) {
        uint64_t n = events.unit_first[u + 1] - events.unit_first[u];
        if (n >= s->options->support)
            status = episode_level_append(s->context, NULL, 0, 0, u, 0, n, &s->level);
    }
    spk_episode_level facts = {.size = 1,
                               .candidates = events.n_units,
                               .frequent = s->level.n,
                               .seconds = spk_seconds_now() - start};
    return status == SPK_OK ? report_level(s, &facts) : status;
}

/* As many candidates a block as the memory allows that is left for blocks. */
static uint64_t block_capacity(const search *s, uint32_t size, uint64_t total)
{
    const spk_episode_engine *engine = s->counter.engine;
    uint64_t each = size * (sizeof(uint32_t) + sizeof(uint16_t)) * 2 + 4 * sizeof(uint64_t);
    each += engine->bytes_per_episode != NULL ? engine->bytes_per_episode(size) : 0;
    uint64_t n = s->blocks_memory / each;
    n = n > MOST_CANDIDATES ? MOST_CANDIDATES : n;
    n = n < FEWEST_CANDIDATES ? FEWEST_CANDIDATES : n;
    return n < total ? n : total;
}

static spk_status keep_frequent(search *s)
{
    const candidate_block *b = &s->block;
    uint32_t size = s->before.size + 1;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < b->n && status == SPK_OK; k++) {
        uint64_t final = k * size + size - 1;
        if (s->counts[k] >= s->options->support)
            status = episode_level_append(s->context, &s->before, b->prefix[k], b->delay[final],
                                          b->unit[final], b->suffix[k], s->counts[k], &s->level);
    }
    return status;
}

/* Refuses to go on when the frequent episodes alone pass the limit: nothing is lost silently. */
static spk_status check_memory(const search *s)
{
    uint64_t limit = spk_context_memory_limit(s->context);
    uint64_t used = episode_level_bytes(&s->before) + 2 * episode_level_bytes(&s->level);
    if (limit == 0 || used < limit)
        return SPK_OK;
    return spk_fail(s->context, SPK_ERR_MEMORY,
                    "%" PRIu64 " frequent episodes of size %" PRIu32
                    " so far take %.2f MB, over the "
                    "memory limit of %.2f MB; raise the limit or the support",
                    s->level.n, s->level.size, (double)used / 1e6, (double)limit / 1e6);
}

static spk_status count_level(search *s)
{
    double start = spk_seconds_now();
    uint32_t size = s->before.size + 1;
    spk_episode_level facts = {.size = size,
                               .candidates = candidate_total(&s->before, s->options->n_delays)};
    candidate_cursor cursor = {.prefix = 0};
    uint64_t done = 0;
    char what[48];
    snprintf(what, sizeof what, "counting size %" PRIu32, size);
    spk_status status = episode_level_start(s->context, &s->before, &s->level);
    if (status == SPK_OK)
        status = candidate_block_reserve(s->context, size,
                                         block_capacity(s, size, facts.candidates), &s->block);
    free(s->counts);
    s->counts = NULL;
    if (status == SPK_OK)
        status = spk_alloc(s->context, &s->counts, s->block.capacity, "counts");
    while (status == SPK_OK && done < facts.candidates) {
        double making = spk_seconds_now();
        candidate_fill(&s->before, s->options->n_delays, &cursor, &s->block);
        s->counter.phases.candidates += spk_seconds_now() - making;
        spk_episode_block block = {.size = size,
                                   .n = s->block.n,
                                   .unit = s->block.unit,
                                   .delay = s->block.delay,
                                   .prefix = s->block.prefix,
                                   .prefix_count = s->before.count,
                                   .threshold = s->options->support};
        status =
            episode_counter_count(s->context, &s->counter, &block, s->counts, &facts.eliminated);
        making = spk_seconds_now();
        if (status == SPK_OK)
            status = keep_frequent(s);
        s->counter.phases.candidates += spk_seconds_now() - making;
        if (status == SPK_OK)
            status = check_memory(s);
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

/* ---- the run --------------------------------------------------------------------------------- */

static spk_status run_levels(search *s)
{
    spk_status status = count_units(s);
    while (status == SPK_OK && s->level.n > 0 && s->level.size < s->options->max_size) {
        episode_level_free(&s->before);
        s->before = s->level;
        s->level = (episode_level){.size = 0};
        status = count_level(s);
    }
    return status;
}

/* The engine searches by itself where it can, else it counts the candidates that we make. */
static spk_status run_search(search *s, const spk_episode_engine *engine)
{
    if (engine->mine != NULL && !s->summary->two_pass) {
        spk_episode_search whole = {.job = &s->job,
                                    .support = s->options->support,
                                    .max_size = s->options->max_size,
                                    .deliver = deliver,
                                    .user = s};
        return engine->mine(s->context, &whole);
    }
    spk_status status =
        episode_counter_open(s->context, engine, &s->job, s->summary->two_pass, &s->counter);
    return status == SPK_OK ? run_levels(s) : status;
}

/* With a limit, a quarter goes to blocks of candidates and a half to the engine; the rest is for
 * the frequent episodes. */
static void split_memory(search *s)
{
    uint64_t limit = spk_context_memory_limit(s->context);
    s->blocks_memory = limit > 0 ? limit / 4 : (uint64_t)256 << 20;
    s->job.memory = limit / 2;
}

static void search_free(search *s)
{
    episode_counter_close(&s->counter);
    episode_level_free(&s->before);
    episode_level_free(&s->level);
    candidate_block_free(&s->block);
    free(s->counts);
    free((void *)s->job.delays);
}

spk_status spk_episode_mine(spk_context *context, const spk_recording *recording,
                            const spk_episode_options *given, spk_episode_sink *sink, void *user,
                            spk_episode_summary *summary)
{
    spk_episode_options own;
    const spk_episode_options *options = &own;
    spk_episode_summary unwanted = {0};
    summary = summary != NULL ? summary : &unwanted;
    memset(summary, 0, sizeof *summary);
    summary->choice = "";
    spk_status status = SPK_OPTIONS_TAKE(context, given, &own, spk_episode_options);
    if (status != SPK_OK)
        return status;
    double start = spk_seconds_now();
    search s = {.context = context,
                .recording = recording,
                .options = options,
                .job = {.recording = recording,
                        .n_delays = options->n_delays,
                        .threads = spk_context_threads(context),
                        .compaction = options->compaction},
                .sink = sink,
                .user = user,
                .summary = summary};
    spk_episode_work work = {spk_recording_events(recording).n_events, options->n_delays,
                             UINT64_MAX};
    spk_episode_choice choice;
    spk_tick_delay *delays = NULL;
    status = check_options(context, options);
    if (status == SPK_OK)
        status = spk_episode_choose(context, options->engine, &work, &choice);
    if (status == SPK_OK)
        status = spk_delays_to_ticks(context, options->delays, options->n_delays,
                                     spk_recording_rate(recording), &delays);
    if (status != SPK_OK)
        return status;
    s.job.delays = delays;
    if (choice.engine->on_gpu) {
        status = spk_gpus_resolve(context, options->gpus, &s.job.gpus);
        summary->gpus = s.job.gpus;
    }
    if (status != SPK_OK) {
        free(delays);
        return status;
    }
    split_memory(&s);
    summary->two_pass = options->two_pass == SPK_TWO_PASS_ON ||
                        (options->two_pass == SPK_TWO_PASS_AUTO &&
                         spk_episode_two_pass_pays(choice.engine, delays, options->n_delays));
    snprintf(summary->engine, sizeof summary->engine, "%s", choice.engine->name);
    summary->choice = choice.reason;
    status = run_search(&s, choice.engine);
    summary->complete = status == SPK_OK;
    summary->seconds = spk_seconds_now() - start;
    summary->phases = s.counter.phases;
    search_free(&s);
    return status;
}
