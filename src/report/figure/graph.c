/* The graph of steps between units: units in natural order round a circle, arrows through it.
 * Nothing is random, so that equal results look equal. */
#include "report/figure/panels.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "base/order.h"
#include "report/figure/axis.h"
#include "report/figure/canvas.h"
#include "report/figure/labels.h"
#include "report/figure/text.h"
#include "spikemine/figure.h"

#define TURN (2 * 3.14159265358979323846)

/* ---- which pairs ----------------------------------------------------------------------------- */

static bool has_unit(const spk_graph *graph, uint32_t unit)
{
    for (uint32_t k = 0; k < graph->n_units; k++)
        if (graph->unit[k] == unit)
            return true;
    return false;
}

/* Adds a unit to the ascending list, which has a place for it. */
static void add_unit(spk_graph *graph, uint32_t unit)
{
    uint32_t place = 0;
    if (has_unit(graph, unit))
        return;
    while (place < graph->n_units && graph->unit[place] < unit)
        place++;
    assert(graph->n_units < SPK_GRAPH_UNITS);
    memmove(graph->unit + place + 1, graph->unit + place, (graph->n_units - place) * sizeof unit);
    graph->unit[place] = unit;
    graph->n_units++;
}

/* Whether the graph has room for the pair. */
static bool is_welcome(const spk_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t out = 0;
    uint32_t in = 0;
    for (uint32_t k = 0; k < graph->n_pairs; k++) {
        if (graph->pair[k].from == from && graph->pair[k].to == to)
            return false;
        out += graph->pair[k].from == from;
        in += graph->pair[k].to == to;
    }
    uint32_t missing = (uint32_t)!has_unit(graph, from) + (uint32_t)!has_unit(graph, to);
    return out < SPK_GRAPH_PER_UNIT && in < SPK_GRAPH_PER_UNIT &&
           graph->n_units + missing <= SPK_GRAPH_UNITS;
}

/* What the width of an arrow tells; 0: there is none. */
static uint64_t strength_of(const spk_episode_columns *episodes, const double *expected, uint64_t i)
{
    if (expected == NULL)
        return episodes->count[i];
    double excess = (double)episodes->count[i] - expected[i];
    return excess >= 0.5 ? (uint64_t)(excess + 0.5) : 0;
}

/* Steps from a unit to another one, in the making. */
typedef struct steps {
    spk_graph_pair *list;
    uint64_t n;
    uint64_t capacity;
    uint64_t limit; /* number at which weaker ones of the same units and delay are dropped */
} steps;

/* The strongest first; of equal ones that of the first result. */
static int compare_strength(const void *a, const void *b)
{
    const spk_graph_pair *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->count, y->count), SPK_UP(x->place, y->place));
}

static int compare_ends(const spk_graph_pair *x, const spk_graph_pair *y)
{
    return SPK_BY(SPK_UP(x->from, y->from), SPK_UP(x->to, y->to), SPK_UP(x->delay, y->delay));
}

static int compare_steps(const void *a, const void *b)
{
    const int order = compare_ends(a, b);
    return order != 0 ? order : compare_strength(a, b);
}

static void drop_weaker(steps *s)
{
    uint64_t kept = 0;
    if (s->n > 0)
        qsort(s->list, (size_t)s->n, sizeof *s->list, compare_steps);
    for (uint64_t k = 0; k < s->n; k++)
        if (kept == 0 || compare_ends(&s->list[kept - 1], &s->list[k]) != 0)
            s->list[kept++] = s->list[k];
    s->n = kept;
}

static spk_status add_step(spk_context *context, steps *s, const spk_graph_pair *step)
{
    if (s->n >= s->limit) {
        drop_weaker(s);
        s->limit = s->n > s->limit / 2 ? 2 * s->limit : s->limit;
    }
    spk_status status = spk_grow(context, &s->list, &s->capacity, s->n + 1, "a graph");
    if (status == SPK_OK)
        s->list[s->n++] = *step;
    return status;
}

static spk_status collect(spk_context *context, const spk_episode_columns *e,
                          const double *expected, steps *s)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < e->n && status == SPK_OK; i++) {
        const uint64_t strength = strength_of(e, expected, i);
        if (i % 65536 == 0)
            status = spk_check_cancel(context);
        if (strength == 0 && expected != NULL)
            continue;
        for (uint64_t at = e->offset[i] + 1; at < e->offset[i + 1] && status == SPK_OK; at++) {
            const spk_graph_pair step = {e->unit[at - 1], e->unit[at], e->delay[at], strength, at};
            if (step.from != step.to)
                status = add_step(context, s, &step);
        }
    }
    drop_weaker(s);
    return status;
}

spk_status spk_graph_make(spk_context *context, const spk_episode_columns *episodes,
                          const double *expected, spk_graph *graph)
{
    enum { FIRST_ROOM = 1 << 18 };
    steps s = {.limit = FIRST_ROOM};
    *graph = (spk_graph){
        .delays = episodes->delays, .n_delays = episodes->n_delays, .excess = expected != NULL};
    spk_status status = collect(context, episodes, expected, &s);
    if (s.n > 0)
        qsort(s.list, (size_t)s.n, sizeof *s.list, compare_strength);
    graph->n_found = s.n;
    for (uint64_t k = 0; k < s.n && graph->n_pairs < SPK_GRAPH_PAIRS; k++) {
        if (!is_welcome(graph, s.list[k].from, s.list[k].to))
            continue;
        graph->pair[graph->n_pairs++] = s.list[k];
        add_unit(graph, s.list[k].from);
        add_unit(graph, s.list[k].to);
    }
    spk_free(context, s.list);
    return status;
}

/* ---- the circle ------------------------------------------------------------------------------ */

/* Units go down the right half and up the left half. Labels of a half stand under each other and
 * point outwards, so that none can touch another. */
typedef struct circle {
    spk_point centre;
    double radius;
    double node; /* radius of a node */
    double em;
    double label; /* room for a label */
    const spk_graph *graph;
} circle;

static uint32_t n_right(const spk_graph *graph)
{
    return (graph->n_units + 1) / 2;
}

static double angle_at(const spk_graph *graph, uint32_t place)
{
    uint32_t right = n_right(graph);
    if (place < right)
        return TURN / 2 * (place + 0.5) / right - TURN / 4;
    return TURN / 2 * (place - right + 0.5) / (graph->n_units - right) + TURN / 4;
}

static double angle_of(const circle *c, uint32_t unit)
{
    uint32_t place = 0;
    while (c->graph->unit[place] != unit) {
        place++;
        assert(place < c->graph->n_units);
    }
    return angle_at(c->graph, place);
}

static spk_point on_circle(const circle *c, double angle, double radius)
{
    return (spk_point){c->centre.x + radius * cos(angle), c->centre.y + radius * sin(angle)};
}

/* ---- arrows ---------------------------------------------------------------------------------- */

static spk_colour delay_colour(const spk_graph *graph, uint16_t delay)
{
    size_t n = graph->n_delays;
    return spk_palette_scale(n > 1 ? (double)delay / (double)(n - 1) : 0.4);
}

static const double MOST_WIDTH = 0.38, LEAST_WIDTH = 0.03; /* in sizes of the text */

/* Twice as wide is twice as much; the least is a line that can be seen. Counts may all be 0: of
 * episodes that were not counted. */
static double arrow_width(const spk_graph *graph, uint64_t count, double em)
{
    const double most = fmax(1, (double)graph->pair[0].count);
    return em * fmax(LEAST_WIDTH, MOST_WIDTH * (double)count / most);
}

static void draw_head(spk_canvas *canvas, spk_point tip, spk_point from, double size,
                      spk_colour colour)
{
    double length = hypot(tip.x - from.x, tip.y - from.y);
    if (length <= 0)
        return;
    spk_point d = {(tip.x - from.x) / length, (tip.y - from.y) / length};
    double half = 0.42 * size;
    spk_point base = {tip.x - size * d.x, tip.y - size * d.y};
    spk_point head[3] = {tip,
                         {base.x - half * d.y, base.y + half * d.x},
                         {base.x + half * d.y, base.y - half * d.x}};
    spk_canvas_fill_polygon(canvas, 3, head, colour);
}

/* From the rim of one node to the rim of another; bends to the right of its way, so that there and
 * back are two curves. */
static void draw_arrow(spk_canvas *canvas, const circle *c, const spk_graph_pair *pair)
{
    double width = arrow_width(c->graph, pair->count, c->em);
    double head = 0.75 * c->em + 1.4 * width;
    spk_colour colour = delay_colour(c->graph, pair->delay);
    spk_point from = on_circle(c, angle_of(c, pair->from), c->radius);
    spk_point to = on_circle(c, angle_of(c, pair->to), c->radius);
    double dx = to.x - from.x;
    double dy = to.y - from.y;
    spk_point point[4] = {from, from, to, to};
    for (int k = 1; k <= 2; k++) {
        double x = from.x + k / 3.0 * dx - 0.09 * dy;
        double y = from.y + k / 3.0 * dy + 0.09 * dx;
        point[k] = (spk_point){x + 0.24 * (c->centre.x - x), y + 0.24 * (c->centre.y - y)};
    }
    double end = hypot(to.x - point[2].x, to.y - point[2].y);
    double stop = (c->node + 0.12 * c->em) / (end > 0 ? end : 1);
    double neck = (c->node + 0.12 * c->em + 0.8 * head) / (end > 0 ? end : 1);
    spk_point tip = {to.x + stop * (point[2].x - to.x), to.y + stop * (point[2].y - to.y)};
    point[3] = (spk_point){to.x + neck * (point[2].x - to.x), to.y + neck * (point[2].y - to.y)};
    spk_canvas_curve(canvas, point, width, spk_colour_alpha(colour, 0.85));
    draw_head(canvas, tip, point[2], head, colour);
}

static void draw_nodes(spk_canvas *canvas, const circle *c, const spk_recording *recording)
{
    spk_text_style style = {.size = 0.9 * c->em, .colour = SPK_INK};
    spk_labels labels = spk_labels_make(recording);
    for (uint32_t k = 0; k < c->graph->n_units; k++) {
        double angle = angle_at(c->graph, k);
        bool left = k >= n_right(c->graph);
        spk_point at = on_circle(c, angle, c->radius);
        spk_canvas_fill_circle(canvas, at, c->node, SPK_INK);
        spk_canvas_fill_circle(canvas, at, 0.66 * c->node, (spk_colour){1, 1, 1, 1});
        style.align = left ? SPK_ALIGN_RIGHT : SPK_ALIGN_LEFT;
        at = on_circle(c, angle, c->radius + c->node + 0.45 * c->em);
        spk_labels_draw(canvas, at, c->label, style, &labels, c->graph->unit[k]);
    }
}

/* ---- legends --------------------------------------------------------------------------------- */

static const double LEGEND_LINE = 1.35;
static const double LEGEND_KEY = 2.2; /* width of a sample */
enum { LEGEND_LINES = 4 };

static bool delay_is_drawn(const spk_graph *graph, size_t delay)
{
    for (uint32_t k = 0; k < graph->n_pairs; k++)
        if (graph->pair[k].delay == delay)
            return true;
    return false;
}

static int n_delays_drawn(const spk_graph *graph)
{
    int n = 0;
    for (size_t d = 0; d < graph->n_delays; d++)
        n += delay_is_drawn(graph, d);
    return n;
}

/* "(0, 50] ms", in the unit of the longest delay of all. */
static void name_delay(const spk_graph *graph, size_t d, char *text, size_t size)
{
    double longest = 0, factor = 1;
    for (size_t k = 0; k < graph->n_delays; k++) {
        const double hi = spk_duration_seconds(graph->delays[k].hi);
        longest = fmax(longest, isinf(hi) ? spk_duration_seconds(graph->delays[k].lo) : hi);
    }
    const char *unit = spk_figure_time_unit(longest, &factor);
    const double lo = spk_duration_seconds(graph->delays[d].lo) * factor;
    const double hi = spk_duration_seconds(graph->delays[d].hi) * factor;
    char from[SPK_TEXT_FIXED_SIZE], to[SPK_TEXT_FIXED_SIZE];
    if (isinf(hi))
        snprintf(text, size, "> %s %s", spk_text_short(lo, from), unit);
    else
        snprintf(text, size, "(%s, %s] %s", spk_text_short(lo, from), spk_text_short(hi, to), unit);
}

/* The intervals of the arrows in order, at most LEGEND_LINES lines. */
static void draw_delay_legend(spk_canvas *canvas, spk_box box, double em, const spk_graph *graph)
{
    spk_text_style style = {.size = 0.9 * em, .bold = true, .colour = SPK_INK};
    spk_canvas_text_within(canvas, (spk_point){box.x, box.y}, box.width, style, "Delay");
    style.bold = false;
    const int n_drawn = n_delays_drawn(graph);
    int n_lines = 0;
    for (size_t d = 0; d < graph->n_delays; d++) {
        if (!delay_is_drawn(graph, d))
            continue;
        double y = box.y + LEGEND_LINE * em * ++n_lines;
        if (n_lines == LEGEND_LINES && n_drawn > LEGEND_LINES) {
            char text[64];
            snprintf(text, sizeof text, "and %d longer", n_drawn - LEGEND_LINES + 1);
            spk_canvas_text_within(canvas, (spk_point){box.x, y}, box.width, style, text);
            break;
        }
        char text[112];
        name_delay(graph, d, text, sizeof text);
        spk_canvas_fill_box(canvas, (spk_box){box.x, y - 0.15 * em, LEGEND_KEY * em, 0.3 * em},
                            delay_colour(graph, (uint16_t)d));
        spk_canvas_text_within(canvas, (spk_point){box.x + (LEGEND_KEY + 0.6) * em, y},
                               box.width - (LEGEND_KEY + 0.6) * em, style, text);
    }
}

/* Round counts up to the largest, at most three; how many those are. */
static int round_counts(const spk_graph *graph, uint64_t counts[3])
{
    const uint64_t most = graph->pair[0].count;
    const uint64_t step = (uint64_t)(spk_nice_step(fmax(1, (double)most / 5)) + 0.5);
    const uint64_t n = most / step; /* 1 .. 5 */
    const uint64_t wanted[3] = {step, (n + 1) / 2 * step, n * step};
    uint64_t last = 0;
    int kept = 0;
    for (int k = 0; k < 3; k++)
        if (wanted[k] > last)
            last = counts[kept++] = wanted[k];
    return kept;
}

static void draw_width_legend(spk_canvas *canvas, spk_box box, double em, const spk_graph *graph)
{
    spk_text_style style = {.size = 0.9 * em, .bold = true, .colour = SPK_INK};
    spk_canvas_text_within(canvas, (spk_point){box.x, box.y}, box.width, style,
                           graph->excess ? "Above chance" : "Count");
    style.bold = false;
    uint64_t shown[3];
    const int n = round_counts(graph, shown);
    double y = box.y;
    for (int k = 0; k < n; k++) {
        char number[32];
        y += LEGEND_LINE * em;
        spk_canvas_line(canvas, (spk_point){box.x, y}, (spk_point){box.x + LEGEND_KEY * em, y},
                        arrow_width(graph, shown[k], em), SPK_INK);
        spk_canvas_text_within(canvas, (spk_point){box.x + (LEGEND_KEY + 0.6) * em, y},
                               box.width - (LEGEND_KEY + 0.6) * em, style,
                               spk_group_digits(shown[k], number));
    }
}

static double label_room(spk_canvas *canvas, const spk_recording *recording, const spk_graph *graph,
                         double em, double most)
{
    double widest = 0;
    spk_text_style style = {.size = 0.9 * em};
    for (uint32_t k = 0; k < graph->n_units; k++)
        widest = fmax(widest, spk_canvas_text_width(
                                  canvas, style, spk_recording_label(recording, graph->unit[k])));
    return fmin(widest, most) + 0.1 * em;
}

/* Where circle and legends stand in a panel. */
typedef struct frame {
    spk_box plot;
    spk_box delays;
    spk_box widths;
} frame;

static const double LEGEND_WIDTH = 11;

/* In sizes of the text. */
static double legend_height(const spk_graph *graph)
{
    uint64_t counts[3];
    const int widths = round_counts(graph, counts), delays = n_delays_drawn(graph);
    const int lines = delays > widths ? delays : widths;
    return LEGEND_LINE * (lines < LEGEND_LINES ? lines : LEGEND_LINES) + 1.2;
}

double spk_graph_height(const spk_graph *graph)
{
    return graph->n_pairs == 0 ? 1.5 : 9 + 1.1 * graph->n_units + legend_height(graph);
}

/* The legends stand beside the circle or under it, as leaves it more room. */
static frame make_frame(spk_box box, double em, const spk_graph *graph)
{
    double legend = legend_height(graph) * em;
    double under = fmin(box.width, box.height - legend);
    double beside = fmin(box.width - (LEGEND_WIDTH + 1) * em, box.height);
    if (beside > under) {
        double x = box.x + box.width - LEGEND_WIDTH * em;
        double y = box.y + fmax(0.6 * em, box.height / 2 - legend);
        return (frame){{box.x, box.y, box.width - (LEGEND_WIDTH + 1) * em, box.height},
                       {x, y, LEGEND_WIDTH * em, legend},
                       {x, y + legend, LEGEND_WIDTH * em, legend}};
    }
    double y = box.y + box.height - legend + 1.2 * em;
    return (frame){{box.x, box.y, box.width, box.height - legend - 0.4 * em},
                   {box.x, y, 0.55 * box.width, legend},
                   {box.x + 0.6 * box.width, y, 0.4 * box.width, legend}};
}

static circle make_circle(spk_box plot, double em, double label, const spk_graph *graph)
{
    circle c = {.centre = {plot.x + plot.width / 2, plot.y + plot.height / 2},
                .node = 0.38 * em,
                .em = em,
                .label = label,
                .graph = graph};
    c.radius = fmin(plot.width / 2 - label - c.node - 0.55 * em, plot.height / 2 - 0.8 * em);
    c.radius = fmax(c.radius, em);
    return c;
}

/* Distance of the two highest labels of a half with n units. */
static double label_distance(double radius, uint32_t n)
{
    return n < 2 ? INFINITY : radius * (cos(TURN / 4 / n) - cos(3 * TURN / 4 / n));
}

void spk_graph_fit(spk_canvas *canvas, const spk_page *page, spk_box box,
                   const spk_recording *recording, spk_graph *graph)
{
    double em = page->em;
    spk_box plot = make_frame(box, em, graph).plot;
    double label = label_room(canvas, recording, graph, em, 0.24 * plot.width);
    double radius = make_circle(plot, em, label, graph).radius;
    while (graph->n_pairs > 1 && label_distance(radius, n_right(graph)) < 1.15 * page->small) {
        graph->n_pairs--;
        graph->n_units = 0;
        for (uint32_t k = 0; k < graph->n_pairs; k++) {
            add_unit(graph, graph->pair[k].from);
            add_unit(graph, graph->pair[k].to);
        }
    }
}

void spk_graph_draw(spk_canvas *canvas, const spk_page *page, spk_box box,
                    const spk_recording *recording, const spk_graph *graph)
{
    double em = page->em;
    if (graph->n_pairs == 0) {
        spk_text_style style = {.size = em, .colour = SPK_INK_SOFT};
        spk_canvas_paragraph(canvas, (spk_point){box.x, box.y + 0.6 * em}, box.width, 2, style,
                             "There is no pair of different units.");
        return;
    }
    frame f = make_frame(box, em, graph);
    circle c = make_circle(f.plot, em,
                           label_room(canvas, recording, graph, em, 0.24 * f.plot.width), graph);
    for (uint32_t k = graph->n_pairs; k > 0; k--) /* the strongest on top */
        draw_arrow(canvas, &c, &graph->pair[k - 1]);
    draw_nodes(canvas, &c, recording);
    draw_delay_legend(canvas, f.delays, em, graph);
    draw_width_legend(canvas, f.widths, em, graph);
}
