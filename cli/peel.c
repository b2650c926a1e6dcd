/* The checks of --peel. */
#include "peel.h"

int peel_check(const cli_session *session, const exact_plan *plan, const cli_select_values *select,
               const char *occurrences)
{
    const exact_values *v = plan->values;
    if (plan->wanted && v->peel.max_rounds > 0 && !v->peel.wanted)
        return cli_usage_error(session->command, "--peel-max belongs to --peel");
    if (!plan->wanted || !v->peel.wanted)
        return CLI_DONE;
    const char *own = v->shard != NULL        ? "--shard"
                      : v->maxima != NULL     ? "--maxima"
                      : v->checkpoint != NULL ? "--checkpoint"
                                              : NULL;
    if (own != NULL)
        return cli_usage_error(session->command,
                               "--peel makes surrogates in each round, from what the rounds before "
                               "it left, hence %s cannot go with it",
                               own);
    if (v->report == EXACT_REPORT_ALL)
        return cli_usage_error(
            session->command, "--peel lists what it accepts, hence --report all cannot go with it");
    const char *list = select->maximal    ? "--maximal"
                       : select->closed   ? "--closed"
                       : select->top > 0  ? "--top"
                       : select->families ? "--families"
                                          : NULL;
    if (list != NULL)
        return cli_usage_error(session->command,
                               "--peel lists each finding once, hence %s cannot go with it; "
                               "--peel-max N ends after N findings",
                               list);
    if (occurrences != NULL)
        return cli_usage_error(session->command,
                               "--peel counts in what earlier rounds left, hence --occurrences, "
                               "which lists those of the whole recording, cannot go with it");
    return CLI_DONE;
}
