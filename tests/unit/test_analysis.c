/*
 * Analyses: rows and columns are those of the steps, taken one by one with the functions of the
 * other headers, on small random recordings in which something is planted; given surrogates,
 * cancel, what does not go together.
 */
#include "support/planted.h"

enum { MOST_RESULTS = 4000, N_SCALES = 2 };

static uint64_t seed;
static const spk_delay within = {{0, 0}, {6, -3}};
static const spk_duration jitter[N_SCALES] = {{25, -3}, {60, -3}};

/* ---- jobs ------------------------------------------------------------------------------------ */

/* The options of a job, which point to each other. */
typedef struct job {
    spk_episode_options episodes;
    spk_window_options cut;
    spk_pattern_options patterns;
    spk_exact_options test;
    spk_select_options select;
    spk_analysis_options options;
} job;

static void job_init(job *j, bool of_patterns, test_random *random)
{
    memset(j, 0, sizeof *j);
    spk_episode_options_init(&j->episodes, sizeof j->episodes);
    j->episodes.delays = &within;
    j->episodes.n_delays = 1;
    j->episodes.support = 12;
    j->episodes.max_size = 5;
    spk_window_options_init(&j->cut, sizeof j->cut);
    j->cut.bin = (spk_duration){1, -3};
    j->cut.window = 10;
    spk_pattern_options_init(&j->patterns, sizeof j->patterns);
    j->patterns.support = 8;
    j->patterns.min_spikes = 2;
    spk_exact_options_init(&j->test, sizeof j->test);
    if (of_patterns)
        j->test.windows = &j->cut, j->test.patterns = &j->patterns;
    else
        j->test.episodes = &j->episodes;
    j->test.jitter = jitter;
    j->test.n_jitter = 1 + test_random_below(random, N_SCALES);
    j->test.n_surrogates = 39;
    j->test.null = "interval-jitter";
    j->test.seed = test_random_bits(random);
    spk_select_options_init(&j->select, sizeof j->select);
    spk_analysis_options_init(&j->options, sizeof j->options);
    j->options.exact = &j->test;
    j->options.select = &j->select;
}

static const spk_analysis_columns *run(const job *j, const spk_recording *recording,
                                       spk_analysis **analysis)
{
    check(spk_analysis_create(context, analysis));
    check(spk_analysis_run(*analysis, recording, &j->options));
    return spk_analysis_columns_of(*analysis);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* All results of a search in one of the languages, and what the exact test says of each. */
typedef struct by_hand {
    spk_episode_list *episodes;
    spk_windows *windows;
    spk_pattern_list *patterns;
    spk_maxima *maxima;
    uint64_t n;
    spk_exact_verdict verdict[MOST_RESULTS];
    double scale_p[MOST_RESULTS * N_SCALES];
    uint32_t left_out[MOST_RESULTS];
    uint32_t means[MOST_RESULTS];
    double direction_p[MOST_RESULTS];
    uint64_t row[MOST_RESULTS];
    uint64_t n_rows;
} by_hand;

static void free_by_hand(by_hand *h)
{
    spk_episode_list_free(h->episodes);
    spk_pattern_list_free(h->patterns);
    spk_windows_free(h->windows);
    spk_maxima_free(h->maxima);
    free(h);
}

static void test_episodes(by_hand *h, const job *j, const spk_recording *recording)
{
    check(spk_episode_list_create(context, &h->episodes));
    check(spk_episode_mine(context, recording, &j->episodes, spk_episode_list_add, h->episodes,
                           NULL));
    spk_episode_columns c = spk_episode_list_columns(h->episodes);
    h->n = c.n;
    assert_in_range(c.n, 1, MOST_RESULTS);
    check(spk_exact_test_episodes(context, recording, &j->test, h->maxima, &c, h->verdict,
                                  h->scale_p));
    check(spk_exact_interpret_episodes(context, recording, &j->test, j->options.alpha, &c,
                                       h->verdict, h->means, h->direction_p));
    if (j->options.report == SPK_REPORT_ALL) { /* rows that are not significant have one, too */
        static spk_exact_direction direction[MOST_RESULTS];
        check(spk_exact_direct_episodes(context, recording, &j->test, &c, h->verdict, direction));
        for (uint64_t i = 0; i < c.n; i++)
            h->direction_p[i] = direction[i].p;
    }
    for (uint64_t i = 0; i < h->n; i++) { /* one by one: none knows of the others */
        spk_episode_columns one = spk_episode_list_columns(h->episodes);
        double p = 0;
        one.n = 1, one.offset += i, one.count += i;
        check(spk_exact_explain_episodes(context, recording, &j->test, &one, &h->verdict[i], &p,
                                         &h->left_out[i]));
        if (p <= j->options.alpha || h->verdict[i].p > j->options.alpha)
            h->left_out[i] = SPK_NOT_EXPLAINED;
    }
}

static void test_patterns(by_hand *h, const job *j, const spk_recording *recording)
{
    check(spk_windows_create(context, recording, &j->cut, &h->windows));
    check(spk_pattern_list_create(context, j->cut.window, &h->patterns));
    check(spk_pattern_mine(context, h->windows, &j->patterns, spk_pattern_list_add, h->patterns,
                           NULL));
    check(spk_pattern_list_sort(h->patterns));
    spk_pattern_columns c = spk_pattern_list_columns(h->patterns);
    h->n = c.n;
    assert_in_range(c.n, 1, MOST_RESULTS);
    check(spk_exact_test_patterns(context, recording, &j->test, h->maxima, &c, h->verdict,
                                  h->scale_p));
    check(spk_exact_interpret_patterns(context, &j->test, j->options.alpha, &c, h->verdict,
                                       h->means));
    for (uint64_t i = 0; i < h->n; i++) {
        spk_pattern_columns one = spk_pattern_list_columns(h->patterns);
        double p = 0;
        one.n = 1, one.offset += i, one.count += i;
        check(spk_exact_explain_patterns(context, recording, &j->test, &one, &h->verdict[i], &p,
                                         &h->left_out[i]));
        if (p <= j->options.alpha || h->verdict[i].p > j->options.alpha)
            h->left_out[i] = SPK_NOT_EXPLAINED;
    }
}

static bool is_before(const by_hand *h, uint64_t a, uint64_t b)
{
    const spk_exact_verdict *x = &h->verdict[a], *y = &h->verdict[b];
    if (x->p != y->p)
        return x->p < y->p;
    if ((h->means[a] != 0) != (h->means[b] != 0)) /* what may be no sequence comes last */
        return h->means[a] == 0;
    return x->score != y->score ? x->score > y->score : a < b;
}

/* The listed results, by insertion. */
static void list_rows(by_hand *h, const job *j)
{
    for (uint64_t i = 0; i < h->n; i++) {
        const bool significant = h->verdict[i].p <= j->options.alpha;
        const bool core = significant && h->left_out[i] == SPK_NOT_EXPLAINED;
        if (j->options.report == SPK_REPORT_SIGNIFICANT && !significant)
            continue;
        if (j->options.report == SPK_REPORT_CORE && !core)
            continue;
        uint64_t k = h->n_rows++;
        for (; k > 0 && is_before(h, i, h->row[k - 1]); k--)
            h->row[k] = h->row[k - 1];
        h->row[k] = i;
    }
}

static by_hand *make_by_hand(const job *j, const spk_recording *recording)
{
    by_hand *h = calloc(1, sizeof *h);
    assert_non_null(h);
    check(spk_exact_run(context, recording, &j->test, &h->maxima));
    if (j->test.episodes != NULL)
        test_episodes(h, j, recording);
    else
        test_patterns(h, j, recording);
    list_rows(h, j);
    return h;
}

static void check_verdict(const spk_exact_verdict *a, const spk_exact_verdict *b)
{
    assert_int_equal(a->scale, b->scale);
    assert_int_equal(a->tested, b->tested);
    assert_int_equal(a->score, b->score);
    assert_true(a->expected == b->expected && a->p == b->p && a->e_value == b->e_value &&
                a->fdr == b->fdr);
}

/* Row k of the analysis is result i. */
static void check_row(const by_hand *h, const job *j, const spk_analysis_columns *c, uint64_t k,
                      uint64_t i)
{
    const spk_exact_report *r = c->exact;
    check_verdict(&r->verdict[k], &h->verdict[i]);
    assert_true(c->expected[k] == h->verdict[i].expected);
    assert_int_equal(r->left_out[k], h->left_out[i]);
    assert_int_equal(r->means[k], h->means[i]);
    for (size_t s = 0; s < j->test.n_jitter && r->scale_p != NULL; s++)
        assert_true(r->scale_p[k * j->test.n_jitter + s] == h->scale_p[i * j->test.n_jitter + s]);
    if (h->episodes != NULL) {
        const spk_episode_columns all = spk_episode_list_columns(h->episodes), *e = &c->episodes;
        const uint64_t size = all.offset[i + 1] - all.offset[i];
        assert_true(r->direction_p[k] == h->direction_p[i]);
        assert_int_equal(e->offset[k + 1] - e->offset[k], size);
        assert_int_equal(e->count[k], all.count[i]);
        assert_memory_equal(e->unit + e->offset[k], all.unit + all.offset[i],
                            size * sizeof *all.unit);
    } else {
        const spk_pattern_columns all = spk_pattern_list_columns(h->patterns), *p = &c->patterns;
        const uint64_t size = all.offset[i + 1] - all.offset[i];
        assert_int_equal(p->offset[k + 1] - p->offset[k], size);
        assert_int_equal(p->count[k], all.count[i]);
        assert_memory_equal(p->item + p->offset[k], all.item + all.offset[i],
                            size * sizeof *all.item);
    }
}

static void check_summary(const by_hand *h, const job *j, const spk_analysis_columns *c)
{
    uint64_t n_tested = 0, n_significant = 0, n_core = 0;
    for (uint64_t i = 0; i < h->n; i++) {
        n_tested += h->verdict[i].tested;
        n_significant += h->verdict[i].p <= j->options.alpha;
        n_core += h->verdict[i].p <= j->options.alpha && h->left_out[i] == SPK_NOT_EXPLAINED;
    }
    assert_int_equal(c->n_results, h->n);
    assert_int_equal(c->exact->n_tested, n_tested);
    assert_int_equal(c->exact->n_significant, n_significant);
    assert_int_equal(c->exact->n_core, n_core);
    assert_int_equal(c->exact->n_surrogates, j->test.n_surrogates);
    assert_string_equal(c->exact->null, "interval-jitter");
    assert_true((c->exact->scale_p != NULL) == (j->test.n_jitter > 1));
    assert_true((c->episode_summary != NULL) == (h->episodes != NULL));
    assert_true((c->pattern_summary != NULL) == (h->patterns != NULL));
}

/* Each report of both languages has the rows of the steps by hand, with surrogates that are made
 * and with given ones. */
static void rows_are_those_of_the_steps(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_scaled(6); number++) {
        test_random random = test_random_make(seed, number);
        job j;
        spk_analysis *analysis = NULL;
        spk_recording *recording = make_recording(&random);
        job_init(&j, number % 2 == 1, &random);
        j.options.report = (spk_rows_listed)(number / 2 % 3);
        by_hand *h = make_by_hand(&j, recording);
        j.options.maxima = test_random_chance(&random, 0.5) ? h->maxima : NULL;
        const spk_analysis_columns *c = run(&j, recording, &analysis);
        assert_int_equal(c->n, h->n_rows);
        assert_int_equal(c->n_listed, h->n_rows);
        for (uint64_t k = 0; k < c->n; k++)
            check_row(h, &j, c, k, h->row[k]);
        check_summary(h, &j, c);
        assert_true(isnan(c->last_p));
        spk_analysis_free(analysis);
        free_by_hand(h);
        spk_recording_free(recording);
    }
}

/* ---- selection ------------------------------------------------------------------------------- */

/* Rows by hand as a list of their own, with their scores. */
static spk_episode_list *copy_rows(const by_hand *h, uint32_t *score)
{
    spk_episode_list *list = NULL;
    check(spk_episode_list_create(context, &list));
    for (uint64_t k = 0; k < h->n_rows; k++) {
        spk_episode_columns one = spk_episode_list_columns(h->episodes);
        one.n = 1, one.offset += h->row[k], one.count += h->row[k];
        check(spk_episode_list_add(list, &one));
        score[k] = h->verdict[h->row[k]].score;
    }
    return list;
}

/* Selection and families look at the rows of the report, with the scores of the test. */
static void selection_is_of_the_rows(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_scaled(3); number++) {
        static uint32_t score[MOST_RESULTS];
        static uint64_t chosen[MOST_RESULTS];
        test_random random = test_random_make(seed, 1000 + number);
        uint64_t n_chosen = 0;
        job j;
        spk_analysis *analysis = NULL;
        spk_families *families = NULL;
        spk_family_options grouping;
        spk_recording *recording = make_recording(&random);
        job_init(&j, false, &random);
        by_hand *h = make_by_hand(&j, recording);
        spk_episode_list *rows = copy_rows(h, score);
        const spk_episode_columns columns = spk_episode_list_columns(rows);
        j.select.top = 1 + test_random_below(&random, 5);
        spk_select_options select = j.select;
        select.score = score;
        check(spk_select_episodes(context, &columns, &select, chosen, &n_chosen));
        const spk_analysis_columns *c = run(&j, recording, &analysis);
        assert_int_equal(c->n, n_chosen);
        assert_int_equal(c->n_listed, h->n_rows);
        for (uint64_t k = 0; k < c->n; k++)
            check_row(h, &j, c, k, h->row[chosen[k]]);
        spk_analysis_free(analysis);
        spk_family_options_init(&grouping, sizeof grouping);
        grouping.score = score;
        check(spk_families_of_episodes(context, recording, &columns, &grouping, &families));
        const spk_family_columns f = spk_families_columns(families);
        j.options.families = true;
        c = run(&j, recording, &analysis);
        assert_int_equal(c->families->n, f.n);
        assert_int_equal(c->n, f.n < j.select.top ? f.n : j.select.top);
        for (uint64_t k = 0; k < c->n; k++) {
            check_row(h, &j, c, k, h->row[f.family[k].best]);
            assert_int_equal(c->families->family[k].n_members, f.family[k].n_members);
        }
        spk_analysis_free(analysis);
        spk_families_free(families);
        spk_episode_list_free(rows);
        free_by_hand(h);
        spk_recording_free(recording);
    }
}

/* The limits of the selection are those of the test: what is outside is not tested. */
/* What the order of this name puts first where it is smallest. */
static double number_of_row(const char *name, const spk_analysis_columns *c, uint64_t k)
{
    const bool patterns = c->patterns.n > 0;
    const uint64_t *offset = patterns ? c->patterns.offset : c->episodes.offset;
    const double count = patterns ? c->patterns.count[k] : (double)c->episodes.count[k];
    if (strcmp(name, "p") == 0)
        return c->exact->verdict[k].p;
    if (strcmp(name, "count") == 0)
        return -count;
    if (strcmp(name, "size") == 0)
        return -(double)(offset[k + 1] - offset[k]);
    if (strcmp(name, "excess") == 0)
        return c->exact->verdict[k].expected - count;
    fail_msg("order %s is not tested", name);
    return 0;
}

/* The rows of a job without an order, the smallest numbers first and otherwise as they are. */
static void rows_come_in_the_order_asked_for(void **state)
{
    (void)state;
    for (int of_patterns = 0; of_patterns < 2; of_patterns++) {
        test_random random = test_random_make(seed, 700 + (uint64_t)of_patterns);
        spk_recording *recording = make_recording(&random);
        job j;
        job_init(&j, of_patterns != 0, &random);
        j.patterns.support = 3;
        j.options.report = SPK_REPORT_ALL;
        for (size_t o = 0; spk_row_order_get(o) != NULL; o++) {
            spk_analysis *analysis = NULL;
            const char *name = j.options.order = spk_row_order_get(o)->name;
            const spk_analysis_columns *c = run(&j, recording, &analysis);
            assert_true(c->n > 2 && c->n == c->n_results);
            for (uint64_t k = 1; k < c->n; k++) {
                const double before = number_of_row(name, c, k - 1);
                const double own = number_of_row(name, c, k);
                assert_true(before <= own);
                assert_true(before < own || c->exact->verdict[k - 1].p <= c->exact->verdict[k].p);
            }
            spk_analysis_free(analysis);
        }
        spk_recording_free(recording);
    }
}

static void limits_hold_for_the_test(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 2000);
    job j;
    spk_analysis *analysis = NULL;
    spk_recording *recording = make_recording(&random);
    job_init(&j, false, &random);
    j.options.report = SPK_REPORT_ALL;
    j.select.min_size = 3;
    const spk_analysis_columns *c = run(&j, recording, &analysis);
    assert_true(c->n > 0 && c->n < c->n_listed && c->n_listed == c->n_results);
    assert_int_equal(c->exact->n_tested, c->n);
    for (uint64_t k = 0; k < c->n; k++)
        assert_true(c->exact->verdict[k].tested &&
                    c->episodes.offset[k + 1] - c->episodes.offset[k] >= 3);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

/* ---- other jobs ------------------------------------------------------------------------------ */

/* A search without a test: all results, in the order of the search. */
static void a_search_alone(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 3000);
    job j;
    spk_analysis *analysis = NULL;
    spk_episode_list *list = NULL;
    spk_recording *recording = make_recording(&random);
    job_init(&j, false, &random);
    j.options.exact = NULL;
    j.options.episodes = &j.episodes;
    const spk_analysis_columns *c = run(&j, recording, &analysis);
    check(spk_episode_list_create(context, &list));
    check(spk_episode_mine(context, recording, &j.episodes, spk_episode_list_add, list, NULL));
    const spk_episode_columns all = spk_episode_list_columns(list);
    assert_int_equal(c->n, all.n);
    assert_memory_equal(c->episodes.offset, all.offset, (all.n + 1) * sizeof *all.offset);
    assert_memory_equal(c->episodes.unit, all.unit, all.offset[all.n] * sizeof *all.unit);
    assert_memory_equal(c->episodes.count, all.count, all.n * sizeof *all.count);
    assert_true(c->exact == NULL && c->maxima == NULL && c->families == NULL);
    spk_episode_list_free(list);
    j.options.episodes = NULL;
    j.options.cut = &j.cut;
    j.options.patterns = &j.patterns;
    check(spk_analysis_run(analysis, recording, &j.options)); /* what was there is gone */
    assert_int_equal(c->episodes.n, 0);
    assert_int_equal(c->n, c->patterns.n);
    assert_int_equal(c->n, c->pattern_summary->n_reported);
    assert_int_equal(spk_windows_columns(c->windows).window, j.cut.window);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

static void see_search(void *user, const spk_analysis_columns *columns)
{
    (void)columns;
    *(bool *)user = true;
}

/* The numbers of a test of signatures, by hand: only significant patterns, each with its signature,
 * and with a reduction those that it keeps. */
static void signatures_are_those_of_the_steps(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 4000);
    job j;
    spk_analysis *analysis = NULL;
    spk_surrogate_options made;
    spk_maxima_options surrogates;
    spk_reduce_options reduce;
    spk_stability_options stability;
    spk_recording *recording = make_recording(&random);
    job_init(&j, true, &random);
    spk_surrogate_options_init(&made, sizeof made);
    made.bin = j.cut.bin;
    spk_maxima_options_init(&surrogates, sizeof surrogates);
    surrogates.windows = &j.cut;
    surrogates.patterns = &j.patterns;
    surrogates.surrogates = &made;
    surrogates.n_surrogates = 40;
    spk_reduce_options_init(&reduce, sizeof reduce);
    spk_stability_options_init(&stability, sizeof stability);
    j.options.exact = NULL;
    j.options.signatures = &surrogates;
    j.options.report = SPK_REPORT_ALL;
    j.options.reduce = &reduce;
    j.options.stability = &stability;
    const spk_analysis_columns *c = run(&j, recording, &analysis);
    const spk_significance *s = c->signatures;
    uint64_t n_significant = 0, n_kept = 0;
    assert_true(c->n > 0 && c->n == s->n_patterns && s->n_rows == c->n);
    for (uint64_t k = 0; k < c->n; k++) {
        const spk_signature *own = &s->signature[c->signature[k]];
        assert_int_equal(own->size, c->patterns.offset[k + 1] - c->patterns.offset[k]);
        assert_int_equal(own->count, c->patterns.count[k]);
        n_significant += own->significant;
        n_kept += s->kept[k];
        assert_true(s->kept[k] == 0 || own->significant);
        assert_true(s->intensional[k] >= 0 && s->intensional[k] <= 1);
    }
    assert_true(n_kept > 0 && n_kept <= n_significant);
    assert_int_equal(s->n_significant, n_significant);
    assert_int_equal(s->n_kept, n_kept);
    assert_string_equal(s->reduction, "0,0,0");
    assert_string_equal(s->method, made.method);
    j.options.report = SPK_REPORT_SIGNIFICANT;
    check(spk_analysis_run(analysis, recording, &j.options));
    assert_int_equal(c->n, n_kept);
    assert_null(c->signatures->kept);
    bool is_searched = false;
    made.dither = (spk_duration){1, -9, 0}; /* nothing would move: told before the search */
    j.options.searched = see_search;
    j.options.user = &is_searched;
    assert_int_equal(spk_analysis_run(analysis, recording, &j.options), SPK_ERR_ARGUMENT);
    assert_false(is_searched);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

/* A comparison by hand: the significant results, the smallest p first. */
static void comparisons_are_those_of_the_step(void **state)
{
    (void)state;
    spk_time_range trials[6];
    static const uint8_t condition[] = {0, 0, 0, 1, 1, 1};
    static spk_compare_verdict verdict[MOST_RESULTS];
    test_random random = test_random_make(seed, 5000);
    job j;
    spk_analysis *analysis = NULL;
    spk_episode_list *list = NULL;
    spk_compare_options compare;
    spk_recording *whole = make_recording(&random), *recording = NULL;
    for (int k = 0; k < 6; k++)
        trials[k] = (spk_time_range){{500 * k, -3}, {500 * (k + 1), -3}};
    check(spk_recording_cut(context, whole, 6, trials, &recording));
    job_init(&j, false, &random);
    spk_compare_options_init(&compare, sizeof compare);
    compare.n_trials = 6;
    compare.condition = condition;
    compare.alpha = 0.5;
    j.options.exact = NULL;
    j.options.episodes = &j.episodes;
    j.options.compare = &compare;
    const spk_analysis_columns *c = run(&j, recording, &analysis);
    check(spk_episode_list_create(context, &list));
    check(spk_episode_mine(context, recording, &j.episodes, spk_episode_list_add, list, NULL));
    const spk_episode_columns all = spk_episode_list_columns(list);
    check(spk_compare_episodes(context, recording, &compare, &all, verdict, NULL));
    uint64_t n = 0;
    for (uint64_t i = 0; i < all.n; i++)
        n += verdict[i].p <= compare.alpha;
    assert_int_equal(c->n, n);
    assert_int_equal(c->compare->n_significant, n);
    assert_int_equal(c->n_more[0] + c->n_more[1], n);
    for (uint64_t k = 1; k < c->n; k++)
        assert_true(c->compare->verdict[k - 1].p <= c->compare->verdict[k].p);
    spk_episode_list_free(list);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
    spk_recording_free(whole);
}

/* ---- peeling --------------------------------------------------------------------------------- */

/* What a sink of peeling was given, and after which round it cancels. */
typedef struct rounds {
    uint32_t n;
    uint32_t n_accepted;
    double p[64];
    double last_p;
    uint32_t cancel_after;
} rounds;

static spk_status take_round(void *user, const spk_peel_round *round)
{
    rounds *r = user;
    r->n = round->number;
    r->last_p = round->least_p;
    assert_true(r->n_accepted < 64);
    if (round->episode != NULL)
        r->p[r->n_accepted++] = round->verdict.p;
    if (round->number == r->cancel_after)
        spk_context_cancel(context);
    return SPK_OK;
}

static void rows_of_peeling_are_its_rounds(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 6000);
    job j;
    rounds by_sink = {.n = 0}, heard = {.n = 0};
    spk_peel_options peel;
    spk_analysis *analysis = NULL;
    spk_recording *recording = make_recording(&random);
    job_init(&j, false, &random);
    spk_peel_options_init(&peel, sizeof peel);
    peel.test = &j.test;
    check(spk_exact_peel(context, recording, &peel, take_round, &by_sink));
    j.options.peel = true;
    j.options.round = take_round;
    j.options.user = &heard;
    const spk_analysis_columns *c = run(&j, recording, &analysis);
    assert_memory_equal(&heard, &by_sink, sizeof heard);
    assert_true(c->n > 0);
    assert_int_equal(c->n, by_sink.n_accepted);
    assert_int_equal(c->exact->n_rounds, by_sink.n);
    assert_true(c->last_p == by_sink.last_p);
    for (uint64_t k = 0; k < c->n; k++) {
        assert_int_equal(c->exact->round[k], k + 1);
        assert_true(c->exact->verdict[k].p == by_sink.p[k]);
    }
    heard = (rounds){.cancel_after = 1};
    assert_int_equal(spk_analysis_run(analysis, recording, &j.options), SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
    assert_int_equal(c->n, 1); /* what was accepted before */
    assert_int_equal(c->exact->round[0], 1);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

/* ---- sentences ------------------------------------------------------------------------------- */

typedef struct text {
    char text[4000];
} text;

/* A spk_sentence_sink. */
static spk_status add_line(void *user, const char *sentence)
{
    text *t = user;
    const size_t n = strlen(t->text);
    snprintf(t->text + n, sizeof t->text - n, "%s\n", sentence);
    return SPK_OK;
}

static void what_was_found_is_told(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 6500);
    job j;
    text command = {""}, python = {""}, row = {""};
    char wanted[200];
    spk_analysis *analysis = NULL;
    spk_recording *recording = make_recording(&random);
    job_init(&j, false, &random);
    j.test.n_surrogates = 9;
    const spk_analysis_columns *c = run(&j, recording, &analysis);
    check(spk_analysis_tell(c, SPK_SPELLING_COMMAND, add_line, &command));
    check(spk_analysis_tell(c, SPK_SPELLING_PYTHON, add_line, &python));
    snprintf(wanted, sizeof wanted,
             "%" PRIu64 " of %" PRIu64 " episodes %s significant at 0.05, %" PRIu64
             " of them core\n9 surrogates are too few for alpha 0.05: no p-value can be below ",
             c->exact->n_significant, c->exact->n_tested,
             c->exact->n_significant == 1 ? "is" : "are", c->exact->n_core);
    assert_non_null(strstr(command.text, wanted));
    assert_non_null(strstr(python.text, wanted));
    assert_int_equal(c->exact->n_significant == 0, strstr(python.text, "\nwith jitter") != NULL);
    j.options.report = SPK_REPORT_ALL;
    check(spk_analysis_run(analysis, recording, &j.options));
    check(spk_analysis_tell_row(c, recording, 0, add_line, &row));
    snprintf(wanted, sizeof wanted, ": %" PRIu64 " times, ", c->episodes.count[0]);
    assert_non_null(strstr(row.text, " -> "));
    assert_non_null(strstr(row.text, wanted));
    j.options.exact = NULL, j.options.episodes = &j.episodes;
    check(spk_analysis_run(analysis, recording, &j.options));
    row.text[0] = '\0';
    check(spk_analysis_tell(c, SPK_SPELLING_COMMAND, add_line, &row));
    assert_string_equal(row.text, ""); /* there was no test */
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

/* a -> b, b -> a with another delay, b -> a with that delay, and c -> a: of synchrony, but for the
 * last one. */
static void a_pair_in_both_directions_is_told_once(void **state)
{
    (void)state;
    const uint32_t unit[] = {0, 1, 1, 0, 1, 0, 2, 0};
    const uint64_t offset[] = {0, 2, 4, 6, 8}, count[] = {5, 6, 7, 8};
    const uint16_t delay[] = {0, 0, 0, 1, 0, 0, 0, 0};
    uint32_t means[] = {SPK_MEANS_SYNCHRONY, SPK_MEANS_SYNCHRONY, SPK_MEANS_SYNCHRONY, 0};
    spk_exact_verdict verdict[4] = {{.p = 0.1}, {.p = 0.2}, {.p = 0.3}, {.p = 0.4}};
    spk_exact_report test = {.verdict = verdict, .means = means};
    test_random random = test_random_make(seed, 6501);
    text row = {""};
    spk_analysis_columns c = {.n = 4, .exact = &test};
    c.episodes = (spk_episode_columns){
        .n = 4, .unit = unit, .offset = offset, .count = count, .delay = delay, .n_delays = 1};
    spk_recording *recording = make_recording(&random);
    for (uint64_t k = 0; k < 4; k++)
        assert_int_equal(spk_analysis_told_before(&c, k), k == 2);
    check(spk_analysis_tell_row(&c, recording, 0, add_line, &row));
    assert_non_null(strstr(row.text, ": 5 times, "));
    assert_non_null(strstr(row.text, ", p 0.1, both directions: synchrony (back 7 times, "));
    assert_non_null(strstr(row.text, ", p 0.3)\n"));
    row.text[0] = '\0';
    check(spk_analysis_tell_row(&c, recording, 1, add_line, &row));
    assert_null(strstr(row.text, "back"));
    means[0] = SPK_MEANS_RHYTHM; /* a row of no synchrony is told by itself */
    assert_false(spk_analysis_told_before(&c, 0));
    spk_recording_free(recording);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void cancel_search(void *user, const spk_analysis_columns *columns)
{
    *(uint64_t *)user = columns->n_results;
    spk_context_cancel(context);
}

static void a_cancel_leaves_nothing(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 7000);
    uint64_t n_results = 0;
    job j;
    spk_analysis *analysis = NULL;
    spk_recording *recording = make_recording(&random);
    job_init(&j, false, &random);
    const spk_analysis_columns *c = run(&j, recording, &analysis);
    assert_true(c->n > 0);
    j.options.searched = cancel_search;
    j.options.user = &n_results;
    assert_int_equal(spk_analysis_run(analysis, recording, &j.options), SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
    assert_true(n_results > 0);
    assert_true(c->n == 0 && c->exact == NULL && c->episode_summary == NULL);
    spk_context_set_memory_limit(context, 2000);
    j.options.searched = NULL;
    assert_int_equal(spk_analysis_run(analysis, recording, &j.options), SPK_ERR_MEMORY);
    spk_context_set_memory_limit(context, 0);
    check(spk_analysis_run(analysis, recording, &j.options));
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

static void refused(spk_analysis *analysis, const spk_recording *recording, const job *j,
                    const char *words)
{
    assert_int_equal(spk_analysis_run(analysis, recording, &j->options), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), words));
    assert_int_equal(spk_analysis_columns_of(analysis)->n, 0);
}

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 8000);
    job good, j;
    spk_analysis *analysis = NULL;
    spk_maxima *maxima = NULL, *none = NULL;
    spk_recording *recording = make_recording(&random);
    job_init(&good, false, &random);
    good.options.select = NULL;
    check(spk_analysis_create(context, &analysis));
    check(spk_analysis_make_maxima(context, recording, &good.options, &maxima));
    assert_int_equal(spk_exact_columns_of(maxima).n, good.test.n_surrogates);
    j = good, j.options.episodes = &good.episodes;
    refused(analysis, recording, &j, "one search");
    j = good, j.options.exact = NULL;
    refused(analysis, recording, &j, "one search");
    j = good, j.options.episode_rows = spk_episode_list_add;
    refused(analysis, recording, &j, "a search alone");
    j = good, j.options.exact = NULL, j.options.patterns = &good.patterns;
    refused(analysis, recording, &j, "windows");
    j = good, j.options.exact = NULL, j.options.episodes = &good.episodes;
    j.options.report = SPK_REPORT_CORE;
    refused(analysis, recording, &j, "exact test");
    assert_int_equal(spk_analysis_make_maxima(context, recording, &j.options, &none),
                     SPK_ERR_ARGUMENT);
    assert_null(none);
    j = good, j.options.alpha = 0;
    refused(analysis, recording, &j, "alpha");
    j = good, j.options.peel = true, j.options.families = true;
    refused(analysis, recording, &j, "families");
    j = good, j.options.peel = true, j.options.report = SPK_REPORT_ALL;
    refused(analysis, recording, &j, "all results");
    j = good, j.options.order = "beauty";
    refused(analysis, recording, &j, "no order 'beauty'");
    j = good, j.options.order = "count", j.options.families = true;
    refused(analysis, recording, &j, "families");
    j = good, j.options.order = "count", j.options.exact = NULL;
    j.options.episodes = &good.episodes;
    refused(analysis, recording, &j, "comparison");
    spk_compare_options conditions;
    spk_compare_options_init(&conditions, sizeof conditions);
    j.options.compare = &conditions, j.options.order = "excess";
    refused(analysis, recording, &j, "exact test");
    j = good, j.options.maxima = maxima, j.options.exact = &j.test, j.test.seed++;
    refused(analysis, recording, &j, "seed");
    spk_maxima_free(maxima);
    spk_analysis_free(analysis);
    spk_recording_free(recording);
}

int main(void)
{
    seed = test_seed("test_analysis");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_steps),
        cmocka_unit_test(selection_is_of_the_rows),
        cmocka_unit_test(rows_come_in_the_order_asked_for),
        cmocka_unit_test(limits_hold_for_the_test),
        cmocka_unit_test(a_search_alone),
        cmocka_unit_test(signatures_are_those_of_the_steps),
        cmocka_unit_test(comparisons_are_those_of_the_step),
        cmocka_unit_test(rows_of_peeling_are_its_rounds),
        cmocka_unit_test(what_was_found_is_told),
        cmocka_unit_test(a_pair_in_both_directions_is_told_once),
        cmocka_unit_test(a_cancel_leaves_nothing),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
