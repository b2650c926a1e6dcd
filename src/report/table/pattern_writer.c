/* Patterns as TSV or JSON. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/check.h"
#include "report/table/pattern_names.h"
#include "report/table/table.h"

struct spk_pattern_writer {
    report_table table;
    spk_window_columns windows;
    report_texts label; /* by unit */
    uint64_t *seen;     /* by unit: the last pattern that had it, from 1 */
};

void spk_pattern_writer_discard(spk_pattern_writer *writer)
{
    if (writer == NULL)
        return;
    report_table_discard(&writer->table);
    report_texts_free(&writer->label);
    free(writer->seen);
    free(writer);
}

spk_status spk_pattern_writer_open(spk_context *context, const char *path, spk_format format,
                                   const spk_windows *windows, const spk_recording *recording,
                                   spk_pattern_writer **out)
{
    *out = NULL;
    spk_pattern_writer *writer = NULL;
    spk_window_columns columns = spk_windows_columns(windows);
    bool json = format == SPK_FORMAT_JSON;
    spk_status status = spk_alloc_zero(context, &writer, 1, "a writer");
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &writer->seen, columns.n_units, "a writer");
    if (status == SPK_OK)
        status =
            report_labels_make(context, recording, columns.n_units,
                               json ? REPORT_LABEL_JSON : REPORT_LABEL_PATTERN, &writer->label);
    if (status == SPK_OK)
        status = report_table_open(&writer->table, context, path, format, recording);
    if (status != SPK_OK) {
        spk_pattern_writer_discard(writer);
        return status;
    }
    writer->windows = columns;
    report_put_text(&writer->table,
                    json ? "{\"patterns\":[" : "spikes\toccurrences\tneurons\tduration\tpattern\n");
    *out = writer;
    return SPK_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Number of different units of the table's present row. */
static uint32_t count_neurons(spk_pattern_writer *writer, const uint32_t *item, uint32_t size)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < size; k++) {
        uint64_t *seen = &writer->seen[item[k] / writer->windows.window];
        n += *seen != writer->table.n_rows;
        *seen = writer->table.n_rows;
    }
    return n;
}

static void put_tsv_row(spk_pattern_writer *writer, const uint32_t *item, uint32_t size,
                        uint32_t count)
{
    report_table *table = &writer->table;
    report_put_number(table, size);
    report_put_char(table, '\t');
    report_put_number(table, count);
    report_put_char(table, '\t');
    report_put_number(table, count_neurons(writer, item, size));
    report_put_char(table, '\t');
    report_put_number(table, item[size - 1] % writer->windows.window);
    report_put_char(table, '\t');
    report_put_pattern(table, &writer->label, writer->windows.window, item, size);
    report_put_char(table, '\n');
}

static void put_json_row(spk_pattern_writer *writer, const uint32_t *item, uint32_t size,
                         uint32_t count)
{
    report_table *table = &writer->table;
    uint32_t window = writer->windows.window;
    report_put_text(table, table->n_rows > 1 ? ",\n{\"spikes\":" : "\n{\"spikes\":");
    report_put_number(table, size);
    report_put_text(table, ",\"occurrences\":");
    report_put_number(table, count);
    report_put_text(table, ",\"neurons\":");
    report_put_number(table, count_neurons(writer, item, size));
    report_put_text(table, ",\"duration\":");
    report_put_number(table, item[size - 1] % window);
    report_put_text(table, ",\"pattern\":[");
    for (uint32_t k = 0; k < size; k++) {
        report_put_text(table, k > 0 ? ",[" : "[");
        report_put_piece(table, &writer->label, item[k] / window);
        report_put_char(table, ',');
        report_put_number(table, item[k] % window);
        report_put_char(table, ']');
    }
    report_put_text(table, "]}");
}

/* Does not flush: mining hands over batches of a few patterns, too. */
spk_status spk_pattern_writer_add(void *user, const spk_pattern_columns *patterns)
{
    spk_pattern_writer *writer = user;
    report_table *table = &writer->table;
    spk_status status = report_check_patterns(table->context, &writer->windows, patterns);
    if (status == SPK_OK)
        status = report_table_begin(table);
    for (uint64_t i = 0; i < patterns->n && status == SPK_OK; i++) {
        const uint32_t *item = patterns->item + patterns->offset[i];
        uint32_t size = (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]);
        table->n_rows++;
        if (table->format == SPK_FORMAT_JSON)
            put_json_row(writer, item, size, patterns->count[i]);
        else
            put_tsv_row(writer, item, size, patterns->count[i]);
        status = report_table_check_row(table);
    }
    return status == SPK_OK ? report_table_mark_now_and_then(table) : status;
}

spk_status spk_pattern_writer_commit(spk_pattern_writer *writer, const spk_provenance *provenance)
{
    if (writer == NULL)
        return SPK_OK;
    spk_status status = report_table_commit(&writer->table, provenance);
    spk_pattern_writer_discard(writer);
    return status;
}
