/*
 * Delays and a support with which a search ends soon, from counts of pairs.
 *
 * Pairs a -> b with at least s occurrences are edges; the candidates of size 3 are the paths of two
 * edges. Edges are added from the most frequent one on, each with the paths that it closes, until
 * these are too many: the count of the last edge that fits is the support. How many longer episodes
 * are frequent no pair tells, so that a trial mines all sizes, and the support rises until it ends.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/facts.h"
#include "spikemine/describe.h"
#include "spikemine/episode.h"

enum {
    SAMPLED_EVENTS = 100000,
    LEAST_EVENTS = 50,
    LEAST_SUPPORT = 10,      /* of the whole recording */
    MOST_TRIPLES = 20000,    /* candidates of size 3 */
    MOST_CANDIDATES = 60000, /* of all sizes from 3 on */
    MOST_FREQUENT = 5000,    /* of one size from 3 on */
    MOST_TRIALS = 30,
    COARSE_US = 1250 /* a grid on which (5ms,10ms] holds few points */
};

/* What a candidate costs for each event of an average unit, on one processor. */
static const double SECONDS_AN_EVENT = 5e-9;

/* ---- the delay ------------------------------------------------------------------------------- */

/* Some points of a coarse grid: up to two and a half steps. */
static bool delay_on_grid(const spk_recording *recording, spk_delay *out)
{
    spk_time_grid grid;
    char text[64];
    spk_recording_find_grid(recording, &grid);
    spk_rate rate = grid.rounded ? grid.points_per_second : spk_recording_rate(recording);
    uint64_t steps = grid.rounded || grid.ticks == 0 ? 1 : grid.ticks;
    double step_s = (double)steps * (double)rate.denominator / (double)rate.numerator;
    if (step_s * 1e6 <= COARSE_US)
        return false;
    snprintf(text, sizeof text, "%.0f/%.0fs", 5.0 * (double)steps * (double)rate.denominator,
             2.0 * (double)rate.numerator);
    out->lo = (spk_duration){0, 0, 0};
    return spk_duration_parse(NULL, text, strlen(text), &out->hi) == SPK_OK;
}

static spk_delay choose_delay(const spk_recording *recording)
{
    const spk_delay usual = {{5, -3, 0}, {1, -2, 0}};
    spk_delay out;
    return delay_on_grid(recording, &out) ? out : usual;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

typedef struct pair {
    uint64_t count;
    uint32_t first;
    uint32_t second;
} pair;

typedef struct pair_list {
    spk_context *context;
    uint64_t n;
    uint64_t capacity;
    pair *pair;
} pair_list;

static spk_status take_pairs(void *user, const spk_episode_columns *episodes)
{
    pair_list *list = user;
    if (episodes->level->size != 2 || episodes->n == 0)
        return SPK_OK;
    spk_status status =
        spk_grow(list->context, &list->pair, &list->capacity, list->n + episodes->n, "pairs");
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++) {
        const uint32_t *unit = episodes->unit + episodes->offset[i];
        list->pair[list->n++] = (pair){episodes->count[i], unit[0], unit[1]};
    }
    return status;
}

/* The least support at which the pairs, the most frequent first, make few candidates of size 3. */
static spk_status support_of_pairs(spk_context *context, const pair_list *list, uint32_t n_units,
                                   uint64_t least, uint64_t *support)
{
    uint64_t *into = NULL, *from = NULL, triples = 0;
    spk_status status = spk_alloc_columns(context, "pairs", SPK_COLUMN_ZERO(&into, n_units),
                                          SPK_COLUMN_ZERO(&from, n_units));
    *support = least;
    for (uint64_t i = 0; i < list->n && status == SPK_OK; i++) {
        const pair *p = &list->pair[i]; /* in order of count: levels come sorted */
        triples += into[p->first] + from[p->second] + (p->first == p->second);
        into[p->second]++;
        from[p->first]++;
        if (triples > MOST_TRIPLES) {
            *support = p->count + 1 > least ? p->count + 1 : least;
            break;
        }
    }
    free(into);
    free(from);
    return status;
}

/* ---- trials ---------------------------------------------------------------------------------- */

typedef struct trial {
    uint64_t pairs;
    uint64_t candidates;
    bool too_many;
} trial;

static spk_status watch(void *user, const spk_episode_columns *episodes)
{
    trial *t = user;
    const spk_episode_level *level = episodes->level;
    t->candidates += level->candidates;
    if (level->size == 2)
        t->pairs = level->frequent;
    if (level->size < 3 || (level->frequent <= MOST_FREQUENT && t->candidates <= MOST_CANDIDATES))
        return SPK_OK;
    t->too_many = true;
    return SPK_ERR_CANCELLED;
}

static spk_status mine(spk_context *context, const spk_recording *sample, const spk_delay *delay,
                       uint64_t support, uint32_t max_size, spk_episode_sink *sink, void *user)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delay;
    options.n_delays = 1;
    options.support = support;
    options.max_size = max_size;
    options.engine = spk_engine_usual(SPK_EPISODES, false)->name;
    return spk_episode_mine(context, sample, &options, sink, user, NULL);
}

/* Raises the support until a search of all sizes ends. */
static spk_status try_supports(spk_context *context, const spk_recording *sample,
                               const spk_delay *delay, uint64_t *support, trial *out)
{
    for (int k = 0; k < MOST_TRIALS; k++) {
        *out = (trial){.pairs = 0};
        spk_status status =
            mine(context, sample, delay, *support, SPK_EPISODE_MAX_SIZE, watch, out);
        if (!out->too_many)
            return status;
        *support += *support / 4 + 1;
    }
    return SPK_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static spk_status take_sample(spk_context *context, const spk_recording *recording,
                              spk_recording **out)
{
    spk_events events = spk_recording_events(recording);
    *out = NULL;
    if (events.n_events <= SAMPLED_EVENTS)
        return SPK_OK;
    return spk_recording_slice(context, recording, NULL, &events.time[SAMPLED_EVENTS], 0, NULL,
                               out);
}

static spk_status suggest(spk_context *context, const spk_recording *sample, double share,
                          spk_episode_suggestion *out)
{
    pair_list pairs = {.context = context};
    trial t = {.pairs = 0};
    spk_events events = spk_recording_events(sample);
    uint64_t least = (uint64_t)(LEAST_SUPPORT * share), support = 0;
    least = least < 2 ? 2 : least;
    spk_status status = mine(context, sample, &out->delay, least, 2, take_pairs, &pairs);
    if (status == SPK_OK)
        status = support_of_pairs(context, &pairs, events.n_units, least, &support);
    if (status == SPK_OK && pairs.n > 0)
        status = try_supports(context, sample, &out->delay, &support, &t);
    out->found = pairs.n > 0 && !t.too_many && t.pairs > 0;
    out->support = (uint64_t)((double)support / share + 0.999999);
    out->n_sampled = events.n_events;
    out->pairs = t.pairs;
    out->candidates = t.candidates;
    out->seconds = 0.05 + (double)t.candidates * SECONDS_AN_EVENT * (double)events.n_events /
                              share / (double)events.n_units;
    free(pairs.pair);
    return status;
}

spk_status spk_episode_suggest(spk_context *context, const spk_recording *recording,
                               spk_episode_suggestion *out)
{
    spk_recording *part = NULL;
    spk_events events = spk_recording_events(recording);
    *out = (spk_episode_suggestion){.found = false};
    if (events.n_events < LEAST_EVENTS)
        return SPK_OK;
    out->delay = choose_delay(recording);
    spk_status status = take_sample(context, recording, &part);
    const spk_recording *sample = part != NULL ? part : recording;
    uint64_t n_sampled = spk_recording_events(sample).n_events;
    if (status == SPK_OK && n_sampled >= LEAST_EVENTS)
        status = suggest(context, sample, (double)n_sampled / (double)events.n_events, out);
    if (status != SPK_OK || !out->found)
        *out = (spk_episode_suggestion){.found = false};
    spk_recording_free(part);
    return status;
}
