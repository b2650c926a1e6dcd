/*
 * Live: patterns while the recording runs.
 *
 * Spikes are pushed as they arrive. A stream puts them in order, drops what came twice or too late,
 * counts all of it, and hands the rest to its sinks. A watch is such a sink: it follows thousands
 * of episodes and patterns, and tells of an occurrence the moment its last spike is there. After
 * any prefix of the input its counts are those of spk_episode_count and spk_pattern_locate on the
 * recorded prefix. Nothing here has a thread of its own, reads a clock for its results, or prints.
 *
 * A closed loop in ten lines; `list` is read with spk_episode_list_read_widened, and `react` is
 * called for every occurrence:
 *
 *     spk_live_stream_options options;
 *     spk_live_stream_options_init(&options, sizeof options);
 *     options.rate = (spk_rate){30000, 1};
 *     spk_live_stream_create(context, &options, &stream);
 *     spk_live_watch_create(context, stream, NULL, &watch);
 *     spk_live_watch_add_episodes(context, watch, recording, &episodes);
 *     spk_live_watch_set_sink(watch, react, user);
 *     while (receive(&n, time, unit))
 *         spk_live_stream_push(context, stream, n, time, unit, NULL);
 *     spk_live_stream_end(context, stream);
 *
 * Units are numbered by the stream in order of their first appearance: spk_live_stream_unit gives
 * the number of a label. Times are ticks of the stream's rate, in any size of chunk.
 *
 * Order. A spike may be older than the newest one by the tolerance, and is put in order; the stream
 * holds spikes back for as long. With the tolerance 0 every spike goes on at once. An older spike
 * is late: it is dropped and counted. The same unit at the same time counts once.
 *
 *     arrives      20   50   40   10   60        tolerance 20
 *     goes on           20             40        10 is late: it is older than 50 - 20
 *
 * Segments. A border ends a segment: a trial, a stretch between two interruptions. No occurrence
 * crosses it, bins are counted anew, and times may go back. A segment whose source knows its start
 * counts bins from exactly there, another one from its first spike. A segment may be a part of a
 * trial that was cut; what is told of it names the trial by the number that the source gives it.
 *
 * Freeing: what was added to a stream goes first, the stream last.
 */
#ifndef SPIKEMINE_LIVE_H
#define SPIKEMINE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* ---- the stream ------------------------------------------------------------------------------ */

/* Spikes on their way from one source to the sinks.
 * Threads: one at a time, with all that was added to it. */
typedef struct spk_live_stream spk_live_stream;

/* How spikes are put in order. Initialise with spk_live_stream_options_init. */
typedef struct spk_live_stream_options {
    size_t struct_size;     /* set by spk_live_stream_options_init */
    spk_rate rate;          /* ticks a second; no default */
    spk_duration tolerance; /* how much older than the newest spike one may be; 0 by default */
    uint32_t max_units;     /* most labels, 1 .. SPK_MAX_UNITS (default) */
    uint64_t max_held;      /* most spikes held back; a flood beyond goes on before the tolerance
                               ends. 4194304 by default */
} spk_live_stream_options;

/* The defaults named above; the rate is missing. */
SPK_API void spk_live_stream_options_init(spk_live_stream_options *options, size_t struct_size);

/* An empty stream, to be freed with spk_live_stream_free, which accepts NULL. Errors:
 * SPK_ERR_ARGUMENT (no rate, a tolerance below 0 or infinite, a limit of 0), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_stream_create(spk_context *context,
                                                         const spk_live_stream_options *options,
                                                         spk_live_stream **out);
SPK_API void spk_live_stream_free(spk_live_stream *stream);

/* Ticks a second. */
SPK_API spk_rate spk_live_stream_rate(const spk_live_stream *stream);

/* The number of a unit, a new one where the label is new. Numbers count from 0 and never change.
 * Errors: SPK_ERR_RANGE (more units than the stream takes), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_stream_unit(spk_context *context,
                                                       spk_live_stream *stream, const char *label,
                                                       uint32_t *unit);

/* The label of a unit, valid until a unit is added; NULL where there is no such unit. */
SPK_API const char *spk_live_stream_label(const spk_live_stream *stream, uint32_t unit);
SPK_API uint32_t spk_live_stream_n_units(const spk_live_stream *stream);

/* Spikes of one segment in order: times never go back, and no unit has two spikes at one time. The
 * spikes of one time come in any order. The pointers are valid during the call. */
typedef struct spk_live_batch {
    uint64_t n; /* may be 0 */
    const int64_t *time;
    const uint32_t *unit;
    const int64_t *arrival_ns; /* when the bytes of each spike arrived, on CLOCK_MONOTONIC */
    uint64_t segment;          /* its number, from 0 */
    bool begins_segment;       /* the first batch of it, or of what follows a loaded state */
    bool has_start;            /* the source knows the segment's exact start */
    bool has_stop;
    spk_duration start;
    spk_duration stop;
    bool ends_segment; /* the last batch of it */
    bool ends;         /* the last batch of all */
    uint64_t trial;    /* that the segment is a part of, from 0; its number where nobody told */
    uint64_t n_trials; /* that there are; 0: nobody told */
} spk_live_batch;

/* Receives batches. It must not push into the stream, but may add units. A status other than
 * SPK_OK ends the call that pushed, which returns it. */
typedef spk_status spk_live_batch_sink(void *user, const spk_live_batch *batch);

/* Adds a sink; sinks are called in the order of adding. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_stream_add_sink(spk_context *context,
                                                           spk_live_stream *stream,
                                                           spk_live_batch_sink *sink, void *user);

/* Takes it out again; nothing happens where it is not there. */
SPK_API void spk_live_stream_remove_sink(spk_live_stream *stream, spk_live_batch_sink *sink,
                                         void *user);

/* Is told of every spike that is dropped because it is late. One function; NULL: none. */
typedef spk_status spk_live_late_sink(void *user, int64_t time, uint32_t unit);
SPK_API void spk_live_stream_set_late_sink(spk_live_stream *stream, spk_live_late_sink *sink,
                                           void *user);

/* Takes n spikes in the order of arrival, and hands on what is in order now. arrival_ns NULL: they
 * arrived now. The division into calls changes no result. Errors, with which nothing of the call
 * was taken: SPK_ERR_ARGUMENT (an unknown unit, a stream that has ended), SPK_ERR_RANGE (a time of
 * INT64_MAX). Others are SPK_ERR_MEMORY and those of the sinks; the stream cannot go on then. */
SPK_API SPK_MUST_CHECK spk_status spk_live_stream_push(spk_context *context,
                                                       spk_live_stream *stream, uint64_t n,
                                                       const int64_t *time, const uint32_t *unit,
                                                       const int64_t *arrival_ns);

/* Ends the segment, with all spikes that were held back, and begins the next one: its exact bounds
 * where the source knows them, else NULL. Before the first spike it gives the bounds of the first
 * segment. Spikes outside the bounds are dropped and counted. Errors: SPK_ERR_ARGUMENT (a stop that
 * is not behind the start, a stream that has ended), SPK_ERR_MEMORY, and those of the sinks. */
SPK_API SPK_MUST_CHECK spk_status spk_live_stream_border(spk_context *context,
                                                         spk_live_stream *stream,
                                                         const spk_duration *start,
                                                         const spk_duration *stop);

/* The same where the source knows which trial, from 0, of n_trials the next segment is a part of.
 * Errors: also SPK_ERR_ARGUMENT (trial is not below n_trials). */
SPK_API SPK_MUST_CHECK spk_status spk_live_stream_border_of_trial(
    spk_context *context, spk_live_stream *stream, const spk_duration *start,
    const spk_duration *stop, uint64_t trial, uint64_t n_trials);

/* Hands on all spikes that are held back, as when nothing arrived for as long as the tolerance. A
 * spike older than the newest one is late afterwards. Errors: as spk_live_stream_push. */
SPK_API SPK_MUST_CHECK spk_status spk_live_stream_settle(spk_context *context,
                                                         spk_live_stream *stream);

/* Hands on all spikes that are held back; no spike follows. A second call does nothing. Errors: as
 * spk_live_stream_push. */
SPK_API SPK_MUST_CHECK spk_status spk_live_stream_end(spk_context *context,
                                                      spk_live_stream *stream);

/* Takes note that the source misses n spikes or messages. */
SPK_API void spk_live_stream_lost(spk_live_stream *stream, uint64_t n);

/* What came in. received = accepted + duplicates + late + outside + held, always. */
typedef struct spk_live_counts {
    uint64_t received;
    uint64_t accepted;     /* handed to the sinks */
    uint64_t duplicates;   /* the same unit at the same time: dropped */
    uint64_t out_of_order; /* of those received: older than the newest one, within the tolerance */
    uint64_t late;         /* beyond it: dropped */
    uint64_t lost;         /* as spk_live_stream_lost was told */
    uint64_t held;         /* waiting for older spikes that may come */
    uint64_t segments;     /* that have begun */
    int64_t newest;        /* time of the segment's newest spike; 0 where there is none */
    uint64_t outside;      /* outside the segment's bounds: dropped */
} spk_live_counts;

/* The counters now. */
SPK_API spk_live_counts spk_live_stream_counts(const spk_live_stream *stream);

/* ---- the watch ------------------------------------------------------------------------------- */

/*
 * Episodes are followed in a tree of their common beginnings. A node is the beginning of an
 * episode:
 *
 *     A (5,10] B (5,10] C      A ----- B ----- C
 *     A (5,10] B (5,10] D               \----- D
 *
 * A node keeps where partial occurrences end, as far as a next spike may still use them: the newest
 * one that is older than the lower bound, and all that are newer. So work for a spike is constant,
 * and memory is bounded by the spikes within the lower bounds. Each spike continues the newest
 * partial occurrence that it may continue, which is the one that starts latest; an occurrence
 * counts when it starts behind the end of the last one that counted.
 */

/* Follows episodes and patterns in one stream.
 * Threads: one at a time, the one that uses the stream. */
typedef struct spk_live_watch spk_live_watch;

/* Initialise with spk_live_watch_options_init. */
typedef struct spk_live_watch_options {
    size_t struct_size;  /* set by spk_live_watch_options_init */
    spk_duration window; /* counts of so much time until now, too; 0 (default): none */
    spk_duration bin;    /* width of a bin of patterns; no default */
    uint32_t bins;       /* window length of patterns in bins: lags are below it. 0 (default): that
                            of the patterns */
} spk_live_watch_options;

/* The defaults named above. */
SPK_API void spk_live_watch_options_init(spk_live_watch_options *options, size_t struct_size);

/* A watch of nothing, which is a sink of the stream from now on; to be freed with
 * spk_live_watch_free, which accepts NULL, before the stream. Errors: SPK_ERR_ARGUMENT (a window or
 * a bin below 0 or infinite), SPK_ERR_RANGE (a bin too far from a tick), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_watch_create(spk_context *context,
                                                        spk_live_stream *stream,
                                                        const spk_live_watch_options *options,
                                                        spk_live_watch **out);
SPK_API void spk_live_watch_free(spk_live_watch *watch);

/* Adds episodes, to be followed to the end; unit numbers are those of `labels`, which may have no
 * event. Units that the stream has not seen yet may come later. Episodes that are added while the
 * stream runs count from then on. Errors: SPK_ERR_ARGUMENT (a size, a unit or an interval that is
 * none; others are followed for a while already), SPK_ERR_RANGE (more than 32 bit number),
 * SPK_ERR_MEMORY; the watch cannot go on after the last two. */
SPK_API SPK_MUST_CHECK spk_status spk_live_watch_add_episodes(spk_context *context,
                                                              spk_live_watch *watch,
                                                              const spk_recording *labels,
                                                              const spk_episode_columns *episodes);

/* Adds episodes that are followed for a while: they count from the next spike on, they can be
 * ended, and no state file has them. All of spk_live_watch_add_episodes come before them. Errors:
 * as there. */
SPK_API SPK_MUST_CHECK spk_status
spk_live_watch_begin_episodes(spk_context *context, spk_live_watch *watch,
                              const spk_recording *labels, const spk_episode_columns *episodes);

/* Ends one of them, `item` among all episodes: nothing of it is told or counted any more. Its
 * number, its name and its count stay. A second call does nothing. Errors: SPK_ERR_ARGUMENT (none
 * of them). */
SPK_API SPK_MUST_CHECK spk_status spk_live_watch_end_episode(spk_context *context,
                                                             spk_live_watch *watch, uint64_t item);

/* Whether there is an episode of this number that was not ended. */
SPK_API bool spk_live_watch_follows(const spk_live_watch *watch, uint64_t item);

/* Where a watch stands in its stream. */
typedef struct spk_live_place {
    uint64_t spikes;  /* accepted by the stream until here */
    uint64_t segment; /* from 0 */
    uint64_t trial;   /* that it is a part of, from 0 */
    bool has_time;    /* the segment has a spike */
    int64_t time;     /* of its last spike, in ticks; 0 where it has none */
} spk_live_place;

/* Where what is added now begins to count. */
SPK_API spk_live_place spk_live_watch_place(const spk_live_watch *watch);

/* Adds patterns as spk_live_watch_add_episodes does. Each has different items, one at least of lag
 * 0. Errors: also SPK_ERR_ARGUMENT where the watch has no bin, or a lag is beyond its window. */
SPK_API SPK_MUST_CHECK spk_status spk_live_watch_add_patterns(spk_context *context,
                                                              spk_live_watch *watch,
                                                              const spk_recording *labels,
                                                              const spk_pattern_columns *patterns);

/* How many are watched, and the text form of one, valid until more are added; NULL where there is
 * no such item. Items are numbered in the order of adding, episodes and patterns each from 0. */
SPK_API uint64_t spk_live_watch_n_episodes(const spk_live_watch *watch);
SPK_API uint64_t spk_live_watch_n_patterns(const spk_live_watch *watch);
SPK_API const char *spk_live_watch_name(const spk_live_watch *watch, bool is_pattern,
                                        uint64_t item);

/* A counted occurrence; the pointers are valid during the call. Of an episode it is the one that
 * spk_episode_occurrences gives. Of a pattern the times are those of the first spike of each unit
 * in its bin, and it is told when the last of these spikes is there. */
typedef struct spk_live_occurrence {
    bool is_pattern;
    uint64_t item; /* number of the episode, or of the pattern */
    uint32_t size;
    const uint32_t *unit; /* the stream's numbers, by position; of patterns by lag, then unit */
    const int64_t *time;
    const char *name;   /* the text form */
    uint64_t count;     /* of the item, with this one */
    uint64_t segment;   /* in which it lies */
    int64_t arrival_ns; /* of the spike that completed it */
    uint64_t trial;     /* that the segment is a part of, from 0 (spk_live_batch) */
} spk_live_occurrence;

/* Receives occurrences in the order in which they complete. It must not push into the stream. */
typedef spk_status spk_live_occurrence_sink(void *user, const spk_live_occurrence *occurrence);

/* Sets the one sink; NULL: none. */
SPK_API void spk_live_watch_set_sink(spk_live_watch *watch, spk_live_occurrence_sink *sink,
                                     void *user);

/* The counts of all items in all segments: episodes[k] of episode k, patterns[k] of pattern k; NULL
 * where they are not wanted. */
SPK_API void spk_live_watch_counts(const spk_live_watch *watch, uint64_t *episodes,
                                   uint64_t *patterns);

/* The same of the slice (now - window, now] of the stream, where now is the time of the last spike
 * that the stream handed on. Where the time goes back at a border the slice begins there. Episodes:
 * the counts of that slice. Patterns: those of the slice from the first bin that begins in it, so
 * that the bins stay what they are. Time: that of going through the occurrences in the slice. All
 * are 0 without a window. */
SPK_API void spk_live_watch_recent(spk_live_watch *watch, uint64_t *episodes, uint64_t *patterns);

/* Whether it has a window, so that spk_live_watch_recent tells anything. */
SPK_API bool spk_live_watch_has_window(const spk_live_watch *watch);

/* ---- the state file -------------------------------------------------------------------------- */

/* Writes all that stream and watch need to go on as if nothing had happened: counters, spikes that
 * are held back, partial occurrences, counts, recent occurrences. Between two calls of the stream,
 * and before its end, since that hands on what is held back. The file appears under its name when
 * it is complete. It is the same on every machine. Errors: SPK_ERR_ARGUMENT (a stream that has
 * failed, a watch of another stream), SPK_ERR_IO, SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_state_save(spk_context *context,
                                                      const spk_live_stream *stream,
                                                      const spk_live_watch *watch,
                                                      const char *path);

/* Reads it into a stream and a watch that have seen no spike, after all items were added: the same
 * ones in the same calls. The stream goes on within the segment in which the state was saved; units
 * are known by their labels, and may have other numbers than before. Errors: SPK_ERR_ARGUMENT
 * (another rate, list, bin or window; spikes were seen) and SPK_ERR_IO leave both as they were.
 * After SPK_ERR_FORMAT (no such file, another version, cut, damaged), SPK_ERR_RANGE (more units
 * than the stream takes) and SPK_ERR_MEMORY both can only be freed. */
SPK_API SPK_MUST_CHECK spk_status spk_live_state_load(spk_context *context, spk_live_stream *stream,
                                                      spk_live_watch *watch, const char *path);

SPK_END_C

#endif
