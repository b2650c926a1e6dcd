/* Columns at the door. */
#include "report/check.h"

#include <inttypes.h>

#include "base/context.h"

static spk_status check_size(spk_context *context, uint64_t i, uint64_t size)
{
    if (size >= 1 && size <= SPK_EPISODE_MAX_SIZE)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "episode %" PRIu64 " has %" PRIu64 " positions; an episode has 1 to %u", i,
                    size, SPK_EPISODE_MAX_SIZE);
}

spk_status report_check_episodes(spk_context *context, const spk_recording *recording,
                                 const spk_episode_columns *episodes)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++) {
        uint64_t first = episodes->offset[i];
        uint64_t end = episodes->offset[i + 1];
        status = check_size(context, i, end - first);
        bool exists = status != SPK_OK || episodes->unit[first] < n_units;
        for (uint64_t k = first + 1; k < end && status == SPK_OK; k++)
            exists &= episodes->unit[k] < n_units && episodes->delay[k] < episodes->n_delays;
        if (!exists)
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "episode %" PRIu64 " names a unit or a delay that does not exist; "
                              "take the recording that it was mined from",
                              i);
    }
    return status;
}

spk_status report_check_patterns(spk_context *context, const spk_window_columns *windows,
                                 const spk_pattern_columns *patterns)
{
    if (patterns->window != windows->window)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "patterns of windows of %" PRIu32 " bins do not go with windows of %" PRIu32
                        " bins; take the windows that they were mined from",
                        patterns->window, windows->window);
    uint64_t n_items = (uint64_t)windows->n_units * windows->window;
    for (uint64_t i = 0; i < patterns->n; i++) {
        bool exists = patterns->offset[i] < patterns->offset[i + 1] &&
                      patterns->count[i] <= windows->n_windows;
        for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++)
            exists &= patterns->item[k] < n_items;
        if (!exists)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "pattern %" PRIu64 " is empty, or units or windows of it do not "
                            "exist; take the windows that it was mined from",
                            i);
    }
    return SPK_OK;
}
