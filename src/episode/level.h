/*
 * One level of the search: the frequent episodes of one size, and the candidates of the next.
 *
 * A level is a flat table in lexicographic order of (unit 0, delay 1, unit 1, ...), each row linked
 * to its suffix (the episode without its first position) in the level before. So the join needs no
 * hash and no scan: a candidate is a frequent episode P with the last position of a child of P's
 * suffix, and those children are neighbours.
 */
#pragma once

#include "episode/run.h"

/* ---- links ----------------------------------------------------------------------------------- */

/*
 * What the links of an episode ask of its count. A link is two neighbours with their interval.
 * Units that fire all the time follow each other often by chance, and so do long chains of them; a
 * limit that grows with what chance gives a link leaves these out, and leaves rare episodes of slow
 * units in:
 *
 *     share .1, observed 600 s         events       chance gives u -> v in (0,5ms]     limit
 *     two units of 50 Hz               30,000       6,000                              600
 *     one of 50 Hz and one of 1 Hz     30,000, 600  120                                12
 *     two units of 1 Hz                600          3                                  1
 *
 * The limit of an episode is the largest one of its links. So no part of an episode has a larger
 * limit, and the level-wise search misses nothing.
 */

typedef struct episode_links {
    double share;   /* 0: there are no limits, and the rest is not there */
    double ticks;   /* of all segments */
    double *events; /* by unit */
    double *width;  /* of the intervals, in ticks */
} episode_links;

/* For a run on this recording. Errors: SPK_ERR_ARGUMENT (a share that is none), SPK_ERR_UNSUPPORTED
 * (a part of a recording), SPK_ERR_MEMORY. */
spk_status episode_links_open(spk_context *context, const spk_recording *recording,
                              const spk_episode_options *options, const episode_run *run,
                              episode_links *out);
void episode_links_close(episode_links *links);

/* The lengths of all segments. */
double episode_observed_ticks(const spk_recording *recording);

/* The least count of an episode of `size` units; entry p of `delay` leads to position p. */
uint64_t episode_links_limit(const episode_links *links, uint32_t size, const uint32_t *unit,
                             const uint16_t *delay);

typedef struct episode_level {
    uint32_t size;
    uint64_t n;
    uint64_t capacity;
    uint32_t *unit;        /* n * size */
    uint16_t *delay;       /* n * size, entry 0 of a row is 0 */
    uint64_t *count;       /* n */
    uint32_t *suffix;      /* n: row of the level before; unused at size 1 */
    uint64_t *child_first; /* rows of the level before + 1: where a row's children start here */
    uint64_t n_before;     /* rows of the level before; 0 at size 1 */
} episode_level;

void episode_level_free(episode_level *level);
uint64_t episode_level_bytes(const episode_level *level);

/* Starts a level over the rows of `before`; NULL for size 1. */
spk_status episode_level_start(spk_context *context, const episode_level *before,
                               episode_level *level);

/* Appends one frequent episode: the prefix row of the level before (size 1: ignored), its last
 * position, its suffix row. Prefix rows must not fall. */
spk_status episode_level_append(spk_context *context, const episode_level *before, uint64_t prefix,
                                uint16_t delay, uint32_t unit, uint32_t suffix, uint64_t count,
                                episode_level *level);
/* Ends a level: only then may candidates be made from it. */
void episode_level_finish(episode_level *level);

/* ---- candidates ------------------------------------------------------------------------------ */

/* A block of candidates with where each comes from. */
typedef struct candidate_block {
    uint64_t n;
    uint64_t capacity;
    uint32_t *unit;
    uint16_t *delay;
    uint32_t *prefix; /* row of the present level */
    uint32_t *suffix; /* likewise */
} candidate_block;

void candidate_block_free(candidate_block *block);
spk_status candidate_block_reserve(spk_context *context, uint32_t size, uint64_t capacity,
                                   candidate_block *block);

/* Where the generation of candidates stands; start with zeros. */
typedef struct candidate_cursor {
    uint64_t prefix; /* row of the present level */
    uint64_t child;  /* children of its suffix that were taken */
    uint64_t joined; /* joins so far */
} candidate_cursor;

/* Number of joins that make candidates of size level->size + 1. */
uint64_t candidate_total(const episode_level *level, size_t n_delays);

/* Fills the block with the next candidates: all joins but those whose parts have counts below the
 * limit of the links. There are no more when cursor->joined is the total. */
void candidate_fill(const episode_level *level, size_t n_delays, const episode_links *links,
                    candidate_cursor *cursor, candidate_block *block);
