/* Extents of texts, as cairo's toy fonts give them. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/font.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/figure/with_cairo.h"

struct spk_font {
    cairo_surface_t *surface;
    cairo_t *cairo;
};

spk_status spk_font_create(spk_context *context, spk_font **out)
{
    spk_font *font = NULL;
    const char *reason = "";
    *out = NULL;
    if (!spk_cairo_available(&reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s", reason);
    spk_status status = spk_alloc_zero(context, &font, 1, "a font");
    if (status != SPK_OK)
        return status;
    font->surface = spk_cairo()->image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    font->cairo = spk_cairo()->create(font->surface);
    spk_cairo_prepare(font->cairo);
    status = spk_font_check(context, font);
    if (status == SPK_OK)
        *out = font;
    else
        spk_font_free(font);
    return status;
}

spk_extent spk_font_measure(spk_font *font, double size, bool bold, const char *clean)
{
    cairo_text_extents_t extents;
    spk_cairo_select_font(font->cairo, size, bold);
    spk_cairo()->text_extents(font->cairo, clean, &extents);
    if (spk_cairo()->status(font->cairo) != CAIRO_STATUS_SUCCESS)
        return (spk_extent){.advance = 0};
    return (spk_extent){extents.x_advance,
                        {extents.x_bearing, extents.y_bearing, extents.width, extents.height}};
}

spk_status spk_font_check(spk_context *context, const spk_font *font)
{
    return spk_cairo_check(context, spk_cairo()->status(font->cairo));
}

void spk_font_free(spk_font *font)
{
    if (font == NULL)
        return;
    spk_cairo()->destroy(font->cairo);
    spk_cairo()->surface_destroy(font->surface);
    free(font);
}
#endif
