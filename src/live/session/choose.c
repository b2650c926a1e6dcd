/* What readers of the page choose to watch, for as long as they want. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "live/session/session.h"

/* A recording of nothing with the units that the stream has by now, whose numbers are its. */
static spk_status make_labels(spk_live_session *s, spk_recording **out)
{
    const char **label = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.rate = spk_live_stream_rate(s->stream);
    source.n_units = spk_live_stream_n_units(s->stream);
    spk_status status = spk_alloc(s->context, &label, source.n_units, "labels");
    for (uint32_t u = 0; u < source.n_units && status == SPK_OK; u++)
        label[u] = spk_live_stream_label(s->stream, u);
    source.labels = label;
    if (status == SPK_OK)
        status = spk_recording_create(s->context, &source, out);
    free(label);
    return status;
}

static spk_status read_text(spk_live_session *s, const char *text, live_list *out)
{
    spk_status status = make_labels(s, &out->labels);
    if (status == SPK_OK)
        status = spk_episode_list_create(s->context, &out->episodes);
    return status == SPK_OK ? spk_episode_parse(s->context, out->labels, text, out->episodes)
                            : status;
}

/* Whether an episode that is followed now has this text form. */
static bool is_watched(const spk_live_session *s, const char *name)
{
    for (uint64_t k = 0; k < spk_live_watch_n_episodes(s->watch); k++)
        if (spk_live_watch_follows(s->watch, k) &&
            strcmp(spk_live_watch_name(s->watch, false, k), name) == 0)
            return true;
    return false;
}

/* Tells all but the page that an episode is followed from here on, or no more. */
static spk_status tell(spk_live_session *s, uint64_t item, bool begins)
{
    const spk_live_choice told = {.begins = begins,
                                  .item = item,
                                  .name = spk_live_watch_name(s->watch, false, item),
                                  .place = spk_live_watch_place(s->watch)};
    spk_status status = live_session_allow_pipe(s, spk_live_emit_choice(s->emit, &told));
    if (status == SPK_OK && s->options.choice != NULL)
        status = live_session_allow_pipe(s, s->options.choice(s->options.user, &told));
    return status;
}

static spk_status begin(spk_live_session *s, const live_list *chosen)
{
    const spk_episode_columns columns = spk_episode_list_columns(chosen->episodes);
    const uint64_t item = spk_live_watch_n_episodes(s->watch);
    spk_status status =
        spk_live_watch_begin_episodes(s->context, s->watch, chosen->labels, &columns);
    if (status == SPK_OK)
        status = spk_live_page_item(s->context, s->page, false, item,
                                    spk_live_watch_name(s->watch, false, item),
                                    (uint32_t)columns.offset[1], columns.unit);
    if (status != SPK_OK)
        return status;
    spk_live_page_choice(s->page, item, true);
    return tell(s, item, true);
}

spk_status live_session_choose(spk_live_session *s, const char *text)
{
    live_list chosen = {.labels = NULL};
    if (s->watch == NULL || s->finished || is_watched(s, text))
        return SPK_OK;
    spk_status status = read_text(s, text, &chosen);
    if (status == SPK_ERR_FORMAT || status == SPK_ERR_ARGUMENT) {
        spk_note(s->context, "the page asks for an episode that is none: %s",
                 spk_context_message(s->context));
        status = SPK_OK;
    } else if (status == SPK_OK) {
        status = begin(s, &chosen);
    }
    live_list_free(&chosen);
    return status;
}

spk_status live_session_unchoose(spk_live_session *s, uint64_t item)
{
    if (s->watch == NULL || s->finished || !spk_live_watch_follows(s->watch, item))
        return SPK_OK;
    spk_status status = spk_live_watch_end_episode(s->context, s->watch, item);
    if (status != SPK_OK) /* one of the list, which the page does not offer */
        return SPK_OK;
    spk_live_page_choice(s->page, item, false);
    return tell(s, item, false);
}
