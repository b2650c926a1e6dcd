/* The exact test of episodes: mines, makes surrogates, compares, selects, writes. */
#include "episode_test.h"

#include <stdlib.h>
#include <string.h>

#include "interrupt.h"

typedef struct test_run {
    episode_job *job;
    const spk_episode_options *options;
    const exact_plan *plan;
    const cli_select_values *select;
    spk_exact_options exact;
    spk_episode_summary *summary;
    spk_episode_list *list;
    spk_maxima *maxima;
    exact_findings found;
    spk_families *families; /* of rows; NULL: rows are episodes */
} test_run;

/* ---- the test -------------------------------------------------------------------------------- */

/* A test needs all episodes at once, and none of a search that ended early. */
static spk_status mine(test_run *t)
{
    spk_context *context = t->job->session->context;
    spk_status status = spk_episode_list_create(context, &t->list);
    cli_interrupt_keep(true);
    if (status == SPK_OK)
        status = spk_episode_mine(context, t->job->recording, t->options, spk_episode_list_add,
                                  t->list, t->summary);
    cli_interrupt_keep(false);
    return status;
}

static spk_status test_episodes(test_run *t)
{
    cli_session *session = t->job->session;
    const spk_episode_columns columns = spk_episode_list_columns(t->list);
    spk_status status = exact_findings_create(session, t->plan, columns.n, &t->found);
    if (status == SPK_OK)
        status = spk_exact_test_episodes(session->context, t->job->recording, &t->exact, t->maxima,
                                         &columns, t->found.verdict, t->found.scale_p);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows of a list, in any order, as columns of their own. */
typedef struct picked {
    spk_episode_columns columns;
    uint64_t *offset;
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
} picked;

static void picked_free(picked *p)
{
    free(p->offset);
    free(p->unit);
    free(p->delay);
    free(p->count);
}

static spk_status pick(const spk_episode_columns *from, const uint64_t *row, uint64_t n, picked *p)
{
    uint64_t n_positions = 0;
    for (uint64_t k = 0; k < n; k++)
        n_positions += from->offset[row[k] + 1] - from->offset[row[k]];
    *p = (picked){.columns = *from,
                  .offset = calloc((size_t)n + 1, sizeof *p->offset),
                  .unit = calloc((size_t)n_positions + 1, sizeof *p->unit),
                  .delay = calloc((size_t)n_positions + 1, sizeof *p->delay),
                  .count = calloc((size_t)n + 1, sizeof *p->count)};
    if (p->offset == NULL || p->unit == NULL || p->delay == NULL || p->count == NULL)
        return SPK_ERR_MEMORY;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t first = from->offset[row[k]], size = from->offset[row[k] + 1] - first;
        uint64_t at = p->offset[k];
        memcpy(p->unit + at, from->unit + first, size * sizeof *p->unit);
        memcpy(p->delay + at, from->delay + first, size * sizeof *p->delay);
        p->count[k] = from->count[row[k]];
        p->offset[k + 1] = at + size;
    }
    p->columns.n = n;
    p->columns.offset = p->offset;
    p->columns.unit = p->unit;
    p->columns.delay = p->delay;
    p->columns.count = p->count;
    p->columns.delays = from->delays;
    return SPK_OK;
}

/* Of significant episodes, whether a part explains them. */
static spk_status explain(test_run *t)
{
    exact_findings *f = &t->found;
    const spk_episode_columns columns = spk_episode_list_columns(t->list);
    picked rows = {.columns = columns};
    exact_find_significant(f);
    spk_status status = pick(&columns, f->row, f->n_rows, &rows);
    if (status == SPK_OK)
        status =
            spk_exact_explain_episodes(t->job->session->context, t->job->recording, &t->exact,
                                       &rows.columns, f->row_verdict, f->part_p, f->row_left_out);
    if (status == SPK_OK)
        exact_take_parts(f, f->part_p, f->row_left_out);
    picked_free(&rows);
    return status;
}

/* Leaves what the options of selection list; their limits on single episodes hold for the test,
 * too, where untested ones are listed only with --report all. */
static spk_status narrow(test_run *t)
{
    exact_findings *f = &t->found;
    const spk_episode_columns columns = spk_episode_list_columns(t->list);
    spk_select_options options = cli_select_options(t->select);
    picked rows = {.columns = columns};
    uint64_t n = 0, *chosen = calloc((size_t)f->n_rows + 1, sizeof *chosen);
    if (!cli_select_wanted(t->select) || chosen == NULL) {
        free(chosen);
        return cli_select_wanted(t->select) ? SPK_ERR_MEMORY : SPK_OK;
    }
    options.score = f->row_score;
    spk_status status = pick(&columns, f->row, f->n_rows, &rows);
    if (status == SPK_OK)
        status = spk_select_episodes(t->job->session->context, &rows.columns, &options, chosen, &n);
    if (status == SPK_OK)
        status = exact_narrow_rows(f, chosen, n);
    picked_free(&rows);
    free(chosen);
    return status;
}

/* Leaves the best member of each family. */
static spk_status narrow_to_families(test_run *t)
{
    exact_findings *f = &t->found;
    const spk_episode_columns columns = spk_episode_list_columns(t->list);
    picked rows = {.columns = columns};
    uint64_t n = 0, *chosen = calloc((size_t)f->n_rows + 1, sizeof *chosen);
    spk_status status = chosen != NULL ? pick(&columns, f->row, f->n_rows, &rows) : SPK_ERR_MEMORY;
    if (status == SPK_OK)
        status = cli_families_of_episodes(t->job->session, t->select, t->job->recording,
                                          &rows.columns, f->row_score, chosen, &n, &t->families);
    if (status == SPK_OK)
        status = exact_narrow_rows(f, chosen, n);
    picked_free(&rows);
    free(chosen);
    return status;
}

static int write_rows(test_run *t)
{
    episode_job *job = t->job;
    job->expected = t->found.row_expected;
    const spk_episode_columns columns = spk_episode_list_columns(t->list);
    picked rows = {.columns = columns};
    spk_status status = pick(&columns, t->found.row, t->found.n_rows, &rows);
    int code = status == SPK_OK ? episode_job_open(job) : cli_report(job->session, status);
    if (code != CLI_DONE) {
        picked_free(&rows);
        return code;
    }
    status = spk_episode_writer_set_exact(job->episodes, &t->found.report);
    if (status == SPK_OK && t->families != NULL) {
        const spk_family_columns families = cli_families_listed(t->families, t->select);
        status = episode_job_set_families(job, &families);
    }
    if (status == SPK_OK)
        status = episode_job_add(job, &rows.columns);
    code = episode_job_close(job, status, t->summary, t->options->support);
    picked_free(&rows);
    return code;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status run_test(test_run *t)
{
    cli_session *session = t->job->session;
    spk_status status = SPK_OK;
    if (t->plan->values->maxima != NULL) /* they may be those of another job: told before work */
        status = exact_surrogates(session, t->job->recording, t->plan, &t->exact, &t->maxima);
    if (status == SPK_OK)
        status = mine(t);
    if (status == SPK_OK && t->maxima == NULL)
        status = exact_surrogates(session, t->job->recording, t->plan, &t->exact, &t->maxima);
    if (status == SPK_OK)
        status = test_episodes(t);
    if (status == SPK_OK)
        status = explain(t);
    if (status == SPK_OK)
        status = exact_choose_rows(&t->found, t->exact.seed, spk_exact_columns_of(t->maxima).n);
    if (status == SPK_OK)
        status = narrow(t);
    return status == SPK_OK && t->select->families ? narrow_to_families(t) : status;
}

int episode_test_run(episode_job *job, const spk_episode_options *options, const exact_plan *plan,
                     const cli_select_values *select, spk_episode_summary *summary)
{
    test_run t = {.job = job,
                  .options = options,
                  .plan = plan,
                  .select = select,
                  .exact = exact_plan_options(plan),
                  .summary = summary};
    t.exact.episodes = options;
    t.exact.min_size = (uint32_t)select->min_size;
    t.exact.distinct_units = (uint32_t)select->distinct_units;
    if (plan->n_shards > 0)
        return exact_run_shard(job->session, job->recording, plan, &t.exact, job->values->output);
    int code = cli_report(job->session, run_test(&t));
    if (code == CLI_DONE) {
        exact_tell(job->session, &t.found, "episodes");
        code = write_rows(&t);
    }
    exact_findings_free(&t.found);
    spk_maxima_free(t.maxima);
    spk_episode_list_free(t.list);
    spk_families_free(t.families);
    return code;
}
