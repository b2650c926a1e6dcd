/* Close-ups of single occurrences. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/examples.h"

#include <math.h>
#include <stdio.h>

#include "report/figure/raster.h"

/* In sizes of the text. */
static const double HEADING = 1.5;
static const double ROW = 1.3;
static const double GAP_X = 1.6;
static const double GAP_Y = 0.9;
static const double SIDE_TITLE = 1.4;
static const double LEAST_PLOT = 2.8;
static const double MOST_ROW = 2.4;
static const double MOST_WIDTH = 34;
enum { LEAST_ROWS = 4, MOST_ROWS = 10 };

/* ---- the grid -------------------------------------------------------------------------------- */

static uint32_t n_lines(uint32_t n, uint32_t columns)
{
    return columns > 0 ? (n + columns - 1) / columns : 0;
}

static double height_with_plots(uint32_t n, uint32_t columns, double plot)
{
    uint32_t lines = n_lines(n, columns);
    double gaps = lines > 0 ? (lines - 1) * GAP_Y : 0;
    return lines * (HEADING + plot + SPK_AXIS_HEIGHT + SPK_AXIS_TITLE_HEIGHT) + gaps;
}

double spk_examples_height(uint32_t n, uint32_t columns, uint32_t most_rows)
{
    uint32_t rows = most_rows < LEAST_ROWS  ? LEAST_ROWS
                    : most_rows > MOST_ROWS ? MOST_ROWS
                                            : most_rows;
    return height_with_plots(n, columns, ROW * rows);
}

double spk_examples_least_height(uint32_t n, uint32_t columns)
{
    return height_with_plots(n, columns, LEAST_PLOT);
}

/* Whether all axes say the same, so that one title for those of a column is enough. */
static bool same_axes(uint32_t n, const spk_example *examples)
{
    double length = 0;
    for (uint32_t e = 0; e < n; e++) {
        if (examples[e].time == NULL)
            continue;
        if (length > 0 && fabs(examples[e].length - length) > 0.1 * length)
            return false;
        length = examples[e].length;
    }
    return true;
}

/* Height of a cell beyond which its rows only drift apart. */
static double most_height(uint32_t n, const spk_example *examples)
{
    uint32_t rows = LEAST_ROWS;
    for (uint32_t e = 0; e < n; e++)
        rows = examples[e].n_rows > rows ? examples[e].n_rows : rows;
    return height_with_plots(1, 1, MOST_ROW * rows);
}

/* ---- one example ----------------------------------------------------------------------------- */

typedef struct cell {
    spk_context *context;
    spk_canvas *canvas;
    const spk_page *page;
    const spk_recording *recording;
    const spk_example *example;
    uint32_t group;
    spk_box box;
    double gutter;
    const char *title; /* of the axis; NULL: none */
} cell;

static void draw_heading(const cell *c)
{
    double em = c->page->em;
    double y = c->box.y + 0.6 * em;
    char number[16];
    snprintf(number, sizeof number, "%u", (unsigned)c->group + 1);
    spk_text_style style = {.size = em, .bold = true, .colour = spk_palette_group(c->group)};
    spk_point mark = {c->box.x + 0.5 * em, y};
    spk_canvas_markers(c->canvas, spk_palette_marker(c->group), 1, &mark, 0.8 * em, style.colour);
    spk_canvas_text(c->canvas, (spk_point){c->box.x + 1.4 * em, y}, style, number);
    style = (spk_text_style){.size = em, .colour = SPK_INK};
    spk_canvas_text_within(c->canvas, (spk_point){c->box.x + 2.5 * em, y}, c->box.width - 2.5 * em,
                           style, c->example->heading);
}

static double x_of(const cell *c, spk_box plot, double time)
{
    return plot.x + plot.width * (time - c->example->from) / c->example->length;
}

/* The shaded stretches, and a line through the spikes with a mark at each. */
static void draw_pattern(const cell *c, spk_box plot, const spk_raster *raster)
{
    const spk_example *example = c->example;
    spk_colour colour = spk_palette_group(c->group);
    double height = plot.height / example->n_rows;
    double size = fmin(0.75 * c->page->em, 0.9 * height);
    spk_point before = {0, 0};
    spk_canvas_clip(c->canvas,
                    (spk_box){plot.x - size / 2, plot.y, plot.width + size, plot.height});
    for (uint32_t p = 0; p < example->n_rows && example->band_from != NULL; p++) {
        double left = fmax(plot.x, x_of(c, plot, example->band_from[p]));
        double right = fmin(plot.x + plot.width, x_of(c, plot, example->band_to[p]));
        double y = spk_raster_row_y(raster, plot, p) - 0.42 * height;
        if (right > left)
            spk_canvas_fill_box(c->canvas, (spk_box){left, y, right - left, 0.84 * height},
                                spk_colour_alpha(colour, 0.17));
    }
    for (uint32_t p = 0; p < example->n_rows; p++) {
        spk_point now = {x_of(c, plot, example->time[p]), spk_raster_row_y(raster, plot, p)};
        if (p > 0)
            spk_canvas_line(c->canvas, before, now, 1.4 * SPK_THIN(c->page->small), colour);
        spk_canvas_markers(c->canvas, spk_palette_marker(c->group), 1, &now, size, colour);
        before = now;
    }
    spk_canvas_unclip(c->canvas);
}

static spk_status draw_cell(const cell *c)
{
    const spk_example *example = c->example;
    double em = c->page->em;
    double below = (SPK_AXIS_HEIGHT + SPK_AXIS_TITLE_HEIGHT) * c->page->small;
    spk_raster raster = {.recording = c->recording,
                         .n_rows = example->n_rows,
                         .units = example->units,
                         .text_size = c->page->small};
    spk_box plot = {c->box.x + c->gutter, c->box.y + HEADING * em, c->box.width - c->gutter,
                    c->box.height - HEADING * em - below};
    spk_status status = SPK_OK;
    draw_heading(c);
    spk_raster_draw_labels(c->canvas, plot, &raster, c->gutter);
    if (example->time == NULL) /* it never occurs */
        return SPK_OK;
    if (example->around != NULL) {
        raster.stretch = *example->around;
        status = spk_raster_draw_spikes(c->context, c->canvas, plot, &raster);
    }
    draw_pattern(c, plot, &raster);
    spk_axis_frame frame = {plot, c->box.x, c->box.x + c->box.width + 0.6 * em, c->page->small};
    spk_draw_seconds_axis(c->canvas, frame, example->from, example->length);
    if (c->title != NULL)
        spk_seconds_axis_title(c->canvas, frame, example->from, example->length, c->title);
    return status;
}

/* The widest labels of all examples decide, so that the plots stand in line. */
static double common_gutter(spk_canvas *canvas, const spk_page *page, double plot_height,
                            double most, const spk_recording *recording, uint32_t n,
                            const spk_example *examples)
{
    double gutter = 0;
    for (uint32_t e = 0; e < n; e++) {
        spk_raster raster = {.recording = recording,
                             .n_rows = examples[e].n_rows,
                             .units = examples[e].units,
                             .text_size = page->small};
        gutter = fmax(gutter, spk_raster_gutter(canvas, &raster, plot_height, most));
    }
    return gutter;
}

spk_status spk_examples_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                             spk_box box, uint32_t columns, const spk_recording *recording,
                             uint32_t n, const spk_example *examples, const char *title)
{
    if (n == 0)
        return SPK_OK;
    double em = page->em;
    uint32_t lines = n_lines(n, columns);
    bool one_title = same_axes(n, examples);
    double title_height = SPK_AXIS_TITLE_HEIGHT * page->small;
    double room_below = one_title ? title_height : 0; /* what the lines above the last do without */
    double width = (box.width - (SIDE_TITLE + GAP_X * (columns - 1)) * em) / columns;
    double height = (box.height - GAP_Y * em * (lines - 1.0) + room_below * (lines - 1.0)) / lines;
    width = fmin(width, MOST_WIDTH * em);
    height = fmin(height, most_height(n, examples) * em);
    double plot_height = height - HEADING * em - SPK_AXIS_HEIGHT * page->small - title_height;
    cell c = {.context = context, .canvas = canvas, .page = page, .recording = recording};
    c.gutter = common_gutter(canvas, page, plot_height, 0.34 * width, recording, n, examples);
    spk_status status = SPK_OK;
    const spk_example *longest = &examples[0];
    for (c.group = 0; c.group < n && status == SPK_OK; c.group++) {
        uint32_t line = c.group / columns;
        uint32_t column = c.group % columns;
        c.example = &examples[c.group];
        c.box = (spk_box){box.x + SIDE_TITLE * em + (width + GAP_X * em) * column,
                          box.y + (height - room_below + GAP_Y * em) * line, width, height};
        c.title = one_title ? NULL : "Time";
        status = draw_cell(&c);
        if (column == 0)
            spk_raster_draw_side_title(canvas, box.x + 0.5 * em,
                                       (spk_box){0, c.box.y + HEADING * em, 0, plot_height},
                                       page->small);
        longest = examples[c.group].length > longest->length ? &examples[c.group] : longest;
    }
    spk_axis_frame frame = {{box.x + SIDE_TITLE * em + c.gutter, c.box.y,
                             (width + GAP_X * em) * columns - GAP_X * em - c.gutter,
                             HEADING * em + plot_height},
                            box.x,
                            box.x + box.width,
                            page->small};
    if (one_title && longest->length > 0)
        spk_seconds_axis_title(canvas, frame, longest->from, longest->length, title);
    return status;
}
#endif
