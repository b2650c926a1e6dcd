/*
 * Sorts event columns. Recordings come nearly always in order of time: one pass. The others go
 * through a radix sort by time, between the columns and one copy of them (12 bytes an event): many
 * of them by their highest bits into parts first, then each part least significant byte first.
 * Bytes in which all times agree are skipped. Ties are put in order of unit afterwards.
 */
#include "recording/recording.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

enum { MANY_EVENTS = 1 << 18 }; /* more than the caches hold */

typedef struct columns {
    int64_t *time;
    uint32_t *unit;
} columns;

static bool is_sorted(uint64_t n, const int64_t *time)
{
    for (uint64_t i = 1; i < n; i++)
        if (time[i - 1] > time[i])
            return false;
    return true;
}

static void insertion_sort(uint64_t n, uint32_t *unit)
{
    for (uint64_t i = 1; i < n; i++) {
        uint32_t moving = unit[i];
        uint64_t k = i;
        for (; k > 0 && unit[k - 1] > moving; k--)
            unit[k] = unit[k - 1];
        unit[k] = moving;
    }
}

/* Puts every run of equal times in order of unit. */
static void sort_ties(uint64_t n, const int64_t *time, uint32_t *unit)
{
    enum { SHORT_RUN = 24 };
    for (uint64_t i = 0; i < n;) {
        uint64_t end = i + 1;
        bool ordered = true;
        for (; end < n && time[end] == time[i]; end++)
            ordered &= unit[end - 1] <= unit[end];
        if (!ordered && end - i <= SHORT_RUN)
            insertion_sort(end - i, unit + i);
        else if (!ordered)
            qsort(unit + i, (size_t)(end - i), sizeof *unit, spk_rising_u32);
        i = end;
    }
}

/* Times as distances from the first one: unsigned, and no sign bit to treat apart. */
static uint64_t distance(int64_t time, int64_t lowest)
{
    return (uint64_t)time - (uint64_t)lowest;
}

/* One stable pass by the byte at `shift`; next[byte] becomes where the events of the byte end. */
static void pass(uint64_t n, columns from, columns to, int64_t lowest, int shift,
                 uint64_t next[256])
{
    memset(next, 0, 256 * sizeof *next);
    for (uint64_t i = 0; i < n; i++)
        next[(distance(from.time[i], lowest) >> shift) & 255]++;
    uint64_t sum = 0;
    for (int byte = 0; byte < 256; byte++) {
        uint64_t count = next[byte];
        next[byte] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = next[(distance(from.time[i], lowest) >> shift) & 255]++;
        to.time[k] = from.time[i];
        to.unit[k] = from.unit[i];
    }
}

/* Sorts n events by the bits of `differing`, bytes from the lowest on; the two change places with
 * every pass. Returns whether the result is in `to`. */
static bool sort_bytes(uint64_t n, columns from, columns to, int64_t lowest, uint64_t differing)
{
    uint64_t next[256];
    bool moved = false;
    for (int shift = 0; shift < 64; shift += 8) {
        if (((differing >> shift) & 255) == 0)
            continue;
        pass(n, from, to, lowest, shift, next);
        columns swap = from;
        from = to;
        to = swap;
        moved = !moved;
    }
    return moved;
}

static columns columns_at(columns c, uint64_t first)
{
    return (columns){c.time + first, c.unit + first};
}

static void copy_events(uint64_t n, columns from, columns to)
{
    memcpy(to.time, from.time, (size_t)n * sizeof *to.time);
    memcpy(to.unit, from.unit, (size_t)n * sizeof *to.unit);
}

/* Sorts many events by their highest bits first: what is left to do then are parts that the caches
 * hold. */
static void sort_parts(uint64_t n, columns events, columns copy, int64_t lowest, uint64_t differing)
{
    uint64_t end[256], first = 0;
    int shift = 64 - 8 - __builtin_clzll(differing);
    uint64_t lower = differing & ((UINT64_C(1) << shift) - 1);
    pass(n, events, copy, lowest, shift, end);
    for (int byte = 0; byte < 256; first = end[byte++]) {
        columns from = columns_at(copy, first), to = columns_at(events, first);
        if (end[byte] > first && !sort_bytes(end[byte] - first, from, to, lowest, lower))
            copy_events(end[byte] - first, from, to);
    }
}

static void radix_sort(uint64_t n, columns events, columns copy)
{
    int64_t lowest = events.time[0];
    for (uint64_t i = 1; i < n; i++)
        lowest = events.time[i] < lowest ? events.time[i] : lowest;
    uint64_t differing = 0; /* bits in which distances differ; the lowest one is zero */
    for (uint64_t i = 0; i < n; i++)
        differing |= distance(events.time[i], lowest);
    if (n >= MANY_EVENTS && differing >> 8 != 0)
        sort_parts(n, events, copy, lowest, differing);
    else if (sort_bytes(n, events, copy, lowest, differing))
        copy_events(n, copy, events);
}

spk_status spk_sort_events(spk_context *context, uint64_t n, int64_t *time, uint32_t *unit,
                           bool *was_sorted)
{
    columns copy = {NULL, NULL};
    *was_sorted = is_sorted(n, time);
    spk_status status = SPK_OK;
    if (!*was_sorted) {
        status = spk_alloc_columns(context, "sorting", SPK_COLUMN(&copy.time, n),
                                   SPK_COLUMN(&copy.unit, n));
        if (status == SPK_OK)
            radix_sort(n, (columns){time, unit}, copy);
    }
    if (status == SPK_OK)
        sort_ties(n, time, unit);
    assert(status != SPK_OK || is_sorted(n, time));
    spk_free(context, copy.time);
    spk_free(context, copy.unit);
    return status;
}
