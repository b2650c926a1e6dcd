/* Close-ups of single occurrences. */
#include "report/figure/panels.h"

#include <math.h>
#include <stdio.h>

#include "report/figure/raster.h"

/* In sizes of the text. */
static const double HEADING = 1.5;
static const double NOTE = 1.3;
static const double ROW = 1.3;
static const double BARS_ROW = 1.9;
static const double GAP_X = 1.6;
static const double GAP_Y = 0.9;
static const double SIDE_TITLE = 1.4;
static const double LEAST_PLOT = 2.8;
static const double MOST_ROW = 2.4;
static const double MOST_BAR = 0.7;
static const double MOST_WIDTH = 34;
enum { LEAST_ROWS = 4, MOST_ROWS = 10 };

/* ---- the grid -------------------------------------------------------------------------------- */

static uint32_t n_lines(uint32_t n, uint32_t columns)
{
    return columns > 0 ? (n + columns - 1) / columns : 0;
}

static double heading_height(uint32_t n_notes)
{
    return HEADING + n_notes * NOTE;
}

static double height_with_plots(const spk_examples_shape *s, double plot)
{
    uint32_t columns = s->columns < s->n ? s->columns : s->n;
    uint32_t lines = n_lines(s->n, columns);
    double gaps = lines > 0 ? (lines - 1) * GAP_Y : 0;
    return lines * (heading_height(s->n_notes) + plot + SPK_AXIS_HEIGHT + SPK_AXIS_TITLE_HEIGHT) +
           gaps;
}

/* Whether the unit of a row is that of a row before it, in the same example or another. */
static bool is_repeated(const spk_example *examples, uint32_t e, uint32_t row)
{
    for (uint32_t d = 0; d <= e; d++)
        for (uint32_t k = 0; k < (d < e ? examples[d].n_rows : row); k++)
            if (examples[d].units[k] == examples[e].units[row])
                return true;
    return false;
}

uint32_t spk_examples_units(uint32_t n, const spk_example *examples)
{
    uint32_t n_units = 0;
    for (uint32_t e = 0; e < n; e++)
        for (uint32_t row = 0; row < examples[e].n_rows; row++)
            n_units += !is_repeated(examples, e, row);
    return n_units;
}

uint32_t spk_examples_notes(uint32_t n, const spk_example *examples)
{
    uint32_t most = 0;
    for (uint32_t e = 0; e < n; e++)
        for (uint32_t k = most; k < SPK_EXAMPLE_NOTES && examples[e].note[k][0] != '\0'; k++)
            most = k + 1;
    return most;
}

double spk_examples_height(const spk_examples_shape *shape)
{
    uint32_t most = shape->most_rows;
    uint32_t rows = most < LEAST_ROWS ? LEAST_ROWS : most > MOST_ROWS ? MOST_ROWS : most;
    return height_with_plots(shape, (shape->bars ? BARS_ROW : ROW) * rows);
}

double spk_examples_least_height(const spk_examples_shape *shape)
{
    return height_with_plots(shape, LEAST_PLOT);
}

static bool has_plot(const spk_example *example)
{
    return example->time != NULL || example->bars != NULL;
}

/* Whether all axes say the same, so that one title for those of a column is enough. */
static bool same_axes(uint32_t n, const spk_example *examples)
{
    double length = 0;
    for (uint32_t e = 0; e < n; e++) {
        if (!has_plot(&examples[e]))
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
    const spk_examples_shape one = {1, 1, rows, spk_examples_notes(n, examples), false};
    return height_with_plots(&one, MOST_ROW * rows);
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
    double heading; /* height of it and of the notes */
    double gutter;
    const char *title; /* of the axis; NULL: none */
    double longest_s;  /* of the axes of all examples */
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
    for (uint32_t k = 0; k < SPK_EXAMPLE_NOTES && c->example->note[k][0] != '\0'; k++)
        spk_canvas_text_within(c->canvas, (spk_point){c->box.x + 2.5 * em, y + (k + 1) * NOTE * em},
                               c->box.width - 2.5 * em, style, c->example->note[k]);
}

static double x_of(const cell *c, spk_box plot, double time)
{
    return plot.x + plot.width * (time - c->example->from) / c->example->length;
}

/* The shaded stretch of each row. */
static void draw_bands(const cell *c, spk_box plot, const spk_raster *raster)
{
    const spk_example *example = c->example;
    double height = plot.height / example->n_rows;
    for (uint32_t p = 0; p < example->n_rows && example->band_from != NULL; p++) {
        double left = fmax(plot.x, x_of(c, plot, example->band_from[p]));
        double right = fmin(plot.x + plot.width, x_of(c, plot, example->band_to[p]));
        double y = spk_raster_row_y(raster, plot, p) - 0.42 * height;
        if (right > left)
            spk_canvas_fill_box(c->canvas, (spk_box){left, y, right - left, 0.84 * height},
                                spk_colour_alpha(spk_palette_group(c->group), 0.17));
    }
}

/* A line through the spikes with a mark at each. */
static void draw_spikes(const cell *c, spk_box plot, const spk_raster *raster)
{
    const spk_example *example = c->example;
    spk_colour colour = spk_palette_group(c->group);
    double size = fmin(0.75 * c->page->em, 0.9 * plot.height / example->n_rows);
    spk_point before = {0, 0};
    spk_canvas_clip(c->canvas,
                    (spk_box){plot.x - size / 2, plot.y, plot.width + size, plot.height});
    for (uint32_t p = 0; p < example->n_rows; p++) {
        spk_point now = {x_of(c, plot, example->time[p]), spk_raster_row_y(raster, plot, p)};
        if (p > 0)
            spk_canvas_line(c->canvas, before, now, 1.4 * SPK_THIN(c->page->small), colour);
        spk_canvas_markers(c->canvas, spk_palette_marker(c->group), 1, &now, size, colour);
        before = now;
    }
    spk_canvas_unclip(c->canvas);
}

/* The bars of each row stand on its foot; the highest of all rows fills its own. A broad bar is
 * drawn narrow, at the end that it holds: so few bars are single ticks. */
static void draw_bars(const cell *c, spk_box plot, const spk_raster *raster)
{
    const spk_example *example = c->example;
    double height = 0.84 * plot.height / example->n_rows;
    uint64_t most = 1;
    for (uint64_t k = 0; k < (uint64_t)example->n_rows * example->n_bars; k++)
        most = example->bars[k] > most ? example->bars[k] : most;
    for (uint32_t p = 0; p < example->n_rows; p++) {
        double foot = spk_raster_row_y(raster, plot, p) + height / 2;
        spk_canvas_line(c->canvas, (spk_point){plot.x, foot},
                        (spk_point){plot.x + plot.width, foot}, SPK_THIN(c->page->small) / 2,
                        SPK_RULE_GREY);
        for (uint32_t k = 0; k < example->n_bars; k++) {
            double left = x_of(c, plot, k * example->bar_s);
            double right = fmin(plot.x + plot.width, x_of(c, plot, (k + 1) * example->bar_s));
            double wide = fmin(right - left, MOST_BAR * c->page->em);
            left = example->bars_hold_end ? right - wide : left;
            double tall = height * (double)example->bars[p * example->n_bars + k] / (double)most;
            if (tall > 0)
                spk_canvas_fill_box(c->canvas, (spk_box){left, foot - tall, wide, tall},
                                    spk_palette_group(c->group));
        }
    }
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
    spk_box plot = {c->box.x + c->gutter, c->box.y + c->heading, c->box.width - c->gutter,
                    c->box.height - c->heading - below};
    spk_status status = SPK_OK;
    draw_heading(c);
    spk_raster_draw_labels(c->canvas, plot, &raster, c->gutter);
    if (!has_plot(example)) /* it never occurs */
        return SPK_OK;
    if (example->around != NULL) {
        raster.stretch = *example->around;
        status = spk_raster_draw_spikes(c->context, c->canvas, plot, &raster);
    }
    draw_bands(c, plot, &raster);
    if (example->bars != NULL)
        draw_bars(c, plot, &raster);
    else
        draw_spikes(c, plot, &raster);
    spk_axis_frame frame = {plot, c->box.x, c->box.x + c->box.width + 0.6 * em, c->page->small};
    const spk_seconds range = {example->from, example->length, c->longest_s, false};
    spk_draw_seconds_axis(c->canvas, frame, range);
    if (c->title != NULL)
        spk_seconds_axis_title(c->canvas, frame, range, c->title);
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
    cell c = {.context = context,
              .canvas = canvas,
              .page = page,
              .recording = recording,
              .heading = heading_height(spk_examples_notes(n, examples)) * em};
    double plot_height = height - c.heading - SPK_AXIS_HEIGHT * page->small - title_height;
    c.gutter = common_gutter(canvas, page, plot_height, 0.34 * width, recording, n, examples);
    spk_status status = SPK_OK;
    const spk_example *longest = &examples[0];
    for (uint32_t e = 1; e < n; e++)
        longest = examples[e].length > longest->length ? &examples[e] : longest;
    c.longest_s = longest->length;
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
                                       (spk_box){0, c.box.y + c.heading, 0, plot_height},
                                       page->small);
    }
    spk_axis_frame frame = {{box.x + SIDE_TITLE * em + c.gutter, c.box.y,
                             (width + GAP_X * em) * columns - GAP_X * em - c.gutter,
                             c.heading + plot_height},
                            box.x,
                            box.x + box.width,
                            page->small};
    if (one_title && longest->length > 0)
        spk_seconds_axis_title(
            canvas, frame, (spk_seconds){longest->from, longest->length, longest->length, false},
            title);
    return status;
}
