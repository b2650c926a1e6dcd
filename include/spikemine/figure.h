/*
 * Pictures: PNG, SVG or PDF through cairo, chosen by the file's ending.
 */
#ifndef SPIKEMINE_FIGURE_H
#define SPIKEMINE_FIGURE_H

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True when pictures can be made in this build; otherwise *reason says what is missing. */
SPK_API bool spk_figure_available(const char **reason);

/* Whether a picture could be written to `path` now; leaves nothing there. For asking before long
 * work. Errors: SPK_ERR_UNAVAILABLE (built without cairo), SPK_ERR_ARGUMENT (unknown ending),
 * SPK_ERR_IO. */
SPK_API SPK_MUST_CHECK spk_status spk_figure_check(spk_context *context, const char *path);

/* What to draw. Initialise with spk_figure_options_init. */
typedef struct spk_figure_options {
    size_t struct_size;  /* set by spk_figure_options_init */
    const char *title;   /* NULL: none */
    const char *caption; /* one line under it, NULL: none */
    uint32_t n_top;      /* episodes drawn in colour, 6 */
    double width_px;     /* 1600; points in PDF and SVG */
    double height_px;    /* 1000 */
} spk_figure_options;
SPK_API void spk_figure_options_init(spk_figure_options *options, size_t struct_size);

/* Raster of the recording (the stretch that shows the top episodes best, chosen automatically) with
 * their counted occurrences in colour, and beside it the graph of who follows whom: units as nodes,
 * frequent pairs as arrows, width by count, colour by delay interval. `episodes` in canonical
 * order, all sizes. The top are those through most different units, then the longest, then the most
 * frequent, one for every set of units. The file appears under its name only when complete.
 * Errors: SPK_ERR_UNAVAILABLE (built without cairo), SPK_ERR_ARGUMENT (unknown ending), SPK_ERR_IO.
 */
SPK_API SPK_MUST_CHECK spk_status spk_figure_episodes(spk_context *context,
                                                      const spk_recording *recording,
                                                      const spk_episode_columns *episodes,
                                                      const spk_figure_options *options,
                                                      const char *path);

/* ---- SPADE patterns -------------------------------------------------------------------------- */

/* Gathers what the picture of SPADE patterns shows, batch by batch while mining: statistics of all
 * patterns, and the few that are drawn. */
typedef struct spk_pattern_figure spk_pattern_figure;

/* `bin` is the width that the windows were made with; recording and windows are borrowed. The
 * windows must come from the recording. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_create(spk_context *context,
                                                            const spk_recording *recording,
                                                            const spk_windows *windows,
                                                            spk_duration bin,
                                                            spk_pattern_figure **out);
SPK_API void spk_pattern_figure_free(spk_pattern_figure *figure);

/* A spk_pattern_sink: takes the batch in; `user` is the figure. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_add(void *user,
                                                         const spk_pattern_columns *patterns);

/* Draws: a raster of the stretch that holds most occurrences of the top patterns (through most
 * neurons, then most spikes, then most frequent; one for every set of neurons), in colour, and
 * beside it patterns per neuron, and by number of spikes, of occurrences, and by lag. The file
 * appears under its name only when complete. Errors as spk_figure_episodes. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_figure_draw(spk_context *context,
                                                          spk_pattern_figure *figure,
                                                          const spk_figure_options *options,
                                                          const char *path);

#ifdef __cplusplus
}
#endif

#endif
