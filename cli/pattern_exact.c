/* The exact test of patterns: mines, makes surrogates, compares, selects, writes. */
#include <stdlib.h>

#include "calibration.h"
#include "interrupt.h"
#include "pattern_job.h"

typedef struct exact_run {
    pattern_job *job;
    spk_window_options windows;
    spk_exact_options exact;
    spk_pattern_summary summary;
    spk_pattern_list *list;
    spk_maxima *maxima;
    exact_findings found;
    spk_families *families; /* of rows; NULL: rows are patterns */
} exact_run;

/* ---- the test -------------------------------------------------------------------------------- */

static spk_status test_patterns(exact_run *r)
{
    cli_session *session = r->job->session;
    const spk_pattern_columns columns = spk_pattern_list_columns(r->list);
    spk_status status = exact_findings_create(&r->job->test.exact, columns.n, &r->found);
    if (status == SPK_OK)
        status = spk_exact_test_patterns(session->context, r->job->recording, &r->exact, r->maxima,
                                         &columns, r->found.verdict, r->found.scale_p);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The rows as a list of their own, which the caller frees, after a failure, too. */
static spk_status list_rows(exact_run *r, spk_pattern_list **rows)
{
    const spk_pattern_columns columns = spk_pattern_list_columns(r->list);
    spk_status status = spk_pattern_list_create(r->job->session->context, columns.window, rows);
    return status == SPK_OK ? cli_copy_patterns(&columns, r->found.row, r->found.n_rows, *rows)
                            : status;
}

/* Of significant patterns, whether a part explains them. */
static spk_status explain(exact_run *r)
{
    exact_findings *f = &r->found;
    spk_pattern_list *rows = NULL;
    exact_find_significant(f);
    spk_status status = list_rows(r, &rows);
    if (status == SPK_OK) {
        const spk_pattern_columns columns = spk_pattern_list_columns(rows);
        status = spk_exact_explain_patterns(r->job->session->context, r->job->recording, &r->exact,
                                            &columns, f->row_verdict, f->part_p, f->row_left_out);
    }
    if (status == SPK_OK)
        exact_take_parts(f, f->part_p, f->row_left_out);
    spk_pattern_list_free(rows);
    return status;
}

/* Leaves what the options of selection list, or the best member of each family. */
static spk_status narrow(exact_run *r, bool to_families)
{
    exact_findings *f = &r->found;
    const pattern_job *j = r->job;
    spk_select_options options = cli_select_options(&j->v->select);
    spk_pattern_list *rows = NULL;
    uint64_t n = 0, *chosen = calloc((size_t)f->n_rows + 1, sizeof *chosen);
    spk_status status = chosen != NULL ? list_rows(r, &rows) : SPK_ERR_MEMORY;
    if (status == SPK_OK) {
        const spk_pattern_columns columns = spk_pattern_list_columns(rows);
        options.score = f->row_score;
        status = to_families
                     ? cli_families_of_patterns(j->session, &j->v->select, j->windows, &columns,
                                                f->row_score, chosen, &n, &r->families)
                     : spk_select_patterns(j->session->context, &columns, &options, chosen, &n);
    }
    if (status == SPK_OK)
        status = exact_narrow_rows(f, chosen, n);
    spk_pattern_list_free(rows);
    free(chosen);
    return status;
}

static int write_listed(exact_run *r, const spk_pattern_columns *rows)
{
    pattern_job *j = r->job;
    pattern_outputs out;
    r->summary.n_reported = rows->n;
    spk_status status = pattern_outputs_open(j, NULL, &out);
    cli_interrupt_keep(status == SPK_OK);
    if (status == SPK_OK)
        status = pattern_outputs_set_exact(&out, &r->found.report);
    if (status == SPK_OK && out.shown != NULL)
        status = cli_page_take_maxima(&out.page, r->maxima);
    if (status == SPK_OK && r->families != NULL) {
        const spk_family_columns families = cli_families_listed(r->families, &j->v->select);
        status = pattern_outputs_set_families(&out, &families);
    }
    if (status == SPK_OK)
        status = pattern_outputs_add_all(&out, rows);
    int code = status == SPK_OK ? pattern_outputs_commit(j, &out, &r->summary)
                                : pattern_outputs_keep(j, &out, &r->summary, status);
    cli_interrupt_keep(false);
    pattern_outputs_discard(&out);
    return code;
}

static int write_rows(exact_run *r)
{
    spk_pattern_list *rows = NULL;
    spk_status status = list_rows(r, &rows);
    int code = cli_report(r->job->session, status);
    if (code == CLI_DONE) {
        const spk_pattern_columns columns = spk_pattern_list_columns(rows);
        code = write_listed(r, &columns);
    }
    spk_pattern_list_free(rows);
    return code;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int run_test(exact_run *r)
{
    pattern_job *j = r->job;
    const exact_plan *plan = &j->test.exact;
    spk_status status = SPK_OK;
    if (plan->values->maxima != NULL) /* they may be those of another job: told before any work */
        status = exact_surrogates(j->session, j->recording, plan, &r->exact, &r->maxima);
    int code = status == SPK_OK ? pattern_job_mine_all(j, &r->list, &r->summary)
                                : cli_report(j->session, status);
    if (code != CLI_DONE)
        return code;
    if (r->maxima == NULL)
        status = exact_surrogates(j->session, j->recording, plan, &r->exact, &r->maxima);
    if (status == SPK_OK)
        status = spk_pattern_list_sort(r->list);
    if (status == SPK_OK)
        status = test_patterns(r);
    if (status == SPK_OK)
        status = explain(r);
    if (status == SPK_OK) {
        const spk_pattern_columns columns = spk_pattern_list_columns(r->list);
        status = spk_exact_interpret_patterns(j->session->context, &r->exact, plan->alpha, &columns,
                                              r->found.verdict, r->found.means);
    }
    if (status == SPK_OK)
        status = exact_choose_rows(&r->found, &r->exact, spk_exact_columns_of(r->maxima).n);
    if (status == SPK_OK && cli_select_wanted(&j->v->select))
        status = narrow(r, false);
    if (status == SPK_OK && j->v->select.families)
        status = narrow(r, true);
    if (status != SPK_OK)
        return cli_report(j->session, status);
    exact_tell(j->session, &r->found, "patterns");
    return write_rows(r);
}

int pattern_exact_run(pattern_job *j)
{
    exact_run r = {.job = j,
                   .windows = pattern_job_windows(j),
                   .exact = exact_plan_options(&j->test.exact),
                   .summary = {.engine = ""}};
    r.exact.windows = &r.windows;
    r.exact.patterns = &j->options;
    r.exact.min_size = (uint32_t)j->v->select.min_size;
    r.exact.distinct_units = (uint32_t)j->v->select.distinct_units;
    if (j->test.exact.n_shards > 0)
        return exact_run_shard(j->session, j->recording, &j->test.exact, &r.exact, j->v->output);
    if (j->test.exact.values->calibrate.n_runs > 0) {
        const calibration_use use = {j->recording, &r.exact, j->input, j->v->output, j->v->format};
        return calibration_run(j->session, &j->test.exact, &use);
    }
    if (j->test.exact.values->peel.wanted)
        return pattern_peel_run(j, &r.exact);
    int code = run_test(&r);
    exact_findings_free(&r.found);
    spk_maxima_free(r.maxima);
    spk_pattern_list_free(r.list);
    spk_families_free(r.families);
    return code;
}
