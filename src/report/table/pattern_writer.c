/*
 * Patterns as TSV or JSON, streamed: numbers are put together by hand into a large buffer, so that
 * millions of patterns leave at the speed of the disk.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "report/table/provenance.h"
#include "spikemine/pattern.h"

enum { BUFFER_BYTES = 1 << 18 };

/* A file and the bytes on their way to it. */
typedef struct byte_stream {
    spk_output *output;
    char *buffer;
    size_t n;
    bool failed;
} byte_stream;

struct spk_pattern_writer {
    spk_context *context;
    spk_table_format format;
    const spk_recording *recording;
    spk_window_columns windows;
    byte_stream table;
    byte_stream occurrences;
    spk_pattern_locator *locator; /* NULL: occurrences are not asked for */
    char **label;                 /* by unit: as it stands in a pattern */
    uint64_t *seen;               /* by unit: the last pattern that had it, from 1 */
    uint64_t n_patterns;
};

/* ---- bytes -------------------------------------------------------------------------------------
 */

static void flush(byte_stream *s)
{
    if (s->n > 0 && fwrite(s->buffer, 1, s->n, spk_output_stream(s->output)) != s->n)
        s->failed = true;
    s->n = 0;
}

static void put_bytes(byte_stream *s, const char *bytes, size_t n)
{
    while (n > 0) {
        if (s->n == BUFFER_BYTES)
            flush(s);
        size_t part = n < BUFFER_BYTES - s->n ? n : BUFFER_BYTES - s->n;
        memcpy(s->buffer + s->n, bytes, part);
        s->n += part;
        bytes += part;
        n -= part;
    }
}

static void put_text(byte_stream *s, const char *text)
{
    put_bytes(s, text, strlen(text));
}

static void put_char(byte_stream *s, char c)
{
    if (s->n == BUFFER_BYTES)
        flush(s);
    s->buffer[s->n++] = c;
}

static void put_number(byte_stream *s, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put_bytes(s, digits + at, sizeof digits - at);
}

static spk_status stream_open(spk_context *context, const char *path, byte_stream *s)
{
    spk_status status = spk_alloc(context, &s->buffer, BUFFER_BYTES, "an output");
    return status == SPK_OK ? spk_output_open(context, path, &s->output) : status;
}

static spk_status stream_commit(spk_context *context, byte_stream *s)
{
    if (s->output == NULL)
        return SPK_OK;
    flush(s);
    spk_output *output = s->output;
    s->output = NULL;
    return spk_output_commit(context, output);
}

static void stream_close(byte_stream *s)
{
    spk_output_discard(s->output);
    free(s->buffer);
    *s = (byte_stream){.output = NULL};
}

/* Ends a JSON object whose last array is open. */
static spk_status put_json_end(spk_context *context, byte_stream *s, const spk_recording *recording,
                               const spk_provenance *provenance)
{
    put_text(s, "\n]");
    if (provenance != NULL) {
        char *text = spk_provenance_json(recording, provenance);
        if (text == NULL)
            return spk_fail_memory(context, 4096, "provenance");
        put_text(s, ",\n\"provenance\": ");
        put_text(s, text);
        free(text);
    }
    put_text(s, "}\n");
    return SPK_OK;
}

/* ---- labels ------------------------------------------------------------------------------------
 */

/* A unit as text: in TSV as patterns show it, in JSON as a quoted string. */
static spk_status make_label(spk_pattern_writer *w, uint32_t unit)
{
    uint32_t item = unit * w->windows.window;
    if (w->format == SPK_TABLE_JSON) {
        char number[16];
        const char *label = w->recording != NULL ? spk_recording_label(w->recording, unit) : NULL;
        snprintf(number, sizeof number, "%u", unit);
        json_t *string = json_string(label != NULL ? label : number);
        if (string == NULL)
            return spk_fail(
                w->context, SPK_ERR_FORMAT,
                "the label of unit %u is not UTF-8; JSON cannot hold it, take --format tsv", unit);
        w->label[unit] = json_dumps(string, JSON_ENCODE_ANY);
        json_decref(string);
        return w->label[unit] != NULL ? SPK_OK : spk_fail_memory(w->context, 64, "labels");
    }
    const uint64_t offset[] = {0, 1};
    const spk_pattern_columns alone = {
        .n = 1, .window = w->windows.window, .offset = offset, .item = &item};
    size_t n = spk_pattern_format(w->recording, &alone, 0, NULL, 0);
    spk_status status = spk_alloc(w->context, &w->label[unit], n + 1, "labels");
    if (status != SPK_OK)
        return status;
    spk_pattern_format(w->recording, &alone, 0, w->label[unit], n + 1);
    w->label[unit][n - 2] = '\0'; /* without "@0" */
    return SPK_OK;
}

static spk_status make_labels(spk_pattern_writer *w)
{
    uint32_t n = w->windows.n_units;
    spk_status status = spk_alloc_columns(w->context, "labels", SPK_COLUMN_ZERO(&w->label, n),
                                          SPK_COLUMN_ZERO(&w->seen, n));
    for (uint32_t unit = 0; unit < n && status == SPK_OK; unit++)
        status = make_label(w, unit);
    return status;
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

/* `12@0 40@3 7@11` */
static void put_pattern(const spk_pattern_writer *w, byte_stream *s, const uint32_t *item,
                        uint32_t size)
{
    const uint32_t window = w->windows.window;
    for (uint32_t k = 0; k < size; k++) {
        if (k > 0)
            put_char(s, ' ');
        put_text(s, w->label[item[k] / window]);
        put_char(s, '@');
        put_number(s, item[k] % window);
    }
}

static uint32_t count_neurons(spk_pattern_writer *w, const uint32_t *item, uint32_t size)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < size; k++) {
        uint64_t *seen = &w->seen[item[k] / w->windows.window];
        n += *seen != w->n_patterns;
        *seen = w->n_patterns;
    }
    return n;
}

static void put_tsv_row(spk_pattern_writer *w, const uint32_t *item, uint32_t size, uint32_t count)
{
    byte_stream *s = &w->table;
    put_number(s, size);
    put_char(s, '\t');
    put_number(s, count);
    put_char(s, '\t');
    put_number(s, count_neurons(w, item, size));
    put_char(s, '\t');
    put_number(s, item[size - 1] % w->windows.window);
    put_char(s, '\t');
    put_pattern(w, s, item, size);
    put_char(s, '\n');
}

static void put_json_row(spk_pattern_writer *w, const uint32_t *item, uint32_t size, uint32_t count)
{
    byte_stream *s = &w->table;
    put_text(s, w->n_patterns > 1 ? ",\n{\"spikes\":" : "\n{\"spikes\":");
    put_number(s, size);
    put_text(s, ",\"occurrences\":");
    put_number(s, count);
    put_text(s, ",\"neurons\":");
    put_number(s, count_neurons(w, item, size));
    put_text(s, ",\"duration\":");
    put_number(s, item[size - 1] % w->windows.window);
    put_text(s, ",\"pattern\":[");
    for (uint32_t k = 0; k < size; k++) {
        put_text(s, k > 0 ? ",[" : "[");
        put_text(s, w->label[item[k] / w->windows.window]);
        put_char(s, ',');
        put_number(s, item[k] % w->windows.window);
        put_char(s, ']');
    }
    put_text(s, "]}");
}

static spk_status put_occurrences(spk_pattern_writer *w, const uint32_t *item, uint32_t size)
{
    byte_stream *s = &w->occurrences;
    const uint32_t *window = NULL;
    uint32_t n = 0;
    char time[64];
    spk_status status = spk_pattern_locate(w->locator, size, item, &window, &n);
    for (uint32_t i = 0; i < n && status == SPK_OK; i++) {
        put_pattern(w, s, item, size);
        put_char(s, '\t');
        if (w->windows.start_time == NULL || w->recording == NULL) {
            put_number(s, w->windows.start_bin[window[i]] + 1);
        } else {
            put_number(s, (uint64_t)w->windows.trial[window[i]] + 1);
            put_char(s, '\t');
            put_number(s, w->windows.start_bin[window[i]]);
            put_char(s, '\t');
            spk_recording_format_time(w->recording, w->windows.start_time[window[i]], time,
                                      sizeof time);
            put_text(s, time);
        }
        put_char(s, '\n');
    }
    return status;
}

spk_status spk_pattern_write(void *user, const spk_pattern_columns *patterns)
{
    spk_pattern_writer *w = user;
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < patterns->n && status == SPK_OK; i++) {
        const uint32_t *item = patterns->item + patterns->offset[i];
        uint32_t size = (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]);
        w->n_patterns++;
        if (w->format == SPK_TABLE_JSON)
            put_json_row(w, item, size, patterns->count[i]);
        else
            put_tsv_row(w, item, size, patterns->count[i]);
        if (w->locator != NULL)
            status = put_occurrences(w, item, size);
    }
    if (status == SPK_OK && (w->table.failed || w->occurrences.failed))
        status = spk_fail(w->context, SPK_ERR_IO, "writing failed: %s; is the disk full?",
                          strerror(errno));
    return status;
}

/* ---- life ---------------------------------------------------------------------------------------
 */

static spk_status open_occurrences(spk_pattern_writer *w, const spk_pattern_writer_options *options)
{
    if (options->occurrences_path == NULL)
        return SPK_OK;
    spk_status status = spk_pattern_locator_create(w->context, options->windows, &w->locator);
    if (status == SPK_OK)
        status = stream_open(w->context, options->occurrences_path, &w->occurrences);
    if (status == SPK_OK)
        put_text(&w->occurrences, w->windows.start_time != NULL && w->recording != NULL
                                      ? "pattern\ttrial\tbin\ttime_s\n"
                                      : "pattern\tline\n");
    return status;
}

spk_status spk_pattern_writer_create(spk_context *context,
                                     const spk_pattern_writer_options *options,
                                     spk_pattern_writer **out)
{
    *out = NULL;
    spk_pattern_writer *w = NULL;
    if (options->format == SPK_TABLE_JSON && options->occurrences_path != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "occurrences are written beside a TSV table only; take --format tsv");
    spk_status status = spk_alloc_zero(context, &w, 1, "an output");
    if (status != SPK_OK)
        return status;
    w->context = context;
    w->format = options->format;
    w->recording = options->recording;
    w->windows = spk_windows_columns(options->windows);
    status = make_labels(w);
    if (status == SPK_OK)
        status = stream_open(context, options->path, &w->table);
    if (status == SPK_OK)
        status = open_occurrences(w, options);
    if (status != SPK_OK) {
        spk_pattern_writer_discard(w);
        return status;
    }
    put_text(&w->table, w->format == SPK_TABLE_JSON
                            ? "{\"patterns\":["
                            : "spikes\toccurrences\tneurons\tduration\tpattern\n");
    *out = w;
    return SPK_OK;
}

spk_status spk_pattern_writer_commit(spk_pattern_writer *writer, const spk_provenance *provenance)
{
    spk_status status = SPK_OK;
    if (writer->format == SPK_TABLE_JSON)
        status = put_json_end(writer->context, &writer->table, writer->recording, provenance);
    if (status == SPK_OK)
        status = stream_commit(writer->context, &writer->table);
    if (status == SPK_OK)
        status = stream_commit(writer->context, &writer->occurrences);
    spk_pattern_writer_discard(writer);
    return status;
}

void spk_pattern_writer_discard(spk_pattern_writer *writer)
{
    if (writer == NULL)
        return;
    stream_close(&writer->table);
    stream_close(&writer->occurrences);
    spk_pattern_locator_free(writer->locator);
    for (uint32_t unit = 0; writer->label != NULL && unit < writer->windows.n_units; unit++)
        free(writer->label[unit]);
    free(writer->label);
    free(writer->seen);
    free(writer);
}

/* ---- the spectrum ---------------------------------------------------------------------------- */

static void put_entry(byte_stream *s, const spk_spectrum_entry *e, bool with_duration, bool json,
                      bool first)
{
    if (json)
        put_text(s, first ? "\n[" : ",\n[");
    const char separator = json ? ',' : '\t';
    put_number(s, e->size);
    put_char(s, separator);
    put_number(s, e->count);
    put_char(s, separator);
    if (with_duration) {
        put_number(s, e->duration);
        put_char(s, separator);
    }
    put_number(s, e->n_patterns);
    put_char(s, json ? ']' : '\n');
}

spk_status spk_spectrum_write(spk_context *context, spk_spectrum *spectrum, spk_table_format format,
                              const char *path, const spk_recording *recording,
                              const spk_provenance *provenance)
{
    byte_stream s = {.output = NULL};
    const spk_spectrum_entry *entry = NULL;
    uint64_t n = 0;
    const bool json = format == SPK_TABLE_JSON;
    const bool duration = spk_spectrum_has_duration(spectrum);
    spk_status status = spk_spectrum_entries(spectrum, &entry, &n);
    if (status == SPK_OK)
        status = stream_open(context, path, &s);
    if (status != SPK_OK)
        goto done;
    if (json)
        put_text(&s, duration
                         ? "{\"columns\":[\"spikes\",\"occurrences\",\"duration\",\"patterns\"],"
                           "\"spectrum\":["
                         : "{\"columns\":[\"spikes\",\"occurrences\",\"patterns\"],"
                           "\"spectrum\":[");
    else
        put_text(&s, duration ? "spikes\toccurrences\tduration\tpatterns\n"
                              : "spikes\toccurrences\tpatterns\n");
    for (uint64_t k = 0; k < n; k++)
        put_entry(&s, &entry[k], duration, json, k == 0);
    if (json)
        status = put_json_end(context, &s, recording, provenance);
    if (status == SPK_OK)
        status = stream_commit(context, &s);
done:
    stream_close(&s);
    return status;
}
