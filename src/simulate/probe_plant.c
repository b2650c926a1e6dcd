/*
 * Sequences of a simulated probe. Members come from one random order of all units, so that two
 * sequences share units only where that was asked for. Starts of one sequence are uniform under the
 * condition that its occurrences do not overlap: points drawn on what the occurrences leave free,
 * each moved by the lengths of those before.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "simulate/probe.h"

static const double PAUSE_SECONDS = 0.05; /* least time between two occurrences */

/* ---- members --------------------------------------------------------------------------------- */

static bool is_part(const probe *p, uint32_t k)
{
    return p->options->nested && k % 2 == 1;
}

static uint32_t draw_size(const probe *p, uint32_t k)
{
    const spk_probe_options *o = p->options;
    spk_random random = spk_random_start(o->seed, SPK_RANDOM_PROBE_MEMBERS, (uint64_t)k + 1);
    return o->min_size +
           (uint32_t)spk_random_below(&random, (uint64_t)o->max_size - o->min_size + 1);
}

static uint32_t size_of_part(uint32_t size)
{
    return size / 2 < 2 ? 2 : size / 2;
}

static spk_status create_truth(spk_context *context, probe *p)
{
    const uint32_t n = p->options->n_sequences;
    uint32_t *size = NULL;
    spk_status status = spk_alloc(context, &size, n, "the truth");
    for (uint32_t k = 0; k < n && status == SPK_OK; k++)
        size[k] = is_part(p, k) ? size_of_part(size[k - 1]) : draw_size(p, k);
    if (status == SPK_OK)
        status = spk_truth_create(context, n, size, &p->truth);
    free(size);
    return status;
}

/* The inner half of the sequence before. */
static void choose_part(probe *p, uint32_t k)
{
    const spk_planted *whole = &p->truth->chain[k - 1];
    spk_planted *part = &p->truth->chain[k];
    const uint32_t skip = (whole->size - part->size) / 2;
    for (uint32_t m = 0; m < part->size; m++) {
        part->unit[m] = whole->unit[skip + m];
        part->delay_ticks[m] = whole->delay_ticks[skip + m];
    }
}

/* New members from *next on in the order of units, after those that it shares with the one before;
 * then all of them in random order, and their lags. */
static void choose_members(probe *p, uint32_t k, const uint32_t *order, uint32_t *next,
                           uint32_t *room)
{
    const spk_probe_options *o = p->options;
    spk_random random = spk_random_start(o->seed, SPK_RANDOM_PROBE_MEMBERS, (uint64_t)k + 1);
    spk_planted *chain = &p->truth->chain[k];
    const uint32_t n_shared = k > 0 ? o->n_shared : 0;
    (void)spk_random_u64(&random); /* the size */
    uint32_t *given = room + o->max_size;
    if (k > 0)
        spk_random_order(&random, p->truth->chain[k - 1].size, room);
    for (uint32_t m = 0; m < chain->size; m++)
        given[m] = m < n_shared ? p->truth->chain[k - 1].unit[room[m]] : order[(*next)++];
    spk_random_order(&random, chain->size, room);
    const double least = probe_ticks(p, o->min_step), most = probe_ticks(p, o->max_step);
    for (uint32_t m = 0; m < chain->size; m++) {
        chain->unit[m] = given[room[m]];
        chain->delay_ticks[m] = (int64_t)(least + (most - least) * spk_random_unit(&random));
    }
}

static spk_status choose_sequences(spk_context *context, probe *p)
{
    const spk_probe_options *o = p->options;
    spk_random random = spk_random_start(o->seed, SPK_RANDOM_PROBE_MEMBERS, 0);
    uint32_t *order = NULL, *room = NULL, next = 0;
    spk_status status = spk_alloc_columns(context, "members", SPK_COLUMN(&order, p->n_units),
                                          SPK_COLUMN(&room, 2 * (uint64_t)o->max_size));
    if (status != SPK_OK)
        return status;
    spk_random_order(&random, p->n_units, order);
    for (uint32_t k = 0; k < o->n_sequences; k++) {
        p->truth->chain[k].jitter_ticks = (int64_t)probe_ticks(p, o->jitter);
        if (is_part(p, k))
            choose_part(p, k);
        else
            choose_members(p, k, order, &next, room);
    }
    free(order);
    free(room);
    return SPK_OK;
}

/* ---- occurrences ----------------------------------------------------------------------------- */

typedef struct planting {
    spk_planted *chain;
    double *lag;   /* by member */
    double *start; /* by occurrence */
    int64_t *time; /* of one occurrence */
    double jitter; /* ticks */
    double warp;   /* its logarithm */
} planting;

static double span_of(const planting *g)
{
    return g->lag[g->chain->size - 1];
}

/* Starts of the sequence; SPK_ERR_ARGUMENT where its occurrences fill nine tenths of the time. */
static spk_status draw_starts(spk_context *context, const probe *p, planting *g, spk_random *random)
{
    const uint32_t n = p->options->repeats;
    const double room = 4 * g->jitter * sqrt(p->options->adding_jitter ? g->chain->size : 1);
    const double length = span_of(g) * p->options->warp + 2 * room + PAUSE_SECONDS * p->second;
    const double left = (double)p->stop - n * length;
    if (left < (double)p->stop / 10)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%u occurrences of %.3g s each leave no room in %.3g s; take fewer, or "
                        "shorter sequences",
                        n, length / p->second, (double)p->stop / p->second);
    for (uint32_t i = 0; i < n; i++)
        g->start[i] = left * spk_random_unit(random);
    qsort(g->start, n, sizeof *g->start, spk_rising_f64);
    for (uint32_t i = 0; i < n; i++)
        g->start[i] += i * length + room;
    return SPK_OK;
}

/* Every occurrence takes the same numbers of its sequence, whatever is missing. */
static spk_status plant_one(spk_context *context, probe *p, planting *g, double start,
                            spk_random *random)
{
    const spk_probe_options *o = p->options;
    const double factor = spk_portable_exp(g->warp * (2 * spk_random_unit(random) - 1));
    const bool is_reversed = spk_random_chance(random, o->reversed);
    double added = 0;
    spk_status status = SPK_OK;
    for (uint32_t m = 0; m < g->chain->size && status == SPK_OK; m++) {
        const double lag = is_reversed ? span_of(g) - g->lag[m] : g->lag[m];
        const double moved = g->jitter * spk_random_normal(random);
        added = o->adding_jitter ? added + moved : moved;
        const double time = floor(start + factor * lag + added);
        const bool fires = !spk_random_chance(random, o->failing);
        const bool is_recorded = probe_is_recorded(p, g->chain->unit[m], time, random);
        g->time[m] = SPK_TRUTH_MISSING;
        if (!fires || !is_recorded || !(time >= 0 && time < (double)p->stop))
            continue;
        g->time[m] = (int64_t)time;
        status = spk_event_buffer_add(context, &p->events, g->time[m], g->chain->unit[m]);
    }
    return status == SPK_OK ? spk_planted_add(context, g->chain, g->time) : status;
}

static spk_status plant_sequence(spk_context *context, probe *p, uint32_t k)
{
    planting g = {.chain = &p->truth->chain[k],
                  .jitter = probe_ticks(p, p->options->jitter),
                  .warp = spk_portable_log(p->options->warp)};
    spk_random random = spk_random_start(p->options->seed, SPK_RANDOM_PROBE_PLANT, k);
    spk_status status = spk_alloc_columns(
        context, "a sequence", SPK_COLUMN_ZERO(&g.lag, g.chain->size),
        SPK_COLUMN(&g.time, g.chain->size), SPK_COLUMN(&g.start, p->options->repeats));
    for (uint32_t m = 1; m < g.chain->size && status == SPK_OK; m++)
        g.lag[m] = g.lag[m - 1] + (double)g.chain->delay_ticks[m - 1];
    if (status == SPK_OK)
        status = draw_starts(context, p, &g, &random);
    for (uint32_t i = 0; i < p->options->repeats && status == SPK_OK; i++)
        status = plant_one(context, p, &g, g.start[i], &random);
    spk_free_all(g.lag, g.time, g.start);
    return status;
}

spk_status probe_plant(spk_context *context, probe *p)
{
    spk_status status = create_truth(context, p);
    if (status == SPK_OK)
        status = choose_sequences(context, p);
    for (uint32_t k = 0; k < p->options->n_sequences && status == SPK_OK; k++) {
        status = plant_sequence(context, p, k);
        spk_progress(context, "planting sequences", k + 1, p->options->n_sequences);
    }
    return status == SPK_OK ? spk_planted_times_take(context, &p->events, p->n_units, &p->planted)
                            : status;
}
