/* The picture of sequences: a panel for each, its members as bands in order of their lags, and in
 * each band a line for each occurrence, all aligned at the first member's lag. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "recording/segments.h"
#include "report/figure/axis.h"
#include "report/figure/canvas.h"
#include "report/figure/page.h"
#include "report/figure/raster.h"
#include "report/figure/text.h"

typedef struct figure {
    spk_context *context;
    spk_canvas *canvas;
    const spk_recording *recording;
    spk_events events;
    spk_sequence_columns columns;
    uint32_t n; /* sequences that are drawn */
    const spk_figure_options *options;
    spk_page page;
} figure;

/* A sequence, and where its times lie on the page. */
typedef struct panel {
    uint32_t number;
    uint64_t n_members;
    uint64_t n_occurrences;
    int64_t before; /* ticks that are shown before the first member's lag, and in all */
    uint64_t length;
    spk_box plot;
    spk_colour colour;
} panel;

/* ---- layout ---------------------------------------------------------------------------------- */

static spk_page_plan plan_page(const spk_sequence_columns *c, uint32_t n)
{
    spk_page_plan plan = {.n = n > 0 ? n : 1};
    for (uint32_t i = 0; i < plan.n; i++) {
        const double bands =
            c != NULL && n > 0 ? (double)(c->member_first[i + 1] - c->member_first[i]) : 2;
        const double height = n > 0 ? 6 + 1.9 * bands : 3.5;
        plan.wide[i] = plan.narrow[i] =
            (spk_panel_plan){(char)('a' + i), i, 1, 18, fmin(height, 12), height};
    }
    return plan;
}

spk_status spk_check_sequence_page(spk_context *context, const spk_figure_options *options)
{
    spk_page page;
    const spk_page_plan plan =
        plan_page(NULL, options->n_top < SPK_PALETTE_SIZE ? options->n_top : SPK_PALETTE_SIZE);
    return spk_page_lay_out(context, options, &plan, &page);
}

/* A margin of a fifth of the sequence on both sides. */
static panel make_panel(const figure *f, uint32_t i)
{
    const spk_sequence_columns *c = &f->columns;
    const uint64_t last = c->member_first[i + 1] - 1;
    const double margin = ceil(0.2 * c->lag_ticks[last] + 4 * c->spread_ticks[last]) + 1;
    return (panel){.number = i,
                   .n_members = last + 1 - c->member_first[i],
                   .n_occurrences = c->occurrence_first[i + 1] - c->occurrence_first[i],
                   .before = (int64_t)margin,
                   .length = (uint64_t)(c->lag_ticks[last] + 2 * margin),
                   .colour = spk_palette_group(i)};
}

/* The longest margin in front and the longest rest behind it, of all panels. */
static panel widest_panel(const figure *f)
{
    panel widest = {.before = 0};
    uint64_t after = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const panel p = make_panel(f, i);
        const uint64_t rest = p.length - (uint64_t)p.before;
        widest.before = p.before > widest.before ? p.before : widest.before;
        after = rest > after ? rest : after;
    }
    widest.length = (uint64_t)widest.before + after;
    return widest;
}

static double x_of(const panel *p, double ticks)
{
    return p->plot.x + (ticks + (double)p->before) / (double)p->length * p->plot.width;
}

static double band_height(const panel *p)
{
    return p->plot.height / (double)p->n_members;
}

/* ---- spikes ---------------------------------------------------------------------------------- */

/* Marks of one colour. */
typedef struct marks {
    uint64_t n, capacity;
    spk_box *box;
} marks;

/* A mark for the spike at so many ticks behind the first member's lag. */
static spk_status add_mark(const figure *f, const panel *p, uint64_t m, uint64_t k, double ticks,
                           double width, marks *to)
{
    const double line = 0.84 * band_height(p) / (double)p->n_occurrences;
    const double top = p->plot.y + ((double)m + 0.08) * band_height(p) + (double)k * line;
    spk_status status = spk_grow(f->context, &to->box, &to->capacity, to->n + 1, "spikes");
    if (status == SPK_OK)
        to->box[to->n++] =
            (spk_box){x_of(p, ticks) - width / 2, top, width, fmax(line, 0.33 * width)};
    return status;
}

/* All spikes of the member about occurrence k: its own among `own`, the others among `others`. */
static spk_status add_spikes(const figure *f, const panel *p, uint64_t m, uint64_t k, marks *own,
                             marks *others)
{
    const spk_sequence_columns *c = &f->columns;
    const spk_events *events = &f->events;
    const uint32_t unit = c->unit[c->member_first[p->number] + m];
    const int64_t time = c->time[c->occurrence_first[p->number] + k];
    const uint32_t spike = c->spike[c->spike_first[p->number] + k * p->n_members + m];
    const double thin = SPK_THIN(f->page.small);
    const int64_t from = time < INT64_MIN + p->before ? INT64_MIN : time - p->before;
    spk_status status = SPK_OK;
    for (uint64_t i = spk_unit_first_from(events, unit, from);
         i < events->unit_first[unit + 1] && status == SPK_OK; i++) {
        const uint32_t e = events->by_unit[i];
        if (spk_time_difference(events->time[e], from) >= p->length)
            break;
        const double ticks = events->time[e] >= time
                                 ? (double)spk_time_difference(events->time[e], time)
                                 : -(double)spk_time_difference(time, events->time[e]);
        status = e == spike ? add_mark(f, p, m, k, ticks, 3.6 * thin, own)
                            : add_mark(f, p, m, k, ticks, 1.2 * thin, others);
    }
    return status;
}

static spk_status draw_spikes(const figure *f, const panel *p)
{
    marks own = {0}, others = {0};
    spk_status status = SPK_OK;
    for (uint64_t m = 0; m < p->n_members && status == SPK_OK; m++)
        for (uint64_t k = 0; k < p->n_occurrences && status == SPK_OK; k++)
            status = add_spikes(f, p, m, k, &own, &others);
    if (status == SPK_OK) {
        spk_canvas_clip(f->canvas, p->plot);
        spk_canvas_fill_boxes(f->canvas, others.n, others.box, SPK_SPIKE_GREY);
        spk_canvas_fill_boxes(f->canvas, own.n, own.box, p->colour);
        spk_canvas_unclip(f->canvas);
    }
    spk_free(f->context, own.box);
    spk_free(f->context, others.box);
    return status;
}

/* ---- panels ---------------------------------------------------------------------------------- */

/* Lines between the bands, and one at the lag of each member. */
static void draw_bands(const figure *f, const panel *p)
{
    const double thin = SPK_THIN(f->page.small), height = band_height(p);
    for (uint64_t m = 0; m < p->n_members; m++) {
        const double top = p->plot.y + (double)m * height;
        const double x = x_of(p, f->columns.lag_ticks[f->columns.member_first[p->number] + m]);
        spk_canvas_line(f->canvas, (spk_point){p->plot.x, top + height},
                        (spk_point){p->plot.x + p->plot.width, top + height}, thin / 2,
                        SPK_RULE_GREY);
        spk_canvas_line(f->canvas, (spk_point){x, top}, (spk_point){x, top + height}, thin,
                        SPK_RULE_GREY);
    }
}

static void name_panel(const figure *f, uint32_t i, char *text, size_t size)
{
    const spk_sequence_columns *c = &f->columns;
    char members[32], occurrences[32];
    snprintf(text, size, "Sequence %u: %s units, %s occurrences, p\u00a0%.2g%s", i + 1,
             spk_group_digits(c->member_first[i + 1] - c->member_first[i], members),
             spk_group_digits(c->occurrence_first[i + 1] - c->occurrence_first[i], occurrences),
             c->p[i],
             i > 0 ? ""
                   : ". A band has a line for each occurrence; in colour: spikes of the sequence, "
                     "grey: others of the unit, upright line: the median lag");
}

static spk_raster labels_of(const figure *f, uint32_t i)
{
    const uint64_t first = f->columns.member_first[i];
    return (spk_raster){.recording = f->recording,
                        .n_rows = (uint32_t)(f->columns.member_first[i + 1] - first),
                        .units = f->columns.unit + first,
                        .text_size = f->page.small};
}

/* Room for the labels of all panels, so that their axes stand below each other. */
static double widest_gutter(const figure *f, double limit)
{
    const double all_labels = 1e6; /* so high that none is left out */
    double widest = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const spk_raster labels = labels_of(f, i);
        widest = fmax(widest, spk_raster_gutter(f->canvas, &labels, all_labels, limit));
    }
    return widest;
}

static spk_status draw_panel(const figure *f, const spk_page_panel *place)
{
    const uint32_t i = (uint32_t)(place->id - 'a');
    char heading[240];
    name_panel(f, i, heading, sizeof heading);
    const spk_box box = spk_page_begin_panel(f->canvas, &f->page, place, heading);
    const panel widest = widest_panel(f);
    panel p = make_panel(f, i);
    p.before = widest.before; /* one axis, so that lags can be compared */
    p.length = widest.length;
    const double em = f->page.em, small = f->page.small;
    const double height = box.height - (SPK_AXIS_HEIGHT + SPK_AXIS_TITLE_HEIGHT) * small;
    const spk_raster labels = labels_of(f, i);
    const double gutter = widest_gutter(f, 0.22 * box.width);
    const double left = 1.4 * em + gutter;
    p.plot = (spk_box){box.x + left, box.y, box.width - left, height};
    spk_raster_draw_side_title(f->canvas, box.x + 0.5 * em, p.plot, small);
    spk_raster_draw_labels(f->canvas, p.plot, &labels, gutter);
    draw_bands(f, &p);
    spk_status status = draw_spikes(f, &p);
    const spk_rate rate = spk_recording_rate(f->recording);
    const double tick = (double)rate.denominator / (double)rate.numerator;
    const spk_seconds range = {-(double)p.before * tick, (double)p.length * tick,
                               (double)p.length * tick, false};
    const spk_axis_frame frame = {p.plot, box.x, box.x + box.width + 0.4 * em, small};
    spk_draw_seconds_axis(f->canvas, frame, range);
    spk_seconds_axis_title(f->canvas, frame, range, "Time after the first unit");
    return status;
}

/* What the picture says, as text for search and screen readers. */
static spk_status describe(const figure *f)
{
    spk_text text = {NULL, 0, 0};
    char heading[240];
    spk_status status =
        f->n == 0 ? spk_text_add(f->context, &text, "No sequence was found.") : SPK_OK;
    for (uint32_t i = 0; i < f->n && status == SPK_OK; i++) {
        name_panel(f, i, heading, sizeof heading);
        status = spk_text_add(f->context, &text, "%s.\n", heading);
    }
    if (status == SPK_OK)
        spk_canvas_describe(f->canvas,
                            f->options->title != NULL ? f->options->title : "Sequences of units",
                            text.bytes);
    free(text.bytes);
    return status;
}

static spk_status draw_page(const figure *f)
{
    spk_status status = SPK_OK;
    spk_page_draw_title(f->canvas, &f->page, f->options, NULL, true);
    if (f->n == 0)
        (void)spk_page_begin_panel(f->canvas, &f->page, &f->page.panel[0], "No sequence was found");
    for (uint32_t k = 0; k < f->page.n && f->n > 0 && status == SPK_OK; k++)
        status = draw_panel(f, &f->page.panel[k]);
    return status == SPK_OK ? spk_canvas_status(f->canvas) : status;
}

spk_status spk_draw_sequences(spk_context *context, spk_canvas *canvas,
                              const spk_recording *recording, const spk_sequences *sequences,
                              const spk_figure_options *options)
{
    figure f = {.context = context,
                .canvas = canvas,
                .recording = recording,
                .events = spk_recording_events(recording),
                .columns = spk_sequences_columns(sequences),
                .options = options};
    const uint32_t most = options->n_top < SPK_PALETTE_SIZE ? options->n_top : SPK_PALETTE_SIZE;
    f.n = f.columns.n < most ? f.columns.n : most;
    const spk_page_plan plan = plan_page(&f.columns, f.n);
    spk_status status = spk_page_lay_out(context, options, &plan, &f.page);
    if (status == SPK_OK)
        status = spk_canvas_set_page(canvas, f.page.width, f.page.height, f.page.dpi);
    if (status == SPK_OK)
        status = draw_page(&f);
    return status == SPK_OK ? describe(&f) : status;
}
