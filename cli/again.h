/* The command line once more, for another command: what `info` and `explore` suggest. */
#pragma once

#include "session.h"

/* The words of the command line with the operation of `call` in place of the command, its settings
 * behind them, and without the command's own options: `flags`, and `values` with what follows them;
 * both end with NULL. A --stop of the call takes the place of one that was given. To be freed; NULL
 * where memory was out. */
char *cli_again(const cli_session *session, const spk_operation_call *call,
                const char *const *flags, const char *const *values);
