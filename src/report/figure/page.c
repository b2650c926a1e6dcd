/* Titles and headings. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/page.h"

#include "report/figure/palette.h"

enum { LEFT = 28, RIGHT = 28 };

static void draw_line(spk_canvas *canvas, double y, spk_text_style style, const char *text)
{
    double width = spk_canvas_page(canvas).width - LEFT - RIGHT;
    spk_canvas_paragraph(canvas, (spk_point){LEFT, y}, width, 1, style, text);
}

double spk_page_title(spk_canvas *canvas, const char *title, const char *caption)
{
    double y = 22;
    if (title != NULL) {
        draw_line(canvas, y + 6, (spk_text_style){.size = 21, .bold = true, .colour = SPK_INK},
                  title);
        y += 32;
    }
    if (caption != NULL) {
        draw_line(canvas, y + 4, (spk_text_style){.size = 13.5, .colour = SPK_INK_SOFT}, caption);
        y += 24;
    }
    return y + 12;
}

void spk_page_heading(spk_canvas *canvas, spk_box panel, const char *letter, const char *text)
{
    spk_text_style style = {.size = 17, .bold = true, .colour = SPK_INK};
    spk_canvas_text(canvas, (spk_point){panel.x, panel.y}, style, letter);
    style.size = 13.5;
    style.bold = false;
    spk_canvas_paragraph(canvas, (spk_point){panel.x + 22, panel.y}, panel.width - 22, 1, style,
                         text);
}
#endif
