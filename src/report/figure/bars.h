/* Bar charts of counts on a logarithmic scale: counts of patterns span many powers of ten. */
#ifndef SPK_REPORT_FIGURE_BARS_H
#define SPK_REPORT_FIGURE_BARS_H

#include "report/figure/canvas.h"

/* n bars. Bar k stands for the values from + k * step .. from + (k + 1) * step - 1 of the quantity
 * that `label` names. */
typedef struct spk_bars {
    uint32_t n;
    const uint64_t *count;
    uint64_t from;
    uint64_t step;
    const char *label;
    const char *(*name)(const void *user, uint64_t value); /* NULL: the number itself */
    const void *user;
    spk_colour colour;
} spk_bars;

void spk_bars_draw(spk_canvas *canvas, spk_box box, const spk_bars *bars);

#endif
