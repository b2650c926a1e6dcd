/*
 * Random input of a live stream, as a rig may send it: ties, bursts, duplicates, disorder within
 * the tolerance and beyond, borders with times that go back, times near the limits of 64 bits. What
 * a stream must hand on is found by the definition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/spikemine.h"
#include "support/random.h"

enum { LIVE_UNITS = 5, LIVE_SEGMENTS = 4, LIVE_SPIKES = 160 };

/* Spikes of one segment, in some order. */
typedef struct live_spikes {
    uint64_t n;
    int64_t time[LIVE_SPIKES];
    uint32_t unit[LIVE_SPIKES];
} live_spikes;

typedef struct live_case {
    spk_rate rate;
    uint64_t tolerance_ticks;
    spk_duration tolerance;
    bool begins_with_border; /* else the first segment begins with its first spike */
    uint32_t n_segments;
    struct {
        live_spikes sent; /* as they arrive */
        live_spikes kept; /* what must be handed on, by time, then unit */
        bool has_start, has_stop;
        spk_duration start, stop;
        int64_t first_tick, stop_tick;
        uint64_t late, duplicates, outside;
    } segment[LIVE_SEGMENTS];
} live_case;

/* `extreme`: times near the limits of int64, and no bounds. */
void live_case_make(test_random *random, bool extreme, live_case *out);

/* Labels of the units; some are to be quoted. */
extern const char *const live_labels[LIVE_UNITS];

/* A recording of ordered spikes in one segment, NULL where there is none. Units are numbered as in
 * the case. start, stop: NULL where they are not known. */
spk_recording *live_recording(spk_context *context, spk_rate rate, uint64_t n, const int64_t *time,
                              const uint32_t *unit, const spk_duration *start,
                              const spk_duration *stop);

/* Random episodes over the units, some equal, some with common beginnings. */
spk_episode_list *live_episodes(spk_context *context, test_random *random, spk_rate rate,
                                uint32_t n);

/* Random patterns of windows of `window` bins. */
spk_pattern_list *live_patterns(spk_context *context, test_random *random, uint32_t window,
                                uint32_t n);
