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

/* Runs the `named` command on argv (after its name): parse, help, session, run. Returns the exit
 * code. Ranks must have the same command line, program and recording; NULL: one process. */
int cli_session_run(const cli_command *named, int argc, char **argv, int all_argc, char **all_argv,
                    const spk_ranks *ranks);

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

/* The same, as a spk_sentence_sink; `user` is the session. */
spk_status cli_note_sentence(void *user, const char *text);

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
    const char *row_filter;
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
    CLI_HEADING("input"), CLI_OPTION("input-format", type, member.input_format),                   \
        CLI_OPTION("time-column", type, member.time_column),                                       \
        CLI_OPTION("unit-column", type, member.unit_column),                                       \
        CLI_OPTION("label-column", type, member.label_column),                                     \
        CLI_OPTION("select", type, member.row_filter), CLI_OPTION("group", type, member.group),    \
        CLI_OPTION("unit-file", type, member.unit_file),                                           \
        CLI_OPTION("columns", type, member.columns),                                               \
        CLI_OPTION("time-unit", type, member.time_unit), CLI_OPTION("start", type, member.start),  \
        CLI_OPTION("stop", type, member.stop), CLI_OPTION("trials", type, member.trials),          \
        CLI_OPTION("segments", type, member.segments), CLI_OPTION("units", type, member.units),    \
        CLI_OPTION("min-rate", type, member.min_rate), CLI_OPTION("sort", type, member.sort),      \
        CLI_OPTION("max-expansion", type, member.max_expansion)

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
