/*
 * Merge sort of indices. Runs of 16 are sorted by insertion; then neighbours are merged into the
 * other array, again and again:
 *
 *     index     | 16 | 16 | 16 | 16 | 9 |
 *     spare     |    32   |    32   | 9 |
 *     index     |         64        | 9 |
 *
 * Threads share the pairs of each pass; the last pass has one pair. Cost: with many threads about
 * three comparisons an item one after the other, with one as many as the logarithm of n.
 */
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum { RUN = 16 };

static void insertion_sort(uint32_t *index, uint64_t n, spk_compare_fn *compare, const void *user)
{
    for (uint64_t i = 1; i < n; i++) {
        uint32_t item = index[i];
        uint64_t k = i;
        for (; k > 0 && compare(user, index[k - 1], item) > 0; k--)
            index[k] = index[k - 1];
        index[k] = item;
    }
}

static void merge(const uint32_t *a, uint64_t n_a, const uint32_t *b, uint64_t n_b, uint32_t *out,
                  spk_compare_fn *compare, const void *user)
{
    if (n_b == 0 || compare(user, a[n_a - 1], b[0]) <= 0) { /* in order already */
        memcpy(out, a, n_a * sizeof *out);
        out += n_a;
        n_a = 0;
    }
    while (n_a > 0 && n_b > 0) {
        if (compare(user, *a, *b) <= 0) {
            *out++ = *a++;
            n_a--;
        } else {
            *out++ = *b++;
            n_b--;
        }
    }
    memcpy(out, n_a > 0 ? a : b, (n_a + n_b) * sizeof *out);
}

spk_status spk_sort_indices(spk_context *context, uint64_t n, uint32_t *index,
                            spk_compare_fn *compare, const void *user)
{
    assert(n <= (uint64_t)UINT32_MAX + 1);
    uint32_t *spare = NULL;
    spk_status status = spk_alloc(context, &spare, n, "sorting");
    if (status != SPK_OK)
        return status;
    const int threads = spk_threads_for(context, n);
    (void)threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (uint64_t i = 0; i < n; i += RUN)
        insertion_sort(index + i, n - i < RUN ? n - i : RUN, compare, user);
    uint32_t *from = index;
    uint32_t *to = spare;
    for (uint64_t width = RUN; width < n; width *= 2) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (uint64_t i = 0; i < n; i += 2 * width) {
            uint64_t n_a = n - i < width ? n - i : width;
            uint64_t n_b = n - i - n_a < width ? n - i - n_a : width;
            merge(from + i, n_a, from + i + n_a, n_b, to + i, compare, user);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != index)
        memcpy(index, from, n * sizeof *index);
    free(spare);
    return SPK_OK;
}
