/* Engine time: the segments of a recording one behind the other. */
#include "episode/opened.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/stage.h"
#include "recording/segments.h"

/* From the first to the last event of a segment, the longest of all. */
static uint64_t longest_distance(const spk_recording *recording)
{
    const int64_t *time = recording->events.time;
    uint64_t longest = 0;
    for (size_t k = 0; k < recording->n_segments; k++) {
        spk_event_range range = spk_segment_events(recording, k);
        if (range.last - range.first < 2)
            continue;
        uint64_t distance = (uint64_t)time[range.last - 1] - (uint64_t)time[range.first];
        longest = distance > longest ? distance : longest;
    }
    return longest;
}

/* No two events of a segment are further apart than `most`: a longer delay is none. Returns the
 * largest upper bound. */
static uint64_t bound_delays(uint64_t most, size_t n, spk_tick_delay *delays)
{
    uint64_t largest = 0;
    for (size_t d = 0; d < n; d++) {
        delays[d].hi = delays[d].hi < most ? delays[d].hi : most;
        delays[d].lo = delays[d].lo < delays[d].hi ? delays[d].lo : delays[d].hi;
        largest = delays[d].hi > largest ? delays[d].hi : largest;
    }
    return largest;
}

/* Whether a delay of at most `reach` leads from one segment into another one. */
static bool can_cross(const spk_recording *recording, uint64_t reach)
{
    const int64_t *time = recording->events.time;
    uint64_t end = 0; /* behind the last event of the segments so far */
    for (size_t k = 0; k < recording->n_segments; k++) {
        spk_event_range range = spk_segment_events(recording, k);
        if (range.first == range.last)
            continue;
        if (end > 0 &&
            (range.first < end || (uint64_t)time[range.first] - (uint64_t)time[end - 1] <= reach))
            return true;
        end = range.last > end ? range.last : end;
    }
    return false;
}

/* Appends a segment's events. Two neighbours further apart than `reach` come as near as they may
 * without a delay between them, and so do two segments. False where 64 bit are passed. */
static bool lay_segment(const spk_events *events, spk_event_range range, uint64_t reach,
                        spk_recording_parts *parts)
{
    uint64_t n = parts->n_events;
    for (uint64_t i = range.first; i < range.last; i++, n++) {
        uint64_t step = 0;
        if (i > range.first)
            step = (uint64_t)events->time[i] - (uint64_t)events->time[i - 1];
        if (step > reach || (i == range.first && n > 0))
            step = reach < INT64_MAX ? reach + 1 : INT64_MAX;
        uint64_t before = n > 0 ? (uint64_t)parts->time[n - 1] : 0;
        if (step >= INT64_MAX || before >= INT64_MAX - step)
            return false;
        parts->time[n] = (int64_t)(before + step);
        parts->unit[n] = events->unit[i];
    }
    parts->n_events = n;
    return true;
}

static spk_status fail_length(spk_context *context, const spk_recording *recording)
{
    return spk_fail(context, SPK_ERR_RANGE,
                    "%zu segments one behind the other, with gaps that no delay passes, are longer "
                    "than 64 bit ticks; take shorter delays, or fewer segments at once",
                    recording->n_segments);
}

static spk_status lay_out(spk_context *context, const spk_recording *recording, uint64_t reach,
                          spk_recording **out)
{
    const spk_events *events = &recording->events;
    const char **labels = NULL;
    uint64_t n = spk_recording_counted_events(recording);
    spk_recording_parts parts = {.n_units = events->n_units, .rate = recording->rate};
    if (n > SPK_MAX_EVENTS)
        return spk_fail(context, SPK_ERR_RANGE,
                        "the segments have %" PRIu64 " events together, copies of those in several "
                        "included, more than %u; take fewer segments at once",
                        n, SPK_MAX_EVENTS);
    spk_status status = spk_alloc_columns(context, "segments one behind the other",
                                          SPK_COLUMN(&labels, events->n_units),
                                          SPK_COLUMN(&parts.time, n), SPK_COLUMN(&parts.unit, n));
    if (status != SPK_OK)
        return status;
    for (uint32_t u = 0; u < events->n_units; u++)
        labels[u] = spk_recording_label(recording, u);
    parts.labels = labels;
    bool fits = true;
    for (size_t k = 0; k < recording->n_segments && fits; k++)
        fits = lay_segment(events, spk_segment_events(recording, k), reach, &parts);
    if (fits) {
        status = spk_recording_assemble(context, &parts, out);
    } else {
        status = fail_length(context, recording);
        free(parts.time);
        free(parts.unit);
    }
    free(labels);
    return status;
}

spk_status episode_layout_make(spk_context *context, const spk_recording *recording,
                               size_t n_delays, spk_tick_delay *delays, episode_layout *out)
{
    *out = (episode_layout){.recording = recording};
    if (recording->n_segments < 2)
        return SPK_OK;
    uint64_t reach = bound_delays(longest_distance(recording), n_delays, delays);
    if (!can_cross(recording, reach))
        return SPK_OK;
    spk_stage stage = spk_stage_open(context);
    spk_status status = lay_out(context, recording, reach, &out->own);
    spk_stage_close(context, &stage);
    if (status == SPK_OK)
        out->recording = out->own;
    return status;
}

void episode_layout_free(episode_layout *layout)
{
    spk_recording_free(layout->own);
    *layout = (episode_layout){.recording = NULL};
}
