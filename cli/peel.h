/* `--peel` of both languages: its options, and the rows that it lists. */
#ifndef CLI_PEEL_H
#define CLI_PEEL_H

#include "exact_test.h"

/* The accepted results, row by row; the results themselves are in a list beside them. */
typedef struct peel_rows {
    const exact_plan *plan;
    uint64_t n;
    uint64_t capacity;
    spk_exact_verdict *verdict;
    double *expected;
    double *scale_p; /* plan->n_jitter for each */
    uint32_t *left_out;
    uint32_t *round;
    uint32_t *means;
    double *direction_p;
    double last_p; /* the smallest p of the round in which nothing was accepted */
    bool ended;    /* there was such a round */
    spk_exact_report report;
} peel_rows;

/* The options of peeling; `test` is borrowed. */
spk_peel_options peel_options(const exact_plan *plan, const spk_exact_options *test);

/* Adds what a round says. */
spk_status peel_rows_add(peel_rows *rows, cli_session *session, const spk_peel_round *round);

/* Fills rows->report, which borrows the rows; `test` is that of the first round. */
void peel_rows_report(peel_rows *rows, const spk_exact_options *test);

void peel_rows_free(peel_rows *rows);

/* Notes what was found; `results` is "episodes" or "patterns". */
void peel_tell(cli_session *session, const peel_rows *rows, const char *results);

#endif
