/*
 * Puts what the fpgrowth engine found into the canonical order of patterns.
 *
 * That is the order in which a search visits closed sets that adds items of ascending rank
 * (item_order.h) and closes: each set before those that it leads to. A set P leads to a larger one
 * where the items of P before the first further item already decide which windows hold P. So two
 * sets compare by the first item, in rank, that only one of them has: the set with it comes first,
 * unless the other one leads to it.
 */
#ifndef SPK_PATTERN_ENGINE_FPGROWTH_ORDER_H
#define SPK_PATTERN_ENGINE_FPGROWTH_ORDER_H

#include "pattern/engine/fpgrowth/mine.h"
#include "pattern/engine/item_order.h"

/* The closed patterns in order; their items are ranks, ascending, from now on, of which
 * items->item[rank] is the item. */
typedef struct spk_fp_list {
    uint64_t n;
    spk_fp_pattern **pattern;
} spk_fp_list;

/* After spk_fp_job_mark_closed. `out` and `items` are to be freed after a failure, too. Errors:
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_fp_job_order(spk_fp_job *job, const spk_window_columns *windows,
                            spk_item_order *items, spk_fp_list *out);
void spk_fp_list_free(spk_fp_list *list, spk_budget *budget);

#endif
