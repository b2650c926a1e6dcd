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

typedef enum cli_kind {
    CLI_SECTION,          /* no option: a heading in --help */
    CLI_FLAG,             /* bool */
    CLI_TEXT,             /* const char * */
    CLI_CHOICE,           /* int: index into `choices`, names separated by '|' */
    CLI_INTEGER,          /* uint64_t between minimum and maximum */
    CLI_NUMBER,           /* double between minimum and maximum */
    CLI_DURATION,         /* cli_duration: "5ms" */
    CLI_BYTES,            /* uint64_t: "400M", "4G" */
    CLI_COUNT,            /* cli_count: a whole number or the one word of `argument`, "N|all" */
    CLI_TEXTS,            /* cli_texts: the option may be given several times */
    CLI_EPISODE_ENGINE,   /* const char *: the name of an engine; --help lists them */
    CLI_PATTERN_ENGINE,   /* likewise */
    CLI_FORMAT,           /* const char *: the name of a format that is read; --help lists them */
    CLI_SURROGATE_METHOD, /* const char *: the name of a method as the library has it; likewise */
    CLI_CORRECTION        /* const char *: the name of a correction as the library has it */
} cli_kind;

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

typedef struct cli_option {
    const char *name; /* without "--"; NULL ends a table */
    char letter;      /* 'o' for -o, 0 for none */
    bool gpu;         /* of no use without a GPU: shown where `more` is */
    cli_kind kind;
    const char *argument; /* "FILE"; the choices for CLI_CHOICE */
    size_t offset;        /* into the values struct */
    const char *fallback; /* default as text, NULL: zero / not given */
    double minimum;
    double maximum; /* CLI_INTEGER, CLI_COUNT and CLI_NUMBER; both 0: any */
    const char *help;
    const char *more; /* behind help where a GPU may be, in the manual, and with --verbose */
} cli_option;

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
void cli_help_command(FILE *out, const cli_command *command, bool full);
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
