/* spikemine simulate probe: units as on a probe, with planted sequences. */
#include "commands.h"
#include "simulate.h"

typedef struct values {
    spk_probe_options made;
    const char *background;
    cli_simulate_values output;
} values;

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_probe_options made = v->made;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *background = NULL, *recording = NULL;
    spk_truth *truth = NULL;
    int code = cli_simulate_check(session, &v->output);
    if (code != CLI_DONE)
        return code;
    spk_status status = SPK_OK;
    if (v->background != NULL)
        status = spk_recording_read(session->context, v->background, NULL, &background);
    if (status == SPK_OK)
        status = spk_simulate_probe(session->context, &made, background, &recording, &truth);
    spk_recording_free(background);
    return cli_simulate_finish(session, &v->output, status, recording, truth);
}

static const cli_option options[] = {
    CLI_OPTION("duration", values, made.duration),
    CLI_OPTION("units", values, made.n_units),
    CLI_OPTION("rate", values, made.mean_rate_hz),
    CLI_OPTION("rate-spread", values, made.rate_spread),
    CLI_OPTION("bursts", values, made.burst_share),
    CLI_OPTION("refractory", values, made.refractory),
    CLI_OPTION("background", values, background),
    CLI_HEADING("rates that change together"),
    CLI_OPTION("modulation", values, made.modulation),
    CLI_OPTION("modulation-rate", values, made.modulation_hz),
    CLI_OPTION("stimulus", values, made.stimulus),
    CLI_OPTION("rhythm", values, made.rhythm),
    CLI_OPTION("rhythm-rate", values, made.rhythm_hz),
    CLI_HEADING("recording and sorting"),
    CLI_OPTION("drift", values, made.drift),
    CLI_OPTION("missed", values, made.missed),
    CLI_OPTION("merged", values, made.n_merged),
    CLI_OPTION("split", values, made.n_split),
    CLI_HEADING("sequences"),
    CLI_OPTION("sequences", values, made.n_sequences),
    CLI_OPTION("min-size", values, made.min_size),
    CLI_OPTION("max-size", values, made.max_size),
    CLI_OPTION("min-step", values, made.min_step),
    CLI_OPTION("max-step", values, made.max_step),
    CLI_OPTION("jitter", values, made.jitter),
    CLI_OPTION("adding-jitter", values, made.adding_jitter),
    CLI_OPTION("failing", values, made.failing),
    CLI_OPTION("repeats", values, made.repeats),
    CLI_OPTION("warp", values, made.warp),
    CLI_OPTION("reversed", values, made.reversed),
    CLI_OPTION("shared", values, made.n_shared),
    CLI_OPTION("nested", values, made.nested),
    CLI_SIMULATE_OPTIONS(values, output),
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
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
