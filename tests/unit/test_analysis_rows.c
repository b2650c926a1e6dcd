/*
 * Rows of a search without a test that are handed on as they are found: they are those that an
 * analysis holds, whatever the selection, on small random recordings in which something is planted.
 */
#include "support/planted.h"

static uint64_t seed;
static const spk_delay within = {{0, 0}, {6, -3}};

/* The options of a job, which point to each other. */
typedef struct job {
    spk_episode_options episodes;
    spk_window_options cut;
    spk_pattern_options patterns;
    spk_select_options select;
    spk_analysis_options options;
} job;

static void job_init(job *j, bool of_patterns)
{
    memset(j, 0, sizeof *j);
    spk_episode_options_init(&j->episodes, sizeof j->episodes);
    j->episodes.delays = &within, j->episodes.n_delays = 1;
    j->episodes.support = 12, j->episodes.max_size = 5;
    spk_window_options_init(&j->cut, sizeof j->cut);
    j->cut.bin = (spk_duration){1, -3}, j->cut.window = 10;
    spk_pattern_options_init(&j->patterns, sizeof j->patterns);
    j->patterns.support = 8, j->patterns.min_spikes = 2;
    spk_select_options_init(&j->select, sizeof j->select);
    spk_analysis_options_init(&j->options, sizeof j->options);
    j->options.select = &j->select;
    j->options.cut = &j->cut;
    j->options.episodes = of_patterns ? NULL : &j->episodes;
    j->options.patterns = of_patterns ? &j->patterns : NULL;
}

/* Rows as they are handed on. */
typedef struct handed {
    spk_episode_list *episodes;
    spk_pattern_list *patterns;
    uint64_t n_calls, n_levels, n_families, n_rows;
    bool cancels;
} handed;

static spk_status take_episodes(void *user, const spk_episode_columns *episodes)
{
    handed *h = user;
    h->n_calls++;
    return spk_episode_list_add(h->episodes, episodes);
}

static spk_status take_patterns(void *user, const spk_pattern_columns *patterns)
{
    handed *h = user;
    h->n_calls++;
    return spk_pattern_list_add(h->patterns, patterns);
}

static spk_status take_families(void *user, const spk_family_columns *families, uint64_t n_rows)
{
    handed *h = user;
    h->n_families = families->n, h->n_rows = n_rows;
    return h->n_calls == 0 ? SPK_OK : SPK_ERR_INTERNAL; /* before the rows */
}

static void take_level(void *user, const spk_episode_level *level)
{
    handed *h = user;
    assert_int_equal(level->size, ++h->n_levels);
    if (h->cancels && level->size == 2)
        spk_context_cancel(context);
}

static void hand_on(job *j, handed *h)
{
    *h = (handed){.n_calls = 0};
    check(spk_episode_list_create(context, &h->episodes));
    check(spk_pattern_list_create(context, j->cut.window, &h->patterns));
    j->options.episode_rows = j->options.episodes != NULL ? take_episodes : NULL;
    j->options.pattern_rows = j->options.patterns != NULL ? take_patterns : NULL;
    j->options.grouped = take_families;
    j->options.level = take_level;
    j->options.user = h;
}

static void free_handed(handed *h)
{
    spk_episode_list_free(h->episodes);
    spk_pattern_list_free(h->patterns);
}

/* The rows of a search for patterns are held in an order of their own. */
static void check_handed(const spk_analysis_columns *c, handed *h)
{
    spk_pattern_list *held = NULL;
    const spk_episode_columns episodes = spk_episode_list_columns(h->episodes);
    check(spk_pattern_list_create(context, spk_pattern_list_columns(h->patterns).window, &held));
    if (c->patterns.n > 0)
        check(spk_pattern_list_add(held, &c->patterns));
    check(spk_pattern_list_sort(held));
    check(spk_pattern_list_sort(h->patterns));
    const spk_pattern_columns p = spk_pattern_list_columns(held);
    const spk_pattern_columns q = spk_pattern_list_columns(h->patterns);
    assert_true(episodes.n == c->episodes.n && q.n == p.n && c->n > 0);
    if (episodes.n > 0) {
        assert_memory_equal(episodes.count, c->episodes.count, episodes.n * sizeof *episodes.count);
        assert_memory_equal(episodes.unit, c->episodes.unit,
                            episodes.offset[episodes.n] * sizeof *episodes.unit);
    }
    if (q.n > 0) {
        assert_memory_equal(q.count, p.count, q.n * sizeof *q.count);
        assert_memory_equal(q.item, p.item, q.offset[q.n] * sizeof *q.item);
    }
    spk_pattern_list_free(held);
}

/* Selection number k: none, a limit, and four for which all must be there. */
static bool select_rows(job *j, int k)
{
    j->select.min_size = k == 1 ? 3 : 0;
    j->select.maximal = k == 2 || k == 4;
    j->select.top = k == 3 || k == 5 ? 2 : 0;
    j->options.families = k >= 4;
    return k >= 2;
}

static void rows_are_those_that_are_held(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 0);
    spk_recording *recording = make_recording(&random);
    spk_analysis *held = NULL, *analysis = NULL;
    check(spk_analysis_create(context, &held));
    check(spk_analysis_create(context, &analysis));
    const spk_analysis_columns *all = spk_analysis_columns_of(held);
    const spk_analysis_columns *c = spk_analysis_columns_of(analysis);
    for (int k = 0; k < 12; k++) {
        job j;
        handed h;
        const bool of_patterns = k % 2 == 1;
        job_init(&j, of_patterns);
        const bool holds = select_rows(&j, k / 2);
        check(spk_analysis_run(held, recording, &j.options));
        hand_on(&j, &h);
        check(spk_analysis_run(analysis, recording, &j.options));
        check_handed(all, &h);
        assert_true(c->n == all->n && c->n_results == all->n_results);
        assert_true(c->episodes.n == 0 && c->patterns.n == 0); /* it has none itself */
        assert_true(holds ? h.n_calls == 1 : h.n_calls > (of_patterns ? 0 : 1));
        assert_true(holds && !of_patterns ? h.n_levels > 1 : h.n_levels == 0);
        assert_int_equal(h.n_families, j.options.families ? all->families->n : 0);
        assert_int_equal(h.n_rows, j.options.families ? all->n : 0);
        free_handed(&h);
    }
    spk_analysis_free(held);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

static void what_was_found_until_a_cancel_is_handed_on(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 1);
    job j;
    handed h;
    spk_analysis *analysis = NULL;
    spk_recording *recording = make_recording(&random);
    job_init(&j, false);
    j.select.top = 5;
    hand_on(&j, &h);
    h.cancels = true;
    check(spk_analysis_create(context, &analysis));
    assert_int_equal(spk_analysis_run(analysis, recording, &j.options), SPK_ERR_CANCELLED);
    const spk_analysis_columns *c = spk_analysis_columns_of(analysis);
    assert_int_equal(c->n, 5);
    assert_int_equal(spk_episode_list_columns(h.episodes).n, 5);
    assert_int_equal(c->episode_summary->n_levels, 2);
    free_handed(&h);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

int main(void)
{
    seed = test_seed("test_analysis_rows");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_that_are_held),
        cmocka_unit_test(what_was_found_until_a_cancel_is_handed_on),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
