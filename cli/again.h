/* The command line once more, for another command: what `info` and `explore` suggest. */
#ifndef CLI_AGAIN_H
#define CLI_AGAIN_H

#include "session.h"

/* Writes the words of the command line with `operation` in place of the command, and without its
 * own options: `flags`, and `values` with what follows them; both end with NULL. Returns the bytes
 * that were used; the length of the line and of `operation` suffice. */
size_t cli_again(const cli_session *session, const char *operation, const char *const *flags,
                 const char *const *values, char *text, size_t size);

#endif
