/*
 * The recording and the delay bounds in ticks, as hosts write them for the papers' kernels
 * (machine.h). Inline, so that tests/unit/test_gpu_machines.c covers it in builds without CUDA too.
 */
#pragma once

#include "episode/engine/cuda/papers/machine.h"
#include "episode/engine/engine.h"

/* Whether a recording of `length` ticks needs ticks of 64 bits. The largest tick of 32 bits is left
 * out: bounds that a tick cannot hold become it. */
static inline bool host_ticks_wide(uint64_t length)
{
    return length >= UINT32_MAX;
}

static inline size_t host_tick_bytes(bool wide)
{
    return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

static inline size_t host_event_bytes(bool wide)
{
    return wide ? sizeof(struct machine_event_64) : sizeof(struct machine_event_32);
}

static inline size_t host_tuple_bytes(bool wide)
{
    return wide ? sizeof(struct machine_tuple_64) : sizeof(struct machine_tuple_32);
}

/* Writes the events [first, first + n) as struct machine_event_32 or _64; `base` is the time of
 * tick 0. */
static inline void host_write_events(const spk_events *events, uint64_t base, bool wide,
                                     uint64_t first, uint64_t n, void *out)
{
    const int64_t *time = events->time + first;
    const uint32_t *unit = events->unit + first;
    struct machine_event_32 *narrow_event = (struct machine_event_32 *)out;
    struct machine_event_64 *wide_event = (struct machine_event_64 *)out;
    assert(first + n <= events->n_events);
    if (wide) {
        for (uint64_t i = 0; i < n; i++)
            wide_event[i] = (struct machine_event_64){(uint64_t)time[i] - base, unit[i]};
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        narrow_event[i] = (struct machine_event_32){(uint32_t)((uint64_t)time[i] - base), unit[i]};
}

/* Writes the lower or upper bounds of the delays [first, first + n) as ticks; bounds that a tick
 * cannot hold become the largest. */
static inline void host_write_bounds(const spk_tick_delay *delays, bool upper, bool wide,
                                     uint64_t first, uint64_t n, void *out)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t bound = upper ? delays[first + i].hi : delays[first + i].lo;
        if (wide)
            ((uint64_t *)out)[i] = bound;
        else
            ((uint32_t *)out)[i] = bound < UINT32_MAX ? (uint32_t)bound : UINT32_MAX;
    }
}
