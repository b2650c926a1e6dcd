/* `--calibrate` of both languages: the runs, the table. */
#ifndef CLI_CALIBRATION_H
#define CLI_CALIBRATION_H

#include "exact_test.h"

/* Runs the `test` of the plan, whose language is there, on surrogates of the recording; notes what
 * was found, and writes the table. Returns the exit code. */
int calibration_run(cli_session *session, const exact_plan *plan, const spk_recording *recording,
                    spk_exact_options *test);

#endif
