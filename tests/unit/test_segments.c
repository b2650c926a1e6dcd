/*
 * Segments: what cutting leaves, against the definition event by event; exact borders; the copies
 * that keep them; wrong ranges.
 */
#include "recording/segments.h"
#include "support/context.h"

enum { MOST_EVENTS = 60, MOST_RANGES = 6, UNITS = 3, PARTS = 6 };

/* Times are multiples of 1/6 ms, ticks of 1/2 ms: borders lie on ticks or between them. */
static const spk_rate RATE = {2000, 1};

typedef struct sixths {
    int start;
    int stop;
} sixths;

static spk_time_range range_of(sixths s)
{
    char text[2][32];
    spk_time_range range;
    snprintf(text[0], sizeof text[0], "%d/%dms", s.start, PARTS);
    snprintf(text[1], sizeof text[1], "%d/%dms", s.stop, PARTS);
    assert_int_equal(spk_duration_parse(NULL, text[0], strlen(text[0]), &range.start), SPK_OK);
    assert_int_equal(spk_duration_parse(NULL, text[1], strlen(text[1]), &range.stop), SPK_OK);
    return range;
}

static void assert_valid(const spk_recording *recording)
{
    const char *reason = NULL;
    if (!spk_recording_validate(recording, &reason))
        fail_msg("%s", reason);
}

typedef struct drawn {
    uint64_t n;
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
    int n_ranges;
    sixths range[MOST_RANGES];
} drawn;

static void draw_ranges(test_random *random, drawn *d)
{
    d->n_ranges = 1 + (int)test_random_below(random, MOST_RANGES);
    for (int k = 0; k < d->n_ranges; k++) {
        d->range[k].start = (int)test_random_between(random, -30, 150);
        if (k > 0 && test_random_chance(random, 0.3)) /* touching the one before */
            d->range[k].start = d->range[k - 1].stop;
        d->range[k].stop = d->range[k].start + 1 + (int)test_random_below(random, 40);
    }
}

static void draw(test_random *random, drawn *d)
{
    d->n = test_random_below(random, MOST_EVENTS);
    for (uint64_t i = 0; i < d->n; i++) {
        d->time[i] = test_random_between(random, -5, 45);
        d->unit[i] = (uint32_t)test_random_below(random, UNITS);
    }
    draw_ranges(random, d);
}

static spk_recording *make(const drawn *d)
{
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, d->n, d->time, d->unit, UNITS, NULL, RATE, NULL,
                                           NULL, &recording),
                     SPK_OK);
    return recording;
}

/* A tick is three sixths of a millisecond. */
static bool holds(sixths range, int64_t tick)
{
    return tick * 3 >= range.start && tick * 3 < range.stop;
}

static int compare_sixths(const void *a, const void *b)
{
    const sixths *x = a, *y = b;
    int order = (x->start > y->start) - (x->start < y->start);
    return order != 0 ? order : (x->stop > y->stop) - (x->stop < y->stop);
}

/* The recording has exactly the segments that are listed, and of the events of `before` those in
 * some of them. */
static void check_cut(const spk_recording *before, const spk_recording *after, int n,
                      sixths *expected)
{
    size_t n_segments = 0;
    const spk_segment *segments = spk_recording_segments(after, &n_segments);
    spk_events all = spk_recording_events(before), left = spk_recording_events(after);
    assert_valid(after);
    qsort(expected, (size_t)n, sizeof *expected, compare_sixths);
    assert_int_equal(n_segments, n);
    uint64_t counted = 0;
    for (int k = 0; k < n; k++) {
        spk_time_range times, wanted = range_of(expected[k]);
        assert_true(spk_recording_segment_times(after, (size_t)k, &times));
        assert_int_equal(spk_duration_compare(times.start, wanted.start), 0);
        assert_int_equal(spk_duration_compare(times.stop, wanted.stop), 0);
        uint64_t in_this = 0;
        for (uint64_t i = 0; i < all.n_events; i++) {
            bool within = all.time[i] >= segments[k].start && all.time[i] < segments[k].stop;
            assert_int_equal(within, holds(expected[k], all.time[i]));
            in_this += within;
        }
        spk_event_range range = spk_segment_events(after, (size_t)k);
        assert_int_equal(range.last - range.first, in_this);
        counted += in_this;
    }
    assert_int_equal(spk_recording_counted_events(after), counted);
    uint64_t next = 0;
    for (uint64_t i = 0; i < all.n_events; i++) {
        bool within = false;
        for (int k = 0; k < n; k++)
            within |= holds(expected[k], all.time[i]);
        if (!within)
            continue;
        assert_true(next < left.n_events);
        assert_int_equal(left.time[next], all.time[i]);
        assert_int_equal(left.unit[next++], all.unit[i]);
    }
    assert_int_equal(next, left.n_events);
    assert_int_equal(spk_recording_get_facts(after)->outside -
                         spk_recording_get_facts(before)->outside,
                     all.n_events - left.n_events);
}

static spk_recording *cut(const spk_recording *recording, const drawn *d)
{
    spk_time_range ranges[MOST_RANGES];
    spk_recording *out = NULL;
    for (int k = 0; k < d->n_ranges; k++)
        ranges[k] = range_of(d->range[k]);
    assert_int_equal(spk_recording_cut(context, recording, (size_t)d->n_ranges, ranges, &out),
                     SPK_OK);
    return out;
}

/* The same where the recording gives its columns away, and where it has none of its own. */
static void check_taken(const drawn *d, const spk_recording *recording)
{
    spk_events events = spk_recording_events(recording);
    for (int borrowed = 0; borrowed < 2; borrowed++) {
        drawn ranges = *d;
        spk_recording *giver = make(d), *out = NULL;
        spk_time_range range[MOST_RANGES];
        spk_recording_source source;
        spk_recording_source_init(&source, sizeof source);
        source.n_events = events.n_events;
        source.time = events.time;
        source.unit = events.unit;
        source.n_units = UNITS;
        source.rate = RATE;
        if (borrowed) {
            spk_recording_free(giver);
            assert_int_equal(spk_recording_take(context, &source, NULL, NULL, &giver), SPK_OK);
        }
        for (int k = 0; k < d->n_ranges; k++)
            range[k] = range_of(d->range[k]);
        assert_int_equal(spk_recording_cut_take(context, giver, (size_t)d->n_ranges, range, &out),
                         SPK_OK);
        check_cut(recording, out, d->n_ranges, ranges.range);
        spk_recording_free(out);
    }
}

/* ---- cutting --------------------------------------------------------------------------------- */

static void cutting_leaves_what_the_ranges_hold(void **state)
{
    (void)state;
    uint64_t seed = test_seed("cutting_leaves_what_the_ranges_hold");
    for (uint64_t c = 0; c < test_scaled(3000); c++) {
        test_random random = test_random_make(seed, c);
        drawn d;
        draw(&random, &d);
        spk_recording *recording = make(&d), *once = cut(recording, &d);
        drawn again = d;
        check_cut(recording, once, d.n_ranges, d.range);
        check_taken(&d, recording);
        /* Cut again: what both have in common, pair by pair. */
        sixths common[MOST_RANGES * MOST_RANGES];
        int n = 0;
        draw_ranges(&random, &again);
        for (int a = 0; a < d.n_ranges; a++)
            for (int b = 0; b < again.n_ranges; b++) {
                sixths x = d.range[a], y = again.range[b];
                sixths both = {x.start > y.start ? x.start : y.start,
                               x.stop < y.stop ? x.stop : y.stop};
                if (both.start < both.stop)
                    common[n++] = both;
            }
        if (n > 0) {
            spk_recording *twice = cut(once, &again);
            check_cut(once, twice, n, common);
            spk_recording_free(twice);
        }
        spk_recording_free(once);
        spk_recording_free(recording);
    }
}

/* A slice of segments has of each what lies between start and stop. */
static void slices_cut_segments(void **state)
{
    (void)state;
    uint64_t seed = test_seed("slices_cut_segments");
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        drawn d;
        draw(&random, &d);
        spk_recording *recording = make(&d), *once = cut(recording, &d), *sliced = NULL;
        int64_t start = test_random_between(&random, -5, 40);
        int64_t stop = start + (int64_t)test_random_below(&random, 20);
        sixths left[MOST_RANGES];
        int n = 0;
        for (int k = 0; k < d.n_ranges; k++) {
            sixths both = {d.range[k].start > 3 * start ? d.range[k].start : 3 * (int)start,
                           d.range[k].stop < 3 * stop ? d.range[k].stop : 3 * (int)stop};
            if (both.start < both.stop)
                left[n++] = both;
        }
        if (n == 0) /* nothing was observed */
            left[n++] = (sixths){3 * (int)start, 3 * (int)start};
        assert_int_equal(spk_recording_slice(context, once, &start, &stop, 0, NULL, &sliced),
                         SPK_OK);
        check_cut(once, sliced, n, left);
        spk_recording_free(sliced);
        spk_recording_free(once);
        spk_recording_free(recording);
    }
}

/* Start and stop that somebody gave cut segments; those of the events do not. */
static void a_given_extent_cuts_segments(void **state)
{
    (void)state;
    static const int64_t time[] = {4, 6};
    static const uint32_t unit[] = {0, 0};
    const int64_t start = 2, stop = 20;
    const spk_time_range range = {{-5, 0, 0}, {5, 0, 0}};
    for (int given = 0; given < 4; given++) {
        spk_recording *recording = NULL, *after = NULL;
        assert_int_equal(test_recording_create(context, 2, time, unit, 1, NULL, RATE,
                                               (given & 1) != 0 ? &start : NULL,
                                               (given & 2) != 0 ? &stop : NULL, &recording),
                         SPK_OK);
        assert_int_equal(spk_recording_cut(context, recording, 1, &range, &after), SPK_OK);
        assert_int_equal(spk_recording_start(after), (given & 1) != 0 ? start : -10000);
        assert_int_equal(spk_recording_stop(after), (given & 2) != 0 ? stop : 10000);
        spk_recording_free(recording);
        spk_recording_free(after);
    }
}

static void an_infinite_stop_is_that_of_the_recording(void **state)
{
    (void)state;
    static const int64_t time[] = {4, 6, 90};
    static const uint32_t unit[] = {0, 0, 0};
    const spk_time_range range = {{3, -3, 0}, {1, SPK_DURATION_INFINITE, 0}};
    spk_recording *recording = NULL, *after = NULL;
    assert_int_equal(
        test_recording_create(context, 3, time, unit, 1, NULL, RATE, NULL, NULL, &recording),
        SPK_OK);
    assert_int_equal(spk_recording_cut(context, recording, 1, &range, &after), SPK_OK);
    assert_int_equal(spk_recording_start(after), 6);
    assert_int_equal(spk_recording_stop(after), 91);
    assert_int_equal(spk_recording_events(after).n_events, 2);
    spk_recording_free(recording);
    spk_recording_free(after);
}

static void wrong_ranges_are_refused(void **state)
{
    (void)state;
    static const int64_t time[] = {4, 6};
    static const uint32_t unit[] = {0, 0};
    const int64_t zero = 0, ten = 10;
    const spk_time_range backwards[] = {{{0, 0, 0}, {1, 0, 0}}, {{3, -3, 0}, {1, -3, 0}}};
    const spk_time_range outside = {{5, 0, 0}, {6, 0, 0}};
    spk_recording *recording = NULL, *after = NULL;
    assert_int_equal(
        test_recording_create(context, 2, time, unit, 1, NULL, RATE, &zero, &ten, &recording),
        SPK_OK);
    assert_int_equal(spk_recording_cut(context, recording, 0, NULL, &after), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_cut(context, recording, 2, backwards, &after), SPK_ERR_ARGUMENT);
    assert_string_equal(spk_context_message(context),
                        "segment 2, from 3ms to 1ms, stops before it starts; give start and stop "
                        "in this order");
    assert_int_equal(spk_recording_cut(context, recording, 1, &outside, &after), SPK_ERR_ARGUMENT);
    assert_string_equal(
        spk_context_message(context),
        "none of 1 segment, the first from 5s to 6s, lies in the recording, which was observed "
        "from 0s to 0.005s; is the unit of their times right?");
    assert_null(after);
    spk_recording_free(recording);
}

/* ---- made with segments ---------------------------------------------------------------------- */

static const int64_t TIMES[] = {0, 2, 2, 5, 9, 11};
static const uint32_t UNITS_OF[] = {0, 0, 1, 1, 2, 0};

static spk_recording_source source_with(const spk_segment *segments, size_t n)
{
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 6;
    source.time = TIMES;
    source.unit = UNITS_OF;
    source.n_units = UNITS;
    source.rate = RATE;
    source.segments = segments;
    source.n_segments = n;
    return source;
}

static int released;

static void release(void *owner)
{
    (void)owner;
    released++;
}

static void recordings_are_made_with_segments(void **state)
{
    (void)state;
    static const spk_segment all[] = {{9, 12}, {0, 3}, {2, 6}}, some[] = {{0, 5}};
    static const spk_segment backwards[] = {{3, 3}};
    for (int take = 0; take < 2; take++) {
        spk_recording *recording = NULL;
        spk_recording_source source = source_with(all, 3);
        size_t n = 0;
        released = 0;
        assert_int_equal(take ? spk_recording_take(context, &source, release, NULL, &recording)
                              : spk_recording_create(context, &source, &recording),
                         SPK_OK);
        assert_valid(recording);
        const spk_segment *segments = spk_recording_segments(recording, &n);
        assert_int_equal(n, 3);
        assert_int_equal(segments[0].start, 0);
        assert_int_equal(segments[1].stop, 6);
        assert_int_equal(segments[2].start, 9);
        assert_int_equal(spk_recording_events(recording).n_events, 6);
        assert_int_equal(spk_recording_counted_events(recording), 8); /* two lie in two */
        if (take)
            assert_ptr_equal(spk_recording_events(recording).time, TIMES);
        assert_int_equal(released, 0);
        spk_recording_free(recording);
        assert_int_equal(released, take);
        /* Events outside leave it, which takes a copy. */
        source = source_with(some, 1);
        released = 0;
        assert_int_equal(take ? spk_recording_take(context, &source, release, NULL, &recording)
                              : spk_recording_create(context, &source, &recording),
                         SPK_OK);
        assert_valid(recording);
        assert_int_equal(spk_recording_events(recording).n_events, 3);
        assert_int_equal(spk_recording_get_facts(recording)->outside, 3);
        assert_int_equal(released, take);
        spk_recording_free(recording);
        source = source_with(backwards, 1);
        assert_int_equal(take ? spk_recording_take(context, &source, release, NULL, &recording)
                              : spk_recording_create(context, &source, &recording),
                         SPK_ERR_ARGUMENT);
        assert_null(recording);
    }
}

static void copies_keep_segments(void **state)
{
    (void)state;
    static const spk_segment all[] = {{0, 3}, {5, 6}, {9, 12}};
    static const char *const further[] = {"another"};
    const uint32_t unit = 1;
    spk_recording_source source = source_with(all, 3);
    spk_recording *recording = NULL, *copy[3] = {NULL};
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    assert_int_equal(spk_recording_add_units(context, recording, 1, further, &copy[0]), SPK_OK);
    assert_int_equal(spk_recording_slice(context, recording, NULL, NULL, 1, &unit, &copy[1]),
                     SPK_OK);
    assert_int_equal(spk_recording_shuffle(context, recording, 1, &copy[2]), SPK_OK);
    for (size_t k = 0; k < 3; k++) {
        size_t n = 0;
        const spk_segment *segments = spk_recording_segments(copy[k], &n);
        assert_valid(copy[k]);
        assert_int_equal(n, 3);
        assert_memory_equal(segments, all, sizeof all);
        spk_recording_free(copy[k]);
    }
    spk_recording_free(recording);
}

/* ---- shuffled -------------------------------------------------------------------------------- */

static uint64_t count_in(const spk_recording *recording, uint32_t unit, spk_segment segment)
{
    spk_events events = spk_recording_events(recording);
    uint64_t n = 0;
    for (uint64_t i = 0; i < events.n_events; i++)
        n += events.unit[i] == unit && events.time[i] >= segment.start &&
             events.time[i] < segment.stop;
    return n;
}

/* Whatever overlaps: the number of each unit in each segment stays. */
static void shuffling_keeps_numbers_in_every_segment(void **state)
{
    (void)state;
    uint64_t seed = test_seed("shuffling_keeps_numbers_in_every_segment"), moved = 0;
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        drawn d;
        draw(&random, &d);
        spk_recording *recording = make(&d), *once = cut(recording, &d), *after[2] = {NULL};
        size_t n = 0;
        const spk_segment *segments = spk_recording_segments(once, &n);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(spk_recording_shuffle(context, once, c, &after[k]), SPK_OK);
            assert_valid(after[k]);
        }
        spk_events a = spk_recording_events(after[0]), b = spk_recording_events(after[1]);
        assert_int_equal(a.n_events, b.n_events);
        for (uint64_t i = 0; i < a.n_events; i++) {
            assert_true(a.time[i] == b.time[i] && a.unit[i] == b.unit[i]);
            moved += a.time[i] != spk_recording_events(once).time[i];
        }
        for (size_t k = 0; k < n; k++)
            for (uint32_t u = 0; u < UNITS; u++)
                assert_int_equal(count_in(after[0], u, segments[k]),
                                 count_in(once, u, segments[k]));
        spk_recording_free(after[0]);
        spk_recording_free(after[1]);
        spk_recording_free(once);
        spk_recording_free(recording);
    }
    assert_true(moved > 0);
}

/* The first draws of unit u have the index u, with segments and without. */
static void one_segment_shuffles_as_the_whole(void **state)
{
    (void)state;
    static const spk_segment whole[] = {{0, 5000}};
    spk_recording *after[2] = {NULL};
    for (int k = 0; k < 2; k++) {
        spk_recording *recording = NULL;
        spk_recording_source source = source_with(whole, (size_t)k);
        source.start = k == 0 ? &whole->start : NULL;
        source.stop = k == 0 ? &whole->stop : NULL;
        assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
        assert_int_equal(spk_recording_shuffle(context, recording, 7, &after[k]), SPK_OK);
        spk_recording_free(recording);
    }
    assert_memory_equal(spk_recording_events(after[0]).time, spk_recording_events(after[1]).time,
                        6 * sizeof(int64_t));
    spk_recording_free(after[0]);
    spk_recording_free(after[1]);
}

/* A surrogate is a function of seed, unit and the number of the segment: what lies between segments
 * changes nothing. */
static void segments_shuffle_by_their_number(void **state)
{
    (void)state;
    enum { EACH = 20, APART = 1000 };
    int64_t time[2 * EACH];
    const uint32_t unit[2 * EACH] = {0};
    spk_recording *after[2] = {NULL};
    for (int far = 0; far < 2; far++) {
        const int64_t second = far ? 2 * APART : APART;
        const spk_segment segments[] = {{0, APART}, {second, second + APART}};
        for (int i = 0; i < EACH; i++) {
            time[i] = i;
            time[EACH + i] = second + i;
        }
        spk_recording *recording = NULL;
        spk_recording_source source = source_with(segments, 2);
        source.n_events = (uint64_t)2 * EACH;
        source.time = time;
        source.unit = unit;
        assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
        assert_int_equal(spk_recording_shuffle(context, recording, 3, &after[far]), SPK_OK);
        spk_recording_free(recording);
    }
    for (int i = 0; i < 2 * EACH; i++)
        assert_int_equal(spk_recording_events(after[1]).time[i] -
                             spk_recording_events(after[0]).time[i],
                         i < EACH ? 0 : APART);
    spk_recording_free(after[0]);
    spk_recording_free(after[1]);
}

/* ---- described ------------------------------------------------------------------------------- */

/* The longest gap and the shortest interval of a unit within the segments, by all pairs of
 * neighbours; in ticks, -1 for none. */
static void find_extremes(const drawn *d, int64_t *gap, int64_t *interval)
{
    *gap = *interval = -1;
    for (int k = 0; k < d->n_ranges; k++)
        for (uint64_t i = 0; i < d->n; i++) {
            int64_t next = INT64_MAX, own = INT64_MAX;
            for (uint64_t j = 0; j < d->n && holds(d->range[k], d->time[i]); j++) {
                if (d->time[j] <= d->time[i] || !holds(d->range[k], d->time[j]))
                    continue;
                next = d->time[j] < next ? d->time[j] : next;
                if (d->unit[j] == d->unit[i])
                    own = d->time[j] < own ? d->time[j] : own;
            }
            if (next < INT64_MAX && next - d->time[i] > *gap)
                *gap = next - d->time[i];
            if (own < INT64_MAX && (*interval < 0 || own - d->time[i] < *interval))
                *interval = own - d->time[i];
        }
}

static void rates_are_by_the_time_observed(void **state)
{
    (void)state;
    uint64_t seed = test_seed("rates_are_by_the_time_observed");
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        drawn d;
        draw(&random, &d);
        spk_recording *recording = make(&d), *once = cut(recording, &d);
        spk_recording_description all;
        spk_unit_description one;
        double observed = 0;
        int64_t gap, interval;
        uint64_t counted = spk_recording_counted_events(once), of_units = 0;
        for (int k = 0; k < d.n_ranges; k++)
            observed += (d.range[k].stop - d.range[k].start) / (1000.0 * PARTS);
        find_extremes(&d, &gap, &interval);
        assert_int_equal(spk_recording_describe(context, once, &all), SPK_OK);
        assert_true(fabs(all.duration_s - observed) < 1e-9);
        assert_true(fabs(all.rate_total_hz - (double)counted / observed) < 1e-6);
        assert_true(fabs(all.longest_gap_s - (gap < 0 ? 0 : (double)gap / 2000)) < 1e-9);
        assert_true(fabs(all.shortest_interval_s - (interval < 0 ? -1 : (double)interval / 2000)) <
                    1e-9);
        for (uint32_t u = 0; u < UNITS; u++) {
            spk_recording_describe_unit(once, u, &one);
            assert_true(fabs(one.rate_hz - (double)one.n_events / observed) < 1e-6);
            of_units += one.n_events;
        }
        assert_int_equal(of_units, counted);
        spk_recording_free(once);
        spk_recording_free(recording);
    }
}

static void times_are_written_from_the_start_of_a_segment(void **state)
{
    (void)state;
    const spk_time_range ranges[] = {{{1, -3, 3}, {1, 0, 0}}, {{2, 0, 0}, {3, 0, 0}}};
    static const int64_t time[] = {1, 4001};
    static const uint32_t unit[] = {0, 0};
    char text[48];
    spk_recording *recording = NULL, *after = NULL;
    assert_int_equal(
        test_recording_create(context, 2, time, unit, 1, NULL, RATE, NULL, NULL, &recording),
        SPK_OK);
    assert_int_equal(spk_recording_cut(context, recording, 2, ranges, &after), SPK_OK);
    spk_recording_format_time_within(after, 0, 1, text, sizeof text);
    assert_string_equal(text, "0.000166666666"); /* 1/2 ms - 1/3 ms */
    spk_recording_format_time_within(after, 1, 4001, text, sizeof text);
    assert_string_equal(text, "0.0005");
    spk_recording_format_time_within(after, 2, 4001, text, sizeof text);
    assert_string_equal(text, "");
    spk_recording_format_time_within(recording, 0, 4001, text, sizeof text);
    assert_string_equal(text, "2");
    spk_recording_free(recording);
    spk_recording_free(after);
}

/* ---- from readers ---------------------------------------------------------------------------- */

/* What the readers of files give. */
static void parts_have_segments(void **state)
{
    (void)state;
    const spk_time_range ranges[] = {{{4, -3, 0}, {6, -3, 0}}, {{0, 0, 0}, {1, -3, 3}}};
    spk_recording_parts parts = {
        .n_events = 6, .n_units = UNITS, .rate = RATE, .n_segments = 2, .segments = ranges};
    spk_recording *recording = NULL;
    parts.time = malloc(sizeof TIMES);
    parts.unit = malloc(sizeof UNITS_OF);
    assert_true(parts.time != NULL && parts.unit != NULL);
    memcpy(parts.time, TIMES, sizeof TIMES);
    memcpy(parts.unit, UNITS_OF, sizeof UNITS_OF);
    assert_int_equal(spk_recording_assemble(context, &parts, &recording), SPK_OK);
    assert_valid(recording);
    size_t n = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert_int_equal(n, 2);
    assert_true(segments[0].start == 0 && segments[0].stop == 1); /* 1/3 ms is 2/3 tick */
    assert_true(segments[1].start == 8 && segments[1].stop == 12);
    assert_int_equal(spk_recording_events(recording).n_events, 3);
    spk_recording_free(recording);
}

/* A table in the recording's file: text has none. */
static void formats_without_tables_say_so(void **state)
{
    (void)state;
    spk_time_range *ranges = NULL;
    size_t n = 0;
    const char *path = test_file("events", "0.1 a\n0.2 b\n");
    assert_int_equal(spk_intervals_read_table(context, path, NULL, "trials", &ranges, &n),
                     SPK_ERR_UNSUPPORTED);
    assert_non_null(
        strstr(spk_context_message(context), "the format text has no tables of trials"));
    assert_null(ranges);
    assert_int_equal(n, 0);
}

static void an_uncut_recording_has_one_segment(void **state)
{
    (void)state;
    spk_recording_source source = source_with(NULL, 0);
    spk_recording *recording = NULL;
    spk_time_range times;
    size_t n = 0;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert_int_equal(n, 1);
    assert_true(segments[0].start == 0 && segments[0].stop == 12);
    assert_true(spk_recording_segment_times(recording, 0, &times));
    assert_int_equal(spk_duration_compare(times.stop, (spk_duration){6, -3, 0}), 0);
    assert_false(spk_recording_segment_times(recording, 1, &times));
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cutting_leaves_what_the_ranges_hold),
        cmocka_unit_test(slices_cut_segments),
        cmocka_unit_test(a_given_extent_cuts_segments),
        cmocka_unit_test(an_infinite_stop_is_that_of_the_recording),
        cmocka_unit_test(wrong_ranges_are_refused),
        cmocka_unit_test(recordings_are_made_with_segments),
        cmocka_unit_test(copies_keep_segments),
        cmocka_unit_test(shuffling_keeps_numbers_in_every_segment),
        cmocka_unit_test(one_segment_shuffles_as_the_whole),
        cmocka_unit_test(segments_shuffle_by_their_number),
        cmocka_unit_test(rates_are_by_the_time_observed),
        cmocka_unit_test(times_are_written_from_the_start_of_a_segment),
        cmocka_unit_test(parts_have_segments),
        cmocka_unit_test(formats_without_tables_say_so),
        cmocka_unit_test(an_uncut_recording_has_one_segment),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
