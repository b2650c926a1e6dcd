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
    CLI_SIMULATE_DURATION("duration", duration, "90s", "length of the recording"),
    CLI_SIMULATE_INTEGER("units", units, "40", 1, SPK_MAX_UNITS,
                         "number of units, labelled 0, 1, ..."),
    CLI_SIMULATE_NUMBER("rate", rate, "HZ", "5", 0, 1000, "mean rate of the units"),
    CLI_SIMULATE_NUMBER(
        "rate-spread", rate_spread, "SIGMA", "1", 0, 5,
        "spread of the rates over the units: sigma of their logarithm (log-normal rates)"),
    CLI_SIMULATE_NUMBER("bursts", bursts, "SHARE", "0", 0, 1,
                        "share of the units that fire in bursts: spikes 3 to 6 ms apart"),
    CLI_SIMULATE_DURATION(
        "refractory", refractory, "2ms",
        "shortest interval between two spikes of a unit, of which one is not planted"),
    {.name = "background",
     .kind = CLI_TEXT,
     .argument = "REC",
     .offset = offsetof(values, background),
     .help =
         "take the units of this recording in place of simulated ones, each shifted in a circle "
         "by itself: they keep their rhythms, and lose what holds between them. `convert` makes "
         "a file of it that needs no further options"},
    {.name = "rates that change together", .kind = CLI_SECTION},
    CLI_SIMULATE_NUMBER("modulation", modulation, "DEPTH", "0", 0, 1,
                        "depth of a slow modulation of all rates together"),
    CLI_SIMULATE_NUMBER("modulation-rate", modulation_rate, "HZ", "0.2", 0, 1000,
                        "frequency of the modulation"),
    CLI_SIMULATE_DURATION(
        "stimulus", stimulus, "0",
        "mean interval of stimuli, 0 for none: behind each one, units fire five times as much "
        "for 50 ms, each with a latency of its own (20 to 150 ms)"),
    CLI_SIMULATE_NUMBER("rhythm", rhythm, "DEPTH", "0", 0, 1,
                        "depth of an oscillation, to which each unit has its own phase"),
    CLI_SIMULATE_NUMBER("rhythm-rate", rhythm_rate, "HZ", "8", 0, 1000,
                        "frequency of the oscillation"),
    {.name = "recording and sorting", .kind = CLI_SECTION},
    CLI_SIMULATE_NUMBER("drift", drift, "SHARE", "0", 0, 1,
                        "share of the units that fade in or out from begin to end"),
    CLI_SIMULATE_NUMBER("missed", missed, "SHARE", "0", 0, 1,
                        "share of all spikes that are missed"),
    CLI_SIMULATE_INTEGER("merged", merged, "0", 0, 100000,
                         "pairs of units that are taken for one, labelled as 3+17"),
    CLI_SIMULATE_INTEGER("split", split, "0", 0, 100000,
                         "units whose spikes are dealt to two, labelled as 5 and 5b"),
    {.name = "sequences", .kind = CLI_SECTION},
    CLI_SIMULATE_INTEGER("sequences", sequences, "2", 0, 100000, "number of planted sequences"),
    CLI_SIMULATE_INTEGER("min-size", min_size, "5", 2, 100000, "fewest members of a sequence"),
    CLI_SIMULATE_INTEGER("max-size", max_size, "7", 2, 100000, "most members of a sequence"),
    CLI_SIMULATE_DURATION("min-step", min_step, "10ms",
                          "shortest lag between neighbouring members"),
    CLI_SIMULATE_DURATION(
        "max-step", max_step, "30ms",
        "longest lag between neighbouring members; both 0 make them fire at once"),
    CLI_SIMULATE_DURATION("jitter", jitter, "2ms",
                          "standard deviation of each spike's time (normal)"),
    CLI_SIMULATE_FLAG("adding-jitter", adding_jitter,
                      "a member's jitter moves all later members, too"),
    CLI_SIMULATE_NUMBER("failing", failing, "SHARE", "0.1", 0, 1,
                        "share of planted spikes that are missing"),
    CLI_SIMULATE_INTEGER("repeats", repeats, "30", 1, 10000000, "occurrences of each sequence"),
    CLI_SIMULATE_NUMBER("warp", warp, "FACTOR", "1", 1, 10,
                        "an occurrence takes 1/FACTOR to FACTOR times as long as its lags say"),
    CLI_SIMULATE_NUMBER("reversed", reversed, "SHARE", "0", 0, 1,
                        "share of the occurrences in reverse order"),
    CLI_SIMULATE_INTEGER("shared", shared_units, "0", 0, 100000,
                         "members of each sequence that the next one has, too"),
    CLI_SIMULATE_FLAG(
        "nested", nested,
        "each second sequence is the inner half of the one before, at times of its own"),
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
