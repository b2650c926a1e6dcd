/* spikemine bench patterns: times the SPADE engines against each other in one run, job by job. */
#include <inttypes.h>
#include <string.h>

#include "bench.h"
#include "commands.h"
#include "numbers.h"

typedef struct values {
    spk_duration bin;
    uint32_t window;
    const char *jobs;
    const char *engines;
    uint64_t runs;
} values;

enum { MAX_CASES = 8 };

/* Cases that are compared on one recording, job by job. */
typedef struct comparison {
    cli_session *session;
    const values *v;
    const spk_windows *windows;
    spk_pattern_options options; /* of the job; the engine is set for each run */
    size_t n;
    bench_case *cases;
    double medians[MAX_CASES];
} comparison;

/* Engines give patterns in orders of their own, so the digest is a sum over patterns. */
static spk_status digest_patterns(void *user, const spk_pattern_columns *patterns)
{
    bench_case *row = user;
    for (uint64_t k = 0; k < patterns->n; k++) {
        uint64_t digest = bench_mix(0, patterns->count[k]);
        for (uint64_t p = patterns->offset[k]; p < patterns->offset[k + 1]; p++)
            digest = bench_mix(digest, patterns->item[p]);
        row->digest += digest;
    }
    row->n_results += patterns->n;
    return SPK_OK;
}

/* A run for the time, without a sink, as the issue of speed is the miner; the first run of all is
 * followed by one that digests the result. */
static spk_status run_case(void *user, size_t k, int run)
{
    comparison *c = user;
    spk_context *context = c->session->context;
    spk_pattern_summary summary;
    bench_case *row = &c->cases[k];
    c->options.engine = row->name;
    double joules = cli_energy_joules(c->session);
    spk_status status = spk_pattern_mine(context, c->windows, &c->options, NULL, NULL, &summary);
    row->seconds[run] = summary.mine_s;
    row->joules[run] = cli_energy_since(c->session, joules);
    if (status != SPK_OK || run > 0)
        return status;
    row->n_results = 0;
    row->digest = 0;
    return spk_pattern_mine(context, c->windows, &c->options, digest_patterns, row, &summary);
}

static int run_job(comparison *c, uint64_t occurrences, uint64_t spikes)
{
    spk_pattern_options_init(&c->options, sizeof c->options);
    c->options.support = occurrences;
    c->options.min_spikes = (uint32_t)spikes;
    c->options.min_neurons = (uint32_t)spikes;
    c->options.moving_window_filter = false;
    int code = cli_report(c->session, bench_interleave(c->n, NULL, c->v->runs, run_case, c));
    if (code != CLI_DONE)
        return code;
    char job[64];
    snprintf(job, sizeof job, "%" PRIu64 ",%" PRIu64, occurrences, spikes);
    return bench_print(c->session, job, c->cases, c->n, c->v->runs, c->medians);
}

/* Reads "88,2"; false where it is no pair of numbers. */
static bool parse_job(const char *text, size_t length, uint64_t *occurrences, uint64_t *spikes)
{
    size_t comma = strcspn(text, ",");
    return comma < length && cli_whole_parse(text, comma, 1, UINT32_MAX, occurrences) &&
           cli_whole_parse(text + comma + 1, length - comma - 1, 1, UINT32_MAX, spikes);
}

/* "88,2;25,3": each job a pair of numbers; without `run` they are only looked at, so that what is
 * none is told before the first one runs. */
static int each_job(comparison *c, bool run)
{
    int code = CLI_DONE;
    for (const char *at = c->v->jobs; code == CLI_DONE && *at != '\0';) {
        size_t length = strcspn(at, ";");
        uint64_t occurrences = 0;
        uint64_t spikes = 0;
        if (!parse_job(at, length, &occurrences, &spikes))
            code = cli_usage_error(c->session->command,
                                   "--jobs: cannot read '%.40s'; write OCCURRENCES,SPIKES;...", at);
        else if (run)
            code = run_job(c, occurrences, spikes);
        at += length + (at[length] == ';');
    }
    return code;
}

static int run_jobs(comparison *c)
{
    bench_print_head(c->session, true);
    int code = each_job(c, true);
    for (size_t k = 0; k < c->n && code == CLI_DONE; k++)
        printf("sum\t%s\t%.4f\t\t\t%.2f\t\n", c->cases[k].name, c->medians[k],
               c->medians[k] / c->medians[0]);
    return code;
}

/* "bitmap,fpgrowth" into cases. */
static int name_cases(comparison *c)
{
    for (const char *name = c->v->engines; *name != '\0'; c->n++) {
        size_t length = strcspn(name, ",");
        if (c->n == MAX_CASES)
            return cli_usage_error(c->session->command, "--engines: more than %d", MAX_CASES);
        snprintf(c->cases[c->n].name, sizeof c->cases[c->n].name, "%.*s", (int)length, name);
        name += length + (name[length] == ',');
    }
    return CLI_DONE;
}

static int read_windows(comparison *c, spk_recording **recording, spk_windows **windows)
{
    const values *v = c->v;
    const char *path = c->session->arguments[0];
    spk_context *context = c->session->context;
    if (cli_reads_transactions(c->session))
        return cli_report(c->session,
                          spk_windows_read_transactions(context, path, 0, v->window, windows));
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = v->bin;
    options.window = v->window;
    int code = cli_recording_read(c->session, path, recording);
    if (code == CLI_DONE)
        code = cli_report(c->session, spk_windows_create(context, *recording, &options, windows));
    return code;
}

static int run(cli_session *session, const void *raw)
{
    static bench_case cases[MAX_CASES]; /* 14 kB */
    comparison c = {.session = session, .v = raw, .cases = cases};
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    int code = each_job(&c, false);
    if (code == CLI_DONE)
        code = name_cases(&c);
    if (code == CLI_DONE)
        code = read_windows(&c, &recording, &windows);
    c.windows = windows;
    if (code == CLI_DONE)
        code = run_jobs(&c);
    spk_windows_free(windows);
    spk_recording_free(recording);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("jobs", values, jobs),
    CLI_OPTION("bin", values, bin),
    CLI_OPTION("window", values, window),
    CLI_OPTION("engines", values, engines),
    CLI_OPTION("runs", values, runs),
    CLI_SHARED("threads", threads),
    CLI_SHARED("energy", energy),
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_bench_patterns = {
    .name = "bench patterns",
    .arguments = "FILE",
    .summary = "time the SPADE engines, by default on the paper's eight jobs",
    .description =
        "Mines a file with several engines in turn, several times for each job. The table gives\n"
        "the median, smallest and largest mining time of each engine, the ratio of its median to\n"
        "that of the first engine, and the number of patterns. Reading, moving-window step and\n"
        "output are not timed. The command fails when the engines disagree on any pattern.",
    .examples = "  spikemine bench patterns data/movement_PGHF.spikes.txt\n"
                "  spikemine bench patterns rec.txt --jobs '88,2;25,3' --engines bitmap,fpgrowth",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
