/* spikemine simulate: what its kinds are, and what they share. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "simulate.h"

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

int cli_simulate_check(cli_session *session, const cli_simulate_values *values)
{
    if (values->truth == NULL)
        return CLI_DONE;
    if (values->shuffle)
        return cli_usage_error(session->command,
                               "--truth %s with --shuffle: nothing planted is left; drop one",
                               values->truth);
    if (strcmp(values->truth, values->output) == 0)
        return cli_usage_error(session->command,
                               "--truth %s: the recording goes there; choose another file",
                               values->truth);
    return CLI_DONE;
}

/* The truth beside the recording unless a file was named; none beside standard output. */
static int write_truth(cli_session *session, const cli_simulate_values *values,
                       const spk_recording *recording, const spk_truth *truth)
{
    char *name = NULL;
    const char *path = values->truth;
    if (path == NULL && (values->shuffle || is_stdout(values->output)))
        return CLI_DONE;
    if (path == NULL) {
        static const char suffix[] = ".truth.json";
        size_t bytes = strlen(values->output) + sizeof suffix;
        name = malloc(bytes);
        if (name == NULL)
            return cli_fail(session, "out of memory");
        snprintf(name, bytes, "%s%s", values->output, suffix);
        path = name;
    }
    int code = cli_report(session, spk_truth_write(session->context, recording, truth, path));
    free(name);
    return code;
}

int cli_simulate_finish(cli_session *session, const cli_simulate_values *values, spk_status status,
                        spk_recording *recording, spk_truth *truth)
{
    spk_recording *shuffled = NULL;
    if (status == SPK_OK && values->shuffle)
        status = spk_recording_shuffle(session->context, recording, values->seed, &shuffled);
    int code = cli_report(session, status);
    if (code == CLI_DONE) {
        spk_events events = spk_recording_events(recording);
        cli_detail(session, "%" PRIu32 " units, %" PRIu64 " events go to %s", events.n_units,
                   events.n_events, is_stdout(values->output) ? "standard output" : values->output);
        status = spk_recording_write_text(session->context, shuffled != NULL ? shuffled : recording,
                                          values->output);
        code = cli_report(session, status);
    }
    if (code == CLI_DONE)
        code = write_truth(session, values, recording, truth);
    spk_recording_free(shuffled);
    spk_recording_free(recording);
    spk_truth_free(truth);
    return code;
}

static const cli_option options[] = {CLI_END};

const cli_command cli_cmd_simulate = {
    .name = "simulate",
    .arguments = "sym26|network|culture",
    .summary = "make a recording with known patterns: sym26, network, culture",
    .description =
        "Makes a recording with planted patterns, and a JSON file that tells which patterns\n"
        "were planted, when and how often. There are three kinds:\n\n"
        "  sym26    26 neurons at 20 Hz with two causal chains, the published test data\n"
        "  network  independent units with chains of your choice\n"
        "  culture  an electrode array with bursts that sweep over all channels\n\n"
        "The same seed and options give the same recording on every machine.\n"
        "spikemine simulate KIND --help explains a kind.",
    .examples = "  spikemine simulate sym26 --help\n"
                "  spikemine simulate sym26 --seed 26 -o sym26.txt",
    .kinds = "sym26, network and culture",
    .options = options,
};
