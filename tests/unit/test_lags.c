/*
 * The lags of rows: medians over the occurrences that the library lists, those of peeling in what
 * was left of the recording.
 */
#include "support/context.h"

enum { N_UNITS = 6, N_NOISE = 350, N_CHAINS = 40, N_EVENTS = N_NOISE + 3 * N_CHAINS, STOP = 3000 };
enum { MOST_LAGS = 4096 };

static const spk_delay within = {{0, 0}, {6, -3}};
static const spk_duration jitter = {25, -3};

/* What the rows should have, in their order. */
typedef struct wanted {
    double lag[MOST_LAGS];
    uint64_t n;
} wanted;

/* Noise, and 0 -> 1 -> 2 with 2 to 4 ms between. */
static spk_recording *make_recording(test_random *random)
{
    static int64_t time[N_EVENTS];
    static uint32_t unit[N_EVENTS];
    static const int64_t start = 0, stop = STOP;
    spk_recording *recording = NULL;
    for (int k = 0; k < N_NOISE; k++) {
        time[k] = test_random_between(random, 0, STOP - 1);
        unit[k] = (uint32_t)test_random_below(random, N_UNITS);
    }
    for (int k = N_NOISE; k < N_EVENTS; k++) {
        unit[k] = (uint32_t)(k - N_NOISE) % 3;
        time[k] = unit[k] == 0 ? test_random_between(random, 0, STOP - 20)
                               : time[k - 1] + test_random_between(random, 2, 4);
    }
    check(test_recording_create(context, N_EVENTS, time, unit, N_UNITS, NULL, (spk_rate){1000, 1},
                                &start, &stop, &recording));
    return recording;
}

/* The k-th smallest of the lags of a step, from 0. */
static int64_t ranked(const spk_occurrence_columns *o, uint32_t p, uint64_t k)
{
    for (int64_t lag = 0;; lag++) {
        uint64_t n = 0;
        for (uint64_t i = 0; i < o->n; i++)
            n += o->time[i * o->size + p] - o->time[i * o->size + p - 1] <= lag;
        if (n > k)
            return lag;
    }
}

static void want(wanted *w, const spk_recording *recording, const spk_episode_columns *e,
                 uint64_t i)
{
    const uint64_t first = e->offset[i];
    const uint32_t size = (uint32_t)(e->offset[i + 1] - first);
    const spk_delay delays[] = {within, within, within, within};
    spk_occurrence_list *list = NULL;
    check(spk_occurrence_list_create(context, &list));
    check(spk_episode_occurrences_in_segments(context, recording, size, e->unit + first, delays,
                                              spk_occurrence_list_add, list));
    const spk_occurrence_columns o = spk_occurrence_list_columns(list);
    assert_int_equal(o.n, e->count[i]);
    for (uint32_t p = 1; p < size; p++)
        w->lag[w->n++] = (double)(ranked(&o, p, (o.n - 1) / 2) + ranked(&o, p, o.n / 2)) / 2 / 1000;
    spk_occurrence_list_free(list);
}

/* A spk_peel_sink. */
static spk_status take_round(void *user, const spk_peel_round *round)
{
    if (round->episode != NULL)
        want(user, round->recording, round->episode, 0);
    return SPK_OK;
}

static void assert_lags(const wanted *w, const spk_exact_report *r)
{
    assert_int_equal(r->lags.first[0], 0);
    assert_int_equal(r->lags.first[r->n_rows], w->n);
    for (uint64_t k = 0; k < w->n; k++)
        assert_true(r->lags.value[k] > w->lag[k] - 1e-12 && r->lags.value[k] < w->lag[k] + 1e-12);
}

static void run(const spk_recording *recording, bool peel, spk_rows_listed report, wanted *w,
                spk_analysis **analysis)
{
    spk_episode_options search;
    spk_exact_options test;
    spk_analysis_options options;
    spk_episode_options_init(&search, sizeof search);
    search.delays = &within, search.n_delays = 1, search.support = 12, search.max_size = 4;
    spk_exact_options_init(&test, sizeof test);
    test.episodes = &search, test.jitter = &jitter, test.n_jitter = 1, test.n_surrogates = 39;
    spk_analysis_options_init(&options, sizeof options);
    options.exact = &test, options.report = report, options.peel = peel;
    options.round = peel ? take_round : NULL, options.user = w;
    check(spk_analysis_create(context, analysis));
    check(spk_analysis_run(*analysis, recording, &options));
}

static void lags_are_medians(void **state)
{
    (void)state;
    test_random random = test_random_make(test_seed("test_lags"), 0);
    for (int report = SPK_REPORT_SIGNIFICANT; report <= SPK_REPORT_ALL; report++) {
        static wanted w;
        spk_analysis *analysis = NULL;
        spk_recording *recording = make_recording(&random);
        run(recording, false, (spk_rows_listed)report, NULL, &analysis);
        const spk_analysis_columns *c = spk_analysis_columns_of(analysis);
        assert_true(c->n > 0);
        w.n = 0;
        for (uint64_t k = 0; k < c->n; k++)
            if (c->episodes.count[k] > 0) /* significant or not */
                want(&w, recording, &c->episodes, k);
        assert_true(w.n > 0);
        assert_lags(&w, c->exact);
        spk_analysis_free(analysis);
        spk_recording_free(recording);
    }
}

static void lags_of_peeling_are_of_the_round(void **state)
{
    (void)state;
    static wanted w;
    test_random random = test_random_make(test_seed("test_lags"), 1);
    spk_analysis *analysis = NULL;
    spk_recording *recording = make_recording(&random);
    run(recording, true, SPK_REPORT_CORE, &w, &analysis);
    assert_true(w.n > 0);
    assert_lags(&w, spk_analysis_columns_of(analysis)->exact);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lags_are_medians),
        cmocka_unit_test(lags_of_peeling_are_of_the_round),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
