/*
 * What a search looks at between two nodes: whether it shall end, and, where processes share the
 * search, whether one of them waits. Then all leave what they have not begun, and share it anew.
 *
 * Invariant: what is left and who cuts is written under the lock; looks read two numbers without
 * it, and one that is out of date only comes later. Cost: a look every LOOK_NODES nodes, a question
 * to the others once an interval of work.
 */
#include "base/memory.h"
#include "pattern/engine/bitmap/schedule.h"

enum { LOOK_NODES = 4 }; /* between two looks */

/* Work between two questions whether others wait: a part of what this process has done, so that all
 * do nearly the same. The longer a process works, the more rarely it asks. */
enum { LEAST_INTERVAL = 256, INTERVALS = 128 };

void spk_bitmap_tell_work(spk_bitmap_schedule *schedule, spk_bitmap_search *search)
{
    const spk_pattern_share *share = schedule->share;
    uint64_t steps = search->steps - search->told_steps, seen = search->seen - search->told_seen;
    if (share != NULL && share->worked != NULL)
        share->worked(share->user, steps, seen);
    search->told_steps = search->steps;
    search->told_seen = search->seen;
    schedule->done += steps + seen;
    uint64_t interval = schedule->done / INTERVALS;
    __atomic_store_n(&schedule->interval, interval > LEAST_INTERVAL ? interval : LEAST_INTERVAL,
                     __ATOMIC_RELAXED);
}

/* Takes all pieces that are left, only to leave them again: others then find none, and all exchange
 * what they have. */
static spk_status empty_counter(spk_bitmap_schedule *schedule)
{
    const spk_pattern_share *share = schedule->share;
    for (;;) {
        /* The counter is of all ranks: what this one takes nobody else gets, so that it must be
         * left again. */
        uint64_t taken = 0, at = 0;
        spk_status status = share->next(share->user, &taken);
        if (status != SPK_OK || taken >= schedule->pieces->n)
            return status;
        const spk_bitmap_piece *piece = &schedule->pieces->piece[schedule->pieces->order[taken]];
        const spk_bitmap_branch *branch = &schedule->branches->branch[piece->branch];
        status =
            spk_bitmap_branch_open(schedule->context, &schedule->left, branch, NULL, 0, NULL, &at);
        for (uint32_t c = piece->begin; c < piece->end && status == SPK_OK; c++) {
            const uint64_t *chunk = branch->chunk + 3 * (uint64_t)c;
            status = spk_bitmap_branch_add(schedule->context, &schedule->left, at, chunk[0],
                                           chunk[1], chunk[2]);
        }
        if (status != SPK_OK)
            return status;
    }
}

/* Asks whether the counter has gone past the last piece: somebody waits then. */
static void ask(spk_bitmap_schedule *schedule, spk_bitmap_search *search)
{
    const spk_pattern_share *share = schedule->share;
    uint64_t taken = 0;
    pthread_mutex_lock(&schedule->lock);
    spk_bitmap_tell_work(schedule, search);
    spk_status status = SPK_OK;
    if (share->full != NULL && share->full(share->user))
        status = empty_counter(schedule);
    if (status == SPK_OK)
        status = share->look(share->user, &taken);
    if (status != SPK_OK)
        spk_bitmap_stop(schedule, status);
    else if (taken > schedule->pieces->n)
        __atomic_store_n(&schedule->cutting, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&schedule->lock);
}

bool spk_bitmap_ended(spk_bitmap_search *search)
{
    if (search->status == SPK_OK && spk_context_cancelled(search->schedule->context))
        search->status = SPK_ERR_CANCELLED;
    return search->status != SPK_OK ||
           __atomic_load_n(&search->schedule->stopped, __ATOMIC_RELAXED) != 0;
}

static void look(spk_bitmap_search *search)
{
    spk_bitmap_schedule *schedule = search->schedule;
    if (spk_bitmap_ended(search) || schedule->share == NULL || schedule->share->look == NULL ||
        search->cut)
        return;
    uint64_t done = search->steps + search->seen - search->told_steps - search->told_seen;
    if (done >= __atomic_load_n(&schedule->interval, __ATOMIC_RELAXED))
        ask(schedule, search);
    search->cut = __atomic_load_n(&schedule->cutting, __ATOMIC_RELAXED) != 0;
}

bool spk_bitmap_stopped(spk_bitmap_search *search)
{
    if (search->status != SPK_OK)
        return true;
    if (search->steps++ % LOOK_NODES == 0)
        look(search);
    return search->status != SPK_OK ||
           __atomic_load_n(&search->schedule->stopped, __ATOMIC_RELAXED) != 0;
}

/* Extensions begin .. end - 1 as a chunk each: little work may hang on many of them, and much on
 * one. Those that are dead are left out. */
static spk_status leave_extensions(spk_bitmap_search *search, const spk_bitmap_node *node,
                                   uint32_t begin, uint32_t end, uint64_t cost, uint64_t at)
{
    spk_bitmap_schedule *schedule = search->schedule;
    spk_status status = SPK_OK;
    for (uint32_t e = begin; e < end && status == SPK_OK; e++) {
        uint32_t k = node->n_excluded + e;
        if ((node->alive[k / 64] >> (k % 64) & 1) != 0)
            status = spk_bitmap_branch_add(schedule->context, &schedule->left, at, e, e + 1,
                                           cost > 0 ? cost : schedule->kernels->pairs(node, e));
    }
    return status;
}

void spk_bitmap_leave(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t begin,
                      uint32_t end, uint64_t cost)
{
    spk_bitmap_schedule *schedule = search->schedule;
    uint64_t at = 0;
    pthread_mutex_lock(&schedule->lock);
    uint64_t before = schedule->left.n;
    if (cost == 0 && !node->kept)
        cost = SPK_BITMAP_CHUNK_PAIRS;
    spk_status status = spk_bitmap_branch_open(schedule->context, &schedule->left, search->branch,
                                               search->level, search->depth, node, &at);
    if (status == SPK_OK)
        status = leave_extensions(search, node, begin, end, cost, at);
    if (status == SPK_OK && schedule->left.word[at] == 0) /* all that is left is dead */
        schedule->left.n = before;
    if (status != SPK_OK)
        spk_bitmap_stop(schedule, status);
    pthread_mutex_unlock(&schedule->lock);
}

void spk_bitmap_leave_chunks(spk_bitmap_schedule *schedule, spk_bitmap_work *work)
{
    spk_context *context = schedule->context;
    uint64_t at = 0;
    spk_status status =
        spk_bitmap_branch_open(context, &schedule->left, work->branch, NULL, 0, work->node, &at);
    for (uint32_t c = work->next_chunk; c < work->n_chunks && status == SPK_OK; c++)
        status = spk_bitmap_branch_add(context, &schedule->left, at, work->chunk[c].begin,
                                       work->chunk[c].end, work->chunk[c].cost);
    work->n_chunks = work->next_chunk;
    if (status != SPK_OK)
        spk_bitmap_stop(schedule, status);
    spk_bitmap_drain(schedule);
}
