/* The steps of a search for sequences, each against a definition that is written out. */
#include "base/tails.h"
#include "sequence/sequence.h"
#include "support/test.h"

enum { UNITS = 4, MOST_SPIKES = 240, TICKS = 6000 };

static uint64_t seed;

/* Ticks are cells, in one or two segments. */
static spk_recording *draw_recording(test_random *random)
{
    int64_t time[MOST_SPIKES], start = 0, stop = TICKS;
    uint32_t unit[MOST_SPIKES];
    const spk_segment segment[2] = {{0, 2500}, {2700, TICKS}};
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = MOST_SPIKES;
    for (uint64_t i = 0; i < MOST_SPIKES; i++) {
        time[i] = test_random_between(random, 0, TICKS - 1);
        unit[i] = (uint32_t)test_random_below(random, UNITS);
    }
    source.time = time;
    source.unit = unit;
    source.n_units = UNITS;
    source.rate = (spk_rate){1000, 1};
    source.start = &start;
    source.stop = &stop;
    if (test_random_chance(random, 0.5)) {
        source.segments = segment;
        source.n_segments = 2;
    }
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    return recording;
}

static void draw_axis(test_random *random, double reach, sequence_axis *axis)
{
    spk_recording *recording = draw_recording(random);
    *axis = (sequence_axis){0};
    assert_int_equal(spk_sequence_axis_create(NULL, recording, reach, 1, axis), SPK_OK);
    spk_recording_free(recording);
}

/* Spikes of a unit with low <= position <= high. */
static uint32_t count_between(const sequence_axis *axis, uint32_t unit, double low, double high)
{
    uint32_t n = 0;
    for (uint64_t i = axis->first[unit]; i < axis->first[unit + 1]; i++)
        n += axis->at[i] >= low && axis->at[i] <= high;
    return n;
}

/* ---- the axis -------------------------------------------------------------------------------- */

static void positions_are_ticks_and_segments_stay_apart(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(20); c++) {
        test_random random = test_random_make(seed, c);
        spk_recording *recording = draw_recording(&random);
        const spk_events events = spk_recording_events(recording);
        sequence_axis axis = {0};
        assert_int_equal(spk_sequence_axis_create(NULL, recording, 100, 1, &axis), SPK_OK);
        assert_true(axis.n == events.n_events);
        for (uint32_t u = 0; u < UNITS; u++)
            for (uint64_t i = axis.first[u]; i < axis.first[u + 1]; i++) {
                assert_int_equal(events.unit[axis.event[i]], u);
                assert_true(spk_sequence_tick(&axis, axis.at[i]) == events.time[axis.event[i]]);
                const double moved = spk_sequence_move(&axis, axis.at[i], 150);
                const double back = spk_sequence_move(&axis, moved, -150);
                assert_true(fabs(back - axis.at[i]) < 1e-6);
            }
        for (uint64_t i = 1; i < axis.n; i++) {
            const bool crosses = axis.n_stretches > 1 &&
                                 axis.ordered[i - 1] < axis.stretch[1].cell &&
                                 axis.ordered[i] >= axis.stretch[1].cell;
            assert_true(axis.ordered[i] - axis.ordered[i - 1] > (crosses ? 100 + 128 : -1e-9));
        }
        spk_sequence_axis_free(&axis);
        spk_recording_free(recording);
    }
}

static void rates_are_of_the_spikes_nearby(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 100);
    sequence_axis axis;
    draw_axis(&random, 100, &axis);
    for (uint32_t u = 0; u < UNITS; u++)
        for (uint64_t i = axis.first[u]; i < axis.first[u + 1]; i++) {
            const double mean = (double)(axis.first[u + 1] - axis.first[u]) / axis.observed;
            const uint32_t n = count_between(&axis, u, axis.at[i] - 128, axis.at[i] + 128) - 1;
            assert_true(fabs(axis.rate[i] - (n + 2) / (256 + 2 / mean)) < 1e-12);
        }
    spk_sequence_axis_free(&axis);
}

/* ---- seeds ----------------------------------------------------------------------------------- */

static double naive_peak(const sequence_axis *axis, uint32_t a, uint32_t b, int lag, int width)
{
    const int reach = (int)axis->reach;
    double inside = 0, all = 0;
    for (uint64_t i = axis->first[a]; i < axis->first[a + 1]; i++) {
        all += count_between(axis, b, axis->at[i] - reach, axis->at[i] + reach - 0.5);
        inside += count_between(axis, b, axis->at[i] + lag - width, axis->at[i] + lag + width);
    }
    const double share = (2 * width + 1) / (2.0 * reach + 1);
    const double mean = (all - inside + 1) * share / (1 - share);
    if (inside < 5 || inside < mean + sqrt(mean))
        return 0;
    return inside * log(inside / mean) - (inside - mean);
}

static void seeds_are_the_peaks_of_correlograms(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(4); c++) {
        test_random random = test_random_make(seed, 200 + c);
        sequence_axis axis;
        sequence_seed *found = NULL;
        uint64_t n = 0, touched = 0;
        double best = 0;
        draw_axis(&random, 60, &axis);
        assert_int_equal(spk_sequence_seeds(NULL, &axis, 1000, &found, &n, &touched), SPK_OK);
        assert_true(touched >= axis.n);
        for (uint32_t a = 0; a < UNITS; a++)
            for (uint32_t b = a + 1; b < UNITS; b++)
                for (int k = 0; k < SEQUENCE_N_WIDTHS; k++) {
                    const int w = spk_sequence_width(k);
                    for (int lag = -60 + w; lag + w < 60; lag++)
                        best = fmax(best, naive_peak(&axis, a, b, lag, w));
                }
        assert_true(n > 0 ? fabs(found[0].score - best) < 1e-9 : best <= 0);
        for (uint64_t k = 0; k < n; k++) {
            const sequence_seed *s = &found[k];
            const double own = naive_peak(&axis, s->unit[0], s->unit[1], (int)s->lag, s->width);
            assert_true(fabs(s->score - own) < 1e-9);
            assert_true(k == 0 || s->score <= found[k - 1].score);
        }
        free(found);
        spk_sequence_axis_free(&axis);
    }
}

/* ---- links ----------------------------------------------------------------------------------- */

static double naive_link(const sequence_axis *axis, const sequence_moments *moments, uint32_t unit,
                         int lag, int w)
{
    double with = 0, outside = 0;
    const double n = (double)moments->n;
    for (uint64_t k = 0; k < moments->n; k++) {
        const double at = moments->at[k] + lag;
        with += count_between(axis, unit, at - w, at + w) > 0;
        outside += count_between(axis, unit, at - SEQUENCE_CELLS, at + SEQUENCE_CELLS) -
                   count_between(axis, unit, at - w, at + w);
    }
    const double mean =
        2 * w * (outside + 5) / (n * (2 * SEQUENCE_CELLS - 2 * w) + 5 / axis->mean_rate[unit]);
    const double q = 1 - exp(-mean), share = with / n;
    if (with < SEQUENCE_LEAST || share <= mean)
        return 0;
    return with * log(share / q) + (share < 1 ? (n - with) * log((1 - share) / (1 - q)) : 0);
}

static void links_are_the_best_of_all_lags_and_widths(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(10); c++) {
        test_random random = test_random_make(seed, 300 + c);
        sequence_axis axis;
        sequence_moments moments = {0};
        sequence_scan scan = {0};
        draw_axis(&random, 100, &axis);
        /* On whole cells, so that windows hold whole cells, too; spikes about few of them are
         * counted by blocks. */
        for (int k = 0; k < (c % 2 == 0 ? 6 : 16); k++)
            assert_int_equal(
                spk_sequence_moments_add(NULL, &moments,
                                         axis.ordered[test_random_below(&random, axis.n)], 0),
                SPK_OK);
        for (uint32_t u = 0; u < UNITS; u++) {
            sequence_link link;
            double best = 0;
            assert_int_equal(spk_sequence_link_find(NULL, &axis, &moments, u,
                                                    (sequence_range){-70.5, 80, 0, 2}, &scan,
                                                    &link),
                             SPK_OK);
            for (int lag = -70; lag <= 80; lag++)
                for (int k = 0; k < SEQUENCE_N_WIDTHS; k++)
                    best = fmax(best, naive_link(&axis, &moments, u, lag, spk_sequence_width(k)));
            assert_true(fabs(link.score - best) < 1e-9);
            if (best > 0)
                assert_true(fabs(naive_link(&axis, &moments, u, (int)link.lag, link.width) - best) <
                            1e-9);
        }
        spk_sequence_scan_free(&scan);
        spk_sequence_moments_free(&moments);
        spk_sequence_axis_free(&axis);
    }
}

static int compare_positions(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* As links found one by one, with the width of a seed. */
static void links_of_all_units_are_summed(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(30); c++) {
        test_random random = test_random_make(seed, 350 + c);
        const int width = (int)test_random_below(&random, SEQUENCE_N_WIDTHS);
        const sequence_range range = {-70.5, 80, width, width};
        const uint32_t but[2] = {1, 2};
        const double least = 0.5;
        sequence_axis axis;
        sequence_moments moments = {0};
        sequence_scan scan = {0};
        double sum, expected = 0;
        draw_axis(&random, 100, &axis);
        for (int k = 0; k < (c % 2 == 0 ? 6 : 16); k++)
            assert_int_equal(
                spk_sequence_moments_add(NULL, &moments,
                                         axis.ordered[test_random_below(&random, axis.n)], 0),
                SPK_OK);
        qsort(moments.at, moments.n, sizeof *moments.at, compare_positions);
        for (uint32_t u = 0; u < UNITS; u++) {
            double best = least;
            for (int lag = -70; lag <= 80; lag++)
                best = fmax(best, naive_link(&axis, &moments, u, lag, spk_sequence_width(width)));
            expected += u == but[0] || u == but[1] ? 0 : best - least;
        }
        for (int again = 0; again < 2; again++) {
            assert_int_equal(
                spk_sequence_links_sum(NULL, &axis, &moments, but, range, least, &scan, &sum),
                SPK_OK);
            assert_true(fabs(sum - expected) < 1e-9);
        }
        spk_sequence_scan_free(&scan);
        spk_sequence_moments_free(&moments);
        spk_sequence_axis_free(&axis);
    }
}

/* The score is a bound of -log of the tail, and no worse than by some orders. */
static void scores_bound_binomial_tails(void **state)
{
    (void)state;
    for (uint64_t n = 5; n <= 40; n += 7)
        for (uint64_t k = 1; k <= n; k++)
            for (double q = 0.02; q < (double)k / (double)n; q += 0.09) {
                double tail = 0;
                for (uint64_t j = k; j <= n; j++)
                    tail += exp(lgamma((double)n + 1) - lgamma((double)j + 1) -
                                lgamma((double)(n - j) + 1) + (double)j * log(q) +
                                (double)(n - j) * log(1 - q));
                const double share = (double)k / (double)n;
                const double score = (double)k * log(share / q) +
                                     (k < n ? (double)(n - k) * log((1 - share) / (1 - q)) : 0);
                assert_true(fabs(spk_binomial_log_tail(k - 1, n, q) - log(tail)) < 1e-9);
                assert_true(-log(tail) >= score - 1e-9);
            }
}

/* ---- template and filter --------------------------------------------------------------------- */

/* With the spikes up to 3.5 spreads and so many cells from the lag: the filter knows the others
 * not, and each of them can be worth a lot where the unit's rate is low. */
static double naive_filter(const sequence_axis *axis, const sequence_member *member, uint32_t n,
                           double at, double further)
{
    double sum = 0;
    for (uint32_t m = 0; m < n; m++) {
        double density = 0;
        for (uint64_t i = axis->first[member[m].unit]; i < axis->first[member[m].unit + 1]; i++) {
            const double d = axis->at[i] - member[m].lag - at, x = d / member[m].spread;
            if (fabs(d) > 3.5 * member[m].spread + further)
                continue;
            density += exp(-x * x / 2) / (member[m].spread * sqrt(8 * atan(1)) * axis->rate[i]);
        }
        sum += log(1 - member[m].share + member[m].share * density);
    }
    return sum;
}

static const sequence_member three[] = {{.unit = 0, .lag = 0, .spread = 3, .share = 0.7},
                                        {.unit = 2, .lag = 20.5, .spread = 4.5, .share = 0.5},
                                        {.unit = 3, .lag = -31, .spread = 6, .share = 0.9}};

/* The sum of all parts, at all cells. */
static void run_on_all_cells(const sequence_axis *axis, const sequence_member *member, uint32_t n,
                             sequence_filter *filter)
{
    spk_sequence_filter_widen(axis, filter);
    for (uint64_t t = 0; t < axis->n_cells; t++)
        filter->sum[t] = 0;
    for (uint32_t m = 0; m < n; m++) {
        spk_sequence_filter_part(axis, &member[m], filter);
        for (uint64_t t = 0; t < axis->n_cells; t++)
            filter->sum[t] += filter->part[t];
    }
}

static void the_filter_is_the_log_likelihood_ratio(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 400);
    sequence_axis axis;
    sequence_filter filter = {0};
    draw_axis(&random, 100, &axis);
    assert_int_equal(spk_sequence_filter_create(NULL, &axis, &filter), SPK_OK);
    run_on_all_cells(&axis, three, 3, &filter);
    for (uint64_t t = 0; t < axis.n_cells; t += 3) {
        const double sum = (double)filter.sum[t];
        assert_true(sum > naive_filter(&axis, three, 3, (double)t, -2) - 0.2);
        assert_true(sum < naive_filter(&axis, three, 3, (double)t, 2) + 0.2);
    }
    spk_sequence_filter_free(&filter);
    spk_sequence_axis_free(&axis);
}

/* Spikes of UNITS units on a long axis, by chance and 25 times as members `three` have them. */
static void draw_sparse(test_random *random, sequence_axis *axis)
{
    enum { REPEATS = 25, CHANCE = 40, LONG = 20000 };
    static int64_t time[REPEATS * 3 + CHANCE * UNITS];
    static uint32_t unit[REPEATS * 3 + CHANCE * UNITS];
    size_t n = 0;
    for (int k = 0; k < REPEATS; k++)
        for (int m = 0; m < 3; m++, n++) {
            time[n] = 100 + k * (LONG / REPEATS) + (int64_t)three[m].lag +
                      (int64_t)test_random_below(random, 7);
            unit[n] = three[m].unit;
        }
    for (; n < sizeof time / sizeof *time; n++) {
        time[n] = (int64_t)test_random_below(random, LONG);
        unit[n] = (uint32_t)test_random_below(random, UNITS);
    }
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    source.rate = (spk_rate){1000, 1};
    source.n_units = UNITS;
    source.n_events = n;
    source.time = time;
    source.unit = unit;
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    *axis = (sequence_axis){0};
    assert_int_equal(spk_sequence_axis_create(NULL, recording, 100, 1, axis), SPK_OK);
    spk_recording_free(recording);
}

/* Spans leave cells out, and no peak: with all members, and without each of them. */
static void spans_have_all_peaks(void **state)
{
    (void)state;
    uint64_t n_left_out = 0, n_peaks = 0;
    for (uint64_t c = 0; c < test_scaled(20); c++) {
        test_random random = test_random_make(seed, 450 + c);
        sequence_axis axis;
        sequence_filter all = {0}, spans = {0};
        draw_sparse(&random, &axis);
        assert_int_equal(spk_sequence_filter_create(NULL, &axis, &all), SPK_OK);
        assert_int_equal(spk_sequence_filter_create(NULL, &axis, &spans), SPK_OK);
        run_on_all_cells(&axis, three, 3, &all);
        spk_sequence_filter_run(&axis, three, 3, &spans);
        n_left_out += axis.n_cells;
        for (uint64_t k = 0; k < spans.n_spans; k++)
            n_left_out -= spans.span[k].stop - spans.span[k].start;
        for (int m = 0; m < 4; m++) {
            const sequence_member *without = m < 3 ? &three[m] : NULL;
            sequence_moments a = {0}, b = {0};
            assert_int_equal(spk_sequence_filter_peaks(NULL, &axis, &all, without, 10, &a), SPK_OK);
            assert_int_equal(spk_sequence_filter_peaks(NULL, &axis, &spans, without, 10, &b),
                             SPK_OK);
            assert_int_equal(a.n, b.n);
            for (uint64_t k = 0; k < a.n; k++)
                assert_true(a.at[k] == b.at[k] && a.score[k] == b.score[k]);
            n_peaks += a.n;
            spk_sequence_moments_free(&a);
            spk_sequence_moments_free(&b);
        }
        spk_sequence_filter_free(&all);
        spk_sequence_filter_free(&spans);
        spk_sequence_axis_free(&axis);
    }
    assert_true(n_left_out > 0 && n_peaks > 0);
}

static void peaks_are_apart_and_likely(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 500);
    const sequence_member member[] = {{.unit = 0, .lag = 0, .spread = 3, .share = 0.9},
                                      {.unit = 1, .lag = 9, .spread = 3, .share = 0.9}};
    sequence_axis axis;
    sequence_filter filter = {0};
    sequence_moments peaks = {0};
    draw_axis(&random, 100, &axis);
    assert_int_equal(spk_sequence_filter_create(NULL, &axis, &filter), SPK_OK);
    spk_sequence_filter_run(&axis, member, 2, &filter);
    assert_int_equal(spk_sequence_filter_peaks(NULL, &axis, &filter, NULL, 40, &peaks), SPK_OK);
    for (uint64_t k = 0; k < peaks.n; k++) {
        const uint64_t t = (uint64_t)peaks.at[k];
        assert_true(peaks.score[k] >= filter.sum[t] && peaks.score[k] <= filter.sum[t]);
        assert_true(k == 0 || peaks.at[k] - peaks.at[k - 1] >= 40);
        assert_true((double)peaks.score[k] >=
                    log(axis.observed / 4 / (0.5 * (double)peaks.n)) - 1e-4);
    }
    spk_sequence_moments_free(&peaks);
    spk_sequence_filter_free(&filter);
    spk_sequence_axis_free(&axis);
}

/* Half the span where members lie evenly; a doubtful one far away changes little. */
static void one_far_member_keeps_no_occurrences_apart(void **state)
{
    enum { MEMBERS = 21 };
    sequence_member member[MEMBERS + 1];
    (void)state;
    for (uint32_t m = 0; m < MEMBERS; m++)
        member[m] = (sequence_member){.unit = m, .lag = 5.0 * m, .spread = 3, .share = 0.9};
    const double apart = spk_sequence_apart(member, MEMBERS);
    assert_true(apart > 47 && apart < 53);
    member[MEMBERS] = (sequence_member){.unit = MEMBERS, .lag = 400, .spread = 3, .share = 0.1};
    assert_true(spk_sequence_apart(member, MEMBERS + 1) < 75);
    assert_true(spk_sequence_apart(member, 1) > 7 && spk_sequence_apart(NULL, 0) > 7);
}

static int set_up(void **state)
{
    (void)state;
    seed = test_seed("sequence steps");
    return 0;
}

/* ---- near copies ----------------------------------------------------------------------------- */

/* Four sequences of three units, 20 ticks long: 1 repeats 0 but for a unit, 2 has its units at
 * other times, 3 its times with other units; 4 is nearly 1, and with it a copy of 0. */
static void near_copies_are_those_of_the_best(void **state)
{
    (void)state;
    static const uint64_t member_first[] = {0, 3, 6, 9, 12, 15};
    static const uint64_t occurrence_first[] = {0, 3, 6, 9, 12, 15};
    static const uint32_t unit[] = {1, 2, 3, 2, 3, 4, 1, 2, 3, 7, 8, 9, 2, 3, 5};
    static const double lag[] = {0, 10, 20, 0, 10, 20, 0, 10, 20, 0, 10, 20, 0, 10, 20};
    static const int64_t time[] = {100, 200, 300, 110, 220, 340, 150, 250,
                                   350, 100, 200, 300, 115, 190, 290};
    const spk_sequence_columns c = {.n = 5,
                                    .member_first = member_first,
                                    .occurrence_first = occurrence_first,
                                    .unit = unit,
                                    .lag_ticks = lag,
                                    .time = time};
    const uint32_t of[] = {0, 0, 2, 3, 0};
    for (uint32_t i = 0; i < c.n; i++)
        assert_int_equal(sequence_find_copy(&c, i).of, of[i]);
    /* Of 110, 220 and 340 the first two begin while 0 occurs, the second at its last tick. */
    assert_int_equal(sequence_find_copy(&c, 1).n_units, 2);
    assert_int_equal(sequence_find_copy(&c, 1).n_occurrences, 2);
    assert_int_equal(sequence_find_copy(&c, 4).n_occurrences, 3);
    /* Units of anything, each as often as it is there; what ends before 100 or begins after 320 is
     * at no time of 0, and what lasts from one to the other is. */
    assert_int_equal(sequence_count_units(&c, 0, 4, (const uint32_t[]){3, 9, 1, 3}), 3);
    assert_true(sequence_occurs(&c, 0, 320, 0) && sequence_occurs(&c, 0, 90, 10));
    assert_false(sequence_occurs(&c, 0, 321, 0) || sequence_occurs(&c, 0, 90, 9));
    assert_false(sequence_occurs(&c, 0, 121, 78));
    assert_true(sequence_occurs(&c, 0, 121, 79));
}

/* ---- a part of a result ---------------------------------------------------------------------- */

/* Two sequences, of two members with one occurrence and of one member with two, turned round and
 * one of them twice: each column goes along. Every column has other numbers. */
static void a_part_has_its_rows(void **state)
{
    (void)state;
    enum { MEMBER_COLUMNS = 7 };
    double member[MEMBER_COLUMNS][3], p[] = {0.1, 0.2}, statistic[] = {5, 6}, score[] = {1, 2, 3};
    uint64_t member_first[] = {0, 2, 3}, occurrence_first[] = {0, 1, 3}, spike_first[] = {0, 2, 4};
    uint32_t unit[] = {7, 8, 9}, missing[] = {1, 0, 4}, spike[] = {10, 11, 12, 13};
    int64_t time[] = {100, 200, 300};
    double moved[] = {0.5, 0.6, 0.7};
    spk_sequences *part = NULL;
    for (int k = 0; k < MEMBER_COLUMNS * 3; k++)
        member[k / 3][k % 3] = 20 + k;
    const spk_sequences from = {.n = 2,
                                .p = p,
                                .statistic = statistic,
                                .member_first = member_first,
                                .occurrence_first = occurrence_first,
                                .spike_first = spike_first,
                                .unit = unit,
                                .lag_ticks = member[0],
                                .spread_ticks = member[1],
                                .share = member[2],
                                .score = member[3],
                                .member_p = member[4],
                                .member_q = member[5],
                                .split_p = member[6],
                                .time = time,
                                .occurrence_score = score,
                                .occurrence_p = moved,
                                .missing = missing,
                                .spike = spike};
    const uint32_t row[] = {1, 0, 1}, of_member[] = {2, 0, 1, 2}, of_time[] = {1, 2, 0, 1, 2};
    const uint32_t spikes[] = {12, 13, 10, 11, 12, 13};
    assert_int_equal(spk_sequences_select(NULL, &from, 3, row, &part), SPK_OK);
    const spk_sequence_columns c = spk_sequences_columns(part);
    assert_int_equal(c.n, 3);
    assert_memory_equal(c.member_first, ((const uint64_t[]){0, 1, 3, 4}), 4 * sizeof(uint64_t));
    assert_memory_equal(c.occurrence_first, ((const uint64_t[]){0, 2, 3, 5}), 4 * sizeof(uint64_t));
    assert_memory_equal(c.spike_first, ((const uint64_t[]){0, 2, 4, 6}), 4 * sizeof(uint64_t));
    assert_memory_equal(c.spike, spikes, sizeof spikes);
    for (int k = 0; k < 3; k++)
        assert_true(c.p[k] == p[row[k]] && c.statistic[k] == statistic[row[k]]);
    const double *const columns[] = {c.lag_ticks, c.spread_ticks, c.share,  c.score,
                                     c.member_p,  c.member_q,     c.split_p};
    for (int k = 0; k < 4 * MEMBER_COLUMNS; k++)
        assert_true(columns[k / 4][k % 4] == member[k / 4][of_member[k % 4]]);
    for (int k = 0; k < 4; k++)
        assert_int_equal(c.unit[k], unit[of_member[k]]);
    for (int k = 0; k < 5; k++) {
        assert_true(c.time[k] == time[of_time[k]] && c.missing[k] == missing[of_time[k]]);
        assert_true(c.occurrence_score[k] == score[of_time[k]]);
        assert_true(c.occurrence_p[k] == moved[of_time[k]]);
    }
    spk_sequences *copy = NULL;
    assert_int_equal(spk_sequences_copy(NULL, &c, &copy), SPK_OK);
    const spk_sequence_columns of_copy = spk_sequences_columns(copy);
    assert_int_equal(of_copy.n, 3);
    assert_memory_equal(of_copy.spike, spikes, sizeof spikes);
    assert_memory_equal(of_copy.split_p, c.split_p, 4 * sizeof *c.split_p);
    assert_memory_equal(of_copy.time, c.time, 5 * sizeof *c.time);
    spk_sequences_free(copy);
    spk_sequences_free(part);
}

/* ---- what is taken by default ---------------------------------------------------------------- */

static void is_text(spk_duration value, const char *wanted)
{
    char text[48];
    spk_duration_format(value, text, sizeof text);
    assert_string_equal(text, wanted);
}

/* Times 0, step, 2 * step ... of a clock. */
static void take_lengths(spk_rate rate, int64_t step, bool coarse, const char *jitter,
                         const char *lag)
{
    int64_t time[30];
    uint32_t unit[30];
    spk_recording *recording = NULL;
    for (uint32_t i = 0; i < 30; i++) {
        time[i] = step * i;
        unit[i] = i % 2;
    }
    assert_int_equal(
        test_recording_create(NULL, 30, time, unit, 2, NULL, rate, NULL, NULL, &recording), SPK_OK);
    spk_duration got[2];
    assert_int_equal(spk_sequences_usual_lengths(recording, &got[0], &got[1]), coarse);
    is_text(got[0], jitter);
    is_text(got[1], lag);
    spk_recording_free(recording);
}

static void usual_lengths_are_many_steps_of_a_clock(void **state)
{
    (void)state;
    take_lengths((spk_rate){30000, 1}, 1, false, "50ms", "200ms");
    take_lengths((spk_rate){160, 1}, 1, false, "50ms", "200ms"); /* 8 steps are 50 ms */
    take_lengths((spk_rate){159, 1}, 1, true, "8/159s", "32/159s");
    take_lengths((spk_rate){30, 1}, 1, true, "8/30s", "32/30s");
    take_lengths((spk_rate){30000, 1}, 1000, true, "8/30s", "32/30s"); /* the grid of its times */
    take_lengths((spk_rate){1000, 1}, 10, true, "80ms", "320ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_ticks_and_segments_stay_apart),
        cmocka_unit_test(rates_are_of_the_spikes_nearby),
        cmocka_unit_test(seeds_are_the_peaks_of_correlograms),
        cmocka_unit_test(links_are_the_best_of_all_lags_and_widths),
        cmocka_unit_test(links_of_all_units_are_summed),
        cmocka_unit_test(scores_bound_binomial_tails),
        cmocka_unit_test(the_filter_is_the_log_likelihood_ratio),
        cmocka_unit_test(spans_have_all_peaks),
        cmocka_unit_test(peaks_are_apart_and_likely),
        cmocka_unit_test(one_far_member_keeps_no_occurrences_apart),
        cmocka_unit_test(near_copies_are_those_of_the_best),
        cmocka_unit_test(a_part_has_its_rows),
        cmocka_unit_test(usual_lengths_are_many_steps_of_a_clock),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
