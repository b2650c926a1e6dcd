/* What stands in for pictures in builds without cairo. */
#include "base/context.h"
#include "spikemine/figure.h"

static const char *const MISSING = "this build has no cairo; install libcairo2-dev (Debian, "
                                   "Ubuntu), cairo-devel (Fedora) or cairo "
                                   "(conda-forge, Homebrew) and build again";

bool spk_figure_available(const char **reason)
{
    if (reason != NULL)
        *reason = MISSING;
    return false;
}

static spk_status fail_missing(spk_context *context, const char *path)
{
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: no picture: %s", path, MISSING);
}

spk_status spk_figure_check(spk_context *context, const char *path)
{
    return fail_missing(context, path);
}

spk_status spk_figure_options_check(spk_context *context, spk_figure_kind kind,
                                    const spk_figure_options *given)
{
    (void)kind;
    (void)given;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "no picture: %s", MISSING);
}

spk_status spk_figure_episodes(spk_context *context, const spk_recording *recording,
                               const spk_episode_columns *episodes, const spk_figure_options *given,
                               const char *path)
{
    (void)recording;
    (void)episodes;
    (void)given;
    return fail_missing(context, path);
}

spk_status spk_pattern_figure_draw(spk_context *context, spk_pattern_figure *figure,
                                   const spk_figure_options *given, const char *path)
{
    (void)figure;
    (void)given;
    return fail_missing(context, path);
}

spk_status spk_figure_sequences(spk_context *context, const spk_recording *recording,
                                const spk_sequences *sequences, const spk_figure_options *given,
                                const char *path)
{
    (void)recording;
    (void)sequences;
    (void)given;
    return fail_missing(context, path);
}
