/*
 * cuda-bitmap: the search below one task, a root or a root with one item. One warp owns a task; its
 * branches lie one behind the other in the warp's arena, where the search goes back step by step.
 * What does not fit there is left for a warp with a larger arena, and what has no room in the
 * output for the next round. Both begin the task anew and leave out what was reported.
 */
#ifndef SPK_PATTERN_ENGINE_CUDA_SEARCH_H
#define SPK_PATTERN_ENGINE_CUDA_SEARCH_H

#include "pattern/engine/cuda/report.h"

/* A branch in work, where it begins in the arena. */
typedef struct cp_frame {
    cp_node node;
    uint64_t before; /* the place of the frame before it; UINT64_MAX: none */
    uint32_t next;   /* step, and where they end */
    uint32_t end;
} cp_frame;

enum { CP_FRAME_WORDS = (sizeof(cp_frame) + 15) / 16 * 4, CP_VERY_LARGE = 6 };

/* The windows that hold item e. */
SPK_SHARED void cp_list_windows(const cp_node *from, uint32_t e, uint32_t *window)
{
    uint32_t n = 0;
    for (uint32_t k = cp_lane(); k < cp_whole(from->n_windows); k += CP_LANES) {
        const bool has = k < from->n_windows &&
                         (from->column[(uint64_t)(k / 32) * from->stride + e] >> k % 32 & 1) != 0;
        const uint32_t at = cp_append(has, &n);
        if (has)
            window[at] = from->window[k];
    }
    cp_sync();
}

/* The set with item e: its windows, units and, in lists, what they have in common. False where
 * nothing new lies below. */
SPK_SHARED bool cp_add_item(cp_search *s, const cp_node *from, uint32_t e, cp_node *child)
{
    const cp_view *v = s->v;
    const uint32_t code = from->code[e], unit = v->unit_of[cp_number(code)];
    uint32_t *at = s->arena + s->used;
    child->window = at;
    child->units = at + child->n_windows;
    child->common = child->units + v->words;
    cp_list_windows(from, e, child->window);
    if (v->listing) {
        cp_find_common(v, child->window, child->n_windows, 0, child->common, v->n_lags * v->words);
        if (!cp_is_new(v, child->common, from->common, code))
            return false;
        const cp_sizes sizes = cp_measure(v, child->common, child->units);
        child->size = sizes.size;
        child->neurons = sizes.neurons;
        cp_report(s, child->window, child->n_windows, child->common, sizes);
        return true;
    }
    for (uint32_t u = cp_lane(); u < v->words; u += CP_LANES)
        child->units[u] = from->units[u] | (u == unit / 32 ? UINT32_C(1) << unit % 32 : 0);
    cp_sync();
    s->used += child->n_windows + v->words; /* scratch lies behind them */
    cp_settle_count(s, child);
    return true;
}

/* Items of the branch below item e that share enough windows with it: their numbers, into `index`.
 * Returns how many; *units: of how many units that are not in the set. */
SPK_SHARED uint32_t cp_choose(const cp_view *v, const cp_node *from, uint32_t e,
                              const cp_node *child, uint32_t least, uint32_t *index,
                              uint32_t *units)
{
    const uint32_t own = from->code[e];
    uint32_t n = 0, n_units = 0, last = UINT32_MAX;
    /* In lists an item of lag 0 comes before all others, wherever it stands; else items behind e
     * do. */
    for (uint32_t k = (v->listing ? 0 : e + 1) + cp_lane(), j = 0;
         j < cp_whole(from->n - (v->listing ? 0 : e + 1)); k += CP_LANES, j += CP_LANES) {
        const uint32_t code = k < from->n ? from->code[k] : own;
        bool keep = k < from->n && cp_later(v, own, code) && cp_fit(v, own, code);
        if (keep) {
            const uint32_t both =
                cp_count_both(from->column + k, from->column + e, from->words, from->stride);
            keep = both >= least && !(v->listing && both == child->n_windows);
        }
        const uint32_t at = cp_append(keep, &n);
        if (keep)
            index[at] = k;
    }
    cp_sync();
    for (uint32_t k = cp_lane(); k < n; k += CP_LANES) {
        const uint32_t number = cp_number(from->code[index[k]]), unit = v->unit_of[number];
        last = k > 0 ? cp_number(from->code[index[k - 1]]) : UINT32_MAX;
        n_units += number != last && (child->units[unit / 32] >> unit % 32 & 1) == 0;
    }
    *units = cp_sum(n_units);
    return n;
}

/* Codes and columns of the chosen items: the bits of e's windows are pushed together. */
SPK_SHARED void cp_gather(const cp_node *from, uint32_t e, cp_node *child)
{
    for (uint32_t k = cp_lane(); k < child->n; k += CP_LANES) {
        const uint32_t index = child->code[k];
        uint32_t word = 0, n = 0;
        uint32_t *to = child->column + k;
        for (uint32_t w = 0; w < from->words; w++) {
            /* Bit i of the column is the i-th window of item e. */
            const uint32_t bits = from->column[(uint64_t)w * from->stride + index];
            for (uint32_t own = from->column[(uint64_t)w * from->stride + e]; own != 0;
                 own &= own - 1) {
                word |= (bits >> cp_low_bit(own) & 1) << n % 32;
                if (++n % 32 == 0) {
                    *to = word;
                    to += child->stride;
                    word = 0;
                }
            }
        }
        if (n % 32 != 0)
            *to = word;
        child->code[k] = from->code[index];
    }
    cp_sync();
}

/* Begins with the sizes of a child; false where item e cannot matter. */
SPK_SHARED bool cp_begin_child(cp_search *s, const cp_node *from, uint32_t e, cp_node *child,
                               cp_demand *demand, uint32_t *n_demands)
{
    const cp_view *v = s->v;
    const uint32_t code = from->code[e], unit = v->unit_of[cp_number(code)];
    uint32_t n = 0;
    for (uint32_t w = cp_lane(); w < from->words; w += CP_LANES)
        n += cp_bits(from->column[(uint64_t)w * from->stride + e]);
    child->n_windows = cp_sum(n);
    child->size = from->size + 1;
    child->neurons = from->neurons + ((from->units[unit / 32] >> unit % 32 & 1) == 0);
    child->low = cp_smaller(from->low, cp_lag(code));
    child->high = cp_larger(from->high, cp_lag(code));
    *n_demands = cp_list_demands(v, child, from->n - 1, child->n_windows, demand);
    return v->listing || *n_demands > 0 ||
           (child->n_windows <= v->ceiling &&
            child->n_windows > cp_bound(v, child->high - child->low, child->size));
}

/* Leaves the task to several warps when its branch is large. Largest counts need no such care:
 * their bounds end large branches soon. */
SPK_SHARED bool cp_leave_parts(cp_search *s, const cp_node *child)
{
    const cp_view *v = s->v;
    uint32_t at = UINT32_MAX;
    if (!v->listing || child->n < v->split_items)
        return false;
    if (cp_lane() == 0)
        at = cp_add(&v->state->n_splits, 1);
    at = (uint32_t)cp_from_first(at);
    if (at >= v->n_split_room)
        return false;
    if (cp_lane() == 0) {
        v->new_split[at].task = s->task;
        v->new_split[at].first = (2 * (uint64_t)child->n + CP_PART_STEPS - 1) / CP_PART_STEPS;
    }
    return true;
}

/* The branch of item e. False where nothing below it matters, room is short, or others search it.
 * All parts of a task number the items of its first branch, `top`, alike: in lists nothing that is
 * found changes them. */
SPK_SHARED bool cp_descend(cp_search *s, const cp_node *from, uint32_t e, bool top, cp_node *child)
{
    const cp_view *v = s->v;
    cp_demand demand[CP_MOST_DEMANDS];
    uint32_t n_demands = 0, units = 0;
    const uint64_t used = s->used;
    s->quiet = top && s->part > 0;
    if (!cp_begin_child(s, from, e, child, demand, &n_demands))
        return false;
    const uint64_t head = CP_FRAME_WORDS + child->n_windows + v->words +
                          (v->listing ? (uint64_t)v->n_lags * v->words : 0);
    s->used += CP_FRAME_WORDS;
    if (cp_rest(s, head + from->n) == 0 || !cp_add_item(s, from, e, child) || s->full)
        goto nothing;
    s->used = used + cp_round(head);
    if (v->listing) /* the size may have grown */
        n_demands = cp_list_demands(v, child, from->n - 1, child->n_windows, demand);
    if (n_demands == 0 || s->too_small)
        goto nothing;
    child->code = cp_rest(s, from->n);
    if (child->code == 0)
        goto nothing;
    child->n = cp_choose(v, from, e, child, demand[n_demands - 1].least, child->code, &units);
    if (child->n < demand[0].missing || units < cp_missing_units(v, child->neurons))
        goto nothing;
    child->words = cp_words(child->n_windows);
    child->stride = child->n;
    child->column = child->code + child->n;
    if (cp_rest(s, cp_round((uint64_t)child->n * (1 + child->words))) == 0)
        goto nothing;
    s->used += cp_round((uint64_t)child->n * (1 + child->words));
    cp_gather(from, e, child);
    /* Pruning a very large branch would take one warp longer than all warps take for its parts. */
    if (((top && v->listing && child->n >= CP_VERY_LARGE * v->split_items) || cp_prune(s, child)) &&
        !(top && s->part == 0 && cp_leave_parts(s, child)))
        return true;
nothing:
    s->used = used;
    return false;
}

/* ---- depth first ------------------------------------------------------------------------------
 */

/* The frame of a branch, at `at`, where cp_descend made it. */
SPK_SHARED cp_frame *cp_enter(cp_search *s, const cp_node *node, uint64_t at, uint64_t before)
{
    cp_frame *frame = (cp_frame *)(void *)(s->arena + at);
    const bool is_part = s->quiet;
    const uint64_t from = is_part ? (s->part - 1) * CP_PART_STEPS : s->v->listing ? 0 : node->n;
    if (cp_lane() == 0) {
        frame->node = *node;
        frame->before = before;
        frame->next = (uint32_t)from;
        frame->end =
            is_part ? cp_smaller(2 * node->n, (uint32_t)from + CP_PART_STEPS) : 2 * node->n;
    }
    cp_sync();
    return frame;
}

/* The item of step `step`, of 2 n: first those that come before all others, then these.
 * UINT32_MAX: none. */
SPK_SHARED uint32_t cp_item_of_step(const cp_view *v, const cp_node *node, uint32_t step)
{
    const uint32_t k = step % node->n;
    return cp_is_first(v, node->code[k]) == (step < node->n) ? k : UINT32_MAX;
}

/* Searches below item e of a root. */
SPK_SHARED void cp_search_below(cp_search *s, const cp_node *root, uint32_t e)
{
    cp_node child, node = *root;
    cp_frame *frame = 0;
    uint64_t at = UINT64_MAX;
    /* k: the item to go down by; UINT32_MAX: the next step tells. A frame keeps its step while the
     * search is below it. */
    for (uint32_t k = e, step = 0, end = 0;;) {
        const uint64_t here = s->used;
        if (k != UINT32_MAX && cp_descend(s, &node, k, frame == 0, &child)) {
            if (frame != 0 && cp_lane() == 0)
                frame->next = step;
            frame = cp_enter(s, &child, here, at);
            at = here;
        } else if (s->too_small || s->full || frame == 0) {
            return;
        } else if (step == end) {
            s->used = at;
            at = frame->before;
            if (at == UINT64_MAX)
                return;
            frame = (cp_frame *)(void *)(s->arena + at);
        } else {
            k = cp_item_of_step(s->v, &node, step++);
            continue;
        }
        node = frame->node;
        step = frame->next;
        end = frame->end;
        k = UINT32_MAX;
    }
}

/* ---- tasks ------------------------------------------------------------------------------------
 */

/* The branch of a root, whose columns are there. */
SPK_SHARED bool cp_root_node(cp_search *s, uint32_t r, cp_node *node)
{
    const cp_view *v = s->v;
    const cp_root *root = &v->root[r];
    const uint32_t code = v->root_code[r], unit = v->unit_of[cp_number(code)];
    uint32_t *units = cp_rest(s, v->words);
    if (units == 0)
        return false;
    s->used += cp_round(v->words);
    /* Items and columns of a root are read by many warps; only the bits of units are this one's. */
    node->n = node->stride = root->n;
    node->words = root->words;
    node->n_windows = root->n_windows;
    node->code = v->code + root->item;
    node->column = v->column + root->column;
    node->window = (uint32_t *)v->root_window + v->root_first[r];
    node->units = units;
    node->low = node->high = cp_lag(code);
    node->size = node->neurons = 1;
    node->common = v->common + (uint64_t)r * v->n_lags * v->words;
    if (v->listing) {
        const cp_sizes sizes = cp_measure(v, node->common, units);
        node->size = sizes.size;
        node->neurons = sizes.neurons;
        return true;
    }
    for (uint32_t u = cp_lane(); u < v->words; u += CP_LANES)
        units[u] = u == unit / 32 ? UINT32_C(1) << unit % 32 : 0;
    cp_sync();
    return true;
}

SPK_SHARED void cp_run_task(cp_search *s)
{
    const cp_view *v = s->v;
    uint32_t r = 0;
    cp_node node;
    s->used = 0;
    s->n_reports = 0;
    s->too_small = s->full = s->quiet = false;
    /* The last root whose first task is not behind this one. Its task 0 is the root itself. */
    for (uint32_t end = v->n_roots; r + 1 < end;) {
        const uint32_t middle = r + (end - r) / 2;
        if (v->task_first[middle] <= s->task)
            r = middle;
        else
            end = middle;
    }
    if (!cp_root_node(s, r, &node))
        return;
    const uint64_t e = s->task - v->task_first[r];
    if (e > 0 && v->listing)
        cp_search_below(s, &node, v->order[v->root[r].item + e - 1]);
    else if (e > 0)
        cp_search_below(s, &node, (uint32_t)e - 1);
    else if (v->listing) {
        const cp_sizes sizes = cp_measure(v, node.common, 0);
        cp_report(s, node.window, node.n_windows, node.common, sizes);
    } else
        cp_settle_count(s, &node);
}

/* Part k of all split tasks'. */
SPK_SHARED void cp_take_part(cp_search *s, uint64_t k)
{
    const cp_split *split = s->v->split;
    uint64_t at = 0;
    for (uint64_t end = s->v->n_splits; at + 1 < end;) {
        const uint64_t middle = at + (end - at) / 2;
        if (split[middle].first <= k)
            at = middle;
        else
            end = middle;
    }
    s->task = split[at].task;
    s->part = 1 + k - split[at].first;
}

/* Takes the next task; false where none is left. */
SPK_SHARED bool cp_take_task(cp_search *s)
{
    const cp_view *v = s->v;
    uint64_t k = 0;
    if (cp_lane() == 0)
        k = cp_add64(&v->state->next, 1);
    k = cp_from_first(k);
    s->skip = s->part = 0;
    if (k < v->n_given) {
        s->task = v->given[k].task;
        s->part = v->given[k].part;
        s->skip = v->given[k].n_reports;
        return true;
    }
    k -= v->n_given;
    if (k >= v->end - v->begin)
        return false;
    if (v->n_splits > 0)
        cp_take_part(s, v->begin + k);
    else /* largest counts: common units first, what occurs often is found early */
        s->task = v->listing ? v->begin + k : v->end - 1 - k;
    return true;
}

/* Puts an unfinished task down. */
SPK_SHARED void cp_put_down(const cp_search *s)
{
    const cp_view *v = s->v;
    if (cp_lane() != 0)
        return;
    const uint32_t at = cp_add(s->full ? &v->state->n_again : &v->state->n_large, 1);
    cp_again *to = s->full ? &v->again[at] : &v->large[at];
    to->task = s->task;
    to->part = s->part;
    to->n_reports = s->n_reports > s->skip ? s->n_reports : s->skip;
}

#endif
