/*
 * What a pattern engine is: one const table of functions. Only registry.c knows which were built;
 * engines know windows and base, never files, printing or each other.
 */
#ifndef SPK_PATTERN_ENGINE_ENGINE_H
#define SPK_PATTERN_ENGINE_ENGINE_H

#include "base/context.h"
#include "pattern/windows.h"
#include "spikemine/pattern.h"

/* The limits, checked and resolved: 1 <= min_spikes <= max_spikes (UINT32_MAX: none),
 * 1 <= min_support <= max_count (UINT32_MAX: none), 1 <= min_neurons. */
typedef struct spk_pattern_limits {
    uint32_t min_spikes;
    uint32_t max_spikes;
    uint32_t min_support;
    uint32_t max_count;
    uint32_t min_neurons;
} spk_pattern_limits;

typedef struct spk_pattern_engine {
    const char *name;
    const char *summary; /* one line */
    const char *needs;   /* what it needs, "" for nothing */

    /* True, or false with the cause in `reason`. */
    bool (*available)(char *reason, size_t reason_size);

    /* Finds every closed pattern within the limits (before the moving-window step) and hands them
     * to `sink` in batches, never two calls at once; items of a pattern ordered by lag, then unit.
     * The order of patterns is the same for any number of threads (spk_context_threads). Asks for
     * cancel now and then. Stops with the sink's status when that is not SPK_OK. */
    spk_status (*mine)(spk_context *context, const spk_window_columns *windows,
                       const spk_pattern_limits *limits, spk_pattern_sink *sink, void *user);
} spk_pattern_engine;

/* Number of engines, and engine k < n; the order is the one in which they are listed. */
size_t spk_pattern_engines(const spk_pattern_engine *const **engines);

/* The engine for a job: by name, or by the policy in policy.c for "auto"; *choice is the policy's
 * reason, "" for a name. Errors: SPK_ERR_ARGUMENT (no such engine), SPK_ERR_UNAVAILABLE. */
spk_status spk_pattern_engine_choose(spk_context *context, const char *name,
                                     const spk_window_columns *windows,
                                     const spk_pattern_limits *limits,
                                     const spk_pattern_engine **out, const char **choice);

extern const spk_pattern_engine spk_pattern_engine_bitmap;
extern const spk_pattern_engine spk_pattern_engine_fpgrowth;

#endif
