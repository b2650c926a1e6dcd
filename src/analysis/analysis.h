/*
 * The inside of an analysis: what a run keeps while its steps follow each other, and what is left
 * of it for the columns.
 *
 *     job.c         the options, checked and completed
 *     results.c     steps with results of either language
 *     given.c       given episodes in place of those that a search finds
 *     exact.c       the exact test        \
 *     signatures.c  the test of signatures } judges: which results are listed, what is said of rows
 *     compare.c     two conditions        /
 *     rows.c        columns of an exact test by row; lags.c has one of them
 *     select.c      selection and families
 *     stream.c      rows that are handed on as they are found
 *     order.c       orders of rows
 *     support.c     the support of a search, chosen by what chance does
 *     peel.c        peeling; rounds.c takes its rounds for rows
 *     run.c         all of it in order; how often the exact test of a job is alarmed by chance
 *     tell.c        what was found in sentences
 */
#pragma once

#include "analysis/results.h"
#include "base/context.h"
#include "base/stage.h"
#include "spikemine/analysis.h"

/* ---- what a test says ------------------------------------------------------------------------ */

/* What an exact test says of rows; grows. */
typedef struct spk_exact_rows {
    uint64_t n;
    uint64_t capacity;
    spk_exact_verdict *verdict;
    double *expected;
    double *scale_p; /* n_jitter for each */
    uint32_t *left_out;
    uint32_t *means;
    double *direction_p;
    uint32_t *round;
    uint64_t *lag_first; /* n + 1; row k has lag_s[lag_first[k]] .. lag_s[lag_first[k + 1] - 1] */
    double *lag_s;
    uint64_t lag_capacity;
    spk_holding holding;
} spk_exact_rows;

/* By result of the search, until rows are chosen. */
typedef struct spk_exact_findings {
    spk_exact_verdict *verdict;
    double *scale_p;
    uint32_t *left_out; /* SPK_NOT_EXPLAINED where no part explains it */
    uint32_t *means;
    double *direction_p;
    spk_exact_direction *direction; /* NULL: those of significant results alone are told */
    spk_holding holding;
} spk_exact_findings;

/* The episodes of a test of given ones: each once, then their steps and the opposites of these,
 * which tell of directions and are no part of the test. */
typedef struct spk_given {
    spk_episode_list *list; /* until the search is done, which takes it */
    spk_episode_columns episodes;
    uint64_t n;      /* that are tested */
    uint64_t n_rows; /* as they were given */
    uint64_t *of_row;
    /* By row, of the report. */
    uint64_t *back;
    double *back_p;
    uint32_t *asymmetry;
} spk_given;

/* What a test of signatures keeps. */
typedef struct spk_signature_findings {
    spk_signature *signature;
    spk_pvalue *pvalue;
    uint8_t *kept;    /* by result: whether the reduction keeps it; NULL: there was none */
    uint64_t *of_row; /* number of its signature */
    uint8_t *row_kept;
    double *stability; /* by row: intensional, then extensional */
} spk_signature_findings;

/* ---- a run ----------------------------------------------------------------------------------- */

struct spk_analysis {
    spk_context *context;
    spk_analysis_columns columns;
    /* The job. */
    spk_analysis_options options;
    spk_exact_options test;
    spk_maxima_options surrogates; /* of a test of signatures */
    spk_signature_options rule;
    spk_compare_options comparison;
    spk_select_options select;
    const struct spk_judge *judge;
    spk_duration jitter[SPK_EXACT_MAX_SCALES];
    spk_search search;
    const spk_window_options *cut;
    spk_windows *windows; /* that were cut here */
    spk_maxima *maxima;   /* that were made here */
    spk_given given;      /* n 0: none are */
    /* All results, until rows are chosen. */
    spk_results all;
    spk_exact_findings exact;
    spk_compare_verdict *compared;
    uint32_t *score;  /* by result: what the test gives it; NULL: nothing */
    uint64_t *number; /* of the results that are listed, in the order of rows */
    uint64_t n_rows;
    spk_status ended; /* how a search ended, of which rows are handed on all the same */
    /* The rows. */
    spk_results rows;
    spk_exact_rows exact_rows;
    spk_exact_report exact_report;
    spk_compare_verdict *compare_rows;
    spk_compare_report compare_report;
    spk_signature_findings signatures;
    spk_significance significance;
    char *text[4]; /* of `significance`: method, correction, reduction, stability */
    spk_families *families;
    spk_family_columns family_columns;
};

/* A kind of test; static. */
typedef struct spk_judge {
    /* Whether given maxima are those of the job; NULL, like `make`: it needs none. */
    spk_status (*check)(spk_context *context, const spk_analysis *job, const spk_maxima *maxima);
    spk_status (*make)(spk_context *context, const spk_analysis *job, spk_maxima **out);
    /* Whether they can be made: told before any work. NULL: `make` tells it. */
    spk_status (*can_make)(spk_context *context, const spk_analysis *job);
    /* Tests all results, and puts the listed ones into `number` and n_rows, which has room for all,
     * and a score into `score`. Results are in order, unless it `sorts` them itself. */
    spk_status (*test)(spk_analysis *a);
    /* Of `rows`: their columns, after `number` was narrowed. */
    spk_status (*fill)(spk_analysis *a);
    bool sorts;
} spk_judge;

extern const spk_judge spk_exact_judge, spk_signature_judge, spk_compare_judge;

/* Fills the job of an analysis that has a context and nothing else. */
spk_status spk_job_take(spk_analysis *a, const spk_recording *recording,
                        const spk_analysis_options *options);

/* Name of the null hypothesis of a test; static unless there is none of the name. Chosen for the
 * recording where none is given. */
const char *spk_job_null(const spk_recording *recording, const spk_exact_options *test);

/* Whether `number` has all results in their order. */
bool spk_analysis_lists_all(const spk_analysis *a);

/* Whether rows are handed on, not held. */
bool spk_analysis_hands_on(const spk_analysis *a);

/* The search of such rows, and the last step: what was held until then. */
spk_status spk_analysis_stream(spk_analysis *a);
spk_status spk_analysis_hand_on(spk_analysis *a);

/* Takes the given episodes of the test, if there are any; refuses what does not go with them. */
spk_status spk_given_take(spk_analysis *a);
/* Counts them in place of a search. */
spk_status spk_given_count(spk_analysis *a);
/* Puts the directions of rows into the report. */
spk_status spk_given_report(spk_analysis *a);
void spk_given_free(spk_given *given);

/* Leaves of `number` what the options select, then the best member of each family. */
spk_status spk_analysis_select(spk_analysis *a);

/* An order that does not go with the job is told before any work. */
spk_status spk_analysis_check_order(spk_context *context, const spk_analysis_options *options);

/* Puts `number` into the order that the options name. */
spk_status spk_analysis_order(spk_analysis *a);

/* Peels in place of all other steps. */
spk_status spk_analysis_peel(spk_analysis *a);

/* ---- columns of an exact test ---------------------------------------------------------------- */

/* Adds a row to those of the analysis: what a round of peeling accepted, or a result that is listed
 * in the same form. `recording` is what was searched; left_out is SPK_NOT_EXPLAINED where no part
 * explains the row. */
spk_status spk_exact_rows_add(spk_analysis *a, const spk_peel_round *row);
/* The lags of row k, behind those of the rows before it. */
spk_status spk_lags_add(spk_analysis *a, const spk_peel_round *row, uint64_t k);
void spk_exact_rows_free(spk_exact_rows *rows);
void spk_exact_findings_free(spk_exact_findings *findings);

/* The report of the rows that are there; what is counted is the caller's. */
spk_status spk_exact_rows_report(spk_analysis *a, uint64_t n_surrogates);

void spk_signature_findings_free(spk_signature_findings *findings);
