/*
 * cuda-bitmap: roots and their columns. One warp counts the windows of 32 items (cp_count_items),
 * lists a root's items (cp_list_root), or makes 32 columns (cp_fill_columns). Memory: a count for
 * each root and item; columns of the roots in work.
 */
#pragma once

#include "pattern/engine/cuda/view.h"

/* What n windows have in common, shifted by `shift` words: word k of `common`, of n_words. */
SPK_SHARED void cp_find_common(const cp_view *v, const uint32_t *window, uint32_t n, uint32_t shift,
                               uint32_t *common, uint32_t n_words)
{
    enum { WORDS = 4, TURN = 4 };
    for (uint32_t from = cp_lane(); from < cp_whole(n_words); from += WORDS * CP_LANES) {
        uint32_t all[WORDS], at[WORDS];
        for (uint32_t j = 0; j < WORDS; j++) {
            all[j] = ~UINT32_C(0);
            at[j] = shift + cp_smaller(from + j * CP_LANES, n_words - 1);
        }
        /* Many words are read at once. The last window comes several times, which changes nothing.
         */
        for (uint32_t i = 0; i < n; i += TURN)
            for (uint32_t t = 0; t < TURN; t++) {
                const uint32_t place = window[cp_smaller(i + t, n - 1)];
                for (uint32_t j = 0; j < WORDS; j++)
                    all[j] &= v->bits[place + at[j]]; /* a shift may be below 0 */
            }
        for (uint32_t j = 0; j < WORDS; j++)
            if (from + j * CP_LANES < n_words)
                common[from + j * CP_LANES] = all[j];
    }
    cp_sync();
}

/* Word w of an item's column. */
SPK_SHARED uint32_t cp_column_word(const cp_view *v, const uint32_t *window, uint32_t n,
                                   uint32_t code, uint32_t w)
{
    uint32_t word = 0;
    const uint32_t end = cp_smaller(n - w * 32, 32);
    for (uint32_t b = 0; b < end; b++)
        word |= cp_bit(v, window[w * 32 + b], code) << b;
    return word;
}

SPK_SHARED uint32_t cp_n_windows(const cp_view *v, uint32_t r)
{
    return v->root_first[r + 1] - v->root_first[r];
}

/* Chunk `chunk` of all roots' items. */
SPK_SHARED void cp_count_items(const cp_view *v, uint64_t chunk)
{
    const uint32_t n_chunks = (v->n_items + CP_CHUNK - 1) / CP_CHUNK;
    const uint32_t r = (uint32_t)(chunk / n_chunks), from = (uint32_t)(chunk % n_chunks) * CP_CHUNK;
    const uint32_t *window = v->root_window + v->root_first[r];
    const uint32_t n = cp_n_windows(v, r), end = cp_smaller(v->n_items, from + CP_CHUNK);
    for (uint32_t k = from + cp_lane(); k < end; k += CP_LANES) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < n; i++)
            count += cp_bit(v, window[i], v->item[k]);
        v->count[(uint64_t)r * v->n_items + k] = count;
    }
}

/* Whether item k belongs to the root's columns; *before: it is in all windows, and comes before. */
SPK_SHARED bool cp_matters(const cp_view *v, uint32_t r, uint32_t k, bool *before)
{
    const uint32_t own = v->root_code[r], code = v->item[k];
    const uint32_t count = v->count[(uint64_t)r * v->n_items + k];
    const bool all = CP_LISTING(v) && count == cp_n_windows(v, r);
    if (code == own)
        return false;
    if (!cp_later(v, own, code)) {
        *before |= all;
        return false;
    }
    return count >= v->least && !all;
}

/* Room for its items; the host has seen to it that there is enough. */
SPK_SHARED void cp_take_room(const cp_view *v, cp_root *root)
{
    uint64_t item = 0, column = 0;
    if (cp_lane() == 0) {
        item = cp_add64(&v->state->item_used, root->n);
        column = cp_add64(&v->state->column_used, (uint64_t)root->n * root->words);
    }
    root->item = cp_from_first(item);
    root->column = cp_from_first(column);
}

SPK_SHARED uint32_t cp_list_items(const cp_view *v, uint32_t r, uint32_t *out, bool *before)
{
    uint32_t n = 0;
    for (uint32_t k = cp_lane(); k < cp_whole(v->n_items); k += CP_LANES) {
        const bool keep = k < v->n_items && cp_matters(v, r, k, before);
        const uint32_t at = cp_append(keep, &n);
        if (keep && out != 0)
            out[at] = v->item[k];
    }
    return n;
}

/* Items that come before all others first. */
SPK_SHARED void cp_order_items(const cp_view *v, const uint32_t *code, uint32_t n, uint32_t *order)
{
    uint32_t at = 0;
    for (uint32_t turn = 0; turn < 2; turn++)
        for (uint32_t k = cp_lane(); k < cp_whole(n); k += CP_LANES) {
            const bool mine = k < n && cp_is_first(v, code[k]) == (turn == 0);
            const uint32_t to = cp_append(mine, &at);
            if (mine)
                order[to] = k;
        }
}

/* Root r. In lists nothing is searched below it when an item that comes before it is in all its
 * windows: another root has its patterns. */
SPK_SHARED void cp_list_root(const cp_view *v, uint32_t r)
{
    const uint32_t n_words = v->n_lags * v->words;
    const uint32_t *window = v->root_window + v->root_first[r];
    bool before = false;
    cp_root root = {0, 0, 0, 0, 0, 0};
    root.n_windows = cp_n_windows(v, r);
    root.words = cp_words(root.n_windows);
    /* Once to count, once to write; in between room is taken for so many. */
    if (r >= v->root_begin && r < v->root_end && root.n_windows >= v->least) {
        root.n = cp_list_items(v, r, 0, &before);
        root.ready = cp_ballot(before) == 0;
    }
    if (root.ready) {
        cp_take_room(v, &root);
        (void)cp_list_items(v, r, v->code + root.item, &before);
        cp_sync();
    }
    if (root.ready && CP_LISTING(v)) {
        cp_order_items(v, v->code + root.item, root.n, v->order + root.item);
        cp_find_common(v, window, root.n_windows, 0, v->common + (uint64_t)r * n_words, n_words);
    }
    if (cp_lane() == 0)
        v->root[r] = root;
}

/* Chunk `chunk` of all roots' columns. */
SPK_SHARED void cp_fill_columns(const cp_view *v, uint64_t chunk)
{
    const uint32_t n_chunks = (v->n_items + CP_CHUNK - 1) / CP_CHUNK;
    const uint32_t r = (uint32_t)(chunk / n_chunks), from = (uint32_t)(chunk % n_chunks) * CP_CHUNK;
    const cp_root *root = &v->root[r];
    const uint32_t *window = v->root_window + v->root_first[r];
    if (!root->ready)
        return;
    for (uint32_t k = from + cp_lane(); k < cp_smaller(root->n, from + CP_CHUNK); k += CP_LANES)
        for (uint32_t w = 0; w < root->words; w++)
            v->column[root->column + (uint64_t)w * root->n + k] =
                cp_column_word(v, window, root->n_windows, v->code[root->item + k], w);
}

/* Numbers the tasks: by one warp. */
SPK_SHARED void cp_plan(const cp_view *v)
{
    uint32_t n_tasks = 0, before = 0;
    for (uint32_t r = cp_lane(); r < cp_whole(v->n_roots); r += CP_LANES) {
        const bool ready = r < v->n_roots && v->root[r].ready != 0;
        uint32_t all = 0;
        before = cp_before(ready ? v->root[r].n + 1 : 0, &all);
        if (r < v->n_roots)
            v->task_first[r] = n_tasks + before;
        n_tasks += all;
    }
    if (cp_lane() == 0)
        v->task_first[v->n_roots] = n_tasks;
}
