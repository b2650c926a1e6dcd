/* The common part of the writers. */
#include "report/table/table.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/memory.h"
#include "base/threads.h"

spk_status report_table_open(report_table *table, spk_context *context, const char *path,
                             spk_table_form format, const spk_recording *recording)
{
    *table = (report_table){.context = context, .format = format, .recording = recording};
    if (format != SPK_FORM_TSV && format != SPK_FORM_JSON)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%s: there is no format number %d", path,
                        (int)format);
    spk_status status = spk_alloc(context, &table->buffer, REPORT_BUFFER_BYTES, "an output");
    return status == SPK_OK ? spk_output_open(context, path, &table->output) : status;
}

spk_status report_writer_open(const writer_kind *kind, spk_context *context, const char *path,
                              spk_table_form format, const spk_recording *recording,
                              spk_writer **out)
{
    char *bytes = NULL;
    spk_status status = spk_alloc_zero(context, &bytes, kind->bytes, "a writer");
    *out = (spk_writer *)(void *)bytes;
    if (status != SPK_OK)
        return status;
    status = report_table_open(*out, context, path, format, recording);
    (*out)->kind = kind;
    (*out)->layout = kind->layout;
    (*out)->whole_calls = kind->whole_calls;
    return report_writer_opened(status, out);
}

spk_status report_writer_check(const spk_writer *writer, const writer_kind *kind)
{
    if (writer->kind == kind)
        return SPK_OK;
    return spk_fail(writer->context, SPK_ERR_ARGUMENT,
                    "a writer of %s takes no %s: open one that is made for them",
                    writer->kind->rows, kind->rows);
}

spk_status report_writer_opened(spk_status status, spk_writer **out)
{
    if (status != SPK_OK) {
        spk_writer_free(*out);
        *out = NULL;
    }
    return status;
}

void report_table_discard(report_table *table)
{
    spk_output_discard(table->output);
    free(table->kept);
    free(table->buffer);
    *table = (report_table){.output = NULL};
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void keep_buffer(report_table *table)
{
    if (table->status == SPK_OK)
        table->status = spk_grow(table->context, &table->kept, &table->kept_capacity,
                                 table->n_kept + table->n, "an output");
    if (table->status == SPK_OK) {
        memcpy(table->kept + table->n_kept, table->buffer, table->n);
        table->n_kept += table->n;
    }
    table->n = 0;
}

static void send(report_table *table, const char *bytes, size_t n)
{
    if (table->status == SPK_OK)
        table->status = spk_output_write(table->context, table->output, bytes, n);
    if (table->status == SPK_OK)
        spk_tally_add(table->context, 0, n);
    table->n_sent += n;
}

static void send_buffer(report_table *table)
{
    assert(table->n <= REPORT_BUFFER_BYTES);
    if (table->output == NULL) {
        keep_buffer(table);
        return;
    }
    send(table, table->buffer, table->n);
    table->n = 0;
}

void report_put_overflow(report_table *table, const char *bytes, size_t n)
{
    while (n > 0) {
        if (table->n == REPORT_BUFFER_BYTES)
            send_buffer(table);
        size_t part = n < REPORT_BUFFER_BYTES - table->n ? n : REPORT_BUFFER_BYTES - table->n;
        memcpy(table->buffer + table->n, bytes, part);
        table->n += part;
        bytes += part;
        n -= part;
    }
}

spk_status report_table_take(report_table *table, const char **bytes, uint64_t *n)
{
    assert(table->output == NULL);
    if (table->n_kept > 0)
        keep_buffer(table);
    *bytes = table->n_kept > 0 ? table->kept : table->buffer;
    *n = table->n_kept > 0 ? table->n_kept : table->n;
    table->n_kept = table->n = 0;
    return table->status;
}

spk_status report_table_flush(report_table *table)
{
    send_buffer(table);
    if (table->status == SPK_OK)
        table->status = spk_output_flush(table->context, table->output);
    return table->status;
}

static spk_status mark(report_table *table, spk_status (*set)(spk_context *, spk_output *))
{
    send_buffer(table);
    if (table->status == SPK_OK)
        table->status = set(table->context, table->output);
    table->n_sent = 0;
    table->n_marks++;
    return table->status;
}

spk_status report_table_mark_now_and_then(report_table *table)
{
    enum { BYTES_BETWEEN_MARKS = 1 << 24 };
    return table->n_sent < BYTES_BETWEEN_MARKS ? table->status : mark(table, spk_output_mark_soon);
}

static void put_head(report_table *table)
{
    if (table->kind != NULL && table->kind->put_head != NULL && !table->has_head)
        table->kind->put_head(table);
    table->has_head = true;
}

spk_status report_table_begin(report_table *table)
{
    if (table->begun)
        return table->status;
    put_head(table);
    table->begun = true;
    return table->whole_calls ? mark(table, spk_output_mark) : table->status;
}

spk_status report_table_check_row(const report_table *table)
{
    return table->status == SPK_OK ? spk_check_cancel(table->context) : table->status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

spk_status report_writer_copy(const report_table *table, report_table **copy)
{
    char *bytes = NULL, *buffer = NULL;
    assert(table->kind->rows_apart);
    spk_status status =
        spk_alloc_columns(table->context, "a writer", SPK_COLUMN(&bytes, table->kind->bytes),
                          SPK_COLUMN(&buffer, REPORT_BUFFER_BYTES));
    *copy = (report_table *)(void *)bytes;
    if (status != SPK_OK)
        return status;
    memcpy(bytes, table, table->kind->bytes);
    (*copy)->context = NULL;
    (*copy)->output = NULL;
    (*copy)->kept = NULL;
    (*copy)->n_kept = (*copy)->kept_capacity = 0;
    (*copy)->buffer = buffer;
    (*copy)->n = 0;
    (*copy)->begun = (*copy)->has_head = true;
    return SPK_OK;
}

void report_copy_free(report_table *copy)
{
    if (copy != NULL)
        spk_free_all(copy->kept, copy->buffer, copy);
}

/* Rows begin .. end - 1 of a call whose first row is row `first` of the table. */
static bool make_piece(report_table *copy, const void *columns, uint64_t first, uint64_t begin,
                       uint64_t end, const char **bytes, uint64_t *n_bytes)
{
    spk_status status = SPK_OK;
    copy->n_rows = first + begin;
    for (uint64_t i = begin; i < end && status == SPK_OK; i++)
        status = copy->kind->put(copy, columns, i);
    const spk_status taken = report_table_take(copy, bytes, n_bytes);
    return status == SPK_OK && taken == SPK_OK;
}

static spk_status copy_for(const report_table *table, int n, report_table ***out)
{
    spk_status status = spk_alloc_zero(table->context, out, (uint64_t)n, "a writer");
    for (int k = 0; k < n && status == SPK_OK; k++)
        status = report_writer_copy(table, &(*out)[k]);
    return status;
}

static int own_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/*
 * Threads make pieces of rows, and put them behind each other:
 *
 *     thread 0    rows 0 .. 1023       rows 2048 .. 3071
 *     thread 1    rows 1024 .. 2047    rows 3072 .. 3500
 *
 * Returns how many rows were put. The piece after these failed, and the caller comes to the same
 * failure, with its message. Bytes: a buffer for each thread.
 */
static uint64_t add_pieces(report_table *table, const void *columns, uint64_t n)
{
    enum { PIECE = 1024 };
    const bool shares =
        n >= (uint64_t)4 * PIECE && table->kind->rows_apart && table->output != NULL;
    const int threads = shares ? spk_threads_take(table->context) : 1;
    report_table **copy = NULL;
    const uint64_t first = table->n_rows;
    atomic_bool failed = threads == 1 || copy_for(table, threads, &copy) != SPK_OK;
    uint64_t n_put = 0;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(threads) if (threads > 1)
    for (uint64_t begin = 0; begin < n; begin += PIECE) {
        const uint64_t end = n - begin < PIECE ? n : begin + PIECE;
        const char *bytes = NULL;
        uint64_t n_bytes = 0;
        const bool made =
            copy != NULL && !failed &&
            make_piece(copy[own_number()], columns, first, begin, end, &bytes, &n_bytes);
#pragma omp ordered
        if (!made || failed || report_table_check_row(table) != SPK_OK) {
            failed = true;
        } else {
            send_buffer(table);
            send(table, bytes, (size_t)n_bytes);
            table->n_rows = first + end;
            n_put = end;
        }
    }
    for (int k = 0; k < threads && copy != NULL; k++)
        report_copy_free(copy[k]);
    free(copy);
    return n_put;
}

spk_status report_writer_add(report_table *table, const writer_kind *kind, const void *columns,
                             uint64_t n)
{
    spk_status status = report_writer_check(table, kind);
    if (status == SPK_OK)
        status = kind->take(table, columns);
    if (status == SPK_OK)
        status = report_table_begin(table);
    for (uint64_t i = status == SPK_OK ? add_pieces(table, columns, n) : 0;
         i < n && status == SPK_OK; i++)
        status = kind->put(table, columns, i);
    if (status != SPK_OK)
        return status;
    return table->whole_calls ? mark(table, spk_output_mark)
                              : report_table_mark_now_and_then(table);
}

/* ---- the end --------------------------------------------------------------------------------- */

static spk_status put_json_end(report_table *table, const spk_provenance *provenance)
{
    const char *indent = table->layout.indent != NULL ? table->layout.indent : "";
    bool complete = provenance == NULL || provenance->incomplete == NULL;
    report_put_text(table, "\n");
    report_put_text(table, indent);
    report_put_text(table, "]");
    if (!complete || table->layout.tells_completed) {
        report_put_text(table, ",\n");
        report_put_text(table, indent);
        report_put_text(table, complete ? "\"complete\": true" : "\"complete\": false");
    }
    if (provenance != NULL) {
        char *text = report_provenance_json(table->recording, &table->tests, provenance);
        if (text == NULL)
            return spk_fail_memory(table->context, 4096, "provenance");
        report_put_text(table, ",\n");
        report_put_text(table, indent);
        report_put_text(table, "\"provenance\": ");
        report_put_text(table, text);
        free(text);
    }
    report_put_text(table, "}\n");
    return SPK_OK;
}

/* Takes back rows that are not to stay. False: they have gone into a pipe. */
static bool cut_rows(report_table *table, const spk_provenance *provenance)
{
    if (!table->begun || (table->status == SPK_OK && !table->whole_calls))
        return true;
    bool unlisted = table->whole_calls && provenance->levels != NULL &&
                    table->n_marks == provenance->n_levels + 2;
    if (table->n_marks == 0 || !spk_output_cut(table->output, unlisted))
        return false;
    table->n = 0;
    table->status = SPK_OK;
    return true;
}

spk_status report_table_commit(report_table *table, const spk_provenance *provenance)
{
    assert(table->output != NULL); /* committed once */
    const char *incomplete = provenance != NULL ? provenance->incomplete : NULL;
    bool whole = incomplete == NULL || cut_rows(table, provenance);
    spk_status status = SPK_OK;
    if (table->format == SPK_FORM_JSON) {
        status = put_json_end(table, provenance);
    } else if (incomplete != NULL) {
        report_put_text(table, "# incomplete: ");
        report_put_text(table, incomplete);
        report_put_text(table, whole ? "\n" : "; the last rows are of what is not complete\n");
    }
    send_buffer(table);
    if (status == SPK_OK)
        status = table->status;
    if (status != SPK_OK)
        return status;
    spk_output *output = table->output;
    table->output = NULL;
    return incomplete == NULL ? spk_output_commit(table->context, output)
                              : spk_output_commit_incomplete(table->context, output, incomplete);
}

void spk_writer_free(spk_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->kind->free_rest != NULL)
        writer->kind->free_rest(writer);
    report_table_discard(writer);
    free(writer);
}

spk_status spk_writer_commit(spk_writer *writer, const spk_provenance *provenance)
{
    if (writer == NULL)
        return SPK_OK;
    put_head(writer);
    spk_status status = report_table_commit(writer, provenance);
    spk_writer_free(writer);
    return status;
}

/* ---- texts of units and delays --------------------------------------------------------------- */

void report_texts_free(report_texts *texts)
{
    free(texts->bytes);
    free(texts->first);
    *texts = (report_texts){.bytes = NULL};
}

/* Room for a text of `length` bytes and the zero that the formatting functions put behind it. */
static spk_status reserve(spk_context *context, report_texts *texts, size_t length, char **out)
{
    uint64_t used = texts->n > 0 ? texts->first[texts->n] : 0;
    spk_status status =
        spk_grow(context, &texts->bytes, &texts->bytes_capacity, used + length + 1, "labels");
    if (status == SPK_OK)
        status = spk_grow(context, &texts->first, &texts->first_capacity, texts->n + 2, "labels");
    if (status != SPK_OK)
        return status;
    assert(texts->n == 0 || texts->first[texts->n] == used);
    texts->first[texts->n] = used;
    texts->first[++texts->n] = used + length;
    *out = texts->bytes + used;
    return SPK_OK;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* The text form of an episode of one unit, which is the unit's label, quoted where needed; the same
 * of a pattern, without the "@0" behind it. */
static size_t format_label(const spk_recording *recording, uint32_t unit, report_label_form form,
                           char *text, size_t size)
{
    const uint64_t offset[] = {0, 1};
    const spk_episode_columns episode = {.n = 1, .offset = offset, .unit = &unit};
    const spk_pattern_columns pattern = {.n = 1, .window = 1, .offset = offset, .item = &unit};
    if (form == REPORT_LABEL_EPISODE)
        return spk_episode_format(recording, &episode, 0, text, size);
    return spk_pattern_format(recording, &pattern, 0, text, size) - strlen("@0");
}

static spk_status add_label(spk_context *context, const spk_recording *recording, uint32_t unit,
                            report_label_form form, report_texts *texts)
{
    char *text = NULL;
    size_t n = format_label(recording, unit, form, NULL, 0);
    spk_status status = reserve(context, texts, n, &text);
    if (status == SPK_OK)
        format_label(recording, unit, form, text, n + 1);
    return status;
}

static spk_status add_json_label(spk_context *context, const spk_recording *recording,
                                 uint32_t unit, report_texts *texts)
{
    char number[16];
    const char *label = recording != NULL ? spk_recording_label(recording, unit) : NULL;
    snprintf(number, sizeof number, "%" PRIu32, unit);
    json_t *string = json_string(label != NULL ? label : number);
    if (string == NULL)
        return spk_fail(
            context, SPK_ERR_FORMAT,
            "the label of unit %" PRIu32 " is not UTF-8, as JSON needs; take format tsv", unit);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    json_decref(string);
    if (quoted == NULL)
        return spk_fail_memory(context, 64, "labels");
    char *text = NULL;
    size_t n = strlen(quoted);
    spk_status status = reserve(context, texts, n, &text);
    if (status == SPK_OK)
        memcpy(text, quoted, n + 1);
    free(quoted);
    return status;
}

spk_status report_labels_make(spk_context *context, const spk_recording *recording,
                              uint32_t n_units, report_label_form form, report_texts *out)
{
    spk_status status = SPK_OK;
    for (uint32_t u = 0; u < n_units && status == SPK_OK; u++)
        status = form == REPORT_LABEL_JSON ? add_json_label(context, recording, u, out)
                                           : add_label(context, recording, u, form, out);
    return status;
}

/* ---- delays ---------------------------------------------------------------------------------- */

spk_status report_delays_make(spk_context *context, const spk_delay *delays, size_t n_delays,
                              report_texts *out)
{
    spk_status status = SPK_OK;
    for (size_t d = 0; d < n_delays && status == SPK_OK; d++) {
        char text[112];
        char *place = NULL;
        size_t n = spk_delay_format(&delays[d], text, sizeof text) + 2;
        status = reserve(context, out, n, &place);
        if (status == SPK_OK)
            snprintf(place, n + 1, " %s ", text);
    }
    return status;
}
