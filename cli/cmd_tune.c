/* spikemine tune: measures where the papers' two GPU strategies take the same time. */
#include "commands.h"
#include "session.h"
#include "spikemine/papers.h"

typedef struct values {
    uint64_t gpu;
} values;

static void print_tuning(const spk_papers_tuning *c)
{
    printf("# %s, %d multiprocessors, %.0f GB\n", c->gpu.name, c->gpu.multiprocessors,
           (double)c->gpu.memory / 1e9);
    printf("size\tcrossover\tresident_threads\tshare\tfitted_share\n");
    for (uint32_t k = 0; k < c->n_crossovers; k++) {
        const spk_papers_crossover *x = &c->crossover[k];
        const char *sign = x->crossed ? "" : x->candidates > 1000 ? ">" : "<";
        printf("%u\t%s%.0f\t%llu\t%.4g\t%.4g\n", (unsigned)x->size, sign, x->candidates,
               (unsigned long long)x->resident, x->candidates / (double)x->resident,
               c->a / x->size + c->b);
    }
    printf("# one thread an episode from resident_threads * (%.4g / size %+.4g) candidates on\n",
           c->a, c->b);
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_papers_tuning tuning;
    spk_status status = spk_papers_tune(session->context, (int)v->gpu, &tuning);
    if (status != SPK_OK)
        return cli_report(session, status);
    cli_progress_clear(session);
    print_tuning(&tuning);
    return CLI_DONE;
}

static const cli_option options[] = {
    CLI_OPTION("gpu", values, gpu),
    CLI_END,
};

const cli_command cli_cmd_tune = {
    .name = "tune",
    .arguments = "",
    .gpu = true,
    .summary = "measure a GPU; only engine cuda-hybrid needs it",
    .description =
        "Measures where the papers' two GPU strategies, engines cuda-ptpe and cuda-mtpe, take\n"
        "the same time. Only engine cuda-hybrid uses the result: for each block of candidates\n"
        "it takes the faster strategy.\n"
        "\n"
        "The command times both strategies for episodes of sizes 2 to 8 and finds the number of\n"
        "candidates at which they take the same time. It fits a / size + b to the share of this\n"
        "number in the threads that the GPU holds at once. The result is kept for that GPU in\n"
        "$XDG_CONFIG_HOME/spikemine/gpu.json (~/.config/spikemine/gpu.json). In the table, < and\n"
        "> mark sizes at which one strategy was faster throughout.",
    .examples = "  spikemine tune\n"
                "  spikemine tune --gpu 1",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
