/* A first look at a recording: its steps, and the time that each has. */
#include "analysis/explore.h"

#include <math.h>
#include <stdlib.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/stage.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"
#include "spikemine/calibrate.h"

/* Shares of the time: to choose delays and support, then to test; the rest is for sequences. */
static const double CHOICE_SHARE = 1.0 / 3, TEST_SHARE = 2.0 / 3;

/* Of what is left, since an estimate may be wrong. */
static const double SAFE_SHARE = 0.8;

static const double MOST_SECONDS = 1e6;

enum {
    TRIAL_SURROGATES = 9, /* of a trial of delays: what its seconds are of */
    MOST_TIMES = 4        /* so much over the time is too much, whatever a plan says */
};

void spk_explore_options_init(spk_explore_options *options, size_t struct_size)
{
    static const spk_explore_options defaults = {
        .alpha = SPK_USUAL_ALPHA, .seed = 1, .time = {.digits = 60}};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* ---- time ------------------------------------------------------------------------------------ */

static double seconds_of(const spk_explore *e)
{
    return spk_duration_seconds(e->options.time);
}

spk_status spk_explore_allow_late(const spk_explore *e, spk_status status)
{
    if (status == SPK_OK)
        return SPK_OK;
    if (status == SPK_ERR_CANCELLED && !spk_context_cancelled(e->context))
        return SPK_OK;
    return spk_fail(e->context, status, "%s", spk_context_message(e->deadline.own));
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

static spk_status try_delays(spk_explore *e, const spk_recording *recording)
{
    spk_choose_options options;
    spk_choose_options_init(&options, sizeof options);
    options.seed = e->options.seed;
    options.time = (spk_duration){(int64_t)(1000 * CHOICE_SHARE * seconds_of(e)) + 1, -3, 0};
    spk_status status =
        spk_choose_delays(e->deadline.own, recording, NULL, 0, &options, &e->delays);
    if (status != SPK_OK)
        return status;
    const spk_delay_table_columns c = spk_delay_table_get(e->delays);
    e->stands_out = c.best < c.n;
    if (c.n > 0)
        e->trial =
            e->stands_out ? c.trial + (c.best - c.best % (c.n / c.n_sets)) : largest_excess(&c);
    return SPK_OK;
}

/* ---- the test -------------------------------------------------------------------------------- */

/* Seconds that the test may still take. */
static double seconds_for_test(const spk_explore *e)
{
    return spk_explore_seconds_left(e) - (1 - TEST_SHARE) * seconds_of(e);
}

/* What is planned: of all, or where the trial took far too long, of the beginning. */
static spk_status plan(spk_explore *e, const spk_recording *recording)
{
    const spk_delay_table_columns c = spk_delay_table_get(e->delays);
    const uint64_t least =
        spk_exact_least_surrogates(e->options.alpha / (double)c.n_sets, 1) / TRIAL_SURROGATES;
    const double grows = (double)spk_recording_events(recording).n_events / (double)c.n_events;
    const double seconds =
        e->trial->seconds * grows * (double)least / spk_context_threads(e->context);
    spk_status status =
        spk_explore_take_part(e, recording, MOST_TIMES * seconds_for_test(e) / seconds, &e->tested);
    return status == SPK_OK
               ? choose_test_of(e->deadline.own, e->tested.recording, e->delays, e->trial,
                                e->options.alpha, e->options.seed, &e->chosen)
               : status;
}

/* The same level with fewer surrogates, then a shorter recording, where the time is short. */
static spk_status fit(spk_explore *e, const spk_recording *recording)
{
    const spk_exact_estimate *cost = &e->chosen.estimate;
    const double pilots = SPK_EXACT_PILOTS, left = SAFE_SHARE * seconds_for_test(e);
    const double one =
        (cost->seconds - cost->own_seconds) / ((double)e->chosen.n_surrogates + pilots);
    e->n_surrogates = e->chosen.n_surrogates;
    if (cost->seconds <= left)
        return SPK_OK;
    e->n_surrogates = spk_exact_least_surrogates(e->chosen.alpha, 1);
    const double seconds = cost->own_seconds + one * ((double)e->n_surrogates + pilots);
    if (seconds <= left)
        return SPK_OK;
    double share = left / seconds;
    if (e->tested.own != NULL)
        share *= (double)spk_recording_events(e->tested.recording).n_events /
                 (double)spk_recording_events(recording).n_events;
    spk_explore_drop_part(&e->tested);
    return spk_explore_take_part(e, recording, share, &e->tested);
}

static spk_status run_test(spk_explore *e)
{
    spk_episode_options episodes;
    spk_exact_options test;
    spk_select_options select;
    spk_analysis_options options;
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = e->trial->delays, episodes.n_delays = e->trial->n_delays;
    episodes.support = e->chosen.support;
    episodes.link_share = e->chosen.link_share;
    if (e->chosen.max_size > 0)
        episodes.max_size = e->chosen.max_size;
    spk_exact_options_init(&test, sizeof test);
    test.episodes = &episodes;
    test.jitter = &e->trial->jitter, test.n_jitter = 1;
    test.seed = e->options.seed;
    test.n_surrogates = e->n_surrogates;
    test.null = spk_exact_null_for(e->tested.recording, test.jitter, 1)->name;
    spk_select_options_init(&select, sizeof select);
    select.distinct_units = SPK_CHOOSE_DISTINCT_UNITS;
    spk_analysis_options_init(&options, sizeof options);
    options.exact = &test;
    options.alpha = e->chosen.alpha;
    options.select = &select;
    options.families = true;
    spk_status status = spk_analysis_create(e->deadline.own, &e->analysis);
    if (status == SPK_OK)
        status = spk_analysis_run(e->analysis, e->tested.recording, &options);
    e->test_ended = status == SPK_OK;
    return status;
}

static spk_status test_episodes(spk_explore *e, const spk_recording *recording)
{
    spk_status status = try_delays(e, recording);
    if (status == SPK_OK && e->trial != NULL)
        status = plan(e, recording);
    if (status != SPK_OK || e->trial == NULL || !e->chosen.is_whole || seconds_for_test(e) <= 0)
        return status;
    status = fit(e, recording);
    return status == SPK_OK ? run_test(e) : status;
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
    const double seconds = seconds_of(e);
    return seconds > 0 && seconds <= MOST_SECONDS
               ? SPK_OK
               : spk_fail(context, SPK_ERR_ARGUMENT,
                          "the time of a first look must be above 0, and at most %g s",
                          MOST_SECONDS);
}

static spk_status look(spk_explore *e, const spk_recording *recording)
{
    spk_memory_lend(e->context, e->deadline.own);
    spk_status status = spk_recording_describe(e->context, recording, &e->description);
    e->tested.recording = recording;
    e->searched.recording = recording;
    if (status == SPK_OK)
        status = spk_explore_allow_late(e, test_episodes(e, recording));
    if (status == SPK_OK)
        status = spk_explore_allow_late(e, spk_explore_find_sequences(e, recording));
    (void)spk_deadline_stop(&e->deadline);
    return status == SPK_OK ? spk_explore_tell(e, recording) : status;
}

spk_status spk_explore_run(spk_context *context, const spk_recording *recording,
                           const spk_explore_options *options, spk_explore **out)
{
    spk_explore *e = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &e, 1, "a first look");
    if (status != SPK_OK)
        return status;
    e->context = context;
    status = take_options(context, options, e);
    if (status == SPK_OK)
        status = spk_deadline_begin(context, seconds_of(e), &e->deadline);
    if (status == SPK_OK)
        status = look(e, recording);
    if (status == SPK_OK)
        *out = e;
    else
        spk_explore_free(e);
    return status;
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
    spk_explore_drop_part(&e->tested);
    spk_explore_drop_part(&e->searched);
    (void)spk_deadline_end(&e->deadline);
    free(e);
}
