/*
 * What all writers of result files are made of: a file that appears when it is complete, bytes on
 * their way to it, and its end, which tells where the result comes from or why it is incomplete.
 *
 * The put functions never fail one by one: the table keeps the first failure, and
 * report_table_check_row and report_table_flush report it. Numbers are put together by hand into a
 * large buffer, so that millions of rows leave at the speed of the disk.
 */
#pragma once

#include <assert.h>
#include <string.h>

#include "base/output.h"
#include "report/columns.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/report.h"

/* ---- texts of units and delays --------------------------------------------------------------- */

/* Texts that are made once and copied many times, one behind the other. Writers of millions of rows
 * need it. */
typedef struct report_texts {
    char *bytes;
    uint64_t *first; /* n + 1: text k is bytes[first[k]] .. bytes[first[k + 1] - 1] */
    uint64_t n;
    uint64_t bytes_capacity;
    uint64_t first_capacity;
} report_texts;

/* Start with zeros. */
void report_texts_free(report_texts *texts);

/* The labels of units 0 .. n_units - 1 as they stand in episodes, in patterns, or as strings of
 * JSON. `recording` may be NULL for the last two: then a label is the unit's number. Errors:
 * SPK_ERR_FORMAT for a label that is not UTF-8, as JSON needs. */
typedef enum report_label_form {
    REPORT_LABEL_EPISODE,
    REPORT_LABEL_PATTERN,
    REPORT_LABEL_JSON
} report_label_form;
spk_status report_labels_make(spk_context *context, const spk_recording *recording,
                              uint32_t n_units, report_label_form form, report_texts *out);

/* Delay intervals as they stand between the units of an episode: " (5ms,10ms] ". */
spk_status report_delays_make(spk_context *context, const spk_delay *delays, size_t n_delays,
                              report_texts *out);

/* ---- the table ------------------------------------------------------------------------------- */

enum { REPORT_BUFFER_BYTES = 1 << 18 };

/* How the JSON of a kind of table is laid out. */
typedef struct report_layout {
    const char *indent;   /* before the keys of the outermost object; NULL: nothing */
    bool tells_completed; /* "complete" is there in any case, else only when it is false */
} report_layout;

/* What each writer begins with, so that a pointer to one is a pointer to its table. */
typedef struct spk_writer report_table;

struct spk_writer {
    spk_context *context; /* borrowed */
    spk_table_form format;
    report_layout layout;
    const spk_recording *recording; /* of the result, for its provenance; borrowed, may be NULL */
    report_tests tests;             /* they lie below; arrays by row are borrowed */
    spk_exact_report exact;
    spk_significance signatures;
    spk_compare_report comparison;
    spk_family_columns families;
    spk_output *output; /* NULL: what is put stays in memory */
    char *kept;         /* there, without what is in the buffer */
    uint64_t n_kept;
    uint64_t kept_capacity;
    char *buffer;
    size_t n;        /* bytes in it */
    uint64_t n_sent; /* bytes sent since the last mark */
    spk_status status;
    bool begun;       /* there may be rows */
    uint32_t n_marks; /* of the head, and of each call of add that is complete */
    bool whole_calls; /* in an incomplete file the rows of an unfinished call of add are left out */
    uint64_t n_rows;  /* the writer's, for its separators */
    const struct writer_kind *kind; /* NULL: a table that is no spk_writer */
    bool has_head;                  /* it was put, or is not wanted */
};

/* A kind of writer. */
typedef struct writer_kind {
    const char *rows; /* what it writes: "occurrences of patterns" */
    size_t bytes;     /* of its struct, which begins with the table */
    report_layout layout;
    bool takes_tests; /* each row tells what tests say of it */
    bool whole_calls; /* as in the table */
    bool rows_apart;  /* a row is made of its result alone, so that copies make rows, too */
    void (*put_head)(report_table *table);  /* NULL: whoever opens it puts the head */
    void (*free_rest)(report_table *table); /* what it owns beside the table; NULL: nothing */
    /* Of writers that take columns of the library, call by call: checks columns before any of their
     * rows is put; the rows of result i. */
    spk_status (*take)(report_table *table, const void *columns);
    spk_status (*put)(report_table *table, const void *columns, uint64_t i);
} writer_kind;

/* A writer, zero but for its table; NULL after a failure. */
spk_status report_writer_open(const writer_kind *kind, spk_context *context, const char *path,
                              spk_table_form format, const spk_recording *recording,
                              spk_writer **out);

/* SPK_ERR_ARGUMENT where the writer is of another kind: then it has another struct. Each function
 * that takes rows asks it first. */
spk_status report_writer_check(const spk_writer *writer, const writer_kind *kind);

/* A call of add of such a writer, with n results. Kinds without whole_calls do not flush: mining
 * hands over batches of a few results, too. Threads share the rows of a large call. */
spk_status report_writer_add(report_table *table, const writer_kind *kind, const void *columns,
                             uint64_t n);

/* A copy of a writer whose rows are apart, for another thread: what it puts stays in memory
 * (report_table_take). It borrows what the writer owns, and has no context: copies at work at once
 * have no message in common. For report_copy_free, which accepts NULL. */
spk_status report_writer_copy(const report_table *table, report_table **copy);
void report_copy_free(report_table *copy);

/* What else it took to open it: after a failure there is no writer. */
spk_status report_writer_opened(spk_status status, spk_writer **out);

/* Starts a file ("-": standard output). After a failure as after success: report_table_discard. */
spk_status report_table_open(report_table *table, spk_context *context, const char *path,
                             spk_table_form format, const spk_recording *recording);

/* All bytes since the last call, which stay until something is put. */
spk_status report_table_take(report_table *table, const char **bytes, uint64_t *n);

/* Bytes that the buffer has no place for. */
void report_put_overflow(report_table *table, const char *bytes, size_t n);

static inline void report_put_bytes(report_table *table, const char *bytes, size_t n)
{
    if (n > REPORT_BUFFER_BYTES - table->n) {
        report_put_overflow(table, bytes, n);
        return;
    }
    memcpy(table->buffer + table->n, bytes, n);
    table->n += n;
}

static inline void report_put_text(report_table *table, const char *text)
{
    report_put_bytes(table, text, strlen(text));
}

static inline void report_put_char(report_table *table, char c)
{
    report_put_bytes(table, &c, 1);
}

static inline void report_put_number(report_table *table, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    report_put_bytes(table, digits + at, sizeof digits - at);
}

/* Text k of a list. */
static inline void report_put_piece(report_table *table, const report_texts *texts, uint64_t k)
{
    assert(k < texts->n);
    const uint64_t *first = texts->first + k;
    report_put_bytes(table, texts->bytes + first[0], (size_t)(first[1] - first[0]));
}

/* Sends everything on its way, so that a full disk shows now and not after hours of work. */
spk_status report_table_flush(report_table *table);

/* Puts the head; rows follow. */
spk_status report_table_begin(report_table *table);

/* Flushes from time to time; what is flushed will stay, also in an incomplete file. */
spk_status report_table_mark_now_and_then(report_table *table);

/* SPK_ERR_CANCELLED after a cancel, else what failed so far. Asked after each row: so that all rows
 * are whole. */
spk_status report_table_check_row(const report_table *table);

/* Ends the file, in JSON the open array and the object around it; provenance may be NULL. It gets
 * its name, or PATH.incomplete when provenance->incomplete is set. Then a last call of add that the
 * provenance does not list as a level is left out. */
spk_status report_table_commit(report_table *table, const spk_provenance *provenance);

/* Where a result comes from, as all result files say it alike: one JSON object as text, to be
 * freed; NULL when memory is out. `recording` may be NULL. */
char *report_provenance_json(const spk_recording *recording, const report_tests *tests,
                             const spk_provenance *provenance);

/* Frees what the table owns, and removes a file that was not committed. */
void report_table_discard(report_table *table);
