/* The text reader: every rule of its contract, every error, and the bundled recordings. */
#include "recording/read_text.h"
#include "support/test.h"

typedef struct fixture {
    spk_context *context;
    spk_read_options options;
    char notes[2048];
} fixture;

static void keep_note(void *user, const char *text)
{
    fixture *f = user;
    size_t n = strlen(f->notes);
    snprintf(f->notes + n, sizeof f->notes - n, "%s\n", text);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL || spk_context_create(&f->context) != SPK_OK)
        return -1;
    spk_context_set_note(f->context, keep_note, f);
    spk_read_options_init(&f->options, sizeof f->options);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    spk_context_free(f->context);
    free(f);
    return 0;
}

static spk_status read_bytes(fixture *f, const char *text, size_t n, spk_recording **out)
{
    f->notes[0] = '\0';
    return spk_recording_read_buffer(f->context, "rec.csv", text, n, &f->options, out);
}

static spk_recording *read_good(fixture *f, const char *text)
{
    spk_recording *recording = NULL;
    const char *reason = NULL;
    spk_status status = read_bytes(f, text, strlen(text), &recording);
    if (status != SPK_OK)
        fail_msg("%s: %s", text, spk_context_message(f->context));
    assert_true(spk_recording_validate(recording, &reason));
    return recording;
}

static void expect(fixture *f, const char *text, uint64_t rate, const char *events)
{
    spk_recording *recording = read_good(f, text);
    assert_string_equal(test_events_text(recording), events);
    assert_int_equal(spk_recording_rate(recording).numerator, rate);
    assert_int_equal(spk_recording_rate(recording).denominator, 1);
    spk_recording_free(recording);
}

/* The status, and a message that has `part` in it and is one line. */
static void expect_error(fixture *f, const char *text, size_t n, spk_status status,
                         const char *part)
{
    spk_recording *recording = NULL;
    assert_int_equal(read_bytes(f, text, n, &recording), status);
    assert_null(recording);
    const char *message = spk_context_message(f->context);
    if (strstr(message, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, message);
    assert_null(strchr(message, '\n'));
}

static void expect_bad(fixture *f, const char *text, spk_status status, const char *part)
{
    expect_error(f, text, strlen(text), status, part);
}

/* ---- form ------------------------------------------------------------------------------------ */

static void forms_of_lines_mean_the_same(void **state)
{
    static const char *const forms[] = {
        "0.10 a\n0.25 b\n",
        "0.10\ta\n0.25\tb\n",
        "0.10,a\n0.25,b\n",
        "0.10;a\n0.25;b\n",
        "0.10 , a\n  0.25\t;b  \n",
        "0.10 a\r\n0.25 b\r\n",
        "0.10 a\n0.25 b",
        "0.10 a\r\n0.25 b\r",
        "\n# comment\n   # another, one\n0.10 a\n\n\t\n0.25 b\n#end",
        "\xef\xbb\xbf 0.10 a\n0.25 b\n",
        "\xef\xbb\xbf# c\n0.10 a\n0.25 b\n",
        "0.10 a # first\n0.25 b #\n",
        "a 0.10\nb 0.25\n",
        "time_s,unit\n0.10,a\n0.25,b\n",
        "Time (s),Unit ID\n0.10,a\n0.25,b\n",
        "\"unit\",\"time\"\n\"a\",\"0.10\"\n\"b\",\"0.25\"\n",
        "cell\tspike_time\na\t0.10\nb\t0.25\n",
        "x,y\n0.10,a\n0.25,b\n",
        "+0.10 a\n+0.25 b\n",
        "1.0e-1 a\n25E-2 b\n",
        ".10 a\n.25 b\n",
    };
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++)
        expect(*state, forms[k], 100, "10:a 25:b");
}

static void labels_may_be_anything(void **state)
{
    fixture *f = *state;
    f->options.columns = SPK_COLUMNS_TIME_UNIT;
    expect(f, "1 \"a b\"\n2 \"a,b\"\n3 \"say \"\"x\"\"\"\n4 \"\"\n", 1,
           "1:a b 2:a,b 3:say \"x\" 4:");
    expect(f, "1 1.0\n2 1\n3 01\n4 #7\n5 -3\n6 \xc2\xb5V\n", 1,
           "1:1.0 2:1 3:01 4:#7 5:-3 6:\xc2\xb5V");
    expect(f, "1 4095\n1 4096\n1 4095\n1 0\n", 1, "1:0 1:4095 1:4096");
    expect(f, "1 \"7\"\n2 7\n", 1, "1:7 2:7");
}

static void labels_are_many(void **state)
{
    fixture *f = *state;
    enum { N = 20000 };
    char *text = malloc((size_t)N * 40);
    size_t n = 0;
    assert_non_null(text);
    for (int i = 0; i < 2 * N; i++)
        n += (size_t)snprintf(text + n, 40, "%d.5 u%x\n", i, (i % N) * 7);
    spk_recording *recording = NULL;
    assert_int_equal(read_bytes(f, text, n, &recording), SPK_OK);
    spk_events e = spk_recording_events(recording);
    assert_int_equal(e.n_units, N);
    for (int i = 0; i < 2 * N; i++) {
        char label[40];
        snprintf(label, sizeof label, "u%x", (i % N) * 7);
        assert_string_equal(spk_recording_label(recording, e.unit[i]), label);
    }
    spk_recording_free(recording);
    free(text);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void ticks_are_exact(void **state)
{
    fixture *f = *state;
    f->options.columns = SPK_COLUMNS_TIME_UNIT;
    f->options.sort = true;
    expect(f, "1 a\n1.5 a\n1.25 a\n2 b\n", 100, "100:a 125:a 150:a 200:b");
    expect(f, "0.06012 56\n", 100000, "6012:56");
    expect(f, "0.000 28\n0.005 3\n", 1000, "0:28 5:3");
    expect(f, "-1.5 a\n-0.25 a\n0 a\n", 100, "-150:a -25:a 0:a");
    expect(f, "1.06E-4 a\n", 1000000, "106:a");
    expect(f, "1.5e3 a\n2e0 a\n", 1, "2:a 1500:a");
    expect(f, "9223372036854775806 a\n-9223372036854775808 b\n", 1,
           "-9223372036854775808:b 9223372036854775806:a");
    assert_string_equal(f->notes, "");
    /* 19 digits before the point leave no room for the decimal: floor, for both signs. */
    expect(f, "9223372036854775806 a\n-1.5 b\n1.5 b\n", 1, "-2:b 1:b 9223372036854775806:a");
    assert_non_null(strstr(f->notes, "were cut"));
    expect(f, "0.1234567890123456789 a\n0.00000000000000000000 b\n-0.0000000000000000009 c\n",
           1000000000000000000u, "-1:c 0:b 123456789012345678:a");
    expect(f, "123456789.12345678901234567890123456789012345678901234567890 a\n", 10000000000u,
           "1234567891234567890:a");
    expect(f, "-123456789.12345678901234567890123456789012345678901234567890 a\n", 10000000000u,
           "-1234567891234567891:a");
    expect(f, "0.000000000000000000000000000000000000000000000000000001 a\n", 1000000000000000000u,
           "0:a");
    expect(f, "000000000000000000000000000000000000000000000000001.5 a\n", 10, "15:a");
    expect(f, "1e-999999999999 a\n0e99999999 b\n", 1000000000000000000u, "0:a 0:b");
}

/* INT64_MAX is no event's tick, since a recording stops behind its last one. */
static void the_last_tick_is_not_for_events(void **state)
{
    fixture *f = *state;
    f->options.columns = SPK_COLUMNS_TIME_UNIT;
    expect_bad(f, "1 a\n9223372036854775807 b\n", SPK_ERR_RANGE,
               "rec.csv:2: time 9223372036854775807 is too large");
    expect_bad(f, "9223372036854775806.9 b\n9223372036854775807.0 b\n", SPK_ERR_RANGE,
               "rec.csv:2: time 9223372036854775807.0 is too large");
    expect(f, "9.223372036854775806 a\n", 1000000000000000000u, "9223372036854775806:a");
    assert_string_equal(f->notes, "");
    expect(f, "9.223372036854775807 a\n", 100000000000000000u, "922337203685477580:a");
    assert_non_null(strstr(f->notes, "were cut"));
    expect(f, "-9.223372036854775808 a\n", 1000000000000000000u, "-9223372036854775808:a");
    spk_recording *recording = read_good(f, "-9223372036854775808 a\n9223372036854775806 a\n");
    assert_true(spk_recording_start(recording) == INT64_MIN);
    assert_true(spk_recording_stop(recording) == INT64_MAX);
    spk_recording_free(recording);
}

/* Cut digits are told; trailing zeros that do not fit are not digits. */
static void cut_digits_are_told(void **state)
{
    fixture *f = *state;
    spk_recording *recording = read_good(f, "1000000000000000000.0 a\n1000000000000000000.5 b\n");
    assert_true(spk_recording_get_facts(recording)->truncated_digits);
    assert_string_equal(test_events_text(recording), "1000000000000000000:a 1000000000000000000:b");
    spk_recording_free(recording);
    recording = read_good(f, "1000000000000000000.0 a\n1000000000000000001.00 b\n");
    assert_false(spk_recording_get_facts(recording)->truncated_digits);
    spk_recording_free(recording);
}

static void time_units_scale_the_rate(void **state)
{
    fixture *f = *state;
    f->options.columns = SPK_COLUMNS_TIME_UNIT;
    f->options.time_unit = SPK_TIME_MILLISECONDS;
    expect(f, "1 a\n2.5 a\n", 10000, "10:a 25:a");
    expect(f, "0.1234567890123456789 a\n", 1000000000000000000u, "123456789012345:a");
    f->options.time_unit = SPK_TIME_MICROSECONDS;
    expect(f, "1 a\n25 a\n", 1000000, "1:a 25:a");
    f->options.time_unit = SPK_TIME_SAMPLES;
    f->options.samples_per_second = 30000;
    expect(f, "1 a\n25.0 a\n3e1 a\n", 30000, "1:a 25:a 30:a");
    expect_bad(f, "1 a\n25.5 a\n", SPK_ERR_FORMAT, "rec.csv:2: time 25.5 is no whole number");
    f->options.samples_per_second = 0;
    expect_bad(f, "1 a\n", SPK_ERR_ARGUMENT, "samples per second");
    f->options.sample_rate = (spk_rate){390625, 16};
    spk_recording *recording = read_good(f, "1 a\n25 a\n");
    assert_int_equal(spk_recording_rate(recording).numerator, 390625);
    assert_int_equal(spk_recording_rate(recording).denominator, 16);
    spk_recording_free(recording);
    f->options.time_unit = SPK_TIME_GUESS + 1;
    expect_bad(f, "1 a\n", SPK_ERR_ARGUMENT, "there is no unit of time");
}

/* A header is believed, or the reading stops; a note says what was believed. */
static void a_header_tells_the_unit_of_time(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *names;
        spk_time_unit asked;
        uint64_t rate; /* 0: refused */
        const char *told;
    } cases[] = {
        {"time_ms unit", SPK_TIME_GUESS, 1000,
         "times are read in ms, as the column 'time_ms' says"},
        {"time_ms unit", SPK_TIME_MILLISECONDS, 1000, ""},
        {"time_ms unit", SPK_TIME_SECONDS, 0, "says ms, but s was asked for; pass --time-unit ms"},
        {"time_ms unit", SPK_TIME_MICROSECONDS, 0, "says ms, but us was asked for"},
        {"unit,t [us]", SPK_TIME_GUESS, 1000000, "times are read in us, as the column 't [us]'"},
        {"time (\xc2\xb5s),unit", SPK_TIME_GUESS, 1000000, "times are read in us"},
        {"t (\xce\xbcs);unit", SPK_TIME_GUESS, 1000000, "times are read in us"},
        {"time (ms)\tunit", SPK_TIME_GUESS, 1000, "times are read in ms"},
        {"Milliseconds unit", SPK_TIME_GUESS, 1000, "times are read in ms"},
        {"time_s unit", SPK_TIME_GUESS, 1, ""},
        {"time_s unit", SPK_TIME_SECONDS, 1, ""},
        {"time_s unit", SPK_TIME_MILLISECONDS, 0, "says s, but ms was asked for"},
        {"spike_time_sec unit", SPK_TIME_SAMPLES, 0, "says s, but samples was asked for"},
        {"time unit", SPK_TIME_GUESS, 1, ""},
        {"time unit", SPK_TIME_MICROSECONDS, 1000000, ""},
        {"timestamps unit", SPK_TIME_MILLISECONDS, 1000, ""},
        {"spike_samples unit", SPK_TIME_GUESS, 0, "pass --time-unit samples@RATE"},
        {"spike_samples unit", SPK_TIME_SAMPLES, 30000, ""},
        {"sample unit", SPK_TIME_MILLISECONDS, 0, "says samples or frames, but ms was asked for"},
        {"frame unit", SPK_TIME_GUESS, 0, "how many are a second?"},
        {"time_ns unit", SPK_TIME_GUESS, 0, "a unit of time that is not read"},
        {"time_ns unit", SPK_TIME_SECONDS, 0, "a unit of time that is not read"},
        {"ms id", SPK_TIME_GUESS, 1000, "times are read in ms"},
        {"# nothing\ntimes unit", SPK_TIME_GUESS, 1, ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[200];
        bool second = strstr(cases[k].names, "unit,") == cases[k].names;
        spk_read_options_init(&f->options, sizeof f->options);
        f->options.time_unit = cases[k].asked;
        f->options.samples_per_second = 30000;
        snprintf(text, sizeof text, "%s\n%s\n", cases[k].names, second ? "a 1" : "1 a");
        if (cases[k].rate == 0) {
            expect_bad(f, text, SPK_ERR_FORMAT, cases[k].told);
            continue;
        }
        spk_recording *recording = read_good(f, text);
        if (spk_recording_rate(recording).numerator != cases[k].rate)
            fail_msg("'%s' is read at another rate", cases[k].names);
        assert_non_null(strstr(f->notes, cases[k].told));
        if (cases[k].told[0] == '\0')
            assert_string_equal(f->notes, "");
        spk_recording_free(recording);
    }
}

/* The comment of the writer is a promise, too. */
static void a_comment_tells_the_rate(void **state)
{
    fixture *f = *state;
    static const char text[] = "# spikemine time-unit samples@30000\nsample\tunit\n7\ta\n";
    spk_read_options_init(&f->options, sizeof f->options);
    expect(f, text, 30000, "7:a");
    f->options.time_unit = SPK_TIME_SAMPLES;
    f->options.samples_per_second = 30000;
    expect(f, text, 30000, "7:a");
    f->options.samples_per_second = 20000;
    expect_bad(f, text, SPK_ERR_FORMAT, "a comment says that times are samples@30000, another");
    f->options.time_unit = SPK_TIME_SECONDS;
    expect_bad(f, text, SPK_ERR_FORMAT, "a comment says that times are samples@30000, another");
}

/* Spikes in ms that are taken for seconds, or the other way round, fire at rates that no neuron
 * has. */
static void implausible_rates_are_told(void **state)
{
    fixture *f = *state;
    static const struct {
        int n;
        int step; /* between the events of one unit, in the file's unit */
        spk_time_unit unit;
        const char *told;
    } cases[] = {{200, 5, SPK_TIME_SECONDS, ""},
                 {200, 500, SPK_TIME_MICROSECONDS, "fire more than"},
                 {200, 2000, SPK_TIME_SECONDS, "fire less than"},
                 {200, 200, SPK_TIME_SECONDS, "fire less than"},
                 {200, 50, SPK_TIME_SECONDS, ""},
                 {200, 2000, SPK_TIME_MILLISECONDS, ""},
                 {19, 500, SPK_TIME_MICROSECONDS, ""}, /* too few to tell */
                 {99, 2000, SPK_TIME_SECONDS, ""},
                 {200, 0, SPK_TIME_SECONDS, "all events have the same time"}};
    char text[200 * 24];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t n = 0;
        for (int i = 0; i < cases[k].n; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%d %c\n", i * cases[k].step,
                                  cases[k].step == 0 ? 'a' + i % 20 : 'a');
        spk_read_options_init(&f->options, sizeof f->options);
        f->options.columns = SPK_COLUMNS_TIME_UNIT;
        f->options.time_unit = cases[k].unit;
        spk_recording *recording = read_good(f, text);
        assert_non_null(strstr(f->notes, cases[k].told));
        if (cases[k].told[0] == '\0')
            assert_string_equal(f->notes, "");
        spk_recording_description d;
        assert_int_equal(spk_recording_describe(NULL, recording, &d), SPK_OK);
        assert_int_equal(d.rate_doubt != SPK_RATES_PLAUSIBLE, cases[k].told[0] != '\0');
        spk_recording_free(recording);
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* The same lines in any order give the same recording. */
static void line_order_does_not_matter(void **state)
{
    fixture *f = *state;
    uint64_t seed = test_seed(__func__);
    f->options.columns = SPK_COLUMNS_TIME_UNIT;
    f->options.sort = true;
    for (int round = 0; round < 400; round++) {
        enum { N = 12 };
        char line[N][64];
        char text[2][N * 64 + 1];
        int whole = (int)(next_random(&seed) % 19);
        for (int i = 0; i < N; i++) {
            uint64_t value = next_random(&seed) << 31 ^ next_random(&seed);
            int digits = (int)(next_random(&seed) % 20);
            snprintf(line[i], sizeof line[i], "%s%llu.%0*llu %d\n",
                     next_random(&seed) % 3 == 0 ? "-" : "",
                     (unsigned long long)(i == 0 && whole > 9 ? value : value % 1000), digits,
                     (unsigned long long)value, (int)(next_random(&seed) % 3));
        }
        const char *before = NULL;
        char kept[1024];
        for (int order = 0; order < 2; order++) {
            text[order][0] = '\0';
            for (int i = 0; i < N; i++)
                strcat(text[order], line[order == 0 ? i : N - 1 - i]);
            spk_recording *recording = read_good(f, text[order]);
            char now[1024];
            snprintf(now, sizeof now, "%llu %d %.900s",
                     (unsigned long long)spk_recording_rate(recording).numerator,
                     (int)spk_recording_get_facts(recording)->truncated_digits,
                     test_events_text(recording));
            spk_recording_free(recording);
            if (before != NULL)
                assert_string_equal(now, before);
            memcpy(kept, now, sizeof kept);
            before = kept;
        }
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

static void columns_are_guessed(void **state)
{
    fixture *f = *state;
    expect(f, "0.5 3\n0.75 3\n", 100, "50:3 75:3");
    assert_string_equal(f->notes, "rec.csv: columns guessed from the content: time,unit\n");
    expect(f, "3 0.5\n3 0.75\n", 100, "50:3 75:3");
    assert_string_equal(f->notes, "rec.csv: columns guessed from the content: unit,time\n");
    expect(f, "5 9\n7 2\n8 9\n9 1\n", 1, "5:9 7:2 8:9 9:1");
    expect(f, "9 5\n2 7\n9 8\n1 9\n", 1, "5:9 7:2 8:9 9:1");
    expect(f, "1.0 1.75\n1.0 2.25\n2.0 3.5\n", 100, "175:1 225:1 350:2");
    expect(f, "5 1\n7 1\n9 1\n", 1, "5:1 7:1 9:1");
    expect(f, "2.1 0.5\n2.1 0.75\n2.2 0.8\n2.2 0.9\n2.3 0.95\n", 100,
           "50:2.1 75:2.1 80:2.2 90:2.2 95:2.3");
    expect(f, "time unit\n1 2\n3 1\n", 1, "1:2 3:1");
    assert_string_equal(f->notes, "");
    expect(f, "channel;t\n1;2\n3;2\n", 1, "2:1 2:3");
    expect_bad(f, "5 3\n", SPK_ERR_FORMAT, "--columns");
    expect_bad(f, "1 100\n1 200\n2 50\n2 80\n", SPK_ERR_FORMAT, "cannot tell");
    expect_bad(f, "a b\nc d\n", SPK_ERR_FORMAT, "cannot tell");
    f->options.columns = SPK_COLUMNS_UNIT_TIME;
    expect(f, "5 3\n", 1, "3:5");
    expect_bad(f, "1 a\n", SPK_ERR_FORMAT, "rec.csv:1: 'a' is not a time; are the columns swapped");
}

/* ---- selection ------------------------------------------------------------------------------- */

static void start_stop_and_units_select(void **state)
{
    fixture *f = *state;
    spk_duration start = {15, -1};
    spk_duration stop = {3, 0};
    f->options.start = &start;
    f->options.stop = &stop;
    spk_recording *recording = read_good(f, "1.0 a\n1.5 b\n2.0 a\n2.9 c\n3.0 a\n");
    assert_string_equal(test_events_text(recording), "15:b 20:a 29:c");
    assert_int_equal(spk_recording_start(recording), 15);
    assert_int_equal(spk_recording_stop(recording), 30);
    assert_int_equal(spk_recording_get_facts(recording)->outside, 2);
    assert_int_equal(spk_recording_get_facts(recording)->lines, 5);
    spk_recording_free(recording);
    f->options.units = "c,\"a\"";
    recording = read_good(f, "1.0 a\n1.5 b\n2.0 a\n2.9 c\n3.0 a\n");
    assert_string_equal(test_events_text(recording), "20:a 29:c");
    assert_int_equal(spk_recording_events(recording).n_units, 2);
    spk_recording_free(recording);
    f->options.start = NULL;
    f->options.stop = NULL;
    f->options.units = "b";
    recording = read_good(f, "1.0 a\n1.5 b\n2.0 a\n");
    assert_int_equal(spk_recording_start(recording), 10);
    assert_int_equal(spk_recording_stop(recording), 21);
    spk_recording_free(recording);
    f->options.units = "b,zz";
    expect_bad(f, "1.0 a\n1.5 b\n", SPK_ERR_ARGUMENT,
               "there is no unit 'zz'; its 2 units are a, b");
}

/* Units that went through a table of reals are named 45, not 45.0, where all are such; both are
 * understood. One other label, or 45 beside 45.0, leaves all as they are. */
static void whole_numbers_have_no_zeros(void **state)
{
    fixture *f = *state;
    const struct {
        const char *text, *units, *events, *asked;
        uint32_t found;
    } cases[] = {
        {"1.0 45.0\n1.5 7.0\n", NULL, "10:45 15:7", "45.0", 1},
        {"1.0 45.0\n1.5 7.0\n", "7.0,45", "10:45 15:7", "45", 1},
        {"1.0 45\n1.5 7\n", "45.0", "10:45", "45.0", 0},
        {"1.0 45.0\n1.5 b\n", NULL, "10:45.0 15:b", "45", 0},
        {"1.0 45.0\n1.5 45\n", NULL, "10:45.0 15:45", "45", 0},
        {"1.0 45.0\n1.5 45\n", "45.0", "10:45", "45", 0},
        {"1.0 45.5\n1.5 7.0\n", NULL, "10:45.5 15:7.0", "7", 0},
        {"1.0 -45.0\n1.5 7.0\n", NULL, "10:-45.0 15:7.0", "7", 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        f->options.units = cases[k].units;
        spk_recording *recording = read_good(f, cases[k].text);
        uint32_t unit = UINT32_MAX;
        assert_string_equal(test_events_text(recording), cases[k].events);
        assert_true(spk_recording_find_unit(recording, cases[k].asked, &unit));
        assert_int_equal(unit, cases[k].found);
        assert_false(spk_recording_find_unit(recording, "8.0", &unit));
        spk_recording_free(recording);
    }
}

/* A bound between two ticks, or negative, or beyond int64, selects exactly. */
static void bounds_are_exact(void **state)
{
    fixture *f = *state;
    spk_duration bound = {10000001, -7};
    f->options.start = &bound;
    spk_recording *recording = read_good(f, "-2.0 a\n-1.0 a\n0.0 a\n1.0 a\n1.1 a\n");
    assert_string_equal(test_events_text(recording), "11:a");
    spk_recording_free(recording);
    bound = (spk_duration){-10000001, -7};
    recording = read_good(f, "-2.0 a\n-1.0 a\n0.0 a\n");
    assert_string_equal(test_events_text(recording), "-10:a 0:a");
    spk_recording_free(recording);
    bound = (spk_duration){1, 40};
    recording = read_good(f, "1.0 a\n");
    assert_string_equal(test_events_text(recording), "");
    spk_recording_free(recording);
    f->options.start = NULL;
    f->options.stop = &bound;
    bound = (spk_duration){-1, 30};
    recording = read_good(f, "1.0 a\n");
    assert_string_equal(test_events_text(recording), "");
    spk_recording_free(recording);
    spk_duration start = {5, -3};
    f->options.start = &start;
    bound = (spk_duration){50, -4};
    expect_bad(f, "1.0 a\n", SPK_ERR_ARGUMENT, "start 5ms is not before stop 5ms");
    bound = (spk_duration){1, -30};
    expect_bad(f, "1.0 a\n", SPK_ERR_ARGUMENT, "is not before stop");
}

/* ---- order ----------------------------------------------------------------------------------- */

static void backward_times_are_told(void **state)
{
    fixture *f = *state;
    expect_bad(f, "1.0 a\n4.9 b\n4.2 a\n", SPK_ERR_ORDER,
               "rec.csv:3: time 4.2 after 4.9; sort the file or pass --sort");
    expect_bad(f, "a 1.0\na 4.9\nb 4.2\nb 5.0\nc 0.5\n", SPK_ERR_ORDER,
               "rec.csv:3: time 4.2 after 4.9; the file is grouped by unit; pass --sort");
    expect_bad(f, "a 1.0\na 4.9\nb 4.2\nb 5.0\na 6.0\n", SPK_ERR_ORDER,
               "rec.csv:3: time 4.2 after 4.9; sort the file");
    expect_bad(f, "a 1.0\nb 1.5\na 4.9\nc 4.2\n", SPK_ERR_ORDER, "4.9; sort the file");
    expect_bad(f, "a -1.0\na -1.125\n", SPK_ERR_ORDER, "time -1.125 after -1;");
    f->options.sort = true;
    expect(f, "1.0 a\n4.9 b\n4.2 a\n4.2 a\n4.2 B\n", 10, "10:a 42:B 42:a 49:b");
    spk_recording *recording = read_good(f, "1.0 a\n4.9 b\n4.2 a\n4.2 a\n4.2 B\n");
    assert_int_equal(spk_recording_get_facts(recording)->duplicates, 1);
    assert_int_equal(spk_recording_get_facts(recording)->ties, 1);
    assert_false(spk_recording_get_facts(recording)->sorted);
    spk_recording_free(recording);
}

static void random_columns_are_sorted(void **state)
{
    fixture *f = *state;
    uint64_t seed = test_seed(__func__);
    for (int round = 0; round < 60; round++) {
        enum { N = 3000 };
        static int64_t times[N];
        static uint32_t units[N];
        uint64_t range = (uint64_t)1 << (1 + next_random(&seed) % 63);
        for (int i = 0; i < N; i++) {
            uint64_t value = (next_random(&seed) << 33 ^ next_random(&seed) << 11) % range;
            times[i] = (int64_t)(value - range / 2);
            units[i] = (uint32_t)(next_random(&seed) % 50);
        }
        times[0] = INT64_MIN;
        times[1] = INT64_MAX - 1;
        spk_recording *recording = NULL;
        const char *reason = "";
        assert_int_equal(test_recording_create(f->context, N, times, units, 50, NULL,
                                               (spk_rate){1, 1}, NULL, NULL, &recording),
                         SPK_OK);
        if (!spk_recording_validate(recording, &reason))
            fail_msg("%s", reason);
        /* Sums tell lost and invented events, duplicates aside. */
        uint64_t sum = 0;
        spk_events e = spk_recording_events(recording);
        for (uint64_t i = 0; i < e.n_events; i++)
            sum += (uint64_t)e.time[i] * (2 * e.unit[i] + 1);
        for (int i = 0; i < N && spk_recording_get_facts(recording)->duplicates == 0; i++)
            sum -= (uint64_t)times[i] * (2 * units[i] + 1);
        if (spk_recording_get_facts(recording)->duplicates == 0)
            assert_int_equal(sum, 0);
        spk_recording_free(recording);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void bad_lines_are_told(void **state)
{
    fixture *f = *state;
    expect_bad(f, "", SPK_ERR_FORMAT, "rec.csv: is empty");
    expect_bad(f, "\n# nothing\n", SPK_ERR_FORMAT, "rec.csv: has no data lines");
    expect_bad(f, "time,unit\n", SPK_ERR_FORMAT, "rec.csv: has no data lines");
    expect_bad(f, "0.5\n", SPK_ERR_FORMAT, "rec.csv:1: one column, '0.5'");
    expect_bad(f, "0.5 a\n0.6 a b\n", SPK_ERR_FORMAT,
               "rec.csv:2: 3 columns, '0.6', 'a', 'b'; keep");
    expect_bad(f, "0.5 a b c d e\n", SPK_ERR_FORMAT, "6 columns, '0.5', 'a', 'b' ...");
    expect_bad(f, "0,5;3\n", SPK_ERR_FORMAT, "decimal commas");
    expect_bad(f, "0.5,,a\n", SPK_ERR_FORMAT, "an empty column");
    expect_bad(f, ",0.5\n", SPK_ERR_FORMAT, "an empty column");
    expect_bad(f, "0.5,\n", SPK_ERR_FORMAT, "an empty column at the end");
    expect_bad(f, "0.5 a\nnan a\n", SPK_ERR_FORMAT, "rec.csv:2: the time 'nan' is no number");
    expect_bad(f, "0.5 a\n-inf a\n", SPK_ERR_FORMAT, "rec.csv:2: the time '-inf' is no number");
    expect_bad(f, "0.5 a\nx b\n", SPK_ERR_FORMAT, "rec.csv:2: 'x' is not a time; times are");
    expect_bad(f, "0.5 a\n1.2.3 b\n", SPK_ERR_FORMAT, "'1.2.3' is not a time");
    expect_bad(f, "0.5 a\n1e b\n", SPK_ERR_FORMAT, "'1e' is not a time");
    expect_bad(f, "0.5 a\n. b\n", SPK_ERR_FORMAT, "'.' is not a time");
    expect_bad(f, "0.5 \"a\n", SPK_ERR_FORMAT, "rec.csv:1: a double quote is not closed");
    expect_bad(f, "0.5 \"a\"b\n", SPK_ERR_FORMAT, "text follows a closing quote");
    expect_bad(f, "0.5 a\n99999999999999999999 a\n", SPK_ERR_RANGE, "rec.csv:2: time 9999999999");
    expect_bad(f, "0.5 a\n1e99999999 a\n", SPK_ERR_RANGE, "too large for 64 bit");
    expect_bad(f, "0.5 \x01\n", SPK_ERR_FORMAT, "looks binary");
    expect_bad(f, "0.5 \xff\n", SPK_ERR_FORMAT, "is not UTF-8");
    expect_bad(f, "0.5 \"\x01\"\n", SPK_ERR_FORMAT, "is not UTF-8 text");
    expect_bad(f, "0.5 a\r0.6 b\r", SPK_ERR_FORMAT, "a carriage return within the line");
    static const char zero[] = "0.5 a\n0.6 \0\n";
    static const char numpy[] = "\x93NUMPY\1\0v\0{'descr': '<f8'}\n";
    expect_error(f, zero, sizeof zero - 1, SPK_ERR_FORMAT, "looks binary");
    expect_error(f, numpy, sizeof numpy - 1, SPK_ERR_FORMAT, "looks binary");
}

static void long_inputs_are_limited(void **state)
{
    fixture *f = *state;
    size_t n = 400000;
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, '1', n);
    memcpy(text, "0.5 a\n", 6);
    expect_error(f, text, n, SPK_ERR_FORMAT, "rec.csv:2: a line of over");
    /* Comments beyond the first block still lead to the data. */
    memset(text, '#', n);
    for (size_t k = 50; k < n; k += 50)
        text[k] = '\n';
    memcpy(text + n - 24, "\nunit,time\n7,5\n8,9.5\n8,9", 24);
    text[n - 1] = '9';
    spk_recording *recording = NULL;
    f->options.sort = true;
    assert_int_equal(read_bytes(f, text, n, &recording), SPK_OK);
    assert_string_equal(test_events_text(recording), "50:7 90:8 95:8");
    spk_recording_free(recording);
    free(text);
}

static void too_many_labels_are_refused(void **state)
{
    fixture *f = *state;
    size_t n = 0;
    char *text = malloc(20u * 1000010u);
    assert_non_null(text);
    for (int i = 0; i < 1000005; i++)
        n += (size_t)snprintf(text + n, 20, "%d 0.%d\n", i % 10, i);
    f->options.columns = SPK_COLUMNS_TIME_UNIT;
    f->options.sort = true;
    expect_error(f, text, n, SPK_ERR_RANGE, "rec.csv:1000001: more than 1000000 different units");
    free(text);
}

static void unreadable_paths_are_told(void **state)
{
    fixture *f = *state;
    spk_recording *recording = NULL;
    assert_int_equal(
        spk_recording_read_text(f->context, "/nowhere/rec.csv", &f->options, &recording),
        SPK_ERR_IO);
    assert_non_null(strstr(spk_context_message(f->context), "/nowhere/rec.csv: cannot open"));
    assert_int_equal(spk_recording_read_text(f->context, "/", &f->options, &recording), SPK_ERR_IO);
    assert_string_equal(spk_context_message(f->context), "/: is a directory; give a file in it");
    assert_null(recording);
}

static void reading_can_be_cancelled(void **state)
{
    fixture *f = *state;
    spk_recording *recording = NULL;
    spk_context_cancel(f->context);
    assert_int_equal(read_bytes(f, "0.5 a\n", 6, &recording), SPK_ERR_CANCELLED);
    assert_null(recording);
}

/* ---- recordings ------------------------------------------------------------------------------ */

static void read_file(fixture *f, const char *path, uint64_t n_events, uint32_t n_units)
{
    if (path == NULL)
        return;
    spk_recording *recording = NULL;
    const char *reason = NULL;
    spk_status status = spk_recording_read_text(f->context, path, &f->options, &recording);
    if (status != SPK_OK)
        fail_msg("%s", spk_context_message(f->context));
    assert_true(spk_recording_validate(recording, &reason));
    assert_int_equal(spk_recording_events(recording).n_events, n_events);
    assert_int_equal(spk_recording_events(recording).n_units, n_units);
    assert_int_equal(strlen(spk_recording_get_facts(recording)->sha256), 64);
    spk_recording_free(recording);
}

static void bundled_recordings_are_read(void **state)
{
    fixture *f = *state;
    read_file(f, test_bundled("movement_PGHF.spikes.txt"), 31262, 150);
    spk_recording *recording = NULL;
    assert_int_equal(spk_recording_read_text(f->context, test_bundled("songbird_spikes.txt"),
                                             &f->options, &recording),
                     SPK_ERR_ORDER);
    assert_non_null(strstr(spk_context_message(f->context), ":136: "));
    assert_non_null(strstr(spk_context_message(f->context), "grouped by unit"));
    f->options.sort = true;
    read_file(f, test_bundled("songbird_spikes.txt"), 3336, 74);
}

static void external_recordings_are_read(void **state)
{
    fixture *f = *state;
    if (test_external("wagenaar/2-1-20.spk.txt") == NULL)
        skip();
    read_file(f, test_external("wagenaar/2-1-20.spk.txt"), 172267, 56);
    read_file(f, test_external("wagenaar/2-1-10.spk.txt"), 77407, 56);
    read_file(f, test_external("wagenaar/8-1-31.spk.txt"), 7409, 58);
    read_file(f, test_external("reach_to_grasp/test_short.spikes.txt"), 7320, 145);
    read_file(f, test_external("tdm/sim-64-size20.csv"), 65428, 64);
    read_file(f, test_external("tdm/tdminer_sample_stream.csv"), 11272, 25);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(forms_of_lines_mean_the_same),
        TEST(labels_may_be_anything),
        TEST(labels_are_many),
        TEST(ticks_are_exact),
        TEST(the_last_tick_is_not_for_events),
        TEST(cut_digits_are_told),
        TEST(time_units_scale_the_rate),
        TEST(a_header_tells_the_unit_of_time),
        TEST(a_comment_tells_the_rate),
        TEST(implausible_rates_are_told),
        TEST(line_order_does_not_matter),
        TEST(columns_are_guessed),
        TEST(start_stop_and_units_select),
        TEST(whole_numbers_have_no_zeros),
        TEST(bounds_are_exact),
        TEST(backward_times_are_told),
        TEST(random_columns_are_sorted),
        TEST(bad_lines_are_told),
        TEST(long_inputs_are_limited),
        TEST(too_many_labels_are_refused),
        TEST(unreadable_paths_are_told),
        TEST(reading_can_be_cancelled),
        TEST(bundled_recordings_are_read),
        TEST(external_recordings_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
