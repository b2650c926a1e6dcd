/* A recording with further units, which never fire. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/recording.h"

/* The labels of the recording's units, then the further ones. */
static void join_labels(const spk_recording *recording, uint32_t n_labels,
                        const char *const *labels, const char **out)
{
    uint32_t n_units = recording->events.n_units;
    for (uint32_t u = 0; u < n_units; u++)
        out[u] = spk_recording_label(recording, u);
    for (uint32_t k = 0; k < n_labels; k++)
        out[n_units + k] = labels[k];
}

/* What the copy of a part knows of the whole: the further units have no event there. */
static spk_status take_part(spk_context *context, const spk_recording *recording,
                            spk_recording *copy)
{
    uint64_t *count = NULL;
    copy->part = recording->part;
    copy->part.unit_count = NULL;
    if (!recording->part.joined)
        return SPK_OK;
    spk_status status = spk_alloc_zero(context, &count, copy->events.n_units, "counts of units");
    for (uint32_t u = 0; u < recording->events.n_units && status == SPK_OK; u++) {
        uint32_t number = 0;
        bool found = spk_recording_find_unit(copy, spk_recording_label(recording, u), &number);
        assert(found);
        (void)found;
        count[number] = recording->part.unit_count[u];
    }
    copy->part.unit_count = count;
    return status;
}

spk_status spk_recording_add_units(spk_context *context, const spk_recording *recording,
                                   uint32_t n_labels, const char *const *labels,
                                   spk_recording **out)
{
    *out = NULL;
    const spk_events *events = &recording->events;
    const char **all = NULL;
    spk_recording_parts parts = spk_recording_frame(recording);
    if (n_labels > SPK_MAX_UNITS - events->n_units)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%u units and %u further ones are more than %u; add fewer", events->n_units,
                        n_labels, SPK_MAX_UNITS);
    parts.n_events = events->n_events;
    parts.n_units = events->n_units + n_labels;
    spk_status status = spk_alloc_columns(
        context, "a recording with further units", SPK_COLUMN(&all, parts.n_units),
        SPK_COLUMN(&parts.time, events->n_events), SPK_COLUMN(&parts.unit, events->n_events));
    if (status != SPK_OK)
        return status;
    join_labels(recording, n_labels, labels, all);
    parts.labels = all;
    if (events->n_events > 0) {
        memcpy(parts.time, events->time, events->n_events * sizeof *parts.time);
        memcpy(parts.unit, events->unit, events->n_events * sizeof *parts.unit);
    }
    status = spk_recording_assemble(context, &parts, out);
    if (status == SPK_OK) {
        (*out)->facts = recording->facts;
        status = take_part(context, recording, *out);
    }
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    free(all);
    return status;
}
