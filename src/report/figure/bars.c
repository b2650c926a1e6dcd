/* Bar charts of counts. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/bars.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/figure/axis.h"
#include "report/figure/palette.h"

enum { TEXT_SIZE = 11, MOST_NAMES = 12 };

/* Height of a count in powers of ten: 0 is nothing, 1 is visible. */
static double height_of(uint64_t count)
{
    return count == 0 ? 0 : log10((double)count) + 0.3;
}

static void draw_scale(spk_canvas *canvas, spk_box plot, double top)
{
    spk_text_style style = {.size = TEXT_SIZE, .align = SPK_ALIGN_RIGHT, .colour = SPK_INK};
    double step = ceil(top / 5);
    uint64_t power = 1;
    int exponent = 0;
    while (height_of(power) <= top) {
        double y = plot.y + plot.height * (1 - height_of(power) / top);
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, power);
        if (exponent > 3)
            snprintf(text, sizeof text, "1e%d", exponent);
        spk_canvas_line(canvas, (spk_point){plot.x - 4, y}, (spk_point){plot.x, y}, 1, SPK_INK);
        spk_canvas_text(canvas, (spk_point){plot.x - 7, y}, style, text);
        for (int k = 0; k < (int)step; k++, exponent++)
            power *= 10;
    }
}

static void draw_names(spk_canvas *canvas, spk_box plot, const spk_bars *bars)
{
    spk_text_style style = {.size = TEXT_SIZE, .align = SPK_ALIGN_CENTRE, .colour = SPK_INK};
    uint32_t every = (uint32_t)spk_nice_step(bars->n, MOST_NAMES);
    every = every > 0 ? every : 1;
    double width = plot.width / bars->n;
    for (uint32_t k = 0; k < bars->n; k += every) {
        char number[32];
        uint64_t value = bars->from + k * bars->step;
        snprintf(number, sizeof number, "%" PRIu64, value);
        const char *text = bars->name != NULL ? bars->name(bars->user, value) : number;
        double x = plot.x + width * (k + 0.5);
        spk_canvas_line(canvas, (spk_point){x, plot.y + plot.height},
                        (spk_point){x, plot.y + plot.height + 4}, 1, SPK_INK);
        spk_canvas_text(canvas, (spk_point){x, plot.y + plot.height + 12}, style, text);
    }
    spk_text_style label = {.size = TEXT_SIZE + 1, .align = SPK_ALIGN_CENTRE, .colour = SPK_INK};
    spk_canvas_text(canvas, (spk_point){plot.x + plot.width / 2, plot.y + plot.height + 29}, label,
                    bars->label);
}

void spk_bars_draw(spk_canvas *canvas, spk_box box, const spk_bars *bars)
{
    spk_box plot = {box.x + 44, box.y, box.width - 44, box.height - 38};
    double top = 1;
    for (uint32_t k = 0; k < bars->n; k++)
        top = fmax(top, height_of(bars->count[k]) * 1.05);
    double width = bars->n > 0 ? plot.width / bars->n : 0;
    for (uint32_t k = 0; k < bars->n; k++) {
        double height = plot.height * height_of(bars->count[k]) / top;
        spk_box bar = {plot.x + width * (k + 0.1), plot.y + plot.height - height, width * 0.8,
                       height};
        if (bars->count[k] > 0)
            spk_canvas_fill_box(canvas, bar, bars->colour);
    }
    spk_canvas_line(canvas, (spk_point){plot.x, plot.y}, (spk_point){plot.x, plot.y + plot.height},
                    1, SPK_INK);
    spk_canvas_line(canvas, (spk_point){plot.x, plot.y + plot.height},
                    (spk_point){plot.x + plot.width, plot.y + plot.height}, 1, SPK_INK);
    draw_scale(canvas, plot, top);
    if (bars->n > 0)
        draw_names(canvas, plot, bars);
}
#endif
