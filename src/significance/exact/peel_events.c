/*
 * Peeling: the events of a result, and a recording without them.
 *
 * Example: A -> B was counted at (3, 4) and (8, 9):
 *     events    A3   B4   B5   A8   B9        gone: A3 B4 A8 B9        left: B5
 *
 * Invariant: units, extent and segments stay, so that what is found in the rest has the numbers it
 * had. Cost: marking is a look-up for each event of an occurrence; removing copies what is left.
 * Bytes: 12 an event while it is copied.
 */
#include <assert.h>

#include "base/memory.h"
#include "base/stage.h"
#include "pattern/windows.h"
#include "recording/recording.h"
#include "recording/segments.h"
#include "significance/exact/exact.h"
#include "spikemine/occurrences.h"

/* ---- episodes -------------------------------------------------------------------------------- */

typedef struct episode_marks {
    const spk_events *events;
    const uint32_t *unit;
    uint8_t *gone;
} episode_marks;

/* A spk_occurrence_sink; `user` is an episode_marks. */
static spk_status mark_occurrence(void *user, uint32_t size, const int64_t *time)
{
    const episode_marks *m = user;
    for (uint32_t p = 0; p < size; p++) {
        uint64_t entry = spk_unit_first_from(m->events, m->unit[p], time[p]);
        assert(entry < m->events->unit_first[m->unit[p] + 1]);
        assert(m->events->time[m->events->by_unit[entry]] == time[p]);
        m->gone[m->events->by_unit[entry]] = 1;
    }
    return SPK_OK;
}

/* Intervals of the columns become those of the occurrences: the first position has none. */
spk_status spk_peel_mark_episode(spk_context *context, const spk_recording *recording,
                                 const spk_episode_columns *episode, uint8_t *gone)
{
    const spk_events events = spk_recording_events(recording);
    const uint64_t first = episode->offset[0];
    const uint32_t size = (uint32_t)(episode->offset[1] - first);
    episode_marks marks = {&events, episode->unit + first, gone};
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    for (uint32_t p = 1; p < size; p++)
        delays[p - 1] = episode->delays[episode->delay[first + p]];
    return spk_episode_occurrences(context, recording, size, marks.unit, delays, mark_occurrence,
                                   &marks);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* The parts of a tick from the start of the grid to a time within its trial. */
static unsigned __int128 parts_to(const spk_bin_grid *grid, int64_t time)
{
    uint64_t ticks = (uint64_t)time - (uint64_t)grid->first_tick;
    return (unsigned __int128)ticks * grid->scale + grid->offset;
}

/* The events of a unit in a bin, before the trial stops. */
static void mark_bin(const spk_events *events, const spk_bin_grid *grid, uint32_t unit,
                     uint64_t bin, uint8_t *gone)
{
    const uint64_t end = events->unit_first[unit + 1];
    for (uint64_t k = spk_unit_first_from(events, unit, spk_bin_first_tick(grid, bin)); k < end;
         k++) {
        const uint64_t event = events->by_unit[k];
        const int64_t time = events->time[event];
        if (spk_bin_of_long(grid, time) != bin || parts_to(grid, time) >= grid->length)
            return;
        gone[event] = 1;
    }
}

spk_status spk_peel_mark_pattern(spk_context *context, const spk_recording *recording,
                                 const spk_windows *windows, const spk_pattern_columns *pattern,
                                 uint8_t *gone)
{
    const spk_events events = spk_recording_events(recording);
    const spk_window_columns c = spk_windows_columns(windows);
    const uint32_t *item = pattern->item + pattern->offset[0];
    const uint32_t size = (uint32_t)(pattern->offset[1] - pattern->offset[0]);
    spk_pattern_locator *locator = NULL;
    const uint32_t *window = NULL;
    uint32_t n = 0;
    spk_status status = spk_pattern_locator_create(context, windows, &locator);
    if (status == SPK_OK)
        status = spk_pattern_locate(locator, size, item, &window, &n);
    /* A window and a lag tell a bin: all spikes of the unit in it belong to the occurrence. */
    for (uint32_t i = 0; i < n && status == SPK_OK; i++) {
        const spk_bin_grid *grid = &windows->grid[c.trial[window[i]]];
        for (uint32_t k = 0; k < size; k++)
            mark_bin(&events, grid, item[k] / c.window, c.start_bin[window[i]] + item[k] % c.window,
                     gone);
    }
    spk_pattern_locator_free(locator);
    return status;
}

/* ---- what is left ---------------------------------------------------------------------------- */

static void copy_left(const spk_events *events, const uint8_t *gone, spk_recording_parts *parts)
{
    for (uint64_t e = 0; e < events->n_events; e++) {
        if (gone[e])
            continue;
        parts->time[parts->n_events] = events->time[e];
        parts->unit[parts->n_events++] = events->unit[e];
    }
}

spk_status spk_peel_remove(spk_context *context, const spk_recording *recording,
                           const uint8_t *gone, spk_recording **out)
{
    const spk_events *events = &recording->events;
    const char **label = NULL;
    spk_recording_parts parts = spk_recording_frame(recording);
    parts.n_units = events->n_units;
    *out = NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_columns(
        context, "the events that are left", SPK_COLUMN(&parts.time, events->n_events),
        SPK_COLUMN(&parts.unit, events->n_events), SPK_COLUMN(&label, events->n_units));
    if (status == SPK_OK) {
        /* Units stay, also those that have lost all of their events: numbers keep their meaning. */
        for (uint32_t u = 0; u < events->n_units; u++)
            label[u] = spk_recording_label(recording, u);
        copy_left(events, gone, &parts);
        parts.labels = label;
        status = spk_recording_assemble(context, &parts, out);
    }
    spk_free(context, label);
    spk_stage_close(context, &stage);
    return status;
}
