/*
 * cuda-bitmap: the search below one task, a root or a root with one item. One warp owns a task; its
 * branches lie one behind the other in the warp's arena, where the search goes back step by step.
 * What does not fit there is left for a warp with a larger arena, and what has no room in the
 * output for the next round. Both begin the task anew and leave out what was reported.
 */
#pragma once

#include "pattern/engine/cuda/report.h"

/* A branch in work, where it begins in the arena. */
typedef struct cp_frame {
    cp_node node;
    uint64_t before; /* the place of the frame before it; UINT64_MAX: none */
    uint32_t next;   /* step, and where they end */
    uint32_t end;
} cp_frame;

enum { CP_FRAME_WORDS = (sizeof(cp_frame) + 15) / 16 * 4, CP_VERY_LARGE = 6, CP_SHORT = 4 };

/* The windows that hold item e. */
SPK_SHARED void cp_list_windows(const cp_node *from, uint32_t e, uint32_t *window)
{
    uint32_t n = 0;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < cp_whole(from->n_windows); k += CP_LANES) {
        const bool has = k < from->n_windows &&
                         (from->column[(uint64_t)(k / 32) * from->stride + e] >> k % 32 & 1) != 0;
        const uint32_t at = cp_append(has, &n);
        if (has)
            window[at] = from->window[k];
    }
    cp_sync();
}

SPK_SHARED void cp_copy(uint32_t *to, const uint32_t *from, uint64_t n)
{
    CP_ROLLED
    for (uint64_t k = cp_lane(); k < n; k += CP_LANES)
        to[k] = from[k];
}

/* Units with one more, as bits; `units` may be NULL: none. */
SPK_SHARED void cp_add_unit(const cp_view *v, const uint32_t *units, uint32_t unit, uint32_t *out)
{
    CP_ROLLED
    for (uint32_t u = cp_lane(); u < v->words; u += CP_LANES)
        out[u] = (units != 0 ? units[u] : 0) | (u == unit / 32 ? UINT32_C(1) << unit % 32 : 0);
    cp_sync();
}

/* In lists: what the windows of the set with `code` have in common. False where it is not new. */
SPK_SHARED bool cp_close(cp_search *s, const cp_node *from, uint32_t code, cp_node *child)
{
    const cp_view *v = s->v;
    cp_find_common(v, child->window, child->n_windows, 0, child->common, v->n_lags * v->words);
    if (!cp_is_new(v, child->common, from->common, code))
        return false;
    const cp_sizes sizes = cp_measure(v, child->common, child->units);
    child->size = sizes.size;
    child->neurons = sizes.neurons;
    cp_report(s, child->window, child->n_windows, 0, child->common, sizes);
    return true;
}

/* Where sets are sought: the items of the set with one more. Its room is for all that may be added.
 */
SPK_SHARED bool cp_add_to_set(cp_search *s, const cp_node *from, uint32_t code, cp_node *child)
{
    const uint32_t room = child->size + from->n;
    child->set = s->arena + s->used;
    s->used += room;
    cp_copy(child->set, from->set, from->size);
    if (cp_lane() == 0)
        child->set[from->size] = code;
    cp_sync();
    return cp_settle_set(s, child, room);
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
    if (CP_LISTING(v))
        return cp_close(s, from, code, child);
    cp_add_unit(v, from->units, unit, child->units);
    s->used += child->n_windows + v->words; /* scratch lies behind them */
    if (CP_HAS_AIM(v, CP_SETS))
        return cp_add_to_set(s, from, code, child);
    cp_settle_count(s, child);
    return true;
}

/* The items of cp_choose. `words`: of a column, a constant where they are short; beyond any else.
 */
SPK_SHARED uint32_t cp_choose_by(const cp_view *v, const cp_node *from, uint32_t e,
                                 const cp_node *child, uint32_t least, uint32_t *index,
                                 const uint32_t words)
{
    const uint32_t own = from->code[e], stride = from->stride, n_all = from->n;
    const uint32_t *column = from->column, *code = from->code;
    /* Those that moved to the set are no items of the branch any more. */
    const bool moved = CP_HAS_AIM(v, CP_SETS) && child->more > 0;
    const uint32_t n_windows = child->n_windows;
    uint32_t n = 0, word[CP_SHORT] = {0};
    for (uint32_t w = 0; w < words && w < CP_SHORT; w++)
        word[w] = column[w * stride + e];
    /* In lists an item of lag 0 comes before all others, wherever it stands; else items behind e
     * do. */
    const uint32_t begin = CP_LISTING(v) ? 0 : e + 1;
    CP_ROLLED
    for (uint32_t k = begin + cp_lane(); k < begin + cp_whole(n_all - begin); k += CP_LANES) {
        const uint32_t other = k < n_all ? code[k] : own;
        bool keep = k < n_all && cp_later(v, own, other) && cp_fit(v, own, other);
        /* With largest counts nearly all items are kept up to here: columns are read meanwhile. */
        if (CP_LISTING(v) ? keep : k < n_all) {
            uint32_t both = 0;
            for (uint32_t w = 0; w < words && w < CP_SHORT; w++)
                both += cp_bits(column[w * stride + k] & word[w]);
            if (words > CP_SHORT)
                both += cp_count_both(column + (uint64_t)CP_SHORT * stride + k,
                                      column + (uint64_t)CP_SHORT * stride + e,
                                      from->words - CP_SHORT, stride);
            keep = keep && both >= least && !(CP_LISTING(v) && both == n_windows) &&
                   !(moved && both == n_windows && cp_lag(other) >= child->low &&
                     cp_lag(other) <= child->high);
        }
        const uint32_t at = cp_append(keep, &n);
        if (keep)
            index[at] = k;
    }
    cp_sync();
    return n;
}

/* Items of the branch below item e that share enough windows with it: their numbers, into `index`.
 * Returns how many; *units: of how many units that are not in the set. */
SPK_SHARED uint32_t cp_choose(const cp_view *v, const cp_node *from, uint32_t e,
                              const cp_node *child, uint32_t least, uint32_t *index,
                              uint32_t *units)
{
    const uint32_t words = from->words;
    const uint32_t n = words == 1   ? cp_choose_by(v, from, e, child, least, index, 1)
                       : words == 2 ? cp_choose_by(v, from, e, child, least, index, 2)
                       : words == 3 ? cp_choose_by(v, from, e, child, least, index, 3)
                       : words == CP_SHORT
                           ? cp_choose_by(v, from, e, child, least, index, CP_SHORT)
                           : cp_choose_by(v, from, e, child, least, index, CP_SHORT + 1);
    uint32_t n_units = 0, last = UINT32_MAX;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < n; k += CP_LANES) {
        const uint32_t number = cp_number(from->code[index[k]]), unit = v->unit_of[number];
        last = k > 0 ? cp_number(from->code[index[k - 1]]) : UINT32_MAX;
        n_units += number != last && (child->units[unit / 32] >> unit % 32 & 1) == 0;
    }
    *units = cp_sum(n_units);
    return n;
}

/* Bits pushed together: those of a word that a mask has move to its low end, in order. The moves
 * depend on the mask alone: move[i] has the bits that go down by 2^i (Warren, Hacker's Delight,
 * 7-4).
 */
enum { CP_MOVES = 5, CP_FEW_BITS = 3 };

typedef struct cp_push {
    uint32_t mask;
    uint32_t move[CP_MOVES];
} cp_push;

SPK_SHARED cp_push cp_find_moves(uint32_t mask)
{
    cp_push push = {mask, {0, 0, 0, 0, 0}};
    uint32_t below = ~mask << 1; /* where an odd number of missing bits lies below, in turn i */
    for (uint32_t i = 0; i < CP_MOVES; i++) {
        uint32_t odd = below;
        for (uint32_t step = 1; step < 32; step *= 2)
            odd ^= odd << step;
        push.move[i] = odd & mask;
        mask = (mask ^ push.move[i]) | push.move[i] >> (1u << i);
        below &= ~odd;
    }
    return push;
}

SPK_SHARED uint32_t cp_push_bits(uint32_t bits, const cp_push *push)
{
    bits &= push->mask;
    for (uint32_t i = 0; i < CP_MOVES; i++) {
        const uint32_t moved = bits & push->move[i];
        bits = (bits ^ moved) | moved >> (1u << i);
    }
    return bits;
}

/* The same for few bits. */
SPK_SHARED uint32_t cp_push_few(uint32_t bits, uint32_t mask)
{
    uint32_t out = 0;
    CP_ROLLED
    for (uint32_t n = 0; mask != 0; mask &= mask - 1, n++)
        out |= (bits >> cp_low_bit(mask) & 1) << n;
    return out;
}

/* Codes and columns of the chosen items: the bits of e's windows are pushed together. Each lane has
 * the moves of one word, which all use. */
SPK_SHARED void cp_gather(const cp_node *from, uint32_t e, cp_node *child)
{
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < cp_whole(child->n); k += CP_LANES) {
        const bool here = k < child->n;
        const uint32_t index = here ? child->code[k] : e;
        uint32_t *to = child->column + k;
        uint32_t word = 0, n = 0; /* n: bits so far, of all items alike */
        for (uint32_t w0 = 0; w0 < from->words; w0 += CP_LANES) {
            const uint32_t mine = w0 + cp_lane();
            const cp_push own = cp_find_moves(
                mine < from->words ? from->column[(uint64_t)mine * from->stride + e] : 0);
            const uint32_t end = cp_smaller(from->words - w0, CP_LANES);
            CP_ROLLED
            for (uint32_t j = 0; j < end; j++) {
                cp_push push = {cp_from(own.mask, j), {0, 0, 0, 0, 0}};
                const uint32_t n_bits = cp_bits(push.mask), used = n % 32;
                if (n_bits == 0)
                    continue;
                uint32_t bits = from->column[(uint64_t)(w0 + j) * from->stride + index];
                if (n_bits > CP_FEW_BITS) {
                    for (uint32_t i = 0; i < CP_MOVES; i++)
                        push.move[i] = cp_from(own.move[i], j);
                    bits = cp_push_bits(bits, &push);
                } else
                    bits = cp_push_few(bits, push.mask);
                word |= bits << used;
                n += n_bits;
                if (used + n_bits < 32)
                    continue;
                if (here)
                    *to = word;
                to += child->stride;
                word = used > 0 ? bits >> (32 - used) : 0;
            }
        }
        if (n % 32 != 0 && here)
            *to = word;
        if (here)
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
    CP_ROLLED
    for (uint32_t w = cp_lane(); w < from->words; w += CP_LANES)
        n += cp_bits(from->column[(uint64_t)w * from->stride + e]);
    child->n_windows = cp_sum(n);
    child->size = from->size + 1;
    child->more = 0;
    child->neurons = from->neurons + ((from->units[unit / 32] >> unit % 32 & 1) == 0);
    child->low = cp_smaller(from->low, cp_lag(code));
    child->high = cp_larger(from->high, cp_lag(code));
    *n_demands = cp_list_demands(v, child, from->n - 1, child->n_windows, demand);
    return CP_LISTING(v) || *n_demands > 0 ||
           (child->n_windows <= v->ceiling &&
            child->n_windows > cp_bound(v, child->high - child->low, child->size));
}

enum { CP_KEPT_HEAD = 8 };

/* Keeps a branch for the warps that get its parts: its numbers, then its arrays, one behind the
 * other. CP_NOT_KEPT: there is no room. */
SPK_SHARED uint64_t cp_keep(const cp_view *v, const cp_node *node)
{
    /* In lists what is in common, else the set. */
    const uint64_t n_more = CP_LISTING(v) ? (uint64_t)v->n_lags * v->words : node->size;
    const uint64_t n_words = cp_round(CP_KEPT_HEAD + (uint64_t)node->n_windows + v->words + n_more +
                                      (uint64_t)node->n * (1 + node->words));
    uint64_t at = 0;
    if (cp_lane() == 0)
        at = cp_add64(&v->state->kept_used, n_words);
    at = cp_from_first(at);
    if (at + n_words > v->kept_words)
        return CP_NOT_KEPT;
    uint32_t *to = v->kept + at;
    if (cp_lane() == 0) {
        to[0] = node->n;
        to[1] = node->words;
        to[2] = node->n_windows;
        to[3] = node->size;
        to[4] = node->neurons;
        to[5] = node->low;
        to[6] = node->high;
    }
    to += CP_KEPT_HEAD;
    cp_copy(to, node->window, node->n_windows);
    to += node->n_windows;
    cp_copy(to, node->units, v->words);
    to += v->words;
    cp_copy(to, CP_LISTING(v) ? node->common : node->set, n_more);
    to += n_more;
    cp_copy(to, node->code, node->n);
    to += node->n;
    CP_ROLLED
    for (uint32_t w = 0; w < node->words; w++, to += node->n)
        cp_copy(to, node->column + (uint64_t)w * node->stride, node->n);
    return at;
}

/* A branch that was kept; it stays where it lies. */
SPK_SHARED void cp_kept_node(const cp_view *v, uint64_t at, cp_node *node)
{
    uint32_t *from = v->kept + at;
    node->n = node->stride = from[0];
    node->words = from[1];
    node->n_windows = from[2];
    node->size = from[3];
    node->neurons = from[4];
    node->low = from[5];
    node->high = from[6];
    node->window = from + CP_KEPT_HEAD;
    node->units = node->window + node->n_windows;
    node->common = node->set = node->units + v->words;
    node->code = node->common + (CP_LISTING(v) ? (uint64_t)v->n_lags * v->words : node->size);
    node->column = node->code + node->n;
}

/* The steps of a branch, of which those of sets are the second half (cp_item_of_step). */
SPK_SHARED uint32_t cp_first_step(const cp_view *v, const cp_node *node)
{
    return CP_LISTING(v) ? 0 : node->n;
}

/* Leaves the task to several warps when its branch is large. Largest counts need no such care:
 * their bounds end large branches soon. */
SPK_SHARED bool cp_leave_parts(cp_search *s, const cp_node *child)
{
    const cp_view *v = s->v;
    uint32_t at = UINT32_MAX;
    if (CP_HAS_AIM(v, CP_COUNTS) || child->n < v->split_items)
        return false;
    if (cp_lane() == 0)
        at = cp_add(&v->state->n_splits, 1);
    at = (uint32_t)cp_from_first(at);
    if (at >= v->n_split_room)
        return false;
    const uint64_t kept = cp_keep(v, child);
    if (cp_lane() == 0) {
        v->new_split[at].task = s->task;
        v->new_split[at].kept = kept;
        v->new_split[at].first =
            (2 * (uint64_t)child->n - cp_first_step(v, child) + v->part_steps - 1) / v->part_steps;
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
                          (CP_LISTING(v) ? (uint64_t)v->n_lags * v->words : 0);
    const uint64_t set = CP_HAS_AIM(v, CP_SETS) ? child->size : 0;
    s->used += CP_FRAME_WORDS;
    if (cp_rest(s, head + set + from->n) == 0 || !cp_add_item(s, from, e, child) || s->full)
        goto nothing;
    s->used = used + cp_round(head + (set > 0 ? child->size : 0));
    if (!CP_HAS_AIM(v, CP_COUNTS)) /* the size may have grown */
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
    if (((top && !CP_HAS_AIM(v, CP_COUNTS) && child->n >= CP_VERY_LARGE * v->split_items) ||
         cp_prune(s, child)) &&
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
    const uint64_t from =
        cp_first_step(s->v, node) + (is_part ? (s->part - 1) * s->v->part_steps : 0);
    if (cp_lane() == 0) {
        frame->node = *node;
        frame->before = before;
        frame->next = (uint32_t)from;
        frame->end =
            is_part ? cp_smaller(2 * node->n, (uint32_t)from + s->v->part_steps) : 2 * node->n;
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

/* Searches below item e of a root; UINT32_MAX: below a branch that was kept. */
SPK_SHARED void cp_search_below(cp_search *s, const cp_node *root, uint32_t e)
{
    cp_node child, node = *root;
    cp_frame *frame = 0;
    uint64_t at = UINT64_MAX;
    uint32_t step = 0, end = 0;
    if (e == UINT32_MAX) {
        at = s->used;
        s->used += CP_FRAME_WORDS;
        s->quiet = true;
        frame = cp_enter(s, &node, at, UINT64_MAX);
        step = frame->next;
        end = frame->end;
    }
    /* k: the item to go down by; UINT32_MAX: the next step tells. A frame keeps its step while the
     * search is below it. */
    for (uint32_t k = e;;) {
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
    node->set = (uint32_t *)&v->root_code[r];
    node->more = 0;
    node->common = v->common + (uint64_t)r * v->n_lags * v->words;
    if (CP_LISTING(v)) {
        const cp_sizes sizes = cp_measure(v, node->common, units);
        node->size = sizes.size;
        node->neurons = sizes.neurons;
    } else
        cp_add_unit(v, 0, unit, units);
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
    if (s->kept != CP_NOT_KEPT) {
        cp_kept_node(v, s->kept, &node);
        cp_search_below(s, &node, UINT32_MAX);
        return;
    }
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
    if (e > 0 && CP_LISTING(v))
        cp_search_below(s, &node, v->order[v->root[r].item + e - 1]);
    else if (e > 0)
        cp_search_below(s, &node, (uint32_t)e - 1);
    else if (CP_LISTING(v)) {
        const cp_sizes sizes = cp_measure(v, node.common, 0);
        cp_report(s, node.window, node.n_windows, 0, node.common, sizes);
    } else if (CP_HAS_AIM(v, CP_COUNTS)) /* a root alone is no set that is sought */
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
    s->kept = split[at].kept;
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
    s->kept = CP_NOT_KEPT;
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
    else /* common units first: with largest counts, what occurs often is found early */
        s->task = CP_LISTING(v) ? v->begin + k : v->end - 1 - k;
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
