/*
 * Every engine of the library, one line each: X(symbol, "name", kind, "summary").
 *
 * To add an engine, write its file and add its line here; nothing else. The file lies below
 * src/episode/engine/ or src/pattern/engine/ and defines the engine's table of functions:
 *
 *     const spk_episode_engine spk_episode_engine_SYMBOL = {...};    (episode/engine/engine.h)
 *     const spk_pattern_engine spk_pattern_engine_SYMBOL = {...};    (pattern/engine/engine.h)
 *
 * Listing, help, messages, choice by name and the tests of all engines come from these lines. What
 * an engine can do beside counting is told by the functions that its table has. The first line of
 * each kind is the usual one; when "auto" takes it is decided in policy.c of the language.
 *
 * kind is CPU or GPU. A GPU engine's file lies in a folder named cuda. Builds without CUDA
 * leave these folders out; the engine is then listed as not built.
 */
#pragma once

#define SPK_EPISODE_ENGINES(X)                                                                     \
    X(sweep, "sweep", CPU,                                                                         \
      "latest starts, delay tables, 32 units at a time: the fastest on a CPU")                     \
    X(fsm, "fsm", CPU, "the papers' CPU method: threads own episodes, one pass over the stream")   \
    X(reference, "reference", CPU,                                                                 \
      "Algorithm 1 of the papers, one pass per episode: the specification, slow")                  \
    X(cuda_sweep, "cuda-sweep", GPU, "sweep on a GPU, a warp a prefix: the fastest of all")        \
    X(cuda_ptpe, "cuda-ptpe", GPU, "the papers' one thread an episode")                            \
    X(cuda_mtpe, "cuda-mtpe", GPU,                                                                 \
      "the papers' many threads an episode: segments, then concatenation")                         \
    X(cuda_hybrid, "cuda-hybrid", GPU,                                                             \
      "the papers' hybrid: cuda-ptpe or cuda-mtpe by measured crossover")                          \
    X(cuda_tracking, "cuda-tracking", GPU,                                                         \
      "the papers' one thread an occurrence, then interval scheduling")

#define SPK_PATTERN_ENGINES(X)                                                                     \
    X(bitmap, "bitmap", CPU, "closed patterns one by one from lag-0 items, windows as bit rows")   \
    X(fpgrowth, "fpgrowth", CPU,                                                                   \
      "FP-growth with the filter inside, closed detection afterwards (the published method)")      \
    X(cuda_bitmap, "cuda-bitmap", GPU, "bitmap on a GPU, a warp a branch: surrogates side by side")
