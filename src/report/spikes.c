/* Which spikes an occurrence of a pattern is made of. */
#include "report/spikes.h"

#include "recording/segments.h"

/* The first event of a unit at or after a time; false when there is none. */
static bool find_event(const spk_events *events, uint32_t unit, int64_t from, int64_t *time)
{
    const uint64_t first = spk_unit_first_from(events, unit, from);
    const bool found = first < events->unit_first[unit + 1];
    if (found)
        *time = events->time[events->by_unit[first]];
    return found;
}

/* In a bin in which a unit fires begins a window, so that the bin's first tick is known. */
spk_status report_pattern_spikes(spk_context *context, const spk_recording *recording,
                                 const spk_window_columns *windows, double bin_ticks, uint64_t w,
                                 uint32_t size, const uint32_t *item, int64_t *time)
{
    const spk_events events = spk_recording_events(recording);
    uint64_t at = w;
    for (uint32_t k = 0; k < size; k++) {
        const uint64_t bin = windows->start_bin[w] + item[k] % windows->window;
        while (at + 1 < windows->n_windows && windows->trial[at] == windows->trial[w] &&
               windows->start_bin[at] < bin)
            at++;
        if (windows->trial[at] != windows->trial[w] || windows->start_bin[at] != bin ||
            !find_event(&events, item[k] / windows->window, windows->start_time[at], &time[k]) ||
            (double)(time[k] - windows->start_time[at]) >= bin_ticks)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "a pattern lies where the recording has no spike; take the recording "
                            "that the windows were made from");
    }
    return SPK_OK;
}
