/* The checks of `--peel` of both languages. */
#ifndef CLI_PEEL_H
#define CLI_PEEL_H

#include "exact_test.h"
#include "select_options.h"

/* The plan of a test with --peel: refuses what does not go with it. CLI_DONE or an exit code. */
int peel_check(const cli_session *session, const exact_plan *plan, const cli_select_values *select,
               const char *occurrences);

#endif
