/* The picture of SPADE patterns: raster with the top patterns, and statistics of all. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/figure/bars.h"
#include "report/figure/draw.h"
#include "report/figure/page.h"
#include "report/figure/palette.h"
#include "report/figure/pattern_figure.h"
#include "report/figure/raster.h"

/* Length of the stretch in windows: single occurrences stay visible. */
enum { STRETCH_WINDOWS = 30, MOST_BARS = 60 };

/* Occurrences of one drawn pattern as points of the raster. */
typedef struct shown {
    uint64_t n;
    int64_t *time;                  /* n * size */
    uint32_t row[PATTERN_MAX_SIZE]; /* per point: its unit */
} shown;

typedef struct picture {
    spk_context *context;
    spk_canvas *canvas;
    const spk_pattern_figure *figure;
    spk_stretch stretch;
    shown shown[PATTERN_TOP];
} picture;

/* ---- occurrences ----------------------------------------------------------------------------- */

/* A spike of a pattern is drawn in the middle of its bin. */
static int64_t spike_time(const spk_pattern_figure *figure, int64_t start, uint32_t lag)
{
    return start + (int64_t)((lag + 0.5) * figure->bin_ticks);
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
    return SPK_OK;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The stretch that holds most occurrences. */
static spk_status choose_stretch(picture *p)
{
    const spk_pattern_figure *figure = p->figure;
    double ticks = STRETCH_WINDOWS * figure->bin_ticks * figure->window;
    p->stretch =
        (spk_stretch){spk_recording_start(figure->recording), ticks < 1 ? 1 : (uint64_t)ticks};
    uint64_t n = 0;
    for (uint32_t k = 0; k < figure->n_top; k++)
        n += p->shown[k].n;
    int64_t *start = NULL;
    spk_status status = spk_alloc(p->context, &start, n, "occurrences");
    if (status != SPK_OK)
        return status;
    n = 0;
    for (uint32_t k = 0; k < figure->n_top; k++)
        for (uint64_t i = 0; i < p->shown[k].n; i++)
            start[n++] = p->shown[k].time[i * figure->top[k].size];
    qsort(start, (size_t)n, sizeof *start, compare_times);
    uint64_t first = 0;
    uint64_t most = 0;
    for (uint64_t last = 0; last < n; last++) {
        while (spk_time_difference(start[last], start[first]) + p->stretch.length / 10 >
               p->stretch.length)
            first++;
        if (last - first + 1 > most) {
            most = last - first + 1;
            p->stretch.start = start[first] - (int64_t)(p->stretch.length / 20);
        }
    }
    free(start);
    return SPK_OK;
}

/* ---- panels ---------------------------------------------------------------------------------- */

static spk_status draw_raster(const picture *p, spk_box box)
{
    const spk_pattern_figure *figure = p->figure;
    spk_raster raster = {.recording = figure->recording,
                         .stretch = p->stretch,
                         .n_rows = figure->n_units,
                         .text_size = 11.5};
    spk_box plot = {box.x + 66, box.y + 28, box.width - 70, box.height - 28 - 44};
    spk_page_heading(p->canvas, box, "a", "Where the coloured patterns occur most densely");
    spk_status status = spk_raster_draw_spikes(p->context, p->canvas, plot, &raster);
    for (uint32_t k = figure->n_top; k > 0 && status == SPK_OK; k--) {
        const shown *s = &p->shown[k - 1];
        spk_raster_group group = {.colour = spk_palette_group(k - 1),
                                  .size = figure->top[k - 1].size,
                                  .n = s->n,
                                  .time = s->time,
                                  .row = s->row,
                                  .line_width = 1.1};
        status = spk_raster_draw_group(p->context, p->canvas, plot, &raster, &group);
    }
    spk_draw_time_axis(p->canvas, plot, p->stretch, spk_recording_rate(figure->recording), 0,
                       "Time", 12.5);
    return status;
}

/* A line for every coloured pattern: occurrences, then unit@lag. */
static void draw_legend(const picture *p, spk_box box)
{
    const spk_pattern_figure *figure = p->figure;
    spk_page_heading(p->canvas, box, "b",
                     figure->n_top > 0 ? "Coloured patterns: occurrences, then unit@lag in bins"
                                       : "There are no patterns");
    for (uint32_t k = 0; k < figure->n_top; k++) {
        const top_pattern *top = &figure->top[k];
        char text[1024];
        int used = snprintf(text, sizeof text, "%" PRIu32 " \xc3\x97  ", top->count);
        const uint64_t offset[] = {0, top->size};
        const spk_pattern_columns alone = {
            .n = 1, .window = figure->window, .offset = offset, .item = top->item};
        spk_pattern_format(figure->recording, &alone, 0, text + used, sizeof text - (size_t)used);
        double y = box.y + 28 + 21 * k;
        spk_text_style style = {.size = 13, .colour = SPK_INK};
        spk_canvas_fill_box(p->canvas, (spk_box){box.x, y - 6, 16, 12}, spk_palette_group(k));
        spk_canvas_paragraph(p->canvas, (spk_point){box.x + 26, y}, box.width - 26, 1, style, text);
    }
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* Bars of the entries first .. last of a histogram, put together until at most MOST_BARS are left.
 */
static void draw_histogram(const picture *p, spk_box box, const char *label, const uint64_t *count,
                           uint64_t first, uint64_t last,
                           const char *(*name)(const void *, uint64_t))
{
    uint64_t bar[MOST_BARS] = {0};
    uint64_t step = (last - first) / MOST_BARS + 1;
    for (uint64_t k = first; k <= last; k++)
        bar[(k - first) / step] += count[k];
    spk_bars bars = {.n = (uint32_t)((last - first) / step + 1),
                     .count = bar,
                     .from = first,
                     .step = step,
                     .label = label,
                     .name = name,
                     .user = p->figure->recording,
                     .colour = spk_palette_group(1)};
    spk_bars_draw(p->canvas, box, &bars);
}

/* Shrinks first .. last to where there is something. */
static void trim(const uint64_t *count, uint64_t *first, uint64_t *last)
{
    while (*first < *last && count[*first] == 0)
        ++*first;
    while (*last > *first && count[*last] == 0)
        --*last;
}

static const char *unit_name(const void *recording, uint64_t unit)
{
    return spk_recording_label(recording, (uint32_t)unit);
}

static void draw_statistics(const picture *p, spk_box box)
{
    const spk_pattern_figure *f = p->figure;
    const struct {
        const char *letter;
        const char *heading;
        const char *label;
        const uint64_t *count;
        uint64_t last;
        const char *(*name)(const void *, uint64_t);
    } panels[] = {
        {"c", "Patterns that a neuron takes part in", "Neuron", f->by_unit,
         f->n_units > 0 ? f->n_units - 1 : 0, unit_name},
        {"d", "Patterns by number of spikes", "Spikes", f->by_size, PATTERN_MAX_SIZE, NULL},
        {"e", "Patterns by number of occurrences", "Occurrences", f->by_count,
         spk_windows_columns(f->windows).n_windows, NULL},
        {"f", "Spikes behind the first, by lag", "Lag (bins)", f->by_lag, f->window - 1, NULL},
    };
    double height = box.height / 4;
    for (uint32_t k = 0; k < 4; k++) {
        spk_box panel = {box.x, box.y + k * height, box.width, height - 16};
        uint64_t first = 0;
        uint64_t last = panels[k].last;
        spk_page_heading(p->canvas, panel, panels[k].letter, panels[k].heading);
        if (f->n_patterns == 0 || f->n_units == 0)
            continue;
        if (k != 0 && k != 3)
            trim(panels[k].count, &first, &last);
        panel.y += 20;
        panel.height -= 20;
        draw_histogram(p, panel, panels[k].label, panels[k].count, first, last, panels[k].name);
    }
}

static spk_status draw_page(const picture *p, const spk_figure_options *options)
{
    spk_box page = spk_canvas_page(p->canvas);
    double top = spk_page_title(p->canvas, options->title, options->caption);
    double left = 0.645 * page.width;
    double legend = 28 + 21 * PATTERN_TOP;
    double height = page.height - top - 14;
    spk_status status = draw_raster(p, (spk_box){28, top, left - 28, height - legend - 10});
    draw_legend(p, (spk_box){28, page.height - legend, left - 28, legend});
    draw_statistics(p, (spk_box){left + 44, top, page.width - left - 44 - 28, height});
    return status;
}

spk_status spk_draw_patterns(spk_context *context, const spk_pattern_figure *figure,
                             const spk_figure_options *options, const char *path)
{
    picture p = {.context = context, .figure = figure};
    spk_pattern_locator *locator = NULL;
    spk_status status = spk_canvas_create(context, path, &p.canvas);
    if (status == SPK_OK)
        status = spk_canvas_set_page(p.canvas, options->width_px, options->height_px, 72);
    if (status == SPK_OK)
        status = spk_pattern_locator_create(context, figure->windows, &locator);
    for (uint32_t k = 0; k < figure->n_top && status == SPK_OK; k++)
        status = locate(&p, locator, k);
    if (status == SPK_OK)
        status = choose_stretch(&p);
    if (status == SPK_OK)
        status = draw_page(&p, options);
    if (status == SPK_OK)
        status = spk_canvas_save(p.canvas);
    spk_canvas_free(p.canvas);
    spk_pattern_locator_free(locator);
    for (uint32_t k = 0; k < PATTERN_TOP; k++)
        free(p.shown[k].time);
    return status;
}
#endif
