/* `episodes --compare` and `patterns --compare`: two conditions; options and trials. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "session.h"

/* What the options say, and the trials. */
typedef struct compare_plan {
    bool wanted;
    const char *input;
    spk_compare_options test;
    uint8_t *condition; /* of the test; owned */
    char *label[2];     /* owned */
    char sha256_b[65];
} compare_plan;

/* Fills the plan. CLI_DONE or an exit code. */
int compare_plan_make(cli_session *session, compare_plan *plan);

/* Whether the files of the comparison and the files of results get in each other's way. CLI_DONE
 * or an exit code. */
int compare_check_files(cli_session *session);

/* Reads the other recording, which is put behind *recording, or the labels; checks that the trials
 * can give a p-value that small. CLI_DONE or an exit code; nothing to do where no comparison is
 * wanted. */
int compare_read(cli_session *session, compare_plan *plan, spk_recording **recording);

void compare_plan_free(compare_plan *plan);

#endif
