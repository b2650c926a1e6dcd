/*
 * FP-tree: building it from sorted transactions, and its conditional pattern bases.
 *
 *     transactions    a b c    a b d    a c    b d      items by falling count
 *     tree            a:3 -+- b:2 -+- c:1               header  a -> a:3
 *                          |       +- d:1                       b -> b:2 -> b:1
 *                          +- c:1                               c -> c:1 -> c:1
 *                     b:1 --- d:1                               d -> d:1 -> d:1
 *
 * Invariant: a node's parent has a lower entry and a lower number; the counts of an entry's nodes
 * add up to the entry's. Cost: building takes a step an item; the pattern base of an entry takes
 * the ways from its nodes to the root. Bytes: 24 a node, of which 8 are read on the way up. Source:
 * mine.h.
 */
#include "pattern/engine/fpgrowth/mine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { INSERTION_SORT_ROWS = 48 };

uint64_t spk_fp_row_signature(uint64_t row)
{
    /* SplitMix64's finaliser (Steele, Lea and Flood 2014). */
    uint64_t z = (row + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint32_t shared_beginning(const spk_fp_row *a, const spk_fp_row *b)
{
    uint32_t limit = a->n < b->n ? a->n : b->n;
    uint32_t n = 0;
    while (n < limit && a->entry[n] == b->entry[n])
        n++;
    return n;
}

static int compare_rows(const void *left, const void *right)
{
    const spk_fp_row *a = left;
    const spk_fp_row *b = right;
    uint32_t n = shared_beginning(a, b);
    if (n == a->n || n == b->n)
        return (a->n > n) - (b->n > n);
    return a->entry[n] < b->entry[n] ? -1 : 1;
}

/* Rows of a conditional pattern base come nearly in order, because nodes are numbered in order of
 * depth-first search; there insertion beats the general sort. */
static void sort_rows(spk_fp_row *rows, uint32_t n)
{
    if (n > INSERTION_SORT_ROWS) {
        qsort(rows, n, sizeof *rows, compare_rows);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        spk_fp_row row = rows[i];
        uint32_t k = i;
        for (; k > 0 && compare_rows(&rows[k - 1], &row) > 0; k--)
            rows[k] = rows[k - 1];
        rows[k] = row;
    }
}

static uint32_t append_node(spk_fp_tree *tree, uint32_t entry, uint32_t parent)
{
    assert(entry < tree->n_entries);
    uint32_t number = tree->n_nodes++;
    tree->step[number] = (spk_fp_step){.entry = entry, .parent = parent};
    tree->node[number] = (spk_fp_node){.next = SPK_FP_NONE};
    spk_fp_header *header = &tree->header[entry];
    if (header->first == SPK_FP_NONE)
        header->first = number;
    else
        tree->node[header->last].next = number;
    header->last = number;
    return number;
}

/* Inserts sorted rows. `path` holds the nodes of the row inserted last: a row shares nodes with an
 * earlier one exactly as far as it shares its beginning with the row before it. */
static void insert_rows(spk_fp_tree *tree, const spk_fp_row *rows, uint32_t n_rows, uint32_t *path)
{
    for (uint32_t r = 0; r < n_rows; r++) {
        const spk_fp_row *row = &rows[r];
        assert(row->n > 0 && row->n <= tree->n_entries);
        uint32_t shared = r > 0 ? shared_beginning(&rows[r - 1], row) : 0;
        for (uint32_t i = 0; i < row->n; i++) {
            if (i >= shared)
                path[i] = append_node(tree, row->entry[i], i > 0 ? path[i - 1] : SPK_FP_NONE);
            tree->node[path[i]].count += row->count;
            tree->node[path[i]].signature += row->signature;
            tree->header[row->entry[i]].count += row->count;
            tree->header[row->entry[i]].signature += row->signature;
        }
    }
}

bool spk_fp_tree_build(spk_arena *arena, spk_fp_tree *tree, spk_fp_row *rows, uint32_t n_rows,
                       uint64_t n_total)
{
    tree->n_nodes = 0;
    if (n_total >= SPK_FP_NONE)
        return false;
    tree->step = spk_arena_alloc(arena, (size_t)n_total, sizeof *tree->step);
    tree->node = spk_arena_alloc(arena, (size_t)n_total, sizeof *tree->node);
    uint32_t *path = spk_arena_alloc(arena, tree->n_entries, sizeof *path);
    if (tree->step == NULL || tree->node == NULL || path == NULL)
        return false;
    for (uint32_t k = 0; k < tree->n_entries; k++)
        tree->header[k] = (spk_fp_header){
            .item = tree->header[k].item, .first = SPK_FP_NONE, .last = SPK_FP_NONE};
    sort_rows(rows, n_rows);
    insert_rows(tree, rows, n_rows, path);
    return true;
}

void spk_fp_tree_count_base(const spk_fp_tree *tree, uint32_t entry, uint32_t *count)
{
    const spk_fp_step *steps = tree->step;
    for (uint32_t k = tree->header[entry].first; k != SPK_FP_NONE; k = tree->node[k].next) {
        uint32_t weight = tree->node[k].count;
        for (uint32_t up = steps[k].parent; up != SPK_FP_NONE; up = steps[up].parent)
            count[steps[up].entry] += weight;
    }
}

/* Writes the kept items above `node` to the end of buffer[0 .. capacity), top first; returns how
 * many. */
static uint32_t kept_above(const spk_fp_tree *tree, uint32_t node, const uint32_t *renumber,
                           uint32_t *buffer, uint32_t capacity)
{
    uint32_t at = capacity;
    const spk_fp_step *steps = tree->step;
    for (uint32_t up = steps[node].parent; up != SPK_FP_NONE; up = steps[up].parent) {
        uint32_t number = renumber[steps[up].entry];
        assert(number == SPK_FP_NONE || at > 0);
        if (number != SPK_FP_NONE)
            buffer[--at] = number;
    }
    return capacity - at;
}

bool spk_fp_tree_base_rows(spk_arena *arena, const spk_fp_tree *tree, uint32_t entry,
                           const uint32_t *renumber, uint32_t n_kept, uint32_t min_items,
                           spk_fp_row **rows, uint32_t *n_rows, uint64_t *n_total)
{
    const spk_fp_node *nodes = tree->node;
    size_t n_nodes = 0;
    for (uint32_t k = tree->header[entry].first; k != SPK_FP_NONE; k = nodes[k].next)
        n_nodes++;
    *rows = spk_arena_alloc(arena, n_nodes, sizeof **rows);
    uint32_t *buffer = spk_arena_alloc(arena, n_kept, sizeof *buffer);
    if (*rows == NULL || buffer == NULL)
        return false;
    *n_rows = 0;
    *n_total = 0;
    /* A row for each node of the entry. The way up meets its items from the last to the first, so
     * that they are written from the end of the buffer, and copied once their number is known. */
    for (uint32_t k = tree->header[entry].first; k != SPK_FP_NONE; k = nodes[k].next) {
        uint32_t n = kept_above(tree, k, renumber, buffer, n_kept);
        if (n == 0 || n < min_items)
            continue;
        uint32_t *items = spk_arena_alloc(arena, n, sizeof *items);
        if (items == NULL)
            return false;
        memcpy(items, buffer + n_kept - n, n * sizeof *items);
        (*rows)[(*n_rows)++] = (spk_fp_row){items, n, nodes[k].count, nodes[k].signature};
        *n_total += n;
    }
    return true;
}

bool spk_fp_tree_is_path(const spk_fp_tree *tree)
{
    for (uint32_t k = 0; k < tree->n_nodes; k++)
        if (tree->step[k].parent != (k > 0 ? k - 1 : SPK_FP_NONE))
            return false;
    return true;
}
