/* Random sets of distinct whole numbers, all equally likely, and the set that finds repeats. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

/* A set of numbers below UINT64_MAX in memory of the caller's. */
typedef struct spk_number_set {
    uint64_t *slot; /* number + 1, or 0 */
    uint64_t mask;
} spk_number_set;

/* Words of memory for a set of at most n numbers. */
uint64_t spk_number_set_words(uint64_t n);

/* An empty set in `words`, which has spk_number_set_words(n) entries at least. */
spk_number_set spk_number_set_start(uint64_t n, uint64_t *words);

/* False where the number was in it already. */
bool spk_number_set_add(spk_number_set *set, uint64_t number);

/* Draws n of the numbers 0 .. bound - 1 into `out`, in no order; n is at most `bound`, and bound is
 * not 0. Where more than half of them are wanted, those left out are drawn instead. `words` has
 * spk_number_set_words(n) entries. */
void spk_draw_subset(spk_random *random, uint64_t bound, uint64_t n, uint64_t *words,
                     uint64_t *out);

/* Puts numbers into random order: all orders are equally likely. */
void spk_put_in_random_order(spk_random *random, uint64_t n, uint64_t *number);
