/* The exact test of episodes: mines, makes surrogates, compares, selects, writes. */
#include "episode_test.h"

#include "calibration.h"

#include <stdlib.h>

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
    spk_status status = exact_findings_create(t->plan, columns.n, &t->found);
    if (status == SPK_OK)
        status = spk_exact_test_episodes(session->context, t->job->recording, &t->exact, t->maxima,
                                         &columns, t->found.verdict, t->found.scale_p);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The rows as a list of their own, which the caller frees, after a failure, too. */
static spk_status list_rows(test_run *t, spk_episode_list **rows)
{
    const spk_episode_columns columns = spk_episode_list_columns(t->list);
    spk_status status = spk_episode_list_create(t->job->session->context, rows);
    return status == SPK_OK ? cli_copy_episodes(&columns, t->found.row, t->found.n_rows, *rows)
                            : status;
}

/* Of significant episodes, whether a part explains them. */
static spk_status explain(test_run *t)
{
    exact_findings *f = &t->found;
    spk_episode_list *rows = NULL;
    exact_find_significant(f);
    spk_status status = list_rows(t, &rows);
    if (status == SPK_OK) {
        const spk_episode_columns columns = spk_episode_list_columns(rows);
        status = spk_exact_explain_episodes(t->job->session->context, t->job->recording, &t->exact,
                                            &columns, f->row_verdict, f->part_p, f->row_left_out);
    }
    if (status == SPK_OK)
        exact_take_parts(f, f->part_p, f->row_left_out);
    spk_episode_list_free(rows);
    return status;
}

/* What significant episodes may mean beside a sequence. */
static spk_status interpret(test_run *t)
{
    const spk_episode_columns columns = spk_episode_list_columns(t->list);
    return spk_exact_interpret_episodes(t->job->session->context, t->job->recording, &t->exact,
                                        t->plan->alpha, &columns, t->found.verdict, t->found.means,
                                        t->found.direction_p);
}

/* Leaves what the options of selection list, or the best member of each family. Limits on single
 * episodes hold for the test, too, where untested ones are listed only with --report all. */
static spk_status narrow(test_run *t, bool to_families)
{
    exact_findings *f = &t->found;
    cli_session *session = t->job->session;
    spk_select_options options = cli_select_options(t->select);
    spk_episode_list *rows = NULL;
    uint64_t n = 0, *chosen = calloc((size_t)f->n_rows + 1, sizeof *chosen);
    spk_status status = chosen != NULL ? list_rows(t, &rows) : SPK_ERR_MEMORY;
    if (status == SPK_OK) {
        const spk_episode_columns columns = spk_episode_list_columns(rows);
        options.score = f->row_score;
        status = to_families
                     ? cli_families_of_episodes(session, t->select, t->job->recording, &columns,
                                                f->row_score, chosen, &n, &t->families)
                     : spk_select_episodes(session->context, &columns, &options, chosen, &n);
    }
    if (status == SPK_OK)
        status = exact_narrow_rows(f, chosen, n);
    spk_episode_list_free(rows);
    free(chosen);
    return status;
}

static int write_rows(test_run *t)
{
    episode_job *job = t->job;
    spk_episode_list *rows = NULL;
    job->exact = &t->found.report;
    job->maxima = t->maxima;
    spk_status status = list_rows(t, &rows);
    int code = status == SPK_OK ? episode_job_open(job) : cli_report(job->session, status);
    if (code == CLI_DONE) {
        const spk_episode_columns columns = spk_episode_list_columns(rows);
        job->expected = t->found.row_expected;
        status = spk_episode_writer_set_exact(job->episodes, &t->found.report);
        if (status == SPK_OK && t->families != NULL) {
            const spk_family_columns families = cli_families_listed(t->families, t->select);
            status = episode_job_set_families(job, &families);
        }
        if (status == SPK_OK)
            status = episode_job_add(job, &columns);
        code = episode_job_close(job, status, t->summary, t->options->support);
    }
    spk_episode_list_free(rows);
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
        status = interpret(t);
    if (status == SPK_OK)
        status = exact_choose_rows(&t->found, &t->exact, spk_exact_columns_of(t->maxima).n);
    if (status == SPK_OK && cli_select_wanted(t->select))
        status = narrow(t, false);
    return status == SPK_OK && t->select->families ? narrow(t, true) : status;
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
    if (plan->values->calibrate.n_runs > 0) {
        const calibration_use use = {job->recording, &t.exact, job->input, job->values->output,
                                     job->values->format};
        return calibration_run(job->session, plan, &use);
    }
    if (plan->values->peel.wanted)
        return episode_peel_run(job, &t.exact, plan, summary);
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
