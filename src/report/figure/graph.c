/* The graph of frequent pairs: units in natural order round a circle, arrows through it, a pair of
 * a unit with itself as a loop outside. Nothing is random, so that equal results look equal. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/graph.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/figure/palette.h"
#include "report/figure/text.h"

#define TURN (2 * 3.14159265358979323846)

/* ---- which pairs ----------------------------------------------------------------------------- */

/* Keeps the strongest pairs, sorted; equals in the order of the columns. */
static void keep_strongest(spk_graph *graph, spk_graph_pair pair)
{
    uint32_t place = graph->n_pairs;
    while (place > 0 && pair.count > graph->pair[place - 1].count)
        place--;
    if (place >= SPK_GRAPH_PAIRS)
        return;
    if (graph->n_pairs < SPK_GRAPH_PAIRS)
        graph->n_pairs++;
    memmove(graph->pair + place + 1, graph->pair + place,
            (graph->n_pairs - 1 - place) * sizeof pair);
    graph->pair[place] = pair;
}

/* Adds a unit to the ascending list, which has a place for it. */
static void add_unit(spk_graph *graph, uint32_t unit)
{
    uint32_t place = 0;
    while (place < graph->n_units && graph->unit[place] < unit)
        place++;
    if (place < graph->n_units && graph->unit[place] == unit)
        return;
    assert(graph->n_units < SPK_GRAPH_UNITS);
    memmove(graph->unit + place + 1, graph->unit + place, (graph->n_units - place) * sizeof unit);
    graph->unit[place] = unit;
    graph->n_units++;
}

static bool has_unit(const spk_graph *graph, uint32_t unit)
{
    for (uint32_t k = 0; k < graph->n_units; k++)
        if (graph->unit[k] == unit)
            return true;
    return false;
}

void spk_graph_make(const spk_episode_columns *episodes, spk_graph *graph)
{
    *graph = (spk_graph){.delays = episodes->delays, .n_delays = episodes->n_delays};
    for (uint64_t i = 0; i < episodes->n; i++) {
        uint64_t first = episodes->offset[i];
        if (episodes->offset[i + 1] - first != 2)
            continue;
        spk_graph_pair pair = {episodes->unit[first], episodes->unit[first + 1],
                               episodes->delay[first + 1], episodes->count[i]};
        graph->n_found++;
        keep_strongest(graph, pair);
    }
    /* The circle has place for SPK_GRAPH_UNITS labels: stop before the first pair that needs more.
     */
    for (uint32_t k = 0; k < graph->n_pairs; k++) {
        uint32_t missing = !has_unit(graph, graph->pair[k].from);
        missing += graph->pair[k].to != graph->pair[k].from && !has_unit(graph, graph->pair[k].to);
        if (graph->n_units + missing > SPK_GRAPH_UNITS) {
            graph->n_pairs = k;
            break;
        }
        add_unit(graph, graph->pair[k].from);
        add_unit(graph, graph->pair[k].to);
    }
}

/* ---- arrows ---------------------------------------------------------------------------------- */

typedef struct circle {
    spk_point centre;
    double radius;
    double node; /* radius of a node */
    const spk_graph *graph;
} circle;

static double angle_of(const circle *c, uint32_t unit)
{
    uint32_t place = 0;
    while (c->graph->unit[place] != unit) {
        place++;
        assert(place < c->graph->n_units);
    }
    return TURN * place / c->graph->n_units - TURN / 4;
}

static spk_point on_circle(const circle *c, double angle, double radius)
{
    return (spk_point){c->centre.x + radius * cos(angle), c->centre.y + radius * sin(angle)};
}

static spk_colour delay_colour(const spk_graph *graph, uint16_t delay)
{
    size_t n = graph->n_delays;
    return spk_palette_scale(n > 1 ? (double)delay / (double)(n - 1) : 0.25);
}

static double arrow_width(const spk_graph *graph, uint64_t count)
{
    double least = (double)graph->pair[graph->n_pairs - 1].count;
    double most = (double)graph->pair[0].count;
    return 0.7 + 3.8 * (most > least ? ((double)count - least) / (most - least) : 0.5);
}

static void draw_head(spk_canvas *canvas, spk_point tip, spk_point from, double width,
                      spk_colour colour)
{
    double length = hypot(tip.x - from.x, tip.y - from.y);
    if (length <= 0)
        return;
    spk_point d = {(tip.x - from.x) / length, (tip.y - from.y) / length};
    double size = 5.5 + 1.5 * width;
    double half = 0.40 * size;
    spk_point base = {tip.x - size * d.x, tip.y - size * d.y};
    spk_point head[3] = {tip,
                         {base.x - half * d.y, base.y + half * d.x},
                         {base.x + half * d.y, base.y - half * d.x}};
    spk_canvas_fill_polygon(canvas, 3, head, colour);
}

/* From the rim of one node to the rim of another; bends to the right of its way, so that there and
 * back are two curves, and further for later intervals. */
static void draw_arrow(spk_canvas *canvas, const circle *c, spk_graph_pair pair)
{
    double width = arrow_width(c->graph, pair.count);
    spk_colour colour = spk_colour_alpha(delay_colour(c->graph, pair.delay), 0.35 + 0.13 * width);
    double a = angle_of(c, pair.from);
    double b = angle_of(c, pair.to);
    bool loop = pair.from == pair.to;
    spk_point point[4];
    point[0] = on_circle(c, a, c->radius);
    point[3] = on_circle(c, b, c->radius);
    if (loop) {
        double reach = c->radius + 30 + 5.0 * (pair.delay % 4);
        double spread = 17 / c->radius;
        point[1] = on_circle(c, a - spread, reach);
        point[2] = on_circle(c, a + spread, reach);
    } else {
        double dx = point[3].x - point[0].x;
        double dy = point[3].y - point[0].y;
        double bend = 0.10 + 0.05 * (pair.delay % 4);
        for (int k = 1; k <= 2; k++) {
            double f = k / 3.0;
            double x = point[0].x + f * dx - bend * dy;
            double y = point[0].y + f * dy + bend * dx;
            point[k] = (spk_point){x + 0.22 * (c->centre.x - x), y + 0.22 * (c->centre.y - y)};
        }
    }
    double end = hypot(point[3].x - point[2].x, point[3].y - point[2].y);
    double stop = (c->node + 1) / (end > 0 ? end : 1);
    spk_point tip = {point[3].x + stop * (point[2].x - point[3].x),
                     point[3].y + stop * (point[2].y - point[3].y)};
    spk_point before = point[2];
    double neck = (c->node + 4 + 1.2 * width) / (end > 0 ? end : 1);
    point[3] = (spk_point){point[3].x + neck * (point[2].x - point[3].x),
                           point[3].y + neck * (point[2].y - point[3].y)};
    spk_canvas_curve(canvas, point, width, colour);
    draw_head(canvas, tip, before, width, colour);
}

/* The label of a unit as the circle shows it: at most eight bytes of it. */
static const char *short_label(const spk_recording *recording, uint32_t unit, char buffer[16])
{
    const char *label = spk_recording_label(recording, unit);
    int length = (int)strlen(label);
    bool cut = length > 8;
    if (cut)
        length = 7;
    while (cut && length > 0 && ((unsigned char)label[length] & 0xc0) == 0x80)
        length--; /* whole characters */
    snprintf(buffer, 16, "%.*s%s", length, label, cut ? "\xe2\x80\xa6" : "");
    return buffer;
}

static spk_text_style label_style(const spk_graph *graph)
{
    return (spk_text_style){.size = graph->n_units > 40 ? 11 : 12.5, .colour = SPK_INK};
}

/* How far from the circle the labels begin: beyond the loops, where there are some. */
static double label_distance(const spk_graph *graph)
{
    for (uint32_t k = 0; k < graph->n_pairs; k++)
        if (graph->pair[k].from == graph->pair[k].to)
            return 36;
    return 12;
}

static double label_margin(spk_canvas *canvas, const spk_recording *recording,
                           const spk_graph *graph)
{
    double widest = 0;
    char label[16];
    for (uint32_t k = 0; k < graph->n_units; k++)
        widest = fmax(widest, spk_canvas_text_width(canvas, label_style(graph),
                                                    short_label(recording, graph->unit[k], label)));
    return label_distance(graph) + widest + 4;
}

static void draw_nodes(spk_canvas *canvas, const circle *c, const spk_recording *recording)
{
    spk_text_style style = label_style(c->graph);
    for (uint32_t k = 0; k < c->graph->n_units; k++) {
        double angle = angle_of(c, c->graph->unit[k]);
        spk_point at = on_circle(c, angle, c->radius);
        spk_canvas_fill_circle(canvas, at, c->node, SPK_INK);
        spk_canvas_fill_circle(canvas, at, c->node - 1.3, (spk_colour){1, 1, 1, 1});
        bool left = cos(angle) < -1e-9;
        style.angle = left ? angle + TURN / 2 : angle;
        style.align = left ? SPK_ALIGN_RIGHT : SPK_ALIGN_LEFT;
        char label[16];
        spk_canvas_text(canvas, on_circle(c, angle, c->radius + label_distance(c->graph)), style,
                        short_label(recording, c->graph->unit[k], label));
    }
}

/* ---- legends --------------------------------------------------------------------------------- */

/* The intervals that occur, in order; at most ten lines. Returns the height used. */
static double draw_delay_legend(spk_canvas *canvas, spk_point at, const spk_graph *graph)
{
    enum { MOST_LINES = 10 };
    spk_text_style style = {.size = 12.5, .bold = true, .colour = SPK_INK};
    spk_canvas_text(canvas, at, style, "Colour: delay");
    style.bold = false;
    int n_lines = 0;
    size_t n_more = 0;
    for (size_t d = 0; d < graph->n_delays; d++) {
        bool used = false;
        for (uint32_t k = 0; k < graph->n_pairs; k++)
            used = used || graph->pair[k].delay == d;
        n_more += used && n_lines == MOST_LINES;
        if (!used || n_lines == MOST_LINES)
            continue;
        char text[112];
        double y = at.y + 20 * ++n_lines;
        spk_delay_format(&graph->delays[d], text, sizeof text);
        spk_canvas_fill_box(canvas, (spk_box){at.x, y - 2, 26, 4},
                            delay_colour(graph, (uint16_t)d));
        spk_canvas_text(canvas, (spk_point){at.x + 34, y}, style, text);
    }
    if (n_more > 0) {
        char text[64];
        snprintf(text, sizeof text, "and %zu more, darker to lighter", n_more);
        spk_canvas_text(canvas, (spk_point){at.x, at.y + 20 * ++n_lines}, style, text);
    }
    return 20 * (n_lines + 1);
}

static double draw_width_legend(spk_canvas *canvas, spk_point at, const spk_graph *graph)
{
    spk_text_style style = {.size = 12.5, .bold = true, .colour = SPK_INK};
    spk_canvas_text(canvas, at, style, "Width: count");
    style.bold = false;
    uint64_t least = graph->pair[graph->n_pairs - 1].count;
    uint64_t most = graph->pair[0].count;
    uint64_t shown[3] = {least, least + (most - least) / 2, most};
    double y = at.y;
    for (int k = 0; k < 3; k++) {
        if (k > 0 && shown[k] == shown[k - 1])
            continue;
        char number[32];
        y += 20;
        spk_canvas_line(canvas, (spk_point){at.x, y}, (spk_point){at.x + 26, y},
                        arrow_width(graph, shown[k]), SPK_INK_SOFT);
        spk_canvas_text(canvas, (spk_point){at.x + 34, y}, style, spk_text_count(shown[k], number));
    }
    return y - at.y + 20;
}

/* Bars of the strongest pairs, as many as fit. */
static void draw_strongest(spk_canvas *canvas, spk_box box, const spk_recording *recording,
                           const spk_graph *graph)
{
    enum { MOST_BARS = 8, NAME_WIDTH = 130 };
    spk_text_style style = {.size = 12.5, .bold = true, .colour = SPK_INK};
    spk_canvas_text(canvas, (spk_point){box.x, box.y}, style, "Strongest pairs");
    style.bold = false;
    double number_width = 70;
    for (uint32_t k = 0; k < graph->n_pairs && k < MOST_BARS; k++) {
        const spk_graph_pair *pair = &graph->pair[k];
        double y = box.y + 22 * (k + 1.0);
        if (y > box.y + box.height)
            break;
        char name[128];
        char number[32];
        snprintf(name, sizeof name, "%.50s \xe2\x86\x92 %.50s",
                 spk_recording_label(recording, pair->from),
                 spk_recording_label(recording, pair->to));
        spk_canvas_paragraph(canvas, (spk_point){box.x, y}, NAME_WIDTH - 8, 1, style, name);
        double length = (box.width - NAME_WIDTH - number_width) * (double)pair->count /
                        (double)(graph->pair[0].count > 0 ? graph->pair[0].count : 1);
        spk_canvas_fill_box(canvas, (spk_box){box.x + NAME_WIDTH, y - 6, length, 12},
                            delay_colour(graph, pair->delay));
        spk_canvas_text(canvas, (spk_point){box.x + NAME_WIDTH + length + 6, y}, style,
                        spk_text_count(pair->count, number));
    }
}

void spk_graph_draw(spk_canvas *canvas, spk_box box, const spk_recording *recording,
                    const spk_graph *graph)
{
    if (graph->n_pairs == 0) {
        spk_text_style style = {.size = 14, .align = SPK_ALIGN_CENTRE, .colour = SPK_INK_SOFT};
        spk_canvas_text(canvas, (spk_point){box.x + box.width / 2, box.y + 0.3 * box.height}, style,
                        "No pair of units is frequent.");
        return;
    }
    double margin = label_margin(canvas, recording, graph);
    double diameter = fmin(box.width, 0.62 * box.height) - 2 * margin;
    circle c = {.centre = {box.x + box.width / 2, box.y + margin + diameter / 2},
                .radius = diameter / 2,
                .node = graph->n_units > 30 ? 4 : 5.5,
                .graph = graph};
    for (uint32_t k = graph->n_pairs; k > 0; k--) /* the strongest on top */
        draw_arrow(canvas, &c, graph->pair[k - 1]);
    draw_nodes(canvas, &c, recording);
    double y = box.y + diameter + 2 * margin + 10;
    double left = draw_delay_legend(canvas, (spk_point){box.x, y}, graph);
    double right = draw_width_legend(canvas, (spk_point){box.x + 0.6 * box.width, y}, graph);
    y += fmax(left, right) + 16;
    draw_strongest(canvas, (spk_box){box.x, y, box.width, box.y + box.height - y}, recording,
                   graph);
}
#endif
