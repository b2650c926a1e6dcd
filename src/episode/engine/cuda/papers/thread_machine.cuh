/*
 * A state machine in a thread's registers and local memory, for the kernels of PTPE and MTPE.
 *
 *     registers       unit[SIZE]: every event is compared with all of them
 *     local memory    lo, hi [SIZE]; head, tail [LISTS]; stamp [LISTS][CAPACITY], one ring a list
 *
 * Invariant: SIZE is at least the size of the episode, and equal to it up to OWN_KERNEL, where
 * loops are unrolled. Bytes a thread: 4 a unit, and with ticks of t bytes 2 t a bound, 8 + t *
 * CAPACITY a list.
 */
#pragma once

#include <type_traits>

#include "cuda/kernel.cuh"
#include "episode/engine/cuda/papers/counter.h"
#include "episode/engine/cuda/papers/machine.h"

/* An episode of up to SIZE positions in two variables, because they live in two places: with a
 * constant size the units are in registers, as every event is compared with all of them; bounds are
 * indexed by the position that an event serves and lie in local memory, as stamps and ring ends do,
 * where the threads of a warp that serve the same position read neighbouring words. */
template <uint32_t SIZE> struct thread_units {
    uint32_t unit[SIZE];
};

template <typename Tick, uint32_t SIZE> struct thread_bounds {
    Tick lo[SIZE];
    Tick hi[SIZE];
};

template <typename Tick, uint32_t SIZE>
__device__ __forceinline__ void load_episode(const papers_recording &recording,
                                             const papers_episodes &e, uint32_t size, uint32_t row,
                                             thread_units<SIZE> *units,
                                             thread_bounds<Tick, SIZE> *bounds)
{
    const Tick *all_lo = static_cast<const Tick *>(recording.lo);
    const Tick *all_hi = static_cast<const Tick *>(recording.hi);
    for (uint32_t p = 0; p < size; p++) {
        size_t at = static_cast<size_t>(row) * e.size + p;
        units->unit[p] = e.unit[at];
        bounds->lo[p] = p > 0 ? all_lo[e.delay[at]] : 0;
        bounds->hi[p] = p > 0 ? all_hi[e.delay[at]] : 0;
    }
}

template <typename Tick, uint32_t LISTS, uint32_t CAPACITY> struct thread_lists {
    Tick stamp[LISTS * CAPACITY];
    uint32_t head[LISTS];
    uint32_t tail[LISTS];
};

template <typename Tick, uint32_t SIZE>
__device__ __forceinline__ machine<Tick> make_machine(const thread_units<SIZE> &units,
                                                      const thread_bounds<Tick, SIZE> &bounds,
                                                      uint32_t size, uint32_t capacity, Tick *stamp,
                                                      uint32_t *head, uint32_t *tail)
{
    machine<Tick> m;
    m.size = size;
    m.capacity = capacity;
    m.unit = units.unit;
    m.lo = bounds.lo;
    m.hi = bounds.hi;
    m.stamp = stamp;
    m.head = head;
    m.tail = tail;
    machine_clear(&m, static_cast<Tick>(0));
    return m;
}

/* Sizes up to this have kernels of their own. */
constexpr uint32_t OWN_KERNEL = 8;

/* Calls use(std::integral_constant) with the size that the kernel for episodes of this size is made
 * for: their own, or the largest of the kernel that they share. */
template <typename action> spk_status with_kernel_size(uint32_t size, const action &use)
{
    assert(size >= 2 && size <= SPK_EPISODE_MAX_SIZE);
    /* Each case is a kernel of its own. Larger sizes share two, or there would be too many to
     * compile. */
    switch (size) {
    case 2:
        return use(std::integral_constant<uint32_t, 2>{});
    case 3:
        return use(std::integral_constant<uint32_t, 3>{});
    case 4:
        return use(std::integral_constant<uint32_t, 4>{});
    case 5:
        return use(std::integral_constant<uint32_t, 5>{});
    case 6:
        return use(std::integral_constant<uint32_t, 6>{});
    case 7:
        return use(std::integral_constant<uint32_t, 7>{});
    case OWN_KERNEL:
        return use(std::integral_constant<uint32_t, OWN_KERNEL>{});
    default:
        return size <= 16 ? use(std::integral_constant<uint32_t, 16>{})
                          : use(std::integral_constant<uint32_t, SPK_EPISODE_MAX_SIZE>{});
    }
}

/* Stamps a list in a thread's own memory holds. */
__host__ __device__ constexpr uint32_t list_capacity(uint32_t size)
{
    return size <= 16 ? 8 : 4;
}
