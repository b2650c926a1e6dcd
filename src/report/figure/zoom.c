/* Close-ups of single occurrences. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/zoom.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "report/figure/raster.h"
#include "report/figure/text.h"

static const double TEXT_SIZE = 11.5;

uint32_t spk_zoom_n_rows(uint32_t n_top)
{
    return n_top == 0 ? 0 : n_top <= 3 ? 1 : 2;
}

uint64_t spk_zoom_occurrence(const spk_selection *selection, uint32_t e)
{
    assert(e < selection->n_top);
    const spk_shown_episode *top = &selection->top[e];
    spk_stretch stretch = selection->stretch;
    int64_t last = spk_stretch_last(stretch);
    /* Spread over the stretch, so that the marks of the close-ups do not pile up. */
    uint64_t step = stretch.length / (2 * (uint64_t)selection->n_top);
    uint64_t k = spk_shown_episode_at(
        top, spk_stretch_last((spk_stretch){stretch.start, step * (2 * e + 1)}));
    while (k > 0 && (k == top->n || top->time[(k + 1) * top->size - 1] > last))
        k--;
    return k;
}

/* The occurrence with a third of its duration on either side. */
static spk_stretch stretch_around(const int64_t *time, uint32_t size)
{
    uint64_t duration = spk_time_difference(time[size - 1], time[0]);
    uint64_t margin = duration / 3 + 1;
    uint64_t before = spk_time_difference(time[0], INT64_MIN);
    int64_t start = (int64_t)((uint64_t)time[0] - (margin < before ? margin : before));
    uint64_t length = spk_time_difference(time[size - 1], start);
    return (spk_stretch){start, length > UINT64_MAX - margin ? UINT64_MAX : length + margin};
}

/* Shades (lo, hi] after the spike before, in the row of each later position. */
static void draw_delays(spk_canvas *canvas, spk_box box, const spk_raster *raster,
                        const spk_shown_episode *top, const int64_t *time, spk_colour colour)
{
    spk_rate rate = spk_recording_rate(raster->recording);
    double per_tick = box.width / (double)raster->stretch.length;
    double height = box.height / raster->n_rows;
    spk_canvas_clip(canvas, box);
    for (uint32_t p = 1; p < top->size; p++) {
        double x = spk_time_x(raster->stretch, box, time[p - 1]);
        double lo = per_tick * (double)spk_duration_ticks(top->delays[p - 1].lo, rate);
        double hi = per_tick * (double)spk_duration_ticks(top->delays[p - 1].hi, rate);
        double left = fmin(x + lo, box.x + box.width);
        double right = fmin(x + hi, box.x + box.width);
        spk_canvas_fill_box(canvas,
                            (spk_box){left, spk_raster_row_y(raster, box, p) - 0.42 * height,
                                      right - left, 0.84 * height},
                            spk_colour_alpha(colour, 0.14));
    }
    spk_canvas_unclip(canvas);
}

static void draw_heading(spk_canvas *canvas, spk_box box, const spk_shown_episode *top,
                         const char *label, spk_colour colour)
{
    char number[32];
    char count[48];
    snprintf(count, sizeof count, "%s \xc3\x97", spk_text_count(top->n, number));
    spk_canvas_fill_box(canvas, (spk_box){box.x, box.y + 2, 5, 32}, colour);
    spk_text_style style = {.size = 12, .bold = true, .colour = SPK_INK};
    spk_canvas_text(canvas, (spk_point){box.x + 12, box.y + 10}, style, count);
    double indent = 20 + spk_canvas_text_width(canvas, style, count);
    style.bold = false;
    spk_canvas_paragraph(canvas, (spk_point){box.x + indent, box.y + 10}, box.width - indent, 2,
                         style, label);
}

static spk_status draw_panel(spk_context *context, spk_canvas *canvas, spk_box box,
                             const spk_recording *recording, const spk_selection *selection,
                             uint32_t e, const char *label)
{
    const spk_shown_episode *top = &selection->top[e];
    spk_colour colour = spk_palette_group(e);
    draw_heading(canvas, box, top, label, colour);
    uint64_t k = spk_zoom_occurrence(selection, e);
    if (k >= top->n)
        return SPK_OK;
    uint32_t row[SPK_EPISODE_MAX_SIZE];
    for (uint32_t p = 0; p < top->size; p++)
        row[p] = p;
    const int64_t *time = top->time + k * top->size;
    spk_raster raster = {.recording = recording,
                         .stretch = stretch_around(time, top->size),
                         .n_rows = top->size,
                         .units = top->unit,
                         .text_size = TEXT_SIZE};
    spk_raster_group group = {
        .colour = colour, .size = top->size, .n = 1, .time = time, .row = row, .line_width = 1.4};
    spk_box plot = {box.x + 44, box.y + 42, box.width - 52, box.height - 42 - 38};
    draw_delays(canvas, plot, &raster, top, time, colour);
    spk_status status = spk_raster_draw_spikes(context, canvas, plot, &raster);
    if (status == SPK_OK)
        status = spk_raster_draw_group(context, canvas, plot, &raster, &group);
    spk_draw_time_axis(canvas, plot, raster.stretch, spk_recording_rate(recording), time[0],
                       "Time after the first spike", TEXT_SIZE);
    return status;
}

spk_status spk_zoom_draw(spk_context *context, spk_canvas *canvas, spk_box box,
                         const spk_recording *recording, const spk_selection *selection,
                         char *const *labels)
{
    uint32_t n_rows = spk_zoom_n_rows(selection->n_top);
    uint32_t n_columns = n_rows > 0 ? (selection->n_top + n_rows - 1) / n_rows : 0;
    spk_status status = SPK_OK;
    for (uint32_t e = 0; e < selection->n_top && status == SPK_OK; e++) {
        double gap = 18;
        double width = (box.width - gap * (n_columns - 1)) / n_columns;
        double height = (box.height - 12 * (n_rows - 1.0)) / n_rows;
        uint32_t row = e / n_columns;
        uint32_t column = e % n_columns;
        spk_box panel = {box.x + (width + gap) * column, box.y + (height + 12) * row, width,
                         height};
        status = draw_panel(context, canvas, panel, recording, selection, e, labels[e]);
    }
    return status;
}
#endif
