/*
 * Which windows contain a pattern. Each item has the list of its windows and, unless items are very
 * rare, a row of bits, one a window. Common items are met by rows, 64 windows a step; of a rare
 * item each window is looked up in the rows of the others, or in the window's items where there are
 * no rows.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/stage.h"
#include "pattern/engine/item_order.h"
#include "spikemine/occurrences.h"
#include "spikemine/pattern.h"

struct spk_pattern_locator {
    spk_context *context;
    spk_window_columns windows;
    uint64_t
        *first; /* by item: its windows are window[first[item]] .. window[first[item + 1] - 1] */
    uint32_t *window;
    uint64_t n_words; /* of a row */
    uint64_t *row;    /* n_words an item; NULL: no rows */
    uint32_t *found;
    spk_holding holding;
};

/* Bytes that rows may take for each entry of the lists, which take 4. */
enum { ROW_BYTES_PER_ENTRY = 8 };

/* The number of words of all rows; 0: the lists are so short that there are none. */
static uint64_t count_words(uint64_t n_items, uint64_t n_windows, uint64_t n_entries)
{
    uint64_t per_row = (n_windows + 63) / 64;
    uint64_t limit = n_entries * ROW_BYTES_PER_ENTRY / sizeof(uint64_t);
    return n_items > 0 && per_row <= limit / n_items ? per_row * n_items : 0;
}

/* Counting sort; counts stand two places on, so that filling leaves the starts in place. */
static void fill(spk_pattern_locator *l, uint64_t n_items)
{
    const spk_window_columns *windows = &l->windows;
    const uint64_t n_entries = windows->first[windows->n_windows];
    for (uint64_t k = 0; k < n_entries; k++)
        l->first[windows->item[k] + 2u]++;
    for (uint64_t item = 2; item < n_items + 2; item++)
        l->first[item] += l->first[item - 1];
    for (uint64_t w = 0; w < windows->n_windows; w++)
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            const uint32_t item = windows->item[k];
            l->window[l->first[item + 1u]++] = (uint32_t)w;
            if (l->row != NULL)
                l->row[item * l->n_words + w / 64] |= UINT64_C(1) << w % 64;
        }
    assert(l->first[n_items] == n_entries);
}

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
    uint64_t n_words = count_words(n_items, l->windows.n_windows, n_entries);
    spk_stage stage = spk_stage_open(context);
    status = spk_alloc_columns(context, "a locator", SPK_COLUMN_ZERO(&l->first, n_items + 2),
                               SPK_COLUMN(&l->window, n_entries),
                               SPK_COLUMN(&l->found, l->windows.n_windows));
    if (status == SPK_OK && n_words > 0) {
        status = spk_alloc_zero(context, &l->row, n_words, "a locator");
        l->n_words = n_words / n_items;
    }
    spk_stage_keep(context, &stage, &l->holding);
    if (status != SPK_OK) {
        spk_pattern_locator_free(l);
        return status;
    }
    fill(l, n_items);
    *out = l;
    return SPK_OK;
}

void spk_pattern_locator_free(spk_pattern_locator *locator)
{
    if (locator == NULL)
        return;
    spk_free_all(locator->first, locator->window, locator->row, locator->found);
    spk_holding_release(&locator->holding);
    free(locator);
}

/* Whether window w has all items but the rarest, of which it is a window. */
static bool has_others(const spk_pattern_locator *l, uint32_t size, const uint32_t *items,
                       uint32_t rarest, uint32_t w)
{
    for (uint32_t k = 0; k < size; k++) {
        if (items[k] == rarest)
            continue;
        bool has = l->row != NULL ? l->row[items[k] * l->n_words + w / 64] >> w % 64 & 1
                                  : spk_window_has(&l->windows, w, items[k]);
        if (!has)
            return false;
    }
    return true;
}

/* The windows that all rows have. */
static uint32_t meet_rows(spk_pattern_locator *l, uint32_t size, const uint32_t *items)
{
    uint32_t n = 0;
    for (uint64_t word = 0; word < l->n_words; word++) {
        uint64_t all = ~UINT64_C(0);
        for (uint32_t k = 0; k < size && all != 0; k++)
            all &= l->row[items[k] * l->n_words + word];
        for (; all != 0; all &= all - 1)
            l->found[n++] = (uint32_t)(word * 64 + (uint32_t)__builtin_ctzll(all));
    }
    return n;
}

static uint64_t count_windows(const spk_pattern_locator *l, uint32_t item)
{
    return l->first[item + 1u] - l->first[item];
}

spk_status spk_pattern_locate(spk_pattern_locator *locator, uint32_t size, const uint32_t *items,
                              const uint32_t **window, uint32_t *n)
{
    const spk_window_columns *windows = &locator->windows;
    *window = locator->found;
    *n = 0;
    if (size == 0)
        return spk_fail(locator->context, SPK_ERR_ARGUMENT, "a pattern needs at least one spike");
    uint32_t rarest = items[0];
    for (uint32_t k = 0; k < size; k++) {
        if (items[k] >= (uint64_t)windows->n_units * windows->window)
            return spk_fail(locator->context, SPK_ERR_ARGUMENT,
                            "item %u is outside %u units x %u bins", items[k], windows->n_units,
                            windows->window);
        if (count_windows(locator, items[k]) < count_windows(locator, rarest))
            rarest = items[k];
    }
    const uint64_t fewest = count_windows(locator, rarest);
    if (locator->row != NULL && fewest > locator->n_words) {
        *n = meet_rows(locator, size, items);
        return SPK_OK;
    }
    for (uint64_t i = 0; i < fewest; i++) {
        uint32_t w = locator->window[locator->first[rarest] + i];
        if (has_others(locator, size, items, rarest, w))
            locator->found[(*n)++] = w;
    }
    return SPK_OK;
}
