/*
 * Trials keep their identity: each segment knows the trial that it is a part of, against marks that
 * are carried along by hand, through cuts, slices, copies and joins.
 */
#include "recording/segments.h"
#include "support/context.h"

enum { N_EVENTS = 40, MOST_PIECES = 400, MOST_RANGES = 6, LENGTH = 60 };

static const spk_rate RATE = {1, 1};

/* What is left of a trial, in ticks, which are seconds. */
typedef struct piece {
    int64_t start;
    int64_t stop;
    size_t trial;
} piece;

typedef struct pieces {
    size_t n;
    size_t n_trials;
    piece at[MOST_PIECES];
} pieces;

static int compare_pieces(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->stop != y->stop)
        return x->stop < y->stop ? -1 : 1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/* What each range has in common with each piece; of the range's trial, or of the piece's. */
static pieces cut_pieces(const pieces *p, const pieces *ranges, bool keep)
{
    pieces left = {.n_trials = keep ? p->n_trials : ranges->n};
    for (size_t r = 0; r < ranges->n; r++) {
        for (size_t k = 0; k < p->n; k++) {
            const piece *a = &ranges->at[r], *b = &p->at[k];
            piece c = {a->start > b->start ? a->start : b->start,
                       a->stop < b->stop ? a->stop : b->stop, keep ? b->trial : r};
            if (c.start < c.stop)
                left.at[left.n++] = c;
        }
    }
    qsort(left.at, left.n, sizeof *left.at, compare_pieces);
    return left;
}

static pieces draw_ranges(test_random *random)
{
    pieces ranges = {.n = 1 + (size_t)test_random_below(random, MOST_RANGES)};
    for (size_t k = 0; k < ranges.n; k++) {
        ranges.at[k].start = test_random_between(random, 0, LENGTH);
        ranges.at[k].stop = ranges.at[k].start + (int64_t)test_random_below(random, 30);
    }
    return ranges;
}

static spk_time_range range_of(piece p)
{
    spk_time_range range;
    assert_true(spk_duration_of_tick(p.start, RATE, &range.start));
    assert_true(spk_duration_of_tick(p.stop, RATE, &range.stop));
    return range;
}

static spk_recording *make(test_random *random)
{
    int64_t time[N_EVENTS], start = 0, stop = LENGTH;
    uint32_t unit[N_EVENTS];
    spk_recording *recording = NULL;
    for (size_t i = 0; i < N_EVENTS; i++) {
        time[i] = test_random_between(random, 0, LENGTH - 1);
        unit[i] = (uint32_t)test_random_below(random, 3);
    }
    assert_int_equal(test_recording_create(context, N_EVENTS, time, unit, 3, NULL, RATE, &start,
                                           &stop, &recording),
                     SPK_OK);
    return recording;
}

static void check_pieces(const spk_recording *recording, const pieces *expected)
{
    size_t n = 0;
    const char *reason = NULL;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert_true(spk_recording_validate(recording, &reason));
    assert_int_equal(n, expected->n);
    assert_int_equal(spk_recording_trials(recording), expected->n_trials);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(segments[k].start, expected->at[k].start);
        assert_int_equal(segments[k].stop, expected->at[k].stop);
        assert_int_equal(spk_recording_trial(recording, k), expected->at[k].trial);
    }
    assert_int_equal(spk_recording_trial(recording, n), 0);
}

/* Cuts both in turn; false where nothing would be left. */
static bool cut_both(spk_recording **recording, pieces *p, const pieces *ranges, bool keep)
{
    spk_time_range given[MOST_RANGES];
    const pieces left = cut_pieces(p, ranges, keep);
    spk_recording *out = NULL;
    for (size_t k = 0; k < ranges->n; k++)
        given[k] = range_of(ranges->at[k]);
    spk_status status = keep ? spk_recording_restrict(context, *recording, ranges->n, given, &out)
                             : spk_recording_cut(context, *recording, ranges->n, given, &out);
    assert_int_equal(status, left.n > 0 ? SPK_OK : SPK_ERR_ARGUMENT);
    if (left.n == 0)
        return false;
    spk_recording_free(*recording);
    *recording = out;
    *p = left;
    return true;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void cuts_number_trials_and_restricting_keeps_them(void **state)
{
    (void)state;
    uint64_t seed = test_seed("cuts_number_trials_and_restricting_keeps_them");
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        spk_recording *recording = make(&random);
        pieces p = {1, 1, {{0, LENGTH, 0}}}, ranges = draw_ranges(&random);
        bool left = cut_both(&recording, &p, &ranges, false);
        for (int again = 0; again < 2 && left; again++) {
            check_pieces(recording, &p);
            ranges = draw_ranges(&random);
            left = cut_both(&recording, &p, &ranges, test_random_chance(&random, 0.7));
        }
        if (left)
            check_pieces(recording, &p);
        spk_recording_free(recording);
    }
}

static void copies_keep_trials(void **state)
{
    (void)state;
    uint64_t seed = test_seed("copies_keep_trials");
    for (uint64_t c = 0; c < test_scaled(500); c++) {
        test_random random = test_random_make(seed, c);
        spk_recording *recording = make(&random), *copy = NULL;
        const int64_t from = test_random_between(&random, 0, LENGTH / 2);
        const int64_t to = test_random_between(&random, LENGTH / 2, LENGTH);
        const char *const label = "new";
        pieces p = {1, 1, {{0, LENGTH, 0}}}, slice = {1, 1, {{from, to, 0}}};
        const pieces ranges = draw_ranges(&random);
        if (cut_both(&recording, &p, &ranges, false)) {
            assert_int_equal(spk_recording_add_units(context, recording, 1, &label, &copy), SPK_OK);
            check_pieces(copy, &p);
            spk_recording_free(copy);
            assert_int_equal(spk_recording_shuffle(context, recording, 1, &copy), SPK_OK);
            check_pieces(copy, &p);
            spk_recording_free(copy);
            const pieces within = cut_pieces(&p, &slice, true);
            assert_int_equal(spk_recording_slice(context, recording, &from, &to, 0, NULL, &copy),
                             SPK_OK);
            if (within.n > 0)
                check_pieces(copy, &within);
            spk_recording_free(copy);
        }
        spk_recording_free(recording);
    }
}

/* Trials given from the last to the first one, of which the second has nothing left. */
static const piece GIVEN[] = {{40, 50, 0}, {70, 80, 0}, {20, 30, 0}, {0, 10, 0}};

static spk_recording *cut_given(void)
{
    test_random random = test_random_make(1, 0);
    spk_recording *recording = make(&random);
    pieces p = {1, 1, {{0, LENGTH, 0}}}, ranges = {.n = 4};
    memcpy(ranges.at, GIVEN, sizeof GIVEN);
    assert_true(cut_both(&recording, &p, &ranges, false));
    return recording;
}

static void a_trial_of_which_nothing_is_left_keeps_its_number(void **state)
{
    (void)state;
    spk_recording *recording = cut_given(), *joined = NULL;
    const pieces expected = {3, 4, {{0, 10, 3}, {20, 30, 2}, {40, 50, 0}}};
    check_pieces(recording, &expected);
    assert_int_equal(spk_recording_join(context, recording, recording, &joined), SPK_OK);
    assert_int_equal(spk_recording_trials(joined), 8);
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(spk_recording_trial(joined, k),
                         expected.at[k % 3].trial + (k < 3 ? 0 : 4));
    spk_recording_free(joined);
    spk_recording_free(recording);
}

/* Trials that are left are numbered as their first segments come. */
static void trials_that_are_left_are_counted(void **state)
{
    (void)state;
    spk_recording *recording = cut_given(), *pieced = NULL;
    size_t number[MOST_PIECES], n = 0;
    assert_int_equal(spk_trials_left(context, recording, number, &n), SPK_OK);
    assert_int_equal(n, 3);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(number[k], k);
    const spk_time_range ranges[] = {range_of((piece){42, 44, 0}), range_of((piece){45, 60, 0}),
                                     range_of((piece){0, 5, 0})};
    assert_int_equal(spk_recording_restrict(context, recording, 3, ranges, &pieced), SPK_OK);
    const pieces expected = {3, 4, {{0, 5, 3}, {42, 44, 0}, {45, 50, 0}}};
    check_pieces(pieced, &expected);
    assert_int_equal(spk_trials_left(context, pieced, number, &n), SPK_OK);
    assert_int_equal(n, 2);
    assert_int_equal(number[0], 0);
    assert_int_equal(number[1], 1);
    assert_int_equal(number[2], 1);
    spk_recording_free(recording);
    assert_int_equal(spk_recording_restrict_take(context, pieced, 1, ranges, &recording), SPK_OK);
    const pieces last = {1, 4, {{42, 44, 0}}};
    check_pieces(recording, &last);
    spk_recording_free(recording);
}

static void columns_may_name_trials(void **state)
{
    (void)state;
    const int64_t time[] = {1, 12, 25};
    const uint32_t unit[] = {0, 1, 0};
    const spk_segment segments[] = {{20, 30}, {0, 10}, {10, 20}};
    size_t trial[] = {2, 4, 2};
    const pieces expected = {3, 5, {{0, 10, 4}, {10, 20, 2}, {20, 30, 2}}};
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 3, source.time = time, source.unit = unit, source.n_units = 2;
    source.rate = RATE;
    source.segments = segments, source.n_segments = 3;
    source.trial = trial, source.n_trials = 5;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    check_pieces(recording, &expected);
    spk_recording_free(recording);
    assert_int_equal(spk_recording_take(context, &source, NULL, NULL, &recording), SPK_OK);
    check_pieces(recording, &expected);
    spk_recording_free(recording);
    trial[1] = 5;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "segment 2 is of trial 5"));
}

/* Frames of 1/30 s, cut to four decimals: borders move onto the grid, and trials stay. */
static void times_on_their_grid_keep_trials(void **state)
{
    (void)state;
    enum { FRAMES = 60 };
    int64_t time[FRAMES];
    uint32_t unit[FRAMES] = {0};
    const spk_segment segments[] = {{10000, 20000}, {0, 10000}};
    spk_recording *recording = NULL, *on_grid = NULL;
    spk_recording_source source;
    for (int64_t k = 0; k < FRAMES; k++)
        time[k] = k * 10000 / 30;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = FRAMES, source.time = time, source.unit = unit, source.n_units = 1;
    source.rate = (spk_rate){10000, 1};
    source.segments = segments, source.n_segments = 2;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    assert_int_equal(spk_recording_on_grid(context, recording, &on_grid), SPK_OK);
    assert_true(spk_recording_rate(on_grid).numerator == 30);
    assert_int_equal(spk_recording_trials(on_grid), 2);
    assert_int_equal(spk_recording_trial(on_grid, 0), 1);
    assert_int_equal(spk_recording_trial(on_grid, 1), 0);
    spk_recording_free(on_grid);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_number_trials_and_restricting_keeps_them),
        cmocka_unit_test(copies_keep_trials),
        cmocka_unit_test(a_trial_of_which_nothing_is_left_keeps_its_number),
        cmocka_unit_test(trials_that_are_left_are_counted),
        cmocka_unit_test(columns_may_name_trials),
        cmocka_unit_test(times_on_their_grid_keep_trials),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
