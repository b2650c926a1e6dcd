/* What the GPU engines are called in every build, with CUDA and without. */
#ifndef SPK_EPISODE_ENGINE_CUDA_ENGINES_H
#define SPK_EPISODE_ENGINE_CUDA_ENGINES_H

#include "episode/engine/engine.h"

#define SPK_CUDA_NEEDS            "an NVIDIA GPU and its driver"
#define SPK_CUDA_SWEEP_SUMMARY    "sweep on a GPU, a warp a prefix: the fastest of all"
#define SPK_CUDA_PTPE_SUMMARY     "the papers' one thread an episode"
#define SPK_CUDA_MTPE_SUMMARY     "the papers' many threads an episode: segments, then concatenation"
#define SPK_CUDA_HYBRID_SUMMARY   "the papers' hybrid: cuda-ptpe or cuda-mtpe by measured crossover"
#define SPK_CUDA_TRACKING_SUMMARY "the papers' one thread an occurrence, then interval scheduling"

extern const spk_episode_engine spk_engine_cuda_sweep;
extern const spk_episode_engine spk_engine_cuda_ptpe;
extern const spk_episode_engine spk_engine_cuda_mtpe;
extern const spk_episode_engine spk_engine_cuda_hybrid;
extern const spk_episode_engine spk_engine_cuda_tracking;

#endif
