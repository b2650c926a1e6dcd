/* Time axes with round numbers. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/axis.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "report/figure/palette.h"

uint64_t spk_time_difference(int64_t later, int64_t earlier)
{
    assert(later >= earlier);
    return (uint64_t)later - (uint64_t)earlier;
}

int64_t spk_stretch_last(spk_stretch stretch)
{
    uint64_t left = spk_time_difference(INT64_MAX, stretch.start);
    return (int64_t)((uint64_t)stretch.start + (stretch.length < left ? stretch.length : left));
}

double spk_time_x(spk_stretch stretch, spk_box box, int64_t time)
{
    /* Exact difference first: far from zero, doubles would lose the ticks. */
    double ticks = time >= stretch.start ? (double)spk_time_difference(time, stretch.start)
                                         : -(double)spk_time_difference(stretch.start, time);
    return box.x + box.width * ticks / (double)stretch.length;
}

double spk_nice_step(double range, int n)
{
    double rough = range / n;
    double power = pow(10, floor(log10(rough)));
    double lead = rough / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

typedef struct time_unit {
    const char *name;
    double per_second;
} time_unit;

static time_unit unit_for(double seconds)
{
    static const time_unit units[] = {{"s", 1}, {"ms", 1e3}, {"\xc2\xb5s", 1e6}, {"ns", 1e9}};
    size_t k = 0;
    while (k + 1 < sizeof units / sizeof units[0] && seconds * units[k].per_second < 1)
        k++;
    return units[k];
}

void spk_draw_time_axis(spk_canvas *canvas, spk_box box, spk_stretch stretch, spk_rate rate,
                        int64_t zero, const char *label, double text_size)
{
    double tick_s = (double)rate.denominator / (double)rate.numerator;
    double length_s = (double)stretch.length * tick_s;
    time_unit unit = unit_for(length_s);
    double length = length_s * unit.per_second;
    double step = spk_nice_step(length, (int)fmax(2, box.width / (text_size * 7)));
    double first = ((double)stretch.start - (double)zero) * tick_s * unit.per_second;
    char text[160];
    if (fabs(first) / step > 1e6) {
        snprintf(text, sizeof text, "%s after %.15g s (%s)", label, first / unit.per_second,
                 unit.name);
        first = 0;
    } else {
        snprintf(text, sizeof text, "%s (%s)", label, unit.name);
    }
    double bottom = box.y + box.height;
    spk_text_style style = {.size = text_size, .align = SPK_ALIGN_CENTRE, .colour = SPK_INK};
    int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
    spk_canvas_line(canvas, (spk_point){box.x, bottom}, (spk_point){box.x + box.width, bottom}, 1,
                    SPK_INK);
    int64_t from = (int64_t)ceil(first / step - 1e-9);
    int64_t to = (int64_t)floor((first + length * (1 + 1e-9)) / step);
    for (int64_t tick = from; tick <= to; tick++) {
        double k = (double)tick;
        double x = box.x + box.width * (k * step - first) / length;
        char number[64];
        snprintf(number, sizeof number, "%.*f", decimals, k == 0 ? 0 : k * step);
        spk_canvas_line(canvas, (spk_point){x, bottom}, (spk_point){x, bottom + 5}, 1, SPK_INK);
        spk_canvas_text(canvas, (spk_point){x, bottom + 6 + 0.75 * text_size}, style, number);
    }
    spk_canvas_text(canvas, (spk_point){box.x + box.width / 2, bottom + 8 + 2.05 * text_size},
                    style, text);
}
#endif
