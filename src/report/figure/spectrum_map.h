/* The spectrum of patterns as a heat map, over what surrogates reach, with the border from which on
 * signatures are significant. */
#ifndef SPK_REPORT_FIGURE_SPECTRUM_MAP_H
#define SPK_REPORT_FIGURE_SPECTRUM_MAP_H

#include "report/figure/page.h"
#include "spikemine/significance.h"
#include "spikemine/spectrum.h"

/* Height of the panel, heading apart, in sizes of the text: as high as wanted, and the least. A
 * NULL `test` stands for any. */
double spk_spectrum_map_height(const spk_significance *test, bool wide);
double spk_spectrum_map_least_height(bool wide);

/* Draws one map, whose rows are numbers of spikes. With durations: a map for each number of spikes,
 * as many as there is room for, whose rows are durations. A cell has the colour of its number of
 * patterns, where there are any, else the grey of its p-value. */
spk_status spk_spectrum_map_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                                 spk_box box, const spk_significance *test);

#endif
