/* spikemine simulate network: independent units with planted chains. */
#include "commands.h"
#include "simulate.h"

typedef struct values {
    spk_network_options made;
    cli_simulate_values output;
} values;

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_network_options made = v->made;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    int code = cli_simulate_check(session, &v->output);
    if (code != CLI_DONE)
        return code;
    spk_status status = spk_simulate_network(session->context, &made, &recording, &truth);
    return cli_simulate_finish(session, &v->output, status, recording, truth);
}

static const cli_option options[] = {
    CLI_OPTION("duration", values, made.duration),
    CLI_OPTION("units", values, made.n_units),
    CLI_OPTION("rate", values, made.mean_rate_hz),
    CLI_OPTION("rate-spread", values, made.rate_spread),
    CLI_OPTION("refractory", values, made.refractory),
    CLI_OPTION("modulation", values, made.modulation),
    CLI_OPTION("modulation-rate", values, made.modulation_hz),
    CLI_HEADING("chains"),
    CLI_OPTION("chains", values, made.n_chains),
    CLI_OPTION("chain-size", values, made.chain_size),
    CLI_OPTION("delay", values, made.delay),
    CLI_OPTION("jitter", values, made.jitter),
    CLI_OPTION("chain-rate", values, made.chain_rate_hz),
    CLI_OPTION("strength", values, made.strength),
    CLI_SIMULATE_OPTIONS(values, output),
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
