/* spikemine live SOURCE --delay LO:HI: mines what comes in, stretch by stretch. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "episode_job.h"
#include "exact_test.h"
#include "live_job.h"

typedef struct values {
    live_values live;
    cli_texts delays;
    const char *support;
    uint64_t max_size;
    cli_duration partition;
    cli_duration step;
    bool keep_up;
    uint64_t backlog;
    int test;
    cli_duration jitter;
    int null;
    cli_duration history;
    uint64_t n_surrogates;
    double alpha;
    uint64_t seed;
    const char *engine;
    cli_count gpus;
    cli_count top;
} values;

static void set_partitions(const values *v, const spk_episode_options *episodes,
                           spk_partitions_options *out)
{
    const spk_duration zero = {0, 0, 0}; /* fits the source */
    spk_partitions_options_init(out, sizeof *out);
    out->length = v->partition.given ? v->partition.value : zero;
    out->step = v->step.given ? v->step.value : zero;
    out->episodes = episodes;
    out->support_text = v->support;
    out->exact_test = v->test == 1;
    out->surrogates = (uint32_t)v->n_surrogates;
    out->alpha = v->alpha;
    out->seed = v->seed;
    out->null_window = v->jitter.value;
    out->null = v->null > 0 ? spk_exact_null_get((size_t)v->null - 1)->name : NULL;
    if (v->history.given)
        out->history = v->history.value;
    out->keep_up = v->keep_up;
    out->backlog = (uint32_t)v->backlog;
    out->worker = true;
    /* A recording that is replayed as fast as possible waits for its mining. */
    out->wait = strcmp(v->live.speed, "max") == 0;
}

static int check(cli_session *session, const values *v)
{
    uint64_t unused = 0;
    return cli_report_usage(session,
                            spk_episode_support_parse(session->context, NULL, v->support, &unused));
}

static int run(cli_session *session, const void *raw, int n_arguments, char **arguments)
{
    (void)n_arguments;
    const values *v = raw;
    spk_delay *delays = NULL;
    spk_episode_options episodes;
    spk_partitions_options partitions;
    spk_episode_options_init(&episodes, sizeof episodes);
    int code = episode_job_take_delays(session, &v->delays, &delays, &episodes.n_delays);
    if (code == CLI_DONE)
        code = check(session, v);
    if (code == CLI_DONE) {
        episodes.delays = delays;
        episodes.max_size = (uint32_t)v->max_size;
        episodes.engine = v->engine;
        episodes.gpus = episode_job_gpus(v->gpus);
        set_partitions(v, &episodes, &partitions);
        live_job job = {.session = session,
                        .values = &v->live,
                        .source = arguments[0],
                        .partitions = &partitions,
                        .top = v->top.given ? v->top.value : 10,
                        .top_given = v->top.given && !v->top.word};
        if (v->top.word)
            job.top = UINT64_MAX;
        code = live_job_run(&job);
    }
    free(delays);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("delay", values, delays),
    CLI_OPTION("support", values, support),
    CLI_OPTION("partition", values, partition),
    CLI_OPTION("step", values, step),
    CLI_OPTION("max-size", values, max_size),
    CLI_OPTION("top", values, top),
    CLI_OPTION("keep-up", values, keep_up),
    CLI_OPTION("backlog", values, backlog),
    CLI_HEADING("test against chance"),
    CLI_OPTION("test", values, test),
    CLI_OPTION("jitter", values, jitter),
    CLI_OPTION("null", values, null),
    CLI_OPTION("history", values, history),
    CLI_OPTION("surrogates", values, n_surrogates),
    CLI_OPTION("alpha", values, alpha),
    CLI_OPTION("seed", values, seed),
    CLI_HEADING("watching"),
    LIVE_WATCH_OPTIONS(values, live),
    LIVE_SOURCE_OPTIONS(values, live),
    CLI_HEADING("computing"),
    CLI_OPTION("engine", values, engine),
    CLI_OPTION("gpus", values, gpus),
    LIVE_OUTPUT_OPTIONS(values, live),
    CLI_RECORDING_OPTIONS(values, live.recording),
    CLI_END,
};

const cli_command cli_cmd_live = {
    .name = "live",
    .arguments = "SOURCE --delay LO:HI --support N",
    .summary = "find episodes while the recording runs, stretch by stretch",
    .description =
        "Mines spikes that come in now. Overlapping partitions of the stream are mined\n"
        "completely while the next one fills; each result is that of spikemine episodes on the\n"
        "same slice. Each episode is followed over partitions: new, growing, steady, shrinking,\n"
        "vanished.\n"
        "\n" CLI_LIVE_SOURCES "\n"
        "When mining falls behind, the support stays: partitions are skipped, counted and told.\n"
        "--keep-up raises the support instead, and every result says so. A replay with\n"
        "--speed max waits for mining and skips nothing.\n"
        "\n"
        "With --episodes or --patterns these are watched as by spikemine watch. A partition is a\n"
        "line of JSON on standard output, on a terminal a table. --page shows all of it in a\n"
        "browser. Ctrl-C ends the run within a second: what has come is mined if that is quick,\n"
        "else skipped, files are completed, and a summary is told.",
    .examples =
        "  spikemine live open-ephys://rig:5556 -d 5ms:10ms -s 0.2% --page 8080\n"
        "  spikemine live recording.nwb --speed 10 -d 5ms:10ms -s 0.2% --partition 30s --step 10s\n"
        "  spikemine live tcp://rig:4000 -d 0:10ms -s 50 --test exact --keep-up --record "
        "today.txt\n"
        "  spikemine live intan://rig:5002 -d 5ms:10ms -s 0.2% --episodes known.txt --emit "
        "stdout,tcp:7000",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
