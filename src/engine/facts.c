/* The list of engines as data, and what a caller may know of it. */
#include "engine/facts.h"

#include <stdio.h>
#include <string.h>

#include "cuda/gpus.h"
#include "engine/list.h"
#include "spikemine/gpu.h"

#define ON_GPU_CPU false
#define ON_GPU_GPU true
#define FACTS(symbol, title, kind, text)                                                           \
    {.name = (title), .summary = (text), .on_gpu = ON_GPU_##kind},

static const spk_engine_facts EPISODE_ENGINES[] = {SPK_EPISODE_ENGINES(FACTS)};
static const spk_engine_facts PATTERN_ENGINES[] = {SPK_PATTERN_ENGINES(FACTS)};

static const spk_engine_list LISTS[] = {
    [SPK_EPISODES] = {"episodes", EPISODE_ENGINES,
                      sizeof EPISODE_ENGINES / sizeof EPISODE_ENGINES[0]},
    [SPK_PATTERNS] = {"patterns", PATTERN_ENGINES,
                      sizeof PATTERN_ENGINES / sizeof PATTERN_ENGINES[0]},
};

spk_engine_list spk_engines_of(spk_language language)
{
    size_t k = (size_t)language;
    bool known = k < sizeof LISTS / sizeof LISTS[0];
    return known ? LISTS[k] : (spk_engine_list){.language = "an unknown language"};
}

const spk_engine_facts *spk_engine_named(const spk_engine_list *list, const char *name)
{
    for (size_t k = 0; k < list->n; k++)
        if (strcmp(list->engine[k].name, name) == 0)
            return &list->engine[k];
    return NULL;
}

const spk_engine_facts *spk_engine_usual(spk_language language, bool on_gpu)
{
    spk_engine_list list = spk_engines_of(language);
    const spk_engine_facts *engine = list.engine;
    for (size_t k = 0; k < list.n; k++)
        if (engine[k].on_gpu == on_gpu)
            return engine + k;
    return NULL;
}

void spk_engine_names(const spk_engine_list *list, bool only_gpu, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < list->n && used < size; k++)
        if (list->engine[k].on_gpu || !only_gpu)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     list->engine[k].name);
}

bool spk_engine_available(const spk_engine_facts *engine, char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "%s", "");
    return !engine->on_gpu || spk_gpus_available(reason, reason_size);
}

/* ---- for programs ---------------------------------------------------------------------------- */

size_t spk_engine_count(spk_language language)
{
    return spk_engines_of(language).n;
}

const char *spk_engine_name(spk_language language, size_t k)
{
    spk_engine_list list = spk_engines_of(language);
    return k < list.n ? list.engine[k].name : NULL;
}

spk_status spk_engine_describe(spk_context *context, spk_language language, size_t k,
                               spk_engine_info *out)
{
    spk_engine_list list = spk_engines_of(language);
    *out = (spk_engine_info){.name = "", .summary = "", .needs = ""};
    if (k >= list.n)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "there is no engine %zu for %s; there are %zu, numbered from 0", k,
                        list.language, list.n);
    const spk_engine_facts *engine = &list.engine[k];
    *out = (spk_engine_info){.name = engine->name,
                             .summary = engine->summary,
                             .needs = engine->on_gpu ? "an NVIDIA GPU and its driver" : "",
                             .on_gpu = engine->on_gpu};
    out->available = spk_engine_available(engine, out->reason, sizeof out->reason);
    return SPK_OK;
}

/* ---- which engine a job gets ----------------------------------------------------------------- */

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
