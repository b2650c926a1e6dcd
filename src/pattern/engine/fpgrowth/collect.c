/*
 * Filter on arrival, storage in blocks.
 *
 * Example:
 *     block 1, 1 KB    |head, items|head, items|...|
 *     block 2, 2 KB    |head, items|...           a head: signature, count, number of items
 *
 * Invariant: a pattern lies in one block, at a multiple of 8 bytes, so that a cursor goes from one
 * to the next by its size alone; items are in order. Cost: a push or a pop changes a few numbers,
 * and these tell whether a pattern passes without a look at its items. Bytes: blocks double up to 1
 * MB; a pattern that is longer has its own.
 */
#include "pattern/engine/fpgrowth/mine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { FIRST_BLOCK_BYTES = 1 << 10, LARGEST_BLOCK_BYTES = 1 << 20, INSERTION_SORT_ITEMS = 64 };

struct spk_fp_block {
    spk_fp_block *next;
    size_t size; /* of data */
    size_t used;
    _Alignas(spk_found_pattern) unsigned char data[];
};

void spk_fp_prefix_push(spk_fp_prefix *prefix, uint32_t item)
{
    uint32_t unit = item / prefix->filter->window;
    prefix->n_neurons += prefix->per_unit[unit]++ == 0;
    prefix->n_first_bin += item == unit * prefix->filter->window;
    prefix->item[prefix->n++] = item;
}

void spk_fp_prefix_pop_to(spk_fp_prefix *prefix, uint32_t n)
{
    while (prefix->n > n) {
        uint32_t item = prefix->item[--prefix->n];
        uint32_t unit = item / prefix->filter->window;
        assert(prefix->per_unit[unit] > 0);
        prefix->n_neurons -= --prefix->per_unit[unit] == 0;
        prefix->n_first_bin -= item == unit * prefix->filter->window;
    }
}

static void sort_items(uint32_t *item, uint32_t n)
{
    if (n > INSERTION_SORT_ITEMS) {
        qsort(item, n, sizeof *item, spk_rising_u32);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        uint32_t moving = item[i];
        uint32_t k = i;
        for (; k > 0 && item[k - 1] > moving; k--)
            item[k] = item[k - 1];
        item[k] = moving;
    }
}

/* Algorithm 1 of the paper, from the counts kept by push and pop. max_spikes is looked at here too:
 * larger patterns are no longer needed as witnesses, since closedness is then checked against the
 * windows themselves. */
static bool passes(const spk_fp_prefix *prefix, uint32_t count)
{
    const spk_fp_filter *filter = prefix->filter;
    return count <= filter->max_count && count >= filter->min_support && prefix->n_first_bin > 0 &&
           prefix->n_neurons >= filter->min_neurons && prefix->n >= filter->min_spikes &&
           prefix->n <= filter->max_spikes;
}

static size_t pattern_bytes(uint32_t n)
{
    size_t bytes = sizeof(spk_found_pattern) + n * sizeof(uint32_t);
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

/* A new last block for at least `bytes`, twice as large as the one before up to a limit. */
static spk_fp_block *append_block(spk_fp_collector *collector, spk_budget *budget, size_t bytes)
{
    size_t size = collector->last != NULL ? 2 * collector->last->size : FIRST_BLOCK_BYTES;
    size = size < LARGEST_BLOCK_BYTES ? size : LARGEST_BLOCK_BYTES;
    size = size > bytes ? size : bytes;
    spk_fp_block *block = spk_budget_alloc(budget, sizeof *block + size);
    if (block == NULL)
        return NULL;
    *block = (spk_fp_block){.size = size};
    if (collector->last != NULL)
        collector->last->next = block;
    else
        collector->first = block;
    collector->last = block;
    return block;
}

bool spk_fp_collect(spk_fp_collector *collector, spk_budget *budget, const spk_fp_prefix *prefix,
                    uint32_t count, uint64_t signature)
{
    if (!passes(prefix, count))
        return true;
    size_t bytes = pattern_bytes(prefix->n);
    spk_fp_block *block = collector->last;
    if (block == NULL || block->size - block->used < bytes)
        block = append_block(collector, budget, bytes);
    if (block == NULL)
        return false;
    spk_found_pattern *pattern = (spk_found_pattern *)(void *)(block->data + block->used);
    *pattern = (spk_found_pattern){.signature = signature, .count = count, .n = prefix->n};
    memcpy(pattern->item, prefix->item, prefix->n * sizeof *pattern->item);
    sort_items(pattern->item, prefix->n);
    block->used += bytes;
    collector->n_patterns++;
    return true;
}

spk_found_pattern *spk_fp_collector_next(const spk_fp_collector *collector, spk_fp_cursor *cursor)
{
    if (cursor->block == NULL)
        *cursor = (spk_fp_cursor){collector->first, 0};
    else if (cursor->at == cursor->block->used)
        *cursor = (spk_fp_cursor){cursor->block->next, 0};
    if (cursor->block == NULL)
        return NULL;
    assert(cursor->at < cursor->block->used);
    spk_found_pattern *pattern = (spk_found_pattern *)(void *)(cursor->block->data + cursor->at);
    cursor->at += pattern_bytes(pattern->n);
    return pattern;
}

void spk_fp_collector_free(spk_fp_collector *collector, spk_budget *budget)
{
    for (spk_fp_block *block = collector->first; block != NULL;) {
        spk_fp_block *next = block->next;
        spk_budget_free(budget, block, sizeof *block + block->size);
        block = next;
    }
    *collector = (spk_fp_collector){.n_patterns = 0};
}
