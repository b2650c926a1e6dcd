/* spikemine sample: the recording that comes with the program, to try things with. */
#include <string.h>

#include "commands.h"
#include "session.h"

typedef struct values {
    const char *output; /* NULL: not given */
} values;

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    if (v->output != NULL && session->n_arguments > 0)
        return cli_usage_error(session->command, "OUT is given twice: %s and --output %s",
                               session->arguments[0], v->output);
    const char *path = session->n_arguments > 0 ? session->arguments[0]
                       : v->output != NULL      ? v->output
                                                : SPK_SAMPLE_NAME;
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
    CLI_OPTION("output", values, output),
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
    .values_size = sizeof(values),
    .max_arguments = 1,
    .run = run,
};
