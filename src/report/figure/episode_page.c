/* The picture of a mining result: raster, close-ups that are also the legend, graph of pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "base/options.h"
#include "report/check.h"
#include "report/figure/page.h"
#include "report/figure/panels.h"
#include "report/figure/selection.h"
#include "report/figure/text.h"

/* Everything that one picture is made from. */
typedef struct figure {
    spk_context *context;
    spk_canvas *canvas;
    const spk_recording *recording;
    const spk_episode_columns *episodes;
    const spk_figure_options *options;
    spk_page page;
    uint32_t columns; /* of examples */
    spk_selection selection;
    spk_graph graph;
    spk_example example[SPK_PALETTE_SIZE];
    uint32_t n_examples;
    double *times; /* of all examples */
    spk_stretch around[SPK_PALETTE_SIZE];
    /* After a test (options->exact): the same examples with what it says of them. */
    spk_exact_report exact;
    spk_example finding[SPK_PALETTE_SIZE];
    uint64_t *bars; /* of all of them */
    double *bands;
} figure;

/* The rows of a test are the episodes. */
static spk_status take_test(figure *f, spk_figure_options *options)
{
    if (options->exact == NULL)
        return SPK_OK;
    spk_status status = SPK_OPTIONS_TAKE(f->context, options->exact, &f->exact, spk_exact_report);
    if (status == SPK_OK && f->exact.n_rows != f->episodes->n)
        status = spk_fail(f->context, SPK_ERR_ARGUMENT,
                          "a test of %llu results is not of these %llu episodes; give the figure "
                          "the episodes that are the rows of the test",
                          (unsigned long long)f->exact.n_rows, (unsigned long long)f->episodes->n);
    options->exact = &f->exact;
    return status;
}

/* ---- layout ---------------------------------------------------------------------------------- */

/* The shapes of examples and findings on a page with at most `columns` side by side. */
static spk_panel_plan plan_examples(char id, uint32_t row, double weight, double width,
                                    spk_examples_shape shape, uint32_t columns)
{
    shape.columns = columns;
    double least = shape.n > 0 ? spk_examples_least_height(&shape) + 2 : 3.5;
    double high = shape.n > 0 ? spk_examples_height(&shape) + 2 : 3.5;
    return (spk_panel_plan){id, row, weight, width, least, high};
}

/* `findings` NULL: there was no test; `raster` and `graph` are the heights of their panels. */
static spk_page_plan plan_page(double raster, const spk_examples_shape *examples,
                               const spk_examples_shape *findings, double graph)
{
    spk_page_plan plan = {.n = findings != NULL ? 4 : 3,
                          .wide = {{'a', 0, 1, 18, 12, raster},
                                   plan_examples('b', 1, 0.62, 30, *examples, 3),
                                   {'c', 1, 0.38, 18, fmin(16, graph), graph}},
                          .narrow = {{'a', 0, 1, 18, 12, fmin(raster, 24)},
                                     plan_examples('b', 1, 1, 22, *examples, 2),
                                     {'c', 2, 1, 18, fmin(16, graph), graph}}};
    if (findings != NULL) {
        plan.wide[3] = plan_examples('d', 2, 1, 30, *findings, 3);
        plan.narrow[3] = plan_examples('d', 3, 1, 22, *findings, 2);
    }
    return plan;
}

spk_status spk_check_episode_page(spk_context *context, const spk_figure_options *options,
                                  bool tested)
{
    spk_page page;
    const uint32_t n = options->n_top < SPK_PALETTE_SIZE ? options->n_top : SPK_PALETTE_SIZE;
    const spk_examples_shape examples = {.n = n, .most_rows = SPK_EPISODE_MAX_SIZE, .n_notes = 1};
    const spk_examples_shape findings = {n, 0, SPK_EPISODE_MAX_SIZE, SPK_EXAMPLE_NOTES, true};
    spk_page_plan plan =
        plan_page(spk_raster_height(UINT32_MAX, 0), &examples, tested ? &findings : NULL, 28);
    return spk_page_lay_out(context, options, &plan, &page);
}

static spk_status lay_out(figure *f)
{
    uint32_t columns = spk_page_is_wide(f->options) ? 3 : 2;
    spk_examples_shape examples = {.n = f->n_examples,
                                   .n_notes = spk_examples_notes(f->n_examples, f->example)};
    for (uint32_t e = 0; e < f->n_examples; e++)
        if (f->example[e].n_rows > examples.most_rows)
            examples.most_rows = f->example[e].n_rows;
    spk_examples_shape findings = examples;
    findings.n_notes = spk_examples_notes(f->n_examples, f->finding);
    findings.bars = true;
    f->columns = f->n_examples < columns ? f->n_examples : columns;
    spk_page_plan plan = plan_page(spk_raster_height(spk_recording_events(f->recording).n_units,
                                                     spk_examples_units(f->n_examples, f->example)),
                                   &examples, f->options->exact != NULL ? &findings : NULL,
                                   spk_graph_height(&f->graph) + 2);
    spk_figure_options options = *f->options;
    if (f->episodes->n == 0 && options.panels == 0) /* the others would be empty */
        options.panels = 1;
    spk_status status = spk_page_lay_out(f->context, &options, &plan, &f->page);
    return status == SPK_OK
               ? spk_canvas_set_page(f->canvas, f->page.width, f->page.height, f->page.dpi)
               : status;
}

/* ---- examples -------------------------------------------------------------------------------- */

static double seconds_per_tick(const figure *f)
{
    spk_rate rate = spk_recording_rate(f->recording);
    return (double)rate.denominator / (double)rate.numerator;
}

/* Ticks from the first spike of occurrence k to the last one, and to the end of each delay that is
 * allowed and ends. */
static uint64_t reach_ticks(const figure *f, const spk_shown_episode *top, uint64_t k)
{
    const spk_rate rate = spk_recording_rate(f->recording);
    const int64_t *time = top->time + k * top->size;
    uint64_t most = spk_time_difference(time[top->size - 1], time[0]);
    for (uint32_t p = 1; p < top->size; p++) {
        const uint64_t at = spk_time_difference(time[p - 1], time[0]);
        const uint64_t end = spk_duration_ticks(top->delays[p - 1].hi, rate);
        most = end < UINT64_MAX - at && at + end > most ? at + end : most;
    }
    return most;
}

/* From a share before the occurrence to a share behind what is drawn, within the recording. */
static spk_stretch stretch_around(const figure *f, int64_t time, uint64_t reach, uint64_t duration)
{
    const uint64_t length = reach > duration ? reach : duration;
    uint64_t margin = length / 6 + 1;
    int64_t first = spk_recording_start(f->recording);
    int64_t stop = spk_recording_stop(f->recording);
    uint64_t before = spk_time_difference(time, first);
    int64_t start = (int64_t)((uint64_t)time - (margin < before ? margin : before));
    uint64_t wanted = length + margin;
    uint64_t behind = spk_time_difference(stop, time);
    uint64_t end = wanted < margin || wanted > behind ? behind : wanted;
    return (spk_stretch){start, spk_time_difference(time, start) + end};
}

/* Duration that all examples are drawn with, so that they compare; 0 where they differ too much. */
static uint64_t common_duration(const figure *f)
{
    enum { MOST_TIMES = 4 };
    uint64_t most = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t e = 0; e < f->selection.n_top; e++) {
        const spk_shown_episode *top = &f->selection.top[e];
        uint64_t k = spk_selection_example(&f->selection, e);
        if (k >= top->n)
            continue;
        uint64_t own = reach_ticks(f, top, k);
        most = own > most ? own : most;
        least = own < least ? own : least;
    }
    return most / MOST_TIMES <= least ? most : 0;
}

/* How often it occurs, where an example lies that the raster does not show, and how many other
 * episodes it stands for. */
static void tell_example(const figure *f, const spk_shown_episode *top, uint64_t k,
                         spk_example *example)
{
    char number[32], at[SPK_TEXT_FIXED_SIZE];
    const int64_t *time = top->time + k * top->size;
    spk_group_digits(top->n, number);
    if (k < top->n && (time[0] < f->selection.stretch.start ||
                       time[top->size - 1] > spk_stretch_last(f->selection.stretch)))
        snprintf(example->heading, sizeof example->heading, "%s time%s, at %.16s s", number,
                 top->n == 1 ? "" : "s",
                 spk_text_fixed((double)time[0] * seconds_per_tick(f), 2, at));
    else
        snprintf(example->heading, sizeof example->heading, "%s occurrence%s", number,
                 top->n == 1 ? "" : "s");
    if (top->n_alike > 0)
        snprintf(example->note[0], sizeof example->note[0], "%s more like it",
                 spk_group_digits(top->n_alike, number));
}

/* Times in seconds after the first spike, and where each later spike was allowed to be. */
static void make_example(figure *f, uint32_t e, uint64_t duration, double *times)
{
    const spk_shown_episode *top = &f->selection.top[e];
    uint64_t k = spk_selection_example(&f->selection, e);
    spk_example *example = &f->example[f->n_examples];
    *example = (spk_example){.n_rows = top->size, .units = top->unit};
    tell_example(f, top, k, example);
    if (k >= top->n) /* a list may hold what never occurs */
        return;
    const int64_t *time = top->time + k * top->size;
    double tick = seconds_per_tick(f);
    double *at = times, *from = times + top->size, *to = times + 2 * (size_t)top->size;
    for (uint32_t p = 0; p < top->size; p++) {
        at[p] = (double)spk_time_difference(time[p], time[0]) * tick;
        from[p] = to[p] = 0;
        if (p == 0)
            continue;
        from[p] = at[p - 1] + spk_duration_seconds(top->delays[p - 1].lo);
        to[p] = at[p - 1] + spk_duration_seconds(top->delays[p - 1].hi);
    }
    spk_stretch *around = &f->around[f->n_examples];
    *around = stretch_around(f, time[0], reach_ticks(f, top, k), duration);
    example->time = at;
    example->band_from = from;
    example->band_to = to;
    example->around = around;
    example->from = -(double)spk_time_difference(time[0], around->start) * tick;
    example->length = (double)around->length * tick;
}

static spk_status make_examples(figure *f)
{
    uint64_t n = 0;
    for (uint32_t e = 0; e < f->selection.n_top; e++)
        n += 3 * (uint64_t)f->selection.top[e].size;
    spk_status status = spk_alloc(f->context, &f->times, n, "examples");
    uint64_t duration = common_duration(f);
    n = 0;
    for (uint32_t e = 0; e < f->selection.n_top && status == SPK_OK; e++) {
        make_example(f, e, duration, f->times + n);
        f->n_examples++;
        n += 3 * (uint64_t)f->selection.top[e].size;
    }
    return status;
}

/* ---- findings -------------------------------------------------------------------------------- */

static uint64_t step_ticks(const spk_shown_episode *top, uint64_t k, uint32_t p)
{
    const int64_t *time = top->time + k * top->size;
    return spk_time_difference(time[p], time[p - 1]);
}

/* The largest delay of the search in seconds; where one has no end, of the occurrences that are
 * drawn, too. */
static double largest_delay(const figure *f)
{
    double most = 0;
    bool endless = false;
    for (size_t d = 0; d < f->episodes->n_delays; d++) {
        const double end = spk_duration_seconds(f->episodes->delays[d].hi);
        endless |= isinf(end);
        most = isinf(end) ? most : fmax(most, end);
    }
    for (uint32_t e = 0; e < f->selection.n_top && endless; e++) {
        const spk_shown_episode *top = &f->selection.top[e];
        for (uint64_t k = 0; k < top->n; k++)
            for (uint32_t p = 1; p < top->size; p++)
                most = fmax(most, (double)step_ticks(top, k, p) * seconds_per_tick(f));
    }
    return most;
}

/* How often each step took how long. An interval holds its end, so a delay belongs to the bar that
 * ends with it. */
static void make_finding(const figure *f, uint32_t e, const spk_lag_axis *axis, uint64_t *bars,
                         double *bands, spk_example *finding)
{
    const spk_shown_episode *top = &f->selection.top[e];
    *finding = (spk_example){
        .n_rows = top->size, .units = top->unit, .band_from = bands, .band_to = bands + top->size};
    for (uint32_t p = 1; p < top->size; p++) {
        bands[p] = spk_duration_seconds(top->delays[p - 1].lo);
        bands[top->size + p] = spk_duration_seconds(top->delays[p - 1].hi);
        for (uint64_t k = 0; k < top->n; k++) {
            const uint64_t delay = step_ticks(top, k, p);
            bars[p * axis->n_bars + spk_lag_axis_bar(axis, delay - (delay > 0))]++;
        }
    }
    spk_lag_axis_take(axis, bars, finding);
    finding->bars_hold_end = true;
    spk_finding_tell(&f->exact, top->index, top->n, finding);
}

static spk_status make_findings(figure *f)
{
    if (f->options->exact == NULL)
        return SPK_OK;
    const double longest = largest_delay(f); /* round bars end where round delays end */
    const double bar = longest > 0 ? spk_nice_step(longest / SPK_LAG_BARS) : 0;
    const spk_lag_axis axis = spk_lag_axis_make(longest, bar, spk_recording_rate(f->recording));
    uint64_t n = 0;
    for (uint32_t e = 0; e < f->selection.n_top; e++)
        n += f->selection.top[e].size;
    spk_status status =
        spk_alloc_columns(f->context, "lags", SPK_COLUMN_ZERO(&f->bars, n * axis.n_bars),
                          SPK_COLUMN_ZERO(&f->bands, 2 * n));
    n = 0;
    for (uint32_t e = 0; e < f->selection.n_top && status == SPK_OK; e++) {
        make_finding(f, e, &axis, f->bars + n * axis.n_bars, f->bands + 2 * n, &f->finding[e]);
        n += f->selection.top[e].size;
    }
    return status;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void raster_heading(const figure *f, char *text, size_t size)
{
    char shown[32];
    char all[32];
    if (spk_recording_events(f->recording).n_events == 0)
        snprintf(text, size, "The recording has no spikes");
    else if (f->episodes->n == 0 && f->options->exact != NULL)
        spk_nothing_tell(f->exact.n_tested, f->exact.n_significant, f->exact.alpha, "episode", text,
                         size);
    else if (f->episodes->n == 0)
        spk_nothing_tell(0, 0, 0, "episode", text, size);
    else if (f->selection.n_top == 0)
        snprintf(text, size, "Spikes of all units");
    else
        snprintf(text, size,
                 "Spikes, units of the examples on top; %s of %s occurrences lie in this stretch",
                 spk_group_digits(f->selection.n_in_stretch, shown),
                 spk_group_digits(f->selection.n_occurrences, all));
}

static void examples_heading(const figure *f, char *text, size_t size)
{
    char number[32];
    if (f->selection.n_top == 0)
        snprintf(text, size, "No episode of two or more positions to show");
    else if (f->selection.n_unlike == 0)
        snprintf(text, size, "An occurrence of each example; shaded: the delays allowed");
    else
        snprintf(text, size,
                 "An occurrence of each example; shaded: the delays allowed; %s other episode%s "
                 "not drawn",
                 spk_group_digits(f->selection.n_unlike, number),
                 f->selection.n_unlike == 1 ? " is" : "s are");
}

static void graph_heading(const figure *f, char *text, size_t size)
{
    char drawn[32];
    char found[32];
    spk_group_digits(f->graph.n_pairs, drawn);
    spk_group_digits(f->graph.n_found, found);
    const char *above = f->graph.excess ? " above chance" : "";
    const bool tested = f->options->exact != NULL || f->options->expected != NULL;
    if (f->graph.n_found == 0)
        snprintf(text, size, "Who follows whom%s", above);
    else if (f->graph.n_pairs < f->graph.n_found)
        snprintf(text, size, "Who follows whom%s: %s of %s pairs, at most %d from and to a unit%s",
                 above, drawn, found, SPK_GRAPH_PER_UNIT, tested ? "" : "; not tested");
    else
        snprintf(text, size, "Who follows whom%s: %s pair%s%s", above, found,
                 f->graph.n_found == 1 ? "" : "s", tested ? "" : "; not tested");
}

static spk_status describe_episode(const figure *f, uint32_t e, spk_text *text)
{
    char *label = NULL;
    uint64_t i = f->selection.top[e].index;
    size_t length = spk_episode_format(f->recording, f->episodes, i, NULL, 0);
    spk_status status = spk_alloc(f->context, &label, length + 1, "a legend");
    if (status != SPK_OK)
        return status;
    spk_episode_format(f->recording, f->episodes, i, label, length + 1);
    status = spk_text_add(f->context, text, "%u: %llu occurrences of %s\n", (unsigned)e + 1,
                          (unsigned long long)f->selection.top[e].n, label);
    if (status == SPK_OK && f->options->exact != NULL)
        status = spk_finding_describe(f->context, &f->finding[e], text);
    free(label);
    return status;
}

/* What the picture says, as text for search and screen readers. */
static spk_status describe(const figure *f)
{
    spk_text text = {NULL, 0, 0};
    char heading[160];
    raster_heading(f, heading, sizeof heading);
    spk_status status = spk_text_add(f->context, &text, "%s.\n", heading);
    for (uint32_t e = 0; e < f->selection.n_top && status == SPK_OK; e++)
        status = describe_episode(f, e, &text);
    graph_heading(f, heading, sizeof heading);
    if (status == SPK_OK && f->episodes->n > 0)
        status = spk_text_add(f->context, &text, "%s.", heading);
    if (status == SPK_OK)
        spk_canvas_describe(
            f->canvas, f->options->title != NULL ? f->options->title : "Repeated firing patterns",
            text.bytes);
    free(text.bytes);
    return status;
}

/* ---- panels ---------------------------------------------------------------------------------- */

static spk_status draw_raster(const figure *f, const spk_page_panel *panel)
{
    char heading[160];
    raster_heading(f, heading, sizeof heading);
    const spk_box box = spk_page_begin_panel(f->canvas, &f->page, panel, heading);
    if (spk_recording_events(f->recording).n_events == 0)
        return SPK_OK;
    spk_raster_panel raster = {.recording = f->recording,
                               .stretch = f->selection.stretch,
                               .n_examples = f->selection.n_top};
    for (uint32_t e = 0; e < raster.n_examples; e++) {
        const spk_shown_episode *top = &f->selection.top[e];
        raster.example[e] = (spk_raster_example){top->size, top->unit, top->n, top->time,
                                                 spk_selection_example(&f->selection, e)};
    }
    return spk_raster_panel_draw(f->context, f->canvas, &f->page, box, &raster);
}

static spk_status draw_examples(const figure *f, const spk_page_panel *panel)
{
    char heading[160];
    examples_heading(f, heading, sizeof heading);
    spk_box box = spk_page_begin_panel(f->canvas, &f->page, panel, heading);
    return spk_examples_draw(f->context, f->canvas, &f->page, box, f->columns, f->recording,
                             f->n_examples, f->example, "Time after the first spike");
}

static spk_status draw_findings(const figure *f, const spk_page_panel *panel)
{
    spk_box box = spk_page_begin_panel(
        f->canvas, &f->page, panel,
        f->n_examples == 0 ? "No episode of two or more positions to show"
                           : "The test, and delays in all occurrences; shaded: the delays allowed");
    return spk_examples_draw(f->context, f->canvas, &f->page, box, f->columns, f->recording,
                             f->n_examples, f->finding, "Delay behind the unit above");
}

static void draw_graph(figure *f, const spk_page_panel *panel)
{
    char heading[160];
    spk_box least = panel->box; /* below a heading of two lines */
    least.height -= 3.3 * f->page.em;
    spk_graph_fit(f->canvas, &f->page, least, f->recording, &f->graph);
    graph_heading(f, heading, sizeof heading);
    spk_box box = spk_page_begin_panel(f->canvas, &f->page, panel, heading);
    spk_graph_draw(f->canvas, &f->page, box, f->recording, &f->graph);
}

static spk_status draw_page(figure *f)
{
    spk_status status = SPK_OK;
    spk_page_draw_title(f->canvas, &f->page, f->options, f->options->exact,
                        f->options->exact != NULL || f->options->expected != NULL);
    for (uint32_t k = 0; k < f->page.n && status == SPK_OK; k++) {
        const spk_page_panel *panel = &f->page.panel[k];
        if (panel->id == 'a')
            status = draw_raster(f, panel);
        else if (panel->id == 'b')
            status = draw_examples(f, panel);
        else if (panel->id == 'c')
            draw_graph(f, panel);
        else
            status = draw_findings(f, panel);
    }
    return status == SPK_OK ? spk_canvas_status(f->canvas) : status;
}

spk_status spk_draw_episodes(spk_context *context, spk_canvas *canvas,
                             const spk_recording *recording, const spk_episode_columns *episodes,
                             const spk_figure_options *given)
{
    spk_figure_options options = *given;
    figure f = {.context = context,
                .canvas = canvas,
                .recording = recording,
                .episodes = episodes,
                .options = &options};
    spk_status status = report_check_episodes(context, recording, episodes);
    if (status == SPK_OK)
        status = take_test(&f, &options);
    if (status == SPK_OK)
        status = spk_selection_make(context, recording, episodes, &options, &f.selection);
    if (status == SPK_OK)
        status = spk_graph_make(context, episodes, options.expected, &f.graph);
    if (status == SPK_OK)
        status = make_examples(&f);
    if (status == SPK_OK)
        status = make_findings(&f);
    if (status == SPK_OK)
        status = lay_out(&f);
    if (status == SPK_OK)
        status = draw_page(&f);
    if (status == SPK_OK)
        status = describe(&f);
    spk_selection_free(&f.selection);
    spk_free_all(f.times, f.bars, f.bands);
    return status;
}
