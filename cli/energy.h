/* --energy: the joules of a job. */
#ifndef CLI_ENERGY_H
#define CLI_ENERGY_H

#include "session.h"

/* Begins to measure where it is wanted; cli_session_run ends it. CLI_DONE or an exit code. */
int cli_energy_begin(cli_session *session, bool wanted);

/* What the meters have counted until now; NULL and 0 where nothing is measured. */
const spk_energy_meter *cli_energy_meters(const cli_session *session, size_t *n);

/* Their sum; a negative number where no meter can be read or nothing is measured. */
double cli_energy_joules(const cli_session *session);

/* Joules of a part of the job: what the meters count between the two calls. */
double cli_energy_since(const cli_session *session, double before);

/* Ends the measurement; `told`: prints it to stderr, unless --quiet. */
void cli_energy_end(cli_session *session, bool told);

#endif
