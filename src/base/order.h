/*
 * The order of two things for qsort and bsearch, key by key: by falling score, then by rising unit.
 *
 *     static int compare_members(const void *a, const void *b)
 *     {
 *         const member *x = a, *y = b;
 *         return SPK_BY(SPK_DOWN(x->score, y->score), SPK_UP(x->unit, y->unit));
 *     }
 *
 * All keys are looked at, whatever the first one says: they are numbers that cost nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Below 0 where x comes before y, 0 where they are equal, else above 0. */
#define SPK_UP(x, y)   (((x) > (y)) - ((x) < (y)))
#define SPK_DOWN(x, y) SPK_UP((y), (x))

/* The first key that tells the two apart decides. */
#define SPK_BY(...)                                                                                \
    spk_first_key((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
static inline int spk_first_key(const int *key, size_t n)
{
    size_t k = 0;
    while (k + 1 < n && key[k] == 0)
        k++;
    return key[k];
}

/* Arrays of plain numbers. */
static inline int spk_rising_u32(const void *a, const void *b)
{
    return SPK_UP(*(const uint32_t *)a, *(const uint32_t *)b);
}

static inline int spk_falling_u32(const void *a, const void *b)
{
    return spk_rising_u32(b, a);
}

static inline int spk_rising_f64(const void *a, const void *b)
{
    return SPK_UP(*(const double *)a, *(const double *)b);
}

static inline int spk_falling_f64(const void *a, const void *b)
{
    return spk_rising_f64(b, a);
}
