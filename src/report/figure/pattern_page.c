/* The picture of SPADE patterns: raster with the top patterns, and statistics of all. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/sort.h"
#include "report/figure/canvas.h"
#include "report/figure/page.h"
#include "report/figure/panels.h"
#include "report/figure/pattern_figure.h"
#include "report/figure/raster.h"
#include "report/figure/text.h"
#include "report/spikes.h"
#include "spikemine/occurrences.h"

/* Length of the stretch in windows: single occurrences stay visible. */
enum { STRETCH_WINDOWS = 30 };

/* A pattern that is drawn. */
typedef struct shown {
    uint64_t n;                     /* occurrences */
    int64_t *time;                  /* n * size */
    uint32_t row[PATTERN_MAX_SIZE]; /* per point: its unit */
    double at[PATTERN_MAX_SIZE];    /* middles, starts and ends of its bins after the first */
    double from[PATTERN_MAX_SIZE];
    double to[PATTERN_MAX_SIZE];
    /* After a test, the same from the start of the window, and how often each spike came when. */
    double late_from[PATTERN_MAX_SIZE];
    double late_to[PATTERN_MAX_SIZE];
    uint64_t *bars; /* size * n_bars of the axis of lags */
} shown;

typedef struct picture {
    spk_context *context;
    spk_canvas *canvas;
    const spk_pattern_figure *figure;
    const spk_figure_options *options;
    spk_page page;
    spk_stretch stretch;
    uint32_t n_top;
    uint32_t columns;
    shown *shown; /* n_top */
    spk_example example[SPK_PALETTE_SIZE];
    bool tested;
    spk_lag_axis lags;
    spk_example finding[SPK_PALETTE_SIZE];
} picture;

/* ---- layout ---------------------------------------------------------------------------------- */

/* What the panels of a page depend on. */
typedef struct page_parts {
    uint32_t n_units;
    uint32_t n_first; /* units of the examples */
    spk_examples_shape examples;
    spk_examples_shape findings;
    double map[2]; /* natural height of panel g on a broad page and on a column; 0: there is none */
    bool tested;
} page_parts;

static spk_panel_plan plan_examples(char id, uint32_t row, double least_width,
                                    spk_examples_shape shape, uint32_t columns)
{
    shape.columns = columns;
    double least = shape.n > 0 ? spk_examples_least_height(&shape) + 2 : 3.5;
    double high = shape.n > 0 ? spk_examples_height(&shape) + 2 : 3.5;
    return (spk_panel_plan){id, row, 1, least_width, least, high};
}

static spk_page_plan plan_page(const page_parts *parts)
{
    double raster = spk_raster_height(parts->n_units, parts->n_first);
    spk_page_plan plan = {.n = 6,
                          .wide = {{'a', 0, 1, 18, 12, raster},
                                   plan_examples('b', 1, 40, parts->examples, 3),
                                   {'c', 2, 0.4, 13, 9, 15},
                                   {'d', 2, 0.2, 10, 9, 15},
                                   {'e', 2, 0.2, 11.5, 9, 15},
                                   {'f', 2, 0.2, 11.5, 9, 15}},
                          .narrow = {{'a', 0, 1, 18, 12, fmin(raster, 24)},
                                     plan_examples('b', 1, 22, parts->examples, 2),
                                     {'c', 2, 1, 13, 9, 13},
                                     {'d', 3, 0.5, 12, 9, 14},
                                     {'e', 3, 0.5, 13, 9, 14},
                                     {'f', 4, 1, 13, 9, 13}}};
    if (parts->map[0] > 0) {
        plan.wide[6] =
            (spk_panel_plan){'g', 3, 1, 24, spk_spectrum_map_least_height(true), parts->map[0]};
        plan.narrow[6] =
            (spk_panel_plan){'g', 5, 1, 24, spk_spectrum_map_least_height(false), parts->map[1]};
        plan.n = 7;
    }
    if (parts->tested) {
        const char id = (char)('a' + plan.n);
        plan.wide[plan.n] = plan_examples(id, 4, 40, parts->findings, 3);
        plan.narrow[plan.n++] = plan_examples(id, 6, 22, parts->findings, 2);
    }
    return plan;
}

static void map_heights(const spk_significance *test, double heights[2])
{
    heights[0] = spk_spectrum_map_height(test, true);
    heights[1] = spk_spectrum_map_height(test, false);
}

spk_status spk_check_pattern_page(spk_context *context, const spk_figure_options *options,
                                  spk_figure_kind kind)
{
    spk_page page;
    const uint32_t n = options->n_top < SPK_PALETTE_SIZE ? options->n_top : SPK_PALETTE_SIZE;
    page_parts parts = {.n_units = UINT32_MAX,
                        .examples = {.n = n, .most_rows = PATTERN_MAX_SIZE},
                        .findings = {n, 0, PATTERN_MAX_SIZE, SPK_EXAMPLE_NOTES, true},
                        .tested = kind != SPK_FIGURE_PATTERNS};
    if (kind == SPK_FIGURE_TESTED_PATTERNS)
        map_heights(NULL, parts.map);
    spk_page_plan plan = plan_page(&parts);
    return spk_page_lay_out(context, options, &plan, &page);
}

static spk_status lay_out(picture *p)
{
    uint32_t columns = spk_page_is_wide(p->options) ? 3 : 2;
    page_parts parts = {.n_units = p->figure->n_units,
                        .n_first = spk_examples_units(p->n_top, p->example),
                        .examples = {.n = p->n_top},
                        .tested = p->tested};
    for (uint32_t k = 0; k < p->n_top; k++)
        if (p->figure->top[k].size > parts.examples.most_rows)
            parts.examples.most_rows = p->figure->top[k].size;
    parts.findings = parts.examples;
    parts.findings.n_notes = spk_examples_notes(p->n_top, p->finding);
    parts.findings.bars = true;
    p->columns = p->n_top < columns ? p->n_top : columns;
    if (p->figure->has_test)
        map_heights(&p->figure->test, parts.map);
    spk_page_plan plan = plan_page(&parts);
    spk_figure_options options = *p->options;
    if (p->figure->n_patterns == 0 && options.panels == 0) /* the others would be empty */
        options.panels = 1 | (p->figure->has_test ? 1 << 6 : 0);
    spk_status status = spk_page_lay_out(p->context, &options, &plan, &p->page);
    return status == SPK_OK
               ? spk_canvas_set_page(p->canvas, p->page.width, p->page.height, p->page.dpi)
               : status;
}

/* ---- occurrences ----------------------------------------------------------------------------- */

static double bin_seconds(const spk_pattern_figure *figure)
{
    spk_rate rate = spk_recording_rate(figure->recording);
    return figure->bin_ticks * (double)rate.denominator / (double)rate.numerator;
}

/* Bars are parts of a bin, or some bins. */
static spk_lag_axis make_lag_axis(const spk_pattern_figure *figure)
{
    const double bin = bin_seconds(figure), window = figure->window;
    const double bars = floor(SPK_LAG_BARS / window);
    return spk_lag_axis_make(window * bin,
                             bars >= 1 ? bin / bars : bin * ceil(window / SPK_LAG_BARS),
                             spk_recording_rate(figure->recording));
}

/* A spike of a pattern is drawn in the middle of its bin. */
static int64_t spike_time(const spk_pattern_figure *figure, int64_t start, uint32_t lag)
{
    double ticks = (lag + 0.5) * figure->bin_ticks;
    uint64_t left = spk_time_difference(INT64_MAX, start);
    return ticks < (double)left ? start + (int64_t)ticks : INT64_MAX;
}

/* How often each spike of the pattern came how long after the start of these windows. */
static spk_status count_lags(picture *p, uint32_t k, const uint32_t *window)
{
    const spk_pattern_figure *figure = p->figure;
    const spk_window_columns windows = spk_windows_columns(figure->windows);
    const top_pattern *top = &figure->top[k];
    shown *out = &p->shown[k];
    int64_t time[PATTERN_MAX_SIZE];
    spk_status status =
        spk_alloc_zero(p->context, &out->bars, (uint64_t)top->size * p->lags.n_bars, "lags");
    for (uint64_t i = 0; i < out->n && status == SPK_OK; i++) {
        const int64_t start = windows.start_time[window[i]];
        status = report_pattern_spikes(p->context, figure->recording, &windows, figure->bin_ticks,
                                       window[i], top->size, top->item, time);
        for (uint32_t s = 0; s < top->size && status == SPK_OK; s++)
            out->bars[s * p->lags.n_bars +
                      spk_lag_axis_bar(&p->lags, spk_time_difference(time[s], start))]++;
    }
    return status;
}

static spk_status locate(picture *p, spk_pattern_locator *locator, uint32_t k)
{
    const spk_pattern_figure *figure = p->figure;
    const top_pattern *top = &figure->top[k];
    shown *out = &p->shown[k];
    const int64_t *start = spk_windows_columns(figure->windows).start_time;
    const uint32_t *window = NULL;
    uint32_t n = 0;
    spk_status status = spk_pattern_locate(locator, top->size, top->item, &window, &n);
    if (status == SPK_OK)
        status = spk_alloc(p->context, &out->time, (uint64_t)n * top->size, "occurrences");
    if (status != SPK_OK)
        return status;
    out->n = n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t s = 0; s < top->size; s++)
            out->time[(uint64_t)i * top->size + s] =
                spike_time(figure, start[window[i]], top->item[s] % figure->window);
    for (uint32_t s = 0; s < top->size; s++)
        out->row[s] = top->item[s] / figure->window;
    status = p->tested ? count_lags(p, k, window) : SPK_OK;
    return status == SPK_OK ? spk_check_cancel(p->context) : status;
}

/* "17 times, p 0.0012", and whether that is not significant: short, for the width of a column. */
static void put_p_value(spk_example *example, const top_pattern *top)
{
    char count[32];
    char number[SPK_TEXT_FIXED_SIZE];
    snprintf(example->heading, sizeof example->heading, "%s time%s, p %.16s%s",
             spk_group_digits(top->count, count), top->count == 1 ? "" : "s",
             spk_text_fixed(top->p, spk_text_decimals(top->p), number),
             top->significant ? "" : " n.s.");
}

/* The pattern's spikes on an axis of lags that is as long as a window. */
static void make_example(picture *p, uint32_t k)
{
    const spk_pattern_figure *figure = p->figure;
    const top_pattern *top = &figure->top[k];
    shown *s = &p->shown[k];
    double bin = bin_seconds(figure);
    char number[32];
    for (uint32_t i = 0; i < top->size; i++) {
        uint32_t lag = top->item[i] % figure->window;
        s->at[i] = lag * bin;
        s->from[i] = (lag - 0.5) * bin;
        s->to[i] = (lag + 0.5) * bin;
    }
    p->example[k] = (spk_example){.n_rows = top->size,
                                  .units = s->row,
                                  .from = -0.5 * bin,
                                  .length = 1.05 * figure->window * bin, /* ends are seen */
                                  .time = s->at,
                                  .band_from = s->from,
                                  .band_to = s->to};
    snprintf(p->example[k].heading, sizeof p->example[k].heading, "%s occurrence%s",
             spk_group_digits(top->count, number), top->count == 1 ? "" : "s");
    if (figure->has_test)
        put_p_value(&p->example[k], top);
}

/* What the test says of the pattern, and the lags of its spikes. */
static void make_finding(picture *p, uint32_t k)
{
    const spk_pattern_figure *figure = p->figure;
    const top_pattern *top = &figure->top[k];
    shown *s = &p->shown[k];
    spk_example *finding = &p->finding[k];
    *finding = (spk_example){
        .n_rows = top->size, .units = s->row, .band_from = s->late_from, .band_to = s->late_to};
    for (uint32_t i = 0; i < top->size; i++) {
        s->late_from[i] = top->item[i] % figure->window * bin_seconds(figure);
        s->late_to[i] = s->late_from[i] + bin_seconds(figure);
    }
    spk_lag_axis_take(&p->lags, s->bars, finding);
    if (figure->has_exact)
        spk_finding_tell(&figure->exact, top->row, top->count, finding);
    else
        spk_finding_tell_signature(top->p, top->p_corrected, top->count, finding);
}

/* ---- the stretch ----------------------------------------------------------------------------- */

/* Starts of all occurrences, sorted; free with free(). */
static spk_status collect_starts(const picture *p, int64_t **out, uint64_t *n_out)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < p->n_top; k++)
        n += p->shown[k].n;
    spk_status status = spk_alloc(p->context, out, n, "occurrences");
    if (status != SPK_OK)
        return status;
    n = 0;
    for (uint32_t k = 0; k < p->n_top; k++)
        for (uint64_t i = 0; i < p->shown[k].n; i++)
            (*out)[n++] = p->shown[k].time[i * p->figure->top[k].size];
    qsort(*out, (size_t)n, sizeof **out, spk_compare_int64);
    *n_out = n;
    return SPK_OK;
}

/* The stretch that holds most occurrences. */
static spk_status choose_stretch(picture *p)
{
    const spk_pattern_figure *figure = p->figure;
    int64_t *start = NULL;
    uint64_t n = 0;
    if (p->options->start != NULL || p->options->stop != NULL)
        return spk_stretch_between(p->context, figure->recording, p->options, &p->stretch);
    spk_status status = collect_starts(p, &start, &n);
    if (status != SPK_OK)
        return status;
    if (n == 0) {
        free(start);
        p->stretch = spk_stretch_first(figure->recording);
        return SPK_OK;
    }
    double ticks = STRETCH_WINDOWS * figure->bin_ticks * figure->window;
    uint64_t length = ticks < 1 ? 1 : ticks < 9e18 ? (uint64_t)ticks : UINT64_MAX / 2;
    int64_t best = spk_recording_start(figure->recording);
    uint64_t first = 0;
    uint64_t most = 0;
    for (uint64_t last = 0; last < n; last++) {
        while (spk_time_difference(start[last], start[first]) > length - length / 10)
            first++;
        if (last - first + 1 > most) {
            most = last - first + 1;
            best = start[first];
        }
    }
    uint64_t before = spk_time_difference(best, spk_recording_start(figure->recording));
    uint64_t margin = length / 20 < before ? length / 20 : before;
    p->stretch = spk_stretch_inside(figure->recording, (int64_t)((uint64_t)best - margin), length);
    free(start);
    return SPK_OK;
}

/* ---- raster and examples --------------------------------------------------------------------- */

/* Number of the occurrence that a number over the raster points at; n when none is in sight. The
 * numbers are spread over the stretch. */
static uint64_t tagged(const picture *p, uint32_t k)
{
    const shown *s = &p->shown[k];
    uint32_t size = p->figure->top[k].size;
    int64_t last = spk_stretch_last(p->stretch);
    int64_t wanted =
        (int64_t)((uint64_t)p->stretch.start +
                  p->stretch.length / (2 * (uint64_t)p->n_top) * (2 * (uint64_t)k + 1));
    uint64_t best = s->n;
    for (uint64_t i = 0; i < s->n; i++) {
        int64_t time = s->time[i * size];
        if (time < p->stretch.start || time > last || (best < s->n && time > wanted))
            continue;
        best = i;
    }
    return best;
}

/* Why there is nothing to draw but spikes. */
static void tell_nothing(const picture *p, char *text, size_t size)
{
    const spk_pattern_figure *f = p->figure;
    if (f->has_exact)
        spk_nothing_tell(f->exact.n_tested, f->exact.n_significant, f->exact.alpha, "pattern", text,
                         size);
    else if (f->has_test)
        spk_nothing_tell(f->test.n_patterns, f->test.n_significant, f->test.alpha, "pattern", text,
                         size);
    else
        spk_nothing_tell(0, 0, 0, "pattern", text, size);
}

static spk_status draw_raster(const picture *p, const spk_page_panel *panel)
{
    const spk_pattern_figure *figure = p->figure;
    char nothing[160];
    tell_nothing(p, nothing, sizeof nothing);
    const char *heading = p->n_top > 0 ? "Spikes, units of the patterns of b on top, in colour"
                          : figure->n_patterns > 0 ? "Spikes of all units"
                                                   : nothing;
    if (p->n_top > 0 && p->options->panels != 0 && (p->options->panels & 2) == 0)
        heading = "Spikes, units of patterns on top, in colour";
    const spk_box box = spk_page_begin_panel(p->canvas, &p->page, panel, heading);
    spk_raster_panel raster = {
        .recording = figure->recording, .stretch = p->stretch, .n_examples = p->n_top};
    for (uint32_t k = 0; k < p->n_top; k++) {
        const shown *s = &p->shown[k];
        raster.example[k] =
            (spk_raster_example){figure->top[k].size, s->row, s->n, s->time, tagged(p, k)};
    }
    return spk_raster_panel_draw(p->context, p->canvas, &p->page, box, &raster);
}

static spk_status draw_examples(const picture *p, const spk_page_panel *panel)
{
    spk_box box = spk_page_begin_panel(p->canvas, &p->page, panel,
                                       p->n_top > 0 ? "Examples: patterns of different units"
                                                    : "There are no patterns");
    return spk_examples_draw(p->context, p->canvas, &p->page, box, p->columns, p->figure->recording,
                             p->n_top, p->example, "Lag behind the first spike");
}

static spk_status draw_findings(const picture *p, const spk_page_panel *panel)
{
    spk_box box = spk_page_begin_panel(
        p->canvas, &p->page, panel,
        p->n_top > 0 ? "The test, and lags in all occurrences; shaded: the bin of each spike"
                     : "There are no patterns");
    return spk_examples_draw(p->context, p->canvas, &p->page, box, p->columns, p->figure->recording,
                             p->n_top, p->finding, "Time from the start of the window");
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* Patterns of each neuron. A bar is one neuron: where there are more than the panel can show, those
 * in most patterns are drawn. */
typedef struct neurons {
    const picture *p;
    uint32_t *unit;
    uint64_t *count;
    uint32_t n;
} neurons;

/* How many neurons take part in at least `least` patterns. */
static uint32_t n_with(const spk_pattern_figure *f, uint64_t least)
{
    uint32_t n = 0;
    for (uint32_t unit = 0; unit < f->n_units; unit++)
        n += f->by_unit[unit] >= least;
    return n;
}

/* The `most` neurons in most patterns, in their order. */
static spk_status choose_neurons(neurons *all, uint32_t most)
{
    const spk_pattern_figure *f = all->p->figure;
    spk_status status =
        spk_alloc_columns(all->p->context, "neurons", SPK_COLUMN(&all->unit, f->n_units),
                          SPK_COLUMN(&all->count, f->n_units));
    if (status != SPK_OK)
        return status;
    /* The smallest number of patterns that at most `most` neurons reach; where not all have room,
     * those in no pattern have none. */
    spk_bisect s = {f->n_units > most, f->n_patterns + 1};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, n_with(f, s.middle) > most);
    const uint64_t low = s.low;
    uint32_t left = low > 1 ? most - n_with(f, low) : 0; /* places for equals */
    for (uint32_t unit = 0; unit < f->n_units; unit++) {
        bool equal = left > 0 && f->by_unit[unit] == low - 1;
        if (f->by_unit[unit] < low && !equal)
            continue;
        left -= equal;
        all->unit[all->n] = unit;
        all->count[all->n++] = f->by_unit[unit];
    }
    return SPK_OK;
}

static spk_status draw_neurons(const picture *p, const spk_page_panel *panel)
{
    const double least_bar = 0.5; /* points */
    neurons all = {.p = p};
    spk_labels labels = spk_labels_make(p->figure->recording);
    char heading[128] = "Patterns of each unit";
    double room = (panel->box.width - 6 * p->page.em) / least_bar;
    uint32_t most = (uint32_t)fmax(1, room);
    spk_status status = choose_neurons(&all, most);
    if (status == SPK_OK) {
        if (all.n < p->figure->n_units)
            snprintf(heading, sizeof heading,
                     "Patterns of each unit: the %" PRIu32 " of %" PRIu32 " with most", all.n,
                     p->figure->n_units);
        spk_bars bars = {.n = all.n,
                         .count = all.count,
                         .step = 1,
                         .whole = true,
                         .label = "Unit",
                         .side = "Patterns",
                         .labels = &labels,
                         .unit = all.unit};
        spk_box box = spk_page_begin_panel(p->canvas, &p->page, panel, heading);
        if (p->figure->n_patterns > 0)
            spk_bars_draw(p->canvas, &p->page, box, &bars);
    }
    free(all.unit);
    free(all.count);
    return status;
}

/* Shrinks first .. last to where there is something. */
static void trim(const uint64_t *count, uint64_t *first, uint64_t *last)
{
    while (*first < *last && count[*first] == 0)
        ++*first;
    while (*last > *first && count[*last] == 0)
        --*last;
}

/* Bars of the entries of a histogram that has something; `step` of them, a round number, make a bar
 * where there are too many. */
static void draw_histogram(const picture *p, const spk_page_panel *panel, const char *heading,
                           const char *label, const uint64_t *count, uint64_t n)
{
    enum { MOST_BARS = 60 };
    uint64_t bar[MOST_BARS + 2] = {0};
    uint64_t first = 0;
    uint64_t last = n - 1;
    char text[96];
    spk_box box = spk_page_begin_panel(p->canvas, &p->page, panel, heading);
    if (p->figure->n_patterns == 0)
        return;
    trim(count, &first, &last);
    double wanted = fmin(MOST_BARS, fmax(4, box.width / (0.6 * p->page.em)));
    uint64_t step = (uint64_t)fmax(1, spk_nice_step((double)(last - first + 1) / wanted));
    first -= first % step;
    for (uint64_t k = first; k <= last; k++)
        bar[(k - first) / step] += count[k];
    snprintf(text, sizeof text, step > 1 ? "%s (by %" PRIu64 ")" : "%s", label, step);
    spk_bars bars = {.n = (uint32_t)((last - first) / step + 1),
                     .count = bar,
                     .from = (double)first,
                     .step = (double)step,
                     .whole = step == 1,
                     .label = text,
                     .side = "Patterns"};
    spk_bars_draw(p->canvas, &p->page, box, &bars);
}

/* Spikes behind the first by lag, in milliseconds or what suits. */
static spk_status draw_lags(const picture *p, const spk_page_panel *panel)
{
    enum { MOST_BARS = 60 };
    const spk_pattern_figure *f = p->figure;
    uint64_t bar[MOST_BARS + 1] = {0};
    uint64_t step = (f->window - 1) / MOST_BARS + 1;
    spk_box box = spk_page_begin_panel(p->canvas, &p->page, panel, "Spikes of patterns by lag");
    for (uint32_t lag = 0; lag < f->window; lag++)
        bar[lag / step] += f->by_lag[lag];
    spk_bars bars = {.n = (uint32_t)((f->window - 1) / step + 1),
                     .count = bar,
                     .from = 0,
                     .step = (double)step * bin_seconds(f),
                     .seconds = true,
                     .label = "Lag",
                     .side = "Spikes"};
    bars.from = (double)(step - 1) / 2 * bin_seconds(f);
    if (f->n_patterns > 0)
        spk_bars_draw(p->canvas, &p->page, box, &bars);
    return SPK_OK;
}

static spk_status draw_spectrum(const picture *p, const spk_page_panel *panel)
{
    const spk_significance *test = &p->figure->test;
    char heading[160];
    char number[32];
    snprintf(heading, sizeof heading,
             "All patterns by signature, and the border of significance against %s surrogates",
             spk_group_digits(test->n_surrogates, number));
    spk_box box = spk_page_begin_panel(p->canvas, &p->page, panel, heading);
    return spk_spectrum_map_draw(p->context, p->canvas, &p->page, box, test);
}

/* ---- the page -------------------------------------------------------------------------------- */

static spk_status draw_panel(const picture *p, const spk_page_panel *panel)
{
    const spk_pattern_figure *f = p->figure;
    switch (panel->id) {
    case 'a':
        return draw_raster(p, panel);
    case 'b':
        return draw_examples(p, panel);
    case 'c':
        return draw_neurons(p, panel);
    case 'd':
        draw_histogram(p, panel, "By number of spikes", "Spikes", f->by_size, PATTERN_MAX_SIZE + 1);
        return SPK_OK;
    case 'e':
        draw_histogram(p, panel, "By occurrences", "Occurrences", f->by_count,
                       spk_windows_columns(f->windows).n_windows + 1);
        return SPK_OK;
    case 'f':
        return draw_lags(p, panel);
    default:
        return panel->id == 'g' && f->has_test ? draw_spectrum(p, panel) : draw_findings(p, panel);
    }
}

static spk_status describe(const picture *p)
{
    spk_text text = {NULL, 0, 0};
    const spk_pattern_figure *f = p->figure;
    char number[32];
    spk_status status =
        spk_text_add(p->context, &text, "%s patterns.\n", spk_group_digits(f->n_patterns, number));
    for (uint32_t k = 0; k < p->n_top && status == SPK_OK; k++) {
        const top_pattern *top = &f->top[k];
        char items[1024];
        const uint64_t offset[] = {0, top->size};
        const spk_pattern_columns alone = {
            .n = 1, .window = f->window, .offset = offset, .item = top->item};
        spk_pattern_format(f->recording, &alone, 0, items, sizeof items);
        status = spk_text_add(p->context, &text, "%u: %u occurrences of %s (unit@lag in bins)\n",
                              (unsigned)k + 1, (unsigned)top->count, items);
        if (status == SPK_OK && p->tested)
            status = spk_finding_describe(p->context, &p->finding[k], &text);
    }
    if (status == SPK_OK)
        spk_canvas_describe(
            p->canvas, p->options->title != NULL ? p->options->title : "Spatio-temporal patterns",
            text.bytes);
    free(text.bytes);
    return status;
}

static spk_status draw_all(picture *p)
{
    spk_pattern_locator *locator = NULL;
    spk_status status = spk_alloc_zero(p->context, &p->shown, p->n_top, "patterns");
    if (status == SPK_OK)
        status = spk_pattern_locator_create(p->context, p->figure->windows, &locator);
    for (uint32_t k = 0; k < p->n_top && status == SPK_OK; k++) {
        status = locate(p, locator, k);
        make_example(p, k);
        if (p->tested)
            make_finding(p, k);
    }
    spk_pattern_locator_free(locator);
    if (status == SPK_OK)
        status = choose_stretch(p);
    if (status == SPK_OK)
        status = lay_out(p);
    if (status == SPK_OK)
        status = describe(p);
    if (status != SPK_OK)
        return status;
    spk_page_draw_title(p->canvas, &p->page, p->options,
                        p->figure->has_exact ? &p->figure->exact : NULL, p->tested);
    for (uint32_t k = 0; k < p->page.n && status == SPK_OK; k++)
        status = draw_panel(p, &p->page.panel[k]);
    return status == SPK_OK ? spk_canvas_status(p->canvas) : status;
}

spk_status spk_draw_patterns(spk_context *context, spk_canvas *canvas,
                             const spk_pattern_figure *figure, const spk_figure_options *options)
{
    uint32_t n_top = options->n_top < SPK_PALETTE_SIZE ? options->n_top : SPK_PALETTE_SIZE;
    picture p = {.context = context,
                 .canvas = canvas,
                 .figure = figure,
                 .options = options,
                 .n_top = figure->n_top < n_top ? figure->n_top : n_top,
                 .tested = figure->has_test || figure->has_exact,
                 .lags = make_lag_axis(figure)};
    spk_status status = draw_all(&p);
    for (uint32_t k = 0; k < p.n_top && p.shown != NULL; k++) {
        free(p.shown[k].time);
        free(p.shown[k].bars);
    }
    free(p.shown);
    return status;
}
