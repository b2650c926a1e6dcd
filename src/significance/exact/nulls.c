/*
 * The null hypotheses, one line each. Each is a method of surrogates, whose draws are all equally
 * likely members of a set that the recording belongs to; the method's file says which. What the
 * set's members share may make scores: where all have the same events in windows of jitter, these.
 * Else a draw with a number of its own stands for the set, the stand-in: given the set, it is
 * independent of the recording and of all other draws.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "significance/exact/exact.h"
#include "significance/exact/null.h"
#include "significance/exact/null_inside.h"
#include "significance/surrogates/surrogates.h"

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
/* Fewer pieces leave the shift too few surrogates, and lags that recur by the units' own rhythm
 * look like links. */
enum { ENOUGH_PIECES = 12 };

size_t spk_exact_null_count(void)
{
    return N_NULLS;
}

const spk_exact_null *spk_exact_null_get(size_t k)
{
    return k < N_NULLS ? &nulls[k].facts : NULL;
}

/* The null hypothesis of this name; NULL where there is none. */
static const exact_null *of_name(const char *name)
{
    for (size_t k = 0; name != NULL && k < N_NULLS; k++)
        if (strcmp(name, nulls[k].facts.name) == 0)
            return &nulls[k];
    return NULL;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Whether unit u has as many pieces as units need: series of events of one segment that follow each
 * other within the history. */
static bool has_pieces(const spk_recording *recording, uint32_t u, uint64_t history)
{
    const spk_events e = spk_recording_events(recording);
    size_t n_segments = 0, k = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n_segments);
    uint64_t n = 0;
    for (uint64_t i = e.unit_first[u]; i < e.unit_first[u + 1] && n < ENOUGH_PIECES; i++) {
        const int64_t time = e.time[e.by_unit[i]];
        const bool first = n == 0;
        bool border = false;
        for (; k < n_segments && segment[k].start <= time; k++)
            border = true;
        n += first || border || (uint64_t)time - (uint64_t)e.time[e.by_unit[i - 1]] > history;
    }
    return n == ENOUGH_PIECES;
}

bool spk_exact_has_pauses(const spk_recording *recording, uint64_t window)
{
    const spk_events e = spk_recording_events(recording);
    const uint64_t windows = spk_shift_windows(recording, window);
    const uint64_t history = window > UINT64_MAX / windows ? UINT64_MAX : windows * window;
    uint64_t n_units = 0, n_with = 0;
    for (uint32_t u = 0; u < e.n_units; u++) {
        n_units += e.unit_first[u + 1] > e.unit_first[u];
        n_with += has_pieces(recording, u, history);
    }
    return 2 * n_with >= n_units;
}

const spk_exact_null *spk_exact_null_for(const spk_recording *recording, const spk_duration *jitter,
                                         size_t n_jitter)
{
    uint64_t shortest = UINT64_MAX;
    for (size_t k = 0; k < n_jitter; k++) {
        const uint64_t ticks = spk_duration_ticks(jitter[k], spk_recording_rate(recording));
        shortest = ticks < shortest ? ticks : shortest;
    }
    return &of_name(spk_exact_has_pauses(recording, shortest) ? "shift" : "shift-apart")->facts;
}

spk_status spk_exact_null_find(spk_context *context, const spk_recording *recording,
                               const spk_exact_options *options, const exact_null **out)
{
    const char *name = options->null;
    char list[128] = "";
    if (name == NULL)
        name = spk_exact_null_for(recording, options->jitter, options->n_jitter)->name;
    *out = of_name(name);
    if (*out != NULL)
        return SPK_OK;
    for (size_t k = 0; k < N_NULLS; k++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", nulls[k].facts.name);
    }
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "no null hypothesis has the name '%.60s'; there are %s", name, list);
}

/* ---- words ----------------------------------------------------------------------------------- */

size_t spk_exact_null_format(const char *null, spk_duration history, const spk_duration *jitter,
                             size_t n_jitter, char *buffer, size_t size)
{
    static const spk_exact_null chosen = {.words = "the chosen null hypothesis within"};
    const exact_null *known = of_name(null);
    const spk_exact_null *facts = known != NULL ? &known->facts : &chosen;
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

size_t spk_exact_null_caution(const char *null, const spk_duration *jitter, size_t n_jitter,
                              char *buffer, size_t size)
{
    const exact_null *known = of_name(null);
    char longest[48] = "";
    double most = 0;
    for (size_t k = 0; k < n_jitter; k++)
        if (spk_duration_seconds(jitter[k]) > most) {
            most = spk_duration_seconds(jitter[k]);
            spk_duration_format(jitter[k], longest, sizeof longest);
        }
    if (known != NULL && strcmp(known->facts.name, "shift-apart") == 0)
        return (size_t)snprintf(buffer, size,
                                "units whose rates rise and fall together, as with a stimulus, "
                                "with movement or in sleep, can be significant although none "
                                "follows another, since each is shifted as a whole");
    if (known == NULL || strcmp(known->facts.name, "trials") == 0)
        return (size_t)snprintf(buffer, size, "%s", "");
    return (size_t)snprintf(buffer, size,
                            "units whose rates change together within less than %s, as at the "
                            "start of a stimulus, can be significant although none follows another",
                            longest);
}

/* ---- making and freeing ---------------------------------------------------------------------- */

void spk_null_free(spk_null *null)
{
    if (null == NULL)
        return;
    /* A null is of patterns or of episodes; what the other kind has is NULL. */
    spk_free_all(null->patterns.trial, null->patterns.row, null->patterns.lag,
                 null->patterns.starts, null->patterns.ends, null->patterns.block_order,
                 null->patterns.has_end, null->patterns.chance, null->patterns.rate_starts,
                 null->episodes.delay, null->episodes.first_group, null->episodes.group,
                 null->episodes.events, null->episodes.followers, null->episodes.rate,
                 null->pairs.ratio, null->pairs.excess);
    spk_holding_release(&null->pairs.holding);
    spk_holding_release(&null->holding);
    free(null);
}
