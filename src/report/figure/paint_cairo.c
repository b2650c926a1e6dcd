/* PNG and PDF through cairo. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stage.h"
#include "report/figure/display.h"
#include "report/figure/with_cairo.h"

/* The file as cairo writes it. Cairo forgets some failures of writing: the first is kept here. */
typedef struct bytes {
    spk_context *context;
    spk_status status;
    char *data;
    uint64_t n;
    uint64_t capacity;
} bytes;

static cairo_status_t keep_bytes(void *user, const unsigned char *data, unsigned int length)
{
    bytes *b = user;
    if (b->status == SPK_OK)
        b->status =
            spk_grow(b->context, &b->data, &b->capacity, b->n + length, "the bytes of a figure");
    if (b->status != SPK_OK)
        return CAIRO_STATUS_NO_MEMORY;
    memcpy(b->data + b->n, data, length);
    b->n += length;
    return CAIRO_STATUS_SUCCESS;
}

/* ---- items ----------------------------------------------------------------------------------- */

static void set_colour(cairo_t *cairo, spk_colour colour)
{
    spk_cairo()->set_source_rgba(cairo, colour.red, colour.green, colour.blue, colour.alpha);
}

static void trace(cairo_t *cairo, const spk_display *display, const spk_item *item)
{
    const spk_point *p = display->point + item->first_point;
    for (uint64_t k = 0; k < item->n_steps; k++) {
        switch ((spk_step)display->step[item->first_step + k]) {
        case SPK_STEP_MOVE:
            spk_cairo()->move_to(cairo, p->x, p->y);
            p++;
            break;
        case SPK_STEP_LINE:
            spk_cairo()->line_to(cairo, p->x, p->y);
            p++;
            break;
        case SPK_STEP_CURVE:
            spk_cairo()->curve_to(cairo, p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y);
            p += 3;
            break;
        case SPK_STEP_CLOSE:
            spk_cairo()->close_path(cairo);
            break;
        }
    }
}

static void paint_text(cairo_t *cairo, const spk_display *display, const spk_item *item)
{
    const spk_text_style *style = &item->style;
    const char *text = display->bytes + item->text;
    spk_point at = display->point[item->first_point];
    cairo_text_extents_t extents;
    spk_cairo_select_font(cairo, style->size, style->bold);
    spk_cairo()->text_extents(cairo, text, &extents);
    double left = style->align == SPK_ALIGN_LEFT     ? 0
                  : style->align == SPK_ALIGN_CENTRE ? -extents.x_advance / 2
                                                     : -extents.x_advance;
    spk_cairo()->save(cairo);
    spk_cairo()->translate(cairo, at.x, at.y);
    spk_cairo()->rotate(cairo, style->angle);
    spk_cairo()->move_to(cairo, left, SPK_BASELINE * style->size);
    spk_cairo()->show_text(cairo, text);
    spk_cairo()->restore(cairo);
    spk_cairo()->new_path(cairo);
}

static void paint_item(cairo_t *cairo, const spk_display *display, const spk_item *item)
{
    set_colour(cairo, item->colour);
    switch (item->kind) {
    case SPK_ITEM_FILL:
        trace(cairo, display, item);
        spk_cairo()->fill(cairo);
        break;
    case SPK_ITEM_STROKE:
        trace(cairo, display, item);
        spk_cairo()->set_line_width(cairo, item->width);
        spk_cairo()->stroke(cairo);
        break;
    case SPK_ITEM_TEXT:
        paint_text(cairo, display, item);
        break;
    case SPK_ITEM_CLIP:
        spk_cairo()->save(cairo);
        spk_cairo()->rectangle(cairo, item->bounds.x, item->bounds.y, item->bounds.width,
                               item->bounds.height);
        spk_cairo()->clip(cairo);
        break;
    case SPK_ITEM_UNCLIP:
        spk_cairo()->restore(cairo);
        break;
    }
}

/* Paints everything on the surface, `scale` of its units a point. */
static spk_status paint(spk_context *context, const spk_display *display, cairo_surface_t *surface,
                        double scale)
{
    cairo_t *cairo = spk_cairo()->create(surface);
    spk_cairo_prepare(cairo);
    spk_cairo()->scale(cairo, scale, scale);
    spk_cairo()->set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    spk_cairo()->set_source_rgb(cairo, 1, 1, 1);
    spk_cairo()->paint(cairo);
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < display->n_items && status == SPK_OK; k++) {
        paint_item(cairo, display, &display->item[k]);
        status = spk_check_cancel(context);
    }
    if (status == SPK_OK)
        spk_cairo()->show_page(cairo);
    if (status == SPK_OK)
        status = spk_cairo_check(context, spk_cairo()->status(cairo));
    spk_cairo()->destroy(cairo);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* What closing a PNG chunk takes: CRC-32 of its name and data. */
static uint32_t checksum(const unsigned char *data, size_t n)
{
    uint32_t sum = UINT32_MAX;
    for (size_t k = 0; k < n; k++) {
        sum ^= data[k];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static void put_uint32(unsigned char *at, uint32_t value)
{
    for (int k = 0; k < 4; k++)
        at[k] = (unsigned char)(value >> (24 - 8 * k));
}

/* The PNG file with its resolution behind the first chunk: page layout reads the size from it. */
static spk_status write_png(spk_context *context, spk_output *output, const bytes *b, double dpi)
{
    enum { FIRST = 8 + 12 + 13 }; /* signature and IHDR */
    static const unsigned char name[4] = {'p', 'H', 'Y', 's'};
    unsigned char chunk[4 + 4 + 9 + 4];
    put_uint32(chunk, 9);
    memcpy(chunk + 4, name, sizeof name);
    put_uint32(chunk + 8, (uint32_t)lround(dpi / 0.0254));
    put_uint32(chunk + 12, (uint32_t)lround(dpi / 0.0254));
    chunk[16] = 1; /* pixels per metre */
    put_uint32(chunk + 17, checksum(chunk + 4, 13));
    spk_status status = spk_output_write(context, output, b->data, FIRST);
    if (status == SPK_OK)
        status = spk_output_write(context, output, (const char *)chunk, sizeof chunk);
    return status == SPK_OK
               ? spk_output_write(context, output, b->data + FIRST, (size_t)b->n - FIRST)
               : status;
}

spk_status spk_paint_png(spk_context *context, const spk_display *display, spk_output *output)
{
    bytes b = {.context = context};
    double scale = display->dpi / 72;
    int width = (int)lround(display->width * scale);
    int height = (int)lround(display->height * scale);
    int64_t pixels = 4 * (int64_t)width * height; /* bytes */
    spk_status status = spk_stage_admit(context, (uint64_t)pixels, "the pixels of a figure");
    if (status != SPK_OK)
        return status;
    spk_stage_count(context, pixels);
    cairo_surface_t *surface = spk_cairo()->image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    status = spk_cairo_check(context, spk_cairo()->surface_status(surface));
    if (status == SPK_OK)
        status = paint(context, display, surface, scale);
    if (status == SPK_OK)
        status = spk_cairo_check(context,
                                 spk_cairo()->surface_write_to_png_stream(surface, keep_bytes, &b));
    if (b.status != SPK_OK)
        status = b.status;
    if (status == SPK_OK)
        status = write_png(context, output, &b, display->dpi);
    spk_cairo()->surface_destroy(surface);
    free(b.data);
    return status;
}

spk_status spk_paint_pdf(spk_context *context, const spk_display *display, spk_output *output)
{
    bytes b = {.context = context};
    cairo_surface_t *surface =
        spk_cairo()->pdf_surface_create_for_stream(keep_bytes, &b, display->width, display->height);
    /* The date of making would differ from run to run. */
    spk_cairo()->pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                          "2000-01-01T00:00:00Z");
    if (display->title != NULL)
        spk_cairo()->pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, display->title);
    if (display->text != NULL)
        spk_cairo()->pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, display->text);
    spk_status status = spk_cairo_check(context, spk_cairo()->surface_status(surface));
    if (status == SPK_OK)
        status = paint(context, display, surface, 1);
    spk_cairo()->surface_finish(surface);
    if (status == SPK_OK)
        status = spk_cairo_check(context, spk_cairo()->surface_status(surface));
    if (b.status != SPK_OK)
        status = b.status;
    if (status == SPK_OK)
        status = spk_output_write(context, output, b.data, (size_t)b.n);
    spk_cairo()->surface_destroy(surface);
    free(b.data);
    return status;
}
