/* The options that say how surrogates are made. */
#include "surrogate_options.h"

#include <string.h>

spk_surrogate_options cli_surrogate_options(const cli_session *session,
                                            const cli_surrogate_values *values)
{
    const cli_shared *v = session->shared;
    spk_surrogate_options options = values->made, usual;
    spk_surrogate_options_init(&usual, sizeof usual);
    options.struct_size = sizeof options;
    options.method = options.method != NULL ? options.method : usual.method;
    options.history = v->history.given ? v->history.value : usual.history;
    options.edges = values->edges == 0;
    options.alternate = !values->in_order;
    options.cutoff = !values->no_cutoff;
    options.seed = v->seed;
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
