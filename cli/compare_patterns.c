/* Patterns in two conditions: mines, compares, selects, writes. */
#include <stdlib.h>

#include "interrupt.h"
#include "pattern_job.h"

typedef struct comparison {
    pattern_job *job;
    spk_pattern_summary summary;
    spk_pattern_list *list;
    compare_findings found;
    spk_families *families; /* of rows; NULL: rows are patterns */
} comparison;

static spk_status compare(comparison *c)
{
    pattern_job *j = c->job;
    const spk_pattern_columns columns = spk_pattern_list_columns(c->list);
    const spk_compare_options options = compare_plan_options(&j->compare, &j->v->select);
    spk_status status = compare_findings_create(&j->compare, columns.n, &c->found);
    cli_interrupt_keep(true); /* for the message that tells how far it came */
    if (status == SPK_OK)
        status = spk_compare_patterns(j->session->context, j->recording, j->windows, &options,
                                      &columns, c->found.verdict, &c->found.report.summary);
    cli_interrupt_keep(false);
    return status == SPK_OK ? compare_choose_rows(&c->found) : status;
}

/* The rows as a list of their own, which the caller frees, after a failure, too. */
static spk_status list_rows(const comparison *c, spk_pattern_list **rows)
{
    const spk_pattern_columns columns = spk_pattern_list_columns(c->list);
    spk_status status = spk_pattern_list_create(c->job->session->context, columns.window, rows);
    return status == SPK_OK ? cli_copy_patterns(&columns, c->found.row, c->found.n_rows, *rows)
                            : status;
}

/* Leaves what the options of selection list, or the best member of each family. */
static spk_status narrow(comparison *c, bool to_families)
{
    const pattern_job *j = c->job;
    spk_select_options options = cli_select_options(&j->v->select);
    spk_pattern_list *rows = NULL;
    uint64_t n = 0, *chosen = calloc((size_t)c->found.n_rows + 1, sizeof *chosen);
    spk_status status = chosen != NULL ? list_rows(c, &rows) : SPK_ERR_MEMORY;
    if (status == SPK_OK) {
        const spk_pattern_columns columns = spk_pattern_list_columns(rows);
        options.score = c->found.row_score;
        status = to_families
                     ? cli_families_of_patterns(j->session, &j->v->select, j->windows, &columns,
                                                options.score, chosen, &n, &c->families)
                     : spk_select_patterns(j->session->context, &columns, &options, chosen, &n);
    }
    if (status == SPK_OK)
        status = compare_narrow_rows(&c->found, chosen, n);
    spk_pattern_list_free(rows);
    free(chosen);
    return status;
}

static int write_listed(comparison *c, const spk_pattern_columns *rows)
{
    pattern_job *j = c->job;
    pattern_outputs out;
    c->summary.n_reported = rows->n;
    spk_status status = pattern_outputs_open(j, NULL, &out);
    cli_interrupt_keep(status == SPK_OK);
    if (status == SPK_OK)
        status = spk_pattern_writer_set_compare(out.table, &c->found.report);
    if (status == SPK_OK && c->families != NULL) {
        const spk_family_columns families = cli_families_listed(c->families, &j->v->select);
        status = pattern_outputs_set_families(&out, &families);
    }
    if (status == SPK_OK)
        status = pattern_outputs_add_all(&out, rows);
    int code = status == SPK_OK ? pattern_outputs_commit(j, &out, &c->summary)
                                : pattern_outputs_keep(j, &out, &c->summary, status);
    cli_interrupt_keep(false);
    pattern_outputs_discard(&out);
    return code;
}

static int write_rows(comparison *c)
{
    spk_pattern_list *rows = NULL;
    spk_status status = list_rows(c, &rows);
    int code = cli_report(c->job->session, status);
    if (code == CLI_DONE) {
        const spk_pattern_columns columns = spk_pattern_list_columns(rows);
        code = write_listed(c, &columns);
    }
    spk_pattern_list_free(rows);
    return code;
}

int compare_patterns_run(pattern_job *j)
{
    comparison c = {.job = j, .summary = {.engine = ""}};
    int code = pattern_job_mine_all(j, &c.list, &c.summary);
    if (code == CLI_DONE) {
        spk_status status = spk_pattern_list_sort(c.list);
        if (status == SPK_OK)
            status = compare(&c);
        if (status == SPK_OK && cli_select_wanted(&j->v->select))
            status = narrow(&c, false);
        if (status == SPK_OK && j->v->select.families)
            status = narrow(&c, true);
        code = cli_report(j->session, status);
    }
    if (code == CLI_DONE) {
        compare_tell(j->session, &c.found, "patterns");
        code = write_rows(&c);
    }
    compare_findings_free(&c.found);
    spk_pattern_list_free(c.list);
    spk_families_free(c.families);
    return code;
}
