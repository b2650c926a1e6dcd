/*
 * Measuring where the papers' two strategies take the same time on one.
 *
 * The recording is a generated Sym26 of 60 s (Cao et al., section 7.1). Candidates are random
 * episodes over its 26 units with the interval (5ms,10ms], as most candidates of a search are: they
 * seldom occur. Times are those of whole calls, with the copies to and from the device, the median
 * of five after one to warm up; the two strategies take turns.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "cuda/gpus.h"
#include "episode/engine/cuda/papers/counter.h"
#include "episode/engine/cuda/papers/host_crossover.h"
#include "spikemine/simulate.h"

enum {
    LEAST_LOG = 3, /* 8 candidates */
    MOST_LOG = 17, /* 131,072 */
    N_COUNTS = MOST_LOG - LEAST_LOG + 1,
    N_RUNS = 5,
    LEAST_SIZE = 2,
    SEED = 26
};

static const char what[] = "a tuning";

/* ---- candidates ------------------------------------------------------------------------------ */

typedef struct stage {
    papers_counter *counter;
    uint64_t most; /* candidates */
    uint32_t n_units;
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *counts;
} stage;

static spk_status open_stage(spk_context *context, const spk_episode_job *job, stage *s)
{
    uint64_t most_size = LEAST_SIZE + SPK_PAPERS_TUNING_SIZES - 1;
    *s = (stage){.most = (uint64_t)1 << MOST_LOG};
    s->n_units = spk_recording_events(job->recording).n_units;
    spk_status status = spk_alloc_columns(context, what, SPK_COLUMN(&s->unit, s->most * most_size),
                                          SPK_COLUMN_ZERO(&s->delay, s->most * most_size),
                                          SPK_COLUMN(&s->counts, s->most));
    if (status == SPK_OK)
        status = papers_counter_open(context, job, &s->counter);
    return status;
}

static void close_stage(stage *s)
{
    papers_counter_close(s->counter);
    spk_free_all(s->unit, s->delay, s->counts);
}

static void draw_candidates(stage *s, uint32_t size)
{
    spk_random random = spk_random_start(SEED, size, 0);
    for (uint64_t k = 0; k < s->most * size; k++)
        s->unit[k] = (uint32_t)spk_random_below(&random, s->n_units);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Median seconds of both strategies for the first n candidates. */
static spk_status time_both(spk_context *context, stage *s, uint32_t size, uint64_t n,
                            double *ptpe_seconds, double *mtpe_seconds)
{
    spk_episode_block block = {.size = size, .n = n, .unit = s->unit, .delay = s->delay};
    double seconds[2][N_RUNS];
    /* The strategies take turns, so that a device that slows down slows both. Run -1 warms up and
     * is not timed. */
    spk_status status = SPK_OK;
    for (int run = -1; run < N_RUNS && status == SPK_OK; run++) {
        for (int m = 0; m < 2 && status == SPK_OK; m++) {
            double start = spk_seconds_now();
            status = (m == 0 ? papers_count_ptpe : papers_count_mtpe)(context, s->counter, &block,
                                                                      s->counts);
            if (run >= 0)
                seconds[m][run] = spk_seconds_now() - start;
        }
    }
    if (status != SPK_OK)
        return status;
    for (int m = 0; m < 2; m++)
        qsort(seconds[m], N_RUNS, sizeof(double), spk_rising_f64);
    *ptpe_seconds = seconds[0][N_RUNS / 2];
    *mtpe_seconds = seconds[1][N_RUNS / 2];
    return SPK_OK;
}

static spk_status measure_size(spk_context *context, stage *s, uint32_t size,
                               spk_papers_crossover *out)
{
    double candidates[N_COUNTS];
    double ptpe_seconds[N_COUNTS];
    double mtpe_seconds[N_COUNTS];
    *out = (spk_papers_crossover){.size = size};
    draw_candidates(s, size);
    spk_status status = ptpe_resident(context, s->counter->recording.wide, size, &out->resident);
    /* Numbers of candidates are powers of two: neighbours tell between which two the lines
     * cross. */
    for (int k = 0; k < N_COUNTS && status == SPK_OK; k++) {
        uint64_t n = (uint64_t)1 << (LEAST_LOG + k);
        candidates[k] = (double)n;
        status = time_both(context, s, size, n, &ptpe_seconds[k], &mtpe_seconds[k]);
        spk_progress(context, "calibrating",
                     (uint64_t)(size - LEAST_SIZE) * N_COUNTS + (uint64_t)k + 1,
                     (uint64_t)SPK_PAPERS_TUNING_SIZES * N_COUNTS);
    }
    if (status == SPK_OK)
        out->candidates =
            crossover_point(N_COUNTS, candidates, ptpe_seconds, mtpe_seconds, &out->crossed);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static spk_status measure(spk_context *context, const spk_recording *recording,
                          spk_papers_tuning *out)
{
    spk_rate rate = spk_recording_rate(recording);
    const spk_tick_delay delay = {.lo = spk_duration_ticks((spk_duration){5, -3}, rate),
                                  .hi = spk_duration_ticks((spk_duration){10, -3}, rate)};
    stage s = {.counter = NULL};
    crossover_fit fit = {.a = 0};
    spk_episode_job job = {.recording = recording,
                           .delays = &delay,
                           .n_delays = 1,
                           .threads = 1,
                           .memory = spk_context_chosen_limit(context)};
    spk_status status = open_stage(context, &job, &s);
    out->n_crossovers = SPK_PAPERS_TUNING_SIZES;
    /* A crossover for each size, then one line through all of them. */
    for (uint32_t k = 0; k < out->n_crossovers && status == SPK_OK; k++)
        status = measure_size(context, &s, LEAST_SIZE + k, &out->crossover[k]);
    if (status == SPK_OK)
        status = crossover_least_squares(context, out->n_crossovers, out->crossover, &fit);
    out->a = fit.a;
    out->b = fit.b;
    close_stage(&s);
    return status;
}

static spk_status tune_task(spk_context *context, void *user)
{
    spk_papers_tuning *out = user;
    spk_recording *recording = NULL;
    spk_sym26_options options;
    spk_sym26_options_init(&options, sizeof options);
    options.seed = SEED;
    spk_status status = spk_simulate_sym26(context, &options, &recording, NULL);
    if (status == SPK_OK)
        status = measure(context, recording, out);
    spk_recording_free(recording);
    return status;
}

spk_status spk_papers_tune(spk_context *context, int device, spk_papers_tuning *result)
{
    char *path = NULL;
    *result = (spk_papers_tuning){.a = 0};
    /* Before anything about files: tells when there is no such device. */
    spk_status status = spk_gpu_describe(context, device, &result->gpu);
    if (status == SPK_OK)
        status = spk_papers_tuning_path(context, &path);
    if (status == SPK_OK && path == NULL)
        status =
            spk_fail(context, SPK_ERR_IO, "no place for the tuning: set HOME or XDG_CONFIG_HOME");
    if (status == SPK_OK)
        status = spk_gpus_on(context, device, tune_task, result);
    if (status == SPK_OK)
        status = crossover_store(context, path, result);
    free(path);
    return status;
}
