/* spikemine simulate sym26: the 26-neuron test data. */
#include "commands.h"
#include "simulate.h"

typedef struct values {
    spk_sym26_options made;
    cli_simulate_values output;
} values;

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_sym26_options made = v->made;
    made.struct_size = sizeof made;
    made.seed = session->shared->seed;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    int code = cli_simulate_check(session, &v->output);
    if (code != CLI_DONE)
        return code;
    spk_status status = spk_simulate_sym26(session->context, &made, &recording, &truth);
    return cli_simulate_finish(session, &v->output, status, recording, truth);
}

static const cli_option options[] = {
    CLI_OPTION("duration", values, made.duration),
    CLI_OPTION("rate", values, made.rate_hz),
    CLI_OPTION("strength", values, made.strength),
    CLI_SIMULATE_OPTIONS(values, output),
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
