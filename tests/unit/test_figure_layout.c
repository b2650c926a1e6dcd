/* Where things lie on the page, whatever is drawn: no text touches another, nothing leaves the page
 * or its panel, text is large enough, bars stand on zero, and each neuron has a bar of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/build_config.h"
#include "spikemine/spikemine.h"
#include "support/data.h"
#include "support/random.h"
#include "support/recordings.h"
#include "support/scale.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/display.h"
#include "report/figure/draw.h"
#include "report/figure/palette.h"
#include "report/figure/spectrum_map.h"

static spk_context *context;
static uint64_t seed;

/* ---- the rules ------------------------------------------------------------------------------- */

static const char *text_of(const spk_display *d, const spk_item *item)
{
    return item->kind == SPK_ITEM_TEXT ? d->bytes + item->text : "";
}

static void fail_at(const spk_display *d, const spk_item *item, const char *what)
{
    const spk_box *b = &item->bounds;
    print_error("%s: kind %d \"%s\" at %g %g, %g x %g, page %g x %g\n", what, (int)item->kind,
                text_of(d, item), b->x, b->y, b->width, b->height, d->width, d->height);
    fail_msg("%s", what);
}

static bool inside(spk_box inner, spk_box outer, double slack)
{
    return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
           inner.x + inner.width <= outer.x + outer.width + slack &&
           inner.y + inner.height <= outer.y + outer.height + slack;
}

static bool touch(spk_box a, spk_box b)
{
    const double slack = 0.1; /* points */
    return a.x + a.width > b.x + slack && b.x + b.width > a.x + slack &&
           a.y + a.height > b.y + slack && b.y + b.height > a.y + slack;
}

static bool is_mark(const spk_item *item)
{
    return item->kind != SPK_ITEM_CLIP && item->kind != SPK_ITEM_UNCLIP && item->bounds.width > 0 &&
           item->bounds.height > 0;
}

static void check_places(const spk_display *d, double em)
{
    spk_box page = {0, 0, d->width, d->height};
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        if (!is_mark(item))
            continue;
        if (!inside(item->bounds, page, 0))
            fail_at(d, item, "outside the page");
        if (item->panel > 0 && !inside(item->bounds, d->panel[item->panel - 1], 0.7 * em))
            fail_at(d, item, "outside its panel");
        if (item->kind == SPK_ITEM_TEXT && item->style.size < 0.86 * em)
            fail_at(d, item, "small text");
    }
    for (uint64_t a = 0; a < d->n_panels; a++) {
        assert_true(inside(d->panel[a], page, 0));
        for (uint64_t b = 0; b < a; b++)
            assert_false(touch(d->panel[a], d->panel[b]));
    }
}

static void check_texts(const spk_display *d)
{
    for (uint64_t a = 0; a < d->n_items; a++) {
        if (d->item[a].kind != SPK_ITEM_TEXT)
            continue;
        for (uint64_t b = 0; b < a; b++)
            if (d->item[b].kind == SPK_ITEM_TEXT && touch(d->item[a].bounds, d->item[b].bounds)) {
                print_error("\"%s\" is touched by ", text_of(d, &d->item[b]));
                fail_at(d, &d->item[a], "text over text");
            }
    }
}

static bool same_colour(spk_colour a, spk_colour b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue && a.alpha == b.alpha;
}

/* Every bar of the panel ends at the height of a "0"; returns their number. */
static uint32_t check_bars(const spk_display *d, uint32_t panel)
{
    uint32_t n = 0;
    double bottom = 0;
    bool zero = false;
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        if (item->panel != panel || item->kind != SPK_ITEM_FILL ||
            !same_colour(item->colour, spk_palette_group(1)))
            continue;
        double end = item->bounds.y + item->bounds.height;
        assert_true(n++ == 0 || fabs(end - bottom) < 1e-6);
        bottom = end;
    }
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        if (item->panel == panel && strcmp(text_of(d, item), "0") == 0)
            zero = zero || fabs(d->point[item->first_point].y - bottom) < 0.01;
    }
    assert_true(n == 0 || zero);
    return n;
}

static void check_figure(const spk_canvas *canvas, double em)
{
    const spk_display *d = spk_canvas_display(canvas);
    assert_true(d->n_items > 0);
    check_places(d, em);
    check_texts(d);
}

/* ---- what is drawn --------------------------------------------------------------------------- */

typedef struct scene {
    spk_recording *recording;
    spk_episode_list *list;
} scene;

typedef enum names { NUMBERS, LONG, FOREIGN, CONTROLS, N_NAMES } names;

static char **make_labels(uint32_t n, names kind)
{
    char **label = calloc(n, sizeof *label);
    assert_non_null(label);
    for (uint32_t u = 0; u < n; u++) {
        static const char *const forms[N_NAMES] = {
            [NUMBERS] = "%u",
            [LONG] = "probe_00_left_hemisphere_shank_03_channel_0117_unit_%u_of_all",
            [FOREIGN] = "\xce\xb1\xce\xb2\xce\xb3 n\xc3\xa4me \xe2\x86\x92 %u \xf0\x9f\x90\xa6",
            [CONTROLS] = "a\nb\t\x1b[31m\xff %u &<>",
        };
        label[u] = malloc(96);
        assert_non_null(label[u]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(label[u], 96, forms[kind], (unsigned)u);
#pragma GCC diagnostic pop
    }
    return label;
}

static void mine(scene *s, uint64_t support, int64_t delay_ticks, spk_rate rate)
{
    double tick_s = (double)rate.denominator / (double)rate.numerator;
    spk_delay delay[2] = {{{0, 0}, {llround((double)delay_ticks * tick_s * 1e9) + 1, -9}}};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    delay[1] = (spk_delay){delay[0].hi, {2 * delay[0].hi.digits, -9}};
    options.delays = delay;
    options.n_delays = 2;
    options.support = support;
    options.max_size = 5;
    assert_int_equal(spk_episode_list_create(context, &s->list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, s->recording, &options, spk_episode_list_add, s->list, NULL),
        SPK_OK);
}

/* Chains of units at steady steps over noise. */
static void make_scene(scene *s, test_random *random, uint32_t n_units, uint32_t n_events,
                       spk_rate rate, int64_t origin, int64_t length, names kind)
{
    int64_t *time = malloc(n_events * sizeof *time);
    uint32_t *unit = malloc(n_events * sizeof *unit);
    char **label = make_labels(n_units, kind);
    length = length > 20 * (int64_t)n_events ? length : 20 * (int64_t)n_events; /* not too dense */
    int64_t step = length / 2000 + 1;
    assert_true(time != NULL && unit != NULL);
    for (uint32_t k = 0; k < n_events; k++) {
        time[k] = origin + test_random_between(random, 0, length);
        unit[k] = (uint32_t)test_random_below(random, n_units);
        if (k % 8 >= 5 && k % 8 > 0) { /* behind the event before */
            time[k] = time[k - 1] + step;
            unit[k] = (unit[k - 1] + 1) % n_units;
        }
    }
    assert_int_equal(test_recording_create(context, n_events, time, unit, n_units,
                                           (const char *const *)label, rate, NULL, NULL,
                                           &s->recording),
                     SPK_OK);
    mine(s, n_events > 100 ? n_events / n_units / 4 + 3 : 1, 2 * step, rate);
    for (uint32_t u = 0; u < n_units; u++)
        free(label[u]);
    free(label);
    free(time);
    free(unit);
}

static void free_scene(scene *s)
{
    spk_episode_list_free(s->list);
    spk_recording_free(s->recording);
}

static void look(spk_figure_options *options, uint64_t k)
{
    static const struct {
        double width, height, font;
    } looks[] = {{180, 0, 7}, {88, 0, 7}, {338, 190, 12}, {120, 0, 6}, {400, 0, 20}};
    spk_figure_options_init(options, sizeof *options);
    options->title = "A title";
    options->caption = "a caption, of a recording with a rather long name that may not fit";
    options->width_mm = looks[k % 5].width;
    options->height_mm = looks[k % 5].height;
    options->font_pt = looks[k % 5].font;
}

static void draw_episodes(const scene *s, const spk_figure_options *options)
{
    spk_canvas *canvas = NULL;
    spk_episode_columns columns = spk_episode_list_columns(s->list);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_draw_episodes(context, canvas, s->recording, &columns, options), SPK_OK);
    check_figure(canvas, options->font_pt);
    spk_canvas_free(canvas);
}

/* Draws patterns of the recording; the caller frees the canvas. */
static spk_canvas *draw_patterns(const spk_recording *recording, spk_duration bin, uint32_t window,
                                 uint64_t support, const spk_figure_options *options)
{
    spk_windows *windows = NULL;
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = bin;
    cut.window = window;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    spk_pattern_options mining;
    spk_pattern_options_init(&mining, sizeof mining);
    mining.support = (uint32_t)support;
    mining.min_spikes = 2;
    mining.max_spikes = 3;
    spk_pattern_figure *figure = NULL;
    spk_canvas *canvas = NULL;
    assert_int_equal(spk_pattern_figure_create(context, recording, windows, cut.bin, &figure),
                     SPK_OK);
    assert_int_equal(
        spk_pattern_mine(context, windows, &mining, spk_pattern_figure_add, figure, NULL), SPK_OK);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_draw_patterns(context, canvas, figure, options), SPK_OK);
    check_figure(canvas, options->font_pt);
    spk_pattern_figure_free(figure);
    spk_windows_free(windows);
    return canvas;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* A part of the recording that holds at least its last tick; false where milliseconds are too many
 * for a duration. */
static bool random_range(test_random *random, const spk_recording *recording, spk_duration *start,
                         spk_duration *stop)
{
    spk_rate rate = spk_recording_rate(recording);
    double tick_ms = 1e3 * (double)rate.denominator / (double)rate.numerator;
    double first = (double)spk_recording_start(recording) * tick_ms;
    double length =
        (double)(spk_recording_stop(recording) - spk_recording_start(recording) - 1) * tick_ms;
    if (fabs(first) + 2 * length > 1e15)
        return false;
    *start = (spk_duration){.exponent = -3};
    start->digits = (int64_t)(first + test_random_real(random) * length - 1);
    *stop = (spk_duration){.exponent = -3};
    stop->digits = (int64_t)(first + 1.5 * length + 2 * tick_ms + 2);
    return true;
}

static void any_recording_is_laid_out(void **state)
{
    (void)state;
    static const uint32_t units[] = {1, 2, 5, 24, 150, 1000};
    static const uint32_t events[] = {1, 3, 200, 3000};
    static const spk_rate rates[] = {{1000, 1}, {30000, 1}, {1000000000, 1}, {1, 60}};
    static const int64_t origins[] = {0, -7000, 1289340, 3600000000, INT64_MAX / 2};
    static const int64_t lengths[] = {50, 4000, 900000, 40000000};
    for (uint64_t k = 0; k < test_scaled(100); k++) {
        test_random random = test_random_make(seed, k);
        scene s = {.recording = NULL};
        spk_figure_options options;
        look(&options, test_random_below(&random, 5));
        options.n_top = (uint32_t)test_random_below(&random, 8);
        options.panels = (uint32_t)test_random_below(&random, 8);
        options.as_listed = test_random_chance(&random, 0.3);
        make_scene(&s, &random, units[test_random_below(&random, 6)],
                   events[test_random_below(&random, 4)], rates[test_random_below(&random, 4)],
                   origins[test_random_below(&random, 5)], lengths[test_random_below(&random, 4)],
                   (names)test_random_below(&random, N_NAMES));
        spk_duration start, stop;
        if (test_random_chance(&random, 0.3) && random_range(&random, s.recording, &start, &stop)) {
            options.start = &start;
            options.stop = test_random_chance(&random, 0.5) ? &stop : NULL;
        }
        draw_episodes(&s, &options);
        free_scene(&s);
    }
}

static void any_patterns_are_laid_out(void **state)
{
    (void)state;
    static const uint32_t units[] = {1, 3, 40, 700};
    for (uint64_t k = 0; k < test_scaled(40); k++) {
        test_random random = test_random_make(seed, 1000000 + k);
        scene s = {.recording = NULL};
        spk_figure_options options;
        look(&options, test_random_below(&random, 5));
        if (options.height_mm > 0)
            options.height_mm = 260;
        make_scene(&s, &random, units[test_random_below(&random, 4)],
                   (uint32_t)test_random_between(&random, 1, 1500), (spk_rate){1000, 1},
                   test_random_between(&random, -5000, 1000000000), 4000,
                   (names)test_random_below(&random, N_NAMES));
        spk_canvas *canvas = draw_patterns(s.recording, (spk_duration){1, -2}, 10,
                                           2 + test_random_below(&random, 4), &options);
        for (uint32_t panel = 3; panel <= 6; panel++)
            check_bars(spk_canvas_display(canvas), panel);
        spk_canvas_free(canvas);
        free_scene(&s);
    }
}

/* ---- tested patterns ------------------------------------------------------------------------- */

/* A test with any outcome: the signatures of the list, more of them where counts and sizes are
 * large, and a p-value spectrum. Free its signatures and p-values. */
static spk_significance make_test(test_random *random, const spk_pattern_list *list,
                                  bool by_duration)
{
    spk_significance test;
    spk_spectrum *spectrum = NULL;
    const spk_spectrum_entry *entry = NULL;
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    spk_significance_init(&test, sizeof test);
    test.by_duration = by_duration;
    test.n_surrogates = 1 + test_random_below(random, 5000);
    test.published = test_random_chance(random, 0.3);
    assert_int_equal(spk_spectrum_create(context, by_duration, &spectrum), SPK_OK);
    assert_int_equal(spk_spectrum_add(spectrum, &columns), SPK_OK);
    assert_int_equal(spk_spectrum_entries(spectrum, &entry, &test.n_signatures), SPK_OK);
    spk_signature *signature = calloc(test.n_signatures + 1, sizeof *signature);
    uint64_t n_more = test_random_below(random, 300);
    spk_pvalue *value = calloc(n_more + 1, sizeof *value);
    assert_true(signature != NULL && value != NULL);
    double none = test_random_chance(random, 0.3) ? 0 : 0.4;
    for (uint64_t k = 0; k < test.n_signatures; k++) {
        uint64_t above = test_random_below(random, test.n_surrogates + 1);
        signature[k] = (spk_signature){
            .size = entry[k].size,
            .count = entry[k].count,
            .duration = entry[k].duration,
            .n_patterns = entry[k].n_patterns * (test_random_chance(random, 0.1) ? 1000000 : 1),
            .n_above = above,
            .p = (1 + (double)above) / (1 + (double)test.n_surrogates),
            .p_published = (double)above / (double)test.n_surrogates,
            .significant = test_random_chance(random, none)};
    }
    for (; test.n_pvalues < n_more; test.n_pvalues++)
        value[test.n_pvalues] = (spk_pvalue){
            .size = (uint32_t)test_random_between(random, 2, 40),
            .duration = by_duration ? (uint32_t)test_random_below(random, 100) : 0,
            .count = (uint32_t)test_random_between(random, 2, 2 + (int64_t)n_more * 30),
            .n_above = test_random_below(random, test.n_surrogates + 1)};
    test.signature = signature;
    test.pvalue = value;
    spk_spectrum_free(spectrum);
    return test;
}

static spk_canvas *draw_tested(test_random *random, const spk_recording *recording,
                               bool by_duration, const spk_figure_options *options)
{
    spk_windows *windows = NULL;
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, -2};
    cut.window = 10;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    spk_pattern_options mining;
    spk_pattern_options_init(&mining, sizeof mining);
    mining.min_spikes = 2;
    mining.max_spikes = 5;
    mining.support = 3;
    spk_pattern_list *list = NULL;
    spk_pattern_figure *figure = NULL;
    spk_canvas *canvas = NULL;
    assert_int_equal(spk_pattern_list_create(context, cut.window, &list), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &mining, spk_pattern_list_add, list, NULL),
                     SPK_OK);
    spk_significance test = make_test(random, list, by_duration);
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    assert_int_equal(spk_pattern_figure_create(context, recording, windows, cut.bin, &figure),
                     SPK_OK);
    assert_int_equal(spk_pattern_figure_set_test(figure, &test), SPK_OK);
    assert_int_equal(spk_pattern_figure_add(figure, &columns), SPK_OK);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_draw_patterns(context, canvas, figure, options), SPK_OK);
    check_figure(canvas, options->font_pt);
    spk_pattern_figure_free(figure);
    spk_pattern_list_free(list);
    spk_windows_free(windows);
    free((void *)test.signature);
    free((void *)test.pvalue);
    return canvas;
}

static void any_test_is_laid_out(void **state)
{
    (void)state;
    static const uint32_t units[] = {1, 3, 40};
    for (uint64_t k = 0; k < test_scaled(60); k++) {
        test_random random = test_random_make(seed, 2000000 + k);
        scene s = {.recording = NULL};
        spk_figure_options options;
        look(&options, test_random_below(&random, 5));
        if (options.height_mm > 0)
            options.height_mm = 330;
        if (test_random_chance(&random, 0.5))
            options.panels = 1u << 6;
        options.n_top = (uint32_t)test_random_below(&random, 8);
        make_scene(&s, &random, units[test_random_below(&random, 3)],
                   (uint32_t)test_random_between(&random, 1, 900), (spk_rate){1000, 1}, 0, 4000,
                   NUMBERS);
        spk_canvas_free(draw_tested(&random, s.recording, k % 2 > 0, &options));
        free_scene(&s);
    }
}

/* The border stands between counts that surrogates reach and those that are significant: 5 spikes
 * are significant from 8 occurrences on, 4 spikes from 20 on. */
static void the_border_parts_significant_counts(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 3000000);
    scene s = {.recording = NULL};
    make_scene(&s, &random, 3, 50, (spk_rate){1000, 1}, 0, 4000, NUMBERS);
    static const spk_signature signature[] = {
        {4, 12, 0, 7, 100, 1, 1, 1, true, false},
        {4, 20, 0, 1, 0, 1.0 / 101, 0, 0.02, true, true},
        {5, 8, 0, 1, 0, 1.0 / 101, 0, 0.02, true, true},
    };
    static const spk_pvalue value[] = {{4, 0, 10, 100, 1, 1},
                                       {4, 0, 19, 1, 0.0198, 0.01},
                                       {4, 0, 20, 0, 0.0099, 0},
                                       {5, 0, 7, 3, 0.0396, 0.03},
                                       {5, 0, 8, 0, 0.0099, 0}};
    spk_significance test;
    spk_significance_init(&test, sizeof test);
    test.n_surrogates = 100;
    test.n_signatures = 3;
    test.signature = signature;
    test.n_pvalues = 5;
    test.pvalue = value;
    spk_canvas *canvas = NULL;
    spk_page page = {.width = 500, .height = 300, .em = 7, .small = 6.3};
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_canvas_set_page(canvas, page.width, page.height, 72), SPK_OK);
    assert_int_equal(
        spk_spectrum_map_draw(context, canvas, &page, (spk_box){10, 10, 480, 200}, &test), SPK_OK);
    const spk_display *d = spk_canvas_display(canvas);
    const spk_point *border = NULL;
    for (uint64_t k = 0; k < d->n_items; k++)
        if (d->item[k].kind == SPK_ITEM_STROKE && d->item[k].n_steps == 4 &&
            same_colour(d->item[k].colour, spk_palette_group(0)))
            border = d->point + d->item[k].first_point;
    assert_non_null(border);
    /* Cells are as wide as 7 .. 20 occurrences share the plot: 14 of them, rows 4 and 5. */
    double cell = (border[0].x - border[2].x) / 12;
    assert_true(border[0].y > border[1].y && border[1].y == border[2].y);
    assert_true(border[0].x == border[1].x && border[2].x == border[3].x);
    double left = border[2].x - cell;
    for (uint64_t k = 0; k < d->n_items; k++)
        if (d->item[k].kind == SPK_ITEM_TEXT && strcmp(text_of(d, &d->item[k]), "10") == 0)
            assert_true(fabs(d->point[d->item[k].first_point].x - (left + 3.5 * cell)) < 0.01);
    spk_canvas_free(canvas);
    free_scene(&s);
}

static void panels_can_be_chosen(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 2000000);
    scene s = {.recording = NULL};
    make_scene(&s, &random, 30, 2000, (spk_rate){1000, 1}, 0, 20000, LONG);
    for (uint32_t panels = 1; panels < 8; panels++) {
        spk_figure_options options;
        look(&options, panels);
        options.panels = panels;
        draw_episodes(&s, &options);
    }
    free_scene(&s);
}

/* All of 150 neurons take part in patterns of two. */
static void each_neuron_has_a_bar(void **state)
{
    (void)state;
    enum { N_UNITS = 150, REPEATS = 30 };
    static int64_t time[REPEATS * N_UNITS];
    static uint32_t unit[REPEATS * N_UNITS];
    spk_recording *recording = NULL;
    spk_figure_options options;
    for (int k = 0; k < REPEATS * N_UNITS; k++) { /* pairs 0 1, 2 3, ... in one bin */
        time[k] = (k / 2) * 100 + k % 2;
        unit[k] = (uint32_t)(k % N_UNITS);
    }
    assert_int_equal(test_recording_create(context, REPEATS * N_UNITS, time, unit, N_UNITS, NULL,
                                           (spk_rate){1000, 1}, NULL, NULL, &recording),
                     SPK_OK);
    for (uint64_t k = 0; k < 2; k++) {
        look(&options, k);
        spk_canvas *canvas = draw_patterns(recording, (spk_duration){1, -2}, 1, REPEATS, &options);
        assert_int_equal(check_bars(spk_canvas_display(canvas), 3), N_UNITS);
        spk_canvas_free(canvas);
    }
    spk_recording_free(recording);
}

/* The largest number at the time axis of panel a, the first panel. */
static double last_number(const spk_display *d, const char *title)
{
    double y = -1;
    double last = -INFINITY;
    for (uint64_t k = 0; k < d->n_items; k++)
        if (strcmp(text_of(d, &d->item[k]), title) == 0)
            y = d->point[d->item[k].first_point].y;
    assert_true(y > 0);
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        char *end = NULL;
        double value = strtod(text_of(d, item), &end);
        if (item->panel == 1 && *text_of(d, item) != '\0' && *end == '\0' &&
            d->point[item->first_point].y > y - 2 * item->style.size &&
            d->point[item->first_point].y < y)
            last = fmax(last, value);
    }
    return last;
}

static void the_raster_ends_with_the_recording(void **state)
{
    (void)state;
    static const int64_t time[] = {0, 100, 200, 300, 400, 500, 600, 700};
    static const uint32_t unit[] = {0, 1, 0, 1, 0, 1, 0, 1};
    spk_figure_options options;
    scene s = {.recording = NULL};
    look(&options, 0);
    assert_int_equal(test_recording_create(context, 8, time, unit, 2, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &s.recording),
                     SPK_OK);
    spk_canvas *canvas = draw_patterns(s.recording, (spk_duration){1, -2}, 20, 2, &options);
    double last = last_number(spk_canvas_display(canvas), "Time (ms)");
    assert_true(last >= 600 && last <= 701);
    spk_canvas_free(canvas);
    /* The user's range, cut where the recording ends. */
    spk_duration start = {25, -2};
    spk_duration stop = {50, 0};
    options.start = &start;
    options.stop = &stop;
    canvas = draw_patterns(s.recording, (spk_duration){1, -2}, 20, 2, &options);
    last = last_number(spk_canvas_display(canvas), "Time (ms)");
    assert_true(last >= 600 && last <= 701);
    spk_canvas_free(canvas);
    spk_recording_free(s.recording);
}

/* The boxes of the first item in the grey of gaps, from left to right; returns how many. */
static uint32_t gaps_of(const spk_display *d, spk_box box[8])
{
    uint32_t n = 0;
    for (uint64_t k = 0; k < d->n_items && n == 0; k++) {
        const spk_item *item = &d->item[k];
        if (item->kind != SPK_ITEM_FILL || item->colour.red != SPK_GAP_GREY.red ||
            item->colour.green != SPK_GAP_GREY.green)
            continue;
        const spk_point *point = d->point + item->first_point;
        for (uint64_t step = 0; step < item->n_steps; step++) {
            if (d->step[item->first_step + step] != SPK_STEP_CLOSE)
                continue;
            assert_true(n < 8);
            box[n++] =
                (spk_box){point[0].x, point[0].y, point[2].x - point[0].x, point[2].y - point[0].y};
            point += 4;
        }
    }
    return n;
}

/* Of 16 s: from 0 to 4, 6 to 8, 8 to 12 and 15 to 16. */
static void gaps_between_segments_are_shaded(void **state)
{
    (void)state;
    enum { N = 160 };
    static const spk_segment segments[] = {{0, 400}, {600, 800}, {800, 1200}, {1500, 1600}};
    int64_t time[N];
    uint32_t unit[N];
    spk_box gap[8];
    spk_figure_options options;
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    for (uint32_t k = 0; k < N; k++) {
        time[k] = 10 * (int64_t)k;
        unit[k] = k % 2;
    }
    source.n_events = N;
    source.time = time;
    source.unit = unit;
    source.n_units = 2;
    source.rate = (spk_rate){100, 1};
    for (size_t n = 0; n <= 4; n += 4) {
        source.segments = n > 0 ? segments : NULL;
        source.n_segments = n;
        assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
        look(&options, 0);
        options.start = &(spk_duration){0, 0};
        options.stop = &(spk_duration){16, 0};
        spk_canvas *canvas = draw_patterns(recording, (spk_duration){1, -1}, 20, 2, &options);
        uint32_t n_gaps = gaps_of(spk_canvas_display(canvas), gap);
        spk_canvas_free(canvas);
        spk_recording_free(recording);
        assert_int_equal(n_gaps, n > 0 ? 3 : 0);
    }
    /* Two gaps, of 2 and 3 s, and the border at 8 s between them. */
    assert_true(fabs(gap[2].width / gap[0].width - 1.5) < 1e-6);
    assert_true(gap[1].width < 0.2 * gap[0].width);
    assert_true(fabs((gap[1].x - gap[0].x) / gap[0].width - 2) < 1e-6);
    assert_true(fabs((gap[2].x - gap[0].x) / gap[0].width - 4) < 1e-6);
}

static uint64_t n_texts(const spk_display *d, const char *text)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < d->n_items; k++)
        n += strcmp(text_of(d, &d->item[k]), text) == 0;
    return n;
}

/* Far from zero, numbers stay short. */
static void late_times_are_told_shortly(void **state)
{
    (void)state;
    static const struct {
        int64_t origin;
        spk_rate rate;
        const char *title;
    } cases[] = {{1289340, {1000, 1}, "Time (s)"},
                 {0, {1000, 1}, "Time (ms)"},
                 {-500, {1000, 1}, "Time (ms)"},
                 {36000000000000, {1000000000, 1}, "Time after 36000.00000000 s (ns)"},
                 {0, {1, 60}, "Time (h)"},
                 {0, {10, 1}, "Time (s)"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        static const uint32_t unit[] = {0, 1, 0, 1};
        int64_t time[4];
        scene s = {.recording = NULL};
        spk_figure_options options;
        spk_canvas *canvas = NULL;
        for (int e = 0; e < 4; e++)
            time[e] = cases[k].origin + 200 * e;
        look(&options, 0);
        assert_int_equal(test_recording_create(context, 4, time, unit, 2, NULL, cases[k].rate, NULL,
                                               NULL, &s.recording),
                         SPK_OK);
        assert_int_equal(spk_episode_list_create(context, &s.list), SPK_OK);
        spk_episode_columns columns = spk_episode_list_columns(s.list);
        assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
        assert_int_equal(spk_draw_episodes(context, canvas, s.recording, &columns, &options),
                         SPK_OK);
        const spk_display *d = spk_canvas_display(canvas);
        if (n_texts(d, cases[k].title) != 1)
            for (uint64_t i = 0; i < d->n_items; i++)
                print_error("%s\n", text_of(d, &d->item[i]));
        assert_int_equal(n_texts(d, cases[k].title), 1);
        spk_canvas_free(canvas);
        free_scene(&s);
    }
}

/* Of many fragments of two chains, the figure shows each chain once. */
static void examples_show_different_things(void **state)
{
    (void)state;
    enum { CHAIN = 6, REPEATS = 20 };
    static int64_t time[2 * CHAIN * REPEATS];
    static uint32_t unit[2 * CHAIN * REPEATS];
    for (int k = 0; k < 2 * CHAIN * REPEATS; k++) { /* 0 .. 5, then 6 .. 11, at steps of 5 ms */
        time[k] = 1000 * (k / CHAIN) + 5 * (k % CHAIN);
        unit[k] = (uint32_t)(k % (2 * CHAIN));
    }
    scene s = {.recording = NULL};
    spk_figure_options options;
    spk_canvas *canvas = NULL;
    look(&options, 0);
    assert_int_equal(test_recording_create(context, 2 * CHAIN * REPEATS, time, unit, 2 * CHAIN,
                                           NULL, (spk_rate){1000, 1}, NULL, NULL, &s.recording),
                     SPK_OK);
    spk_delay delay = {{0, 0}, {5, -3}};
    spk_episode_options mining;
    spk_episode_options_init(&mining, sizeof mining);
    mining.delays = &delay;
    mining.n_delays = 1;
    mining.support = REPEATS;
    assert_int_equal(spk_episode_list_create(context, &s.list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, s.recording, &mining, spk_episode_list_add, s.list, NULL),
        SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(s.list);
    assert_int_equal(columns.n, 2 * (CHAIN + 5 + 4 + 3 + 2 + 1));
    for (int listed = 0; listed < 2; listed++) {
        options.as_listed = listed;
        assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
        assert_int_equal(spk_draw_episodes(context, canvas, s.recording, &columns, &options),
                         SPK_OK);
        assert_int_equal(n_texts(spk_canvas_display(canvas), "20 occurrences"), listed ? 6 : 2);
        spk_canvas_free(canvas);
    }
    free_scene(&s);
}

/* One unit that precedes and follows all others does not fill the graph. */
static void a_busy_unit_has_few_arrows(void **state)
{
    (void)state;
    enum { N = 30 };
    static uint32_t unit[2 * 2 * N];
    static uint16_t delay[2 * 2 * N];
    static uint64_t offset[2 * N + 1];
    static uint64_t count[2 * N];
    static const spk_delay any = {{0, 0}, {1, 0}};
    for (uint32_t k = 0; k < 2 * N; k++) { /* 0 -> k and k -> 0 */
        unit[2 * k] = k < N ? 0 : k - N + 1;
        unit[2 * k + 1] = k < N ? k + 1 : 0;
        offset[k + 1] = 2 * (k + 1);
        count[k] = 1000 - k;
    }
    spk_episode_columns columns = {.n = 2 * N,
                                   .offset = offset,
                                   .unit = unit,
                                   .delay = delay,
                                   .count = count,
                                   .delays = &any,
                                   .n_delays = 1};
    static const int64_t time[] = {0};
    static const uint32_t only[] = {0};
    spk_recording *recording = NULL;
    spk_figure_options options;
    spk_canvas *canvas = NULL;
    look(&options, 0);
    options.n_top = 0;
    assert_int_equal(test_recording_create(context, 1, time, only, N + 1, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_draw_episodes(context, canvas, recording, &columns, &options), SPK_OK);
    const spk_display *d = spk_canvas_display(canvas);
    uint64_t arrows = 0;
    for (uint64_t k = 0; k < d->n_items; k++)
        arrows += d->item[k].kind == SPK_ITEM_STROKE && d->item[k].n_steps == 2 &&
                  d->step[d->item[k].first_step + 1] == SPK_STEP_CURVE;
    assert_int_equal(arrows, 6); /* three from it and three to it */
    spk_canvas_free(canvas);
    spk_recording_free(recording);
}

static void small_pages_are_refused(void **state)
{
    (void)state;
    static const struct {
        double width, height, font;
        uint32_t panels;
        const char *message; /* NULL: it will do */
    } cases[] = {{30, 0, 7, 0, "a figure 30 mm wide has no room"},
                 {180, 40, 7, 0, "a figure 40 mm high has no room"},
                 {180, 40, 7, 1, NULL},
                 {180, 0, 70, 0, "wide has no room"},
                 {180, 0, 3, 0, "font size"},
                 {5, 0, 7, 0, "width of a figure"},
                 {180, 0, 7, 8, "panels a to c only"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_figure_options options;
        spk_figure_options_init(&options, sizeof options);
        options.width_mm = cases[k].width;
        options.height_mm = cases[k].height;
        options.font_pt = cases[k].font;
        options.panels = cases[k].panels;
        spk_status status = spk_figure_options_check(context, SPK_FIGURE_EPISODES, &options);
        assert_int_equal(status, cases[k].message != NULL ? SPK_ERR_ARGUMENT : SPK_OK);
        if (cases[k].message != NULL)
            assert_non_null(strstr(spk_context_message(context), cases[k].message));
    }
    assert_int_equal(spk_figure_options_check(context, SPK_FIGURE_PATTERNS, NULL), SPK_OK);
}

/* ---- colours --------------------------------------------------------------------------------- */

static double linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(const double rgb[3])
{
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

static double curve(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* Distance of two colours in CIE L*a*b*, from linear RGB. */
static double distance(const double a[3], const double b[3])
{
    double lab[2][3];
    const double *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        const double *c = both[k];
        double x = curve((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.95047);
        double y = curve(luminance(c));
        double z = curve((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.08883);
        lab[k][0] = 116 * y - 16;
        lab[k][1] = 500 * (x - y);
        lab[k][2] = 200 * (y - z);
    }
    return sqrt(pow(lab[0][0] - lab[1][0], 2) + pow(lab[0][1] - lab[1][1], 2) +
                pow(lab[0][2] - lab[1][2], 2));
}

/* As people with normal vision, protanopia, deuteranopia and tritanopia see it (Machado et al.
 * 2009, full severity), and in grey. */
enum { N_EYES = 5, GREY = 4 };
static void seen(spk_colour colour, int eye, double out[3])
{
    static const double matrix[4][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                           {{0.152286, 1.052583, -0.204868},
                                            {0.114503, 0.786281, 0.099216},
                                            {-0.003882, -0.048116, 1.051998}},
                                           {{0.367322, 0.860646, -0.227968},
                                            {0.280085, 0.672501, 0.047413},
                                            {-0.011820, 0.042940, 0.968881}},
                                           {{1.255528, -0.076749, -0.178779},
                                            {-0.078411, 0.930809, 0.147602},
                                            {0.004733, 0.691367, 0.303900}}};
    double rgb[3] = {linear(colour.red), linear(colour.green), linear(colour.blue)};
    for (int i = 0; i < 3; i++) {
        out[i] = eye == GREY ? luminance(rgb) : 0;
        for (int j = 0; j < 3 && eye != GREY; j++)
            out[i] += matrix[eye][i][j] * rgb[j];
        out[i] = fmin(1, fmax(0, out[i]));
    }
}

static void colours_are_told_apart_by_all(void **state)
{
    (void)state;
    for (uint32_t a = 0; a < SPK_PALETTE_SIZE; a++) {
        double one[3];
        seen(spk_palette_group(a), 0, one);
        assert_true(1.05 / (luminance(one) + 0.05) >= 3); /* contrast with white paper */
        for (uint32_t b = 0; b < a; b++) {
            assert_int_not_equal(spk_palette_marker(a), spk_palette_marker(b));
            for (int eye = 0; eye < N_EYES; eye++) {
                double other[3];
                seen(spk_palette_group(a), eye, one);
                seen(spk_palette_group(b), eye, other);
                assert_true(distance(one, other) >= (eye == GREY ? 5 : 18));
            }
        }
    }
    double before = -1;
    for (int k = 0; k <= 20; k++) { /* ordered colours grow lighter, never too light */
        double rgb[3];
        seen(spk_palette_scale(k / 20.0), 0, rgb);
        assert_true(luminance(rgb) > before && 1.05 / (luminance(rgb) + 0.05) >= 3);
        before = luminance(rgb);
    }
}

static int set_up(void **state)
{
    (void)state;
    seed = test_seed("test_figure_layout");
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    spk_context_set_threads(context, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    spk_context_free(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_recording_is_laid_out),
        cmocka_unit_test(any_patterns_are_laid_out),
        cmocka_unit_test(any_test_is_laid_out),
        cmocka_unit_test(the_border_parts_significant_counts),
        cmocka_unit_test(panels_can_be_chosen),
        cmocka_unit_test(each_neuron_has_a_bar),
        cmocka_unit_test(the_raster_ends_with_the_recording),
        cmocka_unit_test(gaps_between_segments_are_shaded),
        cmocka_unit_test(late_times_are_told_shortly),
        cmocka_unit_test(examples_show_different_things),
        cmocka_unit_test(a_busy_unit_has_few_arrows),
        cmocka_unit_test(small_pages_are_refused),
        cmocka_unit_test(colours_are_told_apart_by_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
#else
int main(void)
{
    puts("figures are not in this build");
    return 0;
}
#endif
