/* What rows say of families. */
#include "report/table/family_cells.h"

void report_put_family_names(report_table *table)
{
    report_put_text(table, "\tmembers\tfamily_occurrences\tfamily_units");
}

static void put_name(report_table *table, const char *name, const char *gap)
{
    report_put_text(table, ",");
    report_put_text(table, gap);
    report_put_text(table, "\"");
    report_put_text(table, name);
    report_put_text(table, "\":");
    report_put_text(table, gap);
}

static void put_json(report_table *table, const spk_family *family, const report_texts *labels,
                     const char *gap)
{
    put_name(table, "members", gap);
    report_put_number(table, family->n_members);
    put_name(table, "family_occurrences", gap);
    report_put_number(table, family->n_occurrences);
    put_name(table, "family_units", gap);
    for (uint32_t k = 0; k < family->n_units; k++) {
        report_put_text(table, k > 0 ? "," : "[");
        report_put_text(table, k > 0 ? gap : "");
        report_put_piece(table, labels, family->unit[k]);
    }
    report_put_text(table, family->n_units > 0 ? "]" : "[]");
}

spk_status report_put_family(report_table *table, const spk_family_columns *families, uint64_t row,
                             const report_texts *labels, const char *gap)
{
    if (row >= families->n)
        return spk_fail(table->context, SPK_ERR_ARGUMENT,
                        "there are more rows than families; add the best member of each one");
    const spk_family *family = &families->family[row];
    if (table->format == SPK_FORMAT_JSON) {
        put_json(table, family, labels, gap);
        return SPK_OK;
    }
    report_put_char(table, '\t');
    report_put_number(table, family->n_members);
    report_put_char(table, '\t');
    report_put_number(table, family->n_occurrences);
    for (uint32_t k = 0; k < family->n_units; k++) {
        report_put_char(table, k > 0 ? ' ' : '\t');
        report_put_piece(table, labels, family->unit[k]);
    }
    if (family->n_units == 0)
        report_put_char(table, '\t');
    return SPK_OK;
}
