/*
 * The inner loops of the sweep engine. The counting one: a prefix against 32 units at a time.
 *
 * For every end of the prefix, in order of time, the row of the delay table tells for each lane
 * (unit) where the first continuation comes. A lane counts it when the occurrence starts after the
 * lane's last counted end - greedy by earliest end, which is optimal
 * (docs/explanation/semantics.md). Per lane two numbers are kept: how many ranks beyond the present
 * start the lane is still `blocked` by its last counted end, and the count.
 *
 * Going from one end to the next the start moves on by `shift` ranks, so blocked falls by shift
 * (never below 0). A lane with blocked = 0 and a continuation `later` ranks behind the end counts,
 * and is then blocked by later + base, base = rank of end - start + 1.
 */
#pragma once

#include <assert.h>
#include <stdint.h>

#include "episode/engine/sweep/index.h"

/* Most strips that one call handles; more are several calls. */
enum { SWEEP_MAX_STRIPS = 4 };

/* A strip's lanes between two calls; 64-byte aligned. Counts must be drained before they pass 16
 * bits, every 65535 steps. */
typedef struct sweep_narrow {
    uint16_t blocked[SWEEP_LANES];
    uint16_t count[SWEEP_LANES];
} sweep_narrow;

typedef struct sweep_wide {
    uint32_t blocked[SWEEP_LANES];
    uint32_t count[SWEEP_LANES];
} sweep_wide;
static_assert(sizeof(sweep_narrow) % 64 == 0 && sizeof(sweep_wide) % 64 == 0,
              "in an array each is aligned as the first");

/* n ends: row[i] is the row number in the tables, shift and base as above (shift saturated). */
typedef void sweep_narrow_fn(uint32_t n, const uint32_t *row, const uint16_t *shift,
                             const uint16_t *base, uint32_t n_strips, const uint16_t *const *table,
                             sweep_narrow *const *lanes);
typedef void sweep_wide_fn(uint32_t n, const uint32_t *row, const uint32_t *shift,
                           const uint32_t *base, uint32_t n_strips, const uint32_t *const *table,
                           sweep_wide *const *lanes);

/* Extends the occurrences (end, start) of a prefix by a unit within a delay interval (task.h) and
 * returns how many there are; `end_out` and `start_out` have room for all events of the unit and
 * SWEEP_EXTEND_SPARE more. */
enum { SWEEP_EXTEND_SPARE = 4 };
typedef uint64_t sweep_extend_fn(const sweep_index *index, uint64_t n, const uint32_t *end,
                                 const uint32_t *start, size_t delay, uint32_t unit,
                                 uint32_t *end_out, uint32_t *start_out);

typedef struct sweep_kernels {
    sweep_narrow_fn *narrow;
    sweep_wide_fn *wide;
    sweep_extend_fn *extend;
} sweep_kernels;

/* The kernels of the best instruction set of this machine. */
sweep_kernels sweep_kernels_choose(void);
