/*
 * The figures. Numbers of figures and tables are those of Cao, Patnaik, Ponce et al., "Parallel
 * mining of neuronal spike streams on graphics processing units", section 7; `tracking` is section
 * 15.4 of Feng, Cao, Patnaik and Ramakrishnan, "Temporal data mining for neuroscience".
 *
 * Recordings, unless one is given: Sym26 (60 s) for comparing the papers' strategies, a culture
 * (1,800 s) where the papers took the cultures 2-1-33 to 2-1-35.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "bench_gpu.h"
#include "spikemine/papers.h"
#include "spikemine/simulate.h"

enum { SYM26_SECONDS = 60, CULTURE_SECONDS = 1800, PAPER_THREADS = 4, SEED = 26 };
enum { LEAST_SIZE = 2, MOST_SIZE = 8, LEAST_LOG = 4, MOST_LOG = 16 };

static const spk_delay usual_delay = {.lo = {5, -3}, .hi = {1, -2}};

/* ---- recordings ------------------------------------------------------------------------------ */

typedef spk_status generate(spk_context *context, uint64_t seconds, spk_recording **out);

static spk_status make_sym26(spk_context *context, uint64_t seconds, spk_recording **out)
{
    spk_sym26_options options;
    spk_sym26_options_init(&options, sizeof options);
    options.seed = SEED;
    options.duration = (spk_duration){(int64_t)(seconds > 0 ? seconds : SYM26_SECONDS), 0};
    return spk_simulate_sym26(context, &options, out, NULL);
}

/* The generator takes a number of events: tonic ones and those of bursts, a second. */
static spk_status make_culture(spk_context *context, uint64_t seconds, spk_recording **out)
{
    spk_culture_options options;
    spk_culture_options_init(&options, sizeof options);
    double rate =
        options.n_units * (options.tonic_hz + options.bursts_per_min / 60 * options.burst_spikes);
    options.seed = SEED;
    options.n_events = (uint64_t)(rate * (double)(seconds > 0 ? seconds : CULTURE_SECONDS));
    return spk_simulate_culture(context, &options, out, NULL);
}

/* The given recording, or a generated one, which the caller frees: *made. */
static int take_recording(gpu_bench *bench, generate *make, uint64_t seconds,
                          const spk_recording **recording, spk_recording **made)
{
    *recording = bench->given;
    if (bench->given != NULL)
        return CLI_DONE;
    int code =
        cli_report(bench->session, make(bench->session->context,
                                        bench->seconds > 0 ? bench->seconds : seconds, made));
    *recording = *made;
    return code;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static gpu_case *add(gpu_bench *bench, const char *name, const char *engine, bool two_pass)
{
    assert(bench->n_cases < GPU_BENCH_MAX_CASES);
    gpu_case *c = &bench->cases[bench->n_cases++];
    memset(c, 0, sizeof *c);
    c->name = name;
    c->engine = engine;
    c->two_pass = two_pass;
    c->threads = bench->threads;
    return c;
}

static void add_cpu(gpu_bench *bench, const char *name, const char *engine, bool two_pass,
                    int threads)
{
    add(bench, name, engine, two_pass)->threads = threads;
}

static gpu_case *add_gpu(gpu_bench *bench, const char *name, const char *engine, bool two_pass,
                         int gpus)
{
    gpu_case *c = add(bench, name, engine, two_pass);
    c->gpus = gpus;
    return c;
}

/* The papers' strategies and ours on one GPU, one pass. */
static void add_strategies(gpu_bench *bench)
{
    add_gpu(bench, "cuda-ptpe", "cuda-ptpe", false, 1);
    add_gpu(bench, "cuda-mtpe", "cuda-mtpe", false, 1);
    add_gpu(bench, "cuda-hybrid", "cuda-hybrid", false, 1);
    add_gpu(bench, "cuda-sweep", "cuda-sweep", false, 1);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static gpu_job make_job(const gpu_bench *bench, const spk_recording *recording)
{
    return (gpu_job){.recording = recording,
                     .delays = bench->n_delays > 0 ? bench->delays : &usual_delay,
                     .n_delays = bench->n_delays > 0 ? bench->n_delays : 1};
}

/* Supports of figures, NULL at the end. */
static const char *const sym26_supports[] = {"0.8%", "0.4%", "0.2%", "0.1%", NULL};
static const char *const culture_supports[] = {"0.5%", "0.3%", "0.2%", NULL};

/* The job at every support: those given, or else `usual`. */
static int each_support(gpu_bench *bench, gpu_job *job, const char *const *usual)
{
    int code = CLI_DONE;
    for (size_t k = 0; k < bench->supports.n && code == CLI_DONE; k++) {
        job->support = bench->supports.text[k];
        code = gpu_bench_mine(bench, job);
    }
    for (; bench->supports.n == 0 && *usual != NULL && code == CLI_DONE; usual++) {
        job->support = *usual;
        code = gpu_bench_mine(bench, job);
    }
    return code;
}

/* A figure that compares the same cases at several supports. */
static int support_figure(gpu_bench *bench, const char *figure, const char *what, generate *make,
                          uint64_t seconds, const char *const *usual)
{
    spk_recording *made = NULL;
    const spk_recording *recording = NULL;
    int code = take_recording(bench, make, seconds, &recording, &made);
    if (code == CLI_DONE)
        code = gpu_bench_begin(bench, figure, what);
    gpu_job job = make_job(bench, recording);
    if (code == CLI_DONE)
        code = each_support(bench, &job, usual);
    if (code == CLI_DONE)
        code = gpu_bench_end(bench, figure);
    spk_recording_free(made);
    return code;
}

/* ---- crossover: Fig. 9, Fig. 10, Table 1 ----------------------------------------------------- */

/* n random episodes of this size, as most candidates of a search are: they seldom occur. */
static spk_status random_episodes(spk_context *context, const spk_recording *recording,
                                  const spk_delay *delay, uint32_t size, uint64_t n,
                                  spk_episode_list **out)
{
    uint32_t unit[MOST_SIZE];
    spk_delay delays[MOST_SIZE];
    uint32_t n_units = spk_recording_events(recording).n_units;
    uint64_t random = bench_mix(SEED, size);
    spk_status status = spk_episode_list_create(context, out);
    for (uint32_t p = 0; p < size; p++)
        delays[p] = *delay;
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        for (uint32_t p = 0; p < size; p++) {
            random = bench_mix(random, k + 1);
            unit[p] = (uint32_t)((random >> 32) % n_units);
        }
        status = spk_episode_list_append(context, *out, size, unit, delays);
    }
    return status;
}

static int count_size(gpu_bench *bench, const gpu_job *job, uint32_t size)
{
    int code = CLI_DONE;
    for (int log = LEAST_LOG; log <= MOST_LOG && code == CLI_DONE; log++) {
        spk_episode_list *list = NULL;
        code = cli_report(bench->session,
                          random_episodes(bench->session->context, job->recording, job->delays,
                                          size, (uint64_t)1 << log, &list));
        if (code == CLI_DONE)
            code = gpu_bench_count(bench, job->recording, list);
        spk_episode_list_free(list);
    }
    return code;
}

static void print_crossovers(gpu_bench *bench, const spk_papers_tuning *c)
{
    fprintf(bench->out,
            "# figure crossover-points: candidates from which cuda-ptpe is faster than cuda-mtpe "
            "(Table 1, Fig. 10)\n"
            "# cuda-ptpe from resident_threads * (%.6g / size %+.6g) candidates on\n"
            "size\tcrossover\tcrossed\tresident_threads\tshare\tfitted_share\n",
            c->a, c->b);
    for (uint32_t k = 0; k < c->n_crossovers; k++) {
        const spk_papers_crossover *x = &c->crossover[k];
        fprintf(bench->out, "%" PRIu32 "\t%.1f\t%s\t%" PRIu64 "\t%.6g\t%.6g\n", x->size,
                x->candidates, x->crossed ? "yes" : "no", x->resident,
                x->candidates / (double)x->resident, c->a / x->size + c->b);
    }
}

static int count_random(gpu_bench *bench, const spk_recording *recording)
{
    gpu_job job = make_job(bench, recording);
    if (spk_recording_events(recording).n_units == 0)
        return cli_fail(bench->session, "the recording has no units: there is nothing to count");
    fprintf(bench->out, "# figure crossover: counting random candidates on one GPU (Fig. 9)\n"
                        "size\tcandidates\tengine\tcounting_s\tmin_s\tmax_s\topening_s\n");
    int code = CLI_DONE;
    for (uint32_t size = LEAST_SIZE; size <= MOST_SIZE && code == CLI_DONE; size++)
        code = count_size(bench, &job, size);
    return code;
}

static int print_crossover(gpu_bench *bench)
{
    spk_recording *made = NULL;
    const spk_recording *recording = NULL;
    spk_papers_tuning tuning;
    add_strategies(bench);
    /* First, as cuda-hybrid below goes by it. */
    int code = cli_report(bench->session, spk_papers_tune(bench->session->context, 0, &tuning));
    if (code == CLI_DONE) {
        print_crossovers(bench, &tuning);
        code = take_recording(bench, make_sym26, SYM26_SECONDS, &recording, &made);
    }
    if (code == CLI_DONE)
        code = count_random(bench, recording);
    spk_recording_free(made);
    if (code != CLI_DONE)
        return code;
    return support_figure(bench, "strategies",
                          "mining with PTPE, MTPE, the hybrid and cuda-sweep (Fig. 9)", make_sym26,
                          SYM26_SECONDS, sym26_supports);
}

/* ---- two passes: Fig. 11, and what the bound is worth ---------------------------------------- */

static int print_two_pass(gpu_bench *bench)
{
    add_gpu(bench, "cuda-hybrid", "cuda-hybrid", false, 1);
    add_gpu(bench, "cuda-hybrid+two-pass", "cuda-hybrid", true, 1);
    add_gpu(bench, "cuda-ptpe+two-pass", "cuda-ptpe", true, 1);
    return support_figure(bench, "two-pass", "one pass and two on one GPU (Fig. 11)", make_culture,
                          CULTURE_SECONDS, culture_supports);
}

/* The bound takes lower limits as 0: the higher they are, the less it tells. */
static int print_bound(gpu_bench *bench)
{
    static const char *const supports[] = {"0.3%", NULL};
    static const spk_delay steps[] = {{.lo = {0, 0}, .hi = {5, -3}},
                                      {.lo = {5, -3}, .hi = {1, -2}},
                                      {.lo = {1, -2}, .hi = {15, -3}},
                                      {.lo = {15, -3}, .hi = {2, -2}}};
    const spk_delay *delays = bench->n_delays > 0 ? bench->delays : steps;
    size_t n_delays = bench->n_delays > 0 ? bench->n_delays : sizeof steps / sizeof steps[0];
    spk_recording *made = NULL;
    const spk_recording *recording = NULL;
    add_gpu(bench, "cuda-ptpe", "cuda-ptpe", false, 1);
    add_gpu(bench, "cuda-ptpe+two-pass", "cuda-ptpe", true, 1);
    int code = take_recording(bench, make_culture, CULTURE_SECONDS, &recording, &made);
    if (code == CLI_DONE)
        code = gpu_bench_begin(bench, "bound", "what the first pass eliminates, by interval");
    for (size_t d = 0; d < n_delays && code == CLI_DONE; d++) {
        gpu_job job = {.recording = recording, .delays = &delays[d], .n_delays = 1};
        code = each_support(bench, &job, supports);
    }
    if (code == CLI_DONE)
        code = gpu_bench_end(bench, "bound");
    spk_recording_free(made);
    return code;
}

/* ---- several GPUs: Fig. 13 to 15, Table 2 ---------------------------------------------------- */

static int print_gpus(gpu_bench *bench)
{
    static const char *const supports[] = {"0.5%", "0.2%", NULL};
    static const char *const engines[] = {"cuda-ptpe", "cuda-hybrid", "cuda-sweep"};
    static const char *const names[] = {"cuda-ptpe", "cuda-hybrid+two-pass", "cuda-sweep"};
    for (int gpus = 1; gpus <= bench->gpus;) {
        for (size_t k = 0; k < 3; k++) {
            add_gpu(bench, names[k], engines[k], k == 1, gpus)->base = k;
        }
        gpus = gpus < bench->gpus && 2 * gpus > bench->gpus ? bench->gpus : 2 * gpus;
    }
    return support_figure(bench, "gpus",
                          "speed-up against one GPU of the same engine, and where the time goes "
                          "(Fig. 13 to 15, Table 2)",
                          make_culture, CULTURE_SECONDS, supports);
}

/* ---- GPUs against processors: Fig. 16 -------------------------------------------------------- */

static int print_cpu(gpu_bench *bench)
{
    add_cpu(bench, "fsm+two-pass", "fsm", true, PAPER_THREADS);
    add_cpu(bench, "fsm", "fsm", false, PAPER_THREADS);
    add_cpu(bench, "sweep", "sweep", false, bench->threads);
    for (int gpus = 1; gpus <= bench->gpus; gpus = gpus < bench->gpus ? bench->gpus : gpus + 1) {
        add_gpu(bench, "cuda-hybrid+two-pass", "cuda-hybrid", true, gpus);
        add_gpu(bench, "cuda-sweep", "cuda-sweep", false, gpus);
    }
    return support_figure(bench, "cpu",
                          "speed-up against the papers' CPU method with 4 threads, two passes "
                          "(Fig. 16)",
                          make_culture, CULTURE_SECONDS, culture_supports);
}

/* ---- tracking: section 15.4 ------------------------------------------------------------------ */

static int print_tracking(gpu_bench *bench)
{
    static const char *const names[] = {"cuda-tracking/scan", "cuda-tracking/flag",
                                        "cuda-tracking/atomic"};
    char reason[160];
    add_cpu(bench, "sweep", "sweep", false, 1);
    add_gpu(bench, "cuda-ptpe", "cuda-ptpe", false, 1);
    if (gpu_bench_has("cuda-tracking", reason, sizeof reason)) {
        for (int k = 0; k < 3; k++) {
            gpu_case *c = add_gpu(bench, names[k], "cuda-tracking", false, 1);
            c->compaction = (spk_compaction)k;
        }
    } else {
        fprintf(bench->out, "# without cuda-tracking: %s\n", reason);
    }
    return support_figure(bench, "tracking",
                          "tracking occurrences with three compactions, against one processor",
                          make_sym26, SYM26_SECONDS, sym26_supports);
}

/* ---- sweep: how the fastest engines grow with the recording ---------------------------------- */

static int mine_culture(gpu_bench *bench, uint64_t seconds)
{
    static const char *const supports[] = {"0.2%", NULL};
    spk_recording *made = NULL;
    const spk_recording *recording = NULL;
    int code = take_recording(bench, make_culture, seconds, &recording, &made);
    gpu_job job = make_job(bench, recording);
    if (code == CLI_DONE)
        code = each_support(bench, &job, supports);
    spk_recording_free(made);
    return code;
}

static int print_sweep(gpu_bench *bench)
{
    static const uint64_t lengths[] = {600, 1800, 6000, 18000, 60000};
    add_cpu(bench, "sweep", "sweep", false, bench->threads);
    add_gpu(bench, "cuda-sweep", "cuda-sweep", false, 1);
    if (bench->gpus > 1)
        add_gpu(bench, "cuda-sweep", "cuda-sweep", false, bench->gpus);
    bool one = bench->given != NULL || bench->seconds > 0;
    int code = gpu_bench_begin(bench, "sweep", "engine sweep on processors and GPUs, by length");
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0] && code == CLI_DONE; k++)
        if (k == 0 || !one)
            code = mine_culture(bench, lengths[k]);
    return code == CLI_DONE ? gpu_bench_end(bench, "sweep") : code;
}

/* ---- the list -------------------------------------------------------------------------------- */

const gpu_figure gpu_figures[] = {
    {"crossover", print_crossover}, {"two-pass", print_two_pass},
    {"gpus", print_gpus},           {"cpu", print_cpu},
    {"tracking", print_tracking},   {"bound", print_bound},
    {"sweep", print_sweep},
};

const size_t gpu_n_figures = sizeof gpu_figures / sizeof gpu_figures[0];
