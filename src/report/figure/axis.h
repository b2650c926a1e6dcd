/* Horizontal axes: which stretch of a recording lies where on the page, and round numbers under it.
 */
#pragma once

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

/* The least of 1, 2 and 5 times a power of ten that is at least `least`, which is positive. */
double spk_nice_step(double least);

/* Width of thin lines beside text of this size. */
#define SPK_THIN(size) ((size) / 12.6)

/* Where an axis lies: under the plot; its numbers lie between `left` and `right` of the page. */
typedef struct spk_axis_frame {
    spk_box plot;
    double left;
    double right;
    double size; /* of the text */
} spk_axis_frame;

/* Height of an axis in sizes of its text, without and with a title under the numbers. */
#define SPK_AXIS_HEIGHT       1.55
#define SPK_AXIS_TITLE_HEIGHT 1.35

/* Draws line, ticks and numbers for the values first .. first + length; whole numbers only where
 * `whole`. As many numbers as fit without touching. */
void spk_draw_axis(spk_canvas *canvas, spk_axis_frame frame, double first, double length,
                   bool whole);

/* Draws the title under the numbers. */
void spk_axis_title(spk_canvas *canvas, spk_axis_frame frame, const char *title);

/* The seconds first_s .. first_s + length_s at an axis. */
typedef struct spk_seconds {
    double first_s;
    double length_s;
    double longest_s; /* length of the longest axis beside it that shows the same kind of time */
    bool moments;     /* of a recording, and no lags */
} spk_seconds;

/* The same for seconds, in the unit that suits the longest one (spk_figure_time_unit); " (ms)" or
 * another stands behind the title. Where numbers would be too long they count from the start, and
 * the title says so. */
void spk_draw_seconds_axis(spk_canvas *canvas, spk_axis_frame frame, spk_seconds range);
void spk_seconds_axis_title(spk_canvas *canvas, spk_axis_frame frame, spk_seconds range,
                            const char *title);

/* Both for a stretch of a recording. */
void spk_draw_time_axis(spk_canvas *canvas, spk_axis_frame frame, spk_stretch stretch,
                        spk_rate rate, const char *title);
