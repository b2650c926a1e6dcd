/*
 * What surrogates cost: a whole test, on all processors; and step by step on one, in processor
 * time, which other programs on the machine hardly change: making surrogates, cutting them into
 * windows, their maxima by branch and bound, and for the first of them mining in full, which must
 * give the same maxima.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"
#include "study.h"

typedef struct values {
    cli_duration bin, dither;
    uint64_t window, min_spikes, min_neurons, surrogates, full, test, seed;
    cli_count support;
    int spectrum;
    const char *method;
    uint64_t threads;
} values;

/* Seconds of the steps, one entry a surrogate. */
typedef struct costs {
    double *make, *cut, *maxima, *full;
} costs;

/* Processor time of the program. */
static double processor_seconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- maxima of full mining ------------------------------------------------------------------- */

/* The entries of a spectrum come by size, count, duration; those of maxima by duration, size. */
static uint32_t largest(const spk_spectrum_entry *entry, uint64_t n, uint32_t size,
                        uint32_t duration)
{
    uint32_t most = 0;
    for (uint64_t i = 0; i < n; i++)
        if (entry[i].size >= size && entry[i].duration == duration && entry[i].count > most)
            most = entry[i].count;
    return most;
}

static uint32_t listed(const spk_pattern_maximum *maximum, size_t n, uint32_t size,
                       uint32_t duration)
{
    for (size_t i = 0; i < n; i++)
        if (maximum[i].duration == duration && maximum[i].size >= size)
            return maximum[i].count;
    return 0;
}

/* Whether the two say the same of every size and duration that either has. */
static bool agree(const spk_spectrum_entry *entry, uint64_t n, const spk_pattern_maximum *maximum,
                  size_t n_maxima)
{
    bool same = true;
    for (uint64_t i = 0; i < n; i++)
        same &= largest(entry, n, entry[i].size, entry[i].duration) ==
                listed(maximum, n_maxima, entry[i].size, entry[i].duration);
    for (size_t i = 0; i < n_maxima; i++)
        same &= maximum[i].count == largest(entry, n, maximum[i].size, maximum[i].duration);
    return same;
}

static int mine_in_full(cli_session *session, const spk_windows *windows, const study_job *job,
                        const spk_pattern_maximum *maximum, size_t n_maxima, double *seconds)
{
    spk_spectrum *spectrum = NULL;
    const spk_spectrum_entry *entry = NULL;
    uint64_t n = 0;
    double began = processor_seconds();
    spk_status status = spk_spectrum_create(session->context, job->by_duration, &spectrum);
    if (status == SPK_OK)
        status = spk_pattern_mine(session->context, windows, &job->patterns, spk_spectrum_add,
                                  spectrum, NULL);
    if (status == SPK_OK)
        status = spk_spectrum_entries(spectrum, &entry, &n);
    *seconds = processor_seconds() - began;
    int code = cli_report(session, status);
    if (code == CLI_DONE && !agree(entry, n, maximum, n_maxima))
        code = cli_fail(session, "maxima differ from those of mining in full: please report it");
    spk_spectrum_free(spectrum);
    return code;
}

/* ---- surrogates ------------------------------------------------------------------------------ */

static int measure_one(cli_session *session, const spk_surrogates *surrogates, const study_job *job,
                       uint64_t k, bool full, costs *c)
{
    spk_recording *surrogate = NULL;
    spk_windows *windows = NULL;
    spk_pattern_maximum *maximum = NULL;
    size_t n = 0;
    double began = processor_seconds();
    spk_status status = spk_surrogates_make(session->context, surrogates, k, &surrogate);
    double made = processor_seconds();
    if (status == SPK_OK)
        status = spk_windows_create(session->context, surrogate, &job->windows, &windows);
    double cut = processor_seconds();
    if (status == SPK_OK)
        status = spk_pattern_find_maxima(session->context, windows, &job->patterns,
                                         job->by_duration, &maximum, &n);
    c->make[k - 1] = made - began;
    c->cut[k - 1] = cut - made;
    c->maxima[k - 1] = processor_seconds() - cut;
    int code = cli_report(session, status);
    if (code == CLI_DONE && full)
        code = mine_in_full(session, windows, job, maximum, n, &c->full[k - 1]);
    free(maximum);
    spk_windows_free(windows);
    spk_recording_free(surrogate);
    return code;
}

static void print_step(const char *name, double *seconds, uint64_t n)
{
    double sum = 0;
    for (uint64_t k = 0; k < n; k++)
        sum += seconds[k];
    if (n == 0)
        return;
    const double median = bench_median(seconds, n); /* sorts */
    printf("%s\t%" PRIu64 "\t%.3f\t%.3f\t%.3f\n", name, n, 1e3 * sum / (double)n, 1e3 * median,
           1e3 * seconds[n - 1]);
}

static int measure(cli_session *session, const spk_recording *recording, const study_job *job,
                   uint64_t n_full)
{
    const uint64_t n = job->n_surrogates;
    double *all = calloc(4 * n + 1, sizeof *all);
    spk_surrogates *surrogates = NULL;
    if (all == NULL)
        return cli_fail(session, "out of memory");
    costs c = {all, all + n, all + 2 * n, all + 3 * n};
    int code = cli_report(
        session, spk_surrogates_create(session->context, recording, &job->surrogates, &surrogates));
    for (uint64_t k = 1; k <= n && code == CLI_DONE; k++)
        code = measure_one(session, surrogates, job, k, k <= n_full, &c);
    cli_progress_clear(session);
    if (code == CLI_DONE) {
        printf("step\tsurrogates\tmean_ms\tmedian_ms\tmost_ms\n");
        print_step("make", c.make, n);
        print_step("windows", c.cut, n);
        print_step("maxima", c.maxima, n);
        print_step("mine in full", c.full, n_full);
    }
    spk_surrogates_free(surrogates);
    free(all);
    return code;
}

/* ---- a whole test ---------------------------------------------------------------------------- */

/* Mines, makes the maxima of all surrogates, tests. */
static spk_status test_whole(spk_context *context, const spk_recording *recording,
                             const study_job *job, uint64_t *n_patterns, uint64_t *n_significant)
{
    study_found found = {0};
    spk_maxima *maxima = NULL;
    spk_signature *signatures = NULL;
    *n_significant = 0;
    spk_status status = study_mine(context, recording, job, &found);
    *n_patterns = status == SPK_OK ? spk_pattern_list_columns(found.patterns).n : 0;
    if (status == SPK_OK)
        status = study_maxima(context, recording, job, NULL, &maxima);
    if (status == SPK_OK)
        status = study_test(context, &found, maxima, job, false, &signatures);
    for (uint64_t i = 0; i < found.n_entries && status == SPK_OK; i++)
        *n_significant += signatures[i].significant ? signatures[i].n_patterns : 0;
    free(signatures);
    spk_maxima_free(maxima);
    study_found_free(&found);
    return status;
}

static int time_test(cli_session *session, const spk_recording *recording, study_job job,
                     uint64_t n_surrogates)
{
    struct rusage usage;
    uint64_t n_patterns, n_significant;
    job.n_surrogates = n_surrogates;
    double began = cli_seconds();
    spk_status status = test_whole(session->context, recording, &job, &n_patterns, &n_significant);
    double seconds = cli_seconds() - began;
    cli_progress_clear(session);
    getrusage(RUSAGE_SELF, &usage);
    if (status == SPK_OK)
        printf("test\tsurrogates\tthreads\tseconds\tprocessor_s\tpeak_mb\tpatterns\tsignificant\n"
               "whole\t%" PRIu64 "\t%d\t%.2f\t%.2f\t%.0f\t%" PRIu64 "\t%" PRIu64 "\n",
               n_surrogates, spk_context_threads(session->context), seconds,
               (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec,
               (double)usage.ru_maxrss / 1024, n_patterns, n_significant);
    return cli_report(session, status);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void set_job(study_job *job, const values *v)
{
    study_job_init(job);
    job->windows.bin = v->bin.value;
    job->windows.window = (uint32_t)v->window;
    job->patterns.min_spikes = (uint32_t)v->min_spikes;
    job->patterns.min_neurons = (uint32_t)v->min_neurons;
    job->patterns.support = v->support.value;
    job->surrogates.method = v->method;
    job->surrogates.dither = v->dither.value;
    job->surrogates.bin = v->bin.value;
    job->surrogates.seed = v->seed;
    job->n_surrogates = v->surrogates;
    job->by_duration = v->spectrum == 1;
}

/* `auto`: the published recipe, one support a size. */
static int set_supports(cli_session *session, const spk_recording *recording, const values *v,
                        study_job *job, spk_pattern_supports *supports)
{
    if (!v->support.word)
        return CLI_DONE;
    int code = cli_report(session, study_supports(session->context, recording, job, supports));
    job->patterns.supports = supports;
    for (uint32_t size = 2; size <= supports->n && code == CLI_DONE; size++)
        cli_note(session, "size %" PRIu32 "%s: support %" PRIu64, size,
                 size == supports->n ? " and larger" : "", supports->at_size[size]);
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_recording *recording = NULL;
    spk_pattern_supports supports;
    study_job job;
    set_job(&job, v);
    spk_context_set_threads(session->context, (int)v->threads);
    int code = cli_recording_read(session, session->arguments[0], &recording);
    if (code == CLI_DONE)
        code = set_supports(session, recording, v, &job, &supports);
    if (code == CLI_DONE && v->test > 0)
        code = time_test(session, recording, job, v->test);
    spk_context_set_threads(session->context, 1);
    if (code == CLI_DONE && v->surrogates > 0)
        code = measure(session, recording, &job, v->full < v->surrogates ? v->full : v->surrogates);
    spk_recording_free(recording);
    return code;
}

#define NUMBER(option, letter_, member, usual, text)                                               \
    {                                                                                              \
        .name = option, .letter = letter_, .kind = CLI_INTEGER, .argument = "N",                   \
        .offset = offsetof(values, member), .fallback = usual, .maximum = 1e9, .help = text        \
    }

static const cli_option options[] = {
    {.name = "bin",
     .kind = CLI_DURATION,
     .argument = "TIME",
     .offset = offsetof(values, bin),
     .fallback = "5ms",
     .help = "width of a bin"},
    NUMBER("window", 'w', window, "20", "window length in bins"),
    NUMBER("min-spikes", 0, min_spikes, "5", "fewest spikes of a pattern"),
    NUMBER("min-neurons", 0, min_neurons, "1", "fewest neurons of a pattern"),
    {.name = "support",
     .letter = 's',
     .kind = CLI_COUNT,
     .argument = "N|auto",
     .offset = offsetof(values, support),
     .fallback = "10",
     .minimum = 1,
     .maximum = 1e9,
     .help = "support; auto takes the published recipe"},
    {.name = "spectrum",
     .kind = CLI_CHOICE,
     .argument = "2d|3d",
     .offset = offsetof(values, spectrum),
     .fallback = "2d",
     .help = "maxima by size, or by size and duration"},
    {.name = "surrogate-method",
     .kind = CLI_TEXT,
     .argument = "NAME",
     .offset = offsetof(values, method),
     .fallback = "dither-spikes",
     .help = "how surrogates are made"},
    {.name = "dither",
     .kind = CLI_DURATION,
     .argument = "TIME",
     .offset = offsetof(values, dither),
     .fallback = "15ms",
     .help = "how far spikes move"},
    NUMBER("test", 0, test, NULL, "surrogates of a whole test, which is timed first; 0: none"),
    NUMBER("surrogates", 'B', surrogates, "20", "how many to time step by step; 0: none"),
    NUMBER("full", 0, full, "2", "how many of them to mine in full besides"),
    NUMBER("seed", 0, seed, "1", "seed of the surrogates"),
    NUMBER("threads", 0, threads, NULL, "of the whole test; by default one per processor"),
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command study_speed = {
    .program = "spikemine-bench-significance",
    .name = "speed",
    .arguments = "REC",
    .summary = "what surrogates cost, step by step",
    .description =
        "Times a whole test, and with one thread making surrogates, windows, maxima by branch and\n"
        "bound, and mining in full, which must give the same maxima. Steps are in processor time.",
    .examples = "  spikemine-bench-significance speed rec.txt --test 1000 -B 100 --full 3",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
