/* The panels of pages. Each is drawn into a box of its page. */
#pragma once

#include <stdint.h>

#include "report/figure/axis.h"
#include "report/figure/canvas.h"
#include "report/figure/labels.h"
#include "report/figure/page.h"
#include "report/figure/raster.h"
#include "report/figure/text.h"
#include "spikemine/episode.h"
#include "spikemine/recording.h"
#include "spikemine/report.h"
#include "spikemine/significance.h"
#include "spikemine/spectrum.h"

/* ---- a whole recording ----------------------------------------------------------------------- */

/* The panel that shows a whole recording: the units of the examples on top, so that a sequence runs
 * downwards, all others below, with the examples in colour and their numbers above. */

typedef struct spk_raster_example {
    uint32_t size;
    const uint32_t *unit;
    uint64_t n; /* occurrences */
    const int64_t *time;
    uint64_t tagged; /* the occurrence that the number points at; n: none */
} spk_raster_example;

typedef struct spk_raster_panel {
    const spk_recording *recording;
    spk_stretch stretch;
    uint32_t n_examples;
    spk_raster_example example[SPK_PALETTE_SIZE];
} spk_raster_panel;

/* Draws it into a box, which is empty where the recording has no unit. */
spk_status spk_raster_panel_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                                 spk_box box, const spk_raster_panel *panel);

/* ---- the order of its rows ------------------------------------------------------------------- */

/* The order of rows in a raster, so that sequences run downwards. */

/* Rows from the top; both arrays have room for all units. Sequences that share units are a block.
 */
typedef struct spk_rows {
    uint32_t n;
    uint32_t n_blocks;
    uint32_t *unit;
    uint32_t *block;
} spk_rows;

/* Adds the units of a sequence. A new one stands below the one before it in the sequence, or below
 * its block where none of the later ones is there. At the beginning of the sequence it stands above
 * the next one that is there, else behind all. */
void spk_rows_add(spk_rows *rows, uint32_t size, const uint32_t *unit);

/* Adds all other units behind them, by number. spk_figure_order_units is both. */
void spk_rows_add_others(spk_rows *rows, uint32_t n_units);

/* ---- examples -------------------------------------------------------------------------------- */

/* Close-ups side by side: one example of each coloured pattern, one row per spike. Their headings
 * are the legend of the figure. A row shows a spike, or how the lags of all are distributed. */

enum { SPK_EXAMPLE_NOTES = 3 };

/* One example. Arrays have n_rows entries; times are seconds on an axis from .. from + length. */
typedef struct spk_example {
    char heading[96];
    char note[SPK_EXAMPLE_NOTES][80]; /* lines under the heading; empty: no more */
    uint32_t n_rows;
    const uint32_t *units; /* of the rows from top to bottom */
    double from;
    double length;
    const double *time;      /* of each row's spike; NULL: there is no occurrence to show */
    const double *band_from; /* shaded stretch of each row; NULL: none */
    const double *band_to;
    const spk_stretch *around; /* the axis as a stretch of the recording, whose spikes are drawn in
                                  grey; NULL: none */
    /* Instead of spikes n_bars bars in each row, n_rows * n_bars counts, each bar bar_s seconds
     * wide and the first at 0; NULL: spikes. */
    const uint64_t *bars;
    uint32_t n_bars;
    double bar_s;
    bool bars_hold_end; /* a bar stands for the times above its start and up to its end; else for
                           those from its start on */
} spk_example;

/* What the height of a panel of examples depends on. */
typedef struct spk_examples_shape {
    uint32_t n;
    uint32_t columns; /* side by side at most */
    uint32_t most_rows;
    uint32_t n_notes; /* of the one with most */
    bool bars;
} spk_examples_shape;

/* The number of notes of the example with most. */
uint32_t spk_examples_notes(uint32_t n, const spk_example *examples);

/* The number of different units of all. */
uint32_t spk_examples_units(uint32_t n, const spk_example *examples);

/* Height of such a panel, heading apart, in sizes of the text: rows as high as their text, and the
 * least. */
double spk_examples_height(const spk_examples_shape *shape);
double spk_examples_least_height(const spk_examples_shape *shape);

/* Draws the examples, at most `columns` side by side. `title` stands once under all of
 * them where their axes are alike, else "Time" under each. */
spk_status spk_examples_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                             spk_box box, uint32_t columns, const spk_recording *recording,
                             uint32_t n, const spk_example *examples, const char *title);

/* ---- who follows whom ------------------------------------------------------------------------ */

/* Who follows whom: steps from a unit to the next one of a result as a directed graph. */

/* What is drawn at most. A busy unit follows and precedes all others: of the arrows from one unit,
 * and to one, only the strongest are drawn. A unit's arrow to itself is none. */
enum { SPK_GRAPH_PAIRS = 24, SPK_GRAPH_UNITS = 16, SPK_GRAPH_PER_UNIT = 3 };

typedef struct spk_graph_pair {
    uint32_t from; /* unit numbers */
    uint32_t to;
    uint16_t delay;
    uint64_t count; /* of its result, or the excess over chance, rounded */
    uint64_t place; /* of its second unit among those of all results */
} spk_graph_pair;

typedef struct spk_graph {
    const spk_delay *delays; /* the table that pairs index; borrowed from the columns */
    size_t n_delays;
    bool excess;      /* arrows tell the excess over chance */
    uint64_t n_found; /* pairs of different units and delays, drawn or not */
    uint32_t n_pairs;
    spk_graph_pair pair[SPK_GRAPH_PAIRS]; /* strongest first */
    uint32_t n_units;
    uint32_t unit[SPK_GRAPH_UNITS]; /* ascending */
} spk_graph;

/* Selects the steps of episodes that were checked (report/check.h): of each pair of units the one
 * of the episode with the largest count; with expected counts by episode (NULL: none) with the
 * largest excess, if there is one. Errors: SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_graph_make(spk_context *context, const spk_episode_columns *episodes,
                          const double *expected, spk_graph *graph);

/* The height that suits its units, heading apart, in sizes of the text. */
double spk_graph_height(const spk_graph *graph);

/* Leaves out the weakest pairs until the labels of the units have room in a box of this size. */
void spk_graph_fit(spk_canvas *canvas, const spk_page *page, spk_box box,
                   const spk_recording *recording, spk_graph *graph);

/* Draws units on a circle, arrows, and what colour and width mean. */
void spk_graph_draw(spk_canvas *canvas, const spk_page *page, spk_box box,
                    const spk_recording *recording, const spk_graph *graph);

/* ---- findings -------------------------------------------------------------------------------- */

/* What a test says of the results that are drawn, and how the lags of their occurrences are
 * distributed: examples that show bars on one axis. */

/* The axis of lags from 0 on that all results of a figure share, cut into bars. */
typedef struct spk_lag_axis {
    double length_s;
    double tick_s;
    uint64_t bar_ticks;
    uint32_t n_bars;
} spk_lag_axis;

enum { SPK_LAG_BARS = 40 }; /* about as many as fit */

/* It ends a little behind the longest lag in seconds, so that the end of a shade there is seen.
 * Bars are `bar_s` wide, at least a tick. */
spk_lag_axis spk_lag_axis_make(double longest_s, double bar_s, spk_rate rate);

/* The bar of a lag in ticks; beyond the axis the last one. */
uint32_t spk_lag_axis_bar(const spk_lag_axis *axis, uint64_t lag_ticks);

/* Gives the example this axis and the bars, n_rows * n_bars of them, which are borrowed. */
void spk_lag_axis_take(const spk_lag_axis *axis, const uint64_t *bars, spk_example *example);

/* "12 times, 0.27 by chance" as heading; as notes p, the test of a direction, and what row `row` of
 * the report may mean. */
void spk_finding_tell(const spk_exact_report *exact, uint64_t row, uint64_t count,
                      spk_example *example);

/* "12 times" as heading, and p of its signature as a note. */
void spk_finding_tell_signature(double p, double p_corrected, uint64_t count, spk_example *example);

/* Adds heading and notes as a line of text. */
spk_status spk_finding_describe(spk_context *context, const spk_example *finding, spk_text *text);

/* The heading of spikes without results: "Spikes of all units; 0 of 3 patterns are significant (p >
 * 0.05)" for a `what` of "pattern"; that none is listed where nothing was tested, or something is
 * significant. */
void spk_nothing_tell(uint64_t n_tested, uint64_t n_significant, double alpha, const char *what,
                      char *text, size_t size);

/* ---- counts ---------------------------------------------------------------------------------- */

/* Bar charts of counts. */

/* n bars. Bar k stands for the values from + k * step .. from + (k + 1) * step of the quantity that
 * `label` names; each value has a bar of its own where step is 1 and `whole` is set, and stands in
 * its middle. */
typedef struct spk_bars {
    uint32_t n;
    const uint64_t *count;
    double from;
    double step;
    bool whole;
    bool seconds;             /* the quantity is a time in seconds */
    const char *label;        /* under the axis */
    const char *side;         /* what is counted */
    const spk_labels *labels; /* bars are units; NULL: numbers */
    const uint32_t *unit;     /* of each bar */
} spk_bars;

/* Draws them from zero on. Where the counts span more than two powers of ten the scale is
 * logarithmic from one on, with a gap in the axis between zero and one and lines between its
 * numbers. */
void spk_bars_draw(spk_canvas *canvas, const spk_page *page, spk_box box, const spk_bars *bars);

/* ---- the spectrum ---------------------------------------------------------------------------- */

/* The spectrum of patterns as a heat map, over what surrogates reach, with the border from which on
 * signatures are significant. */

/* Height of the panel, heading apart, in sizes of the text: as high as wanted, and the least. A
 * NULL `test` stands for any. */
double spk_spectrum_map_height(const spk_significance *test, bool wide);
double spk_spectrum_map_least_height(bool wide);

/* Draws one map, whose rows are numbers of spikes. With durations: a map for each number of spikes,
 * as many as there is room for, whose rows are durations. A cell has the colour of its number of
 * patterns, where there are any, else the grey of its p-value. */
spk_status spk_spectrum_map_draw(spk_context *context, spk_canvas *canvas, const spk_page *page,
                                 spk_box box, const spk_significance *test);
