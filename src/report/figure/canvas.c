/* The page as a list of items, and its way into a file. */
#include "report/figure/canvas.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/output.h"
#include "report/figure/display.h"
#include "report/figure/text.h"
#include "report/figure/with_cairo.h"

typedef enum file_kind { KIND_PNG, KIND_SVG, KIND_PDF, KIND_UNKNOWN } file_kind;

struct spk_canvas {
    spk_context *context;
    spk_status status; /* the first failure */
    file_kind kind;
    spk_output *output; /* NULL: no file, or saved */
    spk_font *font;
    spk_display display;
    uint64_t item_capacity;
    uint64_t step_capacity;
    uint64_t point_capacity;
    uint64_t byte_capacity;
    uint64_t panel_capacity;
    bool clipped;
    spk_box clip;
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

spk_status spk_canvas_create(spk_context *context, const char *path, spk_canvas **out)
{
    *out = NULL;
    spk_canvas *canvas = NULL;
    file_kind kind = path != NULL ? kind_of(path) : KIND_PNG;
    if (kind == KIND_UNKNOWN)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: unknown kind of picture; end the name in .png, .svg or .pdf", path);
    spk_status status = spk_alloc_zero(context, &canvas, 1, "a picture");
    if (status != SPK_OK)
        return status;
    canvas->context = context;
    canvas->kind = kind;
    if (path != NULL)
        status = spk_output_open(context, path, &canvas->output);
    if (status == SPK_OK)
        status = spk_font_create(context, &canvas->font);
    if (status == SPK_OK)
        *out = canvas;
    else
        spk_canvas_free(canvas);
    return status;
}

spk_status spk_canvas_set_page(spk_canvas *canvas, double width, double height, double dpi)
{
    enum { LEAST = 20, MOST = 20000 };
    double scale = canvas->kind == KIND_PNG ? fmax(1, dpi / 72) : 1;
    if (!(width >= LEAST && height >= LEAST && fmax(width, height) * scale <= MOST))
        return spk_fail(canvas->context, SPK_ERR_ARGUMENT,
                        "a picture of %lld x %lld mm at %lld dpi cannot be drawn; a side takes at "
                        "least 8 mm and at most 20,000 pixels: choose another size or fewer dpi",
                        llround(fmin(width, 1e6) / 72 * 25.4),
                        llround(fmin(height, 1e6) / 72 * 25.4), llround(fmin(dpi, 1e6)));
    canvas->display.width = width;
    canvas->display.height = height;
    canvas->display.dpi = dpi;
    return SPK_OK;
}

spk_box spk_canvas_page(const spk_canvas *canvas)
{
    return (spk_box){0, 0, canvas->display.width, canvas->display.height};
}

const spk_display *spk_canvas_display(const spk_canvas *canvas)
{
    return &canvas->display;
}

void spk_canvas_describe(spk_canvas *canvas, const char *title, const char *text)
{
    spk_display *display = &canvas->display;
    assert(display->title == NULL && display->text == NULL);
    if (canvas->status == SPK_OK)
        canvas->status = spk_text_utf8(canvas->context, title, &display->title);
    if (canvas->status == SPK_OK)
        canvas->status = spk_text_utf8(canvas->context, text, &display->text);
}

spk_status spk_canvas_status(const spk_canvas *canvas)
{
    return canvas->status == SPK_OK ? spk_font_check(canvas->context, canvas->font)
                                    : canvas->status;
}

spk_status spk_canvas_save(spk_canvas *canvas)
{
    assert(canvas->output != NULL && canvas->display.width > 0);
    static spk_status (*const paint[])(spk_context *, const spk_display *, spk_output *) = {
        spk_paint_png, spk_paint_svg, spk_paint_pdf};
    spk_status status = spk_canvas_status(canvas);
    if (status == SPK_OK)
        status = paint[canvas->kind](canvas->context, &canvas->display, canvas->output);
    if (status != SPK_OK)
        return status;
    status = spk_output_commit(canvas->context, canvas->output);
    canvas->output = NULL;
    return status;
}

void spk_canvas_free(spk_canvas *canvas)
{
    if (canvas == NULL)
        return;
    spk_output_discard(canvas->output);
    spk_font_free(canvas->font);
    spk_free_all(canvas->display.item, canvas->display.step, canvas->display.point,
                 canvas->display.bytes, canvas->display.panel, canvas->display.title,
                 canvas->display.text, canvas);
}

/* ---- items ----------------------------------------------------------------------------------- */

/* Room for one more item, and for its steps and points; false after a failure. */
static bool reserve(spk_canvas *canvas, uint64_t n_steps, uint64_t n_points)
{
    static const char what[] = "a picture";
    spk_context *context = canvas->context;
    spk_display *d = &canvas->display;
    if (canvas->status == SPK_OK)
        canvas->status = spk_check_cancel(context);
    if (canvas->status == SPK_OK)
        canvas->status = spk_grow(context, &d->item, &canvas->item_capacity, d->n_items + 1, what);
    if (canvas->status == SPK_OK)
        canvas->status = spk_grow_bytes(context, &d->step, &canvas->step_capacity,
                                        d->n_steps + n_steps, 1, what);
    if (canvas->status == SPK_OK)
        canvas->status =
            spk_grow(context, &d->point, &canvas->point_capacity, d->n_points + n_points, what);
    return canvas->status == SPK_OK;
}

static spk_item begin(const spk_canvas *canvas, spk_item_kind kind, spk_colour colour)
{
    const spk_display *d = &canvas->display;
    return (spk_item){.kind = kind,
                      .colour = colour,
                      .panel = (uint32_t)d->n_panels,
                      .first_step = d->n_steps,
                      .first_point = d->n_points};
}

/* Adds a step whose place was reserved. */
static void step(spk_canvas *canvas, spk_step kind, uint64_t n, const spk_point *point)
{
    spk_display *d = &canvas->display;
    d->step[d->n_steps++] = (unsigned char)kind;
    if (n > 0)
        memcpy(d->point + d->n_points, point, (size_t)n * sizeof *point);
    d->n_points += n;
}

/* The smallest box round the points, `margin` wider on all sides. */
static spk_box box_round(uint64_t n, const spk_point *point, double margin)
{
    double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (uint64_t k = 0; k < n; k++) {
        left = fmin(left, point[k].x);
        right = fmax(right, point[k].x);
        top = fmin(top, point[k].y);
        bottom = fmax(bottom, point[k].y);
    }
    return (spk_box){left - margin, top - margin, right - left + 2 * margin,
                     bottom - top + 2 * margin};
}

static spk_box intersection(spk_box a, spk_box b)
{
    double left = fmax(a.x, b.x), top = fmax(a.y, b.y);
    return (spk_box){left, top, fmax(0, fmin(a.x + a.width, b.x + b.width) - left),
                     fmax(0, fmin(a.y + a.height, b.y + b.height) - top)};
}

static void end(spk_canvas *canvas, spk_item item)
{
    spk_display *d = &canvas->display;
    item.n_steps = d->n_steps - item.first_step;
    if (canvas->clipped && item.kind != SPK_ITEM_CLIP)
        item.bounds = intersection(item.bounds, canvas->clip);
    d->item[d->n_items++] = item;
}

/* A path without holes in the list of points. */
static void end_path(spk_canvas *canvas, spk_item item)
{
    const spk_display *d = &canvas->display;
    item.bounds =
        box_round(d->n_points - item.first_point, d->point + item.first_point, item.width / 2);
    end(canvas, item);
}

/* ---- marks ----------------------------------------------------------------------------------- */

void spk_canvas_panel(spk_canvas *canvas, spk_box box)
{
    spk_display *d = &canvas->display;
    if (canvas->status == SPK_OK)
        canvas->status = spk_grow(canvas->context, &d->panel, &canvas->panel_capacity,
                                  d->n_panels + 1, "a picture");
    if (canvas->status == SPK_OK)
        d->panel[d->n_panels++] = box;
}

void spk_canvas_fill_box(spk_canvas *canvas, spk_box box, spk_colour colour)
{
    spk_canvas_fill_boxes(canvas, 1, &box, colour);
}

static void add_polygon(spk_canvas *canvas, uint64_t n, const spk_point *point)
{
    for (uint64_t k = 0; k < n; k++)
        step(canvas, k == 0 ? SPK_STEP_MOVE : SPK_STEP_LINE, 1, &point[k]);
    step(canvas, SPK_STEP_CLOSE, 0, NULL);
}

void spk_canvas_fill_boxes(spk_canvas *canvas, uint64_t n, const spk_box *box, spk_colour colour)
{
    if (n == 0 || !reserve(canvas, 5 * n, 4 * n))
        return;
    spk_item item = begin(canvas, SPK_ITEM_FILL, colour);
    for (uint64_t k = 0; k < n; k++) {
        double right = box[k].x + box[k].width, bottom = box[k].y + box[k].height;
        add_polygon(
            canvas, 4,
            (spk_point[]){
                {box[k].x, box[k].y}, {right, box[k].y}, {right, bottom}, {box[k].x, bottom}});
    }
    end_path(canvas, item);
}

void spk_canvas_line(spk_canvas *canvas, spk_point from, spk_point to, double width,
                     spk_colour colour)
{
    spk_canvas_polyline(canvas, 2, (const spk_point[]){from, to}, width, colour);
}

void spk_canvas_polyline(spk_canvas *canvas, uint64_t n, const spk_point *point, double width,
                         spk_colour colour)
{
    if (n < 2 || !reserve(canvas, n, n))
        return;
    spk_item item = begin(canvas, SPK_ITEM_STROKE, colour);
    item.width = width;
    for (uint64_t k = 0; k < n; k++)
        step(canvas, k == 0 ? SPK_STEP_MOVE : SPK_STEP_LINE, 1, &point[k]);
    end_path(canvas, item);
}

void spk_canvas_curve(spk_canvas *canvas, const spk_point point[4], double width, spk_colour colour)
{
    if (!reserve(canvas, 2, 4))
        return;
    spk_item item = begin(canvas, SPK_ITEM_STROKE, colour);
    item.width = width;
    step(canvas, SPK_STEP_MOVE, 1, point);
    step(canvas, SPK_STEP_CURVE, 3, point + 1);
    end_path(canvas, item);
}

void spk_canvas_fill_polygon(spk_canvas *canvas, uint64_t n, const spk_point *point,
                             spk_colour colour)
{
    if (n < 3 || !reserve(canvas, n + 1, n))
        return;
    spk_item item = begin(canvas, SPK_ITEM_FILL, colour);
    add_polygon(canvas, n, point);
    end_path(canvas, item);
}

/* Four curves; the distance of their control points makes them a circle to 0.03 %. */
static void add_circle(spk_canvas *canvas, spk_point c, double r)
{
    const double h = 0.5522847498 * r;
    step(canvas, SPK_STEP_MOVE, 1, (spk_point[]){{c.x + r, c.y}});
    step(canvas, SPK_STEP_CURVE, 3,
         (spk_point[]){{c.x + r, c.y + h}, {c.x + h, c.y + r}, {c.x, c.y + r}});
    step(canvas, SPK_STEP_CURVE, 3,
         (spk_point[]){{c.x - h, c.y + r}, {c.x - r, c.y + h}, {c.x - r, c.y}});
    step(canvas, SPK_STEP_CURVE, 3,
         (spk_point[]){{c.x - r, c.y - h}, {c.x - h, c.y - r}, {c.x, c.y - r}});
    step(canvas, SPK_STEP_CURVE, 3,
         (spk_point[]){{c.x + h, c.y - r}, {c.x + r, c.y - h}, {c.x + r, c.y}});
    step(canvas, SPK_STEP_CLOSE, 0, NULL);
}

enum { CIRCLE_STEPS = 6, CIRCLE_POINTS = 13, MARKER_MAX_CORNERS = 12 };

void spk_canvas_fill_circle(spk_canvas *canvas, spk_point centre, double radius, spk_colour colour)
{
    spk_canvas_markers(canvas, SPK_MARKER_CIRCLE, 1, &centre, 2 * radius, colour);
}

/* Corners of shapes of about the area of a disc of diameter 1; returns their number. */
static uint32_t marker_corners(spk_marker shape, spk_point corner[MARKER_MAX_CORNERS])
{
    static const spk_point square[] = {{-.44, -.44}, {.44, -.44}, {.44, .44}, {-.44, .44}};
    static const spk_point up[] = {{0, -.68}, {.62, .42}, {-.62, .42}};
    static const spk_point diamond[] = {{0, -.64}, {.64, 0}, {0, .64}, {-.64, 0}};
    static const spk_point down[] = {{0, .68}, {.62, -.42}, {-.62, -.42}};
    static const spk_point cross[] = {{-.2, -.62}, {.2, -.62}, {.2, -.2},   {.62, -.2},
                                      {.62, .2},   {.2, .2},   {.2, .62},   {-.2, .62},
                                      {-.2, .2},   {-.62, .2}, {-.62, -.2}, {-.2, -.2}};
    static const spk_point star[] = {{0, -.72},    {.17, -.23}, {.68, -.22}, {.27, .09},
                                     {.42, .58},   {0, .29},    {-.42, .58}, {-.27, .09},
                                     {-.68, -.22}, {-.17, -.23}};
    static const struct {
        const spk_point *corner;
        uint32_t n;
    } shapes[] = {[SPK_MARKER_SQUARE] = {square, 4},   [SPK_MARKER_UP] = {up, 3},
                  [SPK_MARKER_DIAMOND] = {diamond, 4}, [SPK_MARKER_DOWN] = {down, 3},
                  [SPK_MARKER_CROSS] = {cross, 12},    [SPK_MARKER_STAR] = {star, 10}};
    if (shapes[shape].corner != NULL)
        memcpy(corner, shapes[shape].corner, shapes[shape].n * sizeof *corner);
    return shapes[shape].n;
}

void spk_canvas_markers(spk_canvas *canvas, spk_marker shape, uint64_t n, const spk_point *point,
                        double size, spk_colour colour)
{
    spk_point form[MARKER_MAX_CORNERS];
    spk_point corner[MARKER_MAX_CORNERS];
    uint32_t n_corners = shape == SPK_MARKER_CIRCLE ? 0 : marker_corners(shape, form);
    uint64_t n_points = n_corners == 0 ? CIRCLE_POINTS : n_corners;
    uint64_t n_steps = n_corners == 0 ? CIRCLE_STEPS : n_corners + 1;
    if (n == 0 || !reserve(canvas, n * n_steps, n * n_points))
        return;
    spk_item item = begin(canvas, SPK_ITEM_FILL, colour);
    for (uint64_t k = 0; k < n; k++) {
        for (uint32_t c = 0; c < n_corners; c++)
            corner[c] = (spk_point){point[k].x + size * form[c].x, point[k].y + size * form[c].y};
        if (n_corners == 0)
            add_circle(canvas, point[k], size / 2);
        else
            add_polygon(canvas, n_corners, corner);
    }
    end_path(canvas, item);
}

void spk_canvas_clip(spk_canvas *canvas, spk_box box)
{
    assert(!canvas->clipped || canvas->status != SPK_OK);
    if (!reserve(canvas, 0, 0))
        return;
    spk_item item = begin(canvas, SPK_ITEM_CLIP, (spk_colour){0, 0, 0, 0});
    item.bounds = canvas->clip = box;
    canvas->clipped = true;
    end(canvas, item);
}

void spk_canvas_unclip(spk_canvas *canvas)
{
    if (!reserve(canvas, 0, 0))
        return;
    end(canvas, begin(canvas, SPK_ITEM_UNCLIP, (spk_colour){0, 0, 0, 0}));
    canvas->clipped = false;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The text as it is drawn: clean UTF-8 in one line; NULL after a failure. Free with free(). */
static char *clean_line(spk_canvas *canvas, const char *text)
{
    char *clean = NULL;
    if (canvas->status == SPK_OK)
        canvas->status = spk_text_utf8(canvas->context, text, &clean);
    for (char *at = clean; at != NULL && *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    return clean;
}

static double advance(spk_canvas *canvas, spk_text_style style, const char *clean)
{
    return spk_font_measure(canvas->font, style.size, style.bold, clean).advance;
}

/* Left end of the baseline, relative to the anchor, before the text is turned. */
static spk_point text_origin(spk_text_style style, double width)
{
    double left = style.align == SPK_ALIGN_LEFT     ? 0
                  : style.align == SPK_ALIGN_CENTRE ? -width / 2
                                                    : -width;
    return (spk_point){left, SPK_BASELINE * style.size};
}

/* The box round the ink of a text. */
static spk_box text_bounds(spk_point at, spk_text_style style, spk_extent extent)
{
    spk_point origin = text_origin(style, extent.advance);
    double x = origin.x + extent.ink.x, y = origin.y + extent.ink.y;
    double c = cos(style.angle), s = sin(style.angle);
    spk_point corner[4] = {{x, y},
                           {x + extent.ink.width, y},
                           {x, y + extent.ink.height},
                           {x + extent.ink.width, y + extent.ink.height}};
    for (int k = 0; k < 4; k++)
        corner[k] = (spk_point){at.x + c * corner[k].x - s * corner[k].y,
                                at.y + s * corner[k].x + c * corner[k].y};
    return box_round(4, corner, 0);
}

/* Adds text that is known to be clean. */
static void show(spk_canvas *canvas, spk_point at, spk_text_style style, const char *clean)
{
    spk_display *d = &canvas->display;
    size_t bytes = strlen(clean) + 1;
    if (bytes == 1 || !reserve(canvas, 0, 1))
        return;
    canvas->status = spk_grow(canvas->context, &d->bytes, &canvas->byte_capacity,
                              d->n_bytes + bytes, "a picture");
    if (canvas->status != SPK_OK)
        return;
    spk_item item = begin(canvas, SPK_ITEM_TEXT, style.colour);
    item.style = style;
    item.bounds =
        text_bounds(at, style, spk_font_measure(canvas->font, style.size, style.bold, clean));
    item.text = d->n_bytes;
    memcpy(d->bytes + d->n_bytes, clean, bytes);
    d->n_bytes += bytes;
    d->point[d->n_points++] = at;
    end(canvas, item);
}

void spk_canvas_text(spk_canvas *canvas, spk_point at, spk_text_style style, const char *text)
{
    char *clean = clean_line(canvas, text);
    if (clean != NULL)
        show(canvas, at, style, clean);
    spk_free(canvas->context, clean);
}

double spk_canvas_text_width(spk_canvas *canvas, spk_text_style style, const char *text)
{
    char *clean = clean_line(canvas, text);
    double width = clean != NULL ? advance(canvas, style, clean) : 0;
    spk_free(canvas->context, clean);
    return width;
}

static bool inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* ---- texts that are too long ----------------------------------------------------------------- */

#define ELLIPSIS "\xe2\x80\xa6"

/* The text without `removed` bytes of its middle, whole characters, and an ellipsis there. */
static void cut_middle(const char *text, size_t length, size_t removed, char *line)
{
    size_t head = (length - removed + 1) / 2;
    size_t tail = head + removed;
    while (head > 0 && inside_character(text[head]))
        head--;
    while (tail < length && inside_character(text[tail]))
        tail++;
    memcpy(line, text, head);
    memcpy(line + head, ELLIPSIS, sizeof ELLIPSIS - 1);
    memcpy(line + head + sizeof ELLIPSIS - 1, text + tail, length - tail + 1);
}

void spk_canvas_text_within(spk_canvas *canvas, spk_point at, double width, spk_text_style style,
                            const char *text)
{
    char *line = NULL;
    char *clean = clean_line(canvas, text);
    if (clean == NULL)
        return;
    size_t length = strlen(clean);
    if (advance(canvas, style, clean) <= width) {
        show(canvas, at, style, clean);
        goto done;
    }
    canvas->status = spk_alloc(canvas->context, &line, length + sizeof ELLIPSIS, "a label");
    if (canvas->status != SPK_OK)
        goto done;
    spk_bisect s = {1, length}; /* bytes to remove; more never make the text wider by much */
    while (spk_bisect_next(&s)) {
        cut_middle(clean, length, s.middle, line);
        spk_bisect_told(&s, advance(canvas, style, line) > width);
    }
    do /* cut at whole characters, one byte more may make it wider */
        cut_middle(clean, length, s.low, line);
    while (s.low++ < length && advance(canvas, style, line) > width);
    show(canvas, at, style, line);
done:
    spk_free(canvas->context, line);
    spk_free(canvas->context, clean);
}

/* Largest length <= `length` of whole characters whose text, with `tail` behind it, is at most
 * `width` wide. `line` is scratch space of length + 4 bytes. */
static size_t fitting(spk_canvas *canvas, spk_text_style style, const char *text, size_t length,
                      const char *tail, double width, char *line)
{
    size_t low = 0;
    size_t high = length;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        size_t whole = middle;
        while (whole < length && whole > low && inside_character(text[whole]))
            whole--;
        memcpy(line, text, whole);
        memcpy(line + whole, tail, strlen(tail) + 1);
        if (advance(canvas, style, line) <= width)
            low = middle;
        else
            high = middle - 1;
    }
    while (low > 0 && low < length && inside_character(text[low]))
        low--;
    return low;
}

/* Bytes of the next line of a paragraph; *skip bytes behind it belong to no line. */
static size_t next_line(spk_canvas *canvas, spk_text_style style, const char *rest, double width,
                        size_t *skip, char *line)
{
    size_t length = strlen(rest);
    size_t take = fitting(canvas, style, rest, length, "", width, line);
    *skip = 0;
    if (take == length)
        return take;
    size_t blank = take;
    while (blank > 0 && rest[blank] != ' ')
        blank--;
    *skip = blank > 0;
    if (blank > 0)
        return blank;
    for (take = take > 0 ? take : 1; inside_character(rest[take]);)
        take++; /* at least one character a line */
    return take;
}

int spk_canvas_paragraph(spk_canvas *canvas, spk_point at, double width, int max_lines,
                         spk_text_style style, const char *text)
{
    char *line = NULL;
    int n_lines = 0;
    char *clean = clean_line(canvas, text);
    if (clean == NULL)
        return 0;
    canvas->status = spk_alloc(canvas->context, &line, strlen(clean) + sizeof ELLIPSIS, "a line");
    if (canvas->status != SPK_OK)
        goto done;
    for (const char *rest = clean; *rest != '\0' && n_lines < max_lines; n_lines++) {
        size_t length = strlen(rest);
        size_t skip = 0;
        size_t take = next_line(canvas, style, rest, width, &skip, line);
        const char *tail = "";
        if (take < length && n_lines + 1 == max_lines) {
            tail = ELLIPSIS;
            take = fitting(canvas, style, rest, length, tail, width, line);
            skip = length - take;
        }
        memcpy(line, rest, take);
        memcpy(line + take, tail, strlen(tail) + 1);
        show(canvas, at, style, line);
        at.y += 1.35 * style.size;
        rest += take + skip;
    }
done:
    spk_free(canvas->context, line);
    spk_free(canvas->context, clean);
    return n_lines;
}

/* ---- colours --------------------------------------------------------------------------------- */

spk_colour spk_palette_group(uint32_t k)
{
    /* Rust, blue, green, rose, indigo, wine, black. */
    static const unsigned char rgb[SPK_PALETTE_SIZE][3] = {
        {158, 49, 0},  {33, 103, 180}, {6, 167, 90}, {188, 84, 140},
        {51, 34, 136}, {123, 32, 80},  {0, 0, 0}};
    const unsigned char *c = rgb[k % SPK_PALETTE_SIZE];
    return (spk_colour){c[0] / 255.0, c[1] / 255.0, c[2] / 255.0, 1};
}

spk_colour spk_palette_scale(double position)
{
    enum { LAST = 3 };
    static const double rgb[LAST + 1][3] = {
        {0.27, 0.00, 0.33}, {0.24, 0.29, 0.54}, {0.17, 0.44, 0.56}, {0.13, 0.58, 0.54}};
    double at = position <= 0 ? 0 : position >= 1 ? LAST : position * LAST;
    int k = at >= LAST ? LAST - 1 : (int)at;
    double f = at - k;
    return (spk_colour){rgb[k][0] + f * (rgb[k + 1][0] - rgb[k][0]),
                        rgb[k][1] + f * (rgb[k + 1][1] - rgb[k][1]),
                        rgb[k][2] + f * (rgb[k + 1][2] - rgb[k][2]), 1};
}

spk_marker spk_palette_marker(uint32_t k)
{
    return (spk_marker)(k % SPK_N_MARKERS);
}

spk_colour spk_colour_alpha(spk_colour colour, double alpha)
{
    colour.alpha = alpha;
    return colour;
}
