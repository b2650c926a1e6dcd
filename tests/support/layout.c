#include "support/layout.h"

#include "support/test.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/canvas.h"

/* ---- the rules ------------------------------------------------------------------------------- */

const char *layout_text_of(const spk_display *d, const spk_item *item)
{
    return item->kind == SPK_ITEM_TEXT ? d->bytes + item->text : "";
}

static void fail_at(const spk_display *d, const spk_item *item, const char *what)
{
    const spk_box *b = &item->bounds;
    print_error("%s: kind %d \"%s\" at %g %g, %g x %g, page %g x %g\n", what, (int)item->kind,
                layout_text_of(d, item), b->x, b->y, b->width, b->height, d->width, d->height);
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
                print_error("\"%s\" is touched by ", layout_text_of(d, &d->item[b]));
                fail_at(d, &d->item[a], "text over text");
            }
    }
}

bool layout_same_colour(spk_colour a, spk_colour b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue && a.alpha == b.alpha;
}

uint32_t layout_check_bars(const spk_display *d, uint32_t panel)
{
    uint32_t n = 0;
    double bottom = 0;
    bool zero = false;
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        if (item->panel != panel || item->kind != SPK_ITEM_FILL ||
            !layout_same_colour(item->colour, spk_palette_group(1)))
            continue;
        double end = item->bounds.y + item->bounds.height;
        assert_true(n++ == 0 || fabs(end - bottom) < 1e-6);
        bottom = end;
    }
    for (uint64_t k = 0; k < d->n_items; k++) {
        const spk_item *item = &d->item[k];
        if (item->panel == panel && strcmp(layout_text_of(d, item), "0") == 0)
            zero = zero || fabs(d->point[item->first_point].y - bottom) < 0.01;
    }
    assert_true(n == 0 || zero);
    return n;
}

void layout_check_figure(const spk_canvas *canvas, double em)
{
    const spk_display *d = spk_canvas_display(canvas);
    assert_true(d->n_items > 0);
    check_places(d, em);
    check_texts(d);
}

/* ---- what is drawn --------------------------------------------------------------------------- */

static char **make_labels(uint32_t n, layout_names kind)
{
    char **label = calloc(n, sizeof *label);
    assert_non_null(label);
    for (uint32_t u = 0; u < n; u++) {
        static const char *const forms[LAYOUT_N_NAMES] = {
            [LAYOUT_NUMBERS] = "%u",
            [LAYOUT_LONG] = "probe_00_left_hemisphere_shank_03_channel_0117_unit_%u_of_all",
            [LAYOUT_FOREIGN] =
                "\xce\xb1\xce\xb2\xce\xb3 n\xc3\xa4me \xe2\x86\x92 %u \xf0\x9f\x90\xa6",
            [LAYOUT_CONTROLS] = "a\nb\t\x1b[31m\xff %u &<>",
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

static void mine(spk_context *context, layout_scene *s, uint64_t support, int64_t delay_ticks,
                 spk_rate rate)
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

void layout_make_scene(spk_context *context, layout_scene *s, test_random *random, uint32_t n_units,
                       uint32_t n_events, spk_rate rate, int64_t origin, int64_t length,
                       layout_names kind)
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
    mine(context, s, n_events > 100 ? n_events / n_units / 4 + 3 : 1, 2 * step, rate);
    for (uint32_t u = 0; u < n_units; u++)
        free(label[u]);
    free(label);
    free(time);
    free(unit);
}

void layout_free_scene(layout_scene *s)
{
    spk_episode_list_free(s->list);
    spk_recording_free(s->recording);
}

void layout_look(spk_figure_options *options, uint64_t k)
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
#endif
