/* Spectra as TSV or JSON. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/table/table.h"
#include "spikemine/report_tests.h"
#include "spikemine/spectrum.h"

typedef struct spectrum_writer {
    report_table table;
    bool with_duration;
} spectrum_writer;

static void put_head(report_table *table)
{
    const bool duration = ((const spectrum_writer *)table)->with_duration;
    if (table->format == SPK_FORM_TSV)
        report_put_text(table, duration ? "spikes\toccurrences\tduration\tpatterns\n"
                                        : "spikes\toccurrences\tpatterns\n");
    else
        report_put_text(table, duration ? "{\"columns\":[\"spikes\",\"occurrences\",\"duration\","
                                          "\"patterns\"],\"spectrum\":["
                                        : "{\"columns\":[\"spikes\",\"occurrences\",\"patterns\"],"
                                          "\"spectrum\":[");
}

static const writer_kind spectrum_kind = {
    .rows = "entries of a spectrum", .bytes = sizeof(spectrum_writer), .put_head = put_head};

spk_status spk_spectrum_writer_open(spk_context *context, const char *path, spk_table_form format,
                                    bool with_duration, const spk_recording *recording,
                                    spk_writer **out)
{
    spk_status status = report_writer_open(&spectrum_kind, context, path, format, recording, out);
    if (status == SPK_OK)
        ((spectrum_writer *)*out)->with_duration = with_duration;
    return status;
}

static void put_entry(const spectrum_writer *writer, report_table *table,
                      const spk_spectrum_entry *entry)
{
    bool json = table->format == SPK_FORM_JSON;
    char separator = json ? ',' : '\t';
    if (json)
        report_put_text(table, table->n_rows > 0 ? ",\n[" : "\n[");
    report_put_number(table, entry->size);
    report_put_char(table, separator);
    report_put_number(table, entry->count);
    report_put_char(table, separator);
    if (writer->with_duration) {
        report_put_number(table, entry->duration);
        report_put_char(table, separator);
    }
    report_put_number(table, entry->n_patterns);
    report_put_char(table, json ? ']' : '\n');
    table->n_rows++;
}

spk_status spk_spectrum_writer_add(spk_writer *table, const spk_spectrum_entry *entries, uint64_t n)
{
    spk_status status = report_writer_check(table, &spectrum_kind);
    if (status == SPK_OK)
        status = report_table_begin(table);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++)
        put_entry((const spectrum_writer *)table, table, &entries[k]);
    return status == SPK_OK ? report_table_flush(table) : status;
}
