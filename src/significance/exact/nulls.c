/*
 * The null hypotheses, one line each. Each is a method of surrogates, whose draws are all equally
 * likely members of a set that the recording belongs to; the method's file says which. What the
 * set's members share may make scores: where all have the same events in windows of jitter, these.
 * Else a draw with a number of its own stands for the set, the stand-in: given the set, it is
 * independent of the recording and of all other draws.
 */
#include <stdio.h>
#include <string.h>

#include "significance/exact/exact.h"

static const exact_null nulls[] = {
    {.facts = {.name = "interval-jitter",
               .method = "interval-jitter",
               .says = "spikes may be anywhere in windows of jitter; a unit's own rhythm is broken",
               .has_history = false},
     .keeps_windows = true},
    {.facts = {.name = "pattern-jitter",
               .method = "pattern-jitter",
               .says = "spikes of a unit within the history move together, each in its window of "
                       "jitter",
               .has_history = true},
     .keeps_windows = true},
    {.facts = {.name = "shift",
               .method = "shift-pieces",
               .says = "spikes of a unit between pauses longer than the history move together, the "
                       "first in its window of jitter",
               .has_history = true}},
    {.facts = {.name = "trials",
               .method = "deal-trials",
               .says = "a unit's trials change places; what is locked to their start is kept",
               .has_history = false}},
};

enum { N_NULLS = sizeof nulls / sizeof nulls[0] };

size_t spk_exact_null_count(void)
{
    return N_NULLS;
}

const spk_exact_null *spk_exact_null_get(size_t k)
{
    return k < N_NULLS ? &nulls[k].facts : NULL;
}

spk_status spk_exact_null_find(spk_context *context, const char *name, const exact_null **out)
{
    char list[128] = "";
    *out = &nulls[0];
    for (size_t k = 0; k < N_NULLS; k++) {
        if (name == NULL || strcmp(name, nulls[k].facts.name) == 0) {
            *out = &nulls[k];
            return SPK_OK;
        }
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", nulls[k].facts.name);
    }
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "no null hypothesis has the name '%.60s'; there are %s", name, list);
}
