/*
 * Engines count episodes and mine patterns. All engines of a language give the same results. They
 * differ in speed, in the hardware that they need, and in their purpose. Options name an engine, or
 * leave the choice to the library with "auto".
 *
 * An engine runs on processors or on GPUs. The fields `engine` and `gpus` of the options decide:
 *
 *   engine        gpus 0 (default)                   gpus N or SPK_GPUS_ALL
 *   "auto"        a GPU where that pays, else        the best engine for GPUs, on N or all GPUs
 *                 processors
 *   for GPUs      that engine on one GPU             that engine on N or all GPUs
 *   for           that engine                        SPK_ERR_ARGUMENT
 *   processors
 *
 * An engine asked for by name is never replaced by another one. Errors: SPK_ERR_ARGUMENT for an
 * unknown name and for more GPUs than there are; SPK_ERR_UNAVAILABLE where the engine cannot run
 * here, or where the language has no engine for GPUs.
 */
#ifndef SPIKEMINE_ENGINE_H
#define SPIKEMINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "spikemine/context.h"

SPK_BEGIN_C

/* The two pattern languages: serial episodes (episode.h) and SPADE patterns (pattern.h). */
typedef enum spk_language { SPK_EPISODES, SPK_PATTERNS } spk_language;

/* Facts about an engine. All texts but `reason` are static. */
typedef struct spk_engine_info {
    const char *name;
    const char *summary; /* one line */
    const char *needs;   /* what it needs, "" for nothing */
    bool on_gpu;         /* it runs on GPUs; else on processors */
    bool available;      /* on this machine, in this build */
    char reason[160];    /* why it is not available, "" when it is */
} spk_engine_info;

/* Number of engines of a language, built or not; 0 for an unknown language. */
SPK_API size_t spk_engine_count(spk_language language);

/* Name of engine k; NULL when there is none. Looks at no device, unlike spk_engine_describe. */
SPK_API const char *spk_engine_name(spk_language language, size_t k);

/* Describes engine k, 0 .. spk_engine_count(language) - 1. Asks the GPU driver, when it is an
 * engine for GPUs: the first time that takes some tenths of a second. SPK_ERR_ARGUMENT. */
SPK_API SPK_MUST_CHECK spk_status spk_engine_describe(spk_context *context, spk_language language,
                                                      size_t k, spk_engine_info *out);

SPK_END_C

#endif
