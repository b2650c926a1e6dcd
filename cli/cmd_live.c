/* spikemine live SOURCE --delay LO:HI: mines what comes in, stretch by stretch. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "episode_job.h"
#include "live_job.h"

typedef struct values {
    live_values live;
    cli_texts delays;
    const char *support;
    uint32_t max_size;
    cli_duration partition;
    cli_duration step;
    bool keep_up;
    uint32_t backlog;
    spk_duration jitter;
    cli_count top;
} values;

static_assert(offsetof(values, live) == 0, "LIVE_WATCH_OPTIONS has offsets from there");

static void set_partitions(const cli_shared *s, const values *v,
                           const spk_episode_options *episodes, spk_partitions_options *out)
{
    const spk_duration zero = {0, 0, 0}; /* fits the source */
    spk_partitions_options_init(out, sizeof *out);
    out->length = v->partition.given ? v->partition.value : zero;
    out->step = v->step.given ? v->step.value : zero;
    out->episodes = episodes;
    out->support_text = v->support;
    out->exact_test = s->test == CLI_TEST_EXACT;
    out->surrogates = (uint32_t)s->n_surrogates;
    out->alpha = s->alpha;
    out->seed = s->seed;
    out->null_window = v->jitter;
    out->null = s->null > 0 ? spk_exact_null_get((size_t)s->null - 1)->name : NULL;
    if (s->history.given)
        out->history = s->history.value;
    out->keep_up = v->keep_up;
    out->backlog = v->backlog;
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

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    const bool replay = cli_is_replay(session->arguments[0]);
    spk_delay *delays = NULL;
    spk_episode_options episodes;
    spk_partitions_options partitions;
    spk_episode_options_init(&episodes, sizeof episodes);
    int code = episode_job_take_delays(session, &v->delays, &delays, &episodes.n_delays);
    if (code == CLI_DONE)
        code = check(session, v);
    if (code == CLI_DONE) {
        episodes.delays = delays;
        episodes.max_size = v->max_size;
        episodes.engine = session->shared->engine;
        episodes.gpus = cli_gpus(session->shared->gpus);
        set_partitions(session->shared, v, &episodes, &partitions);
        live_job job = {.session = session,
                        .values = &v->live,
                        .partitions = &partitions,
                        .top = v->top.given ? v->top.value : 10,
                        .top_given = v->top.given && !v->top.word};
        if (v->top.word)
            job.top = UINT64_MAX;
        if (partitions.exact_test && replay && !partitions.wait)
            cli_note(session, "a partition is tested where time allows; --speed max has no clock "
                              "and tests every partition");
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
    CLI_SHARED("test", test),
    CLI_OPTION("jitter", values, jitter),
    CLI_SHARED("null", null),
    CLI_SHARED("history", history),
    CLI_SHARED("surrogates", n_surrogates),
    CLI_SHARED("alpha", alpha),
    CLI_SHARED("seed", seed),
    CLI_HEADING("watching"),
    LIVE_WATCH_OPTIONS,
    LIVE_SOURCE_OPTIONS,
    CLI_HEADING("computing"),
    CLI_SHARED("engine", engine),
    CLI_SHARED("gpus", gpus),
    LIVE_OUTPUT_OPTIONS,
    CLI_RECORDING_OPTIONS,
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
    .run = run,
};
