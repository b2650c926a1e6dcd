/* Two-pass elimination: what goes from the first pass to the second. */
#include "episode/two_pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

spk_status two_pass_survivors_take(spk_context *context, const spk_episode_block *block,
                                   const uint64_t *bounds, two_pass_survivors *out)
{
    uint32_t size = block->size;
    uint64_t n = 0;
    uint64_t at = 0;
    *out = (two_pass_survivors){.count = NULL};
    for (uint64_t k = 0; k < block->n; k++)
        n += bounds[k] >= block->support;
    spk_status status = spk_alloc_columns(context, "survivors", SPK_COLUMN(&out->unit, n * size),
                                          SPK_COLUMN(&out->delay, n * size),
                                          SPK_COLUMN(&out->row, n), SPK_COLUMN(&out->count, n));
    for (uint64_t k = 0; k < block->n && status == SPK_OK; k++) {
        if (bounds[k] < block->support)
            continue;
        memcpy(out->unit + at * size, block->unit + k * size, size * sizeof *out->unit);
        memcpy(out->delay + at * size, block->delay + k * size, size * sizeof *out->delay);
        out->row[at++] = k;
    }
    out->block = (spk_episode_block){
        .size = size, .n = at, .unit = out->unit, .delay = out->delay, .support = block->support};
    return status;
}

void two_pass_survivors_spread(const two_pass_survivors *survivors, uint64_t n, uint64_t *counts)
{
    memset(counts, 0, n * sizeof *counts);
    for (uint64_t k = 0; k < survivors->block.n; k++)
        counts[survivors->row[k]] = survivors->count[k];
}

void two_pass_survivors_free(two_pass_survivors *survivors)
{
    free(survivors->count);
    free(survivors->unit);
    free(survivors->delay);
    free(survivors->row);
    *survivors = (two_pass_survivors){.count = NULL};
}

spk_status two_pass_relax(spk_context *context, const spk_episode_job *job, spk_tick_delay **delays,
                          spk_episode_job *relaxed)
{
    spk_status status = spk_alloc(context, delays, job->n_delays, "relaxed intervals");
    if (status != SPK_OK)
        return status;
    for (size_t d = 0; d < job->n_delays; d++)
        (*delays)[d] = (spk_tick_delay){0, job->delays[d].hi};
    *relaxed = *job;
    relaxed->delays = *delays;
    return SPK_OK;
}
