/* What a live run tells of itself on standard error: a line that is written anew on a terminal, one
 * a minute elsewhere, changes of the source, and a summary. */
#ifndef CLI_LIVE_STATUS_H
#define CLI_LIVE_STATUS_H

#include "session.h"

/* Begins with its session alone. */
typedef struct live_status {
    cli_session *session;
    double shown; /* when the line was shown last */
    bool end_told;
    char state[128];   /* of the source, told last */
    double state_told; /* when */
    unsigned n_told;   /* changes that were told lately */
} live_status;

/* Tells the address of the page, where there is one, also when all else is silenced: nobody could
 * find it. */
void live_status_begin(live_status *status, const spk_live_session *live);

/* Shows the line where it is time for it, and tells changes. */
void live_status_show(live_status *status, const spk_live_session *live, bool now);

/* Whether the source has ended and the page stays: what comes after it is no interruption. */
bool live_status_ended(const spk_live_session *live);

/* The summary. */
void live_status_end(live_status *status, spk_live_session *live, const char *record,
                     bool interrupted);

#endif
