/* `episodes --compare` and `patterns --compare`: two conditions; options and trials. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "files.h"
#include "select_options.h"
#include "session.h"

typedef struct compare_values {
    const char *other;  /* the recording of condition b */
    const char *labels; /* or the conditions of trials */
    uint64_t n_permutations;
} compare_values;

#define COMPARE_OPTIONS(type, member)                                                              \
    CLI_HEADING("two conditions"), CLI_OPTION("compare", type, member.other),                      \
        CLI_OPTION("compare-trials", type, member.labels),                                         \
        CLI_OPTION("permutations", type, member.n_permutations)

/* What the options say, and the trials. */
typedef struct compare_plan {
    bool wanted;
    const compare_values *values;
    const char *input;
    double alpha;
    uint64_t seed;
    bool all; /* list all results, not significant ones only */
    size_t n_trials;
    uint8_t *condition; /* by trial; owned */
    char *label[2];     /* owned */
    char sha256_b[65];
} compare_plan;

/* Fills the plan, which borrows the values. alpha, seed and `all` are of the options that it shares
 * with other tests. CLI_DONE or an exit code. */
int compare_plan_make(cli_session *session, const compare_values *values, const char *input,
                      double alpha, uint64_t seed, bool all, compare_plan *plan);

/* Whether the files of the comparison and the files of results get in each other's way. CLI_DONE
 * or an exit code. */
int compare_check_files(cli_session *session, const compare_values *values,
                        const cli_file_values *files, const char *input, const char *output,
                        const char *occurrences, const char *figure);

/* Reads the other recording, which is put behind *recording, or the labels; checks that the trials
 * can give a p-value that small. CLI_DONE or an exit code; nothing to do where no comparison is
 * wanted. */
int compare_read(cli_session *session, compare_plan *plan, const cli_recording_values *reading,
                 spk_recording **recording);

void compare_plan_free(compare_plan *plan);

/* The options of the plan, which it borrows. */
spk_compare_options compare_plan_options(const compare_plan *plan);

#endif
