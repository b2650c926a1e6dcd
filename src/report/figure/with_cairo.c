/* Loads libcairo with dlopen; it stays loaded. Settings of fonts, and cairo's errors as ours. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/with_cairo.h"

#include "base/library.h"
#include "report/figure/font.h"

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
#endif
