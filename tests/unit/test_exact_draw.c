/*
 * Means of nulls that do not keep numbers in windows: they come from one draw, and two units that
 * never meet in it have a mean all the same.
 */
#include "significance/exact/null_inside.h"
#include "significance/surrogates/surrogates.h"
#include "support/context.h"

enum { EACH = 20, TICKS = 40000 };

/* Unit 0 in the first half, unit 1 in the second, unit 2 and 3 in all of it; a tick is 1 ms. */
static spk_recording *make_halves(uint32_t n_units)
{
    static int64_t time[4 * EACH];
    static uint32_t unit[4 * EACH];
    spk_recording *recording = NULL;
    spk_recording_source source;
    for (int64_t k = 0; k < EACH; k++) {
        const int64_t at[] = {k * 900, TICKS / 2 + k * 900, k * 1900 + 50, k * 1900 + 53};
        for (uint32_t u = 0; u < 4; u++) {
            time[4 * k + u] = at[u];
            unit[4 * k + u] = u;
        }
    }
    spk_recording_source_init(&source, sizeof source);
    source.rate = (spk_rate){1000, 1};
    source.n_units = n_units;
    source.n_events = 4 * EACH;
    source.time = time;
    source.unit = unit;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

/* Windows of 100 ms, in ticks or in bins. */
static spk_surrogates *cut_windows(const spk_recording *recording, spk_duration bin)
{
    spk_surrogate_options options;
    spk_surrogates *windows = NULL;
    spk_surrogate_options_init(&options, sizeof options);
    options.method = "interval-jitter";
    options.dither = in_ms(100);
    options.bin = bin;
    check(spk_surrogates_create(context, recording, &options, &windows));
    return windows;
}

/* Means of 0 -> 1, 0 -> 1 -> 0 and 2 -> 3 within 10 ms, before and after. */
static void find_means(const spk_recording *recording, double before[3], double after[3])
{
    const spk_delay delay = {in_ms(0), in_ms(10)};
    const uint32_t unit[3][3] = {{0, 1}, {0, 1, 0}, {2, 3}};
    const uint32_t size[] = {2, 3, 2};
    spk_surrogates *windows = cut_windows(recording, (spk_duration){0});
    spk_null *null = NULL;
    spk_episode_list *list = NULL;
    check(spk_null_create_episodes(context, recording, &delay, 1, windows, &null));
    check(spk_episode_list_create(context, &list));
    for (int k = 0; k < 3; k++)
        check(spk_episode_list_append(context, list, size[k], unit[k],
                                      (const spk_delay[]){delay, delay}));
    spk_episode_columns episodes = spk_episode_list_columns(list);
    spk_null_episode_means(null, &episodes, before, NULL);
    check(spk_null_lean_episodes(context, recording, null));
    spk_null_episode_means(null, &episodes, after, NULL);
    spk_episode_list_free(list);
    spk_null_free(null);
    spk_surrogates_free(windows);
}

/* Constant rates let 1 follow 0 20 x 20 x 10 / 40000 times, 0.1 on average. */
static void no_mean_is_0_by_accident(void **state)
{
    (void)state;
    double before[3], after[3];
    spk_recording *recording = make_halves(4);
    find_means(recording, before, after);
    assert_true(before[0] == 0 && before[1] == 0);
    assert_true(fabs(after[0] - 0.02) < 0.003); /* a fifth of it */
    assert_true(after[1] > 0 && after[1] < after[0] / 5);
    /* What meets often in the draw stays about as it was. */
    assert_true(before[2] > 0.5 && after[2] < before[2] && after[2] > 0.75 * before[2]);
    spk_recording_free(recording);
}

/* The same where there are too many units for a table of pairs. */
static void without_a_table(void **state)
{
    (void)state;
    double before[3], after[3];
    spk_recording *recording = make_halves(3000);
    find_means(recording, before, after);
    assert_true(after[0] > 0.015 && after[0] < before[0] + 0.1);
    assert_true(after[1] > 0 && after[1] < after[0] / 5);
    spk_recording_free(recording);
}

/* The null of patterns in windows of 4 bins of 5 ms. */
static spk_null *null_of_bins(const spk_recording *recording)
{
    spk_window_options windows;
    spk_surrogates *surrogates = cut_windows(recording, in_ms(5));
    spk_null *null = NULL;
    spk_window_options_init(&windows, sizeof windows);
    windows.bin = in_ms(5);
    windows.window = 4;
    check(spk_null_create_patterns(context, recording, &windows, surrogates, &null));
    spk_surrogates_free(surrogates);
    return null;
}

/* A fifth of a pattern's mean is that of constant rates: 20 bins of each unit, and a start wherever
 * its last item is in the recording. */
static void patterns_lean_on_rates(void **state)
{
    (void)state;
    const uint64_t offset[] = {0, 2, 5, 7};
    const uint32_t item[] = {0, 4 + 1, /* 0, then 1 a bin later */
                             0, 4 + 1, 0 + 3, 8, 12};
    const uint32_t last[] = {1, 3, 0};
    const spk_pattern_columns patterns = {.n = 3, .window = 4, .offset = offset, .item = item};
    double before[3], after[3];
    spk_recording *recording = make_halves(4);
    spk_null *null = null_of_bins(recording);
    const double n_bins = (double)null->patterns.trial[0].n_bins;
    spk_null_pattern_means(null, &patterns, NULL, before, NULL);
    check(spk_null_lean_patterns(context, null));
    spk_null_pattern_means(null, &patterns, NULL, after, NULL);
    assert_true(before[0] == 0 && before[1] == 0 && before[2] > 0.5);
    for (int i = 0; i < 3; i++) {
        const double size = (double)(offset[i + 1] - offset[i]);
        const double by_rates = pow(EACH / n_bins, size) * (n_bins - last[i]);
        assert_true(fabs(after[i] - 0.8 * before[i] - 0.2 * by_rates) < 1e-12);
    }
    spk_null_free(null);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_mean_is_0_by_accident),
        cmocka_unit_test(without_a_table),
        cmocka_unit_test(patterns_lean_on_rates),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
