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
               .words = "interval jitter within",
               .has_history = false},
     .keeps_windows = true},
    {.facts = {.name = "pattern-jitter",
               .method = "pattern-jitter",
               .says = "spikes of a unit within the history move together, each in its window of "
                       "jitter",
               .words = "pattern jitter within",
               .has_history = true},
     .keeps_windows = true,
     .fits_pairs = true},
    {.facts = {.name = "shift",
               .method = "shift-pieces",
               .says = "spikes of a unit between pauses longer than the history move together, the "
                       "first in its window of jitter",
               .words = "shift within",
               .has_history = true},
     .fits_pairs = true},
    {.facts = {.name = "shift-apart",
               .method = "shift-apart",
               .says = "each unit moves in a circle by any amount; rates that change together are "
                       "broken",
               .words = "units shifted apart, means within",
               .has_history = false},
     .fits_pairs = true},
    {.facts = {.name = "trials",
               .method = "deal-trials",
               .says = "a unit's trials change places; what is locked to their start is kept",
               .words = "trials dealt anew, means within",
               .has_history = false},
     .fits_pairs = true},
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

/* The number of a name; 0 where there is none. */
static size_t number_of(const char *name)
{
    for (size_t k = 1; name != NULL && k < N_NULLS; k++)
        if (strcmp(name, nulls[k].facts.name) == 0)
            return k;
    return 0;
}

spk_status spk_exact_null_find(spk_context *context, const char *name, const exact_null **out)
{
    char list[128] = "";
    *out = &nulls[number_of(name)];
    if (name == NULL || strcmp(name, (*out)->facts.name) == 0)
        return SPK_OK;
    for (size_t k = 0; k < N_NULLS; k++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", nulls[k].facts.name);
    }
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "no null hypothesis has the name '%.60s'; there are %s", name, list);
}

size_t spk_exact_null_format(const char *null, spk_duration history, const spk_duration *jitter,
                             size_t n_jitter, char *buffer, size_t size)
{
    const spk_exact_null *facts = &nulls[number_of(null)].facts;
    char text[64 * (SPK_EXACT_MAX_SCALES + 2)], part[48];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", facts->words);
    for (size_t k = 0; k < n_jitter && k < SPK_EXACT_MAX_SCALES; k++) {
        spk_duration_format(jitter[k], part, sizeof part);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s", k > 0 ? "," : "", part);
    }
    spk_duration_format(history, part, sizeof part);
    if (facts->has_history && history.digits >= 0)
        snprintf(text + n, sizeof text - n, ", history %s", part);
    return (size_t)snprintf(buffer, size, "%s", text);
}
