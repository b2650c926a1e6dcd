/*
 * Binary search, once for all: the first place at which something no longer lies before what is
 * wanted. The caller asks, so that the order may be anything:
 *
 *     spk_bisect s = {first, last};
 *     while (spk_bisect_next(&s))
 *         spk_bisect_told(&s, stretch[s.middle].stop <= tick);
 *     return s.low;
 *
 * Invariant: places before s.low lie before what is wanted, those from s.high on do not. At the end
 * both are one; it is `last` where all places lie before.
 *
 * What rises over plain numbers has its own forms below. Where "no longer before" holds once, it
 * must hold from there on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct spk_bisect {
    uint64_t low;
    uint64_t high;
    uint64_t middle; /* the place that is asked about */
} spk_bisect;

/* Whether a place is left to ask about. */
static inline bool spk_bisect_next(spk_bisect *s)
{
    s->middle = s->low + (s->high - s->low) / 2; /* the sum of both may not fit */
    return s->low < s->high;
}

/* The answer: whether the place lies before what is wanted. */
static inline void spk_bisect_told(spk_bisect *s, bool before)
{
    s->low = before ? s->middle + 1 : s->low;
    s->high = before ? s->high : s->middle;
}

/* The first of the places low .. high - 1 whose number is at least `wanted`; high where none is. */
static inline uint64_t spk_first_u64(const uint64_t *rising, uint64_t low, uint64_t high,
                                     uint64_t wanted)
{
    spk_bisect s = {low, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, rising[s.middle] < wanted);
    return s.low;
}

static inline uint64_t spk_first_u32(const uint32_t *rising, uint64_t low, uint64_t high,
                                     uint64_t wanted)
{
    spk_bisect s = {low, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, rising[s.middle] < wanted);
    return s.low;
}

static inline uint64_t spk_first_i64(const int64_t *rising, uint64_t low, uint64_t high,
                                     int64_t wanted)
{
    spk_bisect s = {low, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, rising[s.middle] < wanted);
    return s.low;
}

static inline uint64_t spk_first_f64(const double *rising, uint64_t low, uint64_t high,
                                     double wanted)
{
    spk_bisect s = {low, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, rising[s.middle] < wanted);
    return s.low;
}
