/* The inside of choosing: results of searches in surrogates, pooled, and the search for a support.
 */
#pragma once

#include "episode/search.h"
#include "spikemine/choose.h"
#include "spikemine/surrogate.h"

/* An episode that a search found. */
typedef struct choose_result {
    uint64_t count;
    uint32_t source; /* which surrogate */
    uint8_t size;
    bool different; /* no unit twice */
} choose_result;

#define NO_SOURCE UINT32_MAX

/* Results of several searches. Threads: one. */
typedef struct choose_pool {
    uint64_t n;
    uint64_t capacity;
    choose_result *result;
    uint64_t timed; /* the largest support to which steps raised a search; 0: none */
} choose_pool;

/* What is searched, and how. */
typedef struct choose_job {
    const spk_recording *recording; /* on its grid */
    const spk_delay *delays;
    size_t n_delays;
    spk_surrogates *surrogates; /* owned; spk_surrogates_free */
    spk_choose_options options;
    uint64_t most_steps; /* of a search */
} choose_job;

/* More results than this of one search no choice asks a test to look at. */
enum { CHOOSE_MOST_RESULTS = 200000 };

/* The share of the time for choosing that each search may take: the first surrogate's with each
 * support, or link share, that is too small, and then those of all. A test has the smaller share,
 * since its surrogates are many more. */
enum { CHOOSE_SEARCHES = 100, CHOOSE_SEARCHES_WITHOUT_TEST = 40 };

/* The steps of one of n searches that share the time. */
uint64_t choose_steps(double seconds, double n_searches);

/* The job's options for a search, whose support is missing, and its limits. */
void choose_search_options(const choose_job *job, uint32_t max_size, spk_episode_options *out);
episode_limits choose_limits(const choose_job *job);

/* The smallest support, from `least` on, at which the pool has at most `most` results. */
uint64_t choose_support_of(choose_pool *pool, uint64_t least, uint64_t most);

/* Results with at least this count: of all sizes from 2 on (size 0), or of different units of one
 * size; of one source, or of all (NO_SOURCE). */
uint64_t choose_count(const choose_pool *pool, uint64_t support, uint8_t size, uint32_t source);

/* Appends the results of `from` with at least this count. */
spk_status choose_join(spk_context *context, const choose_pool *from, uint64_t support,
                       choose_pool *into);

/* Appends the results of one size. */
spk_status choose_take_size(spk_context *context, const choose_pool *from, uint8_t size,
                            choose_pool *into);

/* Searches one recording for episodes of 2 .. max_size units. Its results join the pool. When this
 * has more than `most` results, or the search takes more steps than the job allows, *support rises
 * as far as needed, results below it leave the pool, and the search begins again. */
spk_status choose_search(spk_context *context, const choose_job *job,
                         const spk_recording *recording, uint32_t source, uint32_t max_size,
                         uint64_t most, choose_pool *pool, uint64_t *support);

/* Options after the defaults of missing ones and their checks. */
spk_status choose_take_options(spk_context *context, const spk_choose_options *given,
                               spk_choose_options *out);

/* Those of the null hypothesis within options->jitter; `bin` 0: in ticks. */
spk_status choose_surrogates(spk_context *context, const spk_recording *recording,
                             const spk_choose_options *options, spk_duration bin,
                             spk_surrogates **out);

/* Sets a job up for a recording that is on its grid; makes its surrogates. */
spk_status choose_open(spk_context *context, const spk_recording *on_grid, const spk_delay *delays,
                       size_t n_delays, const spk_choose_options *options, choose_job *job);

/* The least support at which there are few enough units for all their pairs to be counted. */
spk_status choose_least_support(spk_context *context, const choose_job *job, uint64_t *out);

/* The support and the link share of a test: the lowest with which searches of the surrogates keep
 * to the limits. */
spk_status choose_for_test(spk_context *context, const choose_job *job, spk_support_choice *out);

/* Surrogates with numbers that no test reaches, and no pilots of one: the number of surrogate k. */
uint64_t choose_surrogate(uint64_t k);

/* Finds the support; the pool gets the results of all surrogates with at least that count. */
spk_status choose_from_surrogates(spk_context *context, const choose_job *job, choose_pool *pool,
                                  spk_support_choice *out);

/* The first of the sets that spk_choose_delays tries by itself, the shortest delays: one interval.
 */
void choose_first_delay(const spk_recording *recording, spk_delay *out);

/* The steps of the time that was given for a table which its sets leave to a test. */
double choose_steps_left(const spk_delay_table *table);

/* The level that is left for one of many sets, two digits of it, and surrogates that reach it. */
void choose_level(double alpha, size_t n_sets, spk_delay_test *chosen);

/* The settings of spk_choose_test for this trial of the table, by counted work alone: the estimate
 * is not made. *steps are those of a search of the recording. */
spk_status choose_test_by_work(spk_context *context, const spk_recording *recording,
                               const spk_delay_table *table, const spk_delay_trial *trial,
                               double alpha, uint64_t seed, spk_delay_test *out, double *steps);

/* The steps that a test of these episodes takes for one surrogate. */
spk_status choose_test_steps(spk_context *context, const spk_recording *recording,
                             const spk_episode_options *episodes, spk_duration jitter,
                             uint64_t seed, double *steps);

/* The largest size up to which the recording has few enough results, 0: any, and the steps of its
 * search. The results go to the list, unless it is NULL. */
spk_status choose_max_size(spk_context *context, const spk_recording *recording,
                           spk_episode_options *episodes, spk_episode_list *list,
                           uint32_t *max_size, double *steps);

/* ---- sets of delays -------------------------------------------------------------------------- */

enum { CHOOSE_MOST_SETS = 64, CHOOSE_SET_DELAYS = 2 };
