/* Orders of rows: a table with a line for each, and the step that puts rows into the one that is
 * asked for. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/sort.h"

/* ---- what rows are ordered by -----------------------------------------------------------------
 */

static double get_p(const spk_analysis *a, uint64_t i)
{
    return a->compared != NULL ? a->compared[i].p : a->exact.verdict[i].p;
}

static double get_count(const spk_analysis *a, uint64_t i)
{
    return a->all.episodes != NULL ? (double)spk_results_episode(&a->all, i).count[0]
                                   : (double)spk_results_pattern(&a->all, i).count[0];
}

static double get_size(const spk_analysis *a, uint64_t i)
{
    const uint64_t *offset = a->all.episodes != NULL ? spk_results_episode(&a->all, i).offset
                                                     : spk_results_pattern(&a->all, i).offset;
    return (double)(offset[1] - offset[0]);
}

static double get_excess(const spk_analysis *a, uint64_t i)
{
    return get_count(a, i) - a->exact.verdict[i].expected;
}

/* The name, what it is, and the number of a result; `falling`: the largest number comes first. */
static const struct order {
    spk_row_order facts;
    double (*get)(const spk_analysis *a, uint64_t i);
    bool falling;
    bool needs_chance; /* an exact test */
} orders[] = {
    {{"p", "the least likely first"}, get_p, false},
    {{"count", "the most frequent first"}, get_count, true},
    {{"size", "the largest first"}, get_size, true},
    {{"excess", "the largest excess over the count by chance first"}, get_excess, true, true},
};

const spk_row_order *spk_row_order_get(size_t k)
{
    return k < sizeof orders / sizeof orders[0] ? &orders[k].facts : NULL;
}

static const struct order *find(const char *name)
{
    for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++)
        if (strcmp(orders[k].facts.name, name) == 0)
            return &orders[k];
    return NULL;
}

/* ---- checks ---------------------------------------------------------------------------------- */

spk_status spk_analysis_check_order(spk_context *context, const spk_analysis_options *o)
{
    const struct order *order = o->order != NULL ? find(o->order) : NULL;
    if (o->order == NULL)
        return SPK_OK;
    if (order == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "there is no order '%s': take one of spk_row_order_get", o->order);
    if (o->exact == NULL && o->compare == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "an order is of an exact test or a comparison: give its options");
    if (o->exact == NULL && order->needs_chance)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the order '%s' is of an exact test: give its options", o->order);
    if (o->peel || o->families)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%s have an order of their own: leave out '%s'",
                        o->peel ? "rounds of peeling" : "families", o->order);
    return SPK_OK;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* The smallest key first; of equal ones the test's order. */
static int compare_keys(const void *context, uint32_t a, uint32_t b)
{
    const double *key = context;
    if (key[a] != key[b])
        return key[a] < key[b] ? -1 : 1;
    return (a > b) - (a < b);
}

spk_status spk_analysis_order(spk_analysis *a)
{
    const uint64_t n = a->n_rows;
    uint32_t *index = NULL;
    uint64_t *number = NULL;
    double *key = NULL;
    if (a->options.order == NULL)
        return SPK_OK;
    const struct order *order = find(a->options.order);
    spk_status status = spk_alloc_columns(a->context, "the order of results", SPK_COLUMN(&index, n),
                                          SPK_COLUMN(&number, n), SPK_COLUMN(&key, n));
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        const double value = order->get(a, a->number[k]);
        key[k] = order->falling ? -value : value;
        index[k] = (uint32_t)k;
        number[k] = a->number[k];
    }
    if (status == SPK_OK)
        status = spk_sort_indices(a->context, n, index, compare_keys, key);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++)
        a->number[k] = number[index[k]];
    spk_free_all(index, number, key);
    return status;
}
