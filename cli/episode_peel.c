/* `episodes --peel`: round after round of the exact test, each without what was found. */
#include <inttypes.h>
#include <stdio.h>

#include "episode_test.h"
#include "interrupt.h"
#include "peel.h"

typedef struct peel_run {
    episode_job *job;
    spk_episode_summary *summary; /* of the first search */
    spk_episode_list *list;       /* by row */
    peel_rows rows;
} peel_run;

/* A spk_peel_sink; `user` is a peel_run. */
static spk_status take_round(void *user, const spk_peel_round *round)
{
    peel_run *run = user;
    if (round->number == 1)
        *run->summary = *round->episode_summary;
    spk_status status = peel_rows_add(&run->rows, run->job->session, round);
    return status == SPK_OK && round->episode != NULL
               ? spk_episode_list_add(run->list, round->episode)
               : status;
}

/* Writes what was accepted; `status` is that of peeling. */
static int write_rows(peel_run *run, uint64_t support, spk_status status)
{
    episode_job *job = run->job;
    char kept[64];
    if (status == SPK_ERR_CANCELLED) /* a second signal ends the program */
        spk_context_cancel_clear(job->session->context);
    job->exact = &run->rows.report;
    int code = episode_job_open(job);
    if (code != CLI_DONE)
        return code;
    const spk_episode_columns columns = spk_episode_list_columns(run->list);
    snprintf(kept, sizeof kept, "%" PRIu64 " round%s here", run->rows.n,
             run->rows.n == 1 ? " is" : "s are");
    job->kept = kept;
    job->expected = run->rows.expected;
    spk_status written = spk_episode_writer_set_exact(job->episodes, &run->rows.report);
    if (written == SPK_OK)
        written = episode_job_add(job, &columns);
    return episode_job_close(job, status == SPK_OK ? written : status, run->summary, support);
}

int episode_peel_run(episode_job *job, const spk_exact_options *test, const exact_plan *plan,
                     spk_episode_summary *summary)
{
    spk_context *context = job->session->context;
    peel_run run = {.job = job, .summary = summary, .rows = {.plan = plan}};
    const spk_peel_options options = peel_options(plan, test);
    spk_status status = spk_episode_list_create(context, &run.list);
    cli_interrupt_keep(true);
    if (status == SPK_OK)
        status = spk_exact_peel(context, job->recording, &options, take_round, &run);
    cli_interrupt_keep(false);
    peel_rows_report(&run.rows, test);
    if (status == SPK_OK)
        peel_tell(job->session, &run.rows, "episodes");
    int code = status == SPK_OK || run.rows.n > 0
                   ? write_rows(&run, test->episodes->support, status)
                   : cli_report(job->session, status);
    peel_rows_free(&run.rows);
    spk_episode_list_free(run.list);
    return code;
}
