/* The exact test of a first look: of all episodes, or of pairs, each within a time of its own. */
#include "analysis/explore.h"

#include "base/stage.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"
#include "spikemine/calibrate.h"

/* Of what is left, since an estimate may be wrong. */
static const double SAFE_SHARE = 0.8;

enum {
    TRIAL_SURROGATES = 9, /* of a trial of delays: what its seconds are of */
    MOST_TIMES = 4        /* so much over the time is too much, whatever a plan says */
};

/* ---- time ------------------------------------------------------------------------------------ */

static double seconds_left(const spk_explore *e)
{
    return e->trying.until - spk_seconds_now();
}

/* Of a test with n surrogates of the whole recording, by the trial of its delays. */
static double seconds_by_trial(const spk_explore *e, const spk_recording *recording, uint64_t n)
{
    const spk_delay_table_columns c = spk_delay_table_get(e->delays);
    const double grows = (double)spk_recording_events(recording).n_events / (double)c.n_events;
    return e->trial->seconds * grows * (double)n / TRIAL_SURROGATES /
           spk_context_threads(e->context);
}

/* ---- the test itself ------------------------------------------------------------------------- */

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
    spk_status status = spk_analysis_create(e->trying.own, &e->analysis);
    if (status == SPK_OK)
        status = spk_analysis_run(e->analysis, e->tested.recording, &options);
    e->test_ended = status == SPK_OK;
    return status;
}

/* ---- of all episodes ------------------------------------------------------------------------- */

/* What is planned: of all, or where the trial took far too long, of the beginning. */
static spk_status plan(spk_explore *e, const spk_recording *recording)
{
    const size_t n_sets = spk_delay_table_get(e->delays).n_sets;
    const double seconds = seconds_by_trial(
        e, recording, spk_exact_least_surrogates(e->options.alpha / (double)n_sets, 1));
    spk_status status =
        spk_explore_take_part(e, recording, MOST_TIMES * seconds_left(e) / seconds, &e->tested);
    return status == SPK_OK
               ? choose_test_of(e->trying.own, e->tested.recording, e->delays, e->trial,
                                e->options.alpha, e->options.seed, &e->chosen)
               : status;
}

/* The same level with fewer surrogates, then a shorter recording, where the time is short. */
static spk_status fit(spk_explore *e, const spk_recording *recording)
{
    const spk_exact_estimate *cost = &e->chosen.estimate;
    const double pilots = SPK_EXACT_PILOTS, left = SAFE_SHARE * seconds_left(e);
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

spk_status spk_explore_test_all(spk_explore *e, const spk_recording *recording)
{
    spk_status status = plan(e, recording);
    if (status != SPK_OK || !e->chosen.is_whole || seconds_left(e) <= 0)
        return status;
    status = fit(e, recording);
    return status == SPK_OK ? run_test(e) : status;
}

/* ---- of pairs -------------------------------------------------------------------------------- */

/* At the support of the trial, which comes from surrogates alone. A trial searches up to four
 * units, so that the time of its pairs is less than its own. */
spk_status spk_explore_test_pairs(spk_explore *e, const spk_recording *recording)
{
    e->pairs_only = true;
    e->chosen.is_whole = true;
    e->chosen.max_size = 2;
    e->chosen.support = e->trial->support;
    e->chosen.link_share = 0;
    e->n_surrogates = spk_exact_least_surrogates(e->chosen.alpha, 1);
    const double seconds = seconds_by_trial(e, recording, e->n_surrogates + SPK_EXACT_PILOTS);
    const spk_status status =
        spk_explore_take_part(e, recording, SAFE_SHARE * seconds_left(e) / seconds, &e->tested);
    return status == SPK_OK ? run_test(e) : status;
}

/* ---- within a time --------------------------------------------------------------------------- */

spk_status spk_explore_try_test(spk_explore *e, const spk_recording *recording, double seconds,
                                explore_test *test)
{
    if (seconds <= 0)
        return SPK_OK;
    spk_analysis_free(e->analysis);
    e->analysis = NULL;
    spk_explore_drop_part(&e->tested);
    e->tested.recording = recording;
    (void)spk_deadline_end(&e->trying);
    spk_status status = spk_deadline_begin(e->deadline.own, seconds, &e->trying);
    if (status != SPK_OK)
        return spk_explore_allow_late(e, &e->deadline, status);
    spk_memory_lend(e->deadline.own, e->trying.own);
    status = spk_explore_allow_late(e, &e->trying, test(e, recording));
    (void)spk_deadline_stop(&e->trying);
    return status;
}
