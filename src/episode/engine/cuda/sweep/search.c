/*
 * The search of cuda-sweep: candidates, counts and frequent episodes stay on the devices from level
 * to level; what comes back are the results. While the devices count a size, the host delivers the
 * one before.
 *
 * Several devices: one host thread each for the whole run. Every device holds the recording and all
 * levels' rows; a level's counting is cut by predicted work into ranges of rows, one a device, and
 * the new rows are exchanged. Occurrence lists stay where they are (assign_rows).
 *
 * Beside each other:
 *     devices    sort 1   count 2     merge   sort 2   count 3     merge   ...
 *     host                deliver 1                    deliver 2
 *
 * Invariant: all devices hold the same rows in the same order, so that a row's number means the
 * same on each. What a worker found of the last size is closed by the worker itself, when all have
 * taken it over. Cost: a level's counting is shared, its merge is done by every device for itself.
 * Bytes on a device: the recording, its tables, the rows of all levels, and its own lists.
 */
#include "episode/engine/cuda/sweep/search.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/gpus.h"
#include "distribute/workers.h"
#include "episode/engine/cuda/sweep/host_encoding.h"
#include "episode/engine/cuda/sweep/level.h"

enum { MOST_DEVICES = 64 };
/* Rows a device from which on a level is balanced: enough for about equal work. Until then lists
 * are made again for the ranges of each level, which takes long where recordings are long. */
enum { FEWEST_TO_BALANCE = 2048 };
/* Fewer events than this are sent by one copy thread. */
enum { FEWEST_TO_SEND = 1 << 17 };

typedef struct gpu_search {
    const spk_episode_search *search;
    int n_devices;
    spk_workers *workers; /* a thread a device: counting */
    gpu_copy_threads *copy_threads;
    csweep_results *results;
    uint32_t n_lanes;
    uint32_t *lane_unit;
    spk_events events;
    uint32_t delta_width;
    atomic_bool deltas_fit;
    csweep_upload upload[MOST_DEVICES];
    csweep_device *device[MOST_DEVICES];
    csweep_level part[MOST_DEVICES]; /* what each device found of the level in the making */
    csweep_part parts[MOST_DEVICES];
    uint64_t candidates[MOST_DEVICES];
    uint32_t size;                     /* of the level in the making */
    bool balanced;                     /* every device goes on with the rows it has found */
    uint64_t border[MOST_DEVICES + 1]; /* of the last whole level, where balanced */
} gpu_search;

/* ---- what a worker does ---------------------------------------------------------------------- */

/* Device memory for the recording, with deltas of the width that is tried. */
static spk_status reserve_upload(spk_context *context, int worker, void *user)
{
    gpu_search *s = user;
    spk_status status =
        csweep_upload_reserve(context, &s->events, s->delta_width, &s->upload[worker]);
    return status == SPK_OK ? gpu_wait(context, "the recording") : status;
}

/* A piece of the events, by a copy thread. Deltas that do not fit the width are told to all. */
static spk_status send_events(spk_context *context, gpu_copy_thread *self, void *user)
{
    gpu_search *s = user;
    bool fit = true;
    uint64_t begin = 0;
    uint64_t end = 0;
    gpu_copy_share(self, s->events.n_events, FEWEST_TO_SEND, &begin, &end);
    spk_status status = csweep_upload_send(context, &self->staging, &s->events, begin, end,
                                           &s->upload[self->device], &fit);
    if (!fit)
        atomic_store(&s->deltas_fit, false);
    return status;
}

/* The index, then what the devices open to each other, then the tables. */
static spk_status open_device(spk_context *context, int worker, void *user)
{
    gpu_search *s = user;
    spk_status status = csweep_device_open(context, s->search->job, s->n_lanes, s->lane_unit,
                                           &s->upload[worker], &s->device[worker]);
    if (status == SPK_OK)
        status = gpu_share_memory(context, s->n_devices);
    if (status == SPK_OK)
        status = csweep_device_build_tables(context, s->device[worker]);
    return status == SPK_OK ? gpu_wait(context, "the index of engine 'cuda-sweep'") : status;
}

static spk_status close_device(spk_context *context, int worker, void *user)
{
    (void)context;
    gpu_search *s = user;
    csweep_results_drop(s->results, worker);
    csweep_level_close(&s->part[worker]);
    csweep_upload_close(&s->upload[worker]);
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
    assert(level->size == s->size - 1);
    uint64_t cut[MOST_DEVICES + 1] = {0};
    const uint64_t *border = s->balanced ? s->border : cut;
    cut[1] = level->n;
    spk_status status = SPK_OK;
    if (s->n_devices > 1 && !s->balanced)
        status = csweep_borders(context, level, s->n_devices, &device->scratch, cut);
    uint64_t begin = border[worker];
    uint64_t end = border[worker + 1];
    csweep_level *next = &s->part[worker];
    csweep_level_close(next); /* of the level before: all have taken it over */
    if (status == SPK_OK)
        status = csweep_level_start(context, level, next);
    s->candidates[worker] = 0;
    if (status == SPK_OK)
        status = csweep_device_extend_rows(context, device, s->size - 1, begin, end,
                                           s->search->support, next, &s->candidates[worker]);
    s->parts[worker] = (csweep_part){next, worker, begin, end, next->n};
    return status == SPK_OK ? gpu_wait(context, "counting") : status;
}

/* The whole of the new level: joined from all parts, or with one device its own. */
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
    /* The threads that fetch results read it next, on a stream of their own. */
    return status == SPK_OK ? gpu_wait(context, "counting") : status;
}

/* Every device comes to the same order by itself. */
static spk_status balance_level(spk_context *context, int worker, void *user)
{
    gpu_search *s = user;
    csweep_device *device = s->device[worker];
    uint64_t border[MOST_DEVICES + 1] = {0};
    spk_status status = csweep_balance(context, &device->level[s->size - 1], s->n_devices,
                                       &device->scratch, border);
    if (worker == 0)
        memcpy(s->border, border, sizeof border);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Lanes are the units that fire often enough for an episode. */
static spk_status find_lanes(spk_context *context, gpu_search *s)
{
    const spk_events *events = &s->events;
    spk_status status = spk_alloc(context, &s->lane_unit, events->n_units, "frequent units");
    for (uint32_t u = 0; u < events->n_units && status == SPK_OK; u++)
        if (events->unit_first[u + 1] - events->unit_first[u] >= s->search->support)
            s->lane_unit[s->n_lanes++] = u;
    return status;
}

/* Brings the recording to all devices. How many bytes its deltas take shows on the way. */
static spk_status send_recording(spk_context *context, gpu_search *s)
{
    spk_status status = SPK_OK;
    atomic_store(&s->deltas_fit, false);
    for (uint32_t width = HOST_NARROWEST_DELTA; status == SPK_OK && !atomic_load(&s->deltas_fit);
         width *= 2) {
        s->delta_width = width;
        atomic_store(&s->deltas_fit, true);
        status = spk_workers_run(context, s->workers, reserve_upload, s);
        if (status == SPK_OK)
            status = gpu_copy_threads_run(context, s->copy_threads, send_events, s);
    }
    return status;
}

/* Which rows of the new level each device goes on with. At first these are ranges of equal work,
 * whose lists are cheap to make again. The first level with enough rows is balanced over the
 * devices; from then on a device goes on with the rows that it found, because it has the lists of
 * their prefixes. */
static spk_status assign_rows(spk_context *context, gpu_search *s)
{
    s->border[0] = 0;
    for (int k = 0; k < s->n_devices; k++)
        s->border[k + 1] = s->border[k] + s->parts[k].n_found;
    uint64_t n = s->border[s->n_devices];
    if (s->n_devices == 1 || s->balanced ||
        n < (uint64_t)FEWEST_TO_BALANCE * (uint64_t)s->n_devices)
        return SPK_OK;
    s->balanced = true;
    return spk_workers_run(context, s->workers, balance_level, s);
}

static spk_status sort_level(spk_context *context, int worker, void *user)
{
    return csweep_results_sort(context, ((gpu_search *)user)->results, worker);
}

/* Puts the last level in order. */
static spk_status begin_results(spk_context *context, gpu_search *s, const spk_episode_level *facts)
{
    csweep_results_begin(s->results, facts);
    return spk_workers_run(context, s->workers, sort_level, s);
}

/* Counts the next size on all devices while that of `facts` is delivered; fills facts of the next.
 */
static spk_status next_level(spk_context *context, gpu_search *s, spk_episode_level *facts)
{
    double start = spk_seconds_now();
    spk_status status = begin_results(context, s, facts);
    if (status != SPK_OK)
        return status;
    s->size = facts->size + 1;
    /* The host delivers one size while the devices count the next. Errors of delivery come first,
     * since the sink may have said stop; the workers are waited for in any case. */
    spk_workers_start(s->workers, count_part, s);
    spk_status delivered = csweep_results_deliver(context, s->results, facts, s->search);
    status = spk_workers_wait(context, s->workers);
    if (delivered != SPK_OK)
        return delivered;
    if (status == SPK_OK)
        status = spk_workers_run(context, s->workers, take_level, s);
    if (status == SPK_OK)
        status = assign_rows(context, s);
    *facts = (spk_episode_level){.size = s->size};
    for (int k = 0; k < s->n_devices; k++)
        facts->candidates += s->candidates[k];
    if (status == SPK_OK)
        facts->frequent = s->device[0]->level[s->size - 1].n;
    facts->seconds = spk_seconds_now() - start;
    return status;
}

/* The run of levels; the last one is delivered when nothing is counted any more. */
static spk_status run_levels(spk_context *context, gpu_search *s)
{
    double start = spk_seconds_now();
    int threads = s->search->job->threads;
    spk_status status =
        spk_workers_open(context, s->n_devices, threads, NULL, spk_gpus_leave, NULL, &s->workers);
    if (status == SPK_OK) {
        spk_workers_start(s->workers, spk_gpus_enter, NULL); /* while the copy threads start */
        spk_status started =
            gpu_copy_threads_open(context, s->n_devices, threads, &s->copy_threads);
        status = spk_workers_wait(context, s->workers);
        status = status == SPK_OK ? started : status;
    }
    if (status == SPK_OK)
        status =
            csweep_results_open(context, s->device, s->n_devices, s->copy_threads, &s->results);
    if (status == SPK_OK)
        status = send_recording(context, s);
    if (status == SPK_OK)
        status = spk_workers_run(context, s->workers, open_device, s);
    spk_episode_level facts = {.size = 1, .frequent = s->n_lanes};
    facts.candidates = s->events.n_units;
    facts.seconds = spk_seconds_now() - start;
    while (status == SPK_OK && facts.frequent > 0 && facts.size < s->search->max_size) {
        status = next_level(context, s, &facts);
        if (status == SPK_OK)
            spk_progress(context, "sizes counted", facts.size, 0);
    }
    if (status == SPK_OK)
        status = begin_results(context, s, &facts);
    return status == SPK_OK ? csweep_results_deliver(context, s->results, &facts, s->search)
                            : status;
}

/* Nothing fires often enough: a level without episodes. */
static spk_status deliver_nothing(const gpu_search *s)
{
    uint64_t zero = 0;
    spk_episode_level facts = {.size = 1};
    facts.candidates = s->events.n_units;
    spk_episode_columns none = {.offset = &zero, .level = &facts};
    return s->search->deliver(s->search->user, &none);
}

spk_status csweep_mine(spk_context *context, const spk_episode_search *search)
{
    gpu_search *s = NULL;
    spk_status status = spk_alloc_zero(context, &s, 1, "engine 'cuda-sweep'");
    if (status != SPK_OK)
        return status;
    s->search = search;
    s->events = spk_recording_events(search->job->recording);
    s->n_devices = search->job->gpus < MOST_DEVICES ? search->job->gpus : MOST_DEVICES;
    assert(s->n_devices > 0);
    status = find_lanes(context, s);
    if (status == SPK_OK)
        status = s->n_lanes > 0 ? run_levels(context, s) : deliver_nothing(s);
    /* Copy threads are dismissed first and end meanwhile. Devices are closed by the threads that
     * opened them. */
    gpu_copy_threads_dismiss(s->copy_threads);
    if (s->workers != NULL)
        (void)spk_workers_run(NULL, s->workers, close_device, s);
    csweep_results_close(s->results);
    gpu_copy_threads_close(s->copy_threads);
    spk_workers_close(s->workers);
    free(s->lane_unit);
    free(s);
    return status;
}
