/*
 * Which units are connected? One run is one network with planted connections. All ordered pairs of
 * units are ranked in several ways, and the area under the curve of each ranking is the chance that
 * a connected pair comes before another one.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "correlograms.h"
#include "exact_job.h"
#include "study.h"

enum { N_UNITS = 16, N_EDGES = 16, N_PAIRS = N_UNITS * N_UNITS, JITTER_MS = 25 };
static const double seconds = 60, alpha = 0.05;

/* ---- networks -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double slowest_hz, fastest_hz; /* rates are log-uniform between them */
    double depth, wave_hz;         /* of a rate change that all units share */
} backgrounds[] = {
    {"equal rates", 10, 10, 0, 0},
    {"unequal rates", 2, 40, 0, 0},
    {"unequal, common 1 s", 2, 40, 0.8, 1},
    {"unequal, common 100 ms", 2, 40, 0.8, 10},
};
static const double strengths[] = {0.01, 0.02, 0.04, 0.08, 0.16};
enum {
    N_BACKGROUNDS = sizeof backgrounds / sizeof *backgrounds,
    N_STRENGTHS = sizeof strengths / sizeof *strengths,
    N_CELLS = N_BACKGROUNDS * N_STRENGTHS
};

typedef struct network {
    bool connected[N_PAIRS]; /* from * N_UNITS + to */
    double delay_s[N_PAIRS];
} network;

static void connect(network *net, trains_random *random)
{
    static const double shortest = 0.0015, longest = 0.0085;
    for (int n = 0; n < N_EDGES;) {
        const uint32_t from = trains_below(random, N_UNITS), to = trains_below(random, N_UNITS);
        const uint32_t pair = from * N_UNITS + to;
        if (from == to || net->connected[pair])
            continue;
        net->connected[pair] = true;
        net->delay_s[pair] = shortest + (longest - shortest) * trains_unit(random);
        n++;
    }
}

/* Spikes of the background make a further one in each unit that they reach, with the strength as
 * chance; what they make reaches nobody. */
static void transmit(const network *net, double strength, trains *t, trains_random *random)
{
    static const double jitter = 0.001;
    const uint64_t n = t->n;
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t to = 0; to < N_UNITS; to++) {
            const uint32_t pair = t->unit[i] * N_UNITS + to;
            const double time = (double)t->time[i] / TRAINS_RATE + net->delay_s[pair] +
                                jitter * (2 * trains_unit(random) - 1);
            if (net->connected[pair] && trains_unit(random) < strength && time < seconds)
                trains_add(t, to, time);
        }
}

static spk_status draw(spk_context *context, size_t cell, uint64_t seed, uint64_t run, network *net,
                       spk_recording **out)
{
    const size_t b = cell / N_STRENGTHS;
    trains t = {0};
    trains_random random = trains_start(seed, cell, run, N_UNITS);
    *net = (network){0};
    connect(net, &random);
    for (uint32_t u = 0; u < N_UNITS; u++) {
        trains_random own = trains_start(seed, cell, run, u);
        const double fastest = backgrounds[b].fastest_hz, slowest = backgrounds[b].slowest_hz;
        const trains_process process = {.order = 1,
                                        .rate_hz =
                                            slowest * pow(fastest / slowest, trains_unit(&own)),
                                        .depth = backgrounds[b].depth,
                                        .wave_hz = backgrounds[b].wave_hz};
        trains_renewal(&t, &own, u, &process, seconds);
    }
    transmit(net, strengths[cell % N_STRENGTHS], &t, &random);
    return trains_recording(context, &t, N_UNITS, seconds, 1, out);
}

/* ---- rankings -------------------------------------------------------------------------------- */

/* Episodes in intervals of 5 ms, of 2 ms, and correlograms. */
enum { COUNT, SHARE, EXCESS, EXACT, COUNT_2, SHARE_2, EXCESS_2, EXACT_2, PEAK, WIDE_PEAK, HOLLOW };
enum { N_RANKINGS = HOLLOW + 1, N_WIDTHS = 2, OF_A_WIDTH = COUNT_2 };
static const char columns[] =
    "background\tstrength\trun\tedges\tfound\tfalse\tfound_2ms\tfalse_2ms\tcount\tshare\texcess\t"
    "exact\tcount_2ms\tshare_2ms\texcess_2ms\texact_2ms\tpeak\twide_peak\thollow";

/* What a run has to tell. */
typedef struct outcome {
    /* Pairs that the exact test finds, connected and not connected. */
    uint32_t found[N_WIDTHS], others[N_WIDTHS];
    double value[N_RANKINGS][N_PAIRS];
} outcome;

/* The largest value of a pair's intervals. */
static void raise_to(double *value, double other)
{
    *value = other > *value ? other : *value;
}

static double events_of(const spk_events *events, uint32_t unit)
{
    return (double)(events->unit_first[unit + 1] - events->unit_first[unit]);
}

/* Scores of the exact test are 0 for many pairs, so that the excess decides among equal ones. */
static void rank_episodes(const spk_recording *recording, const network *net,
                          const exact_found *found, int width, outcome *out)
{
    const spk_episode_columns episodes = spk_episode_list_columns(found->episodes);
    const spk_events events = spk_recording_events(recording);
    double(*value)[N_PAIRS] = &out->value[width == 0 ? 0 : OF_A_WIDTH];
    bool significant[N_PAIRS] = {0};
    for (uint32_t p = 0; p < N_PAIRS; p++)
        value[EXCESS][p] = value[EXACT][p] = -1e6;
    for (uint64_t i = 0; i < episodes.n; i++) {
        const spk_exact_verdict *verdict = &found->verdict[i];
        const uint32_t *unit = episodes.unit + episodes.offset[i];
        if (episodes.offset[i + 1] - episodes.offset[i] != 2 || unit[0] == unit[1])
            continue;
        const uint32_t pair = unit[0] * N_UNITS + unit[1];
        const double count = (double)episodes.count[i];
        const double both = events_of(&events, unit[0]) * events_of(&events, unit[1]);
        const double excess = (count - verdict->expected) / sqrt(verdict->expected + 1e-9);
        raise_to(&value[COUNT][pair], count);
        raise_to(&value[SHARE][pair], count / sqrt(both));
        raise_to(&value[EXCESS][pair], excess);
        raise_to(&value[EXACT][pair], 1e6 * verdict->score + excess);
        significant[pair] = significant[pair] || verdict->p <= alpha;
    }
    for (uint32_t p = 0; p < N_PAIRS; p++) {
        out->found[width] += significant[p] && net->connected[p];
        out->others[width] += significant[p] && !net->connected[p];
    }
}

/* Width 0: (0,5ms] and (5ms,10ms]; width 1: five intervals of 2 ms. */
static spk_status test_episodes(spk_context *context, const spk_recording *recording,
                                const network *net, int width, uint64_t n_surrogates, uint64_t seed,
                                outcome *out)
{
    exact_job job;
    exact_found found = {0};
    exact_job_init(&job, false, "interval-jitter", JITTER_MS, n_surrogates, seed);
    job.episodes.support = 1, job.episodes.max_size = 2;
    job.exact.distinct_units = 2;
    for (int64_t k = 0; k < 5 && width == 1; k++)
        job.delay[k] = (spk_delay){{2 * k, -3, 0}, {2 * k + 2, -3, 0}};
    job.episodes.n_delays = width == 1 ? 5 : 2;
    spk_status status = exact_job_run(context, recording, &job, &found);
    if (status == SPK_OK)
        rank_episodes(recording, net, &found, width, out);
    exact_found_free(&found);
    return status;
}

static spk_status rank_correlograms(const spk_recording *recording, outcome *out)
{
    correlograms c;
    spk_status status = correlograms_make(recording, TRAINS_RATE / 1000, &c);
    for (uint32_t p = 0; p < N_PAIRS && status == SPK_OK; p++) {
        const uint32_t from = p / N_UNITS, to = p % N_UNITS;
        out->value[PEAK][p] = correlogram_z(&c, from, to, 1);
        out->value[WIDE_PEAK][p] = correlogram_z(&c, from, to, 5);
        out->value[HOLLOW][p] = correlogram_hollow(&c, from, to);
    }
    correlograms_free(&c);
    return status;
}

/* The chance that a connected pair has a larger value than another one; equal ones count half. */
static double area(const double *value, const bool *connected)
{
    double wins = 0, n = 0;
    for (uint32_t a = 0; a < N_PAIRS; a++)
        for (uint32_t b = 0; b < N_PAIRS; b++) {
            if (!connected[a] || connected[b] || b / N_UNITS == b % N_UNITS)
                continue;
            wins += value[a] > value[b] ? 1 : value[a] < value[b] ? 0 : 0.5;
            n++;
        }
    return wins / n;
}

static void write_row(size_t cell, uint64_t run, const network *net, const outcome *out, char *row,
                      size_t row_size)
{
    size_t n = (size_t)snprintf(row, row_size, "%s\t%g\t%" PRIu64 "\t%d",
                                backgrounds[cell / N_STRENGTHS].name, strengths[cell % N_STRENGTHS],
                                run, (int)N_EDGES);
    for (int width = 0; width < N_WIDTHS && n < row_size; width++)
        n += (size_t)snprintf(row + n, row_size - n, "\t%" PRIu32 "\t%" PRIu32, out->found[width],
                              out->others[width]);
    for (int k = 0; k < N_RANKINGS && n < row_size; k++)
        n += (size_t)snprintf(row + n, row_size - n, "\t%.4f", area(out->value[k], net->connected));
}

/* ---- a run ----------------------------------------------------------------------------------- */

static spk_status run_one(spk_context *context, const void *study, uint64_t key, char *row,
                          size_t row_size)
{
    const study_values *v = study;
    const size_t cell = (size_t)(key % N_CELLS);
    const uint64_t run = key / N_CELLS;
    network net;
    spk_recording *recording = NULL;
    outcome *out = calloc(1, sizeof *out);
    spk_status status =
        out != NULL ? draw(context, cell, v->seed, run, &net, &recording) : SPK_ERR_MEMORY;
    for (int width = 0; width < N_WIDTHS && status == SPK_OK; width++)
        status = test_episodes(context, recording, &net, width, v->surrogates, v->seed + key, out);
    if (status == SPK_OK)
        status = rank_correlograms(recording, out);
    if (status == SPK_OK)
        write_row(cell, run, &net, out, row, row_size);
    free(out);
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
             "connectivity: %d units, %d connections of 1.5 to 8.5 ms, %g s; episodes with 2 "
             "intervals of 5 ms and 5 of 2 ms; jitter %d ms, %" PRIu64
             " surrogates, alpha %g, seed %" PRIu64,
             N_UNITS, N_EDGES, seconds, JITTER_MS, v->surrogates, alpha, v->seed);
    study_plan plan = {.run = run_one,
                       .study = v,
                       .n_keys = v->runs * (uint64_t)N_CELLS,
                       .what = what,
                       .columns = columns};
    int code = study_plan_fill(session, v, &plan);
    return code == CLI_DONE ? study_execute(session, &plan) : code;
}

static const cli_option options[] = {
    STUDY_OPTIONS(values, study, "20", "networks of each background and strength", "99"), CLI_END};

const cli_command study_connectivity = {
    .program = "spikemine-bench-significance",
    .name = "connectivity",
    .summary = "planted connections among all pairs, by the exact test and by correlograms",
    .description =
        "Plants connections into networks, ranks all ordered pairs of units, and writes a row\n"
        "for each network. Columns: background; strength, the share of spikes that make another\n"
        "one; connections; significant pairs that are connected and others, by the exact test\n"
        "with two intervals of 5 ms and with five of 2 ms. Areas under the curve, likewise\n"
        "twice: count, the pair's largest count; share, the same divided by the root of the\n"
        "product of the units' events; excess, count minus expected in roots of expected; exact,\n"
        "score of the exact test, then excess. Then correlograms: peak in standard deviations of\n"
        "the flanks, bins of 1 ms; wide_peak, bins of 5 ms; hollow, chance of the peak by a\n"
        "hollow Gaussian.",
    .examples = "  spikemine-bench-significance connectivity -o connectivity.tsv",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
