/* Bar charts of counts. */
#include "base/decimal.h"
#include "report/figure/panels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/figure/canvas.h"
#include "report/figure/text.h"

/* ---- heights --------------------------------------------------------------------------------- */

typedef struct scale {
    bool logarithmic;
    double top; /* of the axis, as a height */
} scale;

/* Height of the step from 0 to 1 on the logarithmic scale, in powers of ten. */
static const double FIRST = 0.8;

static double height_of(const scale *s, double count)
{
    if (!s->logarithmic)
        return count;
    return count <= 0 ? 0 : count < 1 ? FIRST * count : FIRST + log10(count);
}

static scale scale_for(const spk_bars *bars)
{
    uint64_t most = 1;
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < bars->n; k++) {
        most = bars->count[k] > most ? bars->count[k] : most;
        if (bars->count[k] > 0 && bars->count[k] < least)
            least = bars->count[k];
    }
    scale s = {.logarithmic = most / 100 >= least};
    s.top = height_of(&s, (double)most) * 1.04;
    return s;
}

/* ---- the vertical axis ----------------------------------------------------------------------- */

static double y_of(const scale *s, spk_box plot, double count)
{
    return plot.y + plot.height * (1 - height_of(s, count) / s->top);
}

static void draw_mark(spk_canvas *canvas, spk_box plot, double y, double size, const char *text)
{
    spk_text_style style = {.size = size, .align = SPK_ALIGN_RIGHT, .colour = SPK_INK};
    double length = (text != NULL ? 0.3 : 0.16) * size;
    spk_canvas_line(canvas, (spk_point){plot.x - length, y}, (spk_point){plot.x, y}, SPK_THIN(size),
                    SPK_INK);
    if (text != NULL)
        spk_canvas_text(canvas, (spk_point){plot.x - 0.5 * size, y}, style, text);
}

/* Powers are written out up to a million, then as 1e7. */
static const char *power_text(int exponent, char *buffer, size_t size)
{
    uint64_t power = 1;
    for (int k = 0; k < exponent && k < 7; k++)
        power *= 10;
    if (exponent < 7)
        return spk_group_digits(power, buffer);
    snprintf(buffer, size, "1e%d", exponent);
    return buffer;
}

static void draw_logarithmic(spk_canvas *canvas, const scale *s, spk_box plot, double size)
{
    char text[32];
    int powers = (int)floor(s->top - FIRST) + 1;
    double decade = plot.height / s->top;
    int step = (int)fmax(1, ceil(1.25 * size / decade));
    draw_mark(canvas, plot, plot.y + plot.height, size, "0");
    for (int e = 0; e < powers; e++) {
        double power = pow(10, e);
        bool named = e % step == 0 && y_of(s, plot, power) < plot.y + plot.height - 1.1 * size;
        draw_mark(canvas, plot, y_of(s, plot, power), size,
                  named ? power_text(e, text, sizeof text) : NULL);
        for (int m = 2; m <= 9 && decade > 1.5 * size; m++)
            if (height_of(s, m * power) <= s->top)
                draw_mark(canvas, plot, y_of(s, plot, m * power), size, NULL);
    }
    /* The axis is interrupted between 0 and 1. */
    double y = plot.y + plot.height * (1 - FIRST / 2 / s->top);
    double gap = 0.16 * size;
    spk_canvas_fill_box(canvas, (spk_box){plot.x - 0.5, y - gap / 2, 1, gap},
                        (spk_colour){1, 1, 1, 1});
    for (int k = -1; k <= 1; k += 2)
        spk_canvas_line(canvas, (spk_point){plot.x - 0.3 * size, y + k * gap / 2 + 0.12 * size},
                        (spk_point){plot.x + 0.3 * size, y + k * gap / 2 - 0.12 * size},
                        SPK_THIN(size), SPK_INK);
}

static void draw_linear(spk_canvas *canvas, const scale *s, spk_box plot, double size)
{
    char text[32];
    double step = fmax(1, spk_nice_step(s->top * fmax(1.3 * size / plot.height, 0.2)));
    for (int k = 0; k * step <= s->top; k++)
        draw_mark(canvas, plot, y_of(s, plot, k * step), size,
                  spk_group_digits((uint64_t)llround(k * step), text));
}

/* Width of the widest number at the axis. */
static double numbers_width(spk_canvas *canvas, const scale *s, double size)
{
    char text[32];
    spk_text_style style = {.size = size};
    if (!s->logarithmic)
        return spk_canvas_text_width(canvas, style,
                                     spk_group_digits((uint64_t)llround(s->top), text));
    double widest = 0;
    for (int e = 0; e <= (int)floor(s->top - FIRST); e++)
        widest =
            fmax(widest, spk_canvas_text_width(canvas, style, power_text(e, text, sizeof text)));
    return widest;
}

/* ---- bars ------------------------------------------------------------------------------------ */

static const char *label_of(const spk_bars *bars, uint32_t k)
{
    return spk_recording_label(bars->labels->recording, bars->unit[k]);
}

/* Whether names are numbers, about as many of them round as every so many are. */
static bool has_round_names(const spk_bars *bars, uint32_t every)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < bars->n; k++)
        n += spk_label_is_round(label_of(bars, k), every);
    return every > 1 && n > 0 && n >= bars->n / every / 2;
}

/* Names under the bars, every so many of them, as fit. */
static void draw_names(spk_canvas *canvas, const spk_bars *bars, spk_axis_frame frame)
{
    spk_box plot = frame.plot;
    double bottom = plot.y + plot.height;
    double width = plot.width / bars->n;
    spk_text_style style = {.size = frame.size, .align = SPK_ALIGN_CENTRE, .colour = SPK_INK};
    spk_canvas_line(canvas, (spk_point){plot.x, bottom}, (spk_point){plot.x + plot.width, bottom},
                    SPK_THIN(frame.size), SPK_INK);
    double room = 6 * frame.size; /* a name is cut to this */
    double widest = 0;
    for (uint32_t k = 0; k < bars->n; k++)
        widest = fmax(widest, spk_canvas_text_width(canvas, style, label_of(bars, k)));
    widest = fmin(widest, room) + 0.8 * frame.size;
    uint32_t every = (uint32_t)fmax(1, spk_nice_step(fmax(1, widest / width)));
    const bool round = has_round_names(bars, every);
    double before = -INFINITY;
    for (uint32_t k = 0; k < bars->n; k++) {
        double x = plot.x + width * (k + 0.5);
        if (round ? !spk_label_is_round(label_of(bars, k), every) || x < before + widest
                  : k % every != 0)
            continue;
        before = x;
        spk_canvas_line(canvas, (spk_point){x, bottom}, (spk_point){x, bottom + 0.3 * frame.size},
                        SPK_THIN(frame.size), SPK_INK);
        if (x - widest / 2 >= frame.left && x + widest / 2 <= frame.right)
            spk_labels_draw(canvas, (spk_point){x, bottom + 0.95 * frame.size},
                            widest - 0.8 * frame.size, style, bars->labels, bars->unit[k]);
    }
}

static void draw_bars(spk_canvas *canvas, const spk_bars *bars, const scale *s, spk_box plot)
{
    double width = plot.width / bars->n;
    double part = width > 2 ? 0.8 : 1;
    double bottom = plot.y + plot.height;
    for (uint32_t k = 0; k < bars->n; k++) {
        double y = y_of(s, plot, (double)bars->count[k]);
        if (bars->count[k] > 0)
            spk_canvas_fill_box(
                canvas,
                (spk_box){plot.x + width * (k + (1 - part) / 2), y, width * part, bottom - y},
                spk_palette_group(1));
    }
}

void spk_bars_draw(spk_canvas *canvas, const spk_page *page, spk_box box, const spk_bars *bars)
{
    if (bars->n == 0)
        return;
    double size = page->small;
    scale s = scale_for(bars);
    double left = 1.5 * size + numbers_width(canvas, &s, size) + 0.6 * size;
    double top = 0.5 * size; /* the highest number stands half above the plot */
    spk_box plot = {box.x + left, box.y + top, box.width - left,
                    box.height - top - (SPK_AXIS_HEIGHT + SPK_AXIS_TITLE_HEIGHT) * size};
    spk_axis_frame frame = {plot, box.x, box.x + box.width + 0.6 * size, size};
    draw_bars(canvas, bars, &s, plot);
    spk_canvas_line(canvas, (spk_point){plot.x, plot.y}, (spk_point){plot.x, plot.y + plot.height},
                    SPK_THIN(size), SPK_INK);
    if (s.logarithmic)
        draw_logarithmic(canvas, &s, plot, size);
    else
        draw_linear(canvas, &s, plot, size);
    spk_text_style side = {
        .size = size, .align = SPK_ALIGN_CENTRE, .angle = -1.5707963267948966, .colour = SPK_INK};
    spk_canvas_text_within(canvas, (spk_point){box.x + 0.5 * size, plot.y + plot.height / 2},
                           plot.height, side, bars->side);
    double first = bars->from - (bars->seconds ? bars->step : bars->whole ? 1 : 0) / 2;
    double length = bars->n * bars->step;
    if (bars->labels != NULL)
        draw_names(canvas, bars, frame);
    else if (bars->seconds)
        spk_draw_seconds_axis(canvas, frame, (spk_seconds){first, length, length, false});
    else
        spk_draw_axis(canvas, frame, first, length, true);
    if (bars->seconds)
        spk_seconds_axis_title(canvas, frame, (spk_seconds){first, length, length, false},
                               bars->label);
    else
        spk_axis_title(canvas, frame, bars->label);
}
