/* The exact test of a first look: of all episodes, or of pairs, as far as counted work allows. */
#include "analysis/explore.h"

#include <math.h>

#include "significance/choose/choose.h"
#include "significance/exact/exact.h"
#include "spikemine/calibrate.h"

/* A shorter beginning says less than the pairs of a longer one. */
static const double LEAST_SHARE = 0.1;

/* The least that a test does with an event, for each surrogate. */
static const double STEPS_OF_AN_EVENT = 30;

/* ---- the test itself ------------------------------------------------------------------------- */

static void set_episodes(const spk_explore *e, spk_episode_options *episodes)
{
    spk_episode_options_init(episodes, sizeof *episodes);
    episodes->delays = e->trial->delays, episodes->n_delays = e->trial->n_delays;
    episodes->support = e->chosen.support;
    episodes->link_share = e->chosen.link_share;
    if (e->chosen.max_size > 0)
        episodes->max_size = e->chosen.max_size;
}

static spk_status run_test(spk_explore *e)
{
    spk_episode_options episodes;
    spk_exact_options test;
    spk_select_options select;
    spk_analysis_options options;
    set_episodes(e, &episodes);
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
    options.report = SPK_REPORT_CORE;
    options.select = &select;
    options.families = true;
    spk_analysis_free(e->analysis); /* of a test that was late */
    e->analysis = NULL;
    spk_status status = spk_analysis_create(e->own, &e->analysis);
    if (status == SPK_OK)
        status = spk_analysis_run(e->analysis, e->tested.recording, &options);
    e->test_ended = status == SPK_OK;
    return status;
}

/* ---- what the work suffices for -------------------------------------------------------------- */

/* A spk_explore_pilot: a surrogate. */
static spk_status run_pilot(spk_explore *e, const spk_recording *recording, double *steps)
{
    spk_episode_options episodes;
    const int threads = spk_context_threads(e->own);
    set_episodes(e, &episodes);
    spk_context_set_threads(e->own, 1); /* as each surrogate of a test */
    spk_status status =
        choose_test_steps(e->own, recording, &episodes, e->trial->jitter, e->options.seed, steps);
    spk_context_set_threads(e->own, threads);
    return status;
}

/* Surrogates, and the share of the recording that is tested in `steps`, of which `own` are those of
 * its own search. Fewer surrogates at the same level come first. */
static spk_status fit(spk_explore *e, const spk_recording *recording, double steps, double own,
                      double *share)
{
    const uint64_t numbers[] = {e->chosen.n_surrogates,
                                spk_exact_least_surrogates(e->chosen.alpha, 1)};
    double one = 0, all = 0, seconds = 0;
    spk_status status = spk_explore_time(e, recording, run_pilot, &one, &seconds);
    const double in_time = spk_explore_steps_in_time(e, steps, one, seconds);
    for (size_t k = 0; k < 2 && (k == 0 || all > in_time); k++) {
        e->n_surrogates = numbers[k];
        all = own + one * (double)(numbers[k] + SPK_EXACT_PILOTS);
        e->is_slow |= in_time < steps && in_time < all;
    }
    *share = all > 0 ? in_time / all : (double)INFINITY; /* nothing is to be done without events */
    return status;
}

void spk_explore_take_level(spk_explore *e)
{
    choose_level(e->alpha, spk_delay_table_get(e->delays).n_sets, &e->chosen);
}

void spk_explore_take_pairs(spk_explore *e)
{
    e->pairs_only = true;
    e->chosen.trial = e->trial;
    e->chosen.max_size = 2;
    e->chosen.support = e->trial->support;
    e->chosen.link_share = 0;
    e->chosen.is_whole = true;
    e->own_steps = 0;
}

/* The share that holds so many events; 1: all. */
static double share_of_events(const spk_recording *recording, double n)
{
    return fmin(1, n / (double)spk_recording_events(recording).n_events);
}

/* The part that a test in so many steps may look at: what they do not suffice for in any case is
 * not looked at to choose a support either. */
static spk_status take_whole(spk_explore *e, const spk_recording *recording, double steps)
{
    spk_explore_drop_part(&e->whole);
    e->whole_share = share_of_events(
        recording, fmax(EXPLORE_LEAST_EVENTS, steps / STEPS_OF_AN_EVENT / SPK_EXACT_PILOTS));
    return spk_explore_take_part(e, recording, e->whole_share, &e->whole);
}

spk_status spk_explore_choose(spk_explore *e, const spk_recording *recording, double steps)
{
    spk_status status = take_whole(e, recording, steps);
    if (status == SPK_OK) /* a level is there even if the support is late */
        status = choose_test_by_work(e->own, e->whole.recording, e->delays, e->trial, e->alpha,
                                     e->options.seed, &e->chosen, &e->own_steps);
    return status;
}

spk_status spk_explore_test(spk_explore *e, const spk_recording *recording, double steps)
{
    double share = 0;
    spk_status status = take_whole(e, recording, steps);
    if (status == SPK_OK)
        status = fit(e, e->whole.recording, steps, e->own_steps, &share);
    if (status == SPK_OK && !e->pairs_only && e->whole_share * share < LEAST_SHARE) {
        spk_explore_take_pairs(e);
        status = fit(e, e->whole.recording, steps, 0, &share);
    }
    if (e->pairs_only)
        share = fmax(share, share_of_events(e->whole.recording, EXPLORE_LEAST_EVENTS));
    spk_explore_drop_part(&e->tested);
    if (status == SPK_OK)
        status = spk_explore_take_part(e, recording, e->whole_share * share, &e->tested);
    e->steps -= share > 1 ? steps / share : steps;
    return status == SPK_OK ? run_test(e) : status;
}
