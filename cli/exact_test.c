/* The options of an exact test. */
#include "exact_test.h"

#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

static int parse_jitter(cli_session *session, const char *text, exact_plan *plan)
{
    for (const char *at = text;;) {
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
                                   session->shared->jitter);
    return CLI_DONE;
}

int exact_plan_make(cli_session *session, exact_plan *plan)
{
    const cli_shared *v = session->shared;
    spk_exact_options usual;
    spk_exact_options_init(&usual, sizeof usual);
    *plan = (exact_plan){.wanted = v->test == CLI_TEST_EXACT};
    if (!plan->wanted)
        return CLI_DONE;
    plan->n_surrogates = v->n_surrogates;
    if (v->n_surrogates == 0 && v->maxima == NULL && v->n_calibrations == 0)
        plan->n_surrogates = usual.n_surrogates;
    plan->null = v->null > 0 ? spk_exact_null_get((size_t)v->null - 1)->name : NULL;
    int code = parse_jitter(session, v->jitter, plan);
    if (code == CLI_DONE)
        code = sort_jitter(session, plan);
    return code == CLI_DONE ? cli_shard_parse(session, v->shard, &plan->shard, &plan->n_shards)
                            : code;
}

/* ---- surrogates ------------------------------------------------------------------------------ */

spk_exact_options exact_plan_options(const cli_session *session, const exact_plan *plan)
{
    const cli_shared *v = session->shared;
    spk_exact_options options;
    spk_exact_options_init(&options, sizeof options);
    options.jitter = plan->jitter;
    options.n_jitter = plan->n_jitter;
    options.null = plan->null;
    if (v->history.given)
        options.history = v->history.value;
    options.seed = v->seed;
    options.n_surrogates = plan->n_surrogates;
    if (plan->n_shards > 0) {
        options.shard = plan->shard;
        options.n_shards = plan->n_shards;
    }
    options.checkpoint = v->checkpoint;
    return options;
}
