/*
 * spikemine bench episodes REC: times engines against each other in one run. Runs are interleaved
 * (A B C A B C ...), so that a machine whose speed drifts drifts for all.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "episode_job.h"

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

enum { MAX_ENTRANTS = 32, MAX_RUNS = 100 };

/* An engine with a number of passes. */
typedef struct entrant {
    char engine[32];
    spk_two_pass two_pass;
    double seconds[MAX_RUNS];
    uint64_t frequent;
    uint64_t digest; /* of the whole result: entrants must agree */
} entrant;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

static spk_status digest_level(void *user, const spk_episode_level *level,
                               const spk_episode_columns *episodes)
{
    entrant *e = user;
    e->frequent += level->frequent;
    for (uint64_t k = 0; k < episodes->n; k++) {
        e->digest = mix(e->digest, episodes->count[k]);
        for (uint64_t p = episodes->offset[k]; p < episodes->offset[k + 1]; p++)
            e->digest = mix(e->digest, (uint64_t)episodes->unit[p] << 16 | episodes->delay[p]);
    }
    return SPK_OK;
}

/* "sweep,fsm+two-pass" into entrants. */
static int parse_entrants(cli_session *session, const char *text, entrant *entrants, size_t *n)
{
    static const char suffix[] = "+two-pass";
    *n = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        size_t name = length;
        bool two = length > strlen(suffix) &&
                   memcmp(text + length - strlen(suffix), suffix, strlen(suffix)) == 0;
        name -= two ? strlen(suffix) : 0;
        if (*n == MAX_ENTRANTS || name == 0 || name >= sizeof entrants[0].engine)
            return cli_usage_error(session->command, "--engines: cannot read '%.40s'", text);
        memcpy(entrants[*n].engine, text, name);
        entrants[*n].engine[name] = '\0';
        entrants[(*n)++].two_pass = two ? SPK_TWO_PASS_ON : SPK_TWO_PASS_OFF;
        text += length + (text[length] == ',');
    }
    return CLI_DONE;
}

static spk_status race(cli_session *session, const spk_recording *recording,
                       spk_episode_options *options, uint64_t runs, entrant *entrants, size_t n)
{
    static spk_episode_summary summary;
    spk_status status = SPK_OK;
    for (uint64_t r = 0; r < runs && status == SPK_OK; r++) {
        for (size_t k = 0; k < n && status == SPK_OK; k++) {
            entrant *e = &entrants[k];
            options->engine = e->engine;
            options->two_pass = e->two_pass;
            e->frequent = 0;
            e->digest = 0;
            status =
                spk_episode_mine(session->context, recording, options, digest_level, e, &summary);
            e->seconds[r] = summary.seconds;
        }
    }
    return status;
}

static int print_table(cli_session *session, entrant *entrants, size_t n, uint64_t runs)
{
    double first = 0;
    bool agree = true;
    printf("engine\tmedian_s\tmin_s\tmax_s\tratio\tfrequent\n");
    for (size_t k = 0; k < n; k++) {
        entrant *e = &entrants[k];
        qsort(e->seconds, runs, sizeof e->seconds[0], by_size);
        double median = e->seconds[runs / 2];
        first = k == 0 ? median : first;
        printf("%s%s\t%.4f\t%.4f\t%.4f\t%.2f\t%" PRIu64 "\n", e->engine,
               e->two_pass == SPK_TWO_PASS_ON ? "+two-pass" : "", median, e->seconds[0],
               e->seconds[runs - 1], median / first, e->frequent);
        agree &= e->digest == entrants[0].digest && e->frequent == entrants[0].frequent;
    }
    if (!agree)
        return cli_fail(session, "the engines disagree: please report it with this recording");
    return CLI_DONE;
}

static int parse_job(cli_session *session, const values *v, const spk_recording *recording,
                     spk_delay *delays, spk_episode_options *options)
{
    spk_episode_options_init(options);
    for (size_t k = 0; k < v->delays.n; k++)
        if (cli_report(session, spk_delay_parse(session->context, v->delays.text[k], &delays[k])) !=
            CLI_DONE)
            return CLI_USAGE;
    if (cli_report(session, spk_episode_support_parse(session->context, recording, v->support,
                                                      &options->threshold)) != CLI_DONE)
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
    spk_delay *delays = calloc(v->delays.n, sizeof *delays);
    int code = CLI_DONE;
    if (entrants == NULL || delays == NULL) {
        code = cli_fail(session, "out of memory");
        goto done;
    }
    code = parse_entrants(session, v->engines, entrants, &n);
    if (code == CLI_DONE)
        code = cli_recording_read(session, &v->recording, arguments[0], &recording);
    if (code == CLI_DONE)
        code = parse_job(session, v, recording, delays, &options);
    if (code == CLI_DONE)
        code = cli_report(session, race(session, recording, &options, v->runs, entrants, n));
    cli_progress_clear(session);
    if (code == CLI_DONE)
        code = print_table(session, entrants, n, v->runs);
done:
    spk_recording_free(recording);
    free(entrants);
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
     .help = "what to time, separated by commas; NAME+two-pass for two passes"},
    {.name = "runs",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, runs),
     .fallback = "5",
     .minimum = 1,
     .maximum = MAX_RUNS,
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
        "of its median to that of the first. Fails when the engines disagree.",
    .examples =
        "  spikemine bench episodes rec.txt -d 5ms:10ms -s 173\n"
        "  spikemine bench episodes rec.txt -d 5ms:10ms -s 173 --engines sweep,fsm+two-pass",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
