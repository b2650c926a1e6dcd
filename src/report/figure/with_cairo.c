/* Settings of fonts, and cairo's errors as ours. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/with_cairo.h"

#include "report/figure/font.h"

void spk_cairo_prepare(cairo_t *cairo)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
}

void spk_cairo_select_font(cairo_t *cairo, double size, bool bold)
{
    cairo_select_font_face(cairo, SPK_FONT_FAMILY, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

spk_status spk_cairo_check(spk_context *context, cairo_status_t status)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return SPK_OK;
    return spk_fail(context, status == CAIRO_STATUS_NO_MEMORY ? SPK_ERR_MEMORY : SPK_ERR_INTERNAL,
                    "the picture cannot be drawn: %s; try a smaller one",
                    cairo_status_to_string(status));
}
#endif
