/* The exact test of patterns: mines, makes surrogates, compares, selects, writes. */
#include <stdlib.h>
#include <string.h>

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
    spk_status status = exact_findings_create(session, &r->job->test.exact, columns.n, &r->found);
    if (status == SPK_OK)
        status = spk_exact_test_patterns(session->context, r->job->recording, &r->exact, r->maxima,
                                         &columns, r->found.verdict, r->found.scale_p);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows of a list, in any order, as columns of their own. */
typedef struct picked {
    spk_pattern_columns columns;
    uint64_t *offset;
    uint32_t *item;
    uint32_t *count;
} picked;

static void picked_free(picked *p)
{
    free(p->offset);
    free(p->item);
    free(p->count);
}

static spk_status pick(const spk_pattern_columns *from, const uint64_t *row, uint64_t n, picked *p)
{
    uint64_t n_items = 0;
    for (uint64_t k = 0; k < n; k++)
        n_items += from->offset[row[k] + 1] - from->offset[row[k]];
    *p = (picked){.columns = *from,
                  .offset = calloc((size_t)n + 1, sizeof *p->offset),
                  .item = calloc((size_t)n_items + 1, sizeof *p->item),
                  .count = calloc((size_t)n + 1, sizeof *p->count)};
    if (p->offset == NULL || p->item == NULL || p->count == NULL)
        return SPK_ERR_MEMORY;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t first = from->offset[row[k]], size = from->offset[row[k] + 1] - first;
        memcpy(p->item + p->offset[k], from->item + first, size * sizeof *p->item);
        p->count[k] = from->count[row[k]];
        p->offset[k + 1] = p->offset[k] + size;
    }
    p->columns.n = n;
    p->columns.offset = p->offset;
    p->columns.item = p->item;
    p->columns.count = p->count;
    return SPK_OK;
}

/* Of significant patterns, whether a part explains them. */
static spk_status explain(exact_run *r)
{
    exact_findings *f = &r->found;
    const spk_pattern_columns columns = spk_pattern_list_columns(r->list);
    picked rows = {.columns = columns};
    exact_find_significant(f);
    spk_status status = pick(&columns, f->row, f->n_rows, &rows);
    if (status == SPK_OK)
        status =
            spk_exact_explain_patterns(r->job->session->context, r->job->recording, &r->exact,
                                       &rows.columns, f->row_verdict, f->part_p, f->row_left_out);
    if (status == SPK_OK)
        exact_take_parts(f, f->part_p, f->row_left_out);
    picked_free(&rows);
    return status;
}

/* Leaves what the options of selection list. */
static spk_status narrow(exact_run *r)
{
    exact_findings *f = &r->found;
    const cli_select_values *select = &r->job->v->select;
    const spk_pattern_columns columns = spk_pattern_list_columns(r->list);
    spk_select_options options = cli_select_options(select);
    picked rows = {.columns = columns};
    uint64_t n = 0, *chosen = calloc((size_t)f->n_rows + 1, sizeof *chosen);
    if (!cli_select_wanted(select) || chosen == NULL) {
        free(chosen);
        return cli_select_wanted(select) ? SPK_ERR_MEMORY : SPK_OK;
    }
    options.score = f->row_score;
    spk_status status = pick(&columns, f->row, f->n_rows, &rows);
    if (status == SPK_OK)
        status = spk_select_patterns(r->job->session->context, &rows.columns, &options, chosen, &n);
    if (status == SPK_OK)
        status = exact_narrow_rows(f, chosen, n);
    picked_free(&rows);
    free(chosen);
    return status;
}

/* Leaves the best member of each family. */
static spk_status narrow_to_families(exact_run *r)
{
    exact_findings *f = &r->found;
    const pattern_job *j = r->job;
    const spk_pattern_columns columns = spk_pattern_list_columns(r->list);
    picked rows = {.columns = columns};
    uint64_t n = 0, *chosen = calloc((size_t)f->n_rows + 1, sizeof *chosen);
    spk_status status = chosen != NULL ? pick(&columns, f->row, f->n_rows, &rows) : SPK_ERR_MEMORY;
    if (status == SPK_OK)
        status = cli_families_of_patterns(j->session, &j->v->select, j->windows, &rows.columns,
                                          f->row_score, chosen, &n, &r->families);
    if (status == SPK_OK)
        status = exact_narrow_rows(f, chosen, n);
    picked_free(&rows);
    free(chosen);
    return status;
}

static int write_rows(exact_run *r)
{
    pattern_job *j = r->job;
    pattern_outputs out;
    const spk_pattern_columns columns = spk_pattern_list_columns(r->list);
    picked rows = {.columns = columns};
    spk_status status = pick(&columns, r->found.row, r->found.n_rows, &rows);
    if (status != SPK_OK) {
        picked_free(&rows);
        return cli_report(j->session, status);
    }
    r->summary.n_reported = rows.columns.n;
    status = pattern_outputs_open(j, NULL, &out);
    cli_interrupt_keep(status == SPK_OK);
    if (status == SPK_OK)
        status = spk_pattern_writer_set_exact(out.table, &r->found.report);
    if (status == SPK_OK && r->families != NULL) {
        const spk_family_columns families = cli_families_listed(r->families, &j->v->select);
        status = pattern_outputs_set_families(&out, &families);
    }
    if (status == SPK_OK)
        status = pattern_outputs_add_all(&out, &rows.columns);
    int code = status == SPK_OK ? pattern_outputs_commit(j, &out, &r->summary)
                                : pattern_outputs_keep(j, &out, &r->summary, status);
    cli_interrupt_keep(false);
    pattern_outputs_discard(&out);
    picked_free(&rows);
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
    if (status == SPK_OK)
        status = exact_choose_rows(&r->found, r->exact.seed, spk_exact_columns_of(r->maxima).n);
    if (status == SPK_OK)
        status = narrow(r);
    if (status == SPK_OK && j->v->select.families)
        status = narrow_to_families(r);
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
    int code = run_test(&r);
    exact_findings_free(&r.found);
    spk_maxima_free(r.maxima);
    spk_pattern_list_free(r.list);
    spk_families_free(r.families);
    return code;
}
