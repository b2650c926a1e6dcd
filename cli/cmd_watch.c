/* spikemine watch SOURCE --episodes LIST: tells of occurrences the moment they are complete. */
#include "commands.h"
#include "live_job.h"

static int run(cli_session *session, const void *values)
{
    live_job job = {.session = session, .values = values};
    return live_job_run(&job);
}

static const cli_option options[] = {
    LIVE_WATCH_OPTIONS, LIVE_SOURCE_OPTIONS, LIVE_OUTPUT_OPTIONS, CLI_RECORDING_OPTIONS, CLI_END,
};

const cli_command cli_cmd_watch = {
    .name = "watch",
    .arguments = "SOURCE --episodes FILE",
    .summary = "follow given episodes and patterns while the recording runs: closed loop",
    .description =
        "Follows given episodes and SPADE patterns in spikes that come in now, and tells of each\n"
        "occurrence the moment its last spike is there. The counts are the\n"
        "ones of spikemine count on the recorded spikes.\n"
        "\n" CLI_LIVE_SOURCES "\n"
        "Every occurrence is a line of JSON with its units, times and count, and the\n"
        "microseconds since its last spike arrived. On a terminal it is a row of a table.\n"
        "--emit sends the lines to programs and machines. Standard error tells where the source\n"
        "stands, and what was lost, late, out of order, twice or garbage.\n"
        "\n"
        "Ctrl-C ends the run: spikes that were held back go out, files are completed, and a\n"
        "summary is told.",
    .examples =
        "  spikemine watch open-ephys://rig:5556 --episodes list.txt --emit stdout,tcp:7000\n"
        "  spikemine watch recording.nwb --speed 10 -e found.tsv\n"
        "  spikemine watch tcp://rig:4000 -e list.txt --state watch.state --record today.txt\n"
        "  spikemine watch lsl:Spikes --patterns found.tsv --bin 5ms --window 20 --page 8080",
    .options = options,
    .values_size = sizeof(live_values),
    .min_arguments = 1,
    .run = run,
};
