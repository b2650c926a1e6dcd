/* The units of a watch. */
#include "live/watch_units.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void watch_units_clear(watch_units *units)
{
    spk_labels_clear(&units->labels);
    spk_holding_release(&units->holding);
    free(units->stream_unit);
    free(units->own);
    *units = (watch_units){.n_met = 0};
}

spk_status watch_units_number(spk_context *context, watch_units *units, const char *label,
                              uint32_t *number)
{
    uint32_t n = units->labels.n;
    spk_status status = spk_grow(context, &units->stream_unit, &units->stream_unit_capacity,
                                 (uint64_t)n + 1, "watched units");
    if (status == SPK_OK)
        status = spk_labels_intern(context, &units->labels, label, strlen(label), number);
    if (status == SPK_OK && *number == n) {
        units->stream_unit[n] = UINT32_MAX;
        units->n_met = 0; /* the stream may have it already */
    }
    return status;
}

spk_status watch_units_meet(spk_context *context, watch_units *units, const spk_live_stream *stream)
{
    uint32_t n = spk_live_stream_n_units(stream);
    if (n == units->n_met)
        return SPK_OK;
    const spk_stage stage = spk_stage_open(context);
    spk_status status = spk_grow(context, &units->own, &units->own_capacity, n, "watched units");
    spk_stage_keep(context, &stage, &units->holding);
    for (uint32_t u = units->n_met; u < n && status == SPK_OK; u++) {
        const char *label = spk_live_stream_label(stream, u);
        uint32_t own = UINT32_MAX;
        if (units->labels.n > 0 && spk_labels_find(&units->labels, label, strlen(label), &own))
            units->stream_unit[own] = u;
        else
            own = UINT32_MAX;
        units->own[u] = own;
        units->n_met = u + 1;
    }
    return status;
}
