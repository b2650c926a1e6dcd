/*
 * cuda-bitmap: a job at work on a machine. It opens the machine's memory, makes the columns of as
 * many roots as fit, and searches their tasks round by round.
 *
 *     for each batch of roots:  columns, plan
 *         rounds:               search, and what it found goes to `take`
 *
 * A round ends when all tasks are done, the output is full, or some time has passed. Tasks that
 * were not finished come first in the next round; those whose branches need more memory have a
 * round of their own, with fewer warps that have more of it each. Tasks with large branches are cut
 * into parts, which the next round takes.
 */
#pragma once

#include "pattern/engine/cuda/machine.h"
#include "pattern/engine/cuda/view.h"
#include "pattern/engine/engine.h"

/* ---- the job --------------------------------------------------------------------------------- */

/* A job on the host, ready to be sent to a machine: the arrays of a view, and the view that leads
 * to them. The rest of the view, which belongs to the machine, is zero. */
typedef struct cp_job {
    cp_view view;
    const spk_window_columns *windows;
    uint64_t n_bits; /* words of the table */
    uint64_t n_root_windows;
    uint32_t n_always;     /* items in every window; around spikes, their units */
    bool always_first;     /* one of them has lag 0: what they make is a pattern */
    uint32_t most_windows; /* of a root */
    uint32_t longest;      /* most items of a window */
    uint32_t *bits;
    uint32_t *place; /* by window: where its first bin lies in the table */
    uint32_t *unit_of;
    uint32_t *number_of;
    uint32_t *item;
    uint32_t *root_code;
    uint32_t *root_first;
    uint32_t *root_window;
} cp_job;

/* To be freed after a failure, too. Errors: SPK_ERR_MEMORY,
 * SPK_ERR_UNSUPPORTED (too many units, too long windows). */
spk_status cp_job_create(spk_context *context, const spk_pattern_job *given, cp_aim aim,
                         cp_job *job);
void cp_job_free(cp_job *job);

/* ---- the run --------------------------------------------------------------------------------- */

/* Unfinished tasks. */
typedef struct cp_tasks {
    cp_again *task;
    uint64_t n;
    uint64_t room;
} cp_tasks;

enum { CP_BUFFERS = 24 };

typedef struct cp_run {
    spk_context *context;
    const cp_machine *machine;
    const cp_job *job;
    cp_view view; /* on the machine */
    gpu_buffer buffer[CP_BUFFERS];
    uint32_t n_buffers; /* the first one holds all small arrays */
    uint64_t shared;    /* bytes of it that are in use */
    uint64_t memory;    /* bytes that the job may take */
    uint32_t n_warps;
    uint64_t arena_total; /* words of all arenas together */
    cp_state state;       /* after the last round */
    uint64_t n_dropped;   /* of all rounds */
    uint64_t n_raised;
    cp_tasks again; /* of the batch */
    cp_tasks large;
    uint32_t n_large_warps;
    cp_split *split; /* tasks in parts, while view.n_splits is not 0 */
    uint64_t split_room;
    uint64_t part; /* the first part that was not begun */
    uint64_t n_parts;
} cp_run;

/* What the last round brought, as CP_OUT_BITS says. */
static inline uint64_t cp_run_found(const cp_run *run)
{
    const cp_state *state = &run->state;
    return state->out_end < state->out_used ? state->out_end : state->out_used;
}

/* What a round brought: words of patterns in run->view.out. Tasks below `sure` report no more. */
typedef spk_status cp_take(cp_run *run, uint64_t sure, void *user);

/* `memory`: bytes, 0: no limit. Close it in any case. Errors: SPK_ERR_MEMORY, SPK_ERR_DEVICE. */
spk_status cp_run_open(cp_run *run, spk_context *context, const cp_machine *machine,
                       const cp_job *job, uint64_t memory);
void cp_run_close(cp_run *run);

/* An array of the machine; `from` is what is sent to it, or NULL. */
spk_status cp_run_array(cp_run *run, void *out, const void *from, uint64_t n, uint64_t size,
                        const char *what);

/* Searches below all roots, with the view's limits. `take` may be NULL. */
spk_status cp_run_search(cp_run *run, cp_take *take, void *user);
