/* A test to begin with, from the trials of a recording. */
#include <math.h>

#include "base/memory.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"

enum { TRIAL_SEARCHES = SPK_EXACT_PILOTS + 19 }; /* of spk_choose_estimate */

/* The level that is left for one of many sets, two digits of it, and surrogates that reach it. */
static void choose_level(double alpha, size_t n_sets, spk_delay_test *chosen)
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

/* The support and the link share with which the whole recording is searched, in half of the time
 * that is left; none where that does not suffice. */
static spk_status choose_support(spk_context *context, const spk_recording *recording,
                                 const spk_delay_table *table, uint64_t seed,
                                 spk_delay_test *chosen)
{
    spk_choose_options options;
    spk_support_choice choice;
    const double end = choose_table_end(table), now = spk_seconds_now();
    spk_choose_options_init(&options, sizeof options);
    options.jitter = chosen->trial->jitter;
    options.seed = seed;
    options.most_by_chance = 0;
    const double deadline = end - (end - now) / 2;
    spk_status status = choose_support_until(context, recording, chosen->trial->delays,
                                             chosen->trial->n_delays, &options, deadline, &choice);
    chosen->is_whole = status == SPK_OK;
    chosen->support = choice.support;
    chosen->link_share = choice.link_share;
    chosen->estimate.seconds = choice.seconds;
    return status == SPK_ERR_CANCELLED && spk_seconds_now() > deadline ? spk_check_cancel(context)
                                                                       : status;
}

/* Tries the test with few surrogates. */
static spk_status estimate(spk_context *context, const spk_recording *recording, uint64_t seed,
                           spk_delay_test *chosen)
{
    spk_episode_options episodes;
    spk_exact_options test;
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = chosen->trial->delays, episodes.n_delays = chosen->trial->n_delays;
    episodes.support = chosen->support;
    episodes.link_share = chosen->link_share;
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

spk_status choose_test_of(spk_context *context, const spk_recording *recording,
                          const spk_delay_table *table, const spk_delay_trial *trial, double alpha,
                          uint64_t seed, spk_delay_test *out)
{
    const spk_delay_table_columns c = spk_delay_table_get(table);
    *out = (spk_delay_test){.trial = trial};
    if (!(alpha > 0 && alpha < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT, "alpha must be between 0 and 1");
    if (trial == NULL)
        return SPK_OK;
    choose_level(alpha, c.n_sets, out);
    spk_status status = choose_support(context, recording, table, seed, out);
    if (status != SPK_OK || !out->is_whole)
        return status;
    const double a_search = out->estimate.seconds / spk_context_threads(context);
    out->estimate.seconds = a_search * (double)(out->n_surrogates + SPK_EXACT_PILOTS);
    return spk_seconds_now() + a_search * TRIAL_SEARCHES > choose_table_end(table)
               ? SPK_OK
               : estimate(context, recording, seed, out);
}

spk_status spk_choose_test(spk_context *context, const spk_recording *recording,
                           const spk_delay_table *table, double alpha, uint64_t seed,
                           spk_delay_test *out)
{
    const spk_delay_table_columns c = spk_delay_table_get(table);
    const spk_delay_trial *best = NULL;
    if (c.best < c.n) /* its set at the lowest support */
        best = c.trial + (c.best - c.best % (c.n / c.n_sets));
    return choose_test_of(context, recording, table, best, alpha, seed, out);
}
