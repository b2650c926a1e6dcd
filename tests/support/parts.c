#include "support/parts.h"

#include "recording/recording.h"
#include "support/test.h"

static void check_facts(const spk_recording *part, const spk_recording *whole)
{
    spk_rate a = spk_recording_rate(part), b = spk_recording_rate(whole);
    const spk_recording_facts *x = spk_recording_get_facts(part);
    const spk_recording_facts *y = spk_recording_get_facts(whole);
    assert_int_equal(a.numerator, b.numerator);
    assert_int_equal(a.denominator, b.denominator);
    assert_int_equal(spk_recording_start(part), spk_recording_start(whole));
    assert_int_equal(spk_recording_stop(part), spk_recording_stop(whole));
    assert_int_equal(spk_recording_whole_events(part), spk_recording_events(whole).n_events);
    assert_int_equal(x->lines, y->lines);
    assert_string_equal(x->sha256, y->sha256);
    assert_int_equal(spk_recording_events(part).n_units, spk_recording_events(whole).n_units);
    for (uint32_t u = 0; u < spk_recording_events(whole).n_units; u++)
        assert_string_equal(spk_recording_label(part, u), spk_recording_label(whole, u));
}

/* The whole's events [first, ...) are those of the part. */
static void check_events(const spk_recording *part, const spk_recording *whole, uint64_t first)
{
    spk_events a = spk_recording_events(part), b = spk_recording_events(whole);
    assert_true(first + a.n_events <= b.n_events);
    if (a.n_events == 0)
        return;
    assert_memory_equal(a.time, b.time + first, a.n_events * sizeof *a.time);
    assert_memory_equal(a.unit, b.unit + first, a.n_events * sizeof *a.unit);
}

/* The margin holds all that an episode of these delays reaches back to. */
static void check_margin(const spk_recording *part, const spk_recording *whole,
                         spk_duration longest, uint32_t steps)
{
    spk_events events = spk_recording_events(whole);
    uint64_t reach = spk_duration_ticks(longest, spk_recording_rate(whole));
    uint64_t own = part->part.before + part->part.margin;
    if (spk_recording_events(part).n_events == 0)
        return;
    if (__builtin_mul_overflow(reach, (uint64_t)steps, &reach))
        reach = UINT64_MAX;
    for (uint64_t e = 0; e < part->part.before; e++)
        assert_true((uint64_t)events.time[own] - (uint64_t)events.time[e] > reach);
}

static void check_units(const spk_recording *part, const spk_recording *whole)
{
    const uint64_t *first = spk_recording_events(whole).unit_first;
    for (uint32_t u = 0; u < spk_recording_events(whole).n_units; u++)
        assert_int_equal(part->part.unit_count[u], first[u + 1] - first[u]);
}

void test_parts_check(int n, spk_recording *const *parts, const spk_recording *whole,
                      spk_duration reach, uint32_t steps)
{
    uint64_t own = 0;
    for (int k = 0; k < n; k++) {
        const spk_recording *part = parts[k];
        spk_events events = spk_recording_events(part);
        assert_true(part->part.divided);
        check_facts(part, whole);
        check_units(part, whole);
        if (events.n_events > 0) {
            assert_true(part->part.margin < events.n_events);
            assert_int_equal(part->part.before + part->part.margin, own);
        }
        check_events(part, whole, part->part.before);
        check_margin(part, whole, reach, steps);
        own += events.n_events - part->part.margin;
    }
    assert_int_equal(own, spk_recording_events(whole).n_events);
}

void test_parts_check_whole(const spk_recording *recording, const spk_recording *whole)
{
    size_t n = 0, n_whole = 0;
    const spk_segment *a = spk_recording_segments(recording, &n);
    const spk_segment *b = spk_recording_segments(whole, &n_whole);
    assert_false(recording->part.divided);
    assert_int_equal(n, n_whole);
    for (size_t k = 0; k < n; k++)
        assert_memory_equal(&a[k], &b[k], sizeof a[k]);
    check_facts(recording, whole);
    assert_int_equal(spk_recording_events(recording).n_events,
                     spk_recording_events(whole).n_events);
    check_events(recording, whole, 0);
}
