/* Heat maps of spectra. */
#include "base/decimal.h"
#include "report/figure/panels.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/figure/axis.h"
#include "report/figure/canvas.h"
#include "report/figure/text.h"

/* In sizes of the text. */
static const double LEGEND_LINE = 1.35;
static const double LEGEND_KEY = 1.6;
static const double LEGEND_WIDTH = 11;
static const double LEGEND_BESIDE = 44; /* least width of a panel with the legend at its side */
static const double MAP_WIDTH = 14;     /* the least of one among several */
static const double MAP_HEIGHT = 11.5;
static const double MAP_HEADING = 1.4;
static const double GAP = 1.2;
static const double HEADING = 3.4; /* of the panel */
enum {
    LEGEND_LINES = 5,
    MOST_COLUMNS = 256,
    MOST_ROWS = 60,
    MOST_LINES = 2,
    GREYS = 8,
    SHADES = 16
};

/* What may stand in a cell: counts of a column, sizes or durations of a row. */
typedef struct cell {
    uint64_t n_patterns;
    uint64_t n_above; /* surrogates that reach it */
    bool observed;
} cell;

/* What all maps have in common. */
typedef struct maps {
    spk_context *context;
    spk_canvas *canvas;
    const spk_page *page;
    const spk_significance *test;
    bool logarithmic; /* scale of occurrences */
    uint32_t n_columns;
    uint64_t edge[MOST_COLUMNS + 1]; /* column k: counts edge[k] .. edge[k + 1] - 1 */
    uint32_t first_row;              /* its size or duration */
    uint32_t row_step;
    uint32_t n_rows;
    uint64_t most_patterns; /* of a cell */
    double least_p;         /* that so many surrogates can give */
    double border;          /* the largest p that is significant; below 0: none */
    cell *cell;             /* n_rows * n_columns */
    spk_box *boxes;         /* as many */
} maps;

/* ---- the spectrum ---------------------------------------------------------------------------- */

static double p_of(const spk_significance *test, uint64_t n_above)
{
    double n = (double)test->n_surrogates;
    return test->published ? (double)n_above / n : (1 + (double)n_above) / (1 + n);
}

static uint32_t row_key(const maps *m, uint32_t size, uint32_t duration)
{
    return m->test->by_duration ? duration : size;
}

typedef struct range {
    uint64_t least;
    uint64_t most;
} range;

static void widen(range *r, uint64_t value)
{
    r->least = value < r->least ? value : r->least;
    r->most = value > r->most ? value : r->most;
}

static void set_columns(maps *m, range counts)
{
    const double COLUMNS = 200;
    m->logarithmic = counts.most / 4 >= counts.least;
    double step = ceil((double)(counts.most - counts.least + 1) / COLUMNS);
    double ratio = pow((double)(counts.most + 1) / (double)counts.least, 1 / COLUMNS);
    m->edge[0] = counts.least;
    while (m->edge[m->n_columns] <= counts.most) {
        double from = (double)m->edge[m->n_columns];
        double to = m->logarithmic ? ceil(from * ratio) : from + step;
        assert(m->n_columns < MOST_COLUMNS);
        m->edge[++m->n_columns] = (uint64_t)fmax(to, from + 1);
    }
}

/* Columns, rows and limits of colours. False: there is nothing to draw. */
static bool survey(maps *m)
{
    const spk_significance *test = m->test;
    range counts = {UINT64_MAX, 0};
    range rows = {UINT64_MAX, 0};
    m->border = -1;
    for (uint64_t k = 0; k < test->n_pvalues; k++) {
        const spk_pvalue *v = &test->pvalue[k];
        widen(&counts, v->count);
        widen(&rows, row_key(m, v->size, v->duration));
    }
    for (uint64_t k = 0; k < test->n_signatures; k++) {
        const spk_signature *s = &test->signature[k];
        widen(&counts, s->count);
        widen(&rows, row_key(m, s->size, s->duration));
        if (s->significant)
            m->border = fmax(m->border, test->published ? s->p_published : s->p);
    }
    if (counts.most < counts.least || counts.least == 0 || test->n_surrogates == 0)
        return false;
    set_columns(m, counts);
    m->first_row = (uint32_t)rows.least;
    m->row_step = (uint32_t)((rows.most - rows.least) / MOST_ROWS + 1);
    m->n_rows = (uint32_t)((rows.most - rows.least) / m->row_step + 1);
    m->least_p = 1 / (1 + (double)test->n_surrogates);
    return true;
}

static uint32_t column_of(const maps *m, uint64_t count)
{
    uint32_t low = 0;
    uint32_t high = m->n_columns;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (m->edge[middle] <= count)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static cell *cell_of(const maps *m, uint32_t size, uint32_t duration, uint64_t count)
{
    uint32_t row = (row_key(m, size, duration) - m->first_row) / m->row_step;
    return &m->cell[(size_t)row * m->n_columns + column_of(m, count)];
}

/* The cells of one map: of patterns with `size` spikes, or 0 for all. */
static void fill_cells(maps *m, uint32_t size)
{
    const spk_significance *test = m->test;
    memset(m->cell, 0, (size_t)m->n_rows * m->n_columns * sizeof *m->cell);
    for (uint64_t k = 0; k < test->n_pvalues; k++) {
        const spk_pvalue *v = &test->pvalue[k];
        if (size > 0 && v->size != size)
            continue;
        cell *at = cell_of(m, v->size, v->duration, v->count);
        at->n_above = v->n_above > at->n_above ? v->n_above : at->n_above;
    }
    for (uint64_t k = 0; k < test->n_signatures; k++) {
        const spk_signature *s = &test->signature[k];
        if (size > 0 && s->size != size)
            continue;
        cell *at = cell_of(m, s->size, s->duration, s->count);
        at->n_above = s->n_above > at->n_above ? s->n_above : at->n_above;
        at->n_patterns += s->n_patterns;
        at->observed |= s->n_patterns > 0;
    }
    /* What reaches a count reaches every smaller one. */
    for (uint32_t row = 0; row < m->n_rows; row++) {
        cell *line = &m->cell[(size_t)row * m->n_columns];
        for (uint32_t k = m->n_columns - 1; k > 0; k--)
            if (line[k].n_above > line[k - 1].n_above)
                line[k - 1].n_above = line[k].n_above;
    }
}

static void find_most(maps *m)
{
    for (size_t k = 0; k < (size_t)m->n_rows * m->n_columns; k++)
        if (m->cell[k].n_patterns > m->most_patterns)
            m->most_patterns = m->cell[k].n_patterns;
}

/* ---- colours --------------------------------------------------------------------------------- */

/* More patterns are darker. */
static uint32_t shade_of(const maps *m, uint64_t n_patterns)
{
    double most = log((double)m->most_patterns);
    double part = most > 0 ? log((double)n_patterns) / most : 1;
    return (uint32_t)lround((SHADES - 1) * part);
}

static spk_colour shade_colour(uint32_t shade)
{
    return spk_palette_scale(1 - (double)shade / (SHADES - 1));
}

/* Grey GREYS - 1 is white: no surrogate reaches the cell. */
static uint32_t grey_of(const maps *m, double p)
{
    double part = p > 0 ? log(p) / log(m->least_p) : 1;
    return (uint32_t)lround((GREYS - 1) * fmin(1, fmax(0, part)));
}

static spk_colour grey_colour(uint32_t grey)
{
    double light = 0.70 + 0.30 * grey / (GREYS - 1);
    return (spk_colour){light, light, light, 1};
}

/* ---- one map --------------------------------------------------------------------------------- */

/* Horizontal position of a count; the cell of a count reaches half a count to both sides. */
static double x_of(const maps *m, spk_box plot, double count)
{
    double first = (double)m->edge[0] - 0.5;
    double last = (double)m->edge[m->n_columns] - 0.5;
    double part =
        m->logarithmic ? log(count / first) / log(last / first) : (count - first) / (last - first);
    return plot.x + plot.width * part;
}

static spk_box cell_box(const maps *m, spk_box plot, uint32_t row, uint32_t column)
{
    double height = plot.height / m->n_rows;
    double left = x_of(m, plot, (double)m->edge[column] - 0.5);
    double right = x_of(m, plot, (double)m->edge[column + 1] - 0.5);
    return (spk_box){left, plot.y + plot.height - height * (row + 1), right - left, height};
}

/* Fills all cells of one colour in one go; neighbours become one box. */
static void fill_colour(const maps *m, spk_box plot, bool observed, uint32_t which,
                        spk_colour colour)
{
    uint64_t n = 0;
    for (uint32_t row = 0; row < m->n_rows; row++) {
        bool joined = false;
        for (uint32_t column = 0; column < m->n_columns; column++) {
            const cell *c = &m->cell[(size_t)row * m->n_columns + column];
            uint32_t has = observed ? (c->observed ? shade_of(m, c->n_patterns) : SHADES)
                                    : grey_of(m, p_of(m->test, c->n_above));
            spk_box box = cell_box(m, plot, row, column);
            if (has == which && joined)
                m->boxes[n - 1].width = box.x + box.width - m->boxes[n - 1].x;
            else if (has == which)
                m->boxes[n++] = box;
            joined = has == which;
        }
    }
    if (n > 0)
        spk_canvas_fill_boxes(m->canvas, n, m->boxes, colour);
}

/* Left of it signatures of the row are not significant. */
static double border_x(const maps *m, spk_box plot, uint32_t row)
{
    const cell *line = &m->cell[(size_t)row * m->n_columns];
    uint32_t column = 0;
    double most = m->border * (1 + 1e-9);
    while (column < m->n_columns && p_of(m->test, line[column].n_above) > most)
        column++;
    return x_of(m, plot, (double)m->edge[column] - 0.5);
}

static void draw_border(const maps *m, spk_box plot)
{
    spk_point point[2 * MOST_ROWS + 2];
    uint64_t n = 0;
    double height = plot.height / m->n_rows;
    if (m->border < 0)
        return;
    for (uint32_t row = 0; row < m->n_rows; row++) {
        double x = border_x(m, plot, row);
        double bottom = plot.y + plot.height - row * height;
        point[n++] = (spk_point){x, bottom};
        point[n++] = (spk_point){x, bottom - height};
    }
    spk_canvas_polyline(m->canvas, n, point, 4 * SPK_THIN(m->page->small),
                        (spk_colour){1, 1, 1, 1});
    spk_canvas_polyline(m->canvas, n, point, 2.2 * SPK_THIN(m->page->small), spk_palette_group(0));
}

/* Numbers beside the rows, every so many of them, as fit. */
static void draw_row_axis(const maps *m, spk_box plot)
{
    double size = m->page->small;
    double height = plot.height / m->n_rows;
    uint32_t every = (uint32_t)fmax(1, spk_nice_step(fmax(1, 1.25 * size / height)));
    spk_text_style style = {.size = size, .align = SPK_ALIGN_RIGHT, .colour = SPK_INK};
    spk_canvas_line(m->canvas, (spk_point){plot.x, plot.y},
                    (spk_point){plot.x, plot.y + plot.height}, SPK_THIN(size), SPK_INK);
    for (uint32_t row = 0; row < m->n_rows; row += every) {
        char number[32];
        double y = plot.y + plot.height - height * (row + 0.5);
        spk_canvas_line(m->canvas, (spk_point){plot.x - 0.3 * size, y}, (spk_point){plot.x, y},
                        SPK_THIN(size), SPK_INK);
        spk_canvas_text(m->canvas, (spk_point){plot.x - 0.5 * size, y}, style,
                        spk_group_digits(m->first_row + (uint64_t)row * m->row_step, number));
    }
}

/* 1, 2, 5, 10 ... as far as they keep a distance. */
static void draw_logarithmic_axis(const maps *m, spk_axis_frame frame)
{
    spk_box plot = frame.plot;
    double size = frame.size;
    double bottom = plot.y + plot.height;
    double free_from = frame.left;
    spk_text_style style = {.size = size, .align = SPK_ALIGN_CENTRE, .colour = SPK_INK};
    spk_canvas_line(m->canvas, (spk_point){plot.x, bottom},
                    (spk_point){plot.x + plot.width, bottom}, SPK_THIN(size), SPK_INK);
    static const uint64_t lead[] = {1, 2, 5};
    for (uint64_t power = 1; power <= m->edge[m->n_columns] && power < UINT64_MAX / 100;
         power *= 10) {
        for (int k = 0; k < 3; k++) {
            char number[32];
            uint64_t count = lead[k] * power;
            if (count < m->edge[0] || count >= m->edge[m->n_columns])
                continue;
            double x = x_of(m, plot, (double)count);
            spk_group_digits(count, number);
            double half = spk_canvas_text_width(m->canvas, style, number) / 2;
            spk_canvas_line(m->canvas, (spk_point){x, bottom}, (spk_point){x, bottom + 0.3 * size},
                            SPK_THIN(size), SPK_INK);
            if (x - half < free_from || x + half > frame.right)
                continue;
            spk_canvas_text(m->canvas, (spk_point){x, bottom + 0.95 * size}, style, number);
            free_from = x + half + 0.6 * size;
        }
    }
}

/* Room at the left for the numbers of rows and the name of what they number. */
static double row_gutter(const maps *m)
{
    char number[32];
    spk_text_style style = {.size = m->page->small};
    uint64_t last = m->first_row + (uint64_t)(m->n_rows - 1) * m->row_step;
    return spk_canvas_text_width(m->canvas, style, spk_group_digits(last, number)) +
           2.2 * m->page->small;
}

static void draw_map(const maps *m, spk_box box)
{
    double size = m->page->small;
    double left = row_gutter(m);
    spk_box plot = {box.x + left, box.y, box.width - left,
                    box.height - (SPK_AXIS_HEIGHT + SPK_AXIS_TITLE_HEIGHT) * size};
    spk_axis_frame frame = {plot, box.x, box.x + box.width + 0.6 * size, size};
    for (uint32_t grey = 0; grey < GREYS - 1; grey++)
        fill_colour(m, plot, false, grey, grey_colour(grey));
    for (uint32_t shade = 0; shade < SHADES; shade++)
        fill_colour(m, plot, true, shade, shade_colour(shade));
    draw_border(m, plot);
    draw_row_axis(m, plot);
    spk_text_style side = {
        .size = size, .align = SPK_ALIGN_CENTRE, .angle = -1.5707963267948966, .colour = SPK_INK};
    spk_canvas_text_within(m->canvas, (spk_point){box.x + 0.5 * size, plot.y + plot.height / 2},
                           plot.height, side, m->test->by_duration ? "Duration (bins)" : "Spikes");
    if (m->logarithmic)
        draw_logarithmic_axis(m, frame);
    else
        spk_draw_axis(m->canvas, frame, (double)m->edge[0] - 0.5,
                      (double)(m->edge[m->n_columns] - m->edge[0]), true);
    spk_axis_title(m->canvas, frame, "Occurrences");
}

/* ---- legend ---------------------------------------------------------------------------------- */

typedef struct legend {
    const maps *m;
    spk_box box;
    double y;     /* of the next line */
    double lines; /* that its parts may have */
} legend;

static void put_line(legend *l, const spk_colour *key, bool bold, const char *text)
{
    double em = l->m->page->small;
    double indent = key != NULL ? (LEGEND_KEY + 0.6) * em : 0;
    spk_text_style style = {.size = em, .bold = bold, .colour = SPK_INK};
    if (key != NULL) {
        spk_box sample = {l->box.x, l->y - 0.4 * em, LEGEND_KEY * em, 0.8 * em};
        spk_canvas_fill_box(l->m->canvas, sample, SPK_RULE_GREY);
        double rim = SPK_THIN(em);
        sample = (spk_box){sample.x + rim, sample.y + rim, sample.width - 2 * rim,
                           sample.height - 2 * rim};
        spk_canvas_fill_box(l->m->canvas, sample, *key);
    }
    spk_canvas_text_within(l->m->canvas, (spk_point){l->box.x + indent, l->y},
                           l->box.width - indent, style, text);
    l->y += LEGEND_LINE * em;
}

static void put_patterns(legend *l)
{
    char number[32];
    uint64_t most = l->m->most_patterns;
    uint64_t shown[3] = {1, (uint64_t)llround(sqrt((double)most)), most};
    put_line(l, NULL, true, "Patterns");
    for (int k = 0; k < 3; k++) {
        if ((k > 0 && shown[k] == shown[k - 1]) || (k == 1 && l->lines < 4) || shown[k] == 0)
            continue;
        spk_colour colour = shade_colour(shade_of(l->m, shown[k]));
        put_line(l, &colour, false, spk_group_digits(shown[k], number));
    }
}

static void put_p_values(legend *l)
{
    char number[SPK_TEXT_FIXED_SIZE];
    int decades = (int)floor(-log10(l->m->least_p) + 1e-9);
    int most = (int)fmax(2, fmin(4, l->lines - 1));
    int step = (int)fmax(1, ceil(decades / (most - 1.0)));
    put_line(l, NULL, true, "p-value, none found");
    for (int k = 0; k <= decades; k += step) {
        double p = pow(10, -k);
        spk_colour colour = grey_colour(grey_of(l->m, p));
        put_line(l, &colour, false, spk_text_fixed(p, k, number));
    }
}

static void put_border(legend *l)
{
    const maps *m = l->m;
    double em = m->page->small;
    char text[SPK_TEXT_FIXED_SIZE + 32];
    char number[SPK_TEXT_FIXED_SIZE];
    put_line(l, NULL, true, "Significant");
    if (m->border < 0) {
        put_line(l, NULL, false, "none");
        return;
    }
    double x = l->box.x + LEGEND_KEY * em / 2;
    spk_canvas_line(m->canvas, (spk_point){x, l->y - 0.5 * em}, (spk_point){x, l->y + 0.5 * em},
                    2.2 * SPK_THIN(em), spk_palette_group(0));
    snprintf(text, sizeof text, "p \xe2\x89\xa4 %.40s",
             spk_text_fixed(m->border, spk_text_decimals(m->border), number));
    l->box.x += (LEGEND_KEY + 0.6) * em;
    l->box.width -= (LEGEND_KEY + 0.6) * em;
    put_line(l, NULL, false, text);
    l->box.x -= (LEGEND_KEY + 0.6) * em;
    l->box.width += (LEGEND_KEY + 0.6) * em;
}

/* Below each other at the side, or in three columns under the maps. */
static void draw_legend(const maps *m, spk_box box, bool beside)
{
    double em = m->page->small;
    legend l = {.m = m, .box = box, .y = box.y + 0.6 * em};
    double lines = box.height / (LEGEND_LINE * em);
    l.lines = beside ? floor((lines - 3) / 2) : LEGEND_LINES;
    double column = (box.width - 2 * em) / 3;
    if (!beside)
        l.box.width = column;
    put_patterns(&l);
    if (!beside)
        l = (legend){
            m, {box.x + column + em, box.y, column, box.height}, box.y + 0.6 * em, l.lines};
    put_p_values(&l);
    if (!beside)
        l = (legend){
            m, {box.x + 2 * (column + em), box.y, column, box.height}, box.y + 0.6 * em, l.lines};
    put_border(&l);
}

/* ---- all maps -------------------------------------------------------------------------------- */

/* Sizes that have patterns, ascending. */
static uint32_t list_sizes(const spk_significance *test, uint32_t *size, uint32_t most)
{
    uint32_t n = 0;
    for (uint64_t k = 0; k < test->n_signatures && n < most; k++)
        if (n == 0 || test->signature[k].size > size[n - 1])
            size[n++] = test->signature[k].size;
    return n;
}

enum { MOST_MAPS = 64 };

/* Draws the map of one size under its heading; `more` is what the heading says further. */
static void draw_map_of_size(maps *m, spk_box box, uint32_t size, const char *more)
{
    double em = m->page->em;
    double indent = row_gutter(m);
    char heading[96];
    snprintf(heading, sizeof heading, "%" PRIu32 " spike%s%s", size, size == 1 ? "" : "s", more);
    spk_text_style style = {.size = m->page->small, .bold = true, .colour = SPK_INK};
    spk_canvas_text_within(m->canvas, (spk_point){box.x + indent, box.y + 0.6 * em},
                           box.width - indent, style, heading);
    box.y += MAP_HEADING * em;
    box.height -= MAP_HEADING * em;
    fill_cells(m, size);
    draw_map(m, box);
}

/* How many cells as wide as `least` fit side by side into `room`. */
static uint32_t n_fitting(double room, double least, double gap)
{
    return (uint32_t)fmax(1, floor((room + gap) / (least + gap)));
}

static void draw_maps_by_size(maps *m, spk_box box)
{
    double em = m->page->em;
    double gap = GAP * em;
    uint32_t size[MOST_MAPS];
    uint32_t n_all = list_sizes(m->test, size, MOST_MAPS);
    uint32_t columns = n_fitting(box.width, MAP_WIDTH * em, gap);
    uint32_t lines = n_fitting(box.height, MAP_HEIGHT * em, gap);
    uint32_t n = n_all < columns * lines ? n_all : columns * lines;
    if (n == 0)
        return;
    columns = columns < n ? columns : n;
    lines = (n + columns - 1) / columns;
    double width = (box.width - gap * (columns - 1.0)) / columns;
    double height = (box.height - gap * (lines - 1.0)) / lines;
    for (uint32_t k = 0; k < n; k++) {
        fill_cells(m, size[k]);
        find_most(m);
    }
    for (uint32_t k = 0; k < n; k++) {
        char more[64] = "";
        uint32_t line = k / columns;
        spk_box at = {box.x + (width + gap) * (k % columns), box.y + (height + gap) * line, width,
                      height};
        if (k + 1 == n && n < n_all)
            snprintf(more, sizeof more, " (not drawn: %" PRIu32 " to %" PRIu32 ")", size[n],
                     size[n_all - 1]);
        draw_map_of_size(m, at, size[k], more);
    }
}

double spk_spectrum_map_height(const spk_significance *test, bool wide)
{
    uint32_t size[MOST_MAPS];
    uint32_t n = test != NULL && test->by_duration ? list_sizes(test, size, MOST_MAPS) : 1;
    uint32_t columns = wide ? 3 : 2;
    uint32_t lines = (n + columns - 1) / columns;
    lines = lines < 1 ? 1 : lines > MOST_LINES ? MOST_LINES : lines;
    double height = lines > 1 ? lines * (MAP_HEIGHT + GAP) : 15;
    return height + HEADING + (wide ? 0 : LEGEND_LINES * LEGEND_LINE);
}

double spk_spectrum_map_least_height(bool wide)
{
    return MAP_HEIGHT + HEADING + (wide ? 0 : LEGEND_LINES * LEGEND_LINE);
}

static spk_status draw_all(maps *m, spk_box box)
{
    double em = m->page->em;
    bool beside = box.width >= LEGEND_BESIDE * em;
    spk_box left = box;
    spk_box key = box;
    if (beside) {
        left.width -= (LEGEND_WIDTH + GAP) * em;
        key.x += left.width + GAP * em;
        key.width = LEGEND_WIDTH * em;
    } else {
        left.height -= (LEGEND_LINES * LEGEND_LINE) * em;
        key.y += left.height + 0.4 * em;
        key.height = (LEGEND_LINES * LEGEND_LINE - 0.4) * em;
    }
    if (m->test->by_duration) {
        draw_maps_by_size(m, left);
    } else {
        fill_cells(m, 0);
        find_most(m);
        draw_map(m, left);
    }
    draw_legend(m, key, beside);
    return spk_check_cancel(m->context);
}

spk_status spk_spectrum_map_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                                 spk_box box, const spk_significance *test)
{
    maps m = {.context = context, .canvas = canvas, .page = page, .test = test};
    if (!survey(&m)) {
        spk_text_style style = {.size = page->em, .colour = SPK_INK_SOFT};
        spk_canvas_paragraph(canvas, (spk_point){box.x, box.y + 0.6 * page->em}, box.width, 2,
                             style, "Neither the recording nor a surrogate has a pattern.");
        return SPK_OK;
    }
    uint64_t n = (uint64_t)m.n_rows * m.n_columns;
    spk_status status =
        spk_alloc_columns(context, "a map", SPK_COLUMN(&m.cell, n), SPK_COLUMN(&m.boxes, n));
    if (status == SPK_OK)
        status = draw_all(&m, box);
    free(m.cell);
    free(m.boxes);
    return status;
}
