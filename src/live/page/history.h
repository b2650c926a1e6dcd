/*
 * What the page remembers of the stream, in rings of fixed size: spikes and occurrences. Used by
 * the serving thread alone.
 *
 * Every spike and every occurrence has a number: how many came before it. A browser that asks "from
 * number N on" gets what it lacks, or learns that the ring no longer holds it.
 *
 * The page has one line of time for all segments. Where the times of a segment would go back, an
 * offset sets it behind the segment before. Places on that line are ticks since `origin`, the first
 * tick of the stream, and never go back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

enum {
    HISTORY_SEGMENTS = 4096, /* remembered at most; older ones take their spikes along */
    HISTORY_OCCURRENCES = 1 << 17,
    HISTORY_WORDS = 1 << 20 /* times of occurrences */
};

typedef struct history_segment {
    uint64_t segment;
    uint64_t trial; /* of which it is a part */
    uint64_t first; /* number of its first spike */
    int64_t offset; /* place = time + offset - origin */
    int64_t start;  /* place of its begin */
} history_segment;

typedef struct history_occurrence {
    uint64_t item;
    uint64_t count;
    uint64_t segment;
    uint64_t word; /* number of its first time among all times that came */
    uint64_t size;
} history_occurrence;

typedef struct history {
    uint64_t capacity; /* spikes */
    uint64_t span;     /* ticks that are kept */
    int64_t *place;    /* spike k lies at k % capacity */
    uint32_t *unit;
    uint64_t oldest, next; /* numbers of spikes: [oldest, next) are here */
    int64_t origin;
    bool begun;               /* origin is known */
    int64_t newest;           /* place of the last spike, or of the last begin */
    history_segment *segment; /* number k of all that began lies at k % HISTORY_SEGMENTS */
    uint64_t oldest_segment, next_segment;
    bool announced; /* a segment begins; where is known with its first spike */
    uint64_t announced_segment, announced_trial;
    history_occurrence *occurrence; /* number k lies at k % HISTORY_OCCURRENCES */
    int64_t *word;
    uint64_t oldest_occurrence, next_occurrence;
    uint64_t next_word;
} history;

spk_status history_open(spk_context *context, history *h, uint64_t capacity, uint64_t span);
void history_close(history *h);

/* A segment begins; its first tick, where it is known. */
void history_begin(history *h, uint64_t segment, uint64_t trial, bool has_start, int64_t start);

/* Spikes of the segment that began last, in order. Without a begin, segment 0 begins. */
void history_add(history *h, uint64_t n, const int64_t *time, const uint32_t *unit);

/* An occurrence; its times are the stream's. */
void history_add_occurrence(history *h, const history_occurrence *occurrence, const int64_t *time);

/* The segment at a place of the line; NULL where the line does not reach, or is forgotten. */
const history_segment *history_segment_at(const history *h, int64_t place);

/* ---- for browsers ----------------------------------------------------------------------------
 *
 * Little endian blocks, one behind the other. The head: "SPKH", version 1, then as float64: the
 * server's number, oldest and next spike, oldest and next occurrence. Each block of spikes: "SPKS",
 * n, float64 number of the first one, segment, its begin, base; int64 offset; then n uint32 places
 * after base, n uint32 units, padded to 8 bytes. The block of occurrences: "SPKO", n, float64
 * number of the first one; then for each one uint32 item and size, float64 count and the places. */

enum { HISTORY_HEAD = 48, HISTORY_SPIKES_HEAD = 48, HISTORY_OCCURRENCES_HEAD = 16 };

/* Bytes from a spike and from an occurrence on, at most `most` spikes, and of occurrences as many
 * bytes as these take; *out is freed by the caller. */
spk_status history_write(const history *h, double server, uint64_t from, uint64_t from_occurrence,
                         uint64_t most, unsigned char **out, size_t *bytes);
