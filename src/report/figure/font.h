/* How wide texts are. Metrics are not hinted, so that all kinds of files share one layout. */
#ifndef SPK_REPORT_FIGURE_FONT_H
#define SPK_REPORT_FIGURE_FONT_H

#include "report/figure/canvas.h"

/* The family that is asked for; what a machine lacks is replaced by what it has. */
#define SPK_FONT_FAMILY "Arial"

typedef struct spk_font spk_font;

/* Extent of a line whose left end stands at the origin of its baseline. */
typedef struct spk_extent {
    double advance; /* where the next letter would stand */
    spk_box ink;
} spk_extent;

spk_status spk_font_create(spk_context *context, spk_font **out);

/* Measures clean UTF-8. After a failure, which spk_font_check reports, the extent is zero. */
spk_extent spk_font_measure(spk_font *font, double size, bool bold, const char *clean);

/* SPK_ERR_MEMORY when measuring has failed. */
spk_status spk_font_check(spk_context *context, const spk_font *font);

void spk_font_free(spk_font *font);

#endif
