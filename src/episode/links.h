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
#ifndef SPK_EPISODE_LINKS_H
#define SPK_EPISODE_LINKS_H

#include "episode/run.h"

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

/* The least count of an episode of `size` units; entry p of `delay` leads to position p. */
uint64_t episode_links_limit(const episode_links *links, uint32_t size, const uint32_t *unit,
                             const uint16_t *delay);

#endif
