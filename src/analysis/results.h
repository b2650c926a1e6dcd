/*
 * Results of a search, in either language, and the steps that are taken with all of them: each step
 * is one function here, which calls that of the language.
 */
#pragma once

#include "base/context.h"
#include "spikemine/compare.h"
#include "spikemine/episode.h"
#include "spikemine/exact.h"
#include "spikemine/maxima.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/select.h"

/* What is searched for, and where: episodes, or patterns in windows. */
typedef struct spk_search {
    const spk_recording *recording;
    const spk_episode_options *episodes;
    const spk_pattern_options *patterns;
    const spk_windows *windows;
} spk_search;

/* Of one of the two languages; begins zeroed. Its own list, or columns that are borrowed. */
typedef struct spk_results {
    spk_search search;
    const spk_episode_columns *episode_batch;
    const spk_pattern_columns *pattern_batch;
    spk_episode_list *episodes;
    spk_pattern_list *patterns;
    spk_episode_summary *episode_summary;
    spk_pattern_summary *pattern_summary;
} spk_results;

/* None yet, with room for a summary; to be freed after a failure, too. */
spk_status spk_results_open(spk_context *context, const spk_search *search, spk_results *out);

/* Runs the search into the sink of its language, and fills in the summary. */
spk_status spk_results_mine(spk_context *context, spk_results *results, spk_episode_sink *episodes,
                            spk_pattern_sink *patterns, void *user);

/* Finds all, patterns in no order; to be freed after a failure, too. */
spk_status spk_results_find(spk_context *context, const spk_search *search, spk_results *out);

/* Puts them into the order of lists: that of the search, or of spk_pattern_list_sort. */
spk_status spk_results_sort(spk_results *results);

void spk_results_free(spk_results *results);

uint64_t spk_results_count(const spk_results *results);

/* Their columns; those of the other language have none. */
spk_episode_columns spk_results_episodes(const spk_results *results);
spk_pattern_columns spk_results_patterns(const spk_results *results);

/* Appends all of them to the list of `to`. */
spk_status spk_results_add(spk_results *to, const spk_results *results);

/* Results number[0] .. number[n - 1] as a list of their own, without a summary; to be freed after a
 * failure, too. */
spk_status spk_results_pick(spk_context *context, const spk_results *from, const uint64_t *number,
                            uint64_t n, spk_results *out);

/* Result i alone: its columns borrow those of `results`. */
spk_episode_columns spk_results_episode(const spk_results *results, uint64_t i);
spk_pattern_columns spk_results_pattern(const spk_results *results, uint64_t i);

/* spk_exact_test_ of the language. */
spk_status spk_results_test(spk_context *context, const spk_results *results,
                            const spk_exact_options *test, const spk_maxima *maxima,
                            spk_exact_verdict *verdict, double *scale_p);

/* spk_exact_explain_ of results number[0] .. number[n - 1]: part_p[k] and left_out[k] are those of
 * result number[k], `verdict` has those of all results. */
spk_status spk_results_explain(spk_context *context, const spk_results *results,
                               const spk_exact_options *test, const spk_exact_verdict *verdict,
                               const uint64_t *number, uint64_t n, double *part_p,
                               uint32_t *left_out);

/* spk_exact_interpret_ of the language; direction_p is of episodes only. */
spk_status spk_results_interpret(spk_context *context, const spk_results *results,
                                 const spk_exact_options *test, double alpha,
                                 const spk_exact_verdict *verdict, uint32_t *means,
                                 double *direction_p);

/* spk_compare_ of the language. */
spk_status spk_results_compare(spk_context *context, const spk_results *results,
                               const spk_compare_options *options, spk_compare_verdict *out,
                               spk_compare_summary *summary);

/* spk_select_ of the language. */
spk_status spk_results_select(spk_context *context, const spk_results *results,
                              const spk_select_options *options, uint64_t *chosen, uint64_t *n);

/* spk_families_of_ the language. */
spk_status spk_results_group(spk_context *context, const spk_results *results,
                             const spk_family_options *options, spk_families **out);
