/* Rasters. The number of marks is bounded by the page, not by the events, so that recordings with
 * millions of events give files of ordinary size. */
#include "report/figure/raster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/segments.h"
#include "report/figure/canvas.h"
#include "report/figure/labels.h"

/* Marks lie on a grid as fine as thin lines. */
static double grid_of(const spk_raster *raster)
{
    return SPK_THIN(raster->text_size);
}

/* ---- rows ------------------------------------------------------------------------------------ */

double spk_raster_height(uint32_t n_units, uint32_t n_first)
{
    const double least = 13, most = 32, row = 1.4, most_first = 48;
    return fmin(most_first, fmax(8 + row * n_first, fmin(most, fmax(least, 8 + row * n_units))));
}

static double row_height(const spk_raster *raster, double height)
{
    return height / (raster->n_rows > 0 ? raster->n_rows : 1);
}

double spk_raster_row_y(const spk_raster *raster, spk_box box, uint32_t row)
{
    return box.y + (row + 0.5) * row_height(raster, box.height);
}

static uint32_t row_unit(const spk_raster *raster, uint32_t row)
{
    assert(row < raster->n_rows);
    return raster->units != NULL ? raster->units[row] : row;
}

static const char *row_label(const spk_raster *raster, uint32_t row)
{
    return spk_recording_label(raster->recording, row_unit(raster, row));
}

/* Which rows have labels. */
typedef struct label_rule {
    uint32_t step; /* rows from one to the next: 1, 2, 5, 10 ... */
    bool round;    /* the names are numbers, and labels stand where `step` divides them */
} label_rule;

/* Whether rows are in the order of their units, and round numbers give about as many labels as
 * every step-th row does; and how near two of them come. */
static bool has_round_labels(const spk_raster *raster, uint32_t step, uint32_t *nearest)
{
    uint32_t n = 0, before = 0;
    *nearest = UINT32_MAX;
    for (uint32_t row = 0; step > 1 && row < raster->n_rows; row++) {
        if (row > 0 && row_unit(raster, row) < row_unit(raster, row - 1))
            return false;
        if (!spk_label_is_round(row_label(raster, row), step))
            continue;
        if (n++ > 0 && row - before < *nearest)
            *nearest = row - before;
        before = row;
    }
    return n > 1 && n >= raster->n_rows / step / 2;
}

/* As many labels as do not touch. */
static label_rule make_rule(const spk_raster *raster, double height)
{
    const double line = 1.05; /* of a text */
    const double least = fmin(1e9, line * raster->text_size / row_height(raster, height));
    const uint32_t finest = least <= 1 ? 1 : (uint32_t)fmin(1e9, spk_nice_step(least));
    label_rule rule = {finest, false};
    uint32_t nearest;
    while ((rule.round = has_round_labels(raster, rule.step, &nearest)) && nearest < least &&
           rule.step <= raster->n_rows)
        rule.step = (uint32_t)spk_nice_step(rule.step + 1.0);
    rule.round = rule.round && nearest >= least;
    return rule.round ? rule : (label_rule){finest, false};
}

/* The next row behind `row` that has a label, n_rows when there is none; from -1 on. */
static uint32_t next_labelled(const spk_raster *raster, const label_rule *rule, int64_t row)
{
    uint64_t next = row < 0 ? 0 : (uint64_t)row + (rule->round ? 1 : rule->step);
    while (rule->round && next < raster->n_rows &&
           !spk_label_is_round(row_label(raster, (uint32_t)next), rule->step))
        next++;
    return next < raster->n_rows ? (uint32_t)next : raster->n_rows;
}

double spk_raster_gutter(spk_canvas *canvas, const spk_raster *raster, double height, double most)
{
    spk_text_style style = {.size = raster->text_size};
    const label_rule rule = make_rule(raster, height);
    double widest = 0;
    for (uint32_t row = next_labelled(raster, &rule, -1); row < raster->n_rows;
         row = next_labelled(raster, &rule, row))
        widest = fmax(widest, spk_canvas_text_width(canvas, style, row_label(raster, row)));
    return fmin(most, widest + 0.7 * raster->text_size);
}

void spk_raster_draw_labels(spk_canvas *canvas, spk_box box, const spk_raster *raster,
                            double gutter)
{
    double size = raster->text_size;
    spk_text_style style = {.size = size, .align = SPK_ALIGN_RIGHT, .colour = SPK_INK};
    const label_rule rule = make_rule(raster, box.height);
    spk_labels labels = spk_labels_make(raster->recording);
    for (uint32_t row = next_labelled(raster, &rule, -1); row < raster->n_rows;
         row = next_labelled(raster, &rule, row)) {
        double y = spk_raster_row_y(raster, box, row);
        spk_canvas_line(canvas, (spk_point){box.x - 0.3 * size, y}, (spk_point){box.x, y},
                        SPK_THIN(size), SPK_INK);
        spk_labels_draw(canvas, (spk_point){box.x - 0.55 * size, y}, gutter - 0.65 * size, style,
                        &labels, row_unit(raster, row));
    }
}

void spk_raster_draw_side_title(spk_canvas *canvas, double x, spk_box box, double size)
{
    spk_text_style style = {
        .size = size, .align = SPK_ALIGN_CENTRE, .angle = -1.5707963267948966, .colour = SPK_INK};
    spk_canvas_text(canvas, (spk_point){x, box.y + box.height / 2}, style, "Unit");
}

/* ---- spikes ---------------------------------------------------------------------------------- */

/* Marks of one row of the grid, waiting to be drawn. */
typedef struct marks {
    uint32_t n_columns;
    double column_width;
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
        m->run[n++] = (spk_box){box.x + first * m->column_width, y,
                                (c - first + 1.0) * m->column_width, height};
    }
    /* Small marks need more ink. */
    spk_canvas_fill_boxes(canvas, n, m->run,
                          height < 6 * m->column_width ? SPK_INK_SOFT : SPK_SPIKE_GREY);
    memset(m->column, 0, m->n_columns);
}

static void mark_unit(const spk_raster *raster, spk_box box, uint32_t unit, marks *m)
{
    spk_events events = spk_recording_events(raster->recording);
    int64_t last = spk_stretch_last(raster->stretch);
    for (uint64_t k = spk_unit_first_from(&events, unit, raster->stretch.start);
         k < events.unit_first[unit + 1]; k++) {
        int64_t time = events.time[events.by_unit[k]];
        if (time > last)
            break;
        double column = floor((spk_time_x(raster->stretch, box, time) - box.x) / m->column_width);
        m->column[column < m->n_columns ? (uint32_t)column : m->n_columns - 1] = 1;
    }
}

/* ---- segments -------------------------------------------------------------------------------- */

/* Borders nearer than this to the one before are not drawn as lines of their own. */
static const double NEAR_BORDER = 3; /* points */

static spk_box gap_box(const spk_raster *raster, spk_box box, int64_t from, int64_t to)
{
    const double least = SPK_THIN(raster->text_size);
    double left = fmax(box.x, spk_time_x(raster->stretch, box, from));
    double right = fmin(box.x + box.width, spk_time_x(raster->stretch, box, to));
    if (right - left < least) { /* also the border of segments that touch or overlap */
        left = fmin(left, box.x + box.width - least);
        right = left + least;
    }
    return (spk_box){left, box.y, right - left, box.height};
}

/* Shades the times between segments, and draws a line where the next one follows at once or begins
 * before the one before it has ended. Where trials are many and short, only every line that stands
 * apart from the one before it is drawn. */
static spk_status draw_gaps(spk_context *context, spk_canvas *canvas, spk_box box,
                            const spk_raster *raster)
{
    size_t n_segments = 0, n = 0;
    const spk_segment *segment = spk_recording_segments(raster->recording, &n_segments);
    const int64_t last = spk_stretch_last(raster->stretch);
    int64_t reach = raster->stretch.start; /* the latest stop so far */
    double right = -INFINITY;
    spk_box *gap = NULL;
    spk_status status = spk_alloc(context, &gap, n_segments + 1, "the gaps of a picture");
    if (status != SPK_OK)
        return status;
    for (size_t k = 0; k <= n_segments; k++) {
        int64_t start = k < n_segments ? segment[k].start : last;
        if (start > last)
            start = last;
        const bool is_border =
            k > 0 && k < n_segments && segment[k].start <= last && start > raster->stretch.start;
        spk_box candidate = gap_box(raster, box, reach < start ? reach : start, start);
        if (start > reach || is_border) {
            bool is_wide = candidate.width > SPK_THIN(raster->text_size);
            if (is_wide || candidate.x >= right + NEAR_BORDER) {
                gap[n++] = candidate;
                right = candidate.x + candidate.width;
            }
        }
        if (k < n_segments && segment[k].stop > reach)
            reach = segment[k].stop;
        if (start == last)
            break;
    }
    spk_canvas_fill_boxes(canvas, n, gap, SPK_GAP_GREY);
    spk_free(context, gap);
    return SPK_OK;
}

spk_status spk_raster_draw_spikes(spk_context *context, spk_canvas *canvas, spk_box box,
                                  const spk_raster *raster)
{
    double grid = grid_of(raster);
    marks m = {.n_columns = (uint32_t)fmax(1, floor(box.width / grid))};
    m.column_width = box.width / m.n_columns;
    spk_status status = draw_gaps(context, canvas, box, raster);
    if (status == SPK_OK)
        status = spk_alloc_bytes_zero(context, &m.column, m.n_columns, 1, "a picture's row");
    if (status == SPK_OK)
        status = spk_alloc(context, &m.run, m.n_columns / 2 + 1, "a picture's row");
    if (status != SPK_OK)
        goto done;
    /* Rows thinner than the grid share one. */
    double height = row_height(raster, box.height);
    double drawn_height = fmin(1.1 * raster->text_size, height >= 3 * grid ? 0.8 * height : height);
    drawn_height = fmax(grid, drawn_height);
    double y = -1;
    for (uint32_t row = 0; row < raster->n_rows && status == SPK_OK; row++) {
        double row_y = height >= grid ? spk_raster_row_y(raster, box, row) - drawn_height / 2
                                      : box.y + grid * floor(row * height / grid);
        row_y = fmin(row_y, box.y + box.height - drawn_height);
        if (row > 0 && row_y != y)
            flush_marks(canvas, &m, box, y, drawn_height);
        y = row_y;
        mark_unit(raster, box, row_unit(raster, row), &m);
        status = spk_check_cancel(context);
    }
    flush_marks(canvas, &m, box, y, drawn_height);
done:
    spk_free(context, m.column);
    spk_free(context, m.run);
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

/* Draws the marks over the line; outside parts are cut by the caller's clip. */
static void draw_occurrence(spk_canvas *canvas, const spk_raster_group *group,
                            const spk_point *point)
{
    spk_canvas_polyline(canvas, group->size, point, group->line_width,
                        spk_colour_alpha(group->colour, 0.8));
    spk_canvas_markers(canvas, group->marker, group->size, point, group->marker_size,
                       group->colour);
}

spk_status spk_raster_draw_group(spk_context *context, spk_canvas *canvas, spk_box box,
                                 const spk_raster *raster, const spk_raster_group *group)
{
    spk_point *point = NULL;
    double grid = grid_of(raster);
    uint64_t drawn = 0;
    /* The occurrence before and this one take turns in the two halves. */
    spk_status status =
        spk_alloc(context, &point, 2 * (uint64_t)group->size, "a picture's occurrence");
    if (status != SPK_OK)
        goto done;
    double over = group->marker_size / 2; /* a mark on the rim is not cut */
    spk_canvas_clip(
        canvas, (spk_box){box.x - over, box.y - over, box.width + 2 * over, box.height + 2 * over});
    for (uint64_t k = 0; k < group->n && status == SPK_OK; k++) {
        const int64_t *time = group->time + k * group->size;
        spk_point *now = point + (drawn % 2) * group->size;
        const spk_point *before = point + ((drawn + 1) % 2) * group->size;
        bool same = drawn > 0;
        if (!touches(raster->stretch, time, group->size))
            continue;
        for (uint32_t p = 0; p < group->size; p++) {
            now[p] = (spk_point){spk_time_x(raster->stretch, box, time[p]),
                                 spk_raster_row_y(raster, box, group->row[p])};
            same = same && floor(now[p].x / grid) == floor(before[p].x / grid);
        }
        if (same)
            continue;
        draw_occurrence(canvas, group, now);
        drawn++;
        status = spk_check_cancel(context);
    }
    spk_canvas_unclip(canvas);
done:
    spk_free(context, point);
    return status;
}

/* ---- which part of a recording it shows ------------------------------------------------------ */

spk_stretch spk_stretch_inside(const spk_recording *recording, int64_t start, uint64_t length)
{
    int64_t first = spk_recording_start(recording);
    uint64_t total = spk_time_difference(spk_recording_stop(recording), first);
    if (length >= total)
        return (spk_stretch){first, total > 0 ? total : 1};
    uint64_t latest = total - length;
    uint64_t offset = start > first ? spk_time_difference(start, first) : 0;
    if (offset > latest)
        offset = latest;
    return (spk_stretch){(int64_t)((uint64_t)first + offset), length};
}

spk_stretch spk_stretch_first(const spk_recording *recording)
{
    enum { EVENTS = 4000 };
    const spk_events events = spk_recording_events(recording);
    const int64_t first = spk_recording_start(recording);
    const uint64_t length =
        events.n_events > EVENTS ? spk_time_difference(events.time[EVENTS], first) : UINT64_MAX;
    return spk_stretch_inside(recording, first, length > 0 ? length : 1);
}

spk_status spk_stretch_between(spk_context *context, const spk_recording *recording,
                               const spk_figure_options *options, spk_stretch *out)
{
    spk_rate rate = spk_recording_rate(recording);
    int64_t start = spk_recording_start(recording);
    int64_t stop = spk_recording_stop(recording);
    if (options->start != NULL) {
        int64_t tick = spk_duration_first_tick(*options->start, rate);
        start = tick > start ? tick : start;
    }
    if (options->stop != NULL) {
        int64_t tick = spk_duration_first_tick(*options->stop, rate);
        stop = tick < stop ? tick : stop;
    }
    if (start >= stop)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the range of the figure holds nothing of the recording; spikemine info "
                        "tells from when to when it lasts");
    *out = (spk_stretch){start, spk_time_difference(stop, start)};
    return SPK_OK;
}
