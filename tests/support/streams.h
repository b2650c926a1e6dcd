/*
 * Hostile event streams and episodes for testing engines against each other: ties, bursts, repeats,
 * delays exactly on the bounds, single events, nothing at all, times near the ends of int64.
 */
#pragma once

#include "episode/engine/engine.h"
#include "support/random.h"

enum { TEST_MAX_EVENTS = 400, TEST_MAX_EPISODES = 64, TEST_MAX_DELAYS = 4 };

/* Columns as drawn, before a recording puts them in order. */
typedef struct test_stream {
    uint64_t n_events;
    uint32_t n_units;
    int64_t time[TEST_MAX_EVENTS];
    uint32_t unit[TEST_MAX_EVENTS];
    size_t n_delays;
    spk_tick_delay delay[TEST_MAX_DELAYS];
} test_stream;

/* Draws a stream of at most max_events and the intervals that go with its time scale. */
void test_stream_draw(test_random *random, uint64_t max_events, test_stream *out);

/* The recording of a stream (1 tick a second); the caller frees it. */
spk_recording *test_stream_recording(spk_context *context, const test_stream *stream);

/* Random episodes of one size in the order that engines want, without duplicates. */
typedef struct test_episodes {
    spk_episode_block block;
    uint32_t unit[TEST_MAX_EPISODES * SPK_EPISODE_MAX_SIZE];
    uint16_t delay[TEST_MAX_EPISODES * SPK_EPISODE_MAX_SIZE];
} test_episodes;

void test_episodes_draw(test_random *random, const test_stream *stream, uint32_t size, uint64_t n,
                        test_episodes *out);

/* count(episode) by definition: all occurrences by exhaustive search, then the longest chain of
 * occurrences in which each ends before the next starts, by dynamic programming over all pairs.
 * Written independently of every engine. For small streams. */
uint64_t test_brute_count(const test_stream *stream, uint32_t size, const uint32_t *unit,
                          const uint16_t *delay);

/* The events of a case on stderr, for the report of a failure. */
void test_stream_print(const test_stream *stream);
