/* What a browser reads of the blocks that the page of a live stream answers with; written
 * independently of the code that writes them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { LIVE_BLOCKS_SPIKES = 5000, LIVE_BLOCKS_OCCURRENCES = 64 };

/* What a browser understands of the blocks. */
typedef struct live_blocks {
    double oldest, next;
    uint64_t n;
    int64_t time[LIVE_BLOCKS_SPIKES]; /* ticks of the stream */
    int64_t place[LIVE_BLOCKS_SPIKES];
    uint32_t unit[LIVE_BLOCKS_SPIKES];
    uint64_t segment[LIVE_BLOCKS_SPIKES];
    double first; /* number of the first spike */
    double first_occurrence;
    uint64_t n_occurrences;
    uint32_t item[LIVE_BLOCKS_OCCURRENCES];
    uint32_t size[LIVE_BLOCKS_OCCURRENCES];
    double count[LIVE_BLOCKS_OCCURRENCES];
    double places[LIVE_BLOCKS_OCCURRENCES][4];
} live_blocks;

/* Reads n bytes; fails the test where they are no blocks. Times are those of the stream. */
void live_blocks_read(const unsigned char *bytes, size_t n, int64_t origin, live_blocks *out);
