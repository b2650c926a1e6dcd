/* A test to begin with, from the trials of a recording. */
#include <math.h>

#include "base/context.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"

enum {
    TRIED = 9,                              /* surrogates of a set */
    TRIAL_SEARCHES = SPK_EXACT_PILOTS + 19, /* of spk_choose_estimate */
    LONGEST_TRIAL_S = 20
};

/* The level that is left for one of many sets, two digits of it, and surrogates that reach it. */
static void choose_level(double alpha, size_t n_sets, spk_delay_plan *plan)
{
    static const uint64_t numbers[] = {199, 499, 999, 1999, 4999, 9999};
    const double share = alpha / (double)n_sets;
    const double digit = pow(10, floor(log10(share)) - 1);
    plan->alpha = floor(share / digit) * digit;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        plan->n_surrogates = numbers[k];
        if (plan->alpha * (double)(numbers[k] + 1) >= 1)
            return;
    }
}

/* From the time of the set's surrogates: each is searched as those of the test will be. */
static double rough_seconds(const spk_context *context, const spk_delay_plan *plan,
                            uint64_t n_sampled, uint64_t n_events, uint64_t n_searches)
{
    return plan->trial->seconds / TRIED * (double)n_searches * (double)n_events /
           (double)n_sampled / spk_context_threads(context);
}

/* Tries the test with few surrogates. */
static spk_status estimate(spk_context *context, const spk_recording *recording, uint64_t seed,
                           spk_delay_plan *plan)
{
    spk_episode_options episodes;
    spk_exact_options test;
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = plan->trial->delays, episodes.n_delays = plan->trial->n_delays;
    episodes.support = plan->trial->support;
    spk_exact_options_init(&test, sizeof test);
    test.episodes = &episodes;
    test.jitter = &plan->trial->jitter, test.n_jitter = 1;
    test.seed = seed;
    test.n_surrogates = plan->n_surrogates;
    test.distinct_units = SPK_CHOOSE_DISTINCT_UNITS;
    spk_status status =
        spk_choose_estimate(context, recording, &test, plan->alpha, &plan->estimate);
    plan->max_size = plan->estimate.max_size;
    return status;
}

spk_status spk_choose_plan(spk_context *context, const spk_recording *recording,
                           const spk_delay_table *table, double alpha, uint64_t seed,
                           spk_delay_plan *out)
{
    const spk_delay_table_columns c = spk_delay_table_get(table);
    const uint64_t n_events = spk_recording_events(recording).n_events;
    *out = (spk_delay_plan){.trial = NULL};
    if (!(alpha > 0 && alpha < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT, "alpha must be between 0 and 1");
    if (c.best >= c.n)
        return SPK_OK;
    out->trial = c.trial + (c.best - c.best % (c.n / c.n_sets));
    out->is_whole = c.n_events == n_events;
    out->max_size = SPK_CHOOSE_SIZES + 1; /* more has not been tried */
    choose_level(alpha, c.n_sets, out);
    out->estimate.seconds =
        rough_seconds(context, out, c.n_events, n_events, out->n_surrogates + SPK_EXACT_PILOTS);
    if (!out->is_whole ||
        rough_seconds(context, out, c.n_events, n_events, TRIAL_SEARCHES) > LONGEST_TRIAL_S)
        return SPK_OK;
    return estimate(context, recording, seed, out);
}
