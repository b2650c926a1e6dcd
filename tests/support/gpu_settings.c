/* Mines in every setting of the GPU engines. */
#include "support/gpu_settings.h"

#include "support/engines.h"
#include "support/test.h"

static uint64_t mix(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

static spk_status digest_level(void *user, const spk_episode_columns *episodes)
{
    test_mined *m = user;
    const spk_episode_level *level = episodes->level;
    m->n += episodes->n;
    m->digest = mix(m->digest, level->size);
    m->digest = mix(m->digest, level->frequent);
    m->digest = mix(m->digest, level->size > 1 ? level->candidates : 0);
    for (uint64_t k = 0; k < episodes->n; k++) {
        m->digest = mix(m->digest, episodes->count[k]);
        for (uint64_t p = episodes->offset[k]; p < episodes->offset[k + 1]; p++)
            m->digest = mix(m->digest, (uint64_t)episodes->unit[p] << 16 | episodes->delay[p]);
    }
    return SPK_OK;
}

test_mined test_mine(spk_context *context, const spk_recording *recording,
                     const spk_episode_options *options, uint64_t memory)
{
    test_mined m = {.n = 0};
    spk_context_set_memory_limit(context, memory);
    spk_status status = spk_episode_mine(context, recording, options, digest_level, &m, NULL);
    spk_context_set_memory_limit(context, 0);
    if (status != SPK_OK)
        print_message("%s: %s\n", options->engine, spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    return m;
}

static int n_settings(const test_episode_engine *engine)
{
    static const char tracking[] = "cuda-tracking"; /* with three compactions */
    if (!engine->on_gpu)
        return 0;
    return strcmp(engine->name, tracking) == 0 ? 2 * 3 : 2;
}

bool test_gpu_setting_next(test_gpu_setting *setting)
{
    setting->number = setting->name == NULL ? 0 : setting->number + 1;
    setting->engine = setting->name == NULL ? 0 : setting->engine;
    const test_episode_engine *engine;
    while ((engine = test_episode_engine_at(setting->engine)) != NULL &&
           setting->number >= n_settings(engine)) {
        setting->engine++;
        setting->number = 0;
    }
    if (engine == NULL)
        return false;
    setting->name = engine->name;
    setting->two_pass = setting->number % 2 == 0 ? SPK_TWO_PASS_OFF : SPK_TWO_PASS_ON;
    setting->compaction = (spk_compaction)(setting->number / 2);
    return true;
}

void test_gpu_check(spk_context *context, const spk_recording *recording,
                    const spk_episode_options *options, const test_gpu_setting *setting,
                    const test_mined *expected, const char *what)
{
    spk_episode_options set = *options;
    set.engine = setting->name;
    set.two_pass = setting->two_pass;
    set.compaction = setting->compaction;
    set.gpus = setting->gpus;
    test_mined got = test_mine(context, recording, &set, setting->memory);
    if (got.digest == expected->digest && got.n == expected->n)
        return;
    print_message("%s: %s, %d GPUs, two passes %d, compaction %d, memory %llu, support %llu: "
                  "%llu episodes, expected %llu\n",
                  what, set.engine, set.gpus, set.two_pass, set.compaction,
                  (unsigned long long)setting->memory, (unsigned long long)set.support,
                  (unsigned long long)got.n, (unsigned long long)expected->n);
    fail();
}
