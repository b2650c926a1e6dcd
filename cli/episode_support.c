/* The support of a search. */
#include "episode_support.h"

#include <inttypes.h>
#include <string.h>

#include "spikemine/analysis.h"

static bool is_auto(const char *text)
{
    return strcmp(text, "auto") == 0;
}

int episode_support_check(cli_session *session, const episode_support_values *values)
{
    uint64_t unused = 0;
    return is_auto(values->support)
               ? CLI_DONE
               : cli_report_usage(session, spk_episode_support_parse(session->context, NULL,
                                                                     values->support, &unused));
}

static spk_status choose(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *test,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT])
{
    spk_analysis_options job;
    spk_chosen_support chosen;
    spk_exact_options exact;
    spk_analysis_options_init(&job, sizeof job);
    if (test->wanted) {
        exact = exact_plan_options(session, test);
        exact.episodes = options;
        job.exact = &exact;
    } else {
        job.episodes = options;
    }
    spk_status status = spk_analysis_choose_support(
        session->context, recording, &job, session->shared->seed, values->time.value, &chosen);
    if (status != SPK_OK)
        return status;
    options->support = chosen.choice.support;
    options->link_share = chosen.choice.link_share;
    snprintf(why, EPISODE_SUPPORT_TEXT, "%s", chosen.why);
    cli_note(session, "support %" PRIu64 ": %s", options->support, why);
    return SPK_OK;
}

int episode_support_take(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *test,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT])
{
    why[0] = '\0';
    options->link_share = values->link_share;
    if (is_auto(values->support))
        return cli_report(session, choose(session, values, recording, test, options, why));
    return cli_report_usage(session, spk_episode_support_parse(session->context, recording,
                                                               values->support, &options->support));
}
