/*
 * Extends occurrence lists, compiled once per instruction set (it lives on popcount and shifts).
 *
 * The loop is free of branches that depend on the data: it writes room for four events an end and
 * then steps over as many as there were, because whether an end is followed at all is a coin toss
 * for the processor.
 */
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

/* Number of the unit's events at or before a rank. */
static inline __attribute__((always_inline)) uint32_t events_up_to(const positions *p, bool words,
                                                                   uint32_t rank)
{
    if (words) {
        const sweep_word *word = p->word + (rank / 64 - p->first_word);
        uint64_t up_to = word->bits << (63 - rank % 64);
        return (uint32_t)word->before + (uint32_t)__builtin_popcountll(up_to);
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

static inline __attribute__((always_inline)) uint64_t extend(
    const sweep_index *index, const bool words, const bool wide, uint64_t n, const uint32_t *end,
    const uint32_t *start, size_t delay, uint32_t unit, uint32_t *end_out, uint32_t *start_out)
{
    const void *lo_reach = index->reach[index->lo_reach[delay]];
    const void *hi_reach = index->reach[index->hi_reach[delay]];
    const uint32_t first = (uint32_t)index->events.unit_first[unit];
    const positions where = positions_of(index, words, unit);
    uint64_t n_out = 0;
    /* `from` events of the unit are still too near to the present end. */
    uint32_t from = 0;
    if (n > 0)
        from = events_up_to(&where, words, reach_of(index, lo_reach, wide, end[0]));
    for (uint64_t k = 0; k < n; k++) {
        uint32_t to = events_up_to(&where, words, reach_of(index, hi_reach, wide, end[k]));
        uint32_t next = to;
        if (k + 1 < n) /* events beyond lo of the following end belong to it: its start is later */
            next = events_up_to(&where, words, reach_of(index, lo_reach, wide, end[k + 1]));
        uint32_t count = (next < to ? next : to) - from;
        for (uint32_t j = 0; j < SWEEP_EXTEND_SPARE; j++) {
            end_out[n_out + j] = first + from + j;
            start_out[n_out + j] = start[k];
        }
        for (uint32_t j = SWEEP_EXTEND_SPARE; j < count; j++) {
            end_out[n_out + j] = first + from + j;
            start_out[n_out + j] = start[k];
        }
        n_out += count;
        from = next;
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
