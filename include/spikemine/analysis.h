/*
 * An analysis: search, test, what the test says of each result, and the rows that are listed, in
 * one job. It is what the command and the Python package run; the headers named below have its
 * steps, for programs that do something else with them.
 *
 *     search      all frequent episodes or patterns                    episode.h, pattern.h
 *     surrogates  made, or given                                       exact.h, maxima.h
 *     test        p of each result                          exact.h, significance.h, compare.h
 *     explain     whether a part of a significant result explains it   exact.h
 *     interpret   what it may mean beside a sequence                   exact.h
 *     choose      which results are rows; the least likely first
 *     select      large ones, maximal ones, the best; families         select.h
 *     order       by another number than p
 *
 * Rows of a search without a test may be handed on as they are found, and are then not held.
 *
 * With `peel` the steps up to `choose` are repeated, each time without the events of what was found
 * (peel.h). Rows are then what was accepted, in the order in which it was.
 *
 *     spk_exact_options test;
 *     spk_exact_options_init(&test, sizeof test);
 *     test.episodes = &search, test.jitter = &jitter, test.n_jitter = 1;
 *     spk_analysis_options options;
 *     spk_analysis_options_init(&options, sizeof options);
 *     options.exact = &test;
 *     options.report = SPK_REPORT_CORE, options.families = true;
 *     status = spk_analysis_create(context, &analysis);
 *     if (status == SPK_OK)
 *         status = spk_analysis_run(analysis, recording, &options);
 *     const spk_analysis_columns *found = spk_analysis_columns_of(analysis);
 */
#ifndef SPIKEMINE_ANALYSIS_H
#define SPIKEMINE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/calibrate.h"
#include "spikemine/choose.h"
#include "spikemine/compare.h"
#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/exact.h"
#include "spikemine/maxima.h"
#include "spikemine/pattern.h"
#include "spikemine/peel.h"
#include "spikemine/recording.h"
#include "spikemine/report.h"
#include "spikemine/select.h"
#include "spikemine/significance.h"

SPK_BEGIN_C

/* Which results of a test are rows. */
typedef enum spk_rows_listed {
    SPK_REPORT_SIGNIFICANT, /* p at most alpha */
    SPK_REPORT_CORE,        /* of these the ones that no part of them explains; exact test only */
    SPK_REPORT_ALL          /* all results of the search */
} spk_rows_listed;

/* An order of rows; static. */
typedef struct spk_row_order {
    const char *name;
    const char *meaning; /* "the least likely first" */
} spk_row_order;

/* Order k; NULL: there are no more. */
SPK_API const spk_row_order *spk_row_order_get(size_t k);

/* An analysis and what it found, which it owns.
 * Threads: one at a time; many may read the columns while nothing runs. */
typedef struct spk_analysis spk_analysis;

/* What was found: pointers into the analysis, valid until it runs again or is freed. Filled in by
 * the library; it may grow at its end. */
typedef struct spk_analysis_columns {
    uint64_t n; /* rows */
    /* The rows, of the language of the search; the other one has none. */
    spk_episode_columns episodes;
    spk_pattern_columns patterns;
    const spk_windows *windows; /* in which patterns lie; NULL for episodes */
    /* Of the search, of peeling that of round 1; NULL: it has not ended, or is of the other
     * language. */
    const spk_episode_summary *episode_summary;
    const spk_pattern_summary *pattern_summary;
    uint64_t n_results;       /* of the search */
    uint64_t n_listed;        /* of them, by the report; `select` and families leave n rows */
    const spk_maxima *maxima; /* the surrogates; NULL: there are none, as after peeling */
    /* By row: verdict, p at each window, what explains it, its meaning and direction, its round of
     * peeling; and the facts of the test. NULL: there was no exact test. */
    const spk_exact_report *exact;
    const double *expected; /* by row: mean count by chance, as in its verdict */
    uint64_t n_meanings[3]; /* significant results that mean rhythm, synchrony, twin */
    double last_p;          /* the smallest p of what peeling left; NAN: max_rounds ended it */
    const spk_significance *signatures; /* NULL: there was no test of signatures */
    const uint64_t *signature;          /* by row: number of its signature; NULL likewise */
    /* The comparison, without labels and inputs, and by row its verdicts; NULL: there was none. */
    const spk_compare_report *compare;
    uint64_t n_more[2]; /* significant results that occur more often in condition 0, and in 1 */
    /* All families. Those of rows come first: family k is that of row k. NULL: none were asked
     * for. */
    const spk_family_columns *families;
    uint64_t n_plain; /* significant results of an exact test that mean none of n_meanings */
} spk_analysis_columns;

/* Called once when the search has ended, before surrogates are made (of peeling: after round 1);
 * `columns` has the facts of the search. */
typedef void spk_analysis_searched_fn(void *user, const spk_analysis_columns *columns);

/* Called once, before the rows are handed on: all families, of which the first n_rows are rows. A
 * status other than SPK_OK ends the analysis, which returns it. */
typedef spk_status spk_analysis_families_fn(void *user, const spk_family_columns *families,
                                            uint64_t n_rows);

/* Called for each size that a search for episodes has finished, where its rows come later. */
typedef void spk_analysis_level_fn(void *user, const spk_episode_level *level);

/* Initialise with spk_analysis_options_init; pointers are borrowed for the call. One of three says
 * what is searched for: exact or signatures, a test with its search; or a search that is not
 * tested, episodes, or cut and patterns. */
typedef struct spk_analysis_options {
    size_t struct_size; /* set by spk_analysis_options_init */
    const spk_exact_options *exact;
    const spk_maxima_options *signatures; /* the published test of patterns, by its surrogates */
    const spk_episode_options *episodes;
    const spk_window_options *cut;
    const spk_pattern_options *patterns;
    /* The windows of the recording where the caller has them, cut as the search says; NULL: they
     * are cut here. Borrowed until the analysis is freed. */
    const spk_windows *windows;
    const spk_maxima *maxima; /* surrogates that were made before, of this job; NULL: they are made
                                 here. Borrowed until the analysis is freed */
    double alpha;             /* 0.05: the level of an exact test */
    spk_rows_listed report;   /* SPK_REPORT_SIGNIFICANT; of a search without a test all are rows */
    /* Which rows are left; score and among are not heeded. Its limits on one result hold for an
     * test, too. With families `top` is a number of families. NULL: all. */
    const spk_select_options *select;
    bool families; /* a row is the best member of a family; families form around results of 4
                      different units, or of `distinct_units` of the selection */
    /* Of an exact test. */
    bool peel;
    uint32_t max_rounds;  /* of peeling; 0: until nothing is significant */
    spk_peel_sink *round; /* gets each round of peeling; NULL: none */
    /* Of a test of signatures. */
    const spk_signature_options *rule;      /* NULL: its defaults. Its min_spikes and support are
                                               those of the search */
    const spk_reduce_options *reduce;       /* h, k and l; NULL: no reduction */
    const spk_stability_options *stability; /* NULL: not measured */
    const spk_compare_options *compare; /* two conditions, with a search that has no other test */
    spk_analysis_searched_fn *searched; /* NULL: none */
    void *user;                         /* of all callbacks */
    /* Of an exact test or a comparison, without peeling and families: name of the order that rows
     * are put into after they were chosen. NULL: the least likely first. */
    const char *order;
    /* Where rows go that the analysis does not hold, of a search without a test and of its
     * language; NULL: rows are held. They come as they are found, each size of episodes by itself.
     * Where a selection but for its limits, or families, must see all, they come together at the
     * end; after a cancel, which is cleared, those of what was found. Bytes of a search for
     * patterns (spk_pattern_options) go with no selection and no families. */
    spk_episode_sink *episode_rows;
    spk_pattern_sink *pattern_rows;
    spk_analysis_families_fn *grouped; /* NULL: none */
    spk_analysis_level_fn *level;      /* NULL: none */
} spk_analysis_options;

/* No search, alpha 0.05, significant results, everything that is significant. */
SPK_API void spk_analysis_options_init(spk_analysis_options *options, size_t struct_size);

/* An empty analysis. `context` must outlive it. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_analysis_create(spk_context *context, spk_analysis **out);

/* Runs all steps; what an earlier run found is gone. Threads, memory, progress, notes and cancel
 * are those of the context; an exact test keeps its checkpoint. The rows are the same for any
 * engine and number of threads. After a failure there are no rows, but for peeling: then rows are
 * what was accepted before; and of rows that were handed on, n and the summary of the search tell
 * how far it came. Errors: SPK_ERR_ARGUMENT (no search or several; what does not go together;
 * maxima of another job), SPK_ERR_MEMORY, SPK_ERR_CANCELLED, and those of the steps. */
SPK_API SPK_MUST_CHECK spk_status spk_analysis_run(spk_analysis *analysis,
                                                   const spk_recording *recording,
                                                   const spk_analysis_options *options);

/* Makes the surrogates of the test alone, of one shard or of all, as spk_analysis_run does and
 * takes them. Errors: SPK_ERR_ARGUMENT (no test), those of spk_exact_run and spk_maxima_run. */
SPK_API SPK_MUST_CHECK spk_status spk_analysis_make_maxima(spk_context *context,
                                                           const spk_recording *recording,
                                                           const spk_analysis_options *options,
                                                           spk_maxima **out);

/* A support that was chosen. Filled in by the library. */
typedef struct spk_chosen_support {
    spk_support_choice choice;     /* of patterns, that of the largest size */
    spk_pattern_supports supports; /* of patterns, by size */
    char why[560];                 /* of episodes, in words, UTF-8; "" of patterns */
} spk_chosen_support;

/* Chooses the support that the search of the job lacks, from surrogates (choose.h): of a test the
 * lowest that the time allows, from what the window of its jitter keeps, so that an exact test
 * stays exact; without a test the smallest at which chance gives few results. `seed` is that of the
 * test, `time` is as in spk_choose_options. Errors: SPK_ERR_ARGUMENT (no search; an exact test with
 * several windows of jitter), those of spk_choose_support and spk_choose_pattern_supports. */
SPK_API SPK_MUST_CHECK spk_status spk_analysis_choose_support(spk_context *context,
                                                              const spk_recording *recording,
                                                              const spk_analysis_options *options,
                                                              uint64_t seed, spk_duration time,
                                                              spk_chosen_support *out);

/* Calibrates the exact test of the job (calibrate.h): takes surrogates of the recording as data,
 * and tests each of them. Of `runs` (NULL: its defaults) the test is that of the job; with 0
 * surrogates it has as few as can reach its alpha. Errors: SPK_ERR_ARGUMENT (no exact test), those
 * of spk_exact_calibrate. */
SPK_API SPK_MUST_CHECK spk_status spk_analysis_calibrate(spk_context *context,
                                                         const spk_recording *recording,
                                                         const spk_analysis_options *options,
                                                         const spk_calibrate_options *runs,
                                                         spk_calibration **out);

/* The columns; never NULL for an analysis, NULL for NULL. */
SPK_API const spk_analysis_columns *spk_analysis_columns_of(const spk_analysis *analysis);

/* Frees it; NULL is accepted. */
SPK_API void spk_analysis_free(spk_analysis *analysis);

SPK_END_C

#endif
