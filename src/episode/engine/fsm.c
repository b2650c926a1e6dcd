/*
 * Engine `fsm`: the papers' CPU method (Cao et al., section 7.5). Each of T threads owns 1/T of the
 * episodes and passes the stream once; per unit there is a list of the (episode, position) pairs
 * that wait for it. An event advances the state machines of its unit's list only.
 *
 * State: per episode and position but the last, a ring of time stamps (exact) or one stamp
 * (PreElim). The rings of one thread lie in one block and grow one by one.
 *
 * Layout of an episode a -> b -> c:
 *     position    0               1               2
 *     state       ring of times   ring of times   a count
 *     waits in    list of a       list of b       list of c
 *
 * Invariant: the ring of position p holds, in order of time, where the episode's first p + 1 units
 * can end without a start at or before the last counted end.
 *
 * Cost: an event asks the pairs that wait for its unit, and each of them at most the stamps within
 * hi. Bytes: bytes_per_episode, and more where a ring holds over eight stamps.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "episode/engine/engine.h"

/* A state machine waits at one position for an event of a unit. */
typedef struct waiting {
    uint32_t episode; /* number within the thread's share */
    uint32_t position;
    spk_tick_delay delay; /* from the position before */
} waiting;

typedef struct ring {
    int64_t *time; /* capacity entries, a power of two */
    uint32_t head; /* oldest stamp; indices run freely and are masked */
    uint32_t tail; /* one past the newest */
    uint32_t capacity;
} ring;

/* One thread's share of a block. */
typedef struct share {
    const spk_episode_block *block;
    uint64_t first; /* episodes first .. first + n - 1 of the block */
    uint32_t n;
    uint64_t *waiting_first; /* per unit, into pairs; n_units + 1 entries */
    waiting *pairs;          /* by unit, then episode, then position descending */
    ring *rings;             /* n * size: list of position p of episode e at e * size + p */
    int64_t *newest;         /* PreElim: n * size stamps */
    uint64_t *seen;          /* PreElim: n bit sets of positions that hold a stamp */
    int64_t *last_end;       /* per episode, valid once counted */
    uint64_t *counts;        /* into the caller's array */
} share;

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

/* Rings count with eight stamps, their first capacity. */
static uint64_t bytes_per_episode(uint32_t size)
{
    return size * (sizeof(waiting) + sizeof(ring) + 8 * sizeof(int64_t)) + 24;
}

/* ---- rings of time stamps -------------------------------------------------------------------- */

/* Twice the room, with the stamps in use at its beginning. The capacity stays a power of two, as
 * places are masked. */
static bool ring_grow(ring *r)
{
    uint32_t larger = r->capacity > 0 ? 2 * r->capacity : 8;
    int64_t *time = malloc(larger * sizeof *time);
    if (time == NULL || larger > UINT32_MAX / 4) {
        free(time);
        return false;
    }
    uint32_t n = r->tail - r->head;
    for (uint32_t k = 0; k < n; k++)
        time[k] = r->time[(r->head + k) & (r->capacity - 1)];
    free(r->time);
    *r = (ring){time, 0, n, larger};
    return true;
}

static bool ring_append(ring *r, int64_t time)
{
    if (r->tail - r->head == r->capacity && !ring_grow(r))
        return false;
    r->time[r->tail++ & (r->capacity - 1)] = time;
    return true;
}

/* Drops what is older than hi, then looks from the newest back for a stamp older than lo. */
static bool ring_admits(ring *r, spk_tick_delay delay, int64_t now)
{
    uint32_t mask = r->capacity - 1;
    while (r->head != r->tail && (uint64_t)now - (uint64_t)r->time[r->head & mask] > delay.hi)
        r->head++;
    for (uint32_t k = r->tail; k != r->head; k--) {
        int64_t stamp = r->time[(k - 1) & mask];
        if (stamp < now && (uint64_t)now - (uint64_t)stamp > delay.lo)
            return true;
    }
    return false;
}

/* ---- the machines ---------------------------------------------------------------------------- */

/* waiting_first has two entries more than there are units: share_fill counts two places further. */
static spk_status share_allocate(share *s, uint32_t n_units, bool relaxed)
{
    uint64_t places = (uint64_t)s->n * s->block->size;
    spk_status status =
        spk_alloc_columns(NULL, "fsm", SPK_COLUMN_ZERO(&s->waiting_first, (uint64_t)n_units + 2),
                          SPK_COLUMN(&s->pairs, places), SPK_COLUMN(&s->last_end, s->n));
    if (status != SPK_OK)
        return status;
    return relaxed ? spk_alloc_columns(NULL, "fsm", SPK_COLUMN(&s->newest, places),
                                       SPK_COLUMN_ZERO(&s->seen, s->n))
                   : spk_alloc_zero(NULL, &s->rings, places, "fsm");
}

static void share_free(share *s)
{
    for (uint64_t k = 0; s->rings != NULL && k < (uint64_t)s->n * s->block->size; k++)
        free(s->rings[k].time);
    spk_free_all(s->waiting_first, s->pairs, s->rings, s->newest, s->seen, s->last_end);
}

/* Fills the lists of who waits for a unit, by counting sort. */
static void share_fill(share *s, const spk_episode_job *job, uint32_t n_units)
{
    uint32_t size = s->block->size;
    const uint32_t *unit = s->block->unit + s->first * size;
    const uint16_t *delay = s->block->delay + s->first * size;
    uint64_t *first = s->waiting_first;
    /* Counted two places further: after the sums first[u + 1] is where unit u begins, and after
     * filling where it ends, so that first[u] is its beginning again. */
    for (uint64_t k = 0; k < (uint64_t)s->n * size; k++)
        first[unit[k] + 2]++;
    for (uint32_t u = 0; u < n_units; u++)
        first[u + 2] += first[u + 1];
    for (uint32_t e = 0; e < s->n; e++) {
        /* From the last position down: an event must not serve a position and the one behind it. */
        for (uint32_t p = size; p-- > 0;) {
            uint64_t k = (uint64_t)e * size + p;
            waiting w = {.episode = e, .position = p};
            if (p > 0)
                w.delay = job->delays[delay[k]];
            s->pairs[first[unit[k] + 1]++] = w;
        }
        s->counts[s->first + e] = 0;
    }
}

/* An event at time t, for one pair that waits: it ends an occurrence, continues or begins one, or
 * serves none. False: memory is out. */
static bool advance(share *s, const waiting *w, int64_t t)
{
    uint32_t size = s->block->size;
    ring *list = s->rings + (uint64_t)w->episode * size;
    uint64_t *count = &s->counts[s->first + w->episode];
    if (*count > 0 && t <= s->last_end[w->episode])
        return true;
    if (w->position > 0) {
        ring *before = &list[w->position - 1];
        if (before->head == before->tail || !ring_admits(before, w->delay, t))
            return true;
    }
    if (w->position < size - 1)
        return ring_append(&list[w->position], t);
    (*count)++;
    s->last_end[w->episode] = t;
    for (uint32_t p = 0; p + 1 < size; p++)
        list[p].head = list[p].tail = 0;
    return true;
}

/* One pass over the stream for all episodes of the share. */
static spk_status pass_exact(spk_context *context, const spk_events *events, share *s)
{
    for (uint64_t i = 0; i < events->n_events; i++) {
        const waiting *w = s->pairs + s->waiting_first[events->unit[i]];
        const waiting *end = s->pairs + s->waiting_first[events->unit[i] + 1];
        int64_t t = events->time[i];
        if ((i & 4095) == 0 && spk_context_cancelled(context))
            return SPK_ERR_CANCELLED;
        for (; w < end; w++)
            if (!advance(s, w, t))
                return SPK_ERR_MEMORY;
    }
    return SPK_OK;
}

/* PreElim: see reference.c. An event that completes an occurrence must not also serve a lower
 * position of the same episode: `done` remembers the episode that it completed. */
static spk_status pass_relaxed(spk_context *context, const spk_events *events, share *s)
{
    uint32_t size = s->block->size;
    for (uint64_t i = 0; i < events->n_events; i++) {
        const waiting *w = s->pairs + s->waiting_first[events->unit[i]];
        const waiting *end = s->pairs + s->waiting_first[events->unit[i] + 1];
        int64_t t = events->time[i];
        uint32_t done = UINT32_MAX;
        if ((i & 4095) == 0 && spk_context_cancelled(context))
            return SPK_ERR_CANCELLED;
        for (; w < end; w++) {
            uint32_t p = w->position;
            int64_t *newest = s->newest + (uint64_t)w->episode * size;
            /* Lower bounds are left out, so that the newest event of each position stands for all
             * of them. */
            if (w->episode == done ||
                (p > 0 && ((s->seen[w->episode] >> (p - 1) & 1) == 0 ||
                           (uint64_t)t - (uint64_t)newest[p - 1] > w->delay.hi)))
                continue;
            if (p < size - 1) {
                newest[p] = t;
                s->seen[w->episode] |= (uint64_t)1 << p;
            } else {
                s->counts[s->first + w->episode]++;
                s->seen[w->episode] = 0;
                done = w->episode;
            }
        }
    }
    return SPK_OK;
}

/* Memory of a share lives as long as its pass. */
static spk_status run_share(spk_context *context, const spk_episode_job *job, share *s,
                            bool relaxed)
{
    spk_events events = spk_recording_events(job->recording);
    spk_status status = share_allocate(s, events.n_units, relaxed);
    if (status == SPK_OK) {
        share_fill(s, job, events.n_units);
        status = relaxed ? pass_relaxed(context, &events, s) : pass_exact(context, &events, s);
    }
    share_free(s);
    return status;
}

static spk_status run(spk_context *context, const spk_episode_job *job,
                      const spk_episode_block *block, uint64_t *counts, bool relaxed)
{
    /* More shares than threads where a share would number its episodes beyond 32 bits. */
    uint64_t n_shares = (uint64_t)job->threads + block->n / (UINT32_MAX / 2);
    spk_status result = SPK_OK;
#pragma omp parallel for num_threads(job->threads) schedule(static, 1)
    for (uint64_t k = 0; k < n_shares; k++) {
        uint64_t first =
            block->n / n_shares * k + (k < block->n % n_shares ? k : block->n % n_shares);
        uint64_t n = block->n / n_shares + (k < block->n % n_shares);
        share s = {.block = block, .first = first, .n = (uint32_t)n, .counts = counts};
        spk_status status = n > 0 ? run_share(context, job, &s, relaxed) : SPK_OK;
        if (status != SPK_OK) {
#pragma omp critical(spk_fsm_status)
            result = status;
        }
    }
    if (result == SPK_ERR_MEMORY)
        return spk_fail(context, result,
                        "engine 'fsm': out of memory for its state machines; set "
                        "--max-memory so that it works in smaller blocks");
    return result == SPK_OK ? spk_check_cancel(context) : spk_fail(context, result, "interrupted");
}

static spk_status count(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return run(context, state, block, counts, false);
}

static spk_status bound(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return run(context, state, block, counts, true);
}

const spk_episode_engine spk_episode_engine_fsm = {
    .open = open_job,
    .count = count,
    .bound = bound,
    .bytes_per_episode = bytes_per_episode,
    .close = close_job,
};
