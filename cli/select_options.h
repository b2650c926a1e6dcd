/* What of the results is listed: the options, and what stands between a search and its files. */
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

/* ---- between a search and its files ---------------------------------------------------------- */

/* A sink of episodes that hands on what is listed: size by size where each episode decides for
 * itself, else at the end. */
typedef struct cli_episode_selection {
    cli_session *session;
    const cli_select_values *values;
    spk_episode_sink *sink; /* where they go */
    void *user;
    const spk_recording *recording;
    spk_status (*set_families)(void *user, const spk_family_columns *families);
    void (*tell_level)(cli_session *session, const spk_episode_level *level);
    bool collects;
    spk_episode_list *list;
    uint64_t n_listed;
    uint64_t n;
} cli_episode_selection;

/* `selection` has its fields down to tell_level. */
spk_status cli_episode_selection_open(cli_episode_selection *selection);

/* A spk_episode_sink; `user` is the selection. */
spk_status cli_episode_selection_add(void *user, const spk_episode_columns *episodes);

/* Hands on what was collected and closes the selection. `status` is that of the search; after a
 * cancel what was found so far is handed on all the same. Returns the first failure. */
spk_status cli_episode_selection_end(cli_episode_selection *selection, spk_status status);

/* The same for patterns. */
typedef struct cli_pattern_selection {
    cli_session *session;
    const cli_select_values *values;
    uint32_t window;
    spk_pattern_sink *sink;
    void *user;
    const spk_windows *windows;
    spk_status (*set_families)(void *user, const spk_family_columns *families);
    bool collects;
    spk_pattern_list *list;
    uint64_t n_listed;
    uint64_t n;
} cli_pattern_selection;

spk_status cli_pattern_selection_open(cli_pattern_selection *selection);
spk_status cli_pattern_selection_add(void *user, const spk_pattern_columns *patterns);
spk_status cli_pattern_selection_end(cli_pattern_selection *selection, spk_status status);

#endif
