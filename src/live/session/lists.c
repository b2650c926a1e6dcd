/* The lists of what a session watches from its start. */
#include "base/context.h"
#include "live/session/session.h"

void live_list_free(live_list *list)
{
    spk_episode_list_free(list->episodes);
    spk_pattern_list_free(list->patterns);
    spk_recording_free(list->labels);
    *list = (live_list){.labels = NULL};
}

/* A recording of nothing: every unit of a list is one that it lacks. */
static spk_status make_nothing(spk_context *context, spk_recording **out)
{
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.rate = (spk_rate){1, 1};
    return spk_recording_create(context, &source, out);
}

/* Reads one list by one of the two readers. */
static spk_status read_list(spk_live_session *session, bool of_patterns, live_list *list)
{
    spk_context *quiet = NULL; /* a note would name all units */
    spk_recording *nothing = NULL;
    const spk_live_session_options *options = &session->options;
    spk_status status = spk_context_create_child(session->context, &quiet);
    if (status != SPK_OK)
        return spk_fail(session->context, status, "out of memory; close other programs");
    spk_context_hush(quiet);
    status = make_nothing(quiet, &nothing);
    if (status == SPK_OK && of_patterns)
        status = spk_pattern_list_read(quiet, nothing, options->patterns, options->window,
                                       &list->labels, &list->patterns);
    else if (status == SPK_OK)
        status = spk_episode_list_read_widened(quiet, nothing, 1, &options->episodes, &list->labels,
                                               &list->episodes);
    if (status != SPK_OK)
        status = spk_fail(session->context, status, "%s", spk_context_message(quiet));
    spk_recording_free(nothing);
    spk_context_free(quiet);
    return status;
}

spk_status live_lists_read(spk_live_session *session)
{
    const spk_live_session_options *options = &session->options;
    spk_status status = SPK_OK;
    if (options->patterns != NULL && options->bin.digits <= 0)
        return spk_fail(session->context, SPK_ERR_ARGUMENT,
                        "patterns need the width of a bin, that with which they were found");
    if (options->episodes != NULL)
        status = read_list(session, false, &session->episodes);
    if (status == SPK_OK && options->patterns != NULL)
        status = read_list(session, true, &session->patterns);
    return status;
}
