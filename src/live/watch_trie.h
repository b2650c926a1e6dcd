/*
 * Episodes as a tree of their common beginnings. A node is a beginning, its units and intervals; it
 * has a queue for each interval that follows it, and an end where a watched episode ends there.
 * Equal episodes share their end.
 */
#ifndef SPK_LIVE_WATCH_TRIE_H
#define SPK_LIVE_WATCH_TRIE_H

#include "episode/engine/engine.h"
#include "live/watch_queue.h"
#include "live/watch_recent.h"

#define WATCH_NONE UINT32_MAX

typedef struct watch_node {
    uint32_t parent; /* WATCH_NONE: the first position */
    uint32_t delay;  /* number of the interval before it; of a first position the generation */
    uint32_t unit;
    uint32_t depth;       /* positions up to here */
    uint32_t from;        /* queue of the parent that a spike here continues; WATCH_NONE: none */
    uint32_t first_queue; /* its own; WATCH_NONE: none */
    uint32_t end;         /* WATCH_NONE: no episode ends here */
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

/* Lays out the steps, for units below n_units. */
spk_status watch_trie_lay_out(spk_context *context, watch_trie *trie, uint32_t n_units);

#endif
