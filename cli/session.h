/*
 * What every subcommand shares: the context, progress on a terminal, Ctrl-C, error reports, and the
 * options that read a recording.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "spikemine/spikemine.h"

/* ---- the progress line on a terminal: what is done, how far, what was found, time left ------- */

typedef struct cli_progress {
    bool enabled; /* standard error is a terminal that understands the line */
    bool shown;
    char what[64];  /* the present step */
    double since;   /* when it began */
    uint64_t first; /* how far it was then */
} cli_progress;

/* Whether standard error is a terminal on which a line can be written anew. */
bool cli_progress_possible(void);

/* Shows how far a step is. Seconds from a clock that only goes forward. */
void cli_progress_show(cli_progress *progress, const spk_context *context, const char *what,
                       uint64_t done, uint64_t total, double now);

/* Shows a text of printable ASCII in its place, cut to the terminal at a comma. */
void cli_progress_show_text(cli_progress *progress, const char *text);

/* Removes the line, if it is there. */
void cli_progress_remove(cli_progress *progress);

/* "12,345,678"; 32 bytes always suffice. */
void cli_count_text(uint64_t count, char *buffer, size_t size);

/* ---- the session ----------------------------------------------------------------------------- */

struct cli_session {
    const cli_command *command;
    spk_context *context;
    const spk_ranks *ranks;
    int n_arguments; /* plain ones */
    char **arguments;
    const char *line;       /* the whole command line */
    void *values;           /* of the command's own options */
    cli_shared *shared;     /* of options of several commands */
    const cli_given *given; /* of all */
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

/* Writes a word as a shell takes it, in quotes where it needs them: 'it'\''s'.
 * Returns its end: at most 4 bytes for each of the word, and 3. */
char *cli_add_word(char *at, const char *word);

/* What each result file says of a run; `seconds` is what the job took. Borrows from the session. */
spk_provenance cli_provenance(const cli_session *session, double seconds);

/* ---- --energy -------------------------------------------------------------------------------- */

/* What the meters have counted until now; NULL and 0 where nothing is measured. */
const spk_energy_meter *cli_energy_meters(const cli_session *session, size_t *n);

/* Their sum; a negative number where no meter can be read or nothing is measured. */
double cli_energy_joules(const cli_session *session);

/* Joules of a part of the job: what the meters count between the two calls. */
double cli_energy_since(const cli_session *session, double before);

/* ---- the recording --------------------------------------------------------------------------- */

/* Whether --input-format says that the file holds windows, which patterns reads by itself. */
bool cli_reads_transactions(const cli_session *session);

/* The options as the library has them, which borrow the values; without trials and segments.
 * CLI_DONE or CLI_USAGE. */
int cli_read_options(cli_session *session, spk_read_options *out);

/* Reads the recording that the options describe; reports errors. CLI_DONE or an exit code. */
int cli_recording_read(cli_session *session, const char *path, spk_recording **out);

/* The same, but whether reading went well is left to the caller, as *status. The exit code tells of
 * the options alone. */
int cli_recording_try(cli_session *session, const char *path, spk_recording **out,
                      spk_status *status);

/* ---- files ----------------------------------------------------------------------------------- */

/* Refuses to write onto an input, to write two outputs into one file, to replace a file without
 * --force, and what cannot be written; takes --disk-reserve. CLI_DONE or an exit code. */
int cli_files_check(cli_session *session, const spk_file_use *use, size_t n);

/* Entries of its list: the recording, and what the options of a recording name. */
#define CLI_RECORDING_FILES(session)                                                               \
    {(session)->arguments[0], SPK_FILE_INPUT, "the recording", NULL},                              \
        {(session)->shared->read.unit_file, SPK_FILE_INPUT, "the file of units", "--unit-file"},   \
        {(session)->shared->trials, SPK_FILE_INPUT, "the list of trials", "--trials"},             \
    {                                                                                              \
        (session)->shared->segments, SPK_FILE_INPUT, "the list of segments", "--segments"          \
    }

/* What results are written to, what is kept of their test, and the other condition. */
#define CLI_RESULT_FILES(shared, table_role)                                                       \
    {(shared)->other, SPK_FILE_INPUT, "the other recording", "--compare"},                         \
        {(shared)->labels, SPK_FILE_INPUT, "the labels", "--compare-trials"},                      \
        {(shared)->output, table_role, "the table", "--output"},                                   \
        {(shared)->occurrences, table_role, "the list of occurrences", "--occurrences"},           \
        {(shared)->figure, SPK_FILE_OUTPUT, "the figure", "--figure"},                             \
        {(shared)->page, SPK_FILE_OUTPUT, "the report", "--html"},                                 \
    {                                                                                              \
        (shared)->checkpoint, SPK_FILE_CHECKPOINT, "the checkpoint", "--checkpoint"                \
    }
