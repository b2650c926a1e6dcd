/* The support of a search. */
#include "episode_support.h"

#include <inttypes.h>
#include <string.h>

enum { RULE_TEXT = 192 };

static bool is_auto(const char *text)
{
    return strcmp(text, "auto") == 0;
}

int episode_support_check(cli_session *session, const episode_support_values *values,
                          const exact_plan *plan)
{
    const char *text = values->support;
    uint64_t unused = 0;
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

/* What makes it the smallest, in words; a link share above 0 stands before. */
static void tell_rule(const spk_support_choice *c, const spk_choose_options *o,
                      char rule[RULE_TEXT])
{
    char time[48];
    spk_duration_format(o->time, time, sizeof time);
    const char *smallest = c->limited ? "the smallest with pairs few enough to count, and"
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

/* Why it was chosen, in words. */
static void tell(const spk_support_choice *c, const spk_choose_options *o,
                 char why[EPISODE_SUPPORT_TEXT])
{
    char null[160], rule[RULE_TEXT], share[48] = ""; /* one window */
    spk_exact_null_format(o->null != NULL ? o->null : "shift", o->history, &c->jitter, 1, null,
                          sizeof null);
    tell_rule(c, o, rule);
    if (c->link_share > 0)
        snprintf(share, sizeof share, "with link share %g ", c->link_share);
    snprintf(why, EPISODE_SUPPORT_TEXT,
             "%s%s (%.6g on average, at most %" PRIu64 " in %" PRIu32
             " surrogates, %s, seed %" PRIu64 ")",
             share, rule, c->by_chance, c->most_in_one, c->n_surrogates, null, o->seed);
}

static spk_status choose(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *plan,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT])
{
    spk_choose_options choosing;
    spk_support_choice choice;
    spk_choose_options_init(&choosing, sizeof choosing);
    choosing.seed = plan->values->seed;
    choosing.max_size = options->max_size;
    choosing.time = values->time.value;
    if (plan->wanted) {
        const spk_exact_options test = exact_plan_options(plan);
        choosing.jitter = plan->jitter[0];
        choosing.null = test.null;
        choosing.history = test.history;
        choosing.most_by_chance = 0; /* the test tells chance from the rest */
    }
    spk_status status = spk_choose_support(session->context, recording, options->delays,
                                           options->n_delays, &choosing, &choice);
    if (status != SPK_OK)
        return status;
    options->support = choice.support;
    options->link_share = choice.link_share;
    tell(&choice, &choosing, why);
    cli_note(session, "support %" PRIu64 ": %s", choice.support, why);
    return SPK_OK;
}

int episode_support_take(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *plan,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT])
{
    why[0] = '\0';
    options->link_share = values->link_share;
    if (is_auto(values->support))
        return cli_report(session, choose(session, values, recording, plan, options, why));
    return cli_report_usage(session, spk_episode_support_parse(session->context, recording,
                                                               values->support, &options->support));
}
