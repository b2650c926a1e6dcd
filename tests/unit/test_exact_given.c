/*
 * The exact test of given episodes: equal to counting by hand, the same for any order, repeats,
 * shards and threads, right about chance, and clear about what it refuses.
 */
#include <math.h>

#include "significance/exact/exact.h"
#include "spikemine/analysis.h"
#include "spikemine/report_tests.h"
#include "support/context.h"

enum { MOST_GIVEN = 24, MOST_SCALES = 2, UNITS = 5 };

static uint64_t seed;
static const spk_delay delays[] = {
    {{0, 0, 0}, {5, -3, 0}}, {{5, -3, 0}, {2, -2, 0}}, {{0, 0, 0}, {1, SPK_DURATION_INFINITE, 0}}};

/* ---- jobs ------------------------------------------------------------------------------------ */

typedef struct given_job {
    spk_recording *recording;
    spk_episode_list *list;
    spk_episode_columns given;
    spk_episode_options episodes;
    spk_duration jitter[MOST_SCALES];
    spk_exact_options test;
    spk_analysis_options options;
} given_job;

/* Unit UNITS - 1 never fires; some events are at the same time. With segments of one length, where
 * trials are dealt anew. */
static spk_recording *make_recording(test_random *random, uint64_t n_events, bool segments)
{
    int64_t time[1000];
    uint32_t unit[1000];
    static const int64_t start = 0, stop = 2000;
    static const spk_segment equal[] = {{0, 660}, {660, 1320}, {1321, 1980}};
    spk_recording *recording = NULL;
    spk_recording_source source;
    assert_true(n_events <= 1000);
    for (uint64_t e = 0; e < n_events; e++) {
        time[e] = test_random_between(random, 0, 1979);
        unit[e] = (uint32_t)test_random_below(random, UNITS - 1);
    }
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n_events, source.time = time, source.unit = unit, source.n_units = UNITS;
    source.rate = (spk_rate){1000, 1};
    source.start = &start, source.stop = &stop;
    source.segments = segments ? equal : NULL;
    source.n_segments = segments ? 3 : 0;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

/* Chains, some of them twice, single units, and units that never fire. */
static void add_given(test_random *random, spk_episode_list *list)
{
    const uint64_t n = 1 + test_random_below(random, MOST_GIVEN - 1);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t size = 1 + (uint32_t)test_random_below(random, 4);
        uint32_t unit[4];
        spk_delay step[3];
        for (uint32_t k = 0; k < size; k++)
            unit[k] = (uint32_t)test_random_below(random, UNITS);
        for (uint32_t k = 0; k + 1 < size; k++)
            step[k] = delays[test_random_below(random, 3)];
        check(spk_episode_list_append(context, list, size, unit, step));
    }
    const uint32_t pair[2] = {0, 1};
    check(spk_episode_list_append(context, list, 2, pair, delays));
}

static void point_to_own(given_job *job)
{
    job->given = spk_episode_list_columns(job->list);
    job->test.episodes = &job->episodes;
    job->test.jitter = job->jitter;
    job->test.given = &job->given;
    job->options.exact = &job->test;
}

static void init_job(given_job *job)
{
    memset(job, 0, sizeof *job);
    spk_episode_options_init(&job->episodes, sizeof job->episodes);
    spk_exact_options_init(&job->test, sizeof job->test);
    spk_analysis_options_init(&job->options, sizeof job->options);
    job->jitter[0] = (spk_duration){2, -2, 0}, job->jitter[1] = (spk_duration){1, -1, 0};
    job->test.n_jitter = 1;
    check(spk_episode_list_create(context, &job->list));
}

static void draw_job(test_random *random, given_job *job)
{
    const spk_exact_null *null =
        spk_exact_null_get(test_random_below(random, spk_exact_null_count()));
    const bool trials = strcmp(null->name, "trials") == 0;
    init_job(job);
    job->recording = make_recording(random, 40 + test_random_below(random, 400),
                                    trials || test_random_chance(random, 0.5));
    add_given(random, job->list);
    job->test.null = null->name;
    job->test.n_jitter = 1 + test_random_below(random, MOST_SCALES);
    job->test.seed = test_random_below(random, 1000);
    job->test.n_surrogates = 1 + test_random_below(random, 30);
    point_to_own(job);
}

static void free_job(given_job *job)
{
    spk_episode_list_free(job->list);
    spk_recording_free(job->recording);
}

static spk_analysis *run(const given_job *job)
{
    spk_analysis *analysis = NULL;
    check(spk_analysis_create(context, &analysis));
    check(spk_analysis_run(analysis, job->recording, &job->options));
    return analysis;
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* The list, counted by the reference. */
static spk_episode_list *count(const spk_recording *recording, const spk_episode_columns *given)
{
    spk_episode_list *list = NULL;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.engine = "reference";
    check(spk_episode_list_create(context, &list));
    check(spk_episode_list_add(list, given));
    check(spk_episode_count(context, recording, &options, list, NULL));
    return list;
}

/* The scores of the list in a recording, 0 for single units; returns the largest. */
static uint32_t score(const given_job *job, const spk_exact_scale *scale,
                      const spk_recording *recording, uint32_t *out)
{
    double mean[MOST_GIVEN + 1], spread[MOST_GIVEN + 1];
    spk_episode_list *list = count(recording, &job->given);
    const spk_episode_columns c = spk_episode_list_columns(list);
    uint32_t largest = 0;
    spk_null_episode_means(scale->null, &c, mean, spread);
    for (uint64_t i = 0; i < c.n; i++) {
        const uint64_t size = c.offset[i + 1] - c.offset[i];
        bool seen[UNITS] = {false};
        uint64_t different = 0;
        for (uint64_t k = c.offset[i]; k < c.offset[i + 1]; k++) {
            different += !seen[c.unit[k]];
            seen[c.unit[k]] = true;
        }
        out[i] =
            size < 2
                ? 0
                : spk_exact_classes_score(&scale->classes, spk_exact_class(size, different),
                                          spk_exact_spread_score(mean[i], spread[i], c.count[i]));
        largest = out[i] > largest ? out[i] : largest;
    }
    spk_episode_list_free(list);
    return largest;
}

/* The smallest p over the windows, by rank. */
static void judge(const given_job *job, const spk_exact_scales *scales, double *p)
{
    uint32_t own[MOST_GIVEN + 1], unused[MOST_GIVEN + 1];
    for (uint64_t i = 0; i < job->given.n; i++)
        p[i] = 1;
    for (size_t s = 0; s < scales->n; s++) {
        uint64_t above[MOST_GIVEN + 1] = {0};
        (void)score(job, &scales->scale[s], job->recording, own);
        for (uint64_t k = 1; k <= job->test.n_surrogates; k++) {
            spk_recording *surrogate = NULL;
            check(spk_surrogates_make(context, scales->scale[s].surrogates, k, &surrogate));
            const uint32_t largest = score(job, &scales->scale[s], surrogate, unused);
            for (uint64_t i = 0; i < job->given.n; i++)
                above[i] += largest >= own[i];
            spk_recording_free(surrogate);
        }
        for (uint64_t i = 0; i < job->given.n; i++) {
            const double here = (double)(1 + above[i]) / (double)(job->test.n_surrogates + 1);
            p[i] = fmin(p[i], here * (double)scales->n);
        }
    }
}

/* The list of the test: each episode once, in the order of the given ones. */
static spk_episode_list *different(const spk_recording *recording, const spk_episode_columns *given)
{
    spk_episode_list *list = NULL;
    check(spk_episode_list_create(context, &list));
    for (uint64_t i = 0; i < given->n; i++) {
        bool seen = false;
        char text[200], other[200];
        for (uint64_t j = 0; j < i && !seen; j++) {
            (void)spk_episode_format(recording, given, i, text, sizeof text);
            (void)spk_episode_format(recording, given, j, other, sizeof other);
            seen = strcmp(text, other) == 0;
        }
        spk_episode_columns one = *given;
        one.n = 1, one.offset += i, one.count += i;
        if (!seen)
            check(spk_episode_list_add(list, &one));
    }
    return list;
}

/* Rows, their counts, p and the count of the opposite. */
static void check_rows(const given_job *job, const spk_analysis *analysis, const double *p)
{
    const spk_analysis_columns *found = spk_analysis_columns_of(analysis);
    const spk_exact_report *r = found->exact;
    spk_episode_list *counted = count(job->recording, &job->given);
    const spk_episode_columns c = spk_episode_list_columns(counted);
    assert_int_equal(found->n, job->given.n);
    for (uint64_t i = 0; i < c.n; i++) {
        char text[200], row[200];
        const uint64_t size = c.offset[i + 1] - c.offset[i];
        (void)spk_episode_format(job->recording, &c, i, text, sizeof text);
        (void)spk_episode_format(job->recording, &found->episodes, i, row, sizeof row);
        assert_string_equal(row, text);
        assert_int_equal(found->episodes.count[i], c.count[i]);
        assert_true(r->verdict[i].p == (size < 2 ? 1 : p[i]));
        assert_int_equal(r->verdict[i].tested, size > 1);
        assert_int_equal(r->lags.first[i + 1] - r->lags.first[i], c.count[i] > 0 ? size - 1 : 0);
        if (size != 2 || c.unit[c.offset[i]] == c.unit[c.offset[i] + 1])
            continue;
        const uint32_t back[2] = {c.unit[c.offset[i] + 1], c.unit[c.offset[i]]};
        spk_episode_list *opposite = NULL;
        check(spk_episode_list_create(context, &opposite));
        check(spk_episode_list_append(context, opposite, 2, back,
                                      &c.delays[c.delay[c.offset[i] + 1]]));
        check(spk_episode_count(context, job->recording, NULL, opposite, NULL));
        assert_int_equal(r->back[i], spk_episode_list_columns(opposite).count[0]);
        const spk_exact_direction d = {r->direction_p[i], r->back_p[i], r->back[i]};
        assert_int_equal(r->asymmetry[i], spk_exact_asymmetry(&d, job->options.alpha));
        assert_true(c.count[i] > 0 || d.p == 1);
        spk_episode_list_free(opposite);
    }
    spk_episode_list_free(counted);
}

static void equals_counting_by_hand(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < test_scaled(60); n++) {
        test_random random = test_random_make(seed, n);
        given_job job;
        double p[MOST_GIVEN + 1];
        spk_exact_job own;
        spk_exact_scales *scales = NULL;
        draw_job(&random, &job);
        spk_context_set_threads(context, 1 + (int)(n % 3));
        spk_analysis *analysis = run(&job);
        spk_episode_list *once = different(job.recording, &job.given);
        const spk_episode_columns tested = spk_episode_list_columns(once);
        spk_exact_options options = job.test;
        options.given = &tested;
        check(spk_exact_job_take(context, job.recording, &options, &own));
        check(spk_exact_scales_open(context, job.recording, &own, &scales));
        judge(&job, scales, p);
        check_rows(&job, analysis, p);
        spk_exact_scales_free(scales);
        free(own.text);
        spk_episode_list_free(once);
        spk_analysis_free(analysis);
        free_job(&job);
    }
}

/* ---- repeats, shards, threads ---------------------------------------------------------------- */

static void same_verdict(const spk_exact_verdict *a, const spk_exact_verdict *b)
{
    assert_int_equal(a->scale, b->scale);
    assert_int_equal(a->tested, b->tested);
    assert_int_equal(a->score, b->score);
    assert_true(a->expected == b->expected && a->p == b->p);
    assert_true(a->e_value == b->e_value && a->fdr == b->fdr);
}

static void repeats_change_no_p(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < test_scaled(20); n++) {
        test_random random = test_random_make(seed + 1, n);
        given_job job;
        draw_job(&random, &job);
        spk_analysis *once = run(&job);
        const uint64_t n_once = job.given.n;
        spk_episode_list *copy = count(job.recording, &job.given);
        const spk_episode_columns columns = spk_episode_list_columns(copy);
        check(spk_episode_list_add(job.list, &columns));
        point_to_own(&job);
        spk_analysis *twice = run(&job);
        const spk_exact_report *a = spk_analysis_columns_of(once)->exact;
        const spk_exact_report *b = spk_analysis_columns_of(twice)->exact;
        assert_int_equal(b->n_rows, 2 * n_once);
        for (uint64_t i = 0; i < n_once; i++) {
            same_verdict(&a->verdict[i], &b->verdict[i]);
            same_verdict(&a->verdict[i], &b->verdict[n_once + i]);
        }
        spk_episode_list_free(copy);
        spk_analysis_free(once);
        spk_analysis_free(twice);
        free_job(&job);
    }
}

static void shards_are_joined_and_belong_to_their_list(void **state)
{
    (void)state;
    test_random random = test_random_make(seed + 2, 0);
    given_job job;
    spk_maxima *part[2] = {NULL}, *whole = NULL;
    draw_job(&random, &job);
    spk_analysis *alone = run(&job);
    job.test.n_shards = 2;
    for (uint32_t s = 0; s < 2; s++) {
        job.test.shard = s + 1;
        spk_context_set_threads(context, 1 + (int)s);
        check(spk_analysis_make_maxima(context, job.recording, &job.options, &part[s]));
    }
    check(spk_maxima_merge(context, 2, (const spk_maxima *const *)part, &whole));
    job.test.shard = job.test.n_shards = 1;
    job.options.maxima = whole;
    spk_analysis *joined = run(&job);
    for (uint64_t i = 0; i < job.given.n; i++)
        same_verdict(&spk_analysis_columns_of(alone)->exact->verdict[i],
                     &spk_analysis_columns_of(joined)->exact->verdict[i]);
    const uint32_t other[2] = {3, 3};
    check(spk_episode_list_append(context, job.list, 2, other, &delays[1]));
    check(spk_episode_list_append(context, job.list, 2, other, &delays[0]));
    check(spk_episode_list_append(context, job.list, 2, other, &delays[2]));
    point_to_own(&job);
    check_fails(spk_analysis_run(joined, job.recording, &job.options), SPK_ERR_ARGUMENT, "given");
    spk_analysis_free(alone);
    spk_analysis_free(joined);
    for (uint32_t s = 0; s < 2; s++)
        spk_maxima_free(part[s]);
    spk_maxima_free(whole);
    free_job(&job);
}

/* ---- chance ---------------------------------------------------------------------------------- */

/* Largest number of successes of n with chance p that is not a surprise of 1 in 10,000. */
static uint64_t most_alarms(uint64_t n, double p)
{
    double term = pow(1 - p, (double)n), sum = term;
    uint64_t k = 0;
    while (1 - sum > 1e-4) {
        term *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
        sum += term;
        k++;
    }
    return k;
}

/* In copies whose units were shifted apart, nothing leads anything. The list has an episode twice,
 * its opposite, a repeat, and a unit that never fires. */
static void shifted_copies_alarm_as_promised(void **state)
{
    (void)state;
    const uint64_t n = test_scaled(400);
    test_random random = test_random_make(seed + 3, 0);
    spk_recording *source = make_recording(&random, 600, true);
    spk_surrogates *surrogates = NULL;
    spk_surrogate_options draws;
    uint64_t n_alarms = 0;
    spk_surrogate_options_init(&draws, sizeof draws);
    draws.method = "shift-apart", draws.dither = (spk_duration){2, -2, 0}, draws.seed = seed;
    check(spk_surrogates_create(context, source, &draws, &surrogates));
    for (uint64_t k = 0; k < n; k++) {
        static const uint32_t pair[][2] = {{0, 1}, {1, 0}, {0, 1}, {2, 2}, {3, UNITS - 1}};
        given_job job;
        init_job(&job);
        for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++)
            check(spk_episode_list_append(context, job.list, 2, pair[i], &delays[0]));
        job.test.null = "shift-apart";
        job.test.n_surrogates = 19, job.test.seed = k;
        check(spk_surrogates_make(context, surrogates, k + 1, &job.recording));
        point_to_own(&job);
        spk_analysis *analysis = run(&job);
        n_alarms += spk_analysis_columns_of(analysis)->exact->n_significant > 0;
        spk_analysis_free(analysis);
        free_job(&job);
    }
    print_message("%u of %u copies alarm\n", (unsigned)n_alarms, (unsigned)n);
    assert_true(n_alarms <= most_alarms(n, 0.05));
    spk_surrogates_free(surrogates);
    spk_recording_free(source);
}

/* 0 leads 1 by 3 ms in 60 cases, and 2 and 3 fire within 3 ms of each other either way. */
static void a_lead_is_found_with_its_side(void **state)
{
    (void)state;
    int64_t time[240];
    uint32_t unit[240];
    spk_recording_source source;
    test_random random = test_random_make(seed + 4, 0);
    for (uint32_t k = 0; k < 60; k++) {
        const int64_t at = 30 * (int64_t)k + test_random_between(&random, 0, 10);
        const bool turned = k % 2 == 0;
        for (uint32_t j = 0; j < 4; j++)
            unit[4 * k + j] = j;
        time[4 * k] = at, time[4 * k + 1] = at + 3;
        time[4 * k + 2] = at + (turned ? 9 : 6), time[4 * k + 3] = at + (turned ? 6 : 9);
    }
    given_job job;
    init_job(&job);
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 240, source.time = time, source.unit = unit, source.n_units = 4;
    source.rate = (spk_rate){1000, 1};
    check(spk_recording_create(context, &source, &job.recording));
    static const uint32_t pair[][2] = {{1, 0}, {0, 1}, {2, 3}, {3, 2}, {0, 0}};
    for (size_t i = 0; i < 5; i++)
        check(spk_episode_list_append(context, job.list, 2, pair[i], &delays[0]));
    job.test.null = "interval-jitter";
    point_to_own(&job);
    job.jitter[0] = job.jitter[1];
    spk_analysis *analysis = run(&job);
    const spk_exact_report *r = spk_analysis_columns_of(analysis)->exact;
    assert_int_equal(r->asymmetry[0], SPK_ASYMMETRY_BACKWARD);
    assert_int_equal(r->asymmetry[1], SPK_ASYMMETRY_FORWARD);
    assert_int_equal(r->asymmetry[2], SPK_ASYMMETRY_NEITHER);
    assert_int_equal(r->asymmetry[4], SPK_ASYMMETRY_UNKNOWN);
    assert_true(r->verdict[1].p <= 0.05 && r->verdict[0].p > 0.05);
    assert_int_equal(r->back[0], 60);
    assert_true(fabs(r->lags.value[r->lags.first[1]] - 0.003) < 1e-9);
    assert_string_equal(spk_asymmetry_text(r->asymmetry[0]), "backward");
    spk_analysis_free(analysis);
    free_job(&job);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(given_job *job, const char *text)
{
    spk_analysis *analysis = NULL;
    check(spk_analysis_create(context, &analysis));
    check_fails(spk_analysis_run(analysis, job->recording, &job->options), SPK_ERR_ARGUMENT, text);
    spk_analysis_free(analysis);
}

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    test_random random = test_random_make(seed + 5, 0);
    given_job job;
    init_job(&job);
    job.recording = make_recording(&random, 100, false);
    point_to_own(&job);
    refused(&job, "no given episode");
    const uint32_t single = 0, absent[2] = {0, 77};
    check(spk_episode_list_append(context, job.list, 1, &single, NULL));
    point_to_own(&job);
    refused(&job, "one unit each");
    check(spk_episode_list_append(context, job.list, 2, absent, delays));
    point_to_own(&job);
    refused(&job, "not unit 77");
    job.options.families = true;
    refused(&job, "rows as they stand");
    job.options.families = false, job.options.peel = true;
    refused(&job, "rows as they stand");
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_window_options_init(&windows, sizeof windows);
    spk_pattern_options_init(&patterns, sizeof patterns);
    windows.bin = (spk_duration){5, -3, 0}, windows.window = 2;
    job.test.episodes = NULL, job.test.windows = &windows, job.test.patterns = &patterns;
    spk_maxima *maxima = NULL;
    check_fails(spk_exact_run(context, job.recording, &job.test, &maxima), SPK_ERR_ARGUMENT,
                "no test of patterns");
    free_job(&job);
}

int main(void)
{
    seed = test_seed("exact_given");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_counting_by_hand),
        cmocka_unit_test(repeats_change_no_p),
        cmocka_unit_test(shards_are_joined_and_belong_to_their_list),
        cmocka_unit_test(shifted_copies_alarm_as_promised),
        cmocka_unit_test(a_lead_is_found_with_its_side),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
