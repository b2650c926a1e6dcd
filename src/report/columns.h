/*
 * The columns of results behind their names and counts: what a test, a comparison and families say
 * of each; and the columns of sequences, of their members and of their occurrences. They are
 * described once, here: tables, JSON and the page are views of it, and the reference of files that
 * are written tells every one of them.
 *
 * To add a column, give the struct of its test (spikemine/report.h) an array of its values by row,
 * and the table in columns.c a line.
 */
#pragma once

#include "spikemine/report.h"
#include "spikemine/select.h"
#include "spikemine/sequence.h"

/* Where values come from; NULL: there is no such test. */
typedef struct report_tests {
    const spk_exact_report *exact;
    const spk_significance *signatures;
    const spk_compare_report *comparison;
    const spk_family_columns *families; /* of rows */
    const spk_sequence_columns *sequences;
    double rate_hz; /* of their ticks */
} report_tests;

static inline bool report_has_tests(const report_tests *tests)
{
    return tests->exact != NULL || tests->signatures != NULL || tests->comparison != NULL ||
           tests->families != NULL;
}

/* SPK_ERR_ARGUMENT where a test has no such row. */
spk_status report_check_row(spk_context *context, const report_tests *tests, uint64_t row);

/* A row; `signature` is the pattern's, where there is a test of signatures. */
typedef struct report_row {
    const report_tests *tests;
    uint64_t row;
    const spk_signature *signature;
} report_row;

typedef enum report_kind {
    REPORT_NOTHING, /* there is no value: "-", in JSON null */
    REPORT_INTEGER,
    REPORT_REAL,
    REPORT_WORD,
    REPORT_VERDICT, /* integer: 0 for no, 1 for yes */
    REPORT_PART,    /* the result without its position `integer` */
    REPORT_UNIT,    /* the first of `unit` */
    REPORT_UNITS,   /* n_units of them */
    REPORT_REALS,   /* n_reals of them */
    REPORT_TIME     /* of tick `tick` */
} report_kind;

typedef struct report_cell {
    report_kind kind;
    uint64_t integer;
    double real;
    int64_t tick;
    uint32_t n_units;
    const uint32_t *unit;
    uint64_t n_reals;
    const double *reals;
    char word[64];
} report_cell;

typedef enum report_windows {
    REPORT_ONCE,
    REPORT_WITH_WINDOWS, /* where the test has several windows of jitter */
    REPORT_EACH_WINDOW   /* a column for each of them */
} report_windows;

typedef struct report_source {
    size_t test;   /* offset of the test in report_tests */
    size_t array;  /* offset in the test of the pointer to its values by row */
    size_t stride; /* bytes from row to row */
    size_t field;  /* offset of the value in what a row has */
    bool optional; /* the column is there only where the pointer is */
} report_source;

typedef struct report_column {
    spk_result_column facts;
    report_source source;
    report_windows windows;
    void (*get)(const report_row *row, size_t k, report_cell *out);
    const char *more; /* what a tool tip says behind the meaning; NULL: nothing */
} report_column;

/* All columns of results in the order of tables; n of them. */
const report_column *report_columns(size_t *n);

/* Those of sequences: a row for each sequence; for each member of all sequences; for each of their
 * occurrences. */
typedef enum report_sequence_rows {
    REPORT_SEQUENCES,
    REPORT_MEMBERS,
    REPORT_MOMENTS
} report_sequence_rows;
const report_column *report_sequence_columns(report_sequence_rows rows, size_t *n);

/* How many columns of these tests it stands for; 0: they lack it. */
size_t report_column_n(const report_column *column, const report_tests *tests);

/* The value in number k of them. */
void report_column_get(const report_column *column, const report_row *row, size_t k,
                       report_cell *out);

/* "integer", "real" or "text": how the page sorts and writes it. */
const char *report_column_type(const report_column *column);

/* A key, title or meaning with the name of window k in place of %s. */
enum { REPORT_COLUMN_TEXT = 320 };
const char *report_column_text(const report_tests *tests, const char *text, size_t k,
                               char buffer[REPORT_COLUMN_TEXT]);
