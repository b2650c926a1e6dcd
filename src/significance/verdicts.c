/* Verdicts on any signature. */
#include "significance/verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"

#define MOST_UNKNOWN UINT32_MAX

spk_status spk_verdicts_open(spk_context *context, const spk_maxima_columns *maxima,
                             const spk_signature *signature, uint64_t n, bool published,
                             spk_verdicts *verdicts)
{
    *verdicts = (spk_verdicts){.signature = signature, .n = n};
    if (maxima == NULL)
        return SPK_OK;
    spk_status status = spk_reached_open(context, maxima, published, &verdicts->reached);
    if (status != SPK_OK)
        return status;
    uint64_t entries =
        verdicts->reached.n_durations * ((uint64_t)verdicts->reached.largest_size + 1);
    status = spk_alloc(context, &verdicts->most, entries, "the verdicts on signatures");
    if (status == SPK_OK)
        memset(verdicts->most, 0xff, entries * sizeof *verdicts->most);
    return status;
}

void spk_verdicts_close(spk_verdicts *verdicts)
{
    spk_reached_close(&verdicts->reached);
    free(verdicts->most);
    *verdicts = (spk_verdicts){.n = 0};
}

/* The largest count of a surrogate. */
static uint32_t find_most(spk_verdicts *verdicts, uint32_t size, uint32_t duration)
{
    spk_reached *reached = &verdicts->reached;
    const uint64_t low = spk_first_u32(reached->duration, 0, reached->n_durations, duration);
    if (low == reached->n_durations || reached->duration[low] != duration)
        return 0;
    uint32_t *most = &verdicts->most[low * ((uint64_t)reached->largest_size + 1) + size];
    if (*most == MOST_UNKNOWN) {
        spk_reached_select(reached, size, duration);
        *most = spk_reached_most(reached);
    }
    return *most;
}

bool spk_verdicts_significant(spk_verdicts *verdicts, uint64_t size, uint64_t count,
                              uint32_t duration)
{
    const spk_maxima_columns *maxima = verdicts->reached.maxima;
    if (maxima == NULL || size > UINT32_MAX || count > UINT32_MAX)
        return true;
    const uint32_t z = (uint32_t)size, c = (uint32_t)count;
    const uint32_t d = maxima->by_duration ? duration : 0;
    const spk_signature *tested = spk_signature_find(verdicts->signature, verdicts->n, z, c, d);
    if (tested != NULL)
        return tested->significant;
    return z > verdicts->reached.largest_size || c > find_most(verdicts, z, d);
}
