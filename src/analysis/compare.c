/* The comparison of two conditions, by result: the order of rows. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/sort.h"

/* The least likely first, then the largest difference; of equal ones the search's order. */
static int compare_verdicts(const void *context, uint32_t a, uint32_t b)
{
    const spk_compare_verdict *verdict = context, *x = &verdict[a], *y = &verdict[b];
    return SPK_BY(SPK_UP(x->p, y->p), SPK_DOWN(fabs(x->z), fabs(y->z)), SPK_UP(a, b));
}

/* The score falls from row to row, for the choice of the best. */
static void take_order(spk_analysis *a, const uint32_t *index, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++) {
        a->number[k] = index[k];
        a->score[index[k]] = (uint32_t)(n - k);
    }
    a->n_rows = n;
}

static spk_status choose_rows(spk_analysis *a, uint64_t n)
{
    const spk_compare_verdict *verdict = a->compared;
    uint32_t *index = NULL;
    uint64_t n_rows = 0;
    spk_status status = spk_alloc(a->context, &index, n, "the order of results");
    for (uint64_t i = 0; i < n && status == SPK_OK; i++) {
        const bool significant = verdict[i].p <= a->comparison.alpha;
        if (significant)
            a->columns.n_more[verdict[i].z > 0]++;
        if (significant || a->options.report == SPK_REPORT_ALL)
            index[n_rows++] = (uint32_t)i;
    }
    if (status == SPK_OK)
        status = spk_sort_indices(a->context, n_rows, index, compare_verdicts, verdict);
    if (status == SPK_OK)
        take_order(a, index, n_rows);
    free(index);
    return status;
}

static spk_status test(spk_analysis *a)
{
    const uint64_t n = spk_results_count(&a->all);
    spk_compare_report *r = &a->compare_report;
    spk_status status = spk_alloc_columns(a->context, "the comparison", SPK_COLUMN(&a->compared, n),
                                          SPK_COLUMN_ZERO(&a->score, n));
    if (status == SPK_OK)
        status = spk_results_compare(a->context, &a->all, &a->comparison, a->compared, &r->summary);
    if (status == SPK_OK)
        status = choose_rows(a, n);
    r->seed = a->comparison.seed;
    r->alpha = a->comparison.alpha;
    r->n_significant = a->columns.n_more[0] + a->columns.n_more[1];
    return status;
}

static spk_status fill(spk_analysis *a)
{
    spk_status status =
        spk_alloc(a->context, &a->compare_rows, a->n_rows, "the rows of a comparison");
    for (uint64_t k = 0; k < a->n_rows && status == SPK_OK; k++)
        a->compare_rows[k] = a->compared[a->number[k]];
    a->compare_report.n_rows = a->n_rows;
    a->compare_report.verdict = a->compare_rows;
    a->columns.compare = &a->compare_report;
    return status;
}

const spk_judge spk_compare_judge = {NULL, NULL, NULL, test, fill};
