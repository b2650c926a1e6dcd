/*
 * Options as data. A subcommand describes its options in one table; parsing, defaults, --help and
 * the man page all come from that table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "spikemine/spikemine.h"

/* The kinds of options, and what the parser makes of a value. Whole numbers may have fewer bits
 * where the range allows it, and a duration may be a spk_duration, so that values stand in the
 * structs of the library. */
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
        .name = (name_), .offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)  \
    }

/* The same for an option of several commands, whose value stands in a cli_shared. */
#define CLI_SHARED(name_, member)                                                                  \
    {                                                                                              \
        .name = (name_), .offset = CLI_SHARED_AT + offsetof(cli_shared, member),                   \
        .size = sizeof(((cli_shared *)NULL)->member)                                               \
    }

/* --threads, with -t. */
#define CLI_THREADS_BY_LETTER                                                                      \
    {                                                                                              \
        .name = "threads", .letter = 't', .offset = CLI_SHARED_AT + offsetof(cli_shared, threads), \
        .size = sizeof(uint64_t)                                                                   \
    }

#define CLI_HEADING(text)                                                                          \
    {                                                                                              \
        .name = (text), .kind = CLI_SECTION                                                        \
    }

#define CLI_END                                                                                    \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* ---- what several commands have -------------------------------------------------------------- */

/* Values of options that several commands have; zero where a command lacks the option. */
typedef struct cli_shared {
    /* The recording. */
    spk_read_options read; /* but for what stands below */
    const char *time_unit;
    cli_duration start;
    cli_duration stop;
    uint64_t max_expansion;
    const char *trials;
    const char *segments;
    /* What is listed. */
    spk_select_options select;
    bool families;
    int order; /* of spk_row_order_get */
    /* A test against chance. */
    int test; /* CLI_TEST_EXACT, or what the command does else */
    int null; /* 0: chosen; else its number (spk_exact_null_get) + 1; of sequences the number */
    cli_duration history; /* not given: that of the null hypothesis */
    const char *jitter;
    uint64_t n_surrogates;
    uint64_t seed;
    double alpha;
    int report; /* a spk_rows_listed */
    const char *checkpoint;
    const char *shard;
    const char *maxima;
    bool peel;
    uint32_t max_rounds;          /* of peeling; 0: no bound */
    uint64_t n_calibrations;      /* 0: none */
    const char *calibrate_method; /* of the data; NULL: that of the test */
    /* Two conditions. */
    const char *other;  /* the recording of condition b */
    const char *labels; /* or the conditions of trials */
    uint64_t n_permutations;
    /* Output. */
    int format; /* a spk_table_form */
    const char *output;
    const char *occurrences;
    const char *figure;
    const char *page;
    uint64_t page_rows;
    uint64_t page_bytes;
    cli_count max_results;
    bool force;
    uint64_t disk_reserve;
    const char *figure_size;
    const char *font_size;
    uint64_t dpi;
    cli_count figure_top;
    const char *panels;
    const char *figure_range;
    /* Computing; cli_session_run applies threads, memory and energy. */
    const char *engine;
    cli_count gpus;
    uint64_t threads;
    uint64_t max_memory;
    bool energy;
} cli_shared;

/* The choices of --test. */
enum { CLI_TEST_OTHER, CLI_TEST_EXACT };

enum { CLI_SHARED_AT = 1 << 20 }; /* offsets from here on are in a cli_shared */

#define CLI_RECORDING_OPTIONS                                                                      \
    CLI_HEADING("input"), CLI_SHARED("input-format", read.format),                                 \
        CLI_SHARED("time-column", read.time_column), CLI_SHARED("unit-column", read.unit_column),  \
        CLI_SHARED("label-column", read.label_column), CLI_SHARED("select", read.row_filter),      \
        CLI_SHARED("group", read.group), CLI_SHARED("unit-file", read.unit_file),                  \
        CLI_SHARED("columns", read.columns), CLI_SHARED("time-unit", time_unit),                   \
        CLI_SHARED("start", start), CLI_SHARED("stop", stop), CLI_SHARED("trials", trials),        \
        CLI_SHARED("segments", segments), CLI_SHARED("units", read.units),                         \
        CLI_SHARED("min-rate", read.min_rate_hz), CLI_SHARED("sort", read.sort),                   \
        CLI_SHARED("max-expansion", max_expansion)

/* Of every subcommand that writes files. */
#define CLI_FILE_OPTIONS CLI_SHARED("force", force), CLI_SHARED("disk-reserve", disk_reserve)

#define CLI_PAGE_OPTIONS                                                                           \
    CLI_SHARED("html", page), CLI_SHARED("html-rows", page_rows),                                  \
        CLI_SHARED("html-occurrences", page_bytes)

#define CLI_FIGURE_OPTIONS                                                                         \
    CLI_HEADING("figure"), CLI_SHARED("figure-size", figure_size),                                 \
        CLI_SHARED("font-size", font_size), CLI_SHARED("dpi", dpi),                                \
        CLI_SHARED("figure-top", figure_top), CLI_SHARED("panels", panels)

#define CLI_SELECT_OPTIONS                                                                         \
    CLI_HEADING("what is listed"), CLI_SHARED("min-size", select.min_size),                        \
        CLI_SHARED("distinct-units", select.distinct_units),                                       \
        CLI_SHARED("maximal", select.maximal), CLI_SHARED("closed", select.closed),                \
        CLI_SHARED("families", families), CLI_SHARED("order", order),                              \
        CLI_SHARED("top", select.top)

#define CLI_TEST_AGAINST_CHANCE                                                                    \
    CLI_SHARED("test", test), CLI_SHARED("jitter", jitter), CLI_SHARED("null", null),              \
        CLI_SHARED("history", history), CLI_SHARED("surrogates", n_surrogates)

#define CLI_PEEL_OPTIONS                                                                           \
    CLI_SHARED("peel", peel), CLI_SHARED("peel-max", max_rounds),                                  \
        CLI_SHARED("calibrate", n_calibrations), CLI_SHARED("calibrate-method", calibrate_method)

#define CLI_SHARD_OPTIONS                                                                          \
    CLI_SHARED("checkpoint", checkpoint), CLI_SHARED("shard", shard), CLI_SHARED("maxima", maxima)

#define CLI_COMPARE_OPTIONS                                                                        \
    CLI_HEADING("two conditions"), CLI_SHARED("compare", other),                                   \
        CLI_SHARED("compare-trials", labels), CLI_SHARED("permutations", n_permutations)

/* ---- commands -------------------------------------------------------------------------------- */

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
    bool table;            /* it writes rows of results, which a terminal shows in columns */
    const cli_option *options; /* NULL: it has none of its own */
    size_t values_size;
    int min_arguments;
    int max_arguments; /* 0: no more than these; INT_MAX: any number */
    int (*run)(cli_session *session, const void *values);
} cli_command;

/* Exit codes. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* What every command understands beside its own options, and the values of shared ones. */
typedef struct cli_common {
    bool quiet;
    bool verbose;
    bool version;
    bool help;
    cli_shared shared;
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

/* Parses argv after the subcommand's name into `values` (values_size bytes, zeroed here) and the
 * shared ones, and moves the plain arguments to the front. Behind --help or --version nothing is
 * checked any more. Returns CLI_DONE, or CLI_USAGE after a message to stderr. */
int cli_options_parse(const cli_command *command, int argc, char **argv, void *values,
                      cli_given *given, int *n_arguments, cli_common *common);

/* What was given for the option of this name; NULL: nothing, or there is none. */
const char *cli_given_value(const cli_command *command, const cli_given *given, const char *name);

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

/* Where the value of an option stands. */
void *cli_value_at(const cli_option *option, void *values, cli_shared *shared);

/* A whole number there, of whatever size. */
uint64_t cli_whole_at(const cli_option *option, const void *at);

/* Name number k of the kind of an option: an engine, a format, a method, a correction. NULL beyond
 * the last one, and for other kinds. */
const char *cli_option_name(const cli_option *option, size_t k);

/* --gpus as options of the library know it: a number, SPK_GPUS_ALL, or 0 where it is not given. */
int cli_gpus(cli_count gpus);

/* Frees what parsing allocated inside `values`. */
void cli_values_free(const cli_command *command, void *values);

/* Help texts; lists of commands end with NULL. Without `full`, what concerns GPUs is told only
 * where there may be one, and the overview leaves out kinds ("simulate sym26"). */
void cli_help_overview(FILE *out, const cli_command *const *commands, bool full);
void cli_help_command(FILE *out, const cli_command *named, bool full);
void cli_help_man(FILE *out, const cli_command *const *commands);

/* The program that a command belongs to; spikemine where command is NULL. */
const char *cli_program(const cli_command *command);

/* Prints "spikemine episodes", as users type it; the program alone where command is NULL. */
void cli_print_title(FILE *out, const cli_command *command);

/* Prints "spikemine NAME: message" and how to get help, to stderr; returns CLI_USAGE. */
int cli_usage_error(const cli_command *command, const char *format, ...) SPK_PRINTF(2, 3);

/* ---- what a mistyped word may have meant ----------------------------------------------------- */

/* Collects the nearest of many words. */
typedef struct cli_suggestion {
    const char *typed;
    size_t length;   /* of what was typed */
    size_t distance; /* of the best so far */
    const char *best;
    size_t best_length;
} cli_suggestion;

/* `length` bytes of `typed`, which must live as long as the suggestion. */
cli_suggestion cli_suggest_begin(const char *typed, size_t length);

/* Offers a word of `length` bytes. A word is near when few letters are missing, wrong, too many or
 * exchanged with their neighbour (a third of those typed), or when it begins with what was
 * typed. */
void cli_suggest_offer(cli_suggestion *suggestion, const char *word, size_t length);

/* Writes "; did you mean PREFIXword?", or nothing where no word is near, and returns `buffer`. */
const char *cli_suggest_end(const cli_suggestion *suggestion, const char *prefix, char *buffer,
                            size_t size);

enum { CLI_SUGGEST_BYTES = 96 }; /* a buffer that suffices */
