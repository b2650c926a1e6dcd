/* What commands that search for episodes have in common: delays, support, files, the part of a
 * rank. */
#include "episode_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spikemine/analysis.h"
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

int episode_job_check(cli_analysis *a, const cli_texts *lists)
{
    cli_session *session = a->session;
    const cli_shared *v = session->shared;
    char *tuning = NULL;
    const spk_figure_kind kind =
        v->test == CLI_TEST_EXACT ? SPK_FIGURE_EXACT_EPISODES : SPK_FIGURE_EPISODES;
    int code = cli_figure_prepare(session, kind, &a->look);
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

/* ---- support --------------------------------------------------------------------------------- */

static bool is_auto(const char *text)
{
    return strcmp(text, "auto") == 0;
}

int episode_support_check(cli_session *session, const episode_support_values *values)
{
    uint64_t unused = 0;
    return is_auto(values->support)
               ? CLI_DONE
               : cli_report_usage(session, spk_episode_support_parse(session->context, NULL,
                                                                     values->support, &unused));
}

static spk_status choose(const cli_analysis *a, const episode_support_values *values,
                         const spk_recording *recording, spk_episode_options *options,
                         char why[EPISODE_SUPPORT_TEXT])
{
    cli_session *session = a->session;
    spk_analysis_options job;
    spk_chosen_support chosen;
    spk_exact_options exact;
    spk_analysis_options_init(&job, sizeof job);
    if (a->options.exact != NULL) {
        exact = a->exact;
        exact.episodes = options;
        job.exact = &exact;
    } else {
        job.episodes = options;
    }
    spk_status status = spk_analysis_choose_support(
        session->context, recording, &job, session->shared->seed, values->time.value, &chosen);
    if (status != SPK_OK)
        return status;
    options->support = chosen.choice.support;
    options->link_share = chosen.choice.link_share;
    snprintf(why, EPISODE_SUPPORT_TEXT, "%s", chosen.why);
    cli_note(session, "support %" PRIu64 ": %s", options->support, why);
    return SPK_OK;
}

int episode_support_take(const cli_analysis *a, const episode_support_values *values,
                         const spk_recording *recording, spk_episode_options *options,
                         char why[EPISODE_SUPPORT_TEXT])
{
    cli_session *session = a->session;
    why[0] = '\0';
    options->link_share = values->link_share;
    if (is_auto(values->support))
        return cli_report(session, choose(a, values, recording, options, why));
    return cli_report_usage(session, spk_episode_support_parse(session->context, recording,
                                                               values->support, &options->support));
}

/* ---- what a rank reads ----------------------------------------------------------------------- */

static bool is_divided(const cli_session *session, const episode_job_values *job)
{
    const cli_shared *v = session->shared;
    return session->ranks != NULL && job->divide == (int)SPK_DIVIDE_TIME && v->figure == NULL &&
           v->occurrences == NULL && v->page == NULL;
}

void episode_part_take(cli_session *session, const episode_job_values *job, const spk_delay *delays,
                       size_t n, uint32_t max_size, spk_read_part *part)
{
    if (!is_divided(session, job))
        return;
    *part = (spk_read_part){
        .number = session->ranks->rank, .n = session->ranks->n_ranks, .steps = max_size - 1};
    for (size_t d = 0; d < n; d++)
        if (d == 0 || spk_duration_compare(delays[d].hi, part->reach) > 0)
            part->reach = delays[d].hi;
    session->part = part;
}

/* Reads the lists as those of a recording without units, in a context that says nothing. */
static spk_status read_list(spk_context *context, const cli_texts *lists, spk_episode_list **out)
{
    spk_recording *none = NULL, *widened = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.rate = (spk_rate){1, 1};
    spk_status status = spk_recording_create(context, &source, &none);
    if (status == SPK_OK)
        status = spk_episode_list_read_widened(context, none, lists->n, lists->text, &widened, out);
    spk_recording_free(widened);
    spk_recording_free(none);
    return status;
}

void episode_part_take_list(cli_session *session, const episode_job_values *job,
                            const cli_texts *lists, spk_read_part *part)
{
    spk_context *quiet = NULL;
    spk_episode_list *list = NULL;
    if (!is_divided(session, job) || spk_context_create(&quiet) != SPK_OK)
        return;
    if (read_list(quiet, lists, &list) == SPK_OK) {
        uint64_t longest = 1;
        spk_episode_columns e = spk_episode_list_columns(list);
        for (uint64_t k = 0; k < e.n; k++)
            if (e.offset[k + 1] - e.offset[k] > longest)
                longest = e.offset[k + 1] - e.offset[k];
        episode_part_take(session, job, e.delays, e.n_delays, (uint32_t)longest, part);
    }
    spk_episode_list_free(list);
    spk_context_free(quiet);
}
