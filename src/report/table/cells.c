/* Cells of tables. */
#include "report/table/cells.h"

#include <math.h>
#include <stdio.h>

#include "base/options.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

void report_begin_cell(report_table *table, const char *name)
{
    if (table->format != SPK_FORM_JSON) {
        report_put_char(table, '\t');
        return;
    }
    report_put_text(table, ",\"");
    report_put_text(table, name);
    report_put_text(table, "\":");
}

void report_put_real(report_table *table, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", value);
    for (char *at = text; *at != '\0'; at++)
        if (*at == ',')
            *at = '.';
    report_put_text(table, text);
}

void report_put_verdict(report_table *table, bool verdict)
{
    if (table->format == SPK_FORM_JSON)
        report_put_text(table, verdict ? "true" : "false");
    else
        report_put_text(table, verdict ? "yes" : "no");
}

void report_put_nothing(report_table *table)
{
    report_put_text(table, table->format == SPK_FORM_JSON ? "null" : "-");
}

static void put_word(report_table *table, const char *word)
{
    const char *quote = table->format == SPK_FORM_JSON ? "\"" : "";
    report_put_text(table, quote);
    report_put_text(table, word);
    report_put_text(table, quote);
}

void report_put_real_cell(report_table *table, const char *name, double value)
{
    report_begin_cell(table, name);
    if (isnan(value) && table->format == SPK_FORM_JSON)
        report_put_nothing(table);
    else
        report_put_real(table, value);
}

void report_put_number_cell(report_table *table, const char *name, uint64_t value)
{
    report_begin_cell(table, name);
    report_put_number(table, value);
}

void report_put_text_cell(report_table *table, const char *name, const char *text)
{
    report_begin_cell(table, name);
    put_word(table, text);
}

/* Units or numbers of a cell. */
static void put_list(report_table *table, const report_cell *cell, const report_texts *labels)
{
    const bool json = table->format == SPK_FORM_JSON, units = cell->kind == REPORT_UNITS;
    const uint64_t n = units ? cell->n_units : cell->n_reals;
    report_put_text(table, json ? "[" : "");
    for (uint64_t k = 0; k < n; k++) {
        if (k > 0)
            report_put_char(table, json || !units ? ',' : ' ');
        if (units)
            report_put_piece(table, labels, cell->unit[k]);
        else
            report_put_real(table, cell->reals[k]);
    }
    report_put_text(table, json ? "]" : "");
}

void report_put_pattern(report_table *table, const report_texts *label, uint32_t window,
                        const uint32_t *item, uint32_t size)
{
    for (uint32_t k = 0; k < size; k++) {
        if (k > 0)
            report_put_char(table, ' ');
        report_put_piece(table, label, item[k] / window);
        report_put_char(table, '@');
        report_put_number(table, item[k] % window);
    }
}

void report_put_time(report_table *table, int64_t time)
{
    char text[48];
    spk_recording_format_time(table->recording, time, text, sizeof text);
    report_put_text(table, text);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Columns must be known before the head is written. */
static spk_status check_begun(const report_table *table, const char *what)
{
    if (!table->kind->takes_tests)
        return spk_fail(table->context, SPK_ERR_ARGUMENT, "rows of this kind have no columns of %s",
                        what);
    if (!table->begun)
        return SPK_OK;
    return spk_fail(table->context, SPK_ERR_ARGUMENT,
                    "%s must be there before the first row is written", what);
}

spk_status spk_writer_set_exact(spk_writer *table, const spk_exact_report *exact)
{
    spk_status status = check_begun(table, "a test");
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(table->context, exact, &table->exact, spk_exact_report);
    if (status == SPK_OK)
        table->tests.exact = &table->exact;
    return status;
}

spk_status report_take_signatures(report_table *table, const spk_significance *signatures)
{
    spk_status status =
        SPK_OPTIONS_TAKE(table->context, signatures, &table->signatures, spk_significance);
    if (status == SPK_OK)
        table->tests.signatures = &table->signatures;
    return status;
}

spk_status spk_writer_set_signatures(spk_writer *table, const spk_significance *signatures)
{
    spk_status status = check_begun(table, "a test");
    return status == SPK_OK ? report_take_signatures(table, signatures) : status;
}

spk_status spk_writer_set_compare(spk_writer *table, const spk_compare_report *comparison)
{
    spk_status status = check_begun(table, "a comparison");
    if (status == SPK_OK)
        status =
            SPK_OPTIONS_TAKE(table->context, comparison, &table->comparison, spk_compare_report);
    if (status == SPK_OK)
        table->tests.comparison = &table->comparison;
    return status;
}

spk_status spk_writer_set_families(spk_writer *table, const spk_family_columns *families)
{
    spk_status status = check_begun(table, "families");
    if (status == SPK_OK) {
        table->families = *families;
        table->tests.families = &table->families;
    }
    return status;
}

/* ---- columns --------------------------------------------------------------------------------- */

void report_put_column_heads(report_table *table, const report_column *column, size_t n)
{
    char text[REPORT_COLUMN_TEXT];
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < report_column_n(&column[c], &table->tests); k++) {
            report_put_char(table, '\t');
            report_put_text(table, report_column_text(&table->tests, column[c].facts.key, k, text));
        }
}

void report_put_heads(report_table *table)
{
    size_t n = 0;
    const report_column *column = report_columns(&n);
    report_put_column_heads(table, column, n);
}

static void put_cell(report_table *table, const report_cell *cell, const report_names *names)
{
    const bool json = table->format == SPK_FORM_JSON;
    switch (cell->kind) {
    case REPORT_INTEGER:
        report_put_number(table, cell->integer);
        break;
    case REPORT_REAL: /* JSON has no word for a bound that is not there */
        if (json && !isfinite(cell->real))
            report_put_nothing(table);
        else
            report_put_real(table, cell->real);
        break;
    case REPORT_WORD:
        put_word(table, cell->word);
        break;
    case REPORT_VERDICT:
        report_put_verdict(table, cell->integer != 0);
        break;
    case REPORT_PART:
        if (json)
            report_put_number(table, cell->integer);
        else
            names->put_part(table, cell->integer);
        break;
    case REPORT_UNITS:
    case REPORT_REALS:
        put_list(table, cell, names->labels);
        break;
    case REPORT_UNIT:
        report_put_piece(table, names->labels, cell->unit[0]);
        break;
    case REPORT_TIME:
        report_put_time(table, cell->tick);
        break;
    case REPORT_NOTHING:
        report_put_nothing(table);
    }
}

void report_put_columns(report_table *table, const report_column *column, size_t n,
                        const report_row *at, const report_names *names)
{
    char text[REPORT_COLUMN_TEXT];
    report_cell cell;
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < report_column_n(&column[c], at->tests); k++) {
            const char *key =
                column[c].facts.json_key != NULL ? column[c].facts.json_key : column[c].facts.key;
            if (table->format == SPK_FORM_JSON) /* else the head has it */
                key = report_column_text(at->tests, key, k, text);
            report_begin_cell(table, key);
            report_column_get(&column[c], at, k, &cell);
            put_cell(table, &cell, names);
        }
}

spk_status report_check_cells(const report_table *table, uint64_t row)
{
    return report_check_row(table->context, &table->tests, row);
}

void report_put_cells(report_table *table, uint64_t row, const spk_signature *signature,
                      const report_names *names)
{
    size_t n = 0;
    const report_row at = {&table->tests, row, signature};
    const report_column *column = report_columns(&n);
    if (report_has_tests(&table->tests))
        report_put_columns(table, column, n, &at, names);
}
