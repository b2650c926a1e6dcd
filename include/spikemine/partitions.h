/*
 * Partitions: a live stream, mined stretch by stretch while it runs.
 *
 * Partition j is the stretch [j step, j step + length) of the stream's clock; partitions overlap
 * where the step is shorter than the length. Each one is mined completely, and its result is what
 * mining this slice of the recorded stream gives: the same episodes, counts and order.
 *
 *     step 5 s, length 15 s:   0    5    10   15   20   25   30
 *     partition 0              |--------------|
 *     partition 1                   |--------------|
 *     partition 2                        |--------------|
 *
 *     status = spk_partitions_create(context, stream, &options, &partitions);
 *     ...
 *     status = spk_live_stream_push(context, stream, n, time, unit, NULL);
 *     while ((status = spk_partitions_take(context, partitions, 0, &result)) == SPK_OK && result)
 *         use(result);
 *
 * Bounds are exact: a partition starts with the first tick that does not lie before j step, and its
 * support, where that is a share, is one of its own events. A partition is due when a spike comes
 * that lies behind it, or when the source says that the recording was observed to there. The first
 * partition of a stream is the one whose step holds the first spike. When the input ends, the first
 * partition that was not due yet is mined too, if it has a spike; its state is SPK_PARTITION_CUT.
 *
 * Borders: no occurrence crosses the border between two segments within a partition. Where times go
 * back at a border, or the new segment begins before the end of the one before, the series of
 * partitions ends as at the end of the input, and a new one begins. A segment without known bounds
 * reaches from its first spike to behind its last one. The first one of a series has no start then,
 * and the last one no stop.
 *
 * Silence: a partition without spikes has a result without episodes, once. Those that follow it up
 * to the next spike are passed over and counted.
 *
 * Mining takes time. Up to `backlog` partitions wait for it. When one more is due, the oldest of
 * them is skipped: its result has no episodes, the state SPK_PARTITION_SKIPPED, and the reason with
 * what to change. Skipped is also what does not fit into the context's memory limit, and what a
 * cancel of the context meets. Nothing else changes by itself. Two options change something, and
 * say so in each result:
 *   - keep_up: the support of a partition is multiplied by 2^r. r begins with 0. It grows by one
 *     before a partition when others were skipped since the last one, or when as many wait as half
 *     the backlog, at least one. It falls by one when four partitions in a row ended with none
 *     waiting. Each time that it grows again after a fall the four double, up to 64.
 *   - wait: nothing is skipped. The stream's functions return when there is room again; for input
 *     that can wait, such as a file.
 */
#ifndef SPIKEMINE_PARTITIONS_H
#define SPIKEMINE_PARTITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/episode.h"
#include "spikemine/live.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* Most partitions that may wait. */
#define SPK_PARTITIONS_MAX_BACKLOG 1024u

/* Threads: the stream's functions, which hand spikes over, and spk_partitions_take belong to one
 * thread; with a worker each of the two may have its own. spk_partitions_totals may be called from
 * any thread. */
typedef struct spk_partitions spk_partitions;

/* Initialise with spk_partitions_options_init; everything is copied. */
typedef struct spk_partitions_options {
    size_t struct_size;  /* set by spk_partitions_options_init */
    spk_duration length; /* of a partition, at least one tick; 60 s */
    spk_duration step;   /* from the start of one to that of the next, at least one tick; 5 s */
    const spk_episode_options *episodes; /* what is searched, and by which engine; no default */
    const char *support_text;            /* "0.2%" of each partition's events, or a count, as for
                                            spk_episode_support_parse; NULL: episodes->support */
    bool exact_test;                     /* significance (exact.h), where time allows */
    uint32_t surrogates;                 /* of the test; 199 */
    double alpha;                        /* level of the test; 0.05 */
    uint64_t seed;                       /* of the surrogates; 0 */
    spk_duration null_window;            /* the window D of the test; 25 ms */
    bool keep_up;                        /* raises the support when mining falls behind */
    bool worker;      /* mines in a thread of its own; false: within spk_partitions_take */
    uint32_t backlog; /* most partitions that wait, 1 .. SPK_PARTITIONS_MAX_BACKLOG; 4 */
    bool wait;        /* skips nothing; without a worker the stream's functions mine then */
    const char *null; /* the null hypothesis of the test, and its history; as spk_exact_options */
    spk_duration history;
} spk_partitions_options;

/* 60 s each 5 s, a backlog of 4; the episodes are missing. */
SPK_API void spk_partitions_options_init(spk_partitions_options *options, size_t struct_size);

/* Mines the spikes that the stream gets from now on. Units have the labels of the stream. `context`
 * and `stream` must outlive the partitions, and nothing may be pushed after they were freed.
 * Partitions take the context's threads and memory limit as they are now, and nothing of what they
 * do is told by notes or progress. Errors: SPK_ERR_ARGUMENT (options), SPK_ERR_FORMAT (the
 * support), SPK_ERR_RANGE (bounds with too many digits for the stream's rate), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_partitions_create(spk_context *context,
                                                        spk_live_stream *stream,
                                                        const spk_partitions_options *options,
                                                        spk_partitions **out);

/* Frees it, with the last result; mining that still runs is cancelled. NULL is accepted. */
SPK_API void spk_partitions_free(spk_partitions *partitions);

/* ---- results --------------------------------------------------------------------------------- */

typedef enum spk_partition_state {
    SPK_PARTITION_MINED,
    SPK_PARTITION_CUT,    /* mined; the input or the series ended within it */
    SPK_PARTITION_SKIPPED /* not mined */
} spk_partition_state;

/* How an episode's count changed since the partition that was mined before. Counts n and m differ
 * where (n - m)^2 > 4 (n + m): by more than twice what two counts differ by chance. */
typedef enum spk_trend {
    SPK_TREND_NEW, /* it was not frequent there */
    SPK_TREND_GROWING,
    SPK_TREND_STEADY, /* no change but what chance may do */
    SPK_TREND_SHRINKING
} spk_trend;

/* What became of a partition. Filled in by the library; it may grow at its end. Of a skipped one
 * only the fields up to `why`, lag_s and skipped mean something. */
typedef struct spk_partition_result {
    int64_t number;  /* j, below 0 for times before 0 */
    uint64_t series; /* 0, 1, ...: a new one where times went back */
    spk_segment slice;
    uint64_t n_events;
    spk_partition_state state;
    const char *why;  /* why it was skipped or cut; "" otherwise */
    uint32_t n_units; /* known by then, with or without spikes in it */
    uint64_t support;
    bool support_raised; /* by keep_up; asked_support is what was asked for */
    uint64_t asked_support;
    const spk_recording *recording;      /* the slice, for labels and tests; NULL: skipped */
    const spk_episode_columns *episodes; /* in canonical order; NULL: skipped */
    const double *p;                     /* of each episode (exact.h); NULL: not tested */
    const double *expected;              /* mean count by chance; NULL: not tested */
    const char *tested; /* "" where it was; else why not: "not asked for", "2 partitions wait" */
    uint64_t n_significant; /* episodes with p <= alpha */
    const uint8_t *trend;   /* of each episode, a spk_trend */
    const uint64_t
        *before; /* its count in the partition that was mined before, 0 where it is new */
    const spk_episode_columns *vanished; /* frequent in the partition mined before, and not in this
                                            one, with the counts of then; NULL: skipped */
    bool has_before;                     /* there was one before: */
    int64_t before_number;               /* its number */
    uint64_t before_support;             /* and its support */
    double seconds;                      /* that mining and testing took */
    double lag_s;       /* from the arrival of the partition's last spike to the result */
    uint64_t skipped;   /* partitions skipped so far, this one included */
    uint64_t passed;    /* partitions without spikes that were passed over so far */
    const char *engine; /* that mined it; "" where no spike was there to be mined */
    uint64_t waiting;   /* partitions that waited when this one was done */
} spk_partition_result;

/* The next result, in order of series and number, or NULL in *out where none is finished. Without
 * a worker it mines the next partition that waits. With one it waits, at most timeout_ms
 * milliseconds and for any time below 0, for a partition that is due; where none is due it returns
 * at once. After the end of the stream a NULL with a timeout below 0 means that all were taken.
 * The result is valid until the next call. Errors: those of spk_episode_mine, spk_exact_run and
 * spk_exact_test_episodes on the partition, whose result is lost, but for SPK_ERR_MEMORY and
 * SPK_ERR_CANCELLED, which skip it. The next call goes on behind it. */
SPK_API SPK_MUST_CHECK spk_status spk_partitions_take(spk_context *context,
                                                      spk_partitions *partitions, int timeout_ms,
                                                      const spk_partition_result **out);

/* Numbers of partitions so far. Filled in by the library. */
typedef struct spk_partition_totals {
    uint64_t due;   /* all of: */
    uint64_t mined; /* or tried in vain */
    uint64_t skipped;
    uint64_t waiting; /* and being mined */
    uint64_t passed;  /* beside them: without spikes, passed over */
    uint64_t events_held;
    uint32_t raised;      /* the r of keep_up */
    uint64_t failed;      /* of those mined: in vain */
    uint64_t tested;      /* of those mined: against chance */
    uint64_t untimely;    /* of those mined: not tested, since others waited */
    uint64_t interrupted; /* of those skipped: the run was interrupted before they were mined */
    uint64_t rest;        /* of those mined: the end cut them short, and nothing was left to test */
} spk_partition_totals;
SPK_API spk_partition_totals spk_partitions_totals(const spk_partitions *partitions);

SPK_END_C

#endif
