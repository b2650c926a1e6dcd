/* Numbers over a raster that say where the examples lie. */
#ifndef SPK_REPORT_FIGURE_TAGS_H
#define SPK_REPORT_FIGURE_TAGS_H

#include "report/figure/page.h"
#include "report/figure/palette.h"

/* Where the examples lie: x[k] of the number k + 1; NAN: nowhere in sight. */
typedef struct spk_tags {
    uint32_t n;
    double x[SPK_PALETTE_SIZE];
} spk_tags;

/* Height that they take over the plot, in sizes of the text. */
#define SPK_TAGS_HEIGHT 1.9

/* Draws them over the plot. Numbers that would touch are moved apart, each with a line to its
 * place. */
void spk_tags_draw(spk_canvas *canvas, const spk_page *page, spk_box plot, const spk_tags *tags);

#endif
