/*
 * Results in canonical order (count descending, then units, then intervals): keys of as many 64-bit
 * words as the episodes need, sorted from the last word to the first by radix sort, which is
 * stable. One thread an episode; it walks up the prefix links. Memory: 24 bytes an episode for
 * sorting, and the columns once on the device.
 */
#include <cub/device/device_radix_sort.cuh>

#include "episode/engine/cuda/sweep/level.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr unsigned MOST = SPK_EPISODE_MAX_SIZE;
constexpr const char *WHAT = "frequent episodes in order";

/* The levels' columns, by size - 1. */
struct columns {
    uint32_t size;
    uint32_t lane_bits, delay_bits;
    const uint32_t *prefix[MOST];
    const uint32_t *lane[MOST];
    const uint32_t *delay[MOST];
    const uint32_t *count;
};

__global__ void make_keys(uint64_t n, columns c, const uint32_t *order, uint32_t word,
                          uint64_t *key)
{
    uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t row = order[i];
    uint64_t out = 0;
    csweep_key_put(&out, word, 0, 32, UINT32_MAX - c.count[row]);
    for (uint32_t p = c.size; p-- > 0;) {
        csweep_key_put(&out, word, 32 + p * c.lane_bits, c.lane_bits, c.lane[p][row]);
        if (p > 0)
            csweep_key_put(&out, word, 32 + c.size * c.lane_bits + (p - 1) * c.delay_bits,
                           c.delay_bits, c.delay[p][row]);
        row = c.prefix[p][row];
    }
    key[i] = out;
}

__global__ void number_rows(uint64_t n, uint32_t *order)
{
    uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        order[i] = static_cast<uint32_t>(i);
}

__global__ void write_columns(uint64_t n, columns c, const uint32_t *order,
                              const uint32_t *lane_unit, uint32_t *unit, uint16_t *delay,
                              uint64_t *count)
{
    uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t row = order[i];
    count[i] = c.count[row];
    for (uint32_t p = c.size; p-- > 0;) {
        unit[i * c.size + p] = lane_unit[c.lane[p][row]];
        delay[i * c.size + p] = static_cast<uint16_t>(c.delay[p][row]);
        row = c.prefix[p][row];
    }
}

uint32_t bits_for(uint64_t n)
{
    uint32_t bits = 0;
    while (n > 1ull << bits)
        bits++;
    return bits;
}

unsigned blocks_for(uint64_t n)
{
    return static_cast<unsigned>((n + THREADS - 1) / THREADS);
}

spk_status sort_rows(spk_context *context, uint64_t n, const columns &c, csweep_scratch *scratch,
                     uint32_t **order)
{
    spk_status status = gpu_reserve(context, &scratch->keys, n, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->keys_out, n, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->values, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->values_out, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    cub::DoubleBuffer<uint32_t> rows(static_cast<uint32_t *>(scratch->values.data),
                                     static_cast<uint32_t *>(scratch->values_out.data));
    number_rows<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(n, rows.Current());
    uint32_t bits = 32 + c.size * c.lane_bits + (c.size - 1) * c.delay_bits;
    for (uint32_t word = (bits + 63) / 64; word-- > 0 && status == SPK_OK;) {
        cub::DoubleBuffer<uint64_t> keys(static_cast<uint64_t *>(scratch->keys.data),
                                         static_cast<uint64_t *>(scratch->keys_out.data));
        int low = bits >= (word + 1) * 64 ? 0 : static_cast<int>((word + 1) * 64 - bits);
        make_keys<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(n, c, rows.Current(), word,
                                                                      keys.Current());
        size_t bytes = 0;
        status = gpu_check(context,
                           cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, rows, n, low, 64,
                                                           cudaStreamPerThread),
                           WHAT);
        if (status == SPK_OK)
            status = gpu_reserve(context, &scratch->temporary, bytes, 1, WHAT);
        if (status == SPK_OK)
            status =
                gpu_check(context,
                          cub::DeviceRadixSort::SortPairs(scratch->temporary.data, bytes, keys,
                                                          rows, n, low, 64, cudaStreamPerThread),
                          WHAT);
    }
    *order = rows.Current();
    return status;
}

} // namespace

extern "C" spk_status csweep_output(spk_context *context, const csweep_index *index,
                                    const uint32_t *lane_unit_device, const csweep_level *levels,
                                    uint32_t size, csweep_scratch *scratch, uint32_t *unit,
                                    uint16_t *delay, uint64_t *count)
{
    uint64_t n = levels[size - 1].n;
    columns c = {};
    gpu_buffer out = {};
    uint32_t *order = nullptr;
    c.size = size;
    c.lane_bits = bits_for(index->view.n_lanes);
    c.delay_bits = bits_for(index->n_delays);
    c.count = static_cast<const uint32_t *>(levels[size - 1].count.data);
    for (uint32_t p = 0; p < size; p++) {
        c.prefix[p] = static_cast<const uint32_t *>(levels[p].prefix.data);
        c.lane[p] = static_cast<const uint32_t *>(levels[p].lane.data);
        c.delay[p] = static_cast<const uint32_t *>(levels[p].delay.data);
    }
    if (n == 0)
        return SPK_OK;
    spk_status status = sort_rows(context, n, c, scratch, &order);
    uint64_t cells = n * size;
    if (status == SPK_OK)
        status = gpu_reserve(context, &out, n * sizeof(uint64_t) + cells * 6, 1, WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *count_out = static_cast<uint64_t *>(out.data);
    uint32_t *unit_out = reinterpret_cast<uint32_t *>(count_out + n);
    uint16_t *delay_out = reinterpret_cast<uint16_t *>(unit_out + cells);
    write_columns<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(
        n, c, order, lane_unit_device, unit_out, delay_out, count_out);
    status = gpu_check_launch(context, WHAT);
    if (status == SPK_OK)
        status = gpu_download(context, unit, unit_out, cells * sizeof *unit, WHAT);
    if (status == SPK_OK)
        status = gpu_download(context, delay, delay_out, cells * sizeof *delay, WHAT);
    if (status == SPK_OK)
        status = gpu_download(context, count, count_out, n * sizeof *count, WHAT);
    gpu_release(&out);
    return status;
}
