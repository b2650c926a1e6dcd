/* The options of a test of patterns, checked before any work. */
#include "pattern_test.h"

#include <string.h>

#include "calibration.h"
#include "numbers.h"
#include "pattern_job.h"
#include "peel.h"

/* The name of an option that only a test heeds and that was given, NULL when there is none. What
 * has a default cannot be told from it and is let go. */
static const char *option_given(const pattern_test_values *v)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {
        {"surrogate-method", v->method != NULL}, {"dither", v->dither.given},
        {"refractory", v->refractory.given},     {"alpha", v->alpha > 0},
        {"correction", v->correction != NULL},   {"published", v->published},
        {"report all", v->report == REPORT_ALL}, {"reduce", v->reduce != NULL},
        {"stability", v->stability != NULL},     {"pvalues", v->pvalues != NULL},
        {"checkpoint", v->checkpoint != NULL},   {"shard", v->shard != NULL},
        {"in-order", v->intervals.in_order},     {"square-root", v->intervals.use_sqrt},
        {"up-to-neighbours", v->intervals.fast}, {"no-cutoff", v->intervals.no_cutoff},
    };
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
        if (options[k].given)
            return options[k].name;
    return NULL;
}

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

/* A shard of the surrogates is no result yet. */
static int check_shard(cli_session *session, const pattern_values *v)
{
    const pattern_test_values *t = &v->test;
    return t->shard != NULL
               ? cli_shard_check(session, t->maxima, file_of_test(v), v->output, "maxima")
               : CLI_DONE;
}

/* An option that only a test of signatures heeds and that was given; NULL: there is none. */
static const char *signature_option(const pattern_values *v)
{
    const pattern_test_values *t = &v->test;
    return t->method != NULL              ? "--surrogate-method"
           : t->dither.given              ? "--dither"
           : t->refractory.given          ? "--refractory"
           : t->correction != NULL        ? "--correction"
           : t->published                 ? "--published"
           : t->reduce != NULL            ? "--reduce"
           : t->stability != NULL         ? "--stability"
           : t->pvalues != NULL           ? "--pvalues"
           : t->intervals.in_order        ? "--in-order"
           : t->intervals.use_sqrt        ? "--square-root"
           : t->intervals.fast            ? "--up-to-neighbours"
           : t->intervals.no_cutoff       ? "--no-cutoff"
           : v->spectrum != SPECTRUM_NONE ? "--spectrum"
                                          : NULL;
}

/* --test exact. */
static int check_exact(cli_session *session, const pattern_values *v, pattern_test_plan *plan)
{
    static const int reports[] = {[REPORT_SIGNIFICANT] = EXACT_REPORT_SIGNIFICANT,
                                  [REPORT_CORE] = EXACT_REPORT_CORE,
                                  [REPORT_ALL] = EXACT_REPORT_ALL};
    const pattern_test_values *t = &v->test;
    const char *other = signature_option(v);
    if (other != NULL)
        return cli_usage_error(session->command,
                               "%s belongs to a test of signatures, and cannot go with --test "
                               "exact",
                               other);
    if (cli_reads_transactions(&v->recording))
        return cli_usage_error(session->command,
                               "--test needs a recording: transactions have no spikes that could "
                               "be moved");
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
    int code = exact_plan_make(session, &plan->exact_values, true, &plan->exact);
    if (code == CLI_DONE)
        code = exact_plan_check_shard(session, &plan->exact, file_of_test(v), v->output);
    if (code == CLI_DONE)
        code = peel_check(session, &plan->exact, &v->select, v->occurrences);
    other = v->occurrences != NULL ? "--occurrences" : v->figure != NULL ? "--figure" : NULL;
    return code == CLI_DONE ? calibration_check(session, &plan->exact, &v->select, other) : code;
}

int pattern_test_check(cli_session *session, const pattern_values *v, pattern_test_plan *plan)
{
    const pattern_test_values *t = &v->test;
    *plan = (pattern_test_plan){.wanted = false};
    if (t->test == TEST_EXACT)
        return check_exact(session, v, plan);
    if (t->jitter != NULL)
        return cli_usage_error(session->command, "--jitter belongs to --test exact");
    if (t->null != 0 || t->history.given)
        return cli_usage_error(session->command, "--%s belongs to --test exact",
                               t->null != 0 ? "null" : "history");
    if (t->peel.wanted || t->peel.max_rounds > 0)
        return cli_usage_error(session->command, "--peel belongs to --test exact");
    if (t->calibrate.n_runs > 0 || t->calibrate.method != NULL)
        return cli_usage_error(session->command, "--calibrate belongs to --test exact");
    if (t->report == REPORT_CORE)
        return cli_usage_error(session->command, "--report core belongs to --test exact");
    plan->wanted = t->n_surrogates > 0 || t->maxima != NULL;
    const char *given = option_given(t);
    if (!plan->wanted && given != NULL)
        return cli_usage_error(
            session->command,
            "--%s belongs to a test against surrogates: add --surrogates N, e.g. "
            "--surrogates 1000",
            given);
    if (!plan->wanted)
        return CLI_DONE;
    if (cli_reads_transactions(&v->recording))
        return cli_usage_error(session->command,
                               "--surrogates needs a recording: transactions have no spikes that "
                               "could be moved");
    if (t->shard != NULL && t->n_surrogates == 0)
        return cli_usage_error(session->command, "--shard needs --surrogates N: the number of all "
                                                 "shards together");
    if (t->maxima != NULL && t->checkpoint != NULL)
        return cli_usage_error(session->command, "--maxima makes no surrogates, hence --checkpoint "
                                                 "cannot go with it");
    spk_surrogate_options_init(&plan->surrogates, sizeof plan->surrogates);
    spk_signature_options_init(&plan->rule, sizeof plan->rule);
    if (t->dither.given)
        plan->surrogates.dither = t->dither.value;
    if (t->refractory.given)
        plan->surrogates.refractory = t->refractory.value;
    cli_interval_options(&t->intervals, &plan->surrogates);
    if (t->method != NULL || t->published)
        plan->surrogates.method = t->method != NULL ? t->method : "dither-spikes";
    plan->surrogates.bin = v->bin.value;
    plan->surrogates.edges = t->edges == 0;
    plan->surrogates.seed = t->seed;
    plan->rule.published = t->published;
    if (t->alpha > 0)
        plan->rule.alpha = t->alpha;
    if (t->correction != NULL)
        plan->rule.correction = t->correction;
    int code = parse_reduction(session, t->reduce, plan);
    if (code == CLI_DONE)
        code = parse_stability(session, t->stability, plan);
    if (code == CLI_DONE)
        code = cli_shard_parse(session, t->shard, &plan->shard, &plan->n_shards);
    return code == CLI_DONE ? check_shard(session, v) : code;
}
