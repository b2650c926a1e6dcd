/* The options of an exact test. */
#include "exact_test.h"

#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

static int parse_jitter(cli_session *session, const char *text, exact_plan *plan)
{
    for (const char *at = text != NULL ? text : "25ms";;) {
        size_t length = strcspn(at, ",");
        if (plan->n_jitter == SPK_EXACT_MAX_SCALES)
            return cli_usage_error(session->command, "--jitter %s: more than %u windows", text,
                                   SPK_EXACT_MAX_SCALES);
        if (length == 0)
            return cli_usage_error(session->command,
                                   "--jitter %s: must be a time or several with commas between, "
                                   "such as 5ms,25ms,100ms",
                                   text);
        spk_status status =
            spk_duration_parse(session->context, at, length, &plan->jitter[plan->n_jitter++]);
        if (status != SPK_OK)
            return cli_report_usage(session, status);
        if (at[length] == '\0')
            return CLI_DONE;
        at += length + 1;
    }
}

static int compare_durations(const void *a, const void *b)
{
    return spk_duration_compare(*(const spk_duration *)a, *(const spk_duration *)b);
}

static int sort_jitter(const cli_session *session, exact_plan *plan)
{
    qsort(plan->jitter, plan->n_jitter, sizeof plan->jitter[0], compare_durations);
    for (size_t k = 1; k < plan->n_jitter; k++)
        if (spk_duration_compare(plan->jitter[k - 1], plan->jitter[k]) == 0)
            return cli_usage_error(session->command, "--jitter %s: a window is given twice",
                                   plan->values->jitter);
    return CLI_DONE;
}

/* An option that only the test heeds and that was given, NULL when there is none. What has a
 * default cannot be told from it and is let go. */
static const char *option_given(const exact_values *v)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {
        {"jitter", v->jitter != NULL},
        {"null", v->null != 0},
        {"history", v->history.given},
        {"surrogates", v->n_surrogates > 0},
        {"alpha", v->alpha > 0},
        {"report", v->report != EXACT_REPORT_SIGNIFICANT},
        {"checkpoint", v->checkpoint != NULL},
        {"shard", v->shard != NULL},
        {"maxima", v->maxima != NULL},
        {"peel", v->peel.wanted},
        {"peel-max", v->peel.max_rounds > 0},
        {"calibrate", v->calibrate.n_runs > 0},
        {"calibrate-method", v->calibrate.method != NULL},
    };
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
        if (options[k].given)
            return options[k].name;
    return NULL;
}

int exact_plan_make(cli_session *session, const exact_values *v, bool wanted, exact_plan *plan)
{
    enum { USUAL_SURROGATES = 199 };
    *plan = (exact_plan){.wanted = wanted, .values = v};
    const char *given = option_given(v);
    if (!wanted && given != NULL)
        return cli_usage_error(session->command,
                               "--%s belongs to a test against chance: add --test exact", given);
    if (!wanted)
        return CLI_DONE;
    if (v->maxima != NULL && v->checkpoint != NULL)
        return cli_usage_error(session->command, "--maxima makes no surrogates, hence --checkpoint "
                                                 "cannot go with it");
    plan->n_surrogates = v->n_surrogates;
    if (v->n_surrogates == 0 && v->maxima == NULL)
        plan->n_surrogates = USUAL_SURROGATES;
    plan->alpha = v->alpha > 0 ? v->alpha : 0.05;
    plan->null = v->null > 0 ? spk_exact_null_get((size_t)v->null - 1) : NULL;
    if (v->history.given && (plan->null == NULL || !plan->null->has_history))
        return cli_usage_error(session->command,
                               "--history belongs to --null pattern-jitter and --null shift, and "
                               "%s heeds none",
                               plan->null != NULL ? plan->null->name : "auto");
    int code = parse_jitter(session, v->jitter, plan);
    if (code == CLI_DONE)
        code = sort_jitter(session, plan);
    if (code == CLI_DONE && v->calibrate.n_runs > 0 && v->n_surrogates == 0)
        plan->n_surrogates = spk_exact_least_surrogates(plan->alpha, plan->n_jitter);
    return code == CLI_DONE ? cli_shard_parse(session, v->shard, &plan->shard, &plan->n_shards)
                            : code;
}

void exact_plan_choose(exact_plan *plan, const spk_recording *recording)
{
    if (plan->wanted && plan->null == NULL)
        plan->null = spk_exact_null_choose(recording, plan->jitter, plan->n_jitter);
}

int exact_plan_check_shard(cli_session *session, const exact_plan *plan, const char *later,
                           const char *output)
{
    return plan->wanted && plan->n_shards > 0
               ? cli_shard_check(session, plan->values->maxima, later, output, "scores")
               : CLI_DONE;
}

/* ---- surrogates ------------------------------------------------------------------------------ */

spk_exact_options exact_plan_options(const exact_plan *plan)
{
    spk_exact_options options;
    spk_exact_options_init(&options, sizeof options);
    options.jitter = plan->jitter;
    options.n_jitter = plan->n_jitter;
    options.null = plan->null->name;
    if (plan->values->history.given)
        options.history = plan->values->history.value;
    options.seed = plan->values->seed;
    options.n_surrogates = plan->n_surrogates;
    if (plan->n_shards > 0) {
        options.shard = plan->shard;
        options.n_shards = plan->n_shards;
    }
    options.checkpoint = plan->values->checkpoint;
    return options;
}
