/* The registry: which episode engines exist. One line each. */
#include <stdio.h>
#include <string.h>

#include "episode/engine/cuda/engines.h"
#include "episode/engine/engine.h"

extern const spk_episode_engine spk_engine_reference;
extern const spk_episode_engine spk_engine_fsm;
extern const spk_episode_engine spk_engine_sweep;

const spk_episode_engine *const spk_episode_engines[] = {
    &spk_engine_sweep,     &spk_engine_fsm,       &spk_engine_reference,   &spk_engine_cuda_sweep,
    &spk_engine_cuda_ptpe, &spk_engine_cuda_mtpe, &spk_engine_cuda_hybrid, NULL,
};

size_t spk_episode_engine_count(void)
{
    return sizeof spk_episode_engines / sizeof spk_episode_engines[0] - 1;
}

spk_status spk_episode_engine_info(size_t k, spk_engine_info *out)
{
    if (k >= spk_episode_engine_count())
        return SPK_ERR_ARGUMENT;
    const spk_episode_engine *engine = spk_episode_engines[k];
    *out = (spk_engine_info){.name = engine->name,
                             .summary = engine->summary,
                             .needs = engine->needs,
                             .on_gpu = engine->on_gpu};
    out->available = engine->available(out->reason, sizeof out->reason);
    return SPK_OK;
}

static void list_names(char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; spk_episode_engines[k] != NULL && used < size; k++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", k > 0 ? ", " : "",
                                 spk_episode_engines[k]->name);
}

spk_status spk_episode_engine_find(spk_context *context, const char *name,
                                   const spk_episode_engine **out)
{
    *out = NULL;
    for (size_t k = 0; spk_episode_engines[k] != NULL; k++) {
        const spk_episode_engine *engine = spk_episode_engines[k];
        if (strcmp(engine->name, name) != 0)
            continue;
        char reason[160] = "";
        if (!engine->available(reason, sizeof reason))
            return spk_fail(context, SPK_ERR_UNAVAILABLE, "engine '%s': %s", name, reason);
        *out = engine;
        return SPK_OK;
    }
    char names[256];
    list_names(names, sizeof names);
    return spk_fail(context, SPK_ERR_ARGUMENT, "there is no engine '%s'; take one of auto, %s",
                    name, names);
}
