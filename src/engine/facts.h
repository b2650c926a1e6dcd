/* Engines as the list has them (engine/list.h): the same facts for every language. */
#ifndef SPK_ENGINE_FACTS_H
#define SPK_ENGINE_FACTS_H

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

#endif
