/*
 * Columns of a node of the bitmap engine: the windows of each of its items, as bits. Included by
 * files that are compiled once per instruction set.
 *
 *     narrow, at most 64 windows    one number of 16, 32 or 64 bits an item
 *     wide                          column_words words an item, one item behind the other
 */
#pragma once

#include "pattern/engine/bitmap/bitmap.h"
#include "pattern/engine/bitmap/rows.h"

static inline uint64_t narrow_column(const spk_bitmap_node *node, uint32_t k)
{
    switch (node->width) {
    case 16:
        return ((const uint16_t *)node->column)[k];
    case 32:
        return ((const uint32_t *)node->column)[k];
    default:
        return ((const uint64_t *)node->column)[k];
    }
}

static inline void narrow_column_set(spk_bitmap_node *node, uint32_t k, uint64_t bits)
{
    switch (node->width) {
    case 16:
        ((uint16_t *)node->column)[k] = (uint16_t)bits;
        break;
    case 32:
        ((uint32_t *)node->column)[k] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)node->column)[k] = bits;
        break;
    }
}

/* Bits over the node's windows. */
static inline const uint64_t *wide_column(const spk_bitmap_node *node, uint32_t k)
{
    return (const uint64_t *)node->column + (size_t)k * node->column_words;
}

static inline uint32_t column_count(const spk_bitmap_node *node, uint32_t k)
{
    if (node->width != 0)
        return bit_count(narrow_column(node, k));
    const uint64_t *column = wide_column(node, k);
    uint32_t n = 0;
    for (uint32_t w = 0; w < node->column_words; w++)
        n += bit_count(column[w]);
    return n;
}
