/*
 * Options as data. A subcommand describes its options in one table; parsing, defaults, --help and
 * the man page all come from that table.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "spikemine/spikemine.h"

/* The kinds of options, and what the parser makes of a value. */
#define CLI_SECTION          SPK_OPTION_SECTION          /* no option: a heading in --help */
#define CLI_FLAG             SPK_OPTION_FLAG             /* bool */
#define CLI_TEXT             SPK_OPTION_TEXT             /* const char * */
#define CLI_CHOICE           SPK_OPTION_CHOICE           /* int: which of the names */
#define CLI_INTEGER          SPK_OPTION_INTEGER          /* uint64_t */
#define CLI_NUMBER           SPK_OPTION_NUMBER           /* double */
#define CLI_DURATION         SPK_OPTION_DURATION         /* cli_duration */
#define CLI_BYTES            SPK_OPTION_BYTES            /* uint64_t */
#define CLI_COUNT            SPK_OPTION_COUNT            /* cli_count */
#define CLI_TEXTS            SPK_OPTION_TEXTS            /* cli_texts */
#define CLI_EPISODE_ENGINE   SPK_OPTION_EPISODE_ENGINE   /* const char *; --help lists them */
#define CLI_PATTERN_ENGINE   SPK_OPTION_PATTERN_ENGINE   /* likewise */
#define CLI_FORMAT           SPK_OPTION_FORMAT           /* likewise */
#define CLI_SURROGATE_METHOD SPK_OPTION_SURROGATE_METHOD /* const char *, as the library has it */
#define CLI_CORRECTION       SPK_OPTION_CORRECTION       /* likewise */

typedef struct cli_duration {
    spk_duration value;
    bool given;
} cli_duration;

typedef struct cli_count {
    uint64_t value;
    bool given;
    bool word; /* the word in place of a number */
} cli_count;

enum { CLI_MAX_TEXTS = 4096 };
typedef struct cli_texts {
    size_t n;
    const char **text; /* allocated by the parser, freed by cli_values_free */
} cli_texts;

/* An entry of a command's table; `offset` is that of its value in the command's values struct. What
 * the library describes (spikemine/operation.h) stands there by its name, with CLI_OPTION. */
typedef spk_option cli_option;

#define CLI_OPTION(name_, type, member)                                                            \
    {                                                                                              \
        .name = (name_), .offset = offsetof(type, member)                                          \
    }

#define CLI_HEADING(text)                                                                          \
    {                                                                                              \
        .name = (text), .kind = CLI_SECTION                                                        \
    }

#define CLI_END                                                                                    \
    {                                                                                              \
        .name = NULL                                                                               \
    }

typedef struct cli_session cli_session;

typedef struct cli_command {
    const char *program;     /* NULL: spikemine; else a program of its own, and name is "" */
    const char *name;        /* "episodes" or "simulate sym26" */
    const char *arguments;   /* "REC" */
    const char *summary;     /* one line */
    const char *description; /* paragraphs for --help, lines at most 78 wide */
    const char *examples;    /* lines, each a command or a comment */
    const char *kinds; /* of a command that only stands before others, as "simulate": their names */
    const char *elsewhere; /* what to say of the kind that another program has: "gpu: take ..." */
    const char *more;      /* a further paragraph, as in cli_option */
    bool gpu;              /* likewise */
    const cli_option *options;
    size_t values_size;
    int min_arguments;
    int max_arguments; /* INT_MAX: any number */
    int (*run)(cli_session *session, const void *values, int n_arguments, char **arguments);
} cli_command;

/* Exit codes. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* What every command understands beside its own options. */
typedef struct cli_common {
    bool quiet;
    bool verbose;
    bool version;
    bool help;
} cli_common;

/* Their table, for the end of each help text. */
extern const cli_option cli_common_options[];

/* What was given for each option of a command's table: its value as text, the last one of several,
 * "" for a flag; NULL: it was not given. */
enum { CLI_MOST_OPTIONS = 128 };
typedef struct cli_given {
    const char *value[CLI_MOST_OPTIONS];
} cli_given;

/* The command with all that the library says of its options, in `table`. What stands in the
 * command's own table goes before. */
cli_command cli_describe(const cli_command *command, cli_option table[CLI_MOST_OPTIONS]);

/* Parses argv after the subcommand's name into `values` (values_size bytes, zeroed here) and moves
 * the plain arguments to the front. Behind --help or --version nothing is checked any more. Returns
 * CLI_DONE, or CLI_USAGE after a message to stderr. */
int cli_options_parse(const cli_command *command, int argc, char **argv, void *values,
                      cli_given *given, int *n_arguments, cli_common *common);

/* Refuses options that do not go together, by the rules that the library has for the command
 * (spikemine/operation.h); the context holds the sentence. CLI_DONE, or CLI_USAGE after a message.
 */
int cli_options_check(const cli_command *command, const cli_given *given, spk_context *context,
                      int n_arguments, char **arguments, bool of_ranks);

/* Whether an option does something in a command line that was checked: it is given, or could be. */
bool cli_option_heeded(const cli_command *command, const cli_given *given,
                       const cli_option *option);

/* Whether a live source is a file or a folder, which is replayed. */
bool cli_is_replay(const char *source);

/* Frees what parsing allocated inside `values`. */
void cli_values_free(const cli_command *command, void *values);

/* Help texts; lists of commands end with NULL. Without `full`, what concerns GPUs is told only
 * where there may be one. */
void cli_help_overview(FILE *out, const cli_command *const *commands, bool full);
void cli_help_command(FILE *out, const cli_command *named, bool full);
void cli_help_man(FILE *out, const cli_command *const *commands);

/* Whether this machine may have a GPU: the driver has left its marks. Nothing is started. */
bool cli_gpu_likely(void);

/* The program that a command belongs to; spikemine where command is NULL. */
const char *cli_program(const cli_command *command);

/* Prints "spikemine episodes", as users type it; the program alone where command is NULL. */
void cli_print_title(FILE *out, const cli_command *command);

/* Prints "spikemine NAME: message" and how to get help, to stderr; returns CLI_USAGE. */
int cli_usage_error(const cli_command *command, const char *format, ...) SPK_PRINTF(2, 3);

#endif
