/* Patterns as TSV or JSON. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/check.h"
#include "report/table/cells.h"
#include "report/table/pattern_names.h"

struct spk_pattern_writer {
    report_table table;
    spk_window_columns windows;
    report_texts label; /* by unit */
    uint64_t *seen;     /* by unit: the last pattern that had it, from 1 */
    bool has_head;
    spk_pattern_writer *maker; /* into memory, for ranks; NULL until then */
};

void spk_pattern_writer_discard(spk_pattern_writer *writer)
{
    if (writer == NULL)
        return;
    spk_pattern_writer_discard(writer->maker);
    report_table_discard(&writer->table);
    report_texts_free(&writer->label);
    free(writer->seen);
    free(writer);
}

/* `path` NULL: into memory. */
static spk_status open_writer(spk_context *context, const char *path, spk_format format,
                              const spk_window_columns *windows, const spk_recording *recording,
                              spk_pattern_writer **out)
{
    *out = NULL;
    spk_pattern_writer *writer = NULL;
    bool json = format == SPK_FORMAT_JSON;
    spk_status status = spk_alloc_zero(context, &writer, 1, "a writer");
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &writer->seen, windows->n_units, "a writer");
    if (status == SPK_OK)
        status =
            report_labels_make(context, recording, windows->n_units,
                               json ? REPORT_LABEL_JSON : REPORT_LABEL_PATTERN, &writer->label);
    if (status == SPK_OK)
        status = path != NULL ? report_table_open(&writer->table, context, path, format, recording)
                              : report_table_open_memory(&writer->table, context, format);
    if (status != SPK_OK) {
        spk_pattern_writer_discard(writer);
        return status;
    }
    writer->windows = *windows;
    *out = writer;
    return SPK_OK;
}

spk_status spk_pattern_writer_open(spk_context *context, const char *path, spk_format format,
                                   const spk_windows *windows, const spk_recording *recording,
                                   spk_pattern_writer **out)
{
    const spk_window_columns columns = spk_windows_columns(windows);
    return open_writer(context, path, format, &columns, recording, out);
}

spk_status spk_pattern_writer_set_test(spk_pattern_writer *writer, const spk_significance *test)
{
    return report_set_signatures(&writer->table, test);
}

spk_status spk_pattern_writer_set_exact(spk_pattern_writer *writer, const spk_exact_report *test)
{
    return report_set_exact(&writer->table, test);
}

spk_status spk_pattern_writer_set_compare(spk_pattern_writer *writer,
                                          const spk_compare_report *comparison)
{
    return report_set_comparison(&writer->table, comparison);
}

spk_status spk_pattern_writer_set_families(spk_pattern_writer *writer,
                                           const spk_family_columns *families)
{
    return report_set_families(&writer->table, families);
}

/* The names of the columns, and what JSON begins with. */
static void put_head(spk_pattern_writer *writer)
{
    report_table *table = &writer->table;
    if (writer->has_head)
        return;
    writer->has_head = true;
    if (table->format == SPK_FORMAT_JSON) {
        report_put_text(table, "{\"patterns\":[");
        return;
    }
    report_put_text(table, "spikes\toccurrences\tneurons\tduration\tpattern");
    report_put_heads(table);
    report_put_char(table, '\n');
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

/* A pattern of the writer. */
typedef struct pattern_at {
    spk_pattern_writer *writer;
    const uint32_t *item;
    uint32_t size;
} pattern_at;

/* The pattern without one of its spikes; its first spike again has lag 0. */
static void put_part(void *user, uint64_t left_out)
{
    const pattern_at *at = user;
    spk_pattern_writer *writer = at->writer;
    const uint32_t window = writer->windows.window;
    const uint32_t before = left_out == 0 ? 1 : 0; /* the first spike of the part */
    for (uint32_t k = before; k < at->size; k++) {
        const uint32_t moved = at->item[k] - at->item[before] % window;
        if (k == left_out)
            continue;
        if (k > before)
            report_put_char(&writer->table, ' ');
        report_put_pattern(&writer->table, &writer->label, window, &moved, 1);
    }
}

/* What tests say of the present row. */
static void put_cells(spk_pattern_writer *writer, const uint32_t *item, uint32_t size,
                      const spk_signature *signature)
{
    pattern_at at = {writer, item, size};
    const report_names names = {&writer->label, put_part, &at};
    report_put_cells(&writer->table, writer->table.n_rows - 1, signature, &names);
}

static void put_tsv_row(spk_pattern_writer *writer, const uint32_t *item, uint32_t size,
                        uint32_t count, const spk_signature *signature)
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
    put_cells(writer, item, size, signature);
    report_put_char(table, '\n');
}

static void put_json_row(spk_pattern_writer *writer, const uint32_t *item, uint32_t size,
                         uint32_t count, const spk_signature *signature)
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
    report_put_char(table, ']');
    put_cells(writer, item, size, signature);
    report_put_char(table, '}');
}

/* The pattern's signature; NULL where there is no test. */
static spk_status find_signature(const spk_pattern_writer *writer, const uint32_t *item,
                                 uint32_t size, uint32_t count, const spk_signature **out)
{
    const spk_significance *test = writer->table.tests.signatures;
    uint32_t lag = item[size - 1] % writer->windows.window;
    *out = NULL;
    if (test == NULL)
        return SPK_OK;
    *out = spk_signature_find(test->signature, test->n_signatures, size, count,
                              test->by_duration ? lag : 0);
    if (*out != NULL)
        return SPK_OK;
    return spk_fail(writer->table.context, SPK_ERR_ARGUMENT,
                    "a pattern of %u spikes and %u occurrences was not tested; take the "
                    "signatures of all patterns",
                    (unsigned)size, (unsigned)count);
}

/* Does not flush: mining hands over batches of a few patterns, too. */
spk_status spk_pattern_writer_add(void *user, const spk_pattern_columns *patterns)
{
    spk_pattern_writer *writer = user;
    report_table *table = &writer->table;
    spk_status status = report_check_patterns(table->context, &writer->windows, patterns);
    if (status == SPK_OK)
        status = report_table_begin(table);
    put_head(writer);
    for (uint64_t i = 0; i < patterns->n && status == SPK_OK; i++) {
        const uint32_t *item = patterns->item + patterns->offset[i];
        uint32_t size = (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]);
        const spk_signature *signature = NULL;
        status = find_signature(writer, item, size, patterns->count[i], &signature);
        if (status == SPK_OK)
            status = report_check_cells(table, table->n_rows);
        if (status != SPK_OK)
            break;
        table->n_rows++;
        if (table->format == SPK_FORMAT_JSON)
            put_json_row(writer, item, size, patterns->count[i], signature);
        else
            put_tsv_row(writer, item, size, patterns->count[i], signature);
        status = report_table_check_row(table);
    }
    return status == SPK_OK ? report_table_mark_now_and_then(table) : status;
}

/* ---- rows of ranks --------------------------------------------------------------------------- */

static spk_status make_rows(void *user, const spk_pattern_columns *patterns, const char **bytes,
                            uint64_t *n_bytes)
{
    spk_pattern_writer *maker = ((spk_pattern_writer *)user)->maker;
    spk_status status = spk_pattern_writer_add(maker, patterns);
    spk_status taken = report_table_take(&maker->table, bytes, n_bytes);
    return status == SPK_OK ? taken : status;
}

static spk_status take_rows(void *user, const char *bytes, uint64_t n_bytes, uint64_t n_patterns)
{
    spk_pattern_writer *writer = user;
    report_table *table = &writer->table;
    spk_status status = report_table_begin(table);
    put_head(writer);
    /* Each row of JSON begins with a comma, which the first one lacks. */
    const uint64_t skip = table->format == SPK_FORMAT_JSON && table->n_rows == 0 && n_bytes > 0;
    if (bytes != NULL)
        report_put_bytes(table, bytes + skip, (size_t)(n_bytes - skip));
    table->n_rows += n_patterns;
    if (status == SPK_OK)
        status = report_table_check_row(table);
    return status == SPK_OK ? report_table_mark_now_and_then(table) : status;
}

spk_status spk_pattern_writer_bytes(spk_pattern_writer *writer, spk_pattern_bytes *out)
{
    const report_table *table = &writer->table;
    *out = (spk_pattern_bytes){.make = NULL};
    if (report_has_tests(&table->tests))
        return spk_fail(table->context, SPK_ERR_UNSUPPORTED,
                        "rows with the columns of a test, a comparison or families depend on all "
                        "others");
    if (writer->maker == NULL) {
        spk_status status = open_writer(table->context, NULL, table->format, &writer->windows,
                                        table->recording, &writer->maker);
        if (status != SPK_OK)
            return status;
        writer->maker->has_head = true;
        writer->maker->table.n_rows = 1; /* no row is the first one */
    }
    *out = (spk_pattern_bytes){make_rows, take_rows, writer};
    return SPK_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

spk_status spk_pattern_writer_commit(spk_pattern_writer *writer, const spk_provenance *provenance)
{
    if (writer == NULL)
        return SPK_OK;
    put_head(writer);
    spk_status status = report_table_commit(&writer->table, provenance);
    spk_pattern_writer_discard(writer);
    return status;
}
