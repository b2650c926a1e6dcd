/*
 * The recording encoded for the way to a device: time deltas from one event to the next, and units,
 * both in as few bytes as hold them. Example: a culture of up to 256 units has 8 + 4 bytes an event
 * on the host and 2 + 1 on the way. Inline, so that tests/unit/test_cuda_sweep_arithmetic.c covers
 * it in builds without CUDA too.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Deltas have 2, 4, or 8 bytes; 8 hold any. */
#define HOST_NARROWEST_DELTA 2u
#define HOST_WIDEST_DELTA    8u

/* The ticks from the event before to each of [first, first + n), 0 for the first of all; false
 * when one takes more than `width` bytes, and then what was written means nothing. */
static inline bool host_encode_deltas(const int64_t *time, uint64_t first, uint64_t n,
                                      uint32_t width, void *out)
{
    uint64_t before = (uint64_t)time[first > 0 ? first - 1 : 0];
    const int64_t *from = time + first;
    uint64_t all = 0;
    assert(width == 2 || width == 4 || width == 8);
    if (n == 0)
        return true;
    /* All deltas are or-ed: one look at the end tells whether each fits the width, without a branch
     * in the loop. */
    all |= (uint64_t)from[0] - before;
#define HOST_ENCODE_DELTAS(type)                                                                   \
    do {                                                                                           \
        type *delta = out;                                                                         \
        delta[0] = (type)all;                                                                      \
        for (uint64_t i = 1; i < n; i++) {                                                         \
            uint64_t ticks = (uint64_t)from[i] - (uint64_t)from[i - 1];                            \
            delta[i] = (type)ticks;                                                                \
            all |= ticks;                                                                          \
        }                                                                                          \
    } while (0)
    if (width == 2)
        HOST_ENCODE_DELTAS(uint16_t);
    else if (width == 4)
        HOST_ENCODE_DELTAS(uint32_t);
    else
        HOST_ENCODE_DELTAS(uint64_t);
#undef HOST_ENCODE_DELTAS
    return width == 8 || all >> (8 * width) == 0;
}

/* Bytes that a unit takes: 1, 2, or 4. */
static inline uint32_t host_unit_width(uint32_t n_units)
{
    return n_units <= 1u << 8 ? 1 : n_units <= 1u << 16 ? 2 : 4;
}

static inline void host_encode_units(const uint32_t *unit, uint64_t first, uint64_t n,
                                     uint32_t width, void *out)
{
    const uint32_t *from = unit + first;
    assert(width == 1 || width == 2 || width == 4);
#define HOST_ENCODE_UNITS(type)                                                                    \
    do {                                                                                           \
        type *code = out;                                                                          \
        for (uint64_t i = 0; i < n; i++)                                                           \
            code[i] = (type)from[i];                                                               \
    } while (0)
    if (width == 1)
        HOST_ENCODE_UNITS(uint8_t);
    else if (width == 2)
        HOST_ENCODE_UNITS(uint16_t);
    else
        HOST_ENCODE_UNITS(uint32_t);
#undef HOST_ENCODE_UNITS
}
