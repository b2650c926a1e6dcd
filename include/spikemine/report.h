/*
 * Result files: episodes, patterns and where they occur, as tab separated text or JSON; what other
 * searches and tests write is in report_tests.h. A writer is a table on its way to its file:
 *
 *     open     starts the file; nothing exists under its name yet. "-" is standard output. A name
 *              that ends in .gz, .bz2, .xz or .zst gets compressed bytes.
 *     set      columns of tests, before the first row: rows of episodes and of patterns take them
 *     add      writes rows at once; nothing is collected
 *     commit   ends the file, gives it its name, and frees the writer, whatever happens
 *     free     frees a writer that was not committed, and leaves no file behind
 *
 * Each kind of row has its own open and add; the rest is the same for all. The add functions of
 * episodes and patterns are sinks, so that a search writes its results while it runs:
 *
 *     spk_writer *writer;
 *     status = spk_episode_writer_open(context, "out.tsv", SPK_FORM_TSV, recording, &writer);
 *     if (status == SPK_OK)
 *         status = spk_episode_mine(context, recording, &options, spk_episode_writer_add, writer,
 *                                   NULL);
 *     if (status == SPK_OK)
 *         status = spk_writer_commit(writer, NULL);
 *     else
 *         spk_writer_free(writer);
 *
 * Everything that open takes is borrowed until commit or free, the context too: messages of all
 * functions go there. Columns that are added are checked against it. A writer takes rows of the
 * kind that it was opened for, and refuses others.
 *
 * Errors of open: SPK_ERR_ARGUMENT (format), SPK_ERR_FORMAT (a label that is not UTF-8, in JSON),
 * SPK_ERR_IO, SPK_ERR_MEMORY, SPK_ERR_UNAVAILABLE (no such compression in this build). Of set:
 * SPK_ERR_ARGUMENT (there are rows already, or they are of a kind that takes no tests). Of add:
 * SPK_ERR_ARGUMENT (a writer of other rows; units, intervals or windows that do not exist),
 * SPK_ERR_IO, SPK_ERR_PIPE, SPK_ERR_MEMORY. Of commit: SPK_ERR_IO, SPK_ERR_PIPE, SPK_ERR_MEMORY.
 * After an error of add only commit, which returns it again where writing failed, and free make
 * sense.
 *
 * SPK_ERR_PIPE says that the reader of standard output or of a named pipe went away (| head). Most
 * programs end quietly then. A program sees the status when it ignores SIGPIPE; else the signal
 * ends it.
 *
 * Searches call add from threads of their own, but never twice at once.
 */
#ifndef SPIKEMINE_REPORT_H
#define SPIKEMINE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/compare.h"
#include "spikemine/context.h"
#include "spikemine/energy.h"
#include "spikemine/episode.h"
#include "spikemine/exact.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/select.h"
#include "spikemine/significance.h"

SPK_BEGIN_C

typedef enum spk_table_form {
    SPK_FORM_TSV, /* tab separated text: a line of column names, then a line a row */
    SPK_FORM_JSON /* one object, with the provenance at its end */
} spk_table_form;

/* The origin of a result. Commit writes it into JSON, at the end of the file. A text that is NULL
 * and a number that is 0 are left out. All pointers are borrowed for the call. */
typedef struct spk_provenance {
    const char *command;      /* the command line */
    const char *input;        /* name of the recording */
    const char *input_sha256; /* of an input that is no recording: a recording knows its own */
    const char *engine;
    const char *choice;   /* why it was chosen */
    const char *two_pass; /* "on", "off" */
    uint64_t support;
    int threads;     /* always there */
    int gpus;        /* how many */
    const char *gpu; /* what they are */
    double seconds;  /* of mining; always there */
    uint32_t n_levels;
    const spk_episode_level *levels;
    /* Why the result is not complete; NULL: it is. In both formats: TSV ends with a line
     * `# incomplete: ...`, JSON has "complete": false, and the file is named PATH.incomplete. */
    const char *incomplete;
    const char *support_choice; /* why the support was chosen; NULL: it was given */
    size_t n_meters;            /* of energy; 0: it was not measured */
    const spk_energy_meter *meters;
} spk_provenance;

/* ---- the outcome of a test ------------------------------------------------------------------- */

/* What a test of patterns found, for tables and figures. Initialise with spk_significance_init;
 * pointers are borrowed as long as the writer or the figure that got it lives. */
typedef struct spk_significance {
    size_t struct_size; /* set by spk_significance_init */
    const char *method; /* how surrogates were made, for the provenance; NULL: untold */
    spk_duration dither;
    uint64_t seed;
    uint64_t n_surrogates;
    bool by_duration;       /* signatures have durations (3d) */
    double alpha;           /* 0.05 by default, like the correction for the provenance only */
    const char *correction; /* "fdr-bh" by default */
    bool published;         /* signatures were tested by the published program's rule */
    uint64_t n_signatures;
    const spk_signature *signature; /* all observed ones, in the order of spk_spectrum_entries */
    uint64_t n_pvalues;
    const spk_pvalue *pvalue; /* the p-value spectrum, in any order */
    const char *reduction;    /* "2,2,0": h, k, l; NULL: none */
    uint64_t n_patterns;      /* the patterns that were tested */
    uint64_t n_significant;   /* of them */
    uint64_t n_kept;          /* of those, by the reduction */
    const char *stability;    /* its parameters; NULL: none was asked for */
    /* By row of a table of patterns, n_rows of each; NULL: the table has no such column. */
    uint64_t n_rows;
    const uint8_t *kept; /* by the reduction */
    const double *intensional;
    const double *extensional;
} spk_significance;

/* No signatures, alpha 0.05, "fdr-bh". */
SPK_API void spk_significance_init(spk_significance *significance, size_t struct_size);

/* Numbers of rows, as many as each has: of row k value[first[k]] .. value[first[k + 1] - 1]. */
typedef struct spk_reals {
    const double *value;
    const uint64_t *first;
} spk_reals;

/* What an exact test found, for tables. Initialise with spk_exact_report_init; pointers are
 * borrowed as long as the writer that got it lives. */
typedef struct spk_exact_report {
    size_t struct_size;         /* set by spk_exact_report_init */
    const spk_duration *jitter; /* the windows D, n_jitter of them */
    size_t n_jitter;
    uint64_t seed;
    uint64_t n_surrogates;
    double alpha;           /* 0.05 by default */
    uint64_t n_tested;      /* results of the search */
    uint64_t n_significant; /* of them */
    uint64_t n_core;        /* of those, the ones that no part of them explains */
    /* By row of the table, n_rows of each. */
    uint64_t n_rows;
    const spk_exact_verdict *verdict;
    const double *scale_p; /* n_jitter for each row; NULL: the table has no such columns */
    /* Position of the unit or spike without which a part explains the row, SPK_NOT_EXPLAINED where
     * none does; NULL: the table has no such column. */
    const uint32_t *left_out;
    /* Of peeling (peel.h): the round in which the row was accepted, and how many rounds were run;
     * the numbers of results above are those of round 1, without n_core. NULL: there was none. */
    const uint32_t *round;
    uint32_t n_rounds;
    /* What a row may mean beside a sequence, and the p of its direction
     * (spk_exact_interpret_episodes); NULL: the table has no such column. */
    const uint32_t *means;
    const double *direction_p;
    const char *null;     /* its name; NULL: "auto" */
    spk_duration history; /* that was given; negative: none was */
    spk_reals lags;       /* by row: median lag of each step in seconds, of an episode that
                             occurs, else none; value NULL: the table has no such column */
    /* Of given episodes (exact.h), by row: back and back_p of its spk_exact_direction, and its
     * spk_asymmetry at alpha; NULL: the table has no such column. */
    const uint64_t *back;
    const double *back_p;
    const uint32_t *asymmetry;
} spk_exact_report;

#define SPK_NOT_EXPLAINED UINT32_MAX

/* No rows, alpha 0.05, no history. */
SPK_API void spk_exact_report_init(spk_exact_report *report, size_t struct_size);

/* What a comparison of two conditions found, for tables. Initialise with spk_compare_report_init;
 * pointers are borrowed as long as the writer that got it lives. */
typedef struct spk_compare_report {
    size_t struct_size;   /* set by spk_compare_report_init */
    const char *label[2]; /* of condition 0, a in the table, and of condition 1, b */
    const char *input_b;  /* the recording of condition b where it has one of its own, or NULL */
    const char *sha256_b; /* digest of its bytes, or NULL */
    uint64_t seed;
    double alpha;                /* 0.05 by default */
    spk_compare_summary summary; /* of the test */
    uint64_t n_significant;      /* of summary.n_tested results */
    /* By row of the table, n_rows of them. */
    uint64_t n_rows;
    const spk_compare_verdict *verdict;
} spk_compare_report;

/* No rows, alpha 0.05. */
SPK_API void spk_compare_report_init(spk_compare_report *report, size_t struct_size);

/* ---- columns of results ---------------------------------------------------------------------- */

/* What lies in the member of a column, and what is shown of it. */
typedef enum spk_column_type {
    SPK_COLUMN_YES_NO,  /* uint8_t; 0: no */
    SPK_COLUMN_U32,     /* uint32_t */
    SPK_COLUMN_U64,     /* uint64_t */
    SPK_COLUMN_REAL,    /* double */
    SPK_COLUMN_ROUNDED, /* double; six digits say all of a mean or a rate */
    SPK_COLUMN_REALS,   /* spk_reals */
    SPK_COLUMN_MILLI,   /* uint32_t, thousandths */
    SPK_COLUMN_WINDOW,  /* uint32_t, number of a window of jitter */
    SPK_COLUMN_PART,    /* uint32_t, a position or SPK_NOT_EXPLAINED */
    SPK_COLUMN_MEANING, /* uint32_t, spk_exact_means_text */
    SPK_COLUMN_UNIT,    /* uint32_t, its number */
    SPK_COLUMN_UNITS,   /* spk_family */
    SPK_COLUMN_TICK,    /* int64_t, a time */
    SPK_COLUMN_SIDE,    /* uint32_t, spk_asymmetry_text */
    /* Without a member: made of several. */
    SPK_COLUMN_OWN_INTEGER,
    SPK_COLUMN_OWN_REAL,
    SPK_COLUMN_OWN_TEXT
} spk_column_type;

/* A column that tests, comparisons and families add to rows; static. In key, name, title and
 * meaning %s stands for a window of jitter, and there is a column for each. It may grow at its end.
 */
typedef struct spk_result_column {
    const char *key;      /* in tables */
    const char *json_key; /* in JSON; NULL: as key */
    const char *title;    /* in a report; NULL: it has no such column */
    const char *meaning;  /* a sentence */
    spk_column_type type;
    const char *name;   /* in Python; NULL: as key */
    const char *test;   /* "exact", "signatures", "comparison" or "families": the struct of it */
    const char *member; /* there, by row: "left_out", "verdict.p"; NULL: none */
    bool of_episodes;   /* patterns lack it */
} spk_result_column;

/* Column k in the order of tables; NULL: there are no more. */
SPK_API const spk_result_column *spk_result_column_get(size_t k);

/* ---- writers --------------------------------------------------------------------------------- */

/* A table on its way to its file.
 * Threads: one at a time. */
typedef struct spk_writer spk_writer;

/* Adds the columns of an exact test: expected, score (-log10 of a chance), p, e_value and fdr; of
 * several windows D jitter, the one with the smallest p, and p of each; explained_by, the text form
 * of the part (in JSON explained_without, the position that it lacks), where the test has it;
 * meaning, direction_p and lags_s, where it has them; of given episodes back, back_p and asymmetry;
 * round, where the test was peeling; and the
 * test to the provenance. Row k of the table is row k of the test. */
SPK_API SPK_MUST_CHECK spk_status spk_writer_set_exact(spk_writer *writer,
                                                       const spk_exact_report *test);

/* Adds the columns p (p_published where the test is), p_corrected and significant of each pattern's
 * signature; where the test has them also kept, stability_intensional and stability_extensional;
 * and the test to the provenance. */
SPK_API SPK_MUST_CHECK spk_status spk_writer_set_signatures(spk_writer *writer,
                                                            const spk_significance *test);

/* Adds the columns of a comparison: count_a, count_b, rate_a_hz, rate_b_hz, difference_hz, lower_hz
 * and upper_hz (its interval), more_in (a, b, or - where the rates are equal), z and p; and the
 * comparison to the provenance. Row k of the table is row k of the comparison. */
SPK_API SPK_MUST_CHECK spk_status spk_writer_set_compare(spk_writer *writer,
                                                         const spk_compare_report *comparison);

/* Adds the columns members, family_occurrences and family_units: row k is family k, so that the
 * best member of each is to be added. The families are borrowed until the last row was added. */
SPK_API SPK_MUST_CHECK spk_status spk_writer_set_families(spk_writer *writer,
                                                          const spk_family_columns *families);

/* `provenance` may be NULL; a NULL writer is accepted. */
SPK_API SPK_MUST_CHECK spk_status spk_writer_commit(spk_writer *writer,
                                                    const spk_provenance *provenance);

/* Frees it and removes its file; NULL is accepted. */
SPK_API void spk_writer_free(spk_writer *writer);

/* ---- episodes -------------------------------------------------------------------------------- */

/* Writes episodes. TSV: size, count, episode in its text form. JSON: the table of delay intervals,
 * then for each episode size, count, labels of its units and numbers of its intervals.
 */
SPK_API SPK_MUST_CHECK spk_status spk_episode_writer_open(spk_context *context, const char *path,
                                                          spk_table_form format,
                                                          const spk_recording *recording,
                                                          spk_writer **out);

/* A spk_episode_sink; `writer` is a spk_writer. All episodes of a file have the same table
 * of delay intervals, else SPK_ERR_ARGUMENT. What was added is sent on its way at once, so that a
 * full disk shows early. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_writer_add(void *writer,
                                                         const spk_episode_columns *episodes);

/* ---- occurrences of episodes ----------------------------------------------------------------- */

/* Writes all counted occurrences of episodes as TSV: the episode, the number of its occurrence,
 * start_s, end_s, and times_s, the times of its events separated by commas, all in seconds.
 *
 * Episodes of fewer than `min_size` positions are left out: single units occur at each event. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_occurrence_writer_open(spk_context *context,
                                                                     const char *path,
                                                                     const spk_recording *recording,
                                                                     uint32_t min_size,
                                                                     spk_writer **out);

/* A spk_episode_sink; `writer` is a spk_writer. Looks the occurrences up, which
 * takes a pass over the events of each episode's units; can be cancelled. Errors also: those of
 * spk_episode_occurrences, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status
spk_episode_occurrence_writer_add(void *writer, const spk_episode_columns *episodes);

/* ---- patterns -------------------------------------------------------------------------------- */

/* Writes patterns: spikes, occurrences, neurons, duration in bins, pattern (in TSV its text form,
 * in JSON pairs of label and lag).
 *
 * The patterns come from `windows`. `recording` gives labels to the units and its facts to the
 * provenance; NULL: units are numbers, as in windows from a file of transactions. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_writer_open(spk_context *context, const char *path,
                                                          spk_table_form format,
                                                          const spk_windows *windows,
                                                          const spk_recording *recording,
                                                          spk_writer **out);

/* A spk_pattern_sink; `writer` is a spk_writer. After spk_writer_set_signatures the
 * signature of each pattern must be in the test, else SPK_ERR_ARGUMENT. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_writer_add(void *writer,
                                                         const spk_pattern_columns *patterns);

/* The writer as spk_pattern_options.bytes: threads, and ranks that share a search, make rows of
 * what they find, and the writer (of rank 0) gets them. There is a maker for each thread of the
 * context. *out is good as long as the writer. Threads: as a spk_pattern_bytes. Errors:
 * SPK_ERR_UNSUPPORTED (columns of a test, a comparison or families), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_writer_bytes(spk_writer *writer,
                                                           spk_pattern_bytes *out);

/* ---- occurrences of patterns ----------------------------------------------------------------- */

/* Writes every window that contains a pattern as TSV: the pattern, the trial from 1, the bin at
 * which the window starts, and time_s, the time of that bin; without a recording the pattern and
 * the number of the window's line from 1.
 * `windows` and `recording` as in spk_pattern_writer_open. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_occurrence_writer_open(spk_context *context,
                                                                     const char *path,
                                                                     const spk_windows *windows,
                                                                     const spk_recording *recording,
                                                                     spk_writer **out);

/* A spk_pattern_sink; `writer` is a spk_writer. */
SPK_API SPK_MUST_CHECK spk_status
spk_pattern_occurrence_writer_add(void *writer, const spk_pattern_columns *patterns);

SPK_END_C

#endif
