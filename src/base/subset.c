/*
 * Random subsets. The first n distinct numbers of a uniform sequence are a uniform set of n
 * numbers; at most half of the numbers are drawn, so that few draws repeat.
 */
#include "base/subset.h"

#include <assert.h>
#include <string.h>

enum { FEW = 8 }; /* numbers that are compared one by one */

/* ---- the set --------------------------------------------------------------------------------- */

/* A power of two, at least twice as many as numbers. */
uint64_t spk_number_set_words(uint64_t n)
{
    assert(n < (uint64_t)1 << 62);
    return n == 0 ? 2 : (uint64_t)1 << (65 - __builtin_clzll(n));
}

spk_number_set spk_number_set_start(uint64_t n, uint64_t *words)
{
    uint64_t size = spk_number_set_words(n);
    memset(words, 0, (size_t)size * sizeof *words);
    return (spk_number_set){words, size - 1};
}

/* Where the number is, or where it would be. The multiplier is that of Fibonacci hashing (Knuth,
 * The Art of Computer Programming 3, section 6.4). */
static uint64_t slot_of(const spk_number_set *set, uint64_t number)
{
    uint64_t at = ((number * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & set->mask;
    while (set->slot[at] != 0 && set->slot[at] != number + 1)
        at = (at + 1) & set->mask;
    return at;
}

bool spk_number_set_add(spk_number_set *set, uint64_t number)
{
    assert(number < UINT64_MAX);
    uint64_t at = slot_of(set, number);
    bool added = set->slot[at] == 0;
    set->slot[at] = number + 1;
    return added;
}

static bool number_set_has(const spk_number_set *set, uint64_t number)
{
    return set->slot[slot_of(set, number)] != 0;
}

/* ---- subsets --------------------------------------------------------------------------------- */

static void draw_few(spk_random *random, uint64_t bound, uint64_t n, uint64_t *out)
{
    for (uint64_t have = 0; have < n;) {
        uint64_t number = spk_random_below(random, bound), k = 0;
        while (k < have && out[k] != number)
            k++;
        out[have] = number;
        have += k == have;
    }
}

static void draw_many(spk_random *random, uint64_t bound, uint64_t n, spk_number_set *set,
                      uint64_t *out)
{
    for (uint64_t have = 0; have < n;) {
        uint64_t number = spk_random_below(random, bound);
        if (spk_number_set_add(set, number))
            out[have++] = number;
    }
}

void spk_draw_subset(spk_random *random, uint64_t bound, uint64_t n, uint64_t *words, uint64_t *out)
{
    assert(bound > 0 && n <= bound);
    if (n <= bound / 2 && n <= FEW) {
        draw_few(random, bound, n, out);
        return;
    }
    uint64_t n_drawn = n <= bound / 2 ? n : bound - n;
    spk_number_set set = spk_number_set_start(n_drawn, words);
    draw_many(random, bound, n_drawn, &set, out);
    if (n <= bound / 2)
        return;
    uint64_t have = 0;
    for (uint64_t number = 0; number < bound; number++)
        if (!number_set_has(&set, number))
            out[have++] = number;
    assert(have == n);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Fisher and Yates. */
void spk_put_in_random_order(spk_random *random, uint64_t n, uint64_t *number)
{
    for (uint64_t i = n; i > 1; i--) {
        uint64_t other = spk_random_below(random, i), kept = number[i - 1];
        number[i - 1] = number[other];
        number[other] = kept;
    }
}
