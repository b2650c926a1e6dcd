/* What of the results is listed: the options, and what is told of it. */
#ifndef CLI_SELECT_OPTIONS_H
#define CLI_SELECT_OPTIONS_H

#include "session.h"

typedef struct cli_select_values {
    uint64_t min_size;
    uint64_t distinct_units;
    bool maximal;
    bool closed;
    uint64_t top;
    bool families;
    int order; /* of spk_row_order_get */
} cli_select_values;

/* Options of a subcommand that lists results. */
#define CLI_SELECT_OPTIONS(type, member)                                                           \
    CLI_HEADING("what is listed"), CLI_OPTION("min-size", type, member.min_size),                  \
        CLI_OPTION("distinct-units", type, member.distinct_units),                                 \
        CLI_OPTION("maximal", type, member.maximal), CLI_OPTION("closed", type, member.closed),    \
        CLI_OPTION("families", type, member.families), CLI_OPTION("order", type, member.order),    \
        CLI_OPTION("top", type, member.top)

/* Whether any of them is given. */
bool cli_select_wanted(const cli_select_values *values);

/* The options as the library takes them. */
spk_select_options cli_select_options(const cli_select_values *values);

/* "12 of 10410 episodes are listed", a note. */
void cli_select_tell(cli_session *session, uint64_t n_listed, uint64_t n, const char *result);

/* "2 families, 8 and 14 occurrences each, 24 units; 9108 of 10410 episodes are members", a note. */
void cli_families_tell(cli_session *session, const spk_family_columns *families,
                       const char *result);

#endif
