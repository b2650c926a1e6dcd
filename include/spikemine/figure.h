/*
 * Pictures of results: PNG, SVG or PDF, chosen by the file's ending, through cairo.
 *
 * A picture of episodes is made in one call from columns that hold all of them. A picture of
 * patterns gathers what it shows while the patterns are mined, since there may be too many to keep:
 *
 *     spk_pattern_figure_create(context, recording, windows, bin, &figure);
 *     spk_pattern_mine(context, windows, &options, spk_pattern_figure_add, figure, &summary);
 *     spk_pattern_figure_draw(context, figure, NULL, "patterns.png");
 *     spk_pattern_figure_free(figure);
 *
 * Equal results give equal files, byte by byte. A file appears under its name only when complete.
 * A build without cairo has the same functions; they return SPK_ERR_UNAVAILABLE.
 *
 * Errors of the functions that draw: SPK_ERR_UNAVAILABLE (built without cairo), SPK_ERR_ARGUMENT
 * (unknown ending, a size out of range or too small for the panels, a stretch outside the
 * recording, columns that do not fit the recording), SPK_ERR_IO, SPK_ERR_PIPE (as in report.h),
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED.
 */
#ifndef SPIKEMINE_FIGURE_H
#define SPIKEMINE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/report.h"
#include "spikemine/sequence.h"

SPK_BEGIN_C

/* True when pictures can be made in this build; otherwise *reason, a static text, says what is
 * missing. `reason` may be NULL. */
SPK_API bool spk_figure_available(const char **reason);

/* Checks before long work whether a picture can be written to `path`. Leaves nothing there. */
SPK_API SPK_MUST_CHECK spk_status spk_figure_check(spk_context *context, const char *path);

/* How to draw. Initialise with spk_figure_options_init; pointers are borrowed for the call. */
typedef struct spk_figure_options {
    size_t struct_size;  /* set by spk_figure_options_init */
    const char *title;   /* UTF-8; NULL: none */
    const char *caption; /* below it, in two lines at most; NULL: none */
    uint32_t n_top;      /* examples drawn in colour, 6 by default, 7 at most */
    double width_px;     /* size in pixels at this dpi, instead of mm; 0, the default: not given */
    double height_px;
    double width_mm;  /* 10 .. 5000, 180 by default: two columns of a journal */
    double height_mm; /* 0, the default: as high as the panels need */
    double font_pt;   /* size of the text in points, 4 .. 100, 7 by default */
    double dpi;       /* pixels per inch of a PNG, 30 .. 2400, 300 by default */
    const spk_duration
        *start;               /* first time of the raster; NULL: chosen, or the recording's start */
    const spk_duration *stop; /* where the raster ends; NULL: chosen, or the recording's stop */
    uint32_t panels;          /* bit 0 for panel a, bit 1 for b ...; 0, the default: all */
    bool as_listed; /* of episodes: the examples are the first n_top of the columns, also where
                       they are alike */
    const double *expected; /* by episode: mean count by chance (exact.h); the graph's arrows then
                               tell the excess over it. NULL: they tell the count */
    const spk_exact_report *exact; /* what an exact test found, a row for each episode in the order
                                      of the columns; NULL: there was none. Patterns have
                                      spk_pattern_figure_set_exact */
} spk_figure_options;

/* No title and caption, 6 examples, all panels, 180 mm wide, text of 7 pt, 300 dpi. */
SPK_API void spk_figure_options_init(spk_figure_options *options, size_t struct_size);

typedef enum spk_figure_kind {
    SPK_FIGURE_EPISODES,
    SPK_FIGURE_PATTERNS,
    SPK_FIGURE_TESTED_PATTERNS, /* of patterns, after spk_pattern_figure_set_test */
    SPK_FIGURE_SEQUENCES,
    SPK_FIGURE_EXACT_EPISODES, /* of episodes, with `exact` in the options */
    SPK_FIGURE_EXACT_PATTERNS  /* of patterns, after spk_pattern_figure_set_exact */
} spk_figure_kind;

/* Whether figures of this kind can be drawn with these options, whatever they will show. For asking
 * before long work. Errors: SPK_ERR_UNAVAILABLE, SPK_ERR_ARGUMENT (a size out of range, panels that
 * do not exist, a page too small for its panels; the message names a size that will do). `options`
 * may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_figure_options_check(spk_context *context,
                                                           spk_figure_kind kind,
                                                           const spk_figure_options *options);

/* ---- episodes -------------------------------------------------------------------------------- */

/* Draws three panels, and a fourth one after a test. Panel a is a raster of the stretch that shows
 * the examples best, with their counted occurrences in colour: units of the examples on top, in the
 * order in which they fire, all others below. Panel b shows one occurrence of each
 * example close up. Panel c is the graph of who follows whom: nodes are units, arrows are frequent
 * pairs; the width of an arrow tells the count, its colour the delay interval. The examples are the
 * first episodes after a test (`exact`, `expected`), else those with the largest number of distinct
 * units, then the longest, then the most frequent. An episode is no example when it shares more
 * than half of its units with an earlier example, or when its units fire in the same order there;
 * panel b tells how many episodes an example stands for. The graph has the strongest arrows, at
 * most three from and three to each unit. With `exact` panel d says for each example what the test
 * found (count, mean by chance, p, and what it may mean), and shows how the delays of each step are
 * distributed over all occurrences. All axes there go from 0 to the largest delay of the columns. A
 * test with another number of rows is SPK_ERR_ARGUMENT. `episodes`: all sizes, with counts, in
 * canonical order, from this recording. `options` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_figure_episodes(spk_context *context,
                                                      const spk_recording *recording,
                                                      const spk_episode_columns *episodes,
                                                      const spk_figure_options *options,
                                                      const char *path);

/* The order of rows in a raster, as the pictures have it, so that sequences run downwards: the
 * units of n sequences, sequence k being the units offset[k] .. offset[k + 1] - 1, and below all
 * others by number. A unit stands below the one before it in its sequence where nothing speaks
 * against that. `order` has room for all units of the recording; *n_first of them belong to the
 * sequences. Needs no cairo. Errors: SPK_ERR_ARGUMENT (a unit that the recording lacks),
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_figure_order_units(spk_context *context,
                                                         const spk_recording *recording, uint64_t n,
                                                         const uint64_t *offset,
                                                         const uint32_t *unit, uint32_t *order,
                                                         uint32_t *n_first);

/* ---- sequences ------------------------------------------------------------------------------- */

/* Draws a panel for each of the first n_top sequences. Its units are bands from top to bottom in
 * order of their lags. A line of a band is an occurrence, all aligned at the first unit's lag, with
 * the spikes of the occurrence in colour and other spikes of the unit in grey. `sequences` are of
 * this recording; `options` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_figure_sequences(spk_context *context,
                                                       const spk_recording *recording,
                                                       const spk_sequences *sequences,
                                                       const spk_figure_options *options,
                                                       const char *path);

/* ---- SPADE patterns -------------------------------------------------------------------------- */

/* Gathers the content of a picture of patterns, batch by batch: statistics of all patterns, and the
 * few patterns that are drawn.
 * Threads: one at a time. */
typedef struct spk_pattern_figure spk_pattern_figure;

/* `bin` is the width that the windows were made with. Context, recording and windows are borrowed
 * until spk_pattern_figure_free; the windows come from the recording. Errors: SPK_ERR_ARGUMENT
 * (windows from a file of transactions have no spike times), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_create(spk_context *context,
                                                            const spk_recording *recording,
                                                            const spk_windows *windows,
                                                            spk_duration bin,
                                                            spk_pattern_figure **out);

/* Frees it; NULL is accepted. */
SPK_API void spk_pattern_figure_free(spk_pattern_figure *figure);

/* The figure gets a panel g, the spectrum with the border of significance, and a panel h, the lags
 * of its examples with their p-values; examples are significant ones first. Before anything is
 * added. Errors: SPK_ERR_ARGUMENT (there are patterns already, or an exact test). */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_set_test(spk_pattern_figure *figure,
                                                              const spk_significance *test);

/* The figure gets a panel g: for each example what the exact test found (count, mean by chance, p,
 * and what it may mean), and how the lags of its spikes from the start of the window are
 * distributed over all occurrences, on axes from 0 to the length of the window. Examples are
 * significant ones first. Row k of the test is the k-th pattern that is added. Before anything is
 * added; what the report points to is borrowed until spk_pattern_figure_free. Errors:
 * SPK_ERR_ARGUMENT (there are patterns already, or a test of signatures). */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_set_exact(spk_pattern_figure *figure,
                                                               const spk_exact_report *exact);

/* A spk_pattern_sink: takes the batch in; `figure` is a spk_pattern_figure. Errors:
 * SPK_ERR_ARGUMENT for patterns that the windows do not have, for those whose signature is not in
 * the test, and for more patterns than an exact test has rows. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_add(void *figure,
                                                         const spk_pattern_columns *patterns);

/* Draws panel a, a raster of the stretch that holds most occurrences of the examples, in colour, as
 * that of episodes; b,
 * the examples: patterns through most neurons, then with most spikes, then the most frequent, no
 * two of which share half of their neurons, two at least; c, patterns of each neuron; d, e and f,
 * patterns by number of spikes and of occurrences, and their spikes by lag; after a test g, a map
 * of all signatures by spikes and occurrences, with durations a map for each number of spikes: the
 * colour tells how many patterns there are, grey the p-value where there are none, and a line is
 * the border from which on signatures are significant; after any test a last panel with what it
 * says of the examples. May be called again, and after more was added. `options` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_draw(spk_context *context,
                                                          spk_pattern_figure *figure,
                                                          const spk_figure_options *options,
                                                          const char *path);

/* The unit in which an axis of lags up to this many seconds is written: "h", "min", "s", "ms", "us"
 * with the letter mu, or "ns". *per_second is how many of it a second has; NULL is accepted. At
 * least two units fit in: 1.9 s are 1900 ms. Figures, reports and Python take this one. */
SPK_API const char *spk_figure_time_unit(double longest_s, double *per_second);

/* Writes a caption, "74 units, 3,336 spikes; 502 episodes" for 502 of `what` = "episode". With n of
 * UINT64_MAX `what` stands there as it is. A text that is too long is cut. */
SPK_API void spk_figure_caption(const spk_recording *recording, uint64_t n, const char *what,
                                char *text, size_t size);

SPK_END_C

#endif
