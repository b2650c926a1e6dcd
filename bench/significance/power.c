/*
 * What does the exact test find that the signature test misses, and the other way round? One run is
 * one recording with one planted chain, searched in one language; every test sees the same
 * recording and the same surrogates. A curve varies one factor of a base case.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact_job.h"
#include "planted.h"
#include "signature.h"
#include "study.h"

enum { N_UNITS = 12, JITTER_MS = 25 };
static const double seconds = 10, bin_s = 0.005, alpha = 0.05;

/* ---- points of the curves -------------------------------------------------------------------- */

typedef struct point {
    const char *factor;
    double value;
    uint32_t size, occurrences;
    double jitter_ms, strength;
    double rate_hz;       /* of the planted units, apart from what is planted */
    double other_rate_hz; /* of all others */
    uint64_t support;
} point;

static const point base = {
    .size = 4, .occurrences = 6, .strength = 1, .rate_hz = 10, .other_rate_hz = 10, .support = 3};

typedef enum factor { SIZE, OCCURRENCES, JITTER, STRENGTH, RATE, SLOW } factor;

static const struct {
    factor factor;
    const char *name;
    size_t n;
    double value[8];
} curves[] = {
    {SIZE, "size", 6, {2, 3, 4, 5, 6, 8}},
    {OCCURRENCES, "occurrences", 7, {3, 4, 5, 6, 8, 10, 12}},
    {JITTER, "jitter of delays, ms", 6, {0, 1, 2, 3, 4, 5}},
    {STRENGTH, "strength", 6, {0.4, 0.5, 0.6, 0.7, 0.8, 1}},
    {RATE, "rate of all units, Hz", 5, {2.5, 5, 10, 15, 20}},
    {SLOW, "rate of the planted units among others of 30 Hz", 6, {1, 2, 5, 10, 20, 30}},
};
enum { N_CURVES = sizeof curves / sizeof *curves };

static size_t n_points(void)
{
    size_t n = 0;
    for (size_t k = 0; k < N_CURVES; k++)
        n += curves[k].n;
    return n;
}

static void set_factor(point *p, factor what)
{
    switch (what) {
    case SIZE:
        p->size = (uint32_t)p->value;
        break;
    case OCCURRENCES:
        p->occurrences = (uint32_t)p->value;
        break;
    case JITTER:
        p->jitter_ms = p->value;
        p->occurrences = 12;
        break;
    case STRENGTH:
        p->strength = p->value;
        p->occurrences = 20;
        break;
    case RATE:
        p->rate_hz = p->other_rate_hz = p->value;
        break;
    case SLOW:
        p->rate_hz = p->value;
        p->other_rate_hz = 30;
        p->support = 5;
        p->occurrences = 6;
        break;
    }
}

static point point_at(size_t k)
{
    size_t curve = 0;
    while (k >= curves[curve].n)
        k -= curves[curve++].n;
    point p = base;
    p.factor = curves[curve].name;
    p.value = curves[curve].value[k];
    set_factor(&p, curves[curve].factor);
    return p;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Neighbours of an episode lie in the middle of (5ms,10ms], those of a pattern one bin apart. */
static planted chain_of(const point *p, bool of_patterns)
{
    return (planted){.size = p->size,
                     .occurrences = p->occurrences,
                     .delay_s = of_patterns ? bin_s : 0.0075,
                     .jitter_s = p->jitter_ms / 1000,
                     .strength = p->strength,
                     .interval = 1,
                     .bin_s = bin_s};
}

static spk_status draw(spk_context *context, const point *p, const planted *chain, uint64_t seed,
                       uint64_t key, spk_recording **out)
{
    trains t = {0};
    for (uint32_t u = 0; u < N_UNITS; u++) {
        trains_random random = trains_start(seed, key, 0, u);
        trains_poisson(&t, &random, u, u < p->size ? p->rate_hz : p->other_rate_hz, 0, seconds);
    }
    trains_random random = trains_start(seed, key, 1, 0);
    planted_add(chain, &t, &random, seconds);
    return trains_recording(context, &t, N_UNITS, seconds, 1, out);
}

static void set_job(exact_job *job, const point *p, bool of_patterns, uint64_t n_surrogates,
                    uint64_t seed)
{
    exact_job_init(job, of_patterns, "interval-jitter", JITTER_MS, n_surrogates, seed);
    job->episodes.support = p->support, job->episodes.max_size = 10;
    job->exact.distinct_units = of_patterns ? 0 : 2;
    job->windows.window = p->size > 5 ? p->size : 5;
    job->patterns.support = p->support;
    job->patterns.min_spikes = 2, job->patterns.min_neurons = 2;
}

enum { EXACT, CORE, SIGNATURE, N_TESTS = SIGNATURE + N_SIGNATURE_RULES };

/* What a run has to tell. */
typedef struct outcome {
    uint64_t n;
    planted_tally tally[N_TESTS];
} outcome;

static spk_status run_tests(spk_context *context, const spk_recording *recording,
                            const exact_job *job, const planted *chain, outcome *out)
{
    exact_found found = {0};
    uint8_t *keep = NULL;
    spk_status status = exact_job_run(context, recording, job, &found);
    out->n = found.n;
    if (status == SPK_OK && (keep = calloc((size_t)found.n + 1, 1)) == NULL)
        status = SPK_ERR_MEMORY;
    for (uint64_t i = 0; i < found.n && status == SPK_OK; i++)
        keep[i] = found.verdict[i].p <= alpha;
    if (status == SPK_OK) {
        planted_tally_found(&out->tally[EXACT], chain, &found, keep);
        status = exact_found_core(context, recording, job, &found, alpha, keep);
    }
    if (status == SPK_OK) {
        planted_tally_found(&out->tally[CORE], chain, &found, keep);
        status =
            signature_tally(context, recording, job, chain, &found, alpha, &out->tally[SIGNATURE]);
    }
    free(keep);
    exact_found_free(&found);
    return status;
}

static void write_row(const point *p, bool of_patterns, uint64_t run, const outcome *out, char *row,
                      size_t row_size)
{
    size_t n =
        (size_t)snprintf(row, row_size, "%s\t%s\t%g\t%" PRIu64 "\t%" PRIu64,
                         of_patterns ? "patterns" : "episodes", p->factor, p->value, run, out->n);
    planted_tallies_print(out->tally, N_TESTS, row + n, row_size - n);
}

/* Keys: language fastest, then point, then run, so that an unfinished study has all curves. */
static spk_status run_one(spk_context *context, const void *study, uint64_t key, char *row,
                          size_t row_size)
{
    const study_values *v = study;
    const bool of_patterns = key % 2 == 1;
    const point p = point_at((size_t)(key / 2 % n_points()));
    const uint64_t run = key / 2 / n_points();
    const planted chain = chain_of(&p, of_patterns);
    exact_job job;
    outcome out = {0};
    spk_recording *recording = NULL;
    set_job(&job, &p, of_patterns, v->surrogates, v->seed + key);
    spk_status status = draw(context, &p, &chain, v->seed, key, &recording);
    if (status == SPK_OK)
        status = run_tests(context, recording, &job, &chain, &out);
    write_row(&p, of_patterns, run, &out, row, row_size);
    spk_recording_free(recording);
    return status;
}

/* ---- the study ------------------------------------------------------------------------------- */

typedef struct values {
    study_values study;
    const char *trains;
} values;

/* The recordings themselves, for other programs: KEY.txt. */
static int write_trains(cli_session *session, const values *v)
{
    char path[4096];
    int code = CLI_DONE;
    for (uint64_t key = 0; key < v->study.runs * n_points() * 2 && code == CLI_DONE; key++) {
        const point p = point_at((size_t)(key / 2 % n_points()));
        const planted chain = chain_of(&p, key % 2 == 1);
        spk_recording *recording = NULL;
        snprintf(path, sizeof path, "%s/%" PRIu64 ".txt", v->trains, key);
        code =
            cli_report(session, draw(session->context, &p, &chain, v->study.seed, key, &recording));
        if (code == CLI_DONE)
            code =
                cli_report(session, spk_recording_write(session->context, recording, path, NULL));
        spk_recording_free(recording);
    }
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const study_values *v = &((const values *)raw)->study;
    if (((const values *)raw)->trains != NULL)
        return write_trains(session, raw);
    char what[256];
    snprintf(what, sizeof what,
             "power: %d units, %g s; episodes with (0,5ms] and (5ms,10ms], patterns in bins of 5 "
             "ms; jitter %d ms, %" PRIu64 " surrogates, alpha %g, seed %" PRIu64,
             N_UNITS, seconds, JITTER_MS, v->surrogates, alpha, v->seed);
    study_plan plan = {.run = run_one,
                       .study = v,
                       .n_keys = v->runs * n_points() * 2,
                       .what = what,
                       .columns = "results\tfactor\tvalue\trun\tfound\texact\tcore\tsignature\t"
                                  "reduced\tpublished"};
    int code = study_plan_fill(session, v, &plan);
    return code == CLI_DONE ? study_execute(session, &plan) : code;
}

static const cli_option options[] = {
    {.name = "trains",
     .kind = CLI_TEXT,
     .argument = "FOLDER",
     .offset = offsetof(values, trains),
     .help = "write the recordings of the runs there and test nothing"},
    STUDY_OPTIONS(values, study, "40", "recordings of each point of a curve", "199"),
    CLI_END};

const cli_command study_power = {
    .program = "spikemine-bench-significance",
    .name = "power",
    .summary = "planted chains that the exact test and the signature test find",
    .description =
        "Plants a chain of units, searches for episodes or patterns, and tests them twice with\n"
        "the same surrogates: with the exact test and with the signature test. Writes a row for\n"
        "each recording. A test's column has five numbers of significant results: the chain\n"
        "itself; parts of three units or more; parts of two; results with a part and something\n"
        "else; all others, which are false. Tests: exact; core, its results that no part\n"
        "explains; signature, with fdr-bh; reduced, the same after the reduction with 2,0,0\n"
        "(patterns only); published, the signature test by the published rule.",
    .examples = "  spikemine-bench-significance power -o power.tsv",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
