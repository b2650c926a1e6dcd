/* Time axes: which stretch of a recording lies where on the page, and its ticks. */
#ifndef SPK_REPORT_FIGURE_AXIS_H
#define SPK_REPORT_FIGURE_AXIS_H

#include <stdint.h>

#include "report/figure/canvas.h"
#include "spikemine/duration.h"

/* The times start .. start + length (ticks, length at least 1). */
typedef struct spk_stretch {
    int64_t start;
    uint64_t length;
} spk_stretch;

/* later - earlier, which int64 may not hold. Needs later >= earlier. */
uint64_t spk_time_difference(int64_t later, int64_t earlier);

/* The last tick of the stretch, kept within int64. */
int64_t spk_stretch_last(spk_stretch stretch);

/* The stretch as wide as the box: horizontal position of a time; times outside lie outside. */
double spk_time_x(spk_stretch stretch, spk_box box, int64_t time);

/* 1, 2 or 5 times a power of ten, so that `range` holds about `n` steps. */
double spk_nice_step(double range, int n);

/* Draws axis, ticks, numbers and "time (ms)" below the box. Numbers count from `zero`; `label`
 * names what they are ("Time", "Time after the first spike"). Where the numbers would grow too long
 * for their step, they count from the start of the stretch instead, and the label says so. */
void spk_draw_time_axis(spk_canvas *canvas, spk_box box, spk_stretch stretch, spk_rate rate,
                        int64_t zero, const char *label, double text_size);

#endif
