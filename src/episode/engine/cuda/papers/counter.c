/*
 * The recording on a device, and blocks of candidates in pieces that fit beside it.
 *
 * Lists that overflow: Algorithm 1 keeps any number of stamps, a thread has room for a few. An
 * episode whose list is full of stamps that may still matter is given up by its thread and counted
 * again with lists eight times as long in global memory, until it fits; lists as long as the
 * recording has events always do. As many episodes are counted at once as memory allows, at least
 * one.
 *
 * Rounds:
 *     lists         of a thread      8 times as long        64 times as long
 *     episodes      all of a piece   those that gave up     those that gave up again
 *
 * Invariant: a count that a thread gave is exact; MACHINE_UNKNOWN stands for no count. Cost: every
 * round counts its episodes from the beginning. Bytes on the device: events and bounds, a piece of
 * the block in half of what is left, lists in the other half.
 */
#include "episode/engine/cuda/papers/counter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/cuda/papers/host_ticks.h"

static const char what[] = "counting on the GPU";

enum { LEAST_PIECE = 32, MOST_PIECE = 1 << 20, LONGER = 8 };

/* ---- the recording --------------------------------------------------------------------------- */

/* What fills the arrays on the way. */
typedef struct source {
    const spk_events *events;
    uint64_t base;
    const spk_tick_delay *delays;
    bool wide;
    bool upper;
} source;

static bool fill_events(void *to, uint64_t first, uint64_t n, void *user)
{
    const source *s = user;
    host_write_events(s->events, s->base, s->wide, first, n, to);
    return true;
}

static bool fill_bounds(void *to, uint64_t first, uint64_t n, void *user)
{
    const source *s = user;
    host_write_bounds(s->delays, s->upper, s->wide, first, n, to);
    return true;
}

spk_status papers_upload_bounds(spk_context *context, const spk_episode_job *job, bool wide,
                                gpu_staging *staging, gpu_buffer *lo, gpu_buffer *hi)
{
    source s = {.delays = job->delays, .wide = wide};
    size_t tick = host_tick_bytes(wide);
    spk_status status = gpu_upload_filled(context, staging, lo, job->n_delays, tick, fill_bounds,
                                          &s, "the delay intervals");
    s.upper = true;
    return status == SPK_OK ? gpu_upload_filled(context, staging, hi, job->n_delays, tick,
                                                fill_bounds, &s, "the delay intervals")
                            : status;
}

static spk_status upload_recording(spk_context *context, papers_counter *p,
                                   const spk_events *events)
{
    bool wide = p->recording.wide;
    size_t size = host_event_bytes(wide);
    source s = {.events = events, .base = p->base, .wide = wide};
    gpu_staging staging = gpu_staging_for(events->n_events * size);
    spk_status status = gpu_upload_filled(context, &staging, &p->event, events->n_events, size,
                                          fill_events, &s, what);
    if (status == SPK_OK)
        status = papers_upload_bounds(context, p->job, wide, &staging, &p->lo, &p->hi);
    gpu_staging_close(&staging);
    return status;
}

static spk_status open_recording(spk_context *context, papers_counter *p)
{
    spk_events events = spk_recording_events(p->job->recording);
    uint64_t n = events.n_events;
    if (n >= UINT32_MAX)
        return spk_fail(context, SPK_ERR_UNSUPPORTED,
                        "the papers' GPU engines number events with 32 bits; this recording has "
                        "more, slice it or take another engine");
    /* Times count from the first event, so that most recordings fit into ticks of 32 bits: half of
     * the bytes that threads read. */
    uint64_t length = 0;
    if (n > 0) {
        p->base = (uint64_t)events.time[0];
        length = (uint64_t)events.time[n - 1] - p->base;
    }
    p->recording.wide = host_ticks_wide(length);
    p->recording.n_events = (uint32_t)n;
    spk_status status = upload_recording(context, p, &events);
    p->recording.event = p->event.data;
    p->recording.lo = p->lo.data;
    p->recording.hi = p->hi.data;
    return status;
}

spk_status papers_counter_open(spk_context *context, const spk_episode_job *job,
                               papers_counter **out)
{
    papers_counter *p = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &p, 1, what);
    if (status != SPK_OK)
        return status;
    p->job = job;
    status = gpu_describe(context, &p->facts);
    if (status == SPK_OK)
        status = open_recording(context, p);
    if (status == SPK_OK)
        status = gpu_memory_budget(context, job->memory, &p->memory);
    if (status == SPK_OK)
        *out = p;
    else
        papers_counter_close(p);
    return status;
}

void papers_counter_close(papers_counter *p)
{
    if (p == NULL)
        return;
    (void)gpu_wait(NULL, what); /* before host memory goes */
    gpu_buffer *buffers[] = {&p->event, &p->lo,    &p->hi,    &p->unit,   &p->delay, &p->count,
                             &p->row,   &p->stamp, &p->tuple, &p->joined, &p->first, &p->border};
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++)
        gpu_release(buffers[k]);
    spk_free_all(p->host_count, p->host_row, p);
}

/* ---- episodes whose lists overflowed --------------------------------------------------------- */

/* Episodes of the piece that were given up. */
static uint32_t unknown_rows(const papers_counter *p, uint64_t n)
{
    uint32_t found = 0;
    for (uint64_t k = 0; k < n; k++)
        if (p->host_count[k] == MACHINE_UNKNOWN)
            p->host_row[found++] = (uint32_t)k;
    return found;
}

/* Counts these episodes again, with longer lists, as many at once as half of the memory holds. */
static spk_status count_unknown(spk_context *context, papers_counter *p,
                                const papers_episodes *episodes, uint32_t n_rows, uint32_t capacity)
{
    uint64_t tick = host_tick_bytes(p->recording.wide);
    uint64_t stamps = ptpe_stamps(episodes->size, capacity);
    uint64_t at_once = p->memory / 2 / (stamps * tick);
    at_once = at_once < 1 ? 1 : at_once > n_rows ? n_rows : at_once;
    assert((capacity & (capacity - 1)) == 0); /* rings */
    spk_status status =
        gpu_upload(context, &p->row, p->host_row, n_rows, sizeof *p->host_row, what);
    if (status == SPK_OK)
        status = gpu_reserve(context, &p->stamp, at_once * stamps, tick, "time stamps");
    for (uint32_t first = 0; first < n_rows && status == SPK_OK;) {
        uint32_t n = n_rows - first < at_once ? n_rows - first : (uint32_t)at_once;
        status = ptpe_count_rows(context, p->recording, *episodes, n,
                                 (const uint32_t *)p->row.data + first, capacity, p->stamp.data);
        if (status == SPK_OK)
            status = spk_check_cancel(context);
        first += n;
    }
    if (status == SPK_OK)
        status = gpu_download(context, p->host_count, episodes->count,
                              episodes->n * sizeof *p->host_count, what);
    return status;
}

/* Rounds with lists eight times as long each, until no episode is left. */
static spk_status finish_unknown(spk_context *context, papers_counter *p,
                                 const papers_episodes *episodes)
{
    uint32_t capacity = LONGER * ptpe_capacity(episodes->size);
    spk_status status = SPK_OK;
    for (;;) {
        uint32_t n_rows = unknown_rows(p, episodes->n);
        if (n_rows == 0)
            break;
        status = count_unknown(context, p, episodes, n_rows, capacity);
        if (status != SPK_OK)
            break;
        if (capacity > UINT32_MAX / LONGER / 2) /* and still too short */
            return spk_fail(context, SPK_ERR_UNSUPPORTED,
                            "the papers' GPU engines keep at most %u time stamps a position; slice "
                            "the recording or take another engine",
                            (unsigned)capacity);
        capacity *= LONGER;
    }
    gpu_release(&p->stamp);
    return status;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* One piece: up, counted by the method, down; then what the method gave up. */
static spk_status count_piece(spk_context *context, papers_counter *p,
                              const spk_episode_block *piece, papers_method *method)
{
    uint64_t places = piece->n * piece->size;
    assert(piece->n > 0 && piece->n <= p->host_capacity && piece->n <= MOST_PIECE);
    spk_status status =
        gpu_upload(context, &p->unit, piece->unit, places, sizeof *piece->unit, what);
    if (status == SPK_OK)
        status = gpu_upload(context, &p->delay, piece->delay, places, sizeof *piece->delay, what);
    if (status == SPK_OK)
        status = gpu_reserve(context, &p->count, piece->n, sizeof(uint32_t), what);
    if (status != SPK_OK)
        return status;
    /* Arrays are reserved at their largest and kept: a search counts many pieces of one size. */
    papers_episodes episodes = {.n = (uint32_t)piece->n,
                                .size = piece->size,
                                .unit = p->unit.data,
                                .delay = p->delay.data,
                                .count = p->count.data};
    status = method(context, p, piece, &episodes);
    if (status == SPK_OK)
        status = gpu_download(context, p->host_count, episodes.count,
                              piece->n * sizeof *p->host_count, what);
    return status == SPK_OK ? finish_unknown(context, p, &episodes) : status;
}

static spk_status reserve_host(spk_context *context, papers_counter *p, uint64_t n)
{
    if (n <= p->host_capacity)
        return SPK_OK;
    free(p->host_count);
    free(p->host_row);
    p->host_count = p->host_row = NULL;
    p->host_capacity = 0;
    spk_status status = spk_alloc_columns(context, what, SPK_COLUMN(&p->host_count, n),
                                          SPK_COLUMN(&p->host_row, n));
    if (status == SPK_OK)
        p->host_capacity = n;
    return status;
}

/* An episode of one unit counts its events, of which no two have the same time. */
static void count_units(const papers_counter *p, const spk_episode_block *block, uint64_t *counts)
{
    spk_events events = spk_recording_events(p->job->recording);
    for (uint64_t k = 0; k < block->n; k++)
        counts[k] = events.unit_first[block->unit[k] + 1] - events.unit_first[block->unit[k]];
}

spk_status papers_counter_run(spk_context *context, papers_counter *p,
                              const spk_episode_block *block, papers_method *method,
                              uint64_t bytes_each, uint64_t *counts)
{
    if (block->size == 1 || p->recording.n_events == 0) {
        memset(counts, 0, block->n * sizeof *counts);
        if (block->size == 1)
            count_units(p, block, counts);
        return SPK_OK;
    }
    /* What an episode takes on the device, `bytes_each` of it for the method: a piece of the block
     * fits into half of the memory. */
    uint64_t each = block->size * (sizeof *block->unit + sizeof *block->delay) +
                    2 * sizeof(uint32_t) + bytes_each;
    uint64_t step = p->memory / 2 / each;
    step = step < LEAST_PIECE ? LEAST_PIECE : step > MOST_PIECE ? MOST_PIECE : step;
    step = step > block->n ? block->n : step;
    spk_status status = reserve_host(context, p, step);
    for (uint64_t first = 0; first < block->n && status == SPK_OK;) {
        spk_episode_block piece = {.size = block->size,
                                   .n = block->n - first < step ? block->n - first : step,
                                   .unit = block->unit + first * block->size,
                                   .delay = block->delay + first * block->size};
        status = count_piece(context, p, &piece, method);
        for (uint64_t k = 0; k < piece.n && status == SPK_OK; k++)
            counts[first + k] = p->host_count[k];
        first += piece.n;
        if (status == SPK_OK)
            status = spk_check_cancel(context);
    }
    return status;
}
