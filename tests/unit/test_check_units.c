/* The check of units against sums over all pairs of events. */
#include "support/context.h"

enum { N = 80, UNITS = 5, SEGMENTS = 3 };

/* Random events of five units, the last of which never fires, in up to three segments. */
static spk_recording *make(test_random *random)
{
    int64_t time[N];
    uint32_t unit[N];
    spk_segment segment[SEGMENTS];
    spk_recording *out = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = test_random_below(random, N);
    for (uint64_t k = 0; k < source.n_events; k++) {
        time[k] = test_random_between(random, -100, 400);
        unit[k] = (uint32_t)test_random_below(random, UNITS - 1);
    }
    source.n_segments = test_random_below(random, SEGMENTS + 1);
    for (size_t k = 0; k < source.n_segments; k++) {
        segment[k].start = test_random_between(random, -100, 400);
        segment[k].stop = segment[k].start + test_random_between(random, 1, 300);
    }
    source.time = time;
    source.unit = unit;
    source.n_units = UNITS;
    source.segments = source.n_segments > 0 ? segment : NULL;
    source.rate = (spk_rate){10000, 1};
    if (spk_recording_create(context, &source, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return out;
}

static void check_intervals(const spk_recording *r, uint32_t u, int64_t limit,
                            const spk_unit_check *c)
{
    spk_events e = spk_recording_events(r);
    size_t n_segments = 0;
    const spk_segment *segment = spk_recording_segments(r, &n_segments);
    uint64_t n = 0, n_short = 0;
    double sum = 0, squares = 0;
    for (size_t s = 0; s < n_segments; s++) {
        const int64_t *last = NULL;
        for (uint64_t i = 0; i < e.n_events; i++) {
            if (e.unit[i] != u || e.time[i] < segment[s].start || e.time[i] >= segment[s].stop)
                continue;
            if (last != NULL) {
                double interval = (double)(e.time[i] - *last);
                n++;
                n_short += interval < (double)limit;
                sum += interval;
                squares += interval * interval;
            }
            last = &e.time[i];
        }
    }
    assert_int_equal(c->n_intervals, n);
    assert_int_equal(c->n_short, n_short);
    if (n < 2) {
        assert_true(c->interval_cv < 0);
        return;
    }
    double mean = sum / (double)n, variance = squares / (double)n - mean * mean;
    assert_true(fabs(c->interval_cv - sqrt(variance > 0 ? variance : 0) / mean) < 1e-6);
}

static uint64_t shared(const spk_events *e, uint32_t u, uint32_t other, int64_t window)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < e->n_events; i++) {
        bool found = false;
        for (uint64_t k = 0; k < e->n_events && e->unit[i] == u; k++)
            found |= e->unit[k] == other && llabs(e->time[k] - e->time[i]) <= window;
        n += found;
    }
    return n;
}

static void check_twin(const spk_recording *r, uint32_t u, int64_t window, const spk_unit_check *c)
{
    spk_events e = spk_recording_events(r);
    uint64_t most = 0;
    uint32_t twin = UINT32_MAX;
    for (uint32_t other = 0; other < UNITS; other++) {
        uint64_t n = other != u ? shared(&e, u, other, window) : 0;
        if (n > most) {
            most = n;
            twin = other;
        }
    }
    assert_int_equal(c->n_shared, most);
    assert_int_equal(c->twin, twin);
}

static void random_recordings(void **state)
{
    (void)state;
    uint64_t seed = test_seed("test_check_units");
    for (uint64_t k = 0; k < test_scaled(2000); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = make(&random);
        spk_unit_check check[UNITS];
        spk_unit_check_options options;
        spk_unit_check_options_init(&options, sizeof options);
        int64_t limit = test_random_between(&random, 0, 40); /* ticks of 0.1 ms */
        int64_t window = test_random_between(&random, 0, 20);
        options.refractory = (spk_duration){limit, -4, 0};
        options.coincidence = (spk_duration){window, -4, 0};
        assert_int_equal(spk_recording_check_units(context, recording, &options, check), SPK_OK);
        for (uint32_t u = 0; u < UNITS; u++) {
            check_intervals(recording, u, limit, &check[u]);
            check_twin(recording, u, window, &check[u]);
        }
        spk_recording_free(recording);
    }
}

/* 2 ms and 0.25 ms at 10 kHz are 20 and 2.5 ticks: an interval of 20 is none below 2 ms, events 3
 * ticks apart do not coincide. */
static void limits_are_exact(void **state)
{
    (void)state;
    static const int64_t time[] = {0, 2, 20, 23, 39};
    static const uint32_t unit[] = {0, 1, 0, 1, 0};
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_unit_check check[2];
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 5;
    source.time = time;
    source.unit = unit;
    source.n_units = 2;
    source.rate = (spk_rate){10000, 1};
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    assert_int_equal(spk_recording_check_units(context, recording, NULL, check), SPK_OK);
    assert_int_equal(check[0].n_intervals, 2);
    assert_int_equal(check[0].n_short, 1);
    assert_int_equal(check[0].n_shared, 1);
    assert_int_equal(check[0].twin, 1);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_recordings),
        cmocka_unit_test(limits_are_exact),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
