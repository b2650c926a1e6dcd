/*
 * The engines that a test runs over: those of the list (engine/list.h) that run on this machine.
 * The first question of a program also prints which they are, and why others are not tested.
 */
#pragma once

#include "engine/facts.h"
#include "episode/engine/engine.h"
#include "pattern/engine/engine.h"

typedef struct test_episode_engine {
    const char *name;
    bool on_gpu;
    const spk_episode_engine *table;
} test_episode_engine;

typedef struct test_pattern_engine {
    const char *name;
    const spk_pattern_engine *table;
} test_pattern_engine;

/* Engine k that runs here; NULL when there are no more. */
const test_episode_engine *test_episode_engine_at(size_t k);
const test_pattern_engine *test_pattern_engine_at(size_t k);

/* The engine of that name, which must run here. */
const test_episode_engine *test_episode_engine_named(const char *name);

/* Mines with the context's threads and memory limit. */
spk_status test_pattern_mine(spk_context *context, const spk_pattern_engine *engine,
                             const spk_window_columns *windows, const spk_pattern_limits *limits,
                             spk_pattern_sink *sink, void *user);
