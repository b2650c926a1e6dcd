/* Spectra as TSV or JSON: how many patterns have each signature, and after a test their p-values,
 * with the signatures that surrogates alone have. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "report/table/cells.h"
#include "spikemine/report_tests.h"
#include "spikemine/spectrum.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* Columns 3 to 8 are those of a test; a spectrum alone lacks them. */
static void put_head(report_table *table)
{
    static const char *const columns[] = {"spikes",      "occurrences", "duration", "surrogates",
                                          "p",           "p_published", "tested",   "p_corrected",
                                          "significant", "patterns"};
    const bool json = table->format == SPK_FORM_JSON, tested = table->tests.signatures != NULL;
    report_put_text(table, json ? "{\"columns\":[" : "");
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        if ((k == 2 && !table->signatures.by_duration) || (k >= 3 && k <= 8 && !tested))
            continue;
        report_put_text(table, k == 0 ? "" : json ? "," : "\t");
        report_put_text(table, json ? "\"" : "");
        report_put_text(table, columns[k]);
        report_put_text(table, json ? "\"" : "");
    }
    report_put_text(table, !json ? "\n" : tested ? "],\"pvalues\":[" : "],\"spectrum\":[");
}

/* What stands before the next value. */
static report_table *next(report_table *table)
{
    report_put_char(table, table->format == SPK_FORM_JSON ? ',' : '\t');
    return table;
}

static void put_verdicts(report_table *table, const spk_signature *s)
{
    report_put_number(next(table), s->n_above);
    report_put_real(next(table), s->p);
    report_put_real(next(table), s->p_published);
    report_put_verdict(next(table), s->tested);
    if (s->tested)
        report_put_real(next(table), s->p_corrected);
    else
        report_put_nothing(next(table));
    report_put_verdict(next(table), s->significant);
}

static void put_row(report_table *table, const spk_signature *s)
{
    const bool json = table->format == SPK_FORM_JSON;
    if (json)
        report_put_text(table, table->n_rows > 0 ? ",\n[" : "\n[");
    report_put_number(table, s->size);
    report_put_number(next(table), s->count);
    if (table->signatures.by_duration)
        report_put_number(next(table), s->duration);
    if (table->tests.signatures != NULL)
        put_verdicts(table, s);
    report_put_number(next(table), s->n_patterns);
    report_put_char(table, json ? ']' : '\n');
    table->n_rows++;
}

/* ---- spectra --------------------------------------------------------------------------------- */

static const writer_kind spectrum_kind = {
    .rows = "entries of a spectrum", .bytes = sizeof(report_table), .put_head = put_head};

spk_status spk_spectrum_writer_open(spk_context *context, const char *path, spk_table_form format,
                                    bool with_duration, const spk_recording *recording,
                                    spk_writer **out)
{
    spk_status status = report_writer_open(&spectrum_kind, context, path, format, recording, out);
    if (status == SPK_OK)
        (*out)->signatures.by_duration = with_duration;
    return status;
}

spk_status spk_spectrum_writer_add(spk_writer *table, const spk_spectrum_entry *entries, uint64_t n)
{
    spk_status status = report_writer_check(table, &spectrum_kind);
    if (status == SPK_OK)
        status = report_table_begin(table);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        const spk_signature row = {.size = entries[k].size,
                                   .count = entries[k].count,
                                   .duration = entries[k].duration,
                                   .n_patterns = entries[k].n_patterns};
        put_row(table, &row);
    }
    return status == SPK_OK ? report_table_flush(table) : status;
}

/* ---- p-values -------------------------------------------------------------------------------- */

static const writer_kind pvalues_kind = {
    .rows = "p-values of signatures", .bytes = sizeof(report_table), .put_head = put_head};

spk_status spk_pvalue_writer_open(spk_context *context, const char *path, spk_table_form format,
                                  const spk_recording *recording, const spk_significance *test,
                                  spk_writer **out)
{
    spk_status status = report_writer_open(&pvalues_kind, context, path, format, recording, out);
    if (status == SPK_OK)
        status = report_take_signatures(*out, test);
    return report_writer_opened(status, out);
}

/* Order of spk_spectrum_entries. */
static int compare(const spk_pvalue *v, const spk_signature *s)
{
    return SPK_BY(SPK_UP(v->size, s->size), SPK_UP(v->count, s->count),
                  SPK_UP(v->duration, s->duration));
}

static int compare_values(const void *a, const void *b)
{
    const spk_pvalue *x = a, *y = b;
    return SPK_BY(SPK_UP(x->size, y->size), SPK_UP(x->count, y->count),
                  SPK_UP(x->duration, y->duration));
}

/* The entries of the p-value spectrum in the order of the signatures; free with free(). */
static spk_status sort_values(report_table *table, spk_pvalue **out)
{
    const spk_significance *test = &table->signatures;
    spk_status status = spk_alloc(table->context, out, test->n_pvalues, "the p-value spectrum");
    for (uint64_t k = 0; k < test->n_pvalues && status == SPK_OK; k++)
        (*out)[k] = test->pvalue[k];
    if (status == SPK_OK && test->n_pvalues > 1)
        qsort(*out, (size_t)test->n_pvalues, sizeof(spk_pvalue), compare_values);
    return status;
}

spk_status spk_pvalue_writer_add(spk_writer *table)
{
    const spk_significance *test = &table->signatures;
    spk_pvalue *value = NULL;
    uint64_t n = 0;
    spk_status status = report_writer_check(table, &pvalues_kind);
    if (status == SPK_OK)
        status = report_table_begin(table);
    if (status == SPK_OK)
        status = sort_values(table, &value);
    for (uint64_t k = 0; k < test->n_pvalues && status == SPK_OK; k++) {
        int order = 1;
        while (n < test->n_signatures && (order = compare(&value[k], &test->signature[n])) >= 0) {
            put_row(table, &test->signature[n++]);
            if (order == 0)
                break;
        }
        if (order != 0) {
            const spk_signature unseen = {.size = value[k].size,
                                          .count = value[k].count,
                                          .duration = value[k].duration,
                                          .n_above = value[k].n_above,
                                          .p = value[k].p,
                                          .p_published = value[k].p_published};
            put_row(table, &unseen);
        }
        status = report_table_check_row(table);
    }
    for (; n < test->n_signatures && status == SPK_OK; n++)
        put_row(table, &test->signature[n]);
    free(value);
    return status == SPK_OK ? report_table_flush(table) : status;
}
