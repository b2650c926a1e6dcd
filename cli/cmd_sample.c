/* spikemine sample: the recording that comes with the program, to try things with. */
#include <string.h>

#include "commands.h"
#include "session.h"

static int run(cli_session *session, const void *values)
{
    (void)values;
    const char *path = session->n_arguments > 0 ? session->arguments[0] : SPK_SAMPLE_NAME;
    const spk_file_use use[] = {{path, SPK_FILE_OUTPUT, "the recording", NULL}};
    int code = cli_files_check(session, use, sizeof use / sizeof use[0]);
    if (code == CLI_DONE)
        code = cli_report(session, cli_allow_pipe(spk_sample_write(session->context, path)));
    if (code == CLI_DONE && strcmp(path, "-") != 0)
        cli_note(session, "%s: 74 units of a zebra finch in 22 s; next: spikemine explore %s", path,
                 path);
    return code;
}

static const cli_option options[] = {
    CLI_FILE_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_sample = {
    .name = "sample",
    .arguments = "[OUT]",
    .summary = "write a small real recording, to try things with",
    .description =
        "Writes the recording that comes with the program to OUT, or to songbird_spikes.txt:\n"
        "74 units of a zebra finch (HVC) in 22 s, with two known types of sequences. It is\n"
        "demonstration data of PPSeq.jl (MIT licence). Lines are time and unit, in the order of\n"
        "time, as all commands read them.",
    .examples = "  spikemine sample\n"
                "  spikemine explore songbird_spikes.txt",
    .options = options,
    .max_arguments = 1,
    .run = run,
};
