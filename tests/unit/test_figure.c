/* Pictures: valid files of all three kinds, the same bytes every time, sense where there is nothing
 * to draw, and nothing left behind where they fail. */
#include <dirent.h>

#include "base/stage.h"
#include "support/context.h"

static char folder[] = "/tmp/spikemine-figure-XXXXXX";
static char path[256];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int n_files(void)
{
    DIR *listing = opendir(folder);
    int n = 0;
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        n += entry->d_name[0] != '.';
    closedir(listing);
    return n;
}

/* The whole file, terminated; the caller frees it. */
static char *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    bytes[*length] = '\0';
    fclose(file);
    return bytes;
}

/* ---- what is drawn --------------------------------------------------------------------------- */

typedef struct scene {
    spk_recording *recording;
    spk_episode_list *list;
    spk_delay delay;
} scene;

/* 20 volleys of units 0 1 2 3 at 5 ms steps over noise of others, mined with (4,6] ms. */
static void make_scene(scene *s)
{
    enum { VOLLEYS = 20, NOISE = 400 };
    static int64_t time[4 * VOLLEYS + NOISE];
    static uint32_t unit[4 * VOLLEYS + NOISE];
    test_random random = test_random_make(7, 0);
    for (int k = 0; k < 4 * VOLLEYS; k++) {
        time[k] = 1000 + 3000 * (k / 4) + 50 * (k % 4); /* ticks of 0.1 ms */
        unit[k] = (uint32_t)(k % 4);
    }
    for (int k = 4 * VOLLEYS; k < 4 * VOLLEYS + NOISE; k++) {
        time[k] = test_random_between(&random, 0, 62000);
        unit[k] = (uint32_t)(4 + test_random_below(&random, 20));
    }
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    assert_int_equal(spk_delay_parse(context, "4ms:6ms", &s->delay), SPK_OK);
    options.delays = &s->delay;
    options.n_delays = 1;
    options.support = 15;
    assert_int_equal(test_recording_create(context, 4 * VOLLEYS + NOISE, time, unit, 24, NULL,
                                           (spk_rate){10000, 1}, NULL, NULL, &s->recording),
                     SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &s->list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, s->recording, &options, spk_episode_list_add, s->list, NULL),
        SPK_OK);
}

static void free_scene(scene *s)
{
    spk_episode_list_free(s->list);
    spk_recording_free(s->recording);
}

static spk_status draw(const scene *s, const char *file)
{
    spk_figure_options options;
    spk_figure_options_init(&options, sizeof options);
    options.title = "volleys <&>";
    options.caption = "a \"caption\"";
    spk_episode_columns columns = spk_episode_list_columns(s->list);
    return spk_figure_episodes(context, s->recording, &columns, &options, file);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void all_kinds_are_valid(void **state)
{
    (void)state;
    scene s = {.recording = NULL};
    size_t length = 0;
    make_scene(&s);
    assert_int_equal(draw(&s, in_folder("a.png")), SPK_OK);
    unsigned char *png = (unsigned char *)read_file("a.png", &length);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(png[16] << 24 | png[17] << 16 | png[18] << 8 | png[19], 2126);
    assert_memory_equal(png + 37, "pHYs", 4); /* 300 dpi are 11,811 pixels a metre */
    assert_int_equal(png[43] << 8 | png[44], 11811);
    free(png);
    assert_int_equal(draw(&s, in_folder("a.pdf")), SPK_OK);
    char *pdf = read_file("a.pdf", &length);
    assert_memory_equal(pdf, "%PDF-", 5);
    assert_non_null(strstr(pdf + length - 8, "%%EOF"));
    free(pdf);
    assert_int_equal(draw(&s, in_folder("a.svg")), SPK_OK);
    char *svg = read_file("a.svg", &length);
    assert_non_null(strstr(svg, "<svg"));
    assert_non_null(strstr(svg, "</svg>"));
    free(svg);
    assert_int_equal(n_files(), 3);
    free_scene(&s);
}

static void the_same_bytes_every_time(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"a.png", "b.png"}, {"a.svg", "b.svg"}, {"a.pdf", "b.pdf"}};
    scene s = {.recording = NULL};
    make_scene(&s);
    for (size_t k = 0; k < 3; k++) {
        size_t length_a = 0;
        size_t length_b = 0;
        assert_int_equal(draw(&s, in_folder(pairs[k][0])), SPK_OK);
        assert_int_equal(draw(&s, in_folder(pairs[k][1])), SPK_OK);
        char *a = read_file(pairs[k][0], &length_a);
        char *b = read_file(pairs[k][1], &length_b);
        assert_int_equal(length_a, length_b);
        assert_memory_equal(a, b, length_a);
        free(a);
        free(b);
    }
    free_scene(&s);
}

/* With fewer episodes the picture must change: the colours come from the result. */
static void the_result_shows(void **state)
{
    (void)state;
    scene s = {.recording = NULL};
    make_scene(&s);
    assert_true(spk_episode_list_columns(s.list).n > 4);
    size_t with = 0;
    size_t without = 0;
    assert_int_equal(draw(&s, in_folder("with.svg")), SPK_OK);
    char *svg = read_file("with.svg", &with);
    spk_episode_list *none = NULL;
    assert_int_equal(spk_episode_list_create(context, &none), SPK_OK);
    spk_episode_list *all = s.list;
    s.list = none;
    assert_int_equal(draw(&s, in_folder("without.svg")), SPK_OK);
    char *empty = read_file("without.svg", &without);
    assert_non_null(strstr(svg, " occurrences</text>"));
    assert_null(strstr(svg, "There is no pair of different units."));
    assert_null(strstr(empty, " occurrences</text>"));
    assert_non_null(strstr(empty, ">Spikes of all units; no episode is listed</text>"));
    assert_null(strstr(empty, "Who follows whom")); /* panels without anything are left out */
    assert_null(strstr(empty, ">b</text>"));
    free(svg);
    free(empty);
    spk_episode_list_free(all);
    free_scene(&s);
}

/* Without an episode of two units the graph has the steps of longer ones, each once. */
static void steps_of_long_episodes_are_pairs(void **state)
{
    (void)state;
    scene s = {.recording = NULL};
    make_scene(&s);
    spk_episode_list *all = s.list, *longer = NULL;
    assert_int_equal(spk_episode_list_create(context, &longer), SPK_OK);
    const spk_delay delay = spk_episode_list_columns(all).delays[0];
    const spk_delay delays[3] = {delay, delay, delay};
    const uint32_t unit[4] = {0, 1, 2, 2};
    for (uint64_t size = 3; size <= 4; size++)
        assert_int_equal(spk_episode_list_append(context, longer, (uint32_t)size, unit, delays),
                         SPK_OK);
    s.list = longer;
    size_t length = 0;
    assert_int_equal(draw(&s, in_folder("steps.svg")), SPK_OK);
    char *svg = read_file("steps.svg", &length);
    assert_non_null(strstr(svg, ">Who follows whom: 2 pairs; not tested</text>"));
    assert_null(strstr(svg, "9223372036854775")); /* of what no number is */
    assert_null(strstr(svg, "There is no pair of different units."));
    free(svg);
    spk_episode_list_free(all);
    free_scene(&s);
}

static void nothing_to_draw_is_drawn(void **state)
{
    (void)state;
    scene s = {.recording = NULL};
    assert_int_equal(test_recording_create(context, 0, NULL, NULL, 0, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &s.recording),
                     SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &s.list), SPK_OK);
    assert_int_equal(draw(&s, in_folder("none.png")), SPK_OK);
    assert_int_equal(draw(&s, in_folder("none.pdf")), SPK_OK);
    free_scene(&s);
}

static void a_million_events_stay_small(void **state)
{
    (void)state;
    enum { N = 1000000 };
    int64_t *time = malloc(N * sizeof *time);
    uint32_t *unit = malloc(N * sizeof *unit);
    assert_true(time != NULL && unit != NULL);
    for (int k = 0; k < N; k++) {
        time[k] = k;
        unit[k] = (uint32_t)k % 60;
    }
    scene s = {.recording = NULL};
    size_t length = 0;
    assert_int_equal(test_recording_create(context, N, time, unit, 60, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &s.recording),
                     SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &s.list), SPK_OK);
    assert_int_equal(draw(&s, in_folder("million.svg")), SPK_OK);
    free(read_file("million.svg", &length));
    assert_true(length < 20000000);
    free_scene(&s);
    free(time);
    free(unit);
}

/* Letters can be searched, read aloud and edited. */
static void text_stays_text(void **state)
{
    (void)state;
    size_t length = 0;
    scene s = {.recording = NULL};
    make_scene(&s);
    assert_int_equal(draw(&s, in_folder("text.svg")), SPK_OK);
    char *svg = read_file("text.svg", &length);
    assert_non_null(strstr(svg, ">volleys &lt;&amp;&gt;</text>"));
    assert_non_null(strstr(svg, ">Unit</text>"));
    assert_null(strstr(svg, "<symbol"));
    free(svg);
    assert_int_equal(draw(&s, in_folder("text.pdf")), SPK_OK);
    char *pdf = read_file("text.pdf", &length);
    bool embedded = false;
    for (size_t k = 0; k + 9 < length; k++)
        embedded = embedded || memcmp(pdf + k, "/FontFile", 9) == 0;
    assert_true(embedded);
    free(pdf);
    free_scene(&s);
}

/* Whoever asks for a stop gets no picture, in all three kinds. */
static void a_cancel_leaves_nothing(void **state)
{
    (void)state;
    scene s = {.recording = NULL};
    make_scene(&s);
    int before = n_files();
    spk_context_cancel(context);
    assert_int_equal(draw(&s, in_folder("stop.png")), SPK_ERR_CANCELLED);
    assert_int_equal(draw(&s, in_folder("stop.svg")), SPK_ERR_CANCELLED);
    assert_int_equal(draw(&s, in_folder("stop.pdf")), SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
    assert_int_equal(n_files(), before);
    free_scene(&s);
}

/* With less memory than a picture takes there is an error and no file, never a picture that lacks
 * something: whatever is drawn is the whole. */
static void memory_that_falls_short_is_an_error(void **state)
{
    (void)state;
    static const char *const names[] = {"memory.svg", "memory.pdf", "memory.png"};
    const uint64_t plenty = UINT64_C(1) << 40;
    scene s = {.recording = NULL};
    make_scene(&s);
    for (int kind = 0; kind < 3; kind++) {
        size_t length = 0;
        assert_int_equal(draw(&s, in_folder(names[kind])), SPK_OK);
        char *whole = read_file(names[kind], &length);
        assert_int_equal(unlink(in_folder(names[kind])), 0);
        spk_context_set_memory_limit(context, plenty);
        uint64_t used = plenty - spk_memory_left(context);
        int before = n_files();
        int n_refused = 0;
        int n_drawn = 0;
        uint64_t step = kind == 2 ? 4000000 : 1000;
        for (uint64_t more = 1; n_drawn < 2; more += step) {
            spk_context_set_memory_limit(context, used + more);
            spk_status status = draw(&s, in_folder(names[kind]));
            if (status == SPK_OK) {
                size_t n = 0;
                char *again = read_file(names[kind], &n);
                assert_int_equal(n, length);
                assert_memory_equal(again, whole, n);
                free(again);
                n_drawn++;
                assert_int_equal(unlink(in_folder(names[kind])), 0);
            } else {
                assert_int_equal(status, SPK_ERR_MEMORY);
                assert_int_equal(n_drawn, 0);
                n_refused++;
            }
            assert_int_equal(n_files(), before);
        }
        assert_true(n_refused > (kind == 2 ? 3 : 20));
        free(whole);
        spk_context_set_memory_limit(context, 0);
    }
    free_scene(&s);
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    scene s = {.recording = NULL};
    make_scene(&s);
    int before = n_files();
    assert_int_equal(draw(&s, in_folder("a.gif")), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), ".png"));
    assert_int_equal(draw(&s, in_folder("nowhere/a.png")), SPK_ERR_IO);
    /* A result of another recording: units that do not exist here. */
    spk_recording *other = NULL;
    assert_int_equal(test_recording_create(context, 0, NULL, NULL, 0, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &other),
                     SPK_OK);
    spk_recording *own = s.recording;
    s.recording = other;
    assert_int_equal(draw(&s, in_folder("b.png")), SPK_ERR_ARGUMENT);
    s.recording = own;
    spk_recording_free(other);
    assert_int_equal(n_files(), before);
    free_scene(&s);
}

/* SPADE patterns of the same volleys, one bin a tick of 1 ms. */
static void patterns_are_drawn(void **state)
{
    (void)state;
    scene s = {.recording = NULL};
    make_scene(&s);
    spk_windows *windows = NULL;
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, -3};
    cut.window = 20;
    assert_int_equal(spk_windows_create(context, s.recording, &cut, &windows), SPK_OK);
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.support = 10;
    options.min_spikes = 3;
    for (int with = 0; with < 2; with++) {
        spk_pattern_figure *figure = NULL;
        spk_pattern_summary summary;
        options.support = with ? 10 : 1000;
        assert_int_equal(spk_pattern_figure_create(context, s.recording, windows, cut.bin, &figure),
                         SPK_OK);
        assert_int_equal(
            spk_pattern_mine(context, windows, &options, spk_pattern_figure_add, figure, &summary),
            SPK_OK);
        assert_int_equal(summary.n_reported > 0, with);
        const char *name = with ? "p.svg" : "q.svg";
        assert_int_equal(spk_pattern_figure_draw(context, figure, NULL, in_folder(name)), SPK_OK);
        assert_int_equal(spk_pattern_figure_draw(context, figure, NULL, in_folder("p.gif")),
                         SPK_ERR_ARGUMENT);
        spk_pattern_figure_free(figure);
    }
    size_t length = 0;
    size_t without = 0;
    char *svg = read_file("p.svg", &length);
    char *empty = read_file("q.svg", &without);
    assert_non_null(strstr(svg, ">Patterns of each unit</text>"));
    assert_null(strstr(empty, "Patterns of each unit"));
    assert_non_null(strstr(empty, ">Spikes of all units; no pattern is listed</text>"));
    free(svg);
    free(empty);
    spk_windows_free(windows);
    /* Transactions have no spike times. */
    spk_windows *transactions = NULL;
    spk_pattern_figure *figure = NULL;
    assert_int_equal(spk_windows_parse_transactions(context, "t", "0 1\n", 4, 0, 20, &transactions),
                     SPK_OK);
    assert_int_equal(
        spk_pattern_figure_create(context, s.recording, transactions, cut.bin, &figure),
        SPK_ERR_ARGUMENT);
    assert_null(figure);
    spk_windows_free(transactions);
    free_scene(&s);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || spk_context_create(&context) != SPK_OK;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    spk_context_free(context);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const char *reason = NULL;
    if (!spk_figure_available(&reason)) {
        print_message("pictures are not in this build: %s\n", reason);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_are_valid),
        cmocka_unit_test(the_same_bytes_every_time),
        cmocka_unit_test(the_result_shows),
        cmocka_unit_test(steps_of_long_episodes_are_pairs),
        cmocka_unit_test(nothing_to_draw_is_drawn),
        cmocka_unit_test(a_million_events_stay_small),
        cmocka_unit_test(text_stays_text),
        cmocka_unit_test(a_cancel_leaves_nothing),
        cmocka_unit_test(memory_that_falls_short_is_an_error),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(patterns_are_drawn),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
