/* Tests of patterns: their options, the library's analysis, and the files of what it found. */
#include "analysis.h"
#include "interrupt.h"
#include "numbers.h"
#include "pattern_job.h"
#include "spikemine/report_tests.h"

/* ---- options --------------------------------------------------------------------------------- */

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

/* ---- files ----------------------------------------------------------------------------------- */

static spk_status write_pvalues(const pattern_job *j, const spk_analysis_columns *c,
                                const spk_pattern_summary *summary)
{
    spk_writer *writer = NULL;
    spk_provenance provenance = pattern_job_provenance(j, summary);
    if (j->v->test.pvalues == NULL || c->signatures == NULL)
        return SPK_OK;
    spk_status status = spk_pvalue_writer_open(j->session->context, j->v->test.pvalues,
                                               (spk_table_form)j->session->shared->format,
                                               j->recording, c->signatures, &writer);
    if (status == SPK_OK)
        status = spk_pvalue_writer_add(writer);
    if (status == SPK_OK)
        return cli_allow_pipe(spk_writer_commit(writer, &provenance));
    spk_writer_free(writer);
    return cli_allow_pipe(status);
}

/* Columns and rows of all files. */
static spk_status add_rows(pattern_outputs *out, const cli_analysis *a)
{
    const spk_analysis_columns *c = a->found;
    spk_status status = SPK_OK;
    if (c->exact != NULL)
        status = pattern_outputs_set_exact(out, c->exact);
    if (status == SPK_OK && c->exact != NULL && c->maxima != NULL && out->shown != NULL)
        status = cli_page_take_maxima(&out->out.page, c->maxima);
    if (status == SPK_OK && c->compare != NULL) {
        const spk_compare_report compared = cli_analysis_compared(a);
        status = spk_writer_set_compare(out->out.table, &compared);
    }
    if (status == SPK_OK && c->families != NULL)
        status = cli_outputs_set_families(out, &a->families);
    return status == SPK_OK ? pattern_outputs_add_all(out, &c->patterns) : status;
}

/* Writes the rows; `status` is that of the analysis, whose rows may be those of the rounds that
 * were complete. */
static int write_rows(pattern_job *j, const cli_analysis *a, spk_status status)
{
    pattern_outputs out;
    spk_pattern_summary summary = {.engine = ""};
    if (a->found->pattern_summary != NULL)
        summary = *a->found->pattern_summary;
    spk_status written = write_pvalues(j, a->found, &summary);
    if (written != SPK_OK)
        return cli_report(j->session, written);
    summary.n_reported = a->found->n;
    if (status == SPK_ERR_CANCELLED) /* a second signal ends the program */
        spk_context_cancel_clear(j->session->context);
    written = pattern_outputs_open(j, a->found->signatures, &out);
    cli_interrupt_keep(written == SPK_OK);
    if (written == SPK_OK)
        written = add_rows(&out, a);
    status = status == SPK_OK ? written : status;
    int code = status == SPK_OK ? pattern_outputs_commit(j, &out, &summary)
                                : pattern_outputs_keep(j, &out, &summary, status);
    cli_interrupt_keep(false);
    pattern_outputs_discard(&out);
    return code;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A search that did not fit has remedies of its own. */
static int report(const pattern_job *j, const cli_analysis *a, spk_status status)
{
    if (status != SPK_ERR_MEMORY || a->searched || a->options.peel)
        return cli_report(j->session, status);
    return cli_fail(j->session,
                    "the patterns do not fit into the memory limit of %.1f MB, and a test needs "
                    "all of them; raise --support or --min-spikes (--support auto chooses), or "
                    "--max-memory",
                    (double)spk_context_memory_limit(j->session->context) / 1e6);
}

static int run(pattern_job *j, cli_analysis *a)
{
    a->options.windows = j->windows;
    spk_status status = cli_analysis_run(a, j->recording);
    if (a->found == NULL || (status != SPK_OK && a->found->n == 0))
        return report(j, a, status);
    if (status == SPK_OK && a->found->signatures != NULL && cli_select_wanted(j->session) &&
        !j->session->shared->families)
        cli_select_tell(j->session, a->found->n, a->found->n_listed, "pattern");
    if (status == SPK_OK)
        status = cli_analysis_tell(a);
    return write_rows(j, a, status);
}

/* The test whose options are there, or a shard of its surrogates. */
static int test(pattern_job *j, cli_analysis *a)
{
    int code = j->session->shared->shard != NULL ? cli_analysis_shard(a, j->recording) : run(j, a);
    cli_analysis_free(a);
    return code;
}

int pattern_exact_run(pattern_job *j)
{
    cli_analysis a;
    exact_plan *plan = &j->test.exact;
    plan->test.windows = &j->cut;
    plan->test.patterns = &j->options;
    cli_jitter_check(j->session, j->recording, plan->jitter[plan->test.n_jitter - 1]);
    if (j->session->shared->n_calibrations > 0)
        return calibration_run(j->session, plan, j->recording);
    cli_analysis_begin(&a, j->session, "pattern");
    cli_analysis_set_exact(&a, &plan->test);
    return test(j, &a);
}

int pattern_compare_run(pattern_job *j)
{
    cli_analysis a;
    cli_analysis_begin(&a, j->session, "pattern");
    cli_analysis_set_compare(&a, &j->compare);
    a.options.patterns = &j->options;
    return test(j, &a); /* without shards */
}

int pattern_test_run(pattern_job *j)
{
    cli_analysis a;
    pattern_test_plan *plan = &j->test;
    plan->maxima.windows = &j->cut;
    plan->maxima.patterns = &j->options;
    cli_analysis_begin(&a, j->session, "pattern");
    a.made = &plan->surrogates;
    a.maxima_path = j->session->shared->maxima;
    a.options.signatures = &plan->maxima;
    a.options.rule = &plan->rule;
    a.options.reduce = j->v->test.reduce != NULL ? &plan->reduce : NULL;
    a.options.stability = j->v->test.stability != NULL ? &plan->stability : NULL;
    return test(j, &a);
}
