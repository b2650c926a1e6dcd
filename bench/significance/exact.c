/*
 * How often does the exact test find something where all is chance? One run is one recording of one
 * process, tested in one language under one null hypothesis with one window of jitter. Where the
 * null hypothesis holds the share of runs with p <= 0.05 is at most a twentieth; where it does not,
 * the share is shown.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exact_job.h"
#include "study.h"

enum { N_UNITS = 12, N_TRIALS = 12 };
static const double seconds = 6;

/* ---- cases ----------------------------------------------------------------------------------- */

typedef enum source { RENEWAL, COMMON_BURSTS, OWN_BURSTS, RHYTHM, RESPONSES, SURROGATE } source;

static const char *const nulls[] = {"interval-jitter", "pattern-jitter", "shift", "shift-apart",
                                    "trials"};
enum { N_NULLS = sizeof nulls / sizeof *nulls };

/* For each null hypothesis: y holds, n nearly holds, x does not hold, - was left out. */
static const struct {
    const char *process;
    source source;
    uint32_t n_segments;
    trains_process trains;
    int64_t jitter_ms;
    const char *holds;
} cases[] = {
    {"surrogate of a recording", SURROGATE, N_TRIALS, {.order = 1, .rate_hz = 20}, 25, "yyyyy"},
    {"poisson", RENEWAL, N_TRIALS, {.order = 1, .rate_hz = 20}, 25, "yyyyy"},
    {"poisson", RENEWAL, N_TRIALS, {.order = 1, .rate_hz = 20}, 100, "y----"},
    {"common rate, 500 ms", RENEWAL, N_TRIALS, {1, 0, 20, 0.8, 2}, 25, "nnnxy"},
    {"common rate, 500 ms", RENEWAL, N_TRIALS, {1, 0, 20, 0.8, 2}, 250, "x----"},
    {"common rate, 125 ms", RENEWAL, 1, {1, 0, 20, 0.8, 8}, 10, "nnnx-"},
    {"common rate, 125 ms", RENEWAL, 1, {1, 0, 20, 0.8, 8}, 100, "x----"},
    {"common bursts of 200 ms", COMMON_BURSTS, 1, {.order = 1, .rate_hz = 40}, 25, "nnnx-"},
    {"common bursts of 200 ms", COMMON_BURSTS, 1, {.order = 1, .rate_hz = 40}, 500, "x----"},
    {"dead time of 6 ms", RENEWAL, 1, {1, 0.006, 25, 0, 0}, 25, "xyyy-"},
    {"gamma of order 3", RENEWAL, 1, {.order = 3, .rate_hz = 20}, 25, "xnny-"},
    {"own bursts of 4 spikes", OWN_BURSTS, 1, {.order = 1, .rate_hz = 20}, 25, "xyyy-"},
    {"own rhythm, 125 ms", RHYTHM, 1, {1, 0, 20, 0.9, 8}, 25, "nnny-"},
    {"own rhythm, 25 ms", RHYTHM, 1, {1, 0, 20, 0.9, 40}, 25, "xxny-"},
    {"responses of 15 ms", RESPONSES, N_TRIALS, {.order = 1, .rate_hz = 15}, 25, "xxxxy"},
};
enum { N_CASES = sizeof cases / sizeof *cases, N_CELLS = N_CASES * N_NULLS };

static const char *promise_of(char holds)
{
    return holds == 'y' ? "5" : holds == 'n' ? "nearly 5" : "none";
}

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

/* In each trial each unit has, besides its rate, a spike of its own delay behind the start. */
static void draw_responses(trains *t, trains_random *random, uint32_t unit,
                           const trains_process *process)
{
    static const double first = 0.2, apart = 0.003, spread = 0.015, trial = seconds / N_TRIALS;
    trains_poisson(t, random, unit, process->rate_hz, 0, seconds);
    for (uint32_t k = 0; k < N_TRIALS; k++)
        trains_add(t, unit, k * trial + first + unit * apart + spread * trains_unit(random));
}

static void draw_unit(trains *t, trains_random *random, uint32_t unit, size_t c)
{
    switch (cases[c].source) {
    case RENEWAL:
    case SURROGATE:
        trains_renewal(t, random, unit, &cases[c].trains, seconds);
        break;
    case OWN_BURSTS:
        trains_bursts(t, random, unit, cases[c].trains.rate_hz, 4, 0.004, seconds);
        break;
    case RHYTHM:
        trains_rhythm(t, random, unit, &cases[c].trains, 0.2, seconds);
        break;
    case RESPONSES:
        draw_responses(t, random, unit, &cases[c].trains);
        break;
    case COMMON_BURSTS: /* of all units at once */
        break;
    }
}

static spk_status draw(spk_context *context, size_t c, const spk_surrogate_options *null,
                       uint64_t seed, uint64_t run, spk_recording **out)
{
    trains t = {0};
    if (cases[c].source == COMMON_BURSTS)
        draw_bursts(&t, &cases[c].trains, seed, run);
    for (uint32_t u = 0; u < N_UNITS; u++) {
        trains_random random = trains_start(seed, c, run, u);
        draw_unit(&t, &random, u, c);
    }
    spk_status status = trains_recording(context, &t, N_UNITS, seconds, cases[c].n_segments, out);
    return status == SPK_OK && cases[c].source == SURROGATE ? take_surrogate(context, null, out)
                                                            : status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void set_job(exact_job *job, size_t c, const char *null, bool of_patterns,
                    uint64_t n_surrogates, uint64_t seed)
{
    exact_job_init(job, of_patterns, null, cases[c].jitter_ms, n_surrogates, seed);
    job->episodes.support = 10, job->episodes.max_size = 4;
    job->windows.window = 5;
    job->patterns.min_spikes = 2, job->patterns.support = 7;
    job->exact.distinct_units = 2;
}

static double least_of(const spk_exact_verdict *verdict, uint64_t n)
{
    double least = 1;
    for (uint64_t i = 0; i < n; i++)
        least = verdict[i].p < least ? verdict[i].p : least;
    return least;
}

/* Cell k of those that are not left out: a case and a null hypothesis. */
static size_t cell_at(size_t k)
{
    size_t cell = 0;
    while (cases[cell / N_NULLS].holds[cell % N_NULLS] == '-' || k-- > 0)
        cell++;
    return cell;
}

static size_t n_cells(void)
{
    size_t n = 0;
    for (size_t cell = 0; cell < N_CELLS; cell++)
        n += cases[cell / N_NULLS].holds[cell % N_NULLS] != '-';
    return n;
}

/* Keys: language fastest, then cell, then run. A recording is the same for all of its tests. */
static spk_status run_one(spk_context *context, const void *study, uint64_t key, char *row,
                          size_t row_size)
{
    const study_values *v = study;
    const uint64_t run = key / 2 / n_cells();
    const size_t cell = cell_at((size_t)(key / 2 % n_cells()));
    const size_t c = cell / N_NULLS, null = cell % N_NULLS;
    const bool of_patterns = key % 2 == 1;
    exact_job job;
    exact_found found = {0};
    spk_recording *recording = NULL;
    set_job(&job, c, nulls[null], of_patterns, v->surrogates, v->seed + run);
    spk_status status = draw(context, c, &job.null, v->seed, run, &recording);
    if (status == SPK_OK)
        status = exact_job_run(context, recording, &job, &found);
    snprintf(row, row_size, "%s\t%s\t%s\t%" PRId64 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%.5f",
             cases[c].process, nulls[null], of_patterns ? "patterns" : "episodes",
             cases[c].jitter_ms, promise_of(cases[c].holds[null]), run, found.n,
             status == SPK_OK ? least_of(found.verdict, found.n) : 1);
    exact_found_free(&found);
    spk_recording_free(recording);
    return status;
}

typedef struct values {
    study_values study;
} values;

static int run(cli_session *session, const void *raw)
{
    const study_values *v = &((const values *)raw)->study;
    char what[256];
    snprintf(what, sizeof what,
             "exact test, %zu cells: %d units, %g s; episodes with (0,5ms] and (5ms,10ms], support "
             "10; patterns in bins of 5 ms, windows of 5, support 7; %" PRIu64
             " surrogates, seed %" PRIu64,
             n_cells(), N_UNITS, seconds, v->surrogates, v->seed);
    study_plan plan = {.run = run_one,
                       .study = v,
                       .n_keys = v->runs * n_cells() * 2,
                       .what = what,
                       .columns = "process\tnull\tresults\tjitter_ms\tpromise\trun\tfound\tp"};
    int code = study_plan_fill(session, v, &plan);
    return code == CLI_DONE ? study_execute(session, &plan) : code;
}

static const cli_option options[] = {
    STUDY_OPTIONS(values, study, "1000", "recordings of each process", "39"), CLI_END};

const cli_command study_exact = {
    .program = "spikemine-bench-significance",
    .name = "exact",
    .summary = "how often the exact test finds something where all is chance",
    .description =
        "Tests recordings of units that know nothing of each other, in both languages, under\n"
        "null hypotheses that hold for them and others that do not, and writes a row for each\n"
        "test: how many results there were, and the smallest p-value.",
    .examples = "  spikemine-bench-significance exact -o exact.tsv",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
