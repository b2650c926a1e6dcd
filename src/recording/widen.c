/* Units that a list of results names and a recording lacks. */
#include "recording/widen.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

spk_status spk_unit_number(spk_context *context, const spk_recording *recording, spk_labels *absent,
                           const char *label, const char *what, const char *text, uint32_t *unit)
{
    if (spk_recording_find_unit(recording, label, unit))
        return SPK_OK;
    if (absent == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%s '%.200s': the recording has no unit '%.60s'",
                        what, text, label);
    spk_status status = spk_labels_intern(context, absent, label, strlen(label), unit);
    *unit += spk_recording_events(recording).n_units;
    return status;
}

/* "Q, Z and 3 more" */
static void name_some(const spk_labels *labels, char *buffer, size_t size)
{
    enum { SHOWN = 5 };
    size_t used = 0;
    for (uint32_t k = 0; k < labels->n && k < SHOWN && used < size; k++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%.40s", k > 0 ? ", " : "",
                                 spk_labels_text(labels, k));
    if (labels->n > SHOWN && used < size)
        snprintf(buffer + used, size - used, " and %" PRIu32 " more", labels->n - SHOWN);
}

static void note_absent(spk_context *context, const spk_labels *absent, const char *path,
                        const char *results)
{
    char names[320];
    name_some(absent, names, sizeof names);
    spk_note(context, "%s: the recording has no unit %s; %s with %s count 0",
             strcmp(path, "-") == 0 ? "standard input" : path, names, results,
             absent->n == 1 ? "it" : "these");
}

static void find_numbers(const spk_recording *recording, const spk_recording *widened,
                         const spk_labels *absent, uint32_t *number)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    for (uint32_t u = 0; u < n_units + absent->n; u++) {
        const char *label =
            u < n_units ? spk_recording_label(recording, u) : spk_labels_text(absent, u - n_units);
        bool found = spk_recording_find_unit(widened, label, &number[u]);
        assert(found);
        (void)found;
    }
}

spk_status spk_recording_widen(spk_context *context, const spk_recording *recording,
                               const spk_labels *absent, const char *path, const char *results,
                               uint32_t **number, spk_recording **widened)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    const char **labels = NULL;
    *number = NULL;
    *widened = NULL;
    if (absent->n == 0)
        return SPK_OK;
    spk_status status =
        spk_alloc_columns(context, "units without events", SPK_COLUMN(&labels, absent->n),
                          SPK_COLUMN(number, (uint64_t)n_units + absent->n));
    if (status != SPK_OK)
        return status;
    for (uint32_t k = 0; k < absent->n; k++)
        labels[k] = spk_labels_text(absent, k);
    status = spk_recording_add_units(context, recording, absent->n, labels, widened);
    free(labels);
    if (status == SPK_OK) {
        find_numbers(recording, *widened, absent, *number);
        note_absent(context, absent, path, results);
    } else {
        free(*number);
        *number = NULL;
    }
    return status;
}
