/* What programs that time engines share: cases that run in turn, and their table. */
#pragma once

#include "session.h"

enum { BENCH_MAX_RUNS = 100 }; /* of --runs */

/* A measured engine with its settings, on one job. */
typedef struct bench_case {
    char name[64];
    double seconds[BENCH_MAX_RUNS];
    double joules[BENCH_MAX_RUNS]; /* with --energy; negative: not known */
    uint64_t n_results;            /* of the last run */
    uint64_t digest; /* of the last run's whole result: all cases of a job must agree */
} bench_case;

/* ---- runs ------------------------------------------------------------------------------------ */

enum { BENCH_WARM_UP = -1 };

/* Runs case k: the measured run `run`, counted from 0, or BENCH_WARM_UP. */
typedef spk_status bench_run(void *user, size_t k, int run);

/* Runs n cases in turn, `runs` times each (A B C A B C ...), so that a machine whose speed drifts
 * drifts for all. Cases with on_gpu[k] have a warm-up run before: the first call on a GPU makes its
 * context and loads the kernels. NULL: no case is on a GPU. Ends with the first run that fails. */
spk_status bench_interleave(size_t n, const bool *on_gpu, uint64_t runs, bench_run *run,
                            void *user);

/* ---- results --------------------------------------------------------------------------------- */

/* Mixes a number into a digest, in order. */
uint64_t bench_mix(uint64_t digest, uint64_t value);

/* Mixes one size's episodes into a digest. */
uint64_t bench_mix_episodes(uint64_t digest, const spk_episode_columns *episodes);

/* Sorts n >= 1 values; the middle one. */
double bench_median(double *values, uint64_t n);

/* The columns of bench_print, as the first line of a table; `job` as there. */
void bench_print_head(const cli_session *session, bool job);

/* Sorts the times, prints a line for every case - `job` first unless NULL - with median, minimum,
 * maximum, ratio to the first, and number of results - with --energy the median of the joules, n/a
 * where no meter can be read -, and fails when they disagree. Adds every
 * median to medians[k] unless NULL. */
int bench_print(cli_session *session, const char *job, bench_case *cases, size_t n, uint64_t runs,
                double *medians);
