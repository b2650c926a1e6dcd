/* Where patterns occur: the windows that contain each, one a line. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/check.h"
#include "report/table/cells.h"
#include "spikemine/occurrences.h"

typedef struct pattern_occurrence_writer {
    report_table table;
    const spk_windows *cut; /* borrowed, as are their columns */
    spk_window_columns windows;
    spk_pattern_locator *locator;
    report_texts label; /* by unit */
} pattern_occurrence_writer;

static void free_rest(report_table *table)
{
    pattern_occurrence_writer *writer = (pattern_occurrence_writer *)table;
    spk_pattern_locator_free(writer->locator);
    report_texts_free(&writer->label);
}

/* Windows of a file of transactions have no times, and no recording means no clock. */
static bool has_times(const pattern_occurrence_writer *writer)
{
    return writer->windows.start_time != NULL && writer->table.recording != NULL;
}

static void put_head(report_table *table)
{
    const bool timed = has_times((const pattern_occurrence_writer *)table);
    report_put_text(table, timed ? "pattern\ttrial\tbin\ttime_s\n" : "pattern\tline\n");
}

static const writer_kind occurrences_kind = {
    .rows = "occurrences of patterns",
    .bytes = sizeof(pattern_occurrence_writer),
    .put_head = put_head,
    .free_rest = free_rest,
};

spk_status spk_pattern_occurrence_writer_open(spk_context *context, const char *path,
                                              const spk_windows *windows,
                                              const spk_recording *recording, spk_writer **out)
{
    spk_status status =
        report_writer_open(&occurrences_kind, context, path, SPK_FORM_TSV, recording, out);
    if (status != SPK_OK)
        return status;
    pattern_occurrence_writer *writer = (pattern_occurrence_writer *)*out;
    writer->cut = windows;
    writer->windows = spk_windows_columns(windows);
    status = spk_pattern_locator_create(context, windows, &writer->locator);
    if (status == SPK_OK)
        status = report_labels_make(context, recording, writer->windows.n_units,
                                    REPORT_LABEL_PATTERN, &writer->label);
    return report_writer_opened(status, out);
}

/* Where the window is: trial, bin and time, or its line in the file of transactions. */
static void put_place(pattern_occurrence_writer *writer, uint32_t window)
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

static spk_status put_occurrences(pattern_occurrence_writer *writer, const uint32_t *item,
                                  uint32_t size)
{
    report_table *table = &writer->table;
    const uint32_t *window = NULL;
    uint32_t n = 0;
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

spk_status spk_pattern_occurrence_writer_add(void *user, const spk_pattern_columns *patterns)
{
    pattern_occurrence_writer *writer = user;
    report_table *table = &writer->table;
    spk_status status = report_writer_check(table, &occurrences_kind);
    if (status == SPK_OK)
        status = report_check_patterns(table->context, &writer->windows, patterns);
    if (status == SPK_OK)
        status = report_table_begin(table);
    for (uint64_t i = 0; i < patterns->n && status == SPK_OK; i++) {
        uint64_t first = patterns->offset[i];
        uint32_t size = (uint32_t)(patterns->offset[i + 1] - first);
        status = put_occurrences(writer, patterns->item + first, size);
    }
    return status == SPK_OK ? report_table_mark_now_and_then(table) : status;
}
