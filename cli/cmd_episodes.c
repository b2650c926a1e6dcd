/* spikemine episodes REC: finds all frequent episodes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "commands.h"
#include "episode_job.h"

typedef struct values {
    cli_texts delays;
    episode_support_values support;
    uint64_t max_size;
    int two_pass;
    episode_job_values job;
} values;

static void print_summary(cli_session *session, const spk_episode_summary *summary)
{
    uint64_t frequent = 0;
    for (uint32_t k = 0; k < summary->n_levels; k++)
        frequent += summary->level[k].frequent;
    uint32_t longest = 0;
    for (uint32_t k = 0; k < summary->n_levels; k++)
        longest = summary->level[k].frequent > 0 ? summary->level[k].size : longest;
    int threads = spk_context_threads(session->context);
    int processors = summary->gpus > 0 ? summary->gpus : threads;
    cli_progress_clear(session);
    fprintf(stderr,
            "%" PRIu64 " frequent episodes, the longest of size %" PRIu32
            "; mined in %.2f s by engine %s%s, %d %s%s%s%s\n",
            frequent, longest, summary->seconds, summary->engine,
            summary->two_pass ? " in two passes" : "", processors,
            summary->gpus > 0 ? "GPU" : "thread", processors == 1 ? "" : "s",
            summary->choice[0] != '\0' ? "; auto took " : "", summary->choice);
    const spk_episode_phases *phases = &summary->phases;
    cli_detail(session, "opening %.2f s, candidates %.2f s, first pass %.2f s, counting %.2f s",
               phases->opening, phases->candidates, phases->bounding, phases->counting);
}

static int search(cli_analysis *a, const spk_episode_options *options)
{
    const spk_analysis_options *o = &a->options;
    const bool is_test = o->compare != NULL || o->exact != NULL;
    a->support = options->support;
    a->occurrences_from = 2;
    a->as_listed = o->compare != NULL || a->session->shared->select.top > 0 || o->families;
    a->exact.episodes = options;
    a->options.episodes = o->exact != NULL ? NULL : options;
    int code = cli_figure_check_range(a->session, &a->look, a->recording);
    if (code == CLI_DONE)
        code = cli_analysis_run(a);
    const spk_episode_summary *summary = a->found != NULL ? a->found->episode_summary : NULL;
    if (code == CLI_DONE && summary != NULL && (is_test || summary->complete) && !a->session->quiet)
        print_summary(a->session, summary);
    return code;
}

/* Of both tests, which share --alpha, --seed and --report. */
static int take_tests(cli_analysis *a)
{
    int code = cli_compare_take(a);
    if (code == CLI_DONE)
        code = cli_exact_take(a);
    cli_shard_tell(a->session, false);
    return code;
}

/* What this rank reads: families look at the whole recording, and so does the choice of a support.
 */
static void take_part(cli_session *session, const values *v, const spk_delay *delays, size_t n,
                      spk_read_part *part)
{
    if (!session->shared->families && strcmp(v->support.support, "auto") != 0)
        episode_part_take(session, &v->job, delays, n, (uint32_t)v->max_size, part);
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_recording *recording = NULL;
    spk_delay *delays = NULL;
    spk_read_part part;
    cli_analysis a;
    char why[EPISODE_SUPPORT_TEXT];
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    cli_analysis_begin(&a, session, "episode");
    int code = take_tests(&a);
    if (code == CLI_DONE)
        code = episode_job_take_delays(session, &v->delays, &delays, &options.n_delays);
    if (code == CLI_DONE) /* told before a long file is read */
        code = episode_support_check(session, &v->support);
    if (code == CLI_DONE)
        code = episode_job_check(&a, NULL);
    if (code == CLI_DONE) {
        take_part(session, v, delays, options.n_delays, &part);
        code = cli_recording_read(session, session->arguments[0], &recording);
    }
    if (code == CLI_DONE)
        code = cli_compare_read(&a, &recording);
    if (code == CLI_DONE) {
        episode_job_engine(session, &v->job, &options);
        options.delays = delays;
        options.max_size = (uint32_t)v->max_size;
        options.two_pass = (spk_two_pass)v->two_pass;
        code = episode_job_check_delays(session, recording, delays, options.n_delays, v->max_size);
        if (code == CLI_DONE)
            code = episode_support_take(&a, &v->support, recording, &options, why);
    }
    if (code == CLI_DONE) {
        a.recording = recording;
        a.support_choice = why;
        code = search(&a, &options);
    }
    session->part = NULL;
    cli_analysis_free(&a);
    spk_recording_free(recording);
    free(delays);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("delay", values, delays),
    CLI_OPTION("support", values, support.support),
    EPISODE_SUPPORT_OPTIONS(values, support),
    CLI_OPTION("max-size", values, max_size),
    CLI_OPTION("two-pass", values, two_pass),
    CLI_SELECT_OPTIONS,
    CLI_RECORDING_OPTIONS,
    EXACT_TEST_OPTIONS,
    CLI_COMPARE_OPTIONS,
    EPISODE_ENGINE_OPTIONS(values, job),
    EPISODE_OUTPUT_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_episodes = {
    .name = "episodes",
    .table = true,
    .arguments = "REC --delay LO:HI --support N",
    .summary = "find all frequent serial episodes A -> B -> C with delay intervals",
    .description =
        "Finds every serial episode that is frequent. An episode is a chain of units; each unit\n"
        "fires within a delay interval after the one before it. The count of an episode is the\n"
        "largest number of its occurrences that do not overlap. Counts are exact.\n"
        "\n"
        "Each unit of an occurrence fires, within its delays. For whole sequences with all of "
        "their\n"
        "units, although delays vary and spikes are missing, see spikemine sequences.\n"
        "\n"
        "REC is a text file with two columns, time and unit, plain or compressed. The name -\n"
        "stands for standard input. The table has the columns size, count and episode. The\n"
        "episode 56 (5ms,10ms] 49 means: unit 49 fires more than 5 ms and at most 10 ms after\n"
        "unit 56.\n"
        "\n"
        "When a signal, a limit or a full disk ends the search early, all sizes that are\n"
        "complete go to FILE.incomplete (-o FILE), which says why. A second signal ends the\n"
        "program at once.",
    .examples =
        "  spikemine episodes rec.txt --delay 5ms:10ms --support 0.1%\n"
        "  spikemine episodes rec.csv.gz -d 0:5ms -d 5ms:10ms -d 10ms:15ms -s 173 -o out.tsv\n"
        "  spikemine episodes rec.txt -d 5ms:10ms -s 500 --figure rec.png --occurrences occ.tsv\n"
        "  spikemine episodes rec.txt -d 5ms:10ms -s 50 --test exact --jitter 25ms\n"
        "  spikemine episodes rec.txt --trials trials.txt -d 5ms:10ms -s 50 --compare-trials "
        "labels.txt\n"
        "  spikemine episodes spikes.txt --time-unit samples@30000 -d 1ms:4ms -s 100 --format json",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
