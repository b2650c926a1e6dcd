/*
 * The smallest episode engine: for every position the events at which a partial occurrence can end,
 * each with its latest start; then greedily by earliest end. tools/check-engine-list.sh adds it to
 * a copy of the tree. MISTAKE is there to see that the tests notice a wrong engine.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "episode/engine/engine.h"

enum { MISTAKE = 0 };

/* Partial occurrences of the positions so far: ends ascend, and so do their latest starts. */
typedef struct partial {
    uint64_t n;
    int64_t *end;
    int64_t *start;
} partial;

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **state)
{
    (void)context;
    *state = (void *)job;
    return SPK_OK;
}

static void close_job(void *state)
{
    (void)state; /* the caller's */
}

static void extend(const spk_events *events, uint32_t unit, spk_tick_delay delay,
                   const partial *from, partial *to)
{
    uint64_t near = 0; /* ends more than delay.lo before t */
    to->n = 0;
    for (uint64_t k = events->unit_first[unit]; k < events->unit_first[unit + 1]; k++) {
        int64_t t = events->time[events->by_unit[k]];
        while (near < from->n && from->end[near] < t &&
               (uint64_t)t - (uint64_t)from->end[near] > delay.lo)
            near++;
        if (near == 0 || !spk_tick_delay_admits(delay, from->end[near - 1], t))
            continue;
        to->end[to->n] = t;
        to->start[to->n++] = from->start[near - 1];
    }
}

static uint64_t count_one(const spk_episode_job *job, const spk_events *events, uint32_t size,
                          const uint32_t *unit, const uint16_t *delay, partial *a, partial *b)
{
    uint64_t count = 0;
    int64_t last_end = 0;
    a->n = 0;
    for (uint64_t k = events->unit_first[unit[0]]; k < events->unit_first[unit[0] + 1]; k++)
        a->end[a->n] = a->start[a->n] = events->time[events->by_unit[k]], a->n++;
    for (uint32_t p = 1; p < size; p++) {
        extend(events, unit[p], job->delays[delay[p]], a, b);
        partial other = *a;
        *a = *b;
        *b = other;
    }
    for (uint64_t k = 0; k < a->n; k++) {
        if (count > 0 && a->start[k] <= last_end)
            continue;
        last_end = a->end[k];
        count++;
    }
    return count;
}

static spk_status count(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    const spk_episode_job *job = state;
    spk_events events = spk_recording_events(job->recording);
    partial a = {.n = 0};
    partial b = {.n = 0};
    uint64_t most = events.n_events;
    spk_status status = spk_alloc_columns(context, "occurrences", SPK_COLUMN(&a.end, most),
                                          SPK_COLUMN(&a.start, most), SPK_COLUMN(&b.end, most),
                                          SPK_COLUMN(&b.start, most));
    for (uint64_t k = 0; k < block->n && status == SPK_OK; k++) {
        counts[k] = count_one(job, &events, block->size, block->unit + k * block->size,
                              block->delay + k * block->size, &a, &b) +
                    MISTAKE;
        status = spk_check_cancel(context);
    }
    free(a.end);
    free(a.start);
    free(b.end);
    free(b.start);
    return status;
}

const spk_episode_engine spk_episode_engine_dummy = {
    .open = open_job,
    .count = count,
    .close = close_job,
};
