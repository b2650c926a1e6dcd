/*
 * Cairo, loaded when it is first needed (libcairo.so.2), what measuring and painting must do alike,
 * and cairo's errors as ours.
 */
#pragma once

#include <cairo-pdf.h>
#include <stdbool.h>

#include "base/context.h"
#include "report/figure/canvas.h"

/* Each function is that of cairo_NAME. */
#define SPK_CAIRO_FUNCTIONS(X)                                                                     \
    X(clip)                                                                                        \
    X(close_path)                                                                                  \
    X(create)                                                                                      \
    X(curve_to)                                                                                    \
    X(destroy)                                                                                     \
    X(fill)                                                                                        \
    X(font_options_create)                                                                         \
    X(font_options_destroy)                                                                        \
    X(font_options_set_antialias)                                                                  \
    X(font_options_set_hint_metrics)                                                               \
    X(font_options_set_hint_style)                                                                 \
    X(image_surface_create)                                                                        \
    X(line_to)                                                                                     \
    X(move_to)                                                                                     \
    X(new_path)                                                                                    \
    X(paint)                                                                                       \
    X(pdf_surface_create_for_stream)                                                               \
    X(pdf_surface_set_metadata)                                                                    \
    X(rectangle)                                                                                   \
    X(restore)                                                                                     \
    X(rotate)                                                                                      \
    X(save)                                                                                        \
    X(scale)                                                                                       \
    X(select_font_face)                                                                            \
    X(set_font_options)                                                                            \
    X(set_font_size)                                                                               \
    X(set_line_join)                                                                               \
    X(set_line_width)                                                                              \
    X(set_source_rgb)                                                                              \
    X(set_source_rgba)                                                                             \
    X(show_page)                                                                                   \
    X(show_text)                                                                                   \
    X(status)                                                                                      \
    X(status_to_string)                                                                            \
    X(stroke)                                                                                      \
    X(surface_destroy)                                                                             \
    X(surface_finish)                                                                              \
    X(surface_status)                                                                              \
    X(surface_write_to_png_stream)                                                                 \
    X(text_extents)                                                                                \
    X(translate)

typedef struct spk_cairo_table {
#define SPK_CAIRO_MEMBER(name) __typeof__(cairo_##name) *name;
    SPK_CAIRO_FUNCTIONS(SPK_CAIRO_MEMBER)
#undef SPK_CAIRO_MEMBER
} spk_cairo_table;

/* Whether it is here; else *reason (static) says what to install. From any thread. */
bool spk_cairo_available(const char **reason);

/* The functions, which are there where spk_cairo_available has said so. */
const spk_cairo_table *spk_cairo(void);

/* Sets how letters are drawn: no hints. */
void spk_cairo_prepare(cairo_t *cairo);

void spk_cairo_select_font(cairo_t *cairo, double size, bool bold);

/* SPK_ERR_MEMORY or SPK_ERR_INTERNAL for a status that is none of success. */
spk_status spk_cairo_check(spk_context *context, cairo_status_t status);

/* ---- letters --------------------------------------------------------------------------------- */

/* How wide texts are. Metrics are not hinted, so that all kinds of files share one layout. */

/* The family that is asked for; what a machine lacks is replaced by what it has. */
#define SPK_FONT_FAMILY "Arial"

typedef struct spk_font spk_font;

/* Extent of a line whose left end stands at the origin of its baseline. */
typedef struct spk_extent {
    double advance; /* where the next letter would stand */
    spk_box ink;
} spk_extent;

spk_status spk_font_create(spk_context *context, spk_font **out);

/* Measures clean UTF-8. After a failure, which spk_font_check reports, the extent is zero. */
spk_extent spk_font_measure(spk_font *font, double size, bool bold, const char *clean);

/* SPK_ERR_MEMORY when measuring has failed. */
spk_status spk_font_check(spk_context *context, const spk_font *font);

void spk_font_free(spk_font *font);
