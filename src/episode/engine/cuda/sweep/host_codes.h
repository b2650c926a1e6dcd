/*
 * The recording as it travels to a device: steps in time, from one event to the next, and units,
 * in as few bytes as hold them. A culture of many units has 8 + 4 bytes an event on the host and 3
 * on the way. Inline, so that tests/unit/test_cuda_sweep_steps.c covers it in builds without CUDA
 * too.
 */
#ifndef SPK_EPISODE_ENGINE_CUDA_SWEEP_HOST_CODES_H
#define SPK_EPISODE_ENGINE_CUDA_SWEEP_HOST_CODES_H

#include <stdbool.h>
#include <stdint.h>

/* Steps of 2, 4, or 8 bytes; those of 8 hold any. */
#define HOST_CODES_NARROWEST 2u
#define HOST_CODES_WIDEST    8u

/* The ticks from the event before to each of [first, first + n), 0 for the first of all; false
 * when one takes more than `width` bytes, and then what was written means nothing. */
static inline bool host_codes_steps(const int64_t *time, uint64_t first, uint64_t n, uint32_t width,
                                    void *out)
{
    uint64_t before = (uint64_t)time[first > 0 ? first - 1 : 0];
    const int64_t *from = time + first;
    uint64_t all = 0;
    if (n == 0)
        return true;
    all |= (uint64_t)from[0] - before;
#define HOST_CODES_STEPS(type)                                                                     \
    do {                                                                                           \
        type *step = out;                                                                          \
        step[0] = (type)all;                                                                       \
        for (uint64_t i = 1; i < n; i++) {                                                         \
            uint64_t ticks = (uint64_t)from[i] - (uint64_t)from[i - 1];                            \
            step[i] = (type)ticks;                                                                 \
            all |= ticks;                                                                          \
        }                                                                                          \
    } while (0)
    if (width == 2)
        HOST_CODES_STEPS(uint16_t);
    else if (width == 4)
        HOST_CODES_STEPS(uint32_t);
    else
        HOST_CODES_STEPS(uint64_t);
#undef HOST_CODES_STEPS
    return width == 8 || all >> (8 * width) == 0;
}

/* Bytes that a unit takes: 1, 2, or 4. */
static inline uint32_t host_codes_unit_width(uint32_t n_units)
{
    return n_units <= 1u << 8 ? 1 : n_units <= 1u << 16 ? 2 : 4;
}

static inline void host_codes_units(const uint32_t *unit, uint64_t first, uint64_t n,
                                    uint32_t width, void *out)
{
    const uint32_t *from = unit + first;
#define HOST_CODES_UNITS(type)                                                                     \
    do {                                                                                           \
        type *code = out;                                                                          \
        for (uint64_t i = 0; i < n; i++)                                                           \
            code[i] = (type)from[i];                                                               \
    } while (0)
    if (width == 1)
        HOST_CODES_UNITS(uint8_t);
    else if (width == 2)
        HOST_CODES_UNITS(uint16_t);
    else
        HOST_CODES_UNITS(uint32_t);
#undef HOST_CODES_UNITS
}

#endif
