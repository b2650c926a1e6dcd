/* The support of a job's search, chosen by what chance does. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/options.h"
#include "spikemine/choose.h"

enum { RULE_TEXT = 192 };

/* ---- words ----------------------------------------------------------------------------------- */

/* What makes it the smallest; a link share above 0 stands before. */
static void tell_rule(const spk_support_choice *c, const spk_choose_options *o,
                      char rule[RULE_TEXT])
{
    char time[48];
    spk_duration_format(o->time, time, sizeof time);
    const char *smallest = c->timed
                               ? "about the smallest with which a search keeps to its time, and"
                           : c->limited ? "the smallest with pairs few enough to count, and"
                           : c->support == o->least_support ? "the smallest that is tried, and"
                                                            : "the smallest";
    if (o->most_by_chance > 0)
        snprintf(rule, RULE_TEXT, "%s at which chance gives at most %" PRIu64 " episodes", smallest,
                 o->most_by_chance);
    else
        snprintf(rule, RULE_TEXT,
                 "%s with which a search of a surrogate takes at most a hundredth of %s",
                 c->link_share > 0 ? "the smallest ones" : smallest, time);
}

static void tell(const spk_choose_options *o, spk_chosen_support *out)
{
    const spk_support_choice *c = &out->choice;
    char null[160], rule[RULE_TEXT], share[48] = ""; /* one window */
    spk_exact_null_format(o->null != NULL ? o->null : "shift", o->history, &c->jitter, 1, null,
                          sizeof null);
    tell_rule(c, o, rule);
    if (c->link_share > 0)
        snprintf(share, sizeof share, "with link share %g ", c->link_share);
    snprintf(out->why, sizeof out->why,
             "%s%s (%.6g on average, at most %" PRIu64 " in %" PRIu32
             " surrogates, %s, seed %" PRIu64 ")",
             share, rule, c->by_chance, c->most_in_one, c->n_surrogates, null, o->seed);
}

/* ---- the job --------------------------------------------------------------------------------- */

/* A test tells chance from the rest by itself: its support is as low as time allows, within the
 * window of an exact one. */
static spk_status take_test(spk_context *context, const spk_recording *recording,
                            const spk_analysis_options *o, spk_choose_options *choosing)
{
    const spk_exact_options *test = o->exact;
    if (test != NULL || o->signatures != NULL)
        choosing->most_by_chance = 0;
    if (test == NULL)
        return SPK_OK;
    if (test->jitter == NULL || test->n_jitter != 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a support is chosen for one window of jitter, not %zu: for another one "
                        "the test would not be exact",
                        test->jitter != NULL ? test->n_jitter : 0);
    choosing->jitter = test->jitter[0];
    choosing->null = spk_job_null(recording, test);
    choosing->history = test->history;
    return SPK_OK;
}

static spk_status choose(spk_context *context, const spk_recording *recording,
                         const spk_analysis_options *o, spk_choose_options *choosing,
                         spk_chosen_support *out)
{
    const spk_episode_options *episodes = o->exact != NULL ? o->exact->episodes : o->episodes;
    const spk_window_options *cut = o->exact != NULL        ? o->exact->windows
                                    : o->signatures != NULL ? o->signatures->windows
                                                            : o->cut;
    if (episodes == NULL && cut == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a support is that of a search: give the options of episodes, or how "
                        "windows are cut");
    if (episodes == NULL)
        return spk_choose_pattern_supports(context, recording, cut, choosing, &out->supports,
                                           &out->choice);
    choosing->max_size = episodes->max_size;
    const spk_status status = spk_choose_support(context, recording, episodes->delays,
                                                 episodes->n_delays, choosing, &out->choice);
    if (status == SPK_OK)
        tell(choosing, out);
    return status;
}

spk_status spk_analysis_choose_support(spk_context *context, const spk_recording *recording,
                                       const spk_analysis_options *options, uint64_t seed,
                                       spk_duration time, spk_chosen_support *out)
{
    spk_analysis_options own;
    spk_choose_options how;
    memset(out, 0, sizeof *out);
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_analysis_options);
    if (status != SPK_OK)
        return status;
    spk_choose_options_init(&how, sizeof how);
    how.seed = seed;
    how.time = time;
    status = take_test(context, recording, &own, &how);
    return status == SPK_OK ? choose(context, recording, &own, &how, out) : status;
}
