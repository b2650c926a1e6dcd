/*
 * What the searches of the bitmap engine share beside the inner loops: single bits, and rows of
 * bits cut down to the bits of a mask or turned into columns. Included by files that are compiled
 * once per instruction set.
 *
 * Layout: bit k of a row is bit k % 64 of its word k / 64. Example of gathering: mask 0110 1001,
 * row 0100 1000: bits 0, 3, 5 and 6 are kept, and their row is 1010. Cost: gathering takes a step
 * for each word of the mask with a bit in it; turning 64 words takes six rounds of 32 swaps
 * (Warren, Hacker's Delight, section 7-3), or with AVX-512 three rounds over eight registers and a
 * mask for each row.
 */
#pragma once

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

/* The lowest bit's number; 64: none. */
static inline uint32_t first_bit(uint64_t x)
{
#ifdef __BMI__
    return (uint32_t)_tzcnt_u64(x);
#else
    return x != 0 ? (uint32_t)__builtin_ctzll(x) : 64;
#endif
}

/* Lists the bits of a word, counted from `base`. Writes up to LIST_SLACK places more than there are
 * bits: a loop whose end the processor foresees. */
#ifdef SPK_BITMAP_AVX512
enum { LIST_SLACK = 16 };
static inline uint32_t list_bits(uint64_t bits, uint32_t base, uint32_t *list)
{
    const __m512i step = _mm512_set1_epi32(LIST_SLACK);
    __m512i place =
        _mm512_add_epi32(_mm512_set1_epi32((int)base),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    uint32_t n = 0;
    for (uint32_t k = 0; k < 64; k += LIST_SLACK, place = _mm512_add_epi32(place, step)) {
        const uint64_t here = bits >> k & 0xffff;
        _mm512_storeu_si512(list + n, _mm512_maskz_compress_epi32((__mmask16)here, place));
        n += bit_count(here);
    }
    return n;
}
#else
enum { LIST_SLACK = 4 };
static inline uint32_t list_bits(uint64_t bits, uint32_t base, uint32_t *list)
{
    uint32_t n = bit_count(bits);
    for (uint32_t k = 0; k < n; k += LIST_SLACK)
        for (uint32_t j = 0; j < LIST_SLACK; j++, bits &= bits - 1)
            list[k + j] = base + first_bit(bits);
    return n;
}
#endif

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

/* The same for n listed rows of a matrix, into rows of `to_words` words, which are zero. Word by
 * word, so that no row waits for itself. */
static inline void wide_gather_rows(const wide_words *words, const uint64_t *row,
                                    uint32_t row_words, const uint32_t *list, uint32_t n,
                                    uint64_t *to, uint32_t to_words)
{
    for (uint32_t i = 0; i < words->n; i++) {
        const gatherer *g = &words->gatherer[i];
        const uint64_t *from = row + words->word[i];
        const uint32_t word = words->offset[i] / 64, shift = words->offset[i] % 64;
        for (uint32_t t = 0; t < n; t++)
            to[(size_t)t * to_words + word] |= gather_bits(g, from[(size_t)list[t] * row_words])
                                               << shift;
        if (shift + bit_count(g->mask) <= 64)
            continue;
        for (uint32_t t = 0; t < n; t++)
            to[(size_t)t * to_words + word + 1] |=
                gather_bits(g, from[(size_t)list[t] * row_words]) >> (64 - shift);
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

#ifdef SPK_BITMAP_AVX512

/* Turns up to 64 words, which end at a multiple of 8, into n words and some more: bit j of word i
 * becomes bit i of word j. Both are aligned. Bytes first, of eight words in a register, then of all
 * 64; masks of their bits are the outcome. */
static inline void turn_words(const uint64_t *column, uint32_t n_columns, uint64_t *row, uint32_t n)
{
    static const uint8_t pairs[16] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
    const __m512i in_lane =
        _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)pairs));
    const __m512i of_all =
        _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4, 27, 19, 11, 3,
                         26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
    __m512i x[8];
    for (uint32_t i = 0; i < 8; i++)
        x[i] = i * 8 < n_columns
                   ? _mm512_permutexvar_epi16(
                         of_all, _mm512_shuffle_epi8(_mm512_load_si512(column + i * 8), in_lane))
                   : _mm512_setzero_si512();
    for (uint32_t step = 1; step < 8; step *= 2) {
        const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        const __m512i apart = _mm512_set1_epi64(step);
        const __mmask8 high = _mm512_test_epi64_mask(lane, apart);
        /* lanes of the low result: a's own where the bit is clear, b's lane - step where set */
        const __m512i low_index =
            _mm512_mask_add_epi64(lane, high, _mm512_sub_epi64(lane, apart), _mm512_set1_epi64(8));
        const __m512i high_index =
            _mm512_mask_add_epi64(_mm512_add_epi64(lane, apart), high, lane, _mm512_set1_epi64(8));
        for (uint32_t i = 0; i < 8; i++) {
            if ((i & step) != 0)
                continue;
            __m512i a = x[i], b = x[i + step];
            x[i] = _mm512_permutex2var_epi64(a, low_index, b);
            x[i + step] = _mm512_permutex2var_epi64(a, high_index, b);
        }
    }
    for (uint32_t j = 0; j < 8; j++) {
        if (j * 8 >= n)
            break;
        for (uint32_t b = 8; b-- > 0;) {
            row[j * 8 + b] = (uint64_t)_mm512_movepi8_mask(x[j]);
            x[j] = _mm512_add_epi8(x[j], x[j]);
        }
    }
}

#else

static inline void turn_words(const uint64_t *column, uint32_t n_columns, uint64_t *row, uint32_t n)
{
    (void)n;
    for (uint32_t k = 0; k < 64; k++)
        row[k] = k < n_columns ? column[k] : 0;
    transpose(row);
}

#endif

/* Completes a symmetric matrix of bits, rows of `words` words, of which the words on and right of
 * the diagonal are there: word block `i` of the rows of block `j` > i. */
static inline void mirror_block(uint64_t *matrix, uint32_t words, uint32_t n, uint32_t i,
                                uint32_t j)
{
    _Alignas(64) uint64_t from[64] = {0}, to[64];
    const uint32_t n_from = n - i * 64 < 64 ? n - i * 64 : 64;
    const uint32_t n_to = n - j * 64 < 64 ? n - j * 64 : 64;
    for (uint32_t k = 0; k < n_from; k++)
        from[k] = matrix[(size_t)(i * 64 + k) * words + j];
    turn_words(from, (n_from + 7) / 8 * 8, to, n_to);
    for (uint32_t k = 0; k < n_to; k++)
        matrix[(size_t)(j * 64 + k) * words + i] |= to[k];
}
