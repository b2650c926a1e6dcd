/* Figures after a test: laid out as all others, and they say what the test says. */
#include "support/test.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/canvas.h"
#include "report/figure/page.h"
#include "report/figure/panels.h"
#include "support/context.h"
#include "support/layout.h"

static uint64_t seed;

/* ---- tests of signatures --------------------------------------------------------------------- */

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
    layout_check_figure(canvas, options->font_pt);
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
        layout_scene s = {.recording = NULL};
        spk_figure_options options;
        layout_look(&options, test_random_below(&random, 5));
        if (options.height_mm > 0)
            options.height_mm = 480;
        if (test_random_chance(&random, 0.5))
            options.panels = 1u << 6;
        options.n_top = (uint32_t)test_random_below(&random, 8);
        layout_make_scene(context, &s, &random, units[test_random_below(&random, 3)],
                          (uint32_t)test_random_between(&random, 1, 900), (spk_rate){1000, 1}, 0,
                          4000, LAYOUT_NUMBERS);
        spk_canvas_free(draw_tested(&random, s.recording, k % 2 > 0, &options));
        layout_free_scene(&s);
    }
}

/* The border stands between counts that surrogates reach and those that are significant: 5 spikes
 * are significant from 8 occurrences on, 4 spikes from 20 on. */
static void the_border_parts_significant_counts(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 3000000);
    layout_scene s = {.recording = NULL};
    layout_make_scene(context, &s, &random, 3, 50, (spk_rate){1000, 1}, 0, 4000, LAYOUT_NUMBERS);
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
            layout_same_colour(d->item[k].colour, spk_palette_group(0)))
            border = d->point + d->item[k].first_point;
    assert_non_null(border);
    /* Cells are as wide as 7 .. 20 occurrences share the plot: 14 of them, rows 4 and 5. */
    double cell = (border[0].x - border[2].x) / 12;
    assert_true(border[0].y > border[1].y && border[1].y == border[2].y);
    assert_true(border[0].x == border[1].x && border[2].x == border[3].x);
    double left = border[2].x - cell;
    for (uint64_t k = 0; k < d->n_items; k++)
        if (d->item[k].kind == SPK_ITEM_TEXT && strcmp(layout_text_of(d, &d->item[k]), "10") == 0)
            assert_true(fabs(d->point[d->item[k].first_point].x - (left + 3.5 * cell)) < 0.01);
    spk_canvas_free(canvas);
    layout_free_scene(&s);
}

/* ---- exact tests ----------------------------------------------------------------------------- */

enum { MOST_ROWS = 20000 };

/* The outcome of an exact test of n results, as any test might give it. */
typedef struct outcome {
    spk_exact_report report;
    spk_exact_verdict verdict[MOST_ROWS];
    uint32_t means[MOST_ROWS];
    double direction_p[MOST_ROWS];
} outcome;

static const spk_duration windows_of_test[] = {{25, -3, 0}, {123456789, -9, 0}};

static double random_p(test_random *random)
{
    return pow(10, -6 * test_random_real(random));
}

/* Free it with free(). */
static outcome *random_outcome(test_random *random, uint64_t n)
{
    outcome *o = calloc(1, sizeof *o);
    assert_non_null(o);
    assert_true(n <= MOST_ROWS);
    spk_exact_report_init(&o->report, sizeof o->report);
    o->report.n_rows = n;
    o->report.verdict = o->verdict;
    o->report.means = test_random_chance(random, 0.7) ? o->means : NULL;
    o->report.direction_p = test_random_chance(random, 0.7) ? o->direction_p : NULL;
    o->report.jitter = windows_of_test;
    o->report.n_jitter = (size_t)test_random_between(random, 1, 2);
    for (uint64_t k = 0; k < n; k++) {
        o->verdict[k] =
            (spk_exact_verdict){.scale = (uint32_t)test_random_below(random, o->report.n_jitter),
                                .tested = test_random_chance(random, 0.9),
                                .expected = test_random_real(random) / random_p(random),
                                .p = random_p(random),
                                .fdr = random_p(random)};
        o->means[k] = (uint32_t)test_random_below(random, 8);
        o->direction_p[k] = test_random_real(random);
    }
    return o;
}

static void any_exact_test_is_laid_out(void **state)
{
    (void)state;
    static const uint32_t units[] = {1, 5, 150};
    for (uint64_t k = 0; k < test_scaled(40); k++) {
        test_random random = test_random_make(seed, 4000000 + k);
        layout_scene s = {.recording = NULL};
        spk_canvas *canvas = NULL;
        spk_figure_options options;
        layout_look(&options, test_random_below(&random, 5));
        if (options.height_mm > 0)
            options.height_mm = 480;
        options.n_top = (uint32_t)test_random_below(&random, 8);
        options.panels = (uint32_t)test_random_below(&random, 16);
        layout_make_scene(context, &s, &random, units[test_random_below(&random, 3)],
                          (uint32_t)test_random_between(&random, 1, 1500), (spk_rate){1000, 1}, 0,
                          4000, (layout_names)test_random_below(&random, LAYOUT_N_NAMES));
        const spk_episode_columns columns = spk_episode_list_columns(s.list);
        outcome *o = random_outcome(&random, columns.n);
        options.exact = &o->report;
        assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
        assert_int_equal(spk_draw_episodes(context, canvas, s.recording, &columns, &options),
                         SPK_OK);
        layout_check_figure(canvas, options.font_pt);
        spk_canvas_free(canvas);
        free(o);
        layout_free_scene(&s);
    }
}

/* The windows of a recording, and all their patterns of two and three spikes. */
static spk_windows *mine_patterns(const spk_recording *recording, spk_pattern_list **list)
{
    spk_windows *windows = NULL;
    spk_window_options cut;
    spk_pattern_options mining;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, -2};
    cut.window = 10;
    spk_pattern_options_init(&mining, sizeof mining);
    mining.min_spikes = 2;
    mining.max_spikes = 3;
    mining.support = 4;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    assert_int_equal(spk_pattern_list_create(context, cut.window, list), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &mining, spk_pattern_list_add, *list, NULL),
                     SPK_OK);
    return windows;
}

static void any_exact_test_of_patterns_is_laid_out(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < test_scaled(20); k++) {
        test_random random = test_random_make(seed, 5000000 + k);
        layout_scene s = {.recording = NULL};
        spk_pattern_list *list = NULL;
        spk_pattern_figure *figure = NULL;
        spk_canvas *canvas = NULL;
        spk_figure_options options;
        layout_look(&options, test_random_below(&random, 5));
        if (options.height_mm > 0)
            options.height_mm = 480;
        options.n_top = (uint32_t)test_random_below(&random, 8);
        layout_make_scene(context, &s, &random, (uint32_t)test_random_between(&random, 1, 30),
                          (uint32_t)test_random_between(&random, 1, 900), (spk_rate){1000, 1}, 0,
                          4000, LAYOUT_NUMBERS);
        spk_windows *windows = mine_patterns(s.recording, &list);
        const spk_pattern_columns columns = spk_pattern_list_columns(list);
        outcome *o = random_outcome(&random, columns.n);
        assert_int_equal(spk_pattern_figure_create(context, s.recording, windows,
                                                   (spk_duration){1, -2}, &figure),
                         SPK_OK);
        assert_int_equal(spk_pattern_figure_set_exact(figure, &o->report), SPK_OK);
        assert_int_equal(spk_pattern_figure_add(figure, &columns), SPK_OK);
        assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
        assert_int_equal(spk_draw_patterns(context, canvas, figure, &options), SPK_OK);
        layout_check_figure(canvas, options.font_pt);
        spk_canvas_free(canvas);
        spk_pattern_figure_free(figure);
        spk_pattern_list_free(list);
        spk_windows_free(windows);
        free(o);
        layout_free_scene(&s);
    }
}

/* ---- what findings say ----------------------------------------------------------------------- */

/* Unit 1 follows unit 0 six times within 10 ms: four times after 3 ms, twice after 7 ms. Unit 2
 * follows it each time after 15 ms. */
static layout_scene make_pairs(void)
{
    enum { N = 6 };
    layout_scene s = {.recording = NULL};
    int64_t time[3 * N];
    uint32_t unit[3 * N];
    static const char *const labels[] = {"x", "y", "z"};
    static const spk_delay delays[] = {{{0, 0, 0}, {10, -3, 0}}, {{10, -3, 0}, {20, -3, 0}}};
    for (int64_t k = 0; k < N; k++)
        for (uint32_t u = 0; u < 3; u++) {
            time[3 * k + u] = 100 * k + (u == 0 ? 0 : u == 2 ? 15 : k < 4 ? 3 : 7);
            unit[3 * k + u] = u;
        }
    assert_int_equal(test_recording_create(context, 3 * N, time, unit, 3, labels,
                                           (spk_rate){1000, 1}, NULL, NULL, &s.recording),
                     SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &s.list), SPK_OK);
    for (uint32_t u = 1; u < 3; u++)
        assert_int_equal(
            spk_episode_list_append(context, s.list, 2, (const uint32_t[]){0, u}, &delays[u - 1]),
            SPK_OK);
    assert_int_equal(spk_episode_count(context, s.recording, NULL, s.list, NULL), SPK_OK);
    return s;
}

/* What a test might say of them. */
static const spk_exact_verdict verdicts[] = {
    {.tested = true, .expected = 1.25, .p = 0.01, .fdr = 0.02},
    {.tested = true, .expected = 0, .p = 0.5, .fdr = 0.6}};
static const uint32_t meanings[] = {SPK_MEANS_RHYTHM | SPK_MEANS_SYNCHRONY, 0};
static const double directions[] = {0.17, 1};

static spk_exact_report report_of_pairs(void)
{
    spk_exact_report report;
    spk_exact_report_init(&report, sizeof report);
    report.n_rows = 2;
    report.verdict = verdicts;
    report.means = meanings;
    report.direction_p = directions;
    return report;
}

/* Panel d alone; the caller frees both. */
static spk_canvas *draw_pairs(layout_scene *s, const spk_exact_report *report)
{
    spk_canvas *canvas = NULL;
    spk_figure_options options;
    spk_figure_options_init(&options, sizeof options);
    options.panels = 1u << 3;
    options.exact = report;
    *s = make_pairs();
    const spk_episode_columns columns = spk_episode_list_columns(s->list);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_draw_episodes(context, canvas, s->recording, &columns, &options), SPK_OK);
    return canvas;
}

static uint32_t count_text(const spk_display *d, const char *text)
{
    uint32_t n = 0;
    for (uint64_t k = 0; k < d->n_items; k++)
        n += strcmp(layout_text_of(d, &d->item[k]), text) == 0;
    return n;
}

static void findings_say_what_the_test_says(void **state)
{
    (void)state;
    layout_scene s;
    const spk_exact_report report = report_of_pairs();
    spk_canvas *canvas = draw_pairs(&s, &report);
    const spk_display *d = spk_canvas_display(canvas);
    static const char *const texts[] = {
        "6 times, 1.2 by chance", "6 times, < 0.001 by chance", "p 0.01, FDR 0.02",
        "direction p 0.17",       "may mean rhythm, synchrony", "p 0.5, FDR 0.6",
        "direction p 1"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        assert_int_equal(count_text(d, texts[k]), 1);
    assert_non_null(strstr(d->text, "p 0.01, FDR 0.02; direction p 0.17"));
    spk_canvas_free(canvas);
    layout_free_scene(&s);
}

/* Both axes go from 0 to behind 20 ms, so that the shade that ends there is seen to end, and a bar
 * lies where its delays are, as high as there are many. */
static void lags_share_an_axis(void **state)
{
    (void)state;
    layout_scene s;
    const spk_exact_report report = report_of_pairs();
    spk_canvas *canvas = draw_pairs(&s, &report);
    const spk_display *d = spk_canvas_display(canvas);
    spk_box shade = {0}, bar[2] = {{0}};
    double shade_end = 0, axis_end = 0;
    uint32_t n = 0;
    assert_int_equal(count_text(d, "0"), 2);
    assert_int_equal(count_text(d, "20"), 2);
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        const double end = item->bounds.x + item->bounds.width;
        if (layout_same_colour(item->colour, SPK_RULE_GREY))
            axis_end = fmax(axis_end, end);
        if (item->kind != SPK_ITEM_FILL || item->bounds.height <= 0)
            continue;
        if (layout_same_colour(item->colour, spk_colour_alpha(spk_palette_group(1), 0.17)))
            shade_end = end;
        if (layout_same_colour(item->colour, spk_colour_alpha(spk_palette_group(0), 0.17)))
            shade = item->bounds;
        else if (layout_same_colour(item->colour, spk_palette_group(0)) && shade.width > 0)
            bar[n++ % 2] = item->bounds;
    }
    assert_int_equal(n, 2);
    const double ms = shade.width / 10; /* the delays allowed are those up to 10 ms */
    for (uint32_t k = 0; k < 2; k++)
        assert_true(fabs(bar[k].x + bar[k].width - (shade.x + (k == 0 ? 3 : 7) * ms)) < 1e-6);
    assert_true(fabs(bar[0].height - 2 * bar[1].height) < 1e-6);
    assert_true(shade_end > 0 && shade_end + ms / 2 < axis_end);
    spk_canvas_free(canvas);
    layout_free_scene(&s);
}

/* The longer episode ranks first, unless the test says that the shorter one is significant. */
static void significant_episodes_come_first(void **state)
{
    (void)state;
    for (uint32_t last = 0; last < 2; last++) {
        spk_exact_report report = report_of_pairs();
        spk_exact_verdict own[2] = {verdicts[last], verdicts[1 - last]};
        layout_scene s;
        report.verdict = own;
        spk_canvas *canvas = draw_pairs(&s, &report);
        const spk_display *d = spk_canvas_display(canvas);
        const char *first = strstr(d->text, "1: 6 occurrences of x");
        assert_non_null(first);
        assert_non_null(strstr(first, last == 0 ? "y\n" : "z\n"));
        assert_true(strstr(first, last == 0 ? "y\n" : "z\n") < strstr(first, "2: 6 occ"));
        spk_canvas_free(canvas);
        layout_free_scene(&s);
    }
}

/* Patterns, too, are drawn in the order of the list, not by their size. */
static void patterns_come_as_listed(void **state)
{
    (void)state;
    static const uint64_t offset[] = {0, 2, 4};
    static const uint32_t item[] = {0, 20 + 3, 0, 40 + 15}, count[] = {4, 6}; /* x y and x z */
    static const spk_exact_verdict both[] = {{.tested = true, .p = 0.01},
                                             {.tested = true, .p = 0.02}};
    const spk_pattern_columns patterns = {2, 20, offset, item, count};
    layout_scene s = make_pairs();
    spk_exact_report report = report_of_pairs();
    spk_figure_options options;
    spk_window_options cut;
    spk_windows *windows = NULL;
    spk_pattern_figure *figure = NULL;
    spk_canvas *canvas = NULL;
    spk_figure_options_init(&options, sizeof options);
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, -3, 0};
    cut.window = 20;
    report.verdict = both;
    assert_int_equal(spk_windows_create(context, s.recording, &cut, &windows), SPK_OK);
    assert_int_equal(spk_pattern_figure_create(context, s.recording, windows, cut.bin, &figure),
                     SPK_OK);
    assert_int_equal(spk_pattern_figure_set_exact(figure, &report), SPK_OK);
    assert_int_equal(spk_pattern_figure_add(figure, &patterns), SPK_OK);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    assert_int_equal(spk_draw_patterns(context, canvas, figure, &options), SPK_OK);
    const char *text = spk_canvas_display(canvas)->text;
    assert_non_null(strstr(text, "1: 4 occurrences of x@0 y@3"));
    assert_non_null(strstr(text, "2: 6 occurrences of x@0 z@15"));
    spk_canvas_free(canvas);
    spk_pattern_figure_free(figure);
    spk_windows_free(windows);
    layout_free_scene(&s);
}

/* Six chains of four units each stand above a hundred others, and each has its name there and in
 * its close-up. */
static void all_units_of_examples_are_named(void **state)
{
    (void)state;
    enum { CHAINS = 6, SIZE = 4, TIMES = 5, UNITS = 124, N = UNITS * TIMES };
    static int64_t time[N];
    static uint32_t unit[N];
    layout_scene s = {.recording = NULL};
    spk_figure_options options;
    spk_canvas *canvas = NULL;
    const spk_delay step = {{0, 0, 0}, {10, -3, 0}};
    const spk_delay steps[SIZE - 1] = {step, step, step};
    for (int64_t k = 0; k < N; k++) {
        time[k] = 5 * k;
        unit[k] = (uint32_t)(k % UNITS);
    }
    spk_figure_options_init(&options, sizeof options);
    assert_int_equal(test_recording_create(context, N, time, unit, UNITS, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &s.recording),
                     SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &s.list), SPK_OK);
    for (uint32_t c = 0; c < CHAINS; c++) {
        const uint32_t chain[SIZE] = {4 * c, 4 * c + 1, 4 * c + 2, 4 * c + 3};
        assert_int_equal(spk_episode_list_append(context, s.list, SIZE, chain, steps), SPK_OK);
    }
    assert_int_equal(spk_episode_count(context, s.recording, NULL, s.list, NULL), SPK_OK);
    const spk_episode_columns columns = spk_episode_list_columns(s.list);
    assert_int_equal(spk_canvas_create(context, NULL, &canvas), SPK_OK);
    options.panels = 3;
    assert_int_equal(spk_draw_episodes(context, canvas, s.recording, &columns, &options), SPK_OK);
    for (uint32_t u = 0; u < CHAINS * SIZE; u++)
        assert_true(count_text(spk_canvas_display(canvas), spk_recording_label(s.recording, u)) >=
                    2);
    spk_canvas_free(canvas);
    layout_free_scene(&s);
}

/* Nothing is listed: the spikes alone are drawn, as many as can be read, with the reason. */
static void nothing_significant_is_said(void **state)
{
    (void)state;
    layout_scene s = make_pairs();
    spk_exact_report report = report_of_pairs();
    spk_figure_options options;
    spk_windows *windows = NULL;
    spk_window_options cut;
    spk_pattern_figure *figure = NULL;
    spk_canvas *canvas[2] = {NULL, NULL};
    const spk_episode_columns none = {.n = 0, .offset = (const uint64_t[]){0}};
    spk_figure_options_init(&options, sizeof options);
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, -3, 0};
    cut.window = 1;
    options.exact = &report;
    report.n_rows = 0;
    report.n_tested = 3;
    report.n_significant = 0;
    report.alpha = 0.05;
    for (int k = 0; k < 2; k++)
        assert_int_equal(spk_canvas_create(context, NULL, &canvas[k]), SPK_OK);
    assert_int_equal(spk_draw_episodes(context, canvas[0], s.recording, &none, &options), SPK_OK);
    assert_int_equal(spk_windows_create(context, s.recording, &cut, &windows), SPK_OK);
    assert_int_equal(spk_pattern_figure_create(context, s.recording, windows, cut.bin, &figure),
                     SPK_OK);
    assert_int_equal(spk_pattern_figure_set_exact(figure, &report), SPK_OK);
    options.exact = NULL;
    assert_int_equal(spk_draw_patterns(context, canvas[1], figure, &options), SPK_OK);
    for (int k = 0; k < 2; k++) {
        const spk_display *d = spk_canvas_display(canvas[k]);
        assert_int_equal(count_text(d, k == 0 ? "Spikes of all units; 0 of 3 episodes are "
                                                "significant (p > 0.05)"
                                              : "Spikes of all units; 0 of 3 patterns are "
                                                "significant (p > 0.05)"),
                         1);
        assert_int_equal(count_text(d, "b"), 0);
        assert_int_equal(count_text(d, "0.50"), 1); /* s: the whole recording, not 30 windows */
        spk_canvas_free(canvas[k]);
    }
    spk_pattern_figure_free(figure);
    spk_windows_free(windows);
    layout_free_scene(&s);
}

static void one_test_is_shown(void **state)
{
    (void)state;
    layout_scene s = make_pairs();
    const spk_episode_columns columns = spk_episode_list_columns(s.list);
    spk_exact_report report = report_of_pairs();
    spk_significance test;
    spk_figure_options options;
    spk_pattern_list *list = NULL;
    spk_pattern_figure *figure = NULL;
    spk_figure_options_init(&options, sizeof options);
    options.exact = &report;
    report.n_rows = 1;
    assert_int_equal(spk_figure_episodes(context, s.recording, &columns, &options, "unused.svg"),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "a test of 1 results is not of these 2"));
    spk_windows *windows = mine_patterns(s.recording, &list);
    const spk_pattern_columns patterns = spk_pattern_list_columns(list);
    assert_true(patterns.n > 0);
    assert_int_equal(
        spk_pattern_figure_create(context, s.recording, windows, (spk_duration){1, -2}, &figure),
        SPK_OK);
    spk_significance_init(&test, sizeof test);
    report.n_rows = 0;
    assert_int_equal(spk_pattern_figure_set_exact(figure, &report), SPK_OK);
    assert_int_equal(spk_pattern_figure_set_test(figure, &test), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "shows one test"));
    assert_int_equal(spk_pattern_figure_add(figure, &patterns), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "the test has 0 rows"));
    spk_pattern_figure_free(figure);
    spk_pattern_list_free(list);
    spk_windows_free(windows);
    layout_free_scene(&s);
}

static int set_up(void **state)
{
    (void)state;
    seed = test_seed("test_figure_tested");
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    spk_context_set_threads(context, 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_test_is_laid_out),
        cmocka_unit_test(the_border_parts_significant_counts),
        cmocka_unit_test(any_exact_test_is_laid_out),
        cmocka_unit_test(any_exact_test_of_patterns_is_laid_out),
        cmocka_unit_test(findings_say_what_the_test_says),
        cmocka_unit_test(lags_share_an_axis),
        cmocka_unit_test(significant_episodes_come_first),
        cmocka_unit_test(patterns_come_as_listed),
        cmocka_unit_test(all_units_of_examples_are_named),
        cmocka_unit_test(nothing_significant_is_said),
        cmocka_unit_test(one_test_is_shown),
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
