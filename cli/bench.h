/* What the bench subcommands share: runs of several entrants in turn, and their table. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "session.h"

enum { BENCH_MAX_RUNS = 100 };

/* One engine on one job. */
typedef struct bench_entrant {
    char name[64];
    double seconds[BENCH_MAX_RUNS];
    uint64_t n_results; /* of the last run */
    uint64_t digest;    /* of the last run's whole result: entrants must agree */
} bench_entrant;

/* Mixes a number into a digest, in order. */
uint64_t bench_mix(uint64_t digest, uint64_t value);

/* Mixes one size's episodes into a digest. */
uint64_t bench_mix_episodes(uint64_t digest, const spk_episode_columns *episodes);

/* Lets threads of the run before go to sleep: OpenMP's go on spinning for a while, and would take
 * the next engine's time. */
void bench_settle(void);

/* Sorts n >= 1 values; the middle one. */
double bench_median(double *values, uint64_t n);

/* Sorts the times, prints a line for every entrant - `job` first unless NULL - with median,
 * minimum, maximum, ratio to the first, and number of results, and fails when they disagree. Adds
 * every median to medians[k] unless NULL. */
int bench_print(cli_session *session, const char *job, bench_entrant *entrants, size_t n,
                uint64_t runs, double *medians);

#endif
