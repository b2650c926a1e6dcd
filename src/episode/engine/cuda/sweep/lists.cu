/*
 * Occurrence lists on the device: for a row, each event of its last unit at which some occurrence
 * ends, with the latest start of any that ends there (docs/engines.md).
 *
 * One warp takes a piece of up to PIECE ends of one row's prefix, 32 a step. Twice: first to learn
 * how many entries the piece gives, then to write them where an exclusive scan says. Memory: 8
 * bytes an entry; 12 a piece and 8 a row while it is done.
 */
#include <cub/device/device_scan.cuh>

#include "episode/engine/cuda/sweep/level.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr unsigned WARP = 32;
constexpr unsigned ALL = 0xffffffffu;
constexpr uint64_t PIECE = 1024;
constexpr const char *WHAT = "occurrence lists";

struct extension {
    csweep_view view;
    uint64_t begin;
    uint64_t n_rows;
    const uint32_t *prefix, *lane, *delay; /* of the level */
    uint64_t parents_begin;
    const uint64_t *parents_first; /* NULL: single lanes */
    const csweep_entry *parents;
    const uint32_t *batch_first; /* may be NULL */
    uint64_t n_pieces;
    const uint64_t *piece_first; /* n_rows + 1 */
    const uint32_t *piece_row;
};

/* The list of a row's prefix. */
struct parent_list {
    const csweep_entry *entry; /* NULL: the events of `lane` */
    uint32_t lane;
    uint64_t n;
};

__device__ parent_list find_parent(const extension &e, uint64_t row)
{
    parent_list list = {nullptr, 0, 0};
    uint32_t prefix = e.prefix[row];
    if (e.parents_first == nullptr) {
        list.lane = prefix; /* the rows of size 1 are the lanes */
        list.n = e.view.lane_count[list.lane];
    } else {
        const uint64_t *first = e.parents_first + (prefix - e.parents_begin);
        list.entry = e.parents + first[0];
        list.n = first[1] - first[0];
    }
    return list;
}

__device__ csweep_entry parent_entry(const extension &e, const parent_list &list, uint64_t k)
{
    return list.entry != nullptr ? list.entry[k] : csweep_lane_entry(&e.view, list.lane, k);
}

/* The warp's 32 ends from k0 on: this thread's end, how many of the lane's events it takes, and the
 * first of them. */
struct step {
    csweep_entry end;
    uint32_t from;
    uint32_t followers;
};

__device__ step extend_step(const extension &e, const parent_list &list, uint64_t k0,
                            uint32_t delay, uint32_t lane)
{
    uint64_t k = k0 + threadIdx.x % WARP;
    step s = {{0, 0}, 0, 0};
    uint32_t to = 0;
    if (k < list.n) {
        s.end = parent_entry(e, list, k);
        s.from = csweep_too_near(&e.view, delay, lane, s.end.place);
        to = csweep_near_enough(&e.view, delay, lane, s.end.place);
    }
    uint32_t next = __shfl_down_sync(ALL, s.from, 1);
    if (threadIdx.x % WARP == WARP - 1 && k + 1 < list.n)
        next = csweep_too_near(&e.view, delay, lane, parent_entry(e, list, k + 1).place);
    if (k < list.n)
        s.followers = csweep_followers(s.from, to, k + 1 == list.n, next);
    return s;
}

__device__ bool has_candidates(const extension &e, uint64_t i)
{
    return e.batch_first == nullptr || e.batch_first[i + 1] > e.batch_first[i];
}

__global__ void count_pieces(extension e, uint64_t *pieces)
{
    uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i > e.n_rows)
        return;
    bool any = i < e.n_rows && has_candidates(e, i);
    pieces[i] = any ? (find_parent(e, e.begin + i).n + PIECE - 1) / PIECE : 0;
}

__global__ void number_pieces(extension e, uint32_t *piece_row)
{
    uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= e.n_rows)
        return;
    for (uint64_t p = e.piece_first[i]; p < e.piece_first[i + 1]; p++)
        piece_row[p] = static_cast<uint32_t>(i);
}

/* The ends of a piece: [from, to) of its row's parent list. */
struct piece {
    parent_list list;
    uint64_t from, to;
    uint32_t delay, lane;
};

__device__ piece find_piece(const extension &e, uint64_t p)
{
    uint32_t i = e.piece_row[p];
    uint64_t row = e.begin + i;
    piece out = {find_parent(e, row), (p - e.piece_first[i]) * PIECE, 0, e.delay[row], e.lane[row]};
    out.to = min(out.from + PIECE, out.list.n);
    return out;
}

__global__ void measure_pieces(extension e, uint64_t *length)
{
    uint64_t p = (static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
    if (p >= e.n_pieces)
        return;
    piece at = find_piece(e, p);
    uint64_t n = 0;
    for (uint64_t k0 = at.from; k0 < at.to; k0 += WARP)
        n += extend_step(e, at.list, k0, at.delay, at.lane).followers;
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        n += __shfl_down_sync(ALL, n, d);
    if (threadIdx.x % WARP == 0)
        length[p] = n;
}

__global__ void write_pieces(extension e, const uint64_t *start, csweep_entry *out)
{
    uint64_t p = (static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
    if (p >= e.n_pieces || start[p] == start[p + 1])
        return;
    piece at = find_piece(e, p);
    uint32_t first_place = e.view.lane_first[at.lane];
    uint64_t to = start[p];
    for (uint64_t k0 = at.from; k0 < at.to; k0 += WARP) {
        step s = extend_step(e, at.list, k0, at.delay, at.lane);
        uint32_t before = s.followers; /* inclusive scan over the warp */
        for (unsigned d = 1; d < WARP; d *= 2) {
            uint32_t other = __shfl_up_sync(ALL, before, d);
            before += threadIdx.x % WARP >= d ? other : 0;
        }
        uint64_t place = to + before - s.followers;
        for (uint32_t j = 0; j < s.followers; j++)
            out[place + j] = {first_place + s.from + j, s.end.start};
        to += __shfl_sync(ALL, before, WARP - 1);
    }
}

__global__ void write_first(extension e, const uint64_t *start, uint64_t *first)
{
    uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i <= e.n_rows)
        first[i] = start[e.piece_first[i]];
}

unsigned blocks_for(uint64_t n)
{
    return static_cast<unsigned>((n + THREADS - 1) / THREADS);
}

/* Lengths in number[0 .. n - 1] become starts, number[n] the total. */
spk_status scan_lengths(spk_context *context, uint64_t n, csweep_scratch *scratch, uint64_t *number,
                        uint64_t *total)
{
    size_t bytes = 0;
    spk_status status = gpu_check(
        context, cub::DeviceScan::ExclusiveSum(nullptr, bytes, number, n + 1, cudaStreamPerThread),
        WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->temporary, bytes, 1, WHAT);
    if (status == SPK_OK)
        status = gpu_check(context,
                           cub::DeviceScan::ExclusiveSum(scratch->temporary.data, bytes, number,
                                                         n + 1, cudaStreamPerThread),
                           WHAT);
    return status == SPK_OK ? gpu_download(context, total, number + n, sizeof *total, WHAT)
                            : status;
}

/* Cuts the rows' prefixes into pieces. */
spk_status cut_rows(spk_context *context, csweep_scratch *scratch, extension *e)
{
    spk_status status =
        gpu_reserve(context, &scratch->totals, e->n_rows + 1, sizeof(uint64_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *piece_first = static_cast<uint64_t *>(scratch->totals.data);
    count_pieces<<<blocks_for(e->n_rows + 1), THREADS, 0, cudaStreamPerThread>>>(*e, piece_first);
    status = gpu_check_launch(context, WHAT);
    if (status == SPK_OK)
        status = scan_lengths(context, e->n_rows, scratch, piece_first, &e->n_pieces);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->values, e->n_pieces, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    e->piece_first = piece_first;
    e->piece_row = static_cast<uint32_t *>(scratch->values.data);
    number_pieces<<<blocks_for(e->n_rows), THREADS, 0, cudaStreamPerThread>>>(
        *e, static_cast<uint32_t *>(scratch->values.data));
    return gpu_check_launch(context, WHAT);
}

/* Where each piece's entries start, and how many there are in all. */
spk_status measure(spk_context *context, const extension &e, csweep_scratch *scratch,
                   uint64_t *total)
{
    spk_status status =
        gpu_reserve(context, &scratch->keys, e.n_pieces + 1, sizeof(uint64_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *start = static_cast<uint64_t *>(scratch->keys.data);
    if (e.n_pieces > 0)
        measure_pieces<<<blocks_for(e.n_pieces * WARP), THREADS, 0, cudaStreamPerThread>>>(e,
                                                                                           start);
    status = gpu_check_launch(context, WHAT);
    if (status == SPK_OK)
        status = gpu_clear(context, start + e.n_pieces, sizeof *start, WHAT);
    return status == SPK_OK ? scan_lengths(context, e.n_pieces, scratch, start, total) : status;
}

} // namespace

extern "C" void csweep_lists_close(csweep_lists *lists)
{
    gpu_release(&lists->first);
    gpu_release(&lists->entry);
    *lists = {};
}

extern "C" spk_status csweep_lists_extend(spk_context *context, const csweep_index *index,
                                          const csweep_level *level, const csweep_lists *parents,
                                          uint64_t begin, uint64_t end, const uint32_t *batch_first,
                                          uint64_t memory, csweep_scratch *scratch,
                                          csweep_lists *out, bool *fits)
{
    uint64_t n = end - begin;
    extension e = {};
    e.view = index->view;
    e.begin = begin;
    e.n_rows = n;
    e.prefix = static_cast<const uint32_t *>(level->prefix.data);
    e.lane = static_cast<const uint32_t *>(level->lane.data);
    e.delay = static_cast<const uint32_t *>(level->delay.data);
    e.batch_first = batch_first;
    if (parents != nullptr) {
        e.parents_begin = parents->begin;
        e.parents_first = static_cast<const uint64_t *>(parents->first.data);
        e.parents = static_cast<const csweep_entry *>(parents->entry.data);
    }
    out->begin = out->end = 0;
    out->n_entries = 0;
    *fits = true;
    uint64_t total = 0;
    spk_status status = cut_rows(context, scratch, &e);
    if (status == SPK_OK)
        status = measure(context, e, scratch, &total);
    *fits = total <= memory / sizeof(csweep_entry);
    if (status != SPK_OK || !*fits)
        return status;
    status = gpu_reserve(context, &out->first, n + 1, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &out->entry, total, sizeof(csweep_entry), WHAT);
    *fits = status != SPK_ERR_MEMORY; /* levels and results may have grown beyond their share */
    if (status != SPK_OK)
        return *fits ? status : SPK_OK;
    const uint64_t *start = static_cast<const uint64_t *>(scratch->keys.data);
    if (e.n_pieces > 0)
        write_pieces<<<blocks_for(e.n_pieces * WARP), THREADS, 0, cudaStreamPerThread>>>(
            e, start, static_cast<csweep_entry *>(out->entry.data));
    write_first<<<blocks_for(n + 1), THREADS, 0, cudaStreamPerThread>>>(
        e, start, static_cast<uint64_t *>(out->first.data));
    out->begin = begin;
    out->end = end;
    out->n_entries = total;
    return gpu_check_launch(context, WHAT);
}
