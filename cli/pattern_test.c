/* The options of a test of patterns, taken over before any work. */
#include "pattern_test.h"

#include <string.h>

#include "numbers.h"
#include "pattern_job.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static int parse_reduction(const cli_session *session, const char *text, pattern_test_plan *plan)
{
    plan->reduces = text != NULL;
    if (text == NULL || cli_whole_list_parse(text, ',', 3, 1000000, plan->reduce))
        return CLI_DONE;
    return cli_usage_error(session->command,
                           "--reduce %s: must be three whole numbers H,K,L with commas between, "
                           "such as 2,2,0",
                           text);
}

static int parse_stability(const cli_session *session, const char *text, pattern_test_plan *plan)
{
    double value[2];
    plan->wants_stability = text != NULL;
    if (text == NULL)
        return CLI_DONE;
    spk_stability_options_init(&plan->stability, sizeof plan->stability);
    plan->stability.seed = plan->surrogates.seed;
    if (cli_list_parse(text, ',', 2, 1, value) && value[0] > 0 && value[1] > 0) {
        plan->stability.epsilon = value[0];
        plan->stability.delta = value[1];
        return CLI_DONE;
    }
    return cli_usage_error(session->command,
                           "--stability %s: must be two numbers E,D above 0 and at most 1 with a "
                           "comma between, such as 0.05,0.05",
                           text);
}

/* ---- together -------------------------------------------------------------------------------- */

/* A file that the test writes beside its table, NULL: none. */
static const char *file_of_test(const pattern_values *v)
{
    return v->occurrences != NULL    ? "--occurrences"
           : v->figure != NULL       ? "--figure"
           : v->page.path != NULL    ? "--html"
           : v->test.pvalues != NULL ? "--pvalues"
                                     : NULL;
}

/* --test exact. */
static int take_exact(cli_session *session, const pattern_values *v, pattern_test_plan *plan)
{
    static const int reports[] = {[REPORT_SIGNIFICANT] = EXACT_REPORT_SIGNIFICANT,
                                  [REPORT_CORE] = EXACT_REPORT_CORE,
                                  [REPORT_ALL] = EXACT_REPORT_ALL};
    const pattern_test_values *t = &v->test;
    plan->exact_values = (exact_values){.null = t->null,
                                        .history = t->history,
                                        .jitter = t->jitter,
                                        .n_surrogates = t->n_surrogates,
                                        .seed = t->seed,
                                        .alpha = t->alpha,
                                        .report = reports[t->report],
                                        .checkpoint = t->checkpoint,
                                        .shard = t->shard,
                                        .maxima = t->maxima,
                                        .peel = t->peel,
                                        .calibrate = t->calibrate};
    return exact_plan_make(session, &plan->exact_values, true, &plan->exact);
}

static int take_signatures(cli_session *session, const pattern_values *v, pattern_test_plan *plan)
{
    const pattern_test_values *t = &v->test;
    spk_surrogate_options_init(&plan->surrogates, sizeof plan->surrogates);
    spk_signature_options_init(&plan->rule, sizeof plan->rule);
    plan->surrogates.dither = t->dither.value;
    plan->surrogates.refractory = t->refractory.value;
    cli_interval_options(&t->intervals, &plan->surrogates);
    if (t->method != NULL || t->published)
        plan->surrogates.method = t->method != NULL ? t->method : "dither-spikes";
    plan->surrogates.bin = v->bin.value;
    plan->surrogates.edges = t->edges == 0;
    plan->surrogates.seed = t->seed;
    plan->rule.published = t->published;
    plan->rule.alpha = t->alpha;
    plan->rule.correction = t->correction;
    int code = parse_reduction(session, t->reduce, plan);
    if (code == CLI_DONE)
        code = parse_stability(session, t->stability, plan);
    return code == CLI_DONE ? cli_shard_parse(session, t->shard, &plan->shard, &plan->n_shards)
                            : code;
}

int pattern_test_take(cli_session *session, const pattern_values *v, pattern_test_plan *plan)
{
    const pattern_test_values *t = &v->test;
    *plan = (pattern_test_plan){.wanted = t->test != TEST_EXACT &&
                                          (t->n_surrogates > 0 || t->maxima != NULL)};
    if (t->shard != NULL)
        cli_shard_tell(session, file_of_test(v));
    return t->test == TEST_EXACT ? take_exact(session, v, plan)
           : plan->wanted        ? take_signatures(session, v, plan)
                                 : CLI_DONE;
}
