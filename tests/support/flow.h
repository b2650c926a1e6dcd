/*
 * Streams for tests of partitions: the spikes in the order of the stream, its borders, and the job
 * that is done with it. Functions return no errors: what fails fails the test.
 */
#pragma once

#include "spikemine/context.h"
#include "spikemine/partitions.h"

enum { TEST_FLOW_SPIKES = 400, TEST_FLOW_UNITS = 5, TEST_FLOW_BORDERS = 8 };

/* up / down seconds. */
typedef struct test_fraction {
    int64_t up;
    int64_t down;
} test_fraction;

typedef struct test_flow {
    uint64_t n;
    uint32_t n_units;
    int64_t time[TEST_FLOW_SPIKES];
    uint32_t unit[TEST_FLOW_SPIKES];
    uint64_t n_borders;
    uint64_t border[TEST_FLOW_BORDERS]; /* the spike before which it lies, ascending */
    bool bounded;                       /* the source knows the bounds of segments: */
    spk_segment bounds[TEST_FLOW_BORDERS + 1];
    spk_rate rate;
    test_fraction length, step;
    spk_delay delay;
    const char *support;
} test_flow;

/* The context of a test program, with one thread since recordings are small. The two functions
 * begin and end a test with it. */
extern spk_context *test_flow_context;
int test_flow_setup(void **state);
int test_flow_teardown(void **state);

/* Fails the test, with the message of that context, unless the status is SPK_OK. */
void test_flow_check(spk_status status);

/* Units 0 and 1 in turn, one spike each half second for this time; partitions of 4 s each 2 s. */
void test_flow_clockwork(uint64_t seconds, test_flow *out);

spk_duration test_flow_duration(test_fraction f);

/* The stream, whose labels are not in natural order, and the options of its job. */
spk_live_stream *test_flow_stream(const test_flow *f);
spk_episode_options test_flow_episodes(const test_flow *f);
spk_partitions_options test_flow_partitions(const test_flow *f,
                                            const spk_episode_options *episodes);

/* Whether a segment begins with spike i, and whether it begins a series. */
bool test_flow_is_border(const test_flow *f, uint64_t i);
bool test_flow_goes_back(const test_flow *f, uint64_t i);

/* The number of the segment with spike i. */
uint64_t test_flow_segment(const test_flow *f, uint64_t i);

/* Pushes the spikes from `first` on, at most `most`, up to the next border; returns where to go on.
 */
uint64_t test_flow_push(const test_flow *f, spk_live_stream *stream, uint64_t first, uint64_t most);

/* The recorded spikes first .. last - 1, one series, in the segments that the stream had. */
spk_recording *test_flow_record(const test_flow *f, uint64_t first, uint64_t last);
