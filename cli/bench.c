/* Tables of timings. */
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

uint64_t bench_mix(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

uint64_t bench_mix_episodes(uint64_t digest, const spk_episode_columns *episodes)
{
    for (uint64_t k = 0; k < episodes->n; k++) {
        digest = bench_mix(digest, episodes->count[k]);
        for (uint64_t p = episodes->offset[k]; p < episodes->offset[k + 1]; p++)
            digest = bench_mix(digest, (uint64_t)episodes->unit[p] << 16 | episodes->delay[p]);
    }
    return digest;
}

void bench_settle(void)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    (void)nanosleep(&pause, NULL);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, uint64_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return values[n / 2];
}

int bench_print(cli_session *session, const char *job, bench_entrant *entrants, size_t n,
                uint64_t runs, double *medians)
{
    double first = 0;
    bool agree = true;
    cli_progress_clear(session);
    for (size_t k = 0; k < n; k++) {
        bench_entrant *e = &entrants[k];
        double median = bench_median(e->seconds, runs);
        first = k == 0 ? median : first;
        if (medians != NULL)
            medians[k] += median;
        if (job != NULL)
            printf("%s\t", job);
        printf("%s\t%.4f\t%.4f\t%.4f\t%.2f\t%" PRIu64 "\n", e->name, median, e->seconds[0],
               e->seconds[runs - 1], median / first, e->n_results);
        agree &= e->digest == entrants[0].digest && e->n_results == entrants[0].n_results;
    }
    fflush(stdout);
    if (!agree)
        return cli_fail(session, "the engines disagree: please report it with this recording");
    return CLI_DONE;
}
