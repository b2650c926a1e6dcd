/* Close-ups: one panel per top episode with a single occurrence, its units as rows and the delays
 * that were allowed. The panels' headings are the legend of the picture. */
#ifndef SPK_REPORT_ZOOM_H
#define SPK_REPORT_ZOOM_H

#include "report/canvas.h"
#include "report/showcase.h"
#include "spikemine/recording.h"

/* Rows of panels that n_top episodes take. */
uint32_t spk_zoom_n_rows(uint32_t n_top);

/* Draws all panels into the box. `labels[e]` is the text form of top episode e. */
spk_status spk_zoom_draw(spk_context *context, spk_canvas *canvas, spk_box box,
                         const spk_recording *recording, const spk_showcase *showcase,
                         char *const *labels);

/* The occurrence that the panel of a top episode shows; n when it has none. */
uint64_t spk_zoom_occurrence(const spk_showcase *showcase, uint32_t e);

#endif
