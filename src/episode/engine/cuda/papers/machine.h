/*
 * The papers' state machines as one GPU thread runs them, shared by host and device: Algorithm 1
 * with its lists as rings (Cao et al., section 5), PreElim (section 5.2), and what MTPE keeps of a
 * segment (section 5.1). tests/unit/test_gpu_machines.c covers them without a GPU.
 *
 * Times are ticks since the recording's first event, always unsigned, so that any two times of a
 * recording can be subtracted. A Tick is uint32_t where the recording is short enough, else
 * uint64_t; in C, whose programs only test, MACHINE_TICK says which. Delay bounds that a Tick
 * cannot hold become its largest value: no distance is above it.
 */
#pragma once

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/shared.h"

#ifdef __cplusplus
#define TICK_SHARED template <typename Tick> SPK_SHARED
#define TICK_STRUCT template <typename Tick> struct
#define OF_TICK     <Tick>
#else
#ifndef MACHINE_TICK
#define MACHINE_TICK uint64_t
#endif
typedef MACHINE_TICK Tick;
#define TICK_SHARED SPK_SHARED
#define TICK_STRUCT struct
#define OF_TICK
#endif

/* One event of the recording, read as a whole; for hosts, which write both widths, also by width.
 */
#define MACHINE_EVENT(Tick)                                                                        \
    {                                                                                              \
        alignas(2 * sizeof(Tick)) Tick time;                                                       \
        uint32_t unit;                                                                             \
    }
TICK_STRUCT machine_event MACHINE_EVENT(Tick);
struct machine_event_32 MACHINE_EVENT(uint32_t);
struct machine_event_64 MACHINE_EVENT(uint64_t);
static_assert(sizeof(struct machine_event_32) == 8, "one load of 8 bytes");
static_assert(sizeof(struct machine_event_64) == 16, "one load of 16 bytes");

typedef enum machine_step {
    MACHINE_WENT_ON,
    MACHINE_COUNTED, /* this event ends an occurrence that counts */
    MACHINE_OVERFLOW /* a list is full of stamps that may still matter: the machine is spoilt */
} machine_step;

/* A count that is not known: the machine overflowed. No count comes near it, as events are numbered
 * with 32 bits. */
#define MACHINE_UNKNOWN UINT32_MAX

/* An episode and the state of Algorithm 1. The arrays are the caller's; list p, of the stamps of
 * position p < size - 1, is the ring stamp[p * capacity ..]. */
TICK_STRUCT machine
{
    uint32_t size;
    uint32_t capacity; /* a power of two */
    const uint32_t *unit;
    const Tick *lo; /* size entries; entry p leads to position p, entry 0 is not used */
    const Tick *hi;
    Tick *stamp;
    uint32_t *head; /* oldest stamp; indices run freely and are masked */
    uint32_t *tail; /* one past the newest */
    Tick open_from; /* events before it may not serve any more: one past the last counted end */
};

/* All lists empty, nothing counted yet. */
TICK_SHARED void machine_clear(struct machine OF_TICK *m, Tick open_from)
{
    for (uint32_t p = 0; p + 1 < m->size; p++)
        m->head[p] = m->tail[p] = 0;
    m->open_from = open_from;
}

/* Bit p: the unit stands at position p. */
SPK_SHARED uint64_t machine_positions(const uint32_t *unit, uint32_t size, uint32_t fired)
{
    uint64_t positions = 0;
    for (uint32_t p = 0; p < size; p++)
        positions |= (uint64_t)(unit[p] == fired) << p;
    return positions;
}

SPK_SHARED uint32_t machine_last(uint64_t positions)
{
#ifdef __CUDA_ARCH__
    return 63u - (uint32_t)__clzll((long long)positions);
#else
    return 63u - (uint32_t)__builtin_clzll(positions);
#endif
}

/* Drops the stamps of list p that are more than hi old. An empty ring starts anew at its first
 * slot, which keeps the memory in use small. */
TICK_SHARED void machine_drop_old(struct machine OF_TICK *m, uint32_t p, Tick hi, Tick now)
{
    const Tick *ring = m->stamp + (size_t)p * m->capacity;
    uint32_t head = m->head[p];
    uint32_t tail = m->tail[p];
    while (head != tail && now - ring[head & (m->capacity - 1)] > hi)
        head++;
    if (head == tail)
        head = m->tail[p] = 0;
    m->head[p] = head;
}

/* Whether the event at `now` may follow at position p >= 1. Of the stamps within hi the oldest has
 * the longest delay, so it alone decides about lo. */
TICK_SHARED bool machine_follows(struct machine OF_TICK *m, uint32_t p, Tick now)
{
    if (m->head[p - 1] == m->tail[p - 1])
        return false;
    machine_drop_old(m, p - 1, m->hi[p], now);
    if (m->head[p - 1] == m->tail[p - 1])
        return false;
    Tick oldest = m->stamp[(size_t)(p - 1) * m->capacity + (m->head[p - 1] & (m->capacity - 1))];
    return now - oldest > m->lo[p];
}

/* Appends to list p < size - 1; false when it is full of stamps that may still matter. Stamps that
 * never grow too old need only their first: it admits whatever a later one admits. */
TICK_SHARED bool machine_append(struct machine OF_TICK *m, uint32_t p, Tick now)
{
    Tick hi = m->hi[p + 1];
    if (hi == (Tick)-1 && m->head[p] != m->tail[p])
        return true;
    if (m->tail[p] - m->head[p] == m->capacity) {
        machine_drop_old(m, p, hi, now);
        if (m->tail[p] - m->head[p] == m->capacity)
            return false;
    }
    m->stamp[(size_t)p * m->capacity + (m->tail[p] & (m->capacity - 1))] = now;
    m->tail[p]++;
    return true;
}

/* Algorithm 1 for one event. Positions go from the last to the first, so that an event never serves
 * two positions of an occurrence. */
TICK_SHARED machine_step machine_feed(struct machine OF_TICK *m, Tick now, uint32_t unit)
{
    uint64_t positions = machine_positions(m->unit, m->size, unit);
    if (positions == 0 || now < m->open_from)
        return MACHINE_WENT_ON;
    while (positions != 0) {
        uint32_t p = machine_last(positions);
        positions ^= (uint64_t)1 << p;
        if (p > 0 && !machine_follows(m, p, now))
            continue;
        if (p == m->size - 1) {
            /* At the largest Tick this wraps to 0: no later event is left to keep out. */
            machine_clear(m, (Tick)(now + 1));
            return MACHINE_COUNTED;
        }
        if (!machine_append(m, p, now))
            return MACHINE_OVERFLOW;
    }
    return MACHINE_WENT_ON;
}

/* ---- PreElim (section 5.2) ------------------------------------------------------------------- */

/* Lower bounds are taken as 0, so that the newest stamp of each position is enough. With ties it
 * may carry the present time: a delay of 0 is accepted, and a new occurrence may start where the
 * last one ended, which keeps the result an upper bound of the count. */
TICK_STRUCT machine_relaxed
{
    uint32_t size;
    uint32_t count;
    const uint32_t *unit;
    const Tick *hi;
    Tick *newest;  /* size entries */
    uint64_t seen; /* bit p: newest[p] holds a stamp */
};

/* One event. Free of branches where the size is known when compiling. */
TICK_SHARED void machine_relaxed_feed(struct machine_relaxed OF_TICK *m, Tick now, uint32_t unit)
{
    bool ended = false;
    for (uint32_t p = m->size; p-- > 0;) {
        bool serves = m->unit[p] == unit && !ended;
        if (p > 0)
            serves = serves && (m->seen >> (p - 1) & 1) != 0 && now - m->newest[p - 1] <= m->hi[p];
        if (p == m->size - 1) {
            ended = serves;
            m->count += serves;
            m->seen = serves ? 0 : m->seen;
        } else {
            m->newest[p] = serves ? now : m->newest[p];
            m->seen |= (uint64_t)serves << p;
        }
    }
}

/* ---- MTPE: segments of the recording (section 5.1) ------------------------------------------- */

/* Segment s holds the events first[s] .. first[s + 1] - 1, all later than border[s] and none later
 * than border[s + 1]; border[s] is the time of the event before first[s]. */
TICK_STRUCT machine_segments
{
    uint32_t n;
    uint32_t n_events;
    const struct machine_event OF_TICK *event;
    const uint32_t *first; /* n + 1 */
    const Tick *border;    /* n + 1; border[0] is not used */
};

/*
 * What a machine tells of its segment. The zone of a border is what lies behind it, up to and with
 * the episode's span: the sum of its upper bounds.
 *
 * a: the first end after the segment's left border, where it lies in that zone, else 0.
 * b: the same for the right border.
 * count: ends inside the segment; MACHINE_UNKNOWN: the machine overflowed.
 *
 * Two machines with the same first end go on alike from there. Two machines without an end in the
 * zone go on alike as well: whatever ends later starts after the border, where both see everything.
 * So a machine may take over where another ended when b of one is a of the other, whatever happened
 * before. No occurrence of two or more positions ends at time 0, so 0 can mean none.
 */
#define MACHINE_TUPLE(Tick)                                                                        \
    {                                                                                              \
        Tick a;                                                                                    \
        Tick b;                                                                                    \
        uint32_t count;                                                                            \
    }
TICK_STRUCT machine_tuple MACHINE_TUPLE(Tick);
struct machine_tuple_32 MACHINE_TUPLE(uint32_t);
struct machine_tuple_64 MACHINE_TUPLE(uint64_t);

/* Number of events at or before `time`, of those before `n`. */
TICK_SHARED uint32_t machine_events_until(const struct machine_event OF_TICK *event, uint32_t n,
                                          Tick time)
{
    uint32_t low = 0;
    while (low < n) {
        uint32_t middle = low + (n - low) / 2;
        if (event[middle].time <= time)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Where segment s of n about equal ones starts, and the border before it; s = n gives the end. A
 * border never parts events of one time, so segments may be empty. */
TICK_SHARED void machine_cut(const struct machine_event OF_TICK *event, uint32_t n_events,
                             uint32_t n, uint32_t s, uint32_t *first, Tick *border)
{
    uint32_t at = (uint32_t)((uint64_t)n_events * s / n);
    while (at > 0 && at < n_events && event[at].time == event[at - 1].time)
        at++;
    *first = at;
    *border = at > 0 ? event[at - 1].time : 0;
}

/* First event of machine k in segment s: those later than border - sum of the first k upper
 * bounds. */
TICK_SHARED uint32_t machine_start(const struct machine_segments OF_TICK *segments, const Tick *hi,
                                   uint32_t s, uint32_t k)
{
    uint32_t first = segments->first[s];
    if (k == 0 || first == 0)
        return first;
    Tick back = 0;
    for (uint32_t p = 1; p <= k; p++) {
        if (hi[p] >= segments->border[s] - back)
            return 0;
        back += hi[p];
    }
    return machine_events_until(segments->event, first, (Tick)(segments->border[s] - back));
}

/* The sum of all upper bounds, or the largest Tick where the sum does not fit. */
TICK_SHARED Tick machine_span(const Tick *hi, uint32_t size)
{
    Tick span = 0;
    for (uint32_t p = 1; p < size; p++)
        span = hi[p] > (Tick)((Tick)-1 - span) ? (Tick)-1 : (Tick)(span + hi[p]);
    return span;
}

/* Runs a machine (cleared) over segment s, from event `from`, and on until the first end behind the
 * segment or the end of the zone. */
TICK_SHARED void machine_run(struct machine OF_TICK *m,
                             const struct machine_segments OF_TICK *segments, uint32_t s,
                             uint32_t from, Tick span, struct machine_tuple OF_TICK *out)
{
    uint32_t first = segments->first[s];
    uint32_t end = segments->first[s + 1];
    bool any = false;
    out->a = out->b = 0;
    out->count = 0;
    /* The first end behind the left border goes to `a`, that behind the right border to `b`, each
     * only within its zone; ends before the segment are of the machine's start and do not count. */
    for (uint32_t i = from; i < segments->n_events; i++) {
        struct machine_event OF_TICK event = segments->event[i];
        if (i >= end && (Tick)(event.time - segments->border[s + 1]) > span)
            return;
        machine_step step = machine_feed(m, event.time, event.unit);
        if (step == MACHINE_OVERFLOW) {
            out->count = MACHINE_UNKNOWN;
            return;
        }
        if (step != MACHINE_COUNTED || i < first)
            continue;
        if (!any && s > 0 && (Tick)(event.time - segments->border[s]) <= span)
            out->a = event.time;
        any = true;
        if (i >= end) {
            out->b = event.time;
            return;
        }
        out->count++;
    }
}

/* The tuple among `n` that starts with `a`; n when there is none. */
TICK_SHARED uint32_t machine_partner(const struct machine_tuple OF_TICK *tuples, uint32_t n,
                                     uint32_t stride, Tick a)
{
    for (uint32_t k = 0; k < n; k++)
        if (tuples[(size_t)k * stride].count != MACHINE_UNKNOWN &&
            tuples[(size_t)k * stride].a == a)
            return k;
    return n;
}

/* The exact walk over the segments, from left to right, with the tuples of all machines: machine k
 * of segment s at tuples[(s * size + k) * stride], where the first segment has machine 0 only. It
 * goes on with the tuple that starts where the last one ended, and where there is none runs the
 * machine from there. Returns the count, or MACHINE_UNKNOWN when the machine overflowed. *runs:
 * segments without a tuple. */
TICK_SHARED uint32_t machine_walk(struct machine OF_TICK *m,
                                  const struct machine_segments OF_TICK *segments,
                                  const struct machine_tuple OF_TICK *tuples, uint32_t stride,
                                  Tick span, uint32_t *runs)
{
    uint32_t count = 0;
    Tick at = 0;
    *runs = 0;
    for (uint32_t s = 0; s < segments->n; s++) {
        const struct machine_tuple OF_TICK *mine = tuples + (size_t)s * m->size * stride;
        uint32_t n = s == 0 ? 1 : m->size;
        uint32_t k = machine_partner(mine, n, stride, at);
        struct machine_tuple OF_TICK tuple;
        if (k < n) {
            tuple = mine[(size_t)k * stride];
        } else if (at != 0 && at > segments->border[s + 1]) {
            continue; /* the end found before lies behind this segment too */
        } else {
            (*runs)++;
            uint32_t from = segments->first[s];
            if (at != 0)
                from = machine_events_until(segments->event, segments->n_events, at);
            machine_clear(m, (Tick)0);
            machine_run(m, segments, s, from, span, &tuple);
            if (tuple.count == MACHINE_UNKNOWN)
                return MACHINE_UNKNOWN;
            tuple.count += at != 0; /* the end that it starts from */
        }
        count += tuple.count;
        at = tuple.b;
    }
    return count;
}

/* Concatenation of neighbours (section 5.1, Merging): the tuple of the left stretch of segments
 * becomes that of both; without a partner its count becomes unknown. */
TICK_SHARED void machine_concatenate(struct machine_tuple OF_TICK *left,
                                     const struct machine_tuple OF_TICK *right, uint32_t n,
                                     uint32_t stride)
{
    if (left->count == MACHINE_UNKNOWN)
        return;
    uint32_t k = machine_partner(right, n, stride, left->b);
    if (k == n) {
        left->count = MACHINE_UNKNOWN;
        return;
    }
    left->count += right[(size_t)k * stride].count;
    left->b = right[(size_t)k * stride].b;
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* What hosts allocate and write is what devices read, whichever compiler lays it out. */
#ifdef __cplusplus
#define SAME_LAYOUT(name, width)                                                                   \
    static_assert(sizeof(name<uint##width##_t>) == sizeof(name##_##width) &&                       \
                      alignof(name<uint##width##_t>) == alignof(name##_##width),                   \
                  "hosts and devices agree on " #name);
SAME_LAYOUT(machine_event, 32)
SAME_LAYOUT(machine_event, 64)
SAME_LAYOUT(machine_tuple, 32)
SAME_LAYOUT(machine_tuple, 64)
#undef SAME_LAYOUT
#endif
static_assert(offsetof(struct machine_event_32, unit) == 4, "a unit behind a tick of 32 bits");
static_assert(offsetof(struct machine_event_64, unit) == 8, "a unit behind a tick of 64 bits");
static_assert(sizeof(struct machine_tuple_32) == 12, "two ticks of 32 bits and a count");
static_assert(sizeof(struct machine_tuple_64) == 24, "two ticks of 64 bits and a count, padded");
