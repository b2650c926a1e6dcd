/*
 * All ways in which episodes can be mined on GPUs, one after the other, and whether a way gives
 * what it must.
 */
#pragma once

#include "spikemine/spikemine.h"

/* A run's whole result. */
typedef struct test_mined {
    uint64_t n;      /* frequent episodes of all sizes */
    uint64_t digest; /* of everything, in order */
} test_mined;

/* Mines, or fails the test. memory: the context's limit in bytes for this run, 0 for none. */
test_mined test_mine(spk_context *context, const spk_recording *recording,
                     const spk_episode_options *options, uint64_t memory);

/* One way: an engine, one pass or two, and the compaction where the engine has several. The caller
 * sets on how many GPUs and with how much memory. */
typedef struct test_gpu_setting {
    const char *name; /* of the engine */
    size_t engine;
    int number; /* of the setting among the engine's */
    spk_two_pass two_pass;
    spk_compaction compaction;
    int gpus;
    uint64_t memory;
} test_gpu_setting;

/* Goes on to the next setting, from one with name NULL to the first; false behind the last. */
bool test_gpu_setting_next(test_gpu_setting *setting);

/* Mines with these options in that setting; fails the test, with `what` and the setting printed,
 * when the result is another. */
void test_gpu_check(spk_context *context, const spk_recording *recording,
                    const spk_episode_options *options, const test_gpu_setting *setting,
                    const test_mined *expected, const char *what);
