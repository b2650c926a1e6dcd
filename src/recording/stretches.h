/*
 * Where events may move without leaving or entering a segment. Segments that overlap share events,
 * and their numbers have to stay in each: there events move between neighbouring borders of any
 * segments.
 *
 *     segments:   |------------|      |-----|
 *                        |---------|
 *     stretches:  |--1---|--2--|-3-|  |--4--|
 */
#ifndef SPK_RECORDING_STRETCHES_H
#define SPK_RECORDING_STRETCHES_H

#include "recording/recording.h"

/* Disjoint, in order, none empty; with segments that do not overlap these, if not empty. */
typedef struct spk_stretches {
    size_t n;
    spk_segment *stretch;
    size_t *segment; /* of those that hold the stretch the one that began last */
} spk_stretches;

/* Finds them: 32 bytes and more for each segment, freed with spk_stretches_free. `out` begins
 * zeroed. */
spk_status spk_stretches_find(spk_context *context, const spk_recording *recording,
                              spk_stretches *out);

/* The first one from number `from` on that stops behind the tick; n where none does. */
size_t spk_stretches_behind(const spk_stretches *stretches, size_t from, int64_t tick);

void spk_stretches_free(spk_stretches *stretches);

#endif
