/* What measuring and painting must do alike, and cairo's errors as ours. */
#ifndef SPK_REPORT_FIGURE_WITH_CAIRO_H
#define SPK_REPORT_FIGURE_WITH_CAIRO_H

#include <cairo.h>
#include <stdbool.h>

#include "base/context.h"

/* Sets how letters are drawn: no hints. */
void spk_cairo_prepare(cairo_t *cairo);

void spk_cairo_select_font(cairo_t *cairo, double size, bool bold);

/* SPK_ERR_MEMORY or SPK_ERR_INTERNAL for a status that is none of success. */
spk_status spk_cairo_check(spk_context *context, cairo_status_t status);

#endif
