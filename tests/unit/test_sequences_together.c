/* Rates that change together beside the definition: counts in windows, moved in a circle. */
#include "base/random.h"
#include "sequence/sequence.h"
#include "support/test.h"

enum { UNITS = 5, TICKS = 40000, REACH = 100 };

static uint64_t seed;

/* `segment` NULL: all of it is one. Units fire with chance rate[unit][tick / 1000 % 2] at a tick,
 * as test_random_chance tells, in whole numbers: an emulator takes long for others. */
static spk_recording *draw(test_random *random, const double rate[UNITS][2],
                           const spk_segment *segment, size_t n_segments)
{
    static int64_t time[UNITS * TICKS];
    static uint32_t unit[UNITS * TICKS];
    const int64_t start = 0, stop = TICKS;
    uint64_t below[UNITS][2]; /* of 2^53 */
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    for (uint32_t u = 0; u < UNITS; u++)
        for (int k = 0; k < 2; k++)
            below[u][k] = (uint64_t)ceil(rate[u][k] * 0x1p53);
    for (int64_t tick = 0; tick < TICKS; tick++)
        for (uint32_t u = 0; u < UNITS; u++)
            if (test_random_bits(random) >> 11 < below[u][tick / 1000 % 2]) {
                time[source.n_events] = tick;
                unit[source.n_events++] = u;
            }
    source.time = time;
    source.unit = unit;
    source.n_units = UNITS;
    source.rate = (spk_rate){1000, 1};
    source.start = &start;
    source.stop = &stop;
    source.segments = segment;
    source.n_segments = n_segments;
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    return recording;
}

static double p_of(const spk_recording *recording, double reach)
{
    double p = -1;
    assert_int_equal(spk_sequence_rates_together(NULL, recording, reach, 7, &p), SPK_OK);
    return p;
}

static const double steady[UNITS][2] = {{.02, .02}, {.01, .01}, {.03, .03}, {.01, .01}, {.02, .02}};
static const double together[UNITS][2] = {
    {.03, .01}, {.015, .005}, {.04, .02}, {.015, .005}, {.03, .01}};
/* One unit alone changes much more than the others. */
static const double alone[UNITS][2] = {{.06, 0}, {.01, .01}, {.03, .03}, {.01, .01}, {.02, .02}};

/* Of independent units about one in twenty has p up to 0.05, whatever each does by itself. */
static void independent_units_seldom_change_together(void **state)
{
    (void)state;
    enum { N = 60 };
    uint32_t n_steady = 0, n_alone = 0;
    for (uint64_t c = 0; c < N; c++) {
        test_random random = test_random_make(20260401, c);
        spk_recording *a = draw(&random, steady, NULL, 0), *b = draw(&random, alone, NULL, 0);
        n_steady += p_of(a, REACH) <= 0.05;
        n_alone += p_of(b, REACH) <= 0.05;
        spk_recording_free(a);
        spk_recording_free(b);
    }
    assert_in_range(n_steady, 0, 9); /* more: a chance below 0.001 */
    assert_in_range(n_alone, 0, 9);
}

static void rates_that_change_together_are_seen(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 0);
    spk_recording *recording = draw(&random, together, NULL, 0);
    assert_true(p_of(recording, REACH) == 0.01);
    spk_recording_free(recording);
}

/* Silence between segments, which all units share, is none of their rates. Segments shorter than a
 * window have none. */
static void silence_between_segments_is_none(void **state)
{
    (void)state;
    spk_segment long_ones[10], short_ones[100];
    double none[UNITS][2];
    uint32_t n = 0;
    for (int k = 0; k < 10; k++)
        long_ones[k] = (spk_segment){4000 * k, 4000 * k + 1000};
    for (int k = 0; k < 100; k++)
        short_ones[k] = (spk_segment){400 * k, 400 * k + 399};
    for (uint32_t u = 0; u < UNITS; u++) /* each second of four: the first ones of the segments */
        none[u][0] = steady[u][0], none[u][1] = 0;
    for (uint64_t c = 0; c < 10; c++) {
        test_random random = test_random_make(20260402, c);
        spk_recording *recording = draw(&random, none, long_ones, 10);
        n += p_of(recording, REACH) <= 0.05;
        spk_recording_free(recording);
        recording = draw(&random, together, short_ones, 100);
        assert_true(p_of(recording, REACH) == 1);
        spk_recording_free(recording);
    }
    assert_in_range(n, 0, 4);
}

/* p from the definition, with the draws of the library. */
static double by_hand(const spk_recording *recording)
{
    enum { WIDTH = 4 * REACH, WINDOWS = TICKS / WIDTH, DRAWS = 99 };
    static uint32_t count[UNITS][WINDOWS];
    const spk_events events = spk_recording_events(recording);
    double own = 0;
    uint32_t n = 0;
    memset(count, 0, sizeof count);
    for (uint64_t e = 0; e < events.n_events; e++)
        count[events.unit[e]][events.time[e] / WIDTH]++;
    for (uint64_t draw = 0; draw <= DRAWS; draw++) {
        spk_random random = spk_random_start(7, SPK_RANDOM_SEQUENCE_TOGETHER, draw - 1);
        uint64_t by[UNITS] = {0};
        double squares = 0;
        for (uint32_t u = 0; u < UNITS && draw > 0; u++)
            by[u] = spk_random_below(&random, WINDOWS);
        for (uint64_t w = 0; w < WINDOWS; w++) {
            double sum = 0;
            for (uint32_t u = 0; u < UNITS; u++)
                sum += count[u][(w + WINDOWS - by[u]) % WINDOWS];
            squares += sum * sum;
        }
        own = draw == 0 ? squares : own;
        n += draw > 0 && squares >= own;
    }
    return (1.0 + n) / (1.0 + DRAWS);
}

static void p_is_that_of_the_definition(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 20; c++) {
        test_random random = test_random_make(seed, 100 + c);
        spk_recording *recording = draw(&random, c % 2 == 0 ? steady : together, NULL, 0);
        assert_true(p_of(recording, REACH) == by_hand(recording));
        spk_recording_free(recording);
    }
}

int main(void)
{
    seed = test_seed("test_sequences_together");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_units_seldom_change_together),
        cmocka_unit_test(rates_that_change_together_are_seen),
        cmocka_unit_test(silence_between_segments_is_none),
        cmocka_unit_test(p_is_that_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
