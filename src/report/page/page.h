/* A report in the making: what its parts know of each other. */
#pragma once

#include <assert.h>

#include "base/memory.h"
#include "report/columns.h"
#include "report/page/put.h"
#include "spikemine/page.h"

typedef struct page {
    spk_context *context;
    const spk_recording *recording;
    const spk_episode_columns *episodes; /* one of the three languages; else NULL */
    const spk_pattern_columns *patterns;
    const spk_sequence_columns *sequences;
    spk_sequence_report search; /* of sequences */
    const spk_windows *windows; /* of patterns */
    spk_duration bin;
    spk_page_options options;
    spk_exact_report exact;      /* where options.exact is set */
    spk_significance signatures; /* likewise */
    int64_t start;               /* first tick of the recording, from which times count */
    uint64_t n_spikes;           /* in the file */
    int64_t spikes_until;        /* tick before which all of them lie */
    /* Results in the file, n_rows of them. */
    uint64_t n_rows;
    uint64_t *row;     /* number of the result in the columns */
    uint64_t *n_found; /* its occurrences in the file */
    /* Their occurrences: n_numbers, packed into n_bytes. */
    unsigned char *packed;
    uint64_t packed_capacity;
    uint64_t n_bytes;
    uint64_t n_numbers;
    uint64_t n_told; /* rows with occurrences */
    FILE *out;
    bool begun; /* the list that is being written has an entry */
} page;

/* ---- what results are ------------------------------------------------------------------------ */

static inline const char *page_kind(const page *p)
{
    return p->sequences != NULL ? "sequences" : p->episodes != NULL ? "episodes" : "patterns";
}

static inline uint64_t page_n_results(const page *p)
{
    if (p->sequences != NULL)
        return p->sequences->n;
    return p->episodes != NULL ? p->episodes->n : p->patterns->n;
}

static inline uint64_t page_count(const page *p, uint64_t i)
{
    if (p->sequences != NULL)
        return p->sequences->occurrence_first[i + 1] - p->sequences->occurrence_first[i];
    return p->patterns != NULL ? p->patterns->count[i] : p->episodes->count[i];
}

static inline uint64_t page_offset(const page *p, uint64_t i)
{
    if (p->sequences != NULL)
        return p->sequences->member_first[i];
    assert(p->episodes != NULL || p->patterns != NULL);
    return p->patterns != NULL ? p->patterns->offset[i] : p->episodes->offset[i];
}

static inline uint32_t page_size(const page *p, uint64_t i)
{
    return (uint32_t)(page_offset(p, i + 1) - page_offset(p, i));
}

/* Unit at place k of the columns. */
static inline uint32_t page_unit(const page *p, uint64_t k)
{
    if (p->sequences != NULL)
        return p->sequences->unit[k];
    return p->episodes != NULL ? p->episodes->unit[k] : p->patterns->item[k] / p->patterns->window;
}

/* Ticks between the start of the recording and a time that is not before it. */
static inline uint64_t page_ticks_from_start(const page *p, int64_t time)
{
    return (uint64_t)time - (uint64_t)p->start;
}

/* Ticks a second. */
static inline double page_rate_hz(const page *p)
{
    const spk_rate rate = spk_recording_rate(p->recording);
    return (double)rate.numerator / (double)rate.denominator;
}

static inline report_tests page_tests(const page *p)
{
    return (report_tests){.exact = p->options.exact != NULL ? &p->exact : NULL,
                          .signatures = p->options.signatures != NULL ? &p->signatures : NULL,
                          .families = p->options.families,
                          .sequences = p->sequences,
                          .rate_hz = page_rate_hz(p)};
}

/* The signature of pattern i; NULL where there is no test of signatures. */
const spk_signature *page_signature(const page *p, uint64_t i);

/* Whether the test finds it significant; false without a test. */
bool page_is_significant(const page *p, uint64_t i);

/* Whether the spectrum is listed whole, else without what surrogates alone have. */
bool page_has_whole_spectrum(const spk_significance *test);

/* A duration in ticks, perhaps a fraction; an infinite one is no number. */
double page_ticks_at(spk_rate rate, spk_duration duration);

static inline double page_ticks(const page *p, spk_duration duration)
{
    return page_ticks_at(spk_recording_rate(p->recording), duration);
}

/* ---- the parts ------------------------------------------------------------------------------- */

/* How many spikes the file has (recording.c). */
void page_limit_spikes(page *p);
/* Chooses the rows (results.c). */
spk_status page_choose_rows(page *p);
/* Frees rows and their occurrences. */
void page_free_rows(page *p);
/* Finds and packs their occurrences (occurrences.c). */
spk_status page_find_occurrences(page *p);

/* What stands before an entry of a list that is being written: nothing before the first one. */
static inline void page_put_separator(page *p, const char *separator)
{
    fputs(p->begun ? separator : "", p->out);
    p->begun = true;
}

/* The descriptions of those columns that have a title; and a row of them, in brackets (rows.c). */
void page_put_columns(page *p, const report_column *column, size_t n);
spk_status page_put_cells(page *p, const report_column *column, size_t n, uint64_t row);

/* Each writes a key and its value, with a comma and a new line before it. */
void page_put_words(page *p);           /* title, summary, settings, notes (words.c) */
spk_status page_put_recording(page *p); /* recording.c */
spk_status page_put_rows(page *p);      /* columns, rows, results (rows.c) */
void page_put_occurrences(page *p);     /* occurrences.c */
spk_status page_put_test(page *p);      /* test.c */
spk_status page_put_graph(page *p);     /* graph.c */
/* Columns, rows, results, and the tables of members and occurrences (sequences.c). */
spk_status page_put_sequences(page *p);
/* The sequences that are shown beside episodes, as an object (sequences.c). */
spk_status page_put_beside(page *p);
