/* spikemine simulate: what its kinds are, and what they share. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "simulate.h"

/* The file of the truth, to be freed: beside the recording unless it was named. *out is NULL where
 * none is written: of what was shuffled, and beside a recording that is no file (standard output, a
 * pipe). */
static int name_truth(cli_session *session, const cli_simulate_values *values, char **out)
{
    const char *suffix = values->truth == NULL ? ".truth.json" : "";
    const char *path = values->truth == NULL ? session->shared->output : values->truth;
    bool is_wanted = true;
    *out = NULL;
    if (values->truth == NULL) {
        spk_status status = spk_file_has_name(session->context, path, &is_wanted);
        if (status != SPK_OK)
            return cli_report(session, status);
        is_wanted = is_wanted && !values->shuffle;
    }
    if (!is_wanted)
        return CLI_DONE;
    size_t bytes = strlen(path) + strlen(suffix) + 1;
    *out = malloc(bytes);
    if (*out == NULL)
        return cli_fail(session, "out of memory");
    snprintf(*out, bytes, "%s%s", path, suffix);
    return CLI_DONE;
}

int cli_simulate_check(cli_session *session, const cli_simulate_values *values)
{
    char *truth = NULL;
    int code = name_truth(session, values, &truth);
    const spk_file_use use[] = {
        {session->shared->output, SPK_FILE_OUTPUT, "the recording", "--output"},
        {truth, SPK_FILE_OUTPUT, "the truth", "--truth"},
    };
    if (code == CLI_DONE)
        code = cli_files_check(session, use, sizeof use / sizeof use[0]);
    free(truth);
    return code;
}

static int write_truth(cli_session *session, const cli_simulate_values *values,
                       const spk_recording *recording, const spk_truth *truth)
{
    char *path = NULL;
    int code = name_truth(session, values, &path);
    if (code == CLI_DONE && path != NULL)
        code = cli_report(session, spk_truth_write(session->context, recording, truth, path));
    free(path);
    return code;
}

int cli_simulate_finish(cli_session *session, const cli_simulate_values *values, spk_status status,
                        spk_recording *recording, spk_truth *truth)
{
    const char *output = session->shared->output;
    spk_recording *shuffled = NULL;
    if (status == SPK_OK && values->shuffle)
        status =
            spk_recording_shuffle(session->context, recording, session->shared->seed, &shuffled);
    int code = cli_report(session, status);
    if (code == CLI_DONE) {
        spk_events events = spk_recording_events(recording);
        cli_detail(session, "%" PRIu32 " units, %" PRIu64 " events go to %s", events.n_units,
                   events.n_events, strcmp(output, "-") == 0 ? "standard output" : output);
        status = spk_recording_write_text(session->context, shuffled != NULL ? shuffled : recording,
                                          output);
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
    .arguments = "sym26|network|probe|culture",
    .summary = "make a recording with known patterns: sym26, network, probe, culture",
    .description =
        "Makes a recording with planted patterns, and a JSON file that tells which patterns\n"
        "were planted, when and how often. There are four kinds:\n\n"
        "  sym26    26 neurons at 20 Hz with two causal chains, the published test data\n"
        "  network  independent units with chains of your choice\n"
        "  probe    units as on a probe, or real ones shifted apart, with sequences that are hard "
        "to\n"
        "           find: jittered, incomplete, warped in time, reversed\n"
        "  culture  an electrode array with bursts that sweep over all channels\n\n"
        "The same seed and options give the same recording on every machine.\n"
        "spikemine simulate KIND --help explains a kind.",
    .examples = "  spikemine simulate sym26 --help\n"
                "  spikemine simulate sym26 --seed 26 -o sym26.txt",
    .kinds = "sym26, network, probe and culture",
    .options = options,
};
