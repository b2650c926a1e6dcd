/* The inside of a watch, for the state file and tests. */
#pragma once

#include "base/stage.h"
#include "episode/engine/engine.h"
#include "recording/bin_grid.h"
#include "recording/labels.h"
#include "spikemine/live.h"

/* ---- recent counts --------------------------------------------------------------------------- */

/*
 * Occurrences of the last stretch of time, from which the count of that stretch is found: those of
 * which no other one lies within. In order of their ends their starts rise, too, so that those of a
 * later stretch are the last ones.
 */

typedef struct watch_span {
    int64_t start;
    int64_t end;
    uint64_t segment;
} watch_span;

/* The stretch (now - window, now], of the segments from `since` on. */
typedef struct watch_window {
    uint64_t ticks; /* a time t is inside when now - t < ticks; 0: there is no window */
    uint64_t since;
    int64_t now;
} watch_window;

/* Begins zeroed. */
typedef struct watch_recent {
    watch_span *span;  /* a ring */
    uint64_t capacity; /* a power of two, or 0 */
    uint64_t first;
    uint64_t n;
} watch_recent;

void watch_recent_clear(watch_recent *recent);

static inline watch_span *watch_recent_at(const watch_recent *recent, uint64_t k)
{
    return &recent->span[(recent->first + k) & (recent->capacity - 1)];
}

/* Takes an occurrence that ends now. One with an earlier one within is left out. The holding has
 * the bytes of all rings. */
spk_status watch_recent_add(spk_context *context, spk_holding *holding, watch_recent *recent,
                            const watch_window *window, watch_span span);

/* The largest number of occurrences inside the window of which no two overlap. */
uint64_t watch_recent_count(watch_recent *recent, const watch_window *window);

/* The number of occurrences inside the window. */
uint64_t watch_recent_n(watch_recent *recent, const watch_window *window);

/* ---- patterns -------------------------------------------------------------------------------- */

/*
 * Patterns followed bin by bin. Each unit of a pattern has a ring of bits, one a bin, and the times
 * of its first spikes in these bins. A pattern with the largest lag D is complete in bin b when all
 * its units have fired in their bins from b - D on. Only a spike of a unit with that largest lag
 * can complete it, and only its first one in the bin: so each occurrence is found once, by the last
 * of its spikes.
 */

typedef struct watch_fired {
    uint64_t bin;
    int64_t time; /* of the first spike there */
} watch_fired;

/* The spikes of a unit. */
typedef struct watch_train {
    uint64_t segment;   /* to which all of it belongs, its number + 1 */
    uint64_t last;      /* bin */
    watch_fired *fired; /* a ring: the bins that the bits stand for */
    uint32_t first;
    uint32_t n;
    uint32_t capacity; /* a power of two, or 0 */
} watch_train;

typedef struct watch_item {
    uint32_t train;
    uint32_t lag;
} watch_item;

typedef struct watch_pattern {
    uint64_t first_item; /* by lag, then in the order of the labels */
    uint32_t size;
    uint32_t duration;
    uint64_t count;
    uint64_t since_segment; /* windows of this segment (its number + 1) up to since_bin are older */
    uint64_t since_bin;     /* than the pattern */
    watch_recent recent;    /* first ticks of windows */
} watch_pattern;

/* Begins zeroed but for rate and width. Threads: one at a time. */
typedef struct watch_patterns {
    spk_rate rate;
    spk_bin_width width; /* of a bin; numerator 0: there is none */
    uint64_t n_patterns, pattern_capacity;
    watch_pattern *pattern;
    uint64_t n_items, item_capacity;
    watch_item *item;
    uint64_t n_trains, train_capacity;
    watch_train *train;
    uint32_t *train_unit; /* by train: unit of the watch */
    uint64_t train_unit_capacity;
    uint32_t *train_of; /* by unit of the watch: UINT32_MAX: in no pattern */
    uint64_t n_units, unit_capacity;

    bool laid_out;
    spk_holding holding;  /* of trains, and recent occurrences */
    uint64_t n_bits;      /* of a train: a power of two, 64 at least, above all lags */
    uint64_t *bits;       /* by train, n_bits / 64 words each */
    uint64_t *first_last; /* train k is last in the patterns last[first_last[k]] .. */
    uint32_t *last;

    spk_bin_grid grid; /* of the segment */
    bool has_grid;
    uint64_t segment;  /* number + 1 */
    uint64_t bin;      /* of the last spike */
    int64_t next_tick; /* of the bin after it; or the last spike's time where it is not known */
} watch_patterns;

void watch_patterns_clear(watch_patterns *patterns);

/* Adds a pattern of units of the watch; items by lag. */
spk_status watch_patterns_add(spk_context *context, watch_patterns *patterns, uint32_t size,
                              const uint32_t *unit, const uint32_t *lag);

/* Makes the tables for what was added, keeping the spikes that are there. */
spk_status watch_patterns_lay_out(spk_context *context, watch_patterns *patterns);

/* Bins count anew. */
void watch_patterns_begin_segment(watch_patterns *patterns, uint64_t segment);

/* Lays the bins of a segment: from its start where it is known, else from the time of its first
 * spike. Errors: SPK_ERR_RANGE. */
spk_status watch_patterns_make_grid(spk_context *context, watch_patterns *patterns,
                                    const spk_duration *start, int64_t time);

/* Moves on to the time of a spike of any unit; `start` is that of the segment where it is known. */
spk_status watch_patterns_move(spk_context *context, watch_patterns *patterns,
                               const spk_duration *start, int64_t time);

/* Takes a spike of train `number` in the bin to which was moved. *is_first: it is the
 * train's first one there. */
spk_status watch_patterns_fire(spk_context *context, watch_patterns *patterns, uint32_t number,
                               int64_t time, bool *is_first);

/* Whether a pattern is complete in the bin to which was moved. */
bool watch_patterns_complete(const watch_patterns *patterns, const watch_pattern *pattern);

/* The times of its spikes then, and the first tick of its window. */
void watch_patterns_times(const watch_patterns *patterns, const watch_pattern *pattern,
                          int64_t *time);
int64_t watch_patterns_first_tick(const watch_patterns *patterns, const watch_pattern *pattern);

/* ---- episodes as a trie ---------------------------------------------------------------------- */

/*
 * Episodes as a tree of their common beginnings. A node is a beginning, its units and intervals; it
 * has a queue for each interval that follows it, and an end where a watched episode ends there.
 * Equal episodes share their end.
 */

/* ---- units ----------------------------------------------------------------------------------- */

/* The units of a watch: those of its episodes and patterns, numbered by themselves, since the
 * stream may meet them later, or never. */

/* Begins zeroed. */
typedef struct watch_units {
    spk_labels labels;
    uint32_t *stream_unit; /* by unit of the watch; UINT32_MAX: not met yet */
    uint64_t stream_unit_capacity;
    uint32_t *own; /* by unit of the stream; UINT32_MAX: not watched */
    uint64_t own_capacity;
    spk_holding holding; /* own */
    uint32_t n_met;      /* units of the stream that have been looked up */
} watch_units;

void watch_units_clear(watch_units *units);

/* The number of a label, a new one where it is new. */
spk_status watch_units_number(spk_context *context, watch_units *units, const char *label,
                              uint32_t *number);

/* Looks up the units of the stream that are new. */
spk_status watch_units_meet(spk_context *context, watch_units *units,
                            const spk_live_stream *stream);

/* ---- queues ---------------------------------------------------------------------------------- */

/*
 * Where partial occurrences end that a next spike may continue.
 *
 * A queue belongs to a beginning of episodes and to one delay interval (lo, hi] that follows it. An
 * entry is a chain: the times of all positions, of which the last one is where it ends. Ends rise.
 * Spikes come in order, so that the newest chain that ends more than lo before now never goes back:
 * all before it are useless, and are dropped.
 *
 *     ends:    3    9   14   18      now 20, (5,10]
 *                   |    \
 *                dropped  first: 20 - 14 = 6 is admitted; 18 may be used later
 */

/* Begins zeroed but for lo, hi, depth and next. */
typedef struct watch_queue {
    uint64_t lo; /* in ticks */
    uint64_t hi;
    int64_t *chain;   /* a ring of `capacity` chains of `depth` times each */
    int64_t newest;   /* end of the last chain */
    uint64_t segment; /* to which the chains belong, its number + 1 */
    uint32_t first;
    uint32_t n;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t depth;
    uint32_t next; /* queue of the same beginning, for another interval */
} watch_queue;

static inline int64_t *watch_queue_at(const watch_queue *queue, uint32_t k)
{
    uint64_t slot = (queue->first + k) & (queue->capacity - 1);
    return queue->chain + slot * queue->depth;
}

static inline int64_t watch_queue_end(const watch_queue *queue, uint32_t k)
{
    return watch_queue_at(queue, k)[queue->depth - 1];
}

/* Drops what no spike from `time` on can use; how many. */
static inline uint32_t watch_queue_drop(watch_queue *queue, int64_t time)
{
    uint32_t dropped = 0;
    while (queue->n - dropped > 1 &&
           (uint64_t)time - (uint64_t)watch_queue_end(queue, dropped + 1) > queue->lo)
        dropped++;
    queue->first = (queue->first + dropped) & (queue->capacity - 1);
    queue->n -= dropped;
    return dropped;
}

/* The chain that a spike at `time` continues, NULL where there is none: the one that ends last, of
 * those within the interval. *dropped grows by what was dropped on the way. */
static inline const int64_t *watch_queue_find(watch_queue *queue, uint64_t segment, int64_t time,
                                              uint64_t *dropped)
{
    if (queue->segment != segment || queue->n == 0 ||
        (uint64_t)time - (uint64_t)queue->newest > queue->hi)
        return NULL;
    *dropped += watch_queue_drop(queue, time);
    uint64_t distance = (uint64_t)time - (uint64_t)watch_queue_end(queue, 0);
    return distance > queue->lo && distance <= queue->hi ? watch_queue_at(queue, 0) : NULL;
}

/* Appends the chain `before`, of depth - 1 times, continued by `time`; the holding has the bytes of
 * all rings. */
spk_status watch_queue_push(spk_context *context, spk_holding *holding, watch_queue *queue,
                            uint64_t segment, const int64_t *before, int64_t time);

#define WATCH_NONE UINT32_MAX

typedef struct watch_node {
    uint32_t parent; /* WATCH_NONE: the first position */
    uint32_t delay;  /* number of the interval before it; of a first position the generation */
    uint32_t unit;
    uint32_t depth;       /* positions up to here */
    uint32_t from;        /* queue of the parent that a spike here continues; WATCH_NONE: none */
    uint32_t first_queue; /* its own; WATCH_NONE: none */
    uint32_t end;         /* WATCH_NONE: no episode ends here */
    bool over;            /* no spike is taken here any more */
} watch_node;

/* What a spike does at a node. */
typedef struct watch_step {
    uint32_t from;
    uint32_t first_queue;
    uint32_t end;
} watch_step;

/* The end of one or more equal episodes. */
typedef struct watch_end {
    uint64_t count;
    int64_t last_end; /* of the last occurrence that counted */
    uint64_t segment; /* in which it lies, its number + 1 */
    uint32_t size;
    uint32_t first_item; /* WATCH_NONE before one is added */
    uint32_t last_item;
    watch_recent recent;
} watch_end;

typedef struct watch_episode {
    uint32_t end;
    uint32_t next;       /* equal episode; WATCH_NONE: none */
    uint64_t first_unit; /* of its positions, in `unit` */
    bool over;           /* it is followed no more */
} watch_episode;

/* Begins zeroed. Threads: one at a time. */
typedef struct watch_trie {
    uint64_t n_nodes, node_capacity;
    watch_node *node;
    uint64_t n_slots; /* of the hash of nodes: number + 1, 0 empty; at most half full */
    uint32_t *slot;
    uint64_t n_queues, queue_capacity;
    watch_queue *queue;
    uint64_t n_ends, end_capacity;
    watch_end *end;
    uint64_t n_episodes, episode_capacity;
    watch_episode *episode;
    uint64_t n_units, unit_capacity;
    uint32_t *unit; /* by position of all episodes: numbers of the watch */
    uint64_t n_delays, delay_capacity;
    spk_tick_delay *delay;
    uint32_t generation;

    uint32_t n_first;     /* units with steps */
    uint32_t *first_step; /* unit u has the steps first_step[u] .. first_step[u + 1] - 1 */
    watch_step *step;
    spk_holding holding; /* chains of queues, recent occurrences */
    uint64_t n_stepped;  /* nodes that have steps; fewer than all: they are to be laid out */
} watch_trie;

void watch_trie_clear(watch_trie *trie);

/* The number of an interval. */
spk_status watch_trie_delay(spk_context *context, watch_trie *trie, spk_tick_delay delay,
                            uint32_t *number);

/* Adds an episode: delay[p] leads to position p >= 1. */
spk_status watch_trie_add(spk_context *context, watch_trie *trie, uint32_t size,
                          const uint32_t *unit, const uint32_t *delay);

/* What is added from now on shares no beginning with what is there. */
void watch_trie_begin_generation(watch_trie *trie);

/* Follows an episode no more, and frees its partial occurrences; it was the only one of its
 * generation. */
void watch_trie_stop(spk_context *context, watch_trie *trie, uint64_t item);

/* Lays out the steps, for units below n_units. */
spk_status watch_trie_lay_out(spk_context *context, watch_trie *trie, uint32_t n_units);

/* The text forms of items. */
typedef struct watch_names {
    char *bytes;
    uint64_t n_bytes, capacity;
    uint64_t *first; /* by item */
    uint64_t n, first_capacity;
} watch_names;

/* How many of each come first, and are in a state. */
typedef struct watch_extent {
    uint64_t nodes, queues, ends, episodes, name_bytes;
} watch_extent;

struct spk_live_watch {
    spk_live_watch_options options;
    spk_live_stream *stream; /* borrowed */
    spk_rate rate;
    watch_units units;
    watch_trie trie;
    watch_patterns patterns;
    watch_names episode_names;
    watch_names pattern_names;
    spk_live_occurrence_sink *sink;
    void *sink_user;

    bool has_passing; /* episodes that are followed for a while, behind `kept` */
    watch_extent kept;
    bool running;     /* a spike has come since the last generation of episodes began */
    uint64_t segment; /* number + 1; 0: none has begun */
    uint64_t trial;   /* of which it is a part */
    bool has_start;
    spk_duration start;
    bool first_spike; /* the next spike is the segment's first one */
    watch_window window;
    uint64_t touched; /* nodes, entries of queues, and patterns looked at */

    uint32_t *out_unit; /* of an occurrence */
    int64_t *out_time;
    uint64_t out_capacity;
};

/* What a state has of the watch. */
watch_extent watch_kept(const spk_live_watch *watch);

/* A spk_live_batch_sink; `user` is a spk_live_watch. */
spk_status watch_take_batch(void *user, const spk_live_batch *batch);
