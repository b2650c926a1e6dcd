/* Axes with round numbers. */
#include "report/figure/axis.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figure/canvas.h"
#include "report/figure/text.h"
#include "spikemine/figure.h"

/* ---- stretches ------------------------------------------------------------------------------- */

uint64_t spk_time_difference(int64_t later, int64_t earlier)
{
    assert(later >= earlier);
    return (uint64_t)later - (uint64_t)earlier;
}

int64_t spk_stretch_last(spk_stretch stretch)
{
    uint64_t left = spk_time_difference(INT64_MAX, stretch.start);
    uint64_t length = stretch.length - 1;
    return (int64_t)((uint64_t)stretch.start + (length < left ? length : left));
}

/* time - from in double precision; the exact difference first: far from zero, doubles would lose
 * the ticks. */
static double ticks_between(int64_t from, int64_t time)
{
    return time >= from ? (double)spk_time_difference(time, from)
                        : -(double)spk_time_difference(from, time);
}

double spk_time_x(spk_stretch stretch, spk_box box, int64_t time)
{
    const double far = 1e4; /* points beyond the box that a file can still hold */
    double x = box.width * ticks_between(stretch.start, time) / (double)stretch.length;
    return box.x + fmin(fmax(x, -far), box.width + far);
}

/* ---- numbers --------------------------------------------------------------------------------- */

double spk_nice_step(double least)
{
    assert(least > 0);
    double power = pow(10, floor(log10(least)));
    double lead = least / power * (1 - 1e-9);
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static int decimals_of(double step)
{
    return (int)fmin(300, fmax(0, -floor(log10(step) + 1e-9)));
}

static double number_width(spk_canvas *canvas, double value, double step, double size)
{
    char text[SPK_TEXT_FIXED_SIZE];
    spk_text_style style = {.size = size};
    return spk_canvas_text_width(canvas, style, spk_text_fixed(value, decimals_of(step), text));
}

/* The smallest round step whose numbers keep a distance. */
static double step_for(spk_canvas *canvas, spk_axis_frame frame, double first, double length,
                       bool whole)
{
    enum { MOST_TRIES = 12 };
    double per_value = frame.plot.width / length;
    double gap = (whole ? 0.8 : 1.7) * frame.size;
    double step = spk_nice_step(1.4 * frame.size / per_value);
    if (whole && step < 1)
        step = 1;
    for (int k = 0; k < MOST_TRIES; k++) {
        double widest = fmax(number_width(canvas, first, step, frame.size),
                             number_width(canvas, first + length, step, frame.size));
        if (step * per_value >= widest + gap)
            break;
        step = spk_nice_step(1.01 * step);
    }
    return step;
}

static void draw_number(spk_canvas *canvas, spk_axis_frame frame, double x, double value,
                        double step)
{
    char text[SPK_TEXT_FIXED_SIZE];
    double bottom = frame.plot.y + frame.plot.height;
    spk_text_style style = {.size = frame.size, .align = SPK_ALIGN_CENTRE, .colour = SPK_INK};
    spk_text_fixed(value, decimals_of(step), text);
    double half = spk_canvas_text_width(canvas, style, text) / 2;
    spk_canvas_line(canvas, (spk_point){x, bottom}, (spk_point){x, bottom + 0.3 * frame.size},
                    SPK_THIN(frame.size), SPK_INK);
    if (x - half >= frame.left && x + half <= frame.right)
        spk_canvas_text(canvas, (spk_point){x, bottom + 0.95 * frame.size}, style, text);
}

void spk_draw_axis(spk_canvas *canvas, spk_axis_frame frame, double first, double length,
                   bool whole)
{
    spk_box plot = frame.plot;
    double bottom = plot.y + plot.height;
    double step = step_for(canvas, frame, first, length, whole);
    spk_canvas_line(canvas, (spk_point){plot.x, bottom}, (spk_point){plot.x + plot.width, bottom},
                    SPK_THIN(frame.size), SPK_INK);
    double from = ceil(first / step - 1e-9);
    int n = (int)(floor((first + length) / step + 1e-9) - from) + 1;
    for (int k = 0; k < n; k++) {
        double value = (from + k) * step;
        double x = plot.x + plot.width * (value - first) / length;
        draw_number(canvas, frame, fmin(fmax(x, plot.x), plot.x + plot.width), value, step);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

typedef struct time_unit {
    const char *name;
    double per_second;
} time_unit;

static bool numbers_are_long(double first_s, double length_s, time_unit unit)
{
    enum { MOST_LETTERS = 9 };
    char text[SPK_TEXT_FIXED_SIZE];
    double step = spk_nice_step(length_s * unit.per_second / 5);
    double largest = fmax(fabs(first_s), fabs(first_s + length_s)) * unit.per_second;
    return strlen(spk_text_fixed(largest, decimals_of(step), text)) > MOST_LETTERS;
}

/* The unit of the numbers from .. from + length where the longest axis of its kind is `longest_s`.
 */
static time_unit unit_of_numbers(spk_seconds range)
{
    static const time_unit seconds = {"s", 1};
    time_unit unit = {0};
    unit.name = spk_figure_time_unit(range.longest_s, &unit.per_second);
    /* Moments of a recording are seconds as far as they can be: 1289.4 s, not 1289400 ms. */
    if (range.moments && unit.per_second > 1 &&
        !numbers_are_long(range.first_s, range.length_s, seconds))
        unit = seconds;
    return unit;
}

void spk_axis_title(spk_canvas *canvas, spk_axis_frame frame, const char *title)
{
    spk_text_style style = {.size = frame.size, .align = SPK_ALIGN_CENTRE, .colour = SPK_INK};
    double middle = frame.plot.x + frame.plot.width / 2;
    double room = 2 * fmin(middle - frame.left, frame.right - middle);
    double y = frame.plot.y + frame.plot.height + (SPK_AXIS_HEIGHT + 0.6) * frame.size;
    spk_canvas_text_within(canvas, (spk_point){middle, y}, room, style, title);
}

void spk_seconds_axis_title(spk_canvas *canvas, spk_axis_frame frame, spk_seconds range,
                            const char *title)
{
    const double first_s = range.first_s, length_s = range.length_s;
    const time_unit unit = unit_of_numbers(range);
    char number[SPK_TEXT_FIXED_SIZE];
    char text[SPK_TEXT_FIXED_SIZE + 80];
    if (numbers_are_long(first_s, length_s, unit)) {
        int decimals = decimals_of(spk_nice_step(length_s / 5)) + 1;
        snprintf(text, sizeof text, "%.40s after %s s (%s)", title,
                 spk_text_fixed(first_s, decimals > 15 ? 15 : decimals, number), unit.name);
    } else {
        snprintf(text, sizeof text, "%.40s (%s)", title, unit.name);
    }
    spk_axis_title(canvas, frame, text);
}

void spk_draw_seconds_axis(spk_canvas *canvas, spk_axis_frame frame, spk_seconds range)
{
    const time_unit unit = unit_of_numbers(range);
    const bool from_start = numbers_are_long(range.first_s, range.length_s, unit);
    spk_draw_axis(canvas, frame, from_start ? 0 : range.first_s * unit.per_second,
                  range.length_s * unit.per_second, false);
}

void spk_draw_time_axis(spk_canvas *canvas, spk_axis_frame frame, spk_stretch stretch,
                        spk_rate rate, const char *title)
{
    double tick_s = (double)rate.denominator / (double)rate.numerator;
    double first_s = ticks_between(0, stretch.start) * tick_s;
    double length_s = (double)stretch.length * tick_s;
    const spk_seconds range = {first_s, length_s, length_s, true};
    spk_draw_seconds_axis(canvas, frame, range);
    spk_seconds_axis_title(canvas, frame, range, title);
}
