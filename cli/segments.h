/* The options --segments and --trials: a recording is cut before it is used. */
#ifndef CLI_SEGMENTS_H
#define CLI_SEGMENTS_H

#include "session.h"

/* Puts what the options leave of *recording, which was read from `path`, in its place. CLI_DONE or
 * an exit code. Where the library failed the code is CLI_DONE and *status says so. After a failure
 * *recording is NULL. */
int cli_segments_cut(cli_session *session, const cli_recording_values *values, const char *path,
                     spk_recording **recording, spk_status *status);

#endif
