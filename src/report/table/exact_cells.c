/* What rows say of an exact test. */
#include "report/table/exact_cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/options.h"
#include "report/table/significance_cells.h"

spk_status report_set_exact(report_table *table, const spk_exact_report *given,
                            spk_exact_report *own)
{
    if (table->begun)
        return spk_fail(table->context, SPK_ERR_ARGUMENT,
                        "a test must be there before the first row is written");
    spk_status status = SPK_OPTIONS_TAKE(table->context, given, own, spk_exact_report);
    if (status == SPK_OK)
        table->exact = own;
    return status;
}

void report_begin_cell(report_table *table, const char *name)
{
    if (table->format != SPK_FORMAT_JSON) {
        report_put_char(table, '\t');
        return;
    }
    report_put_text(table, ",\"");
    report_put_text(table, name);
    report_put_text(table, "\":");
}

/* "p_25ms" */
static void name_scale(const spk_exact_report *test, size_t s, char *name, size_t size)
{
    char text[48];
    spk_duration_format(test->jitter[s], text, sizeof text);
    snprintf(name, size, "p_%s", text);
}

void report_put_exact_head(report_table *table)
{
    const spk_exact_report *test = table->exact;
    report_put_text(table, "\texpected\tscore\tp\te_value\tfdr");
    if (test->n_jitter > 1)
        report_put_text(table, "\tjitter");
    for (size_t s = 0; test->scale_p != NULL && s < test->n_jitter; s++) {
        char name[64];
        name_scale(test, s, name, sizeof name);
        report_put_char(table, '\t');
        report_put_text(table, name);
    }
    if (test->left_out != NULL)
        report_put_text(table, "\texplained_by");
    if (test->means != NULL)
        report_put_text(table, "\tmeaning");
    if (test->direction_p != NULL)
        report_put_text(table, "\tdirection_p");
    if (test->round != NULL)
        report_put_text(table, "\tround");
}

static void put_real(report_table *table, const char *name, double value)
{
    report_begin_cell(table, name);
    report_put_real(table, value);
}

/* Six digits are enough for a mean that is no count. */
static double rounded(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

void report_put_exact(report_table *table, uint64_t k)
{
    const spk_exact_report *test = table->exact;
    const spk_exact_verdict *v = &test->verdict[k];
    char text[48];
    put_real(table, "expected", rounded(v->expected));
    put_real(table, "score", v->score / 1000.0);
    put_real(table, "p", v->p);
    put_real(table, "e_value", v->e_value);
    put_real(table, "fdr", v->fdr);
    if (test->n_jitter > 1) {
        spk_duration_format(test->jitter[v->scale], text, sizeof text);
        report_begin_cell(table, "jitter");
        report_put_text(table, table->format == SPK_FORMAT_JSON ? "\"" : "");
        report_put_text(table, text);
        report_put_text(table, table->format == SPK_FORMAT_JSON ? "\"" : "");
    }
    for (size_t s = 0; test->scale_p != NULL && s < test->n_jitter; s++) {
        char name[64];
        name_scale(test, s, name, sizeof name);
        put_real(table, name, test->scale_p[k * test->n_jitter + s]);
    }
}

bool report_put_explained(report_table *table, uint64_t k, uint32_t *left_out)
{
    const spk_exact_report *test = table->exact;
    bool json = table->format == SPK_FORMAT_JSON;
    if (test->left_out == NULL)
        return false;
    *left_out = test->left_out[k];
    bool explained = *left_out != SPK_NOT_EXPLAINED;
    report_begin_cell(table, "explained_without");
    if (!explained)
        report_put_text(table, json ? "null" : "-");
    else if (json)
        report_put_number(table, *left_out);
    return explained && !json;
}

static void put_meaning(report_table *table, uint64_t k)
{
    const spk_exact_report *test = table->exact;
    bool json = table->format == SPK_FORMAT_JSON;
    if (test->means != NULL) {
        report_begin_cell(table, "meaning");
        report_put_text(table, json ? "\"" : "");
        report_put_text(table, spk_exact_means_text(test->means[k]));
        report_put_text(table, json ? "\"" : "");
    }
    if (test->direction_p != NULL)
        put_real(table, "direction_p", rounded(test->direction_p[k]));
}

void report_put_meaning(report_table *table, uint64_t k)
{
    put_meaning(table, k);
    if (table->exact->round == NULL)
        return;
    report_begin_cell(table, "round");
    report_put_number(table, table->exact->round[k]);
}

spk_status report_check_exact(const report_table *table, uint64_t k)
{
    if (table->exact == NULL || k < table->exact->n_rows)
        return SPK_OK;
    return spk_fail(table->context, SPK_ERR_ARGUMENT,
                    "the test has %" PRIu64 " rows, and there are more results",
                    table->exact->n_rows);
}
