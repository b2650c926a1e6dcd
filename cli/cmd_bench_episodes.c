/*
 * spikemine bench episodes REC: times the episode engines against each other, their runs
 * interleaved.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "commands.h"
#include "episode_job.h"
#include "numbers.h"

typedef struct values {
    cli_texts delays;
    const char *support;
    const char *engines;
    uint32_t max_size;
    uint64_t runs;
} values;

enum { MAX_CASES = 32 };

/* An engine with a number of passes and of GPUs. */
typedef struct setup {
    char engine[32];
    spk_two_pass two_pass;
    int gpus;
} setup;

/* Cases that are compared on one recording. */
typedef struct comparison {
    cli_session *session;
    const spk_recording *recording;
    spk_episode_options options; /* of all; engine, passes and GPUs are set for each run */
    uint64_t runs;
    size_t n;
    setup setups[MAX_CASES];
    bool on_gpu[MAX_CASES];
    bench_case *cases;
} comparison;

static spk_status count_level(void *user, const spk_episode_columns *episodes)
{
    ((bench_case *)user)->n_results += episodes->n;
    return SPK_OK;
}

static spk_status digest_level(void *user, const spk_episode_columns *episodes)
{
    bench_case *c = user;
    c->n_results += episodes->n;
    c->digest = bench_mix_episodes(c->digest, episodes);
    return SPK_OK;
}

/* "cuda-sweep@4+two-pass" into name, GPUs and passes; where there is no @ an engine for GPUs takes
 * one. */
static bool parse_case(const char *text, size_t length, setup *s)
{
    static const char suffix[] = "+two-pass";
    const size_t tail = sizeof suffix - 1;
    uint64_t gpus = 0;
    const bool two = length > tail && memcmp(text + length - tail, suffix, tail) == 0;
    length -= two ? tail : 0;
    size_t name = strcspn(text, "@");
    name = name < length ? name : length;
    if (name == 0 || name >= sizeof s->engine ||
        (name < length && !cli_whole_parse(text + name + 1, length - name - 1, 1, 1024, &gpus)))
        return false;
    snprintf(s->engine, sizeof s->engine, "%.*s", (int)name, text);
    s->gpus = (int)gpus;
    s->two_pass = two ? SPK_TWO_PASS_ON : SPK_TWO_PASS_OFF;
    return true;
}

/* "sweep,fsm+two-pass" into cases. */
static int parse_cases(comparison *c, const char *text)
{
    for (c->n = 0; *text != '\0'; c->n++) {
        const size_t length = strcspn(text, ",");
        setup *s = &c->setups[c->n];
        if (c->n == MAX_CASES || !parse_case(text, length, s))
            return cli_usage_error(c->session->command, "--engines: cannot read '%.40s'", text);
        c->on_gpu[c->n] = strncmp(s->engine, "cuda-", 5) == 0;
        snprintf(c->cases[c->n].name, sizeof c->cases[c->n].name, "%.*s", (int)length, text);
        text += length + (text[length] == ',');
    }
    return CLI_DONE;
}

static spk_status run_case(void *user, size_t k, int run)
{
    static spk_episode_summary summary; /* 3 kB of levels */
    comparison *c = user;
    bench_case *row = &c->cases[k];
    c->options.engine = c->setups[k].engine;
    c->options.two_pass = c->setups[k].two_pass;
    c->options.gpus = c->setups[k].gpus;
    row->n_results = 0;
    row->digest = 0;
    /* Looking at millions of results takes longer than finding them: once is enough. */
    bool last = run + 1 == (int)c->runs;
    double joules = cli_energy_joules(c->session);
    spk_status status = spk_episode_mine(c->session->context, c->recording, &c->options,
                                         last ? digest_level : count_level, row, &summary);
    if (run != BENCH_WARM_UP) {
        row->seconds[run] = summary.seconds;
        row->joules[run] = cli_energy_since(c->session, joules);
    }
    return status;
}

static int parse_job(comparison *c, const values *v, spk_delay *delays)
{
    cli_session *session = c->session;
    spk_episode_options_init(&c->options, sizeof c->options);
    int code = episode_job_delays(session, &v->delays, delays);
    if (code != CLI_DONE)
        return code;
    code = cli_report_usage(session, spk_episode_support_parse(session->context, c->recording,
                                                               v->support, &c->options.support));
    if (code != CLI_DONE)
        return code;
    c->options.delays = delays;
    c->options.n_delays = v->delays.n;
    c->options.max_size = v->max_size;
    return CLI_DONE;
}

static int run(cli_session *session, const void *raw)
{
    static bench_case cases[MAX_CASES]; /* 54 kB */
    const values *v = raw;
    spk_recording *recording = NULL;
    comparison c = {.session = session, .runs = v->runs, .cases = cases};
    spk_delay *delays = calloc(v->delays.n, sizeof *delays);
    int code = delays == NULL ? cli_fail(session, "out of memory") : parse_cases(&c, v->engines);
    if (code == CLI_DONE)
        code = cli_recording_read(session, session->arguments[0], &recording);
    c.recording = recording;
    if (code == CLI_DONE)
        code = parse_job(&c, v, delays);
    if (code == CLI_DONE)
        code = cli_report(session, bench_interleave(c.n, c.on_gpu, c.runs, run_case, &c));
    if (code == CLI_DONE) {
        bench_print_head(session, false);
        code = bench_print(session, NULL, c.cases, c.n, c.runs, NULL);
    }
    spk_recording_free(recording);
    free(delays);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("delay", values, delays),
    CLI_OPTION("support", values, support),
    CLI_OPTION("engines", values, engines),
    CLI_OPTION("runs", values, runs),
    CLI_OPTION("max-size", values, max_size),
    CLI_SHARED("threads", threads),
    CLI_SHARED("max-memory", max_memory),
    CLI_SHARED("energy", energy),
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_bench_episodes = {
    .name = "bench episodes",
    .arguments = "REC --delay LO:HI --support N",
    .summary = "time the episode engines against each other",
    .description =
        "Mines the recording with several engines in turn, several times. The table gives the\n"
        "median, smallest and largest mining time of each engine, without reading, and the ratio\n"
        "of its median to that of the first engine. The command fails when the engines disagree.",
    .more = "Engines on GPUs have a run before that is not timed.",
    .examples =
        "  spikemine bench episodes rec.txt -d 5ms:10ms -s 173\n"
        "  spikemine bench episodes rec.txt -d 5ms:10ms -s 173 --engines sweep,fsm+two-pass",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
