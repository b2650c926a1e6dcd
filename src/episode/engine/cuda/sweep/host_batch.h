/*
 * A block of episodes as a batch of cuda-sweep: runs by row and strip. Inline, so that
 * tests/unit/test_cuda_sweep_arithmetic.c covers it in builds without CUDA too.
 */
#pragma once

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "episode/engine/cuda/sweep/arithmetic.h"
#include "episode/engine/engine.h"

/* As csweep_batch (level.h), on the host; {0} is empty. */
typedef struct host_batch {
    uint64_t n_runs;
    uint64_t n_candidates;
    uint32_t *first;  /* rows + 1 */
    uint32_t *prefix; /* per run, also those below */
    uint32_t *strip;
    uint32_t *mask;
    uint32_t *candidate; /* + 1 */
    uint32_t *slot;      /* per episode: which of the counts is its */
} host_batch;

static inline void host_batch_free(host_batch *batch)
{
    free(batch->first);
    free(batch->prefix);
    free(batch->strip);
    free(batch->mask);
    free(batch->candidate);
    free(batch->slot);
    *batch = (host_batch){.n_runs = 0};
}

static inline spk_status host_batch_alloc(spk_context *context, uint64_t n_rows,
                                          uint64_t n_episodes, host_batch *batch)
{
    uint32_t **columns[] = {&batch->prefix, &batch->strip, &batch->mask, &batch->candidate,
                            &batch->slot};
    spk_status status = spk_alloc_zero(context, &batch->first, n_rows + 1, "candidates");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0] && status == SPK_OK; c++)
        status = spk_alloc(context, columns[c], n_episodes + 1, "candidates");
    return status;
}

/* The strip that counts episode k: of its last unit and interval. */
static inline uint32_t host_batch_strip(const spk_episode_block *block, const csweep_view *view,
                                        uint64_t k)
{
    uint64_t last = (k + 1) * block->size - 1;
    return block->delay[last] * view->n_tiles + block->unit[last] / CSWEEP_LANES;
}

/* Whether episode k is of another run than the one before it. */
static inline bool host_batch_begins_run(const spk_episode_block *block, const csweep_view *view,
                                         const uint32_t *row, uint64_t from, uint64_t k)
{
    return k == from || row[k] != row[k - 1] ||
           host_batch_strip(block, view, k) != host_batch_strip(block, view, k - 1);
}

/* Where the runs of each row begin, in first[0 .. n_rows]. */
static inline void host_batch_count_runs(const spk_episode_block *block, const csweep_view *view,
                                         const uint32_t *row, uint64_t from, uint64_t to,
                                         uint64_t begin, uint64_t n_rows, host_batch *b)
{
    for (uint64_t k = from; k < to; k++)
        assert(row[k] >= begin && row[k] - begin < n_rows);
    for (uint64_t k = from; k < to; k++)
        b->first[row[k] - begin + 1] += host_batch_begins_run(block, view, row, from, k);
    for (uint64_t r = 0; r < n_rows; r++)
        b->first[r + 1] += b->first[r];
    b->n_runs = b->first[n_rows];
}

/* Episodes [from, to) of the block, whose prefixes are the rows [begin, begin + n_rows), as runs by
 * row, whatever the order of the episodes; equal ones share a count. */
static inline void host_batch_fill(const spk_episode_block *block, const csweep_view *view,
                                   const uint32_t *row, uint64_t from, uint64_t to, uint64_t begin,
                                   uint64_t n_rows, host_batch *b)
{
    const uint32_t *unit = block->unit + block->size - 1; /* the last of each episode */
    host_batch_count_runs(block, view, row, from, to, begin, n_rows, b);
    uint32_t run = 0;
    for (uint64_t k = from; k < to; k++) {
        if (host_batch_begins_run(block, view, row, from, k)) {
            run = b->first[row[k] - begin]++; /* put right below */
            b->prefix[run] = row[k];
            b->strip[run] = host_batch_strip(block, view, k);
            b->mask[run] = 0;
        }
        b->mask[run] |= 1u << unit[k * block->size] % CSWEEP_LANES;
        b->slot[k - from] = run;
    }
    for (uint64_t r = n_rows; r > 0; r--)
        b->first[r] = b->first[r - 1];
    b->first[0] = 0;
    b->candidate[0] = 0;
    for (uint64_t r = 0; r < b->n_runs; r++)
        b->candidate[r + 1] = b->candidate[r] + csweep_popcount(b->mask[r]);
    b->n_candidates = b->candidate[b->n_runs];
    assert(b->n_runs <= to - from && b->n_candidates <= to - from);
    for (uint64_t k = from; k < to; k++) { /* from runs to counts */
        uint32_t below = (1u << unit[k * block->size] % CSWEEP_LANES) - 1;
        run = b->slot[k - from];
        b->slot[k - from] = b->candidate[run] + csweep_popcount(b->mask[run] & below);
    }
}
