/*
 * The segments of a recording from inside: exact borders, which events lie in which segment, and
 * what is left of segments that are cut again.
 *
 * Events are stored once, in the columns, whatever number of segments they lie in. Segments that
 * overlap (trials may) have copies of the shared events: who counts goes through the segments one
 * by one, with spk_segment_events, and adds up.
 */
#pragma once

#include "recording/recording.h"

/* Event numbers first .. last - 1. */
typedef struct spk_event_range {
    uint64_t first;
    uint64_t last;
} spk_event_range;

/* The events of segment k, which is one of spk_recording_segments. */
spk_event_range spk_segment_events(const spk_recording *recording, size_t k);

/* Number of events before `time`. */
uint64_t spk_events_before(const spk_events *events, int64_t time);

/* The first entry of by_unit whose event, one of this unit, does not lie before `time`; the end of
 * the unit's entries where all do. */
uint64_t spk_unit_first_from(const spk_events *events, uint32_t unit, int64_t time);

/* Entries first .. last - 1 of by_unit: the events of one unit among those of a range. */
spk_event_range spk_unit_events(const spk_events *events, uint32_t unit, spk_event_range range);

/* Events of all segments together; one that lies in two counts twice. */
uint64_t spk_recording_counted_events(const spk_recording *recording);

/* Segment k with its exact borders. */
spk_exact_segment spk_recording_exact_segment(const spk_recording *recording, size_t k);

/* The trials of which something is left, *n of them, numbered from 0 as their first segments come:
 * number[k] is that of segment k's trial. `number` has an entry for each segment. What deals out
 * trials deals out these. Errors: SPK_ERR_MEMORY. */
spk_status spk_trials_left(spk_context *context, const spk_recording *recording, size_t *number,
                           size_t *n);

/* Whether segment k is trial k, for all of them: then nobody needs to write the trials down. */
bool spk_trials_are_segments(const spk_recording *recording);

/* A border at a tick, and one at a time, of which `tick` is the first tick not before it. */
spk_border spk_border_at(int64_t tick);
spk_border spk_border_of(spk_duration time, spk_rate rate);

/* The same where times are points of a grid that were written with rounding: a time within this
 * rounding of a point is the point. */
spk_border spk_border_written(spk_duration time, spk_rate rate, const spk_written *written);

/* -1, 0, 1: a is before, at, behind b; exactly. Both belong to one rate. */
int spk_border_compare(spk_border a, spk_border b);

/* ---- making ---------------------------------------------------------------------------------- */

/* Gives the recording the segments of the parts, and drops the events outside all of them from the
 * parts. Nothing to do for parts without segments. */
spk_status spk_segments_take(spk_context *context, spk_recording_parts *parts,
                             spk_recording *recording);

/* By start, by stop, exactly, then by trial; both are a spk_exact_segment. For qsort. */
int spk_segments_compare(const void *a, const void *b);

/* Sorts like that. */
void spk_segments_sort(size_t n, spk_exact_segment *segments);

/* Whether nothing of the time was observed: all segments were cut away. */
bool spk_segments_are_empty(const spk_recording *recording);

/* Whether every event lies in some segment. */
bool spk_segments_hold_events(const spk_recording *recording);

/* ---- stretches between borders --------------------------------------------------------------- */

/*
 * Where events may move without leaving or entering a segment. Segments that overlap share events,
 * and their numbers have to stay in each: there events move between neighbouring borders of any
 * segments.
 *
 *     segments:   |------------|      |-----|
 *                        |---------|
 *     stretches:  |--1---|--2--|-3-|  |--4--|
 */

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
