/* The page: a cairo surface that is written to memory, made reproducible, and saved. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/canvas.h"

#include <assert.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/output.h"
#include "report/figure/text.h"

typedef enum file_kind { KIND_PNG, KIND_SVG, KIND_PDF, KIND_UNKNOWN } file_kind;

struct spk_canvas {
    file_kind kind;
    spk_output *output;
    cairo_surface_t *surface;
    cairo_t *cairo;
    spk_box page;
    char *bytes; /* the file as cairo writes it */
    uint64_t n_bytes;
    uint64_t capacity;
    char *title; /* escaped for XML */
    char *text;
};

/* ---- the page -------------------------------------------------------------------------------- */

static file_kind kind_of(const char *path)
{
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    size_t length = strlen(path);
    for (int k = 0; k < KIND_UNKNOWN; k++)
        if (length > 4 && strcasecmp(path + length - 4, endings[k]) == 0)
            return (file_kind)k;
    return KIND_UNKNOWN;
}

static cairo_status_t keep_bytes(void *user, const unsigned char *data, unsigned int length)
{
    spk_canvas *canvas = user;
    if (spk_grow(NULL, &canvas->bytes, &canvas->capacity, canvas->n_bytes + length, "a picture") !=
        SPK_OK)
        return CAIRO_STATUS_NO_MEMORY;
    memcpy(canvas->bytes + canvas->n_bytes, data, length);
    canvas->n_bytes += length;
    return CAIRO_STATUS_SUCCESS;
}

static spk_status check_cairo(spk_context *context, cairo_status_t status)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return SPK_OK;
    return spk_fail(context, status == CAIRO_STATUS_NO_MEMORY ? SPK_ERR_MEMORY : SPK_ERR_INTERNAL,
                    "the picture cannot be drawn: %s; try a smaller one",
                    cairo_status_to_string(status));
}

static void create_surface(spk_canvas *canvas, double width, double height)
{
    if (canvas->kind == KIND_PNG) {
        canvas->surface =
            cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(width), (int)lround(height));
    } else if (canvas->kind == KIND_SVG) {
        canvas->surface = cairo_svg_surface_create_for_stream(keep_bytes, canvas, width, height);
        cairo_svg_surface_set_document_unit(canvas->surface, CAIRO_SVG_UNIT_PX);
    } else {
        canvas->surface = cairo_pdf_surface_create_for_stream(keep_bytes, canvas, width, height);
        /* The date of making would differ from run to run. */
        cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                       "2000-01-01T00:00:00Z");
    }
}

/* Unhinted metrics, so that all three kinds share one layout. */
static void create_drawing(spk_canvas *canvas, double width, double height)
{
    double scale = fmin(width / 1600, height / 1000);
    canvas->page = (spk_box){0, 0, width / scale, height / scale};
    canvas->cairo = cairo_create(canvas->surface);
    cairo_scale(canvas->cairo, scale, scale);
    cairo_font_options_t *font = cairo_font_options_create();
    cairo_font_options_set_hint_style(font, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(font, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(font, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas->cairo, font);
    cairo_font_options_destroy(font);
    spk_canvas_fill_box(canvas, canvas->page, (spk_colour){1, 1, 1, 1});
}

spk_status spk_canvas_create(spk_context *context, const char *path, double width_px,
                             double height_px, spk_canvas **out)
{
    *out = NULL;
    spk_canvas *canvas = NULL;
    file_kind kind = kind_of(path);
    if (kind == KIND_UNKNOWN)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: unknown kind of picture; end the name in .png, .svg or .pdf", path);
    if (!(width_px >= 100 && width_px <= 20000 && height_px >= 100 && height_px <= 20000))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: a picture of %g x %g; each side takes 100 to 20000 pixels", path,
                        width_px, height_px);
    spk_status status = spk_alloc_zero(context, &canvas, 1, "a picture");
    if (status != SPK_OK)
        return status;
    canvas->kind = kind;
    status = spk_output_open(context, path, &canvas->output);
    if (status != SPK_OK)
        goto done;
    create_surface(canvas, width_px, height_px);
    create_drawing(canvas, width_px, height_px);
    status = check_cairo(context, cairo_status(canvas->cairo));
done:
    if (status == SPK_OK)
        *out = canvas;
    else
        spk_canvas_free(canvas);
    return status;
}

spk_box spk_canvas_page(const spk_canvas *canvas)
{
    return canvas->page;
}

spk_status spk_canvas_describe(spk_context *context, spk_canvas *canvas, const char *title,
                               const char *text)
{
    spk_status status = SPK_OK;
    char *clean_title = NULL;
    char *clean_text = NULL;
    if (canvas->kind == KIND_SVG) {
        status = spk_text_xml(context, title, &canvas->title);
        if (status == SPK_OK)
            status = spk_text_xml(context, text, &canvas->text);
    } else if (canvas->kind == KIND_PDF) {
        status = spk_text_utf8(context, title, &clean_title);
        if (status == SPK_OK)
            status = spk_text_utf8(context, text, &clean_text);
        if (status == SPK_OK) {
            cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_TITLE, clean_title);
            cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_SUBJECT, clean_text);
        }
    }
    free(clean_title);
    free(clean_text);
    return status;
}

/* Cairo numbers its surfaces through the life of the process and writes the number into the file's
 * ids; `from` .. the end of the file is written without it. */
static void write_without_numbers(FILE *stream, const char *from, const char *end)
{
    static const char id[] = "surface";
    while (from < end) {
        const char *stop = from;
        while (stop + sizeof id <= end && memcmp(stop, id, sizeof id - 1) != 0)
            stop++;
        if (stop + sizeof id > end)
            break;
        stop += sizeof id - 1;
        fwrite(from, 1, (size_t)(stop - from), stream);
        for (from = stop; from < end && *from >= '0' && *from <= '9';)
            from++;
    }
    fwrite(from, 1, (size_t)(end - from), stream);
}

/* The SVG file with <title> and <desc> behind its opening tag: cairo writes text as outlines, which
 * nobody could search or hear. */
static void write_svg(const spk_canvas *canvas, FILE *stream)
{
    const char *end = canvas->bytes + canvas->n_bytes;
    const char *at = canvas->bytes;
    while (at + 4 < end && memcmp(at, "<svg", 4) != 0)
        at++;
    while (at < end && *at != '>')
        at++;
    at += at < end;
    fwrite(canvas->bytes, 1, (size_t)(at - canvas->bytes), stream);
    if (canvas->title != NULL && canvas->text != NULL)
        fprintf(stream, "\n<title>%s</title>\n<desc>%s</desc>", canvas->title, canvas->text);
    write_without_numbers(stream, at, end);
}

spk_status spk_canvas_save(spk_context *context, spk_canvas *canvas)
{
    assert(canvas->output != NULL); /* saved once */
    spk_status status = check_cairo(context, cairo_status(canvas->cairo));
    if (status != SPK_OK)
        return status;
    cairo_show_page(canvas->cairo);
    if (canvas->kind == KIND_PNG)
        cairo_surface_write_to_png_stream(canvas->surface, keep_bytes, canvas);
    cairo_surface_finish(canvas->surface);
    status = check_cairo(context, cairo_surface_status(canvas->surface));
    if (status == SPK_OK && canvas->n_bytes == 0)
        status = check_cairo(context, CAIRO_STATUS_NO_MEMORY);
    if (status != SPK_OK)
        return status;
    if (canvas->kind == KIND_SVG)
        write_svg(canvas, spk_output_stream(canvas->output));
    else
        fwrite(canvas->bytes, 1, (size_t)canvas->n_bytes, spk_output_stream(canvas->output));
    status = spk_output_commit(context, canvas->output);
    canvas->output = NULL;
    return status;
}

void spk_canvas_free(spk_canvas *canvas)
{
    if (canvas == NULL)
        return;
    if (canvas->cairo != NULL)
        cairo_destroy(canvas->cairo);
    if (canvas->surface != NULL)
        cairo_surface_destroy(canvas->surface);
    spk_output_discard(canvas->output);
    free(canvas->bytes);
    free(canvas->title);
    free(canvas->text);
    free(canvas);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void set_colour(spk_canvas *canvas, spk_colour colour)
{
    cairo_set_source_rgba(canvas->cairo, colour.red, colour.green, colour.blue, colour.alpha);
}

static void stroke(spk_canvas *canvas, double width, spk_colour colour)
{
    set_colour(canvas, colour);
    cairo_set_line_width(canvas->cairo, width);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(canvas->cairo);
}

void spk_canvas_fill_box(spk_canvas *canvas, spk_box box, spk_colour colour)
{
    spk_canvas_fill_boxes(canvas, 1, &box, colour);
}

void spk_canvas_fill_boxes(spk_canvas *canvas, uint64_t n, const spk_box *box, spk_colour colour)
{
    if (n == 0)
        return;
    for (uint64_t k = 0; k < n; k++)
        cairo_rectangle(canvas->cairo, box[k].x, box[k].y, box[k].width, box[k].height);
    set_colour(canvas, colour);
    cairo_fill(canvas->cairo);
}

void spk_canvas_line(spk_canvas *canvas, spk_point from, spk_point to, double width,
                     spk_colour colour)
{
    spk_canvas_polyline(canvas, 2, (const spk_point[]){from, to}, width, colour);
}

static void trace(spk_canvas *canvas, uint64_t n, const spk_point *point)
{
    for (uint64_t k = 0; k < n; k++)
        cairo_line_to(canvas->cairo, point[k].x, point[k].y);
}

void spk_canvas_polyline(spk_canvas *canvas, uint64_t n, const spk_point *point, double width,
                         spk_colour colour)
{
    trace(canvas, n, point);
    stroke(canvas, width, colour);
}

void spk_canvas_curve(spk_canvas *canvas, const spk_point point[4], double width, spk_colour colour)
{
    cairo_move_to(canvas->cairo, point[0].x, point[0].y);
    cairo_curve_to(canvas->cairo, point[1].x, point[1].y, point[2].x, point[2].y, point[3].x,
                   point[3].y);
    stroke(canvas, width, colour);
}

void spk_canvas_fill_polygon(spk_canvas *canvas, uint64_t n, const spk_point *point,
                             spk_colour colour)
{
    trace(canvas, n, point);
    cairo_close_path(canvas->cairo);
    set_colour(canvas, colour);
    cairo_fill(canvas->cairo);
}

void spk_canvas_fill_circle(spk_canvas *canvas, spk_point centre, double radius, spk_colour colour)
{
    cairo_arc(canvas->cairo, centre.x, centre.y, radius, 0, 2 * 3.14159265358979323846);
    set_colour(canvas, colour);
    cairo_fill(canvas->cairo);
}

void spk_canvas_clip(spk_canvas *canvas, spk_box box)
{
    cairo_save(canvas->cairo);
    cairo_rectangle(canvas->cairo, box.x, box.y, box.width, box.height);
    cairo_clip(canvas->cairo);
}

void spk_canvas_unclip(spk_canvas *canvas)
{
    cairo_restore(canvas->cairo);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void select_font(spk_canvas *canvas, spk_text_style style)
{
    cairo_select_font_face(canvas->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas->cairo, style.size);
}

static double advance(spk_canvas *canvas, const char *clean)
{
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->cairo, clean, &extents);
    return extents.x_advance;
}

/* Draws text that is known to be UTF-8. */
static void show(spk_canvas *canvas, spk_point at, spk_text_style style, const char *clean)
{
    select_font(canvas, style);
    double width = advance(canvas, clean);
    double left = style.align == SPK_ALIGN_LEFT     ? 0
                  : style.align == SPK_ALIGN_CENTRE ? -width / 2
                                                    : -width;
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, at.x, at.y);
    cairo_rotate(canvas->cairo, style.angle);
    cairo_move_to(canvas->cairo, left, 0.36 * style.size); /* half the height of a capital */
    set_colour(canvas, style.colour);
    cairo_show_text(canvas->cairo, clean);
    cairo_restore(canvas->cairo);
    cairo_new_path(canvas->cairo);
}

void spk_canvas_text(spk_canvas *canvas, spk_point at, spk_text_style style, const char *text)
{
    char *clean = NULL;
    if (spk_text_utf8(NULL, text, &clean) == SPK_OK)
        show(canvas, at, style, clean);
    free(clean);
}

double spk_canvas_text_width(spk_canvas *canvas, spk_text_style style, const char *text)
{
    char *clean = NULL;
    double width = 0;
    if (spk_text_utf8(NULL, text, &clean) == SPK_OK) {
        select_font(canvas, style);
        width = advance(canvas, clean);
    }
    free(clean);
    return width;
}

/* Largest length <= `length` of whole characters whose text, with `tail` behind it, is at most
 * `width` wide. `line` is scratch space of length + 4 bytes. */
static size_t fitting(spk_canvas *canvas, const char *text, size_t length, const char *tail,
                      double width, char *line)
{
    size_t low = 0;
    size_t high = length;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        size_t whole = middle;
        while (whole < length && whole > low && ((unsigned char)text[whole] & 0xc0) == 0x80)
            whole--;
        memcpy(line, text, whole);
        memcpy(line + whole, tail, strlen(tail) + 1);
        if (advance(canvas, line) <= width)
            low = middle;
        else
            high = middle - 1;
    }
    while (low > 0 && low < length && ((unsigned char)text[low] & 0xc0) == 0x80)
        low--;
    return low;
}

int spk_canvas_paragraph(spk_canvas *canvas, spk_point at, double width, int max_lines,
                         spk_text_style style, const char *text)
{
    char *clean = NULL;
    char *line = NULL;
    int n_lines = 0;
    if (spk_text_utf8(NULL, text, &clean) != SPK_OK ||
        spk_alloc(NULL, &line, strlen(clean) + 4, "a line") != SPK_OK)
        goto done;
    select_font(canvas, style);
    for (const char *rest = clean; *rest != '\0' && n_lines < max_lines; n_lines++) {
        size_t length = strlen(rest);
        size_t take = fitting(canvas, rest, length, "", width, line);
        const char *tail = "";
        size_t skip = 0;
        if (take < length && n_lines + 1 == max_lines) {
            tail = "\xe2\x80\xa6";
            take = fitting(canvas, rest, length, tail, width, line);
        } else if (take < length) {
            size_t blank = take;
            while (blank > 0 && rest[blank] != ' ')
                blank--;
            skip = blank > 0;
            take = blank > 0 ? blank : take > 0 ? take : 1;
        }
        memcpy(line, rest, take);
        memcpy(line + take, tail, strlen(tail) + 1);
        show(canvas, at, style, line);
        at.y += 1.35 * style.size;
        rest += *tail != '\0' ? length : take + skip;
    }
done:
    free(clean);
    free(line);
    return n_lines;
}
#endif
