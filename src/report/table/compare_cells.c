/* What rows say of a comparison of two conditions. */
#include "report/table/compare_cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/options.h"
#include "report/table/exact_cells.h"
#include "report/table/significance_cells.h"

spk_status report_set_compare(report_table *table, const spk_compare_report *given,
                              spk_compare_report *own)
{
    if (table->begun)
        return spk_fail(table->context, SPK_ERR_ARGUMENT,
                        "a comparison must be there before the first row is written");
    spk_status status = SPK_OPTIONS_TAKE(table->context, given, own, spk_compare_report);
    if (status == SPK_OK)
        table->comparison = own;
    return status;
}

void report_put_compare_head(report_table *table)
{
    if (table->comparison != NULL)
        report_put_text(table, "\tcount_a\tcount_b\trate_a_hz\trate_b_hz\tdifference_hz\tlower_hz"
                               "\tupper_hz\tmore_in\tz\tp");
}

/* Six digits say all of a rate; JSON has no word for a bound that is not there. */
static void put_rounded(report_table *table, const char *name, double value)
{
    char text[40];
    report_begin_cell(table, name);
    if (!isfinite(value) && table->format == SPK_FORMAT_JSON) {
        report_put_text(table, "null");
        return;
    }
    snprintf(text, sizeof text, "%.6g", value);
    report_put_real(table, strtod(text, NULL));
}

static void put_count(report_table *table, const char *name, uint64_t count)
{
    report_begin_cell(table, name);
    report_put_number(table, count);
}

static void put_direction(report_table *table, double difference)
{
    const bool json = table->format == SPK_FORMAT_JSON;
    report_begin_cell(table, "more_in");
    if (difference == 0)
        report_put_text(table, json ? "null" : "-");
    else if (difference < 0)
        report_put_text(table, json ? "\"a\"" : "a");
    else
        report_put_text(table, json ? "\"b\"" : "b");
}

spk_status report_put_compare(report_table *table, uint64_t k)
{
    const spk_compare_report *c = table->comparison;
    if (c == NULL)
        return SPK_OK;
    if (k >= c->n_rows)
        return spk_fail(table->context, SPK_ERR_ARGUMENT,
                        "the comparison has %" PRIu64 " rows, and there are more results",
                        c->n_rows);
    const spk_compare_verdict *v = &c->verdict[k];
    put_count(table, "count_a", v->count[0]);
    put_count(table, "count_b", v->count[1]);
    put_rounded(table, "rate_a_hz", v->rate_hz[0]);
    put_rounded(table, "rate_b_hz", v->rate_hz[1]);
    put_rounded(table, "difference_hz", v->difference_hz);
    put_rounded(table, "lower_hz", v->lower_hz);
    put_rounded(table, "upper_hz", v->upper_hz);
    put_direction(table, v->difference_hz);
    put_rounded(table, "z", v->z);
    report_begin_cell(table, "p");
    report_put_real(table, v->p);
    return SPK_OK;
}
