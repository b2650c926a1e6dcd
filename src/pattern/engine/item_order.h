/*
 * The order of items that the canonical order of patterns goes by (pattern.h): lag-0 items first,
 * then the others unit by unit, units of few windows first.
 */
#ifndef SPK_PATTERN_ENGINE_ITEM_ORDER_H
#define SPK_PATTERN_ENGINE_ITEM_ORDER_H

#include "base/context.h"
#include "spikemine/pattern.h"

/* Frequent items, those in at least min_support windows. */
typedef struct spk_item_order {
    uint32_t n;
    uint32_t *item;  /* in order */
    uint32_t *count; /* of all items, by item: the windows that hold it */
} spk_item_order;

/* To be freed after a failure, too. Errors: SPK_ERR_MEMORY. */
spk_status spk_item_order_find(spk_context *context, const spk_window_columns *windows,
                               uint32_t min_support, spk_item_order *out);
void spk_item_order_free(spk_item_order *order);

#endif
