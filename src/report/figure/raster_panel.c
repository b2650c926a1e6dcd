/* The panel that shows a whole recording. */
#include "report/figure/panels.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/figure/canvas.h"
#include "report/figure/page.h"

/* Where the examples lie: x[k] of the number k + 1; NAN: nowhere in sight. */
typedef struct tag_list {
    uint32_t n;
    double x[SPK_PALETTE_SIZE];
} tag_list;

/* Height that they take over the plot, in sizes of the text. */
#define TAGS_HEIGHT 1.9

/* ---- numbers that say where the examples lie ------------------------------------------------- */

/* Draws them over the plot. Numbers that would touch are moved apart, each with a line to its
 * place. */
static void draw_over(spk_canvas *canvas, const spk_page *page, spk_box plot, const tag_list *tags)
{
    double em = page->em;
    double distance = 0.95 * em;
    uint32_t order[SPK_PALETTE_SIZE];
    double at[SPK_PALETTE_SIZE];
    uint32_t n = 0;
    for (uint32_t k = 0; k < tags->n; k++) {
        if (isnan(tags->x[k]))
            continue;
        uint32_t place = n++;
        for (; place > 0 && tags->x[order[place - 1]] > tags->x[k]; place--)
            order[place] = order[place - 1];
        order[place] = k;
    }
    for (uint32_t i = 0; i < n; i++)
        at[i] = i == 0 ? fmax(plot.x, tags->x[order[i]])
                       : fmax(at[i - 1] + distance, tags->x[order[i]]);
    double most = plot.x + plot.width;
    for (uint32_t i = n; i > 0; i--) {
        at[i - 1] = fmin(at[i - 1], most);
        most -= distance;
    }
    for (uint32_t i = 0; i < n; i++) {
        char number[16];
        spk_colour colour = spk_palette_group(order[i]);
        spk_text_style style = {
            .size = em, .bold = true, .align = SPK_ALIGN_CENTRE, .colour = colour};
        snprintf(number, sizeof number, "%u", (unsigned)order[i] + 1);
        spk_canvas_text(canvas, (spk_point){at[i], plot.y - 1.4 * em}, style, number);
        spk_canvas_line(canvas, (spk_point){at[i], plot.y - 0.85 * em},
                        (spk_point){tags->x[order[i]], plot.y - 0.15 * em}, 0.085 * em, colour);
    }
}

/* ---- the panel ------------------------------------------------------------------------------- */

/* The rows of the examples, and below them those of all other units. */
enum { EXAMPLES, OTHERS, PARTS };

typedef struct drawing {
    spk_context *context;
    spk_canvas *canvas;
    const spk_page *page;
    const spk_raster_panel *panel;
    spk_rows rows;
    uint32_t *place; /* of a unit among them */
    uint32_t *row;   /* of the positions of an example */
    spk_raster raster[PARTS];
    spk_box plot[PARTS];
    double gutter;
} drawing;

static spk_status order_rows(drawing *d)
{
    const spk_raster_panel *panel = d->panel;
    const uint32_t n_units = spk_recording_events(panel->recording).n_units;
    uint32_t longest = 0;
    for (uint32_t e = 0; e < panel->n_examples; e++)
        longest = panel->example[e].size > longest ? panel->example[e].size : longest;
    spk_status status =
        spk_alloc_columns(d->context, "rows of a raster", SPK_COLUMN(&d->rows.unit, n_units),
                          SPK_COLUMN(&d->rows.block, n_units), SPK_COLUMN_ZERO(&d->place, n_units),
                          SPK_COLUMN(&d->row, longest));
    if (status != SPK_OK)
        return status;
    for (uint32_t e = 0; e < panel->n_examples; e++)
        spk_rows_add(&d->rows, panel->example[e].size, panel->example[e].unit);
    const uint32_t n_first = d->rows.n;
    spk_rows_add_others(&d->rows, n_units);
    for (uint32_t row = 0; row < n_units; row++)
        d->place[d->rows.unit[row]] = row;
    for (int part = 0; part < PARTS; part++)
        d->raster[part] = (spk_raster){.recording = panel->recording,
                                       .stretch = panel->stretch,
                                       .n_rows = part == EXAMPLES ? n_first : n_units - n_first,
                                       .units = d->rows.unit + (part == EXAMPLES ? 0 : n_first),
                                       .text_size = d->page->small};
    return SPK_OK;
}

/* The examples have the room that their names need, at most most of it. */
static void lay_out(drawing *d, spk_box box)
{
    const double em = d->page->em, least = 1.15 * d->page->small, most = 0.75;
    const double above = d->panel->n_examples > 0 ? TAGS_HEIGHT * em : 0;
    const double below = (SPK_AXIS_HEIGHT + SPK_AXIS_TITLE_HEIGHT) * d->page->small;
    const double height = box.height - above - below;
    const uint32_t n_first = d->raster[EXAMPLES].n_rows, n_others = d->raster[OTHERS].n_rows;
    /* names on both sides of it do not touch */
    const double between = n_first > 0 && n_others > 0 ? 1.25 * d->page->small : 0;
    double share = fmin(most * height, least * n_first);
    share = fmax(share, (height - between) * n_first / fmax(1, n_first + n_others));
    const double heights[PARTS] = {share, height - between - share};
    for (int part = 0; part < PARTS; part++)
        if (d->raster[part].n_rows > 0)
            d->gutter = fmax(d->gutter, spk_raster_gutter(d->canvas, &d->raster[part],
                                                          heights[part], 0.22 * box.width));
    const double left = 1.4 * em + d->gutter;
    double y = box.y + above;
    for (int part = 0; part < PARTS; part++) {
        d->plot[part] = (spk_box){box.x + left, y, box.width - left, heights[part]};
        y += heights[part] + between;
    }
}

static spk_status draw_part(const drawing *d, int part)
{
    if (d->raster[part].n_rows == 0)
        return SPK_OK;
    spk_raster_draw_labels(d->canvas, d->plot[part], &d->raster[part], d->gutter);
    return spk_raster_draw_spikes(d->context, d->canvas, d->plot[part], &d->raster[part]);
}

/* The first example comes last, on top of the others. */
static spk_status draw_examples(const drawing *d)
{
    spk_status status = SPK_OK;
    for (uint32_t e = d->panel->n_examples; e > 0 && status == SPK_OK; e--) {
        const spk_raster_example *example = &d->panel->example[e - 1];
        for (uint32_t p = 0; p < example->size; p++)
            d->row[p] = d->place[example->unit[p]];
        const spk_raster_group group = {.colour = spk_palette_group(e - 1),
                                        .marker = spk_palette_marker(e - 1),
                                        .size = example->size,
                                        .n = example->n,
                                        .time = example->time,
                                        .row = d->row,
                                        .line_width = SPK_THIN(d->page->small),
                                        .marker_size = 0.36 * d->page->em};
        status = spk_raster_draw_group(d->context, d->canvas, d->plot[EXAMPLES],
                                       &d->raster[EXAMPLES], &group);
    }
    return status;
}

static void draw_tags(const drawing *d, spk_box plot)
{
    tag_list tags = {.n = d->panel->n_examples};
    for (uint32_t e = 0; e < tags.n; e++) {
        const spk_raster_example *example = &d->panel->example[e];
        const double x = example->tagged < example->n
                             ? spk_time_x(d->panel->stretch, plot,
                                          example->time[example->tagged * example->size])
                             : NAN;
        tags.x[e] = x >= plot.x && x <= plot.x + plot.width ? x : NAN;
    }
    draw_over(d->canvas, d->page, plot, &tags);
}

spk_status spk_raster_panel_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                                 spk_box box, const spk_raster_panel *panel)
{
    drawing d = {.context = context, .canvas = canvas, .page = page, .panel = panel};
    if (spk_recording_events(panel->recording).n_units == 0)
        return SPK_OK;
    spk_status status = order_rows(&d);
    if (status != SPK_OK)
        goto done;
    lay_out(&d, box);
    spk_box plot = d.plot[EXAMPLES];
    plot.height = d.plot[OTHERS].y + d.plot[OTHERS].height - plot.y;
    spk_raster_draw_side_title(canvas, box.x + 0.5 * page->em, plot, page->small);
    for (int part = 0; part < PARTS && status == SPK_OK; part++)
        status = draw_part(&d, part);
    if (status == SPK_OK)
        status = draw_examples(&d);
    draw_tags(&d, plot);
    const spk_axis_frame frame = {plot, box.x, box.x + box.width + 0.4 * page->em, page->small};
    spk_draw_time_axis(canvas, frame, panel->stretch, spk_recording_rate(panel->recording), "Time");
done:
    spk_free(context, d.rows.unit);
    spk_free(context, d.rows.block);
    spk_free(context, d.place);
    spk_free(context, d.row);
    return status;
}
