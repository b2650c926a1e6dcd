/* Tests of episodes: the library's analysis, and the files of what it found. */
#include "analysis.h"
#include "episode_job.h"

/* Fills the columns of the table. */
static spk_status add_columns(episode_job *job, const cli_analysis *a)
{
    const spk_analysis_columns *c = a->found;
    spk_status status = SPK_OK;
    if (c->exact != NULL) {
        status = spk_writer_set_exact(job->out.table, c->exact);
    } else {
        const spk_compare_report compared = cli_analysis_compared(a);
        status = spk_writer_set_compare(job->out.table, &compared);
    }
    if (status == SPK_OK && c->families != NULL)
        status = cli_outputs_set_families(job, &a->families);
    return status == SPK_OK ? episode_job_add(job, &c->episodes) : status;
}

/* Writes the rows; `status` is that of the analysis, whose rows may be those of the rounds that
 * were complete. */
static int write_rows(episode_job *job, const cli_analysis *a, const spk_episode_summary *summary,
                      uint64_t support, spk_status status)
{
    const spk_analysis_columns *c = a->found;
    const cli_rounds_text rounds = cli_analysis_rounds(a);
    if (status == SPK_ERR_CANCELLED) /* a second signal ends the program */
        spk_context_cancel_clear(job->out.session->context);
    job->exact = c->exact;
    int code = episode_job_open(job);
    if (code != CLI_DONE)
        return code;
    job->maxima = c->exact != NULL ? c->maxima : NULL;
    job->expected = c->expected;
    job->kept = a->options.peel ? rounds.text : NULL;
    const spk_status written = add_columns(job, a);
    return episode_job_close(job, status == SPK_OK ? written : status, summary, support);
}

/* Each given episode in a sentence. */
static spk_status tell_rows(const episode_job *job, const cli_analysis *a)
{
    enum { MOST_ROWS = 10 };
    const uint64_t n = a->found->n < MOST_ROWS ? a->found->n : MOST_ROWS;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < n && status == SPK_OK; k++)
        status =
            spk_analysis_tell_row(a->found, job->recording, k, cli_note_sentence, job->out.session);
    return status;
}

static int run(episode_job *job, cli_analysis *a, uint64_t support, spk_episode_summary *summary)
{
    spk_status status = cli_analysis_run(a, job->recording);
    const spk_analysis_columns *c = a->found;
    if (c == NULL) /* it was not made */
        return cli_report(job->out.session, status);
    if (c->episode_summary != NULL)
        *summary = *c->episode_summary;
    if (status != SPK_OK && c->n == 0)
        return cli_report(job->out.session, status);
    if (status == SPK_OK)
        status = cli_analysis_tell(a);
    if (status == SPK_OK && a->options.exact != NULL && a->options.exact->given != NULL)
        status = tell_rows(job, a);
    return write_rows(job, a, summary, support, status);
}

int episode_test_run(episode_job *job, const spk_episode_options *options, exact_plan *plan,
                     spk_episode_summary *summary)
{
    cli_analysis a;
    const cli_shared *v = job->out.session->shared;
    plan->test.episodes = options;
    cli_jitter_check(job->out.session, job->recording, plan->jitter[plan->test.n_jitter - 1]);
    if (v->n_calibrations > 0)
        return calibration_run(job->out.session, plan, job->recording);
    cli_analysis_begin(&a, job->out.session, "episode");
    cli_analysis_set_exact(&a, &plan->test);
    int code = v->shard != NULL ? cli_analysis_shard(&a, job->recording)
                                : run(job, &a, options->support, summary);
    cli_analysis_free(&a);
    return code;
}

int episode_compare_run(episode_job *job, const spk_episode_options *options,
                        const compare_plan *plan, spk_episode_summary *summary)
{
    cli_analysis a;
    cli_analysis_begin(&a, job->out.session, "episode");
    cli_analysis_set_compare(&a, plan);
    a.options.episodes = options;
    int code = run(job, &a, options->support, summary);
    cli_analysis_free(&a);
    return code;
}
