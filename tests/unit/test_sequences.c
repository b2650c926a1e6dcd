/*
 * Whole sequences: planted ones come back with members, lags and occurrences; p is the rank of the
 * recording among surrogates that undergo the same search; nothing depends on threads; hostile
 * recordings.
 */
#include "base/tails.h"
#include "sequence/sequence.h"
#include "support/test.h"

enum { UNITS = 12, MEMBERS = 6, REPEATS = 20, SECONDS = 20, MOST_EVENTS = 20000 };

static uint64_t seed;

/* ---- recordings ------------------------------------------------------------------------------ */

/* Ticks of 0.1 ms. */
typedef struct spikes {
    uint64_t n;
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
    int64_t planted[REPEATS]; /* times of the first member */
} spikes;

static spikes s;

static void add_spike(int64_t time, uint32_t unit)
{
    assert_true(s.n < MOST_EVENTS);
    s.time[s.n] = time;
    s.unit[s.n++] = unit;
}

static double draw_normal(test_random *random)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += test_random_real(random);
    return sum;
}

/* Chance: two spikes a second of each unit. */
static void draw_chance(test_random *random, uint32_t n_units, int64_t ticks)
{
    s.n = 0;
    for (uint32_t u = 0; u < n_units; u++)
        for (int64_t k = 0; k < 2 * ticks / 10000; k++)
            add_spike(test_random_between(random, 0, ticks - 1), u);
}

/* Units 0, 2, 4 ... one after the other every 15 ms, 3 ms of jitter, a fifth of them missing. */
static void plant(test_random *random)
{
    for (int k = 0; k < REPEATS; k++) {
        s.planted[k] = 2000 + k * (SECONDS * 10000 - 4000) / REPEATS;
        for (uint32_t m = 0; m < MEMBERS; m++)
            if (!test_random_chance(random, 0.2))
                add_spike(s.planted[k] + 150 * m + (int64_t)(30 * draw_normal(random)), 2 * m);
    }
}

static spk_recording *make(uint32_t n_units, int64_t start, int64_t stop,
                           const spk_segment *segments, size_t n_segments)
{
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = s.n;
    source.time = s.time;
    source.unit = s.unit;
    source.n_units = n_units;
    source.rate = (spk_rate){10000, 1};
    source.start = &start;
    source.stop = &stop;
    source.segments = segments;
    source.n_segments = n_segments;
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    return recording;
}

static spk_recording *planted_by(uint64_t of_seed, uint64_t number)
{
    test_random random = test_random_make(of_seed, number);
    draw_chance(&random, UNITS, SECONDS * 10000);
    plant(&random);
    return make(UNITS, 0, SECONDS * 10000, NULL, 0);
}

static spk_recording *planted(uint64_t number)
{
    return planted_by(seed, number);
}

static spk_sequence_options usual(uint64_t n_surrogates)
{
    spk_sequence_options options;
    spk_sequence_options_init(&options, sizeof options);
    options.n_surrogates = n_surrogates;
    return options;
}

static spk_sequences *find(const spk_recording *recording, const spk_sequence_options *options,
                           int threads, spk_sequence_summary *summary)
{
    spk_context *context = NULL;
    spk_sequences *found = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_threads(context, threads);
    if (spk_sequences_find(context, recording, options, &found, summary) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    spk_context_free(context);
    return found;
}

/* ---- what was planted ------------------------------------------------------------------------ */

static void check_members(const spk_sequence_columns *c)
{
    assert_int_equal(c->member_first[1], MEMBERS);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        assert_int_equal(c->unit[m], 2 * m);
        assert_true(fabs(c->lag_ticks[m] - 150 * m) < 40);
        assert_true(c->spread_ticks[m] > 10 && c->spread_ticks[m] < 60);
        assert_true(c->share[m] > 0.4 && c->member_p[m] <= 0.05 && c->split_p[m] < 0.01);
    }
}

static void check_occurrences(const spk_recording *recording, const spk_sequence_columns *c)
{
    const spk_events events = spk_recording_events(recording);
    uint32_t n_right = 0;
    for (uint64_t o = 0; o < c->occurrence_first[1]; o++) {
        uint32_t missing = 0;
        bool right = false;
        for (int k = 0; k < REPEATS; k++)
            right = right || llabs(c->time[o] - s.planted[k]) < 100;
        n_right += right;
        for (uint32_t m = 0; m < MEMBERS; m++) {
            const uint32_t e = c->spike[o * MEMBERS + m];
            missing += e == SPK_SEQUENCE_MISSING;
            if (e == SPK_SEQUENCE_MISSING)
                continue;
            assert_int_equal(events.unit[e], c->unit[m]);
            assert_true(fabs((double)(events.time[e] - c->time[o]) - c->lag_ticks[m]) <=
                        3 * c->spread_ticks[m] + 2);
        }
        assert_int_equal(missing, c->missing[o]);
        assert_true(c->occurrence_p[o] >= 0.01 - 1e-9 && c->occurrence_p[o] <= 1);
        assert_true(missing > 0 || c->occurrence_p[o] <= 0.05);
        for (uint64_t k = 0; k < o; k++) /* p is a rank */
            assert_true((c->occurrence_p[k] - c->occurrence_p[o]) *
                            (c->occurrence_score[k] - c->occurrence_score[o]) <=
                        0);
    }
    assert_true(n_right >= REPEATS - 3 && c->occurrence_first[1] - n_right <= 3);
}

/* Always the same draw: about one in ten has a member too many, a weak one, or an occurrence more.
 */
static void a_planted_sequence_comes_back(void **state)
{
    (void)state;
    spk_recording *recording = planted_by(1, 1);
    const spk_sequence_options options = usual(19);
    spk_sequence_summary summary;
    spk_sequences *found = find(recording, &options, 2, &summary);
    const spk_sequence_columns c = spk_sequences_columns(found);
    assert_true(c.n >= 1 && summary.n_surrogates == 19);
    assert_true(fabs(c.p[0] - 0.05) < 1e-12);
    check_members(&c);
    check_occurrences(recording, &c);
    spk_sequences_free(found);
    spk_recording_free(recording);
}

static void nothing_depends_on_threads(void **state)
{
    (void)state;
    spk_recording *recording = planted(2);
    const spk_sequence_options options = usual(4);
    spk_sequence_options all = options;
    all.alpha = 1, all.max_sequences = 2;
    spk_sequences *found[2];
    for (int k = 0; k < 2; k++)
        found[k] = find(recording, &all, k == 0 ? 1 : 3, NULL);
    const spk_sequence_columns a = spk_sequences_columns(found[0]);
    const spk_sequence_columns b = spk_sequences_columns(found[1]);
    assert_true(a.n >= 1);
    assert_int_equal(b.n, a.n);
    const uint64_t n_members = a.member_first[a.n], n_spikes = a.spike_first[a.n];
    assert_memory_equal(a.member_first, b.member_first, (a.n + 1) * sizeof *a.member_first);
    assert_memory_equal(a.spike_first, b.spike_first, (a.n + 1) * sizeof *a.spike_first);
    assert_memory_equal(a.p, b.p, a.n * sizeof *a.p);
    assert_memory_equal(a.statistic, b.statistic, a.n * sizeof *a.statistic);
    assert_memory_equal(a.lag_ticks, b.lag_ticks, n_members * sizeof *a.lag_ticks);
    assert_memory_equal(a.member_p, b.member_p, n_members * sizeof *a.member_p);
    assert_memory_equal(a.split_p, b.split_p, n_members * sizeof *a.split_p);
    assert_memory_equal(a.spike, b.spike, n_spikes * sizeof *a.spike);
    spk_sequences_free(found[0]);
    spk_sequences_free(found[1]);
    spk_recording_free(recording);
}

/* ---- what is removed ------------------------------------------------------------------------- */

/* With a tiny alpha two members are listed, and the spikes of the others are removed all the same,
 * as the next round would find these again. */
static void likely_members_lose_their_spikes(void **state)
{
    (void)state;
    spk_recording *recording = planted(8);
    const spk_events events = spk_recording_events(recording);
    sequence_axis axis = {0};
    sequence_work work = {0};
    sequence_candidate best = {0};
    spk_sequences *found = NULL;
    spk_sequence_options options = usual(1);
    uint64_t n_gone[UNITS] = {0};
    static uint8_t gone[MOST_EVENTS];
    memset(gone, 0, sizeof gone);
    options.alpha = 1e-6;
    assert_int_equal(spk_sequence_axis_create(NULL, recording, 2000, 500 / 32.0, &axis), SPK_OK);
    assert_int_equal(spk_sequence_work_create(NULL, &axis, &work), SPK_OK);
    assert_int_equal(spk_sequence_candidate_create(NULL, &axis, &best), SPK_OK);
    assert_int_equal(spk_sequence_search(NULL, &work, &best), SPK_OK);
    assert_int_equal(spk_sequences_create(NULL, &found), SPK_OK);
    assert_int_equal(spk_sequences_add(NULL, &work, &options, 1, 0.5, &best, found, gone), SPK_OK);
    assert_int_equal(spk_sequences_columns(found).member_first[1], 2);
    for (uint64_t e = 0; e < events.n_events; e++)
        n_gone[events.unit[e]] += gone[e];
    uint32_t n_weak = 0; /* of a member that was drawn badly fewer are told from others */
    for (uint32_t m = 0; m < MEMBERS; m++) {
        assert_true(n_gone[2 * m] > 0);
        n_weak += n_gone[2 * m] <= REPEATS / 2;
    }
    assert_true(n_weak <= 1);
    spk_sequences_free(found);
    spk_sequence_candidate_free(&best);
    spk_sequence_work_free(&work);
    spk_sequence_axis_free(&axis);
    spk_recording_free(recording);
}

/* ---- p --------------------------------------------------------------------------------------- */

static double statistic_of(const spk_recording *recording)
{
    sequence_axis axis = {0};
    sequence_work work = {0};
    sequence_candidate best = {0};
    assert_int_equal(spk_sequence_axis_create(NULL, recording, 2000, 500 / 32.0, &axis), SPK_OK);
    assert_int_equal(spk_sequence_work_create(NULL, &axis, &work), SPK_OK);
    assert_int_equal(spk_sequence_candidate_create(NULL, &axis, &best), SPK_OK);
    assert_int_equal(spk_sequence_search(NULL, &work, &best), SPK_OK);
    const double statistic = best.statistic;
    spk_sequence_candidate_free(&best);
    spk_sequence_work_free(&work);
    spk_sequence_axis_free(&axis);
    return statistic;
}

static void p_is_the_rank_among_surrogates(void **state)
{
    (void)state;
    enum { SURROGATES = 9 };
    test_random random = test_random_make(seed, 3);
    draw_chance(&random, UNITS, SECONDS * 10000);
    spk_recording *recording = make(UNITS, 0, SECONDS * 10000, NULL, 0);
    spk_sequence_options options = usual(SURROGATES);
    spk_surrogate_options null;
    spk_surrogates *surrogates = NULL;
    spk_sequence_summary summary;
    double rank = 1;
    spk_surrogate_options_init(&null, sizeof null);
    null.method = "interval-jitter";
    null.dither = in_ms(50);
    null.seed = 5;
    options.surrogates = &null;
    spk_sequences_free(find(recording, &options, 1, &summary));
    assert_int_equal(spk_surrogates_create(NULL, recording, &null, &surrogates), SPK_OK);
    const double own = statistic_of(recording);
    for (uint64_t k = 1; k <= SURROGATES; k++) {
        spk_recording *surrogate = NULL;
        assert_int_equal(spk_surrogates_make(NULL, surrogates, k, &surrogate), SPK_OK);
        rank += statistic_of(surrogate) >= own;
        spk_recording_free(surrogate);
    }
    assert_int_equal(summary.n_rounds, 1); /* p is 0.1 at least */
    assert_true(fabs(summary.last_p - (own > 0 ? rank / (SURROGATES + 1) : 1)) < 1e-12);
    spk_surrogates_free(surrogates);
    spk_recording_free(recording);
}

/* A recording of chance is one more surrogate, so that p <= 1/4 in a quarter of them at most. */
static void chance_is_seldom_significant(void **state)
{
    (void)state;
    const uint64_t n = test_scaled(60);
    uint64_t k = 0;
    for (uint64_t c = 0; c < n; c++) {
        test_random random = test_random_make(seed, 1000 + c);
        draw_chance(&random, 6, 60000);
        spk_recording *recording = make(6, 0, 60000, NULL, 0);
        spk_sequence_options options = usual(3);
        options.alpha = 0.25;
        options.max_sequences = 1;
        spk_sequences *found = find(recording, &options, 1, NULL);
        k += spk_sequences_columns(found).n;
        spk_sequences_free(found);
        spk_recording_free(recording);
    }
    assert_true(k == 0 || spk_binomial_log_tail(k - 1, n, 0.25) > log(1e-6));
}

/* ---- segments -------------------------------------------------------------------------------- */

static void no_occurrence_crosses_a_border(void **state)
{
    (void)state;
    spk_segment segment[2 * REPEATS];
    test_random random = test_random_make(seed, 4);
    draw_chance(&random, UNITS, SECONDS * 10000);
    plant(&random);
    for (int k = 0; k < REPEATS; k++) { /* each occurrence is cut behind its third member */
        const int64_t cut = s.planted[k] + 375;
        segment[2 * k] = (spk_segment){cut - 3000 < 0 ? 0 : cut - 3000, cut};
        segment[2 * k + 1] = (spk_segment){cut, cut + 3000};
    }
    spk_recording *recording = make(UNITS, 0, SECONDS * 10000, segment, 2 * REPEATS);
    const spk_events events = spk_recording_events(recording);
    spk_sequence_options options = usual(1);
    options.alpha = 1, options.max_sequences = 3;
    spk_sequences *found = find(recording, &options, 2, NULL);
    const spk_sequence_columns c = spk_sequences_columns(found);
    for (uint32_t i = 0; i < c.n; i++) {
        const uint64_t n_members = c.member_first[i + 1] - c.member_first[i];
        for (uint64_t o = 0; o < c.occurrence_first[i + 1] - c.occurrence_first[i]; o++)
            for (int k = 0; k < REPEATS; k++) {
                bool before = false, behind = false;
                for (uint64_t m = 0; m < n_members; m++) {
                    const uint32_t e = c.spike[c.spike_first[i] + o * n_members + m];
                    if (e == SPK_SEQUENCE_MISSING)
                        continue;
                    before = before || events.time[e] < segment[2 * k].stop;
                    behind = behind || events.time[e] >= segment[2 * k].stop;
                }
                assert_false(before && behind);
            }
    }
    spk_sequences_free(found);
    spk_recording_free(recording);
}

/* ---- hostile recordings ---------------------------------------------------------------------- */

static void check_nothing(const spk_recording *recording)
{
    const spk_sequence_options options = usual(2);
    spk_sequence_summary summary;
    spk_sequences *found = find(recording, &options, 2, &summary);
    const spk_sequence_columns c = spk_sequences_columns(found);
    assert_int_equal(c.n, 0);
    assert_int_equal(c.member_first[0] + c.occurrence_first[0] + c.spike_first[0], 0);
    assert_true(summary.n_rounds == 1 && summary.last_p > 0.05);
    spk_sequences_free(found);
    /* Where every p is small enough, what never occurs is no sequence either. */
    spk_sequence_options any = options;
    any.alpha = 1, any.max_sequences = 3;
    found = find(recording, &any, 2, &summary);
    const spk_sequence_columns d = spk_sequences_columns(found);
    for (uint64_t i = 0; i < d.n; i++)
        assert_true(d.occurrence_first[i + 1] > d.occurrence_first[i]);
    spk_sequences_free(found);
}

static void hostile_recordings_have_none(void **state)
{
    (void)state;
    static const struct {
        uint32_t n_units;
        int64_t start, step, length; /* a spike of each unit in turn every `step` */
        uint64_t n;
    } cases[] = {{0, 0, 0, 10000, 0},
                 {3, 0, 0, 10000, 0},
                 {1, 0, 7, 10000, 1000},
                 {3, 5, 0, 1, 3},
                 {50, 0, 0, 100, 50},
                 {2, INT64_MIN, 300, 100000, 300},
                 {2, INT64_MAX - 100000, 1, 100000, 9000}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        s.n = 0;
        for (uint64_t i = 0; i < cases[k].n; i++)
            add_spike(cases[k].start + (int64_t)i * cases[k].step,
                      (uint32_t)(i % cases[k].n_units));
        spk_recording *recording =
            make(cases[k].n_units, cases[k].start, cases[k].start + cases[k].length, NULL, 0);
        check_nothing(recording);
        spk_recording_free(recording);
    }
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    spk_recording *recording = planted(5);
    spk_sequences *found = NULL;
    spk_surrogate_options null;
    spk_sequence_options options[8];
    spk_surrogate_options_init(&null, sizeof null);
    null.method = "no such method";
    for (int k = 0; k < 8; k++)
        options[k] = usual(1);
    options[0].alpha = 0;
    options[1].alpha = 1.5;
    options[2].n_surrogates = 0;
    options[3].max_sequences = 0;
    options[4].longest_lag = in_ms(12);
    options[5].surrogates = &null;
    options[6].member_q = -1;
    options[7].n_shards = 2;
    for (int k = 0; k < 8; k++) {
        assert_int_equal(spk_sequences_find(NULL, recording, &options[k], &found, NULL),
                         SPK_ERR_ARGUMENT);
        assert_null(found);
    }
    spk_recording_free(recording);
}

static void a_cancel_ends_the_search(void **state)
{
    (void)state;
    spk_recording *recording = planted(6);
    const spk_sequence_options options = usual(99);
    spk_context *context = NULL;
    spk_sequences *found = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_cancel(context);
    assert_int_equal(spk_sequences_find(context, recording, &options, &found, NULL),
                     SPK_ERR_CANCELLED);
    assert_null(found);
    spk_context_free(context);
    spk_recording_free(recording);
}

typedef struct second_round {
    spk_context *context;
    spk_sequence_summary summary;
} second_round;

static void cancel_second_round(void *user, const char *what, uint64_t done, uint64_t total)
{
    const second_round *r = user;
    (void)what, (void)done, (void)total;
    if (r->summary.n_rounds == 2)
        spk_context_cancel(r->context);
}

/* In a hurry the sequences are the same, and what a complete round found outlasts a cancel. */
static void complete_rounds_outlast_a_cancel(void **state)
{
    (void)state;
    spk_recording *recording = planted(6);
    spk_sequence_options options = usual(5);
    spk_sequences *quick = NULL;
    spk_sequence_summary whole;
    options.alpha = 1, options.max_sequences = 2, options.longest_lag = in_ms(100);
    spk_sequences *found = find(recording, &options, 2, &whole);
    const spk_sequence_columns a = spk_sequences_columns(found);
    for (int cuts = 0; cuts < 2; cuts++) {
        second_round r = {.summary = {0}};
        assert_int_equal(spk_context_create(&r.context), SPK_OK);
        if (cuts)
            spk_context_set_progress(r.context, cancel_second_round, &r);
        assert_int_equal(
            spk_sequences_find_in_time(r.context, recording, &options, &quick, &r.summary),
            cuts ? SPK_ERR_CANCELLED : SPK_OK);
        const spk_sequence_columns b = spk_sequences_columns(quick);
        assert_int_equal(b.n, cuts ? 1 : a.n);
        assert_memory_equal(a.p, b.p, b.n * sizeof *a.p);
        assert_memory_equal(a.unit, b.unit, b.member_first[b.n] * sizeof *a.unit);
        assert_memory_equal(a.spike, b.spike, b.spike_first[b.n] * sizeof *a.spike);
        assert_int_equal(r.summary.n_rounds, whole.n_rounds);
        spk_sequences_free(quick);
        spk_context_free(r.context);
    }
    spk_sequences_free(found);
    spk_recording_free(recording);
}

/* Once a round cannot be accepted, its other surrogates are not made. */
static void a_hurry_ends_at_what_must_be_chance(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_sequences *quick = NULL;
    spk_sequence_summary whole = {0}, summary = {0};
    spk_recording *recording = planted(7);
    spk_sequence_options options = usual(39);
    options.alpha = 0.05, options.longest_lag = in_ms(100);
    spk_sequences *found = find(recording, &options, 2, &whole);
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(spk_sequences_find_in_time(context, recording, &options, &quick, &summary),
                     SPK_OK);
    assert_int_equal(spk_sequences_columns(quick).n, spk_sequences_columns(found).n);
    assert_int_equal(summary.n_rounds, whole.n_rounds);
    assert_true(summary.last_p > 0.05 && summary.last_p <= whole.last_p);
    assert_true(summary.is_least || summary.last_p >= whole.last_p);
    /* A block has 8 surrogates, and no block is made behind the second that is as large. */
    assert_true(summary.last_p >= 1 || summary.last_p <= 10.0 / 40 + 1e-9);
    spk_sequences_free(quick);
    spk_sequences_free(found);
    spk_context_free(context);
    spk_recording_free(recording);
}

static spk_status find_within(uint64_t limit, const spk_recording *recording,
                              const spk_sequence_options *options, bool of_surrogates)
{
    spk_context *context = NULL;
    spk_sequences *found = NULL;
    spk_maxima *maxima = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_threads(context, 1);
    spk_context_set_memory_limit(context, limit);
    spk_status status = of_surrogates
                            ? spk_sequences_run(context, recording, options, &maxima)
                            : spk_sequences_find(context, recording, options, &found, NULL);
    assert_true((found != NULL || maxima != NULL) == (status == SPK_OK));
    spk_sequences_free(found);
    spk_maxima_free(maxima);
    spk_context_free(context);
    return status;
}

/* Surrogates keep to it, too, and many rounds need no more than one. */
static void a_memory_limit_is_kept(void **state)
{
    (void)state;
    spk_recording *recording = planted(7);
    spk_sequence_options options = usual(1);
    uint64_t limit = 20000;
    options.alpha = options.max_sequences = 1;
    assert_int_equal(find_within(limit, recording, &options, false), SPK_ERR_MEMORY);
    while (find_within(limit, recording, &options, false) != SPK_OK)
        limit += limit / 8;
    assert_int_equal(find_within(limit / 2, recording, &options, true), SPK_ERR_MEMORY);
    options.max_sequences = 4;
    assert_int_equal(find_within(limit + limit / 4, recording, &options, false), SPK_OK);
    spk_recording_free(recording);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Lines of a file, and in `*found` those that begin with this text. */
static uint64_t count_lines(const char *path, const char *begin, uint64_t *found)
{
    char line[4096];
    uint64_t n = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (*found = 0; fgets(line, sizeof line, file) != NULL; n++)
        *found += strncmp(line, begin, strlen(begin)) == 0;
    assert_int_equal(fclose(file), 0);
    return n;
}

static void files_have_a_line_for_each_row(void **state)
{
    (void)state;
    spk_recording *recording = planted(8);
    spk_sequence_options options = usual(1);
    spk_sequence_report report;
    uint64_t n;
    options.alpha = 1, options.max_sequences = 2;
    spk_sequence_report_init(&report, sizeof report);
    spk_sequences *found = find(recording, &options, 2, &report.summary);
    const spk_sequence_columns c = spk_sequences_columns(found);
    assert_int_equal(spk_sequences_write(NULL, test_path("a.tsv"), SPK_FORM_TSV, recording, found,
                                         &report, NULL),
                     SPK_OK);
    assert_int_equal(count_lines(test_path("a.tsv"), "1\t", &n), c.member_first[c.n] + 1);
    assert_int_equal(n, c.member_first[1]);
    assert_int_equal(
        spk_sequences_write_occurrences(NULL, test_path("b.tsv"), recording, found, NULL), SPK_OK);
    assert_int_equal(count_lines(test_path("b.tsv"), "1\t", &n), c.occurrence_first[c.n] + 1);
    assert_int_equal(n, c.occurrence_first[1]);
    assert_int_equal(spk_sequences_write(NULL, test_path("a.json"), SPK_FORM_JSON, recording, found,
                                         &report, NULL),
                     SPK_OK);
    (void)count_lines(test_path("a.json"), "   {\"time_s\":", &n);
    assert_int_equal(n, c.occurrence_first[c.n]);
    if (spk_figure_available(NULL)) {
        assert_int_equal(spk_figure_sequences(NULL, recording, found, NULL, test_path("a.svg")),
                         SPK_OK);
        assert_true(test_file_exists("a.svg"));
    }
    spk_sequences_free(found);
    spk_recording_free(recording);
}

/* A spk_sentence_sink: a line each. */
static spk_status add_line(void *user, const char *sentence)
{
    const size_t n = strlen(user);
    assert_true(n + strlen(sentence) + 2 < 2000);
    memcpy((char *)user + n, sentence, strlen(sentence) + 1);
    strcat(user, "\n");
    return SPK_OK;
}

static void what_was_found_is_told(void **state)
{
    (void)state;
    char text[2000] = "";
    spk_recording *recording = planted(8);
    spk_sequence_options options = usual(1);
    spk_sequence_report report;
    options.alpha = 1, options.max_sequences = 1;
    spk_sequence_report_init(&report, sizeof report);
    report.alpha = options.alpha, report.jitter = (spk_duration){50, -3, 0};
    spk_sequences *found = find(recording, &options, 2, &report.summary);
    assert_int_equal(spk_sequences_columns(found).n, 1);
    assert_int_equal(spk_sequences_tell(found, &report, SPK_SPELLING_COMMAND, add_line, text),
                     SPK_OK);
    assert_int_equal(spk_sequences_tell(found, &report, SPK_SPELLING_PYTHON, add_line, text),
                     SPK_OK);
    assert_non_null(strstr(text, "1 search of "));
    assert_non_null(strstr(text, " surrogates (units shifted apart"));
    assert_non_null(strstr(text, "): 1 sequence with p up to 1\n"));
    assert_non_null(strstr(text, "there may be more: --max-sequences 1 has been reached\n"));
    assert_non_null(strstr(text, "there may be more: max_sequences=1 has been reached\n"));
    text[0] = '\0';
    assert_int_equal(spk_sequences_tell_row(found, recording, 0, add_line, text), SPK_OK);
    assert_non_null(strstr(text, " -> "));
    assert_non_null(strstr(text, " ms, "));
    report.summary.n_rounds = 2, report.summary.last_p = 0.5; /* and yet it is not there */
    assert_int_equal(spk_sequences_tell(found, &report, SPK_SPELLING_PYTHON, add_line, text), 0);
    assert_non_null(strstr(text, "has p = 0.5, but judging its members leaves no occurrence\n"));
    spk_sequences_free(found);
    spk_recording_free(recording);
}

/* The planted one has steps of 15 ms. */
static void a_sequence_without_room_for_one_more_step_may_go_on(void **state)
{
    (void)state;
    char text[2000] = "";
    spk_recording *recording = planted_by(20261126, 1);
    spk_sequence_options options = usual(19);
    spk_sequence_report report;
    options.max_sequences = 1;
    spk_sequence_report_init(&report, sizeof report);
    for (int room = 0; room < 2; room++) {
        options.longest_lag = (spk_duration){room ? 100 : 82, -3, 0};
        report.longest_lag = options.longest_lag;
        spk_sequences *found = find(recording, &options, 2, &report.summary);
        const spk_sequence_columns c = spk_sequences_columns(found);
        check_members(&c);
        assert_int_equal(report.summary.n_cut, room ? 0 : 1);
        for (int python = 0; python < 2; python++)
            assert_int_equal(spk_sequences_tell(found, &report,
                                                python ? SPK_SPELLING_PYTHON : SPK_SPELLING_COMMAND,
                                                add_line, text),
                             SPK_OK);
        spk_sequences_free(found);
    }
    assert_non_null(strstr(text, "1 sequence may go on: --longest-lag 82ms has no room for one"));
    assert_non_null(strstr(text, "1 sequence may go on: longest_lag=82ms has no room for one"));
    assert_null(strstr(text, "100ms"));
    spk_recording_free(recording);
}

static int set_up(void **state)
{
    (void)state;
    seed = test_seed("sequences");
    return 0;
}

/* In sparse recordings a sequence may lose all of its occurrences with the members that chance
 * explains. */
static void what_never_occurs_is_accepted_by_no_round(void **state)
{
    (void)state;
    spk_sequence_options options = usual(1);
    options.alpha = 1, options.max_sequences = 4;
    const uint64_t n_recordings = test_whole_recordings() ? 200 : 40;
    for (uint64_t k = 0; k < n_recordings; k++) {
        test_random random = test_random_make(20261126, k);
        const uint32_t n_units = 3 + (uint32_t)test_random_below(&random, 10);
        const int64_t stop = 20000 + (int64_t)test_random_below(&random, 100000);
        s.n = 0;
        for (uint64_t n = 30 + test_random_below(&random, 250); s.n < n;)
            add_spike(test_random_between(&random, 0, stop - 1),
                      (uint32_t)test_random_below(&random, n_units));
        spk_recording *recording = make(n_units, 0, stop, NULL, 0);
        spk_sequences *found = find(recording, &options, 1, NULL);
        const spk_sequence_columns c = spk_sequences_columns(found);
        for (uint32_t i = 0; i < c.n; i++)
            assert_true(c.occurrence_first[i + 1] > c.occurrence_first[i]);
        spk_sequences_free(found);
        spk_recording_free(recording);
    }
}

/* ---- what it takes --------------------------------------------------------------------------- */

/* 70 units with 14 spikes a second each: with a longest lag of seconds thousands of pairs have a
 * million spikes about their coincidences. All of them would be 13 s of counted work. */
static void long_lags_rank_no_more_than_the_work_allows(void **state)
{
    enum { BUSY = 70 };
    (void)state;
    test_random random = test_random_make(seed, 900);
    spk_sequence_options options = usual(1);
    uint64_t short_ns = 0, long_ns = 0;
    if (test_scaled(10) < 10)
        skip();
    s.n = 0;
    while (s.n < MOST_EVENTS)
        add_spike(test_random_between(&random, 0, SECONDS * 10000 - 1),
                  (uint32_t)test_random_below(&random, BUSY));
    spk_recording *recording = make(BUSY, 0, SECONDS * 10000, NULL, 0);
    assert_int_equal(spk_sequences_count_work(NULL, recording, &options, &short_ns), SPK_OK);
    options.longest_lag = (spk_duration){8, 0, 0};
    assert_int_equal(spk_sequences_count_work(NULL, recording, &options, &long_ns), SPK_OK);
    assert_in_range(short_ns, 100000000, 3000000000);
    assert_in_range(long_ns, short_ns, 6000000000);
    spk_recording_free(recording);
}

/* A search of milliseconds: a round of ten thousands takes minutes, and 19 surrogates do not. */
static void a_long_search_is_told_before_it_begins(void **state)
{
    (void)state;
    spk_recording *recording = planted(1);
    spk_sequence_options options = usual(3);
    options.longest_lag = in_ms(50); /* so that it is short on an emulator, too */
    char text[400];
    assert_int_equal(spk_sequences_check_time(NULL, recording, &options, text, sizeof text),
                     SPK_OK);
    assert_string_equal(text, "");
    options.n_surrogates = 100000000;
    assert_int_equal(spk_sequences_check_time(NULL, recording, &options, text, sizeof text),
                     SPK_OK);
    assert_memory_equal(text, "a search takes some ", 20);
    assert_non_null(strstr(text, "a round of it with 100000000 surrogates some "));
    assert_non_null(
        strstr(text, " hours; there is a round for each sequence, and one more; with "));
    assert_non_null(strstr(text, " --surrogates 19 it ends within a minute"));
    assert_null(strstr(text, "--longest-lag"));
    options.n_shards = 100000000; /* each has a surrogate */
    assert_int_equal(spk_sequences_check_time(NULL, recording, &options, text, sizeof text),
                     SPK_OK);
    assert_string_equal(text, "");
    spk_recording_free(recording);
}

/* So small an alpha needs so many surrogates that no setting of the search is enough. */
static void where_no_setting_is_enough_none_is_named(void **state)
{
    (void)state;
    spk_recording *recording = planted(1);
    spk_sequence_options options = usual(1000000000);
    char text[400];
    options.alpha = 1e-9;
    assert_int_equal(spk_sequences_check_time(NULL, recording, &options, text, sizeof text),
                     SPK_OK);
    assert_non_null(strstr(text, "; --stop looks at the beginning of the recording alone"));
    assert_null(strstr(text, "within a minute"));
    options.alpha = 2;
    assert_int_equal(spk_sequences_check_time(NULL, recording, &options, text, sizeof text),
                     SPK_ERR_ARGUMENT);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_sequence_comes_back),
        cmocka_unit_test(nothing_depends_on_threads),
        cmocka_unit_test(likely_members_lose_their_spikes),
        cmocka_unit_test(p_is_the_rank_among_surrogates),
        cmocka_unit_test(chance_is_seldom_significant),
        cmocka_unit_test(no_occurrence_crosses_a_border),
        cmocka_unit_test(hostile_recordings_have_none),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_cancel_ends_the_search),
        cmocka_unit_test(complete_rounds_outlast_a_cancel),
        cmocka_unit_test(a_hurry_ends_at_what_must_be_chance),
        cmocka_unit_test(a_memory_limit_is_kept),
        cmocka_unit_test(files_have_a_line_for_each_row),
        cmocka_unit_test(what_was_found_is_told),
        cmocka_unit_test(a_sequence_without_room_for_one_more_step_may_go_on),
        cmocka_unit_test(what_never_occurs_is_accepted_by_no_round),
        cmocka_unit_test(long_lags_rank_no_more_than_the_work_allows),
        cmocka_unit_test(a_long_search_is_told_before_it_begins),
        cmocka_unit_test(where_no_setting_is_enough_none_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
