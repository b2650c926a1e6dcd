/*
 * The inside of the exact test: its job, what is prepared for each window D, and the scores of a
 * search.
 */
#pragma once

#include <stdint.h>

#include "significance/exact/classes.h"
#include "significance/exact/null.h"
#include "spikemine/episode.h"
#include "spikemine/exact.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/surrogate.h"

/* ---- null hypotheses ------------------------------------------------------------------------- */

typedef struct exact_null {
    spk_exact_null facts;
    bool keeps_windows; /* its surrogates have the recording's numbers in windows of jitter */
    bool fits_pairs;    /* means of windows are corrected (pairs.h) */
} exact_null;

/* Whether half of the units have enough pieces for the shift within windows of so many ticks. */
bool spk_exact_has_pauses(const spk_recording *recording, uint64_t window);

/* The one that the options name, or choose for the recording; SPK_ERR_ARGUMENT where there is none.
 */
spk_status spk_exact_null_find(spk_context *context, const spk_recording *recording,
                               const spk_exact_options *options, const exact_null **out);

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Options after the defaults of missing ones and their checks. */
typedef struct spk_exact_job {
    spk_exact_options options; /* its pointers lead to the structs below */
    spk_episode_options episodes;
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_duration jitter[SPK_EXACT_MAX_SCALES];
    const exact_null *null;
    bool of_patterns;
    struct spk_pattern_places *places; /* of surrogates' patterns; NULL: as the options say */
    char *text;                        /* free() frees it */
} spk_exact_job;

/* Sets *job up, which must not be moved: it has pointers into itself. */
spk_status spk_exact_job_take(spk_context *context, const spk_recording *recording,
                              const spk_exact_options *given, spk_exact_job *job);

/* The recording with a tick for each point of the grid on which its times lie, to be freed; NULL
 * where there is no such grid, or where ticks are its points. Where times are rounded and a bound
 * of the delays lies at a point: NULL, and a note. */
spk_status spk_exact_on_grid(spk_context *context, const spk_recording *recording,
                             const spk_delay *delays, size_t n_delays, spk_recording **out);

/* How surrogates are made at window k. */
spk_surrogate_options spk_exact_draws(const spk_exact_job *job, size_t k);

/* What is the same for all surrogates of one window D. */
typedef struct spk_exact_scale {
    spk_surrogates *surrogates;
    spk_null *null;
    int gpus;                  /* that make means of patterns; 0: none */
    spk_exact_classes classes; /* where pilots were asked for */
} spk_exact_scale;

/* `pilots`: also searches the pilots, with the threads of the context. */
spk_status spk_exact_scale_open(spk_context *context, const spk_recording *recording,
                                const spk_exact_job *job, size_t k, bool pilots,
                                spk_exact_scale *out);
void spk_exact_scale_close(spk_exact_scale *scale);

/* Where trials change places: that there are some, whole and of one length. */
spk_status spk_exact_check_trials(spk_context *context, const spk_surrogates *surrogates);

/* Notes where the null hypothesis does not suit the units: interval jitter, where it breaks their
 * rhythm (rhythm.c), and others where hardly anything can move. */
spk_status spk_exact_check_null(spk_context *context, const spk_recording *recording,
                                const spk_exact_job *job, const spk_exact_scale *scale, size_t k);

/* Those of all windows D of a job. */
typedef struct spk_exact_scales {
    size_t n;
    spk_exact_scale scale[];
} spk_exact_scales;

/* With pilots. Free with spk_exact_scales_free. */
spk_status spk_exact_scales_open(spk_context *context, const spk_recording *recording,
                                 const spk_exact_job *job, spk_exact_scales **out);
void spk_exact_scales_free(void *raw);

/* Searches it for episodes, or counts the given ones. */
struct spk_exact_scorer;
spk_status spk_exact_search_episodes(spk_context *own, const spk_exact_job *job,
                                     const spk_recording *surrogate,
                                     struct spk_exact_scorer *scorer);

/* Searches surrogate k as the recording is searched; the scorer gets the results. */
spk_status spk_exact_search(spk_context *own, const spk_exact_job *job,
                            const spk_surrogates *surrogates, uint64_t k,
                            struct spk_exact_scorer *scorer);

/* ---- the largest scores ---------------------------------------------------------------------- */

/* The SPK_EXACT_KEPT largest of the scores that were added; more are held for a while. */
typedef struct spk_top_scores {
    uint32_t n;
    uint32_t least; /* scores up to it change nothing any more */
    uint32_t score[2 * SPK_EXACT_KEPT];
} spk_top_scores;

static inline void spk_top_scores_start(spk_top_scores *top)
{
    top->n = top->least = 0;
}

void spk_top_scores_add(spk_top_scores *top, uint32_t score);

/* Their steps for the scale, at most SPK_EXACT_KEPT; returns how many. Nothing can be added after
 * that. */
size_t spk_top_scores_steps(spk_top_scores *top, uint32_t scale, spk_score_step *out);

/* ---- scores of results ----------------------------------------------------------------------- */

/* So many results are looked at together, and by a GPU. */
#define SPK_EXACT_BATCH     4096u
#define SPK_EXACT_GPU_BATCH (1u << 17)

/* The scores of a list of results, and their means under the null hypothesis; by result. */
typedef struct spk_exact_scores {
    uint32_t *class_number;
    double *mean;
    double *spread;
    double *limit;
} spk_exact_scores;

typedef struct spk_exact_sieve spk_exact_sieve;

/* Takes the results of a search; sinks, whose `user` is a scorer. With classes it keeps the largest
 * scores, without them (NULL: a pilot) the tops of classes. */
typedef struct spk_exact_scorer {
    spk_context *context;
    const spk_exact_job *job;
    const spk_exact_scale *scale;
    const spk_exact_classes *classes;
    spk_exact_sieve *sieve; /* where a GPU has patterns; NULL: it has not begun */
    uint64_t n_scored;
    spk_top_scores top;
    spk_class_tops *tops;
    struct spk_known_limit *known;
    spk_exact_scores batch;
} spk_exact_scorer;

/* For one thread, with its context; `classes` are the scale's, or NULL. */
spk_status spk_exact_scorer_create(spk_context *own, const spk_exact_job *job,
                                   const spk_exact_scale *scale, const spk_exact_classes *classes,
                                   spk_exact_scorer **out);
void spk_exact_scorer_free(spk_exact_scorer *scorer);

/* Forgets all results. Errors: SPK_ERR_MEMORY. */
spk_status spk_exact_scorer_restart(spk_exact_scorer *scorer);
spk_status spk_exact_score_episodes(void *user, const spk_episode_columns *episodes);
spk_status spk_exact_score_patterns(void *user, const spk_pattern_columns *patterns);

/* The same for patterns that lie on the GPU that the thread has entered (a spk_pattern_sieve). */
struct spk_pattern_pile;
spk_status spk_exact_sift(void *user, const struct spk_pattern_pile *pile);

/* The class of a result, from its units or items; SPK_EXACT_NO_CLASS for one that is not tested: it
 * has size 1, whose count the null hypothesis keeps, or lies outside the job's limits. */
uint32_t spk_exact_class_of(const spk_exact_job *job, const uint32_t *value, uint64_t size);

/* ---- peeling --------------------------------------------------------------------------------- */

/* The inside of peeling: which events belong to a result, and the recording without them. */

/* Sets gone[e] to 1 for the events of the counted occurrences of episode 0 of the columns. */
spk_status spk_peel_mark_episode(spk_context *context, const spk_recording *recording,
                                 const spk_episode_columns *episode, uint8_t *gone);

/* The same for the occurrences of pattern 0. A unit that fires several times in a bin is one spike
 * of a pattern: all these events are marked. `windows` are those of the recording. */
spk_status spk_peel_mark_pattern(spk_context *context, const spk_recording *recording,
                                 const spk_windows *windows, const spk_pattern_columns *pattern,
                                 uint8_t *gone);

/* The recording without these events. Units keep their numbers, also where none of their events is
 * left; extent and segments stay. */
spk_status spk_peel_remove(spk_context *context, const spk_recording *recording,
                           const uint8_t *gone, spk_recording **out);

/* ---- what explains a result ------------------------------------------------------------------ */

/*
 * Explained by a part: whether one event of a result follows the others more often than its unit's
 * numbers predict.
 *
 *     A -> B -> C occurs 40 times, and D is added by chance:   the part A -> B -> C stays in place,
 *     A -> B -> C -> D occurs 9 times.                         D's events are placed anew in their
 *                                                              windows: they follow as often in 60
 * % of all placements, p = 0.6
 *
 * For each part of one item, or event, less the occurrences of the part stay where they are, with
 * all of their events; the other events of the unit that is left out take any places in their
 * windows of jitter. p is the chance that they follow the part at least as often as they do. A
 * result has the largest p of its parts, and is explained where that is above the level of the
 * test: then this part says all. A result of one item has no part, and p 0.
 */

/* p[i] of each pattern, and which of its items is left out then (0 for the first). Parts are all
 * sets of one item less; where the items left have no lag 0 they still are a part. The chance is
 * exact: a sum over windows of hypergeometric numbers. A start whose left-out bin lies outside the
 * trial is none. `windows` are those of the recording that the null is of, with the same options.
 * Errors: SPK_ERR_ARGUMENT (windows of transactions), SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_null_explain_patterns(spk_context *context, const spk_windows *windows,
                                     const spk_null *null, const spk_pattern_columns *patterns,
                                     double *p, uint32_t *left_out);

/* The same of episodes. Parts are those without the first event (left_out 0) and without the last
 * one (left_out size - 1), for only these are parts with the same delays. Asked is of how many of
 * the part's counted occurrences the unit has an event within the delay. An occurrence is followed
 * with the exact chance; that occurrences are followed independently of each other is an
 * approximation where intervals of several lie in one window of jitter: apart from each other they
 * share the window's events, which makes small p too large; overlapping they share events that
 * follow both, which makes them too small. Errors: SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_null_explain_episodes(spk_context *context, const spk_recording *recording,
                                     const spk_null *null, const spk_episode_columns *episodes,
                                     double *p, uint32_t *left_out);

/* ---- scores ---------------------------------------------------------------------------------- */

/*
 * The score of a result: how unlikely its count is where the mean is that of the null hypothesis,
 * as -log10 P[Poisson(mean) >= count] in thousandths, rounded down. A count of 9 where 1 is
 * expected has the score 5949, since P is 10^-5.949...; a count of 0 has the score 0.
 *
 * Scores are whole numbers, so that ties, files and merges are exact. They are the same on every
 * machine, as base/random.h says.
 */

/* The largest score: whatever is less likely has this one. */
#define SPK_EXACT_MOST_SCORE 4000000000u

/* The score; mean >= 0 and finite. Means below 1e-300 are as 0, where any count but 0 has the
 * largest score. It never falls when the count grows, and never grows with the mean. */
uint32_t spk_exact_score(double mean, uint64_t count);

/* The score of a count whose variance is `spread` means, at least 1: what it has beyond the mean
 * counts as much less as standard deviations are larger. */
uint32_t spk_exact_spread_score(double mean, double spread, uint64_t count);

/* The largest mean with which the count has at least that score: spk_exact_score(m, count) >= score
 * just where m <= spk_exact_mean_for(score, count). INFINITY for score 0; below 0 where there is no
 * such mean, for a count of 0 or above the largest score. It falls strictly where the score grows
 * by as much as the count has of it, and never grows. */
double spk_exact_mean_for(uint32_t score, uint64_t count);
