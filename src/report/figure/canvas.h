/*
 * A page to draw on: PNG, SVG or PDF by the file's ending, through cairo, which no other file
 * knows. Drawing calls never fail one by one: the canvas keeps the first error and spk_canvas_save
 * reports it. Equal drawings give equal bytes (no dates, no counters of the process).
 *
 * Coordinates are logical pixels, y downwards: the page is at least 1600 x 1000 of them and is
 * scaled to the size asked for, so that small pictures keep their proportions.
 */
#ifndef SPK_REPORT_FIGURE_CANVAS_H
#define SPK_REPORT_FIGURE_CANVAS_H

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

/* ---- the page -------------------------------------------------------------------------------- */

/* Opens `path` (.png, .svg, .pdf, in any case) and a white page. Errors: SPK_ERR_ARGUMENT (unknown
 * ending, size outside 100 .. 20000), SPK_ERR_IO, SPK_ERR_MEMORY. */
spk_status spk_canvas_create(spk_context *context, const char *path, double width_px,
                             double height_px, spk_canvas **out);

/* Logical size of the page. */
spk_box spk_canvas_page(const spk_canvas *canvas);

/* Title and plain text of the picture for search and screen readers: SVG <title> and <desc>, PDF
 * title and subject; nothing in PNG. */
spk_status spk_canvas_describe(spk_context *context, spk_canvas *canvas, const char *title,
                               const char *text);

/* Writes the file; it appears under its name only now. Free the canvas afterwards all the same. */
spk_status spk_canvas_save(spk_context *context, spk_canvas *canvas);

/* Frees; a canvas that was not saved leaves no file. NULL is accepted. */
void spk_canvas_free(spk_canvas *canvas);

/* ---- marks ----------------------------------------------------------------------------------- */

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

/* Everything until spk_canvas_unclip is cut off at the box. */
void spk_canvas_clip(spk_canvas *canvas, spk_box box);
void spk_canvas_unclip(spk_canvas *canvas);

/* ---- text ------------------------------------------------------------------------------------ */

/* One line, its vertical middle at `at`. Bytes that are no UTF-8 are drawn as '?'. */
void spk_canvas_text(spk_canvas *canvas, spk_point at, spk_text_style style, const char *text);

/* Width of a text as drawn. */
double spk_canvas_text_width(spk_canvas *canvas, spk_text_style style, const char *text);

/* Draws the text in at most `max_lines` lines of `width`, broken at blanks, the last one cut with
 * an ellipsis; `at` is the middle of the first line. Returns the number of lines. */
int spk_canvas_paragraph(spk_canvas *canvas, spk_point at, double width, int max_lines,
                         spk_text_style style, const char *text);

#endif
