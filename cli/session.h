/*
 * What every subcommand shares: the context, progress on a terminal, Ctrl-C, error reports, and the
 * options that read a recording.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "options.h"
#include "progress.h"

struct cli_session {
    const cli_command *command;
    spk_context *context;
    const spk_ranks *ranks;
    const char *line;       /* the whole command line */
    const void *values;     /* of the command's options */
    const cli_given *given; /* of them */
    cli_progress progress;
    spk_energy *energy;        /* --energy; NULL: not measured */
    const spk_read_part *part; /* what this rank reads of recordings; NULL: the whole */
    bool quiet;                /* errors only */
    bool verbose;              /* cli_detail is heard */
};

/* Runs `command` on argv (after its name): parse, help, session, run. Returns the exit code. Ranks
 * must have the same command line, program and recording; NULL: one process. */
int cli_session_run(const cli_command *command, int argc, char **argv, int all_argc,
                    char **all_argv, const spk_ranks *ranks);

/* Prints the context's message as "PROGRAM: message" on stderr; returns the exit code for it. */
int cli_report(cli_session *session, spk_status status);

/* The same for a value that the user gave: every failure is CLI_USAGE. */
int cli_report_usage(cli_session *session, spk_status status);

/* ---- standard output ------------------------------------------------------------------------- */

/* A reader that has seen enough (| head) is no error, whoever writes. cli_output_begin lets writes
 * fail then, instead of the signal that would end the program; cli_output_end, with the exit code
 * so far, flushes what was printed and tells other failures; cli_allow_pipe turns the library's
 * word for it, SPK_ERR_PIPE, into SPK_OK. */
void cli_output_begin(void);
int cli_output_end(int code);
spk_status cli_allow_pipe(spk_status status);

/* ---- talk ------------------------------------------------------------------------------------ */

/* Like cli_report with a message of our own. */
int cli_fail(cli_session *session, const char *format, ...) SPK_PRINTF(2, 3);

/* Clears the progress line, if any is shown; call before writing to a terminal. */
void cli_progress_clear(cli_session *session);

/* A note to stderr, unless --quiet. */
void cli_note(cli_session *session, const char *format, ...) SPK_PRINTF(2, 3);

/* What only --verbose tells, to stderr. */
void cli_detail(cli_session *session, const char *format, ...) SPK_PRINTF(2, 3);

/* Seconds on a clock that only goes forward. */
double cli_seconds(void);

/* The command line as one text, for provenance. */
const char *cli_command_line(const cli_session *session);

/* Whether a picture can be drawn into this file, told before hours of work. CLI_DONE or an exit
 * code. */
int cli_check_figure(cli_session *session, const char *path);

/* ---- memory ---------------------------------------------------------------------------------- */

/* --max-memory of every subcommand that reads: a uint64_t at `member` of the values. */
#define CLI_MEMORY_OPTION(type, member)                                                            \
    {                                                                                              \
        .name = "max-memory", .kind = CLI_BYTES, .argument = "SIZE",                               \
        .offset = offsetof(type, member),                                                          \
        .help = "limit on the memory that the job holds, e.g. 400M or 4G: the recording, "         \
                "windows, lists and the search. Work is cut into parts that fit; a job that "      \
                "does not fit stops with a message. The program itself takes some 20 MB more. "    \
                "The default is three quarters of what the machine, a container, Slurm and "       \
                "ulimit leave"                                                                     \
    }

/* The seed of a test or of surrogates; every reader of JSON takes such a number as it is. */
#define CLI_SEED_OPTION(type, member, text)                                                        \
    {                                                                                              \
        .name = "seed", .kind = CLI_INTEGER, .argument = "N", .offset = offsetof(type, member),    \
        .fallback = "1", .maximum = 9007199254740992.0, .help = text                               \
    }

/* Applies --max-memory; 0 leaves the limit that every session begins with. */
void cli_limit_memory(cli_session *session, uint64_t bytes);

/* ---- the recording --------------------------------------------------------------------------- */

/* Options of every subcommand that reads a recording; embed the struct, list the options with
 * CLI_RECORDING_OPTIONS(values_type, member). */
typedef struct cli_recording_values {
    int columns;
    const char *time_unit;
    cli_duration start;
    cli_duration stop;
    const char *units;
    double min_rate;
    bool sort;
    uint64_t max_expansion;
    const char *input_format;
    const char *time_column;
    const char *unit_column;
    const char *label_column;
    const char *select;
    const char *group;
    const char *unit_file;
    const char *trials;
    const char *segments;
} cli_recording_values;

/* Files that the options name, beside the recording: entries of a list for cli_files_check. */
#define CLI_RECORDING_FILES(values)                                                                \
    {(values)->unit_file, SPK_FILE_INPUT, "the file of units", "--unit-file"},                     \
        {(values)->trials, SPK_FILE_INPUT, "the list of trials", "--trials"},                      \
    {                                                                                              \
        (values)->segments, SPK_FILE_INPUT, "the list of segments", "--segments"                   \
    }

#define CLI_RECORDING_OPTIONS(type, member)                                                        \
    {.name = "input", .kind = CLI_SECTION},                                                        \
        {.name = "input-format",                                                                   \
         .kind = CLI_FORMAT,                                                                       \
         .argument = "NAME",                                                                       \
         .offset = offsetof(type, member.input_format),                                            \
         .help = "the format of the file; without this option the content tells "                  \
                 "it, then the name. spikemine formats says what each one is"},                    \
        {.name = "time-column",                                                                    \
         .kind = CLI_TEXT,                                                                         \
         .argument = "COLUMN",                                                                     \
         .offset = offsetof(type, member.time_column),                                             \
         .help = "where the times are: the name of a column or its number from "                   \
                 "1, or the name of an array"},                                                    \
        {.name = "unit-column",                                                                    \
         .kind = CLI_TEXT,                                                                         \
         .argument = "COLUMN",                                                                     \
         .offset = offsetof(type, member.unit_column),                                             \
         .help = "the same of the units"},                                                         \
        {.name = "label-column",                                                                   \
         .kind = CLI_TEXT,                                                                         \
         .argument = "COLUMN",                                                                     \
         .offset = offsetof(type, member.label_column),                                            \
         .help = "the column of a units table that names the units"},                              \
        {.name = "select",                                                                         \
         .kind = CLI_TEXT,                                                                         \
         .argument = "EXPRESSION",                                                                 \
         .offset = offsetof(type, member.select),                                                  \
         .help = "which units of a units table, by its columns, e.g. "                             \
                 "quality==good"},                                                                 \
        {.name = "group",                                                                          \
         .kind = CLI_TEXT,                                                                         \
         .argument = "NAME",                                                                       \
         .offset = offsetof(type, member.group),                                                   \
         .help = "which units of a sorter's folder: good, mua, all, or another "                   \
                 "group that it has"},                                                             \
        {.name = "unit-file",                                                                      \
         .kind = CLI_TEXT,                                                                         \
         .argument = "FILE",                                                                       \
         .offset = offsetof(type, member.unit_file),                                               \
         .help = "file of the events' units, where a file of times has them in "                   \
                 "another one"},                                                                   \
        {.name = "columns",                                                                        \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "guess|time,unit|unit,time",                                                  \
         .offset = offsetof(type, member.columns),                                                 \
         .fallback = "guess",                                                                      \
         .help = "order of the two columns; guess takes it from the header or "                    \
                 "from the content, and a note tells it"},                                         \
        {.name = "time-unit",                                                                      \
         .kind = CLI_TEXT,                                                                         \
         .argument = "guess|s|ms|us|samples@RATE",                                                 \
         .offset = offsetof(type, member.time_unit),                                               \
         .fallback = "guess",                                                                      \
         .help = "unit of the times; guess takes it from the header "                              \
                 "(time_ms), else it is seconds. samples@30000 stands for "                        \
                 "sample numbers at 30 kHz; RATE may be 24414.0625 or "                            \
                 "390625/16"},                                                                     \
        {.name = "start",                                                                          \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.start),                                                   \
         .help = "first time that is used, e.g. 1.5s; earlier events are left "                    \
                 "out"},                                                                           \
        {.name = "stop",                                                                           \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.stop),                                                    \
         .help = "time at which the recording ends, e.g. 60s; events at this "                     \
                 "time or later are left out"},                                                    \
        {.name = "trials",                                                                         \
         .kind = CLI_TEXT,                                                                         \
         .argument = "FILE|NAME",                                                                  \
         .offset = offsetof(type, member.trials),                                                  \
         .help = "trials: a file with the start and the stop of one on each line, as "             \
                 "1.5s 3s or as numbers in the recording's unit of time, or the name of "          \
                 "a table in the recording's file. Nothing crosses the border of a "               \
                 "trial, and events outside all trials are left out. Where trials "                \
                 "overlap, an event counts in each. The lines are the numbers of trials, "         \
                 "whatever else is cut"},                                                          \
        {.name = "segments",                                                                       \
         .kind = CLI_TEXT,                                                                         \
         .argument = "FILE|NAME",                                                                  \
         .offset = offsetof(type, member.segments),                                                \
         .help = "the same for stretches without an interruption, which may not "                  \
                 "overlap. With both options, segments cut trials"},                               \
        {.name = "units",                                                                          \
         .kind = CLI_TEXT,                                                                         \
         .argument = "LIST",                                                                       \
         .offset = offsetof(type, member.units),                                                   \
         .help = "labels of the units that are used, separated by commas"},                        \
        {.name = "min-rate",                                                                       \
         .kind = CLI_NUMBER,                                                                       \
         .argument = "HZ",                                                                         \
         .offset = offsetof(type, member.min_rate),                                                \
         .fallback = "0",                                                                          \
         .minimum = 0,                                                                             \
         .maximum = 1e9,                                                                           \
         .help = "leave out units that fire less often between the start and the stop of what "    \
                 "is read"},                                                                       \
        {.name = "sort",                                                                           \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.sort),                                                    \
         .help = "accept times that go backwards, and put them in order"},                         \
    {                                                                                              \
        .name = "max-expansion", .kind = CLI_INTEGER, .argument = "TIMES",                         \
        .offset = offsetof(type, member.max_expansion), .fallback = "1000", .minimum = 1,          \
        .maximum = 1e15,                                                                           \
        .help = "largest factor by which a compressed file may grow when it "                      \
                "is read; a file that grows more is refused. The first 64 MB "                     \
                "are always allowed"                                                               \
    }

/* Whether --input-format says that the file holds windows, which patterns reads by itself. */
bool cli_reads_transactions(const cli_recording_values *values);

/* The options as the library has them, which borrow the values; without trials and segments.
 * CLI_DONE or CLI_USAGE. */
int cli_read_options(cli_session *session, const cli_recording_values *values,
                     spk_read_options *out);

/* Reads the recording that the options describe; reports errors. CLI_DONE or an exit code. */
int cli_recording_read(cli_session *session, const cli_recording_values *values, const char *path,
                       spk_recording **out);

/* The same, but whether reading went well is left to the caller, as *status. The exit code tells of
 * the options alone. */
int cli_recording_try(cli_session *session, const cli_recording_values *values, const char *path,
                      spk_recording **out, spk_status *status);

#endif
