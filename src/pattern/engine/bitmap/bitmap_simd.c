/*
 * The search of the bitmap engine, compiled once per instruction set: nodes, their pruning, their
 * extensions. See bitmap.h for what a node is and kernels.h for the inner loops.
 *
 * Pruning (prune below): let a node miss r spikes and q units to the minimum. Whatever is reported
 * below it is a set of extensions in which every two share min_support windows, so an extension
 * that, among those still alive, shares windows with fewer than r - 1 others, or with others of too
 * few units, is in none of them. It can be dropped altogether, also as a witness against closures:
 * were it in the closure of something reportable, it would share windows with all of that. Repeated
 * until nothing changes.
 *
 * Layout of a wide node, 130 items in 70 windows: rows of 130 bits, one a window, and columns of 70
 * bits, one an item; the same bits twice. A narrow node has columns of one number each and no rows.
 *
 * Invariant: items of a node rise by rank. The first n_excluded, of lower rank than the node's own
 * item, are witnesses only: where one of them is in all windows of a set, the set belongs to an
 * earlier branch. What a search takes of the arena and of the pattern is given back where it was
 * taken.
 *
 * Cost: rows of all pairs take n * n columns of a node, and a bit each for `share` and `inside`, up
 * to KEPT_BYTES; an extension takes a pass over the columns or rows of its node. Memory is that of
 * the nodes on one path. Closures after Uno et al. 2004 (bitmap.h); pruning is ours.
 */
#include "pattern/engine/bitmap/bitmap.h"

#include "base/bisect.h"
#include "pattern/engine/bitmap/columns.h"
#include "pattern/engine/bitmap/kernels.h"
#include "pattern/engine/bitmap/later.h"
#include "pattern/engine/bitmap/rows.h"

/* Bit rows of all pairs are kept for a node while they take no more than this. */
enum { KEPT_BYTES = 8 << 20 };
enum { LOOK_ROWS = 64 }; /* of a node, between two looks whether the search shall end */

/* Scratch of the search, until its mark is released; NULL, and a status, where memory is out. */
static void *take(spk_bitmap_search *search, uint64_t n, size_t size)
{
    void *out = spk_arena_alloc(&search->arena, n, size);
    if (out == NULL)
        search->status = SPK_ERR_MEMORY;
    return out;
}

static void *take_zero(spk_bitmap_search *search, uint64_t n, size_t size)
{
    void *out = take(search, n, size);
    if (out != NULL)
        memset(out, 0, (size_t)n * size);
    return out;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* An empty node for n items over n_windows windows: sizes chosen, columns and rows zero. */
static spk_bitmap_node *node_create(spk_bitmap_search *search, uint32_t n, uint32_t n_windows,
                                    bool later)
{
    spk_bitmap_node *node = take_zero(search, 1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->n = n;
    node->n_windows = n_windows;
    /* A column of a narrow node is one number of 16, 32 or 64 bits: the fewer bits, the more
     * columns a vector holds. later.h reads columns of 64 bits alone. */
    node->width = n_windows <= 16 ? 16 : n_windows <= 32 ? 32 : n_windows <= 64 ? 64 : 0;
    node->later = later && n_windows <= 64 * LATER_PLANES;
    if (node->later && node->width != 0)
        node->width = 64;
    node->words = (n + 63) / 64;
    node->rank = take(search, n, sizeof *node->rank);
    if (node->width != 0) {
        node->column = take_zero(search, (uint64_t)node->words * 64, node->width / 8);
        return node->rank != NULL && node->column != NULL ? node : NULL;
    }
    /* Rows are added up by the vector, so that they have whole vectors of words. The words behind
     * the last item stay zero: no item is found there. */
    node->words = (node->words + ROW_WORDS - 1) / ROW_WORDS * ROW_WORDS;
    node->column_words = (n_windows + 63) / 64;
    node->column = take_zero(search, (uint64_t)n * node->column_words, sizeof(uint64_t));
    node->row = take_zero(search, (uint64_t)n_windows * node->words, sizeof(uint64_t));
    return node->rank != NULL && node->column != NULL && node->row != NULL ? node : NULL;
}

/* ---- which items share enough windows ----------------------------------------------------------
 */

/* The windows of an item of a wide node; how many. */
static uint32_t list_column(const spk_bitmap_node *node, uint32_t position, uint32_t *list)
{
    const uint64_t *column = wide_column(node, position);
    uint32_t n = 0;
    for (uint32_t w = 0; w < node->column_words; w++)
        n += list_bits(column[w], w * 64, list + n);
    return n;
}

/* The rows share and inside of the item at `position`; `list` holds the node's windows. */
static void pair_rows(const spk_bitmap_node *node, uint32_t position, uint32_t min_support,
                      uint32_t *list, uint64_t *share, uint64_t *inside)
{
    switch (node->width) {
    case 16:
        pair_masks_16(node->column, node->words, ((const uint16_t *)node->column)[position],
                      min_support, share, inside);
        break;
    case 32:
        pair_masks_32(node->column, node->words, ((const uint32_t *)node->column)[position],
                      min_support, share, inside);
        break;
    case 64:
        pair_masks_64(node->column, node->words, ((const uint64_t *)node->column)[position],
                      min_support, share, inside);
        break;
    default:
        row_masks(node->row, node->words, list, list_column(node, position, list), min_support,
                  share, inside);
    }
    /* An item shares all windows with itself; in both rows it would be an extension of itself. */
    share[position / 64] &= ~(UINT64_C(1) << (position % 64));
    inside[position / 64] &= ~(UINT64_C(1) << (position % 64));
}

/* Of a whole mask: items of a row, or windows of a column. */
static bool wide_words_take(spk_bitmap_search *search, const uint64_t *mask, uint32_t words,
                            wide_words *out)
{
    if (wide_words_make(&search->arena, mask, 0, words, out))
        return true;
    search->status = SPK_ERR_MEMORY;
    return false;
}

/* Room for the windows of an item; narrow nodes need no list. */
static uint32_t *window_list(spk_bitmap_search *search, const spk_bitmap_node *node)
{
    return take(search, node->width == 0 ? node->n_windows + LIST_SLACK : 1, sizeof(uint32_t));
}

/* ---- units -------------------------------------------------------------------------------------
 */

/*
 * An upper bound of the number of units, not in the pattern, among the items of `mask` from word
 * `from` on; exact but where a unit's items spread over three words. (x & low) + low carries into a
 * group's last bit when any other bit of the group is set:
 *
 *     item's unit      3 3 3 5 7 7        the lowest bit first
 *     low              1 1 0 0 1 0
 *     last             0 0 1 1 0 1
 *     x                1 0 0 0 0 1        some items of units 3 and 7
 *     (x & low) + low  0 0 1 0 1 0        carried into the last bit of unit 3
 *     hit              0 0 1 0 0 1        of that or x, the last bits: two units
 */
static uint32_t count_units(const spk_bitmap_node *node, const uint64_t *mask, uint32_t from,
                            uint64_t *any)
{
    uint32_t n = 0;
    uint64_t previous = 0;
    for (uint32_t w = from; w < node->words; w++) {
        uint64_t x = mask[w] & node->fresh[w];
        uint64_t hit = (((x & node->low[w]) + node->low[w]) | x) & node->last[w];
        n += bit_count(hit);
        /* A group over the border of two words was counted in both of them. */
        n -= (previous >> 63) != 0 && (hit & node->joined[w]) != 0;
        any[w] = previous = hit;
    }
    for (uint32_t w = from; w * 64 < node->n_lag0; w++) {
        uint64_t x = mask[w] & node->fresh[w];
        if (node->n_lag0 - w * 64 < 64)
            x &= (UINT64_C(1) << (node->n_lag0 % 64)) - 1;
        for (; x != 0; x &= x - 1) {
            uint32_t partner = node->partner[w * 64 + (uint32_t)__builtin_ctzll(x)];
            n -= partner != UINT32_MAX && partner / 64 >= from && bit_get(any, partner);
        }
    }
    return n;
}

/* For every lag-0 item the end of its unit's later group. */
static void link_partners(spk_bitmap_search *search, spk_bitmap_node *node)
{
    const uint32_t *unit_of = search->job->unit_of;
    uint32_t *end = search->unit_end;
    for (uint32_t k = 0; k < node->n_lag0; k++)
        end[unit_of[node->rank[k]]] = UINT32_MAX;
    for (uint32_t k = node->n_lag0; k < node->n; k++)
        end[unit_of[node->rank[k]]] = k;
    for (uint32_t k = 0; k < node->n_lag0; k++)
        node->partner[k] = end[unit_of[node->rank[k]]];
}

/* The masks that count_units needs. */
static bool group_units(spk_bitmap_search *search, spk_bitmap_node *node)
{
    const spk_bitmap_job *job = search->job;
    uint64_t *masks = take_zero(search, 5 * (uint64_t)node->words, sizeof *masks);
    while (node->n_lag0 < node->n && node->rank[node->n_lag0] < job->n_lag0)
        node->n_lag0++;
    node->partner = take(search, node->n_lag0, sizeof *node->partner);
    if (masks == NULL || node->partner == NULL)
        return false;
    node->alive = masks;
    node->fresh = masks + node->words;
    node->low = masks + 2 * node->words;
    node->last = masks + 3 * node->words;
    node->joined = masks + 4 * node->words;
    if (search->neurons + 1 >= job->limits.min_neurons) { /* nobody will count units */
        for (uint32_t w = 0; w * 64 < node->n; w++)
            node->alive[w] =
                node->n - w * 64 >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << node->n % 64) - 1;
        return true;
    }
    uint32_t before = UINT32_MAX, unit = job->unit_of[node->rank[0]];
    for (uint32_t k = 0; k < node->n; k++) {
        uint32_t after = k + 1 < node->n ? job->unit_of[node->rank[k + 1]] : UINT32_MAX;
        uint64_t bit = UINT64_C(1) << (k % 64);
        bool ends = k < node->n_lag0 || after != unit || k % 64 == 63;
        node->alive[k / 64] |= bit;
        *(ends ? &node->last[k / 64] : &node->low[k / 64]) |= bit;
        if (search->unit_count[unit] == 0)
            node->fresh[k / 64] |= bit;
        if (k % 64 == 0 && k > node->n_lag0 && before == unit)
            node->joined[k / 64] = 1; /* where it begins; moved to its end below */
        before = unit;
        unit = after;
    }
    for (uint32_t w = 0; w < node->words; w++)
        if (node->joined[w] != 0)
            node->joined[w] = node->last[w] & (0 - node->last[w]);
    link_partners(search, node);
    return true;
}

/* ---- preparing a node ---------------------------------------------------------------------------
 */

/* Clears extensions that no reportable set can hold, until stable; see the top of the file. */
static void prune(spk_bitmap_search *search, spk_bitmap_node *node)
{
    const spk_pattern_limits *limits = &search->job->limits;
    uint32_t spikes = limits->min_spikes > search->size ? limits->min_spikes - search->size : 0;
    uint32_t units =
        limits->min_neurons > search->neurons ? limits->min_neurons - search->neurons : 0;
    uint32_t from = node->n_excluded / 64;
    uint64_t first_word = ~UINT64_C(0) << (node->n_excluded % 64);
    uint64_t *mask = search->mask;
    /* An extension that goes takes itself from the rows of others, which may fall short by that:
     * hence until nothing changes. The first word of a row holds items that are excluded, too. */
    bool changed = spikes > 1 || units > 1;
    while (changed) {
        changed = false;
        for (uint32_t e = 0; e < node->n - node->n_excluded; e++) {
            uint32_t position = node->n_excluded + e;
            if (!bit_get(node->alive, position))
                continue;
            const uint64_t *share = node->share + (size_t)e * node->words;
            uint32_t n = 1;
            for (uint32_t w = from; w < node->words; w++) {
                mask[w] = share[w] & node->alive[w] & (w == from ? first_word : ~UINT64_C(0));
                n += bit_count(mask[w]);
            }
            mask[position / 64] |= UINT64_C(1) << (position % 64);
            if (n >= spikes && n >= units &&
                (units <= 1 || count_units(node, mask, from, search->any) >= units))
                continue;
            node->alive[position / 64] &= ~(UINT64_C(1) << (position % 64));
            changed = true;
        }
    }
}

/* Masks, rows and pruning: what the extensions of a node need. The pattern in the search is its.
 * Where it is known which items are alive, rows are made by extensions that need them. */
static bool prepare(spk_bitmap_search *search, spk_bitmap_node *node, const uint64_t *alive)
{
    if (!group_units(search, node))
        return false;
    if (alive != NULL) {
        memcpy(node->alive, alive, ((size_t)node->n + 63) / 64 * sizeof *alive);
        return true;
    }
    /* Rows of all extensions are kept where they take little; then pruning sees all of them at
     * once. Elsewhere an extension makes its own two, and nothing is pruned. */
    uint32_t n_extensions = node->n - node->n_excluded;
    uint64_t row_words = (uint64_t)n_extensions * node->words;
    if (row_words * 2 * sizeof(uint64_t) > KEPT_BYTES)
        return true;
    node->share = take(search, row_words, sizeof(uint64_t));
    node->inside = take(search, row_words, sizeof(uint64_t));
    uint32_t *list = window_list(search, node);
    if (node->share == NULL || node->inside == NULL || list == NULL)
        return false;
    node->kept = true;
    for (uint32_t e = 0; e < n_extensions; e++) {
        if ((e + 1) % LOOK_ROWS == 0 && spk_bitmap_ended(search))
            return false;
        pair_rows(node, node->n_excluded + e, search->job->limits.min_support, list,
                  node->share + (size_t)e * node->words, node->inside + (size_t)e * node->words);
    }
    prune(search, node);
    return true;
}

/* ---- the node of an extension ---------------------------------------------------------------- */

/* Whether the columns of a child have the bits of the node's. */
static bool keeps_bits(const spk_bitmap_node *node, const spk_bitmap_node *child)
{
    return node->width != 0 && child->width == node->width && !child->later;
}

/* Columns of the chosen items, cut down to the windows of the item at `position`: narrow to narrow.
 */
static void narrow_from_narrow(const spk_bitmap_node *node, uint32_t position,
                               const uint64_t *chosen, spk_bitmap_node *child)
{
    uint64_t windows = narrow_column(node, position);
    const bool keeps = keeps_bits(node, child);
    gatherer g = gatherer_make(keeps ? ~UINT64_C(0) : windows);
    uint32_t at = 0;
    for (uint32_t w = 0; w < node->words; w++) {
        for (uint64_t bits = chosen[w]; bits != 0; bits &= bits - 1) {
            uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(bits);
            uint64_t column = narrow_column(node, k) & windows;
            if (!keeps)
                column = gather_bits(&g, column);
            narrow_column_set(child, at, column);
            child->rank[at++] = node->rank[k];
        }
    }
}

/* The node's columns from rows over its items, one per window. */
static void columns_from_rows(spk_bitmap_node *node, const uint64_t *rows)
{
    for (uint32_t t = 0; t < node->n_windows; t += 64) {
        uint32_t n_rows = node->n_windows - t < 64 ? node->n_windows - t : 64;
        for (uint32_t k = 0; k < node->n; k += 64) {
            _Alignas(64) uint64_t row[64] = {0}, block[64];
            uint32_t n_columns = node->n - k < 64 ? node->n - k : 64;
            for (uint32_t i = 0; i < n_rows; i++)
                row[i] = rows[(size_t)(t + i) * node->words + k / 64];
            turn_words(row, (n_rows + 7) / 8 * 8, block, n_columns);
            for (uint32_t j = 0; j < n_columns; j++) {
                if (node->width != 0)
                    narrow_column_set(node, k + j, block[j]);
                else
                    ((uint64_t *)node->column)[(size_t)(k + j) * node->column_words + t / 64] =
                        block[j];
            }
        }
    }
}

/* The same from a wide node; a wide child also gets its rows: the rows of the extension's windows,
 * cut down to the chosen items. */
static bool from_wide(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t position,
                      const uint64_t *chosen, spk_bitmap_node *child)
{
    wide_words windows, items;
    if (!wide_words_take(search, wide_column(node, position), node->column_words, &windows))
        return false;
    uint32_t at = 0;
    /* Columns of the windows that the extension has: a narrow child gets them from the columns of
     * this node. A wide one gets its rows first, which are turned into columns. */
    for (uint32_t w = 0; w < node->words; w++) {
        for (uint64_t bits = chosen[w]; bits != 0; bits &= bits - 1) {
            uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (child->width != 0)
                narrow_column_set(child, at, wide_gather_word(&windows, wide_column(node, k)));
            child->rank[at++] = node->rank[k];
        }
    }
    if (child->width != 0)
        return true;
    uint32_t *list = window_list(search, node);
    if (list == NULL || !wide_words_take(search, chosen, node->words, &items))
        return false;
    /* Row t of the child is the row of the extension's t-th window: in ascending order, as the bits
     * of the columns. */
    wide_gather_rows(&items, node->row, node->words, list, list_column(node, position, list),
                     child->row, child->words);
    columns_from_rows(child, child->row);
    return true;
}

/* Which windows the bits of the child's columns are: as many as the node's, or those of the
 * extension only. */
static bool name_windows(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t position,
                         spk_bitmap_node *child)
{
    child->window = node->window;
    if (node->window == NULL || keeps_bits(node, child))
        return true;
    uint32_t *window = take(search, child->n_windows, sizeof *window);
    if (window == NULL)
        return false;
    const uint64_t narrow = node->width != 0 ? narrow_column(node, position) : 0;
    const uint64_t *column = node->width != 0 ? &narrow : wide_column(node, position);
    uint32_t words = node->width != 0 ? 1 : node->column_words, n = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t bits = column[w]; bits != 0; bits &= bits - 1)
            window[n++] = node->window[w * 64 + (uint32_t)__builtin_ctzll(bits)];
    child->window = window;
    return true;
}

/* `chosen`: the items that share enough windows with the one at `position`, without those in all of
 * them. The child has `count` windows. */
static spk_bitmap_node *child_create(spk_bitmap_search *search, const spk_bitmap_node *node,
                                     uint32_t position, const uint64_t *chosen, uint32_t count)
{
    uint32_t n = 0, n_excluded = 0;
    for (uint32_t w = 0; w < node->words; w++) {
        if (w == position / 64)
            n_excluded = n + bit_count(chosen[w] & ((UINT64_C(1) << (position % 64)) - 1));
        n += bit_count(chosen[w]);
    }
    /* Ranks take over parts of a search at any node of this kind. */
    spk_bitmap_node *child = node_create(search, n, count, !search->job->shared);
    if (child == NULL || !name_windows(search, node, position, child))
        return NULL;
    child->n_excluded = n_excluded;
    if (node->width != 0)
        narrow_from_narrow(node, position, chosen, child);
    else if (!from_wide(search, node, position, chosen, child))
        return NULL;
    return child;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void mine(spk_bitmap_search *search, spk_bitmap_node *node);

/* What the pattern of a node misses to the limits, seen from before an extension. */
typedef struct missing {
    uint32_t spikes;
    uint32_t units;
} missing;

static uint32_t less(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

/* True when the extension at `position`, what its windows have in common, and the later items of
 * `share` make up what is missing. */
static bool can_reach(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t position,
                      missing need, const uint64_t *share, const uint64_t *inside)
{
    uint32_t from = position / 64, n = 1, n_more = 0;
    uint64_t *mask = search->mask;
    for (uint32_t w = from; w < node->words; w++) {
        uint64_t above = w == from ? ~UINT64_C(0) << (position % 64) : ~UINT64_C(0);
        uint64_t more = share[w] & node->alive[w] & ~inside[w] & above;
        mask[w] = more | (inside[w] & above);
        n_more += bit_count(more);
        n += bit_count(mask[w]);
    }
    if (n_more == 0 || n < need.spikes || n < need.units)
        return false;
    mask[from] |= UINT64_C(1) << (position % 64);
    return need.units <= 1 || count_units(node, mask, from, search->any) >= need.units;
}

/* Pushes the item at `position` and what its windows have in common; false when an item of lower
 * rank is among that: the closed set belongs to another branch. */
static bool push_closure(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t position,
                         const uint64_t *inside)
{
    const spk_bitmap_job *job = search->job;
    for (uint32_t w = 0; w < position / 64; w++)
        if (inside[w] != 0)
            return false;
    if ((inside[position / 64] & ((UINT64_C(1) << (position % 64)) - 1)) != 0)
        return false;
    uint32_t rank = node->rank[position];
    spk_bitmap_push(search, job->key_of[rank], job->unit_of[rank]);
    for (uint32_t w = position / 64; w < node->words; w++) {
        for (uint64_t bits = inside[w]; bits != 0; bits &= bits - 1) {
            rank = node->rank[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            spk_bitmap_push(search, job->key_of[rank], job->unit_of[rank]);
        }
    }
    return true;
}

/* Searches the closed sets beyond the one that was just pushed. */
static void descend(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t position,
                    const uint64_t *share, const uint64_t *inside, uint32_t count)
{
    uint64_t *chosen = take(search, node->words, sizeof *chosen);
    if (chosen == NULL)
        return;
    for (uint32_t w = 0; w < node->words; w++)
        chosen[w] = share[w] & node->alive[w] & ~inside[w];
    spk_bitmap_node *child = child_create(search, node, position, chosen, count);
    if (child == NULL)
        return;
    if (child->later) {
        search_beyond(search, child);
        return;
    }
    search->level[search->depth++] = (spk_bitmap_level){node, position};
    mine(search, child);
    search->depth--;
}

/* The set of the pattern and extension e: its closure is pushed and reported where no witness is in
 * it; then what lies beyond is searched, where limits can be reached. */
static void extend(spk_bitmap_search *search, const spk_bitmap_node *node, uint32_t e)
{
    uint32_t position = node->n_excluded + e;
    if (!bit_get(node->alive, position) || spk_bitmap_stopped(search))
        return;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    const spk_pattern_limits *limits = &search->job->limits;
    uint32_t size = search->size;
    /* Limits as they stand before the extension: its item counts among those that make up for
     * them. */
    missing need = {less(limits->min_spikes, size), less(limits->min_neurons, search->neurons)};
    const uint64_t *share = NULL, *inside = NULL;
    if (node->kept) {
        share = node->share + (size_t)e * node->words;
        inside = node->inside + (size_t)e * node->words;
    } else {
        uint64_t *rows = take(search, 2 * (uint64_t)node->words, sizeof *rows);
        uint32_t *list = window_list(search, node);
        if (rows == NULL || list == NULL)
            goto done;
        pair_rows(node, position, search->job->limits.min_support, list, rows, rows + node->words);
        share = rows;
        inside = rows + node->words;
    }
    /* Everything from here on is taken back at the end: the closure off the pattern, rows and nodes
     * off the arena. */
    if (!push_closure(search, node, position, inside))
        goto done;
    uint32_t count = column_count(node, position);
    search->seen += count;
    const uint64_t narrow = node->width != 0 ? narrow_column(node, position) : 0;
    const spk_bitmap_places places = {node->window,
                                      node->width != 0 ? &narrow : wide_column(node, position),
                                      node->width != 0 ? 1 : node->column_words};
    spk_bitmap_emit(search, count, &places);
    if (search->size < limits->max_spikes && can_reach(search, node, position, need, share, inside))
        descend(search, node, position, share, inside, count);
done:
    spk_bitmap_pop(search, size);
    spk_arena_release(&search->arena, mark);
}

/* All extensions of a node that is new, by rank. Where processes share anew, what is not begun is
 * left to them. */
static void mine(spk_bitmap_search *search, spk_bitmap_node *node)
{
    if (!prepare(search, node, NULL))
        return;
    uint32_t n = node->n - node->n_excluded;
    for (uint32_t e = 0; e < n; e++) {
        if (search->cut) {
            spk_bitmap_leave(search, node, e, n, 0);
            return;
        }
        extend(search, node, e);
    }
}

/* Pairs of items that the child of extension e looks at: each item that can extend it, which comes
 * after e, beside all others of the child. */
static uint64_t pairs_below(const spk_bitmap_node *node, uint32_t e)
{
    const uint64_t *share = node->share + (size_t)e * node->words;
    uint32_t position = node->n_excluded + e;
    uint64_t all = 0, after = 0;
    if (!bit_get(node->alive, position))
        return 0;
    for (uint32_t w = 0; w < node->words; w++) {
        uint64_t bits = share[w] & node->alive[w];
        uint32_t n = bit_count(bits);
        all += n;
        if (w == position / 64)
            after += bit_count(bits & (~UINT64_C(0) << position % 64));
        else if (w > position / 64)
            after += n;
    }
    return (after + 1) * (all + 1);
}

/* ---- nodes that are known -------------------------------------------------------------------- */

/* The position of a rank among the extensions; the number of items where it is none. */
static uint32_t find_rank(const spk_bitmap_node *node, uint32_t rank)
{
    const uint32_t low = (uint32_t)spk_first_u32(node->rank, node->n_excluded, node->n, rank);
    return low < node->n && node->rank[low] == rank ? low : node->n;
}

/* The same child as `descend` makes, on the way to a branch that somebody else left: nothing is
 * reported. */
static spk_bitmap_node *child_known(spk_bitmap_search *search, const spk_bitmap_node *node,
                                    uint32_t rank, const uint64_t *alive)
{
    uint32_t position = find_rank(node, rank);
    if (position == node->n || !bit_get(node->alive, position))
        return NULL;
    uint64_t *share = take(search, 3 * (uint64_t)node->words, sizeof *share);
    uint32_t *list = window_list(search, node);
    if (share == NULL || list == NULL)
        return NULL;
    uint64_t *inside = share + node->words, *chosen = inside + node->words;
    pair_rows(node, position, search->job->limits.min_support, list, share, inside);
    if (!push_closure(search, node, position, inside))
        return NULL;
    for (uint32_t w = 0; w < node->words; w++)
        chosen[w] = share[w] & node->alive[w] & ~inside[w];
    spk_bitmap_node *child =
        child_create(search, node, position, chosen, column_count(node, position));
    return child != NULL && prepare(search, child, alive) ? child : NULL;
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* Counts the items of a root's windows into search->count, by rank. */
static void root_count(spk_bitmap_search *search, uint32_t root)
{
    const spk_bitmap_job *job = search->job;
    memset(search->count, 0, job->n_items * sizeof *search->count);
    for (uint64_t i = job->root_first[root]; i < job->root_first[root + 1]; i++) {
        uint64_t w = job->root_window[i];
        for (uint64_t k = job->windows->first[w]; k < job->windows->first[w + 1]; k++) {
            uint32_t rank = job->rank_of[job->windows->item[k]];
            if (rank != UINT32_MAX)
                search->count[rank]++;
        }
    }
}

/* Ranks, columns and rows of the node from the lists; search->count as root_close_lists left it. */
static void root_fill(spk_bitmap_search *search, uint32_t root, spk_bitmap_node *node)
{
    const spk_bitmap_job *job = search->job;
    const uint32_t *local = search->count;
    /* Window t of the root becomes bit t of all columns; local[rank] is the place of an item in the
     * node. */
    uint64_t begin = job->root_first[root];
    for (uint32_t rank = 0; rank < job->n_items; rank++)
        if (local[rank] != UINT32_MAX)
            node->rank[local[rank]] = rank;
    for (uint32_t t = 0; t < node->n_windows; t++) {
        uint64_t w = job->root_window[begin + t];
        for (uint64_t i = job->windows->first[w]; i < job->windows->first[w + 1]; i++) {
            uint32_t rank = job->rank_of[job->windows->item[i]];
            uint32_t k = rank != UINT32_MAX ? local[rank] : UINT32_MAX;
            if (k == UINT32_MAX)
                continue;
            if (node->width != 0) {
                narrow_column_set(node, k, narrow_column(node, k) | UINT64_C(1) << t);
            } else {
                ((uint64_t *)node->column)[(size_t)k * node->column_words + t / 64] |= UINT64_C(1)
                                                                                       << (t % 64);
                node->row[(size_t)t * node->words + k / 64] |= UINT64_C(1) << (k % 64);
            }
        }
    }
}

/* Closes the root's pattern by the items that are in all its windows, and finds and counts those in
 * enough of them, from the lists of items: search->count becomes their positions in the node, by
 * rank. False when an item of lower rank is in the closure. */
static bool root_close_lists(spk_bitmap_search *search, uint32_t root, uint32_t count, uint32_t *n,
                             uint32_t *n_excluded)
{
    const spk_bitmap_job *job = search->job;
    root_count(search, root);
    search->count[root] = 0;
    for (uint32_t rank = 0; rank < job->n_items; rank++) {
        if (search->count[rank] == count) {
            if (rank < root)
                return false;
            spk_bitmap_push(search, job->key_of[rank], job->unit_of[rank]);
            search->count[rank] = 0;
        }
        bool in = search->count[rank] >= job->limits.min_support;
        search->count[rank] = in ? (*n)++ : UINT32_MAX;
        *n_excluded += in && rank < root;
    }
    return true;
}

/* The same from the bit rows: `share` becomes the node's items. */
static bool root_close_rows(spk_bitmap_search *search, uint32_t root, uint32_t count,
                            uint64_t *share, uint32_t *n, uint32_t *n_excluded)
{
    const spk_bitmap_job *job = search->job;
    uint64_t *inside = search->mask;
    row_masks(job->row, job->row_words, job->root_window + job->root_first[root], count,
              job->limits.min_support, share, inside);
    inside[root / 64] &= ~(UINT64_C(1) << (root % 64));
    share[root / 64] &= ~(UINT64_C(1) << (root % 64));
    for (uint32_t w = 0; w < job->row_words; w++) {
        for (uint64_t bits = inside[w]; bits != 0; bits &= bits - 1) {
            uint32_t rank = w * 64 + (uint32_t)__builtin_ctzll(bits);
            /* An item of lower rank in all windows: the set is met from that item's root. */
            if (rank < root)
                return false;
            spk_bitmap_push(search, job->key_of[rank], job->unit_of[rank]);
        }
        share[w] &= ~inside[w];
        if (w == root / 64)
            *n_excluded = *n + bit_count(share[w] & ((UINT64_C(1) << (root % 64)) - 1));
        *n += bit_count(share[w]);
    }
    return true;
}

/* Ranks, columns and rows of the node from the bit rows of the root's windows. */
static bool root_gather(spk_bitmap_search *search, uint32_t root, const uint64_t *share,
                        spk_bitmap_node *node)
{
    const spk_bitmap_job *job = search->job;
    const uint32_t *window = job->root_window + job->root_first[root];
    wide_words items;
    uint32_t at = 0;
    for (uint32_t w = 0; w < job->row_words; w++)
        for (uint64_t bits = share[w]; bits != 0; bits &= bits - 1)
            node->rank[at++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
    uint64_t *rows = node->width == 0
                         ? node->row
                         : take_zero(search, (uint64_t)node->n_windows * node->words, sizeof *rows);
    if (rows == NULL || !wide_words_take(search, share, job->row_words, &items))
        return false;
    wide_gather_rows(&items, job->row, job->row_words, window, node->n_windows, rows, node->words);
    columns_from_rows(node, rows);
    return true;
}

/* The branch of an item alone, with all of its windows. NULL: nothing lies below it, or its closure
 * belongs to an earlier root, or memory is out. *valid tells whether the root's own set is one to
 * report. */
static spk_bitmap_node *root_create(spk_bitmap_search *search, uint32_t root, const uint64_t *alive,
                                    bool *valid)
{
    const spk_bitmap_job *job = search->job;
    uint32_t count = (uint32_t)(job->root_first[root + 1] - job->root_first[root]);
    uint32_t n = 0, n_excluded = 0;
    uint64_t *share = NULL;
    if (valid != NULL)
        *valid = false;
    if (job->row != NULL && (share = take(search, job->row_words, sizeof *share)) == NULL)
        return NULL;
    spk_bitmap_push(search, job->key_of[root], job->unit_of[root]);
    bool closed = share != NULL ? root_close_rows(search, root, count, share, &n, &n_excluded)
                                : root_close_lists(search, root, count, &n, &n_excluded);
    if (valid != NULL)
        *valid = closed;
    /* Nothing lies below a root that has no extension, or whose items are too few or too many. */
    if (!closed || n == n_excluded || search->size >= job->limits.max_spikes ||
        (uint64_t)search->size + n - n_excluded < job->limits.min_spikes)
        return NULL;
    spk_bitmap_node *node = node_create(search, n, count, false);
    if (node == NULL)
        return NULL;
    node->n_excluded = n_excluded;
    node->window = job->ends.row != NULL ? job->root_window + job->root_first[root] : NULL;
    if (share == NULL)
        root_fill(search, root, node);
    else if (!root_gather(search, root, share, node))
        return NULL;
    return prepare(search, node, alive) ? node : NULL;
}

const spk_bitmap_kernels SPK_PASTE(spk_bitmap_kernels_, SPK_SIMD_SUFFIX) = {
    .root = root_create,
    .child = child_known,
    .pairs = pairs_below,
    .extend = extend,
};
