/* The tree of common beginnings: making it. */
#include "live/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/label.h"
#include "base/memory.h"
#include "base/random.h"

/* ---- units ----------------------------------------------------------------------------------- */

void watch_units_clear(watch_units *units)
{
    spk_labels_clear(&units->labels);
    spk_holding_release(&units->holding);
    free(units->stream_unit);
    free(units->own);
    *units = (watch_units){.n_met = 0};
}

spk_status watch_units_number(spk_context *context, watch_units *units, const char *label,
                              uint32_t *number)
{
    uint32_t n = units->labels.n;
    spk_status status = spk_grow(context, &units->stream_unit, &units->stream_unit_capacity,
                                 (uint64_t)n + 1, "watched units");
    if (status == SPK_OK)
        status = spk_labels_intern(context, &units->labels, label, strlen(label), number);
    if (status == SPK_OK && *number == n) {
        units->stream_unit[n] = UINT32_MAX;
        units->n_met = 0; /* the stream may have it already */
    }
    return status;
}

/* A list may say 38 where the stream says 38.0, since recordings do. */
static bool find_watched(const spk_labels *labels, const char *label, uint32_t *own)
{
    char alias[SPK_LABEL_NUMBER];
    return labels->n > 0 &&
           (spk_labels_find(labels, label, strlen(label), own) ||
            (spk_label_alias(label, alias) && spk_labels_find(labels, alias, strlen(alias), own)));
}

spk_status watch_units_meet(spk_context *context, watch_units *units, const spk_live_stream *stream)
{
    uint32_t n = spk_live_stream_n_units(stream);
    if (n == units->n_met)
        return SPK_OK;
    const spk_stage stage = spk_stage_open(context);
    spk_status status = spk_grow(context, &units->own, &units->own_capacity, n, "watched units");
    spk_stage_keep(context, &stage, &units->holding);
    for (uint32_t u = units->n_met; u < n && status == SPK_OK; u++) {
        const char *label = spk_live_stream_label(stream, u);
        uint32_t own = UINT32_MAX;
        if (find_watched(&units->labels, label, &own))
            units->stream_unit[own] = u;
        else
            own = UINT32_MAX;
        units->own[u] = own;
        units->n_met = u + 1;
    }
    return status;
}

/* ---- queues ---------------------------------------------------------------------------------- */

enum { FIRST_CAPACITY = 2, MAX_CAPACITY = 1 << 30 };

static spk_status enlarge(spk_context *context, spk_holding *holding, watch_queue *queue)
{
    uint32_t capacity = queue->capacity == 0 ? FIRST_CAPACITY : queue->capacity * 2;
    int64_t *chain = NULL;
    if (capacity > MAX_CAPACITY)
        return spk_fail(context, SPK_ERR_RANGE,
                        "more than %d spikes of a unit within the lower bound of a watched "
                        "interval; take a shorter one",
                        MAX_CAPACITY);
    const spk_stage stage = spk_stage_open(context);
    spk_status status =
        spk_alloc(context, &chain, (uint64_t)capacity * queue->depth, "partial occurrences");
    for (uint32_t k = 0; k < queue->n && status == SPK_OK; k++)
        memcpy(chain + (uint64_t)k * queue->depth, watch_queue_at(queue, k),
               queue->depth * sizeof *chain);
    if (status == SPK_OK)
        spk_free(context, queue->chain);
    spk_stage_keep(context, &stage, holding);
    if (status != SPK_OK)
        return status;
    queue->chain = chain;
    queue->capacity = capacity;
    queue->first = 0;
    return SPK_OK;
}

spk_status watch_queue_push(spk_context *context, spk_holding *holding, watch_queue *queue,
                            uint64_t segment, const int64_t *before, int64_t time)
{
    if (queue->segment != segment) {
        queue->segment = segment;
        queue->n = 0;
    }
    if (queue->n == queue->capacity) {
        if (queue->n > 0)
            watch_queue_drop(queue, time);
        spk_status status = queue->n == queue->capacity ? enlarge(context, holding, queue) : SPK_OK;
        if (status != SPK_OK)
            return status;
    }
    int64_t *chain = watch_queue_at(queue, queue->n);
    for (uint32_t p = 0; p + 1 < queue->depth; p++)
        chain[p] = before[p];
    chain[queue->depth - 1] = time;
    queue->newest = time;
    queue->n++;
    return SPK_OK;
}

/* ---- the trie -------------------------------------------------------------------------------- */

static const char WHAT[] = "watched episodes";

void watch_trie_clear(watch_trie *trie)
{
    spk_holding_release(&trie->holding);
    for (uint64_t k = 0; k < trie->n_queues; k++)
        free(trie->queue[k].chain);
    for (uint64_t k = 0; k < trie->n_ends; k++)
        watch_recent_clear(&trie->end[k].recent);
    spk_free_all(trie->node, trie->slot, trie->queue, trie->end, trie->episode, trie->unit,
                 trie->delay, trie->first_step, trie->step);
    *trie = (watch_trie){.n_nodes = 0};
}

spk_status watch_trie_delay(spk_context *context, watch_trie *trie, spk_tick_delay delay,
                            uint32_t *number)
{
    for (uint64_t d = 0; d < trie->n_delays; d++)
        if (trie->delay[d].lo == delay.lo && trie->delay[d].hi == delay.hi) {
            *number = (uint32_t)d;
            return SPK_OK;
        }
    spk_status status =
        spk_grow(context, &trie->delay, &trie->delay_capacity, trie->n_delays + 1, WHAT);
    if (status == SPK_OK) {
        *number = (uint32_t)trie->n_delays;
        trie->delay[trie->n_delays++] = delay;
    }
    return status;
}

/* ---- nodes by what they are ------------------------------------------------------------------ */

/* The slot of a node, or the empty one where it belongs. */
static uint32_t *find_slot(const watch_trie *trie, uint32_t parent, uint32_t delay, uint32_t unit)
{
    uint64_t mask = trie->n_slots - 1;
    uint64_t k = spk_mix(spk_hash((uint64_t)parent << 32 | unit) + delay) & mask;
    for (; trie->slot[k] != 0; k = (k + 1) & mask) {
        const watch_node *node = &trie->node[trie->slot[k] - 1];
        if (node->parent == parent && node->delay == delay && node->unit == unit)
            break;
    }
    return &trie->slot[k];
}

static spk_status reserve_slots(spk_context *context, watch_trie *trie)
{
    if (trie->n_slots >= 2 * (trie->n_nodes + 1))
        return SPK_OK;
    uint64_t n_slots = trie->n_slots == 0 ? 64 : trie->n_slots * 2;
    uint32_t *slot = NULL;
    spk_status status = spk_alloc_zero(context, &slot, n_slots, WHAT);
    if (status != SPK_OK)
        return status;
    free(trie->slot);
    trie->slot = slot;
    trie->n_slots = n_slots;
    for (uint64_t k = 0; k < trie->n_nodes; k++) {
        const watch_node *node = &trie->node[k];
        *find_slot(trie, node->parent, node->delay, node->unit) = (uint32_t)k + 1;
    }
    return SPK_OK;
}

/* ---- queues ---------------------------------------------------------------------------------- */

static uint32_t find_queue(const watch_trie *trie, uint32_t node, spk_tick_delay delay)
{
    uint32_t k = trie->node[node].first_queue;
    while (k != WATCH_NONE && (trie->queue[k].lo != delay.lo || trie->queue[k].hi != delay.hi))
        k = trie->queue[k].next;
    return k;
}

/* The queue of a node for an interval. */
static spk_status get_queue(spk_context *context, watch_trie *trie, uint32_t node, uint32_t delay,
                            uint32_t *number)
{
    *number = find_queue(trie, node, trie->delay[delay]);
    if (*number != WATCH_NONE)
        return SPK_OK;
    spk_status status =
        spk_grow(context, &trie->queue, &trie->queue_capacity, trie->n_queues + 1, WHAT);
    if (status != SPK_OK)
        return status;
    *number = (uint32_t)trie->n_queues++;
    trie->queue[*number] = (watch_queue){.lo = trie->delay[delay].lo,
                                         .hi = trie->delay[delay].hi,
                                         .depth = trie->node[node].depth,
                                         .next = trie->node[node].first_queue};
    trie->node[node].first_queue = *number;
    trie->n_stepped = 0; /* a node has one queue more */
    return SPK_OK;
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* The node that continues `parent`, a new one where there is none. */
static spk_status get_node(spk_context *context, watch_trie *trie, uint32_t parent, uint32_t delay,
                           uint32_t unit, uint32_t *number)
{
    uint32_t from = WATCH_NONE;
    spk_status status = reserve_slots(context, trie);
    if (status != SPK_OK)
        return status;
    uint32_t *slot = find_slot(trie, parent, delay, unit);
    if (*slot != 0) {
        *number = *slot - 1;
        return SPK_OK;
    }
    if (trie->n_nodes >= UINT32_MAX - 1)
        return spk_fail(context, SPK_ERR_RANGE, "more watched episodes than 32 bit number");
    status = spk_grow(context, &trie->node, &trie->node_capacity, trie->n_nodes + 1, WHAT);
    if (status == SPK_OK && parent != WATCH_NONE)
        status = get_queue(context, trie, parent, delay, &from);
    if (status != SPK_OK)
        return status;
    *number = (uint32_t)trie->n_nodes++;
    *slot = *number + 1;
    trie->node[*number] =
        (watch_node){.parent = parent,
                     .delay = delay,
                     .unit = unit,
                     .depth = parent == WATCH_NONE ? 1 : trie->node[parent].depth + 1,
                     .from = from,
                     .first_queue = WATCH_NONE,
                     .end = WATCH_NONE};
    return SPK_OK;
}

static spk_status get_end(spk_context *context, watch_trie *trie, uint32_t node, uint32_t *number)
{
    *number = trie->node[node].end;
    if (*number != WATCH_NONE)
        return SPK_OK;
    spk_status status = spk_grow(context, &trie->end, &trie->end_capacity, trie->n_ends + 1, WHAT);
    if (status != SPK_OK)
        return status;
    *number = (uint32_t)trie->n_ends++;
    trie->end[*number] = (watch_end){.size = trie->node[node].depth, .first_item = WATCH_NONE};
    trie->node[node].end = *number;
    trie->n_stepped = 0;
    return SPK_OK;
}

spk_status watch_trie_add(spk_context *context, watch_trie *trie, uint32_t size,
                          const uint32_t *unit, const uint32_t *delay)
{
    uint32_t node = WATCH_NONE, end = WATCH_NONE;
    spk_status status =
        spk_grow(context, &trie->episode, &trie->episode_capacity, trie->n_episodes + 1, WHAT);
    if (status == SPK_OK)
        status = spk_grow(context, &trie->unit, &trie->unit_capacity, trie->n_units + size, WHAT);
    for (uint32_t p = 0; p < size && status == SPK_OK; p++)
        status =
            get_node(context, trie, node, p == 0 ? trie->generation : delay[p], unit[p], &node);
    if (status == SPK_OK)
        status = get_end(context, trie, node, &end);
    if (status != SPK_OK)
        return status;
    uint32_t *link = trie->end[end].first_item == WATCH_NONE
                         ? &trie->end[end].first_item
                         : &trie->episode[trie->end[end].last_item].next;
    *link = trie->end[end].last_item = (uint32_t)trie->n_episodes++;
    trie->episode[*link] =
        (watch_episode){.end = end, .next = WATCH_NONE, .first_unit = trie->n_units};
    memcpy(trie->unit + trie->n_units, unit, size * sizeof *unit);
    trie->n_units += size;
    return SPK_OK;
}

void watch_trie_begin_generation(watch_trie *trie)
{
    trie->generation++;
}

static void empty_queues(spk_context *context, watch_trie *trie, uint32_t first)
{
    for (uint32_t q = first; q != WATCH_NONE; q = trie->queue[q].next) {
        spk_free(context, trie->queue[q].chain);
        trie->queue[q].chain = NULL;
        trie->queue[q].n = trie->queue[q].capacity = 0;
    }
}

void watch_trie_stop(spk_context *context, watch_trie *trie, uint64_t item)
{
    const spk_stage stage = spk_stage_open(context);
    uint32_t node = 0;
    while (trie->node[node].end != trie->episode[item].end)
        node++;
    for (; node != WATCH_NONE; node = trie->node[node].parent) {
        trie->node[node].over = true;
        empty_queues(context, trie, trie->node[node].first_queue);
    }
    spk_stage_keep(context, &stage, &trie->holding);
    trie->episode[item].over = true;
    trie->n_stepped = 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

spk_status watch_trie_lay_out(spk_context *context, watch_trie *trie, uint32_t n_units)
{
    if (trie->n_stepped == trie->n_nodes && trie->n_first == n_units)
        return SPK_OK;
    uint32_t *first = NULL;
    watch_step *step = NULL;
    spk_status status =
        spk_alloc_columns(context, WHAT, SPK_COLUMN_ZERO(&first, (uint64_t)n_units + 2),
                          SPK_COLUMN(&step, trie->n_nodes));
    if (status != SPK_OK)
        return status;
    /* Counting sort; counts stand two places on, so that filling leaves the starts in place. */
    for (uint64_t k = 0; k < trie->n_nodes; k++)
        first[trie->node[k].unit + 2] += !trie->node[k].over;
    for (uint32_t u = 2; u < n_units + 2; u++)
        first[u] += first[u - 1];
    for (uint64_t k = 0; k < trie->n_nodes; k++) {
        const watch_node *node = &trie->node[k];
        if (!node->over)
            step[first[node->unit + 1]++] = (watch_step){node->from, node->first_queue, node->end};
    }
    free(trie->first_step);
    free(trie->step);
    trie->first_step = first;
    trie->step = step;
    trie->n_first = n_units;
    trie->n_stepped = trie->n_nodes;
    return SPK_OK;
}
