/* Programs that use the library may have set a locale with decimal commas. Nothing that is written
 * changes. */
#include <locale.h>

#include "support/context.h"

/* A German locale: the system's, or one made here. False where there is none to be had. */
static bool set_german(void)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        static const char make[] = "localedef -i de_DE -f UTF-8 \"$LOCPATH/de_DE.UTF-8\" >&2";
        if (setenv("LOCPATH", test_path("."), 1) != 0 || system(make) != 0 ||
            setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
            return false;
    }
    char number[16];
    snprintf(number, sizeof number, "%.1f", 0.5);
    return strcmp(number, "0,5") == 0;
}

/* ---- what is written ------------------------------------------------------------------------- */

typedef struct scene {
    spk_recording *recording;
    spk_windows *windows;
    spk_episode_list *list;
    spk_delay delay;
} scene;

static void make_scene(scene *s)
{
    enum { N = 60 };
    static int64_t time[N];
    static uint32_t unit[N];
    for (int k = 0; k < N; k++) {
        time[k] = 700 * (k / 3) + 45 * (k % 3); /* ticks of 0.1 ms */
        unit[k] = (uint32_t)(k % 3);
    }
    assert_int_equal(test_recording_create(context, N, time, unit, 3, NULL, (spk_rate){10000, 1},
                                           NULL, NULL, &s->recording),
                     SPK_OK);
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    assert_int_equal(spk_delay_parse(context, "0.5ms:4.5ms", &s->delay), SPK_OK);
    options.delays = &s->delay;
    options.n_delays = 1;
    options.support = 10;
    assert_int_equal(spk_episode_list_create(context, &s->list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, s->recording, &options, spk_episode_list_add, s->list, NULL),
        SPK_OK);
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){.digits = 5, .exponent = -4};
    cut.window = 20;
    assert_int_equal(spk_windows_create(context, s->recording, &cut, &s->windows), SPK_OK);
}

static void free_scene(scene *s)
{
    spk_episode_list_free(s->list);
    spk_windows_free(s->windows);
    spk_recording_free(s->recording);
}

static spk_status write_tables(const scene *s, spk_table_form format, const char *table,
                               const char *occurrences)
{
    spk_writer *writer = NULL;
    spk_writer *places = NULL;
    spk_provenance provenance = {
        .command = "test", .input = "none", .engine = "none", .seconds = 1.5};
    spk_episode_columns columns = spk_episode_list_columns(s->list);
    spk_status status =
        spk_episode_writer_open(context, test_path(table), format, s->recording, &writer);
    if (status == SPK_OK)
        status = spk_episode_writer_add(writer, &columns);
    if (status == SPK_OK)
        status = spk_writer_commit(writer, &provenance);
    if (status == SPK_OK)
        status = spk_episode_occurrence_writer_open(context, test_path(occurrences), s->recording,
                                                    2, &places);
    if (status == SPK_OK)
        status = spk_episode_occurrence_writer_add(places, &columns);
    if (status == SPK_OK)
        status = spk_writer_commit(places, &provenance);
    return status;
}

static spk_status draw(const scene *s, const char *episodes, const char *patterns)
{
    spk_pattern_figure *figure = NULL;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.support = 10;
    spk_episode_columns columns = spk_episode_list_columns(s->list);
    spk_status status =
        spk_figure_episodes(context, s->recording, &columns, NULL, test_path(episodes));
    if (status == SPK_OK)
        status = spk_pattern_figure_create(context, s->recording, s->windows,
                                           (spk_duration){.digits = 5, .exponent = -4}, &figure);
    if (status == SPK_OK)
        status =
            spk_pattern_mine(context, s->windows, &options, spk_pattern_figure_add, figure, NULL);
    if (status == SPK_OK)
        status = spk_pattern_figure_draw(context, figure, NULL, test_path(patterns));
    spk_pattern_figure_free(figure);
    return status;
}

static void assert_same(const char *one, const char *other)
{
    char *a = test_file_text(one);
    char *b = test_file_text(other);
    assert_string_equal(a, b);
    assert_true(strchr(a, '.') != NULL || strstr(one, ".tsv") != NULL);
    free(a);
    free(b);
}

static void nothing_changes_in_another_locale(void **state)
{
    (void)state;
    scene s = {.recording = NULL};
    make_scene(&s);
    bool figures = spk_figure_available(NULL);
    assert_int_equal(write_tables(&s, SPK_FORM_TSV, "a.tsv", "a.occ"), SPK_OK);
    assert_int_equal(write_tables(&s, SPK_FORM_JSON, "a.json", "a.occ"), SPK_OK);
    if (figures)
        assert_int_equal(draw(&s, "a.svg", "ap.svg"), SPK_OK);
    if (!set_german()) {
        free_scene(&s);
        skip();
    }
    assert_int_equal(write_tables(&s, SPK_FORM_TSV, "b.tsv", "b.occ"), SPK_OK);
    assert_int_equal(write_tables(&s, SPK_FORM_JSON, "b.json", "b.occ"), SPK_OK);
    if (figures)
        assert_int_equal(draw(&s, "b.svg", "bp.svg"), SPK_OK);
    assert_same("a.tsv", "b.tsv");
    assert_same("a.json", "b.json");
    assert_same("a.occ", "b.occ");
    if (figures) {
        assert_same("a.svg", "b.svg");
        assert_same("ap.svg", "bp.svg");
    }
    setlocale(LC_ALL, "C");
    free_scene(&s);
}

static int tear_down(void **state)
{
    (void)state;
    spk_context_free(context);
    int failed = getenv("LOCPATH") != NULL ? system("rm -rf \"$LOCPATH\"/de_DE.*") : 0;
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes_in_another_locale),
    };
    return cmocka_run_group_tests(tests, context_setup, tear_down);
}
