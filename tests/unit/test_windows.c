/* Windows: binning against integer division, trials, times at the limits; the transaction reader.
 */
#include "recording/read_text.h"
#include "support/test.h"

/* ---- binning --------------------------------------------------------------------------------- */

static spk_recording *make_recording(spk_context *context, test_random *random, uint64_t n,
                                     uint32_t n_units, spk_rate rate, int64_t range)
{
    int64_t *time = malloc(n * sizeof *time);
    uint32_t *unit = malloc(n * sizeof *unit);
    spk_recording *recording = NULL;
    for (uint64_t k = 0; k < n; k++) {
        time[k] = test_random_between(random, -range / 3, range);
        unit[k] = (uint32_t)test_random_below(random, n_units);
    }
    assert_int_equal(
        test_recording_create(context, n, time, unit, n_units, NULL, rate, NULL, NULL, &recording),
        SPK_OK);
    free(time);
    free(unit);
    return recording;
}

/* Whether the unit fires in the bin of the trial, by the definition: the bin's number is the
 * integer quotient of (time - start) * denominator by numerator. */
static bool fires(const spk_recording *recording, const spk_segment *trial, uint32_t unit,
                  uint64_t bin, uint64_t numerator, uint64_t denominator)
{
    spk_events events = spk_recording_events(recording);
    for (uint64_t e = 0; e < events.n_events; e++)
        if (events.unit[e] == unit && events.time[e] >= trial->start &&
            events.time[e] < trial->stop &&
            (uint64_t)(events.time[e] - trial->start) * denominator / numerator == bin)
            return true;
    return false;
}

static void check_windows(const spk_recording *recording, const spk_windows *windows,
                          const spk_segment *trials, size_t n_trials, uint64_t numerator,
                          uint64_t denominator)
{
    spk_window_columns c = spk_windows_columns(windows);
    const char *reason = NULL;
    if (!spk_windows_validate(windows, &reason))
        fail_msg("%s", reason);
    uint64_t w = 0, n_bins = 0;
    for (size_t t = 0; t < n_trials; t++) {
        uint64_t ticks = (uint64_t)(trials[t].stop - trials[t].start);
        uint64_t bins = (ticks * denominator + numerator - 1) / numerator;
        n_bins += bins;
        for (uint64_t bin = 0; bin < bins; bin++) {
            bool any = false;
            for (uint32_t unit = 0; unit < c.n_units; unit++)
                any |= fires(recording, &trials[t], unit, bin, numerator, denominator);
            if (!any)
                continue;
            assert_true(w < c.n_windows && c.trial[w] == t && c.start_bin[w] == bin);
            uint64_t k = c.first[w];
            for (uint32_t unit = 0; unit < c.n_units; unit++)
                for (uint32_t lag = 0; lag < c.window; lag++)
                    if (fires(recording, &trials[t], unit, bin + lag, numerator, denominator))
                        assert_int_equal(c.item[k++], unit * c.window + lag);
            assert_int_equal(k, c.first[w + 1]);
            /* the first tick of the bin: it is in it and the one before is not */
            uint64_t at = (uint64_t)(c.start_time[w] - trials[t].start);
            assert_int_equal(at * denominator / numerator, bin);
            assert_true(at == 0 || (at - 1) * denominator / numerator < bin);
            w++;
        }
    }
    assert_int_equal(w, c.n_windows);
    assert_int_equal(n_bins, c.n_bins);
}

static void windows_follow_the_definition(void **state)
{
    (void)state;
    /* Widths in ticks of 1 ms: 5, 5/2, 1/3 of 100 (no whole number), 7/10. */
    static const struct {
        spk_duration bin;
        spk_rate rate;
        uint64_t numerator, denominator;
    } widths[] = {{{5, -3}, {1000, 1}, 5, 1},
                  {{25, -4}, {1000, 1}, 5, 2},
                  {{1, -1}, {1000, 3}, 100, 3},
                  {{7, -4}, {1000, 1}, 7, 10},
                  {{2, 1}, {1, 3}, 20, 3}};
    uint64_t seed = test_seed("windows_follow_the_definition");
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (uint64_t number = 0; number < 60; number++) {
        test_random random = test_random_make(seed, number);
        size_t k = number % 5;
        spk_recording *recording = make_recording(
            context, &random, 1 + test_random_below(&random, 60), 4, widths[k].rate, 200);
        spk_segment trials[3];
        spk_window_options options;
        spk_windows *windows = NULL;
        spk_window_options_init(&options, sizeof options);
        options.bin = widths[k].bin;
        options.window = 1 + (uint32_t)test_random_below(&random, 6);
        for (int t = 0; t < 3; t++) {
            trials[t].start = test_random_between(&random, -100, 150);
            trials[t].stop = trials[t].start + 1 + (int64_t)test_random_below(&random, 80);
        }
        bool whole = number % 4 == 0;
        if (whole)
            trials[0] =
                (spk_segment){spk_recording_start(recording), spk_recording_stop(recording)};
        options.trials = whole ? NULL : trials;
        options.n_trials = whole ? 0 : 3;
        assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_OK);
        check_windows(recording, windows, trials, whole ? 1 : 3, widths[k].numerator,
                      widths[k].denominator);
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    spk_context_free(context);
}

static void times_at_the_limits_are_binned(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    spk_window_options options;
    const int64_t time[] = {INT64_MIN, 0, INT64_MAX - 1};
    const uint32_t unit[] = {0, 0, 0};
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(test_recording_create(context, 3, time, unit, 1, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){1, 3};
    options.window = 3;
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_OK);
    spk_window_columns c = spk_windows_columns(windows);
    assert_int_equal(c.n_windows, 3);
    assert_true(c.start_bin[2] == UINT64_MAX / 1000000);
    spk_windows_free(windows);
    options.window = 0;
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_ERR_ARGUMENT);
    options.window = SPK_MAX_WINDOW_BINS + 1;
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_ERR_ARGUMENT);
    options.window = 1;
    options.bin = (spk_duration){0, 0};
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_ERR_ARGUMENT);
    options.bin = (spk_duration){1, -40};
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_ERR_RANGE);
    assert_null(windows);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* Bins of a tenth of a tick over all of int64 are more than 64 bit number. */
static void bins_that_cannot_be_numbered_are_refused(void **state)
{
    (void)state;
    const int64_t time[] = {INT64_MIN, INT64_MAX - 1};
    const uint32_t unit[] = {0, 0};
    const spk_segment trials[] = {{0, INT64_MAX}, {0, INT64_MAX}, {0, 2}};
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    spk_window_options options;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(test_recording_create(context, 2, time, unit, 1, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){1, -4};
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_ERR_RANGE);
    assert_non_null(strstr(spk_context_message(context), "more bins than 64 bit count"));
    options.bin = (spk_duration){1, -3}; /* in sum, over trials */
    options.trials = trials;
    options.n_trials = 2;
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_OK);
    assert_true(spk_windows_columns(windows).n_bins == UINT64_MAX - 1);
    spk_windows_free(windows);
    options.n_trials = 3;
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_ERR_RANGE);
    assert_null(windows);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* Bins, windows and everything else are those of a trial from start to stop. */
static void assert_same_windows(spk_window_columns a, spk_window_columns b)
{
    assert_int_equal(a.n_bins, b.n_bins);
    assert_int_equal(a.n_windows, b.n_windows);
    assert_memory_equal(a.first, b.first, (a.n_windows + 1) * sizeof *a.first);
    assert_memory_equal(a.item, b.item, a.first[a.n_windows] * sizeof *a.item);
    assert_memory_equal(a.start_bin, b.start_bin, a.n_windows * sizeof *a.start_bin);
    assert_memory_equal(a.start_time, b.start_time, a.n_windows * sizeof *a.start_time);
}

static void a_whole_recording_is_one_trial(void **state)
{
    (void)state;
    uint64_t seed = test_seed("a_whole_recording_is_one_trial");
    for (uint64_t number = 0; number < 300; number++) {
        test_random random = test_random_make(seed, number);
        int64_t time[40];
        uint32_t unit[40];
        int64_t start = test_random_between(&random, -50, 50);
        int64_t stop = start + test_random_between(&random, 1, 1000);
        if (number == 0) /* one second of ticks of 1 ms has 200 bins of 5 ms, not 201 */
            start = 0, stop = 1000;
        if (number == 1)
            start = INT64_MIN, stop = INT64_MAX;
        for (int k = 0; k < 40; k++) {
            time[k] = test_random_between(&random, start, stop - 1);
            unit[k] = (uint32_t)test_random_below(&random, 3);
        }
        spk_recording *recording = NULL;
        assert_int_equal(test_recording_create(NULL, 40, time, unit, 3, NULL, (spk_rate){1000, 1},
                                               &start, &stop, &recording),
                         SPK_OK);
        spk_segment trial = {start, stop};
        spk_window_options options;
        spk_windows *whole = NULL, *cut = NULL;
        spk_window_options_init(&options, sizeof options);
        options.bin = (spk_duration){number < 2 ? 5 : test_random_between(&random, 1, 60), -3};
        options.window = 1 + (uint32_t)test_random_below(&random, 4);
        assert_int_equal(spk_windows_create(NULL, recording, &options, &whole), SPK_OK);
        options.trials = &trial;
        options.n_trials = 1;
        assert_int_equal(spk_windows_create(NULL, recording, &options, &cut), SPK_OK);
        assert_same_windows(spk_windows_columns(whole), spk_windows_columns(cut));
        if (number == 0)
            assert_int_equal(spk_windows_columns(whole).n_bins, 200);
        spk_windows_free(whole);
        spk_windows_free(cut);
        spk_recording_free(recording);
    }
}

/* A trial has the events of start <= t < stop, also where its times lie between ticks, before 0 or
 * on an event, and where no tick lies in it. */
static void trials_take_the_events_between_their_times(void **state)
{
    (void)state;
    const int64_t time[] = {-2, -1, 0, 1, 2, 3, 4};
    const uint32_t unit[7] = {0};
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    spk_window_options options;
    char path[] = "/tmp/spikemine-trials-XXXXXX";
    int file = mkstemp(path);
    static const char text[] = "-0.0015 0.0015\n1ms 2ms # one\n0.0005, 0.0025\n-2ms;0\n"
                               "0.00115 0.00185\n1/3ms 4/3ms\n";
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    assert_int_equal(test_recording_create(NULL, 7, time, unit, 1, NULL, (spk_rate){1000, 1}, NULL,
                                           NULL, &recording),
                     SPK_OK);
    spk_time_range *trials = NULL;
    size_t n = 0;
    assert_int_equal(spk_intervals_read(NULL, recording, path, &trials, &n), SPK_OK);
    spk_window_options_init(&options, sizeof options);
    options.trial_times = trials;
    options.n_trial_times = n;
    options.bin = (spk_duration){5, -4};
    assert_int_equal(spk_windows_create(NULL, recording, &options, &windows), SPK_OK);
    static const struct {
        uint32_t trial;
        uint64_t bin;
        int64_t time;
        const char *text;
    } expected[] = {{0, 1, -1, "-0.001"}, {0, 3, 0, "0"},       {0, 5, 1, "0.001"},
                    {1, 0, 1, "0.001"},   {2, 1, 1, "0.001"},   {2, 3, 2, "0.002"},
                    {3, 0, -2, "-0.002"}, {3, 2, -1, "-0.001"}, {5, 1, 1, "0.000833333333"}};
    spk_window_columns c = spk_windows_columns(windows);
    assert_int_equal(n, 6);
    assert_int_equal(c.n_bins, 6 + 2 + 4 + 4 + 2 + 2);
    assert_int_equal(c.n_windows, sizeof expected / sizeof expected[0]);
    for (size_t w = 0; w < c.n_windows; w++) {
        char start[48];
        assert_int_equal(c.trial[w], expected[w].trial);
        assert_int_equal(c.start_bin[w], expected[w].bin);
        assert_int_equal(c.start_time[w], expected[w].time);
        assert_int_equal(spk_windows_format_time(windows, w, start, sizeof start),
                         strlen(expected[w].text));
        assert_string_equal(start, expected[w].text);
    }
    char none[48] = "x";
    assert_int_equal(spk_windows_format_time(windows, c.n_windows, none, sizeof none), 0);
    assert_string_equal(none, "");
    spk_windows_free(windows);
    free(trials);
    spk_recording_free(recording);
    remove(path);
}

/* ---- bounds and widths between the ticks ------------------------------------------------------
 */

/* up / down seconds. */
typedef struct ratio {
    int64_t up, down;
} ratio;

static ratio draw_ratio(test_random *random, int64_t low, int64_t high)
{
    static const int64_t downs[] = {1, 3, 7, 10, 30, 64, 100, 1000};
    int64_t down = downs[test_random_below(random, 8)];
    return (ratio){test_random_between(random, low * down, high * down), down};
}

static spk_duration duration_of(ratio value)
{
    char text[64];
    spk_duration out;
    snprintf(text, sizeof text, "%lld/%llds", (long long)value.up, (long long)value.down);
    assert_int_equal(spk_duration_parse(NULL, text, strlen(text), &out), SPK_OK);
    return out;
}

/* The trial's bin of a time t seconds, by counting: the last bin whose start, start + bin * width,
 * is not after it; -1 outside the trial. Everything over one common denominator. */
static int64_t bin_by_counting(ratio t, ratio start, ratio stop, ratio width)
{
    __int128 all = (__int128)t.down * start.down * stop.down * width.down;
    __int128 at = t.up * (all / t.down), from = start.up * (all / start.down);
    __int128 to = stop.up * (all / stop.down), step = width.up * (all / width.down);
    if (at < from || at >= to)
        return -1;
    int64_t bin = 0;
    while (from + (bin + 1) * step <= at)
        bin++;
    return bin;
}

static uint64_t bins_by_counting(ratio start, ratio stop, ratio width)
{
    __int128 all = (__int128)start.down * stop.down * width.down;
    __int128 from = start.up * (all / start.down), to = stop.up * (all / stop.down);
    uint64_t n = 0;
    for (; from < to; from += width.up * (all / width.down))
        n++;
    return n;
}

/* Whether the windows of trial k are those of its bins; *w: the first window of the trial. */
static void check_exact_trial(const spk_recording *recording, const spk_windows *windows,
                              uint32_t k, ratio start, ratio stop, ratio width, uint64_t *w)
{
    spk_events events = spk_recording_events(recording);
    spk_window_columns c = spk_windows_columns(windows);
    spk_rate rate = spk_recording_rate(recording);
    int64_t before = -1;
    for (uint64_t e = 0; e < events.n_events; e++) {
        ratio t = {events.time[e] * (int64_t)rate.denominator, (int64_t)rate.numerator};
        int64_t bin = bin_by_counting(t, start, stop, width);
        if (bin < 0 || bin == before)
            continue;
        before = bin;
        assert_true(*w < c.n_windows);
        if (c.trial[*w] != k || c.start_bin[*w] != (uint64_t)bin)
            fail_msg("tick %lld of rate %llu/%llu, start %lld/%lld, width %lld/%lld: bin %llu, not "
                     "%lld",
                     (long long)events.time[e], (unsigned long long)rate.numerator,
                     (unsigned long long)rate.denominator, (long long)start.up,
                     (long long)start.down, (long long)width.up, (long long)width.down,
                     (unsigned long long)c.start_bin[*w], (long long)bin);
        ++*w;
    }
}

static void bins_are_counted_from_exactly_the_start(void **state)
{
    (void)state;
    static const spk_rate rates[] = {{100, 1}, {1000, 1}, {1, 1}, {30, 1}, {390625, 16000}, {3, 7}};
    uint64_t seed = test_seed("bins_are_counted_from_exactly_the_start");
    for (uint64_t number = 0; number < test_scaled(1500); number++) {
        test_random random = test_random_make(seed, number);
        spk_recording *recording = make_recording(NULL, &random, 12, 2, rates[number % 6], 60);
        spk_windows *windows = NULL;
        spk_window_options options;
        ratio start[2], stop[2], width = draw_ratio(&random, 0, 2);
        spk_time_range trials[2];
        uint64_t w = 0;
        width.up = width.up == 0 ? 1 : width.up;
        for (int k = 0; k < 2; k++) {
            start[k] = draw_ratio(&random, -20, 40);
            stop[k] = draw_ratio(&random, 41, 61);
            if (test_random_chance(&random, 0.2)) /* shorter than a tick, perhaps between two */
                stop[k] = (ratio){start[k].up * 1000 + 1, start[k].down * 1000};
            trials[k] = (spk_time_range){duration_of(start[k]), duration_of(stop[k])};
        }
        spk_window_options_init(&options, sizeof options);
        options.bin = duration_of(width);
        options.trial_times = trials;
        options.n_trial_times = 2;
        assert_int_equal(spk_windows_create(NULL, recording, &options, &windows), SPK_OK);
        for (uint32_t k = 0; k < 2; k++)
            check_exact_trial(recording, windows, k, start[k], stop[k], width, &w);
        assert_int_equal(w, spk_windows_columns(windows).n_windows);
        assert_int_equal(spk_windows_columns(windows).n_bins,
                         bins_by_counting(start[0], stop[0], width) +
                             bins_by_counting(start[1], stop[1], width));
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
}

/* The start and stop that a reader is given are those of a trial; copies of the recording keep
 * them. */
static void a_recording_keeps_the_bounds_that_its_reader_was_given(void **state)
{
    (void)state;
    uint64_t seed = test_seed("a_recording_keeps_the_bounds_that_its_reader_was_given");
    for (uint64_t number = 0; number < test_scaled(400); number++) {
        test_random random = test_random_make(seed, number);
        char text[40 * 32];
        size_t at = 0;
        for (int k = 0; k < 40; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%d.%02d %c\n",
                                   (int)test_random_below(&random, 60),
                                   (int)test_random_below(&random, 100), k % 2 == 0 ? 'a' : 'b');
        ratio start = draw_ratio(&random, 0, 30), stop = draw_ratio(&random, 31, 60);
        ratio width = draw_ratio(&random, 0, 2);
        width.up = width.up == 0 ? 1 : width.up;
        spk_time_range bounds = {duration_of(start), duration_of(stop)};
        spk_read_options read;
        spk_recording *whole = NULL, *copy[4] = {NULL};
        spk_windows *expected = NULL, *windows = NULL;
        const char *further[] = {"further"};
        spk_read_options_init(&read, sizeof read);
        read.columns = SPK_COLUMNS_TIME_UNIT;
        read.sort = true;
        assert_int_equal(spk_recording_read_buffer(NULL, "text", text, at, &read, &whole), SPK_OK);
        read.start = &bounds.start;
        read.stop = &bounds.stop;
        assert_int_equal(spk_recording_read_buffer(NULL, "text", text, at, &read, &copy[0]),
                         SPK_OK);
        assert_int_equal(spk_recording_slice(NULL, copy[0], NULL, NULL, 0, NULL, &copy[1]), SPK_OK);
        assert_int_equal(spk_recording_add_units(NULL, copy[0], 1, further, &copy[2]), SPK_OK);
        assert_int_equal(spk_recording_shuffle(NULL, copy[0], 1, &copy[3]), SPK_OK);
        spk_window_options options;
        spk_window_options_init(&options, sizeof options);
        options.bin = duration_of(width);
        for (int k = 0; k < 4; k++) {
            options.trial_times = NULL;
            assert_int_equal(spk_windows_create(NULL, copy[k], &options, &windows), SPK_OK);
            options.trial_times = &bounds;
            options.n_trial_times = 1;
            assert_int_equal(spk_windows_create(NULL, k < 3 ? whole : copy[3], &options, &expected),
                             SPK_OK);
            assert_same_windows(spk_windows_columns(windows), spk_windows_columns(expected));
            spk_windows_free(windows);
            spk_windows_free(expected);
            spk_recording_free(copy[k]);
        }
        spk_recording_free(whole);
    }
}

static void bounds_that_are_too_fine_are_refused(void **state)
{
    (void)state;
    static const struct {
        spk_time_range trial;
        spk_duration bin;
        spk_status status;
    } cases[] = {
        {{{1, -30}, {1, 0}}, {1, -3}, SPK_ERR_RANGE},
        {{{0, 0}, {1, -30}}, {1, -3}, SPK_ERR_RANGE},
        {{{1, -9, 4294967291}, {1, 0}}, {1, -9, 4294967279}, SPK_ERR_RANGE},
        {{{1, 0}, {999, -3}}, {1, -3}, SPK_ERR_ARGUMENT},
        {{{1, 0}, {1, 0}}, {1, -3}, SPK_ERR_ARGUMENT},
        {{{-1, 9000}, {1, SPK_DURATION_INFINITE}}, {1, 0}, SPK_OK},
        {{{1, -18, 9}, {1, 0}}, {1, -3, 3}, SPK_OK},
        {{{1, -18}, {1, 0}}, {1, -3}, SPK_OK},
    };
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    const int64_t time = 500;
    const uint32_t unit = 0;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(test_recording_create(context, 1, &time, &unit, 1, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_windows *windows = NULL;
        spk_window_options options;
        spk_window_options_init(&options, sizeof options);
        options.bin = cases[k].bin;
        options.trial_times = &cases[k].trial;
        options.n_trial_times = 1;
        spk_status status = spk_windows_create(context, recording, &options, &windows);
        if (status != cases[k].status)
            fail_msg("case %zu: %s: %s", k, spk_status_text(status), spk_context_message(context));
        assert_true((windows != NULL) == (status == SPK_OK));
        spk_windows_free(windows);
    }
    spk_recording_free(recording);
    spk_context_free(context);
}

static void keep_note(void *user, const char *text)
{
    snprintf(user, 200, "%s", text);
}

static void shared_events_of_trials_are_told(void **state)
{
    (void)state;
    static const struct {
        spk_segment trials[3];
        const char *note;
    } cases[] = {
        {{{0, 2}, {2, 4}, {4, 9}}, ""},
        {{{4, 9}, {0, 3}, {2, 4}}, "trials overlap: 1 event in more than one trial counts in each"},
        {{{0, 9}, {1, 3}, {2, 4}}, "trials overlap: 4 events in more than one trial count in each"},
        {{{0, 1}, {10, 13}, {12, 15}}, ""},
    };
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    const int64_t time[] = {0, 1, 2, 3, 4};
    const uint32_t unit[5] = {0};
    char note[200];
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_note(context, keep_note, note);
    assert_int_equal(test_recording_create(context, 5, time, unit, 1, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_windows *windows = NULL;
        spk_window_options options;
        spk_window_options_init(&options, sizeof options);
        options.bin = (spk_duration){1, -3};
        options.trials = cases[k].trials;
        options.n_trials = 3;
        note[0] = '\0';
        assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_OK);
        assert_string_equal(note, cases[k].note);
        spk_windows_free(windows);
    }
    spk_recording_free(recording);
    spk_context_free(context);
}

/* ---- transactions ---------------------------------------------------------------------------- */

static void transactions_are_read_or_refused_with_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t n_units;
        spk_status status;
        const char *message;
    } cases[] = {{"", 0, SPK_ERR_FORMAT, "t: is empty"},
                 {"1 2\n-3\n", 0, SPK_ERR_RANGE, "t:2: item -3 is negative"},
                 {"1 2\n3 x4\n", 0, SPK_ERR_FORMAT, "t:2: 'x4' is not a whole number"},
                 {"1 2.5\n", 0, SPK_ERR_FORMAT, "t:1: '2.5' is not a whole number"},
                 {"1\n2\n-\n", 0, SPK_ERR_FORMAT, "t:3: '-' is not a whole number"},
                 {"0 7\n8\n", 2, SPK_ERR_RANGE, "t:2: item 8 is outside 2 units x 4 bins"},
                 {"99999999999999999999999\n", 0, SPK_ERR_RANGE, "t:1: item 9999"},
                 {"4294967295\n", 0, SPK_ERR_RANGE, "t:1: item 4294967295 is larger"}};
    spk_context *context = NULL;
    spk_windows *windows = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(spk_windows_parse_transactions(context, "t", cases[k].text,
                                                        strlen(cases[k].text), cases[k].n_units, 4,
                                                        &windows),
                         cases[k].status);
        assert_null(windows);
        if (strncmp(spk_context_message(context), cases[k].message, strlen(cases[k].message)) != 0)
            fail_msg("%s", spk_context_message(context));
    }
    const char *good = "9 3 3\t1\r\n\n\n0 2";
    assert_int_equal(
        spk_windows_parse_transactions(context, "t", good, strlen(good), 0, 4, &windows), SPK_OK);
    spk_window_columns c = spk_windows_columns(windows);
    static const uint32_t items[] = {1, 3, 9, 0, 2};
    static const uint64_t first[] = {0, 3, 3, 3, 5};
    assert_int_equal(c.n_windows, 4);
    assert_int_equal(c.n_units, 3);
    assert_memory_equal(c.first, first, sizeof first);
    assert_memory_equal(c.item, items, sizeof items);
    spk_windows_free(windows);
    assert_int_equal(spk_windows_parse_transactions(context, "t", "\n\n", 2, 0, 4, &windows),
                     SPK_OK);
    c = spk_windows_columns(windows);
    assert_int_equal(c.n_windows, 2);
    assert_int_equal(c.n_units, 0);
    spk_windows_free(windows);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_follow_the_definition),
        cmocka_unit_test(times_at_the_limits_are_binned),
        cmocka_unit_test(bins_that_cannot_be_numbered_are_refused),
        cmocka_unit_test(a_whole_recording_is_one_trial),
        cmocka_unit_test(trials_take_the_events_between_their_times),
        cmocka_unit_test(bins_are_counted_from_exactly_the_start),
        cmocka_unit_test(a_recording_keeps_the_bounds_that_its_reader_was_given),
        cmocka_unit_test(bounds_that_are_too_fine_are_refused),
        cmocka_unit_test(shared_events_of_trials_are_told),
        cmocka_unit_test(transactions_are_read_or_refused_with_place),
    };
    return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
