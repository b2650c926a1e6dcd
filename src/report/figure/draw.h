/* The drawing behind figure.h, in builds with cairo; `options` is not NULL. */
#ifndef SPK_REPORT_FIGURE_DRAW_H
#define SPK_REPORT_FIGURE_DRAW_H

#include "spikemine/figure.h"

/* As spk_figure_episodes. */
spk_status spk_draw_episodes(spk_context *context, const spk_recording *recording,
                             const spk_episode_columns *episodes, const spk_figure_options *options,
                             const char *path);

/* As spk_pattern_figure_draw. */
spk_status spk_draw_patterns(spk_context *context, const spk_pattern_figure *figure,
                             const spk_figure_options *options, const char *path);

#endif
