/*
 * The exact test: could a result of a search be chance? For serial episodes and SPADE patterns.
 *
 * Null hypotheses. Each is a set of recordings that are equally likely, and the recording belongs
 * to it. Each segment is cut into windows of length D; their offset is drawn once from the seed.
 *
 *     interval-jitter  given how many ticks (patterns: bins) each unit takes in each window, all
 *                      placements: rates may change as they like, also in all units together, on
 *                      time scales above D; what happens within D is chance
 *     pattern-jitter   the same, but events of a unit at most `history` apart move together, and
 *                      groups stay further apart than that: it keeps refractory periods and bursts
 *     shift            what a unit does between two pauses longer than `history` moves together,
 *                      its first event within its window, none over a border of its segment
 *     shift-apart      each unit moves in a circle by any amount, within each of its segments
 *     trials           the segments, which have one length, are trials: each unit's change places
 *
 * Every result gets a score, and so does every result of the same search in each of B surrogates,
 * which are draws from the null hypothesis. The p-value of a result asks how often the best score
 * of a whole surrogate is as large:
 *
 *     p = (1 + number of surrogates whose largest score is as large) / (B + 1)
 *
 * Under the null hypothesis the chance that any result has p <= alpha is at most alpha, for any
 * number of surrogates: all that was searched is taken into account, and no correction is left to
 * do. With several windows D, p is multiplied by their number.
 *
 * The score of a result with count c begins with -log10 of the chance that a Poisson number with
 * the result's mean is at least c; the mean depends only on what the null hypothesis keeps. It is
 * then compared with results of as many spikes and units in 24 further surrogates, the pilots: a
 * score of 2 is reached by about one such result in 100 surrogates. So the score is the same
 * function for the recording and all surrogates. It decides how well the test finds something,
 * never whether p is right. Sources: Amarasingham, Harrison, Hatsopoulos & Geman 2012 (interval
 * jitter); Westfall & Young 1993 (the largest score); Phipson & Smyth 2010 (the + 1).
 *
 *     spk_exact_options options;
 *     spk_exact_options_init(&options, sizeof options);
 *     options.episodes = &episodes;
 *     options.jitter = jitter, options.n_jitter = 1;
 *     status = spk_exact_run(context, recording, &options, &surrogates);
 *     ...
 *     status = spk_exact_test_episodes(context, recording, &options, surrogates, &found, verdicts);
 */
#ifndef SPIKEMINE_EXACT_H
#define SPIKEMINE_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/episode.h"
#include "spikemine/maxima.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* Most windows D of one test. */
#define SPK_EXACT_MAX_SCALES 16u
/* So many results of a surrogate, those with the largest scores, are kept. */
#define SPK_EXACT_KEPT 1000u

/* ---- null hypotheses ------------------------------------------------------------------------- */

/* What chance may do. Filled in by the library; texts are static; it may grow at its end. */
typedef struct spk_exact_null {
    const char *name;
    const char *method; /* of its surrogates (surrogate.h), which says more */
    const char *says;   /* what chance may do, in a line */
    const char *words;  /* what stands before its windows in a sentence: "interval jitter within" */
    bool has_history;   /* it heeds the history of the options */
} spk_exact_null;

/* Number of null hypotheses. */
SPK_API size_t spk_exact_null_count(void);

/* Null hypothesis k, NULL beyond the last. */
SPK_API const spk_exact_null *spk_exact_null_get(size_t k);

/* The null hypothesis of a test of this recording that names none. It is shift, which keeps rhythms
 * and all that changes slowly beside the window. Shift needs pauses: where less than half of the
 * units have a dozen pieces between pauses of the usual history, that of the shortest of several
 * windows, it is shift-apart. Surrogates by shift have the same pieces, so that the choice leaves p
 * exact. */
SPK_API const spk_exact_null *spk_exact_null_for(const spk_recording *recording,
                                                 const spk_duration *jitter, size_t n_jitter);

/* Writes "pattern jitter within 25ms, 100ms, history 10ms", always terminated; null NULL stands for
 * a choice that is not told, and a negative history is not told. Returns the length it needs, like
 * snprintf. */
SPK_API size_t spk_exact_null_format(const char *null, spk_duration history,
                                     const spk_duration *jitter, size_t n_jitter, char *buffer,
                                     size_t size);

/* Writes what else than a link between units can be significant under this null, a sentence without
 * a full stop: rates that units change together. "" where there is nothing to be careful about, and
 * where the null is not known. Always terminated; 300 bytes suffice for one window. Returns the
 * length it needs, like snprintf. */
SPK_API size_t spk_exact_null_caution(const char *null, const spk_duration *jitter, size_t n_jitter,
                                      char *buffer, size_t size);

/* ---- surrogates ------------------------------------------------------------------------------ */

/* Initialise with spk_exact_options_init; pointers are borrowed for the call. One of the two
 * languages is given: episodes, or windows and patterns. */
typedef struct spk_exact_options {
    size_t struct_size; /* set by spk_exact_options_init */
    const spk_episode_options *episodes;
    const spk_window_options *windows;
    const spk_pattern_options *patterns;
    const spk_duration *jitter; /* the windows D, ascending; patterns take whole bins of them */
    size_t n_jitter;            /* 1 .. SPK_EXACT_MAX_SCALES */
    uint64_t seed;              /* 0 */
    uint64_t n_surrogates;      /* 199 */
    uint32_t shard;             /* 1 */
    uint32_t n_shards;          /* 1 */
    const char *checkpoint;     /* file that the job goes on from, and is kept in; NULL: none */
    /* Results of less are no part of the test, in the recording and in surrogates. */
    uint32_t min_size;       /* positions of an episode, spikes of a pattern; 0: no limit */
    uint32_t distinct_units; /* 0: no limit */
    const char *null;        /* the name of the null hypothesis; NULL: spk_exact_null_for */
    spk_duration history;    /* of pattern-jitter, and between pieces of shift; negative: half the
                                window D, and 4 to 32 times it (surrogate.h) */
    /* Episodes that are counted in the recording and in each surrogate, in place of a search: the
     * best of them alone is what p takes into account. Their table of intervals is that of the
     * test; of `episodes` the engine is heeded, no interval and no limit. An episode that stands
     * there twice changes no p. NULL: all that the search finds. */
    const spk_episode_columns *given;
} spk_exact_options;

/* 199 surrogates, shard 1 of 1, no checkpoint; language and windows are missing. */
SPK_API void spk_exact_options_init(spk_exact_options *options, size_t struct_size);

/* A step of the scores of a surrogate: `results` of its results have at least this score, in
 * thousandths: 12345 stands for a chance of 10^-12.345. At most SPK_EXACT_KEPT are counted. */
typedef struct spk_score_step {
    uint32_t scale; /* number of the window D, from 0 */
    uint32_t score;
    uint32_t results;
} spk_score_step;

/* The columns: pointers into the maxima, valid as long as they live. Surrogate surrogate[i] has the
 * steps step[first[i]] .. step[first[i + 1] - 1], by scale, then from the largest score down; it
 * may have none. n is 0 for maxima of another kind (spk_maxima_run). */
typedef struct spk_exact_columns {
    uint64_t n;
    uint32_t n_scales;
    const uint64_t *surrogate;
    const uint64_t *first;
    const spk_score_step *step;
} spk_exact_columns;

/* The columns, valid as long as the maxima. */
SPK_API spk_exact_columns spk_exact_columns_of(const spk_maxima *maxima);

/* Makes the surrogates of the shard and searches each with the same options as the recording. The
 * maxima hold their scores; they are written, read and joined as those of maxima.h, and threads,
 * memory, checkpoint and progress are as in spk_maxima_run. The result is the same for any engine
 * and number of threads. Errors: those of spk_maxima_run, and of the search. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_run(spk_context *context,
                                                const spk_recording *recording,
                                                const spk_exact_options *options, spk_maxima **out);

/* Whether these are all surrogates of the job that options and recording describe, as
 * spk_maxima_check. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_check(spk_context *context, const spk_maxima *maxima,
                                                  const spk_recording *recording,
                                                  const spk_exact_options *options);

/* ---- the test -------------------------------------------------------------------------------- */

/* What the test says of a result. Filled in by the library. */
typedef struct spk_exact_verdict {
    uint32_t scale;  /* the window D with the smallest p, of several the one with the largest score;
                        the other fields are of it */
    bool tested;     /* false for results of size 1, which no jitter changes, and for those outside
                        the limits: their p is 1 */
    uint32_t score;  /* in thousandths; 0 where chance makes one such result or more */
    double expected; /* mean count under the null hypothesis; episodes: approximately */
    double p;        /* family-wise, corrected for the number of scales */
    double e_value;  /* mean number of results by chance with at least this score: (1 + number of
                        such results of all surrogates) / (B + 1), never 0; where a surrogate has
                        more than SPK_EXACT_KEPT of them, a lower bound */
    double fdr;      /* false discovery rate: with S results of all surrogates and R of the
                        recording that have at least some score, (1 + S / R) / (B + 1); the
                        smallest over this score and all lower ones, never below 1 / (B + 1);
                        1 where S is a lower bound */
} spk_exact_verdict;

/* Tests the results of the recording's own search: all of them, for the false discovery rate.
 * `out` has an entry for each; scale_p, unless it is NULL, gets p of each result at each scale,
 * n_jitter of them for a result, not corrected for their number. Of a different search the p-values
 * mean nothing. Errors: SPK_ERR_ARGUMENT (the maxima are not complete, or of another job),
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED, those of spk_surrogates_create. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_test_episodes(spk_context *context,
                                                          const spk_recording *recording,
                                                          const spk_exact_options *options,
                                                          const spk_maxima *maxima,
                                                          const spk_episode_columns *episodes,
                                                          spk_exact_verdict *out, double *scale_p);
SPK_API SPK_MUST_CHECK spk_status spk_exact_test_patterns(spk_context *context,
                                                          const spk_recording *recording,
                                                          const spk_exact_options *options,
                                                          const spk_maxima *maxima,
                                                          const spk_pattern_columns *patterns,
                                                          spk_exact_verdict *out, double *scale_p);

/* ---- parts ----------------------------------------------------------------------------------- */

/* Whether a part explains a result. A result without one of its positions is a part of it: of an
 * episode its first or its last unit, of a pattern any spike. With the part's occurrences in place,
 * p is the chance that the events of the left-out unit, placed anew within the windows D of the
 * result's verdict, follow them at least as often. For each result: the largest p over its parts,
 * and which position that part lacks, from 0. Where p is above the level of the test, the part
 * explains the result. Results of size 1 have no part: p is 0. Errors: SPK_ERR_ARGUMENT,
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED, those of spk_surrogates_create. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_explain_episodes(spk_context *context,
                                                             const spk_recording *recording,
                                                             const spk_exact_options *options,
                                                             const spk_episode_columns *episodes,
                                                             const spk_exact_verdict *verdicts,
                                                             double *p, uint32_t *left_out);
SPK_API SPK_MUST_CHECK spk_status spk_exact_explain_patterns(spk_context *context,
                                                             const spk_recording *recording,
                                                             const spk_exact_options *options,
                                                             const spk_pattern_columns *patterns,
                                                             const spk_exact_verdict *verdicts,
                                                             double *p, uint32_t *left_out);

/* ---- what a result means --------------------------------------------------------------------- */

/* Chance does not explain a significant result. A sequence is one explanation; these are others,
 * and a result may have several of them. */
typedef enum spk_meaning {
    SPK_MEANS_RHYTHM = 1,    /* a unit stands in it twice: its own rhythm or burst may be all */
    SPK_MEANS_SYNCHRONY = 2, /* of some step both directions are significant, or the spikes lie in
                                one bin: the units fire together, and none leads */
    SPK_MEANS_TWIN = 4       /* two different units fire less than 1 ms apart in most occurrences of
                                a step: a sorter may have found one spike in both */
} spk_meaning;

/* For each of the results of a search with its verdicts: the sum of what it may mean, 0 where it is
 * not significant at `alpha` or where nothing but a sequence is left; and the test of its
 * direction.
 *
 *     A -> B  40 times, 22 by chance     direction_p: of the 71 occurrences in both directions
 *     B -> A  31 times, 22 by chance     40 or more go forward in 17 % of all cases, p = 0.17
 *
 * The test asks of each step between different units how often that many of the occurrences in both
 * directions go forward where the link is the same in both. Each direction then has its mean by
 * chance and half of what exceeds both. It is the tail of a binomial number, which takes
 * occurrences for independent, and the mean of a direction that the search did not find for that of
 * the other one. direction_p is the largest of the steps: that of the step whose direction is least
 * sure; 1 where no step has two units, where a step is no result itself, and where the result is
 * not significant.
 *
 * Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY, SPK_ERR_CANCELLED, those of spk_episode_count. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_interpret_episodes(
    spk_context *context, const spk_recording *recording, const spk_exact_options *options,
    double alpha, const spk_episode_columns *episodes, const spk_exact_verdict *verdicts,
    uint32_t *means, double *direction_p);

/* The two directions of a result: of its step between different units whose direction is least
 * sure. Filled in by the library. */
typedef struct spk_exact_direction {
    double p;      /* as direction_p above, whether the result is significant or not */
    double back_p; /* the same of the opposite: the largest of the steps */
    uint64_t back; /* occurrences of the opposite of that step; 0 where no step is a result */
} spk_exact_direction;

/* The directions of all results of a search with their verdicts. Errors: those of
 * spk_exact_interpret_episodes. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_direct_episodes(spk_context *context,
                                                            const spk_recording *recording,
                                                            const spk_exact_options *options,
                                                            const spk_episode_columns *episodes,
                                                            const spk_exact_verdict *verdicts,
                                                            spk_exact_direction *out);

/* What the directions say at a level. */
typedef enum spk_asymmetry {
    SPK_ASYMMETRY_UNKNOWN,  /* both p are 1: no step has a direction to test */
    SPK_ASYMMETRY_FORWARD,  /* p is at most alpha */
    SPK_ASYMMETRY_BACKWARD, /* back_p is */
    SPK_ASYMMETRY_NEITHER   /* none of them is */
} spk_asymmetry;

/* The spk_asymmetry of the two p at the level alpha. */
SPK_API spk_asymmetry spk_exact_asymmetry(const spk_exact_direction *direction, double alpha);

/* What patterns may mean, which have fixed lags and no test of a direction: whether all spikes lie
 * in one bin, whether a unit stands there twice, and whether the bin is below 1 ms. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_interpret_patterns(
    spk_context *context, const spk_exact_options *options, double alpha,
    const spk_pattern_columns *patterns, const spk_exact_verdict *verdicts, uint32_t *means);

/* The words of such a sum, separated by commas: "rhythm", "synchrony", "twin"; "-" for 0. Static
 * text. */
SPK_API const char *spk_exact_means_text(uint32_t means);

SPK_END_C

#endif
