/* Rasters: one row per unit, a tick per spike, and groups of occurrences in colour on top. Serves
 * every pattern language whose occurrences are (unit, time) points. */
#ifndef SPK_REPORT_FIGURE_RASTER_H
#define SPK_REPORT_FIGURE_RASTER_H

#include "report/figure/axis.h"
#include "report/figure/canvas.h"
#include "spikemine/recording.h"

/* Rows and times of a raster. `units` (n_rows of them) are the rows from top to bottom; NULL: every
 * unit of the recording, n_rows its number of units. Row labels lie left of the box. */
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
    uint32_t size;
    uint64_t n;
    const int64_t *time;
    const uint32_t *row;
    double line_width; /* of the line that joins the points */
} spk_raster_group;

/* Vertical middle of a row. */
double spk_raster_row_y(const spk_raster *raster, spk_box box, uint32_t row);

/* Spikes in grey, at most one mark per pixel column and pixel row; row labels, as many as fit. */
spk_status spk_raster_draw_spikes(spk_context *context, spk_canvas *canvas, spk_box box,
                                  const spk_raster *raster);

/* The occurrences that touch the stretch, each a line through its points and a tick at each; an
 * occurrence in the same pixels as the one before it is not drawn again. */
spk_status spk_raster_draw_group(spk_context *context, spk_canvas *canvas, spk_box box,
                                 const spk_raster *raster, const spk_raster_group *group);

#endif
