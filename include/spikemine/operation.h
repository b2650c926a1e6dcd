/*
 * Operations: their options, and which of them go together. The command, the Python package and
 * whoever else offers the options have the same ones.
 *
 * An operation has the name of its command, "episodes" or "plan episodes", or that of a function
 * of the Python package, "episodes()".
 *
 * A rule joins terms with '|':
 *
 *     NEEDS     "peel-max"         "peel"             the first does nothing without the second
 *     EXCLUDES  "peel"             "shard|checkpoint" they cannot go together
 *     REQUIRED  "episodes|patterns"                   one of them must be there
 *
 * A term is the name of an option ("peel"), an option with its value ("test=exact"), or a fact of
 * the call ("ranks", "input:stdin", "jitter:several"). An option is given, or it is not; what was
 * not given has its default. Only what was given is ever refused. A term with a value that
 * satisfies a rule may be there by default.
 *
 * An option that an operation lacks is never given, and no message names it, so that a front end
 * may offer a part of the options.
 */
#ifndef SPIKEMINE_OPERATION_H
#define SPIKEMINE_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

#include "spikemine/context.h"

SPK_BEGIN_C

/* What an option takes. Where front ends keep values as text, all of them are texts. */
typedef enum spk_option_kind {
    SPK_OPTION_NAMED,            /* in tables of front ends: the rest is looked up by the name */
    SPK_OPTION_SECTION,          /* likewise: no option, a heading */
    SPK_OPTION_FLAG,             /* nothing */
    SPK_OPTION_TEXT,             /* any text */
    SPK_OPTION_CHOICE,           /* one of the names in `argument`, separated by '|' */
    SPK_OPTION_INTEGER,          /* a whole number from minimum to maximum */
    SPK_OPTION_NUMBER,           /* a number from minimum to maximum */
    SPK_OPTION_DURATION,         /* "5ms" */
    SPK_OPTION_BYTES,            /* "400M", "4G" */
    SPK_OPTION_COUNT,            /* a whole number, or the one word of `argument`, "N|all" */
    SPK_OPTION_TEXTS,            /* any text; may be given several times */
    SPK_OPTION_EPISODE_ENGINE,   /* the name of an engine, or auto */
    SPK_OPTION_PATTERN_ENGINE,   /* likewise */
    SPK_OPTION_FORMAT,           /* the name of a format that is read */
    SPK_OPTION_SURROGATE_METHOD, /* the name of a method of surrogates */
    SPK_OPTION_CORRECTION        /* the name of a correction for many tests */
} spk_option_kind;

/* What an option is. Texts are static. */
typedef struct spk_option {
    const char *name; /* without "--" */
    spk_option_kind kind;
    char letter;          /* of the command: 'o' for -o, 0 for none */
    bool gpu;             /* of no use without a GPU */
    bool work;            /* it never changes a result: how it is computed, or where it goes */
    bool command_only;    /* functions have it not */
    const char *argument; /* stands for a value, "FILE"; NULL for flags */
    const char *fallback; /* default as text; NULL: none, or what `help` says */
    double minimum;
    double maximum;   /* both 0: any */
    const char *help; /* in which other options are written --name */
    const char *more; /* behind help, for machines with GPUs; NULL: nothing */
    size_t offset;    /* for the tables of front ends: where its value lies; 0 in the library's */
    const char *synonym; /* another name that commands accept and tell nowhere; NULL: none */
    size_t size;         /* for the tables of front ends: bytes of its value; 0 in the library's */
} spk_option;

/* Option number k of an operation; NULL beyond the last one, and where no operation has this name.
 * Operation "" has what any command may offer. Functions of Python may call options by other names,
 * and take objects in place of texts. Static. Without a context, errors or messages. */
SPK_API const spk_option *spk_operation_option(const char *operation, size_t k);

/* {"jitter", "25ms"}: an option as the command has it, without "--"; value NULL for a flag. */
typedef struct spk_operation_setting {
    const char *name;
    const char *value;
} spk_operation_setting;

/* A call of an operation, which front ends spell as a command or a call of a function. */
typedef struct spk_operation_call {
    const char *operation; /* "episodes" or "sequences" */
    const char *stop;      /* the beginning of the recording until then, as --stop; NULL: all */
    size_t n_settings;
    const spk_operation_setting *setting; /* a name that comes twice is given twice */
} spk_operation_call;

typedef enum spk_rule_verb {
    SPK_RULE_NEEDS,    /* each of `terms` needs one of `others` */
    SPK_RULE_EXCLUDES, /* each of `terms` excludes each of `others` */
    SPK_RULE_REQUIRED  /* one of `terms` must be there */
} spk_rule_verb;

/* Texts are static. In why and remedy an option is written --name. */
typedef struct spk_rule {
    spk_rule_verb verb;
    const char *terms;
    const char *others; /* NULL with SPK_RULE_REQUIRED */
    const char *unless; /* terms that suspend the rule; NULL: none */
    const char *why;    /* NULL: the names say it */
    const char *remedy; /* NULL: leave out one, or add what is needed */
} spk_rule;

/* Rule number k of an operation; NULL beyond the last one, and where no operation has this name.
 * The rules are static. Without a context, errors or messages. */
SPK_API const spk_rule *spk_operation_rule(const char *operation, size_t k);

/* How messages spell options. */
typedef enum spk_spelling {
    SPK_SPELLING_COMMAND, /* --peel-max, --test exact */
    SPK_SPELLING_PYTHON   /* peel_max, test='exact' */
} spk_spelling;

/* The options of a front end as columns, an option each, and the facts of the input that hold.
 * Initialise with spk_option_uses_init; everything is borrowed for the call. */
typedef struct spk_option_uses {
    size_t struct_size; /* set by spk_option_uses_init */
    size_t n;
    const char *const *name;     /* '_' stands for '-' */
    const char *const *value;    /* as it was given, "" for none; NULL: it was not given */
    const char *const *fallback; /* value where it was not given, NULL: none; or no such column */
    const char *const *argument; /* stands for a value in messages, "FILE"; likewise */
    spk_spelling spelling;
} spk_option_uses;

/* No options, spelt as in the command. */
SPK_API void spk_option_uses_init(spk_option_uses *uses, size_t struct_size);

/* Refuses options that do not go together, with a message that names them, says why, and tells the
 * way out. An operation without rules allows everything. Errors: SPK_ERR_ARGUMENT. */
SPK_API SPK_MUST_CHECK spk_status spk_operation_check(spk_context *context, const char *operation,
                                                      const spk_option_uses *uses);

SPK_END_C

#endif
