/* What the simulate commands share: output options, and writing recording and truth. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "session.h"

typedef struct cli_simulate_values {
    const char *truth; /* NULL: as the help says */
    bool shuffle;
} cli_simulate_values;

#define CLI_SIMULATE_OPTIONS(type, member)                                                         \
    CLI_HEADING("output"), CLI_SHARED("output", output), CLI_OPTION("truth", type, member.truth),  \
        CLI_OPTION("shuffle", type, member.shuffle), CLI_FILE_OPTIONS, CLI_SHARED("seed", seed)

/* Refuses options that contradict each other, and files that are the same, are there already or
 * cannot be written. CLI_DONE or an exit code. */
int cli_simulate_check(cli_session *session, const cli_simulate_values *values);

/* Reports `status`; where it is SPK_OK, writes the recording (shuffled when asked for) and the
 * truth. Frees both. Returns the exit code. */
int cli_simulate_finish(cli_session *session, const cli_simulate_values *values, spk_status status,
                        spk_recording *recording, spk_truth *truth);

#endif
