/* spikemine-bench-significance STUDY: what the test of patterns finds where the truth is known. */
#include <stdio.h>
#include <string.h>

#include "study.h"

int main(int argc, char **argv)
{
    static const cli_command *const studies[] = {
        &study_calibration,  &study_validation, &study_exact,     &study_power, &study_real,
        &study_connectivity, &study_speed,      &study_reduction, NULL};
    for (size_t k = 0; studies[k] != NULL && argc > 1; k++)
        if (strcmp(argv[1], studies[k]->name) == 0)
            return cli_session_run(studies[k], argc - 2, argv + 2, argc, argv, NULL);
    fprintf(stderr, "usage: spikemine-bench-significance calibration|validation|exact|power|"
                    "real|connectivity|speed|reduction [options]; each has --help\n");
    return CLI_USAGE;
}
