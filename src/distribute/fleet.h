/*
 * A fleet: one episode engine on several devices at once. Each worker of a workers opens the engine
 * on its own device; a block of candidates is cut into as many runs of neighbours, of about equal
 * predicted work, and every worker counts its run. Knows no algorithm.
 */
#ifndef SPK_DISTRIBUTE_FLEET_H
#define SPK_DISTRIBUTE_FLEET_H

#include "distribute/workers.h"
#include "episode/engine/engine.h"

typedef struct spk_fleet spk_fleet;

/* `enter` makes a worker's thread use its device, `leave` ends that (NULL: nothing to do). */
spk_status spk_fleet_open(spk_context *context, const spk_episode_engine *engine,
                          const spk_episode_job *job, int n_workers, spk_worker_task *enter,
                          spk_worker_leave *leave, spk_fleet **out);

/* counts[i] of the block by engine->count, or by engine->bound. */
spk_status spk_fleet_count(spk_context *context, spk_fleet *fleet, const spk_episode_block *block,
                           bool bound, uint64_t *counts);

void spk_fleet_close(spk_fleet *fleet);

/* Cuts n items into n_parts runs of about equal weight: part k is [first[k], first[k + 1]); first
 * has n_parts + 1 entries. `weight_before[i]` = weight of the items before i, n + 1 entries. */
void spk_split(uint64_t n, const uint64_t *weight_before, int n_parts, uint64_t *first);

#endif
