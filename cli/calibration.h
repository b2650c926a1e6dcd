/* `--calibrate` of both languages: its checks, the runs, the table. */
#ifndef CLI_CALIBRATION_H
#define CLI_CALIBRATION_H

#include "exact_test.h"
#include "select_options.h"

/* The plan of a test with --calibrate: refuses what does not go with it; `other` is an option of
 * files that it does not write, NULL: none was given. CLI_DONE or an exit code. */
int calibration_check(const cli_session *session, const exact_plan *plan,
                      const cli_select_values *select, const char *other);

/* What is calibrated, and where the table goes. */
typedef struct calibration_use {
    const spk_recording *recording;
    const spk_exact_options *test;
    const char *input;
    const char *output;
    int format;
} calibration_use;

/* Runs, notes what was found, and writes the table. Returns the exit code. */
int calibration_run(cli_session *session, const exact_plan *plan, const calibration_use *use);

#endif
