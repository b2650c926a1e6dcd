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
    CLI_OPTION("duration", values, duration),
    CLI_OPTION("units", values, units),
    CLI_OPTION("rate", values, rate),
    CLI_OPTION("rate-spread", values, rate_spread),
    CLI_OPTION("refractory", values, refractory),
    CLI_OPTION("modulation", values, modulation),
    CLI_OPTION("modulation-rate", values, modulation_rate),
    CLI_HEADING("chains"),
    CLI_OPTION("chains", values, chains),
    CLI_OPTION("chain-size", values, chain_size),
    CLI_OPTION("delay", values, delay),
    CLI_OPTION("jitter", values, jitter),
    CLI_OPTION("chain-rate", values, chain_rate),
    CLI_OPTION("strength", values, strength),
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
