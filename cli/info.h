/* What spikemine info tells, as JSON: the report of a recording and the table of its units. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include <jansson.h>

#include "session.h"

/* The report; NULL where *status is not SPK_OK, or memory was out. With `exact`, numbers are
 * numbers: a fraction has a key of its own. `sentences`, an array, gets three for people; NULL:
 * nobody reads them. */
json_t *info_report(cli_session *session, const spk_recording *recording, const char *path,
                    bool exact, json_t *sentences, spk_status *status);

/* An array with an object for each unit; NULL likewise. */
json_t *info_units(cli_session *session, const spk_recording *recording, spk_status *status);

/* Adds to the report sets of delays that were tried on n_events events, a command to begin with,
 * and what it will cost; what `time` suffices for.
 * SPK_ERR_CANCELLED: the report has what was done until then. */
spk_status info_suggest(cli_session *session, const spk_recording *recording, uint64_t n_events,
                        spk_duration time, json_t *report);

/* A path or a message as JSON can hold it. Memory that is out does not make it another one. */
const char *info_text(const char *text);

#endif
