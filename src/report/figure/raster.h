/* Rasters: one row per unit, a tick per spike, and groups of occurrences in colour on top. Serves
 * every pattern language whose occurrences are (unit, time) points. */
#pragma once

#include "report/figure/axis.h"
#include "report/figure/canvas.h"
#include "spikemine/figure.h"
#include "spikemine/recording.h"

/* Rows and times of a raster. `units` (n_rows of them) are the rows from top to bottom; NULL: every
 * unit of the recording, n_rows its number of units. */
typedef struct spk_raster {
    const spk_recording *recording;
    spk_stretch stretch;
    uint32_t n_rows;
    const uint32_t *units;
    double text_size;
} spk_raster;

/* n occurrences of one pattern: point p of occurrence k is (time[k * size + p], row[p]). */
typedef struct spk_raster_group {
    spk_colour colour;
    spk_marker marker;
    uint32_t size;
    uint64_t n;
    const int64_t *time;
    const uint32_t *row;
    double line_width; /* of the line that joins the points */
    double marker_size;
} spk_raster_group;

/* Height of a panel with a raster of all units, in sizes of its text: few units need little. The
 * first n_first of them stand on top, where all of some 29 have room for their names. */
double spk_raster_height(uint32_t n_units, uint32_t n_first);

/* Vertical middle of a row. */
double spk_raster_row_y(const spk_raster *raster, spk_box box, uint32_t row);

/* Width that the labels of the rows take left of a plot of this height, at most `most`. */
double spk_raster_gutter(spk_canvas *canvas, const spk_raster *raster, double height, double most);

/* Labels of the rows in `gutter` left of the box, as many as fit; what is too long loses its
 * middle. */
void spk_raster_draw_labels(spk_canvas *canvas, spk_box box, const spk_raster *raster,
                            double gutter);

/* "Unit", turned, with its middle at x. */
void spk_raster_draw_side_title(spk_canvas *canvas, double x, spk_box box, double size);

/* Spikes in grey, at most one mark for each half point of width and height. What lies between
 * segments is shaded; a line stands where one segment follows another at once. */
spk_status spk_raster_draw_spikes(spk_context *context, spk_canvas *canvas, spk_box box,
                                  const spk_raster *raster);

/* The occurrences that touch the stretch, each a line through its points and a mark at each; an
 * occurrence that looks like the one before it is not drawn again. */
spk_status spk_raster_draw_group(spk_context *context, spk_canvas *canvas, spk_box box,
                                 const spk_raster *raster, const spk_raster_group *group);

/* ---- which part of a recording it shows ------------------------------------------------------ */

/* Which part of a recording a raster shows. */

/* The stretch of this length from `start`, moved into the recording and cut at its ends. */
spk_stretch spk_stretch_inside(const spk_recording *recording, int64_t start, uint64_t length);

/* The first stretch with some thousands of events, which shows a recording without occurrences. */
spk_stretch spk_stretch_first(const spk_recording *recording);

/* The stretch between the bounds of the options, as far as the recording reaches. Errors:
 * SPK_ERR_ARGUMENT when nothing is left. */
spk_status spk_stretch_between(spk_context *context, const spk_recording *recording,
                               const spk_figure_options *options, spk_stretch *out);
