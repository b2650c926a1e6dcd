/* spikemine simulate culture: an electrode array under a bursting culture. */
#include "commands.h"
#include "simulate.h"

typedef struct values {
    spk_culture_options made;
    cli_simulate_values output;
} values;

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_culture_options made = v->made;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    int code = cli_simulate_check(session, &v->output);
    if (code != CLI_DONE)
        return code;
    spk_status status = spk_simulate_culture(session->context, &made, &recording, &truth);
    return cli_simulate_finish(session, &v->output, status, recording, truth);
}

static const cli_option options[] = {
    CLI_OPTION("events", values, made.n_events),
    CLI_OPTION("units", values, made.n_units),
    CLI_OPTION("tonic-rate", values, made.tonic_hz),
    CLI_OPTION("bursts-per-min", values, made.bursts_per_min),
    CLI_OPTION("burst-spikes", values, made.burst_spikes),
    CLI_SIMULATE_OPTIONS(values, output),
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
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
