/*
 * The inside of the exact test: its job, what is prepared for each window D, and the scores of a
 * search.
 */
#ifndef SPK_SIGNIFICANCE_EXACT_EXACT_H
#define SPK_SIGNIFICANCE_EXACT_EXACT_H

#include "significance/exact/classes.h"
#include "significance/exact/null.h"
#include "spikemine/exact.h"
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
    char *text; /* free() frees it */
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

/* Their steps for the scale, at most SPK_EXACT_KEPT; returns how many. Nothing can be added after
 * that. */
size_t spk_top_scores_steps(spk_top_scores *top, uint32_t scale, spk_score_step *out);

/* ---- scores of results ----------------------------------------------------------------------- */

/* So many results are looked at together, and by a GPU. */
#define SPK_EXACT_BATCH     4096u
#define SPK_EXACT_GPU_BATCH 16384u

/* The scores of a list of results, and their means under the null hypothesis. */
typedef struct spk_exact_scores {
    uint32_t class_number[SPK_EXACT_GPU_BATCH];
    double mean[SPK_EXACT_GPU_BATCH];
    double spread[SPK_EXACT_GPU_BATCH];
    double limit[SPK_EXACT_GPU_BATCH];
} spk_exact_scores;

/* Takes the results of a search; sinks, whose `user` is a scorer. With classes it keeps the largest
 * scores, without them (NULL: a pilot) the tops of classes. */
typedef struct spk_exact_scorer {
    spk_context *context;
    const spk_exact_job *job;
    const spk_exact_scale *scale;
    const spk_exact_classes *classes;
    device_means *device; /* where a GPU makes means; NULL: it has not begun */
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
spk_status spk_exact_score_episodes(void *user, const spk_episode_columns *episodes);
spk_status spk_exact_score_patterns(void *user, const spk_pattern_columns *patterns);

/* The class of a result, from its units or items; SPK_EXACT_NO_CLASS for one that is not tested: it
 * has size 1, whose count the null hypothesis keeps, or lies outside the job's limits. */
uint32_t spk_exact_class_of(const spk_exact_job *job, const uint32_t *value, uint64_t size);

#endif
