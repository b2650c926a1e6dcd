/* The text form of delays, episodes, supports and lists of episodes. */
#include "support/context.h"

static spk_recording *recording;
static const char *const LABELS[] = {"56",         "49",  "12",  "left hand",
                                     "say \"hi\"", "a,b", "(x]", "\xc3\xa9"};
enum { N_LABELS = sizeof LABELS / sizeof LABELS[0] };

static int set_up(void **state)
{
    (void)state;
    int64_t time[1000];
    uint32_t unit[1000];
    for (int i = 0; i < 1000; i++) {
        time[i] = i;
        unit[i] = (uint32_t)i % N_LABELS;
    }
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    return test_recording_create(context, 1000, time, unit, N_LABELS, LABELS, (spk_rate){100000, 1},
                                 NULL, NULL, &recording) != SPK_OK;
}

static int tear_down(void **state)
{
    (void)state;
    spk_recording_free(recording);
    spk_context_free(context);
    return 0;
}

static void delays_read_and_write(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"5ms:10ms", "(5ms,10ms]"},        {"(5ms,10ms]", "(5ms,10ms]"}, {"0:inf", "(0,inf]"},
        {"0.005s : 0.01 s", "(5ms,10ms]"}, {"(0,5ms]", "(0,5ms]"},       {"1us:2us", "(1us,2us]"}};
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        spk_delay delay;
        char text[112];
        assert_int_equal(spk_delay_parse(context, pairs[k][0], &delay), SPK_OK);
        spk_delay_format(&delay, text, sizeof text);
        assert_string_equal(text, pairs[k][1]);
    }
}

static void bad_delays_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        spk_status status;
        const char *says;
    } cases[] = {{"10ms:5ms", SPK_ERR_ARGUMENT, "empty"},    {"5ms:5ms", SPK_ERR_ARGUMENT, "empty"},
                 {"-5ms:5ms", SPK_ERR_ARGUMENT, "negative"}, {"5:10", SPK_ERR_FORMAT, "unit"},
                 {"5ms", SPK_ERR_FORMAT, "LO:HI"},           {"", SPK_ERR_FORMAT, "LO:HI"},
                 {"inf:inf", SPK_ERR_ARGUMENT, "empty"},     {"5ms:x", SPK_ERR_FORMAT, "'x'"},
                 {"1e30s:1s", SPK_ERR_ARGUMENT, "empty"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_delay delay;
        assert_int_equal(spk_delay_parse(context, cases[k].text, &delay), cases[k].status);
        assert_non_null(strstr(spk_context_message(context), cases[k].says));
    }
}

/* Any episode over any labels reads back to itself. */
static void episodes_round_trip(void **state)
{
    (void)state;
    uint64_t seed = test_seed("episodes_round_trip");
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        uint32_t size = (uint32_t)(1 + test_random_below(&random, 8));
        uint32_t unit[8];
        uint16_t delay[8] = {0};
        spk_delay delays[8];
        for (uint32_t p = 0; p < size; p++) {
            unit[p] = (uint32_t)test_random_below(&random, N_LABELS);
            int64_t lo = test_random_between(&random, 0, 1000000);
            delays[p] = (spk_delay){{lo, -6}, {lo + 1 + test_random_between(&random, 0, 5), -6}};
            if (test_random_chance(&random, 0.2))
                delays[p].hi = (spk_duration){1, SPK_DURATION_INFINITE};
            delay[p] = (uint16_t)(p > 0 ? p - 1 : 0);
        }
        char text[1024];
        char again[1024];
        const uint64_t offset[] = {0, size};
        const spk_episode_columns episode = {.n = 1,
                                             .offset = offset,
                                             .unit = unit,
                                             .delay = delay,
                                             .delays = delays,
                                             .n_delays = size};
        size_t length = spk_episode_format(recording, &episode, 0, text, sizeof text);
        assert_int_equal(length, strlen(text));
        spk_episode_list *list = NULL;
        assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
        if (spk_episode_parse(context, recording, text, list) != SPK_OK) {
            print_message("%s: %s\n", text, spk_context_message(context));
            fail();
        }
        spk_episode_columns columns = spk_episode_list_columns(list);
        assert_int_equal(columns.n, 1);
        assert_int_equal(columns.offset[1], size);
        assert_memory_equal(columns.unit, unit, size * sizeof *unit);
        spk_episode_format(recording, &columns, 0, again, sizeof again);
        assert_string_equal(text, again);
        /* A short buffer gets a terminated beginning. */
        char few[5];
        assert_int_equal(spk_episode_format(recording, &episode, 0, few, sizeof few), length);
        assert_int_equal(strlen(few), length < 4 ? length : 4);
        spk_episode_list_free(list);
    }
}

static void bad_episodes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {{"", "a unit is missing"},
                 {"99", "no unit '99'"},
                 {"56 49", "expected a delay"},
                 {"56 (5ms,10ms]", "a unit is missing"},
                 {"56 (5ms,10ms 49", "expected a delay"},
                 {"56 (10ms,5ms] 49", "empty"},
                 {"\"left hand", "not closed"},
                 {"56 (5ms,10ms] 49 12", "expected a delay"},
                 {"(5ms,10ms] 49", "a unit is missing"}};
    spk_episode_list *list = NULL;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_not_equal(spk_episode_parse(context, recording, cases[k].text, list), SPK_OK);
        if (strstr(spk_context_message(context), cases[k].says) == NULL) {
            print_message("%s -> %s\n", cases[k].text, spk_context_message(context));
            fail();
        }
    }
    assert_int_equal(spk_episode_list_columns(list).n, 0);
    char long_text[8192] = "56";
    for (int p = 1; p < 65; p++)
        strcat(long_text, " (0,1s] 56");
    assert_int_equal(spk_episode_parse(context, recording, long_text, list), SPK_ERR_RANGE);
    spk_episode_list_free(list);
}

static spk_status read_text(const char *content, spk_episode_list **list)
{
    char path[] = "/tmp/spikemine-list-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, content, strlen(content)), strlen(content));
    close(file);
    spk_status status = spk_episode_list_read(context, recording, path, list);
    remove(path);
    return status;
}

static void lists_read_in_both_forms(void **state)
{
    (void)state;
    static const char plain[] = "# mine\n56 (5ms,10ms] 49\n\n12\r\n\"left hand\" (0,inf] 56";
    static const char table[] = "size\tcount\tepisode\n2\t17\t56 (5ms,10ms] 49\n1\t9\t12\n"
                                "2\t3\t\"left hand\" (0,inf] 56\n";
    static const char other[] = "episode\tnote\n56 (5ms,10ms] 49\tgood\n12\t\n"
                                "\"left hand\" (0,inf] 56\tx\n# incomplete: no\n";
    const char *const contents[] = {plain, table, other};
    for (size_t k = 0; k < sizeof contents / sizeof contents[0]; k++) {
        spk_episode_list *list = NULL;
        assert_int_equal(read_text(contents[k], &list), SPK_OK);
        spk_episode_columns columns = spk_episode_list_columns(list);
        assert_int_equal(columns.n, 3);
        assert_int_equal(columns.offset[3], 5);
        spk_episode_list_free(list);
    }
    spk_episode_list *list = NULL;
    assert_int_equal(read_text("56\n99\n", &list), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), ":2: "));
    assert_int_equal(read_text("size\tcount\tepisode\n2\t17\n", &list), SPK_ERR_FORMAT);
    assert_int_equal(read_text("# nothing\n", &list), SPK_ERR_FORMAT);
    assert_int_equal(spk_episode_list_read(context, recording, "/nowhere/list", &list), SPK_ERR_IO);
    assert_null(list);
}

/* ---- labels that mean something elsewhere ---------------------------------------------------- */

static const char *const HOSTILE[] = {
    "#a",   "a\tb",    "\t",         "episode", "size\tcount\tepisode", "",
    "\"",   "\"\"",    "a\\",        "\\t",     "\x1b[31mred\x1b[0m",   "line\nend",
    "cr\r", "(0,1s]",  "A (0,1s] B", "#",       "\xef\xbb\xbf",         "\xc2\x9b",
    " ",    "a\"b\tc", "\x7f",       "\x01",    "\xe2\x80\xae",         "plain"};
enum { N_HOSTILE = sizeof HOSTILE / sizeof HOSTILE[0] };

static void make_hostile(spk_recording **out)
{
    int64_t time[3 * N_HOSTILE];
    uint32_t unit[3 * N_HOSTILE];
    for (uint32_t k = 0; k < 3 * N_HOSTILE; k++) {
        time[k] = k;
        unit[k] = k % N_HOSTILE;
    }
    assert_int_equal(test_recording_create(context, 3 * N_HOSTILE, time, unit, N_HOSTILE, HOSTILE,
                                           (spk_rate){1000, 1}, NULL, NULL, out),
                     SPK_OK);
}

static void assert_same_episodes(const char *path, const spk_recording *hostile,
                                 const spk_episode_columns *expected)
{
    spk_episode_list *list = NULL;
    if (spk_episode_list_read(context, hostile, path, &list) != SPK_OK) {
        print_message("%s\n", spk_context_message(context));
        fail();
    }
    spk_episode_columns got = spk_episode_list_columns(list);
    assert_int_equal(got.n, expected->n);
    assert_memory_equal(got.offset, expected->offset, (got.n + 1) * sizeof *got.offset);
    assert_memory_equal(got.unit, expected->unit, got.offset[got.n] * sizeof *got.unit);
    spk_episode_list_free(list);
}

/* A plain list, each line the text form, the first one any of them. */
static void write_plain(const char *path, const spk_recording *hostile,
                        const spk_episode_columns *episodes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint64_t k = 0; k < episodes->n; k++) {
        char text[256];
        assert_true(spk_episode_format(hostile, episodes, k, text, sizeof text) < sizeof text);
        fprintf(file, "%s\n", text);
    }
    fclose(file);
}

static void write_table(const char *path, const spk_recording *hostile,
                        const spk_episode_columns *episodes)
{
    spk_writer *writer = NULL;
    assert_int_equal(spk_episode_writer_open(context, path, SPK_FORM_TSV, hostile, &writer),
                     SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, episodes), SPK_OK);
    assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
}

/* Every row has as many columns as the header, whatever the labels. */
static void assert_columns(const char *name, int n)
{
    char *text = test_file_text(name);
    int columns = 1;
    for (const char *at = text; *at != '\0'; at++) {
        assert_true((unsigned char)*at >= 0x20 || *at == '\t' || *at == '\n');
        columns += *at == '\t';
        if (*at == '\n') {
            assert_int_equal(columns, n);
            columns = 1;
        }
    }
    free(text);
}

static void hostile_labels_round_trip(void **state)
{
    (void)state;
    uint64_t seed = test_seed("hostile_labels_round_trip");
    const spk_delay delay = {{0, 0}, {1, 0}};
    spk_recording *hostile = NULL;
    make_hostile(&hostile);
    for (uint64_t c = 0; c < test_scaled(200) + N_HOSTILE; c++) {
        test_random random = test_random_make(seed, c);
        spk_episode_list *list = NULL;
        assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
        uint32_t first = (uint32_t)(c % N_HOSTILE);
        assert_int_equal(spk_episode_list_append(context, list, 1, &first, NULL), SPK_OK);
        for (int k = 0; k < 5; k++) {
            const uint32_t pair[] = {(uint32_t)test_random_below(&random, N_HOSTILE),
                                     (uint32_t)test_random_below(&random, N_HOSTILE)};
            assert_int_equal(spk_episode_list_append(context, list, 2, pair, &delay), SPK_OK);
        }
        spk_episode_columns episodes = spk_episode_list_columns(list);
        const char *plain = test_path("plain");
        write_plain(plain, hostile, &episodes);
        assert_same_episodes(plain, hostile, &episodes);
        const char *table = test_path("table");
        write_table(table, hostile, &episodes);
        assert_columns("table", 3);
        assert_same_episodes(table, hostile, &episodes);
        spk_episode_list_free(list);
    }
    spk_recording_free(hostile);
}

/* Tables written before tabs were escaped still read back. */
static void old_tables_with_tabs_are_read(void **state)
{
    (void)state;
    spk_recording *hostile = NULL;
    make_hostile(&hostile);
    spk_episode_list *list = NULL;
    const char *path =
        test_file("old", "size\tcount\tepisode\n2\t3\t\"a\tb\" (0,1s] plain\n1\t2\tplain\n");
    assert_int_equal(spk_episode_list_read(context, hostile, path, &list), SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(columns.n, 2);
    assert_string_equal(spk_recording_label(hostile, columns.unit[0]), "a\tb");
    spk_episode_list_free(list);
    spk_recording_free(hostile);
}

static void nothing_behind_a_zero_byte_is_dropped(void **state)
{
    (void)state;
    static const char bytes[] = "56\n49\0 (0,1s] 56\n12\n";
    char path[] = "/tmp/spikemine-list-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, sizeof bytes - 1), sizeof bytes - 1);
    close(file);
    spk_episode_list *list = NULL;
    assert_int_equal(spk_episode_list_read(context, recording, path, &list), SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), ":2: a NUL byte"));
    remove(path);
}

/* ---- units that the recording lacks ---------------------------------------------------------- */

static void keep_note(void *user, const char *text)
{
    snprintf(user, 400, "%s", text);
}

static void absent_units_never_fire(void **state)
{
    (void)state;
    char note[400] = "";
    spk_episode_list *list = NULL;
    spk_recording *widened = NULL;
    spk_episode_options options;
    spk_context_set_note(context, keep_note, note);
    const char *path = test_file("absent", "7 (0,1s] 56\n56 (0,1s] 49\n\"no such\"\n56\n7\n");
    assert_int_equal(spk_episode_list_read_widened(context, recording, 1, &path, &widened, &list),
                     SPK_OK);
    assert_non_null(strstr(note, "has no unit 7, no such; episodes with these count 0"));
    assert_non_null(widened);
    assert_int_equal(spk_recording_events(widened).n_units, N_LABELS + 2);
    assert_int_equal(spk_recording_events(widened).n_events, 1000);
    assert_int_equal(spk_recording_stop(widened), spk_recording_stop(recording));
    assert_true(spk_recording_validate(widened, &(const char *){NULL}));
    spk_episode_options_init(&options, sizeof options);
    assert_int_equal(spk_episode_count(context, widened, &options, list, NULL), SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    static const bool fires[] = {false, true, false, true, false};
    for (uint64_t k = 0; k < 5; k++)
        assert_int_equal(columns.count[k] > 0, fires[k]);
    char text[64];
    spk_episode_format(widened, &columns, 0, text, sizeof text);
    assert_string_equal(text, "7 (0,1s] 56");
    spk_episode_list_free(list);
    spk_recording_free(widened);
    /* Where all units are there, nothing is copied; elsewhere than in a list they are errors. */
    path = test_file("there", "56 (0,1s] 49\n");
    assert_int_equal(spk_episode_list_read_widened(context, recording, 1, &path, &widened, &list),
                     SPK_OK);
    assert_null(widened);
    spk_episode_list_free(list);
    const char *const twice[] = {"7", "7"};
    const char *const known[] = {"56"};
    assert_int_equal(spk_recording_add_units(context, recording, 2, twice, &widened),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_add_units(context, recording, 1, known, &widened),
                     SPK_ERR_ARGUMENT);
    assert_null(widened);
    spk_context_set_note(context, NULL, NULL);
}

static void supports_are_counts_or_shares(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t support; /* of 1000 events; 0: refused */
    } cases[] = {{"173", 173},
                 {"1%", 10},
                 {"0.1%", 1},
                 {".1%", 1},
                 {"1.01%", 11},
                 {"1e-1%", 1},
                 {"100%", 1000},
                 {"100.0%", 1000},
                 {"1000000000000", 1000000000000u},
                 {"0173", 173},
                 {"18446744073709551615", UINT64_MAX},
                 {"18446744073709551616", 0},
                 {"100.1%", 0},
                 {"101%", 0},
                 {"1e3%", 0},
                 {"0%", 0},
                 {"0.0%", 0},
                 {"-1%", 0},
                 {"+1%", 0},
                 {"0.05", 0},
                 {"1.0", 0},
                 {"1.", 0},
                 {"1e2", 0},
                 {"0x10", 0},
                 {"+5", 0},
                 {" 5", 0},
                 {"5 ", 0},
                 {"0", 0},
                 {"-3", 0},
                 {"x", 0},
                 {"", 0},
                 {"%", 0},
                 {"5.5", 0},
                 {"5 %", 0},
                 {"5%%", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        uint64_t support = 0;
        spk_status status = spk_episode_support_parse(context, recording, cases[k].text, &support);
        assert_int_equal(status == SPK_OK, cases[k].support > 0);
        assert_int_equal(support, cases[k].support);
        /* The check alone gives the same verdict. */
        assert_int_equal(spk_episode_support_parse(context, NULL, cases[k].text, &support), status);
    }
}

/* A number with a point is refused with both of its readings, as far as they can be. */
static void a_support_with_a_point_is_told_both_ways(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"1.0", "write 1 for a count, 1% or 100% for a share of the events"},
        {"0.5", "write 0.5% or 50% for a share of the events"},
        {"0.001", "write 0.001% or 0.1% for a share of the events"},
        {"2.50", "write 2.5% for a share of the events"},
        {"100.0", "write 100 for a count, 100% for a share of the events"},
        {"250.0", "write 250 for a count"},
        {"173.5", "write a count such as 173"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        uint64_t support = 0;
        assert_int_equal(spk_episode_support_parse(context, recording, cases[k][0], &support),
                         SPK_ERR_FORMAT);
        assert_non_null(strstr(spk_context_message(context), cases[k][1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_read_and_write),
        cmocka_unit_test(bad_delays_are_refused),
        cmocka_unit_test(episodes_round_trip),
        cmocka_unit_test(bad_episodes_are_refused),
        cmocka_unit_test(lists_read_in_both_forms),
        cmocka_unit_test(supports_are_counts_or_shares),
        cmocka_unit_test(a_support_with_a_point_is_told_both_ways),
        cmocka_unit_test(hostile_labels_round_trip),
        cmocka_unit_test(old_tables_with_tabs_are_read),
        cmocka_unit_test(nothing_behind_a_zero_byte_is_dropped),
        cmocka_unit_test(absent_units_never_fire),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
