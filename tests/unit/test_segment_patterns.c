/*
 * Patterns in recordings of 1 to 20 segments: the windows of each segment alone, by definition from
 * the columns; the closed sets of all these windows, by intersecting every choice of them; and
 * segments against trials that are given in their place.
 */
#include "support/context.h"
#include "support/engines.h"

enum { UNITS = 3, MOST_EVENTS = 40, MOST_SEGMENTS = 20, MOST_WINDOWS = 800, MOST_CHOICES = 11 };

/* Times are thirds of a tick of 1 ms, so that segments and bins begin between ticks. */
typedef struct thirds {
    int start;
    int stop;
} thirds;

typedef struct window {
    size_t segment;
    int bin;
    uint64_t items; /* bit unit * length + lag */
} window;

typedef struct drawn {
    uint64_t n;
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
    size_t n_segments;
    thirds segment[MOST_SEGMENTS];
    spk_time_range range[MOST_SEGMENTS];
    int bin; /* thirds */
    uint32_t length;
    size_t n_windows;
    window expected[MOST_WINDOWS];
} drawn;

static spk_duration duration_of(int third)
{
    char text[32];
    spk_duration out;
    snprintf(text, sizeof text, "%d/3ms", third);
    assert_int_equal(spk_duration_parse(NULL, text, strlen(text), &out), SPK_OK);
    return out;
}

static int compare_thirds(const void *a, const void *b)
{
    const thirds *x = a, *y = b;
    int order = (x->start > y->start) - (x->start < y->start);
    return order != 0 ? order : (x->stop > y->stop) - (x->stop < y->stop);
}

static void draw(test_random *random, uint64_t most_segments, int most_length, drawn *d)
{
    d->n = test_random_below(random, MOST_EVENTS);
    for (uint64_t i = 0; i < d->n; i++) {
        d->time[i] = test_random_between(random, 0, 60);
        d->unit[i] = (uint32_t)test_random_below(random, UNITS);
    }
    d->bin = 1 + (int)test_random_below(random, 12);
    d->length = 1 + (uint32_t)test_random_below(random, 5);
    d->n_segments = 1 + test_random_below(random, most_segments);
    for (size_t k = 0; k < d->n_segments; k++) {
        thirds *s = &d->segment[k];
        s->start = (int)test_random_between(random, -10, 185);
        if (test_random_chance(random, 0.4)) /* on an event, or on a tick */
            s->start = 3 * (int)(d->n > 0 ? d->time[test_random_below(random, d->n)] : 1);
        if (k > 0 && test_random_chance(random, 0.3))
            s->start = d->segment[k - 1].stop;
        s->stop = s->start + 1 + (int)test_random_below(random, (uint64_t)most_length);
    }
    qsort(d->segment, d->n_segments, sizeof d->segment[0], compare_thirds);
    for (size_t k = 0; k < d->n_segments; k++)
        d->range[k] =
            (spk_time_range){duration_of(d->segment[k].start), duration_of(d->segment[k].stop)};
}

static spk_recording *make(const drawn *d)
{
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = d->n;
    source.time = d->time;
    source.unit = d->unit;
    source.n_units = UNITS;
    source.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    return recording;
}

/* ---- what is right --------------------------------------------------------------------------- */

/* The windows of a segment: bins w .. w + length - 1 for every bin w with an event. */
static void list_windows(drawn *d, size_t segment)
{
    thirds s = d->segment[segment];
    for (int bin = 0; bin * d->bin < s.stop - s.start; bin++) {
        window found = {segment, bin, 0};
        bool any = false;
        for (uint64_t i = 0; i < d->n; i++) {
            int at = 3 * (int)d->time[i];
            if (at < s.start || at >= s.stop)
                continue;
            int lag = (at - s.start) / d->bin - bin;
            any |= lag == 0;
            if (lag >= 0 && lag < (int)d->length)
                found.items |= UINT64_C(1) << (d->unit[i] * d->length + (uint32_t)lag);
        }
        assert_true(d->n_windows < MOST_WINDOWS);
        if (any)
            d->expected[d->n_windows++] = found;
    }
}

static void list_all(drawn *d)
{
    d->n_windows = 0;
    for (size_t k = 0; k < d->n_segments; k++)
        list_windows(d, k);
}

static spk_windows *windows_of(const drawn *d, const spk_recording *recording, bool trials)
{
    spk_window_options options;
    spk_windows *windows = NULL;
    spk_window_options_init(&options, sizeof options);
    options.bin = duration_of(d->bin);
    options.window = d->length;
    options.trial_times = trials ? d->range : NULL;
    options.n_trial_times = trials ? d->n_segments : 0;
    if (spk_windows_create(context, recording, &options, &windows) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return windows;
}

static spk_recording *cut(const drawn *d, const spk_recording *recording)
{
    spk_recording *out = NULL;
    assert_int_equal(spk_recording_cut(context, recording, d->n_segments, d->range, &out), SPK_OK);
    return out;
}

static void check_drawn(const drawn *d, const spk_recording *recording, const spk_windows *windows)
{
    spk_window_columns c = spk_windows_columns(windows);
    assert_int_equal(c.n_windows, d->n_windows);
    for (uint64_t w = 0; w < c.n_windows; w++) {
        uint64_t items = 0;
        for (uint64_t k = c.first[w]; k < c.first[w + 1]; k++)
            items |= UINT64_C(1) << c.item[k];
        assert_int_equal(c.trial[w], d->expected[w].segment);
        assert_int_equal(spk_windows_trial(windows, w), spk_recording_trial(recording, c.trial[w]));
        assert_int_equal(c.start_bin[w], d->expected[w].bin);
        assert_int_equal(items, d->expected[w].items);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void no_window_crosses_a_border(void **state)
{
    (void)state;
    static drawn d;
    uint64_t seed = test_seed("no_window_crosses_a_border");
    for (uint64_t number = 0; number < test_scaled(5000); number++) {
        test_random random = test_random_make(seed, number);
        draw(&random, MOST_SEGMENTS, 60, &d);
        list_all(&d);
        spk_recording *recording = make(&d), *parts = cut(&d, recording);
        spk_windows *windows[2] = {windows_of(&d, parts, false), windows_of(&d, recording, true)};
        for (int k = 0; k < 2; k++) {
            check_drawn(&d, parts, windows[k]);
            spk_windows_free(windows[k]);
        }
        spk_recording_free(parts);
        spk_recording_free(recording);
    }
}

/* Trials of a recording with segments: what they have in common. */
static void trials_lie_within_segments(void **state)
{
    (void)state;
    static drawn d, trials;
    uint64_t seed = test_seed("trials_lie_within_segments");
    for (uint64_t number = 0; number < test_scaled(1000); number++) {
        test_random random = test_random_make(seed, number);
        draw(&random, 4, 90, &d);
        draw(&random, 4, 90, &trials);
        drawn common = d;
        common.n_segments = 0;
        for (size_t a = 0; a < d.n_segments; a++)
            for (size_t b = 0; b < trials.n_segments; b++) {
                thirds x = d.segment[a], y = trials.segment[b];
                thirds both = {x.start > y.start ? x.start : y.start,
                               x.stop < y.stop ? x.stop : y.stop};
                if (both.start < both.stop)
                    common.segment[common.n_segments++] = both;
            }
        if (common.n_segments == 0)
            continue;
        qsort(common.segment, common.n_segments, sizeof common.segment[0], compare_thirds);
        list_all(&common);
        trials.bin = d.bin;
        trials.length = d.length;
        spk_recording *recording = make(&d), *parts = cut(&d, recording);
        spk_recording *both = cut(&trials, parts);
        spk_windows *windows = windows_of(&trials, parts, true);
        check_drawn(&common, both, windows);
        spk_windows_free(windows);
        spk_recording_free(both);
        spk_recording_free(parts);
        spk_recording_free(recording);
    }
}

static uint64_t count_of(const drawn *d, uint64_t items)
{
    uint64_t n = 0;
    for (size_t w = 0; w < d->n_windows; w++)
        n += (d->expected[w].items & items) == items;
    return n;
}

static bool has_first_bin(const drawn *d, uint64_t items)
{
    for (uint32_t u = 0; u < UNITS; u++)
        if ((items >> (u * d->length) & 1) != 0)
            return true;
    return false;
}

/* The closed sets that reach the support: what some choice of windows has in common. */
static size_t list_closed(const drawn *d, uint64_t support, uint64_t *closed)
{
    size_t n = 0;
    for (uint64_t choice = 1; choice < UINT64_C(1) << d->n_windows; choice++) {
        uint64_t items = UINT64_MAX;
        for (size_t w = 0; w < d->n_windows; w++)
            if ((choice >> w & 1) != 0)
                items &= d->expected[w].items;
        bool known = items == 0 || !has_first_bin(d, items) || count_of(d, items) < support;
        for (size_t k = 0; k < n && !known; k++)
            known = closed[k] == items;
        if (!known)
            closed[n++] = items;
    }
    return n;
}

static void closed_patterns_are_those_of_all_segments(void **state)
{
    (void)state;
    static drawn d;
    static uint64_t closed[1 << MOST_CHOICES];
    uint64_t seed = test_seed("closed_patterns_are_those_of_all_segments");
    for (uint64_t number = 0, done = 0; done < test_scaled(400); number++) {
        test_random random = test_random_make(seed, number);
        draw(&random, MOST_SEGMENTS, 12, &d);
        list_all(&d);
        if (d.n_windows < 3 || d.n_windows > MOST_CHOICES)
            continue;
        done++;
        spk_recording *recording = make(&d), *parts = cut(&d, recording);
        spk_windows *windows = windows_of(&d, parts, false);
        spk_pattern_options options;
        spk_pattern_options_init(&options, sizeof options);
        options.support = 1 + test_random_below(&random, 3);
        options.moving_window_filter = false;
        size_t n = list_closed(&d, options.support, closed);
        const test_pattern_engine *engine;
        for (size_t e = 0; (engine = test_pattern_engine_at(e)) != NULL; e++) {
            spk_pattern_list *list = NULL;
            options.engine = engine->name;
            assert_int_equal(spk_pattern_list_create(context, d.length, &list), SPK_OK);
            assert_int_equal(
                spk_pattern_mine(context, windows, &options, spk_pattern_list_add, list, NULL),
                SPK_OK);
            spk_pattern_columns found = spk_pattern_list_columns(list);
            assert_int_equal(found.n, n);
            for (uint64_t i = 0; i < found.n; i++) {
                uint64_t items = 0;
                bool known = false;
                for (uint64_t k = found.offset[i]; k < found.offset[i + 1]; k++)
                    items |= UINT64_C(1) << found.item[k];
                for (size_t k = 0; k < n; k++)
                    known |= closed[k] == items;
                assert_true(known);
                assert_int_equal(found.count[i], count_of(&d, items));
            }
            spk_pattern_list_free(list);
        }
        spk_windows_free(windows);
        spk_recording_free(parts);
        spk_recording_free(recording);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_window_crosses_a_border),
        cmocka_unit_test(trials_lie_within_segments),
        cmocka_unit_test(closed_patterns_are_those_of_all_segments),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
