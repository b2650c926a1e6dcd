/*
 * Ranks that share a recording by time. Each rank holds the events of its own stretch, and before
 * them the margin: as much as the longest episode reaches back over. An occurrence belongs to the
 * stretch in which it ends, and lies in that stretch and its margin:
 *
 *     the whole:  0 ------------------------------------------------------------ n
 *     rank 0:     [ own            )
 *     rank 1:                [mar.][ own            )
 *     rank 2:                                 [mar.][ own                        )
 *
 * What is counted is greedy by earliest end. So all that a rank needs from its left is, for each
 * episode, the end of the last occurrence that was counted there: it counts from there on, and
 * finds none that ends in the margin, since that one would have been counted already. Episodes go
 * from rank to rank in pieces. While rank 1 counts the first piece rank 0 counts the second one.
 * The last rank has the counts, and tells them to all.
 */
#ifndef SPK_EPISODE_BY_TIME_H
#define SPK_EPISODE_BY_TIME_H

#include "distribute/ranks.h"
#include "episode/opened.h"

/* What a rank holds of a recording. Events of the whole are numbered in order of time. */
typedef struct episode_stretch {
    const spk_recording *recording; /* margin and own events */
    spk_recording *view;            /* the same where it was made here, else NULL */
    uint64_t before;                /* events of the whole that are left of it */
    uint64_t margin;                /* events of the margin, the first ones */
    uint64_t *unit_count;           /* per unit: events of the whole */
} episode_stretch;

/* Takes the rank's stretch of a recording that every rank has: events are shared out evenly, and
 * those at one time stay together. The recording is borrowed until close. Errors: SPK_ERR_MEMORY.
 */
spk_status episode_stretch_take(spk_context *context, const spk_ranks *ranks,
                                const spk_recording *whole, const spk_tick_delay *delays,
                                size_t n_delays, uint32_t max_size, episode_stretch *out);

/* The same of a recording that is the rank's part already, and joined (spk_ranks_join_parts).
 * Errors also: SPK_ERR_ARGUMENT (not joined; a margin that is too short for the delays). */
spk_status episode_stretch_adopt(spk_context *context, const spk_ranks *ranks,
                                 const spk_recording *recording, const spk_tick_delay *delays,
                                 size_t n_delays, uint32_t max_size, episode_stretch *out);
void episode_stretch_close(episode_stretch *stretch);

/* Whether an engine, its passes and the ranks can do it. Errors: SPK_ERR_UNSUPPORTED. */
spk_status episode_stretch_check(spk_context *context, const spk_ranks *ranks, const char *name,
                                 const spk_episode_engine *engine, bool two_pass);

/* counts[i] of the block in the whole recording, the same in all ranks, or the engine's bounds of
 * them; the engine was opened for the stretch. Collective. */
spk_status episode_stretch_count(spk_context *context, const spk_ranks *ranks,
                                 const episode_stretch *stretch, episode_opened *opened,
                                 const spk_episode_block *block, bool bound, uint64_t *counts);

#endif
