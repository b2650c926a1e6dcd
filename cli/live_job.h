/* What `live` and `watch` share: the options of a source and of what is done with its spikes, and
 * the run until it ends. */
#pragma once

#include "session.h"
#include "spikemine/live_session.h"

/* The choices of --format. */
enum { LIVE_FORMAT_AUTO, LIVE_FORMAT_JSON, LIVE_FORMAT_TABLE };

typedef struct live_values {
    spk_live_session_options session; /* but for what stands below */
    const char *sample_rate;
    spk_duration tick;
    const char *speed;
    const char *select; /* of a source */
    bool no_reconnect;
    double give_up;
    bool events_only;
    uint16_t control_port;
    const char *emit;
    uint64_t client_bytes;
    int format;
    cli_count page;
    const char *page_address;
    const char *page_token_file;
} live_values;

/* The sources, for the help of both. */
#define CLI_LIVE_SOURCES                                                                           \
    "SOURCE is one of\n"                                                                           \
    "  open-ephys://HOST:5556     the plugin ZMQ Interface of Open Ephys\n"                        \
    "  intan://HOST:5002          Intan RHX\n"                                                     \
    "  lsl:NAME                   a stream of the Lab Streaming Layer\n"                           \
    "  tcp://HOST:PORT            lines of text, time and unit, from a server\n"                   \
    "  tcp-listen://:PORT         the same from whoever connects\n"                                \
    "  unix:PATH, unix-listen:PATH  the same through a UNIX socket\n"                              \
    "  -                          the same from standard input\n"                                  \
    "  a file or a folder         a recording, replayed as if it were live\n"

/* The options, into a live_values at the beginning of a command's values. */
#define LIVE_SOURCE_OPTIONS                                                                        \
    CLI_HEADING("source"), CLI_OPTION("tolerance", live_values, session.tolerance),                \
        CLI_OPTION("sample-rate", live_values, sample_rate),                                       \
        CLI_OPTION("tick", live_values, tick), CLI_OPTION("speed", live_values, speed),            \
        CLI_OPTION("seconds", live_values, session.seconds),                                       \
        CLI_OPTION("stream", live_values, select),                                                 \
        CLI_OPTION("no-reconnect", live_values, no_reconnect),                                     \
        CLI_OPTION("events-only", live_values, events_only),                                       \
        CLI_OPTION("control-port", live_values, control_port),                                     \
        CLI_OPTION("give-up", live_values, give_up)

#define LIVE_WATCH_OPTIONS                                                                         \
    CLI_OPTION("episodes", live_values, session.episodes),                                         \
        CLI_OPTION("patterns", live_values, session.patterns),                                     \
        CLI_OPTION("bin", live_values, session.bin),                                               \
        CLI_OPTION("window", live_values, session.window),                                         \
        CLI_OPTION("recent", live_values, session.recent),                                         \
        CLI_OPTION("counts", live_values, session.counts_s),                                       \
        CLI_OPTION("state", live_values, session.state)

#define LIVE_OUTPUT_OPTIONS                                                                        \
    CLI_HEADING("output"), CLI_OPTION("emit", live_values, emit),                                  \
        CLI_OPTION("format", live_values, format),                                                 \
        CLI_OPTION("client-buffer", live_values, client_bytes),                                    \
        CLI_OPTION("record", live_values, session.record), CLI_OPTION("page", live_values, page),  \
        CLI_OPTION("page-address", live_values, page_address),                                     \
        CLI_OPTION("page-token-file", live_values, page_token_file),                               \
        CLI_OPTION("page-stay", live_values, session.stay), CLI_SHARED("threads", threads),        \
        CLI_SHARED("max-memory", max_memory), CLI_FILE_OPTIONS

/* What a run needs beside the options. */
typedef struct live_job {
    cli_session *session;
    const live_values *values;
    const spk_partitions_options *partitions; /* NULL: nothing is mined */
    uint64_t top;                             /* episodes of a partition in a table */
    bool top_given;                           /* in lines of JSON, too */
    /* The rest is live_job_run's. */
    spk_live_session *live;
    bool table;
    bool header_done;
} live_job;

/* Runs from the first spike to the last. Returns the exit code. */
int live_job_run(live_job *job);

/* ---- what it tells of itself ----------------------------------------------------------------- */

/* Begins with its session alone. */
typedef struct live_status {
    cli_session *session;
    double shown; /* when the line was shown last */
    bool end_told;
    char state[128];   /* of the source, told last */
    double state_told; /* when */
    unsigned n_told;   /* changes that were told lately */
} live_status;

/* Tells the address of the page, where there is one, also when all else is silenced: nobody could
 * find it. */
void live_status_begin(live_status *status, const spk_live_session *live);

/* Shows the line where it is time for it, and tells changes. */
void live_status_show(live_status *status, const spk_live_session *live, bool now);

/* Whether the source has ended and the page stays: what comes after it is no interruption. */
bool live_status_ended(const spk_live_session *live);

/* The summary. */
void live_status_end(live_status *status, spk_live_session *live, const char *record,
                     bool interrupted);

/* ---- tables to read -------------------------------------------------------------------------- */

/* A spk_live_occurrence_sink, a spk_partition_sink, a spk_live_mark_sink and a
 * spk_live_choice_sink; `user` is a live_job. SPK_ERR_PIPE where nothing can be written. */
spk_status live_table_occurrence(void *user, const spk_live_occurrence *occurrence);
spk_status live_table_partition(void *user, const spk_partition_result *result);
spk_status live_table_mark(void *user, const spk_live_mark *mark);
spk_status live_table_choice(void *user, const spk_live_choice *choice);
