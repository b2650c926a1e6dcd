/*
 * How evenly ranks share a search for patterns:
 *
 *     spikemine-bench-balance FILE [RANKS ...]
 *
 * For each of the eight jobs of Porrmann et al. 2021 and each number of ranks the engine bitmap
 * runs as that many ranks, which take their pieces in turns: a rank takes its next piece at the
 * moment of its own clock, and only the rank whose clock is the earliest runs. So many ranks are
 * played on few processors as if each had one, with the plan and the order of a real job. Once the
 * clock is the processor time that a rank has taken, once the work that it has done: nodes of the
 * search, each with the windows that hold it. A line has the least and the greatest share of a
 * rank, with the mean as 1.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pattern/engine/engine.h"
#include "spikemine/spikemine.h"

enum { MOST_RANKS = 1024 };

typedef struct limits {
    uint32_t occurrences;
    uint32_t spikes;
} limits;

/* Porrmann et al. 2021, Table 1: least occurrences, and spikes = neurons. */
static const limits jobs[] = {{88, 2}, {25, 3}, {12, 4}, {10, 5},
                              {10, 6}, {10, 7}, {10, 8}, {10, 9}};

typedef enum state { RUNS, WAITS, ENDED } state;

/* Ranks that share one search, and the clock of each. */
typedef struct world {
    const spk_window_columns *windows;
    limits job;
    bool by_time;
    int n;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int arrived; /* at a sum */
    uint64_t round;
    const void *mine[MOST_RANKS]; /* what they exchange */
    uint64_t n_mine[MOST_RANKS];
    unsigned char *all;
    uint64_t n_all;
    uint64_t next;
    state state[MOST_RANKS];
    double clock[MOST_RANKS];
} world;

typedef struct rank {
    world *world;
    int rank;
    double since; /* processor time when the clock was read */
    double seconds;
    uint64_t work;
    uint64_t nodes;
    uint64_t work_told;
    uint64_t patterns;
    uint64_t pieces;
    uint64_t begins; /* of the counter: one for the roots, and the rounds */
} rank;

static void require(spk_context *context, spk_status status)
{
    if (status == SPK_OK)
        return;
    fprintf(stderr, "%s: %s\n", spk_status_text(status), spk_context_message(context));
    exit(1);
}

static double processor_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- taking turns ---------------------------------------------------------------------------- */

/* Moves the clock of a rank on by what it has done. */
static void read_clock(rank *r)
{
    double now = processor_seconds();
    world *w = r->world;
    r->seconds += now - r->since;
    w->clock[r->rank] += w->by_time ? now - r->since : (double)(r->work - r->work_told);
    r->since = now;
    r->work_told = r->work;
}

/* Whether all others wait or have ended, and none that waits has an earlier clock. */
static bool is_turn(const world *w, int mine)
{
    for (int k = 0; k < w->n; k++) {
        if (k == mine || w->state[k] == ENDED)
            continue;
        if (w->state[k] == RUNS || w->clock[k] < w->clock[mine] ||
            (w->clock[k] == w->clock[mine] && k < mine))
            return false;
    }
    return true;
}

/* Waits until it is this rank's turn; the lock is held then. */
static void wait_turn(rank *r)
{
    world *w = r->world;
    read_clock(r);
    pthread_mutex_lock(&w->lock);
    w->state[r->rank] = WAITS;
    pthread_cond_broadcast(&w->changed);
    while (!is_turn(w, r->rank))
        pthread_cond_wait(&w->changed, &w->lock);
    w->state[r->rank] = RUNS;
}

static void take_turn(rank *r)
{
    pthread_mutex_unlock(&r->world->lock);
    r->since = processor_seconds();
}

static spk_status take(void *user, uint64_t *number)
{
    rank *r = user;
    wait_turn(r);
    *number = r->world->next++;
    take_turn(r);
    r->pieces++;
    return SPK_OK;
}

static spk_status look(void *user, uint64_t *number)
{
    rank *r = user;
    wait_turn(r);
    *number = r->world->next;
    take_turn(r);
    return SPK_OK;
}

static void end_turns(rank *r)
{
    world *w = r->world;
    read_clock(r);
    pthread_mutex_lock(&w->lock);
    w->state[r->rank] = ENDED;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* All come here before one goes on; under the lock. The clocks of all go to that of the latest. */
static void meet(rank *r)
{
    world *w = r->world;
    uint64_t round = w->round;
    w->state[r->rank] = ENDED;
    if (++w->arrived == w->n) {
        double latest = 0;
        for (int k = 0; k < w->n; k++)
            latest = w->clock[k] > latest ? w->clock[k] : latest;
        for (int k = 0; k < w->n; k++) {
            w->clock[k] = latest;
            w->state[k] = RUNS;
        }
        w->arrived = 0;
        w->round++;
    }
    pthread_cond_broadcast(&w->changed);
    while (w->round == round)
        pthread_cond_wait(&w->changed, &w->lock);
}

static spk_status begin(void *user)
{
    rank *r = user;
    world *w = r->world;
    read_clock(r);
    pthread_mutex_lock(&w->lock);
    meet(r);
    w->next = 0; /* all set it before any takes: nobody has a turn while others run */
    pthread_mutex_unlock(&w->lock);
    r->begins++;
    r->since = processor_seconds();
    return SPK_OK;
}

/* The bytes of all, one behind the other. */
static void gather(world *w)
{
    size_t n = 0;
    for (int k = 0; k < w->n; k++)
        n += w->n_mine[k];
    free(w->all);
    w->all = malloc(n + 1);
    if (w->all == NULL)
        abort();
    w->n_all = 0;
    for (int k = 0; k < w->n; k++) {
        if (w->n_mine[k] > 0)
            memcpy(w->all + w->n_all, w->mine[k], w->n_mine[k]);
        w->n_all += w->n_mine[k];
    }
}

static spk_status exchange(void *user, const void *mine, uint64_t n, const void **all,
                           uint64_t *n_all)
{
    rank *r = user;
    world *w = r->world;
    read_clock(r);
    pthread_mutex_lock(&w->lock);
    w->mine[r->rank] = mine;
    w->n_mine[r->rank] = n;
    meet(r);
    if (r->rank == 0)
        gather(w);
    meet(r);
    *all = w->all;
    *n_all = w->n_all;
    pthread_mutex_unlock(&w->lock);
    r->since = processor_seconds();
    return SPK_OK;
}

/* ---- a rank ---------------------------------------------------------------------------------- */

static spk_status set_place(void *user, const uint32_t *place, uint32_t n)
{
    (void)user, (void)place, (void)n;
    return SPK_OK;
}

static void count_work(void *user, uint64_t nodes, uint64_t windows)
{
    rank *r = user;
    r->nodes += nodes;
    r->work += nodes + windows;
}

static spk_status count_patterns(void *user, const spk_pattern_columns *patterns)
{
    ((rank *)user)->patterns += patterns->n;
    return SPK_OK;
}

static void *run_rank(void *user)
{
    rank *r = user;
    const world *w = r->world;
    spk_context *context = NULL;
    require(context, spk_context_create(&context));
    const spk_pattern_share share = {.part = r->rank,
                                     .n_parts = w->n,
                                     .exchange = exchange,
                                     .begin = begin,
                                     .next = take,
                                     .look = look,
                                     .at = set_place,
                                     .worked = count_work,
                                     .user = r};
    const spk_pattern_job search = {.windows = w->windows,
                                    .limits = {.min_spikes = w->job.spikes,
                                               .max_spikes = UINT32_MAX,
                                               .min_support = w->job.occurrences,
                                               .max_count = UINT32_MAX,
                                               .min_neurons = w->job.spikes},
                                    .threads = 1};
    r->since = processor_seconds();
    require(context,
            spk_pattern_engine_bitmap.mine_shared(context, &search, &share, count_patterns, r));
    end_turns(r);
    spk_context_free(context);
    return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_line(const world *w, const rank *ranks)
{
    double seconds = 0, work = 0, least = 1e300, most = 0, least_work = 1e300, most_work = 0;
    uint64_t patterns = 0, pieces = 0;
    for (int k = 0; k < w->n; k++) {
        double s = ranks[k].seconds, n = (double)ranks[k].work;
        seconds += s;
        work += n;
        least = s < least ? s : least;
        most = s > most ? s : most;
        least_work = n < least_work ? n : least_work;
        most_work = n > most_work ? n : most_work;
        patterns += ranks[k].patterns;
        pieces += ranks[k].pieces;
    }
    uint64_t vain = ranks[0].begins * (uint64_t)w->n;
    printf("%u,%u\t%d\t%s\t%llu\t%llu\t%.3f\t%.3f\t%.3f\t%.0f\t%.3f\t%.3f\t%llu\n",
           w->job.occurrences, w->job.spikes, w->n, w->by_time ? "time" : "work",
           (unsigned long long)ranks[0].begins, (unsigned long long)(pieces - vain), seconds,
           least * w->n / seconds, most * w->n / seconds, work, least_work * w->n / work,
           most_work * w->n / work, (unsigned long long)patterns);
    fflush(stdout);
}

static void run_job(const spk_window_columns *windows, limits job, int n, bool by_time)
{
    static world w;
    static rank ranks[MOST_RANKS];
    static pthread_t thread[MOST_RANKS];
    w = (world){.windows = windows, .job = job, .by_time = by_time, .n = n};
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.changed, NULL);
    for (int k = 0; k < n; k++) {
        ranks[k] = (rank){.world = &w, .rank = k};
        if (pthread_create(&thread[k], NULL, run_rank, &ranks[k]) != 0)
            abort();
    }
    for (int k = 0; k < n; k++)
        pthread_join(thread[k], NULL);
    print_line(&w, ranks);
    pthread_cond_destroy(&w.changed);
    pthread_mutex_destroy(&w.lock);
}

int main(int argc, char **argv)
{
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    spk_window_options options;
    if (argc < 2) {
        fprintf(stderr, "usage: spikemine-bench-balance FILE [RANKS ...]\n");
        return 2;
    }
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){5, -3, 0};
    options.window = 20;
    require(context, spk_context_create(&context));
    require(context, spk_recording_read(context, argv[1], NULL, &recording));
    require(context, spk_windows_create(context, recording, &options, &windows));
    const spk_window_columns columns = spk_windows_columns(windows);
    printf("job\tranks\tclock\trounds\tpieces\tseconds\tleast_time\tmost_time\twork\tleast_"
           "work\tmost_work\t"
           "patterns\n");
    for (int k = 2; k < argc || k == 2; k++) {
        int n = k < argc ? (int)strtol(argv[k], NULL, 10) : 8;
        for (size_t j = 0; n > 0 && n <= MOST_RANKS && j < sizeof jobs / sizeof jobs[0]; j++) {
            run_job(&columns, jobs[j], n, false);
            run_job(&columns, jobs[j], n, true);
        }
    }
    spk_windows_free(windows);
    spk_recording_free(recording);
    spk_context_free(context);
    return 0;
}
