/* SVG, written by ourselves: cairo draws letters as outlines, which nobody can search or edit. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figure/display.h"
#include "report/figure/with_cairo.h"

/* Thousandths of a point, without trailing zeros. Digits come from integers, so that a decimal
 * point is a point in every locale. */
static void put_number(FILE *stream, double value)
{
    long long thousandths = llround(value * 1000);
    unsigned long long size = (unsigned long long)(thousandths < 0 ? -thousandths : thousandths);
    unsigned fraction = (unsigned)(size % 1000);
    fprintf(stream, "%s%llu", thousandths < 0 ? "-" : "", size / 1000);
    if (fraction == 0)
        return;
    int digits = 3;
    for (; fraction % 10 == 0; fraction /= 10)
        digits--;
    fprintf(stream, ".%0*u", digits, fraction);
}

static void put_attribute(FILE *stream, const char *name, double value)
{
    fprintf(stream, " %s=\"", name);
    put_number(stream, value);
    fputc('"', stream);
}

static void put_escaped(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            fputs("&amp;", stream);
        else if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '>')
            fputs("&gt;", stream);
        else
            fputc(*text, stream);
    }
}

static void put_colour(FILE *stream, const char *name, spk_colour colour)
{
    fprintf(stream, " %s=\"#%02x%02x%02x\"", name, (unsigned)lround(255 * colour.red),
            (unsigned)lround(255 * colour.green), (unsigned)lround(255 * colour.blue));
    if (colour.alpha < 1) {
        char opacity[32];
        snprintf(opacity, sizeof opacity, "%s-opacity", name);
        put_attribute(stream, opacity, colour.alpha);
    }
}

static void put_path(FILE *stream, const spk_display *display, const spk_item *item)
{
    static const char letter[] = {'M', 'L', 'C', 'Z'};
    static const int n_points[] = {1, 1, 3, 0};
    const spk_point *point = display->point + item->first_point;
    fputs("<path d=\"", stream);
    for (uint64_t k = 0; k < item->n_steps; k++) {
        int kind = display->step[item->first_step + k];
        fputc(letter[kind], stream);
        for (int p = 0; p < n_points[kind]; p++, point++) {
            if (p > 0)
                fputc(' ', stream);
            put_number(stream, point->x);
            fputc(' ', stream);
            put_number(stream, point->y);
        }
    }
    fputc('"', stream);
    if (item->kind == SPK_ITEM_STROKE) {
        fputs(" fill=\"none\"", stream);
        put_colour(stream, "stroke", item->colour);
        put_attribute(stream, "stroke-width", item->width);
    } else {
        put_colour(stream, "fill", item->colour);
    }
    fputs("/>\n", stream);
}

static void put_text(FILE *stream, const spk_display *display, const spk_item *item)
{
    static const char *const anchor[] = {"start", "middle", "end"};
    const spk_text_style *style = &item->style;
    spk_point at = display->point[item->first_point];
    double below = SPK_BASELINE * style->size;
    fputs("<text", stream);
    put_attribute(stream, "x", at.x - sin(style->angle) * below);
    put_attribute(stream, "y", at.y + cos(style->angle) * below);
    put_attribute(stream, "font-size", style->size);
    if (style->bold)
        fputs(" font-weight=\"bold\"", stream);
    if (style->align != SPK_ALIGN_LEFT)
        fprintf(stream, " text-anchor=\"%s\"", anchor[style->align]);
    put_colour(stream, "fill", style->colour);
    if (style->angle != 0) {
        fputs(" transform=\"rotate(", stream);
        put_number(stream, style->angle * 180 / 3.14159265358979323846);
        fputc(' ', stream);
        put_number(stream, at.x - sin(style->angle) * below);
        fputc(' ', stream);
        put_number(stream, at.y + cos(style->angle) * below);
        fputs(")\"", stream);
    }
    fputc('>', stream);
    put_escaped(stream, display->bytes + item->text);
    fputs("</text>\n", stream);
}

static void put_clip(FILE *stream, const spk_item *item, uint64_t number)
{
    fprintf(stream, "<clipPath id=\"clip%" PRIu64 "\"><rect", number);
    put_attribute(stream, "x", item->bounds.x);
    put_attribute(stream, "y", item->bounds.y);
    put_attribute(stream, "width", item->bounds.width);
    put_attribute(stream, "height", item->bounds.height);
    fprintf(stream, "/></clipPath>\n<g clip-path=\"url(#clip%" PRIu64 ")\">\n", number);
}

static void put_opening(FILE *stream, const spk_display *display)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
          "width=\"",
          stream);
    put_number(stream, display->width / 72 * 25.4);
    fputs("mm\" height=\"", stream);
    put_number(stream, display->height / 72 * 25.4);
    fputs("mm\" viewBox=\"0 0 ", stream);
    put_number(stream, display->width);
    fputc(' ', stream);
    put_number(stream, display->height);
    fputs("\" font-family=\"" SPK_FONT_FAMILY ", Helvetica, 'Liberation Sans', 'DejaVu Sans', "
          "sans-serif\" stroke-linejoin=\"round\" xml:space=\"preserve\">\n",
          stream);
    if (display->title != NULL) {
        fputs("<title>", stream);
        put_escaped(stream, display->title);
        fputs("</title>\n", stream);
    }
    if (display->text != NULL) {
        fputs("<desc>", stream);
        put_escaped(stream, display->text);
        fputs("</desc>\n", stream);
    }
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", stream);
}

spk_status spk_paint_svg(spk_context *context, const spk_display *display, spk_output *output)
{
    FILE *stream = spk_output_stream(output);
    uint64_t n_clips = 0;
    put_opening(stream, display);
    for (uint64_t k = 0; k < display->n_items; k++) {
        const spk_item *item = &display->item[k];
        spk_status status = spk_check_cancel(context);
        if (status != SPK_OK)
            return status;
        if (item->kind == SPK_ITEM_TEXT)
            put_text(stream, display, item);
        else if (item->kind == SPK_ITEM_CLIP)
            put_clip(stream, item, ++n_clips);
        else if (item->kind == SPK_ITEM_UNCLIP)
            fputs("</g>\n", stream);
        else
            put_path(stream, display, item);
    }
    fputs("</svg>\n", stream);
    return SPK_OK;
}
