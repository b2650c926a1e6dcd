/* spikemine simulate sym26: the 26-neuron test data. */
#include "commands.h"
#include "simulate.h"

typedef struct values {
    cli_simulate_values shared;
    cli_duration duration;
    double rate;
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
    spk_sym26_options o = {.struct_size = sizeof o,
                           .seed = v->shared.seed,
                           .duration = v->duration.value,
                           .rate_hz = v->rate,
                           .strength = v->strength};
    spk_status status = spk_simulate_sym26(session->context, &o, &recording, &truth);
    return cli_simulate_finish(session, &v->shared, status, recording, truth);
}

static const cli_option options[] = {
    CLI_OPTION("duration", values, duration),
    CLI_OPTION("rate", values, rate),
    CLI_OPTION("strength", values, strength),
    CLI_SIMULATE_OPTIONS(values, shared),
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
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
