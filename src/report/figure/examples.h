/* Close-ups side by side: one example of each coloured pattern, one row per spike. Their headings
 * are the legend of the figure. A row shows a spike, or how the lags of all are distributed. */
#ifndef SPK_REPORT_FIGURE_EXAMPLES_H
#define SPK_REPORT_FIGURE_EXAMPLES_H

#include "report/figure/axis.h"
#include "report/figure/page.h"
#include "report/figure/palette.h"
#include "spikemine/recording.h"

enum { SPK_EXAMPLE_NOTES = 3 };

/* One example. Arrays have n_rows entries; times are seconds on an axis from .. from + length. */
typedef struct spk_example {
    char heading[96];
    char note[SPK_EXAMPLE_NOTES][80]; /* lines under the heading; empty: no more */
    uint32_t n_rows;
    const uint32_t *units; /* of the rows from top to bottom */
    double from;
    double length;
    const double *time;      /* of each row's spike; NULL: there is no occurrence to show */
    const double *band_from; /* shaded stretch of each row; NULL: none */
    const double *band_to;
    const spk_stretch *around; /* the axis as a stretch of the recording, whose spikes are drawn in
                                  grey; NULL: none */
    /* Instead of spikes n_bars bars in each row, n_rows * n_bars counts, each bar bar_s seconds
     * wide and the first at 0; NULL: spikes. */
    const uint64_t *bars;
    uint32_t n_bars;
    double bar_s;
    bool bars_hold_end; /* a bar stands for the times above its start and up to its end; else for
                           those from its start on */
} spk_example;

/* What the height of a panel of examples depends on. */
typedef struct spk_examples_shape {
    uint32_t n;
    uint32_t columns; /* side by side at most */
    uint32_t most_rows;
    uint32_t n_notes; /* of the one with most */
    bool bars;
} spk_examples_shape;

/* The number of notes of the example with most. */
uint32_t spk_examples_notes(uint32_t n, const spk_example *examples);

/* The number of different units of all. */
uint32_t spk_examples_units(uint32_t n, const spk_example *examples);

/* Height of such a panel, heading apart, in sizes of the text: rows as high as their text, and the
 * least. */
double spk_examples_height(const spk_examples_shape *shape);
double spk_examples_least_height(const spk_examples_shape *shape);

/* Draws the examples, at most `columns` side by side. `title` stands once under all of
 * them where their axes are alike, else "Time" under each. */
spk_status spk_examples_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                             spk_box box, uint32_t columns, const spk_recording *recording,
                             uint32_t n, const spk_example *examples, const char *title);

#endif
