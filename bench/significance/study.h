/*
 * spikemine-bench-significance: what the test of SPADE patterns finds where the truth is known. A
 * study is many runs, each named by a number and told in one row of a file, which is continued when
 * it is there.
 */
#pragma once

#include "session.h"
#include "spikemine/spectrum.h"
#include "trains.h"

/* ---- a test of one recording ----------------------------------------------------------------- */

/* How a recording is mined, and its surrogates. */
typedef struct study_job {
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_surrogate_options surrogates;
    uint64_t n_surrogates;
    bool by_duration;
    double alpha;
    const char *correction;
} study_job;

/* Options as the library has them, 2d, alpha 0.05. */
void study_job_init(study_job *job);

/* What mining found. study_found_free accepts what was never filled, when it is zero. */
typedef struct study_found {
    spk_windows *windows;
    spk_pattern_list *patterns;
    spk_spectrum *spectrum;
    const spk_spectrum_entry *entry;
    uint64_t n_entries;
} study_found;

spk_status study_mine(spk_context *context, const spk_recording *recording, const study_job *job,
                      study_found *out);
void study_found_free(study_found *found);

spk_status study_maxima(spk_context *context, const spk_recording *recording, const study_job *job,
                        const char *checkpoint, spk_maxima **out);

/* The verdicts of all signatures, found->n_entries of them, malloc'ed. */
spk_status study_test(spk_context *context, const study_found *found, const spk_maxima *maxima,
                      const study_job *job, bool published, spk_signature **out);

/* The supports of the published recipe. */
spk_status study_supports(spk_context *context, const spk_recording *recording,
                          const study_job *job, spk_pattern_supports *out);

/* Which patterns are left by the filter and reduction: keep[i] is 1. */
spk_status study_keep(spk_context *context, const study_found *found, const spk_maxima *maxima,
                      const study_job *job, bool published, const spk_signature *signatures,
                      uint8_t *keep);

/* ---- many runs ------------------------------------------------------------------------------- */

/* Does run `key` and writes its row, without key and line end, into `row`. Called by several
 * threads, each with a context of its own. */
typedef spk_status study_run(spk_context *context, const void *study, uint64_t key, char *row,
                             size_t row_size);

typedef struct study_plan {
    study_run *run;
    const void *study;
    uint64_t n_keys;     /* keys 0 .. n_keys - 1, in this order */
    const char *what;    /* one line on the options: a file with other ones is refused */
    const char *columns; /* names of the row's columns, tabs between, without "key" */
    const char *output;  /* file of rows */
    uint64_t share;      /* of n_shares: keys k with k mod n_shares = share - 1 */
    uint64_t n_shares;
    uint64_t seconds; /* begin no run later than this; 0: no limit */
} study_plan;

/* Does what is not in the file yet, with the threads of the session. CLI_DONE or an exit code. */
int study_execute(cli_session *session, const study_plan *plan);

/* Options of every study. */
typedef struct study_values {
    uint64_t runs, surrogates, seed, share, n_shares, seconds, threads;
    const char *output;
} study_values;

#define STUDY_OPTIONS(type, member, usual_runs, runs_help, usual_surrogates)                       \
    {.name = "runs",                                                                               \
     .kind = CLI_INTEGER,                                                                          \
     .argument = "N",                                                                              \
     .offset = offsetof(type, member.runs),                                                        \
     .fallback = usual_runs,                                                                       \
     .minimum = 1,                                                                                 \
     .maximum = 1e6,                                                                               \
     .help = runs_help},                                                                           \
        {.name = "surrogates",                                                                     \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "B",                                                                          \
         .offset = offsetof(type, member.surrogates),                                              \
         .fallback = usual_surrogates,                                                             \
         .minimum = 1,                                                                             \
         .maximum = 1e9,                                                                           \
         .help = "surrogates of each test"},                                                       \
        {.name = "seed",                                                                           \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "SEED",                                                                       \
         .offset = offsetof(type, member.seed),                                                    \
         .fallback = "1",                                                                          \
         .maximum = 1e15,                                                                          \
         .help = "seed of recordings and surrogates"},                                             \
        {.name = "share",                                                                          \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "K",                                                                          \
         .offset = offsetof(type, member.share),                                                   \
         .fallback = "1",                                                                          \
         .minimum = 1,                                                                             \
         .maximum = 1e6,                                                                           \
         .help = "which share of the runs to do"},                                                 \
        {.name = "shares",                                                                         \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(type, member.n_shares),                                                \
         .fallback = "1",                                                                          \
         .minimum = 1,                                                                             \
         .maximum = 1e6,                                                                           \
         .help = "into how many shares the runs are cut"},                                         \
        {.name = "seconds",                                                                        \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "S",                                                                          \
         .offset = offsetof(type, member.seconds),                                                 \
         .maximum = 1e9,                                                                           \
         .help = "begin no run after this time; the rest is done when the command is repeated"},   \
        {.name = "threads",                                                                        \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(type, member.threads),                                                 \
         .maximum = 4096,                                                                          \
         .help = "by default one per processor"},                                                  \
    {                                                                                              \
        .name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "FILE",                     \
        .offset = offsetof(type, member.output),                                                   \
        .help = "file of rows, which is continued when it is there (needed)"                       \
    }

/* Fills a plan from the options. CLI_DONE or an exit code. */
int study_plan_fill(cli_session *session, const study_values *values, study_plan *plan);

extern const cli_command study_calibration, study_validation, study_exact, study_power, study_real,
    study_connectivity, study_speed, study_reduction;
