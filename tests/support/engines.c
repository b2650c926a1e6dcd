/* The engines of the list that run here. */
#include "support/engines.h"

#include "episode/engine/policy.h"
#include "pattern/engine/policy.h"
#include "support/test.h"

enum { MOST_ENGINES = 64 };

/* Engine k of the list; NULL when it does not run here. Says so in any case. */
static const spk_engine_facts *look_at(const spk_engine_list *list, size_t k)
{
    char reason[160];
    const spk_engine_facts *engine = &list->engine[k];
    bool runs = spk_engine_available(engine, reason, sizeof reason);
    print_message("engine for %s: %s: %s\n", list->language, engine->name,
                  runs ? "tested" : reason);
    return runs ? engine : NULL;
}

const test_episode_engine *test_episode_engine_at(size_t k)
{
    static test_episode_engine here[MOST_ENGINES];
    static size_t n_here;
    static bool looked;
    spk_engine_list list = spk_engines_of(SPK_EPISODES);
    for (size_t e = 0; !looked && e < list.n && e < MOST_ENGINES; e++) {
        const spk_engine_facts *engine = look_at(&list, e);
        if (engine != NULL)
            here[n_here++] = (test_episode_engine){engine->name, engine->on_gpu,
                                                   spk_episode_engine_table(engine)};
    }
    looked = true;
    return k < n_here ? &here[k] : NULL;
}

const test_pattern_engine *test_pattern_engine_at(size_t k)
{
    static test_pattern_engine here[MOST_ENGINES];
    static size_t n_here;
    static bool looked;
    spk_engine_list list = spk_engines_of(SPK_PATTERNS);
    for (size_t e = 0; !looked && e < list.n && e < MOST_ENGINES; e++) {
        const spk_engine_facts *engine = look_at(&list, e);
        if (engine != NULL)
            here[n_here++] = (test_pattern_engine){engine->name, spk_pattern_engine_table(engine)};
    }
    looked = true;
    return k < n_here ? &here[k] : NULL;
}

const test_episode_engine *test_episode_engine_named(const char *name)
{
    const test_episode_engine *engine;
    for (size_t k = 0; (engine = test_episode_engine_at(k)) != NULL; k++)
        if (strcmp(engine->name, name) == 0)
            return engine;
    fail_msg("no engine '%s' runs here", name);
    return NULL;
}

spk_status test_pattern_mine(spk_context *context, const spk_pattern_engine *engine,
                             const spk_window_columns *windows, const spk_pattern_limits *limits,
                             spk_pattern_sink *sink, void *user)
{
    spk_pattern_job job = {.windows = windows,
                           .limits = *limits,
                           .threads = spk_context_threads(context),
                           .memory = spk_context_memory_limit(context)};
    return engine->mine(context, &job, sink, user);
}
