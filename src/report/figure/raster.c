/* Rasters. The number of marks is bounded by the pixels, not by the events, so that recordings with
 * millions of events give files of ordinary size. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/raster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/figure/palette.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static double row_height(const spk_raster *raster, spk_box box)
{
    return box.height / (raster->n_rows > 0 ? raster->n_rows : 1);
}

double spk_raster_row_y(const spk_raster *raster, spk_box box, uint32_t row)
{
    return box.y + (row + 0.5) * row_height(raster, box);
}

static uint32_t row_unit(const spk_raster *raster, uint32_t row)
{
    assert(row < raster->n_rows);
    return raster->units != NULL ? raster->units[row] : row;
}

static void draw_labels(spk_canvas *canvas, spk_box box, const spk_raster *raster)
{
    spk_text_style style = {.size = raster->text_size, .align = SPK_ALIGN_RIGHT, .colour = SPK_INK};
    double least = 1.3 * raster->text_size;
    uint32_t step = 1;
    if (row_height(raster, box) < least)
        step = (uint32_t)fmax(1, spk_nice_step(least / row_height(raster, box), 1));
    while (step * row_height(raster, box) < 0.9 * least)
        step *= 2;
    for (uint32_t row = 0; row < raster->n_rows; row += step) {
        double y = spk_raster_row_y(raster, box, row);
        const char *label = spk_recording_label(raster->recording, row_unit(raster, row));
        spk_canvas_line(canvas, (spk_point){box.x - 4, y}, (spk_point){box.x, y}, 1, SPK_INK);
        double width = spk_canvas_text_width(canvas, style, label);
        spk_point at = {box.x - 8, y};
        if (width <= 52) {
            spk_canvas_text(canvas, at, style, label);
        } else { /* long names keep their beginning */
            spk_text_style left = style;
            left.align = SPK_ALIGN_LEFT;
            spk_canvas_paragraph(canvas, (spk_point){box.x - 60, y}, 52, 1, left, label);
        }
        if (raster->n_rows - row <= step)
            break;
    }
}

/* ---- spikes ---------------------------------------------------------------------------------- */

/* Marks of one pixel row, waiting to be drawn. */
typedef struct marks {
    uint32_t n_columns;
    unsigned char *column;
    spk_box *run; /* neighbouring columns become one box */
} marks;

static void flush_marks(spk_canvas *canvas, marks *m, spk_box box, double y, double height)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < m->n_columns; c++) {
        if (m->column[c] == 0)
            continue;
        uint32_t first = c;
        while (c + 1 < m->n_columns && m->column[c + 1] != 0)
            c++;
        m->run[n++] = (spk_box){box.x + first, y, c - first + 1.0, height};
    }
    /* Small marks need more ink. */
    spk_canvas_fill_boxes(canvas, n, m->run, height < 6 ? SPK_INK_SOFT : SPK_SPIKE_GREY);
    memset(m->column, 0, m->n_columns);
}

/* First of the unit's events (as a place in by_unit) at or after `time`. */
static uint64_t first_at(const spk_events *events, uint32_t unit, int64_t time)
{
    uint64_t low = events->unit_first[unit];
    uint64_t high = events->unit_first[unit + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (events->time[events->by_unit[middle]] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void mark_unit(const spk_raster *raster, spk_box box, uint32_t unit, marks *m)
{
    spk_events events = spk_recording_events(raster->recording);
    int64_t last = spk_stretch_last(raster->stretch);
    for (uint64_t k = first_at(&events, unit, raster->stretch.start);
         k < events.unit_first[unit + 1]; k++) {
        int64_t time = events.time[events.by_unit[k]];
        if (time > last)
            break;
        double column = floor(spk_time_x(raster->stretch, box, time) - box.x);
        m->column[column < m->n_columns ? (uint32_t)column : m->n_columns - 1] = 1;
    }
}

spk_status spk_raster_draw_spikes(spk_context *context, spk_canvas *canvas, spk_box box,
                                  const spk_raster *raster)
{
    marks m = {.n_columns = (uint32_t)fmax(1, floor(box.width))};
    spk_status status = spk_alloc_bytes_zero(context, &m.column, m.n_columns, 1, "a picture's row");
    if (status == SPK_OK)
        status = spk_alloc(context, &m.run, m.n_columns / 2 + 1, "a picture's row");
    if (status != SPK_OK)
        goto done;
    /* Rows thinner than a pixel share one. */
    double height = row_height(raster, box);
    double pixel = fmax(1, height);
    double drawn_height = height >= 3 ? 0.8 * height : pixel;
    if (drawn_height > 14)
        drawn_height = 14;
    double y = -1;
    for (uint32_t row = 0; row < raster->n_rows; row++) {
        double row_y = height >= 1 ? spk_raster_row_y(raster, box, row) - drawn_height / 2
                                   : box.y + floor(row * height);
        if (row > 0 && row_y != y)
            flush_marks(canvas, &m, box, y, drawn_height);
        y = row_y;
        mark_unit(raster, box, row_unit(raster, row), &m);
    }
    flush_marks(canvas, &m, box, y, drawn_height);
    draw_labels(canvas, box, raster);
done:
    free(m.column);
    free(m.run);
    return status;
}

/* ---- occurrences ----------------------------------------------------------------------------- */

static bool touches(spk_stretch stretch, const int64_t *time, uint32_t size)
{
    int64_t first = time[0];
    int64_t last = time[0];
    for (uint32_t p = 1; p < size; p++) {
        first = time[p] < first ? time[p] : first;
        last = time[p] > last ? time[p] : last;
    }
    return last >= stretch.start && first <= spk_stretch_last(stretch);
}

/* Draws the ticks over the line; outside parts are cut by the caller's clip. */
static void draw_occurrence(spk_canvas *canvas, const spk_raster *raster, spk_box box,
                            const spk_raster_group *group, const spk_point *point, spk_box *tick)
{
    double height = fmin(14, fmax(6, 0.9 * row_height(raster, box)));
    double width = height > 8 ? 2.6 : 2.2;
    for (uint32_t p = 0; p < group->size; p++)
        tick[p] = (spk_box){point[p].x - width / 2, point[p].y - height / 2, width, height};
    spk_canvas_polyline(canvas, group->size, point, group->line_width,
                        spk_colour_alpha(group->colour, 0.75));
    spk_canvas_fill_boxes(canvas, group->size, tick, group->colour);
}

spk_status spk_raster_draw_group(spk_context *context, spk_canvas *canvas, spk_box box,
                                 const spk_raster *raster, const spk_raster_group *group)
{
    spk_point *point = NULL;
    spk_box *tick = NULL;
    uint64_t drawn = 0;
    /* The occurrence before and this one take turns in the two halves. */
    spk_status status = spk_alloc_columns(context, "a picture's occurrence",
                                          SPK_COLUMN(&point, 2 * (uint64_t)group->size),
                                          SPK_COLUMN(&tick, group->size));
    if (status != SPK_OK)
        goto done;
    spk_canvas_clip(canvas, (spk_box){box.x - 2, box.y - 2, box.width + 4, box.height + 4});
    for (uint64_t k = 0; k < group->n; k++) {
        const int64_t *time = group->time + k * group->size;
        spk_point *now = point + (drawn % 2) * group->size;
        const spk_point *before = point + ((drawn + 1) % 2) * group->size;
        bool same = drawn > 0;
        if (!touches(raster->stretch, time, group->size))
            continue;
        for (uint32_t p = 0; p < group->size; p++) {
            now[p] = (spk_point){spk_time_x(raster->stretch, box, time[p]),
                                 spk_raster_row_y(raster, box, group->row[p])};
            same = same && floor(now[p].x) == floor(before[p].x);
        }
        if (same)
            continue;
        draw_occurrence(canvas, raster, box, group, now, tick);
        drawn++;
    }
    spk_canvas_unclip(canvas);
done:
    free(point);
    free(tick);
    return status;
}
#endif
