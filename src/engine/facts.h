/* Engines as the list has them (engine/list.h): the same facts for every language. */
#pragma once

#include "base/build_config.h"
#include "base/context.h"
#include "spikemine/engine.h"

/* A line of the list. */
typedef struct spk_engine_facts {
    const char *name;
    const char *summary;
    bool on_gpu;
} spk_engine_facts;

/* The engines of one language. */
typedef struct spk_engine_list {
    const char *language; /* what they look for, for messages: "episodes" */
    const spk_engine_facts *engine;
    size_t n;
} spk_engine_list;

/* The list of a language; an empty one for an unknown language. */
spk_engine_list spk_engines_of(spk_language language);

/* The engine of that name; NULL when there is none. */
const spk_engine_facts *spk_engine_named(const spk_engine_list *list, const char *name);

/* The one that is taken where nothing asks for another: the first of its kind in the list. NULL
 * when there is none. */
const spk_engine_facts *spk_engine_usual(spk_language language, bool on_gpu);

/* The names of the engines, separated by commas; with `only_gpu` of those for GPUs alone. What does
 * not fit is left out. */
void spk_engine_names(const spk_engine_list *list, bool only_gpu, char *buffer, size_t size);

/* False, with the reason written, when the engine cannot run on this machine: an engine for GPUs
 * where no GPU can be used. */
bool spk_engine_available(const spk_engine_facts *engine, char *reason, size_t reason_size);

/* For registries: the address of an engine's table, NULL where engines of its kind are not built.
 */
#define SPK_ENGINE_TABLE_CPU(table) &(table)
#if SPIKEMINE_HAVE_CUDA
#define SPK_ENGINE_TABLE_GPU(table) &(table)
#else
#define SPK_ENGINE_TABLE_GPU(table) NULL
#endif

/* ---- which engine a job gets ----------------------------------------------------------------- */

/*
 * Which engine a job gets, and on how many GPUs: the rules that hold for every language. What
 * "auto" takes is the language's own policy (episode/engine/policy.c, pattern/engine/policy.c).
 */

/* The GPUs of a machine, as far as a choice depends on them. */
typedef struct spk_gpus_found {
    int n;            /* that can be used */
    char reason[160]; /* why there are none; "" where there are */
} spk_gpus_found;

/* Looks for them. A choice looks only when it needs to: the first look at the driver takes time. */
typedef void spk_gpus_look(spk_gpus_found *out);
void spk_gpus_look_here(spk_gpus_found *out);

/* What a caller asks for. */
typedef struct spk_engine_request {
    const char *engine; /* a name; NULL and "auto": the policy's */
    int gpus;           /* as in the options: 0, a number, or SPK_GPUS_ALL */
    spk_gpus_look *look;
    int n_ranks; /* processes that share the job; 0 and 1: this one alone */
} spk_engine_request;

typedef struct spk_engine_choice {
    const spk_engine_facts *engine;
    int gpus;           /* on how many; 0 for an engine on processors */
    const char *reason; /* why auto took it, static text; "" when the caller named it */
} spk_engine_choice;

/* True when the request leaves the engine to the policy. */
bool spk_engine_is_auto(const spk_engine_request *request);

/* Takes the engine `name`, which the caller or the policy named, if the request's GPUs go with it.
 * Errors as include/spikemine/engine.h has them. */
spk_status spk_engine_take(spk_context *context, spk_language language,
                           const spk_engine_request *request, const char *name, const char *reason,
                           spk_engine_choice *out);
