/* `episodes --support`: a count, a share of the events, or auto. */
#ifndef CLI_EPISODE_SUPPORT_H
#define CLI_EPISODE_SUPPORT_H

#include "exact_test.h"

enum { EPISODE_SUPPORT_TEXT = 360 };

/* Checks what can be known before the recording is read. CLI_DONE or an exit code. */
int episode_support_check(cli_session *session, const char *text, const exact_plan *plan);

/* Sets options->support, whose other fields are there. Why it was chosen goes to `why`, "" where it
 * was given, and to a note. CLI_DONE or an exit code. */
int episode_support_take(cli_session *session, const char *text, const spk_recording *recording,
                         const exact_plan *plan, spk_episode_options *options,
                         char why[EPISODE_SUPPORT_TEXT]);

#endif
