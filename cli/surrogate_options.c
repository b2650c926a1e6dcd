/* The options that say how surrogates are made. */
#include "surrogate_options.h"

#include <string.h>

void cli_interval_options(const cli_interval_values *values, spk_surrogate_options *options)
{
    options->truncation = values->truncation;
    options->n_bins = values->n_bins;
    options->sigma = values->sigma;
    options->alternate = !values->in_order;
    options->use_sqrt = values->use_sqrt;
    options->fast = values->fast;
    options->cutoff = !values->no_cutoff;
}

spk_surrogate_options cli_surrogate_options(const cli_session *session,
                                            const cli_surrogate_values *values)
{
    spk_surrogate_options options;
    spk_surrogate_options_init(&options, sizeof options);
    options.method = values->method;
    options.dither = values->dither;
    options.bin = values->bin;
    if (session->shared->history.given)
        options.history = session->shared->history.value;
    options.edges = values->edges == 0;
    options.refractory = values->refractory;
    cli_interval_options(&values->intervals, &options);
    options.seed = session->shared->seed;
    return options;
}

void cli_surrogate_warn(cli_session *session, const spk_surrogate_options *options)
{
    static const char *const ticks_only = "without a bin, ";
    for (size_t k = 0; k < spk_surrogate_method_count(); k++) {
        const spk_surrogate_method *method = spk_surrogate_method_get(k);
        const char *warning = method->warning;
        bool in_ticks = strncmp(warning, ticks_only, strlen(ticks_only)) == 0;
        if (warning[0] != '\0' && strcmp(method->name, options->method) == 0 &&
            (!in_ticks || options->bin.digits == 0))
            cli_note(session, "surrogates by %s: %s", method->name, warning);
    }
}
