/* The automatic choices for episodes. */
#ifndef SPK_EPISODE_ENGINE_POLICY_H
#define SPK_EPISODE_ENGINE_POLICY_H

#include "engine/take.h"
#include "episode/engine/engine.h"

/* What is known of a job before it runs. */
typedef struct spk_episode_work {
    uint64_t n_events;
    size_t n_delays;
    uint64_t n_episodes; /* to count; UINT64_MAX: a search, which makes its own */
} spk_episode_work;

/* Whether the job is large enough for a GPU's start to pay. */
bool spk_episode_worth_a_gpu(const spk_episode_work *work);

/* The engine and the GPUs for a request and this work. Errors as spk_engine_take. */
spk_status spk_episode_choose(spk_context *context, const spk_engine_request *request,
                              const spk_episode_work *work, spk_engine_choice *out);

/* Whether two passes pay for this engine where the user left it open. */
bool spk_episode_two_pass_pays(const spk_episode_engine *engine, const spk_tick_delay *delays,
                               size_t n_delays);

#endif
