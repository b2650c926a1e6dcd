/*
 * Extends occurrence lists, compiled once per instruction set (it lives on popcount and shifts).
 *
 * The loops are free of branches that depend on the data: first a stretch of ends is looked up,
 * then room for four events an end is written and as many as there were is stepped over, because
 * whether an end is followed at all is a coin toss for the processor.
 *
 * Example, interval (2, 8]:
 *     ends of the prefix     10          14                 30
 *     beyond lo              13 ..       17 ..              33 ..
 *     up to hi               .. 18       .. 22              .. 38
 *     taken by the end       13 .. 16    17 .. 22           33 .. 38
 *
 * Invariant: an event is taken by the last end that it lies beyond lo of, so that its start is the
 * latest there is; it is in the list at most once, and the list stays in order. Cost: two look-ups
 * an end, each of a word and its bits or of a bucket and a few events; a write of 32 bytes. Bytes:
 * some 2 KB on the stack for a stretch.
 */
#include <string.h>

#include "episode/engine/sweep/kernel.h"

#define JOIN_AGAIN(a, b) a##_##b
#define JOIN(a, b)       JOIN_AGAIN(a, b)
#define EXTEND           JOIN(sweep_extend, SPK_SIMD_SUFFIX)

sweep_extend_fn EXTEND;

/* Where a unit's events are looked up. */
typedef struct positions {
    const sweep_word *word; /* or NULL */
    uint32_t first_word;
    const uint32_t *bucket;
    uint32_t bucket_shift;
    const uint32_t *rank;
    uint64_t n;
} positions;

static inline positions positions_of(const sweep_index *index, bool words, uint32_t unit)
{
    const uint64_t *first = index->events.unit_first + unit;
    return (positions){
        .word = words ? index->word + (uint64_t)unit * index->n_words : NULL,
        .first_word = index->first_word,
        .bucket = words ? NULL : index->bucket + (uint64_t)unit * index->n_buckets,
        .bucket_shift = index->bucket_shift,
        .rank = index->unit_rank + first[0],
        .n = first[1] - first[0],
    };
}

static inline uint32_t count_bits(uint64_t bits)
{
#if defined(__x86_64__) && !defined(__POPCNT__) /* it would be the call of a function */
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(bits * 0x0101010101010101u >> 56);
#else
    return (uint32_t)__builtin_popcountll(bits);
#endif
}

/* Number of the unit's events at or before a rank. */
static inline __attribute__((always_inline)) uint32_t events_up_to(const positions *p, bool words,
                                                                   uint32_t rank)
{
    if (words) {
        const sweep_word *word = p->word + (rank / 64 - p->first_word);
        uint64_t up_to = word->bits << (63 - rank % 64);
        return (uint32_t)word->before + count_bits(up_to);
    }
    uint64_t n = p->bucket[rank >> p->bucket_shift];
    while (n < p->n && p->rank[n] <= rank)
        n++;
    return (uint32_t)n;
}

/* The last rank that lies within the bound after the event at this place. */
static inline __attribute__((always_inline)) uint32_t reach_of(const sweep_index *index,
                                                               const void *reach, bool wide,
                                                               uint32_t place)
{
    return index->unit_rank[place] +
           (wide ? ((const uint32_t *)reach)[place] : ((const uint16_t *)reach)[place]);
}

/* What a stretch of ends looks up: how many of the unit's events are still too near to each end,
 * and how many there are up to the last that is near enough. */
enum { STRETCH = 256 };
typedef struct looked_up {
    uint32_t too_near[STRETCH + 1]; /* also of the end behind the stretch */
    uint32_t near_enough[STRETCH];
} looked_up;

/* Writes the events that an end takes, and room for more; how many is known before. */
typedef uint32_t four __attribute__((vector_size(16)));
static inline __attribute__((always_inline)) void write_entries(uint32_t count, uint32_t place,
                                                                uint32_t start, uint32_t *end_out,
                                                                uint32_t *start_out)
{
    const four places = place + (four){0, 1, 2, 3};
    const four starts = start - (four){0};
    memcpy(end_out, &places, sizeof places);
    memcpy(start_out, &starts, sizeof starts);
    for (uint32_t j = SWEEP_EXTEND_SPARE; j < count; j++) {
        end_out[j] = place + j;
        start_out[j] = start;
    }
}

/* `words` and `wide` are constants where this is inlined: no loop asks for them. */
static inline __attribute__((always_inline)) uint64_t extend(
    const sweep_index *index, const bool words, const bool wide, uint64_t n, const uint32_t *end,
    const uint32_t *start, size_t delay, uint32_t unit, uint32_t *end_out, uint32_t *start_out)
{
    const void *lo_reach = index->reach[index->lo_reach[delay]];
    const void *hi_reach = index->reach[index->hi_reach[delay]];
    const uint32_t first = (uint32_t)index->events.unit_first[unit];
    const positions where = positions_of(index, words, unit);
    looked_up found;
    uint64_t n_out = 0;
    if (n > 0)
        found.too_near[0] = events_up_to(&where, words, reach_of(index, lo_reach, wide, end[0]));
    for (uint64_t begin = 0; begin < n; begin += STRETCH) {
        uint64_t m = n - begin < STRETCH ? n - begin : STRETCH;
        uint64_t behind = begin + m < n ? m + 1 : m;
        for (uint64_t k = 0; k < m; k++)
            found.near_enough[k] =
                events_up_to(&where, words, reach_of(index, hi_reach, wide, end[begin + k]));
        for (uint64_t k = 1; k < behind; k++)
            found.too_near[k] =
                events_up_to(&where, words, reach_of(index, lo_reach, wide, end[begin + k]));
        if (behind == m)
            found.too_near[m] = UINT32_MAX;
        for (uint64_t k = 0; k < m; k++) {
            /* Events beyond lo of the following end belong to it: its start is later. */
            uint32_t next = found.too_near[k + 1];
            uint32_t to = found.near_enough[k] < next ? found.near_enough[k] : next;
            uint32_t count = to - found.too_near[k];
            write_entries(count, first + found.too_near[k], start[begin + k], end_out + n_out,
                          start_out + n_out);
            n_out += count;
        }
        found.too_near[0] = found.too_near[m];
    }
    return n_out;
}

uint64_t EXTEND(const sweep_index *index, uint64_t n, const uint32_t *end, const uint32_t *start,
                size_t delay, uint32_t unit, uint32_t *end_out, uint32_t *start_out)
{
    bool words = index->word != NULL;
    if (words && !index->reach_wide)
        return extend(index, true, false, n, end, start, delay, unit, end_out, start_out);
    if (words)
        return extend(index, true, true, n, end, start, delay, unit, end_out, start_out);
    return extend(index, false, index->reach_wide, n, end, start, delay, unit, end_out, start_out);
}
