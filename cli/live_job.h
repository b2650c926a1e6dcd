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
    {.name = "source", .kind = CLI_SECTION},                                                       \
        {.name = "tolerance",                                                                      \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.tolerance),                                               \
         .fallback = "0",                                                                          \
         .help = "how much older than the newest spike one may be, e.g. 5ms; it is then put in "   \
                 "order. Spikes wait as long for others, which adds to the latency. Later ones "   \
                 "are dropped and counted"},                                                       \
        {.name = "sample-rate",                                                                    \
         .kind = CLI_TEXT,                                                                         \
         .argument = "RATE",                                                                       \
         .offset = offsetof(type, member.sample_rate),                                             \
         .help = "samples a second of a rig that counts them, e.g. 30000; without it the source "  \
                 "tells"},                                                                         \
        {.name = "tick",                                                                           \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.tick),                                                    \
         .fallback = "1ns",                                                                        \
         .help = "resolution of times that come as text or through LSL; finer digits are cut and " \
                 "counted"},                                                                       \
        {.name = "speed",                                                                          \
         .kind = CLI_TEXT,                                                                         \
         .argument = "X|max",                                                                      \
         .offset = offsetof(type, member.speed),                                                   \
         .fallback = "1",                                                                          \
         .help = "replay of a recording: times as fast as it was, e.g. 10 or 0.5; max: "           \
                 "as fast as possible"},                                                           \
        {.name = "seconds",                                                                        \
         .kind = CLI_NUMBER,                                                                       \
         .argument = "N",                                                                          \
         .offset = offsetof(type, member.seconds),                                                 \
         .minimum = 0.001,                                                                         \
         .maximum = 1e9,                                                                           \
         .help = "end after this number of seconds; without it the end of the source or Ctrl-C "   \
                 "ends the "                                                                       \
                 "run"},                                                                           \
        {.name = "stream",                                                                         \
         .kind = CLI_TEXT,                                                                         \
         .argument = "NAME",                                                                       \
         .offset = offsetof(type, member.select),                                                  \
         .help = "which part of a rig: the name of a stream of Open Ephys, or channels and ports " \
                 "of Intan, as A,B-003"},                                                          \
        {.name = "no-reconnect",                                                                   \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.no_reconnect),                                            \
         .help = "end where a connection breaks or cannot be made; else it is made again, after "  \
                 "0.1 s, then after longer and longer waits up to 10 s"},                          \
        {.name = "events-only",                                                                    \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.events_only),                                             \
         .help = "Open Ephys: take spikes and no continuous data over the network. It needs "      \
                 "--sample-rate, and lost messages are not seen"},                                 \
        {.name = "control-port",                                                                   \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "PORT",                                                                       \
         .offset = offsetof(type, member.control_port),                                            \
         .minimum = 1,                                                                             \
         .maximum = 65535,                                                                         \
         .fallback = "5000",                                                                       \
         .help = "Intan: port of RHX's commands"},                                                 \
    {                                                                                              \
        .name = "give-up", .kind = CLI_NUMBER, .argument = "SECONDS",                              \
        .offset = offsetof(type, member.give_up), .minimum = 0.1, .maximum = 1e9,                  \
        .help = "end after so long without a connection; without it the wait has no end"           \
    }

#define LIVE_WATCH_OPTIONS(type, member)                                                           \
    {.name = "episodes",                                                                           \
     .letter = 'e',                                                                                \
     .kind = CLI_TEXT,                                                                             \
     .argument = "FILE",                                                                           \
     .offset = offsetof(type, member.episodes),                                                    \
     .help = "episodes to watch, one on each line, or a table that spikemine episodes wrote"},     \
        {.name = "patterns",                                                                       \
         .kind = CLI_TEXT,                                                                         \
         .argument = "FILE",                                                                       \
         .offset = offsetof(type, member.patterns),                                                \
         .help = "SPADE patterns to watch, as 12@0 40@3 on each line, or a table that spikemine "  \
                 "patterns wrote; needs --bin"},                                                   \
        {.name = "bin",                                                                            \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.bin),                                                     \
         .help = "width of a bin of patterns, that with which they were found, e.g. 5ms"},         \
        {.name = "window",                                                                         \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "BINS",                                                                       \
         .offset = offsetof(type, member.window),                                                  \
         .minimum = 1,                                                                             \
         .maximum = SPK_MAX_WINDOW_BINS,                                                           \
         .help = "length of the window in bins; without it the least that holds the patterns"},    \
        {.name = "recent",                                                                         \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.recent),                                                  \
         .help = "count within so much time until now, too, e.g. 60s; the lines of counts have "   \
                 "it"},                                                                            \
        {.name = "counts",                                                                         \
         .kind = CLI_NUMBER,                                                                       \
         .argument = "SECONDS",                                                                    \
         .offset = offsetof(type, member.counts),                                                  \
         .minimum = 0.1,                                                                           \
         .maximum = 1e9,                                                                           \
         .help = "send the counts of all items so often, as a line; without it at the end only"},  \
    {                                                                                              \
        .name = "state", .kind = CLI_TEXT, .argument = "FILE",                                     \
        .offset = offsetof(type, member.state),                                                    \
        .help = "keep counts and partial occurrences in this file, saved every ten seconds and "   \
                "at the end; where it exists, a run goes on from there"                            \
    }

#define LIVE_OUTPUT_OPTIONS(type, member)                                                          \
    {.name = "output", .kind = CLI_SECTION},                                                       \
        {.name = "emit",                                                                           \
         .kind = CLI_TEXT,                                                                         \
         .argument = "LIST",                                                                       \
         .offset = offsetof(type, member.emit),                                                    \
         .fallback = "stdout",                                                                     \
         .help = "where events go, separated by commas: stdout, tcp:PORT, tcp:ADDRESS:PORT, "      \
                 "zmq:PORT, lsl, lsl:NAME, open-ephys:HOST, or none; "                             \
                 "docs/reference/live-output.md says what arrives there"},                         \
        {.name = "format",                                                                         \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "auto|json|table",                                                            \
         .offset = offsetof(type, member.format),                                                  \
         .fallback = "auto",                                                                       \
         .help = "form of standard output: one JSON object a line, or a table to read; auto "      \
                 "takes the table on a terminal"},                                                 \
        {.name = "client-buffer",                                                                  \
         .kind = CLI_BYTES,                                                                        \
         .argument = "SIZE",                                                                       \
         .offset = offsetof(type, member.client_bytes),                                            \
         .fallback = "4M",                                                                         \
         .help = "what is kept for a slow client of tcp; a client beyond it is dropped"},          \
        {.name = "record",                                                                         \
         .kind = CLI_TEXT,                                                                         \
         .argument = "FILE",                                                                       \
         .offset = offsetof(type, member.record),                                                  \
         .help = "keep every spike in this text file. It grows as FILE.part, which a crash "       \
                 "leaves, and gets its name at the end, " CLI_COMPRESSION_HELP},                   \
        {.name = "page",                                                                           \
         .kind = CLI_COUNT,                                                                        \
         .argument = "PORT|any",                                                                   \
         .offset = offsetof(type, member.page),                                                    \
         .minimum = 1,                                                                             \
         .maximum = 65535,                                                                         \
         .help = "serve a page to watch, on this port of the loopback address; a note tells the "  \
                 "address for the browser"},                                                       \
        {.name = "page-address",                                                                   \
         .kind = CLI_TEXT,                                                                         \
         .argument = "ADDRESS",                                                                    \
         .offset = offsetof(type, member.page_address),                                            \
         .help = "let other machines watch, through this address of the machine; 0.0.0.0 is all "  \
                 "of them. The token in the page's address is needed still, but the connection "   \
                 "is not encrypted"},                                                              \
        {.name = "page-token-file",                                                                \
         .kind = CLI_TEXT,                                                                         \
         .argument = "FILE",                                                                       \
         .offset = offsetof(type, member.page_token_file),                                         \
         .help = "take the page's token from this file, so that browsers find the page again "     \
                 "after a restart; a file that is not there is made, with a new token"},           \
        {.name = "page-stay",                                                                      \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.page_stay),                                               \
         .help = "serve the page after the source has ended, too, until Ctrl-C"},                  \
        {.name = "threads",                                                                        \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(type, member.threads),                                                 \
         .maximum = 4096,                                                                          \
         .help = "number of worker threads of mining; the default is one for each processor that " \
                 "may be used"},                                                                   \
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
