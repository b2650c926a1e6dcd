/* A test to begin with, from the trials of a recording. */
#include <math.h>

#include "significance/choose/choose.h"
#include "significance/exact/exact.h"

enum { TRIAL_SEARCHES = SPK_EXACT_PILOTS + 19 }; /* of spk_choose_estimate */

/* What a test does with a surrogate beside the search, in steps of it (episode/search.h). */
static const double STEPS_OF_A_RESULT = 100, STEPS_OF_AN_EVENT = 30;

void choose_level(double alpha, size_t n_sets, spk_delay_test *chosen)
{
    static const uint64_t numbers[] = {199, 499, 999, 1999, 4999, 9999};
    const double share = alpha / (double)n_sets;
    const double digit = pow(10, floor(log10(share)) - 1);
    chosen->alpha = floor(share / digit) * digit;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        chosen->n_surrogates = numbers[k];
        if (chosen->alpha * (double)(numbers[k] + 1) >= 1)
            return;
    }
}

/* The support and the link share with which the whole recording is searched. */
static spk_status choose_support(spk_context *context, const spk_recording *recording,
                                 uint64_t seed, spk_delay_test *chosen)
{
    spk_choose_options options;
    spk_support_choice choice;
    spk_choose_options_init(&options, sizeof options);
    options.jitter = chosen->trial->jitter;
    options.seed = seed;
    options.most_by_chance = 0;
    spk_status status = spk_choose_support(context, recording, chosen->trial->delays,
                                           chosen->trial->n_delays, &options, &choice);
    chosen->is_whole = status == SPK_OK;
    chosen->support = choice.support;
    chosen->link_share = choice.link_share;
    chosen->estimate.seconds = choice.seconds;
    return status;
}

static void set_episodes(const spk_delay_test *chosen, spk_episode_options *episodes)
{
    spk_episode_options_init(episodes, sizeof *episodes);
    episodes->delays = chosen->trial->delays, episodes->n_delays = chosen->trial->n_delays;
    episodes->support = chosen->support;
    episodes->link_share = chosen->link_share;
}

/* Tries the test with few surrogates. */
static spk_status estimate(spk_context *context, const spk_recording *recording, uint64_t seed,
                           spk_delay_test *chosen)
{
    spk_episode_options episodes;
    spk_exact_options test;
    set_episodes(chosen, &episodes);
    spk_exact_options_init(&test, sizeof test);
    test.episodes = &episodes;
    test.jitter = &chosen->trial->jitter, test.n_jitter = 1;
    test.seed = seed;
    test.n_surrogates = chosen->n_surrogates;
    test.distinct_units = SPK_CHOOSE_DISTINCT_UNITS;
    spk_status status =
        spk_choose_estimate(context, recording, &test, chosen->alpha, &chosen->estimate);
    chosen->max_size = chosen->estimate.max_size;
    return status;
}

spk_status choose_test_by_work(spk_context *context, const spk_recording *recording,
                               const spk_delay_table *table, const spk_delay_trial *trial,
                               double alpha, uint64_t seed, spk_delay_test *out, double *steps)
{
    spk_episode_options episodes;
    *out = (spk_delay_test){.trial = trial};
    choose_level(alpha, spk_delay_table_get(table).n_sets, out);
    spk_status status = choose_support(context, recording, seed, out);
    if (status != SPK_OK)
        return status;
    set_episodes(out, &episodes);
    return choose_max_size(context, recording, &episodes, NULL, &out->max_size, steps);
}

spk_status choose_test_steps(spk_context *context, const spk_recording *recording,
                             const spk_episode_options *episodes, spk_duration jitter,
                             uint64_t seed, double *steps)
{
    spk_choose_options options;
    choose_job job = {.surrogates = NULL};
    spk_recording *on_grid = NULL, *surrogate = NULL;
    episode_limits limits = {.most_steps = UINT64_MAX, .most_frequent = UINT64_MAX};
    spk_choose_options_init(&options, sizeof options);
    options.jitter = jitter;
    options.seed = seed;
    options.most_by_chance = 0;
    spk_status status =
        spk_exact_on_grid(context, recording, episodes->delays, episodes->n_delays, &on_grid);
    if (status == SPK_OK)
        status = choose_open(context, on_grid != NULL ? on_grid : recording, episodes->delays,
                             episodes->n_delays, &options, &job);
    if (status == SPK_OK)
        status = spk_surrogates_make(context, job.surrogates, choose_surrogate(0), &surrogate);
    if (status == SPK_OK)
        status = episode_mine_within(context, surrogate, episodes, &limits, NULL, NULL);
    *steps = (double)limits.steps + STEPS_OF_A_RESULT * (double)limits.n_frequent +
             STEPS_OF_AN_EVENT * (double)spk_recording_events(recording).n_events;
    spk_surrogates_free(job.surrogates);
    spk_recording_free(surrogate);
    spk_recording_free(on_grid);
    return status;
}

spk_status spk_choose_test(spk_context *context, const spk_recording *recording,
                           const spk_delay_table *table, double alpha, uint64_t seed,
                           spk_delay_test *out)
{
    const spk_delay_table_columns c = spk_delay_table_get(table);
    const double left = choose_steps_left(table);
    const double n_events = (double)spk_recording_events(recording).n_events;
    spk_episode_options episodes;
    double one = 0;
    *out = (spk_delay_test){.trial = NULL};
    if (!(alpha > 0 && alpha < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT, "alpha must be between 0 and 1");
    if (c.best == c.n)
        return SPK_OK;
    out->trial = c.trial + (c.best - c.best % (c.n / c.n_sets)); /* its set at the lowest support */
    choose_level(alpha, c.n_sets, out);
    if (TRIAL_SEARCHES * STEPS_OF_AN_EVENT * n_events > left)
        return SPK_OK;
    spk_status status = choose_support(context, recording, seed, out);
    if (status != SPK_OK)
        return status;
    const double a_search = out->estimate.seconds / spk_context_threads(context);
    out->estimate.seconds = a_search * (double)(out->n_surrogates + SPK_EXACT_PILOTS);
    set_episodes(out, &episodes);
    status = choose_test_steps(context, recording, &episodes, out->trial->jitter, seed, &one);
    return status == SPK_OK && TRIAL_SEARCHES * one <= left
               ? estimate(context, recording, seed, out)
               : status;
}
