/* spikemine simulate probe: units as on a probe, with planted sequences. */
#include "commands.h"
#include "simulate.h"

typedef struct values {
    cli_simulate_values shared;
    const char *background;
    cli_duration duration, refractory, stimulus, min_step, max_step, jitter;
    uint64_t units, merged, split, sequences, min_size, max_size, repeats, shared_units;
    double rate, rate_spread, bursts, modulation, modulation_rate, rhythm, rhythm_rate;
    double drift, missed, failing, warp, reversed;
    bool adding_jitter, nested;
} values;

static spk_probe_options options_of(const values *v)
{
    return (spk_probe_options){.struct_size = sizeof(spk_probe_options),
                               .seed = v->shared.seed,
                               .duration = v->duration.value,
                               .n_units = (uint32_t)v->units,
                               .mean_rate_hz = v->rate,
                               .rate_spread = v->rate_spread,
                               .burst_share = v->bursts,
                               .refractory = v->refractory.value,
                               .modulation = v->modulation,
                               .modulation_hz = v->modulation_rate,
                               .stimulus = v->stimulus.value,
                               .rhythm = v->rhythm,
                               .rhythm_hz = v->rhythm_rate,
                               .drift = v->drift,
                               .missed = v->missed,
                               .n_merged = (uint32_t)v->merged,
                               .n_split = (uint32_t)v->split,
                               .n_sequences = (uint32_t)v->sequences,
                               .min_size = (uint32_t)v->min_size,
                               .max_size = (uint32_t)v->max_size,
                               .min_step = v->min_step.value,
                               .max_step = v->max_step.value,
                               .jitter = v->jitter.value,
                               .adding_jitter = v->adding_jitter,
                               .failing = v->failing,
                               .repeats = (uint32_t)v->repeats,
                               .warp = v->warp,
                               .reversed = v->reversed,
                               .n_shared = (uint32_t)v->shared_units,
                               .nested = v->nested};
}

static int run(cli_session *session, const void *raw, int n_arguments, char **arguments)
{
    (void)n_arguments;
    (void)arguments;
    const values *v = raw;
    const spk_probe_options options = options_of(v);
    spk_recording *background = NULL, *recording = NULL;
    spk_truth *truth = NULL;
    int code = cli_simulate_check(session, &v->shared);
    if (code != CLI_DONE)
        return code;
    spk_status status = SPK_OK;
    if (v->background != NULL)
        status = spk_recording_read(session->context, v->background, NULL, &background);
    if (status == SPK_OK)
        status = spk_simulate_probe(session->context, &options, background, &recording, &truth);
    spk_recording_free(background);
    return cli_simulate_finish(session, &v->shared, status, recording, truth);
}

static const cli_option options[] = {
    CLI_OPTION("duration", values, duration),
    CLI_OPTION("units", values, units),
    CLI_OPTION("rate", values, rate),
    CLI_OPTION("rate-spread", values, rate_spread),
    CLI_OPTION("bursts", values, bursts),
    CLI_OPTION("refractory", values, refractory),
    CLI_OPTION("background", values, background),
    CLI_HEADING("rates that change together"),
    CLI_OPTION("modulation", values, modulation),
    CLI_OPTION("modulation-rate", values, modulation_rate),
    CLI_OPTION("stimulus", values, stimulus),
    CLI_OPTION("rhythm", values, rhythm),
    CLI_OPTION("rhythm-rate", values, rhythm_rate),
    CLI_HEADING("recording and sorting"),
    CLI_OPTION("drift", values, drift),
    CLI_OPTION("missed", values, missed),
    CLI_OPTION("merged", values, merged),
    CLI_OPTION("split", values, split),
    CLI_HEADING("sequences"),
    CLI_OPTION("sequences", values, sequences),
    CLI_OPTION("min-size", values, min_size),
    CLI_OPTION("max-size", values, max_size),
    CLI_OPTION("min-step", values, min_step),
    CLI_OPTION("max-step", values, max_step),
    CLI_OPTION("jitter", values, jitter),
    CLI_OPTION("adding-jitter", values, adding_jitter),
    CLI_OPTION("failing", values, failing),
    CLI_OPTION("repeats", values, repeats),
    CLI_OPTION("warp", values, warp),
    CLI_OPTION("reversed", values, reversed),
    CLI_OPTION("shared", values, shared_units),
    CLI_OPTION("nested", values, nested),
    CLI_SIMULATE_OPTIONS(values, shared),
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
