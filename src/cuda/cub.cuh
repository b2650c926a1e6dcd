/*
 * What is asked of CUB: sums, sorts, selections, ends. cub.cu alone includes its headers, which
 * take long to compile.
 *
 * A call needs temporary memory. Its buffer is the caller's, grows, and serves one call after the
 * other.
 */
#pragma once

#include "cuda/device.h"

/* Each of n numbers becomes the sum of those before it. Numbers here, and keys below, are uint32_t
 * or uint64_t. */
template <typename number>
spk_status gpu_exclusive_sum(spk_context *context, gpu_buffer *temporary, number *array, uint64_t n,
                             const char *what);

/* The same with its own value. */
template <typename number>
spk_status gpu_inclusive_sum(spk_context *context, gpu_buffer *temporary, number *array, uint64_t n,
                             const char *what);

/* Keys with a value each, and room for both once more. */
template <typename key> struct gpu_pairs {
    key *keys, *keys_out;
    uint32_t *values, *values_out;
};

/* Stable sorts by the lowest `bits` of the keys into *_out; the others stay. */
spk_status gpu_sort(spk_context *context, gpu_buffer *temporary, const gpu_pairs<uint32_t> &pairs,
                    uint64_t n, int bits, const char *what);
spk_status gpu_sort_descending(spk_context *context, gpu_buffer *temporary,
                               const gpu_pairs<uint64_t> &pairs, uint64_t n, const char *what);

/* Stable sorts by bits [low, high) of the keys, for which *_out serve as well: afterwards `keys`
 * and `values` name the arrays that are sorted. */
template <typename key>
spk_status gpu_sort_in_turns(spk_context *context, gpu_buffer *temporary, gpu_pairs<key> *pairs,
                             uint64_t n, int low, int high, const char *what);

/* Keys without values, sorted from `keys` into `out`. */
spk_status gpu_sort_keys(spk_context *context, gpu_buffer *temporary, const uint64_t *keys,
                         uint64_t *out, uint64_t n, const char *what);
spk_status gpu_sort_keys_descending(spk_context *context, gpu_buffer *temporary,
                                    const uint32_t *keys, uint32_t *out, uint64_t n,
                                    const char *what);

/* The lowest of n numbers in ends[0], the highest in ends[1], both on the device. */
spk_status gpu_ends(spk_context *context, gpu_buffer *temporary, const uint32_t *array,
                    uint32_t *ends, uint64_t n, const char *what);

/* The entries with a flag that is not 0, in their order; n_out, on the device, gets their number.
 */
spk_status gpu_select_flagged(spk_context *context, gpu_buffer *temporary, const uint64_t *array,
                              const uint8_t *flag, uint64_t *out, unsigned long long *n_out,
                              uint64_t n, const char *what);

/* The numbers k below n with lowest <= array[k] <= highest, in their order; n_out as above. */
spk_status gpu_select_between(spk_context *context, gpu_buffer *temporary, const uint32_t *array,
                              uint32_t lowest, uint32_t highest, uint32_t *out, uint64_t *n_out,
                              uint64_t n, const char *what);
