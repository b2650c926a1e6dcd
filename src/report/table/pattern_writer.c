/* Files of patterns: a table of them as TSV or JSON, and the windows that contain each, one a line.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/check.h"
#include "report/table/cells.h"
#include "spikemine/occurrences.h"

/* A writer of either file. */
typedef struct pattern_writer {
    report_table table;
    spk_window_columns windows; /* borrowed */
    report_texts label;         /* by unit */
    /* Of the table: */
    report_table **maker; /* copies of the writer, for threads and ranks */
    int n_makers;
    report_names cells;
    const uint32_t *item; /* of the present row */
    uint32_t size;
    /* Of occurrences: */
    const spk_windows *cut; /* borrowed */
    spk_pattern_locator *locator;
} pattern_writer;

static void free_rest(report_table *table)
{
    pattern_writer *writer = (pattern_writer *)table;
    for (int k = 0; k < writer->n_makers; k++)
        report_copy_free(writer->maker[k]);
    free(writer->maker);
    report_texts_free(&writer->label);
    spk_pattern_locator_free(writer->locator);
}

/* The names of the columns, and what JSON begins with. */
static void put_head(report_table *table)
{
    if (table->format == SPK_FORM_JSON) {
        report_put_text(table, "{\"patterns\":[");
        return;
    }
    report_put_text(table, "spikes\toccurrences\tneurons\tduration\tpattern");
    report_put_heads(table);
    report_put_char(table, '\n');
}

static spk_status open_writer(const writer_kind *kind, spk_context *context, const char *path,
                              spk_table_form format, const spk_window_columns *windows,
                              const spk_recording *recording, spk_writer **out)
{
    const bool json = format == SPK_FORM_JSON;
    spk_status status = report_writer_open(kind, context, path, format, recording, out);
    if (status != SPK_OK)
        return status;
    pattern_writer *writer = (pattern_writer *)*out;
    writer->windows = *windows;
    status = report_labels_make(context, recording, windows->n_units,
                                json ? REPORT_LABEL_JSON : REPORT_LABEL_PATTERN, &writer->label);
    return report_writer_opened(status, out);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Number of different units. Items whose units share one of 64 classes are compared, which is
 * seldom. */
static uint32_t count_neurons(const pattern_writer *writer, const uint32_t *item, uint32_t size)
{
    const uint32_t window = writer->windows.window;
    uint64_t classes = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < size; k++) {
        const uint32_t unit = item[k] / window;
        const uint64_t class = (uint64_t)1 << unit % 64;
        bool again = false;
        for (uint32_t j = 0; j < k && (classes & class) != 0 && !again; j++)
            again = item[j] / window == unit;
        classes |= class;
        n += !again;
    }
    return n;
}

/* The pattern without one of its spikes; its first spike again has lag 0. */
static void put_part(report_table *table, uint64_t left_out)
{
    pattern_writer *writer = (pattern_writer *)table;
    const uint32_t window = writer->windows.window;
    const uint32_t before = left_out == 0 ? 1 : 0; /* the first spike of the part */
    for (uint32_t k = before; k < writer->size; k++) {
        const uint32_t moved = writer->item[k] - writer->item[before] % window;
        if (k == left_out)
            continue;
        if (k > before)
            report_put_char(&writer->table, ' ');
        report_put_pattern(&writer->table, &writer->label, window, &moved, 1);
    }
}

static void put_tsv_row(pattern_writer *writer, const uint32_t *item, uint32_t size, uint32_t count,
                        const spk_signature *signature)
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
    report_put_cells(table, table->n_rows - 1, signature, &writer->cells);
    report_put_char(table, '\n');
}

static void put_json_row(pattern_writer *writer, const uint32_t *item, uint32_t size,
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
    report_put_cells(table, table->n_rows - 1, signature, &writer->cells);
    report_put_char(table, '}');
}

/* The pattern's signature; NULL where there is no test. */
static spk_status find_signature(const pattern_writer *writer, const uint32_t *item, uint32_t size,
                                 uint32_t count, const spk_signature **out)
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

static spk_status put_row(report_table *table, const void *columns, uint64_t i)
{
    pattern_writer *writer = (pattern_writer *)table;
    const spk_pattern_columns *patterns = columns;
    const uint32_t *item = patterns->item + patterns->offset[i];
    uint32_t size = (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]);
    const spk_signature *signature = NULL;
    spk_status status = find_signature(writer, item, size, patterns->count[i], &signature);
    if (status == SPK_OK)
        status = report_check_cells(table, table->n_rows);
    if (status != SPK_OK)
        return status;
    table->n_rows++;
    writer->item = item;
    writer->size = size;
    if (table->format == SPK_FORM_JSON)
        put_json_row(writer, item, size, patterns->count[i], signature);
    else
        put_tsv_row(writer, item, size, patterns->count[i], signature);
    return report_table_check_row(table);
}

static spk_status take(report_table *table, const void *columns)
{
    pattern_writer *writer = (pattern_writer *)table;
    writer->cells = (report_names){&writer->label, put_part};
    return report_check_patterns(table->context, &writer->windows, columns);
}

static const writer_kind patterns_kind = {
    .rows = "patterns",
    .bytes = sizeof(pattern_writer),
    .takes_tests = true,
    .rows_apart = true,
    .put_head = put_head,
    .free_rest = free_rest,
    .take = take,
    .put = put_row,
};

spk_status spk_pattern_writer_open(spk_context *context, const char *path, spk_table_form format,
                                   const spk_windows *windows, const spk_recording *recording,
                                   spk_writer **out)
{
    const spk_window_columns columns = spk_windows_columns(windows);
    return open_writer(&patterns_kind, context, path, format, &columns, recording, out);
}

spk_status spk_pattern_writer_add(void *user, const spk_pattern_columns *patterns)
{
    return report_writer_add(user, &patterns_kind, patterns, patterns->n);
}

/* ---- rows of threads and ranks --------------------------------------------------------------- */

static spk_status make_rows(void *user, int number, const spk_pattern_columns *patterns,
                            const char **bytes, uint64_t *n_bytes)
{
    const pattern_writer *writer = user;
    assert(number < writer->n_makers);
    report_table *maker = writer->maker[number];
    maker->n_rows = 1; /* no row is the first one */
    const spk_status status = spk_pattern_writer_add(maker, patterns);
    const spk_status taken = report_table_take(maker, bytes, n_bytes);
    return status == SPK_OK ? taken : status;
}

static spk_status take_rows(void *user, const char *bytes, uint64_t n_bytes, uint64_t n_patterns)
{
    pattern_writer *writer = user;
    report_table *table = &writer->table;
    spk_status status = report_table_begin(table);
    /* Each row of JSON begins with a comma, which the first one lacks. */
    const uint64_t skip = table->format == SPK_FORM_JSON && table->n_rows == 0 && n_bytes > 0;
    if (bytes != NULL)
        report_put_bytes(table, bytes + skip, (size_t)(n_bytes - skip));
    table->n_rows += n_patterns;
    if (status == SPK_OK)
        status = report_table_check_row(table);
    return status == SPK_OK ? report_table_mark_now_and_then(table) : status;
}

spk_status spk_pattern_writer_bytes(spk_writer *table, spk_pattern_bytes *out)
{
    pattern_writer *writer = (pattern_writer *)table;
    *out = (spk_pattern_bytes){.make = NULL};
    spk_status status = report_writer_check(table, &patterns_kind);
    if (status != SPK_OK)
        return status;
    if (report_has_tests(&table->tests))
        return spk_fail(table->context, SPK_ERR_UNSUPPORTED,
                        "rows with the columns of a test, a comparison or families depend on all "
                        "others");
    if (writer->maker == NULL) {
        const int n = spk_context_threads(table->context);
        status = spk_alloc_zero(table->context, &writer->maker, (uint64_t)n, "a writer");
        for (; status == SPK_OK && writer->n_makers < n; writer->n_makers += status == SPK_OK)
            status = report_writer_copy(table, &writer->maker[writer->n_makers]);
        if (status != SPK_OK)
            return status;
    }
    *out = (spk_pattern_bytes){make_rows, take_rows, writer, writer->n_makers};
    return SPK_OK;
}

/* ---- occurrences ----------------------------------------------------------------------------- */

/* Windows of a file of transactions have no times, and no recording means no clock. */
static bool has_times(const pattern_writer *writer)
{
    return writer->windows.start_time != NULL && writer->table.recording != NULL;
}

static void put_occurrence_head(report_table *table)
{
    const bool timed = has_times((const pattern_writer *)table);
    report_put_text(table, timed ? "pattern\ttrial\tbin\ttime_s\n" : "pattern\tline\n");
}

/* Where the window is: trial, bin and time, or its line in the file of transactions. */
static void put_place(pattern_writer *writer, uint32_t window)
{
    report_table *table = &writer->table;
    const spk_window_columns *windows = &writer->windows;
    char time[64];
    if (!has_times(writer)) {
        report_put_number(table, windows->start_bin[window] + 1);
        return;
    }
    report_put_number(table, (uint64_t)spk_windows_trial(writer->cut, window) + 1);
    report_put_char(table, '\t');
    report_put_number(table, windows->start_bin[window]);
    report_put_char(table, '\t');
    spk_windows_format_time(writer->cut, window, time, sizeof time);
    report_put_text(table, time);
}

static spk_status put_occurrences(report_table *table, const void *columns, uint64_t i)
{
    pattern_writer *writer = (pattern_writer *)table;
    const spk_pattern_columns *patterns = columns;
    const uint32_t *item = patterns->item + patterns->offset[i], *window = NULL;
    uint32_t size = (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]), n = 0;
    spk_status status = spk_pattern_locate(writer->locator, size, item, &window, &n);
    for (uint32_t k = 0; k < n && status == SPK_OK; k++) {
        report_put_pattern(table, &writer->label, writer->windows.window, item, size);
        report_put_char(table, '\t');
        put_place(writer, window[k]);
        report_put_char(table, '\n');
        status = report_table_check_row(table);
    }
    return status;
}

static const writer_kind occurrences_kind = {
    .rows = "occurrences of patterns",
    .bytes = sizeof(pattern_writer),
    .put_head = put_occurrence_head,
    .free_rest = free_rest,
    .take = take,
    .put = put_occurrences,
};

spk_status spk_pattern_occurrence_writer_open(spk_context *context, const char *path,
                                              const spk_windows *windows,
                                              const spk_recording *recording, spk_writer **out)
{
    const spk_window_columns columns = spk_windows_columns(windows);
    spk_status status =
        open_writer(&occurrences_kind, context, path, SPK_FORM_TSV, &columns, recording, out);
    if (status != SPK_OK)
        return status;
    pattern_writer *writer = (pattern_writer *)*out;
    writer->cut = windows;
    status = spk_pattern_locator_create(context, windows, &writer->locator);
    return report_writer_opened(status, out);
}

spk_status spk_pattern_occurrence_writer_add(void *user, const spk_pattern_columns *patterns)
{
    return report_writer_add(user, &occurrences_kind, patterns, patterns->n);
}
