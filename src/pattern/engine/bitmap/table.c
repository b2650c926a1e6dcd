/* The bitmap engine's table, and which instruction set runs. */
#include "base/cpu.h"
#include "base/stage.h"
#include "pattern/engine/bitmap/anchored.h"
#include "pattern/engine/bitmap/maxima.h"

static spk_status mine_shared(spk_context *context, const spk_pattern_job *given,
                              const spk_pattern_share *share, spk_pattern_sink *sink, void *user)
{
    if (given->windows->n_windows < given->limits.min_support)
        return SPK_OK;
    spk_bitmap_job job;
    bool done = share != NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_bitmap_job_create(context, given, &job);
    job.shared = share != NULL;
    if (status == SPK_OK && share != NULL)
        status = spk_bitmap_run_shared(context, &job, SPK_SIMD_BEST(&spk_bitmap_kernels), share,
                                       sink, user);
    else if (status == SPK_OK)
        status = spk_bitmap_mine_anchored(context, given, &job, sink, user, &done);
    if (status == SPK_OK && !done)
        status = spk_bitmap_run(context, &job, SPK_SIMD_BEST(&spk_bitmap_kernels), sink, user);
    spk_stage_close(context, &stage);
    spk_bitmap_job_free(&job);
    return status;
}

static spk_status mine(spk_context *context, const spk_pattern_job *given, spk_pattern_sink *sink,
                       void *user)
{
    return mine_shared(context, given, NULL, sink, user);
}

/* A set adds up a row for each of its windows, by vectors of 512 items. */
static double cost(const spk_pattern_shape *shape)
{
    const double of_row = 5, items = 512;
    return of_row * (double)shape->support * (1 + (double)shape->n_items / items);
}

const spk_pattern_engine spk_pattern_engine_bitmap = {
    .mine = mine,
    .makes_bytes = true,
    .cost = cost,
    .can_drop_ends = spk_bitmap_can_drop_ends,
    .mine_shared = mine_shared,
    .maxima = spk_bitmap_maxima,
};
