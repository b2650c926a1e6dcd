/* The files that a mining or counting job writes. */
#include "episode_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "session.h"
#include "spikemine/describe.h"

int episode_job_delays(cli_session *session, const cli_texts *texts, spk_delay *delays)
{
    for (size_t k = 0; k < texts->n; k++)
        if (cli_report_usage(
                session, spk_delay_parse(session->context, texts->text[k], &delays[k])) != CLI_DONE)
            return CLI_USAGE;
    return CLI_DONE;
}

static bool same_duration(spk_duration a, spk_duration b)
{
    return spk_duration_compare(a, b) == 0;
}

static bool contains(const spk_delay *delays, size_t n, const spk_delay *delay)
{
    for (size_t d = 0; d < n; d++)
        if (same_duration(delays[d].lo, delay->lo) && same_duration(delays[d].hi, delay->hi))
            return true;
    return false;
}

int episode_job_take_delays(cli_session *session, const cli_texts *texts, spk_delay **out,
                            size_t *n_out)
{
    spk_delay *delays = calloc(texts->n, sizeof *delays);
    if (delays == NULL)
        return cli_fail(session, "out of memory");
    int code = episode_job_delays(session, texts, delays);
    if (code != CLI_DONE) {
        free(delays);
        return code;
    }
    size_t n = 0;
    for (size_t k = 0; k < texts->n; k++) {
        if (contains(delays, n, &delays[k]))
            cli_note(session, "--delay %s is given twice and used once", texts->text[k]);
        else
            delays[n++] = delays[k];
    }
    *out = delays;
    *n_out = n;
    return CLI_DONE;
}

int episode_job_check_delays(cli_session *session, const spk_recording *recording,
                             const spk_delay *delays, size_t n, uint64_t max_size)
{
    enum { MOST_NOTES = 8 };
    spk_time_grid grid;
    char text[400];
    int told = 0;
    text[0] = '\0';
    for (size_t d = 0; d < n && text[0] == '\0'; d++) {
        spk_status status = spk_recording_check_span(session->context, recording, delays[d].lo,
                                                     delays[d].hi, 1, text, sizeof text);
        if (status != SPK_OK)
            return cli_report(session, status);
    }
    if (text[0] != '\0' && max_size >= SPK_EPISODE_MAX_SIZE)
        return cli_fail(session,
                        "--delay: %s If it is, limit the search, as with --max-size 3: there are "
                        "ever longer episodes",
                        text);
    if (text[0] != '\0')
        cli_note(session, "--delay: %s", text);
    spk_recording_find_grid(recording, &grid);
    for (size_t d = 0; d < n && told < MOST_NOTES; d++) {
        if (spk_time_grid_check_delay(&grid, delays[d].lo, delays[d].hi, text, sizeof text) == 0)
            continue;
        if (grid.rounded)
            return cli_fail(session, "%s", text);
        cli_note(session, "%s", text);
        told++;
    }
    return CLI_DONE;
}

void episode_job_engine(const cli_session *session, const episode_job_values *values,
                        spk_episode_options *options)
{
    options->engine = session->shared->engine;
    options->gpus = cli_gpus(session->shared->gpus);
    options->compaction = (spk_compaction)values->compaction;
    options->divide = (spk_divide)values->divide;
}

int episode_job_check(cli_session *session, const cli_texts *lists)
{
    const cli_shared *v = session->shared;
    char *tuning = NULL;
    cli_figure_look unused;
    const spk_figure_kind kind =
        v->test == CLI_TEST_EXACT ? SPK_FIGURE_EXACT_EPISODES : SPK_FIGURE_EPISODES;
    int code = cli_figure_prepare(session, kind, &unused);
    if (code == CLI_DONE)
        code = cli_page_check(session);
    if (code == CLI_DONE)
        code = cli_report(session, spk_papers_tuning_path(session->context, &tuning));
    const spk_file_use use[] = {
        CLI_RECORDING_FILES(session),
        CLI_RESULT_FILES(v, SPK_FILE_RESULT),
        {tuning, SPK_FILE_INPUT, "the tuning of engine cuda-hybrid", NULL},
        {v->maxima, SPK_FILE_INPUT, "the scores", "--maxima"},
    };
    const size_t n_fixed = sizeof use / sizeof use[0], n_lists = lists != NULL ? lists->n : 0;
    spk_file_use *all = calloc(n_fixed + n_lists, sizeof *all);
    if (all == NULL)
        code = cli_fail(session, "out of memory");
    else if (code == CLI_DONE) {
        memcpy(all, use, sizeof use);
        for (size_t k = 0; k < n_lists; k++) /* an episode is no file, which is fine */
            all[n_fixed + k] = (spk_file_use){lists->text[k], SPK_FILE_INPUT,
                                              "the list of episodes", "--episodes"};
        code = cli_files_check(session, all, n_fixed + n_lists);
    }
    free(all);
    free(tuning);
    return code;
}

int episode_job_open(episode_job *job)
{
    cli_outputs *out = &job->out;
    const cli_shared *v = out->session->shared;
    spk_context *context = out->session->context;
    const spk_figure_kind kind =
        job->exact != NULL ? SPK_FIGURE_EXACT_EPISODES : SPK_FIGURE_EPISODES;
    int code = cli_figure_prepare(out->session, kind, &job->look);
    if (code == CLI_DONE)
        code = cli_figure_check_range(out->session, &job->look, job->recording);
    if (code != CLI_DONE)
        return code;
    spk_status status = spk_episode_writer_open(context, v->output, (spk_table_form)v->format,
                                                job->recording, &out->table);
    if (status == SPK_OK && v->occurrences != NULL)
        status = spk_episode_occurrence_writer_open(context, v->occurrences, job->recording,
                                                    job->occurrences_from, &out->occurrences);
    if (status == SPK_OK && (v->figure != NULL || v->page != NULL))
        status = spk_episode_list_create(context, &job->drawn);
    if (status == SPK_OK && v->page != NULL)
        status = cli_page_make(out->session, &out->page);
    cli_interrupt_keep(status == SPK_OK);
    if (status == SPK_OK)
        return CLI_DONE;
    cli_outputs_discard(out);
    spk_episode_list_free(job->drawn);
    return cli_report(out->session, status);
}

void episode_job_take_level(void *user, const spk_episode_level *level)
{
    const episode_job *job = user;
    char eliminated[64] = "";
    if (level->eliminated > 0)
        snprintf(eliminated, sizeof eliminated, " (%" PRIu64 " dropped by the first pass)",
                 level->eliminated);
    cli_detail(job->out.session,
               "size %" PRIu32 ": %" PRIu64 " candidates%s, %" PRIu64 " frequent, %.2f s",
               level->size, level->candidates, eliminated, level->frequent, level->seconds);
}

/* Rows that the list of occurrences is about to get. */
static uint64_t count_occurrences(const episode_job *job, const spk_episode_columns *episodes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < episodes->n; i++)
        if (episodes->offset[i + 1] - episodes->offset[i] >= job->occurrences_from)
            n += episodes->count[i];
    return n;
}

/* Whether the files may get these episodes. */
static spk_status check_rows(episode_job *job, const spk_episode_columns *episodes)
{
    cli_outputs *out = &job->out;
    uint64_t n_occurrences = out->occurrences != NULL ? count_occurrences(job, episodes) : 0;
    const cli_row_limit *full = cli_outputs_count(out, episodes->n, n_occurrences);
    if (full == NULL)
        return SPK_OK;
    bool table = full == &out->rows;
    char size[32] = "";
    if (episodes->level != NULL)
        snprintf(size, sizeof size, " of size %" PRIu64, episodes->offset[1] - episodes->offset[0]);
    snprintf(out->limit, sizeof out->limit,
             "%" PRIu64 " %s%s and the %" PRIu64 " rows before them are more than --max-results "
             "%" PRIu64 " allows; raise %s--max-results (none: no limit)",
             table ? episodes->n : n_occurrences, table ? "episodes" : "occurrences", size, full->n,
             full->most, episodes->level != NULL ? "--support or " : "");
    return SPK_ERR_RANGE;
}

spk_status episode_job_add(void *user, const spk_episode_columns *episodes)
{
    episode_job *job = user;
    cli_outputs *out = &job->out;
    spk_status status = check_rows(job, episodes);
    cli_progress_clear(out->session);
    if (status == SPK_OK && episodes->level != NULL)
        episode_job_take_level(job, episodes->level);
    if (status == SPK_OK && out->table != NULL)
        status = cli_outputs_wrote(&out->table, spk_episode_writer_add(out->table, episodes));
    if (status == SPK_OK && out->occurrences != NULL)
        status = cli_outputs_wrote(&out->occurrences,
                                   spk_episode_occurrence_writer_add(out->occurrences, episodes));
    if (status == SPK_OK && job->drawn != NULL)
        return spk_episode_list_add(job->drawn, episodes);
    return status == SPK_OK && out->table == NULL && out->occurrences == NULL ? SPK_ERR_PIPE
                                                                              : status;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* What the files say of the job, but for the GPU. */
static spk_provenance make_provenance(const episode_job *job, const spk_episode_summary *summary,
                                      uint64_t support)
{
    spk_provenance provenance = cli_provenance(job->out.session, summary->seconds);
    provenance.engine = summary->engine;
    provenance.choice = summary->choice;
    provenance.two_pass = summary->two_pass ? "on" : "off";
    provenance.support = support;
    provenance.support_choice = job->support_choice;
    provenance.gpus = summary->gpus;
    provenance.n_levels = summary->n_levels;
    provenance.levels = summary->level;
    provenance.meters = cli_energy_meters(job->out.session, &provenance.n_meters);
    return provenance;
}

/* What is complete, when the job ended early for `reason`. */
static void say_complete(const episode_job *job, const spk_episode_summary *summary,
                         const char *reason, char *text, size_t size)
{
    if (job->kept != NULL)
        snprintf(text, size, "%s; %s", reason, job->kept);
    else if (summary->n_levels > 0)
        snprintf(text, size, "%s; all frequent episodes up to size %" PRIu32 " are here", reason,
                 summary->n_levels);
    else
        snprintf(text, size, "%s before anything was complete", reason);
}

static spk_status draw_figure(episode_job *job)
{
    spk_figure_options *options = &job->look.options;
    spk_episode_columns columns = spk_episode_list_columns(job->drawn);
    cli_figure_label(&job->look, job->out.session, job->recording, columns.n, "episode");
    options->as_listed = job->as_listed;
    options->expected = job->expected;
    options->exact = job->exact;
    return spk_figure_episodes(job->out.session->context, job->recording, &columns, options,
                               job->out.session->shared->figure);
}

static spk_status write_page(episode_job *job, const spk_episode_summary *summary, uint64_t support)
{
    char number[32];
    cli_page *page = &job->out.page;
    const spk_episode_columns columns = spk_episode_list_columns(job->drawn);
    snprintf(number, sizeof number, "%" PRIu64, support);
    if (job->support_choice != NULL && job->support_choice[0] != '\0') {
        cli_page_add_setting(page, "support taken", number);
        cli_page_add_setting(page, "why", job->support_choice);
    }
    cli_page_add_setting(page, "engine taken", summary->engine);
    page->options.as_listed = job->as_listed;
    page->options.exact = job->exact;
    spk_status status = job->maxima != NULL ? cli_page_take_maxima(page, job->maxima) : SPK_OK;
    return status == SPK_OK ? spk_page_episodes(job->out.session->context, job->recording, &columns,
                                                &page->options, job->out.session->shared->page)
                            : status;
}

/* The rest of a job that went well so far. */
static spk_status finish(episode_job *job, const spk_episode_summary *summary, uint64_t support,
                         const spk_provenance *provenance)
{
    const cli_shared *v = job->out.session->shared;
    spk_status status = cli_outputs_commit(&job->out, provenance);
    cli_interrupt_keep(false);
    if (status == SPK_OK && v->figure != NULL)
        status = draw_figure(job);
    return status == SPK_OK && v->page != NULL ? write_page(job, summary, support) : status;
}

int episode_job_close(episode_job *job, spk_status status, const spk_episode_summary *summary,
                      uint64_t support)
{
    cli_session *session = job->out.session;
    char reason[CLI_REASON_BYTES], incomplete[CLI_REASON_BYTES + 176];
    int code = CLI_DONE;
    spk_provenance provenance = make_provenance(job, summary, support);
    spk_gpu_info gpu = {.name = ""};
    if (status != SPK_OK) /* before the context gets another message */
        code = cli_outputs_report(&job->out, status, reason);
    if (summary->gpus > 0 && spk_gpu_describe(session->context, 0, &gpu) != SPK_OK)
        gpu.name[0] = '\0'; /* the result is there all the same */
    provenance.gpu = gpu.name;
    if (status == SPK_OK) {
        code = cli_report(session, finish(job, summary, support, &provenance));
    } else if (status == SPK_ERR_CANCELLED || summary->n_levels > 0) {
        say_complete(job, summary, reason, incomplete, sizeof incomplete);
        provenance.incomplete = incomplete;
        cli_outputs_keep(&job->out, &provenance);
    }
    cli_interrupt_keep(false);
    cli_outputs_discard(&job->out);
    spk_episode_list_free(job->drawn);
    return code;
}
