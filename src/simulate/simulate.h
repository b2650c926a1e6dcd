/* What the generators share: event columns that grow, the truth's inside, checks of options. */
#pragma once

#include "base/random.h"
#include "recording/recording.h"
#include "spikemine/simulate.h"

/* As in base/random.c: the same bits on machines with and without fused multiply-add. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/* ---- events ---------------------------------------------------------------------------------- */

typedef struct spk_event_buffer {
    uint64_t n;
    int64_t *time;
    uint32_t *unit;
    uint64_t capacity;
} spk_event_buffer;

/* Space for `expected` events and some spread. Refuses (SPK_ERR_RANGE, SPK_ERR_MEMORY) what cannot
 * be one recording or goes over the context's memory limit at `bytes_per_event`. */
spk_status spk_event_buffer_reserve(spk_context *context, spk_event_buffer *buffer, double expected,
                                    unsigned bytes_per_event);
spk_status spk_event_buffer_add(spk_context *context, spk_event_buffer *buffer, int64_t time,
                                uint32_t unit);
void spk_event_buffer_free(spk_event_buffer *buffer);

/* Turns the events into a recording over [0, stop); the buffer is empty afterwards. Labels NULL:
 * "0", "1", ... */
spk_status spk_event_buffer_take(spk_context *context, spk_event_buffer *buffer, uint32_t n_units,
                                 const char *const *labels, spk_rate rate, int64_t stop,
                                 spk_recording **out);

/* ---- truth ----------------------------------------------------------------------------------- */

typedef struct spk_planted {
    uint32_t size;
    uint32_t *unit;
    int64_t *delay_ticks;
    int64_t jitter_ticks;
    uint64_t n_planted;
    uint64_t n_times; /* kept * size */
    int64_t *time;
    uint64_t capacity;
} spk_planted;

struct spk_truth {
    uint32_t n_chains;
    spk_planted *chain;
};

/* Truth with n_chains chains of `size[k]` members each, nothing planted yet. */
spk_status spk_truth_create(spk_context *context, uint32_t n_chains, const uint32_t *size,
                            spk_truth **out);

/* Counts one complete occurrence and, up to SPK_TRUTH_MAX_TIMES, keeps its chain->size times. */
spk_status spk_planted_add(spk_context *context, spk_planted *chain, const int64_t *time);

/* ---- planting ---------------------------------------------------------------------------------
 */

/* Planted times by unit, ascending, so that other spikes can keep their distance. */
typedef struct spk_planted_times {
    uint64_t *first; /* n_units + 1, and one more */
    int64_t *time;
} spk_planted_times;

/* Of all events that are in the buffer now. */
spk_status spk_planted_times_take(spk_context *context, const spk_event_buffer *buffer,
                                  uint32_t n_units, spk_planted_times *out);
void spk_planted_times_free(spk_planted_times *planted);

/* True where no planted spike of the unit is within `distance` of `time`; *next, at first
 * first[unit], walks along them, so that times must ascend. */
bool spk_planted_times_clear(const spk_planted_times *planted, uint32_t unit, uint64_t *next,
                             int64_t time, int64_t distance);

/* The numbers 0 .. n - 1 in random order. */
void spk_random_order(spk_random *random, uint32_t n, uint32_t *order);

/* ---- options --------------------------------------------------------------------------------- */

/* SPK_ERR_ARGUMENT naming the option, its value and its range; NaN is outside every range. */
spk_status spk_check_number(spk_context *context, const char *name, double value, double minimum,
                            double maximum);

/* The duration in ticks, which must be 1 .. 2^53 of them. */
spk_status spk_check_duration(spk_context *context, spk_duration duration, spk_rate rate,
                              int64_t *ticks);
