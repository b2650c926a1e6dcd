/* `patterns --test exact --peel`: round after round of the test, each without what was found. */
#include <stdlib.h>

#include "interrupt.h"
#include "pattern_job.h"
#include "peel.h"

typedef struct peel_run {
    pattern_job *job;
    spk_pattern_summary summary; /* of the first search */
    spk_pattern_list *list;      /* by row */
    peel_rows rows;
} peel_run;

/* A spk_peel_sink; `user` is a peel_run. */
static spk_status take_round(void *user, const spk_peel_round *round)
{
    peel_run *run = user;
    if (round->number == 1) {
        run->summary = *round->pattern_summary;
        pattern_job_tell(run->job->session, &run->summary);
    }
    spk_status status = peel_rows_add(&run->rows, run->job->session, round);
    return status == SPK_OK && round->pattern != NULL
               ? spk_pattern_list_add(run->list, round->pattern)
               : status;
}

/* Writes what was accepted; `status` is that of peeling. */
static int write_rows(peel_run *run, spk_status status)
{
    pattern_job *j = run->job;
    pattern_outputs out;
    const spk_pattern_columns columns = spk_pattern_list_columns(run->list);
    run->summary.n_reported = columns.n;
    if (status == SPK_ERR_CANCELLED) /* a second signal ends the program */
        spk_context_cancel_clear(j->session->context);
    spk_status written = pattern_outputs_open(j, NULL, &out);
    cli_interrupt_keep(written == SPK_OK);
    if (written == SPK_OK)
        written = pattern_outputs_set_exact(&out, &run->rows.report);
    if (written == SPK_OK)
        written = pattern_outputs_add_all(&out, &columns);
    status = status == SPK_OK ? written : status;
    int code = status == SPK_OK ? pattern_outputs_commit(j, &out, &run->summary)
                                : pattern_outputs_keep(j, &out, &run->summary, status);
    cli_interrupt_keep(false);
    pattern_outputs_discard(&out);
    return code;
}

int pattern_peel_run(pattern_job *j, const spk_exact_options *test)
{
    spk_context *context = j->session->context;
    peel_run run = {.job = j, .summary = {.engine = ""}, .rows = {.plan = &j->test.exact}};
    const spk_peel_options options = peel_options(&j->test.exact, test);
    spk_status status = spk_pattern_list_create(context, (uint32_t)j->v->window, &run.list);
    cli_interrupt_keep(true);
    if (status == SPK_OK)
        status = spk_exact_peel(context, j->recording, &options, take_round, &run);
    cli_interrupt_keep(false);
    peel_rows_report(&run.rows, test);
    if (status == SPK_OK)
        peel_tell(j->session, &run.rows, "patterns");
    int code = status == SPK_OK || run.rows.n > 0 ? write_rows(&run, status)
                                                  : cli_report(j->session, status);
    peel_rows_free(&run.rows);
    spk_pattern_list_free(run.list);
    return code;
}
