/*
 * Which engine "auto" takes, and why: the one place that decides.
 *
 * bitmap visits only closed patterns with a lag-0 item and needs memory for the depth of the search
 * alone; it is the faster one on every job that was measured, from two windows to dense recordings.
 */
#include <string.h>

#include "pattern/engine/engine.h"

static const spk_pattern_engine *find(const char *name)
{
    const spk_pattern_engine *const *engines;
    size_t n = spk_pattern_engines(&engines);
    for (size_t k = 0; k < n; k++)
        if (strcmp(engines[k]->name, name) == 0)
            return engines[k];
    return NULL;
}

spk_status spk_pattern_engine_choose(spk_context *context, const char *name,
                                     const spk_window_columns *windows,
                                     const spk_pattern_limits *limits,
                                     const spk_pattern_engine **out, const char **choice)
{
    (void)windows, (void)limits; /* no job was found yet where another engine wins */
    bool automatic = name == NULL || strcmp(name, "auto") == 0;
    *choice = automatic ? "visits only what can be reported, in memory that does not grow" : "";
    *out = find(automatic ? "bitmap" : name);
    if (*out == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "there is no pattern engine '%s'; spikemine engines lists them", name);
    char reason[160] = "";
    if (!(*out)->available(reason, sizeof reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "engine %s is not available: %s",
                        (*out)->name, reason);
    return SPK_OK;
}
