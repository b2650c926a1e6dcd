/* The support of a search, and the part of a rank. */
#include "episode_job.h"

#include <inttypes.h>
#include <string.h>

#include "spikemine/analysis.h"

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

static spk_status choose(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *test,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT])
{
    spk_analysis_options job;
    spk_chosen_support chosen;
    spk_exact_options exact;
    spk_analysis_options_init(&job, sizeof job);
    if (test->wanted) {
        exact = test->test;
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

int episode_support_take(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *test,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT])
{
    why[0] = '\0';
    options->link_share = values->link_share;
    if (is_auto(values->support))
        return cli_report(session, choose(session, values, recording, test, options, why));
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
