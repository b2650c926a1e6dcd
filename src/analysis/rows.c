/* What an exact test says of rows, in columns. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory.h"

static spk_status reserve(spk_context *context, spk_exact_rows *rows, size_t n_scales)
{
    if (rows->n + 1 < rows->capacity)
        return SPK_OK;
    spk_stage stage = spk_stage_open(context);
    spk_status status =
        spk_grow_columns(context, &rows->capacity, rows->n + 2, "the rows of a test",
                         SPK_COLUMN(&rows->verdict, 1), SPK_COLUMN(&rows->expected, 1),
                         SPK_COLUMN(&rows->scale_p, n_scales), SPK_COLUMN(&rows->left_out, 1),
                         SPK_COLUMN(&rows->means, 1), SPK_COLUMN(&rows->direction_p, 1),
                         SPK_COLUMN(&rows->round, 1), SPK_COLUMN(&rows->lag_first, 1));
    if (status == SPK_OK)
        status = spk_grow(context, &rows->lag_s, &rows->lag_capacity, 1, "lags");
    if (status == SPK_OK && rows->n == 0)
        rows->lag_first[0] = 0;
    spk_stage_close(context, &stage);
    const size_t row = sizeof *rows->verdict + sizeof *rows->expected +
                       n_scales * sizeof *rows->scale_p + sizeof *rows->left_out +
                       sizeof *rows->means + sizeof *rows->direction_p + sizeof *rows->round +
                       sizeof *rows->lag_first;
    spk_holding_set(context, &rows->holding,
                    rows->capacity * row + rows->lag_capacity * sizeof *rows->lag_s);
    return status;
}

spk_status spk_exact_rows_add(spk_analysis *a, const spk_peel_round *row)
{
    spk_exact_rows *rows = &a->exact_rows;
    const size_t n_scales = a->test.n_jitter;
    spk_status status = reserve(a->context, rows, n_scales);
    if (status != SPK_OK)
        return status;
    const uint64_t k = rows->n++;
    rows->verdict[k] = row->verdict;
    rows->expected[k] = row->verdict.expected;
    memcpy(rows->scale_p + k * n_scales, row->scale_p, n_scales * sizeof *rows->scale_p);
    rows->left_out[k] = row->left_out;
    rows->means[k] = row->means;
    rows->direction_p[k] = row->direction_p;
    rows->round[k] = row->number;
    return spk_lags_add(a, row, k);
}

void spk_exact_rows_free(spk_exact_rows *rows)
{
    spk_free_all(rows->verdict, rows->expected, rows->scale_p, rows->left_out, rows->means,
                 rows->direction_p, rows->round, rows->lag_first, rows->lag_s);
    spk_holding_release(&rows->holding);
    *rows = (spk_exact_rows){.n = 0};
}

spk_status spk_exact_rows_report(spk_analysis *a, uint64_t n_surrogates)
{
    spk_exact_rows *rows = &a->exact_rows;
    const spk_exact_options *test = &a->test;
    spk_exact_report *r = &a->exact_report;
    /* Tables without rows have the same columns. */
    spk_status status = reserve(a->context, rows, test->n_jitter);
    if (status != SPK_OK)
        return status;
    r->jitter = a->jitter;
    r->n_jitter = test->n_jitter;
    r->null = test->null;
    r->history = test->history;
    r->alpha = a->options.alpha;
    r->seed = test->seed;
    r->n_surrogates = n_surrogates;
    r->n_rows = rows->n;
    r->verdict = rows->verdict;
    r->scale_p = r->n_jitter > 1 ? rows->scale_p : NULL;
    r->left_out = rows->left_out;
    r->means = rows->means;
    r->direction_p = test->episodes != NULL ? rows->direction_p : NULL;
    r->lags = test->episodes != NULL ? (spk_reals){rows->lag_s, rows->lag_first}
                                     : (spk_reals){NULL, NULL};
    r->round = a->options.peel ? rows->round : NULL;
    a->columns.exact = r;
    a->columns.expected = rows->expected;
    return SPK_OK;
}
