/* spikemine simulate: its kinds, and what they share. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "session.h"

/* ---- what the kinds share -------------------------------------------------------------------- */

typedef struct values {
    const char *truth; /* NULL: as the help says */
    bool shuffle;
    const char *background; /* of a probe */
    union {                 /* by kind */
        spk_sym26_options sym26;
        spk_network_options network;
        spk_probe_options probe;
        spk_culture_options culture;
    } made;
} values;

#define OUTPUT_OPTIONS                                                                             \
    CLI_HEADING("output"), CLI_SHARED("output", output), CLI_OPTION("truth", values, truth),       \
        CLI_OPTION("shuffle", values, shuffle), CLI_FILE_OPTIONS, CLI_SHARED("seed", seed)

/* Makes what one kind is. */
typedef spk_status make_fn(cli_session *session, const values *v, spk_recording **recording,
                           spk_truth **truth);

/* The file of the truth, to be freed: beside the recording unless it was named. *out is NULL where
 * none is written: of what was shuffled, and beside a recording that is no file (standard output, a
 * pipe). */
static int name_truth(cli_session *session, const values *v, char **out)
{
    const char *suffix = v->truth == NULL ? ".truth.json" : "";
    const char *path = v->truth == NULL ? session->shared->output : v->truth;
    bool is_wanted = true;
    *out = NULL;
    if (v->truth == NULL) {
        spk_status status = spk_file_has_name(session->context, path, &is_wanted);
        if (status != SPK_OK)
            return cli_report(session, status);
        is_wanted = is_wanted && !v->shuffle;
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
static int check(cli_session *session, const values *v)
{
    char *truth = NULL;
    int code = name_truth(session, v, &truth);
    const spk_file_use use[] = {
        {session->shared->output, SPK_FILE_OUTPUT, "the recording", "--output"},
        {truth, SPK_FILE_OUTPUT, "the truth", "--truth"},
    };
    if (code == CLI_DONE)
        code = cli_files_check(session, use, sizeof use / sizeof use[0]);
    free(truth);
    return code;
}

static int write_truth(cli_session *session, const values *v, const spk_recording *recording,
                       const spk_truth *truth)
{
    char *path = NULL;
    int code = name_truth(session, v, &path);
    if (code == CLI_DONE && path != NULL)
        code = cli_report(session, spk_truth_write(session->context, recording, truth, path));
    free(path);
    return code;
}

/* A kind: the recording, shuffled when asked for, and the truth. */
static int run(cli_session *session, const values *v, make_fn *make)
{
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    int code = check(session, v);
    if (code != CLI_DONE)
        return code;
    spk_status status = make(session, v, &recording, &truth);
    const char *output = session->shared->output;
    spk_recording *shuffled = NULL;
    if (status == SPK_OK && v->shuffle)
        status =
            spk_recording_shuffle(session->context, recording, session->shared->seed, &shuffled);
    code = cli_report(session, status);
    if (code == CLI_DONE) {
        spk_events events = spk_recording_events(recording);
        cli_detail(session, "%" PRIu32 " units, %" PRIu64 " events go to %s", events.n_units,
                   events.n_events, strcmp(output, "-") == 0 ? "standard output" : output);
        status = spk_recording_write_text(session->context, shuffled != NULL ? shuffled : recording,
                                          output);
        code = cli_report(session, status);
    }
    if (code == CLI_DONE)
        code = write_truth(session, v, recording, truth);
    spk_recording_free(shuffled);
    spk_recording_free(recording);
    spk_truth_free(truth);
    return code;
}

/* ---- how each kind is made ------------------------------------------------------------------- */

/* make_NAME, by the library's function and options of that name. */
#define MAKE_KIND(name)                                                                            \
    static spk_status make_##name(cli_session *session, const values *v,                           \
                                  spk_recording **recording, spk_truth **truth)                    \
    {                                                                                              \
        spk_##name##_options made = v->made.name;                                                  \
        made.struct_size = sizeof made;                                                            \
        made.seed = session->shared->seed;                                                         \
        return spk_simulate_##name(session->context, &made, recording, truth);                     \
    }

MAKE_KIND(sym26)
MAKE_KIND(network)
MAKE_KIND(culture)

static spk_status make_probe(cli_session *session, const values *v, spk_recording **recording,
                             spk_truth **truth)
{
    spk_probe_options made = v->made.probe;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *background = NULL;
    spk_status status = SPK_OK;
    if (v->background != NULL)
        status = spk_recording_read(session->context, v->background, NULL, &background);
    if (status == SPK_OK)
        status = spk_simulate_probe(session->context, &made, background, recording, truth);
    spk_recording_free(background);
    return status;
}

#define RUN_KIND(name)                                                                             \
    static int run_##name(cli_session *session, const void *raw)                                   \
    {                                                                                              \
        return run(session, raw, make_##name);                                                     \
    }

RUN_KIND(sym26)
RUN_KIND(network)
RUN_KIND(probe)
RUN_KIND(culture)

/* ---- the 26-neuron test data ----------------------------------------------------------------- */

static const cli_option sym26_options[] = {
    CLI_OPTION("duration", values, made.sym26.duration),
    CLI_OPTION("rate", values, made.sym26.rate_hz),
    CLI_OPTION("strength", values, made.sym26.strength),
    OUTPUT_OPTIONS,
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
    .values_size = sizeof(values),
    .run = run_sym26,
};

/* ---- independent units with planted chains --------------------------------------------------- */

static const cli_option network_options[] = {
    CLI_OPTION("duration", values, made.network.duration),
    CLI_OPTION("units", values, made.network.n_units),
    CLI_OPTION("rate", values, made.network.mean_rate_hz),
    CLI_OPTION("rate-spread", values, made.network.rate_spread),
    CLI_OPTION("refractory", values, made.network.refractory),
    CLI_OPTION("modulation", values, made.network.modulation),
    CLI_OPTION("modulation-rate", values, made.network.modulation_hz),
    CLI_HEADING("chains"),
    CLI_OPTION("chains", values, made.network.n_chains),
    CLI_OPTION("chain-size", values, made.network.chain_size),
    CLI_OPTION("delay", values, made.network.delay),
    CLI_OPTION("jitter", values, made.network.jitter),
    CLI_OPTION("chain-rate", values, made.network.chain_rate_hz),
    CLI_OPTION("strength", values, made.network.strength),
    OUTPUT_OPTIONS,
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
    .values_size = sizeof(values),
    .run = run_network,
};

/* ---- units as on a probe, with planted sequences --------------------------------------------- */

static const cli_option probe_options[] = {
    CLI_OPTION("duration", values, made.probe.duration),
    CLI_OPTION("units", values, made.probe.n_units),
    CLI_OPTION("rate", values, made.probe.mean_rate_hz),
    CLI_OPTION("rate-spread", values, made.probe.rate_spread),
    CLI_OPTION("bursts", values, made.probe.burst_share),
    CLI_OPTION("refractory", values, made.probe.refractory),
    CLI_OPTION("background", values, background),
    CLI_HEADING("rates that change together"),
    CLI_OPTION("modulation", values, made.probe.modulation),
    CLI_OPTION("modulation-rate", values, made.probe.modulation_hz),
    CLI_OPTION("stimulus", values, made.probe.stimulus),
    CLI_OPTION("rhythm", values, made.probe.rhythm),
    CLI_OPTION("rhythm-rate", values, made.probe.rhythm_hz),
    CLI_HEADING("recording and sorting"),
    CLI_OPTION("drift", values, made.probe.drift),
    CLI_OPTION("missed", values, made.probe.missed),
    CLI_OPTION("merged", values, made.probe.n_merged),
    CLI_OPTION("split", values, made.probe.n_split),
    CLI_HEADING("sequences"),
    CLI_OPTION("sequences", values, made.probe.n_sequences),
    CLI_OPTION("min-size", values, made.probe.min_size),
    CLI_OPTION("max-size", values, made.probe.max_size),
    CLI_OPTION("min-step", values, made.probe.min_step),
    CLI_OPTION("max-step", values, made.probe.max_step),
    CLI_OPTION("jitter", values, made.probe.jitter),
    CLI_OPTION("adding-jitter", values, made.probe.adding_jitter),
    CLI_OPTION("failing", values, made.probe.failing),
    CLI_OPTION("repeats", values, made.probe.repeats),
    CLI_OPTION("warp", values, made.probe.warp),
    CLI_OPTION("reversed", values, made.probe.reversed),
    CLI_OPTION("shared", values, made.probe.n_shared),
    CLI_OPTION("nested", values, made.probe.nested),
    OUTPUT_OPTIONS,
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
    .values_size = sizeof(values),
    .run = run_probe,
};

/* ---- an electrode array under a bursting culture --------------------------------------------- */

static const cli_option culture_options[] = {
    CLI_OPTION("events", values, made.culture.n_events),
    CLI_OPTION("units", values, made.culture.n_units),
    CLI_OPTION("tonic-rate", values, made.culture.tonic_hz),
    CLI_OPTION("bursts-per-min", values, made.culture.bursts_per_min),
    CLI_OPTION("burst-spikes", values, made.culture.burst_spikes),
    OUTPUT_OPTIONS,
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
    .values_size = sizeof(values),
    .run = run_culture,
};

/* ---- the command before them ----------------------------------------------------------------- */

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
};
