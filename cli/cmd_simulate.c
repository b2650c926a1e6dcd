/* spikemine simulate: its kinds, and what they share. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "session.h"

/* ---- what the kinds share -------------------------------------------------------------------- */

typedef struct output_values {
    const char *truth; /* NULL: as the help says */
    bool shuffle;
} output_values;

#define OUTPUT_OPTIONS(type, member)                                                               \
    CLI_HEADING("output"), CLI_SHARED("output", output), CLI_OPTION("truth", type, member.truth),  \
        CLI_OPTION("shuffle", type, member.shuffle), CLI_FILE_OPTIONS, CLI_SHARED("seed", seed)

/* The file of the truth, to be freed: beside the recording unless it was named. *out is NULL where
 * none is written: of what was shuffled, and beside a recording that is no file (standard output, a
 * pipe). */
static int name_truth(cli_session *session, const output_values *values, char **out)
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

/* Refuses options that contradict each other, and files that are the same, are there already or
 * cannot be written. CLI_DONE or an exit code. */
static int check(cli_session *session, const output_values *values)
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

static int write_truth(cli_session *session, const output_values *values,
                       const spk_recording *recording, const spk_truth *truth)
{
    char *path = NULL;
    int code = name_truth(session, values, &path);
    if (code == CLI_DONE && path != NULL)
        code = cli_report(session, spk_truth_write(session->context, recording, truth, path));
    free(path);
    return code;
}

/* Reports `status`; where it is SPK_OK, writes the recording (shuffled when asked for) and the
 * truth. Frees both. Returns the exit code. */
static int finish(cli_session *session, const output_values *values, spk_status status,
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

/* ---- the 26-neuron test data ----------------------------------------------------------------- */

typedef struct sym26_values {
    spk_sym26_options made;
    output_values output;
} sym26_values;

static int run_sym26(cli_session *session, const void *raw)
{
    const sym26_values *v = raw;
    spk_sym26_options made = v->made;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    int code = check(session, &v->output);
    if (code != CLI_DONE)
        return code;
    spk_status status = spk_simulate_sym26(session->context, &made, &recording, &truth);
    return finish(session, &v->output, status, recording, truth);
}

static const cli_option sym26_options[] = {
    CLI_OPTION("duration", sym26_values, made.duration),
    CLI_OPTION("rate", sym26_values, made.rate_hz),
    CLI_OPTION("strength", sym26_values, made.strength),
    OUTPUT_OPTIONS(sym26_values, output),
    CLI_END,
};

const cli_command cli_cmd_simulate_sym26 = {
    .name = "simulate sym26",
    .arguments = "",
    .summary = "make the 26-neuron test data, with two causal chains",
    .description =
        "Makes the test data known as Sym26. Its 26 neurons, A to Z, are Poisson processes of\n"
        "20 Hz. There are two chains, A to D and H to O: every spike of a member makes the next\n"
        "member fire with some probability, more than 5 ms and at most 10 ms later. The defaults\n"
        "give about 50,000 events in 60 s. Times lie on a grid of 10 us.",
    .examples = "  spikemine simulate sym26 --seed 26 -o sym26.txt\n"
                "  spikemine simulate sym26 --duration 600s --shuffle | spikemine info -",
    .options = sym26_options,
    .values_size = sizeof(sym26_values),
    .run = run_sym26,
};

/* ---- independent units with planted chains --------------------------------------------------- */

typedef struct network_values {
    spk_network_options made;
    output_values output;
} network_values;

static int run_network(cli_session *session, const void *raw)
{
    const network_values *v = raw;
    spk_network_options made = v->made;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    int code = check(session, &v->output);
    if (code != CLI_DONE)
        return code;
    spk_status status = spk_simulate_network(session->context, &made, &recording, &truth);
    return finish(session, &v->output, status, recording, truth);
}

static const cli_option network_options[] = {
    CLI_OPTION("duration", network_values, made.duration),
    CLI_OPTION("units", network_values, made.n_units),
    CLI_OPTION("rate", network_values, made.mean_rate_hz),
    CLI_OPTION("rate-spread", network_values, made.rate_spread),
    CLI_OPTION("refractory", network_values, made.refractory),
    CLI_OPTION("modulation", network_values, made.modulation),
    CLI_OPTION("modulation-rate", network_values, made.modulation_hz),
    CLI_HEADING("chains"),
    CLI_OPTION("chains", network_values, made.n_chains),
    CLI_OPTION("chain-size", network_values, made.chain_size),
    CLI_OPTION("delay", network_values, made.delay),
    CLI_OPTION("jitter", network_values, made.jitter),
    CLI_OPTION("chain-rate", network_values, made.chain_rate_hz),
    CLI_OPTION("strength", network_values, made.strength),
    OUTPUT_OPTIONS(network_values, output),
    CLI_END,
};

const cli_command cli_cmd_simulate_network = {
    .name = "simulate network",
    .arguments = "",
    .summary = "make independent units with planted chains",
    .description =
        "Makes independent units and plants chains of given delays on top of them. Each unit is\n"
        "a Poisson process with a refractory time. Occurrences of one chain never overlap. Times\n"
        "lie on a grid of 10 us.",
    .examples = "  spikemine simulate network --seed 7 -o net.txt\n"
                "  spikemine simulate network --units 200 --rate-spread 0.7 --chains 5 \\\n"
                "      --chain-size 6 --delay 8ms --jitter 500us -o net.txt --truth planted.json",
    .options = network_options,
    .values_size = sizeof(network_values),
    .run = run_network,
};

/* ---- units as on a probe, with planted sequences --------------------------------------------- */

typedef struct probe_values {
    spk_probe_options made;
    const char *background;
    output_values output;
} probe_values;

static int run_probe(cli_session *session, const void *raw)
{
    const probe_values *v = raw;
    spk_probe_options made = v->made;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *background = NULL, *recording = NULL;
    spk_truth *truth = NULL;
    int code = check(session, &v->output);
    if (code != CLI_DONE)
        return code;
    spk_status status = SPK_OK;
    if (v->background != NULL)
        status = spk_recording_read(session->context, v->background, NULL, &background);
    if (status == SPK_OK)
        status = spk_simulate_probe(session->context, &made, background, &recording, &truth);
    spk_recording_free(background);
    return finish(session, &v->output, status, recording, truth);
}

static const cli_option probe_options[] = {
    CLI_OPTION("duration", probe_values, made.duration),
    CLI_OPTION("units", probe_values, made.n_units),
    CLI_OPTION("rate", probe_values, made.mean_rate_hz),
    CLI_OPTION("rate-spread", probe_values, made.rate_spread),
    CLI_OPTION("bursts", probe_values, made.burst_share),
    CLI_OPTION("refractory", probe_values, made.refractory),
    CLI_OPTION("background", probe_values, background),
    CLI_HEADING("rates that change together"),
    CLI_OPTION("modulation", probe_values, made.modulation),
    CLI_OPTION("modulation-rate", probe_values, made.modulation_hz),
    CLI_OPTION("stimulus", probe_values, made.stimulus),
    CLI_OPTION("rhythm", probe_values, made.rhythm),
    CLI_OPTION("rhythm-rate", probe_values, made.rhythm_hz),
    CLI_HEADING("recording and sorting"),
    CLI_OPTION("drift", probe_values, made.drift),
    CLI_OPTION("missed", probe_values, made.missed),
    CLI_OPTION("merged", probe_values, made.n_merged),
    CLI_OPTION("split", probe_values, made.n_split),
    CLI_HEADING("sequences"),
    CLI_OPTION("sequences", probe_values, made.n_sequences),
    CLI_OPTION("min-size", probe_values, made.min_size),
    CLI_OPTION("max-size", probe_values, made.max_size),
    CLI_OPTION("min-step", probe_values, made.min_step),
    CLI_OPTION("max-step", probe_values, made.max_step),
    CLI_OPTION("jitter", probe_values, made.jitter),
    CLI_OPTION("adding-jitter", probe_values, made.adding_jitter),
    CLI_OPTION("failing", probe_values, made.failing),
    CLI_OPTION("repeats", probe_values, made.repeats),
    CLI_OPTION("warp", probe_values, made.warp),
    CLI_OPTION("reversed", probe_values, made.reversed),
    CLI_OPTION("shared", probe_values, made.n_shared),
    CLI_OPTION("nested", probe_values, made.nested),
    OUTPUT_OPTIONS(probe_values, output),
    CLI_END,
};

const cli_command cli_cmd_simulate_probe = {
    .name = "simulate probe",
    .arguments = "",
    .summary = "make units as on a probe, with planted sequences",
    .description =
        "Makes a recording with all that makes sequences hard to find: units of very different\n"
        "rates, bursts, rates that change together, spikes that are missing, units that were\n"
        "sorted wrongly. Sequences are planted on top: in their occurrences spikes are jittered\n"
        "and may be missing, time may run faster or backwards. Occurrences of one sequence never\n"
        "overlap. Times lie on a grid of 10 us, or on that of the background.",
    .examples =
        "  spikemine simulate probe --seed 7 -o probe.txt\n"
        "  spikemine simulate probe --bursts 0.3 --stimulus 2s --rhythm 0.5 --drift 0.2 \\\n"
        "      --merged 2 --split 2 --jitter 5ms --failing 0.3 -o hard.txt\n"
        "  spikemine simulate probe --background night.txt --sequences 3 -o planted.txt",
    .options = probe_options,
    .values_size = sizeof(probe_values),
    .run = run_probe,
};

/* ---- an electrode array under a bursting culture --------------------------------------------- */

typedef struct culture_values {
    spk_culture_options made;
    output_values output;
} culture_values;

static int run_culture(cli_session *session, const void *raw)
{
    const culture_values *v = raw;
    spk_culture_options made = v->made;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    int code = check(session, &v->output);
    if (code != CLI_DONE)
        return code;
    spk_status status = spk_simulate_culture(session->context, &made, &recording, &truth);
    return finish(session, &v->output, status, recording, truth);
}

static const cli_option culture_options[] = {
    CLI_OPTION("events", culture_values, made.n_events),
    CLI_OPTION("units", culture_values, made.n_units),
    CLI_OPTION("tonic-rate", culture_values, made.tonic_hz),
    CLI_OPTION("bursts-per-min", culture_values, made.bursts_per_min),
    CLI_OPTION("burst-spikes", culture_values, made.burst_spikes),
    OUTPUT_OPTIONS(culture_values, output),
    CLI_END,
};

const cli_command cli_cmd_simulate_culture = {
    .name = "simulate culture",
    .arguments = "",
    .summary = "make an electrode array with bursts that sweep over it",
    .description =
        "Makes a recording like those of dissociated cultures on electrode arrays: low tonic\n"
        "firing, rates that differ much between channels, and population bursts. A burst sweeps\n"
        "over all channels in a recurring order. This order is the planted chain; its delays lie\n"
        "in (1ms,2ms]. Times lie on a grid of 40 us.",
    .examples =
        "  spikemine simulate culture --events 10000000 --seed 3 -o culture.txt\n"
        "  spikemine simulate culture --units 16 --bursts-per-min 30 --events 50000 -o c.txt",
    .options = culture_options,
    .values_size = sizeof(culture_values),
    .run = run_culture,
};

/* ---- the command before them ----------------------------------------------------------------- */

static const cli_option no_options[] = {CLI_END};

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
    .options = no_options,
};
