/* Spectra as TSV or JSON. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/table/table.h"

struct spk_spectrum_writer {
    report_table table;
    bool with_duration;
};

void spk_spectrum_writer_discard(spk_spectrum_writer *writer)
{
    if (writer == NULL)
        return;
    report_table_discard(&writer->table);
    free(writer);
}

static void put_head(spk_spectrum_writer *writer)
{
    bool duration = writer->with_duration;
    if (writer->table.format == SPK_FORMAT_TSV)
        report_put_text(&writer->table, duration ? "spikes\toccurrences\tduration\tpatterns\n"
                                                 : "spikes\toccurrences\tpatterns\n");
    else
        report_put_text(&writer->table,
                        duration ? "{\"columns\":[\"spikes\",\"occurrences\",\"duration\","
                                   "\"patterns\"],\"spectrum\":["
                                 : "{\"columns\":[\"spikes\",\"occurrences\",\"patterns\"],"
                                   "\"spectrum\":[");
}

spk_status spk_spectrum_writer_open(spk_context *context, const char *path, spk_format format,
                                    bool with_duration, const spk_recording *recording,
                                    spk_spectrum_writer **out)
{
    *out = NULL;
    spk_spectrum_writer *writer = NULL;
    spk_status status = spk_alloc_zero(context, &writer, 1, "a writer");
    if (status == SPK_OK)
        status = report_table_open(&writer->table, context, path, format, recording);
    if (status != SPK_OK) {
        spk_spectrum_writer_discard(writer);
        return status;
    }
    writer->with_duration = with_duration;
    put_head(writer);
    *out = writer;
    return SPK_OK;
}

static void put_entry(spk_spectrum_writer *writer, const spk_spectrum_entry *entry)
{
    report_table *table = &writer->table;
    bool json = table->format == SPK_FORMAT_JSON;
    char separator = json ? ',' : '\t';
    if (json)
        report_put_text(table, table->n_rows > 0 ? ",\n[" : "\n[");
    report_put_number(table, entry->size);
    report_put_char(table, separator);
    report_put_number(table, entry->support);
    report_put_char(table, separator);
    if (writer->with_duration) {
        report_put_number(table, entry->duration);
        report_put_char(table, separator);
    }
    report_put_number(table, entry->n_patterns);
    report_put_char(table, json ? ']' : '\n');
    table->n_rows++;
}

spk_status spk_spectrum_writer_add(spk_spectrum_writer *writer, const spk_spectrum_entry *entries,
                                   uint64_t n)
{
    for (uint64_t k = 0; k < n; k++)
        put_entry(writer, &entries[k]);
    return report_table_flush(&writer->table);
}

spk_status spk_spectrum_writer_commit(spk_spectrum_writer *writer, const spk_provenance *provenance)
{
    if (writer == NULL)
        return SPK_OK;
    spk_status status = report_table_commit(&writer->table, provenance);
    spk_spectrum_writer_discard(writer);
    return status;
}
