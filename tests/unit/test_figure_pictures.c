/* Figures of the bundled recordings against reference pictures in tests/figures. Where fontconfig
 * finds fonts, the references' font is taken. Elsewhere fonts differ from machine to machine, so
 * not pixels are compared but the ink of small squares, and some difference is allowed.
 * SPIKEMINE_TEST_WRITE_FIGURES=1 writes the references anew: look at them. */
#include "support/context.h"

#if SPIKEMINE_HAVE_CAIRO
#include <cairo.h>

/* ---- pictures -------------------------------------------------------------------------------- */

enum { SQUARE = 6 }; /* pixels; a letter is about as large */

/* Red, green and blue of every square, 0 .. 1. */
typedef struct picture {
    int columns;
    int rows;
    double *colour;
} picture;

static picture read_picture(const char *path)
{
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    int stride = cairo_image_surface_get_stride(surface);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    picture p = {(width + SQUARE - 1) / SQUARE, (height + SQUARE - 1) / SQUARE, NULL};
    p.colour = calloc((size_t)p.columns * (size_t)p.rows * 3, sizeof *p.colour);
    assert_non_null(p.colour);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, data + y * stride + 4 * x, sizeof pixel);
            double *square = p.colour + 3 * (size_t)(y / SQUARE * p.columns + x / SQUARE);
            for (int c = 0; c < 3; c++)
                square[c] += (pixel >> 8 * c & 255) / 255.0 / SQUARE / SQUARE;
        }
    cairo_surface_destroy(surface);
    return p;
}

/* Mean difference of the squares, each against the nearest of those around it, since wider letters
 * move what stands beside them. Infinite for pictures of different sizes. */
static double difference(const picture *a, const picture *b)
{
    double sum = 0;
    if (a->columns != b->columns || a->rows != b->rows)
        return INFINITY;
    for (int y = 0; y < a->rows; y++)
        for (int x = 0; x < a->columns; x++) {
            const double *one = a->colour + 3 * (size_t)(y * a->columns + x);
            double least = INFINITY;
            for (int dx = -1; dx <= 1; dx++) {
                int at = x + dx < 0 ? 0 : x + dx >= a->columns ? a->columns - 1 : x + dx;
                const double *other = b->colour + 3 * (size_t)(y * a->columns + at);
                double d = 0;
                for (int c = 0; c < 3; c++)
                    d += fabs(one[c] - other[c]) / 3;
                least = fmin(least, d);
            }
            sum += least;
        }
    return sum / a->columns / a->rows;
}

/* The largest difference of colour, grey apart, among blocks of squares: where a coloured example
 * is missing, whatever the letters look like. */
static double colour_difference(const picture *a, const picture *b)
{
    enum { BLOCK = 8 };
    double most = 0;
    if (a->columns != b->columns || a->rows != b->rows)
        return INFINITY;
    for (int top = 0; top + BLOCK <= a->rows; top += BLOCK / 2)
        for (int left = 0; left + BLOCK <= a->columns; left += BLOCK / 2) {
            double sum[2] = {0, 0};
            for (int k = 0; k < BLOCK * BLOCK; k++) {
                size_t at = 3 * (size_t)((top + k / BLOCK) * a->columns + left + k % BLOCK);
                const double *x = a->colour + at, *y = b->colour + at;
                for (int c = 0; c < 2; c++)
                    sum[c] += (x[c] - x[c + 1]) - (y[c] - y[c + 1]);
            }
            most = fmax(most, fmax(fabs(sum[0]), fabs(sum[1])) / (BLOCK * BLOCK));
        }
    return most;
}

/* ---- figures --------------------------------------------------------------------------------- */

static spk_figure_options options_of(uint32_t n_top)
{
    spk_figure_options options;
    spk_figure_options_init(&options, sizeof options);
    options.dpi = 50;
    options.n_top = n_top;
    options.title = "Reference";
    return options;
}

static spk_recording *read_recording(const char *name, spk_columns columns)
{
    spk_read_options options;
    spk_recording *recording = NULL;
    spk_read_options_init(&options, sizeof options);
    options.columns = columns;
    options.sort = true;
    assert_int_equal(spk_recording_read_text(context, test_bundled(name), &options, &recording),
                     SPK_OK);
    return recording;
}

static void draw_episodes(const char *path, uint32_t n_top)
{
    spk_recording *recording = read_recording("songbird_spikes.txt", SPK_COLUMNS_UNIT_TIME);
    spk_figure_options look = options_of(n_top);
    spk_episode_options options;
    spk_episode_list *list = NULL;
    spk_delay delay;
    assert_int_equal(spk_delay_parse(context, "0:200ms", &delay), SPK_OK);
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.support = 12;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, recording, &options, spk_episode_list_add, list, NULL), SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_figure_episodes(context, recording, &columns, &look, path), SPK_OK);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

static void draw_patterns(const char *path, uint32_t n_top)
{
    spk_recording *recording = read_recording("movement_PGHF.spikes.txt", SPK_COLUMNS_TIME_UNIT);
    spk_figure_options look = options_of(n_top);
    spk_window_options cut;
    spk_windows *windows = NULL;
    spk_pattern_figure *figure = NULL;
    spk_pattern_options options;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){.digits = 5, .exponent = -3};
    cut.window = 20;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    spk_pattern_options_init(&options, sizeof options);
    options.support = 60;
    options.min_spikes = 3;
    assert_int_equal(spk_pattern_figure_create(context, recording, windows, cut.bin, &figure),
                     SPK_OK);
    assert_int_equal(
        spk_pattern_mine(context, windows, &options, spk_pattern_figure_add, figure, NULL), SPK_OK);
    assert_int_equal(spk_pattern_figure_draw(context, figure, &look, path), SPK_OK);
    spk_pattern_figure_free(figure);
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* The outcome of a test of these patterns as 99 surrogates might give it: each reaches half of a
 * count that falls from size to size. */
static spk_significance make_test(const spk_pattern_list *list, spk_spectrum *spectrum,
                                  spk_signature *signature, spk_pvalue *value, uint64_t most)
{
    spk_significance test;
    const spk_spectrum_entry *entry = NULL;
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    spk_significance_init(&test, sizeof test);
    test.n_surrogates = 99;
    test.signature = signature;
    test.pvalue = value;
    assert_int_equal(spk_spectrum_add(spectrum, &columns), SPK_OK);
    assert_int_equal(spk_spectrum_entries(spectrum, &entry, &test.n_signatures), SPK_OK);
    assert_true(test.n_signatures <= most);
    for (uint64_t k = 0; k < test.n_signatures; k++) {
        uint64_t reach = 600 / (entry[k].size * entry[k].size);
        uint64_t above = entry[k].count < reach ? 99 * (reach - entry[k].count) / reach : 0;
        signature[k] = (spk_signature){.size = entry[k].size,
                                       .count = entry[k].count,
                                       .n_patterns = entry[k].n_patterns,
                                       .n_above = above,
                                       .p = (1 + (double)above) / 100,
                                       .p_corrected = (1 + (double)above) / 100,
                                       .tested = true,
                                       .significant = above == 0};
        value[k] = (spk_pvalue){.size = entry[k].size,
                                .count = entry[k].count + 1,
                                .n_above = above > 0 ? above - 1 : 0};
    }
    test.n_pvalues = test.n_signatures;
    return test;
}

static void draw_tested(const char *path, uint32_t n_top)
{
    enum { MOST = 4096 };
    static spk_signature signature[MOST];
    static spk_pvalue value[MOST];
    spk_recording *recording = read_recording("movement_PGHF.spikes.txt", SPK_COLUMNS_TIME_UNIT);
    spk_figure_options look = options_of(n_top);
    spk_window_options cut;
    spk_windows *windows = NULL;
    spk_pattern_figure *figure = NULL;
    spk_pattern_list *list = NULL;
    spk_spectrum *spectrum = NULL;
    spk_pattern_options options;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){.digits = 5, .exponent = -3};
    cut.window = 20;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    spk_pattern_options_init(&options, sizeof options);
    options.support = 40;
    options.min_spikes = 3;
    assert_int_equal(spk_pattern_list_create(context, cut.window, &list), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &options, spk_pattern_list_add, list, NULL),
                     SPK_OK);
    assert_int_equal(spk_spectrum_create(context, false, &spectrum), SPK_OK);
    spk_significance test = make_test(list, spectrum, signature, value, MOST);
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    assert_int_equal(spk_pattern_figure_create(context, recording, windows, cut.bin, &figure),
                     SPK_OK);
    assert_int_equal(spk_pattern_figure_set_test(figure, &test), SPK_OK);
    assert_int_equal(spk_pattern_figure_add(figure, &columns), SPK_OK);
    look.panels = 1u | 1u << 1 | 1u << 6; /* raster, examples and spectrum */
    assert_int_equal(spk_pattern_figure_draw(context, figure, &look, path), SPK_OK);
    spk_pattern_figure_free(figure);
    spk_spectrum_free(spectrum);
    spk_pattern_list_free(list);
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Condensed and wide fonts and those with serifs stay below both; some examples that are
 * missing pass the second. */
static const double MOST_DIFFERENCE = 0.01;
static const double MOST_COLOUR = 0.023;

static void check_picture(void (*draw)(const char *, uint32_t), const char *name, uint32_t fewer)
{
    char reference[512];
    snprintf(reference, sizeof reference, "%s/tests/figures/%s", SPK_SOURCE_DIR, name);
    if (getenv("SPIKEMINE_TEST_WRITE_FIGURES") != NULL)
        draw(reference, 6);
    draw(test_path("drawn.png"), 6);
    draw(test_path("other.png"), fewer);
    picture wanted = read_picture(reference);
    picture drawn = read_picture(test_path("drawn.png"));
    picture other = read_picture(test_path("other.png"));
    double found = difference(&wanted, &drawn);
    double colour = colour_difference(&wanted, &drawn);
    double control = colour_difference(&wanted, &other);
    print_message("%s: difference %.4f, of colour %.4f, with fewer examples %.4f\n", name, found,
                  colour, control);
    assert_true(found <= MOST_DIFFERENCE);
    assert_true(colour <= MOST_COLOUR);
    assert_true(control > MOST_COLOUR);
    free(wanted.colour);
    free(drawn.colour);
    free(other.colour);
}

static void episodes_look_as_they_should(void **state)
{
    (void)state;
    check_picture(draw_episodes, "songbird.png", 3);
}

static void patterns_look_as_they_should(void **state)
{
    (void)state;
    check_picture(draw_patterns, "macaque.png", 5);
}

static void tested_patterns_look_as_they_should(void **state)
{
    (void)state;
    check_picture(draw_tested, "macaque-test.png", 3);
}

int main(void)
{
    if (getenv("FONTCONFIG_FILE") == NULL)
        setenv("FONTCONFIG_FILE", SPK_SOURCE_DIR "/tests/figures/fonts.conf", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episodes_look_as_they_should),
        cmocka_unit_test(patterns_look_as_they_should),
        cmocka_unit_test(tested_patterns_look_as_they_should),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
#else
int main(void)
{
    puts("figures are not in this build");
    return 0;
}
#endif
