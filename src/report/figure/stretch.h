/* Which part of a recording a raster shows. */
#ifndef SPK_REPORT_FIGURE_STRETCH_H
#define SPK_REPORT_FIGURE_STRETCH_H

#include "report/figure/axis.h"
#include "spikemine/figure.h"

/* The stretch of this length from `start`, moved into the recording and cut at its ends. */
spk_stretch spk_stretch_inside(const spk_recording *recording, int64_t start, uint64_t length);

/* The first stretch with some thousands of events, which shows a recording without occurrences. */
spk_stretch spk_stretch_first(const spk_recording *recording);

/* The stretch between the bounds of the options, as far as the recording reaches. Errors:
 * SPK_ERR_ARGUMENT when nothing is left. */
spk_status spk_stretch_between(spk_context *context, const spk_recording *recording,
                               const spk_figure_options *options, spk_stretch *out);

#endif
