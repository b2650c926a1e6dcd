/*
 * cuda-bitmap: one branch of a search, and what still matters in it. One warp owns a branch; it
 * lies in the warp's arena.
 *
 * A branch is a set of items, the windows that hold it, and the items that may be added:
 *
 *     code       items in order; those of a unit are neighbours
 *     column     word w of item k, column[w * stride + k]: which of the windows hold it
 *
 * With z spikes in view, a set of `size` items needs z - size of them in more than bound(z)
 * windows: a demand. An item serves a demand when it shares so many windows with enough other items
 * that serve it, of enough units. Items that serve none are dropped, until nothing changes. Each
 * demand is looked at by itself, with its own limit.
 *
 * Cost of a look: n * n / 32 steps of some ten operations and a count of bits, which a
 * multiprocessor does 16 of in a cycle.
 */
#pragma once

#include "pattern/engine/cuda/roots.h"

enum { CP_MOST_DEMANDS = 8 };

typedef struct cp_node {
    uint32_t n;
    uint32_t words; /* of a column */
    uint32_t n_windows;
    uint32_t stride;
    uint32_t size; /* of the set; in lists, of what its windows have in common */
    uint32_t neurons;
    uint32_t low; /* the least and the largest lag of the set */
    uint32_t high;
    uint32_t *code;
    uint32_t *column;
    uint32_t *window;
    uint32_t *units; /* of the set, as bits */
    uint32_t *set;   /* where sets are sought: its items; `more` of them were in all windows */
    uint32_t more;
    uint32_t *common; /* in lists: what the windows have in common */
} cp_node;

/* A warp at work. */
typedef struct cp_search {
    const cp_view *v;
    uint32_t *arena;
    uint64_t used; /* words */
    uint64_t task;
    uint64_t part;
    uint64_t kept;      /* where the branch of its parts lies, or CP_NOT_KEPT */
    uint64_t n_reports; /* of the task, or its part, so far */
    uint64_t skip;      /* so many of them are out */
    bool too_small;     /* the arena is */
    bool full;          /* the output is */
    bool quiet;         /* the item in work was reported by another warp */
} cp_search;

/* Words up to where a quad can begin. */
SPK_SHARED uint64_t cp_round(uint64_t words)
{
    return (words + 3) / 4 * 4;
}

/* The rest of the arena, which must have n words; NULL where it has not. They are not taken yet. */
SPK_SHARED uint32_t *cp_rest(cp_search *s, uint64_t n)
{
    if (s->used + n <= s->v->arena_words)
        return s->arena + s->used;
    s->too_small = true;
    return 0;
}

typedef struct cp_demand {
    uint32_t missing; /* items more */
    uint32_t least;   /* in so many windows or more */
} cp_demand;

SPK_SHARED uint32_t cp_missing_units(const cp_view *v, uint32_t neurons)
{
    return v->min_neurons > neurons ? v->min_neurons - neurons : 0;
}

/* Demands by size; the last one has the lowest limit. More than CP_MOST_DEMANDS become one, which
 * asks for less than each of them. */
SPK_SHARED uint32_t cp_list_demands(const cp_view *v, const cp_node *node, uint32_t n_items,
                                    uint32_t count, cp_demand *out)
{
    const uint32_t units = cp_missing_units(v, node->neurons);
    const uint32_t reach = n_items < v->max_spikes - cp_smaller(node->size, v->max_spikes)
                               ? node->size + n_items
                               : v->max_spikes;
    const uint32_t last = cp_smaller(reach, cp_larger(v->n_sizes - 1, node->size + units + 1));
    uint32_t n = 0;
    count = cp_smaller(count, v->ceiling);
    CP_ROLLED
    for (uint32_t size = node->size + cp_larger(units, 1); size <= last; size++) {
        const uint32_t bound = cp_bound(v, node->high - node->low, size);
        if (bound >= count || (n > 0 && bound + 1 >= out[n - 1].least))
            continue;
        if (n == CP_MOST_DEMANDS) {
            out[n - 1].least = bound + 1;
            continue;
        }
        out[n].missing = size - node->size;
        out[n++].least = bound + 1;
        if (bound + 1 <= v->least) /* no limit is lower */
            break;
    }
    return n;
}

/* ---- items that serve a demand ----------------------------------------------------------------
 */

enum { CP_QUAD_WORDS = 3, CP_OLD_UNIT = INT32_MIN };

/* An item that is looked at, and the first words of its column: read at once. */
typedef struct cp_quad {
    CP_ALIGNED uint32_t code; /* the highest bit: its unit is in the set */
    uint32_t word[CP_QUAD_WORDS];
} cp_quad;

typedef struct cp_look {
    uint32_t n;
    uint32_t words;
    uint32_t stride;
    cp_quad *quad;
    uint32_t *index; /* in the node */
    uint32_t *keep;
    uint32_t *column; /* word CP_QUAD_WORDS + w of item k: column[w * stride + k] */
} cp_look;

/* Words that two columns have in common, as bits; words lie `stride` apart. */
SPK_SHARED uint32_t cp_count_both(const uint32_t *a, const uint32_t *b, uint32_t words,
                                  uint32_t stride)
{
    uint32_t n = 0;
    CP_UNROLL(4)
    for (uint32_t w = 0; w < words; w++)
        n += cp_bits(a[(uint64_t)w * stride] & b[(uint64_t)w * stride]);
    return n;
}

SPK_SHARED uint32_t cp_count_column(const cp_node *node, uint32_t k)
{
    uint32_t n = 0;
    CP_ROLLED
    for (uint32_t w = 0; w < node->words; w++)
        n += cp_bits(node->column[(uint64_t)w * node->stride + k]);
    return n;
}

SPK_SHARED bool cp_has_unit(const cp_view *v, const cp_node *node, uint32_t code)
{
    const uint32_t unit = v->unit_of[cp_number(code)];
    return (node->units[unit / 32] >> unit % 32 & 1) != 0;
}

/* Takes the node's items that are in enough windows. */
SPK_SHARED bool cp_look_take(cp_search *s, const cp_node *node, uint32_t least, bool by_units,
                             cp_look *look)
{
    const uint32_t n_all = node->n, words = node->words;
    const uint32_t more = words > CP_QUAD_WORDS ? words - CP_QUAD_WORDS : 0;
    uint32_t n = 0;
    uint32_t *room = cp_rest(s, (uint64_t)n_all * (6 + more));
    if (room == 0)
        return false;
    /* The code and three words of a column are 16 bytes, read at once. Words beyond lie apart. */
    look->words = words;
    look->stride = n_all;
    look->quad = (cp_quad *)(void *)room;
    look->index = room + 4 * (uint64_t)n_all;
    look->keep = room + 5 * (uint64_t)n_all;
    look->column = room + 6 * (uint64_t)n_all;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < cp_whole(n_all); k += CP_LANES) {
        const bool keep = k < n_all && cp_count_column(node, k) >= least;
        const uint32_t at = cp_append(keep, &n);
        if (!keep)
            continue;
        cp_quad quad = {node->code[k], {0, 0, 0}};
        if (by_units && cp_has_unit(s->v, node, quad.code))
            quad.code |= (uint32_t)CP_OLD_UNIT;
        for (uint32_t w = 0; w < CP_QUAD_WORDS && w < words; w++)
            quad.word[w] = node->column[(uint64_t)w * node->stride + k];
        CP_ROLLED
        for (uint32_t w = 0; w < more; w++)
            look->column[w * n_all + at] =
                node->column[(uint64_t)(CP_QUAD_WORDS + w) * node->stride + k];
        look->quad[at] = quad;
        look->index[at] = k;
    }
    look->n = n;
    cp_sync();
    return true;
}

/* Whether item k is linked with `missing` items, itself included, of `units` units that are not in
 * the set. `words`: of a quad, a constant where columns are short. */
SPK_SHARED bool cp_is_linked_by(const cp_view *v, const cp_look *look, uint32_t k, cp_demand d,
                                uint32_t units, const uint32_t words)
{
    enum { TURN = 32 };
    const uint32_t more = look->words - CP_QUAD_WORDS;
    uint32_t n = 0, n_units = 0, last = UINT32_MAX;
    const bool here = k < look->n;
    const cp_quad own = look->quad[here ? k : 0];
    const uint32_t mine = own.code & ~(uint32_t)CP_OLD_UNIT;
    for (uint32_t turn = 0; turn < look->n; turn += TURN) {
        const uint32_t end = cp_smaller(look->n, turn + TURN);
        CP_UNROLL(2)
        for (uint32_t j = turn; j < end; j++) {
            const cp_quad other = look->quad[j];
            uint32_t both = cp_bits(own.word[0] & other.word[0]);
            if (words > 1)
                both += cp_bits(own.word[1] & other.word[1]);
            if (words > 2)
                both += cp_bits(own.word[2] & other.word[2]);
            if (words > CP_QUAD_WORDS)
                both += cp_count_both(look->column + (here ? k : 0), look->column + j, more,
                                      look->stride);
            const bool linked =
                both >= d.least && cp_fit(v, mine, other.code & ~(uint32_t)CP_OLD_UNIT);
            /* A unit's items are neighbours, so that it is new where the number changes. */
            const bool fresh = linked && (other.code & (uint32_t)CP_OLD_UNIT) == 0 &&
                               cp_number(other.code) != last;
            n += linked;
            n_units += fresh;
            last = fresh ? cp_number(other.code) : last;
        }
        /* Lanes that have enough go along until all have, or are at the end. */
        if (cp_ballot(here && (n < d.missing || n_units < units)) == 0)
            break;
    }
    return here && n >= d.missing && n_units >= units;
}

SPK_SHARED bool cp_is_linked(const cp_view *v, const cp_look *look, uint32_t k, cp_demand d,
                             uint32_t units)
{
    if (look->words == 1)
        return cp_is_linked_by(v, look, k, d, units, 1);
    if (look->words <= CP_QUAD_WORDS) /* words that are not there are 0 */
        return cp_is_linked_by(v, look, k, d, units, CP_QUAD_WORDS);
    return cp_is_linked_by(v, look, k, d, units, CP_QUAD_WORDS + 1);
}

/* Drops what is not kept: items move to lower places, a warp's width at a time. */
SPK_SHARED void cp_look_shrink(cp_look *look)
{
    uint32_t n = 0;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < cp_whole(look->n); k += CP_LANES) {
        const bool keep = k < look->n && look->keep[k] != 0;
        const uint32_t at = cp_append(keep, &n);
        /* A lower place may be one that another lane of this turn has not read: all read, then all
         * write. */
        const uint32_t index = keep ? look->index[k] : 0;
        const cp_quad quad = look->quad[keep ? k : 0];
        cp_sync();
        if (keep) {
            look->index[at] = index;
            look->quad[at] = quad;
        }
        CP_ROLLED
        for (uint32_t w = CP_QUAD_WORDS; w < look->words; w++) {
            uint32_t *column = look->column + (uint64_t)(w - CP_QUAD_WORDS) * look->stride;
            const uint32_t word = keep ? column[k] : 0;
            cp_sync();
            if (keep)
                column[at] = word;
        }
    }
    look->n = n;
    cp_sync();
}

/* Leaves the items that serve the demand. */
SPK_SHARED void cp_look_core(const cp_view *v, cp_look *look, cp_demand d, uint32_t units)
{
    uint32_t before = 0;
    do {
        uint32_t n = 0;
        before = look->n;
        if (before < d.missing)
            look->n = 0;
        CP_ROLLED
        for (uint32_t k = cp_lane(); k < cp_whole(look->n); k += CP_LANES) {
            const bool keep = cp_is_linked(v, look, k, d, units);
            (void)cp_append(keep, &n);
            if (k < look->n)
                look->keep[k] = keep;
        }
        cp_sync();
        if (n < look->n)
            cp_look_shrink(look);
    } while (look->n > 0 && look->n < before);
}

/* ---- pruning ----------------------------------------------------------------------------------
 */

/* Drops the node's items that are not kept. */
SPK_SHARED void cp_node_shrink(cp_node *node, const uint32_t *keep)
{
    uint32_t n = 0;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < cp_whole(node->n); k += CP_LANES) {
        const bool mine = k < node->n && keep[k] != 0;
        const uint32_t at = cp_append(mine, &n);
        const uint32_t code = mine ? node->code[k] : 0;
        cp_sync();
        if (mine)
            node->code[at] = code;
        CP_ROLLED
        for (uint32_t w = 0; w < node->words; w++) {
            const uint32_t word = mine ? node->column[w * node->stride + k] : 0;
            cp_sync();
            if (mine)
                node->column[w * node->stride + at] = word;
        }
    }
    node->n = n;
    cp_sync();
}

/* Leaves the items that serve some demand; false when none does, or memory is short. */
SPK_SHARED bool cp_prune(cp_search *s, cp_node *node)
{
    const cp_view *v = s->v;
    cp_demand demand[CP_MOST_DEMANDS];
    const uint32_t n_demands = cp_list_demands(v, node, node->n, node->n_windows, demand);
    const uint32_t units = cp_missing_units(v, node->neurons);
    const uint64_t used = s->used;
    uint32_t *keep = cp_rest(s, node->n);
    cp_look look;
    uint32_t n = 0;
    if (n_demands == 0 || keep == 0)
        return false;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < node->n; k += CP_LANES)
        keep[k] = 0;
    s->used += cp_round(node->n);
    cp_sync();
    /* The lowest limit first, since it keeps most: once all items stay no other demand matters. */
    CP_ROLLED
    for (uint32_t i = n_demands; i-- > 0 && n < node->n && !s->too_small;) {
        if (!cp_look_take(s, node, demand[i].least, units > 0, &look))
            break;
        if (demand[i].missing > 1 || units > 0)
            cp_look_core(v, &look, demand[i], units);
        CP_ROLLED
        for (uint32_t k = cp_lane(); k < look.n; k += CP_LANES)
            keep[look.index[k]] = 1;
        cp_sync();
        n = cp_larger(n, look.n);
    }
    s->used = used;
    if (n == 0 || s->too_small)
        return false;
    if (n < node->n)
        cp_node_shrink(node, keep);
    return true;
}
