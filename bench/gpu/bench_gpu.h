/*
 * spikemine-bench-gpu: the papers' tables and figures on this machine's GPUs. Engines are compared
 * on jobs (measure.c); figures consist of such comparisons (figures.c).
 */
#pragma once

#include "bench.h"

enum { GPU_BENCH_MAX_CASES = 48 };

/* A measured engine, how it runs, and what was measured. */
typedef struct gpu_case {
    const char *name; /* as tables show it */
    const char *engine;
    bool two_pass;
    spk_compaction compaction; /* of engine cuda-tracking */
    int gpus;                  /* 0: on processors */
    int threads;               /* on processors */
    size_t base;               /* the case that its speed-up is against */

    uint64_t digest; /* of the last run's whole result */
    spk_episode_summary last;
    double seconds[BENCH_MAX_RUNS];
    double opening[BENCH_MAX_RUNS];
    double candidates[BENCH_MAX_RUNS];
    double bounding[BENCH_MAX_RUNS];
    double counting[BENCH_MAX_RUNS];
    double level[SPK_EPISODE_MAX_SIZE + 1][BENCH_MAX_RUNS];
} gpu_case;

/* What the command line asked for, and the figure in the making. */
typedef struct gpu_bench {
    cli_session *session;
    FILE *out;
    uint64_t runs;
    int gpus;                   /* most to use, at least 1 */
    int threads;                /* of engine sweep */
    uint64_t seconds;           /* of generated recordings; 0: each figure's own */
    const spk_recording *given; /* NULL: generate */
    const spk_delay *delays;    /* given ones; n_delays 0: (5ms,10ms] */
    size_t n_delays;
    cli_texts supports; /* given ones; n 0: each figure's own */

    FILE *levels;    /* the figure's rows by size, which are printed behind its first table */
    gpu_case *cases; /* GPU_BENCH_MAX_CASES; the figure compares the first n_cases */
    size_t n_cases;
} gpu_bench;

/* A mining job on which cases are compared. */
typedef struct gpu_job {
    const spk_recording *recording;
    const spk_delay *delays;
    size_t n_delays;
    const char *support; /* as spk_episode_support_parse takes it */
} gpu_job;

/* ---- comparisons ----------------------------------------------------------------------------- */

/* Engine `engine` can run; else the reason. */
bool gpu_bench_has(const char *engine, char *reason, size_t reason_size);

/* The heading of a figure with the columns of mining jobs; starts its rows by size. */
int gpu_bench_begin(gpu_bench *bench, const char *figure, const char *what);
/* Prints the rows by size under "# figure FIGURE-levels". */
int gpu_bench_end(gpu_bench *bench, const char *figure);

/* Mines with every case in turn, bench->runs times, and prints a row for each. CLI_DONE or an exit
 * code; fails when the results are not the same. */
int gpu_bench_mine(gpu_bench *bench, const gpu_job *job);

/* The same with counting a list of episodes of one size; prints a row for each. */
int gpu_bench_count(gpu_bench *bench, const spk_recording *recording, spk_episode_list *list);

/* ---- figures --------------------------------------------------------------------------------- */

typedef struct gpu_figure {
    const char *name;
    int (*print)(gpu_bench *bench); /* starts without cases */
} gpu_figure;

extern const gpu_figure gpu_figures[];
extern const size_t gpu_n_figures;
