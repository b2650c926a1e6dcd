/* The options of a test of patterns, taken over before any work. */
#include "pattern_job.h"

#include <string.h>

#include "numbers.h"

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

static int take_signatures(cli_session *session, const pattern_values *v, pattern_test_plan *plan)
{
    const pattern_test_values *t = &v->test;
    spk_signature_options_init(&plan->rule, sizeof plan->rule);
    plan->surrogates = cli_surrogate_options(session, &t->surrogates);
    if (t->surrogates.made.method == NULL && t->published)
        plan->surrogates.method = "dither-spikes";
    plan->surrogates.bin = v->bin;
    plan->rule.published = t->published;
    plan->rule.alpha = session->shared->alpha;
    plan->rule.correction = t->correction;
    int code = parse_reduction(session, t->reduce, plan);
    if (code == CLI_DONE)
        code = parse_stability(session, t->stability, plan);
    return code == CLI_DONE
               ? cli_shard_parse(session, session->shared->shard, &plan->shard, &plan->n_shards)
               : code;
}

int pattern_test_take(cli_session *session, const pattern_values *v, pattern_test_plan *plan)
{
    const cli_shared *s = session->shared;
    const bool is_exact = s->test == CLI_TEST_EXACT;
    *plan = (pattern_test_plan){.wanted = !is_exact && (s->n_surrogates > 0 || s->maxima != NULL)};
    cli_shard_tell(session, v->test.pvalues != NULL);
    return is_exact       ? exact_plan_make(session, &plan->exact)
           : plan->wanted ? take_signatures(session, v, plan)
                          : CLI_DONE;
}
