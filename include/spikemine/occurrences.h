/*
 * Where results occur: the counted occurrences of an episode, the windows that contain a pattern.
 * spk_episode_occurrence_writer_open and spk_pattern_occurrence_writer_open (report.h) write them.
 */
#ifndef SPIKEMINE_OCCURRENCES_H
#define SPIKEMINE_OCCURRENCES_H

#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* ---- of episodes ----------------------------------------------------------------------------- */

/* Called once per counted occurrence, in order of time; `time` has `size` entries in ticks, one per
 * position. Among the occurrences with the same end it is the one that starts latest. */
typedef spk_status spk_occurrence_sink(void *user, uint32_t size, const int64_t *time);

/* The same with the number of the segment in which it lies; the segments come in their order, so
 * that times go back where segments overlap. spk_recording_format_time_within writes the time
 * within the segment. */
typedef spk_status spk_segment_occurrence_sink(void *user, size_t segment, uint32_t size,
                                               const int64_t *time);

/* The counted occurrences of one episode; their number is its count. `units` size entries;
 * delays[p] between positions p and p + 1. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_occurrences(spk_context *context,
                                                          const spk_recording *recording,
                                                          uint32_t size, const uint32_t *units,
                                                          const spk_delay *delays,
                                                          spk_occurrence_sink *sink, void *user);
SPK_API SPK_MUST_CHECK spk_status spk_episode_occurrences_in_segments(
    spk_context *context, const spk_recording *recording, uint32_t size, const uint32_t *units,
    const spk_delay *delays, spk_segment_occurrence_sink *sink, void *user);

/* n occurrences of episodes of `size` positions: occurrence i lies in segment[i] and has the times
 * time[i * size] .. time[i * size + size - 1], in ticks. */
typedef struct spk_occurrence_columns {
    uint64_t n;
    uint32_t size; /* 0 while there is none */
    const uint64_t *segment;
    const int64_t *time;
} spk_occurrence_columns;

/* A growing list of occurrences, all of one size. Threads: one at a time; many may read the columns
 * while nothing is added. */
typedef struct spk_occurrence_list spk_occurrence_list;

/* An empty list. `context` must outlive it: messages of spk_occurrence_list_add go there. */
SPK_API SPK_MUST_CHECK spk_status spk_occurrence_list_create(spk_context *context,
                                                             spk_occurrence_list **out);
SPK_API void spk_occurrence_list_free(spk_occurrence_list *list);

/* The columns: pointers into the list, valid until something is added. */
SPK_API spk_occurrence_columns spk_occurrence_list_columns(const spk_occurrence_list *list);

/* A spk_segment_occurrence_sink: appends the occurrence; `list` is a spk_occurrence_list. Errors:
 * SPK_ERR_ARGUMENT (another size than that of the first one), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_occurrence_list_add(void *list, size_t segment, uint32_t size,
                                                          const int64_t *time);

/* ---- of patterns ----------------------------------------------------------------------------- */

/* Looks up which windows contain a pattern.
 * Threads: one at a time; several locators may share the windows. */
typedef struct spk_pattern_locator spk_pattern_locator;

/* Makes one; spk_pattern_locator_free accepts NULL. The windows are borrowed, and `context` must
 * outlive it: messages go there. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_locator_create(spk_context *context,
                                                             const spk_windows *windows,
                                                             spk_pattern_locator **out);
SPK_API void spk_pattern_locator_free(spk_pattern_locator *locator);
/* The windows that contain all `size` items, ascending: indices into the window columns, valid
 * until the next call. Errors: SPK_ERR_ARGUMENT for an empty pattern or an item out of range. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_locate(spk_pattern_locator *locator, uint32_t size,
                                                     const uint32_t *items, const uint32_t **window,
                                                     uint32_t *n);

SPK_END_C

#endif
