/* The picture of a mining result: raster, close-ups that are also the legend, graph of pairs. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/draw.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/check.h"
#include "report/figure/graph.h"
#include "report/figure/page.h"
#include "report/figure/raster.h"
#include "report/figure/selection.h"
#include "report/figure/text.h"
#include "report/figure/zoom.h"

/* Everything that one picture is made from. */
typedef struct figure {
    spk_context *context;
    spk_canvas *canvas;
    const spk_recording *recording;
    const spk_episode_columns *episodes;
    const spk_figure_options *options;
    spk_selection selection;
    spk_graph graph;
    char *label[SPK_PALETTE_SIZE]; /* text forms of the top episodes */
} figure;

/* ---- texts ----------------------------------------------------------------------------------- */

static spk_status write_labels(figure *f)
{
    for (uint32_t e = 0; e < f->selection.n_top; e++) {
        uint64_t i = f->selection.top[e].index;
        size_t length = spk_episode_format(f->recording, f->episodes, i, NULL, 0);
        spk_status status = spk_alloc(f->context, &f->label[e], length + 1, "a legend");
        if (status != SPK_OK)
            return status;
        spk_episode_format(f->recording, f->episodes, i, f->label[e], length + 1);
    }
    return SPK_OK;
}

static void raster_heading(const figure *f, char *text, size_t size)
{
    char shown[32];
    char all[32];
    if (spk_recording_events(f->recording).n_events == 0)
        snprintf(text, size, "The recording has no spikes.");
    else if (f->selection.n_top == 0)
        snprintf(text, size, "Raster of all units; no episode of two or more units is frequent");
    else
        snprintf(text, size,
                 "Raster of all units with counted occurrences: %s of %s lie in this stretch",
                 spk_text_count(f->selection.n_in_stretch, shown),
                 spk_text_count(f->selection.n_occurrences, all));
}

static void graph_heading(const figure *f, char *text, size_t size)
{
    char drawn[32];
    char found[32];
    spk_text_count(f->graph.n_pairs, drawn);
    spk_text_count(f->graph.n_found, found);
    if (f->graph.n_pairs < f->graph.n_found)
        snprintf(text, size, "Who follows whom: strongest %s of %s pairs", drawn, found);
    else
        snprintf(text, size, "Who follows whom: %s frequent pair%s", found,
                 f->graph.n_found == 1 ? "" : "s");
}

/* What the picture says, as text for search and screen readers. */
static spk_status describe(const figure *f)
{
    spk_text text = {NULL, 0, 0};
    char heading[160];
    raster_heading(f, heading, sizeof heading);
    spk_status status = spk_text_add(f->context, &text, "%s.\n", heading);
    for (uint32_t e = 0; e < f->selection.n_top && status == SPK_OK; e++)
        status = spk_text_add(f->context, &text, "%llu occurrences of %s\n",
                              (unsigned long long)f->selection.top[e].n, f->label[e]);
    graph_heading(f, heading, sizeof heading);
    if (status == SPK_OK)
        status = spk_text_add(f->context, &text, "%s.", heading);
    const char *title = f->options->title != NULL ? f->options->title : "Repeated firing patterns";
    if (status == SPK_OK)
        spk_canvas_describe(f->canvas, title, text.bytes);
    free(text.bytes);
    return status;
}

/* ---- panels ---------------------------------------------------------------------------------- */

/* Small triangles over the raster where the close-ups are. */
static void mark_close_ups(const figure *f, spk_box plot)
{
    for (uint32_t e = 0; e < f->selection.n_top; e++) {
        const spk_shown_episode *top = &f->selection.top[e];
        uint64_t k = spk_zoom_occurrence(&f->selection, e);
        if (k >= top->n)
            continue;
        double x = spk_time_x(f->selection.stretch, plot, top->time[k * top->size]);
        if (x < plot.x || x > plot.x + plot.width)
            continue;
        spk_point triangle[3] = {{x, plot.y - 2}, {x - 5, plot.y - 11}, {x + 5, plot.y - 11}};
        spk_canvas_fill_polygon(f->canvas, 3, triangle, spk_palette_group(e));
    }
}

static spk_status draw_raster(const figure *f, spk_box box)
{
    char heading[160];
    raster_heading(f, heading, sizeof heading);
    spk_page_heading(f->canvas, box, "a", heading);
    spk_events events = spk_recording_events(f->recording);
    if (events.n_events == 0)
        return SPK_OK;
    spk_raster raster = {.recording = f->recording,
                         .stretch = f->selection.stretch,
                         .n_rows = events.n_units,
                         .text_size = 11.5};
    spk_box plot = {box.x + 66, box.y + 28, box.width - 70, box.height - 28 - 44};
    spk_text_style side = {
        .size = 12.5, .align = SPK_ALIGN_CENTRE, .angle = -1.5707963267948966, .colour = SPK_INK};
    spk_canvas_text(f->canvas, (spk_point){box.x + 4, plot.y + plot.height / 2}, side, "Unit");
    spk_status status = spk_raster_draw_spikes(f->context, f->canvas, plot, &raster);
    /* The first episode comes last, on top of the others. */
    for (uint32_t e = f->selection.n_top; e > 0 && status == SPK_OK; e--) {
        const spk_shown_episode *top = &f->selection.top[e - 1];
        spk_raster_group group = {.colour = spk_palette_group(e - 1),
                                  .size = top->size,
                                  .n = top->n,
                                  .time = top->time,
                                  .row = top->unit,
                                  .line_width = 1.1};
        status = spk_raster_draw_group(f->context, f->canvas, plot, &raster, &group);
    }
    mark_close_ups(f, plot);
    spk_draw_time_axis(f->canvas, plot, raster.stretch, spk_recording_rate(f->recording), 0, "Time",
                       12.5);
    return status;
}

static spk_status draw_page(const figure *f)
{
    spk_box page = spk_canvas_page(f->canvas);
    double top = spk_page_title(f->canvas, f->options->title, f->options->caption);
    double left_width = 0.645 * page.width;
    double height = page.height - top - 14;
    uint32_t zoom_rows = spk_zoom_n_rows(f->selection.n_top);
    double zoom_height = zoom_rows == 0 ? 0 : zoom_rows == 1 ? 0.30 * height : 0.51 * height;
    spk_status status =
        draw_raster(f, (spk_box){28, top, left_width - 28, height - zoom_height - 4});
    if (status == SPK_OK && zoom_rows > 0) {
        spk_box box = {28, page.height - 14 - zoom_height + 10, left_width - 28, zoom_height - 10};
        spk_page_heading(f->canvas, box, "b",
                         "Each coloured episode: how often it was counted, and one occurrence "
                         "(at \xe2\x96\xbc above); shaded: the delays allowed");
        box.y += 20;
        box.height -= 20;
        status = spk_zoom_draw(f->context, f->canvas, box, f->recording, &f->selection, f->label);
    }
    char heading[160];
    graph_heading(f, heading, sizeof heading);
    spk_box right = {left_width + 44, top, page.width - left_width - 44 - 28, height};
    spk_page_heading(f->canvas, right, "c", heading);
    right.y += 24;
    right.height -= 24;
    spk_graph_draw(f->canvas, right, f->recording, &f->graph);
    return status;
}

spk_status spk_draw_episodes(spk_context *context, const spk_recording *recording,
                             const spk_episode_columns *episodes, const spk_figure_options *options,
                             const char *path)
{
    figure f = {
        .context = context, .recording = recording, .episodes = episodes, .options = options};
    /* The file first: a wrong name should not cost the search for occurrences. */
    spk_status status = spk_canvas_create(context, path, &f.canvas);
    if (status == SPK_OK)
        status = spk_canvas_set_page(f.canvas, options->width_px, options->height_px, 72);
    if (status == SPK_OK)
        status = report_check_episodes(context, recording, episodes);
    if (status == SPK_OK)
        status = spk_selection_make(context, recording, episodes, options->n_top, &f.selection);
    if (status == SPK_OK) {
        spk_graph_make(episodes, &f.graph);
        status = write_labels(&f);
    }
    if (status == SPK_OK)
        status = describe(&f);
    if (status == SPK_OK)
        status = draw_page(&f);
    if (status == SPK_OK)
        status = spk_canvas_save(f.canvas);
    spk_canvas_free(f.canvas);
    spk_selection_free(&f.selection);
    for (uint32_t e = 0; e < SPK_PALETTE_SIZE; e++)
        free(f.label[e]);
    return status;
}
#endif
