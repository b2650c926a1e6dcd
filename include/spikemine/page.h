/*
 * Reports to look at: one HTML file that holds results, the recording they come from and the
 * program that shows them. It opens in a browser without a network.
 *
 *     spk_page_options options;
 *     spk_page_options_init(&options, sizeof options);
 *     options.title = "macaque";
 *     status = spk_page_check(context, "report.html");
 *     ...
 *     status = spk_page_episodes(context, recording, &episodes, &options, "report.html");
 *
 * docs/reference/output.md describes the data inside. Equal input gives equal files, byte by byte.
 * A file appears under its name only when complete. Nothing is left out silently: a note in the
 * file tells what a limit kept out.
 *
 * Errors of the functions that write: SPK_ERR_ARGUMENT (columns, a test or families that do not
 * fit, a name that does not end in .html), SPK_ERR_IO, SPK_ERR_PIPE (as in report.h),
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED.
 */
#ifndef SPIKEMINE_PAGE_H
#define SPIKEMINE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/episode.h"
#include "spikemine/maxima.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/report.h"
#include "spikemine/report_tests.h"
#include "spikemine/select.h"
#include "spikemine/sequence.h"

SPK_BEGIN_C

/* How something was made: {"support", "50"}. Both are UTF-8. */
typedef struct spk_page_setting {
    const char *name;
    const char *value;
} spk_page_setting;

/* What a report tells beside its results. Initialise with spk_page_options_init; pointers are
 * borrowed for the call. Texts are UTF-8; what is not becomes U+FFFD. */
typedef struct spk_page_options {
    size_t struct_size;              /* set by spk_page_options_init */
    const char *title;               /* NULL: the name of the recording */
    const char *recording;           /* name of the recording; NULL: untold */
    const char *command;             /* what made the results; NULL: untold */
    const spk_page_setting *setting; /* n_settings of them, in this order */
    size_t n_settings;
    const char *const *note; /* n_notes sentences on what a reader must be careful about */
    size_t n_notes;
    uint64_t n_found;  /* results of which the columns hold the best; 0: the columns are all */
    uint64_t max_rows; /* results in the file; 20,000 by default, at least 1 */
    uint64_t max_occurrence_bytes; /* of the file, for occurrences; 2,000,000 by default */
    uint64_t max_spikes;           /* in the file, the first ones; 10,000,000 by default */
    bool as_listed; /* rows are in the order of the columns; else, and without an exact test and
                       families, the best ones are first: significant ones, then in the order of
                       select.h */
    const spk_exact_report *exact; /* what an exact test says, by row of the columns; NULL: none */
    const double *largest_score;   /* of it: the largest score of each surrogate, with a number for
                                      each window D, as spk_page_largest_scores gives them; NULL */
    const spk_significance *signatures; /* what a test of signatures says; NULL: none */
    const spk_family_columns *families; /* row k is the best member of family k; NULL: none */
    const char *const *again; /* n_again commands, or calls, that give the results again */
    size_t n_again;
    /* Of a report of episodes: whole sequences that are shown beside them; NULL: none. */
    const spk_sequences *sequences;
    const spk_recording *searched; /* where they were found: with the units and from the start of
                                      the recording, perhaps shorter or longer */
    /* n_summary sentences on what was found, in place of the page's own on recording and test; then
     * the notes are taken to have what must be known of the null hypothesis. */
    const char *const *summary;
    size_t n_summary;
    const char *const *method; /* n_methods sentences on how it was found */
    size_t n_methods;
    size_t n_doubts; /* the first sentences of the summary that stand above all results */
} spk_page_options;

/* No title, settings and tests; the limits named above. */
SPK_API void spk_page_options_init(spk_page_options *options, size_t struct_size);

/* Checks before long work whether a report can be written to `path`, which ends in .html or .htm or
 * is "-", standard output. Leaves nothing there. */
SPK_API SPK_MUST_CHECK spk_status spk_page_check(spk_context *context, const char *path);

/* Writes a report of episodes, with counts, from this recording. `options` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_page_episodes(spk_context *context,
                                                    const spk_recording *recording,
                                                    const spk_episode_columns *episodes,
                                                    const spk_page_options *options,
                                                    const char *path);

/* Writes a report of patterns of these windows, which come from this recording; `bin` is the width
 * that they were made with. `options` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_page_patterns(spk_context *context,
                                                    const spk_recording *recording,
                                                    const spk_windows *windows, spk_duration bin,
                                                    const spk_pattern_columns *patterns,
                                                    const spk_page_options *options,
                                                    const char *path);

/* Writes a report of sequences, which were found in this recording: a table of them, and of each
 * one its members and occurrences. `search` tells how they were found. Of the options `exact`,
 * `signatures` and `families` are NULL; `options` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_page_sequences(
    spk_context *context, const spk_recording *recording, const spk_sequences *sequences,
    const spk_sequence_report *search, const spk_page_options *options, const char *path);

/* The null distribution of an exact test: out[i * n_scales + s] is the largest score of surrogate i
 * within window D number s, in units of a table (12.345, not thousandths); 0 where nothing was
 * found. `out` has room for n * n_scales numbers of spk_exact_columns_of. */
SPK_API void spk_page_largest_scores(const spk_maxima *maxima, double *out);

SPK_END_C

#endif
