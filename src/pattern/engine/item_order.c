/* Which item comes before which. */
#include "pattern/engine/item_order.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

typedef struct ranked_item {
    uint64_t unit_total; /* windows of the unit's frequent items: rare units first */
    uint32_t unit;
    uint32_t lag;
    uint32_t item;
} ranked_item;

/* Lag-0 items first; then unit by unit, rare ones first, which leaves the busy units, whose items
 * go together at all lags, to the end where the bound on neurons cuts them. */
static int compare_ranked(const void *a, const void *b)
{
    const ranked_item *x = a, *y = b;
    return SPK_BY(SPK_UP(x->lag > 0, y->lag > 0), SPK_UP(x->unit_total, y->unit_total),
                  SPK_UP(x->unit, y->unit), SPK_UP(x->lag, y->lag));
}

static uint64_t n_items_of(const spk_window_columns *windows)
{
    return (uint64_t)windows->n_units * windows->window;
}

/* Windows per item, and per unit over its frequent items. */
static void count_items(const spk_window_columns *windows, uint32_t min_support,
                        uint64_t *unit_total, spk_item_order *out)
{
    for (uint64_t k = windows->first[0]; k < windows->first[windows->n_windows]; k++)
        out->count[windows->item[k]]++;
    for (uint64_t item = 0; item < n_items_of(windows); item++) {
        if (out->count[item] < min_support)
            continue;
        unit_total[item / windows->window] += out->count[item];
        out->n++;
    }
}

static void rank_items(const spk_window_columns *windows, uint32_t min_support,
                       const uint64_t *unit_total, ranked_item *ranked, spk_item_order *out)
{
    uint32_t n = 0;
    for (uint32_t item = 0; item < n_items_of(windows); item++) {
        uint32_t unit = item / windows->window;
        if (out->count[item] >= min_support)
            ranked[n++] = (ranked_item){unit_total[unit], unit, item % windows->window, item};
    }
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    for (uint32_t k = 0; k < n; k++)
        out->item[k] = ranked[k].item;
}

spk_status spk_item_order_find(spk_context *context, const spk_window_columns *windows,
                               uint32_t min_support, spk_item_order *out)
{
    uint64_t *unit_total = NULL;
    ranked_item *ranked = NULL;
    *out = (spk_item_order){.n = 0};
    spk_status status =
        spk_alloc_columns(context, "items", SPK_COLUMN_ZERO(&out->count, n_items_of(windows)),
                          SPK_COLUMN_ZERO(&unit_total, windows->n_units));
    if (status == SPK_OK) {
        count_items(windows, min_support, unit_total, out);
        status = spk_alloc_columns(context, "items", SPK_COLUMN(&ranked, out->n),
                                   SPK_COLUMN(&out->item, out->n));
    }
    if (status == SPK_OK)
        rank_items(windows, min_support, unit_total, ranked, out);
    spk_free(context, ranked);
    spk_free(context, unit_total);
    return status;
}

void spk_item_order_free(spk_item_order *order)
{
    free(order->item);
    free(order->count);
    *order = (spk_item_order){.n = 0};
}
