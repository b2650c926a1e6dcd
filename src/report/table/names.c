/* Texts of units and delays. */
#include "report/table/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Appends the text form of a one-unit episode, which is the unit's label, quoted where needed. */
static spk_status add_unit(spk_context *context, const spk_recording *recording, uint32_t unit,
                           report_names *names, uint64_t *used, uint64_t *capacity)
{
    const uint64_t offset[] = {0, 1};
    const spk_episode_columns alone = {.n = 1, .offset = offset, .unit = &unit};
    size_t n = spk_episode_format(recording, &alone, 0, NULL, 0);
    spk_status status = spk_grow(context, &names->bytes, capacity, *used + n + 1, "labels");
    if (status != SPK_OK)
        return status;
    spk_episode_format(recording, &alone, 0, names->bytes + *used, n + 1);
    *used += n;
    return SPK_OK;
}

static spk_status add_delay(spk_context *context, const spk_delay *delay, report_names *names,
                            uint64_t *used, uint64_t *capacity)
{
    char text[112];
    spk_delay_format(delay, text, sizeof text);
    spk_status status =
        spk_grow(context, &names->bytes, capacity, *used + sizeof text + 2, "labels");
    if (status == SPK_OK)
        *used += (uint64_t)sprintf(names->bytes + *used, " %s ", text);
    return status;
}

spk_status report_names_make(spk_context *context, const spk_recording *recording,
                             const spk_delay *delays, size_t n_delays, report_names *out)
{
    *out = (report_names){.n_units = spk_recording_events(recording).n_units, .n_delays = n_delays};
    uint64_t used = 0;
    uint64_t capacity = 0;
    spk_status status = spk_alloc_columns(context, "labels",
                                          SPK_COLUMN(&out->unit_first, (uint64_t)out->n_units + 1),
                                          SPK_COLUMN(&out->delay_first, n_delays + 1));
    for (uint32_t u = 0; u < out->n_units && status == SPK_OK; u++) {
        out->unit_first[u] = used;
        status = add_unit(context, recording, u, out, &used, &capacity);
    }
    if (status == SPK_OK)
        out->unit_first[out->n_units] = used;
    for (size_t d = 0; d < n_delays && status == SPK_OK; d++) {
        out->delay_first[d] = used;
        status = add_delay(context, &delays[d], out, &used, &capacity);
    }
    if (status == SPK_OK)
        out->delay_first[n_delays] = used;
    else
        report_names_free(out);
    return status;
}

void report_names_free(report_names *names)
{
    free(names->bytes);
    free(names->unit_first);
    free(names->delay_first);
    *names = (report_names){.bytes = NULL};
}

static void write_piece(const report_names *names, const uint64_t *first, FILE *stream)
{
    fwrite(names->bytes + first[0], 1, (size_t)(first[1] - first[0]), stream);
}

void report_names_write(const report_names *names, uint32_t size, const uint32_t *unit,
                        const uint16_t *delay, FILE *stream)
{
    for (uint32_t p = 0; p < size; p++) {
        if (p > 0)
            write_piece(names, names->delay_first + delay[p], stream);
        write_piece(names, names->unit_first + unit[p], stream);
    }
}
