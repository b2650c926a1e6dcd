/* The panel that shows a whole recording: the units of the examples on top, so that a sequence runs
 * downwards, all others below, with the examples in colour and their numbers above. */
#ifndef SPK_REPORT_FIGURE_RASTER_PANEL_H
#define SPK_REPORT_FIGURE_RASTER_PANEL_H

#include "report/figure/page.h"
#include "report/figure/palette.h"
#include "report/figure/raster.h"

typedef struct spk_raster_example {
    uint32_t size;
    const uint32_t *unit;
    uint64_t n; /* occurrences */
    const int64_t *time;
    uint64_t tagged; /* the occurrence that the number points at; n: none */
} spk_raster_example;

typedef struct spk_raster_panel {
    const spk_recording *recording;
    spk_stretch stretch;
    uint32_t n_examples;
    spk_raster_example example[SPK_PALETTE_SIZE];
} spk_raster_panel;

/* Draws it into a box, which is empty where the recording has no unit. */
spk_status spk_raster_panel_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                                 spk_box box, const spk_raster_panel *panel);

#endif
