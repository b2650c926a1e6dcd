/* Live sources in tests: gathering what they hand over, and the other end of their connections. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/live_source.h"
#include "support/random.h"

typedef struct test_live_spike {
    int64_t time;
    char label[48];
    uint64_t segment; /* 1: behind the first border */
} test_live_spike;

/* All that a source has handed over so far. */
typedef struct test_live {
    spk_context *context;
    spk_live_source *source;
    test_live_spike *spike;
    size_t n;
    size_t capacity;
    uint64_t borders;
    spk_live_arrivals last_border; /* its bounds */
    uint64_t lost;
    bool ended;
    spk_status status; /* of the last poll */
} test_live;

spk_live_source_options test_live_defaults(void);

/* Opens; the options may be NULL. */
void test_live_open(test_live *live, const char *address, const spk_live_source_options *options);

/* One poll. */
void test_live_poll(test_live *live, int timeout_ms);

/* Polls until n spikes are there, or the source ended, or 5 seconds have passed. */
void test_live_wait(test_live *live, size_t n);

/* Polls until the state begins with this, at most 5 seconds; false: it did not. */
bool test_live_state(test_live *live, const char *state);

/* Fails the test unless spike k is this one. */
void test_live_assert_spike(const test_live *live, size_t k, int64_t time, const char *label);

/* On a clock that only goes forward. */
int64_t test_live_now_ns(void);

spk_live_source_facts test_live_facts(const test_live *live);
void test_live_close(test_live *live);

/* A socket that listens on the loopback; *port is chosen where it is 0. */
int test_listen(int *port);

/* The next connection, within 5 seconds. */
int test_accept(int listener);

/* A connection to where a source listens: its port is told by its state. */
int test_connect(const test_live *live);
int test_connect_unix(const char *path);

/* Writes all of it in pieces of 1 .. most bytes, and polls the source between them. */
void test_send(test_live *live, int fd, const void *bytes, size_t n, size_t most,
               test_random *random);
void test_send_text(test_live *live, int fd, const char *text);
