/* The list of items that a canvas is. Painters turn it into files; tests ask it where things lie.
 */
#pragma once

#include "base/output.h"
#include "report/figure/canvas.h"

typedef enum spk_item_kind {
    SPK_ITEM_FILL,
    SPK_ITEM_STROKE,
    SPK_ITEM_TEXT,
    SPK_ITEM_CLIP, /* bounds: the box */
    SPK_ITEM_UNCLIP
} spk_item_kind;

/* Steps of a path and the points that each takes: 1, 1, 3, 0. */
typedef enum spk_step { SPK_STEP_MOVE, SPK_STEP_LINE, SPK_STEP_CURVE, SPK_STEP_CLOSE } spk_step;

typedef struct spk_item {
    spk_item_kind kind;
    spk_colour colour;
    spk_box bounds; /* of the ink, cut at the clip */
    uint32_t panel; /* number of the part of the page, from 1 on; 0: none */
    double width;   /* of a line */
    uint64_t first_step;
    uint64_t n_steps;
    uint64_t first_point;
    spk_text_style style; /* of a text; its anchor is the first point */
    uint64_t text;        /* where its bytes begin, terminated */
} spk_item;

typedef struct spk_display {
    double width; /* of the page */
    double height;
    double dpi;
    uint64_t n_items;
    uint64_t n_steps;
    uint64_t n_points;
    uint64_t n_bytes;
    spk_item *item;
    unsigned char *step; /* spk_step */
    spk_point *point;
    char *bytes; /* all texts, clean UTF-8 in one line */
    uint64_t n_panels;
    spk_box *panel; /* panel k + 1 */
    char *title;    /* clean UTF-8; NULL: none */
    char *text;
} spk_display;

/* Borrowed until the next drawing call. */
const spk_display *spk_canvas_display(const spk_canvas *canvas);

/* How far below the vertical middle of a line its letters stand. */
#define SPK_BASELINE 0.36

/* ---- painters -------------------------------------------------------------------------------- */

/* Painters: a display list becomes the bytes of a file. */

/* Text stays text in both kinds of vector file; the PDF holds the letters of its fonts. Errors:
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED, SPK_ERR_IO, SPK_ERR_PIPE. */
spk_status spk_paint_png(spk_context *context, const spk_display *display, spk_output *output);
spk_status spk_paint_pdf(spk_context *context, const spk_display *display, spk_output *output);
spk_status spk_paint_svg(spk_context *context, const spk_display *display, spk_output *output);
