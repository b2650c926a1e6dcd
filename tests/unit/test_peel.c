/*
 * Peeling: equal to a loop of tests that removes events by definition, the same for any threads;
 * what is planted is listed once each, and chance is hardly ever listed.
 */
#include "support/context.h"

enum { MOST_EVENTS = 4000, MOST_ROUNDS = 30, MOST_SIZE = 12, MOST_SCALES = 2 };
enum { BIN = 5, WINDOW = 6 }; /* ticks of a bin, bins of a window */

static uint64_t seed;
static const int64_t start = 0, stop = 4000;
static const spk_segment segments[] = {{0, 1400}, {1400, 3003}, {3100, 4000}};

/* ---- recordings ------------------------------------------------------------------------------ */

/* Events of a recording in the making; ticks are milliseconds. */
typedef struct events {
    uint64_t n;
    uint32_t n_units;
    bool in_segments;
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
} events;

static void add_event(events *e, int64_t time, uint32_t unit)
{
    assert_true(e->n < MOST_EVENTS);
    e->time[e->n] = time;
    e->unit[e->n++] = unit;
}

static void add_noise(events *e, test_random *random, int n)
{
    for (int k = 0; k < n; k++)
        add_event(e, test_random_between(random, start, stop - 1),
                  (uint32_t)test_random_below(random, e->n_units));
}

/* n times these units, one behind the other by `lag` ticks. */
static void plant(events *e, test_random *random, int n, int n_units, const uint32_t *unit,
                  int64_t lag)
{
    for (int k = 0; k < n; k++) {
        int64_t first = test_random_between(random, start, stop - 1 - n_units * lag);
        for (int u = 0; u < n_units; u++)
            add_event(e, first + u * lag, unit[u]);
    }
}

static spk_recording *make_recording(const events *e)
{
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = e->n;
    source.time = e->time;
    source.unit = e->unit;
    source.n_units = e->n_units;
    source.rate = (spk_rate){1000, 1};
    source.start = &start;
    source.stop = &stop;
    source.segments = e->in_segments ? segments : NULL;
    source.n_segments = e->in_segments ? 3 : 0;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

typedef struct test_job {
    bool of_patterns;
    spk_delay delay;
    spk_duration jitter[MOST_SCALES];
    spk_episode_options episodes;
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_exact_options test;
    spk_peel_options peel;
} test_job;

static void set_up(test_job *job, bool of_patterns)
{
    memset(job, 0, sizeof *job);
    spk_episode_options_init(&job->episodes, sizeof job->episodes);
    spk_window_options_init(&job->windows, sizeof job->windows);
    spk_pattern_options_init(&job->patterns, sizeof job->patterns);
    spk_exact_options_init(&job->test, sizeof job->test);
    spk_peel_options_init(&job->peel, sizeof job->peel);
    job->of_patterns = of_patterns;
    job->delay = (spk_delay){{3, -3, 0}, {7, -3, 0}};
    job->jitter[0] = (spk_duration){5, -2, 0};
    job->jitter[1] = (spk_duration){1, -1, 0};
    job->episodes.delays = &job->delay, job->episodes.n_delays = 1;
    job->episodes.support = 4, job->episodes.max_size = 5;
    job->windows.bin = (spk_duration){BIN, -3, 0}, job->windows.window = WINDOW;
    job->patterns.min_spikes = 2, job->patterns.max_spikes = 5, job->patterns.support = 4;
    job->test.episodes = of_patterns ? NULL : &job->episodes;
    job->test.windows = of_patterns ? &job->windows : NULL;
    job->test.patterns = of_patterns ? &job->patterns : NULL;
    job->test.jitter = job->jitter, job->test.n_jitter = 1;
    job->test.null = "interval-jitter";
    job->test.n_surrogates = 19;
    job->test.distinct_units = 2;
    job->peel.test = &job->test;
}

/* ---- what peeling finds ---------------------------------------------------------------------- */

/* An accepted result: units of an episode or items of a pattern. */
typedef struct accepted {
    uint64_t seed;
    uint32_t size;
    uint32_t value[MOST_SIZE];
    uint64_t count;
    spk_exact_verdict verdict;
    double scale_p[MOST_SCALES];
    double part_p;
    uint32_t left_out;
    uint64_t n_removed;
    uint32_t means;
    double direction_p;
} accepted;

typedef struct peeled {
    size_t n_scales;
    uint32_t n_rounds; /* the last one, too, in which nothing was accepted */
    uint32_t n;
    accepted result[MOST_ROUNDS];
    uint32_t cancel_after; /* rounds; 0: none */
} peeled;

static spk_status take_round(void *user, const spk_peel_round *round)
{
    peeled *out = user;
    assert_int_equal(round->number, ++out->n_rounds);
    if (out->cancel_after == round->number)
        spk_context_cancel(context);
    if (round->episode == NULL && round->pattern == NULL)
        return SPK_OK;
    accepted *a = &out->result[out->n++];
    assert_true(out->n < MOST_ROUNDS);
    *a = (accepted){.seed = round->seed,
                    .verdict = round->verdict,
                    .part_p = round->part_p,
                    .left_out = round->left_out,
                    .n_removed = round->n_removed,
                    .means = round->means,
                    .direction_p = round->direction_p};
    memcpy(a->scale_p, round->scale_p, out->n_scales * sizeof *a->scale_p);
    if (round->episode != NULL) {
        const spk_episode_columns *c = round->episode;
        assert_int_equal(c->n, 1);
        a->size = (uint32_t)(c->offset[1] - c->offset[0]);
        memcpy(a->value, c->unit + c->offset[0], a->size * sizeof *a->value);
        a->count = c->count[0];
    } else {
        const spk_pattern_columns *c = round->pattern;
        assert_int_equal(c->n, 1);
        a->size = (uint32_t)(c->offset[1] - c->offset[0]);
        memcpy(a->value, c->item + c->offset[0], a->size * sizeof *a->value);
        a->count = c->count[0];
    }
    assert_true(round->verdict.p <= 1 && round->least_p <= round->verdict.p);
    assert_true(round->n_significant >= 1 && round->n_significant <= round->n_tested);
    return SPK_OK;
}

static void peel(const test_job *job, const spk_recording *recording, peeled *out)
{
    *out = (peeled){.n_scales = job->test.n_jitter};
    check(spk_exact_peel(context, recording, &job->peel, take_round, out));
}

/* ---- by definition --------------------------------------------------------------------------- */

/* Marks the events of unit `unit` from tick `from` to before tick `to`. */
static uint64_t mark(const events *e, uint32_t unit, int64_t from, int64_t to, bool *gone)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < e->n; i++) {
        if (e->unit[i] != unit || e->time[i] < from || e->time[i] >= to)
            continue;
        n++;
        if (gone != NULL)
            gone[i] = true;
    }
    return n;
}

typedef struct occurrence_marks {
    const events *e;
    const uint32_t *unit;
    bool *gone;
} occurrence_marks;

static spk_status mark_occurrence(void *user, uint32_t size, const int64_t *time)
{
    const occurrence_marks *m = user;
    for (uint32_t p = 0; p < size; p++)
        assert_true(mark(m->e, m->unit[p], time[p], time[p] + 1, m->gone) >= 1);
    return SPK_OK;
}

/* A bin at `from` of a trial that stops at `stop_tick`. */
static int64_t end_of_bin(int64_t from, int64_t stop_tick)
{
    return from + BIN < stop_tick ? from + BIN : stop_tick;
}

/* The occurrences of a pattern bin by bin, each time with all events of its bins. */
static void mark_pattern(const events *e, const accepted *a, bool *gone)
{
    const spk_segment whole = {start, stop};
    const spk_segment *trial = e->in_segments ? segments : &whole;
    uint64_t n_found = 0;
    for (int t = 0; t < (e->in_segments ? 3 : 1); t++) {
        for (int64_t first = trial[t].start; first < trial[t].stop; first += BIN) {
            bool all = true;
            for (int marks = 0; marks < 2 && all; marks++)
                for (uint32_t k = 0; k < a->size && all; k++) {
                    int64_t from = first + BIN * (int64_t)(a->value[k] % WINDOW);
                    all = from < trial[t].stop &&
                          mark(e, a->value[k] / WINDOW, from, end_of_bin(from, trial[t].stop),
                               marks ? gone : NULL) > 0;
                }
            n_found += all;
        }
    }
    assert_int_equal(n_found, a->count);
}

static void remove_events(const test_job *job, const spk_recording *recording, const accepted *a,
                          events *e)
{
    static bool gone[MOST_EVENTS];
    memset(gone, 0, sizeof gone);
    if (job->of_patterns) {
        mark_pattern(e, a, gone);
    } else {
        occurrence_marks marks = {e, a->value, gone};
        spk_delay delays[MOST_SIZE];
        for (int k = 0; k < MOST_SIZE; k++)
            delays[k] = job->delay;
        check(spk_episode_occurrences(context, recording, a->size, a->value, delays,
                                      mark_occurrence, &marks));
    }
    uint64_t n = 0;
    for (uint64_t i = 0; i < e->n; i++) {
        if (gone[i])
            continue;
        e->time[n] = e->time[i];
        e->unit[n++] = e->unit[i];
    }
    e->n = n;
}

/* The results of one plain test. */
typedef struct results {
    spk_episode_list *episodes;
    spk_pattern_list *patterns;
    uint64_t n;
    spk_exact_verdict *verdict;
    double *part_p;
    uint32_t *left_out;
    uint32_t *means;
    double *direction_p;
} results;

static void test_plainly(const test_job *job, const spk_recording *recording, results *r)
{
    spk_maxima *maxima = NULL;
    spk_windows *windows = NULL;
    *r = (results){.n = 0};
    check(spk_exact_run(context, recording, &job->test, &maxima));
    if (job->of_patterns) {
        check(spk_windows_create(context, recording, &job->windows, &windows));
        check(spk_pattern_list_create(context, WINDOW, &r->patterns));
        check(spk_pattern_mine(context, windows, &job->patterns, spk_pattern_list_add, r->patterns,
                               NULL));
        check(spk_pattern_list_sort(r->patterns));
        r->n = spk_pattern_list_columns(r->patterns).n;
    } else {
        check(spk_episode_list_create(context, &r->episodes));
        check(spk_episode_mine(context, recording, &job->episodes, spk_episode_list_add,
                               r->episodes, NULL));
        r->n = spk_episode_list_columns(r->episodes).n;
    }
    r->verdict = calloc(r->n + 1, sizeof *r->verdict);
    r->part_p = calloc(r->n + 1, sizeof *r->part_p);
    r->left_out = calloc(r->n + 1, sizeof *r->left_out);
    r->means = calloc(r->n + 1, sizeof *r->means);
    r->direction_p = calloc(r->n + 1, sizeof *r->direction_p);
    assert_true(r->verdict != NULL && r->part_p != NULL && r->left_out != NULL);
    assert_true(r->means != NULL && r->direction_p != NULL);
    if (job->of_patterns) {
        const spk_pattern_columns c = spk_pattern_list_columns(r->patterns);
        check(
            spk_exact_test_patterns(context, recording, &job->test, maxima, &c, r->verdict, NULL));
        check(spk_exact_explain_patterns(context, recording, &job->test, &c, r->verdict, r->part_p,
                                         r->left_out));
        check(spk_exact_interpret_patterns(context, &job->test, job->peel.alpha, &c, r->verdict,
                                           r->means));
    } else {
        const spk_episode_columns c = spk_episode_list_columns(r->episodes);
        check(
            spk_exact_test_episodes(context, recording, &job->test, maxima, &c, r->verdict, NULL));
        check(spk_exact_explain_episodes(context, recording, &job->test, &c, r->verdict, r->part_p,
                                         r->left_out));
        check(spk_exact_interpret_episodes(context, recording, &job->test, job->peel.alpha, &c,
                                           r->verdict, r->means, r->direction_p));
    }
    spk_windows_free(windows);
    spk_maxima_free(maxima);
}

static void results_free(results *r)
{
    spk_episode_list_free(r->episodes);
    spk_pattern_list_free(r->patterns);
    free(r->verdict);
    free(r->part_p);
    free(r->left_out);
    free(r->means);
    free(r->direction_p);
}

/* The best of them; r->n where none is accepted. */
static uint64_t find_best(const test_job *job, const results *r)
{
    uint64_t best = r->n;
    for (uint64_t i = 0; i < r->n; i++) {
        const spk_exact_verdict *v = &r->verdict[i];
        if (!v->tested || v->p > job->peel.alpha)
            continue;
        if (job->peel.core && r->part_p[i] > job->peel.alpha)
            continue;
        if (best == r->n || v->p < r->verdict[best].p ||
            (v->p == r->verdict[best].p && v->score > r->verdict[best].score))
            best = i;
    }
    return best;
}

static void check_result(const results *r, uint64_t i, const accepted *a)
{
    const bool of_patterns = r->patterns != NULL;
    const uint32_t *value;
    uint64_t size, count;
    if (of_patterns) {
        const spk_pattern_columns c = spk_pattern_list_columns(r->patterns);
        value = c.item + c.offset[i], size = c.offset[i + 1] - c.offset[i], count = c.count[i];
    } else {
        const spk_episode_columns c = spk_episode_list_columns(r->episodes);
        value = c.unit + c.offset[i], size = c.offset[i + 1] - c.offset[i], count = c.count[i];
    }
    assert_int_equal(a->size, size);
    assert_memory_equal(a->value, value, size * sizeof *value);
    assert_int_equal(a->count, count);
    assert_int_equal(a->verdict.score, r->verdict[i].score);
    assert_int_equal(a->verdict.scale, r->verdict[i].scale);
    assert_true(a->verdict.p == r->verdict[i].p && a->verdict.expected == r->verdict[i].expected);
    assert_true(a->verdict.e_value == r->verdict[i].e_value && a->verdict.fdr == r->verdict[i].fdr);
    assert_true(a->part_p == r->part_p[i]);
    assert_int_equal(a->left_out, r->left_out[i]);
    assert_int_equal(a->means, r->means[i]);
    assert_true(a->direction_p == r->direction_p[i]);
}

/* Round by round from `e`, which loses its events. */
static void check_by_definition(test_job job, events *e, const peeled *found)
{
    for (uint32_t k = 0; k < found->n_rounds; k++) {
        results r;
        spk_recording *recording = make_recording(e);
        const uint64_t n_before = spk_recording_events(recording).n_events;
        if (k > 0 && k < found->n) {
            assert_true(found->result[k].seed != job.test.seed);
            job.test.seed = found->result[k].seed;
        }
        if (k < found->n) {
            test_plainly(&job, recording, &r);
            uint64_t best = find_best(&job, &r);
            assert_true(best < r.n);
            check_result(&r, best, &found->result[k]);
            remove_events(&job, recording, &found->result[k], e);
            results_free(&r);
            spk_recording *left = make_recording(e);
            assert_int_equal(n_before - spk_recording_events(left).n_events,
                             found->result[k].n_removed);
            spk_recording_free(left);
        }
        spk_recording_free(recording);
    }
}

/* Recordings with a chain that chance may lengthen, of either language. */
static void draw_case(test_random *random, events *e, test_job *job)
{
    static const uint32_t chain[] = {0, 1, 2};
    set_up(job, test_random_chance(random, 0.5));
    *e = (events){.n_units = 5, .in_segments = test_random_chance(random, 0.5)};
    add_noise(e, random, 200 + (int)test_random_below(random, 300));
    plant(e, random, 20, 2 + (int)test_random_below(random, 2), chain, 5);
    job->test.n_jitter = 1 + test_random_below(random, MOST_SCALES);
    job->test.seed = test_random_below(random, 1000);
    job->test.n_surrogates = 9 + test_random_below(random, 10);
    job->peel.alpha = 0.3;
    job->peel.core = test_random_chance(random, 0.5);
    job->peel.max_rounds = 1 + (uint32_t)test_random_below(random, 4);
}

static void equals_a_loop_of_tests(void **state)
{
    (void)state;
    static events e;
    static peeled found;
    uint64_t n_accepted = 0, n_cases = test_scaled(40);
    for (uint64_t c = 0; c < n_cases; c++) {
        test_random random = test_random_make(seed, c);
        test_job job;
        draw_case(&random, &e, &job);
        spk_recording *recording = make_recording(&e);
        spk_context_set_threads(context, 1 + (int)(c % 3));
        peel(&job, recording, &found);
        assert_true(found.n_rounds <= job.peel.max_rounds);
        assert_true(found.n == found.n_rounds || found.n + 1 == found.n_rounds);
        n_accepted += found.n;
        check_by_definition(job, &e, &found);
        spk_recording_free(recording);
    }
    assert_true(n_accepted > n_cases / 2);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void threads_change_nothing(void **state)
{
    (void)state;
    static events e;
    static peeled one, three;
    for (uint64_t c = 0; c < test_scaled(10); c++) {
        test_random random = test_random_make(seed + 1, c);
        test_job job;
        draw_case(&random, &e, &job);
        spk_recording *recording = make_recording(&e);
        spk_context_set_threads(context, 1);
        peel(&job, recording, &one);
        spk_context_set_threads(context, 3);
        peel(&job, recording, &three);
        assert_int_equal(one.n_rounds, three.n_rounds);
        assert_int_equal(one.n, three.n);
        for (uint32_t k = 0; k < one.n; k++) {
            const accepted *a = &one.result[k], *b = &three.result[k];
            assert_int_equal(a->seed, b->seed);
            assert_int_equal(a->size, b->size);
            assert_memory_equal(a->value, b->value, sizeof a->value);
            assert_memory_equal(a->scale_p, b->scale_p, sizeof a->scale_p);
            assert_true(a->count == b->count && a->n_removed == b->n_removed);
            assert_true(a->verdict.p == b->verdict.p && a->verdict.score == b->verdict.score);
        }
        spk_recording_free(recording);
    }
}

/* ---- what is planted ------------------------------------------------------------------------- */

/* Whether the result is this chain of three or a part of it without gaps, one bin a step. */
static bool is_of_chain(const test_job *job, const accepted *a, const uint32_t *unit)
{
    bool any = false;
    for (uint32_t from = 0; from + a->size <= 3; from++) {
        bool same = true;
        for (uint32_t k = 0; k < a->size; k++)
            same &=
                a->value[k] == (job->of_patterns ? unit[from + k] * WINDOW + k : unit[from + k]);
        any |= same;
    }
    return any;
}

static void draw_chains(test_random *random, const uint32_t chain[3][3], events *e)
{
    *e = (events){.n_units = 8};
    add_noise(e, random, 400);
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < 40;
             i++) { /* apart, and at the start of a bin: lags are whole bins */
            int64_t first = 100 * i + BIN * test_random_between(random, 0, 16);
            for (int64_t u = 0; u < 3; u++)
                add_event(e, first + BIN * u, chain[k][u]);
        }
}

/* Two chains without common units, and one that shares units with both: three findings, one of each
 * chain, though all parts of a chain, and what chance adds to it, are significant. */
static void each_planted_chain_is_listed_once(void **state)
{
    (void)state;
    static const uint32_t chain[3][3] = {{0, 1, 2}, {3, 4, 5}, {2, 6, 4}};
    static events e;
    static peeled found;
    for (int c = 0; c < 4; c += test_whole_recordings() ? 1 : 3) {
        const bool of_patterns = c % 2 == 1;
        const uint32_t min_size = c < 2 ? 3 : 2;
        test_random random = test_random_make(11, (uint64_t)of_patterns);
        test_job job;
        set_up(&job, of_patterns);
        job.test.min_size = min_size;
        job.test.n_surrogates = 99;
        job.peel.alpha = 0.01;
        draw_chains(&random, chain, &e);
        spk_recording *recording = make_recording(&e);
        peel(&job, recording, &found);
        assert_int_equal(found.n, 3);
        assert_int_equal(found.n_rounds, 4);
        for (int k = 0; k < 3; k++) {
            int n = 0;
            for (uint32_t i = 0; i < found.n; i++)
                n += found.result[i].size >= min_size &&
                     is_of_chain(&job, &found.result[i], chain[k]);
            assert_int_equal(n, 1);
        }
        spk_recording_free(recording);
    }
}

/* Of so many recordings of independent units, how many have anything accepted: at most a twentieth
 * by chance; five standard deviations above it never happen. */
static void chance_is_hardly_ever_listed(void **state)
{
    (void)state;
    static events e;
    static peeled found;
    const uint64_t n = test_scaled(200);
    uint64_t n_listed = 0;
    for (uint64_t c = 0; c < n; c++) {
        test_random random = test_random_make(seed + 2, c);
        test_job job;
        set_up(&job, c % 2 == 1);
        job.test.seed = c;
        job.peel.max_rounds = 1;
        e = (events){.n_units = 5};
        add_noise(&e, &random, 250);
        spk_recording *recording = make_recording(&e);
        peel(&job, recording, &found);
        n_listed += found.n > 0;
        spk_recording_free(recording);
    }
    assert_true((double)n_listed <= 0.05 * (double)n + 5 * sqrt(0.0475 * (double)n));
}

/* ---- the end --------------------------------------------------------------------------------- */

/* All events belong to one chain: once it is peeled nothing is left to search. */
static void nothing_is_left(void **state)
{
    (void)state;
    static const uint32_t pair[] = {0, 1};
    static events e;
    static peeled found;
    test_random random = test_random_make(5, 0);
    test_job job;
    set_up(&job, false);
    e = (events){.n_units = 2};
    for (int64_t k = 0; k < 40; k++)
        for (uint32_t u = 0; u < 2; u++)
            add_event(&e, 100 * k + test_random_between(&random, 0, 1) + 5 * (int64_t)u, pair[u]);
    spk_recording *recording = make_recording(&e);
    peel(&job, recording, &found);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.n_rounds, 1);
    assert_int_equal(found.result[0].count, 40);
    assert_int_equal(found.result[0].n_removed, 80);
    assert_true(found.result[0].scale_p[0] == found.result[0].verdict.p);
    spk_recording_free(recording);
}

static void a_cancel_keeps_what_was_accepted(void **state)
{
    (void)state;
    static const uint32_t chain[2][2] = {{0, 1}, {2, 3}};
    static events e;
    static peeled found;
    test_random random = test_random_make(6, 0);
    test_job job;
    set_up(&job, false);
    e = (events){.n_units = 4};
    plant(&e, &random, 60, 2, chain[0], 5);
    plant(&e, &random, 60, 2, chain[1], 5);
    spk_recording *recording = make_recording(&e);
    found = (peeled){.n_scales = 1, .cancel_after = 1};
    assert_int_equal(spk_exact_peel(context, recording, &job.peel, take_round, &found),
                     SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.n_rounds, 1);
    spk_recording_free(recording);
}

static spk_status refuse(void *user, const spk_peel_round *round)
{
    (void)user;
    (void)round;
    return SPK_ERR_PIPE;
}

static void bad_options_are_told(void **state)
{
    (void)state;
    static events e;
    test_random random = test_random_make(7, 0);
    test_job job;
    set_up(&job, false);
    e = (events){.n_units = 2};
    add_noise(&e, &random, 50);
    spk_recording *recording = make_recording(&e);
    assert_int_equal(spk_exact_peel(context, recording, &job.peel, refuse, NULL), SPK_ERR_PIPE);
    job.peel.alpha = 0;
    assert_int_equal(spk_exact_peel(context, recording, &job.peel, refuse, NULL), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "alpha"));
    job.peel.alpha = 0.05;
    job.test.n_shards = 2;
    assert_int_equal(spk_exact_peel(context, recording, &job.peel, refuse, NULL), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "shards"));
    job.test.n_shards = 1;
    job.test.checkpoint = "peel.spk";
    assert_int_equal(spk_exact_peel(context, recording, &job.peel, refuse, NULL), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "checkpoint"));
    job.test.checkpoint = NULL;
    job.peel.test = NULL;
    assert_int_equal(spk_exact_peel(context, recording, &job.peel, refuse, NULL), SPK_ERR_ARGUMENT);
    spk_recording_free(recording);
}

int main(void)
{
    seed = test_seed("peel");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_loop_of_tests),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(each_planted_chain_is_listed_once),
        cmocka_unit_test(chance_is_hardly_ever_listed),
        cmocka_unit_test(nothing_is_left),
        cmocka_unit_test(a_cancel_keeps_what_was_accepted),
        cmocka_unit_test(bad_options_are_told),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
