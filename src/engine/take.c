/* The rules of a choice that hold for every language. */
#include "engine/take.h"

#include <string.h>

#include "cuda/gpus.h"
#include "spikemine/gpu.h"

enum { MOST_NAMES = 256 };

void spk_gpus_look_here(spk_gpus_found *out)
{
    *out = (spk_gpus_found){.n = 0};
    if (spk_gpus_available(out->reason, sizeof out->reason))
        out->n = spk_gpu_count();
}

bool spk_engine_is_auto(const spk_engine_request *request)
{
    return request->engine == NULL || strcmp(request->engine, "auto") == 0;
}

static spk_status fail_unknown(spk_context *context, const spk_engine_list *list, const char *name)
{
    char names[MOST_NAMES];
    spk_engine_names(list, false, names, sizeof names);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "there is no engine '%.60s' for %s; take one of auto, %s", name, list->language,
                    names);
}

/* GPUs were asked for, and the engine runs on processors. */
static spk_status fail_on_processors(spk_context *context, const spk_engine_list *list,
                                     const char *name)
{
    char names[MOST_NAMES];
    spk_engine_names(list, true, names, sizeof names);
    if (names[0] == '\0')
        return spk_fail(context, SPK_ERR_UNAVAILABLE,
                        "there is no engine for %s on GPUs yet; leave gpus at 0", list->language);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "engine '%s' runs on processors; leave gpus at 0 or take an engine for GPUs: "
                    "%s",
                    name, names);
}

static spk_status take_gpus(spk_context *context, const spk_engine_request *request,
                            const char *name, int *gpus)
{
    spk_gpus_found found;
    request->look(&found);
    if (found.n == 0)
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "engine '%s': %s", name, found.reason);
    *gpus = request->gpus == SPK_GPUS_ALL ? found.n : request->gpus;
    *gpus += request->gpus == 0;
    if (*gpus > found.n)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%d GPUs asked for, this machine has %d; take a number from 1 to %d, or "
                        "all",
                        request->gpus, found.n, found.n);
    return SPK_OK;
}

spk_status spk_engine_take(spk_context *context, spk_language language,
                           const spk_engine_request *request, const char *name, const char *reason,
                           spk_engine_choice *out)
{
    spk_engine_list list = spk_engines_of(language);
    *out = (spk_engine_choice){.engine = spk_engine_named(&list, name), .reason = reason};
    if (request->gpus < SPK_GPUS_ALL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%d GPUs asked for; take a number from 0 on, or all (%d)", request->gpus,
                        SPK_GPUS_ALL);
    if (out->engine == NULL)
        return fail_unknown(context, &list, name);
    if (out->engine->on_gpu)
        return take_gpus(context, request, name, &out->gpus);
    return request->gpus == 0 ? SPK_OK : fail_on_processors(context, &list, name);
}
