/* Layout of pages, titles and headings. */
#include "report/figure/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "report/figure/canvas.h"

/* In sizes of the text. */
static const double MARGIN = 0.9;
static const double COLUMN_GAP = 2.2;
static const double ROW_GAP = 1.3;
static const double TITLE_HEIGHT = 1.7;
static const double CAPTION_LINE = 1.4;
static const double TITLE_GAP = 0.5;
static const double WIDE = 54;
static const double HEADING_LINE = 1.35;
static const double HEADING_GAP = 0.55;

static const double POINTS_PER_MM = 72 / 25.4;

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Width or height in points; 0: not given. */
static double side(double pixels, double mm, double dpi)
{
    return pixels > 0 ? pixels / dpi * 72 : mm * POINTS_PER_MM;
}

static double page_width(const spk_figure_options *options)
{
    return side(options->width_px, options->width_mm, options->dpi);
}

bool spk_page_is_wide(const spk_figure_options *options)
{
    return page_width(options) >= WIDE * options->font_pt;
}

static spk_status check_options(spk_context *context, const spk_figure_options *o,
                                const spk_page_plan *plan)
{
    if (!(o->dpi >= 30 && o->dpi <= 2400))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the resolution of a figure must be from 30 to 2400 dpi");
    if (!(o->font_pt >= 4 && o->font_pt <= 100))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the font size of a figure must be from 4 to 100 pt");
    if (!(o->width_px >= 0 && o->width_px <= 20000 && o->height_px >= 0 && o->height_px <= 20000))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a side of a figure takes at most 20,000 pixels");
    if (!(o->width_mm >= 10 && o->width_mm <= 5000 && o->height_mm >= 0 && o->height_mm <= 5000))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the width of a figure must be from 10 to 5000 mm, its height at most 5000 "
                        "mm");
    if (o->panels >> plan->n != 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "this figure has the panels a to %c only",
                        (char)('a' + plan->n - 1));
    return SPK_OK;
}

/* ---- layout ---------------------------------------------------------------------------------- */

typedef struct row {
    uint32_t first; /* of the page's panels */
    uint32_t n;
    double weight;
    double least_width;
    double least_height;
    double height;
} row;

/* The chosen panels as rows; `chosen` gets their plans. Returns the number of rows. */
static uint32_t gather_rows(const spk_panel_plan *plan, uint32_t n, uint32_t panels, row *rows,
                            const spk_panel_plan **chosen, uint32_t *n_chosen)
{
    uint32_t n_rows = 0;
    *n_chosen = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (panels != 0 && (panels >> (plan[k].id - 'a') & 1) == 0)
            continue;
        if (*n_chosen == 0 || chosen[*n_chosen - 1]->row != plan[k].row)
            rows[n_rows++] = (row){.first = *n_chosen};
        row *r = &rows[n_rows - 1];
        r->least_width += plan[k].least_width + (r->n > 0 ? COLUMN_GAP : 0);
        r->least_height = fmax(r->least_height, plan[k].least_height);
        r->height = fmax(r->height, plan[k].height);
        r->weight += plan[k].weight;
        r->n++;
        chosen[(*n_chosen)++] = &plan[k];
    }
    return n_rows;
}

/* A caption may take two lines of a narrow page. */
static int caption_lines(const spk_figure_options *options)
{
    return options->caption == NULL ? 0 : spk_page_is_wide(options) ? 1 : 2;
}

static double title_height(const spk_figure_options *options)
{
    double height =
        (options->title != NULL ? TITLE_HEIGHT : 0) + CAPTION_LINE * caption_lines(options);
    return height > 0 ? height + TITLE_GAP : 0;
}

static spk_status fail_small(spk_context *context, const char *which, double given_pt,
                             double needed_em, double em)
{
    double needed = ceil(needed_em * em / POINTS_PER_MM);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "a figure %lld mm %s has no room for its panels with text of this size; it "
                    "takes at least %lld mm: choose a larger size, smaller text or fewer panels",
                    llround(given_pt / POINTS_PER_MM), which, llround(needed));
}

/* Heights between least and natural ones: what is to spare goes to all rows alike until they have
 * what they need, and what is left then in proportion. */
static void share_height(row *rows, uint32_t n_rows, double spare)
{
    double natural = 0;
    double got[SPK_PAGE_MOST_PANELS];
    for (uint32_t r = 0; r < n_rows; r++) {
        got[r] = rows[r].least_height;
        natural += rows[r].height;
    }
    for (uint32_t round = 0; round < n_rows && spare > 1e-9; round++) {
        uint32_t hungry = 0;
        for (uint32_t r = 0; r < n_rows; r++)
            hungry += got[r] < rows[r].height;
        double share = hungry > 0 ? spare / hungry : 0;
        for (uint32_t r = 0; r < n_rows; r++) {
            double more = fmin(share, fmax(0, rows[r].height - got[r]));
            got[r] += more;
            spare -= more;
        }
    }
    for (uint32_t r = 0; r < n_rows; r++)
        rows[r].height = got[r] + fmax(0, spare) * rows[r].height / natural;
}

static void place_row(spk_page *page, const row *r, const spk_panel_plan **plan, double y,
                      double height)
{
    double em = page->em;
    double room = page->width - (2 * MARGIN + COLUMN_GAP * (r->n - 1.0)) * em;
    double x = MARGIN * em;
    for (uint32_t k = r->first; k < r->first + r->n; k++) {
        double spare = room - (r->least_width - COLUMN_GAP * (r->n - 1.0)) * em;
        double width = plan[k]->least_width * em + spare * plan[k]->weight / r->weight;
        page->panel[k].id = plan[k]->id;
        page->panel[k].box = (spk_box){x, y, width, height};
        x += width + COLUMN_GAP * em;
    }
}

spk_status spk_page_lay_out(spk_context *context, const spk_figure_options *options,
                            const spk_page_plan *plan, spk_page *page)
{
    const spk_panel_plan *chosen[SPK_PAGE_MOST_PANELS];
    row rows[SPK_PAGE_MOST_PANELS];
    spk_status status = check_options(context, options, plan);
    if (status != SPK_OK)
        return status;
    double em = options->font_pt;
    *page =
        (spk_page){.width = page_width(options), .dpi = options->dpi, .em = em, .small = 0.9 * em};
    const spk_panel_plan *panels = spk_page_is_wide(options) ? plan->wide : plan->narrow;
    uint32_t n_rows = gather_rows(panels, plan->n, options->panels, rows, chosen, &page->n);
    double fixed = 2 * MARGIN + title_height(options) + ROW_GAP * (n_rows - 1.0);
    double least = 0;
    double natural = 0;
    for (uint32_t r = 0; r < n_rows; r++) {
        if (page->width < (rows[r].least_width + 2 * MARGIN) * em * (1 - 1e-9))
            return fail_small(context, "wide", page->width, rows[r].least_width + 2 * MARGIN, em);
        least += rows[r].least_height;
        natural += rows[r].height;
    }
    page->height = side(options->height_px, options->height_mm, options->dpi);
    if (page->height <= 0)
        page->height = (fixed + natural) * em;
    double spare = page->height / em - fixed - least;
    if (spare < -1e-9)
        return fail_small(context, "high", page->height, fixed + least, em);
    double y = (MARGIN + title_height(options)) * em;
    share_height(rows, n_rows, spare);
    for (uint32_t r = 0; r < n_rows; r++) {
        place_row(page, &rows[r], chosen, y, rows[r].height * em);
        y += (rows[r].height + ROW_GAP) * em;
    }
    /* One panel is a part of somebody's own figure, which has letters of its own. */
    for (uint32_t k = 0; k < page->n && page->n > 1; k++)
        page->panel[k].letter[0] = (char)('a' + k);
    return SPK_OK;
}

/* ---- titles ---------------------------------------------------------------------------------- */

/* "; 502 of 2,081 tested are significant (p up to 0.05)": a picture goes without its command. */
static void tell_test(const spk_exact_report *exact, char *text, size_t size)
{
    char found[SPK_GROUPED_BYTES], all[SPK_GROUPED_BYTES];
    snprintf(text, size, "; %s of %s tested %s significant (p up to %g)",
             spk_group_digits(exact->n_significant, found), spk_group_digits(exact->n_tested, all),
             exact->n_significant == 1 ? "is" : "are", exact->alpha);
}

void spk_page_draw_title(spk_canvas *canvas, const spk_page *page,
                         const spk_figure_options *options, const spk_exact_report *exact,
                         bool tested)
{
    double em = page->em;
    double width = page->width - 2 * MARGIN * em;
    double y = MARGIN * em;
    if (options->title != NULL) {
        spk_text_style style = {.size = 1.15 * em, .bold = true, .colour = SPK_INK};
        spk_canvas_text_within(canvas, (spk_point){MARGIN * em, y + 0.6 * em}, width, style,
                               options->title);
        y += TITLE_HEIGHT * em;
    }
    if (options->caption != NULL) {
        spk_text_style style = {.size = page->small, .colour = SPK_INK_SOFT};
        char text[500], verdict[128] = "";
        if (exact != NULL && exact->n_rounds == 0)
            tell_test(exact, verdict, sizeof verdict);
        else if (!tested)
            snprintf(verdict, sizeof verdict, "; not tested: counts only");
        snprintf(text, sizeof text, "%.350s%s", options->caption, verdict);
        spk_canvas_paragraph(canvas, (spk_point){MARGIN * em, y + 0.45 * em}, width,
                             caption_lines(options), style, text);
    }
}

spk_box spk_page_begin_panel(spk_canvas *canvas, const spk_page *page, const spk_page_panel *panel,
                             const char *heading)
{
    double em = page->em;
    spk_box box = panel->box;
    spk_text_style style = {.size = 1.25 * em, .bold = true, .colour = SPK_INK};
    double indent = panel->letter[0] != '\0' ? 1.5 * em : 0;
    spk_canvas_panel(canvas, box);
    spk_canvas_text(canvas, (spk_point){box.x, box.y + 0.6 * em}, style, panel->letter);
    style.size = em;
    style.bold = false;
    int lines = spk_canvas_paragraph(canvas, (spk_point){box.x + indent, box.y + 0.6 * em},
                                     box.width - indent, 2, style, heading);
    double used = (HEADING_LINE * (lines > 0 ? lines : 1) + HEADING_GAP) * em;
    return (spk_box){box.x, box.y + used, box.width, fmax(0, box.height - used)};
}
