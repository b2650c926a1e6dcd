/*
 * Calls of CUB. Each is made twice: the first tells how much temporary memory it needs, the second
 * does the work. The kernels are CUB's, with its choice of threads, blocks and memory.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "cuda/cub.cuh"

namespace
{

const cudaStream_t STREAM = cudaStreamPerThread;

/* Calls call(temporary, bytes), which returns CUB's error, both times. */
template <typename action>
spk_status with_temporary(spk_context *context, gpu_buffer *temporary, const char *what,
                          const action &call)
{
    size_t bytes = 0;
    spk_status status = gpu_check(context, call(nullptr, bytes), what);
    if (status == SPK_OK)
        status = gpu_reserve(context, temporary, bytes, 1, what);
    return status == SPK_OK ? gpu_check(context, call(temporary->data, bytes), what) : status;
}

struct is_between {
    const uint32_t *array;
    uint32_t lowest, highest;

    __device__ bool operator()(uint32_t k) const
    {
        return array[k] >= lowest && array[k] <= highest;
    }
};

} // namespace

template <typename number>
spk_status gpu_exclusive_sum(spk_context *context, gpu_buffer *temporary, number *array, uint64_t n,
                             const char *what)
{
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, array, n, STREAM);
    });
}
template spk_status gpu_exclusive_sum(spk_context *, gpu_buffer *, uint32_t *, uint64_t,
                                      const char *);
template spk_status gpu_exclusive_sum(spk_context *, gpu_buffer *, uint64_t *, uint64_t,
                                      const char *);

template <typename number>
spk_status gpu_inclusive_sum(spk_context *context, gpu_buffer *temporary, number *array, uint64_t n,
                             const char *what)
{
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, array, n, STREAM);
    });
}
template spk_status gpu_inclusive_sum(spk_context *, gpu_buffer *, uint32_t *, uint64_t,
                                      const char *);
template spk_status gpu_inclusive_sum(spk_context *, gpu_buffer *, uint64_t *, uint64_t,
                                      const char *);

spk_status gpu_sort(spk_context *context, gpu_buffer *temporary, const gpu_pairs<uint32_t> &pairs,
                    uint64_t n, int bits, const char *what)
{
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, pairs.keys, pairs.keys_out,
                                               pairs.values, pairs.values_out, n, 0, bits, STREAM);
    });
}

spk_status gpu_sort_descending(spk_context *context, gpu_buffer *temporary,
                               const gpu_pairs<uint64_t> &pairs, uint64_t n, const char *what)
{
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, pairs.keys, pairs.keys_out,
                                                         pairs.values, pairs.values_out, n, 0, 64,
                                                         STREAM);
    });
}

template <typename key>
spk_status gpu_sort_in_turns(spk_context *context, gpu_buffer *temporary, gpu_pairs<key> *pairs,
                             uint64_t n, int low, int high, const char *what)
{
    cub::DoubleBuffer<key> keys(pairs->keys, pairs->keys_out);
    cub::DoubleBuffer<uint32_t> values(pairs->values, pairs->values_out);
    spk_status status = with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, n, low, high, STREAM);
    });
    *pairs = {keys.Current(), keys.Alternate(), values.Current(), values.Alternate()};
    return status;
}
template spk_status gpu_sort_in_turns(spk_context *, gpu_buffer *, gpu_pairs<uint32_t> *, uint64_t,
                                      int, int, const char *);
template spk_status gpu_sort_in_turns(spk_context *, gpu_buffer *, gpu_pairs<uint64_t> *, uint64_t,
                                      int, int, const char *);

spk_status gpu_sort_keys(spk_context *context, gpu_buffer *temporary, const uint64_t *keys,
                         uint64_t *out, uint64_t n, const char *what)
{
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, out, n, 0, 64, STREAM);
    });
}

spk_status gpu_sort_keys_descending(spk_context *context, gpu_buffer *temporary,
                                    const uint32_t *keys, uint32_t *out, uint64_t n,
                                    const char *what)
{
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, keys, out, n, 0, 32, STREAM);
    });
}

spk_status gpu_ends(spk_context *context, gpu_buffer *temporary, const uint32_t *array,
                    uint32_t *ends, uint64_t n, const char *what)
{
    spk_status status = with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::Min(memory, bytes, array, ends, n, STREAM);
    });
    if (status != SPK_OK)
        return status;
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::Max(memory, bytes, array, ends + 1, n, STREAM);
    });
}

spk_status gpu_select_flagged(spk_context *context, gpu_buffer *temporary, const uint64_t *array,
                              const uint8_t *flag, uint64_t *out, unsigned long long *n_out,
                              uint64_t n, const char *what)
{
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceSelect::Flagged(memory, bytes, array, flag, out, n_out, n, STREAM);
    });
}

spk_status gpu_select_between(spk_context *context, gpu_buffer *temporary, const uint32_t *array,
                              uint32_t lowest, uint32_t highest, uint32_t *out, uint64_t *n_out,
                              uint64_t n, const char *what)
{
    is_between wanted = {array, lowest, highest};
    return with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<uint32_t>(0), out,
                                     n_out, n, wanted, STREAM);
    });
}
