/*
 * Shuffled recordings: every unit keeps its number of spikes in every segment, at times drawn
 * uniformly from all sets of so many distinct ticks of the segment, start to stop, stop outside.
 * Every unit has its own sequence of random numbers in every segment; where segments overlap, in
 * every stretch of them (recording/segments.h).
 */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/subset.h"
#include "recording/segments.h"
#include "simulate/simulate.h"

static uint64_t most_spikes(const spk_events *events)
{
    uint64_t most = 0;
    for (uint32_t u = 0; u < events->n_units; u++) {
        uint64_t n = events->unit_first[u + 1] - events->unit_first[u];
        most = n > most ? n : most;
    }
    return most;
}

/* ---- shuffling ------------------------------------------------------------------------------- */

/* One unit in all stretches. The sequence of the first one has the unit's number as index, which is
 * what it was before there were segments. */
static void shuffle_unit(const spk_events *events, const spk_stretches *where, uint32_t unit,
                         uint64_t seed, uint64_t *scratch, uint64_t *drawn,
                         spk_recording_parts *parts)
{
    uint64_t at = events->unit_first[unit], end = events->unit_first[unit + 1];
    for (size_t s = 0; s < where->n && at < end; s++) {
        uint64_t start = (uint64_t)where->stretch[s].start;
        uint64_t bound = (uint64_t)where->stretch[s].stop - start, n = 0;
        for (; at + n < end && events->time[events->by_unit[at + n]] < where->stretch[s].stop;)
            n++;
        at += n;
        if (n == 0)
            continue;
        spk_random random = spk_random_start(seed, SPK_RANDOM_SHUFFLE, unit | (uint64_t)s << 32);
        spk_draw_subset(&random, bound, n, scratch, drawn);
        for (uint64_t i = 0; i < n; i++) {
            assert(drawn[i] < bound);
            parts->time[parts->n_events] = (int64_t)(start + drawn[i]);
            parts->unit[parts->n_events++] = unit;
        }
    }
    assert(at == end);
}

/* Fills the columns, unit by unit. */
static spk_status shuffle_units(spk_context *context, const spk_recording *recording, uint64_t seed,
                                const spk_stretches *where, uint64_t *scratch,
                                spk_recording_parts *parts)
{
    spk_events events = spk_recording_events(recording);
    uint64_t *drawn = scratch + spk_number_set_words(most_spikes(&events));
    spk_status status = SPK_OK;
    for (uint32_t u = 0; u < events.n_units && status == SPK_OK; u++) {
        shuffle_unit(&events, where, u, seed, scratch, drawn, parts);
        spk_progress(context, "shuffling", u + 1, events.n_units);
        status = spk_check_cancel(context);
    }
    return status;
}

spk_status spk_recording_shuffle(spk_context *context, const spk_recording *recording,
                                 uint64_t seed, spk_recording **out)
{
    spk_events events = spk_recording_events(recording);
    spk_recording_parts parts = spk_recording_frame(recording);
    const char **labels = NULL;
    uint64_t *scratch = NULL;
    spk_stretches where = {.n = 0};
    parts.n_units = events.n_units;
    *out = NULL;
    spk_status status = spk_alloc(context, &labels, events.n_units, "unit labels");
    if (status == SPK_OK)
        status = spk_alloc(context, &scratch,
                           spk_number_set_words(most_spikes(&events)) + most_spikes(&events),
                           "shuffled times");
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "event times", SPK_COLUMN(&parts.time, events.n_events),
                                   SPK_COLUMN(&parts.unit, events.n_events));
    if (status == SPK_OK)
        status = spk_stretches_find(context, recording, &where);
    if (status == SPK_OK)
        status = shuffle_units(context, recording, seed, &where, scratch, &parts);
    free(scratch);
    if (status != SPK_OK)
        goto done;
    for (uint32_t u = 0; u < events.n_units; u++)
        labels[u] = spk_recording_label(recording, u);
    parts.labels = labels;
    status = spk_recording_assemble(context, &parts, out);
done:
    spk_stretches_free(&where);
    spk_free_all(parts.time, parts.unit, labels);
    return status;
}
