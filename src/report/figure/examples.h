/* Close-ups side by side: one example of each coloured pattern, one row per spike. Their headings
 * are the legend of the figure. */
#ifndef SPK_REPORT_FIGURE_EXAMPLES_H
#define SPK_REPORT_FIGURE_EXAMPLES_H

#include "report/figure/axis.h"
#include "report/figure/page.h"
#include "report/figure/palette.h"
#include "spikemine/recording.h"

/* One example. Arrays have n_rows entries; times are seconds on an axis from .. from + length. */
typedef struct spk_example {
    char heading[64];
    uint32_t n_rows;
    const uint32_t *units; /* of the rows from top to bottom */
    double from;
    double length;
    const double *time;      /* of each row's spike; NULL: there is no occurrence to show */
    const double *band_from; /* shaded stretch of each row; NULL: none */
    const double *band_to;
    const spk_stretch *around; /* the axis as a stretch of the recording, whose spikes are drawn in
                                  grey; NULL: none */
} spk_example;

/* Height of a panel of n examples, heading apart, in sizes of the text: rows as high as their text,
 * and the least. */
double spk_examples_height(uint32_t n, uint32_t columns, uint32_t most_rows);
double spk_examples_least_height(uint32_t n, uint32_t columns);

/* Draws the examples, at most `columns` side by side. `title` stands once under all of
 * them where their axes are alike, else "Time" under each. */
spk_status spk_examples_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                             spk_box box, uint32_t columns, const spk_recording *recording,
                             uint32_t n, const spk_example *examples, const char *title);

#endif
