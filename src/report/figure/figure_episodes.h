/* The drawing behind spk_figure_episodes, in builds with cairo. */
#ifndef SPK_REPORT_FIGURE_FIGURE_EPISODES_H
#define SPK_REPORT_FIGURE_FIGURE_EPISODES_H

#include "spikemine/figure.h"

/* As spk_figure_episodes; `options` is not NULL. */
spk_status spk_draw_episodes(spk_context *context, const spk_recording *recording,
                             const spk_episode_columns *episodes, const spk_figure_options *options,
                             const char *path);

#endif
