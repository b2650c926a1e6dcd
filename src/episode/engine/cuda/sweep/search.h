/* The whole level-wise search of cuda-sweep on one or several devices, and its results: from the
 * devices, in canonical order, to whoever wants them. */
#pragma once

#include "cuda/copy_threads.h"
#include "episode/engine/cuda/sweep/device.h"

spk_status csweep_mine(spk_context *context, const spk_episode_search *search);

/* ---- results --------------------------------------------------------------------------------- */

typedef struct csweep_results csweep_results;

/* devices[0 .. n_devices - 1] are filled before the first delivery; they and the copy threads stay
 * until the end. */
spk_status csweep_results_open(spk_context *context, csweep_device *const *devices, int n_devices,
                               gpu_copy_threads *copy_threads, csweep_results **out);

/* A level in three steps, all devices having the whole of it: begin; sort, by every device's
 * counting thread on that device (beside counting it would wait for room on the device again and
 * again); deliver, which brings it to the host and hands it to search->deliver while the devices
 * may count the next. */
void csweep_results_begin(csweep_results *results, const spk_episode_level *facts);
spk_status csweep_results_sort(spk_context *context, csweep_results *results, int part);
spk_status csweep_results_deliver(spk_context *context, csweep_results *results,
                                  const spk_episode_level *facts, const spk_episode_search *search);

/* Gives back what lies on the calling thread's device, which is number `part`. */
void csweep_results_drop(csweep_results *results, int part);

/* NULL is accepted, here and by drop. */
void csweep_results_close(csweep_results *results);
