/*
 * The level-wise search (section 5 of the papers): count single units, then join frequent episodes
 * to candidates one longer, count them, keep the frequent, until none is left.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/stage.h"
#include "episode/level.h"
#include "episode/run.h"
#include "episode/search.h"

/* ---- the order of results -------------------------------------------------------------------- */

/* Columns of a level in canonical order, without table and facts; owned by the struct, free with
 * episode_sorted_free. */
typedef struct episode_sorted {
    spk_episode_columns columns;
    uint64_t *offset;
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
} episode_sorted;

/* Most comparisons are settled by count and first unit, which a key holds in one word. */
typedef struct order_keys {
    const episode_level *level;
    uint64_t *key;
} order_keys;

static uint64_t make_key(const episode_level *level, uint64_t row)
{
    uint64_t count = level->count[row];
    /* Counts beyond 32 bits share the first key; their order is found in full. */
    return count < UINT32_MAX ? ~count << 32 | level->unit[row * level->size] : 0;
}

static int compare_rows(const void *user, uint32_t a, uint32_t b)
{
    const order_keys *keys = user;
    const episode_level *level = keys->level;
    if (keys->key[a] != keys->key[b])
        return keys->key[a] < keys->key[b] ? -1 : 1;
    if (level->count[a] != level->count[b])
        return level->count[a] > level->count[b] ? -1 : 1;
    uint32_t size = level->size;
    const uint32_t *unit_a = level->unit + (uint64_t)a * size;
    const uint32_t *unit_b = level->unit + (uint64_t)b * size;
    for (uint32_t p = 0; p < size; p++)
        if (unit_a[p] != unit_b[p])
            return unit_a[p] < unit_b[p] ? -1 : 1;
    const uint16_t *delay_a = level->delay + (uint64_t)a * size;
    const uint16_t *delay_b = level->delay + (uint64_t)b * size;
    for (uint32_t p = 1; p < size; p++)
        if (delay_a[p] != delay_b[p])
            return delay_a[p] < delay_b[p] ? -1 : 1;
    return 0;
}

static void copy_rows(const episode_level *level, const uint32_t *order, episode_sorted *out)
{
    uint32_t size = level->size;
    for (uint64_t k = 0; k < level->n; k++) {
        uint64_t row = order[k];
        assert(row < level->n);
        out->offset[k] = k * size;
        out->count[k] = level->count[row];
        memcpy(out->unit + k * size, level->unit + row * size, size * sizeof(uint32_t));
        memcpy(out->delay + k * size, level->delay + row * size, size * sizeof(uint16_t));
    }
    out->offset[level->n] = level->n * size;
    out->columns = (spk_episode_columns){.n = level->n,
                                         .offset = out->offset,
                                         .unit = out->unit,
                                         .delay = out->delay,
                                         .count = out->count};
}

static void episode_sorted_free(episode_sorted *sorted)
{
    spk_free_all(sorted->offset, sorted->unit, sorted->delay, sorted->count);
    *sorted = (episode_sorted){.unit = NULL};
}

static spk_status episode_sorted_make(spk_context *context, const episode_level *level,
                                      episode_sorted *out)
{
    *out = (episode_sorted){.unit = NULL};
    uint32_t *order = NULL;
    uint64_t n = level->n;
    order_keys keys = {.level = level};
    const char *what = "frequent episodes in order";
    spk_status status =
        spk_alloc_columns(context, what, SPK_COLUMN(&order, n), SPK_COLUMN(&keys.key, n),
                          SPK_COLUMN(&out->offset, n + 1), SPK_COLUMN(&out->unit, n * level->size),
                          SPK_COLUMN(&out->delay, n * level->size), SPK_COLUMN(&out->count, n));
    if (status != SPK_OK)
        goto done;
    for (uint64_t k = 0; k < n; k++) {
        order[k] = (uint32_t)k;
        keys.key[k] = make_key(level, k);
    }
    status = spk_sort_indices(context, n, order, compare_rows, &keys);
    if (status == SPK_OK)
        copy_rows(level, order, out);
done:
    free(order);
    free(keys.key);
    if (status != SPK_OK)
        episode_sorted_free(out);
    return status;
}

/* ---- mining ---------------------------------------------------------------------------------- */

/* A call of spk_episode_mine. */
typedef struct search {
    spk_context *context;
    spk_episode_options options;
    episode_run *run;
    episode_links links;
    episode_limits *limits; /* NULL: none */
    double *reach;        /* the longest delay of each interval, as a share of the observed time */
    episode_level before; /* the last complete level */
    episode_level level;  /* the one in the making */
    candidate_block block;
    uint64_t *counts; /* of the block */
    spk_episode_sink *sink;
    void *user;
    spk_episode_summary *summary;
    bool tallies; /* the engine searches by itself: episodes are told as they are delivered */
} search;

SPK_OPTIONS_INIT(spk_episode_options, .support = 1, .max_size = SPK_EPISODE_MAX_SIZE,
                 .engine = "auto", .two_pass = SPK_TWO_PASS_AUTO);

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
        if (s->counts[k] >= s->options.support &&
            s->counts[k] >=
                episode_links_limit(&s->links, size, b->unit + k * size, b->delay + k * size))
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

/* Ends of occurrences of a row of the level before. Each counted one hides as many as it is long,
 * or as its last unit has events in the time that it may take. */
static uint64_t ends_of(const search *s, uint32_t row)
{
    const uint32_t size = s->before.size;
    const uint64_t last = (uint64_t)row * size + size - 1;
    const double events = (double)episode_run_unit_count(s->run, s->before.unit[last]);
    double share = 0; /* of the observed time */
    for (uint32_t p = 1; p < size; p++)
        share += s->reach[s->before.delay[last - size + 1 + p]];
    return (uint64_t)fmin((double)s->before.count[row] * fmax(size, share * events), events);
}

/* How many lists of occurrences a row needs behind those that the row before has, too. */
static uint32_t new_lists(const search *s, uint32_t row, uint32_t before)
{
    const uint32_t size = s->before.size;
    const uint64_t at = (uint64_t)row * size, other = (uint64_t)before * size;
    uint32_t same = 0;
    while (same < size && s->before.unit[at + same] == s->before.unit[other + same] &&
           s->before.delay[at + same] == s->before.delay[other + same])
        same++;
    return size - same;
}

/* What counting the block takes in engine sweep: a prefix's ends are gone over once for each list
 * that leads to it, and once for every 32 units that continue it in one interval. */
static uint64_t steps_of_block(const search *s)
{
    const candidate_block *b = &s->block;
    const uint32_t size = s->before.size + 1;
    uint64_t steps = b->n, ends = 0;
    for (uint64_t k = 0; k < b->n; k++) {
        const uint64_t final = k * size + size - 1;
        const uint32_t row = b->prefix[k];
        const bool new_row = k == 0 || row != b->prefix[k - 1];
        if (new_row) {
            ends = ends_of(s, row);
            steps += ends * (k == 0 ? 1 : new_lists(s, row, b->prefix[k - 1]));
        }
        if (new_row || b->delay[final] != b->delay[final - size] ||
            b->unit[final] / 32 != b->unit[final - size] / 32)
            steps += ends;
    }
    return steps;
}

/* Before the block is counted. */
static spk_status check_limits(search *s)
{
    episode_limits *l = s->limits;
    if (l == NULL)
        return SPK_OK;
    l->steps += steps_of_block(s);
    l->passed |= l->steps > l->most_steps || l->n_frequent > l->most_frequent;
    return l->passed ? SPK_ERR_CANCELLED : SPK_OK;
}

/* Makes the next block of candidates, counts it and keeps the frequent ones. */
static spk_status count_block(search *s, candidate_cursor *cursor, uint64_t *eliminated)
{
    double start = spk_seconds_now();
    candidate_fill(&s->before, s->options.n_delays, &s->links, cursor, &s->block);
    episode_run_spent(s->run, spk_seconds_now() - start);
    spk_status status = check_limits(s);
    if (status != SPK_OK || s->block.n == 0)
        return status;
    spk_episode_block block = {.size = s->before.size + 1,
                               .n = s->block.n,
                               .unit = s->block.unit,
                               .delay = s->block.delay,
                               .prefix = s->block.prefix,
                               .prefix_count = s->before.count,
                               .support = s->options.support};
    status = episode_run_count(s->context, s->run, &block, s->counts, eliminated);
    start = spk_seconds_now();
    uint64_t before = s->level.n;
    if (status == SPK_OK)
        status = keep_frequent(s);
    spk_tally_add(s->context, s->level.n - before, 0);
    if (s->limits != NULL)
        s->limits->n_frequent += s->level.n - before;
    episode_run_spent(s->run, spk_seconds_now() - start);
    return status == SPK_OK ? check_memory(s) : status;
}

static spk_status count_level(search *s)
{
    double start = spk_seconds_now();
    uint32_t size = s->before.size + 1;
    spk_episode_level facts = {.size = size};
    candidate_cursor cursor = {.prefix = 0};
    const uint64_t joins = candidate_total(&s->before, s->options.n_delays);
    char what[48];
    snprintf(what, sizeof what, "counting size %" PRIu32, size);
    spk_status status = episode_level_start(s->context, &s->before, &s->level);
    if (status == SPK_OK)
        status = reserve_block(s, size, joins);
    if (status == SPK_OK) /* the first block may take long */
        spk_progress(s->context, what, 0, joins);
    while (status == SPK_OK && cursor.joined < joins) {
        status = count_block(s, &cursor, &facts.eliminated);
        facts.candidates += s->block.n;
        spk_progress(s->context, what, cursor.joined, joins);
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
    episode_links_close(&s->links);
    episode_level_free(&s->before);
    episode_level_free(&s->level);
    candidate_block_free(&s->block);
    spk_free_all(s->counts, s->reach);
}

static spk_status measure_reach(search *s, const spk_recording *recording)
{
    const spk_rate rate = spk_recording_rate(recording);
    const double seconds =
        episode_observed_ticks(recording) * (double)rate.denominator / (double)rate.numerator;
    spk_status status = spk_alloc(s->context, &s->reach, s->options.n_delays, "delays");
    for (size_t d = 0; d < s->options.n_delays && status == SPK_OK; d++)
        s->reach[d] = fmin(spk_duration_seconds(s->options.delays[d].hi) / seconds, 1);
    return status;
}

/* The engine searches by itself where it can, else it counts the candidates that we make. */
static spk_status run_search(search *s)
{
    s->tallies = episode_run_searches(s->run) && s->links.share == 0 && s->limits == NULL;
    return s->tallies ? episode_run_search(s->context, s->run, s->options.support,
                                           s->options.max_size, deliver, s)
                      : run_levels(s);
}

static spk_status mine(search *s, const spk_recording *recording, const spk_episode_options *given)
{
    spk_status status = SPK_OPTIONS_TAKE(s->context, given, &s->options, spk_episode_options);
    *s->summary = (spk_episode_summary){.choice = ""};
    if (status == SPK_OK)
        status = check_options(s->context, &s->options);
    if (status == SPK_OK)
        status = episode_run_open(s->context, recording, &s->options, EPISODE_RUN_SEARCH, &s->run);
    if (status == SPK_OK)
        status = episode_links_open(s->context, recording, &s->options, s->run, &s->links);
    if (status == SPK_OK && s->limits != NULL)
        status = measure_reach(s, recording);
    if (status == SPK_OK)
        status = run_search(s);
    episode_run_report(s->run, status, s->summary);
    search_free(s);
    return status;
}

spk_status spk_episode_mine(spk_context *context, const spk_recording *recording,
                            const spk_episode_options *given, spk_episode_sink *sink, void *user,
                            spk_episode_summary *summary)
{
    spk_episode_summary unwanted = {.n_levels = 0};
    search s = {.context = context,
                .sink = sink,
                .user = user,
                .summary = summary != NULL ? summary : &unwanted};
    return mine(&s, recording, given);
}

spk_status episode_mine_within(spk_context *context, const spk_recording *recording,
                               const spk_episode_options *given, episode_limits *limits,
                               spk_episode_sink *sink, void *user)
{
    spk_episode_summary unwanted = {.n_levels = 0};
    search s = {
        .context = context, .sink = sink, .user = user, .summary = &unwanted, .limits = limits};
    return mine(&s, recording, given);
}
