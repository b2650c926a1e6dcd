/* What `live` and `watch` share: the options of a source and of what is done with its spikes, and
 * the run until it ends. */
#ifndef CLI_LIVE_JOB_H
#define CLI_LIVE_JOB_H

#include "files.h"

/* The choices of --format. */
enum { LIVE_FORMAT_AUTO, LIVE_FORMAT_JSON, LIVE_FORMAT_TABLE };

typedef struct live_values {
    cli_recording_values recording;
    cli_duration tolerance;
    const char *sample_rate;
    cli_duration tick;
    const char *speed;
    double seconds;
    const char *select;
    bool no_reconnect;
    double give_up;
    bool events_only;
    uint64_t control_port;
    const char *episodes;
    const char *patterns;
    cli_duration bin;
    uint64_t window;
    cli_duration recent;
    double counts;
    const char *state;
    const char *emit;
    uint64_t client_bytes;
    int format;
    const char *record;
    cli_count page;
    const char *page_address;
    const char *page_token_file;
    bool page_stay;
    uint64_t threads;
    uint64_t max_memory;
    cli_file_values files;
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

#define LIVE_SOURCE_OPTIONS(type, member)                                                          \
    CLI_HEADING("source"), CLI_OPTION("tolerance", type, member.tolerance),                        \
        CLI_OPTION("sample-rate", type, member.sample_rate),                                       \
        CLI_OPTION("tick", type, member.tick), CLI_OPTION("speed", type, member.speed),            \
        CLI_OPTION("seconds", type, member.seconds), CLI_OPTION("stream", type, member.select),    \
        CLI_OPTION("no-reconnect", type, member.no_reconnect),                                     \
        CLI_OPTION("events-only", type, member.events_only),                                       \
        CLI_OPTION("control-port", type, member.control_port),                                     \
        CLI_OPTION("give-up", type, member.give_up)

#define LIVE_WATCH_OPTIONS(type, member)                                                           \
    CLI_OPTION("episodes", type, member.episodes), CLI_OPTION("patterns", type, member.patterns),  \
        CLI_OPTION("bin", type, member.bin), CLI_OPTION("window", type, member.window),            \
        CLI_OPTION("recent", type, member.recent), CLI_OPTION("counts", type, member.counts),      \
        CLI_OPTION("state", type, member.state)

#define LIVE_OUTPUT_OPTIONS(type, member)                                                          \
    CLI_HEADING("output"), CLI_OPTION("emit", type, member.emit),                                  \
        CLI_OPTION("format", type, member.format),                                                 \
        CLI_OPTION("client-buffer", type, member.client_bytes),                                    \
        CLI_OPTION("record", type, member.record), CLI_OPTION("page", type, member.page),          \
        CLI_OPTION("page-address", type, member.page_address),                                     \
        CLI_OPTION("page-token-file", type, member.page_token_file),                               \
        CLI_OPTION("page-stay", type, member.page_stay),                                           \
        CLI_OPTION("threads", type, member.threads),                                               \
        CLI_OPTION("max-memory", type, member.max_memory), CLI_FILE_OPTIONS(type, member.files)

/* What a run needs beside the options. */
typedef struct live_job {
    cli_session *session;
    const live_values *values;
    const char *source;
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

#endif
