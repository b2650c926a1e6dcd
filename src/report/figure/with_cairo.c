/* Loads libcairo with dlopen; it stays loaded. Settings of fonts, and cairo's errors as ours. */
#include "report/figure/with_cairo.h"

#include <stdlib.h>

#include "base/build_config.h"
#include "base/library.h"
#include "base/memory.h"

static spk_cairo_table table;

static const spk_library_symbol symbols[] = {
#define ENTRY(name) {"cairo_" #name, (void *)&table.name},
    SPK_CAIRO_FUNCTIONS(ENTRY)
#undef ENTRY
};

static spk_library library = {
    .names = {SPIKEMINE_CAIRO_LIBRARY, "libcairo.so.2", "libcairo.2.dylib",
              "/opt/homebrew/lib/libcairo.2.dylib"},
    .symbols = symbols,
    .n_symbols = sizeof symbols / sizeof symbols[0],
    .called = "the cairo library",
    .absent = "(libcairo.so.2) is not here; install libcairo2 (Debian, Ubuntu) or cairo (Fedora, "
              "conda-forge, Homebrew)",
    .install = "version 1.16",
    SPK_LIBRARY_NEW};

bool spk_cairo_available(const char **reason)
{
    return spk_library_available(&library, reason);
}

const spk_cairo_table *spk_cairo(void)
{
    return &table;
}

void spk_cairo_prepare(cairo_t *cairo)
{
    cairo_font_options_t *options = spk_cairo()->font_options_create();
    spk_cairo()->font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    spk_cairo()->font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    spk_cairo()->font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    spk_cairo()->set_font_options(cairo, options);
    spk_cairo()->font_options_destroy(options);
}

void spk_cairo_select_font(cairo_t *cairo, double size, bool bold)
{
    spk_cairo()->select_font_face(cairo, SPK_FONT_FAMILY, CAIRO_FONT_SLANT_NORMAL,
                                  bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    spk_cairo()->set_font_size(cairo, size);
}

spk_status spk_cairo_check(spk_context *context, cairo_status_t status)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return SPK_OK;
    return spk_fail(context, status == CAIRO_STATUS_NO_MEMORY ? SPK_ERR_MEMORY : SPK_ERR_INTERNAL,
                    "the picture cannot be drawn: %s; try a smaller one",
                    spk_cairo()->status_to_string(status));
}

/* ---- letters --------------------------------------------------------------------------------- */

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
