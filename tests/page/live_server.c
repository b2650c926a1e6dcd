/*
 * A page to look at without a source: pushes made-up spikes into a stream, and serves its page.
 *
 *     live_server [PORT [TOKEN]]
 *
 * Lines of standard input drive it, and each is answered by a line on standard output, so that
 * tests know what the page must show:
 *
 *     units N                  N units, u1 to uN
 *     items                    episodes of two to four units, and a pattern
 *     push N SECONDS           N spikes in even steps over SECONDS
 *     run RATE SECONDS         as many spikes a second for so long, in real time, with occurrences
 *     occurrences N            N occurrences of item 0, 1, ... in turn at the newest time
 *     partitions LENGTH STEP   mines partitions of LENGTH seconds from now on, each STEP seconds
 *     border                   the next segment begins; times begin at 0 anew
 *     meters                   meters with numbers that tests know
 *     actions                  what was asked for on the page, one line each, then "."
 *     facts                    what the server has done
 *     end                      the stream ends
 *     quit
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spikemine/spikemine.h"

enum {
    RATE = 10000,
    MOST = 1 << 16,
    ITEMS = 8,
    STEP = 70 /* ticks from spike to spike of an occurrence */
};

typedef struct server {
    spk_context *context;
    spk_live_stream *stream;
    spk_live_page *page;
    spk_partitions *partitions;
    uint64_t n_partitions; /* that the page was told of */
    uint32_t n_units;
    int64_t now;    /* ticks */
    uint64_t state; /* of the random numbers */
    uint64_t segment;
    uint64_t count[ITEMS];
    uint32_t size[ITEMS];
    uint32_t unit[ITEMS][4];
    uint32_t n_items;
} server;

static void die(const server *s, spk_status status)
{
    if (status == SPK_OK)
        return;
    fprintf(stderr, "live_server: %s\n", spk_context_message(s->context));
    exit(1);
}

/* Numerical Recipes' generator: the same spikes on every machine. */
static uint32_t draw(server *s, uint32_t below)
{
    s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((s->state >> 33) % below);
}

static void open_page(server *s, int argc, char **argv)
{
    spk_live_stream_options stream;
    spk_live_stream_options_init(&stream, sizeof stream);
    stream.rate = (spk_rate){RATE, 1};
    die(s, spk_context_create(&s->context));
    die(s, spk_live_stream_create(s->context, &stream, &s->stream));
    spk_live_page_options options;
    spk_live_page_options_init(&options, sizeof options);
    options.port = (uint16_t)(argc > 1 ? atoi(argv[1]) : 0);
    options.token = argc > 2 ? argv[2] : NULL;
    options.title = "test stream";
    options.client_timeout_s = 5;
    options.may_watch = options.mines = true;
    die(s, spk_live_page_start(s->context, s->stream, &options, &s->page));
    printf("%s\n", spk_live_page_url(s->page));
}

static void add_units(server *s, uint32_t n)
{
    char label[16];
    uint32_t unit;
    for (; s->n_units < n; s->n_units++) {
        snprintf(label, sizeof label, "u%" PRIu32, s->n_units + 1);
        die(s, spk_live_stream_unit(s->context, s->stream, label, &unit));
    }
}

static void add_items(server *s)
{
    char name[64];
    for (uint32_t k = 0; k < ITEMS; k++) {
        const bool is_pattern = k == ITEMS - 1;
        s->size[k] = 2 + k % 3;
        size_t n = 0;
        for (uint32_t i = 0; i < s->size[k]; i++) {
            s->unit[k][i] = (5 * k + 3 * i) % s->n_units;
            n += (size_t)snprintf(name + n, sizeof name - n, "%su%" PRIu32,
                                  i == 0       ? ""
                                  : is_pattern ? " "
                                               : " (5ms,10ms] ",
                                  s->unit[k][i] + 1);
        }
        die(s, spk_live_page_item(s->context, s->page, is_pattern, is_pattern ? 0 : k, name,
                                  s->size[k], s->unit[k]));
    }
    s->n_items = ITEMS;
}

static void push_one(server *s, int64_t time, uint32_t unit)
{
    die(s, spk_live_stream_push(s->context, s->stream, 1, &time, &unit, NULL));
}

static void push_even(server *s, uint64_t n, double seconds)
{
    static int64_t time[MOST];
    static uint32_t unit[MOST];
    const int64_t start = s->now;
    for (uint64_t at = 0; at < n; at += MOST) {
        const uint64_t piece = n - at < MOST ? n - at : MOST;
        for (uint64_t k = 0; k < piece; k++) {
            time[k] = start + (int64_t)((double)(at + k + 1) * seconds * RATE / (double)n);
            unit[k] = (uint32_t)((at + k) % s->n_units);
        }
        die(s, spk_live_stream_push(s->context, s->stream, piece, time, unit, NULL));
        s->now = time[piece - 1];
    }
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void show_meters(server *s, double rate)
{
    spk_live_meters meters;
    memset(&meters, 0, sizeof meters);
    meters.counts = spk_live_stream_counts(s->stream);
    meters.spikes_per_s = rate;
    meters.latency_ms[0] = 0.042;
    meters.latency_ms[1] = 0.31;
    meters.latency_ms[2] = 0.85;
    strcpy(meters.source, "made-up spikes");
    strcpy(meters.state, "connected");
    meters.partitions_mined = s->n_partitions;
    meters.tests_due = s->n_partitions;
    meters.partitions_tested = s->n_partitions > 2 ? s->n_partitions - 2 : 0;
    if (s->n_partitions > 0)
        strcpy(meters.untested, "2 had no time; take fewer --surrogates");
    meters.replay = true;
    meters.speed = 1;
    spk_live_page_meters(s->page, &meters);
}

/* An occurrence in the making: its spikes come in the ticks that they fall into. */
typedef struct chain {
    uint32_t item;
    uint32_t n; /* spikes that came */
    int64_t start;
} chain;

static void tell_occurrence(server *s, const chain *c)
{
    const bool is_pattern = c->item == ITEMS - 1;
    int64_t time[4];
    for (uint32_t i = 0; i < s->size[c->item]; i++)
        time[i] = c->start + STEP * i;
    const spk_live_occurrence o = {.is_pattern = is_pattern,
                                   .item = is_pattern ? 0 : c->item,
                                   .size = s->size[c->item],
                                   .unit = s->unit[c->item],
                                   .time = time,
                                   .name = "",
                                   .count = ++s->count[c->item],
                                   .segment = s->segment};
    die(s, spk_live_page_occurrence(s->page, &o));
}

/* An occurrence of `item` that ends now. */
static void add_occurrence(server *s, uint32_t item)
{
    const chain c = {.item = item, .start = s->now + 1};
    for (uint32_t i = 0; i < s->size[item]; i++)
        push_one(s, c.start + STEP * i, s->unit[item][i]);
    s->now = c.start + STEP * (s->size[item] - 1);
    tell_occurrence(s, &c);
}

/* The spikes of one tick: those of chains, and others at random. */
static void run_tick(server *s, double rate, chain *chains, uint32_t *n_chains)
{
    s->now++;
    for (uint32_t k = 0; k < *n_chains; k++) {
        chain *c = &chains[k];
        if (s->now != c->start + STEP * c->n)
            continue;
        push_one(s, s->now, s->unit[c->item][c->n++]);
        if (c->n < s->size[c->item])
            continue;
        tell_occurrence(s, c);
        *c = chains[--*n_chains];
        k--;
    }
    for (double due = rate / RATE; due > 0; due--)
        if (due >= 1 || draw(s, 1 << 20) < due * (1 << 20))
            push_one(s, s->now, draw(s, s->n_units));
}

static void take_partitions(server *s);

/* Spikes as time goes, in steps of 10 ms, with some ten occurrences a second. */
static void run(server *s, double rate, double seconds)
{
    chain chains[64];
    uint32_t n_chains = 0;
    const double begin = now_s();
    const int64_t from = s->now;
    for (uint32_t step = 0; now_s() - begin < seconds; step++) {
        const struct timespec pause = {.tv_nsec = 10000000};
        nanosleep(&pause, NULL);
        if (s->n_items > 0 && n_chains < 64 && draw(s, 10) == 0)
            chains[n_chains++] = (chain){.item = draw(s, s->n_items), .start = s->now + 1};
        const int64_t until = from + (int64_t)((now_s() - begin) * RATE);
        while (s->now < until)
            run_tick(s, rate, chains, &n_chains);
        take_partitions(s);
        if (step % 20 == 0)
            show_meters(s, rate);
    }
    show_meters(s, rate);
}

static void mine_partitions(server *s, double length, double step)
{
    static const spk_delay delay = {{5, -3}, {10, -3}};
    spk_episode_options episodes;
    spk_partitions_options options;
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = &delay;
    episodes.n_delays = 1;
    episodes.max_size = 4;
    spk_partitions_options_init(&options, sizeof options);
    options.length = (spk_duration){(int64_t)(1000 * length), -3};
    options.step = (spk_duration){(int64_t)(1000 * step), -3};
    options.episodes = &episodes;
    options.support_text = "4";
    die(s, spk_partitions_create(s->context, s->stream, &options, &s->partitions));
}

/* Mines what is due, and shows it. */
static void take_partitions(server *s)
{
    const spk_partition_result *result = NULL;
    do {
        if (s->partitions != NULL)
            die(s, spk_partitions_take(s->context, s->partitions, 0, &result));
        if (result == NULL)
            return;
        die(s, spk_live_page_partition(s->context, s->page, result));
        s->n_partitions++;
    } while (result != NULL);
}

static void show_actions(server *s)
{
    static const char *const name[] = {"speed", "pause", "mark", "watch", "unwatch"};
    spk_live_page_action action;
    while (spk_live_page_next_action(s->page, &action))
        printf("%s %g %" PRIu64 " %" PRId64 " %s\n", name[action.request], action.value,
               action.segment, action.time, action.text);
    printf(".\n");
}

static void show_facts(server *s)
{
    spk_live_page_facts facts;
    spk_live_page_get_facts(s->page, &facts);
    printf("clients %" PRIu64 " answers %" PRIu64 " refused %" PRIu64 " dropped %" PRIu64
           " unseen %" PRIu64 "\n",
           facts.clients, facts.answers, facts.refused, facts.dropped, facts.unseen);
}

static void show_counts(const server *s)
{
    printf("%" PRIu64, spk_live_stream_counts(s->stream).accepted);
    for (uint32_t k = 0; k < s->n_items; k++)
        printf(" %" PRIu64, s->count[k]);
    printf("\n");
}

static bool obey(server *s, const char *line)
{
    char word[16] = "";
    double a = 0, b = 0;
    if (sscanf(line, "%15s %lf %lf", word, &a, &b) < 1)
        return true;
    if (strcmp(word, "quit") == 0)
        return false;
    if (strcmp(word, "actions") == 0) {
        show_actions(s);
        return true;
    }
    if (strcmp(word, "facts") == 0) {
        show_facts(s);
        return true;
    }
    if (strcmp(word, "units") == 0)
        add_units(s, (uint32_t)a);
    else if (strcmp(word, "items") == 0)
        add_items(s);
    else if (strcmp(word, "push") == 0)
        push_even(s, (uint64_t)a, b);
    else if (strcmp(word, "run") == 0)
        run(s, a, b);
    else if (strcmp(word, "occurrences") == 0)
        for (uint32_t k = 0; k < (uint32_t)a; k++)
            add_occurrence(s, k % s->n_items);
    else if (strcmp(word, "partitions") == 0)
        mine_partitions(s, a, b);
    else if (strcmp(word, "border") == 0) {
        die(s, spk_live_stream_border(s->context, s->stream, NULL, NULL));
        s->segment++;
        s->now = 0;
    } else if (strcmp(word, "meters") == 0)
        show_meters(s, a);
    else if (strcmp(word, "end") == 0)
        die(s, spk_live_stream_end(s->context, s->stream));
    take_partitions(s);
    show_counts(s);
    return true;
}

int main(int argc, char **argv)
{
    char line[256];
    server s = {.state = 1};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!spk_live_page_available())
        return 77;
    open_page(&s, argc, argv);
    while (fgets(line, sizeof line, stdin) != NULL && obey(&s, line))
        continue;
    spk_live_page_free(s.page);
    spk_partitions_free(s.partitions);
    spk_live_stream_free(s.stream);
    spk_context_free(s.context);
    return 0;
}
