/*
 * Engine `cuda-sweep`: ours, on GPUs. Whole searches stay on the devices (search.c). Blocks of
 * candidates that come from elsewhere, for counting alone or for two passes, are counted here: the
 * block's prefixes become levels, and its episodes one batch.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/cuda/sweep/device.h"
#include "episode/engine/cuda/sweep/host_batch.h"
#include "episode/engine/cuda/sweep/search.h"

typedef struct csweep_state {
    const spk_episode_job *job;
    csweep_device *device; /* NULL: the recording has no events */
} csweep_state;

/* The distinct prefixes of one length in a block, in order. */
typedef struct prefix_rows {
    uint64_t n;
    uint32_t *prefix; /* row of the prefixes one shorter */
    uint32_t *lane;
    uint32_t *delay;
} prefix_rows;

static void close_job(void *raw)
{
    csweep_state *state = raw;
    if (state == NULL)
        return;
    csweep_device_close(state->device);
    free(state);
}

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **out)
{
    *out = NULL;
    csweep_state *state = NULL;
    uint32_t *lane_unit = NULL;
    csweep_upload upload = {.n = 0};
    spk_events events = spk_recording_events(job->recording);
    spk_status status = spk_alloc_zero(context, &state, 1, "engine 'cuda-sweep'");
    if (status != SPK_OK)
        return status;
    state->job = job;
    if (events.n_events > 0 && job->n_delays > 0) {
        status = spk_alloc(context, &lane_unit, events.n_units, "engine 'cuda-sweep'");
        for (uint32_t u = 0; u < events.n_units && status == SPK_OK; u++)
            lane_unit[u] = u;
        if (status == SPK_OK)
            status = csweep_upload_all(context, &events, &upload);
        if (status == SPK_OK)
            status = csweep_device_open(context, job, events.n_units, lane_unit, &upload,
                                        &state->device);
    }
    free(lane_unit);
    if (status == SPK_OK)
        *out = state;
    else
        close_job(state);
    return status;
}

/* ---- a block's prefixes ---------------------------------------------------------------------- */

static void prefix_rows_free(prefix_rows *rows)
{
    free(rows->prefix);
    free(rows->lane);
    free(rows->delay);
    *rows = (prefix_rows){.n = 0};
}

/* Rows of the prefixes of length `size` >= 2. `row[k]` is episode k's row of length size - 1 and
 * becomes that of length size. */
static spk_status collect_prefixes(spk_context *context, const spk_episode_block *block,
                                   uint32_t size, uint32_t *row, prefix_rows *out)
{
    const char *what = "prefixes of candidates";
    spk_status status =
        spk_alloc_columns(context, what, SPK_COLUMN(&out->prefix, block->n),
                          SPK_COLUMN(&out->lane, block->n), SPK_COLUMN(&out->delay, block->n));
    for (uint64_t k = 0; k < block->n && status == SPK_OK; k++) {
        uint64_t at = k * block->size + size - 1;
        uint64_t last = out->n - 1;
        bool same = out->n > 0 && out->prefix[last] == row[k] &&
                    out->lane[last] == block->unit[at] && out->delay[last] == block->delay[at];
        if (!same) {
            out->prefix[out->n] = row[k];
            out->lane[out->n] = block->unit[at];
            out->delay[out->n++] = block->delay[at];
        }
        row[k] = (uint32_t)(out->n - 1);
    }
    return status;
}

static spk_status upload_level(spk_context *context, const prefix_rows *rows, uint32_t size,
                               csweep_level *level)
{
    const char *what = "prefixes of candidates";
    csweep_level_close(level);
    level->size = size;
    level->n = rows->n;
    spk_status status =
        gpu_upload(context, &level->prefix, rows->prefix, rows->n, sizeof(uint32_t), what);
    if (status == SPK_OK)
        status = gpu_upload(context, &level->lane, rows->lane, rows->n, sizeof(uint32_t), what);
    if (status == SPK_OK)
        status = gpu_upload(context, &level->delay, rows->delay, rows->n, sizeof(uint32_t), what);
    return status;
}

/* The levels of all prefixes; row[k] is then episode k's prefix. */
static spk_status build_levels(spk_context *context, csweep_device *device,
                               const spk_episode_block *block, uint32_t *row)
{
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < block->n; k++)
        row[k] = block->unit[k * block->size]; /* lanes are units */
    csweep_lists_close(&device->level[0].lists);
    for (uint32_t size = 2; size < block->size && status == SPK_OK; size++) {
        prefix_rows rows = {.n = 0};
        status = collect_prefixes(context, block, size, row, &rows);
        if (status == SPK_OK)
            status = upload_level(context, &rows, size, &device->level[size - 1]);
        prefix_rows_free(&rows);
    }
    return status;
}

/* The prefixes' counts, as far as they are known: they allow to stop early. */
static spk_status upload_counts(spk_context *context, const spk_episode_block *block,
                                const uint32_t *row, csweep_level *level)
{
    uint32_t *count = NULL;
    spk_status status = spk_alloc_zero(context, &count, level->n, "prefixes of candidates");
    for (uint64_t k = 0; k < block->n && status == SPK_OK; k++)
        if (block->prefix != NULL)
            count[row[k]] = (uint32_t)block->prefix_count[block->prefix[k]];
    if (status == SPK_OK)
        status = gpu_upload(context, &level->count, count, level->n, sizeof *count,
                            "prefixes of candidates");
    if (status == SPK_OK)
        status = gpu_wait(context, "prefixes of candidates");
    free(count);
    return status;
}

/* ---- a block as a batch ---------------------------------------------------------------------- */

static spk_status upload_batch(spk_context *context, const host_batch *from, uint64_t begin,
                               uint64_t end, csweep_batch *to)
{
    const struct {
        gpu_buffer *to;
        const uint32_t *from;
        uint64_t n;
    } columns[] = {{&to->first, from->first, end - begin + 1},
                   {&to->prefix, from->prefix, from->n_runs},
                   {&to->strip, from->strip, from->n_runs},
                   {&to->mask, from->mask, from->n_runs},
                   {&to->candidate, from->candidate, from->n_runs + 1}};
    spk_status status = SPK_OK;
    to->begin = begin;
    to->end = end;
    to->n_runs = from->n_runs;
    to->n_candidates = from->n_candidates;
    for (size_t c = 0; c < sizeof columns / sizeof columns[0] && status == SPK_OK; c++)
        status = gpu_upload(context, columns[c].to, columns[c].from, columns[c].n, sizeof(uint32_t),
                            "candidates");
    return status;
}

static spk_status need_tables(spk_context *context, csweep_device *device, const host_batch *batch)
{
    spk_status status = SPK_OK;
    for (uint64_t r = 0; r < batch->n_runs && status == SPK_OK; r++)
        status = csweep_tables_need(context, &device->index, batch->strip[r], &device->tables);
    return status;
}

/* Counts episodes [from, to); *fits = false when the lists of their prefixes are too large. */
static spk_status count_part(spk_context *context, csweep_device *device,
                             const spk_episode_block *block, const uint32_t *row, uint64_t from,
                             uint64_t to, uint64_t *counts, bool *fits)
{
    host_batch batch = {.n_runs = 0};
    uint32_t *found = NULL;
    uint32_t size = block->size - 1;
    uint64_t begin = size > 1 ? row[from] : 0;
    uint64_t end = size > 1 ? (uint64_t)row[to - 1] + 1 : device->level[0].n;
    spk_status status = host_batch_alloc(context, end - begin, to - from, &batch);
    if (status != SPK_OK)
        goto done;
    host_batch_fill(block, &device->index.view, row, from, to, begin, end - begin, &batch);
    status = upload_batch(context, &batch, begin, end, &device->batch);
    if (status == SPK_OK)
        status = csweep_device_lists(context, device, size, begin, end,
                                     (const uint32_t *)device->batch.first.data, fits);
    if (status != SPK_OK || !*fits)
        goto done;
    status = need_tables(context, device, &batch);
    if (status == SPK_OK)
        status =
            csweep_device_count(context, device, size, block->prefix != NULL ? block->support : 0);
    if (status == SPK_OK)
        status = spk_alloc(context, &found, batch.n_candidates, "counts");
    if (status == SPK_OK)
        status = gpu_download(context, found, device->batch.counts.data,
                              batch.n_candidates * sizeof *found, "counts");
    for (uint64_t k = from; k < to && status == SPK_OK; k++)
        counts[k] = found[batch.slot[k - from]];
done:
    (void)gpu_wait(context, "counting"); /* before host memory goes */
    free(found);
    host_batch_free(&batch);
    return status;
}

static spk_status count_parts(spk_context *context, csweep_device *device,
                              const spk_episode_block *block, const uint32_t *row, uint64_t *counts)
{
    uint64_t from = 0;
    uint64_t step = block->n;
    spk_status status = SPK_OK;
    while (from < block->n && status == SPK_OK) {
        uint64_t to = block->n - from < step ? block->n : from + step;
        bool fits = true;
        status = count_part(context, device, block, row, from, to, counts, &fits);
        if (status == SPK_OK && !fits && to - from == 1)
            status = csweep_device_too_small(context);
        if (status == SPK_OK)
            status = spk_check_cancel(context);
        if (fits)
            from = to;
        else
            step = (to - from) / 2;
    }
    return status;
}

static spk_status count(spk_context *context, void *raw, const spk_episode_block *block,
                        uint64_t *counts)
{
    csweep_state *state = raw;
    spk_events events = spk_recording_events(state->job->recording);
    if (block->size == 1 || state->device == NULL) {
        for (uint64_t k = 0; k < block->n; k++)
            counts[k] = block->size > 1 ? 0
                                        : events.unit_first[block->unit[k] + 1] -
                                              events.unit_first[block->unit[k]];
        return SPK_OK;
    }
    uint32_t *row = NULL;
    csweep_device *device = state->device;
    spk_status status = spk_alloc(context, &row, block->n, "candidates");
    if (status == SPK_OK)
        status = build_levels(context, device, block, row);
    if (status == SPK_OK && block->size > 2)
        status = upload_counts(context, block, row, &device->level[block->size - 2]);
    if (status == SPK_OK)
        status = count_parts(context, device, block, row, counts);
    free(row);
    return status;
}

const spk_episode_engine spk_episode_engine_cuda_sweep = {
    .open = open_job,
    .count = count,
    .mine = csweep_mine,
    .close = close_job,
};
