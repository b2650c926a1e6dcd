/* What of the results is listed: the options, and what is told of it. */
#ifndef CLI_SELECT_OPTIONS_H
#define CLI_SELECT_OPTIONS_H

#include "session.h"

/* Whether any of them is given. */
bool cli_select_wanted(const cli_session *session);

/* "12 of 10410 episodes are listed", a note. */
void cli_select_tell(cli_session *session, uint64_t n_listed, uint64_t n, const char *result);

/* "2 families, 8 and 14 occurrences each, 24 units; 9108 of 10410 episodes are members", a note. */
void cli_families_tell(cli_session *session, const spk_family_columns *families,
                       const char *result);

#endif
