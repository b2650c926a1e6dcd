/* Numbers over a raster. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/tags.h"

#include <math.h>
#include <stdio.h>

void spk_tags_draw(spk_canvas *canvas, const spk_page *page, spk_box plot, const spk_tags *tags)
{
    double em = page->em;
    double distance = 0.95 * em;
    uint32_t order[SPK_PALETTE_SIZE];
    double at[SPK_PALETTE_SIZE];
    uint32_t n = 0;
    for (uint32_t k = 0; k < tags->n; k++) {
        if (isnan(tags->x[k]))
            continue;
        uint32_t place = n++;
        for (; place > 0 && tags->x[order[place - 1]] > tags->x[k]; place--)
            order[place] = order[place - 1];
        order[place] = k;
    }
    for (uint32_t i = 0; i < n; i++)
        at[i] = i == 0 ? fmax(plot.x, tags->x[order[i]])
                       : fmax(at[i - 1] + distance, tags->x[order[i]]);
    double most = plot.x + plot.width;
    for (uint32_t i = n; i > 0; i--) {
        at[i - 1] = fmin(at[i - 1], most);
        most -= distance;
    }
    for (uint32_t i = 0; i < n; i++) {
        char number[16];
        spk_colour colour = spk_palette_group(order[i]);
        spk_text_style style = {
            .size = em, .bold = true, .align = SPK_ALIGN_CENTRE, .colour = colour};
        snprintf(number, sizeof number, "%u", (unsigned)order[i] + 1);
        spk_canvas_text(canvas, (spk_point){at[i], plot.y - 1.4 * em}, style, number);
        spk_canvas_line(canvas, (spk_point){at[i], plot.y - 0.85 * em},
                        (spk_point){tags->x[order[i]], plot.y - 0.15 * em}, 0.085 * em, colour);
    }
}
#endif
