/* The support of a search. */
#include "episode_support.h"

#include <inttypes.h>
#include <string.h>

static bool is_auto(const char *text)
{
    return strcmp(text, "auto") == 0;
}

int episode_support_check(cli_session *session, const char *text, const exact_plan *plan)
{
    uint64_t unused = 0;
    if (text == NULL)
        return cli_usage_error(
            session->command,
            "there is no --support; give the smallest count of a frequent episode, a share of the "
            "events such as 0.1%%, or auto");
    if (!is_auto(text))
        return cli_report_usage(session,
                                spk_episode_support_parse(session->context, NULL, text, &unused));
    if (plan->wanted && plan->n_jitter > 1)
        return cli_usage_error(session->command,
                               "--support auto goes with one window of --jitter: it is chosen "
                               "from what that window keeps, and for another one the test would "
                               "not be exact; name one window, or a number");
    return CLI_DONE;
}

/* Why it was chosen, in words. */
static void tell(const spk_support_choice *c, const spk_choose_options *o,
                 char why[EPISODE_SUPPORT_TEXT])
{
    char null[160]; /* one window */
    spk_exact_null_format(o->null, o->history, &c->jitter, 1, null, sizeof null);
    snprintf(why, EPISODE_SUPPORT_TEXT,
             "%s at which chance gives at most %" PRIu64
             " episodes (%.6g on average, at most %" PRIu64 " in %" PRIu32
             " surrogates, %s, seed %" PRIu64 ")",
             c->limited                       ? "the smallest with pairs few enough to count, and"
             : c->support == o->least_support ? "the smallest that is tried, and"
                                              : "the smallest",
             o->most_by_chance, c->by_chance, c->most_in_one, c->n_surrogates, null, o->seed);
}

int episode_support_take(cli_session *session, const char *text, const spk_recording *recording,
                         const exact_plan *plan, spk_episode_options *options,
                         char why[EPISODE_SUPPORT_TEXT])
{
    spk_choose_options choosing;
    spk_support_choice choice;
    why[0] = '\0';
    if (!is_auto(text))
        return cli_report_usage(session, spk_episode_support_parse(session->context, recording,
                                                                   text, &options->support));
    spk_choose_options_init(&choosing, sizeof choosing);
    choosing.seed = plan->values->seed;
    choosing.max_size = options->max_size;
    if (plan->wanted) {
        const spk_exact_options test = exact_plan_options(plan);
        choosing.jitter = plan->jitter[0];
        choosing.null = test.null;
        choosing.history = test.history;
    }
    spk_status status = spk_choose_support(session->context, recording, options->delays,
                                           options->n_delays, &choosing, &choice);
    if (status != SPK_OK)
        return cli_report(session, status);
    options->support = choice.support;
    tell(&choice, &choosing, why);
    cli_note(session, "support %" PRIu64 ": %s", choice.support, why);
    return CLI_DONE;
}
