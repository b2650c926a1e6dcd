/* Timed runs and their tables. */
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "commands.h"

/* ---- runs ------------------------------------------------------------------------------------ */

/* Lets threads of the run before go to sleep: OpenMP's go on spinning for a while, and would take
 * the next engine's time. */
static void settle(void)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    (void)nanosleep(&pause, NULL);
}

spk_status bench_interleave(size_t n, const bool *on_gpu, uint64_t runs, bench_run *run, void *user)
{
    spk_status status = SPK_OK;
    for (int r = BENCH_WARM_UP; r < (int)runs && status == SPK_OK; r++) {
        for (size_t k = 0; k < n && status == SPK_OK; k++) {
            if (r == BENCH_WARM_UP && (on_gpu == NULL || !on_gpu[k]))
                continue;
            settle();
            status = run(user, k, r);
        }
    }
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

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

void bench_print_head(const cli_session *session, bool job)
{
    printf("%sengine\tmedian_s\tmin_s\tmax_s\tratio\t%s%s\n", job ? "job\t" : "",
           job ? "patterns" : "frequent", session->energy != NULL ? "\tjoules" : "");
}

/* Ends a line. */
static void print_joules(const cli_session *session, bench_case *c, uint64_t runs)
{
    double joules = session->energy != NULL ? bench_median(c->joules, runs) : 0;
    if (session->energy == NULL)
        printf("\n");
    else if (joules < 0)
        printf("\tn/a\n");
    else
        printf("\t%.3f\n", joules);
}

int bench_print(cli_session *session, const char *job, bench_case *cases, size_t n, uint64_t runs,
                double *medians)
{
    double first = 0;
    bool agree = true;
    cli_progress_clear(session);
    for (size_t k = 0; k < n; k++) {
        bench_case *c = &cases[k];
        double median = bench_median(c->seconds, runs);
        first = k == 0 ? median : first;
        if (medians != NULL)
            medians[k] += median;
        if (job != NULL)
            printf("%s\t", job);
        printf("%s\t%.4f\t%.4f\t%.4f\t%.2f\t%" PRIu64, c->name, median, c->seconds[0],
               c->seconds[runs - 1], median / first, c->n_results);
        print_joules(session, c, runs);
        agree &= c->digest == cases[0].digest && c->n_results == cases[0].n_results;
    }
    fflush(stdout);
    if (!agree)
        return cli_fail(session, "the engines disagree: please report it with this recording");
    return CLI_DONE;
}

/* ---- the command before its kinds ------------------------------------------------------------ */

const cli_command cli_cmd_bench = {
    .name = "bench",
    .arguments = "episodes|patterns",
    .summary = "time engines against each other: episodes, patterns",
    .description = "Times engines against each other. There are two kinds:\n\n"
                   "  episodes  the episode engines, on a recording of yours\n"
                   "  patterns  the SPADE engines, on a recording or on transactions\n\n"
                   "spikemine bench KIND --help explains a kind.",
    .more = "The papers' tables and figures on this machine's GPUs come from a program of\n"
            "its own, spikemine-bench-gpu. It is built with the project, not installed.",
    .examples = "  spikemine bench episodes rec.txt -d 5ms:10ms -s 173\n"
                "  spikemine bench patterns data/movement_PGHF.spikes.txt",
    .kinds = "episodes and patterns",
    .elsewhere = "gpu: the papers' figures on GPUs come from the program spikemine-bench-gpu",
};
