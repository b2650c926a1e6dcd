/* P-value spectra with the signatures that were observed, as TSV or JSON. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/table/cells.h"

struct spk_pvalue_writer {
    report_table table;
};

void spk_pvalue_writer_discard(spk_pvalue_writer *writer)
{
    if (writer == NULL)
        return;
    report_table_discard(&writer->table);
    free(writer);
}

static void put_head(spk_pvalue_writer *writer)
{
    static const char *const columns[] = {"spikes",      "occurrences", "duration", "surrogates",
                                          "p",           "p_published", "tested",   "p_corrected",
                                          "significant", "patterns"};
    report_table *table = &writer->table;
    bool json = table->format == SPK_FORMAT_JSON;
    report_put_text(table, json ? "{\"columns\":[" : "");
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        if (k == 2 && !writer->table.signatures.by_duration)
            continue;
        if (k > 0)
            report_put_char(table, json ? ',' : '\t');
        report_put_text(table, json ? "\"" : "");
        report_put_text(table, columns[k]);
        report_put_text(table, json ? "\"" : "");
    }
    report_put_text(table, json ? "],\"pvalues\":[" : "\n");
}

spk_status spk_pvalue_writer_open(spk_context *context, const char *path, spk_format format,
                                  const spk_recording *recording, const spk_significance *given,
                                  spk_pvalue_writer **out)
{
    *out = NULL;
    spk_pvalue_writer *writer = NULL;
    spk_status status = spk_alloc_zero(context, &writer, 1, "a writer");
    if (status == SPK_OK)
        status = report_table_open(&writer->table, context, path, format, recording);
    if (status == SPK_OK)
        status = report_set_signatures(&writer->table, given);
    if (status != SPK_OK) {
        spk_pvalue_writer_discard(writer);
        return status;
    }
    put_head(writer);
    *out = writer;
    return SPK_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_row(spk_pvalue_writer *writer, const spk_signature *s)
{
    report_table *table = &writer->table;
    bool json = table->format == SPK_FORMAT_JSON;
    char separator = json ? ',' : '\t';
    if (json)
        report_put_text(table, table->n_rows > 0 ? ",\n[" : "\n[");
    report_put_number(table, s->size);
    report_put_char(table, separator);
    report_put_number(table, s->count);
    report_put_char(table, separator);
    if (writer->table.signatures.by_duration) {
        report_put_number(table, s->duration);
        report_put_char(table, separator);
    }
    report_put_number(table, s->n_above);
    report_put_char(table, separator);
    report_put_real(table, s->p);
    report_put_char(table, separator);
    report_put_real(table, s->p_published);
    report_put_char(table, separator);
    report_put_verdict(table, s->tested);
    report_put_char(table, separator);
    if (s->tested)
        report_put_real(table, s->p_corrected);
    else
        report_put_nothing(table);
    report_put_char(table, separator);
    report_put_verdict(table, s->significant);
    report_put_char(table, separator);
    report_put_number(table, s->n_patterns);
    report_put_char(table, json ? ']' : '\n');
    table->n_rows++;
}

/* Order of spk_spectrum_entries. */
static int compare(const spk_pvalue *v, const spk_signature *s)
{
    if (v->size != s->size)
        return v->size < s->size ? -1 : 1;
    if (v->count != s->count)
        return v->count < s->count ? -1 : 1;
    return v->duration < s->duration ? -1 : v->duration > s->duration;
}

static int compare_values(const void *a, const void *b)
{
    const spk_pvalue *other = b;
    const spk_signature s = {
        .size = other->size, .count = other->count, .duration = other->duration};
    return compare(a, &s);
}

/* The entries of the p-value spectrum in the order of the signatures; free with free(). */
static spk_status sort_values(spk_pvalue_writer *writer, spk_pvalue **out)
{
    const spk_significance *test = &writer->table.signatures;
    spk_status status =
        spk_alloc(writer->table.context, out, test->n_pvalues, "the p-value spectrum");
    for (uint64_t k = 0; k < test->n_pvalues && status == SPK_OK; k++)
        (*out)[k] = test->pvalue[k];
    if (status == SPK_OK && test->n_pvalues > 1)
        qsort(*out, (size_t)test->n_pvalues, sizeof(spk_pvalue), compare_values);
    return status;
}

spk_status spk_pvalue_writer_add(spk_pvalue_writer *writer)
{
    const spk_significance *test = &writer->table.signatures;
    spk_pvalue *value = NULL;
    uint64_t n = 0;
    spk_status status = sort_values(writer, &value);
    for (uint64_t k = 0; k < test->n_pvalues && status == SPK_OK; k++) {
        int order = 1;
        while (n < test->n_signatures && (order = compare(&value[k], &test->signature[n])) >= 0) {
            put_row(writer, &test->signature[n++]);
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
            put_row(writer, &unseen);
        }
        status = report_table_check_row(&writer->table);
    }
    for (; n < test->n_signatures && status == SPK_OK; n++)
        put_row(writer, &test->signature[n]);
    free(value);
    return status == SPK_OK ? report_table_flush(&writer->table) : status;
}

spk_status spk_pvalue_writer_commit(spk_pvalue_writer *writer, const spk_provenance *provenance)
{
    if (writer == NULL)
        return SPK_OK;
    spk_status status = report_table_commit(&writer->table, provenance);
    spk_pvalue_writer_discard(writer);
    return status;
}
