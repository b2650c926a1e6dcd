/*
 * How often does the exact test find something where all is chance? One run is one recording of one
 * process, tested in one language with one window of jitter. Where the null hypothesis holds the
 * share of runs with p <= 0.05 is at most a twentieth; where rates change within the window it need
 * not be, and is shown.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exact_job.h"
#include "study.h"

enum { N_UNITS = 12, N_SEGMENTS = 5 };
static const double seconds = 5;

/* ---- cases ----------------------------------------------------------------------------------- */

typedef enum source { RENEWAL, BURSTS, SURROGATE } source;

static const struct {
    const char *process;
    source source;
    trains_process trains;
    int64_t jitter_ms;
    const char *promise; /* what the share of runs should be */
} cases[] = {
    {"surrogate of a recording", SURROGATE, {.order = 1, .rate_hz = 20}, 25, "5"},
    {"poisson", RENEWAL, {.order = 1, .rate_hz = 20}, 25, "5"},
    {"poisson", RENEWAL, {.order = 1, .rate_hz = 20}, 100, "5"},
    {"common rate, 1 s", RENEWAL, {1, 0, 20, 0.8, 1}, 25, "5"},
    {"common rate, 1 s", RENEWAL, {1, 0, 20, 0.8, 1}, 500, "none: rates change within the window"},
    {"common rate, 100 ms", RENEWAL, {1, 0, 20, 0.8, 10}, 10, "5"},
    {"common rate, 100 ms",
     RENEWAL,
     {1, 0, 20, 0.8, 10},
     100,
     "none: rates change within the window"},
    {"bursts of 200 ms", BURSTS, {.order = 1, .rate_hz = 40}, 25, "5 but for edges of bursts"},
    {"bursts of 200 ms",
     BURSTS,
     {.order = 1, .rate_hz = 40},
     500,
     "none: bursts lie within the window"},
    {"gamma of order 3",
     RENEWAL,
     {.order = 3, .rate_hz = 20},
     25,
     "5 but for each unit's regularity"},
};
enum { N_CASES = sizeof cases / sizeof *cases };

/* All units fire together for 200 ms about once a second, and hardly in between. */
static void draw_bursts(trains *t, const trains_process *process, uint64_t seed, uint64_t run)
{
    static const double lasts = 0.2, apart = 0.8;
    trains_random when = trains_start(seed, N_CASES, run, N_UNITS);
    double at = trains_exponential(&when) * apart;
    while (at + lasts < seconds) {
        for (uint32_t u = 0; u < N_UNITS; u++) {
            trains_random random = trains_start(seed, (uint64_t)(at * 1e6), run, u);
            trains_poisson(t, &random, u, process->rate_hz, at, at + lasts);
        }
        at += lasts + trains_exponential(&when) * apart;
    }
    for (uint32_t u = 0; u < N_UNITS; u++) {
        trains_random random = trains_start(seed, N_CASES + 1, run, u);
        trains_poisson(t, &random, u, 1, 0, seconds);
    }
}

/* A draw from the null hypothesis itself. */
static spk_status take_surrogate(spk_context *context, const spk_surrogate_options *options,
                                 spk_recording **recording)
{
    spk_surrogates *surrogates = NULL;
    spk_recording *surrogate = NULL;
    spk_status status = spk_surrogates_create(context, *recording, options, &surrogates);
    if (status == SPK_OK)
        status = spk_surrogates_make(context, surrogates, 1000000, &surrogate);
    spk_surrogates_free(surrogates);
    if (status == SPK_OK) {
        spk_recording_free(*recording);
        *recording = surrogate;
    }
    return status;
}

static spk_status draw(spk_context *context, size_t c, const spk_surrogate_options *null,
                       uint64_t seed, uint64_t run, spk_recording **out)
{
    trains t = {0};
    if (cases[c].source == BURSTS)
        draw_bursts(&t, &cases[c].trains, seed, run);
    for (uint32_t u = 0; u < N_UNITS && cases[c].source != BURSTS; u++) {
        trains_random random = trains_start(seed, c, run, u);
        trains_renewal(&t, &random, u, &cases[c].trains, seconds);
    }
    spk_status status = trains_recording(context, &t, N_UNITS, seconds, N_SEGMENTS, out);
    return status == SPK_OK && cases[c].source == SURROGATE ? take_surrogate(context, null, out)
                                                            : status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void set_job(exact_job *job, size_t c, bool of_patterns, uint64_t n_surrogates,
                    uint64_t seed)
{
    exact_job_init(job, of_patterns, cases[c].jitter_ms, n_surrogates, seed);
    job->episodes.support = 8, job->episodes.max_size = 4;
    job->windows.window = 5;
    job->patterns.min_spikes = 2, job->patterns.support = 6;
    job->exact.distinct_units = 2;
}

static double least_of(const spk_exact_verdict *verdict, uint64_t n)
{
    double least = 1;
    for (uint64_t i = 0; i < n; i++)
        least = verdict[i].p < least ? verdict[i].p : least;
    return least;
}

static spk_status run_one(spk_context *context, const void *study, uint64_t key, char *row,
                          size_t row_size)
{
    const study_values *v = study;
    const uint64_t run = key / (UINT64_C(2) * N_CASES);
    const size_t c = (size_t)(key / 2 % N_CASES);
    const bool of_patterns = key % 2 == 1;
    exact_job job;
    exact_found found = {0};
    spk_recording *recording = NULL;
    set_job(&job, c, of_patterns, v->surrogates, v->seed + run);
    spk_status status = draw(context, c, &job.null, v->seed, run, &recording);
    if (status == SPK_OK)
        status = exact_job_run(context, recording, &job, &found);
    snprintf(row, row_size, "%s\t%s\t%" PRId64 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%.5f",
             cases[c].process, of_patterns ? "patterns" : "episodes", cases[c].jitter_ms,
             cases[c].promise, run, found.n,
             status == SPK_OK ? least_of(found.verdict, found.n) : 1);
    exact_found_free(&found);
    spk_recording_free(recording);
    return status;
}

typedef struct values {
    study_values study;
} values;

static int run(cli_session *session, const void *raw, int n_arguments, char **arguments)
{
    (void)n_arguments, (void)arguments;
    const study_values *v = &((const values *)raw)->study;
    char what[256];
    snprintf(what, sizeof what,
             "exact test, %d cases: %d units, %g s; episodes with (0,5ms] and (5ms,10ms], support "
             "8; patterns in bins of 5 ms, windows of 5, support 6; %" PRIu64
             " surrogates, seed %" PRIu64,
             (int)N_CASES, N_UNITS, seconds, v->surrogates, v->seed);
    study_plan plan = {.run = run_one,
                       .study = v,
                       .n_keys = v->runs * (uint64_t)N_CASES * 2,
                       .what = what,
                       .columns = "process\tresults\tjitter_ms\tpromise\trun\tfound\tp"};
    int code = study_plan_fill(session, v, &plan);
    return code == CLI_DONE ? study_execute(session, &plan) : code;
}

static const cli_option options[] = {
    STUDY_OPTIONS(values, study, "1000", "recordings of each process", "99"), CLI_END};

const cli_command study_exact = {
    .program = "spikemine-bench-significance",
    .name = "exact",
    .summary = "how often the exact test finds something where all is chance",
    .description =
        "Tests recordings of units that know nothing of each other, in both languages, with\n"
        "windows of jitter shorter and longer than what all units share, and writes a row for\n"
        "each test: how many results there were, and the smallest p-value.",
    .examples = "  spikemine-bench-significance exact -o exact.tsv",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
