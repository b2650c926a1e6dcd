/*
 * Engine `reference`: Algorithm 1 of the papers (Cao et al., section 5), one pass over the stream
 * for every episode. It is the specification: short, obvious, slow.
 *
 * Per position a list of time stamps. An event looks, last position first, for a stamp of the
 * position before it within the delay interval; at the last position that is a counted occurrence
 * and all lists are emptied, elsewhere the event's time is appended. Stamps older than hi are
 * dropped. After a count at time t nothing at t or before may start or continue an occurrence: the
 * next one must start strictly later.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/engine.h"

typedef struct stamps {
    int64_t *time;
    uint64_t first; /* the stamps in use: time[first .. n - 1], ascending */
    uint64_t n;
    uint64_t capacity;
} stamps;

/* One episode of a block. */
typedef struct machine {
    uint32_t size;
    const uint32_t *unit;
    spk_tick_delay delay[SPK_EPISODE_MAX_SIZE]; /* delay[p] leads to position p */
    stamps list[SPK_EPISODE_MAX_SIZE];
} machine;

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **state)
{
    (void)context;
    *state = (void *)job;
    return SPK_OK;
}

static void close_job(void *state)
{
    (void)state;
}

static void drop_old(stamps *list, int64_t now, uint64_t hi)
{
    while (list->first < list->n && (uint64_t)now - (uint64_t)list->time[list->first] > hi)
        list->first++;
}

static spk_status append(spk_context *context, stamps *list, int64_t time)
{
    if (list->n == list->capacity && list->first > list->capacity / 2) {
        memmove(list->time, list->time + list->first, (list->n - list->first) * sizeof(int64_t));
        list->n -= list->first;
        list->first = 0;
    }
    spk_status status = spk_grow(context, &list->time, &list->capacity, list->n + 1, "time stamps");
    if (status == SPK_OK)
        list->time[list->n++] = time;
    return status;
}

static bool has_predecessor(const stamps *list, spk_tick_delay delay, int64_t time)
{
    for (uint64_t k = list->n; k > list->first; k--)
        if (spk_tick_delay_admits(delay, list->time[k - 1], time))
            return true;
    return false;
}

static void empty_lists(machine *m)
{
    for (uint32_t p = 0; p < m->size; p++)
        m->list[p].first = m->list[p].n = 0;
}

/* Passes over the events before *from, and leaves there the first one that is later than the last
 * counted end. */
static spk_status count_exactly(spk_context *context, const spk_events *events, machine *m,
                                uint64_t *from, uint64_t *count)
{
    spk_status status = SPK_OK;
    *count = 0;
    int64_t last_end = 0;
    for (uint64_t i = *from; i < events->n_events && status == SPK_OK; i++) {
        int64_t t = events->time[i];
        if (*count > 0 && t <= last_end)
            continue;
        /* From the last position down: an event never follows itself where its unit stands twice.
         * Occurrences do not overlap: what is not later than the last end serves none. */
        for (uint32_t p = m->size; p-- > 0 && status == SPK_OK;) {
            if (m->unit[p] != events->unit[i])
                continue;
            if (p > 0) {
                drop_old(&m->list[p - 1], t, m->delay[p].hi);
                if (!has_predecessor(&m->list[p - 1], m->delay[p], t))
                    continue;
            }
            if (p == m->size - 1) {
                (*count)++;
                last_end = t;
                empty_lists(m);
                break;
            }
            status = append(context, &m->list[p], t);
        }
    }
    while (*count > 0 && *from < events->n_events && events->time[*from] <= last_end)
        (*from)++;
    return status;
}

/* PreElim (section 5.2, Algorithm 3): only upper limits, so the newest stamp per position is
 * enough. With ties that stamp may carry the present time; a delay of 0 is accepted, which keeps
 * the result an upper bound. For the same reason a new occurrence may start where the last one
 * ended. Passes over the events before *from, and leaves there the one behind that end. */
static uint64_t count_relaxed(const spk_events *events, const machine *m, uint64_t *from)
{
    uint64_t count = 0;
    int64_t newest[SPK_EPISODE_MAX_SIZE];
    uint64_t seen = 0; /* bit p: newest[p] holds a stamp */
    for (uint64_t i = *from; i < events->n_events; i++) {
        int64_t t = events->time[i];
        for (uint32_t p = m->size; p-- > 0;) {
            if (m->unit[p] != events->unit[i])
                continue;
            if (p > 0 && ((seen >> (p - 1) & 1) == 0 ||
                          (uint64_t)t - (uint64_t)newest[p - 1] > m->delay[p].hi))
                continue;
            if (p == m->size - 1) {
                count++;
                seen = 0;
                *from = i + 1; /* the loop has read it */
                break;
            }
            newest[p] = t;
            seen |= (uint64_t)1 << p;
        }
    }
    return count;
}

static void set_episode(machine *m, const spk_episode_job *job, const spk_episode_block *block,
                        uint64_t k)
{
    m->size = block->size;
    m->unit = block->unit + k * block->size;
    for (uint32_t p = 1; p < block->size; p++)
        m->delay[p] = job->delays[block->delay[k * block->size + p]];
    empty_lists(m);
}

/* free_from: as spk_episode_engine.resume has it; NULL: from the beginning. */
static spk_status run(spk_context *context, const spk_episode_job *job,
                      const spk_episode_block *block, uint64_t *free_from, uint64_t *counts,
                      bool relaxed)
{
    spk_events events = spk_recording_events(job->recording);
    spk_status result = SPK_OK;
#pragma omp parallel num_threads(job->threads)
    {
        /* One machine a thread: its lists grow once, and serve all of the thread's episodes. */
        machine m = {.size = 0};
        spk_status status = SPK_OK;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t k = 0; k < block->n; k++) {
            if (status != SPK_OK || spk_context_cancelled(context))
                continue;
            uint64_t from = free_from != NULL ? free_from[k] : 0;
            set_episode(&m, job, block, k);
            if (relaxed)
                counts[k] = count_relaxed(&events, &m, &from);
            else
                status = count_exactly(NULL, &events, &m, &from, &counts[k]);
            if (free_from != NULL)
                free_from[k] = from;
        }
        for (uint32_t p = 0; p < SPK_EPISODE_MAX_SIZE; p++)
            free(m.list[p].time);
        if (status != SPK_OK) {
#pragma omp critical(spk_reference_status)
            result = status;
        }
    }
    if (result != SPK_OK)
        return spk_fail(context, result, "engine 'reference': out of memory for time stamps");
    return spk_check_cancel(context);
}

static spk_status count(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return run(context, state, block, NULL, counts, false);
}

static spk_status resume(spk_context *context, void *state, const spk_episode_block *block,
                         uint64_t *free_from, uint64_t *counts)
{
    return run(context, state, block, free_from, counts, false);
}

static spk_status bound(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return run(context, state, block, NULL, counts, true);
}

static spk_status resume_bound(spk_context *context, void *state, const spk_episode_block *block,
                               uint64_t *free_from, uint64_t *counts)
{
    return run(context, state, block, free_from, counts, true);
}

const spk_episode_engine spk_episode_engine_reference = {
    .open = open_job,
    .count = count,
    .resume = resume,
    .bound = bound,
    .resume_bound = resume_bound,
    .close = close_job,
};
