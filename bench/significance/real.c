/*
 * Which planted chains does the exact test find in real recordings, under which null hypothesis? In
 * a copy of a recording each unit is shifted in a circle by an amount of its own, so that nothing
 * holds between units but a chain of three of them that is planted. One run is one copy, searched
 * in one language; every test sees the same copy. Beside: the signature test and correlograms.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "correlograms.h"
#include "exact_job.h"
#include "planted.h"
#include "signature.h"
#include "study.h"

enum { SIZE = 3, N_UNITS = 16, LEAST_EVENTS = 12, MOST_UNITS = 4096 };
static const double alpha = 0.05;

/* ---- recordings ------------------------------------------------------------------------------ */

/* What is searched for in a recording; the name is that of its file. */
typedef struct setting {
    const char *name;
    spk_duration first, second; /* ends of the two intervals of delays */
    spk_duration bin;
    double width_s; /* of an interval and of a bin */
    double delay;   /* of an episode's chain, in widths: inside the second interval */
    int64_t jitter_ms;
    double lag_s;         /* a bin of correlograms */
    uint32_t occurrences; /* of the base case */
    uint64_t support;
} setting;

static const setting settings[] = {
    {"macaque", {5, -3, 0}, {1, -2, 0}, {5, -3, 0}, 0.005, 1.5, 25, 0.005, 14, 5},
    {"songbird", {34, -3, 0}, {67, -3, 0}, {1, 0, 30}, 1 / 30.0, 2, 500, 1 / 30.0, 14, 5},
    {"probe", {5, -3, 0}, {1, -2, 0}, {5, -3, 0}, 0.005, 1.5, 25, 0.001, 20, 8},
    {"culture", {5, -3, 0}, {1, -2, 0}, {5, -3, 0}, 0.005, 1.5, 25, 0.001, 14, 5},
};
enum { N_SETTINGS = sizeof settings / sizeof *settings };

/* A recording that copies are made of. */
typedef struct background {
    const setting *is;
    spk_recording *recording;
    spk_surrogates *copies;
    uint32_t n_units;
    uint32_t by_events[MOST_UNITS]; /* units of LEAST_EVENTS or more, the slowest first */
} background;

static void background_free(background *b)
{
    spk_surrogates_free(b->copies);
    spk_recording_free(b->recording);
}

static uint64_t events_of(const spk_events *events, uint32_t unit)
{
    return events->unit_first[unit + 1] - events->unit_first[unit];
}

/* Units that fire enough, by insertion; those beyond MOST_UNITS are left out. */
static void rank_units(background *b)
{
    const spk_events events = spk_recording_events(b->recording);
    for (uint32_t u = 0; u < events.n_units && b->n_units < MOST_UNITS; u++) {
        uint32_t at = b->n_units;
        if (events_of(&events, u) < LEAST_EVENTS)
            continue;
        for (; at > 0 && events_of(&events, b->by_events[at - 1]) > events_of(&events, u); at--)
            b->by_events[at] = b->by_events[at - 1];
        b->by_events[at] = u;
        b->n_units++;
    }
}

static spk_status background_open(spk_context *context, const char *path, uint64_t seed,
                                  background *out)
{
    spk_read_options options;
    spk_surrogate_options apart;
    spk_read_options_init(&options, sizeof options);
    spk_surrogate_options_init(&apart, sizeof apart);
    apart.method = "shift-apart";
    apart.seed = seed;
    spk_status status = spk_recording_read(context, path, &options, &out->recording);
    if (status == SPK_OK)
        status = spk_surrogates_create(context, out->recording, &apart, &out->copies);
    if (status == SPK_OK)
        rank_units(out);
    return status;
}

/* ---- points of the curves -------------------------------------------------------------------- */

typedef enum rates { SLOW, MIDDLE, FAST } rates;

typedef struct point {
    const char *factor;
    const char *value;
    double occurrences; /* in those of the base case */
    double jitter;      /* of delays, in widths */
    double missing;     /* share of the spikes */
    rates rates;        /* from which third of the units */
} point;

static const point points[] = {
    {"repeats", "0.4", 0.4, 0, 0, MIDDLE},
    {"repeats", "0.6", 0.6, 0, 0, MIDDLE},
    {"repeats", "1", 1, 0, 0, MIDDLE},
    {"jitter of delays", "0.5", 1, 0.5, 0, MIDDLE},
    {"jitter of delays", "1", 1, 1, 0, MIDDLE},
    {"missing spikes", "0.1", 1, 0, 0.1, MIDDLE},
    {"missing spikes", "0.3", 1, 0, 0.3, MIDDLE},
    {"rates of the units", "slow", 1, 0, 0, SLOW},
    {"rates of the units", "fast", 1, 0, 0, FAST},
};
enum { N_POINTS = sizeof points / sizeof *points };

static planted chain_of(const setting *is, const point *p, bool of_patterns)
{
    return (planted){.size = SIZE,
                     .occurrences = (uint32_t)(p->occurrences * is->occurrences),
                     .delay_s = is->width_s * (of_patterns ? 1 : is->delay),
                     .jitter_s = is->width_s * p->jitter,
                     .strength = 1,
                     .missing = p->missing,
                     .interval = 1,
                     .bin_s = is->width_s};
}

/* ---- a copy with a chain --------------------------------------------------------------------- */

/* Takes a unit from place `at` of the list, which gets the last one. */
static uint32_t take_out(uint32_t *list, uint32_t *n, uint32_t at)
{
    const uint32_t unit = list[at];
    memmove(&list[at], &list[at + 1], (--*n - at) * sizeof *list);
    return unit;
}

/* number[u]: of unit u in the copy, the chain's first; UINT32_MAX: left out. */
static spk_status choose_units(const background *b, rates third, trains_random *random,
                               uint32_t *number)
{
    uint32_t n = b->n_units;
    uint32_t *list = malloc((n + (size_t)1) * sizeof *list);
    if (list == NULL)
        return SPK_ERR_MEMORY;
    memcpy(list, b->by_events, n * sizeof *list);
    for (uint32_t k = 0; k < N_UNITS && n > 0; k++) {
        const uint32_t first = k < SIZE ? b->n_units * third / 3 : 0;
        const uint32_t end = k < SIZE ? b->n_units * (third + 1) / 3 - k : n;
        number[take_out(list, &n, first + trains_below(random, end - first))] = k;
    }
    free(list);
    return SPK_OK;
}

/* Events of the chosen units, and the chain's. */
static spk_status join(spk_context *context, const spk_recording *copy, const uint32_t *number,
                       const trains *chain, spk_recording **out)
{
    const spk_events events = spk_recording_events(copy);
    const spk_rate rate = spk_recording_rate(copy);
    const int64_t start = spk_recording_start(copy), stop = spk_recording_stop(copy);
    const double ticks = (double)rate.numerator / (double)rate.denominator / TRAINS_RATE;
    int64_t *time = malloc((size_t)(events.n_events + chain->n + 1) * sizeof *time);
    uint32_t *unit = malloc((size_t)(events.n_events + chain->n + 1) * sizeof *unit);
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    spk_status status = time != NULL && unit != NULL && !chain->failed ? SPK_OK : SPK_ERR_MEMORY;
    for (uint64_t i = 0; i < events.n_events && status == SPK_OK; i++)
        if (number[events.unit[i]] != UINT32_MAX) {
            time[source.n_events] = events.time[i];
            unit[source.n_events++] = number[events.unit[i]];
        }
    for (uint64_t i = 0; i < chain->n && status == SPK_OK; i++) {
        time[source.n_events] = start + (int64_t)((double)chain->time[i] * ticks);
        unit[source.n_events++] = chain->unit[i];
    }
    source.time = time, source.unit = unit;
    source.n_units = N_UNITS;
    source.rate = rate;
    source.start = &start, source.stop = &stop;
    if (status == SPK_OK)
        status = spk_recording_create(context, &source, out);
    free(time);
    free(unit);
    return status;
}

static double seconds_of(const spk_recording *recording)
{
    const spk_rate rate = spk_recording_rate(recording);
    return (double)(spk_recording_stop(recording) - spk_recording_start(recording)) *
           (double)rate.denominator / (double)rate.numerator;
}

static spk_status draw(spk_context *context, const background *b, const point *p,
                       const planted *chain, uint64_t seed, uint64_t k, spk_recording **out)
{
    trains t = {0};
    spk_recording *copy = NULL;
    trains_random random = trains_start(seed, k, 0, 0);
    const size_t n_units = spk_recording_events(b->recording).n_units;
    uint32_t *number = malloc((n_units + 1) * sizeof *number);
    if (number == NULL)
        return SPK_ERR_MEMORY;
    memset(number, 0xff, n_units * sizeof *number);
    spk_status status = choose_units(b, p->rates, &random, number);
    if (status == SPK_OK)
        status = spk_surrogates_make(context, b->copies, k + 1, &copy);
    planted_add(chain, &t, &random, seconds_of(b->recording));
    if (status == SPK_OK)
        status = join(context, copy, number, &t, out);
    free(t.time);
    free(t.unit);
    free(number);
    spk_recording_free(copy);
    return status;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* NULL: the default. */
static const char *const nulls[] = {"interval-jitter", "pattern-jitter", "shift", "shift-apart",
                                    NULL};
enum {
    N_NULLS = sizeof nulls / sizeof *nulls,
    SIGNATURE = N_NULLS,
    CORRELOGRAMS = SIGNATURE + N_SIGNATURE_RULES,
    N_TESTS
};
static const char columns[] =
    "recording\tresults\tfactor\tvalue\trun\tfound\tinterval-jitter\tpattern-jitter\tshift\t"
    "shift-apart\tdefault\tsignature\treduced\tpublished\tcorrelograms";

typedef struct outcome {
    uint64_t n;
    planted_tally tally[N_TESTS];
} outcome;

static void set_job(exact_job *job, const setting *is, bool of_patterns, const char *null,
                    uint64_t n_surrogates, uint64_t seed)
{
    exact_job_init(job, of_patterns, null, is->jitter_ms, n_surrogates, seed);
    job->delay[0].hi = job->delay[1].lo = is->first;
    job->delay[1].hi = is->second;
    job->episodes.support = is->support, job->episodes.max_size = SIZE;
    job->windows.bin = is->bin, job->windows.window = 4;
    job->patterns.support = is->support;
    job->patterns.min_spikes = 2, job->patterns.max_spikes = SIZE;
    job->patterns.min_neurons = 2;
    job->exact.distinct_units = of_patterns ? 0 : 2;
    if (of_patterns)
        job->null.bin = is->bin;
}

static spk_status test_exact(spk_context *context, const spk_recording *recording,
                             const exact_job *job, const planted *chain, exact_found *found,
                             planted_tally *tally)
{
    spk_status status = exact_job_run(context, recording, job, found);
    uint8_t *keep = calloc((size_t)found->n + 1, 1);
    if (keep == NULL)
        return SPK_ERR_MEMORY;
    for (uint64_t i = 0; i < found->n && status == SPK_OK; i++)
        keep[i] = found->verdict[i].p <= alpha;
    if (status == SPK_OK)
        planted_tally_found(tally, chain, found, keep);
    free(keep);
    return status;
}

/* Pairs with a bin that chance reaches in none of all bins of all pairs, by Bonferroni: the whole
 * chain where both its links are among them. */
static spk_status test_correlograms(const spk_recording *recording, double lag_s,
                                    planted_tally *tally)
{
    const double needed = -log10(alpha / (N_UNITS * (N_UNITS - 1) * CORRELOGRAM_PEAK));
    const spk_rate rate = spk_recording_rate(recording);
    const double ticks = lag_s * (double)rate.numerator / (double)rate.denominator;
    correlograms c;
    spk_status status = correlograms_make(recording, llround(ticks), &c);
    for (uint32_t from = 0; from < N_UNITS && status == SPK_OK; from++)
        for (uint32_t to = 0; to < N_UNITS; to++) {
            const bool of_chain = from < to && to < SIZE;
            if (from == to || correlogram_hollow(&c, from, to) < needed)
                continue;
            tally->pairs += of_chain && to == from + 1;
            tally->others += !of_chain;
        }
    tally->whole = tally->pairs == SIZE - 1;
    correlograms_free(&c);
    return status;
}

static spk_status run_tests(spk_context *context, const spk_recording *recording, const setting *is,
                            const planted *chain, bool of_patterns, uint64_t n_surrogates,
                            uint64_t seed, outcome *out)
{
    spk_status status = SPK_OK;
    for (size_t k = 0; k < N_NULLS && status == SPK_OK; k++) {
        exact_job job;
        exact_found found = {0};
        set_job(&job, is, of_patterns, nulls[k], n_surrogates, seed);
        status = test_exact(context, recording, &job, chain, &found, &out->tally[k]);
        out->n = found.n;
        if (status == SPK_OK && k == 0) /* interval jitter, as in the signature test elsewhere */
            status = signature_tally(context, recording, &job, chain, &found, alpha,
                                     &out->tally[SIGNATURE]);
        exact_found_free(&found);
    }
    return status == SPK_OK ? test_correlograms(recording, is->lag_s, &out->tally[CORRELOGRAMS])
                            : status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct values {
    study_values study;
} values;

typedef struct real {
    const study_values *values;
    size_t n;
    background background[N_SETTINGS];
} real;

/* Keys: language fastest, then recording, point and run. */
static spk_status run_one(spk_context *context, const void *study, uint64_t key, char *row,
                          size_t row_size)
{
    const real *r = study;
    const bool of_patterns = key % 2 == 1;
    const background *b = &r->background[key / 2 % r->n];
    const point *p = &points[key / 2 / r->n % N_POINTS];
    const planted chain = chain_of(b->is, p, of_patterns);
    outcome out = {0};
    spk_recording *recording = NULL;
    spk_status status = draw(context, b, p, &chain, r->values->seed, key / 2, &recording);
    if (status == SPK_OK)
        status = run_tests(context, recording, b->is, &chain, of_patterns, r->values->surrogates,
                           r->values->seed + key, &out);
    int n = snprintf(row, row_size, "%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64, b->is->name,
                     of_patterns ? "patterns" : "episodes", p->factor, p->value,
                     key / 2 / r->n / N_POINTS, out.n);
    planted_tallies_print(out.tally, N_TESTS, row + n, row_size - (size_t)n);
    spk_recording_free(recording);
    return status;
}

/* ---- the study ------------------------------------------------------------------------------- */

/* The setting of a file by its name, without folder and ending; NULL where there is none. */
static const setting *setting_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (size_t k = 0; k < N_SETTINGS; k++)
        if (strncmp(name, settings[k].name, strlen(settings[k].name)) == 0)
            return &settings[k];
    return NULL;
}

static int open_all(cli_session *session, real *r)
{
    char **arguments = session->arguments;
    int code = CLI_DONE;
    for (int k = 0; k < session->n_arguments && code == CLI_DONE; k++) {
        background *b = &r->background[r->n];
        if ((b->is = setting_of(arguments[k])) == NULL)
            return cli_fail(session, "%s: the name is not one of macaque, songbird, probe, culture",
                            arguments[k]);
        r->n++;
        code = cli_report(session,
                          background_open(session->context, arguments[k], r->values->seed, b));
        if (code == CLI_DONE && b->n_units < N_UNITS)
            code = cli_fail(session, "%s: has %u units with %d events or more; %d are needed",
                            arguments[k], b->n_units, LEAST_EVENTS, N_UNITS);
    }
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const study_values *v = &((const values *)raw)->study;
    real r = {.values = v};
    char what[256];
    int code = open_all(session, &r);
    size_t n = (size_t)snprintf(what, sizeof what,
                                "chains of %d among %d units of real recordings; %" PRIu64
                                " surrogates, alpha %g, seed %" PRIu64 ";",
                                SIZE, N_UNITS, v->surrogates, alpha, v->seed);
    for (size_t k = 0; k < r.n && n < sizeof what; k++)
        n += (size_t)snprintf(what + n, sizeof what - n, " %s", r.background[k].is->name);
    study_plan plan = {.run = run_one,
                       .study = &r,
                       .n_keys = v->runs * r.n * N_POINTS * 2,
                       .what = what,
                       .columns = columns};
    if (code == CLI_DONE)
        code = study_plan_fill(session, v, &plan);
    if (code == CLI_DONE)
        code = study_execute(session, &plan);
    for (size_t k = 0; k < r.n; k++)
        background_free(&r.background[k]);
    return code;
}

static const cli_option options[] = {
    STUDY_OPTIONS(values, study, "40", "copies of each recording at each point of a curve", "39"),
    CLI_END};

const cli_command study_real = {
    .program = "spikemine-bench-significance",
    .name = "real",
    .arguments = "REC ...",
    .summary = "planted chains that the exact test finds in real recordings, by null hypothesis",
    .description =
        "Shifts the units of a recording apart, plants a chain of three units, searches for\n"
        "episodes or patterns, and tests them under each null hypothesis, with the signature\n"
        "test and with correlograms. Writes a row for each copy; a test's column has the five\n"
        "numbers of the study 'power'. Recordings are files named macaque, songbird, probe or\n"
        "culture, which tells what is searched for; bench/validation.sh makes them.",
    .examples = "  spikemine-bench-significance real macaque.npz songbird.npz -o real.tsv",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .max_arguments = N_SETTINGS,
    .run = run,
};
