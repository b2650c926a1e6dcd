/*
 * The recording as the sweep engine sees it: ranks in place of times, lanes in place of units.
 *
 * Rank: the number of distinct times before an event's. Whether an occurrence starts after another
 * one's end depends on the order of times only, so everything behind the delay tables computes with
 * ranks: small integers, whatever the tick.
 * Lane: units by falling number of events; 32 lanes are a tile. Rare units share the last tiles, which
 * then seldom hold a candidate and are skipped.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_INDEX_H
#define SPK_EPISODE_ENGINE_SWEEP_INDEX_H

#include "episode/engine/engine.h"

enum { SWEEP_LANES = 32 };

typedef struct sweep_index {
    spk_events events;
    const spk_tick_delay *delays;
    size_t n_delays;
    uint32_t *rank;      /* per event */
    uint32_t n_ranks;
    uint32_t *lane_unit; /* per lane: its unit; n_tiles * SWEEP_LANES entries, UINT32_MAX: none */
    uint32_t *unit_lane; /* per unit */
    uint32_t n_tiles;
    uint64_t widest_span; /* most distinct times that one delay interval can reach over */
} sweep_index;

spk_status sweep_index_open(spk_context *context, const spk_episode_job *job, sweep_index *index);
void sweep_index_close(sweep_index *index);

#endif
