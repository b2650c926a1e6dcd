/*
 * Puts results in canonical order: count descending, then units, then intervals (cuda-sweep,
 * docs/explanation/gpu.md). A key has as many 64-bit words as the episodes need. Radix sort is
 * stable, so rows are sorted by the last word first and by the first word last.
 *
 * One thread owns one episode and walks up the prefix links; a block owns 256.
 * Memory: 24 bytes an episode for sorting, and the result's columns once on the device.
 * Limits: up to 2^32 - 2 episodes, as a level has; any size.
 *
 * Of several devices each takes a range of the order. Ranges end between different counts: the
 * counts alone are sorted first to find these borders, then a device picks its rows.
 */
#include "cuda/cub.cuh"
#include "cuda/kernel.cuh"
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
    uint64_t i = gpu_thread();
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
    uint64_t i = gpu_thread();
    if (i < n)
        order[i] = static_cast<uint32_t>(i);
}

__global__ void write_columns(uint64_t n, columns c, const uint32_t *order,
                              const uint32_t *lane_unit, uint32_t *unit, uint16_t *delay,
                              uint64_t *count)
{
    uint64_t i = gpu_thread();
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

/* The range of the canonical order that a part is: its places, and the counts it has. */
struct share {
    uint64_t begin, end;
    uint32_t highest, lowest;
};

/* Where part `part` begins: at its even border, or behind the count that straddles that. `sorted`
 * falls. */
__device__ uint64_t part_begin(const uint32_t *sorted, uint64_t n, unsigned part, unsigned n_parts)
{
    uint64_t at = n / n_parts * part + n % n_parts * part / n_parts;
    if (at == 0 || at >= n || sorted[at] != sorted[at - 1])
        return at;
    uint64_t low = at;
    uint64_t high = n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sorted[middle] == sorted[at])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void find_share(const uint32_t *sorted, uint64_t n, unsigned part, unsigned n_parts,
                           share *out)
{
    share s = {part_begin(sorted, n, part, n_parts), n, 0, 0};
    if (part + 1 < n_parts)
        s.end = part_begin(sorted, n, part + 1, n_parts);
    if (s.begin < s.end) {
        s.highest = sorted[s.begin];
        s.lowest = sorted[s.end - 1];
    }
    *out = s;
}

spk_status find_own_share(spk_context *context, uint64_t n, const columns &c, int part, int n_parts,
                          csweep_scratch *scratch, share *out)
{
    spk_status status = gpu_reserve(context, &scratch->keys, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->totals, 1, sizeof(share), WHAT);
    if (status != SPK_OK)
        return status;
    uint32_t *sorted = static_cast<uint32_t *>(scratch->keys.data);
    share *found = static_cast<share *>(scratch->totals.data);
    status = gpu_sort_keys_descending(context, &scratch->temporary, c.count, sorted, n, WHAT);
    if (status != SPK_OK)
        return status;
    status = gpu_launch(context, WHAT, find_share, 1, 1, sorted, n, static_cast<unsigned>(part),
                        static_cast<unsigned>(n_parts), found);
    return status == SPK_OK ? gpu_download(context, out, found, sizeof *out, WHAT) : status;
}

/* Puts the rows of a part into scratch->values. */
spk_status pick_rows(spk_context *context, uint64_t n, const columns &c, int part, int n_parts,
                     csweep_scratch *scratch, share *out)
{
    *out = {0, n, 0, 0};
    spk_status status = SPK_OK;
    if (n_parts > 1)
        status = find_own_share(context, n, c, part, n_parts, scratch, out);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->values, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->totals, 1, sizeof(share), WHAT);
    if (status != SPK_OK)
        return status;
    uint32_t *rows = static_cast<uint32_t *>(scratch->values.data);
    if (n_parts == 1) {
        return gpu_launch(context, WHAT, number_rows, n, THREADS, n, rows);
    }
    /* Counts tell which rows are of this part, as ranges end between different counts. The
     * selection keeps their order. */
    return gpu_select_between(context, &scratch->temporary, c.count, out->lowest, out->highest,
                              rows, static_cast<uint64_t *>(scratch->totals.data), n, WHAT);
}

/* Sorts the rows that stand in scratch->values, which has room for all of them. */
spk_status sort_rows(spk_context *context, uint64_t n, const columns &c, csweep_scratch *scratch,
                     uint32_t **order)
{
    spk_status status = gpu_reserve(context, &scratch->keys, n, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->keys_out, n, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->values_out, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    gpu_pairs<uint64_t> rows = {static_cast<uint64_t *>(scratch->keys.data),
                                static_cast<uint64_t *>(scratch->keys_out.data),
                                static_cast<uint32_t *>(scratch->values.data),
                                static_cast<uint32_t *>(scratch->values_out.data)};
    uint32_t bits = 32 + c.size * c.lane_bits + (c.size - 1) * c.delay_bits;
    /* The last word first, by stable sorts; in the lowest word the bits behind the key are
     * skipped. */
    for (uint32_t word = (bits + 63) / 64; word-- > 0 && status == SPK_OK;) {
        int low = bits >= (word + 1) * 64 ? 0 : static_cast<int>((word + 1) * 64 - bits);
        status =
            gpu_launch(context, WHAT, make_keys, n, THREADS, n, c, rows.values, word, rows.keys);
        if (status == SPK_OK)
            status = gpu_sort_in_turns(context, &scratch->temporary, &rows, n, low, 64, WHAT);
    }
    *order = rows.values;
    return status;
}

} // namespace

extern "C" spk_status csweep_sort_level(spk_context *context, const csweep_index *index,
                                        const uint32_t *lane_unit_device,
                                        const csweep_level *levels, uint32_t size, int part,
                                        int n_parts, csweep_scratch *scratch, csweep_columns *out)
{
    columns c = {};
    share own = {};
    assert(size >= 1 && size <= MOST && part >= 0 && part < n_parts);
    uint32_t *order = nullptr;
    c.size = size;
    c.lane_bits = bits_for(index->view.n_lanes);
    c.delay_bits = bits_for(index->n_delays);
    c.count = static_cast<const uint32_t *>(levels[size - 1].count.data);
    /* A row of this size names the row of its prefix one level below, and so on down to a unit. */
    for (uint32_t p = 0; p < size; p++) {
        c.prefix[p] = static_cast<const uint32_t *>(levels[p].prefix.data);
        c.lane[p] = static_cast<const uint32_t *>(levels[p].lane.data);
        c.delay[p] = static_cast<const uint32_t *>(levels[p].delay.data);
    }
    out->begin = out->n = 0;
    if (levels[size - 1].n == 0)
        return SPK_OK;
    spk_status status = pick_rows(context, levels[size - 1].n, c, part, n_parts, scratch, &own);
    uint64_t n = own.end - own.begin;
    if (status != SPK_OK || n == 0)
        return status;
    status = sort_rows(context, n, c, scratch, &order);
    if (status == SPK_OK)
        status = gpu_reserve(context, &out->count, n, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &out->unit, n * size, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &out->delay, n * size, sizeof(uint16_t), WHAT);
    if (status != SPK_OK)
        return status;
    status = gpu_launch(context, WHAT, write_columns, n, THREADS, n, c, order, lane_unit_device,
                        static_cast<uint32_t *>(out->unit.data),
                        static_cast<uint16_t *>(out->delay.data),
                        static_cast<uint64_t *>(out->count.data));
    out->begin = own.begin;
    out->n = n;
    return status == SPK_OK ? gpu_wait(context, WHAT) : status;
}

extern "C" void csweep_columns_close(csweep_columns *columns)
{
    gpu_release(&columns->unit);
    gpu_release(&columns->delay);
    gpu_release(&columns->count);
    *columns = {};
}
