/* The kernels of cuda-tracking, and the events that they look up. */
#pragma once

#include "cuda/staging.h"
#include "episode/engine/cuda/papers/tracking/arithmetic.h"
#include "episode/engine/engine.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* The recording on a device as tracking needs it: the events of a unit are looked up by time. */

/* Times of the events by unit, and where each unit's start; passed to kernels by value. */
typedef struct tracking_events_view {
    uint64_t n_events;
    uint32_t n_units;
    const int64_t *place_time;  /* n_events, unit by unit, rising within each */
    const uint64_t *unit_first; /* n_units + 1 */
} tracking_events_view;

typedef struct tracking_events {
    tracking_events_view view;
    gpu_buffer place_time, unit_first;
} tracking_events;

/* On the calling thread's device; the recording must stay until it is closed. */
spk_status tracking_events_open(spk_context *context, const spk_recording *recording,
                                gpu_staging *staging, tracking_events *out);
void tracking_events_close(tracking_events *events);

/* A block of episodes on the device; passed by value. */
typedef struct tracking_block {
    tracking_events_view events;
    const uint64_t *lo; /* per interval, ticks */
    const uint64_t *hi;
    uint32_t n;
    uint32_t size;
    const uint32_t *unit;
    const uint16_t *delay;
    const uint64_t *seed_first;  /* n + 1: how many seeds the episodes before have */
    tracking_schedule *schedule; /* n */
} tracking_block;

/* Present tracks, and memory to work in. */
typedef struct tracking_lists {
    uint64_t first_seed; /* of the block; tracks count seeds from here */
    uint64_t n_seeds;
    uint64_t capacity;             /* most tracks */
    uint64_t n;                    /* tracks */
    uint32_t slots;                /* a track, for flags */
    gpu_buffer track, next, spare; /* track each */
    gpu_buffer number;             /* uint64_t */
    gpu_buffer flag;               /* uint8_t */
    gpu_buffer seed_episode;       /* uint32_t a seed */
    gpu_buffer start;              /* uint32_t a seed: its latest start's place, or none */
    gpu_buffer totals, temporary;
} tracking_lists;

void tracking_lists_close(tracking_lists *lists);

/* The seeds first_seed .. first_seed + n_seeds - 1 as tracks. */
spk_status tracking_begin(spk_context *context, tracking_block block, tracking_lists *lists);

/* From position `position` of the episodes to the one before, compacted as `compaction` says.
 * *fits = false when there would be more tracks than the capacity; then the lists are lost. */
spk_status tracking_step(spk_context *context, tracking_block block, uint32_t position,
                         spk_compaction compaction, tracking_lists *lists, bool *fits);

/* Algorithm 2 over the tracks, which have reached position 0. */
spk_status tracking_count(spk_context *context, tracking_block block, tracking_lists *lists);

SPK_END_C
