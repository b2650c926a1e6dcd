/*
 * A task: one prefix with all units and intervals that may continue it. Its life: begin (which
 * strips, which lanes), advance through one or several stretches of the recording, finish (hand
 * out the counts).
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_TASK_H
#define SPK_EPISODE_ENGINE_SWEEP_TASK_H

#include "episode/engine/sweep/kernel.h"
#include "episode/engine/sweep/lists.h"
#include "episode/engine/sweep/table.h"

typedef struct sweep_strip {
    uint32_t id;         /* its number */
    uint32_t candidates; /* bit per lane */
    bool alive;          /* some candidate can still reach the support */
    uint64_t total[SWEEP_LANES];
} sweep_strip;

typedef struct sweep_task {
    sweep_list list;    /* of the prefix */
    bool goes_on;       /* the list is that of one window, others follow */
    bool begun;         /* an end has been gone over, whose start is `before` */
    bool dead;          /* no candidate can reach the support any more */
    uint32_t before;    /* rank */
    uint64_t at;        /* next end to go over */
    uint64_t undrained; /* steps since the counts were added to the totals */
    uint64_t unpruned;  /* steps since the last look at what can still reach the support */
    uint32_t n_strips;
    uint32_t strip_capacity;
    sweep_strip *strip;
    void *lanes; /* n_strips sweep_narrow or sweep_wide, 64-byte aligned */
    /* Greedy count of the prefix itself: all of it, and what lies before `at`. */
    uint64_t prefix_count;
    uint64_t taken;
    uint32_t last_end; /* rank, of the last one taken */
} sweep_task;

/* What tasks of one block share. */
typedef struct sweep_shared {
    const spk_context *watch; /* a cancel of it ends the counting */
    const sweep_index *index;
    const spk_episode_block *block;
    sweep_kernels kernels;
    bool wide;
    const bool *active;  /* per strip: counted in this pass; candidates of others are left alone */
    uint64_t *free_from; /* per candidate, as spk_episode_engine.resume has it; only SWEEP_SCAN
                            heeds it. NULL: the block is counted from the beginning */
} sweep_shared;

/* Prepares a task for the candidates [first, last) of the block, whose common prefix has the list
 * task->list; goes_on: its lists come later, window by window. Memory of an earlier life is used
 * again. */
spk_status sweep_task_begin(const sweep_shared *shared, uint64_t first, uint64_t last, bool goes_on,
                            sweep_task *task);

/* Bytes that a task of n_candidates candidates takes beside its list. */
uint64_t sweep_task_bytes(const sweep_shared *shared, uint64_t n_candidates);

/* Goes over all ends of task->list, the next window's; the rows of the prefix's last unit are at
 * place + row_shift. */
void sweep_task_window(const sweep_shared *shared, const sweep_table *table, uint64_t row_shift,
                       sweep_task *task);

/* Goes over the ends that the table covers. */
void sweep_task_advance(const sweep_shared *shared, const sweep_table *table, sweep_task *task);

/* Writes the counts of the candidates in [first, last) whose strip is active. */
void sweep_task_finish(const sweep_shared *shared, uint64_t first, uint64_t last, sweep_task *task,
                       uint64_t *counts);

void sweep_task_free(sweep_task *task);

#endif
