/* Which engines a test can run on this machine. */
#ifndef TESTS_SUPPORT_ENGINES_H
#define TESTS_SUPPORT_ENGINES_H

#include "episode/engine/engine.h"

static inline bool test_runs_here(const spk_episode_engine *engine)
{
    char reason[160];
    return engine->available(reason, sizeof reason);
}

#endif
