/*
 * The schedule's inside: chunks of nodes that threads work on, and their output in order. What
 * output.c, look.c, schedule.c and shared.c have in common.
 */
#pragma once

#include <pthread.h>

#include "pattern/engine/bitmap/bitmap.h"

/* ---- branches -------------------------------------------------------------------------------- */

/*
 * Branches of a search that several processes share: where a node is, and which of its extensions
 * nobody has begun. They go from process to process as numbers of 64 bits:
 *
 *     depth, n_chunks; per item: rank, words of its node's mask; the masks; per chunk: begin, end,
 *     cost
 *
 * The items are those that lead to the node, the root first. The mask of a node has a bit for each
 * of its items that is alive, so that whoever goes there need not prune again.
 */

/* Numbers that grow at their end; begins as {0}. */
typedef struct spk_bitmap_words {
    uint64_t *word;
    uint64_t n;
    uint64_t capacity;
} spk_bitmap_words;

/* Into the numbers, which must stay. */
typedef struct spk_bitmap_branch {
    uint32_t depth;
    uint32_t n_chunks;
    const uint64_t *item;  /* rank and words, by item */
    const uint64_t *alive; /* the masks, one behind the other */
    const uint64_t *chunk; /* begin, end and cost, by chunk */
} spk_bitmap_branch;

typedef struct spk_bitmap_branches {
    uint64_t n;
    uint64_t capacity;
    spk_bitmap_branch *branch;
} spk_bitmap_branches;

static inline uint32_t spk_bitmap_branch_rank(const spk_bitmap_branch *branch, uint32_t k)
{
    return (uint32_t)branch->item[2 * (uint64_t)k];
}

/* Appends a branch without chunks: that of `base`, then one item for each level, and `node` at the
 * end. *at is where its chunks are counted. Errors: SPK_ERR_MEMORY. */
spk_status spk_bitmap_branch_open(spk_context *context, spk_bitmap_words *words,
                                  const spk_bitmap_branch *base, const spk_bitmap_level *level,
                                  uint32_t n_levels, const spk_bitmap_node *node, uint64_t *at);
/* Appends a chunk to the branch that was opened last. */
spk_status spk_bitmap_branch_add(spk_context *context, spk_bitmap_words *words, uint64_t at,
                                 uint64_t begin, uint64_t end, uint64_t cost);

/* Finds the branches among n numbers. Errors: SPK_ERR_MEMORY, SPK_ERR_INTERNAL (they make no
 * sense). */
spk_status spk_bitmap_branches_read(spk_context *context, const uint64_t *word, uint64_t n,
                                    const spk_bitmap_job *job, spk_bitmap_branches *out);
void spk_bitmap_branches_free(spk_bitmap_branches *branches);

/* ---- the schedule ---------------------------------------------------------------------------- */

/* Pairs of items that make a chunk worth handing out. */
#define SPK_BITMAP_CHUNK_PAIRS 20000u

struct spk_bitmap_chunk {
    uint32_t begin; /* extensions of the node */
    uint32_t end;
    uint64_t cost; /* pairs of items that its children will look at */
    bool finished;
    spk_bitmap_block *blocks; /* full ones, oldest first */
    spk_bitmap_block **blocks_end;
};

/* A node in work, mostly that of a root. Its memory is that of the search that prepared it, moved
 * here. */
typedef struct spk_bitmap_work {
    bool prepared;
    uint32_t n_chunks;
    uint32_t next_chunk;  /* to hand out */
    uint32_t first_chunk; /* first in line to leave */
    spk_bitmap_chunk *chunk;
    spk_bitmap_node *node;
    spk_arena arena;
    uint32_t size; /* of the pattern that the node extends */
    uint64_t *key;
    uint32_t *unit;
    const spk_bitmap_branch *branch; /* where it is, with a share */
    uint32_t *path;                  /* ranks of its items, and room for one more */
} spk_bitmap_work;

struct spk_bitmap_schedule {
    spk_context *context;
    const spk_bitmap_job *job;
    const spk_bitmap_kernels *kernels;
    spk_pattern_sink *sink;
    void *user;
    /* Takes the next node and makes its chunks. Entered and left with the lock. */
    void (*prepare)(spk_bitmap_schedule *schedule, spk_bitmap_search *search);
    uint32_t team;      /* threads that were asked for */
    uint32_t n_threads; /* that have begun to work: fewer may come */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t next_root;  /* to prepare; with a share, a piece among those of this process */
    uint32_t first_root; /* first in line to leave; roots first .. next - 1 are in slots */
    uint32_t n_roots;    /* with a share UINT32_MAX until no piece is left to take */
    uint32_t n_slots;
    spk_bitmap_work *slot;  /* of root r: slot[r % n_slots] */
    uint64_t buffered;      /* bytes */
    spk_bitmap_chunk ready; /* blocks that need not wait for others, where no order was asked for */
    uint32_t waiting;
    bool draining;
    bool stop; /* read without the lock through stopped */
    int stopped;
    spk_status status;
    spk_bitmap_block *spare;
    uint32_t n_spare;
    /* With a share; see shared.c. */
    const spk_pattern_share *share; /* NULL: all roots are this process's */
    const spk_bitmap_branches *branches;
    const spk_bitmap_pieces *pieces;
    int cutting; /* read without the lock: all threads leave what they have not begun */
    spk_bitmap_words left;
    uint64_t done;     /* nodes, and windows that hold them, in all rounds */
    uint64_t interval; /* how much more of it before a thread asks whether others wait */
};

/* ---- output.c -------------------------------------------------------------------------------- */

/* Under the lock, all of them. */

/* Ends the work of all threads. */
void spk_bitmap_stop(spk_bitmap_schedule *schedule, spk_status status);
void spk_bitmap_work_free(spk_bitmap_work *work);
static inline spk_bitmap_work *spk_bitmap_slot(spk_bitmap_schedule *schedule, uint32_t root)
{
    return &schedule->slot[root % schedule->n_slots];
}
/* Hands everything that is first in line to the sink; one thread at a time, without the lock. */
void spk_bitmap_drain(spk_bitmap_schedule *schedule);
/* Before that, without the lock: makes bytes of what the search has, where they are wanted. */
void spk_bitmap_make_bytes(spk_bitmap_search *search);
/* Adds what a search has in its block to a chunk that ends. */
void spk_bitmap_chunk_end(spk_bitmap_schedule *schedule, spk_bitmap_chunk *chunk,
                          spk_bitmap_search *search);
/* Hands a block to the sink at once, as what stands at this place; without the lock, too. */
spk_status spk_bitmap_block_leave(spk_bitmap_schedule *schedule, const uint32_t *path, uint32_t n,
                                  const spk_bitmap_block *block);
void spk_bitmap_blocks_free(spk_bitmap_block *block);

/* Also for the context's message. A search that could not be made may be freed. */
spk_status spk_bitmap_search_create(spk_bitmap_schedule *schedule, spk_bitmap_search *search);
void spk_bitmap_search_free(spk_bitmap_search *search);

/* The pattern of the items that are in every window. */
spk_status spk_bitmap_report_always(spk_bitmap_schedule *schedule);

/* Why a search could not go on: a cancel, or no memory. */
spk_status spk_bitmap_failure(const spk_bitmap_schedule *schedule, const spk_bitmap_search *search);

/* Stops the schedule where a search has failed or was cancelled. */
void spk_bitmap_check_search(spk_bitmap_schedule *schedule, const spk_bitmap_search *search);

/* ---- look.c ---------------------------------------------------------------------------------- */

/* Under the lock: tells the share what the search has done since it was told last. */
void spk_bitmap_tell_work(spk_bitmap_schedule *schedule, spk_bitmap_search *search);

/* Under the lock: leaves the chunks of a node that nobody has begun to whoever takes them. */
void spk_bitmap_leave_chunks(spk_bitmap_schedule *schedule, spk_bitmap_work *work);

/* ---- schedule.c ------------------------------------------------------------------------------ */

/* Threads, slots for the nodes in work, a lock. Also one that could not be opened is closed. */
spk_status spk_bitmap_schedule_open(spk_bitmap_schedule *schedule);
void spk_bitmap_schedule_close(spk_bitmap_schedule *schedule);

/* Runs all threads until no node is left to prepare and all have left. */
spk_status spk_bitmap_schedule_run(spk_bitmap_schedule *schedule);

/* Runs a function in each thread; `first` in one of them. */
void spk_bitmap_team_run(spk_bitmap_schedule *schedule,
                         void (*run)(spk_bitmap_schedule *schedule, bool first));

/* Makes the root's node in memory of its own, and adds its closure to the pattern of the search.
 * Cuts its extensions into chunks by the pairs that their children will look at. The first chunk
 * stays empty. False: no memory. */
bool spk_bitmap_make_root(spk_bitmap_schedule *schedule, spk_bitmap_search *search, uint32_t root,
                          spk_bitmap_work *work, bool *valid);
void spk_bitmap_emit_root(spk_bitmap_search *search, uint32_t root);

/* Copies the pattern that is in the search, for the threads that will go on from it. */
bool spk_bitmap_keep_pattern(const spk_bitmap_search *search, spk_bitmap_work *work);

/* Under the lock: the node in work is ready; not good: the search failed to make it. */
void spk_bitmap_prepared(spk_bitmap_schedule *schedule, const spk_bitmap_search *search,
                         spk_bitmap_work *work, bool good);
