/* spikemine convert: a recording from any format that is read to any that is written. */
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "session.h"

typedef struct values {
    const char *to;
} values;

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    const char *in = session->arguments[0], *out = session->arguments[1];
    const spk_file_use use[] = {CLI_RECORDING_FILES(session),
                                {out, SPK_FILE_OUTPUT, "the new file", NULL}};
    spk_recording *recording = NULL;
    int code = cli_report(session, spk_recording_check_write(session->context, out, v->to));
    if (code == CLI_DONE)
        code = cli_files_check(session, use, sizeof use / sizeof use[0]);
    if (code == CLI_DONE)
        code = cli_recording_read(session, in, &recording);
    if (code == CLI_DONE)
        code = cli_report(session, spk_recording_write(session->context, recording, out, v->to));
    if (code == CLI_DONE) {
        spk_events events = spk_recording_events(recording);
        cli_detail(session, "%" PRIu32 " units, %" PRIu64 " events went to %s", events.n_units,
                   events.n_events, strcmp(out, "-") == 0 ? "standard output" : out);
    }
    spk_recording_free(recording);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("to", values, to), CLI_FILE_OPTIONS, CLI_SHARED("max-memory", max_memory),
    CLI_RECORDING_OPTIONS,        CLI_END,
};

const cli_command cli_cmd_convert = {
    .name = "convert",
    .arguments = "REC OUT",
    .summary = "write a recording, or a part of it, in another format",
    .description =
        "Reads a recording in any format and writes it to OUT. What is written reads back to\n"
        "the same recording: the same ticks, labels and segments, and units that never fire.\n"
        "With --start, --stop or --units it holds a part of the recording.\n"
        "\n"
        "Text has a line for each event, time and unit. Names in .csv have commas, others tabs.\n"
        "Where a tick is no decimal number of seconds (samples at 30 kHz), the times are ticks,\n"
        "and a comment tells their rate. An npz file has arrays: numpy.load opens it, and\n"
        "pynapple.load_file opens it as a TsGroup. The name - is standard input or output;\n"
        "a name in .gz, .xz, .zst or .bz2 is compressed.",
    .examples = "  spikemine convert rec.csv rec.npz\n"
                "  spikemine convert rec.npz part.txt --start 10s --stop 20s --units 3,17\n"
                "  spikemine convert rec.npz - --to text | head",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 2,
    .run = run,
};
