/*
 * What the searches of the bitmap engine share beside the inner loops: single bits, and rows of
 * bits cut down to the bits of a mask or turned into columns. Included by files that are compiled
 * once per instruction set.
 */
#ifndef SPK_PATTERN_ENGINE_BITMAP_ROWS_H
#define SPK_PATTERN_ENGINE_BITMAP_ROWS_H

#include "base/arena.h"
#include "pattern/engine/bitmap/kernels.h"

#define SPK_PASTE_(a, b) a##b
#define SPK_PASTE(a, b)  SPK_PASTE_(a, b)

static inline uint32_t bit_count(uint64_t x)
{
#if defined(__POPCNT__) || defined(SPK_SIMD_IS_NEON)
    return (uint32_t)__builtin_popcountll(x);
#else
    x = x - (x >> 1 & UINT64_C(0x5555555555555555));
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
#endif
}

static inline bool bit_get(const uint64_t *row, uint32_t k)
{
    return (row[k / 64] >> (k % 64) & 1) != 0;
}

/* Words of a wide column that hold windows of the extension, and where their bits go. */
typedef struct wide_words {
    uint32_t n;
    uint32_t *word;
    uint32_t *offset;
    gatherer *gatherer;
} wide_words;

/* Words `from` .. words - 1 of the mask. */
static inline bool wide_words_make(spk_arena *arena, const uint64_t *mask, uint32_t from,
                                   uint32_t words, wide_words *out)
{
    out->n = 0;
    out->word = spk_arena_alloc(arena, words, sizeof *out->word);
    out->offset = spk_arena_alloc(arena, words, sizeof *out->offset);
    out->gatherer = spk_arena_alloc(arena, words, sizeof *out->gatherer);
    if (out->word == NULL || out->offset == NULL || out->gatherer == NULL)
        return false;
    uint32_t offset = 0;
    for (uint32_t w = from; w < words; w++) {
        if (mask[w] == 0)
            continue;
        out->word[out->n] = w;
        out->offset[out->n] = offset;
        out->gatherer[out->n++] = gatherer_make(mask[w]);
        offset += bit_count(mask[w]);
    }
    return true;
}

static inline void wide_gather(const wide_words *words, const uint64_t *from, uint64_t *to)
{
    for (uint32_t i = 0; i < words->n; i++) {
        uint64_t bits = gather_bits(&words->gatherer[i], from[words->word[i]]);
        uint32_t word = words->offset[i] / 64, shift = words->offset[i] % 64;
        to[word] |= bits << shift;
        if (shift != 0 && bits >> (64 - shift) != 0)
            to[word + 1] |= bits >> (64 - shift);
    }
}

/* The same when all bits together fit into one word. */
static inline uint64_t wide_gather_word(const wide_words *words, const uint64_t *from)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < words->n; i++)
        out |= gather_bits(&words->gatherer[i], from[words->word[i]]) << words->offset[i];
    return out;
}

/* Swaps the squares beside the diagonal; `low` are the bits whose number has no `size`. */
static inline void swap_squares(uint64_t *word, const uint32_t size, const uint64_t low)
{
    for (uint32_t begin = 0; begin < 64; begin += 2 * size) {
        for (uint32_t k = begin; k < begin + size; k++) {
            uint64_t moving = (word[k] >> size ^ word[k + size]) & low;
            word[k] ^= moving << size;
            word[k + size] ^= moving;
        }
    }
}

/* Turns 64 words: bit j of word i becomes bit i of word j (Warren, section 7-3). */
static inline void transpose(uint64_t *word)
{
    swap_squares(word, 32, UINT64_C(0x00000000ffffffff));
    swap_squares(word, 16, UINT64_C(0x0000ffff0000ffff));
    swap_squares(word, 8, UINT64_C(0x00ff00ff00ff00ff));
    swap_squares(word, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    swap_squares(word, 2, UINT64_C(0x3333333333333333));
    swap_squares(word, 1, UINT64_C(0x5555555555555555));
}

#endif
