/*
 * How often does the test find a pattern where units know nothing of each other? One run is one
 * recording of one process, tested with surrogates of one method. All methods see the same
 * recordings.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

enum { N_UNITS = 12, N_SEGMENTS = 5, N_CLIPPED = 10 };
static const double seconds = 5;

/* ---- cases ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    trains_process process;
} processes[] = {
    {"poisson", {.order = 1, .rate_hz = 60}},
    {"gamma", {.order = 3, .rate_hz = 60}},
    {"dead-time", {.order = 1, .rate_hz = 60, .dead_s = 0.004}},
    {"common-rate", {.order = 1, .rate_hz = 60, .depth = 0.6, .wave_hz = 1}},
};
enum { N_PROCESSES = sizeof processes / sizeof *processes };

/* The library's methods, and interval-jitter once more, in bins. */
static size_t n_cases(void)
{
    return spk_surrogate_method_count() + 1;
}

static const char *method_of(size_t k, bool *in_bins)
{
    *in_bins = k == spk_surrogate_method_count();
    return *in_bins ? "interval-jitter" : spk_surrogate_method_get(k)->name;
}

static void set_job(study_job *job, uint64_t n_surrogates, const char *method, bool in_bins)
{
    const spk_duration bin = {5, -3, 0};
    study_job_init(job);
    job->windows.bin = bin;
    job->windows.window = 5;
    job->patterns.min_spikes = 3;
    job->patterns.support = 30;
    job->surrogates.method = method;
    job->surrogates.dither = (spk_duration){25, -3, 0};
    if (in_bins || strcmp(method, "bin-shuffling") == 0)
        job->surrogates.bin = bin;
    job->n_surrogates = n_surrogates;
}

/* ---- what binning leaves --------------------------------------------------------------------- */

/* Bins with a spike, over all units: windows begin in each of them. */
static spk_status count_bins(spk_context *context, const spk_recording *recording,
                             const study_job *job, double *total)
{
    spk_windows *windows = NULL;
    spk_status status = spk_windows_create(context, recording, &job->windows, &windows);
    if (status == SPK_OK) {
        spk_window_columns c = spk_windows_columns(windows);
        for (uint64_t i = 0; i < c.first[c.n_windows]; i++)
            *total += c.item[i] % c.window == 0;
    }
    spk_windows_free(windows);
    return status;
}

/* Occupied bins of the surrogates, as a share of the recording's. */
static spk_status share_of_bins(spk_context *context, const spk_recording *recording,
                                const study_job *job, double *share)
{
    spk_surrogates *surrogates = NULL;
    double ours = 0, theirs = 0;
    spk_status status = count_bins(context, recording, job, &ours);
    if (status == SPK_OK)
        status = spk_surrogates_create(context, recording, &job->surrogates, &surrogates);
    for (uint64_t k = 1; k <= N_CLIPPED && status == SPK_OK; k++) {
        spk_recording *surrogate = NULL;
        status = spk_surrogates_make(context, surrogates, k, &surrogate);
        if (status == SPK_OK)
            status = count_bins(context, surrogate, job, &theirs);
        spk_recording_free(surrogate);
    }
    spk_surrogates_free(surrogates);
    *share = theirs / (ours * N_CLIPPED);
    return status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Whether anything is significant, and the smallest corrected p-value. */
static spk_status judge(spk_context *context, const study_found *found, const spk_maxima *maxima,
                        const study_job *job, bool published, bool *any, double *least)
{
    spk_signature *signatures = NULL;
    spk_status status = study_test(context, found, maxima, job, published, &signatures);
    *any = false, *least = 1;
    for (uint64_t i = 0; i < found->n_entries && status == SPK_OK; i++) {
        *any |= signatures[i].significant;
        if (signatures[i].p_corrected < *least)
            *least = signatures[i].p_corrected;
    }
    free(signatures);
    return status;
}

static spk_status test_recording(spk_context *context, const spk_recording *recording,
                                 const study_job *job, char *row, size_t row_size)
{
    study_found found = {0};
    spk_maxima *maxima = NULL;
    bool any[2];
    double least[2], share = 0;
    spk_status status = study_mine(context, recording, job, &found);
    if (status == SPK_OK)
        status = study_maxima(context, recording, job, NULL, &maxima);
    for (int rule = 0; rule < 2 && status == SPK_OK; rule++)
        status = judge(context, &found, maxima, job, rule == 1, &any[rule], &least[rule]);
    if (status == SPK_OK)
        status = share_of_bins(context, recording, job, &share);
    if (status == SPK_OK)
        snprintf(row, row_size, "%" PRIu64 "\t%.5f\t%d\t%.6f\t%d", found.n_entries, share, any[0],
                 least[0], any[1]);
    spk_maxima_free(maxima);
    study_found_free(&found);
    return status;
}

static spk_status draw(spk_context *context, size_t process, uint64_t seed, uint64_t run,
                       spk_recording **out)
{
    trains t = {0};
    for (uint32_t u = 0; u < N_UNITS; u++) {
        trains_random random = trains_start(seed, process, run, u);
        trains_renewal(&t, &random, u, &processes[process].process, seconds);
    }
    return trains_recording(context, &t, N_UNITS, seconds, N_SEGMENTS, out);
}

static spk_status run_one(spk_context *context, const void *study, uint64_t key, char *row,
                          size_t row_size)
{
    const study_values *v = study;
    const uint64_t run = key / (N_PROCESSES * n_cases());
    const size_t p = (size_t)(key / n_cases() % N_PROCESSES);
    bool in_bins;
    const char *method = method_of((size_t)(key % n_cases()), &in_bins);
    study_job job;
    set_job(&job, v->surrogates, method, in_bins);
    job.surrogates.seed = v->seed + run;
    spk_recording *recording = NULL;
    char rest[256] = "";
    spk_status status = draw(context, p, v->seed, run, &recording);
    if (status == SPK_OK)
        status = test_recording(context, recording, &job, rest, sizeof rest);
    snprintf(row, row_size, "%s\t%s%s\t%" PRIu64 "\t%s", processes[p].name, method,
             in_bins ? " in bins" : "", run, rest);
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
             "calibration, %zu methods: %d units, %g s, bins of 5 ms, windows of 5, sizes from 3, "
             "support 30, "
             "dither 25 ms, 2d, fdr-bh at 0.05, %" PRIu64 " surrogates, seed %" PRIu64,
             n_cases(), N_UNITS, seconds, v->surrogates, v->seed);
    study_plan plan = {.run = run_one,
                       .study = v,
                       .n_keys = v->runs * N_PROCESSES * n_cases(),
                       .what = what,
                       .columns = "process\tmethod\trun\tsignatures\tbins\tours\tp\tpublished"};
    int code = study_plan_fill(session, v, &plan);
    return code == CLI_DONE ? study_execute(session, &plan) : code;
}

static const cli_option options[] = {
    STUDY_OPTIONS(values, study, "200", "recordings of each process", "499"), CLI_END};

const cli_command study_calibration = {
    .program = "spikemine-bench-significance",
    .name = "calibration",
    .summary = "how often independent units have a significant pattern, by surrogate method",
    .description =
        "Tests recordings of units that know nothing of each other (Poisson, gamma of order 3,\n"
        "dead time, common rate changes) with surrogates of every method, and writes a\n"
        "row for each test. Columns: signatures observed; occupied bins of the surrogates\n"
        "as a share of the recording's; whether anything is significant by our rule, its\n"
        "smallest corrected p-value, and whether by the published rule.",
    .examples = "  spikemine-bench-significance calibration -o calibration.tsv",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
