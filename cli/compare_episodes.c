/* Episodes in two conditions: mines, compares, selects, writes. */
#include "compare_episodes.h"

#include <stdlib.h>

#include "interrupt.h"

typedef struct comparison {
    episode_job *job;
    const cli_select_values *select;
    spk_episode_list *list;
    compare_findings found;
    spk_families *families; /* of rows; NULL: rows are episodes */
} comparison;

/* A comparison needs all episodes at once, and none of a search that ended early. */
static spk_status mine(comparison *c, const spk_episode_options *options,
                       spk_episode_summary *summary)
{
    spk_context *context = c->job->session->context;
    spk_status status = spk_episode_list_create(context, &c->list);
    cli_interrupt_keep(true);
    if (status == SPK_OK)
        status = spk_episode_mine(context, c->job->recording, options, spk_episode_list_add,
                                  c->list, summary);
    cli_interrupt_keep(false);
    return status;
}

static spk_status compare(comparison *c, const compare_plan *plan)
{
    const spk_episode_columns columns = spk_episode_list_columns(c->list);
    const spk_compare_options options = compare_plan_options(plan, c->select);
    spk_status status = compare_findings_create(plan, columns.n, &c->found);
    cli_interrupt_keep(true); /* for the message that tells how far it came */
    if (status == SPK_OK)
        status = spk_compare_episodes(c->job->session->context, c->job->recording, &options,
                                      &columns, c->found.verdict, &c->found.report.summary);
    cli_interrupt_keep(false);
    return status == SPK_OK ? compare_choose_rows(&c->found) : status;
}

/* The rows as a list of their own, which the caller frees, after a failure, too. */
static spk_status list_rows(const comparison *c, spk_episode_list **rows)
{
    const spk_episode_columns columns = spk_episode_list_columns(c->list);
    spk_status status = spk_episode_list_create(c->job->session->context, rows);
    return status == SPK_OK ? cli_copy_episodes(&columns, c->found.row, c->found.n_rows, *rows)
                            : status;
}

/* Leaves what the options of selection list, or the best member of each family. */
static spk_status narrow(comparison *c, bool to_families)
{
    cli_session *session = c->job->session;
    spk_select_options options = cli_select_options(c->select);
    spk_episode_list *rows = NULL;
    uint64_t n = 0, *chosen = calloc((size_t)c->found.n_rows + 1, sizeof *chosen);
    spk_status status = chosen != NULL ? list_rows(c, &rows) : SPK_ERR_MEMORY;
    if (status == SPK_OK) {
        const spk_episode_columns columns = spk_episode_list_columns(rows);
        options.score = c->found.row_score;
        status = to_families
                     ? cli_families_of_episodes(session, c->select, c->job->recording, &columns,
                                                options.score, chosen, &n, &c->families)
                     : spk_select_episodes(session->context, &columns, &options, chosen, &n);
    }
    if (status == SPK_OK)
        status = compare_narrow_rows(&c->found, chosen, n);
    spk_episode_list_free(rows);
    free(chosen);
    return status;
}

static int write_rows(comparison *c, const spk_episode_summary *summary, uint64_t support)
{
    episode_job *job = c->job;
    spk_episode_list *rows = NULL;
    spk_status status = list_rows(c, &rows);
    int code = status == SPK_OK ? episode_job_open(job) : cli_report(job->session, status);
    if (code == CLI_DONE) {
        const spk_episode_columns columns = spk_episode_list_columns(rows);
        status = spk_episode_writer_set_compare(job->episodes, &c->found.report);
        if (status == SPK_OK && c->families != NULL) {
            const spk_family_columns families = cli_families_listed(c->families, c->select);
            status = episode_job_set_families(job, &families);
        }
        if (status == SPK_OK)
            status = episode_job_add(job, &columns);
        code = episode_job_close(job, status, summary, support);
    }
    spk_episode_list_free(rows);
    return code;
}

int compare_episodes_run(episode_job *job, const spk_episode_options *options,
                         const compare_plan *plan, const cli_select_values *select,
                         spk_episode_summary *summary)
{
    comparison c = {.job = job, .select = select};
    spk_status status = mine(&c, options, summary);
    if (status == SPK_OK)
        status = compare(&c, plan);
    if (status == SPK_OK && cli_select_wanted(select))
        status = narrow(&c, false);
    if (status == SPK_OK && select->families)
        status = narrow(&c, true);
    int code = cli_report(job->session, status);
    if (code == CLI_DONE) {
        compare_tell(job->session, &c.found, "episodes");
        code = write_rows(&c, summary, options->support);
    }
    compare_findings_free(&c.found);
    spk_episode_list_free(c.list);
    spk_families_free(c.families);
    return code;
}
