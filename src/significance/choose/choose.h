/* The inside of choosing: results of searches in surrogates, pooled, and the search for a support.
 */
#ifndef SPK_SIGNIFICANCE_CHOOSE_CHOOSE_H
#define SPK_SIGNIFICANCE_CHOOSE_CHOOSE_H

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
} choose_pool;

/* What is searched, and how. */
typedef struct choose_job {
    const spk_recording *recording; /* on its grid */
    const spk_delay *delays;
    size_t n_delays;
    spk_surrogates *surrogates; /* owned; spk_surrogates_free */
    spk_choose_options options;
} choose_job;

/* The smallest support, from `least` on, at which the pool has at most `most` results. */
uint64_t choose_support_of(choose_pool *pool, uint64_t least, uint64_t most);

/* Results with at least this count: of all sizes from 2 on (size 0), or of different units of one
 * size; of one source, or of all (NO_SOURCE). */
uint64_t choose_count(const choose_pool *pool, uint64_t support, uint8_t size, uint32_t source);

/* Appends the results of `from` with at least this count. */
spk_status choose_join(spk_context *context, const choose_pool *from, uint64_t support,
                       choose_pool *into);

/* Searches one recording for episodes of 2 .. max_size units. Its results join the pool. When this
 * has more than `most` results, *support rises as far as needed, results below it leave the pool,
 * and the search begins again. */
spk_status choose_search(spk_context *context, const choose_job *job,
                         const spk_recording *recording, uint32_t source, uint32_t max_size,
                         uint64_t most, choose_pool *pool, uint64_t *support);

/* Options after the defaults of missing ones and their checks. */
spk_status choose_take_options(spk_context *context, const spk_choose_options *given,
                               spk_choose_options *out);

/* Sets a job up for a recording that is on its grid; makes its surrogates. */
spk_status choose_open(spk_context *context, const spk_recording *on_grid, const spk_delay *delays,
                       size_t n_delays, const spk_choose_options *options, choose_job *job);

/* Finds the support; the pool gets the results of all surrogates with at least that count. */
spk_status choose_from_surrogates(spk_context *context, const choose_job *job, choose_pool *pool,
                                  spk_support_choice *out);

/* ---- sets of delays -------------------------------------------------------------------------- */

enum { CHOOSE_MOST_SETS = 64, CHOOSE_SET_DELAYS = 2 };

/* Sets that suit the recording: their number. Each has room for CHOOSE_SET_DELAYS intervals. */
size_t choose_ladder(const spk_recording *recording, spk_delay delays[][CHOOSE_SET_DELAYS],
                     size_t n_delays[CHOOSE_MOST_SETS]);

#endif
