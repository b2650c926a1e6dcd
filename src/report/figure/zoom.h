/* Close-ups: one panel per top episode with a single occurrence, one row per position, and the
 * delays that were allowed. The panels' headings are the legend of the picture. */
#ifndef SPK_REPORT_FIGURE_ZOOM_H
#define SPK_REPORT_FIGURE_ZOOM_H

#include "report/figure/canvas.h"
#include "report/figure/selection.h"
#include "spikemine/recording.h"

/* Rows of panels that n_top episodes take. */
uint32_t spk_zoom_n_rows(uint32_t n_top);

/* Draws all panels into the box. `labels[e]` is the text form of top episode e. */
spk_status spk_zoom_draw(spk_context *context, spk_canvas *canvas, spk_box box,
                         const spk_recording *recording, const spk_selection *selection,
                         char *const *labels);

/* Number of the occurrence that the panel of top episode e shows: one within the stretch if there
 * is any. The episode's n when it has no occurrence. */
uint64_t spk_zoom_occurrence(const spk_selection *selection, uint32_t e);

#endif
