/* What all pages have alike: size, title, panels in rows, and their headings. */
#pragma once

#include "report/figure/canvas.h"
#include "spikemine/figure.h"

enum { SPK_PAGE_MOST_PANELS = 8 };

/* A panel as a kind of figure plans it; sizes are in sizes of the text. Panels of one row share its
 * width by weight and are as high as the highest. */
typedef struct spk_panel_plan {
    char id;      /* 'a' .. */
    uint32_t row; /* ascending */
    double weight;
    double least_width;
    double least_height;
    double height; /* where the page is as high as its panels need */
} spk_panel_plan;

/* Panels of a figure on a broad page and on a column. */
typedef struct spk_page_plan {
    uint32_t n;
    spk_panel_plan wide[SPK_PAGE_MOST_PANELS];
    spk_panel_plan narrow[SPK_PAGE_MOST_PANELS];
} spk_page_plan;

typedef struct spk_page_panel {
    char id;
    char letter[2]; /* as drawn; empty where the panel stands alone */
    spk_box box;
} spk_page_panel;

typedef struct spk_page {
    double width; /* points */
    double height;
    double dpi;
    double em;    /* the size of its text */
    double small; /* of numbers at axes and labels of rows */
    uint32_t n;
    spk_page_panel panel[SPK_PAGE_MOST_PANELS];
} spk_page;

/* Whether a page of these options is broad: plans differ. */
bool spk_page_is_wide(const spk_figure_options *options);

/* Lays out the panels that the options ask for. Errors: SPK_ERR_ARGUMENT with what would do (a size
 * out of range, panels that do not exist, a page too small for its panels). */
spk_status spk_page_lay_out(spk_context *context, const spk_figure_options *options,
                            const spk_page_plan *plan, spk_page *page);

/* Title and caption at the top of the page, as far as there are any. Behind the caption stands what
 * the exact test found, NULL: none; and where nothing was tested at all, that. */
void spk_page_draw_title(spk_canvas *canvas, const spk_page *page,
                         const spk_figure_options *options, const spk_exact_report *exact,
                         bool tested);

/* Begins a panel: its letter in bold and its heading in at most two lines. Returns the box that is
 * left below. */
spk_box spk_page_begin_panel(spk_canvas *canvas, const spk_page *page, const spk_page_panel *panel,
                             const char *heading);

/* ---- pages ----------------------------------------------------------------------------------- */

/* The drawing behind figure.h, in builds with cairo; `options` are complete. */

/* Whether a page of these options can be laid out. */
spk_status spk_check_episode_page(spk_context *context, const spk_figure_options *options,
                                  bool tested);
spk_status spk_check_pattern_page(spk_context *context, const spk_figure_options *options,
                                  spk_figure_kind kind);
spk_status spk_check_sequence_page(spk_context *context, const spk_figure_options *options);

/* Sets the size of the canvas and draws what spk_figure_episodes, spk_pattern_figure_draw and
 * spk_figure_sequences show; nothing is saved. */
spk_status spk_draw_episodes(spk_context *context, spk_canvas *canvas,
                             const spk_recording *recording, const spk_episode_columns *episodes,
                             const spk_figure_options *given);
spk_status spk_draw_patterns(spk_context *context, spk_canvas *canvas,
                             const spk_pattern_figure *figure, const spk_figure_options *options);
spk_status spk_draw_sequences(spk_context *context, spk_canvas *canvas,
                              const spk_recording *recording, const spk_sequences *sequences,
                              const spk_figure_options *options);
