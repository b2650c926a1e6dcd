/* The drawing behind figure.h, in builds with cairo; `options` are complete. */
#ifndef SPK_REPORT_FIGURE_DRAW_H
#define SPK_REPORT_FIGURE_DRAW_H

#include "report/figure/canvas.h"
#include "spikemine/figure.h"

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

#endif
