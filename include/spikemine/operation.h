/*
 * Operations, and which of their options go together: one set of rules for the command, for Python
 * and for whoever else offers the options.
 *
 * An operation has the name of its command, "episodes" or "plan episodes", or that of a function
 * of the Python package, "episodes()". A rule joins terms with '|':
 *
 *     NEEDS     "peel-max"         "peel"             the first does nothing without the second
 *     EXCLUDES  "peel"             "shard|checkpoint" they cannot go together
 *     REQUIRED  "episodes|patterns"                   one of them must be there
 *
 * A term is the name of an option ("peel"), an option with its value ("test=exact"), or a fact of
 * the input ("ranks", "input:stdin"). An option is given, or it is not; what was not given has its
 * default. Only what was given is ever refused. A term with a value that satisfies a rule may be
 * there by default.
 *
 * An option that an operation lacks is never given, and no message names it, so that a front end
 * may offer a part of the options.
 */
#ifndef SPIKEMINE_OPERATION_H
#define SPIKEMINE_OPERATION_H

#include <stddef.h>

#include "spikemine/context.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
