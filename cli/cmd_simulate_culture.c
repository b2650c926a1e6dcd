/* spikemine simulate culture: an electrode array under a bursting culture. */
#include "commands.h"
#include "simulate.h"

typedef struct values {
    cli_simulate_values shared;
    uint64_t events;
    uint64_t units;
    double tonic_rate;
    double bursts_per_min;
    double burst_spikes;
} values;

static int run(cli_session *session, const void *raw, int n_arguments, char **arguments)
{
    (void)n_arguments;
    (void)arguments;
    const values *v = raw;
    int code = cli_simulate_check(session, &v->shared);
    if (code != CLI_DONE)
        return code;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    spk_culture_options o = {.struct_size = sizeof o,
                             .seed = v->shared.seed,
                             .n_events = v->events,
                             .n_units = (uint32_t)v->units,
                             .tonic_hz = v->tonic_rate,
                             .bursts_per_min = v->bursts_per_min,
                             .burst_spikes = v->burst_spikes};
    spk_status status = spk_simulate_culture(session->context, &o, &recording, &truth);
    return cli_simulate_finish(session, &v->shared, status, recording, truth);
}

static const cli_option options[] = {
    CLI_OPTION("events", values, events),
    CLI_OPTION("units", values, units),
    CLI_OPTION("tonic-rate", values, tonic_rate),
    CLI_OPTION("bursts-per-min", values, bursts_per_min),
    CLI_OPTION("burst-spikes", values, burst_spikes),
    CLI_SIMULATE_OPTIONS(values, shared),
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
