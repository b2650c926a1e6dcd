/* The inside of a watch, for the state file and tests. */
#ifndef SPK_LIVE_WATCH_H
#define SPK_LIVE_WATCH_H

#include "live/watch_patterns.h"
#include "live/watch_trie.h"

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

#endif
