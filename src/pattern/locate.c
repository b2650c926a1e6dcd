/* Which windows contain a pattern: the windows of its rarest item, each looked through for the
 * rest. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/stage.h"
#include "spikemine/pattern.h"

struct spk_pattern_locator {
    spk_context *context;
    spk_window_columns windows;
    uint64_t
        *first; /* by item: its windows are window[first[item]] .. window[first[item + 1] - 1] */
    uint32_t *window;
    uint32_t *found;
    spk_holding holding;
};

spk_status spk_pattern_locator_create(spk_context *context, const spk_windows *windows,
                                      spk_pattern_locator **out)
{
    *out = NULL;
    spk_pattern_locator *l = NULL;
    spk_status status = spk_alloc_zero(context, &l, 1, "a locator");
    if (status != SPK_OK)
        return status;
    l->context = context;
    l->windows = spk_windows_columns(windows);
    uint64_t n_items = (uint64_t)l->windows.n_units * l->windows.window;
    uint64_t n_entries = l->windows.first[l->windows.n_windows];
    spk_stage stage = spk_stage_open(context);
    status = spk_alloc_columns(context, "a locator", SPK_COLUMN_ZERO(&l->first, n_items + 2),
                               SPK_COLUMN(&l->window, n_entries),
                               SPK_COLUMN(&l->found, l->windows.n_windows));
    spk_stage_keep(context, &stage, &l->holding);
    if (status != SPK_OK) {
        spk_pattern_locator_free(l);
        return status;
    }
    /* Counting sort; counts stand two places on, so that filling leaves the starts in place. */
    for (uint64_t k = 0; k < n_entries; k++)
        l->first[l->windows.item[k] + 2u]++;
    for (uint64_t item = 2; item < n_items + 2; item++)
        l->first[item] += l->first[item - 1];
    for (uint64_t w = 0; w < l->windows.n_windows; w++)
        for (uint64_t k = l->windows.first[w]; k < l->windows.first[w + 1]; k++)
            l->window[l->first[l->windows.item[k] + 1u]++] = (uint32_t)w;
    assert(l->first[n_items] == n_entries);
    *out = l;
    return SPK_OK;
}

void spk_pattern_locator_free(spk_pattern_locator *locator)
{
    if (locator == NULL)
        return;
    free(locator->first);
    free(locator->window);
    free(locator->found);
    spk_holding_release(&locator->holding);
    free(locator);
}

static bool window_has(const spk_window_columns *windows, uint64_t w, uint32_t item)
{
    uint64_t low = windows->first[w], high = windows->first[w + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (windows->item[middle] == item)
            return true;
        if (windows->item[middle] < item)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

spk_status spk_pattern_locate(spk_pattern_locator *locator, uint32_t size, const uint32_t *items,
                              const uint32_t **window, uint32_t *n)
{
    const spk_window_columns *windows = &locator->windows;
    uint64_t fewest = UINT64_MAX;
    uint32_t rarest = 0, found = 0;
    *window = locator->found;
    *n = 0;
    for (uint32_t k = 0; k < size; k++) {
        if (items[k] >= (uint64_t)windows->n_units * windows->window)
            return spk_fail(locator->context, SPK_ERR_ARGUMENT,
                            "item %u is outside %u units x %u bins", items[k], windows->n_units,
                            windows->window);
        uint64_t here = locator->first[items[k] + 1u] - locator->first[items[k]];
        if (here < fewest) {
            fewest = here;
            rarest = items[k];
        }
    }
    if (size == 0)
        return spk_fail(locator->context, SPK_ERR_ARGUMENT, "a pattern needs at least one spike");
    for (uint64_t i = locator->first[rarest]; i < locator->first[rarest + 1u]; i++) {
        bool all = true;
        for (uint32_t k = 0; k < size && all; k++)
            all = items[k] == rarest || window_has(windows, locator->window[i], items[k]);
        if (all)
            locator->found[found++] = locator->window[i];
    }
    *n = found;
    return SPK_OK;
}
