/* Sets of delays tried on a recording and on a few of its surrogates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "distribute/queue.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"
#include "spikemine/describe.h"

/* ---- sets of delays -------------------------------------------------------------------------- */

/*
 * Sets of delays to try: steps of 5, 10, 20, 50, 100 and 200 ms, each with one interval, (0,w], and
 * with two, (0,w] and (w,2w]. That covers synapses of cultures and cortex, and sequences of
 * hundreds of ms.
 *
 * On a coarse grid of times, such as frames of a movie, w is a whole number of its steps. A bound
 * that no short decimal can write, such as 1/30 s, moves to the middle between two points of the
 * grid, where no rounding can change what it holds: 50 ms for one frame, 83 ms for two.
 */

static const double COARSE_S = 0.00125; /* steps above it are those of a coarse grid */

/* A time in microseconds; above 0. */
static spk_duration microseconds(double us)
{
    char text[48];
    spk_duration out = {0, 0, 0};
    snprintf(text, sizeof text, "%.0fus", us);
    if (spk_duration_parse(NULL, text, strlen(text), &out) != SPK_OK)
        out = (spk_duration){0, 0, 0};
    return out;
}

/* The step of a coarse grid in seconds; 0 where there is none. Ticks are a grid, too. */
static double coarse_step(const spk_recording *recording, bool *rounded)
{
    spk_time_grid grid;
    spk_recording_find_grid(recording, &grid);
    *rounded = grid.rounded;
    const bool has_grid = grid.points_per_second.numerator > 0;
    const spk_rate rate = has_grid ? grid.points_per_second : spk_recording_rate(recording);
    const double step = (double)rate.denominator / (double)rate.numerator;
    return step > COARSE_S ? step : 0;
}

/* The bound behind `n` steps of the grid. */
static spk_duration bound_on_grid(double step, bool rounded, double n)
{
    const double us = n * step * 1e6;
    if (!rounded && fabs(us - round(us)) < 1e-6)
        return microseconds(round(us));
    return microseconds(round((n + 0.5) * step * 1e3) * 1e3); /* whole milliseconds */
}

/* Sets that suit the recording: their number. Each has room for CHOOSE_SET_DELAYS intervals. */
static size_t choose_ladder(const spk_recording *recording, spk_delay delays[][CHOOSE_SET_DELAYS],
                            size_t n_delays[CHOOSE_MOST_SETS])
{
    static const double steps_ms[] = {5, 10, 20, 50, 100, 200};
    enum { N_STEPS = sizeof steps_ms / sizeof steps_ms[0] };
    bool rounded = false;
    const double step = coarse_step(recording, &rounded);
    double before = 0;
    size_t n = 0;
    for (size_t k = 0; k < N_STEPS; k++) {
        double points = step > 0 ? round(steps_ms[k] / 1e3 / step) : steps_ms[k];
        points = k + 1 == N_STEPS && before == 0 && points < 1 ? 1 : points;
        if (points <= before)
            continue;
        before = points;
        const spk_duration one =
            step > 0 ? bound_on_grid(step, rounded, points) : microseconds(points * 1e3);
        const spk_duration two =
            step > 0 ? bound_on_grid(step, rounded, 2 * points) : microseconds(points * 2e3);
        for (size_t n_intervals = 1; n_intervals <= CHOOSE_SET_DELAYS; n_intervals++) {
            delays[n][0] = (spk_delay){{0, 0, 0}, one};
            delays[n][1] = (spk_delay){one, two};
            n_delays[n++] = n_intervals;
        }
    }
    return n;
}

void choose_first_delay(const spk_recording *recording, spk_delay *out)
{
    spk_delay delays[CHOOSE_MOST_SETS][CHOOSE_SET_DELAYS];
    size_t n_delays[CHOOSE_MOST_SETS];
    (void)choose_ladder(recording, delays, n_delays);
    *out = delays[0][0];
}

/* ---- tables ---------------------------------------------------------------------------------- */

enum {
    N_LIMITS = 2,        /* supports of a set */
    MOST_FOUND = 200000, /* episodes of the recording that are looked at */
    LARGEST = 4,         /* units */
    CLEAR_TIMES = 2,     /* as many as the largest number by chance, */
    CLEAR_MORE = 3       /* and more than that */
};

struct spk_delay_table {
    size_t n_sets;
    size_t n_left_out;
    double steps_left; /* of the time for choosing */
    size_t best;
    uint32_t best_size;
    uint64_t n_events;
    spk_delay (*ladder)[CHOOSE_SET_DELAYS]; /* where the sets are ours */
    spk_delay *given;                       /* where they are the caller's: copies */
    spk_delay_set *set;
    spk_delay_trial *trial; /* n_sets * N_LIMITS; of one that was left out delays is NULL */
};

typedef struct table_job {
    const spk_recording *recording;
    const spk_choose_options *options;
    spk_delay_table *table;
} table_job;

/* Sets have this share of the time; the rest is for the test with the best one. */
static const double SETS_SHARE = 0.6;
/* One search may take a fourth of the time of its set: most take far less. */
enum { SEARCHES_OF_SET = 4 };

/* ---- one set --------------------------------------------------------------------------------- */

static void fill_sizes(const choose_job *job, const choose_pool *chance, const choose_pool *found,
                       uint64_t found_from, spk_delay_trial *out)
{
    const uint32_t n = job->options.n_surrogates;
    for (uint32_t i = 0; i < SPK_CHOOSE_SIZES; i++) {
        const uint8_t size = (uint8_t)(i + 2);
        spk_delay_trial_size *s = &out->size[i];
        s->found = choose_count(found, out->support, size, NO_SOURCE);
        s->by_chance = (double)choose_count(chance, out->support, size, NO_SOURCE) / n;
        s->reached = found_from <= out->support;
        for (uint32_t k = 0; k < n; k++) {
            const uint64_t in_one = choose_count(chance, out->support, size, k);
            s->most_in_one = in_one > s->most_in_one ? in_one : s->most_in_one;
        }
    }
}

/* The trials of a set, at the supports where chance gives at most 1,000 and 100 episodes. */
static spk_status try_set(spk_context *own, uint64_t task, void *user)
{
    const table_job *t = user;
    const spk_delay_set *set = &t->table->set[task];
    spk_delay_trial *trial = &t->table->trial[task * N_LIMITS];
    spk_support_choice choice = {.support = 0};
    choose_job job = {.surrogates = NULL};
    choose_pool chance = {.n = 0}, found = {.n = 0};
    spk_recording *on_grid = NULL;
    spk_status status = spk_exact_on_grid(own, t->recording, set->delays, set->n_delays, &on_grid);
    const spk_recording *recording = on_grid != NULL ? on_grid : t->recording;
    if (status == SPK_OK)
        status = choose_open(own, recording, set->delays, set->n_delays, t->options, &job);
    job.most_steps = choose_steps(spk_duration_seconds(t->options->time) * SETS_SHARE,
                                  (double)(t->table->n_sets * SEARCHES_OF_SET));
    const double begin = spk_seconds_now();
    if (status == SPK_OK)
        status = choose_from_surrogates(own, &job, &chance, &choice);
    const double seconds = spk_seconds_now() - begin;
    uint64_t found_from = choice.support;
    if (status == SPK_OK)
        status = choose_search(own, &job, recording, 0, LARGEST, MOST_FOUND, &found, &found_from);
    uint64_t limit = job.options.most_by_chance;
    for (size_t k = 0; k < N_LIMITS && status == SPK_OK; k++, limit = (limit + 9) / 10) {
        trial[k] = (spk_delay_trial){.delays = set->delays,
                                     .n_delays = set->n_delays,
                                     .jitter = job.options.jitter,
                                     .limit = limit,
                                     .seconds = seconds};
        trial[k].support =
            choose_support_of(&chance, choice.support, job.options.n_surrogates * limit);
        fill_sizes(&job, &chance, &found, found_from, &trial[k]);
    }
    free(chance.result);
    free(found.result);
    spk_surrogates_free(job.surrogates);
    spk_recording_free(on_grid);
    return status;
}

/* The sets that were tried, in their order: all, unless it was cancelled. */
static void drop_left_out(spk_delay_table *table)
{
    size_t n = 0;
    for (size_t k = 0; k < table->n_sets; k++) {
        if (table->trial[k * N_LIMITS].delays == NULL)
            continue;
        memmove(&table->trial[n * N_LIMITS], &table->trial[k * N_LIMITS],
                N_LIMITS * sizeof *table->trial);
        n++;
    }
    table->n_left_out = table->n_sets - n;
    table->n_sets = n;
}

/* ---- the best one ---------------------------------------------------------------------------- */

/* How far the recording is clearly above chance, over all sizes; *size: where it is most. */
static uint64_t clear_excess(const spk_delay_trial *trial, uint32_t *size)
{
    uint64_t sum = 0, most = 0;
    for (uint32_t k = 0; k < SPK_CHOOSE_SIZES; k++) {
        const spk_delay_trial_size *s = &trial->size[k];
        const uint64_t chance = CLEAR_TIMES * s->most_in_one + CLEAR_MORE;
        const uint64_t excess = s->found > chance ? s->found - chance : 0;
        sum += excess;
        if (excess > most)
            *size = k + 2;
        most = excess > most ? excess : most;
    }
    return sum;
}

static void find_best(spk_delay_table *table)
{
    uint64_t most = 0;
    const size_t n = table->n_sets * N_LIMITS;
    table->best = n;
    for (size_t k = 0; k < n; k++) {
        uint32_t size = 0;
        const uint64_t excess = clear_excess(&table->trial[k], &size);
        if (excess <= most)
            continue;
        most = excess;
        table->best = k;
        table->best_size = size;
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The first n events; *out is NULL where there are no more. */
static spk_status take_part(spk_context *context, const spk_recording *recording, uint64_t n,
                            spk_recording **out)
{
    const spk_events events = spk_recording_events(recording);
    *out = NULL;
    if (n == 0 || events.n_events <= n || events.time[n] <= spk_recording_start(recording))
        return SPK_OK;
    return spk_recording_slice(context, recording, NULL, &events.time[n], 0, NULL, out);
}

/* The caller's sets, one behind the other in table->given. */
static spk_status copy_sets(spk_context *context, const spk_delay_set *sets, size_t n_sets,
                            spk_delay_table *table)
{
    size_t n = 0;
    for (size_t k = 0; k < n_sets; k++)
        n += sets[k].delays != NULL ? sets[k].n_delays : 0;
    spk_status status = spk_alloc(context, &table->given, n, "delays");
    spk_delay *to = table->given;
    for (size_t k = 0; k < n_sets && status == SPK_OK; k++) {
        if (sets[k].delays == NULL || sets[k].n_delays == 0)
            continue; /* refused when it is tried */
        table->set[k] = (spk_delay_set){to, sets[k].n_delays};
        memcpy(to, sets[k].delays, sets[k].n_delays * sizeof *to);
        to += sets[k].n_delays;
    }
    return status;
}

static spk_status take_sets(spk_context *context, const spk_recording *recording,
                            const spk_delay_set *sets, size_t n_sets, spk_delay_table *table)
{
    size_t n_delays[CHOOSE_MOST_SETS];
    spk_status status = SPK_OK;
    if (sets == NULL)
        status = spk_alloc_zero(context, &table->ladder, CHOOSE_MOST_SETS, "delays");
    if (status == SPK_OK && sets == NULL)
        n_sets = choose_ladder(recording, table->ladder, n_delays);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "trials", SPK_COLUMN_ZERO(&table->set, n_sets),
                                   SPK_COLUMN_ZERO(&table->trial, n_sets * N_LIMITS));
    if (status != SPK_OK)
        return status;
    table->n_sets = n_sets;
    if (sets != NULL)
        return copy_sets(context, sets, n_sets, table);
    for (size_t k = 0; k < n_sets; k++)
        table->set[k] = (spk_delay_set){table->ladder[k], n_delays[k]};
    return SPK_OK;
}

static spk_status try_all(spk_context *context, const spk_recording *part,
                          const spk_choose_options *options, spk_delay_table *table)
{
    table_job job = {part, options, table};
    const spk_queue_job queue = {
        .n = table->n_sets, .what = "sets of delays", .task = try_set, .user = &job};
    table->steps_left = (1 - SETS_SHARE) * spk_duration_seconds(options->time) *
                        EPISODE_PROCESSORS * EPISODE_STEPS_A_SECOND;
    spk_status status = spk_queue_run(context, &queue);
    drop_left_out(table);
    return status;
}

spk_status spk_choose_delays(spk_context *context, const spk_recording *recording,
                             const spk_delay_set *sets, size_t n_sets,
                             const spk_choose_options *given, spk_delay_table **out)
{
    spk_choose_options options;
    spk_recording *part = NULL;
    spk_delay_table *table = NULL;
    *out = NULL;
    spk_status status = choose_take_options(context, given, &options);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &table, 1, "trials");
    if (status == SPK_OK)
        status = take_part(context, recording, options.n_events, &part);
    if (status == SPK_OK)
        status = take_sets(context, recording, sets, n_sets, table);
    if (status == SPK_OK)
        status = try_all(context, part != NULL ? part : recording, &options, table);
    if (status == SPK_OK ||
        (status == SPK_ERR_CANCELLED && table != NULL && table->n_left_out > 0)) {
        table->n_events = spk_recording_events(part != NULL ? part : recording).n_events;
        find_best(table);
        *out = table;
    } else {
        spk_delay_table_free(table);
    }
    spk_recording_free(part);
    return status;
}

spk_delay_table_columns spk_delay_table_get(const spk_delay_table *table)
{
    return (spk_delay_table_columns){.n_sets = table->n_sets,
                                     .n = table->n_sets * N_LIMITS,
                                     .trial = table->trial,
                                     .best = table->best,
                                     .best_size = table->best_size,
                                     .n_events = table->n_events,
                                     .n_left_out = table->n_left_out};
}

double choose_steps_left(const spk_delay_table *table)
{
    return table->steps_left;
}

void spk_delay_table_free(spk_delay_table *table)
{
    if (table == NULL)
        return;
    spk_free_all(table->ladder, table->given, table->set, table->trial, table);
}
