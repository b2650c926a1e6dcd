/* spikemine simulate network: independent units with planted chains. */
#include "commands.h"
#include "simulate.h"

typedef struct values {
    cli_simulate_values shared;
    cli_duration duration;
    uint64_t units;
    double rate;
    double rate_spread;
    cli_duration refractory;
    double modulation;
    double modulation_rate;
    uint64_t chains;
    uint64_t chain_size;
    cli_duration delay;
    cli_duration jitter;
    double chain_rate;
    double strength;
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
    spk_network_options o = {.struct_size = sizeof o,
                             .seed = v->shared.seed,
                             .duration = v->duration.value,
                             .n_units = (uint32_t)v->units,
                             .mean_rate_hz = v->rate,
                             .rate_spread = v->rate_spread,
                             .refractory = v->refractory.value,
                             .modulation = v->modulation,
                             .modulation_hz = v->modulation_rate,
                             .n_chains = (uint32_t)v->chains,
                             .chain_size = (uint32_t)v->chain_size,
                             .delay = v->delay.value,
                             .jitter = v->jitter.value,
                             .chain_rate_hz = v->chain_rate,
                             .strength = v->strength};
    spk_status status = spk_simulate_network(session->context, &o, &recording, &truth);
    return cli_simulate_finish(session, &v->shared, status, recording, truth);
}

static const cli_option options[] = {
    CLI_SIMULATE_DURATION("duration", duration, "60s", "length of the recording"),
    CLI_SIMULATE_INTEGER("units", units, "64", 1, SPK_MAX_UNITS,
                         "number of units, labelled 0, 1, ..."),
    CLI_SIMULATE_NUMBER("rate", rate, "HZ", "10", 0, 1000, "mean rate of the units"),
    CLI_SIMULATE_NUMBER(
        "rate-spread", rate_spread, "SIGMA", "0", 0, 5,
        "spread of the rates over the units: sigma of their logarithm (log-normal rates)"),
    CLI_SIMULATE_DURATION(
        "refractory", refractory, "1ms",
        "shortest interval between two spikes of a unit; planted spikes may be closer"),
    CLI_SIMULATE_NUMBER("modulation", modulation, "DEPTH", "0", 0, 1,
                        "depth of a slow modulation of all rates together"),
    CLI_SIMULATE_NUMBER("modulation-rate", modulation_rate, "HZ", "0.2", 0, 1000,
                        "frequency of the modulation"),
    {.name = "chains", .kind = CLI_SECTION},
    CLI_SIMULATE_INTEGER("chains", chains, "2", 0, 100000, "number of planted chains"),
    CLI_SIMULATE_INTEGER("chain-size", chain_size, "5", 2, SPK_MAX_UNITS, "units in a chain"),
    CLI_SIMULATE_DURATION("delay", delay, "5ms", "nominal delay between members of a chain"),
    CLI_SIMULATE_DURATION(
        "jitter", jitter, "1ms",
        "largest difference of a delay from the nominal one; delays are uniform in this range"),
    CLI_SIMULATE_NUMBER("chain-rate", chain_rate, "HZ", "2", 0.000001, 1000,
                        "starts of each chain in a second"),
    CLI_SIMULATE_NUMBER("strength", strength, "P", "0.9", 0, 1,
                        "probability that a further member follows"),
    CLI_SIMULATE_OPTIONS(values, shared),
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
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
