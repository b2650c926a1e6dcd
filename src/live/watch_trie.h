/*
 * Episodes as a tree of their common beginnings. A node is a beginning, its units and intervals; it
 * has a queue for each interval that follows it, and an end where a watched episode ends there.
 * Equal episodes share their end.
 */
#ifndef SPK_LIVE_WATCH_TRIE_H
#define SPK_LIVE_WATCH_TRIE_H

#include "base/stage.h"
#include "episode/engine/engine.h"
#include "live/watch_recent.h"
#include "recording/labels.h"
#include "spikemine/live.h"

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

#endif
