/* Bar charts of counts. */
#ifndef SPK_REPORT_FIGURE_BARS_H
#define SPK_REPORT_FIGURE_BARS_H

#include "report/figure/axis.h"
#include "report/figure/labels.h"
#include "report/figure/page.h"

/* n bars. Bar k stands for the values from + k * step .. from + (k + 1) * step of the quantity that
 * `label` names; each value has a bar of its own where step is 1 and `whole` is set, and stands in
 * its middle. */
typedef struct spk_bars {
    uint32_t n;
    const uint64_t *count;
    double from;
    double step;
    bool whole;
    bool seconds;             /* the quantity is a time in seconds */
    const char *label;        /* under the axis */
    const char *side;         /* what is counted */
    const spk_labels *labels; /* bars are units; NULL: numbers */
    const uint32_t *unit;     /* of each bar */
} spk_bars;

/* Draws them from zero on. Where the counts span more than two powers of ten the scale is
 * logarithmic from one on, with a gap in the axis between zero and one and lines between its
 * numbers. */
void spk_bars_draw(spk_canvas *canvas, const spk_page *page, spk_box box, const spk_bars *bars);

#endif
