/* The whole level-wise search on one or several devices. */
#ifndef SPK_EPISODE_ENGINE_CUDA_SWEEP_SEARCH_H
#define SPK_EPISODE_ENGINE_CUDA_SWEEP_SEARCH_H

#include "episode/engine/engine.h"

spk_status csweep_mine(spk_context *context, const spk_episode_search *search);

#endif
