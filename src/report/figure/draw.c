/* Pictures from their options to their files. */
#include "report/figure/page.h"

#include "base/options.h"
#include "base/stage.h"
#include "report/figure/with_cairo.h"

bool spk_figure_available(const char **reason)
{
    const char *why = "";
    const bool available = spk_cairo_available(&why);
    if (reason != NULL)
        *reason = why;
    return available;
}

spk_status spk_figure_check(spk_context *context, const char *path)
{
    spk_canvas *canvas = NULL;
    spk_status status = spk_canvas_create(context, path, &canvas);
    spk_canvas_free(canvas);
    return status;
}

spk_status spk_figure_options_check(spk_context *context, spk_figure_kind kind,
                                    const spk_figure_options *given)
{
    spk_figure_options options;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_figure_options);
    if (status != SPK_OK)
        return status;
    if (kind == SPK_FIGURE_SEQUENCES)
        return spk_check_sequence_page(context, &options);
    if (kind == SPK_FIGURE_EPISODES || kind == SPK_FIGURE_EXACT_EPISODES)
        return spk_check_episode_page(context, &options, kind == SPK_FIGURE_EXACT_EPISODES);
    return spk_check_pattern_page(context, &options, kind);
}

/* A picture from its options to its file. */
typedef struct drawing {
    spk_context *context;
    spk_stage stage;
    spk_figure_options options;
    spk_canvas *canvas;
} drawing;

/* The file before anything else: a wrong name should not cost the search for occurrences. */
static spk_status begin(spk_context *context, const spk_figure_options *given, const char *path,
                        drawing *d)
{
    *d = (drawing){.context = context, .stage = spk_stage_open(context)};
    spk_status status = SPK_OPTIONS_TAKE(context, given, &d->options, spk_figure_options);
    return status == SPK_OK ? spk_canvas_create(context, path, &d->canvas) : status;
}

/* Saves what was drawn, unless `status` is that of a failure. */
static spk_status end(drawing *d, spk_status status)
{
    if (status == SPK_OK)
        status = spk_canvas_save(d->canvas);
    spk_canvas_free(d->canvas);
    spk_stage_close(d->context, &d->stage);
    return status;
}

spk_status spk_figure_episodes(spk_context *context, const spk_recording *recording,
                               const spk_episode_columns *episodes, const spk_figure_options *given,
                               const char *path)
{
    drawing d;
    spk_status status = begin(context, given, path, &d);
    if (status == SPK_OK)
        status = spk_draw_episodes(context, d.canvas, recording, episodes, &d.options);
    return end(&d, status);
}

spk_status spk_pattern_figure_draw(spk_context *context, spk_pattern_figure *figure,
                                   const spk_figure_options *given, const char *path)
{
    drawing d;
    spk_status status = begin(context, given, path, &d);
    if (status == SPK_OK)
        status = spk_draw_patterns(context, d.canvas, figure, &d.options);
    return end(&d, status);
}

spk_status spk_figure_sequences(spk_context *context, const spk_recording *recording,
                                const spk_sequences *sequences, const spk_figure_options *given,
                                const char *path)
{
    drawing d;
    spk_status status = begin(context, given, path, &d);
    if (status == SPK_OK)
        status = spk_draw_sequences(context, d.canvas, recording, sequences, &d.options);
    return end(&d, status);
}
