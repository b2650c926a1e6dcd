/* The options of a test of patterns, taken over before any work. */
#include "pattern_job.h"

#include <string.h>

#include "numbers.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static int parse_reduction(const cli_session *session, const char *text, spk_reduce_options *out)
{
    uint32_t part[3] = {0, 0, 0};
    spk_reduce_options_init(out, sizeof *out);
    if (text != NULL && !cli_whole_list_parse(text, ',', 3, 1000000, part))
        return cli_usage_error(session->command,
                               "--reduce %s: must be three whole numbers H,K,L with commas "
                               "between, such as 2,2,0",
                               text);
    out->h = (int32_t)part[0];
    out->k = (int32_t)part[1];
    out->l = (int32_t)part[2];
    return CLI_DONE;
}

static int parse_stability(const cli_session *session, const char *text, spk_stability_options *out)
{
    double value[2];
    spk_stability_options_init(out, sizeof *out);
    out->seed = session->shared->seed;
    if (text == NULL)
        return CLI_DONE;
    if (cli_list_parse(text, ',', 2, 1, value) && value[0] > 0 && value[1] > 0) {
        out->epsilon = value[0];
        out->delta = value[1];
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
    const cli_shared *s = session->shared;
    plan->surrogates = cli_surrogate_options(session, &t->surrogates);
    if (t->surrogates.made.method == NULL && t->published)
        plan->surrogates.method = "dither-spikes";
    plan->surrogates.bin = v->bin;
    spk_maxima_options_init(&plan->maxima, sizeof plan->maxima);
    plan->maxima.surrogates = &plan->surrogates;
    plan->maxima.n_surrogates = s->n_surrogates;
    plan->maxima.by_duration = v->spectrum == SPECTRUM_3D;
    plan->maxima.checkpoint = s->checkpoint;
    spk_signature_options_init(&plan->rule, sizeof plan->rule);
    plan->rule.published = t->published;
    plan->rule.alpha = s->alpha;
    plan->rule.correction = t->correction;
    int code = parse_reduction(session, t->reduce, &plan->reduce);
    if (code == CLI_DONE)
        code = parse_stability(session, t->stability, &plan->stability);
    return code == CLI_DONE
               ? cli_shard_parse(session, s->shard, &plan->maxima.shard, &plan->maxima.n_shards)
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
