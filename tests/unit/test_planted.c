/* From end to end: mining finds in full what the generators planted, and not in shuffled copies. */
#include "support/simulated.h"
#include "support/test.h"

typedef struct search {
    const spk_truth_chain *chain;
    uint64_t count;   /* of the whole chain, 0: not found */
    uint32_t longest; /* size of the longest frequent episode */
} search;

static spk_status look(void *user, const spk_episode_columns *episodes)
{
    search *s = user;
    const spk_episode_level *level = episodes->level;
    if (level->frequent > 0)
        s->longest = level->size;
    for (uint64_t i = 0; i < episodes->n && level->size == s->chain->size; i++)
        if (memcmp(episodes->unit + episodes->offset[i], s->chain->unit,
                   level->size * sizeof *s->chain->unit) == 0)
            s->count = episodes->count[i];
    return SPK_OK;
}

static uint64_t count_chain(spk_context *context, const spk_recording *recording,
                            const spk_truth_chain *chain, spk_delay delay)
{
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    for (uint32_t p = 0; p < chain->size; p++)
        delays[p] = delay;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    spk_episode_list *list = NULL;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(spk_episode_list_append(context, list, chain->size, chain->unit, delays),
                     SPK_OK);
    assert_int_equal(spk_episode_count(context, recording, &options, list, NULL), SPK_OK);
    uint64_t count = spk_episode_list_columns(list).count[0];
    spk_episode_list_free(list);
    return count;
}

/* The planted occurrences that do not overlap are a lower bound of the count, so mining with their
 * number as the support must find the chain. */
static void check_chain(spk_context *context, const spk_recording *recording,
                        const spk_recording *shuffled, const spk_truth_chain *chain,
                        spk_delay delay)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.support = test_count_planted(chain);
    assert_true(options.support >= 20);
    search real = {.chain = chain};
    assert_int_equal(spk_episode_mine(context, recording, &options, look, &real, NULL), SPK_OK);
    assert_true(real.count >= options.support);
    assert_int_equal(real.count, count_chain(context, recording, chain, delay));
    search chance = {.chain = chain};
    assert_int_equal(spk_episode_mine(context, shuffled, &options, look, &chance, NULL), SPK_OK);
    assert_int_equal(chance.count, 0);
    assert_true(chance.longest < chain->size);
    assert_true(count_chain(context, shuffled, chain, delay) < options.support / 10);
}

static void check_all(spk_recording *recording, spk_truth *truth, spk_delay delay)
{
    spk_context *context = NULL;
    spk_recording *shuffled = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(spk_recording_shuffle(context, recording, 5, &shuffled), SPK_OK);
    assert_true(spk_truth_n_chains(truth) > 0);
    for (uint32_t k = 0; k < spk_truth_n_chains(truth); k++) {
        spk_truth_chain chain = spk_truth_get_chain(truth, k);
        check_chain(context, recording, shuffled, &chain, delay);
    }
    spk_recording_free(shuffled);
    spk_recording_free(recording);
    spk_truth_free(truth);
    spk_context_free(context);
}

static void sym26_chains_are_mined(void **state)
{
    (void)state;
    spk_sym26_options options;
    spk_sym26_options_init(&options, sizeof options);
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_sym26(NULL, &options, &recording, &truth), SPK_OK);
    check_all(recording, truth, (spk_delay){{5, -3}, {1, -2}});
}

/* 5 ms +- 1 ms, the bounds included: from one tick below. */
static void network_chains_are_mined(void **state)
{
    (void)state;
    spk_network_options options;
    spk_network_options_init(&options, sizeof options);
    options.rate_spread = 0.5;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_network(NULL, &options, &recording, &truth), SPK_OK);
    check_all(recording, truth, (spk_delay){{399, -5}, {6, -3}});
}

static void the_culture_s_order_is_mined(void **state)
{
    (void)state;
    spk_culture_options options;
    spk_culture_options_init(&options, sizeof options);
    options.n_events = 50000;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_culture(NULL, &options, &recording, &truth), SPK_OK);
    check_all(recording, truth, (spk_delay){{1, -3}, {2, -3}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sym26_chains_are_mined),
        cmocka_unit_test(network_chains_are_mined),
        cmocka_unit_test(the_culture_s_order_is_mined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
