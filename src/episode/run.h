/*
 * A run: one engine at work on one recording. The one place that knows where engines work: in the
 * calling thread, or in worker threads that have a GPU each. It chooses the engine and the GPUs,
 * shares out memory and threads, and counts blocks of episodes in one pass or two.
 *
 *     episode_run *run = NULL;
 *     status = episode_run_open(context, recording, &options, n_episodes, &run);
 *     if (status == SPK_OK)
 *         status = episode_run_start(context, run);
 *     if (status == SPK_OK)
 *         status = episode_run_count(context, run, &block, counts, &eliminated);
 *     episode_run_report(run, status, summary);
 *     episode_run_close(run);
 *
 * Everything that mines or counts goes through a run. A run belongs to one thread at a time;
 * several runs may work on one recording side by side.
 */
#pragma once

#include "episode/engine/engine.h"

typedef struct episode_run episode_run;

/* As the number of episodes: a search, which makes its own. */
#define EPISODE_RUN_SEARCH UINT64_MAX

/* Chooses an engine for the options (all but the support are read; max_size bounds what will be
 * counted where ranks share the recording by time) and prepares its job. `n_episodes` will be
 * counted, or EPISODE_RUN_SEARCH. The recording is borrowed until close, the options for this call.
 * NULL in *out on failure. Errors as include/spikemine/engine.h has them, and SPK_ERR_ARGUMENT for
 * delays. */
spk_status episode_run_open(spk_context *context, const spk_recording *recording,
                            const spk_episode_options *options, uint64_t n_episodes,
                            episode_run **out);
/* NULL is accepted. */
void episode_run_close(episode_run *run);

/* The units of the recording that was given, and the events of one of them in all segments: one
 * that lies in two counts twice. */
uint32_t episode_run_n_units(const episode_run *run);
uint64_t episode_run_unit_count(const episode_run *run, uint32_t unit);

/* Writes what is known of the run: engine, choice, GPUs, passes, and with `status`, the run's end,
 * whether it is complete, and its times. Levels are left alone; a NULL run leaves all alone. */
void episode_run_report(const episode_run *run, spk_status status, spk_episode_summary *summary);

/* ---- a whole search by the engine ------------------------------------------------------------ */

/* True when the engine makes its own candidates, of the whole recording. */
bool episode_run_searches(const episode_run *run);

/* Lets it search; `deliver` as in spk_episode_search. */
spk_status episode_run_search(spk_context *context, const episode_run *run, uint64_t support,
                              uint32_t max_size, spk_episode_sink *deliver, void *user);

/* ---- blocks of episodes ---------------------------------------------------------------------- */

/* Opens the engine where it works. To be called once, before blocks are counted. */
spk_status episode_run_start(spk_context *context, episode_run *run);

/* How many episodes of this size a block shall hold at most, when each takes `bytes_each` bytes of
 * the caller's. */
uint64_t episode_run_block_capacity(const episode_run *run, uint32_t size, uint64_t bytes_each);

/* Counts a block; an episode that the first of two passes drops gets count 0. *eliminated grows by
 * how many it dropped. */
spk_status episode_run_count(spk_context *context, episode_run *run, const spk_episode_block *block,
                             uint64_t *counts, uint64_t *eliminated);

/* Adds to the time that went into making candidates. */
void episode_run_spent(episode_run *run, double candidates_s);
