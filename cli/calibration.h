/* `--calibrate` of both languages: the runs, the table. */
#ifndef CLI_CALIBRATION_H
#define CLI_CALIBRATION_H

#include "exact_test.h"

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
