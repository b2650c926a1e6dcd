/*
 * A page to draw on. What is drawn is kept as a list of items (display.h) and becomes a file only
 * in spk_canvas_save: PNG, SVG or PDF by the name's ending. Drawing calls never fail one by one:
 * the canvas keeps the first error, a cancel among them, and spk_canvas_save reports it. Equal
 * drawings give equal bytes (no dates, no counters of the process).
 *
 * Coordinates are points of 1/72 inch, y downwards.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

typedef struct spk_canvas spk_canvas;

typedef struct spk_colour {
    double red; /* 0 .. 1, like the others */
    double green;
    double blue;
    double alpha;
} spk_colour;

typedef struct spk_box {
    double x; /* left, top */
    double y;
    double width;
    double height;
} spk_box;

typedef struct spk_point {
    double x;
    double y;
} spk_point;

typedef enum spk_align { SPK_ALIGN_LEFT, SPK_ALIGN_CENTRE, SPK_ALIGN_RIGHT } spk_align;

/* How a text looks. `angle` in radians, clockwise, about the anchor. */
typedef struct spk_text_style {
    double size;
    bool bold;
    spk_align align;
    double angle;
    spk_colour colour;
} spk_text_style;

/* Marks that are told apart without colour. */
typedef enum spk_marker {
    SPK_MARKER_CIRCLE,
    SPK_MARKER_SQUARE,
    SPK_MARKER_UP,
    SPK_MARKER_DIAMOND,
    SPK_MARKER_DOWN,
    SPK_MARKER_CROSS,
    SPK_MARKER_STAR,
    SPK_N_MARKERS
} spk_marker;

/* ---- the page -------------------------------------------------------------------------------- */

/* Opens `path` (.png, .svg, .pdf, in any case) for a picture whose page has no size yet; a NULL
 * path opens no file, for drawings that only tests look at. The context is borrowed. Errors:
 * SPK_ERR_ARGUMENT (unknown ending), SPK_ERR_IO, SPK_ERR_MEMORY. */
spk_status spk_canvas_create(spk_context *context, const char *path, spk_canvas **out);

/* Sets the size of the page, in points, and the pixels per inch of a PNG file. Errors:
 * SPK_ERR_ARGUMENT (a side below 20 points or beyond 20,000 pixels or points). */
spk_status spk_canvas_set_page(spk_canvas *canvas, double width, double height, double dpi);

/* Size of the page. */
spk_box spk_canvas_page(const spk_canvas *canvas);

/* Title and plain text of the picture for search and screen readers: SVG <title> and <desc>, PDF
 * title and subject; nothing in PNG. */
void spk_canvas_describe(spk_canvas *canvas, const char *title, const char *text);

/* What went wrong so far. */
spk_status spk_canvas_status(const spk_canvas *canvas);

/* Writes the file; it appears under its name only now. Free the canvas afterwards all the same. */
spk_status spk_canvas_save(spk_canvas *canvas);

/* Frees; a canvas that was not saved leaves no file. NULL is accepted. */
void spk_canvas_free(spk_canvas *canvas);

/* ---- marks ----------------------------------------------------------------------------------- */

/* What is drawn from now on belongs into this part of the page. Draws nothing; tests compare. */
void spk_canvas_panel(spk_canvas *canvas, spk_box box);

void spk_canvas_fill_box(spk_canvas *canvas, spk_box box, spk_colour colour);
/* Many boxes as one element of the file. */
void spk_canvas_fill_boxes(spk_canvas *canvas, uint64_t n, const spk_box *box, spk_colour colour);
void spk_canvas_line(spk_canvas *canvas, spk_point from, spk_point to, double width,
                     spk_colour colour);
void spk_canvas_polyline(spk_canvas *canvas, uint64_t n, const spk_point *point, double width,
                         spk_colour colour);
/* Cubic curve through control points 1 and 2. */
void spk_canvas_curve(spk_canvas *canvas, const spk_point point[4], double width,
                      spk_colour colour);
void spk_canvas_fill_polygon(spk_canvas *canvas, uint64_t n, const spk_point *point,
                             spk_colour colour);
void spk_canvas_fill_circle(spk_canvas *canvas, spk_point centre, double radius, spk_colour colour);

/* Many marks of one shape as one element of the file, about as large as a disc of this diameter. */
void spk_canvas_markers(spk_canvas *canvas, spk_marker shape, uint64_t n, const spk_point *point,
                        double size, spk_colour colour);

/* Everything until spk_canvas_unclip is cut off at the box. Clips do not nest. */
void spk_canvas_clip(spk_canvas *canvas, spk_box box);
void spk_canvas_unclip(spk_canvas *canvas);

/* ---- text ------------------------------------------------------------------------------------ */

/* One line, its vertical middle at `at`. Bytes that are no UTF-8 are drawn as '?'. */
void spk_canvas_text(spk_canvas *canvas, spk_point at, spk_text_style style, const char *text);

/* The same, at most `width` wide: what is too long loses its middle, since labels often differ in
 * their last bytes only. */
void spk_canvas_text_within(spk_canvas *canvas, spk_point at, double width, spk_text_style style,
                            const char *text);

/* Width of a text as drawn. */
double spk_canvas_text_width(spk_canvas *canvas, spk_text_style style, const char *text);

/* Draws the text in at most `max_lines` lines of `width`, broken at blanks, the last one cut with
 * an ellipsis; `at` is the middle of the first line. Returns the number of lines. */
int spk_canvas_paragraph(spk_canvas *canvas, spk_point at, double width, int max_lines,
                         spk_text_style style, const char *text);

/* ---- colours --------------------------------------------------------------------------------- */

/* The colours of all pictures: safe for every common colour vision deficiency, and readable when
 * printed in grey. */

/* Most groups that are told apart by colour. */
#define SPK_PALETTE_SIZE 7u

/* Colour of group k < SPK_PALETTE_SIZE: in the hues of Okabe & Ito 2008, but dark enough for white
 * paper, and no two as light in grey. */
spk_colour spk_palette_group(uint32_t k);

/* The mark of group k, which tells it from the others where colour cannot. */
spk_marker spk_palette_marker(uint32_t k);

/* Colour at 0 <= position <= 1 of an ordered scale from dark to lighter (the dark half of viridis).
 */
spk_colour spk_palette_scale(double position);

/* The same colour with another opacity. */
spk_colour spk_colour_alpha(spk_colour colour, double alpha);

#define SPK_INK        ((spk_colour){0.13, 0.13, 0.13, 1})
#define SPK_INK_SOFT   ((spk_colour){0.40, 0.40, 0.40, 1})
#define SPK_SPIKE_GREY ((spk_colour){0.55, 0.55, 0.55, 1})
#define SPK_RULE_GREY  ((spk_colour){0.80, 0.80, 0.80, 1})
#define SPK_GAP_GREY   ((spk_colour){0.88, 0.88, 0.88, 1})
