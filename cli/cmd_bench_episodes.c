/*
 * spikemine bench episodes REC: times engines against each other in one run. Runs are interleaved
 * (A B C A B C ...), so that a machine whose speed drifts drifts for all.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "commands.h"

typedef struct values {
    cli_recording_values recording;
    cli_texts delays;
    const char *support;
    const char *engines;
    uint64_t max_size;
    uint64_t runs;
    uint64_t threads;
    uint64_t max_memory;
} values;

enum { MAX_ENTRANTS = 32 };

/* An engine with a number of passes and of GPUs. */
typedef struct entrant {
    char engine[32];
    spk_two_pass two_pass;
    int gpus;
} entrant;

static spk_status count_level(void *user, const spk_episode_level *level,
                              const spk_episode_columns *episodes)
{
    (void)episodes;
    ((bench_entrant *)user)->n_results += level->frequent;
    return SPK_OK;
}

static spk_status digest_level(void *user, const spk_episode_level *level,
                               const spk_episode_columns *episodes)
{
    bench_entrant *e = user;
    e->n_results += level->frequent;
    e->digest = bench_mix_episodes(e->digest, episodes);
    return SPK_OK;
}

/* "cuda-sweep@4" into name and GPUs; where there is no @ an engine for GPUs takes one. */
static bool parse_engine(const char *text, size_t length, entrant *e)
{
    char *end = NULL;
    size_t name = strcspn(text, "@");
    name = name < length ? name : length;
    if (name == 0 || name >= sizeof e->engine)
        return false;
    memcpy(e->engine, text, name);
    e->engine[name] = '\0';
    e->gpus = 0;
    if (name == length)
        return true;
    long n = strtol(text + name + 1, &end, 10);
    e->gpus = n > 0 && n <= 1024 ? (int)n : 0;
    return end == text + length && e->gpus > 0;
}

/* "sweep,fsm+two-pass" into entrants. */
static int parse_entrants(cli_session *session, const char *text, entrant *entrants,
                          bench_entrant *rows, size_t *n)
{
    static const char suffix[] = "+two-pass";
    *n = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        size_t name = length;
        bool two = length > strlen(suffix) &&
                   memcmp(text + length - strlen(suffix), suffix, strlen(suffix)) == 0;
        name -= two ? strlen(suffix) : 0;
        if (*n == MAX_ENTRANTS || !parse_engine(text, name, &entrants[*n]))
            return cli_usage_error(session->command, "--engines: cannot read '%.40s'", text);
        snprintf(rows[*n].name, sizeof rows[*n].name, "%.*s", (int)length, text);
        entrants[(*n)++].two_pass = two ? SPK_TWO_PASS_ON : SPK_TWO_PASS_OFF;
        text += length + (text[length] == ',');
    }
    return CLI_DONE;
}

/* GPUs start once a process: the first run on one does not count. */
static bool runs_on_gpus(const char *engine)
{
    spk_engine_info info;
    for (size_t k = 0; spk_engine_describe(NULL, SPK_EPISODES, k, &info) == SPK_OK; k++)
        if (strcmp(info.name, engine) == 0)
            return info.on_gpu;
    return false;
}

static spk_status race(cli_session *session, const spk_recording *recording,
                       spk_episode_options *options, uint64_t runs, const entrant *entrants,
                       bench_entrant *rows, size_t n)
{
    static spk_episode_summary summary;
    spk_status status = SPK_OK;
    for (uint64_t r = 0; r <= runs && status == SPK_OK; r++) {
        for (size_t k = 0; k < n && status == SPK_OK; k++) {
            if (r == 0 && !runs_on_gpus(entrants[k].engine))
                continue;
            options->engine = entrants[k].engine;
            options->two_pass = entrants[k].two_pass;
            options->gpus = entrants[k].gpus;
            rows[k].n_results = 0;
            rows[k].digest = 0;
            bench_settle();
            /* Looking at millions of results takes longer than finding them: once is enough. */
            status = spk_episode_mine(session->context, recording, options,
                                      r == runs ? digest_level : count_level, &rows[k], &summary);
            if (r > 0)
                rows[k].seconds[r - 1] = summary.seconds;
        }
    }
    return status;
}

static int parse_job(cli_session *session, const values *v, const spk_recording *recording,
                     spk_delay *delays, spk_episode_options *options)
{
    spk_episode_options_init(options, sizeof *options);
    for (size_t k = 0; k < v->delays.n; k++)
        if (cli_report(session, spk_delay_parse(session->context, v->delays.text[k], &delays[k])) !=
            CLI_DONE)
            return CLI_USAGE;
    if (cli_report(session, spk_episode_support_parse(session->context, recording, v->support,
                                                      &options->support)) != CLI_DONE)
        return CLI_USAGE;
    options->delays = delays;
    options->n_delays = v->delays.n;
    options->max_size = (uint32_t)v->max_size;
    spk_context_set_threads(session->context, (int)v->threads);
    spk_context_set_memory_limit(session->context, v->max_memory);
    return CLI_DONE;
}

static int run(cli_session *session, const void *raw, int n_arguments, char **arguments)
{
    (void)n_arguments;
    const values *v = raw;
    spk_recording *recording = NULL;
    spk_episode_options options;
    size_t n = 0;
    if (v->delays.n == 0 || v->support == NULL)
        return cli_usage_error(session->command, "needs --delay and --support, as episodes does");
    entrant *entrants = calloc(MAX_ENTRANTS, sizeof *entrants);
    bench_entrant *rows = calloc(MAX_ENTRANTS, sizeof *rows);
    spk_delay *delays = calloc(v->delays.n, sizeof *delays);
    int code = CLI_DONE;
    if (entrants == NULL || rows == NULL || delays == NULL) {
        code = cli_fail(session, "out of memory");
        goto done;
    }
    code = parse_entrants(session, v->engines, entrants, rows, &n);
    if (code == CLI_DONE)
        code = cli_recording_read(session, &v->recording, arguments[0], &recording);
    if (code == CLI_DONE)
        code = parse_job(session, v, recording, delays, &options);
    if (code == CLI_DONE)
        code = cli_report(session, race(session, recording, &options, v->runs, entrants, rows, n));
    if (code == CLI_DONE) {
        printf("engine\tmedian_s\tmin_s\tmax_s\tratio\tfrequent\n");
        code = bench_print(session, NULL, rows, n, v->runs, NULL);
    }
done:
    spk_recording_free(recording);
    free(entrants);
    free(rows);
    free(delays);
    return code;
}

static const cli_option options[] = {
    {.name = "delay",
     .letter = 'd',
     .kind = CLI_TEXTS,
     .argument = "LO:HI",
     .offset = offsetof(values, delays),
     .help = "delay interval, as in episodes"},
    {.name = "support",
     .letter = 's',
     .kind = CLI_TEXT,
     .argument = "N|P%",
     .offset = offsetof(values, support),
     .help = "support, as in episodes"},
    {.name = "engines",
     .kind = CLI_TEXT,
     .argument = "LIST",
     .offset = offsetof(values, engines),
     .fallback = "sweep,fsm+two-pass,fsm,reference",
     .help = "what to time, separated by commas; NAME@N for N GPUs, NAME+two-pass for two passes"},
    {.name = "runs",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, runs),
     .fallback = "5",
     .minimum = 1,
     .maximum = BENCH_MAX_RUNS,
     .help = "runs of each; the table gives median, minimum and maximum"},
    {.name = "max-size",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, max_size),
     .fallback = "64",
     .minimum = 1,
     .maximum = SPK_EPISODE_MAX_SIZE,
     .help = "longest episode"},
    {.name = "threads",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, threads),
     .fallback = "1",
     .minimum = 1,
     .maximum = 4096,
     .help = "worker threads"},
    {.name = "max-memory",
     .kind = CLI_BYTES,
     .argument = "SIZE",
     .offset = offsetof(values, max_memory),
     .help = "memory for mining beyond the recording itself"},
    CLI_RECORDING_OPTIONS(values, recording),
    CLI_END,
};

const cli_command cli_cmd_bench_episodes = {
    .name = "bench episodes",
    .arguments = "REC --delay LO:HI --support N",
    .summary = "time the episode engines against each other",
    .description =
        "Mines the recording with several engines in turn, several times, and prints the\n"
        "median, smallest and largest mining time of each (reading excluded) and the ratio\n"
        "of its median to that of the first. Fails when the engines disagree. Engines on GPUs\n"
        "run once before.",
    .examples =
        "  spikemine bench episodes rec.txt -d 5ms:10ms -s 173\n"
        "  spikemine bench episodes rec.txt -d 5ms:10ms -s 173 --engines sweep,fsm+two-pass",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
