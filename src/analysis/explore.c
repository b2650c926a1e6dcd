/*
 * A first look at a recording: its steps, and the work that each may do.
 *
 * Invariant: work is counted (episode/search.h), and a second is a number of steps. So the same
 * recording, options and time give the same delays, supports and results on every machine that does
 * these steps in this time. Another one keeps to the time, too: each step has an end on the clock,
 * and is as small as a pilot of it shows to be needed (spk_explore_steps_in_time). What was left
 * out is told. The test comes before sequences, and however short the time is, something is tested.
 *
 *     share of the clock   0           .45       .6        .8      .9          1
 *                          |  delays    | support |  test   | pairs | sequences |
 *
 * A step that ends before leaves its time to those behind it. Delays that were not tried in time
 * are tried again in the time of the support, on as few events as are always looked at, and at last
 * one set of them alone. Without a support in time, or a test that ends, pairs of units are tested,
 * with ever less work. On a machine that was busy while delays were tried, steps end earlier, so
 * that there is time for sequences.
 */
#include "analysis/explore.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/stage.h"
#include "episode/search.h"
#include "significance/choose/choose.h"

/* Shares of the time: to choose delays and support, and to test; the rest is for sequences, with
 * what the test leaves of its own. */
static const double CHOICE_SHARE = 1.0 / 3, TEST_SHARE = 1.0 / 3;

static const double MOST_SECONDS = 1e6;

/* Episodes and whole sequences share the level: where all is chance, any finding has a chance of at
 * most alpha. */
enum { PARTS_OF_THE_LEVEL = 2 };

/* Two free processors do the work of a time in about this share of it, so that a machine with other
 * work has the rest, too. The clock ends all of it a little before the time, which allows for a
 * report; it never gives it less than so many seconds. */
static const double WORK_SHARE = 0.9, CLOCK_SHARE = 0.98, LEAST_CLOCK_S = 10;

/* Shares of the clock at which steps end, also on a busy machine: there threads that want to work
 * have a processor for less than so much of the time. A support is only chosen there if delays did
 * not take long. The last try of delays has one set alone. A test that did not end is tried again
 * with so much of its work: 0 leaves as few events as are always looked at. */
static const double DELAYS_END[EXPLORE_DELAY_TRIES] = {.45, .52, .57};
static const double TRIED[EXPLORE_TRIES] = {1, .25, 0};
static const struct {
    double support;
    double test[EXPLORE_TRIES];
} ENDS[2] = {{.6, {.8, .85, .9}}, {.45, {.6, .7, .8}}};
static const double BUSY = 0.7, LONG_DELAYS = 0.25, LEAST_TOLD_S = 0.5;

/* What trying delays does with an event: so many sets, twice as many surrogates. */
static const double STEPS_OF_AN_EVENT = 30.0 * 12 * 2 * 9;

SPK_OPTIONS_INIT(spk_explore_options, .alpha = SPK_USUAL_ALPHA, .seed = 1, .time = {.digits = 60});

/* ---- time ------------------------------------------------------------------------------------ */

static double seconds_of(const spk_explore *e)
{
    return spk_duration_seconds(e->options.time);
}

static double work_of(const spk_explore *e)
{
    return WORK_SHARE * seconds_of(e);
}

/* ---- delays ---------------------------------------------------------------------------------- */

/* Where no set stands out: the one with most episodes beyond chance for what chance gives. */
static const spk_delay_trial *largest_excess(const spk_delay_table_columns *c)
{
    size_t best = 0;
    double most = -INFINITY;
    for (size_t k = 0; k < c->n; k++) {
        double excess = 0;
        for (size_t s = 0; s < SPK_CHOOSE_SIZES; s++) {
            const spk_delay_trial_size *size = &c->trial[k].size[s];
            excess += ((double)size->found - size->by_chance) / sqrt(size->by_chance + 1);
        }
        if (excess > most) {
            most = excess;
            best = k;
        }
    }
    return c->trial + (best - best % (c->n / c->n_sets));
}

static spk_status try_delays(spk_explore *e, const spk_recording *recording, double steps)
{
    spk_choose_options options;
    spk_choose_options_init(&options, sizeof options);
    options.seed = e->options.seed;
    options.time = (spk_duration){(int64_t)(1000 * CHOICE_SHARE * work_of(e)) + 1, -3, 0};
    const double n_events = fmax(EXPLORE_LEAST_EVENTS, steps / STEPS_OF_AN_EVENT);
    if (n_events < (double)options.n_events)
        options.n_events = (uint64_t)n_events;
    spk_delay_table_free(e->delays); /* of a try that the clock ended */
    e->delays = NULL;
    spk_delay first;
    choose_first_delay(recording, &first);
    const spk_delay_set set = {&first, 1};
    spk_status status = spk_choose_delays(e->own, recording, e->one_set ? &set : NULL, e->one_set,
                                          &options, &e->delays);
    if (status != SPK_OK)
        return status;
    const spk_delay_table_columns c = spk_delay_table_get(e->delays);
    e->stands_out = c.best < c.n;
    if (c.n > 0)
        e->trial =
            e->stands_out ? c.trial + (c.best - c.best % (c.n / c.n_sets)) : largest_excess(&c);
    return SPK_OK;
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* A spk_progress_fn: "step 2 of 3 (test of episodes), surrogates". */
static void tell_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    static const char *const names[EXPLORE_N_DOINGS] = {"delays", "test of episodes", "sequences"};
    const spk_explore *e = user;
    char text[160], round[40] = "";
    if (e->n_rounds > 0)
        snprintf(round, sizeof round, ", round %" PRIu32 " of up to %" PRIu32,
                 e->report.summary.n_rounds, e->n_rounds);
    snprintf(text, sizeof text, "step %d of %d (%s%s), %s", e->doing + 1, EXPLORE_N_DOINGS,
             names[e->doing], round, what);
    spk_progress(e->context, text, done, total);
}

/* A spk_note_fn: what a step notes is a sentence of its own, told once. */
static void take_note(void *user, const char *text)
{
    spk_explore *e = user;
    for (size_t k = 0; k < e->n_notes; k++)
        if (strcmp(e->note[k], text) == 0)
            return;
    if (e->n_notes < EXPLORE_NOTES && spk_strdup(NULL, &e->note[e->n_notes], text) == SPK_OK)
        e->n_notes++;
}

/* From now on work has a context of its own, which the clock cancels at a share of its time. */
static spk_status begin_clock(spk_explore *e, double share)
{
    assert(e->n_clocks < EXPLORE_CLOCKS);
    spk_deadline *clock = &e->clock[e->n_clocks];
    const double seconds = e->begin + share * e->limit - spk_seconds_now();
    spk_status status = spk_deadline_begin(e->context, fmax(0, seconds), clock);
    if (status != SPK_OK)
        return status;
    e->n_clocks++;
    e->until = e->begin + share * e->limit;
    e->own = clock->own;
    spk_memory_lend(e->context, e->own);
    spk_context_set_note(e->own, take_note, e);
    if (e->context != NULL)
        spk_context_set_progress(e->own, tell_progress, e);
    if (seconds <= 0)
        spk_context_cancel(e->own);
    return SPK_OK;
}

/* What the work returned, unless it is that the clock ended it. */
static spk_status end_clock(spk_explore *e, spk_status status)
{
    e->is_late = status == SPK_ERR_CANCELLED;
    e->was_late |= e->is_late;
    (void)spk_deadline_stop(&e->clock[e->n_clocks - 1]);
    return spk_explore_allow_late(e, status);
}

/* ---- the test -------------------------------------------------------------------------------- */

/* One step of a test, which ends at a share of the clock. */
typedef spk_status test_step(spk_explore *e, const spk_recording *recording, double steps);

static spk_status run_step(spk_explore *e, const spk_recording *recording, double share,
                           double steps, test_step *step)
{
    spk_status status = begin_clock(e, share);
    return status == SPK_OK ? end_clock(e, step(e, recording, steps)) : status;
}

/* Delays; whether the machine is busy follows from this thread's time on a processor. */
static spk_status try_in_time(spk_explore *e, const spk_recording *recording, double steps)
{
    const double worked = spk_work_seconds(1), begin = spk_seconds_now();
    spk_status status = try_delays(e, recording, steps);
    const double took = spk_seconds_now() - begin;
    e->is_busy |= took > LEAST_TOLD_S && spk_work_seconds(1) - worked < BUSY * took;
    return status;
}

static spk_status choose_in_time(spk_explore *e, const spk_recording *recording, double steps)
{
    spk_status status = SPK_OK;
    const bool is_long = spk_seconds_now() - e->begin > LONG_DELAYS * e->limit;
    e->is_slow |= e->is_busy && is_long;
    if (!e->is_slow)
        status = run_step(e, recording, ENDS[e->is_busy].support, steps, spk_explore_choose);
    if (e->is_slow || e->is_late) {
        spk_explore_take_level(e);
        spk_explore_take_pairs(e);
    }
    return status;
}

static spk_status test_episodes(spk_explore *e, const spk_recording *recording)
{
    const double steps = TEST_SHARE * e->steps;
    const double tried[EXPLORE_DELAY_TRIES] = {CHOICE_SHARE * e->steps};
    spk_status status = SPK_OK;
    for (int k = 0; k < EXPLORE_DELAY_TRIES && status == SPK_OK && (k == 0 || e->is_late); k++) {
        e->one_set = k + 1 == EXPLORE_DELAY_TRIES;
        status = run_step(e, recording, DELAYS_END[k], tried[k], try_in_time);
    }
    e->steps *= 1 - CHOICE_SHARE;
    e->doing = EXPLORE_TEST;
    if (status != SPK_OK || e->trial == NULL)
        return status;
    status = choose_in_time(e, recording, steps);
    for (int k = 0; k < EXPLORE_TRIES && status == SPK_OK && !e->test_ended; k++) {
        if (k > 0)
            spk_explore_take_pairs(e);
        status =
            run_step(e, recording, ENDS[e->is_busy].test[k], steps * TRIED[k], spk_explore_test);
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status take_options(spk_context *context, const spk_explore_options *options,
                               spk_explore *e)
{
    spk_explore_options_init(&e->options, sizeof e->options);
    if (options != NULL) {
        spk_status status = SPK_OPTIONS_TAKE(context, options, &e->options, spk_explore_options);
        if (status != SPK_OK)
            return status;
    }
    if (!(e->options.alpha > 0 && e->options.alpha < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT, "alpha must be between 0 and 1");
    e->alpha = e->options.alpha / PARTS_OF_THE_LEVEL;
    const double seconds = seconds_of(e);
    return seconds > 0 && seconds <= MOST_SECONDS
               ? SPK_OK
               : spk_fail(context, SPK_ERR_ARGUMENT,
                          "the time of a first look must be above 0, and at most %g s",
                          MOST_SECONDS);
}

static spk_status look(spk_explore *e, const spk_recording *recording, double clock_s)
{
    e->begin = spk_seconds_now();
    e->limit = clock_s > 0 ? clock_s : fmax(LEAST_CLOCK_S, CLOCK_SHARE * seconds_of(e));
    e->steps = EPISODE_PROCESSORS * EPISODE_STEPS_A_SECOND * work_of(e);
    spk_status status = spk_recording_describe(e->context, recording, &e->description);
    e->tested.recording = recording;
    e->searched.recording = recording;
    if (status == SPK_OK)
        status = test_episodes(e, recording);
    e->doing = EXPLORE_SEQUENCES;
    if (status == SPK_OK)
        status = begin_clock(e, 1);
    if (status == SPK_OK)
        status = end_clock(e, spk_explore_find_sequences(e, recording));
    return status == SPK_OK ? spk_explore_tell(e, recording) : status;
}

spk_status spk_explore_run_until(spk_context *context, const spk_recording *recording,
                                 const spk_explore_options *options, double clock_s,
                                 spk_explore **out)
{
    spk_explore *e = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &e, 1, "a first look");
    if (status != SPK_OK)
        return status;
    e->context = context;
    status = take_options(context, options, e);
    if (status == SPK_OK)
        status = look(e, recording, clock_s);
    if (status == SPK_OK)
        *out = e;
    else
        spk_explore_free(e);
    return status;
}

spk_status spk_explore_run(spk_context *context, const spk_recording *recording,
                           const spk_explore_options *options, spk_explore **out)
{
    return spk_explore_run_until(context, recording, options, 0, out);
}

const spk_explore_columns *spk_explore_columns_of(const spk_explore *explore)
{
    return explore != NULL ? &explore->columns : NULL;
}

void spk_explore_free(spk_explore *e)
{
    if (e == NULL)
        return;
    spk_explore_free_words(e);
    spk_sequences_free(e->sequences);
    spk_analysis_free(e->analysis);
    spk_delay_table_free(e->delays);
    spk_explore_drop_part(&e->whole);
    spk_explore_drop_part(&e->tested);
    spk_explore_drop_part(&e->searched);
    while (e->n_clocks > 0)
        (void)spk_deadline_end(&e->clock[--e->n_clocks]);
    free(e);
}
