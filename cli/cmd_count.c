/* spikemine count REC --episodes LIST: counts given episodes, and tests them. */
#include <inttypes.h>

#include "commands.h"
#include "episode_job.h"

typedef struct values {
    cli_texts episodes;
    episode_job_values job;
} values;

static int count(cli_analysis *a, const spk_episode_options *options, spk_episode_list *list)
{
    static spk_episode_summary summary; /* 3 kB of levels */
    cli_session *session = a->session;
    a->counted = &summary;
    int code = cli_analysis_open(a);
    if (code != CLI_DONE)
        return code;
    spk_status status = spk_episode_count(session->context, a->recording, options, list, &summary);
    if (status == SPK_OK) {
        spk_episode_columns columns = spk_episode_list_columns(list);
        status = cli_analysis_add_episodes(a, &columns);
        cli_detail(session, "%" PRIu64 " episode%s counted in %.2f s by engine %s", columns.n,
                   columns.n == 1 ? "" : "s", summary.seconds, summary.engine);
    }
    return cli_analysis_close(a, status);
}

static int test(cli_analysis *a, const spk_episode_options *options, const spk_episode_list *list)
{
    const spk_episode_columns given = spk_episode_list_columns(list);
    a->support = options->support;
    a->exact.episodes = options;
    a->exact.given = &given;
    return cli_analysis_run(a);
}

/* Reads the recording, and the list for it. */
static int read(cli_session *session, const values *v, spk_recording **recording,
                spk_episode_list **list)
{
    spk_recording *widened = NULL;
    int code = cli_recording_read(session, session->arguments[0], recording);
    if (code == CLI_DONE)
        code = cli_report(session,
                          spk_episode_list_read_widened(session->context, *recording, v->episodes.n,
                                                        v->episodes.text, &widened, list));
    if (widened != NULL) {
        spk_recording_free(*recording);
        *recording = widened;
    }
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_recording *recording = NULL;
    spk_episode_list *list = NULL;
    spk_episode_options options;
    cli_analysis a;
    spk_read_part part;
    spk_episode_options_init(&options, sizeof options);
    cli_analysis_begin(&a, session, "episode");
    int code = cli_exact_take(&a);
    cli_shard_tell(session, false);
    if (code == CLI_DONE)
        code = episode_job_check(&a, &v->episodes);
    if (code == CLI_DONE) {
        episode_part_take_list(session, &v->job, &v->episodes, &part);
        code = read(session, v, &recording, &list);
    }
    if (code == CLI_DONE) {
        spk_episode_columns columns = spk_episode_list_columns(list);
        code = episode_job_check_delays(session, recording, columns.delays, columns.n_delays, 0);
    }
    if (code == CLI_DONE)
        code = cli_figure_check_range(session, &a.look, recording);
    if (code == CLI_DONE) {
        a.recording = recording;
        a.as_listed = true;
        a.occurrences_from = 1;
        episode_job_engine(session, &v->job, &options);
        code = a.options.exact != NULL ? test(&a, &options, list) : count(&a, &options, list);
    }
    session->part = NULL;
    cli_analysis_free(&a);
    spk_episode_list_free(list);
    spk_recording_free(recording);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("episodes", values, episodes),
    CLI_RECORDING_OPTIONS,
    CLI_HEADING("test against chance"),
    CLI_TEST_AGAINST_CHANCE,
    CLI_SHARED("seed", seed),
    CLI_SHARED("alpha", alpha),
    CLI_SHARD_OPTIONS,
    EPISODE_ENGINE_OPTIONS(values, job),
    EPISODE_OUTPUT_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_count = {
    .name = "count",
    .table = true,
    .arguments = "REC --episodes FILE|EPISODE",
    .summary = "count given episodes, and test whether they are chance",
    .description =
        "Counts given episodes in a recording, for example episodes that were found in another\n"
        "recording. The table has the order of the list and the columns of spikemine episodes.\n"
        "\n"
        "An episode is written 56 (5ms,10ms] 49 (5ms,10ms] 12: labels and delay intervals in\n"
        "turn. The end of an interval may be inf. A line that begins with # is a comment. A\n"
        "label stands in double quotes when it holds blanks, brackets, commas, quotes or control\n"
        "characters, or begins with #. In quotes, \"\" stands for a quote, \\\\ for a backslash "
        "and\n"
        "\\t for a tab.\n"
        "\n"
        "A unit that the recording lacks never fires. A note names it, and episodes with it have\n"
        "count 0.\n"
        "\n"
        "With --test exact each episode gets a p-value that takes all given ones into account,\n"
        "and its steps are counted in the other direction, too: does A lead B?",
    .examples = "  spikemine count rec.txt --episodes list.txt\n"
                "  spikemine episodes a.txt -d 5ms:10ms -s 200 | spikemine count b.txt -e -\n"
                "  spikemine count rec.txt -e '2 (5ms,10ms] 57' --occurrences occ.tsv\n"
                "  spikemine count rec.txt -e '2 (2ms,5ms] 57' -e '57 (2ms,5ms] 2' --test exact",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
