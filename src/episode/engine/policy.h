/* The automatic choices for episodes. */
#pragma once

#include "engine/facts.h"
#include "episode/engine/engine.h"

/* What is known of a job before it runs. */
typedef struct spk_episode_work {
    uint64_t n_events;
    size_t n_delays;
    uint64_t n_episodes; /* to count; UINT64_MAX: a search, which makes its own */
} spk_episode_work;

/* The engine and the GPUs for a request and this work. Errors as spk_engine_take. */
spk_status spk_episode_choose(spk_context *context, const spk_engine_request *request,
                              const spk_episode_work *work, spk_engine_choice *out);

/* Whether two passes pay for this engine where the user left it open. */
bool spk_episode_two_pass_pays(const spk_episode_engine *engine, const spk_tick_delay *delays,
                               size_t n_delays);

/* The table of an engine of the list; NULL where it is not built. */
const spk_episode_engine *spk_episode_engine_table(const spk_engine_facts *engine);
