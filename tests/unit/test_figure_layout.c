/* Where things lie on the page, whatever is drawn: no text touches another, nothing leaves the page
 * or its panel, text is large enough, bars stand on zero, and each neuron has a bar of its own. */
#include "support/test.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/canvas.h"
#include "report/figure/page.h"
#include "report/figure/selection.h"
#include "support/context.h"
#include "support/layout.h"

static uint64_t seed;

static void draw_episodes(const layout_scene *s, const spk_figure_options *options)
{
    spk_canvas *canvas = NULL;
    spk_episode_columns columns = spk_episode_list_columns(s->list);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_draw_episodes(context, canvas, s->recording, &columns, options), SPK_OK);
    layout_check_figure(canvas, options->font_pt);
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
    layout_check_figure(canvas, options->font_pt);
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
        layout_scene s = {.recording = NULL};
        spk_figure_options options;
        layout_look(&options, test_random_below(&random, 5));
        options.n_top = (uint32_t)test_random_below(&random, 8);
        options.panels = (uint32_t)test_random_below(&random, 8);
        options.as_listed = test_random_chance(&random, 0.3);
        layout_make_scene(
            context, &s, &random, units[test_random_below(&random, 6)],
            events[test_random_below(&random, 4)], rates[test_random_below(&random, 4)],
            origins[test_random_below(&random, 5)], lengths[test_random_below(&random, 4)],
            (layout_names)test_random_below(&random, LAYOUT_N_NAMES));
        spk_duration start, stop;
        if (test_random_chance(&random, 0.3) && random_range(&random, s.recording, &start, &stop)) {
            options.start = &start;
            options.stop = test_random_chance(&random, 0.5) ? &stop : NULL;
        }
        draw_episodes(&s, &options);
        layout_free_scene(&s);
    }
}

static void any_patterns_are_laid_out(void **state)
{
    (void)state;
    static const uint32_t units[] = {1, 3, 40, 700};
    for (uint64_t k = 0; k < test_scaled(40); k++) {
        test_random random = test_random_make(seed, 1000000 + k);
        layout_scene s = {.recording = NULL};
        spk_figure_options options;
        layout_look(&options, test_random_below(&random, 5));
        if (options.height_mm > 0)
            options.height_mm = 260;
        layout_make_scene(context, &s, &random, units[test_random_below(&random, 4)],
                          (uint32_t)test_random_between(&random, 1, 1500), (spk_rate){1000, 1},
                          test_random_between(&random, -5000, 1000000000), 4000,
                          (layout_names)test_random_below(&random, LAYOUT_N_NAMES));
        spk_canvas *canvas = draw_patterns(s.recording, (spk_duration){1, -2}, 10,
                                           2 + test_random_below(&random, 4), &options);
        for (uint32_t panel = 3; panel <= 6; panel++)
            layout_check_bars(spk_canvas_display(canvas), panel);
        spk_canvas_free(canvas);
        layout_free_scene(&s);
    }
}

static void panels_can_be_chosen(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 2000000);
    layout_scene s = {.recording = NULL};
    layout_make_scene(context, &s, &random, 30, 2000, (spk_rate){1000, 1}, 0, 20000, LAYOUT_LONG);
    for (uint32_t panels = 1; panels < 8; panels++) {
        spk_figure_options options;
        layout_look(&options, panels);
        options.panels = panels;
        draw_episodes(&s, &options);
    }
    layout_free_scene(&s);
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
        layout_look(&options, k);
        spk_canvas *canvas = draw_patterns(recording, (spk_duration){1, -2}, 1, REPEATS, &options);
        assert_int_equal(layout_check_bars(spk_canvas_display(canvas), 3), N_UNITS);
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
        if (strcmp(layout_text_of(d, &d->item[k]), title) == 0)
            y = d->point[d->item[k].first_point].y;
    assert_true(y > 0);
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        char *end = NULL;
        double value = strtod(layout_text_of(d, item), &end);
        if (item->panel == 1 && *layout_text_of(d, item) != '\0' && *end == '\0' &&
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
    layout_scene s = {.recording = NULL};
    layout_look(&options, 0);
    assert_int_equal(test_recording_create(context, 8, time, unit, 2, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &s.recording),
                     SPK_OK);
    spk_canvas *canvas = draw_patterns(s.recording, (spk_duration){1, -2}, 20, 2, &options);
    double last = last_number(spk_canvas_display(canvas), "Time (s)");
    assert_true(last >= 0.6 && last <= 0.701);
    spk_canvas_free(canvas);
    /* The user's range, cut where the recording ends. */
    spk_duration start = {25, -2};
    spk_duration stop = {50, 0};
    options.start = &start;
    options.stop = &stop;
    canvas = draw_patterns(s.recording, (spk_duration){1, -2}, 20, 2, &options);
    last = last_number(spk_canvas_display(canvas), "Time (s)");
    assert_true(last >= 0.6 && last <= 0.701);
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
        layout_look(&options, 0);
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
        n += strcmp(layout_text_of(d, &d->item[k]), text) == 0;
    return n;
}

static uint64_t n_texts_that_begin(const spk_display *d, const char *text)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < d->n_items; k++)
        n += strncmp(layout_text_of(d, &d->item[k]), text, strlen(text)) == 0;
    return n;
}

/* Lags have one unit in figures, reports (test_sequences.py) and Python (test_plot.py). */
static void units_of_lags(void **state)
{
    (void)state;
    static const struct {
        double longest_s, per_second;
        const char *name;
    } cases[] = {{1e-6, 1e9, "ns"},     {2e-6, 1e6, "\xc2\xb5s"}, {1.9e-3, 1e6, "\xc2\xb5s"},
                 {2e-3, 1e3, "ms"},     {1.9, 1e3, "ms"},         {2, 1, "s"},
                 {900, 1. / 60, "min"}, {10800, 1. / 3600, "h"},  {0, 1e9, "ns"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double per_second = 0;
        assert_string_equal(spk_figure_time_unit(cases[k].longest_s, &per_second), cases[k].name);
        assert_true(per_second == cases[k].per_second);
    }
    assert_string_equal(spk_figure_time_unit(NAN, NULL), "ns");
}

/* Numbers are told alike by the command and Python, in groups of three digits. */
static void captions(void **state)
{
    (void)state;
    static int64_t time[1234];
    static uint32_t unit[1234];
    spk_recording *recording = NULL;
    char text[80], few[12];
    for (int k = 0; k < 1234; k++)
        time[k] = k;
    assert_int_equal(test_recording_create(context, 1234, time, unit, 1, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    spk_figure_caption(recording, 31262, "episode", text, sizeof text);
    assert_string_equal(text, "1 unit, 1,234 spikes; 31,262 episodes");
    spk_figure_caption(recording, 1, "episode", text, sizeof text);
    assert_string_equal(text, "1 unit, 1,234 spikes; 1 episode");
    spk_figure_caption(recording, UINT64_MAX, "2 families", text, sizeof text);
    assert_string_equal(text, "1 unit, 1,234 spikes; 2 families");
    spk_figure_caption(recording, 1, "episode", few, sizeof few);
    assert_string_equal(few, "1 unit, 1,2");
    spk_recording_free(recording);
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
                 {0, {1000, 1}, "Time (s)"},
                 {-500, {1000, 1}, "Time (s)"},
                 {36000000000000, {1000000000, 1}, "Time after 36000.00000000 s (ns)"},
                 {0, {1, 60}, "Time (h)"},
                 {0, {10, 1}, "Time (s)"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        static const uint32_t unit[] = {0, 1, 0, 1};
        int64_t time[4];
        layout_scene s = {.recording = NULL};
        spk_figure_options options;
        spk_canvas *canvas = NULL;
        for (int e = 0; e < 4; e++)
            time[e] = cases[k].origin + 200 * e;
        layout_look(&options, 0);
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
                print_error("%s\n", layout_text_of(d, &d->item[i]));
        assert_int_equal(n_texts(d, cases[k].title), 1);
        spk_canvas_free(canvas);
        layout_free_scene(&s);
    }
}

/* How many episodes the figure tells: its examples, those like them, and those like none. */
static uint64_t n_told(const spk_display *d, uint64_t n_examples)
{
    uint64_t n = n_examples;
    for (uint64_t k = 0; k < d->n_items; k++) {
        const char *text = layout_text_of(d, &d->item[k]);
        const char *unlike = text != NULL ? strstr(text, "the delays allowed; ") : NULL;
        if (text != NULL && strstr(text, " more like it") != NULL)
            n += strtoull(text, NULL, 10);
        if (unlike != NULL)
            n += strtoull(strchr(unlike, ';') + 1, NULL, 10);
    }
    return n;
}

/* Of many fragments of two chains, the figure shows each chain once; after a test the first in the
 * list that differ, here pairs; else as they are listed. The raster has no room for both, which the
 * example beside it tells; the caption tells that nothing was tested. */
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
    layout_scene s = {.recording = NULL};
    spk_figure_options options;
    spk_canvas *canvas = NULL;
    layout_look(&options, 0);
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
    static const double by_chance[2 * (CHAIN + 5 + 4 + 3 + 2 + 1)] = {0};
    enum { CHOSEN, LISTED, TESTED, CASES };
    for (int k = 0; k < CASES; k++) {
        options.as_listed = k == LISTED;
        options.expected = k == TESTED ? by_chance : NULL;
        options.caption = "two chains";
        assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
        assert_int_equal(spk_draw_episodes(context, canvas, s.recording, &columns, &options),
                         SPK_OK);
        const spk_display *d = spk_canvas_display(canvas);
        const uint64_t elsewhere = n_texts_that_begin(d, "20 times, at ");
        assert_int_equal(n_texts(d, "20 occurrences") + elsewhere, k == CHOSEN ? 2 : 6);
        assert_true(elsewhere > 0);
        assert_int_equal(n_texts(d, "two chains; not tested: counts only"), k != TESTED);
        assert_int_equal(n_texts(d, "14 more like it"), k == CHOSEN ? 2 : 0);
        assert_int_equal(n_told(d, k == CHOSEN ? 2 : 6), k == LISTED ? 6 : 30);
        spk_canvas_free(canvas);
    }
    layout_free_scene(&s);
}

/* Half of the units is much, but for one of two. */
static void half_of_the_units_is_much(void **state)
{
    (void)state;
    static const struct {
        uint32_t shared, n_a, n_b;
        bool much;
    } row[] = {{0, 2, 2, false}, {1, 2, 2, false}, {1, 2, 9, false}, {2, 2, 9, true},
               {1, 1, 4, true},  {1, 3, 3, false}, {2, 3, 3, true},  {1, 4, 4, false},
               {2, 4, 4, true},  {2, 9, 4, true},  {2, 5, 5, false}, {3, 5, 5, true}};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
        assert_int_equal(spk_share_much(row[k].shared, row[k].n_a, row[k].n_b), row[k].much);
}

/* The number in a text such as "1,000". */
static double number_of(const char *text)
{
    double number = 0;
    for (; *text != '\0'; text++)
        number = *text == ',' ? number : 10 * number + (*text - '0');
    return number;
}

/* One unit that precedes and follows all others does not fill the graph, and arrows are as wide as
 * their counts, as the legend says. */
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
    layout_look(&options, 0);
    options.n_top = 0;
    assert_int_equal(test_recording_create(context, 1, time, only, N + 1, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_draw_episodes(context, canvas, recording, &columns, &options), SPK_OK);
    const spk_display *d = spk_canvas_display(canvas);
    uint64_t arrows = 0, legends = 0;
    double widest = 0, line = 0, narrowest = INFINITY;
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        const char *text = layout_text_of(d, item);
        if (item->kind == SPK_ITEM_STROKE)
            line = item->width; /* a text of the legend is behind its line */
        if (item->kind == SPK_ITEM_STROKE && item->n_steps == 2 &&
            d->step[item->first_step + 1] == SPK_STEP_CURVE) {
            arrows++;
            widest = fmax(widest, item->width);
            narrowest = fmin(narrowest, item->width);
        }
        if (strcmp(text, "200") == 0 || strcmp(text, "600") == 0 || strcmp(text, "1,000") == 0) {
            assert_true(fabs(line / widest - number_of(text) / 1000) < 1e-9);
            legends++;
        }
    }
    assert_int_equal(arrows, 6); /* three from it and three to it */
    assert_true(fabs(narrowest / widest - 0.968) < 1e-9);
    assert_int_equal(legends, 3);
    spk_canvas_free(canvas);
    spk_recording_free(recording);
}

static uint32_t count_text(const spk_display *d, const char *text)
{
    uint32_t n = 0;
    for (uint64_t k = 0; k < d->n_items; k++)
        n += strcmp(layout_text_of(d, &d->item[k]), text) == 0;
    return n;
}

/* 38.0 is 38, unless a name is no such number. */
static void whole_numbers_are_named_without_zeros(void **state)
{
    (void)state;
    static const char *const labels[][2] = {{"38.0", "7.0"}, {"38.0", "7.5"}, {"38.0", "7"}};
    static const int64_t time[] = {0, 4};
    static const uint32_t unit[] = {0, 1};
    for (uint32_t k = 0; k < 3; k++) {
        spk_recording *recording = NULL;
        spk_figure_options options;
        spk_canvas *canvas = NULL;
        const spk_episode_columns none = {.offset = (const uint64_t[]){0}};
        layout_look(&options, 0);
        assert_int_equal(test_recording_create(context, 2, time, unit, 2, labels[k],
                                               (spk_rate){1000, 1}, NULL, NULL, &recording),
                         SPK_OK);
        assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
        assert_int_equal(spk_draw_episodes(context, canvas, recording, &none, &options), SPK_OK);
        const spk_display *d = spk_canvas_display(canvas);
        assert_int_equal(count_text(d, "38"), k == 0);
        assert_int_equal(count_text(d, "38.0"), k > 0);
        assert_int_equal(count_text(d, k == 1 ? "7.5" : "7"), 1);
        spk_canvas_free(canvas);
        spk_recording_free(recording);
    }
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

static int set_up(void **state)
{
    (void)state;
    seed = test_seed("test_figure_layout");
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    spk_context_set_threads(context, 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_recording_is_laid_out),
        cmocka_unit_test(any_patterns_are_laid_out),
        cmocka_unit_test(panels_can_be_chosen),
        cmocka_unit_test(each_neuron_has_a_bar),
        cmocka_unit_test(the_raster_ends_with_the_recording),
        cmocka_unit_test(gaps_between_segments_are_shaded),
        cmocka_unit_test(units_of_lags),
        cmocka_unit_test(captions),
        cmocka_unit_test(late_times_are_told_shortly),
        cmocka_unit_test(examples_show_different_things),
        cmocka_unit_test(half_of_the_units_is_much),
        cmocka_unit_test(a_busy_unit_has_few_arrows),
        cmocka_unit_test(whole_numbers_are_named_without_zeros),
        cmocka_unit_test(small_pages_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, context_teardown);
}
#else
int main(void)
{
    puts("figures are not in this build");
    return 0;
}
#endif
