/*
 * The search of cuda-sweep: candidates, counts and frequent episodes stay on the devices from level
 * to level; what comes back are the results. While the devices count a size, the host delivers the
 * one before.
 *
 * Several devices: one host thread each for the whole run. Every device holds the recording and all
 * levels' rows; a level's counting is cut by predicted work into ranges of rows, one a device, and
 * the new rows are exchanged.
 */
#include "episode/engine/cuda/sweep/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/gpus.h"
#include "episode/engine/cuda/sweep/device.h"
#include "episode/engine/cuda/sweep/merge.h"

enum { MOST_DEVICES = 64 };

/* One size's results on the host; its memory is kept for the next. */
typedef struct result {
    spk_episode_level facts;
    uint64_t room; /* episodes */
    uint64_t cells;
    uint64_t *offset;
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
} result;

typedef struct gpu_search {
    const spk_episode_search *search;
    int n_devices;
    spk_crew *crew;   /* a thread a device: counting */
    spk_crew *writer; /* one: results */
    uint32_t n_lanes;
    uint32_t *lane_unit;
    csweep_device *device[MOST_DEVICES];
    csweep_level part[MOST_DEVICES]; /* what each device found of the level in the making */
    csweep_part parts[MOST_DEVICES];
    uint64_t candidates[MOST_DEVICES];
    uint32_t size;              /* of the level in the making */
    csweep_scratch for_results; /* the writer's */
    uint32_t result_size;       /* of the level whose results are on their way */
    result result;
} gpu_search;

static void result_free(result *r)
{
    free(r->offset);
    free(r->unit);
    free(r->delay);
    free(r->count);
    *r = (result){.offset = NULL};
}

static spk_status result_reserve(spk_context *context, uint64_t n, uint32_t size, result *r)
{
    const char *what = "frequent episodes";
    spk_status status = SPK_OK;
    if (r->offset == NULL || n > r->room || n * size > r->cells) {
        spk_episode_level facts = r->facts;
        result_free(r);
        r->facts = facts;
        r->room = n;
        r->cells = n * size;
        status = spk_alloc(context, (void **)&r->offset, n + 1, sizeof *r->offset, what);
        if (status == SPK_OK)
            status = spk_alloc(context, (void **)&r->unit, n * size, sizeof *r->unit, what);
        if (status == SPK_OK)
            status = spk_alloc(context, (void **)&r->delay, n * size, sizeof *r->delay, what);
        if (status == SPK_OK)
            status = spk_alloc(context, (void **)&r->count, n, sizeof *r->count, what);
    }
    for (uint64_t k = 0; k <= n && status == SPK_OK; k++)
        r->offset[k] = k * size;
    return status;
}

static spk_status deliver(const gpu_search *s, const result *r)
{
    spk_episode_columns columns = {r->facts.frequent, r->offset, r->unit, r->delay, r->count};
    return s->search->deliver(s->search->user, &r->facts, &columns);
}

/* ---- what a worker does ---------------------------------------------------------------------- */

/* Puts a level in order and brings it to the host. */
static spk_status make_result(spk_context *context, int worker, void *user)
{
    (void)worker;
    gpu_search *s = user;
    csweep_device *device = s->device[0];
    result *r = &s->result;
    uint32_t size = s->result_size;
    uint64_t n = device->level[size - 1].n;
    spk_status status = result_reserve(context, n, size, r);
    if (status == SPK_OK)
        status = csweep_output(context, &device->index, (const uint32_t *)device->lane_unit.data,
                               device->level, size, &s->for_results, r->unit, r->delay, r->count);
    r->facts.size = size;
    r->facts.frequent = n;
    return status;
}

static spk_status close_results(spk_context *context, int worker, void *user)
{
    (void)context;
    (void)worker;
    csweep_scratch_close(&((gpu_search *)user)->for_results);
    return SPK_OK;
}

static spk_status open_device(spk_context *context, int worker, void *user)
{
    gpu_search *s = user;
    spk_status status =
        csweep_device_open(context, s->search->job, s->n_lanes, s->lane_unit, &s->device[worker]);
    if (status == SPK_OK)
        status = csweep_device_build_tables(context, s->device[worker]);
    return status == SPK_OK ? gpu_wait(context, "the index of engine 'cuda-sweep'") : status;
}

static spk_status close_device(spk_context *context, int worker, void *user)
{
    (void)context;
    gpu_search *s = user;
    csweep_level_close(&s->part[worker]);
    csweep_device_close(s->device[worker]);
    s->device[worker] = NULL;
    return SPK_OK;
}

/* Counts this device's range of rows. */
static spk_status count_part(spk_context *context, int worker, void *user)
{
    gpu_search *s = user;
    csweep_device *device = s->device[worker];
    const csweep_level *level = &device->level[s->size - 2];
    uint64_t border[MOST_DEVICES + 1] = {0};
    border[1] = level->n;
    spk_status status = SPK_OK;
    if (s->n_devices > 1)
        status = csweep_borders(context, level, s->n_devices, &device->scratch, border);
    uint64_t begin = border[worker];
    uint64_t end = border[worker + 1];
    csweep_level *next = &s->part[worker];
    csweep_level_close(next); /* of the level before: all have taken it over */
    if (status == SPK_OK)
        status = csweep_level_start(context, level, next);
    s->candidates[worker] = 0;
    if (status == SPK_OK)
        status = csweep_device_extend_rows(context, device, s->size - 1, begin, end,
                                           s->search->threshold, next, &s->candidates[worker]);
    s->parts[worker] = (csweep_part){next, worker, begin, end};
    return status == SPK_OK ? gpu_wait(context, "counting") : status;
}

static spk_status take_level(spk_context *context, int worker, void *user)
{
    gpu_search *s = user;
    csweep_device *device = s->device[worker];
    csweep_level *level = &device->level[s->size - 1];
    spk_status status = SPK_OK;
    if (s->n_devices > 1) {
        status = csweep_merge(context, s->parts, s->n_devices, worker, level);
    } else {
        *level = s->part[0];
        s->part[0] = (csweep_level){.size = 0};
    }
    /* Another stream, the writer's, reads it next. */
    return status == SPK_OK ? gpu_wait(context, "counting") : status;
}

/* ---- the search ------------------------------------------------------------------------------ */

static spk_status find_lanes(spk_context *context, gpu_search *s)
{
    spk_events events = spk_recording_events(s->search->job->recording);
    spk_status status = spk_alloc(context, (void **)&s->lane_unit, events.n_units,
                                  sizeof *s->lane_unit, "frequent units");
    for (uint32_t u = 0; u < events.n_units && status == SPK_OK; u++)
        if (events.unit_first[u + 1] - events.unit_first[u] >= s->search->threshold)
            s->lane_unit[s->n_lanes++] = u;
    return status;
}

/* Brings the results of a size to the host and delivers them. */
static spk_status deliver_level(spk_context *context, gpu_search *s, const spk_episode_level *facts)
{
    s->result.facts = *facts;
    s->result_size = facts->size;
    spk_status status = spk_crew_run(context, s->writer, make_result, s);
    return status == SPK_OK ? deliver(s, &s->result) : status;
}

/* Counts the next size on all devices while that of `facts` is delivered; fills facts of the next.
 */
static spk_status next_level(spk_context *context, gpu_search *s, spk_episode_level *facts)
{
    double start = spk_seconds_now();
    s->size = facts->size + 1;
    spk_crew_start(s->crew, count_part, s);
    spk_status delivered = deliver_level(context, s, facts);
    spk_status status = spk_crew_wait(context, s->crew);
    if (delivered != SPK_OK)
        return delivered;
    if (status == SPK_OK)
        status = spk_crew_run(context, s->crew, take_level, s);
    *facts = (spk_episode_level){.size = s->size};
    for (int k = 0; k < s->n_devices; k++)
        facts->candidates += s->candidates[k];
    if (status == SPK_OK)
        facts->frequent = s->device[0]->level[s->size - 1].n;
    facts->seconds = spk_seconds_now() - start;
    return status;
}

static spk_status run_levels(spk_context *context, gpu_search *s)
{
    double start = spk_seconds_now();
    int threads = s->search->job->threads;
    spk_status status =
        spk_crew_open(context, s->n_devices, threads, spk_gpus_enter, NULL, &s->crew);
    if (status == SPK_OK)
        status = spk_crew_open(context, 1, threads, spk_gpus_enter, NULL, &s->writer);
    if (status == SPK_OK)
        status = spk_crew_run(context, s->crew, open_device, s);
    spk_episode_level facts = {.size = 1, .frequent = s->n_lanes};
    facts.candidates = spk_recording_events(s->search->job->recording).n_units;
    facts.seconds = spk_seconds_now() - start;
    while (status == SPK_OK && facts.frequent > 0 && facts.size < s->search->max_size) {
        status = next_level(context, s, &facts);
        if (status == SPK_OK)
            spk_progress(context, "sizes counted", facts.size, 0);
    }
    return status == SPK_OK ? deliver_level(context, s, &facts) : status;
}

/* Nothing fires often enough: a level without episodes. */
static spk_status deliver_nothing(const gpu_search *s)
{
    uint64_t zero = 0;
    result none = {.facts = {.size = 1}, .offset = &zero};
    none.facts.candidates = spk_recording_events(s->search->job->recording).n_units;
    return deliver(s, &none);
}

spk_status csweep_mine(spk_context *context, const spk_episode_search *search)
{
    gpu_search *s = NULL;
    spk_status status = spk_alloc_zero(context, (void **)&s, 1, sizeof *s, "engine 'cuda-sweep'");
    if (status != SPK_OK)
        return status;
    s->search = search;
    s->n_devices = search->job->gpus < MOST_DEVICES ? search->job->gpus : MOST_DEVICES;
    status = find_lanes(context, s);
    if (status == SPK_OK)
        status = s->n_lanes > 0 ? run_levels(context, s) : deliver_nothing(s);
    if (s->writer != NULL)
        (void)spk_crew_run(NULL, s->writer, close_results, s);
    if (s->crew != NULL)
        (void)spk_crew_run(NULL, s->crew, close_device, s);
    spk_crew_close(s->writer);
    spk_crew_close(s->crew);
    result_free(&s->result);
    free(s->lane_unit);
    free(s);
    return status;
}
