/* Recordings made from columns: their extent, which is half-open everywhere, and slices of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "spikemine/spikemine.h"
#include "support/random.h"
#include "support/scale.h"

static const spk_rate RATE = {1000, 1};
enum { MOST = 60, UNITS = 4 };

static void assert_valid(const spk_recording *recording)
{
    const char *reason = NULL;
    if (!spk_recording_validate(recording, &reason))
        fail_msg("%s", reason);
}

static void assert_extent(const spk_recording *recording, int64_t start, int64_t stop)
{
    size_t n = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert_int_equal(n, 1);
    assert_true(segments[0].start == start && segments[0].stop == stop);
    assert_true(spk_recording_start(recording) == start);
    assert_true(spk_recording_stop(recording) == stop);
}

static void assert_same_events(spk_events a, spk_events b)
{
    assert_int_equal(a.n_events, b.n_events);
    assert_int_equal(a.n_units, b.n_units);
    if (a.n_events == 0)
        return;
    assert_memory_equal(a.time, b.time, a.n_events * sizeof *a.time);
    assert_memory_equal(a.unit, b.unit, a.n_events * sizeof *a.unit);
}

/* Events anywhere, near the ends of int64 too; without an extent of its own. */
static spk_recording *draw_recording(test_random *random)
{
    int64_t time[MOST];
    uint32_t unit[MOST];
    uint64_t n = 1 + test_random_below(random, MOST);
    for (uint64_t i = 0; i < n; i++) {
        time[i] = test_random_between(random, -30, 30);
        if (test_random_chance(random, 0.1))
            time[i] = test_random_chance(random, 0.5) ? INT64_MIN : INT64_MAX - 1;
        unit[i] = (uint32_t)test_random_below(random, UNITS);
    }
    spk_recording *recording = NULL;
    assert_int_equal(spk_recording_create(NULL, n, time, unit, UNITS, NULL, RATE, NULL, NULL,
                                          &recording),
                     SPK_OK);
    return recording;
}

/* ---- the extent ------------------------------------------------------------------------------ */

static void a_recording_stops_behind_its_last_event(void **state)
{
    (void)state;
    uint64_t seed = test_seed("a_recording_stops_behind_its_last_event");
    for (uint64_t k = 0; k < test_scaled(2000); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_recording(&random);
        spk_events events = spk_recording_events(recording);
        assert_valid(recording);
        assert_extent(recording, events.time[0], events.time[events.n_events - 1] + 1);
        spk_recording_free(recording);
    }
}

static spk_status create(spk_context *context, uint64_t n, const int64_t *time,
                         const int64_t *start, const int64_t *stop, spk_recording **out)
{
    static const uint32_t unit[4] = {0};
    return spk_recording_create(context, n, time, unit, 1, NULL, RATE, start, stop, out);
}

static void an_empty_recording_has_the_extent_given(void **state)
{
    (void)state;
    const int64_t start = -5, stop = 7;
    static const struct {
        bool start, stop;
        spk_segment extent;
    } cases[] = {{false, false, {0, 0}},
                 {true, false, {-5, -5}},
                 {false, true, {7, 7}},
                 {true, true, {-5, 7}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_recording *recording = NULL;
        assert_int_equal(create(NULL, 0, NULL, cases[k].start ? &start : NULL,
                                cases[k].stop ? &stop : NULL, &recording),
                         SPK_OK);
        assert_valid(recording);
        assert_extent(recording, cases[k].extent.start, cases[k].extent.stop);
        spk_recording_free(recording);
    }
}

static void events_outside_the_extent_are_refused(void **state)
{
    (void)state;
    static const int64_t last[] = {3, 5, INT64_MAX};
    static const int64_t within[] = {3, 5, 9};
    const int64_t three = 3, four = 4, nine = 9, ten = 10;
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(create(context, 3, last, NULL, NULL, &recording), SPK_ERR_RANGE);
    assert_string_equal(spk_context_message(context),
                        "event 2 is at tick 9223372036854775807, behind which no recording can "
                        "stop; shift the times or take longer ticks");
    assert_int_equal(create(context, 3, within, &three, &nine, &recording), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "tick 9 lies outside"));
    assert_int_equal(create(context, 3, within, &four, &ten, &recording), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "tick 3 lies outside"));
    assert_int_equal(create(context, 0, NULL, &ten, &nine, &recording), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "in this order"));
    assert_null(recording);
    assert_int_equal(create(context, 3, within, &three, &ten, &recording), SPK_OK);
    assert_extent(recording, 3, 10);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* ---- slices ---------------------------------------------------------------------------------- */

static spk_recording *slice(const spk_recording *recording, int64_t start, int64_t stop)
{
    spk_recording *out = NULL;
    assert_int_equal(spk_recording_slice(NULL, recording, &start, &stop, 0, NULL, &out), SPK_OK);
    assert_valid(out);
    assert_extent(out, start, stop);
    return out;
}

/* From start to stop a slice is the whole; cut anywhere between, the two parts are. */
static void slices_add_up(void **state)
{
    (void)state;
    uint64_t seed = test_seed("slices_add_up");
    for (uint64_t k = 0; k < test_scaled(2000); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_recording(&random);
        spk_events events = spk_recording_events(recording);
        int64_t start = spk_recording_start(recording), stop = spk_recording_stop(recording);
        int64_t cut = test_random_between(&random, start, stop);
        if (test_random_chance(&random, 0.7)) /* on an event */
            cut = events.time[test_random_below(&random, events.n_events)];
        spk_recording *whole = slice(recording, start, stop);
        assert_same_events(spk_recording_events(whole), events);
        spk_recording *before = slice(recording, start, cut);
        spk_recording *after = slice(recording, cut, stop);
        uint64_t n = spk_recording_events(before).n_events;
        assert_int_equal(n + spk_recording_events(after).n_events, events.n_events);
        assert_true(n == 0 || spk_recording_events(before).time[n - 1] < cut);
        assert_true(n == events.n_events || spk_recording_events(after).time[0] >= cut);
        spk_recording_free(whole);
        spk_recording_free(before);
        spk_recording_free(after);
        spk_recording_free(recording);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_stops_behind_its_last_event),
        cmocka_unit_test(an_empty_recording_has_the_extent_given),
        cmocka_unit_test(events_outside_the_extent_are_refused),
        cmocka_unit_test(slices_add_up),
    };
    return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
