/* Draws hostile streams; the brute-force count. */
#include "support/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/recordings.h"

/* ---- streams --------------------------------------------------------------------------------- */

typedef enum stream_kind {
    KIND_DENSE,   /* few distinct times, many ties */
    KIND_GRID,    /* steps of 5, so that delays hit the bounds */
    KIND_SPARSE,  /* wide gaps */
    KIND_BURSTS,  /* clusters far apart */
    KIND_EXTREME, /* near both ends of int64 */
    N_KINDS
} stream_kind;

static int64_t draw_time(test_random *random, stream_kind kind, uint64_t n)
{
    switch (kind) {
    case KIND_DENSE:
        return test_random_between(random, 0, (int64_t)n / 3 + 1);
    case KIND_GRID:
        return 5 * test_random_between(random, -20, (int64_t)n);
    case KIND_SPARSE:
        return test_random_between(random, 0, 100 * (int64_t)n);
    case KIND_BURSTS:
        return 10000 * test_random_between(random, 0, 4) + test_random_between(random, 0, 30);
    default: {
        int64_t near = test_random_between(random, 0, 40);
        uint64_t place = test_random_below(random, 3);
        return place == 0 ? INT64_MIN + near : place == 1 ? INT64_MAX - 1 - near : near - 20;
    }
    }
}

static spk_tick_delay draw_delay(test_random *random, stream_kind kind)
{
    static const uint64_t bounds[] = {0, 1, 2, 5, 10, 15, 20, 40, 100, 1000};
    uint64_t n = sizeof bounds / sizeof bounds[0];
    uint64_t lo = test_random_below(random, n - 1);
    uint64_t hi = lo + 1 + test_random_below(random, n - 1 - lo);
    spk_tick_delay delay = {bounds[lo], bounds[hi]};
    if (test_random_chance(random, 0.1))
        delay.hi = UINT64_MAX;
    if (kind == KIND_EXTREME && test_random_chance(random, 0.3))
        delay =
            (spk_tick_delay){(uint64_t)INT64_MAX - 30, UINT64_MAX - test_random_below(random, 60)};
    return delay;
}

void test_stream_draw(test_random *random, uint64_t max_events, test_stream *out)
{
    stream_kind kind = (stream_kind)test_random_below(random, N_KINDS);
    out->n_events = test_random_below(random, max_events + 1);
    if (test_random_chance(random, 0.05))
        out->n_events = test_random_below(random, 2);
    out->n_units = (uint32_t)(1 + test_random_below(random, 5));
    if (test_random_chance(random, 0.15))
        out->n_units = (uint32_t)(30 + test_random_below(random, 70)); /* several tiles of lanes */
    for (uint64_t i = 0; i < out->n_events; i++) {
        out->time[i] = draw_time(random, kind, out->n_events);
        /* Some units fire most of the time. */
        uint64_t n = test_random_chance(random, 0.5) ? (out->n_units + 3) / 4 : out->n_units;
        out->unit[i] = (uint32_t)test_random_below(random, n);
    }
    out->n_delays = 1 + test_random_below(random, TEST_MAX_DELAYS);
    for (size_t d = 0; d < out->n_delays; d++)
        out->delay[d] = draw_delay(random, kind);
}

spk_recording *test_stream_recording(spk_context *context, const test_stream *stream)
{
    spk_recording *recording = NULL;
    if (test_recording_create(context, stream->n_events, stream->time, stream->unit,
                              stream->n_units, NULL, (spk_rate){1, 1}, NULL, NULL,
                              &recording) != SPK_OK) {
        fprintf(stderr, "%s\n", spk_context_message(context));
        abort();
    }
    return recording;
}

void test_stream_print(const test_stream *stream)
{
    for (uint64_t i = 0; i < stream->n_events; i++)
        fprintf(stderr, "%" PRId64 " %" PRIu32 "\n", stream->time[i], stream->unit[i]);
    for (size_t d = 0; d < stream->n_delays; d++)
        fprintf(stderr, "delay %zu: (%" PRIu64 ",%" PRIu64 "]\n", d, stream->delay[d].lo,
                stream->delay[d].hi);
}

/* ---- episodes -------------------------------------------------------------------------------- */

typedef struct drawn_episode {
    uint32_t size;
    uint32_t key[2 * SPK_EPISODE_MAX_SIZE]; /* delay, unit, delay, unit, ... */
} drawn_episode;

static int compare_drawn(const void *a, const void *b)
{
    const drawn_episode *x = a;
    const drawn_episode *y = b;
    for (uint32_t k = 0; k < 2 * x->size; k++)
        if (x->key[k] != y->key[k])
            return x->key[k] < y->key[k] ? -1 : 1;
    return 0;
}

void test_episodes_draw(test_random *random, const test_stream *stream, uint32_t size, uint64_t n,
                        test_episodes *out)
{
    drawn_episode drawn[TEST_MAX_EPISODES];
    for (uint64_t k = 0; k < n; k++) {
        drawn[k].size = size;
        for (uint32_t p = 0; p < size; p++) {
            drawn[k].key[2 * p] = p > 0 ? (uint32_t)test_random_below(random, stream->n_delays) : 0;
            drawn[k].key[2 * p + 1] = (uint32_t)test_random_below(random, stream->n_units);
        }
        /* Common prefixes, as candidates have them. */
        if (k > 0 && test_random_chance(random, 0.6))
            memcpy(drawn[k].key, drawn[k - 1].key, 2 * (size - 1) * sizeof(uint32_t));
    }
    qsort(drawn, n, sizeof drawn[0], compare_drawn);
    uint64_t kept = 0;
    for (uint64_t k = 0; k < n; k++) {
        if (k > 0 && compare_drawn(&drawn[k - 1], &drawn[k]) == 0)
            continue;
        for (uint32_t p = 0; p < size; p++) {
            out->delay[kept * size + p] = (uint16_t)drawn[k].key[2 * p];
            out->unit[kept * size + p] = drawn[k].key[2 * p + 1];
        }
        kept++;
    }
    out->block =
        (spk_episode_block){.size = size, .n = kept, .unit = out->unit, .delay = out->delay};
}

/* ---- brute force ----------------------------------------------------------------------------- */

typedef struct interval {
    int64_t start;
    int64_t end;
    uint64_t chain; /* longest chain that ends here */
} interval;

typedef struct brute {
    const test_stream *stream;
    uint32_t size;
    const uint32_t *unit;
    const uint16_t *delay;
    interval *found;
    uint64_t n;
    uint64_t capacity;
} brute;

static void add_interval(brute *b, int64_t start, int64_t end)
{
    if (b->n == b->capacity) {
        b->capacity = 2 * b->capacity + 256;
        b->found = realloc(b->found, b->capacity * sizeof *b->found);
        if (b->found == NULL)
            abort();
    }
    b->found[b->n++] = (interval){start, end, 0};
}

/* All ways to go on from position p - 1 at time `last`. */
static void search(brute *b, uint32_t p, int64_t start, int64_t last)
{
    const test_stream *s = b->stream;
    if (p == b->size) {
        add_interval(b, start, last);
        return;
    }
    for (uint64_t i = 0; i < s->n_events; i++) {
        if (s->unit[i] != b->unit[p])
            continue;
        __int128 distance = (__int128)s->time[i] - last;
        spk_tick_delay delay = s->delay[b->delay[p]];
        if (p == 0)
            search(b, 1, s->time[i], s->time[i]);
        else if (distance > (__int128)delay.lo && distance <= (__int128)delay.hi)
            search(b, p + 1, start, s->time[i]);
    }
}

static int by_start(const void *a, const void *b)
{
    const interval *x = a;
    const interval *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

uint64_t test_brute_count(const test_stream *stream, uint32_t size, const uint32_t *unit,
                          const uint16_t *delay)
{
    brute b = {.stream = stream, .size = size, .unit = unit, .delay = delay};
    search(&b, 0, 0, 0);
    if (b.n > 0)
        qsort(b.found, b.n, sizeof *b.found, by_start);
    uint64_t best = 0;
    for (uint64_t j = 0; j < b.n; j++) {
        uint64_t longest = 0;
        for (uint64_t i = 0; i < j; i++)
            if (b.found[i].end < b.found[j].start && b.found[i].chain > longest)
                longest = b.found[i].chain;
        b.found[j].chain = longest + 1;
        best = longest + 1 > best ? longest + 1 : best;
    }
    free(b.found);
    return best;
}
