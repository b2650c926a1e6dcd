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
 * In a build without cairo everything here is there and returns SPK_ERR_UNAVAILABLE.
 *
 * Errors of what draws: SPK_ERR_UNAVAILABLE (built without cairo), SPK_ERR_ARGUMENT (unknown
 * ending, a size out of range, columns that do not fit the recording), SPK_ERR_IO, SPK_ERR_PIPE (as
 * in report.h), SPK_ERR_MEMORY.
 */
#ifndef SPIKEMINE_FIGURE_H
#define SPIKEMINE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True when pictures can be made in this build; otherwise *reason, a static text, says what is
 * missing. `reason` may be NULL. */
SPK_API bool spk_figure_available(const char **reason);

/* Whether a picture could be written to `path` now; leaves nothing there. For asking before long
 * work. */
SPK_API SPK_MUST_CHECK spk_status spk_figure_check(spk_context *context, const char *path);

/* How to draw. Initialise with spk_figure_options_init; pointers are borrowed for the call. */
typedef struct spk_figure_options {
    size_t struct_size;  /* set by spk_figure_options_init */
    const char *title;   /* UTF-8; NULL: none */
    const char *caption; /* one line under it, NULL: none */
    uint32_t n_top;      /* episodes drawn in colour, 6 by default, 7 at most; patterns: always 6 */
    double width_px;     /* pixels in PNG and SVG, points in PDF; 100 .. 20000, 1600 by default */
    double height_px;    /* the same, 1000 by default */
} spk_figure_options;

/* No title and caption, 6 top episodes, 1600 x 1000. */
SPK_API void spk_figure_options_init(spk_figure_options *options, size_t struct_size);

/* ---- episodes -------------------------------------------------------------------------------- */

/* Draws the recording as a raster, the stretch that shows the top episodes best, with their counted
 * occurrences in colour; below it one occurrence of each, close up; beside it the graph of who
 * follows whom: units as nodes, frequent pairs as arrows, width by count, colour by delay interval.
 * The top episodes are those through most different units, then the longest, then the most
 * frequent, one for every set of units. `episodes`: all sizes, with counts, in canonical order,
 * from this recording. `options` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_figure_episodes(spk_context *context,
                                                      const spk_recording *recording,
                                                      const spk_episode_columns *episodes,
                                                      const spk_figure_options *options,
                                                      const char *path);

/* ---- SPADE patterns -------------------------------------------------------------------------- */

/* Gathers what the picture of patterns shows, batch by batch: statistics of all patterns, and the
 * few that are drawn.
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

/* A spk_pattern_sink: takes the batch in; `figure` is a spk_pattern_figure. Errors:
 * SPK_ERR_ARGUMENT for patterns that the windows do not have. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_add(void *figure,
                                                         const spk_pattern_columns *patterns);

/* Draws a raster of the stretch that holds most occurrences of the top patterns (through most
 * neurons, then most spikes, then most frequent; one for every set of neurons), in colour, and
 * beside it patterns per neuron, and by number of spikes, of occurrences, and by lag. May be called
 * again, and after more was added. `options` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_draw(spk_context *context,
                                                          spk_pattern_figure *figure,
                                                          const spk_figure_options *options,
                                                          const char *path);

#ifdef __cplusplus
}
#endif

#endif
