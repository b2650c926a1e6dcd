/* Tables and lines of units: random recordings written in every dialect, the choice among the text
 * formats, and every error. The oracle knows the ticks before they are written. */
#include "support/test.h"

enum { MOST = 40, UNITS = 6, TEXT_BYTES = 1 << 16 };

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
    const char *path = test_path("rec.csv");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
    f->notes[0] = '\0';
    return spk_recording_read(f->context, path, &f->options, out);
}

/* The events as "time:label ...", times in ticks of the recording; a static buffer. */
static const char *events_text(const spk_recording *recording)
{
    static char text[1024];
    size_t n = 0;
    spk_events e = spk_recording_events(recording);
    text[0] = '\0';
    for (uint64_t i = 0; i < e.n_events; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%" PRId64 ":%s", i > 0 ? " " : "",
                              e.time[i], spk_recording_label(recording, e.unit[i]));
    return text;
}

static void expect(fixture *f, const char *text, uint64_t rate, const char *events)
{
    spk_recording *recording = NULL;
    const char *reason = NULL;
    if (read_bytes(f, text, strlen(text), &recording) != SPK_OK)
        fail_msg("'%s': %s", text, spk_context_message(f->context));
    assert_true(spk_recording_validate(recording, &reason));
    if (strcmp(events_text(recording), events) != 0)
        fail_msg("'%s': '%s', expected '%s'", text, events_text(recording), events);
    assert_int_equal(spk_recording_rate(recording).numerator, rate);
    spk_recording_free(recording);
}

static void expect_bytes_bad(fixture *f, const char *text, size_t n, spk_status status,
                             const char *part)
{
    spk_recording *recording = NULL;
    spk_status got = read_bytes(f, text, n, &recording);
    const char *message = spk_context_message(f->context);
    if (got != status || strstr(message, part) == NULL)
        fail_msg("'%s': status %d, '%s'; expected %d, '%s'", text, got, message, status, part);
    assert_null(recording);
    assert_null(strchr(message, '\n'));
}

static void expect_bad(fixture *f, const char *text, const char *part)
{
    expect_bytes_bad(f, text, strlen(text), SPK_ERR_FORMAT, part);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void tables_of_exports(void **state)
{
    fixture *f = *state;
    expect(f, ",time,unit,amp\n0,0.5,a,3\n1,0.7,b,4\n", 10, "5:a 7:b");
    assert_string_equal(strchr(f->notes, ':'),
                        ": times are taken from the column 'time', units from the column 'unit'\n");
    /* What write.csv and write.table of R make: names of rows, the second without a name. */
    expect(f, "\"\",\"time\",\"unit\"\n\"1\",0.5,\"a\"\n\"2\",0.7,\"b\"\n", 10, "5:a 7:b");
    expect(f, "\"time\" \"unit\" \"x\"\n\"1\" 0.5 \"a\" 1\n\"2\" 0.7 \"b\" 2\n", 10, "5:a 7:b");
    expect(f, "Unnamed: 0,time,id\n7,0.5,a\n9,0.7,b\n", 10, "5:a 7:b");
    expect(f, "amp\tcluster_id\tspike_time\n3\t1\t0.5\n4\t2\t0.7\n", 10, "5:1 7:2");
    expect(f, "amp;Neuron;Time (ms)\n3; unit 7 ;0.5\n4;\"a;b\";0.7\n", 10000, "5:unit 7 7:a;b");
    assert_non_null(strstr(f->notes, "times are read in ms"));
    expect(f, "time,unit,note\n0.5,1,\"two\nlines, \"\"x\"\"\"\n0.7,2,\n", 10, "5:1 7:2");
    expect(f, "time,unit,c\r\n1e-1,1,x\r\n+2.5e1,2,x\r\n", 10, "1:1 250:2");
    expect(f, "# a comment\n\n  # one more\ntime,unit,c\n0.5,a,1\n\n# c\n0.7,b,2", 10, "5:a 7:b");
    expect(f, "\xef\xbb\xbftime,unit,c\n0.5,a,1\n0.7,b,2\n", 10, "5:a 7:b");
    /* One of two columns is known: the other one is the other. */
    expect(f, ",time,x\n0,0.5,a\n1,0.7,b\n", 10, "5:a 7:b");
    expect(f, ",x,y\n0,0.5,a\n1,0.7,b\n", 10, "5:a 7:b");
    assert_non_null(strstr(f->notes, "columns guessed from the content: times are column 2"));
    expect(f, "time,unit,sample,id,quality\n0.5,a,1,1,x\n0.7,b,2,2,y\n", 10, "5:a 7:b");
}

static void columns_are_asked_for(void **state)
{
    fixture *f = *state;
    const char *text = "x,y,z,2,y\n0.5,a,1,0.1,c\n0.7,b,2,0.2,d\n";
    static const struct {
        const char *time, *unit, *events;
    } good[] = {
        {"x", "z", "5:1 7:2"},     {"1", "3", "5:1 7:2"},     {"X", "Z", "5:1 7:2"},
        {"4", "1", "1:0.5 2:0.7"}, {"\"2\"", "3", "1:1 2:2"}, {"z", "5", "1:c 2:d"},
    };
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        f->options.time_column = good[k].time;
        f->options.unit_column = good[k].unit;
        expect(f, text, strchr(good[k].time, 'z') != NULL ? 1 : 10, good[k].events);
    }
    static const struct {
        const char *time, *unit, *part;
    } bad[] = {
        {"w", "z", "there is no column 'w'; the columns are 1 'x', 2 'y', 3 'z', 4 '2', 5 'y'"},
        {"0", "z", "there is no column '0'"},
        {"6", "z", "there is no column '6'"},
        {"x", "y", "2 columns are called 'y'; give the number of one with --unit-column"},
        {"x", "1", "are one column; give two"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        f->options.time_column = bad[k].time;
        f->options.unit_column = bad[k].unit;
        expect_bytes_bad(f, text, strlen(text), SPK_ERR_ARGUMENT, bad[k].part);
    }
    /* Two columns are a table where its columns are asked for. */
    f->options.time_column = "2";
    f->options.unit_column = NULL;
    expect(f, "5 3\n4 6\n", 1, "3:5 6:4");
}

static void columns_that_are_not_clear(void **state)
{
    fixture *f = *state;
    expect_bad(f, "time,neuron,channel\n0.5,a,3\n",
               "rec.csv:1: columns 'neuron' and 'channel' may both be the units; pass "
               "--unit-column 'neuron', or --unit-column 'channel'");
    expect_bad(f, "timestamp,time,unit\n0.5,1,3\n", "may both be the times; pass --time-column");
    expect_bad(f, "x,y,z\n0.5,a,3\n0.7,b,1\n",
               "rec.csv:1: no column is known as that of the times; the columns are 1 'x', 2 'y', "
               "3 'z'; pass --time-column and --unit-column");
    expect_bad(f, "0.5,a,3\n0.7,b,1\n", "the columns are 1 '0.5', 2 'a', 3 '3'");
    expect_bad(f, "time,x,y\n0.5,1,3\n0.7,2,3\n", "no column is known as that of the units");
    expect_bad(f, "time_ns,unit,x\n5,1,3\n", "says a unit of time that is not read");
    expect_bad(f, "sample,unit,x\n5,1,3\n", "how many are a second? pass --time-unit");
    f->options.time_unit = SPK_TIME_SECONDS;
    expect_bad(f, "time_ms,unit,x\n5,1,3\n", "the column 'time_ms' says ms");
}

static void rows_that_are_wrong(void **state)
{
    fixture *f = *state;
    expect_bad(f, "time,unit,c\n0.5,1,2\n0.7,2\n", "rec.csv:3: 2 columns where the rows before");
    expect_bad(f, "time,unit,c\n0.5,1,2,3\n", "rec.csv:2: 4 columns where the rows before");
    expect_bad(f, "time,unit,c\n0.5,1,2\n,2,3\n", "rec.csv:3: the time is empty; fill it in");
    expect_bad(f, "time,unit,c\n0.5,1,2\n0.7, ,3\n", "rec.csv:3: the unit is empty; fill it in");
    expect_bad(f, "time,unit,c\n0.5,\"\",2\n", "rec.csv:2: the unit is empty");
    expect_bad(f, "time,unit,c\n0.5,1,2\nNaN,2,3\n", "rec.csv:3: the time 'NaN' is no number");
    expect_bad(f, "time,unit,c\n0.5,1,2\n-inf,2,3\n", "rec.csv:3: the time '-inf' is no number");
    expect_bad(f, "time,unit,c\n0.5,1,2\nsoon,2,3\n",
               "rec.csv:3: 'soon' is not a time; are these the right columns? pass --time-column");
    expect_bad(f, "time,unit,c\n0.5,1,\"x\n0.7,2,y\n", "rec.csv:2: a double quote is not closed");
    expect_bad(f, "time,unit,c\n0.5,1,\"x\"y\n", "rec.csv:2: text follows a closing quote");
    expect_bad(f, "time,unit,c\n0.5,1,\"a\nb\"\n0.6,1\n", "rec.csv:4: 2 columns");
    expect_bad(f, "time;unit;c\n0,5;1;2\n", "rec.csv:2: '0,5': are these decimal commas?");
    expect_bad(f, "time;unit;c\n1;1;2\n0,5;1;2\n",
               "rec.csv:3: '0,5' is not a time; is this a decimal comma?");
    expect_bad(f, "x;y\n0,5;3\n0,7;4\n", "rec.csv:2: '0,5': are these decimal commas?");
    expect_bad(f, "time,unit,c\n", "has no data lines; give a table with a row for each event");
    expect_bytes_bad(f, "time,unit,c\n1e30,1,2\n", 21, SPK_ERR_RANGE,
                     "rec.csv:2: time 1e30 is too large");
    expect_bytes_bad(f, "time,unit,c\n0.5,1,2\n0.4,2,3\n", 28, SPK_ERR_ORDER,
                     "rec.csv:3: time 0.4 after 0.5; ");
    static const char zero[] = "time,unit,c\n0.5,1,2\n0.7,\0,3\n";
    expect_bytes_bad(f, zero, sizeof zero - 1, SPK_ERR_FORMAT, "rec.csv:3: a NUL byte");
    static const char wide[] = "\xff\xfet\0i\0m\0e\0";
    expect_bytes_bad(f, wide, sizeof wide - 1, SPK_ERR_FORMAT,
                     "is text in UTF-16; convert it, for example with iconv -f utf-16 -t utf-8");
    expect_bad(f, "time,unit,c\n0.5,\xff,2\n", "rec.csv:2: the unit's label is not UTF-8 text");
    /* Negative times are times. */
    expect(f, "time,unit,c\n-0.5,1,2\n0.7,2,3\n", 10, "-5:1 7:2");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void lines_of_units(void **state)
{
    fixture *f = *state;
    static const char *const forms[] = {
        "a: 0.1 0.5\nb:\nc: 0.3\n",           "a: 0.1, 0.5\nb: \nc: 0.3\n",
        "a:\t0.1\t0.5\r\nb:\r\nc:\t0.3\r\n",  "a,0.1,0.5\nb\nc,0.3\n",
        "a,0.1,0.5,\nb,,\nc,0.3,\n",          "\"a\": 0.1;0.5\n\nb:\n# x\nc: 0.3",
        "\n# x\n  a : 0.1 0.5\nb:\nc: 0.3\n", "a\t0.1\t0.5\nb\t\t\nc\t0.3\t\n",
        "a: 1e-1 5e-1\nb:\nc: +0.3\n",
    };
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        spk_recording *recording = NULL;
        expect(f, forms[k], 10, "1:a 3:c 5:a");
        assert_int_equal(read_bytes(f, forms[k], strlen(forms[k]), &recording), SPK_OK);
        assert_int_equal(spk_recording_events(recording).n_units, 3);
        assert_string_equal(spk_recording_label(recording, 1), "b");
        assert_int_equal(spk_recording_get_facts(recording)->lines, 3);
        spk_recording_free(recording);
    }
    expect(f, "unit 7: 0.1 0.2\n\"x \"\"y\"\", z\": 0.3 0.4\n", 10,
           "1:unit 7 2:unit 7 3:x \"y\", z 4:x \"y\", z");
    expect(f, "A:0.5 0.7\nB:0.2\nC:0.1 0.4 0.5\n", 10, "1:C 2:B 4:C 5:A 5:C 7:A");
    expect(f, "0.1 0.2 0.5\n\n0.3 0.7 0.9 1\n", 10, "1:1 2:1 3:3 5:1 7:3 9:3 10:3");
    assert_non_null(strstr(f->notes, "lines begin with times; units are called by their lines"));
    expect(f, "0.25 0.5 0.75 1\n", 100, "25:1 50:1 75:1 100:1");
    expect(f, "3 0.1 0.2 0.5\n4 0.3\n", 10, "1:3 2:3 3:4 5:3");
    assert_non_null(strstr(f->notes, "the first field of each line is taken as the unit"));
    f->options.units = "c,a";
    expect(f, forms[0], 10, "1:a 3:c 5:a");
    static const spk_duration start = {2, -1};
    f->options.start = &start;
    expect(f, forms[0], 10, "3:c 5:a");
    f->options.start = NULL;
    f->options.units = NULL;
    f->options.unit_column = "none";
    expect(f, "1 2 3 5\n4 5 6\n", 1, "1:1 2:1 3:1 4:2 5:1 5:2 6:2");
    f->options.unit_column = "1";
    expect(f, "1 2 3 5\n4 5 6\n", 1, "2:1 3:1 5:1 5:4 6:4");
    f->options.unit_column = NULL;
    f->options.format = "lines";
    expect(f, "a 0.5\nb 0.7\n", 10, "5:a 7:b");
    f->options.time_unit = SPK_TIME_MILLISECONDS;
    expect(f, "a 0.5\nb 0.7\n", 10000, "5:a 7:b");
    f->options.time_unit = SPK_TIME_GUESS;
    expect(f, "# spikemine time-unit samples@30000\na: 5 7\n", 30000, "5:a 7:a");
    f->options.sort = true;
    expect(f, "a: 0.7 0.5\n", 10, "5:a 7:a");
}

static void lines_that_are_wrong(void **state)
{
    fixture *f = *state;
    expect_bad(f, "a: 0.3 0.4\na: 0.5 0.6\n", "rec.csv:2: a second line of the unit 'a'");
    expect_bad(f, "a: 0.1\nb: 0,3 0,4\nc: 1 2\n", "rec.csv:2: different separators between times");
    expect_bad(f, "a: 0.1 0.2\nb: 0.1 0.4\nc: 0.1,0.2\n", "rec.csv:3: different separators");
    expect_bad(f, "a: 0.1 0.2\nb: nan 0.4\n", "rec.csv:2: the time 'nan' is no number");
    expect_bad(f, "a: 0.1 0.2\nb: 0.1 x\n", "rec.csv:2: 'x' is not a time");
    expect_bad(f, "a,0.1,0.2\nb,0.1,,0.3\nc,1\n", "rec.csv:2: a time follows an empty field");
    expect_bad(f, "a: 0.1\nb: 0.3 0.4\n: 0.2\n", "rec.csv:3: the label is empty");
    expect_bad(f, "a: 0.1\nb: 0.3 0.4\nc 0.2\n", "rec.csv:3: no colon follows the label");
    expect_bad(f, "1 2 3 5\n4 5 6\n",
               "does each line begin with the unit, or with its first time? pass --unit-column 1 "
               "or --unit-column none");
    expect_bad(f, "1 2 3\n4 5 6\n", "pass --input-format table (");
    expect_bytes_bad(f, "a: 0.3 0.2\n", 11, SPK_ERR_ORDER,
                     "rec.csv:1: time 0.2 after 0.3; sort the times of the line or pass --sort");
    static const char zero[] = "a: 0.1 0.2\nb: 0.3 \0 0.4\n";
    expect_bytes_bad(f, zero, sizeof zero - 1, SPK_ERR_FORMAT, "rec.csv:2: a NUL byte");
    expect_bad(f, "a:\nb:\n", "has no data lines; give a line for each unit");
    f->options.format = "lines";
    expect_bad(f, "", "rec.csv: is empty; give a line for each unit");
    expect_bad(f, "a: 1 2\n\"b: 3\n", "rec.csv:2: a double quote is not closed");
    f->options.unit_column = "2";
    expect_bytes_bad(f, "a: 1 2\n", 7, SPK_ERR_ARGUMENT, "--unit-column 2: of lines it is 1");
}

/* No line is too long: 1 MB or more of them, over many blocks. */
static void lines_have_any_length(void **state)
{
    fixture *f = *state;
    const int n_times = (int)test_scaled_from(300000, 100000);
    char *text = malloc(2 * (size_t)n_times * 10 + 64);
    assert_non_null(text);
    for (int spaced = 0; spaced < 2; spaced++) {
        spk_recording *recording = NULL;
        size_t n = (size_t)sprintf(text, "first unit: ");
        for (int k = 0; k < n_times; k++)
            n += (size_t)sprintf(text + n, "%s%d.%03d", spaced ? "  " : " ", k / 8, k % 8 * 125);
        n += (size_t)sprintf(text + n, "\nsecond: 0.001");
        if (read_bytes(f, text, n, &recording) != SPK_OK)
            fail_msg("%s", spk_context_message(f->context));
        spk_events e = spk_recording_events(recording);
        assert_int_equal(e.n_events, n_times + 1);
        assert_int_equal(e.time[0], 0);
        assert_int_equal(e.time[1], 1);
        for (int k = 1; k < n_times; k++)
            assert_int_equal(e.time[k + 1], k * 125);
        assert_string_equal(spk_recording_label(recording, 0), "first unit");
        spk_recording_free(recording);
    }
    free(text);
}

/* ---- random recordings in all dialects ------------------------------------------------------- */

typedef struct sample {
    size_t n;
    int64_t tick[MOST]; /* distinct, ascending */
    int unit[MOST];
    int decimals;
} sample;

static const char *const LABELS[UNITS] = {"a", "unit 7", "x,y;z", "10", "\xc3\xa4", "q\"r"};

static sample draw(test_random *random)
{
    sample s = {.n = 2 + test_random_below(random, MOST - 2),
                .decimals = (int)test_random_below(random, 7)};
    int64_t tick = test_random_between(random, -1000, 1000);
    for (size_t k = 0; k < s.n; k++) {
        s.tick[k] = tick += 1 + (int64_t)test_random_below(random, 5000);
        s.unit[k] = (int)test_random_below(random, UNITS);
    }
    return s;
}

/* One of the ways in which a program may write ticks * 10^-decimals. */
static size_t put_time(char *text, int64_t ticks, int decimals, test_random *random)
{
    uint64_t whole = (uint64_t)(ticks < 0 ? -ticks : ticks);
    const char *sign = ticks < 0 ? "-" : test_random_chance(random, 0.1) ? "+" : "";
    if (test_random_chance(random, 0.2))
        return (size_t)sprintf(text, "%s%" PRIu64 "e-%d", sign, whole, decimals);
    uint64_t power = 1;
    for (int k = 0; k < decimals; k++)
        power *= 10;
    if (decimals == 0)
        return (size_t)sprintf(text, "%s%" PRIu64, sign, whole);
    return (size_t)sprintf(text, "%s%" PRIu64 ".%0*" PRIu64, sign, whole / power, decimals,
                           whole % power);
}

/* A label as RFC 4180 has it; in quotes where it must be, or by chance. */
static size_t put_label(char *text, const char *label, char separator, test_random *random)
{
    bool quote = strchr(label, separator) != NULL || strpbrk(label, "\" :") != NULL ||
                 strpbrk(label, ",;") != NULL || test_random_chance(random, 0.2);
    if (!quote)
        return (size_t)sprintf(text, "%s", label);
    size_t n = 0;
    text[n++] = '"';
    for (const char *at = label; *at != '\0'; at++) {
        text[n++] = *at;
        if (*at == '"')
            text[n++] = '"';
    }
    text[n++] = '"';
    return n;
}

/* Compares with the sample: exact times by cross multiplication of ticks, and labels. */
static void compare(const char *text, const sample *s, const spk_recording *recording)
{
    spk_events e = spk_recording_events(recording);
    spk_rate rate = spk_recording_rate(recording);
    int64_t power = 1;
    for (int k = 0; k < s->decimals; k++)
        power *= 10;
    assert_int_equal(rate.denominator, 1);
    if (e.n_events != s->n)
        fail_msg("%s: %" PRIu64 " events of %zu", text, e.n_events, s->n);
    for (size_t k = 0; k < s->n; k++)
        if (e.time[k] * power != s->tick[k] * (int64_t)rate.numerator ||
            strcmp(spk_recording_label(recording, e.unit[k]), LABELS[s->unit[k]]) != 0)
            fail_msg("%s: event %zu is %" PRId64 " of %s", text, k, e.time[k],
                     spk_recording_label(recording, e.unit[k]));
}

enum { A_TIME, A_UNIT, A_NUMBER, A_TEXT, AN_INDEX };

static size_t write_table(char *text, const sample *s, test_random *random, const char *end)
{
    static const char separators[] = {',', ';', '\t', ' '};
    static const char *const names[] = {"time", "unit", "amplitude", "the note", ""};
    static const char *const notes[] = {"x", "two words", "a\"b", "1,5;2"};
    char separator = separators[test_random_below(random, 4)];
    int kind[6];
    size_t n_columns = 3 + test_random_below(random, 4);
    size_t time = test_random_below(random, n_columns);
    size_t unit = (time + 1 + test_random_below(random, n_columns - 1)) % n_columns;
    size_t n = 0;
    for (size_t k = 0; k < n_columns; k++)
        kind[k] = k == time   ? A_TIME
                  : k == unit ? A_UNIT
                              : A_NUMBER + (int)test_random_below(random, 2);
    if (kind[0] >= A_NUMBER && n_columns > 3 && separator != ' ')
        kind[0] = AN_INDEX;
    for (size_t k = 0; k < n_columns; k++) {
        n += put_label(text + n, names[kind[k]], separator, random);
        n += (size_t)sprintf(text + n, "%.1s", k + 1 < n_columns ? &separator : "");
        if (k + 1 == n_columns)
            n += (size_t)sprintf(text + n, "%s", end);
    }
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < n_columns; k++) {
            if (kind[k] == A_TIME)
                n += put_time(text + n, s->tick[i], s->decimals, random);
            else if (kind[k] == A_UNIT)
                n += put_label(text + n, LABELS[s->unit[i]], separator, random);
            else if (kind[k] == A_TEXT)
                n += put_label(text + n, notes[test_random_below(random, 4)], separator, random);
            else
                n += (size_t)sprintf(text + n, "%zu", i);
            if (k + 1 < n_columns)
                text[n++] = separator;
            else
                n += (size_t)sprintf(text + n, "%s", end);
        }
    return n;
}

static size_t write_units(char *text, const sample *s, test_random *random, const char *end)
{
    static const char *const separators[] = {" ", ", ", "\t", ",", ";", "   "};
    const char *separator = separators[test_random_below(random, 6)];
    size_t n = 0;
    for (int u = 0; u < UNITS; u++) {
        n += put_label(text + n, LABELS[u], ':', random);
        n += (size_t)sprintf(text + n, ":");
        bool first = true;
        for (size_t i = 0; i < s->n; i++) {
            if (s->unit[i] != u)
                continue;
            n += (size_t)sprintf(text + n, "%s", first ? " " : separator);
            n += put_time(text + n, s->tick[i], s->decimals, random);
            first = false;
        }
        n += (size_t)sprintf(text + n, "%s", end);
    }
    return n;
}

static void random_recordings_in_all_dialects(void **state)
{
    fixture *f = *state;
    static char text[TEXT_BYTES];
    uint64_t seed = test_seed("dialects");
    for (uint64_t k = 0; k < test_scaled(4000); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = NULL;
        sample s = draw(&random);
        const char *end = test_random_chance(&random, 0.5) ? "\n" : "\r\n";
        bool lines = k % 2 == 0;
        size_t n =
            lines ? write_units(text, &s, &random, end) : write_table(text, &s, &random, end);
        n -= test_random_chance(&random, 0.3) ? strlen(end) : 0;
        text[n] = '\0';
        if (read_bytes(f, text, n, &recording) != SPK_OK)
            fail_msg("%s\n%s", text, spk_context_message(f->context));
        compare(text, &s, recording);
        if (lines)
            assert_int_equal(spk_recording_events(recording).n_units, UNITS);
        spk_recording_free(recording);
    }
}

/* Rows over the ends of blocks, with quotes and line ends in them. */
static void long_tables_are_whole(void **state)
{
    fixture *f = *state;
    enum { ROWS = 30000 };
    char *text = malloc((size_t)ROWS * 64);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "note,time_ms,neuron,x\n");
    for (int k = 0; k < ROWS; k++)
        n += (size_t)sprintf(text + n, "\"%.*s\n,\",%d.25,%d,7\n", k % 17, "abcdefghijklmnopqrs", k,
                             k % 5);
    spk_recording *recording = NULL;
    if (read_bytes(f, text, n, &recording) != SPK_OK)
        fail_msg("%s", spk_context_message(f->context));
    spk_events e = spk_recording_events(recording);
    assert_int_equal(e.n_events, ROWS);
    assert_int_equal(spk_recording_rate(recording).numerator, 100000);
    for (int k = 0; k < ROWS; k++) {
        assert_int_equal(e.time[k], k * 100 + 25);
        assert_int_equal(e.unit[k], k % 5);
    }
    spk_recording_free(recording);
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tables_of_exports),
        TEST(columns_are_asked_for),
        TEST(columns_that_are_not_clear),
        TEST(rows_that_are_wrong),
        TEST(lines_of_units),
        TEST(lines_that_are_wrong),
        TEST(lines_have_any_length),
        TEST(random_recordings_in_all_dialects),
        TEST(long_tables_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
