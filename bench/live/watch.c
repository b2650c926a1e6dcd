/*
 * What the watch costs: nanoseconds a spike, with stream, for random spikes and random episodes.
 *
 *     spikemine-bench-live-watch [SPIKES]
 *     spikemine-bench-live-watch --rounds ADDRESS
 *
 * Units fire at random with 20 Hz each; rows differ in the number of units and of episodes. The
 * second table has the way of a spike, from a line of text to an event: a million spikes a second
 * of 1,000 units, 1,000 episodes of 2 to 4 units, each step by itself.
 *
 * --rounds: the same way in real time, for spikes that somebody sends. A round is what one reading
 * brings. Events go to standard output; the table of rounds goes to the error output.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "spikemine/spikemine.h"

enum { CHUNK = 1000 };

typedef struct setting {
    const char *what;
    uint32_t n_units;
    uint32_t n_episodes;
    uint32_t n_starts; /* different first pairs of units; 0: all at random */
    bool silent;       /* stream alone */
} setting;

static uint64_t random_state = 88172645463325252u;

static uint32_t below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * n >> 32);
}

/* Seconds of the processor: what else runs on the machine does not count. */
static double seconds_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void require(spk_context *context, spk_status status)
{
    if (status == SPK_OK)
        return;
    fprintf(stderr, "%s: %s\n", spk_status_text(status), spk_context_message(context));
    exit(1);
}

/* Episodes of 3 or 4 units with (5 ms, 10 ms] between them. */
static spk_episode_list *make_episodes(spk_context *context, const setting *s)
{
    static const spk_delay delay = {{5, -3, 0}, {10, -3, 0}};
    const spk_delay delays[] = {delay, delay, delay};
    spk_episode_list *list = NULL;
    require(context, spk_episode_list_create(context, &list));
    for (uint32_t k = 0; k < s->n_episodes; k++) {
        uint32_t start = s->n_starts > 0 ? k % s->n_starts : 0;
        uint32_t unit[4] = {start % s->n_units, start * 7919 % s->n_units, below(s->n_units),
                            below(s->n_units)};
        if (s->n_starts == 0) {
            unit[0] = below(s->n_units);
            unit[1] = below(s->n_units);
        }
        require(context, spk_episode_list_append(context, list, 3 + k % 2, unit, delays));
    }
    return list;
}

static void measure(spk_context *context, const setting *s, uint64_t n_spikes)
{
    spk_live_stream_options options;
    spk_live_watch_options watching;
    spk_live_stream *stream = NULL;
    spk_live_watch *watch = NULL;
    spk_recording *labels = NULL;
    int64_t *time = malloc(n_spikes * sizeof *time), now = 0, arrival[CHUNK] = {0};
    uint32_t *unit = malloc(n_spikes * sizeof *unit);
    if (time == NULL || unit == NULL)
        exit(1);
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_units = s->n_units;
    source.rate = (spk_rate){1000000000, 1};
    require(context, spk_recording_create(context, &source, &labels));
    spk_live_stream_options_init(&options, sizeof options);
    spk_live_watch_options_init(&watching, sizeof watching);
    options.rate = source.rate;
    watching.window = (spk_duration){10, 0, 0};
    require(context, spk_live_stream_create(context, &options, &stream));
    spk_episode_list *list = make_episodes(context, s);
    spk_episode_columns columns = spk_episode_list_columns(list);
    if (!s->silent) {
        require(context, spk_live_watch_create(context, stream, &watching, &watch));
        require(context, spk_live_watch_add_episodes(context, watch, labels, &columns));
    }
    for (uint32_t u = 0; u < s->n_units; u++) {
        uint32_t number;
        require(context,
                spk_live_stream_unit(context, stream, spk_recording_label(labels, u), &number));
    }
    uint32_t mean_step = 1000000000 / (20 * s->n_units);
    for (uint64_t k = 0; k < n_spikes; k++) {
        now += below(2 * mean_step);
        time[k] = now;
        unit[k] = below(s->n_units);
    }
    double begin = seconds_now();
    for (uint64_t k = 0; k + CHUNK <= n_spikes; k += CHUNK)
        require(context, spk_live_stream_push(context, stream, CHUNK, time + k, unit + k, arrival));
    double ns = 1e9 * (seconds_now() - begin) / (double)n_spikes;
    printf("%-44s %6u %8u %8.0f\n", s->what, s->n_units, s->silent ? 0 : s->n_episodes, ns);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_episode_list_free(list);
    spk_recording_free(labels);
    free(time);
    free(unit);
}

/* ---- from a line to an event ----------------------------------------------------------------- */

enum step { LINES, ORDER, WATCHED, EVENTS, N_STEPS };

/* Lines of text behind standard input, a microsecond apart. */
static void write_lines(uint64_t n_spikes)
{
    FILE *file = tmpfile();
    if (file == NULL)
        exit(1);
    for (uint64_t k = 0; k < n_spikes; k++)
        fprintf(file, "%llu.%06llu\t%u\n", (unsigned long long)k / 1000000,
                (unsigned long long)k % 1000000, below(1000));
    if (fflush(file) != 0 || dup2(fileno(file), STDIN_FILENO) < 0)
        exit(1);
}

/* A recording of 1,000 units and nothing else. */
static spk_recording *name_units(spk_context *context)
{
    spk_recording *labels = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_units = 1000;
    source.rate = (spk_rate){1000000000, 1};
    require(context, spk_recording_create(context, &source, &labels));
    return labels;
}

/* Episodes of 2 to 4 units with (5 ms, 10 ms] between them. */
static void add_episodes(spk_context *context, spk_live_watch *watch, const spk_recording *labels)
{
    static const spk_delay delay = {{5, -3, 0}, {10, -3, 0}};
    const spk_delay delays[] = {delay, delay, delay};
    spk_episode_list *list = NULL;
    require(context, spk_episode_list_create(context, &list));
    for (uint32_t k = 0; k < 1000; k++) {
        const uint32_t unit[] = {below(1000), below(1000), below(1000), below(1000)};
        require(context, spk_episode_list_append(context, list, 2 + k % 3, unit, delays));
    }
    const spk_episode_columns columns = spk_episode_list_columns(list);
    require(context, spk_live_watch_add_episodes(context, watch, labels, &columns));
    spk_episode_list_free(list);
}

/* The stream numbers them as the source does. */
static void take_units(spk_context *context, const spk_live_source *source, spk_live_stream *stream)
{
    uint32_t number = 0;
    for (uint32_t u = spk_live_stream_n_units(stream); u < spk_live_source_n_units(source); u++)
        require(context,
                spk_live_stream_unit(context, stream, spk_live_source_label(source, u), &number));
}

/* Nanoseconds a spike of all steps up to this one. */
static double run_steps(spk_context *context, enum step last, const spk_recording *labels)
{
    spk_live_stream_options options;
    spk_live_source *source = NULL;
    spk_live_stream *stream = NULL;
    spk_live_watch *watch = NULL;
    spk_live_emit *emit = NULL;
    spk_live_arrivals arrivals = {.n = 0};
    uint64_t n = 0;
    spk_live_stream_options_init(&options, sizeof options);
    options.rate = (spk_rate){1000000000, 1};
    random_state = 88172645463325252u;
    if (lseek(STDIN_FILENO, 0, SEEK_SET) != 0)
        exit(1);
    require(context, spk_live_source_open(context, "-", NULL, &source));
    require(context, spk_live_stream_create(context, &options, &stream));
    require(context, spk_live_emit_open(context, last == EVENTS ? "stdout" : NULL, NULL, &emit));
    spk_live_emit_set_stream(emit, stream);
    if (last >= WATCHED) {
        require(context, spk_live_watch_create(context, stream, NULL, &watch));
        add_episodes(context, watch, labels);
        spk_live_watch_set_sink(watch, last == EVENTS ? spk_live_emit_occurrence : NULL, emit);
    }
    const double begin = seconds_now();
    while (!arrivals.ended) {
        require(context, spk_live_source_poll(context, source, -1, &arrivals));
        n += arrivals.n;
        if (last == LINES)
            continue;
        take_units(context, source, stream);
        require(context, spk_live_stream_push(context, stream, arrivals.n, arrivals.time,
                                              arrivals.unit, arrivals.arrival_ns));
        require(context, spk_live_emit_flush(emit));
    }
    const double ns = 1e9 * (seconds_now() - begin) / (double)n;
    spk_live_watch_free(watch);
    spk_live_emit_free(emit);
    spk_live_stream_free(stream);
    spk_live_source_free(source);
    return ns;
}

/* Events leave through standard output, which leads nowhere meanwhile. */
static void measure_steps(spk_context *context, uint64_t n_spikes)
{
    static const char *const what[] = {"lines to spikes", "order", "watch", "events out"};
    double ns[N_STEPS];
    spk_recording *labels = name_units(context);
    const int told = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    write_lines(n_spikes);
    fflush(stdout);
    if (told < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        exit(1);
    for (int last = LINES; last < N_STEPS; last++)
        ns[last] = run_steps(context, (enum step)last, labels);
    dup2(told, STDOUT_FILENO);
    close(told);
    close(nowhere);
    printf("\n%-44s %24s\n", "from a line to an event", "ns/spike");
    for (int k = 0; k < N_STEPS; k++)
        printf("%-44s %24.0f\n", what[k], ns[k] - (k > 0 ? ns[k - 1] : 0));
    printf("%-44s %24.0f\n", "all", ns[N_STEPS - 1]);
    spk_recording_free(labels);
}

/* ---- rounds in real time --------------------------------------------------------------------- */

/* Nanoseconds of a round's steps, with the watch in that of the order; spikes in place of those of
 * the watch; the sum in the last one. */
enum { SPIKES = WATCHED, ALL = N_STEPS, N_PARTS };
enum { SLOW_NS = 1000000, FLUSH = 256 };

static int64_t wall_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef struct rounds {
    spk_live_latency part[N_PARTS];
    uint64_t n_slow;
    double slow[N_PARTS]; /* sums of slow rounds */
} rounds;

/* Nanoseconds of what follows the reading, as a session does it. */
static void take_round(spk_context *context, const spk_live_arrivals *arrivals,
                       spk_live_stream *stream, spk_live_emit *emit, int64_t ns[N_PARTS])
{
    int64_t at = wall_ns();
    ns[SPIKES] = (int64_t)arrivals->n;
    ns[LINES] = at - arrivals->arrival_ns[0];
    ns[ORDER] = ns[EVENTS] = 0;
    for (uint64_t k = 0; k < arrivals->n; k += FLUSH) {
        const uint64_t n = arrivals->n - k < FLUSH ? arrivals->n - k : FLUSH;
        require(context, spk_live_stream_push(context, stream, n, arrivals->time + k,
                                              arrivals->unit + k, arrivals->arrival_ns + k));
        const int64_t watched = wall_ns();
        ns[ORDER] += watched - at;
        require(context, spk_live_emit_flush(emit));
        at = wall_ns();
        ns[EVENTS] += at - watched;
    }
    ns[ALL] = at - arrivals->arrival_ns[0];
}

static void add_round(rounds *r, const int64_t ns[N_PARTS])
{
    for (int k = 0; k < N_PARTS; k++)
        spk_live_latency_add(&r->part[k], ns[k]);
    if (ns[ALL] < SLOW_NS)
        return;
    r->n_slow++;
    for (int k = 0; k < N_PARTS; k++)
        r->slow[k] += (double)ns[k];
}

static void tell_rounds(const rounds *r, const spk_live_latency *events)
{
    static const char *const what[N_PARTS] = {"lines to spikes", "order and watch",
                                              "spikes of a round", "events out", "a round"};
    static const int order[N_PARTS] = {SPIKES, LINES, ORDER, EVENTS, ALL};
    static const double quantile[] = {0.5, 0.99, 0.999, 1};
    struct rusage used = {.ru_nivcsw = 0};
    (void)getrusage(RUSAGE_SELF, &used);
    fprintf(stderr, "%-24s %9s %9s %9s %9s %12s\n", "us", "p50", "p99", "p99.9", "most",
            "slow rounds");
    for (int i = 0; i < N_PARTS; i++) {
        const int k = order[i];
        const double scale = k == SPIKES ? 1 : 1e-3;
        fprintf(stderr, "%-24s", what[k]);
        for (int q = 0; q < 4; q++)
            fprintf(stderr, " %9.0f",
                    scale * (double)spk_live_latency_quantile(&r->part[k], quantile[q]));
        fprintf(stderr, " %12.0f\n", r->n_slow > 0 ? scale * r->slow[k] / (double)r->n_slow : 0);
    }
    fprintf(stderr, "%-24s", "arrival to event out");
    for (int q = 0; q < 4; q++)
        fprintf(stderr, " %9.0f", 1e-3 * (double)spk_live_latency_quantile(events, quantile[q]));
    fprintf(stderr,
            "\n%llu rounds, %llu of them slow: 1 ms or more, whose means are in the last column; "
            "%ld times another program ran instead, %ld new pages\n",
            (unsigned long long)r->part[ALL].n, (unsigned long long)r->n_slow, used.ru_nivcsw,
            used.ru_minflt);
}

static void measure_rounds(spk_context *context, const char *address)
{
    static rounds r;
    spk_live_stream_options options;
    spk_live_source_options from;
    spk_live_source *source = NULL;
    spk_live_stream *stream = NULL;
    spk_live_watch *watch = NULL;
    spk_live_emit *emit = NULL;
    spk_recording *labels = NULL;
    spk_live_arrivals arrivals = {.n = 0};
    spk_live_stream_options_init(&options, sizeof options);
    spk_live_source_options_init(&from, sizeof from);
    from.reconnect = false;
    options.rate = (spk_rate){1000000000, 1};
    labels = name_units(context);
    require(context, spk_live_source_open(context, address, &from, &source));
    require(context, spk_live_stream_create(context, &options, &stream));
    require(context, spk_live_emit_open(context, "stdout", NULL, &emit));
    spk_live_emit_set_stream(emit, stream);
    require(context, spk_live_watch_create(context, stream, NULL, &watch));
    add_episodes(context, watch, labels);
    spk_live_watch_set_sink(watch, spk_live_emit_occurrence, emit);
    while (!arrivals.ended) {
        int64_t ns[N_PARTS];
        require(context, spk_live_source_poll(context, source, 100, &arrivals));
        take_units(context, source, stream);
        if (arrivals.n == 0)
            continue;
        take_round(context, &arrivals, stream, emit, ns);
        add_round(&r, ns);
    }
    tell_rounds(&r, spk_live_emit_latency(emit));
    spk_live_watch_free(watch);
    spk_live_emit_free(emit);
    spk_live_stream_free(stream);
    spk_live_source_free(source);
    spk_recording_free(labels);
}

int main(int argc, char **argv)
{
    static const setting settings[] = {
        {"the stream alone", 1000, 1, 0, true},
        {"1,000 episodes", 1000, 1000, 0, false},
        {"few units", 100, 1000, 0, false},
        {"10,000 episodes with 200 common beginnings", 1000, 10000, 200, false},
        {"10,000 episodes", 1000, 10000, 0, false},
    };
    const bool in_rounds = argc == 3 && strcmp(argv[1], "--rounds") == 0;
    uint64_t n_spikes = argc == 2 ? strtoull(argv[1], NULL, 10) : 5000000;
    spk_context *context = NULL;
    require(NULL, spk_context_create(&context));
    if (in_rounds) {
        measure_rounds(context, argv[2]);
        spk_context_free(context);
        return 0;
    }
    printf("%-44s %6s %8s %8s\n", "", "units", "episodes", "ns/spike");
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
        measure(context, &settings[k], n_spikes);
    measure_steps(context, n_spikes);
    spk_context_free(context);
    return 0;
}
