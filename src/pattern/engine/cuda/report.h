/*
 * cuda-bitmap: what a set stands for. In lists and sets, whether what its windows have in common is
 * a pattern, and its way out. With largest counts, the pattern that a set becomes, and the tables.
 */
#pragma once

#include "pattern/engine/cuda/node.h"

/* Items, units and the last lag of what windows have in common. */
typedef struct cp_sizes {
    uint32_t size;
    uint32_t neurons;
    uint32_t duration;
} cp_sizes;

SPK_SHARED cp_sizes cp_measure(const cp_view *v, const uint32_t *common, uint32_t *units)
{
    cp_sizes out = {0, 0, 0};
    uint32_t size = 0, neurons = 0, duration = 0;
    /* A lane has words of units at all lags, so that no unit is counted twice. */
    CP_ROLLED
    for (uint32_t u = cp_lane(); u < v->words; u += CP_LANES) {
        uint32_t some = 0;
        CP_ROLLED
        for (uint32_t lag = 0; lag < v->n_lags; lag++) {
            const uint32_t word = common[lag * v->words + u];
            some |= word;
            size += cp_bits(word);
            duration = word != 0 ? cp_larger(duration, lag) : duration;
        }
        neurons += cp_bits(some);
        if (units != 0)
            units[u] = some;
    }
    out.size = cp_sum(size);
    out.neurons = cp_sum(neurons);
    out.duration = cp_most(duration);
    cp_sync();
    return out;
}

/* Whether the moving-window step drops the pattern of these windows: some unit fires in a bin
 * before all of them, so near that a longer pattern ends with this one. The nearest such bin makes
 * the shortest of them, which the limit on spikes can hide. */
SPK_SHARED bool cp_is_end(const cp_view *v, const uint32_t *window, uint32_t n, uint32_t base,
                          cp_sizes sizes)
{
    CP_ROLLED
    for (uint32_t shift = 1; shift + sizes.duration < v->n_lags; shift++) {
        uint32_t more = 0;
        CP_ROLLED
        for (uint32_t u = cp_lane(); u < v->words; u += CP_LANES) {
            uint32_t all = ~UINT32_C(0);
            CP_ROLLED
            for (uint32_t i = 0; i < n && all != 0; i++)
                all &= v->bits[window[i] + base - shift * v->words + u];
            more += cp_bits(all);
        }
        more = cp_sum(more);
        if (more > 0)
            return more <= v->drop_ends_of - cp_smaller(sizes.size, v->drop_ends_of);
    }
    return false;
}

/* ---- lists ------------------------------------------------------------------------------------
 */

/* Takes `n` words of the output; UINT64_MAX: it is full. */
SPK_SHARED uint64_t cp_take_out(cp_search *s, uint32_t n)
{
    uint64_t used = 0;
    if (cp_lane() == 0)
        used = cp_add64(&s->v->state->out_used, (UINT64_C(1) << CP_OUT_BITS) + n);
    used = cp_from_first(used);
    const uint64_t at = cp_out_words(used);
    if (at + n <= s->v->out_words) {
        if (s->v->has_places && cp_lane() == 0)
            s->v->place[cp_out_patterns(used)] = at;
        return at;
    }
    if (cp_lane() == 0)
        cp_lower64(&s->v->state->out_end, used);
    s->full = true;
    return UINT64_MAX;
}

/* The items, by lag, then unit. */
SPK_SHARED void cp_write_items(const cp_view *v, const uint32_t *common, uint32_t *out)
{
    const uint32_t n_words = v->n_lags * v->words;
    uint32_t n = 0;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < cp_whole(n_words); k += CP_LANES) {
        uint32_t all = 0, word = k < n_words ? common[k] : 0;
        uint32_t at = n + cp_before(cp_bits(word), &all);
        const uint32_t lag = k / v->words, unit = k % v->words * 32;
        CP_ROLLED
        for (; word != 0; word &= word - 1)
            out[at++] = (unit + cp_low_bit(word)) * v->n_lags + lag;
        n += all;
    }
}

/* Reports what the windows, shifted by `base` words, have in common, where it is within the limits.
 */
SPK_SHARED void cp_report(cp_search *s, const uint32_t *window, uint32_t n, uint32_t base,
                          const uint32_t *common, cp_sizes sizes)
{
    const cp_view *v = s->v;
    enum { HEAD = 4 };
    if (s->quiet || sizes.size < v->min_spikes || sizes.size > v->max_spikes || n > v->max_count ||
        sizes.neurons < v->min_neurons)
        return;
    /* A task that begins anew comes by the same patterns in the same order: the first ones are
     * out. */
    if (s->n_reports < s->skip) {
        s->n_reports++;
        return;
    }
    if (v->drop_ends_of > 0 && cp_is_end(v, window, n, base, sizes)) {
        if (cp_lane() == 0)
            (void)cp_add64(&v->state->n_dropped, 1);
        s->n_reports++;
        return;
    }
    const uint64_t at = cp_take_out(s, HEAD + sizes.size);
    if (at == UINT64_MAX)
        return;
    if (cp_lane() == 0) {
        v->out[at] = (uint32_t)s->task;
        v->out[at + 1] = (uint32_t)s->part;
        v->out[at + 2] = sizes.size;
        v->out[at + 3] = n;
    }
    cp_write_items(v, common, v->out + at + HEAD);
    s->n_reports++;
}

/* Whether what is new in common, beyond item `code` and the set before it, comes later in the
 * search; else the pattern was found before. */
SPK_SHARED bool cp_is_new(const cp_view *v, const uint32_t *common, const uint32_t *parent,
                          uint32_t code)
{
    bool passed = false;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < v->n_lags * v->words; k += CP_LANES) {
        const uint32_t lag = k / v->words, unit = k % v->words * 32;
        CP_ROLLED
        for (uint32_t more = common[k] & ~parent[k]; more != 0; more &= more - 1) {
            const uint32_t other = v->number_of[unit + cp_low_bit(more)] << CP_LAG_BITS | lag;
            passed |= other != code && !cp_later(v, code, other);
        }
    }
    return cp_ballot(passed) == 0;
}

/* ---- sets -------------------------------------------------------------------------------------
 *
 *     set                  a@0 b@2 d@3
 *     all its windows      a@0 b@2 d@3               it is a pattern
 *     or                   a@0 b@2 c@2 d@3           c belongs to it, and to all larger sets
 *     or                   a@0 b@2 d@3 e@9           not closed; a larger set need not fit with e
 *
 * A window begins with the set's first item. What is in common between the first and the last one
 * moves to the set at once. Where such an item comes before the set's last one in the search, all
 * sets that hold both are below another branch. So each closed set is come by once (Uno et al.
 * 2004, for items whose place may differ).
 */

/* Items that are new in common, as bits: *inner of them lie between the first and the last item of
 * the set. False where one of these was passed. */
SPK_SHARED bool cp_find_inner(const cp_view *v, const cp_node *node, const uint32_t *common,
                              uint32_t *left, uint32_t *inner)
{
    const uint32_t n_words = (node->high - node->low + 1) * v->words;
    const uint32_t own = node->set[node->size - 1];
    uint32_t n = 0;
    bool passed = false;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < n_words; k += CP_LANES)
        left[k] = common[k];
    cp_sync();
    CP_ROLLED
    for (uint32_t k = 0; k < node->size && cp_lane() == 0; k++) {
        const uint32_t unit = v->unit_of[cp_number(node->set[k])];
        left[(cp_lag(node->set[k]) - node->low) * v->words + unit / 32] &=
            ~(UINT32_C(1) << unit % 32);
    }
    cp_sync();
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < n_words; k += CP_LANES) {
        const uint32_t lag = k / v->words + node->low, unit = k % v->words * 32;
        n += cp_bits(left[k]);
        CP_ROLLED
        for (uint32_t word = left[k]; word != 0; word &= word - 1)
            passed |= (v->number_of[unit + cp_low_bit(word)] << CP_LAG_BITS | lag) < own;
    }
    *inner = cp_sum(n);
    return cp_ballot(passed) == 0;
}

/* Moves them to the set, whose room they do not exceed: each is an item of the branch before. */
SPK_SHARED void cp_move_inner(const cp_view *v, cp_node *node, const uint32_t *left)
{
    const uint32_t n_words = (node->high - node->low + 1) * v->words;
    uint32_t n = node->size, neurons = 0;
    CP_ROLLED
    for (uint32_t k = cp_lane(); k < cp_whole(n_words); k += CP_LANES) {
        uint32_t all = 0, word = k < n_words ? left[k] : 0;
        uint32_t at = n + cp_before(cp_bits(word), &all);
        const uint32_t lag = k / v->words + node->low, unit = k % v->words * 32;
        CP_ROLLED
        for (; word != 0; word &= word - 1)
            node->set[at++] = v->number_of[unit + cp_low_bit(word)] << CP_LAG_BITS | lag;
        n += all;
    }
    CP_ROLLED
    for (uint32_t u = cp_lane(); u < v->words; u += CP_LANES) {
        uint32_t some = node->units[u];
        CP_ROLLED
        for (uint32_t k = u; k < n_words; k += v->words)
            some |= left[k];
        node->units[u] = some;
        neurons += cp_bits(some);
    }
    node->more = n - node->size;
    node->size = n;
    node->neurons = cp_sum(neurons);
    cp_sync();
}

/* The set has got its last item: reports it where it is a pattern. False where another branch has
 * all that lies below. Smaller sets than those sought need not be looked at. */
SPK_SHARED bool cp_settle_set(cp_search *s, cp_node *node, uint32_t room)
{
    const cp_view *v = s->v;
    const uint32_t n_words = v->n_lags * v->words, base = (node->low - v->reach) * v->words;
    uint32_t *common, *left, inner = 0;
    if (node->size < v->min_spikes || node->neurons < v->min_neurons)
        return true;
    common = cp_rest(s, 2 * (uint64_t)n_words);
    if (common == 0)
        return true;
    cp_find_common(v, node->window, node->n_windows, base, common, n_words);
    const cp_sizes sizes = cp_measure(v, common, 0);
    if (sizes.size > node->size) {
        left = common + n_words;
        if (!cp_find_inner(v, node, common, left, &inner))
            return false;
        if (node->size + inner > room)
            s->too_small = true; /* never, as cp_move_inner says: an error is better than a loss */
        else if (inner > 0)
            cp_move_inner(v, node, left);
    }
    if (sizes.size == node->size)
        cp_report(s, node->window, node->n_windows, base, common, sizes);
    return true;
}

/* ---- largest counts ---------------------------------------------------------------------------
 */

SPK_SHARED void cp_raise_tables(const cp_view *v, uint32_t duration, uint32_t size, uint32_t count)
{
    CP_ROLLED
    for (uint32_t z = cp_lane(); z <= size; z += CP_LANES) {
        uint32_t least = UINT32_MAX;
        cp_raise(&v->most[duration * v->n_sizes + z], count);
        /* A set lasts as long as its span or longer, in the end. */
        CP_ROLLED
        for (uint32_t span = v->n_spans; span-- > 0;) {
            least = cp_smaller(least, cp_fresh(&v->most[span * v->n_sizes + z]));
            if (span <= duration)
                cp_raise(&v->bound[span * v->n_sizes + z], least);
        }
    }
    if (cp_lane() == 0)
        (void)cp_add(&v->state->n_raised, 1);
    cp_sync();
}

/* The set has got an item: takes note of the pattern that it stands for. The root's windows are
 * those of its spikes, not of its first item. */
SPK_SHARED void cp_settle_count(cp_search *s, const cp_node *node)
{
    const cp_view *v = s->v;
    if (node->n_windows > v->ceiling || node->size > v->max_spikes ||
        node->neurons < v->min_neurons ||
        node->n_windows <= cp_bound(v, node->high - node->low, node->size))
        return;
    /* The set's own size will do: its closure has no fewer spikes, in the same windows. */
    if (!v->by_duration && v->max_spikes == UINT32_MAX) {
        cp_raise_tables(v, 0, node->size, node->n_windows);
        return;
    }
    const uint32_t n_words = v->n_lags * v->words, base = (node->low - v->reach) * v->words;
    uint32_t *common = cp_rest(s, n_words);
    if (common == 0)
        return;
    cp_find_common(v, node->window, node->n_windows, base, common, n_words);
    const cp_sizes sizes = cp_measure(v, common, 0);
    if (sizes.size < v->min_spikes || sizes.size > v->max_spikes || sizes.neurons < v->min_neurons)
        return;
    if (v->drop_ends_of > 0 && cp_is_end(v, node->window, node->n_windows, base, sizes))
        return;
    cp_raise_tables(v, v->by_duration ? sizes.duration : 0, sizes.size, node->n_windows);
}
