/*
 * Engine `cuda-sweep`: ours, on GPUs. Whole searches stay on the devices (search.c). Blocks of
 * candidates that come from elsewhere, for counting alone, for two passes or for a stretch of time,
 * are counted here: the block's prefixes become levels, and its episodes one batch.
 *
 * Example:
 *     block      A -> B -> C    A -> B -> D    A -> C -> D
 *     level 2    row 0: A -> B                 row 1: A -> C
 *     batch      row 0: lanes C, D             row 1: lane D
 *
 * Invariant: episodes of a block that begin alike are neighbours, so that each prefix is one row.
 * Cost: the lists of all prefixes once for each part of the block that fits. Bytes on the host: 4
 * for each episode, and the batch.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/cuda/sweep/device.h"
#include "episode/engine/cuda/sweep/host_batch.h"
#include "episode/engine/cuda/sweep/search.h"

typedef struct csweep_state {
    const spk_episode_job *job;
    csweep_device *device; /* NULL: the recording has no events */
    uint32_t *rank_event;  /* first event of each rank, and their number; NULL: not needed yet */
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
    free(state->rank_event);
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
    /* Every unit is a lane here: blocks from elsewhere may name any of them. An empty recording
     * needs no device. */
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
    spk_free_all(rows->prefix, rows->lane, rows->delay);
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

/* Rows without runs: a batch brings its candidates itself. */
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
    /* Where an end is told by the next beginning, a column has one entry more. */
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

/* A block to be counted. */
typedef struct csweep_request {
    csweep_state *state;
    const spk_episode_block *block;
    const uint32_t *row;
    uint64_t *free_from; /* as spk_episode_engine.resume has it; NULL: from the beginning */
    uint64_t *counts;
} csweep_request;

/* The first rank all of whose events are numbered `event` or later. */
static uint32_t rank_from(const csweep_state *state, uint64_t event)
{
    uint32_t n_ranks = state->device->index.view.n_ranks;
    return event > 0 ? csweep_count_in_ranks(state->rank_event, n_ranks, (uint32_t)(event - 1)) : 0;
}

/* From where on the batch's candidates are counted. */
static spk_status send_starts(spk_context *context, const csweep_request *r, uint64_t from,
                              uint64_t to, const host_batch *batch, uint32_t *start)
{
    csweep_batch *sent = &r->state->device->batch;
    sent->resumes = r->free_from != NULL;
    if (!sent->resumes)
        return SPK_OK;
    for (uint64_t k = from; k < to; k++)
        start[batch->slot[k - from]] = rank_from(r->state, r->free_from[k]);
    return gpu_upload(context, &sent->free_from, start, batch->n_candidates, sizeof *start,
                      "candidates");
}

/* Counts of the batch, and how far they go; `found` is scratch. */
static spk_status fetch_counts(spk_context *context, const csweep_request *r, uint64_t from,
                               uint64_t to, const host_batch *batch, uint32_t *found)
{
    const csweep_batch *counted = &r->state->device->batch;
    uint64_t bytes = batch->n_candidates * sizeof *found;
    spk_status status = gpu_download(context, found, counted->counts.data, bytes, "counts");
    for (uint64_t k = from; k < to && status == SPK_OK; k++)
        r->counts[k] = found[batch->slot[k - from]];
    if (status == SPK_OK && counted->resumes)
        status = gpu_download(context, found, counted->free_from.data, bytes, "counts");
    for (uint64_t k = from; k < to && status == SPK_OK && counted->resumes; k++)
        if (r->counts[k] > 0)
            r->free_from[k] = r->state->rank_event[found[batch->slot[k - from]]];
    return status;
}

/* Counts episodes [from, to); *fits = false when the lists of their prefixes are too large. */
static spk_status count_part(spk_context *context, const csweep_request *r, uint64_t from,
                             uint64_t to, bool *fits)
{
    host_batch batch = {.n_runs = 0};
    uint32_t *found = NULL;
    csweep_device *device = r->state->device;
    const spk_episode_block *block = r->block;
    const uint32_t *row = r->row;
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
        status = spk_alloc(context, &found, batch.n_candidates, "counts");
    if (status == SPK_OK)
        status = send_starts(context, r, from, to, &batch, found);
    if (status == SPK_OK)
        status =
            csweep_device_count(context, device, size, block->prefix != NULL ? block->support : 0);
    if (status == SPK_OK)
        status = fetch_counts(context, r, from, to, &batch, found);
done:
    (void)gpu_wait(context, "counting"); /* before host memory goes */
    free(found);
    host_batch_free(&batch);
    return status;
}

/* The whole block at first; what does not fit is halved. */
static spk_status count_parts(spk_context *context, const csweep_request *r)
{
    uint64_t from = 0;
    uint64_t step = r->block->n;
    spk_status status = SPK_OK;
    while (from < r->block->n && status == SPK_OK) {
        uint64_t to = r->block->n - from < step ? r->block->n : from + step;
        bool fits = true;
        status = count_part(context, r, from, to, &fits);
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

static spk_status count_block(spk_context *context, csweep_state *state,
                              const spk_episode_block *block, uint64_t *free_from, uint64_t *counts)
{
    uint32_t *row = NULL;
    csweep_device *device = state->device;
    spk_status status = spk_alloc(context, &row, block->n, "candidates");
    if (status == SPK_OK)
        status = build_levels(context, device, block, row);
    if (status == SPK_OK && block->size > 2)
        status = upload_counts(context, block, row, &device->level[block->size - 2]);
    if (status == SPK_OK)
        status = count_parts(context, &(csweep_request){state, block, row, free_from, counts});
    free(row);
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
    return count_block(context, state, block, NULL, counts);
}

/* ---- a stretch of time ----------------------------------------------------------------------- */

/* Ranks and events of the recording, once a stretch is counted. */
static spk_status number_ranks(spk_context *context, csweep_state *state)
{
    spk_events events = spk_recording_events(state->job->recording);
    uint32_t n_ranks = state->device->index.view.n_ranks;
    uint32_t rank = 0;
    if (state->rank_event != NULL)
        return SPK_OK;
    spk_status status =
        spk_alloc(context, &state->rank_event, (uint64_t)n_ranks + 1, "engine 'cuda-sweep'");
    if (status != SPK_OK)
        return status;
    for (uint64_t e = 0; e < events.n_events; e++)
        if (e == 0 || events.time[e] != events.time[e - 1])
            state->rank_event[rank++] = (uint32_t)e;
    assert(rank == n_ranks);
    state->rank_event[rank] = (uint32_t)events.n_events;
    return SPK_OK;
}

static spk_status resume(spk_context *context, void *raw, const spk_episode_block *block,
                         uint64_t *free_from, uint64_t *counts)
{
    csweep_state *state = raw;
    assert(block->size > 1);
    if (state->device == NULL) {
        memset(counts, 0, block->n * sizeof *counts);
        return SPK_OK;
    }
    spk_status status = number_ranks(context, state);
    return status == SPK_OK ? count_block(context, state, block, free_from, counts) : status;
}

const spk_episode_engine spk_episode_engine_cuda_sweep = {
    .open = open_job,
    .count = count,
    .resume = resume,
    .mine = csweep_mine,
    .close = close_job,
};
