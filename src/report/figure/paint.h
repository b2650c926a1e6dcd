/* Painters: a display list becomes the bytes of a file. */
#ifndef SPK_REPORT_FIGURE_PAINT_H
#define SPK_REPORT_FIGURE_PAINT_H

#include "base/output.h"
#include "report/figure/display.h"

/* Text stays text in both kinds of vector file; the PDF holds the letters of its fonts. Errors:
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED, SPK_ERR_IO, SPK_ERR_PIPE. */
spk_status spk_paint_png(spk_context *context, const spk_display *display, spk_output *output);
spk_status spk_paint_pdf(spk_context *context, const spk_display *display, spk_output *output);
spk_status spk_paint_svg(spk_context *context, const spk_display *display, spk_output *output);

#endif
