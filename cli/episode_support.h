/* `episodes --support`, --link-share and --support-time: a count, a share of the events, or auto.
 */
#ifndef CLI_EPISODE_SUPPORT_H
#define CLI_EPISODE_SUPPORT_H

#include "exact_test.h"

enum { EPISODE_SUPPORT_TEXT = 560 };

typedef struct episode_support_values {
    const char *support;
    double link_share;
    cli_duration time; /* for auto */
} episode_support_values;

/* --link-share and --support-time; --support itself differs between commands. */
#define EPISODE_SUPPORT_OPTIONS(type, member)                                                      \
    CLI_OPTION("link-share", type, member.link_share), CLI_OPTION("support-time", type, member.time)

/* Checks what can be known before the recording is read. CLI_DONE or an exit code. */
int episode_support_check(cli_session *session, const episode_support_values *values);

/* Sets options->support and link_share; the other fields are there. `test` has its seed and may be
 * wanted. Why it was chosen goes to `why`, "" where it was given, and to a note. CLI_DONE or an
 * exit code. */
int episode_support_take(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *test,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT]);

#endif
