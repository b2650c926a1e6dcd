/* A session from inside. */
#pragma once

#include "base/deadline.h"
#include "base/stage.h"
#include "spikemine/live_session.h"

/* What a list of items to watch gives: the columns, and the recording that has their labels. */
typedef struct live_list {
    spk_recording *labels;
    spk_episode_list *episodes;
    spk_pattern_list *patterns;
} live_list;

struct spk_live_session {
    spk_context *context;
    spk_live_session_options options;
    spk_live_source *source;
    live_list episodes;
    live_list patterns;
    spk_live_emit *emit;
    spk_live_page *page;
    /* From here on NULL until the source has told its rate. */
    spk_live_stream *stream;
    spk_live_watch *watch;
    spk_partitions *partitions;
    spk_live_recorder *recorder;
    uint32_t *unit; /* the stream's number of each of the source's units */
    uint64_t n_units;
    uint64_t unit_capacity;
    spk_holding holding; /* unit, and what the page keeps of units */
    bool begun;          /* all of what was asked for; a state that was refused is never written */
    bool source_ended;
    bool interrupted;      /* a step was cancelled */
    int64_t patience_ns;   /* then: partitions that are not mined until this time are skipped */
    char skipped_why[256]; /* of the last partition that was skipped */
    bool finished;         /* the stream was ended */
    bool settled;          /* and everything that was due has gone out */
    bool last_counts;      /* were told */
    bool ended;
    bool pipe_gone;           /* the reader of standard output */
    spk_status recorder_lost; /* the recorder's failure, once told */
    uint64_t occurrences;
    int64_t tolerance_ns;
    /* Times on CLOCK_MONOTONIC at which something was done last. */
    int64_t created_ns;
    int64_t arrived_ns;
    int64_t recorded_ns;
    int64_t saved_ns;
    int64_t counted_ns;
    int64_t metered_ns;
    int64_t measured_ns;
    uint64_t measured; /* accepted then */
    double measured_position_s;
    double spikes_per_s;
    char problem[1024]; /* of the recorder */
};

/* Reads the lists of episodes and patterns that the options name. */
spk_status live_lists_read(spk_live_session *session);
void live_list_free(live_list *list);

/* Everything that needs the stream's rate, once. */
spk_status live_session_begin(spk_live_session *session);

/* A spk_live_occurrence_sink; `user` is the session. */
spk_status live_session_occurrence(void *user, const spk_live_occurrence *occurrence);

/* Gives the units that the source has seen their numbers in the stream. */
spk_status live_session_take_units(spk_live_session *session);

/* Saves the state of the watch, where the options name a file; before the stream's end, which hands
 * on what is held back. */
spk_status live_session_save(spk_live_session *session);

/* Shows the meters on the page where it is time for it, or in any case, and does what was asked for
 * on it. Also before there is a stream. */
spk_status live_session_serve_page(spk_live_session *session, bool always);

/* Takes the results of all partitions that are due. After an interrupt those that are not mined
 * soon are skipped; the context stays cancelled then. */
spk_status live_session_take_last(spk_live_session *session);

/* Watches the episode of this text form from here on, as a reader of the page wants, or no more the
 * episode of this number. What is no episode, or is watched already, changes nothing. */
spk_status live_session_choose(spk_live_session *session, const char *text);
spk_status live_session_unchoose(spk_live_session *session, uint64_t item);

/* SPK_OK where the reader of standard output has gone: the other sinks go on. */
static inline spk_status live_session_allow_pipe(spk_live_session *session, spk_status status)
{
    session->pipe_gone |= status == SPK_ERR_PIPE;
    return status == SPK_ERR_PIPE ? SPK_OK : status;
}

/* What is due now and then: results of partitions, files, meters. `all`: whatever the time. */
spk_status live_session_service(spk_live_session *session, bool all);
