/*
 * Occurrence lists on the device (cuda-sweep, docs/explanation/gpu.md). The list of a row has each
 * event of its last unit at which some occurrence ends, with the latest start of any that ends
 * there.
 *
 * One warp owns a piece of up to PIECE ends of one row's prefix and takes 32 ends a step; a block
 * has 8 warps. It goes over the piece twice: first to learn how many entries the piece gives, then
 * to write them where an exclusive scan says. Where memory allows, the first pass keeps what each
 * end gives, and nothing is looked up twice.
 * Memory: 8 bytes an entry; meanwhile 12 a piece, 8 a row, and 8 an end where that is kept.
 * Limits: lists that do not fit the memory given are not made, and the caller takes fewer rows.
 */

#include "cuda/cub.cuh"
#include "cuda/kernel.cuh"
#include "episode/engine/cuda/sweep/level.h"

namespace
{

constexpr unsigned THREADS = 256;
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
    uint2 *kept; /* PIECE a piece: an end's `from` and `followers`; NULL: not kept */
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

/* ---- looking a lane up ----------------------------------------------------------------------- */

/* A look-up says how many of a lane's events are too near to an end to follow it, and how many
 * there are up to the last that is near enough: csweep_within for both bounds. It has three
 * sources: the table of all (view.within), words, and ranks. The host knows which one before a
 * kernel starts. */
struct in_table {
    const uint32_t *near, *far;

    __device__ in_table(const csweep_view &v, uint32_t delay, uint32_t lane)
        : near(v.within +
               (static_cast<uint64_t>(v.lo_bound[delay]) * v.n_lanes + lane) * v.n_places),
          far(v.within + (static_cast<uint64_t>(v.hi_bound[delay]) * v.n_lanes + lane) * v.n_places)
    {
    }
    __device__ uint32_t too_near(uint32_t place) const
    {
        return near[place];
    }
    __device__ uint32_t near_enough(uint32_t place) const
    {
        return far[place];
    }
};

/* Where the bounds of an interval reach. */
struct reaches {
    const uint32_t *near, *far;

    __device__ reaches(const csweep_view &v, uint32_t delay)
        : near(v.reach + v.lo_bound[delay] * v.n_places),
          far(v.reach + v.hi_bound[delay] * v.n_places)
    {
    }
};

struct in_words {
    reaches reach;
    const csweep_word *words;

    __device__ in_words(const csweep_view &v, uint32_t delay, uint32_t lane)
        : reach(v, delay), words(v.word + static_cast<uint64_t>(lane) * v.n_words)
    {
    }
    __device__ uint32_t too_near(uint32_t place) const
    {
        return csweep_count_in_words(words, reach.near[place]);
    }
    __device__ uint32_t near_enough(uint32_t place) const
    {
        return csweep_count_in_words(words, reach.far[place]);
    }
};

struct in_ranks {
    reaches reach;
    const uint32_t *ranks;
    uint32_t n;

    __device__ in_ranks(const csweep_view &v, uint32_t delay, uint32_t lane)
        : reach(v, delay), ranks(v.place_rank + v.lane_first[lane]), n(v.lane_count[lane])
    {
    }
    __device__ uint32_t too_near(uint32_t place) const
    {
        return csweep_count_in_ranks(ranks, n, reach.near[place]);
    }
    __device__ uint32_t near_enough(uint32_t place) const
    {
        return csweep_count_in_ranks(ranks, n, reach.far[place]);
    }
};

__device__ bool has_candidates(const extension &e, uint64_t i)
{
    return e.batch_first == nullptr || e.batch_first[i + 1] > e.batch_first[i];
}

__global__ void count_pieces(extension e, uint64_t *pieces)
{
    uint64_t i = gpu_thread();
    if (i > e.n_rows)
        return;
    bool any = i < e.n_rows && has_candidates(e, i);
    pieces[i] = any ? (find_parent(e, e.begin + i).n + PIECE - 1) / PIECE : 0;
}

__global__ void number_pieces(extension e, uint32_t *piece_row)
{
    uint64_t p = gpu_thread();
    if (p < e.n_pieces)
        piece_row[p] = csweep_row_of(e.piece_first, e.n_rows, p);
}

/* The ends of a piece: `n` of its row's parent list from `from` on. */
struct piece {
    parent_list list;
    uint64_t from;
    uint32_t n;
    bool is_last; /* of its list */
    uint32_t delay, lane;
};

__device__ piece find_piece(const extension &e, uint64_t p)
{
    uint32_t i = e.piece_row[p];
    uint64_t row = e.begin + i;
    piece out = {find_parent(e, row), (p - e.piece_first[i]) * PIECE, 0, false, e.delay[row],
                 e.lane[row]};
    uint64_t left = out.list.n - out.from;
    out.is_last = left <= PIECE;
    out.n = static_cast<uint32_t>(out.is_last ? left : PIECE);
    return out;
}

/* Calls use(k, from, followers) for the piece's ends, 32 at a time: this thread's is number k of
 * the piece, it takes `followers` of the lane's events, from number `from` on; none where k >= n.
 * What an end takes depends on where the next one's begin, so the warp is one step ahead with
 * these. */
template <typename lookup, typename action>
__device__ void go_through(const extension &e, const piece &at, const action &use)
{
    lookup look(e.view, at.delay, at.lane);
    /* Also of the first end behind the piece, where there is one. */
    const auto too_near = [&](uint32_t k) {
        bool there = k < at.n || (k == at.n && !at.is_last);
        return there ? look.too_near(parent_entry(e, at.list, at.from + k).place) : 0;
    };
    uint32_t from = too_near(threadIdx.x % GPU_WARP);
    for (uint32_t k0 = 0; k0 < at.n; k0 += GPU_WARP) {
        uint32_t k = k0 + threadIdx.x % GPU_WARP;
        uint32_t next_from = too_near(k + GPU_WARP);
        uint32_t to = k < at.n ? look.near_enough(parent_entry(e, at.list, at.from + k).place) : 0;
        uint32_t next = __shfl_down_sync(GPU_WHOLE_WARP, from, 1);
        uint32_t first_of_next = __shfl_sync(GPU_WHOLE_WARP, next_from, 0);
        next = threadIdx.x % GPU_WARP == GPU_WARP - 1 ? first_of_next : next;
        bool last = at.is_last && k + 1 == at.n;
        use(k, from, k < at.n ? csweep_followers(from, to, last, next) : 0);
        from = next_from;
    }
}

template <typename lookup> __global__ void measure_pieces(extension e, uint64_t *length)
{
    uint64_t p = gpu_thread() / GPU_WARP;
    if (p >= e.n_pieces)
        return;
    piece at = find_piece(e, p);
    uint2 *kept = e.kept != nullptr ? e.kept + p * PIECE : nullptr;
    uint32_t n = 0; /* a row takes an event once */
    go_through<lookup>(e, at, [&](uint32_t k, uint32_t from, uint32_t followers) {
        n += followers;
        if (kept != nullptr)
            kept[k] = make_uint2(from, followers);
    });
    n = __reduce_add_sync(GPU_WHOLE_WARP, n);
    if (threadIdx.x % GPU_WARP == 0)
        length[p] = n;
}

/* Followers of the threads before this one, and of all in *total. */
__device__ uint32_t followers_before(uint32_t followers, uint32_t *total)
{
    uint32_t lane = threadIdx.x % GPU_WARP;
    if (!__any_sync(GPU_WHOLE_WARP, followers > 1)) { /* as a rule */
        uint32_t some = __ballot_sync(GPU_WHOLE_WARP, followers > 0);
        *total = __popc(some);
        return __popc(some & ((1u << lane) - 1));
    }
    uint32_t before = followers; /* inclusive scan over the warp */
    for (unsigned d = 1; d < GPU_WARP; d *= 2) {
        uint32_t other = __shfl_up_sync(GPU_WHOLE_WARP, before, d);
        before += lane >= d ? other : 0;
    }
    *total = __shfl_sync(GPU_WHOLE_WARP, before, GPU_WARP - 1);
    return before - followers;
}

/* Writes the entries that the ends of a piece give, 32 ends a call. */
struct entry_writer {
    const extension &e;
    const piece &at;
    uint32_t first_place;
    csweep_entry *out;

    __device__ entry_writer(const extension &ext, const piece &here, csweep_entry *to)
        : e(ext), at(here), first_place(ext.view.lane_first[here.lane]), out(to)
    {
    }
    __device__ void operator()(uint32_t k, uint32_t from, uint32_t followers)
    {
        uint32_t total = 0;
        csweep_entry *to = out + followers_before(followers, &total);
        if (followers > 0) {
            uint32_t start = parent_entry(e, at.list, at.from + k).start;
            for (uint32_t j = 0; j < followers; j++)
                to[j] = {first_place + from + j, start};
        }
        out += total;
    }
};

/* From what was kept. */
__global__ void write_kept(extension e, const uint64_t *start, csweep_entry *out)
{
    uint64_t p = gpu_thread() / GPU_WARP;
    if (p >= e.n_pieces || start[p] == start[p + 1])
        return;
    piece at = find_piece(e, p);
    entry_writer write(e, at, out + start[p]);
    const uint2 *kept = e.kept + p * PIECE;
    for (uint32_t k0 = 0; k0 < at.n; k0 += GPU_WARP) {
        uint2 end = kept[k0 + threadIdx.x % GPU_WARP];
        write(k0 + threadIdx.x % GPU_WARP, end.x, end.y);
    }
}

/* Looked up once more. */
template <typename lookup>
__global__ void write_pieces(extension e, const uint64_t *start, csweep_entry *out)
{
    uint64_t p = gpu_thread() / GPU_WARP;
    if (p >= e.n_pieces || start[p] == start[p + 1])
        return;
    piece at = find_piece(e, p);
    entry_writer write(e, at, out + start[p]);
    go_through<lookup>(
        e, at, [&](uint32_t k, uint32_t from, uint32_t followers) { write(k, from, followers); });
}

__global__ void write_first(extension e, const uint64_t *start, uint64_t *first)
{
    uint64_t i = gpu_thread();
    if (i <= e.n_rows)
        first[i] = start[e.piece_first[i]];
}

/* Lengths in number[0 .. n - 1] become starts, number[n] the total. */
spk_status scan_lengths(spk_context *context, uint64_t n, csweep_scratch *scratch, uint64_t *number,
                        uint64_t *total)
{
    spk_status status = gpu_exclusive_sum(context, &scratch->temporary, number, n + 1, WHAT);
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
    /* Count, scan, number: a piece learns its row from an array, not by a search. */
    status = gpu_launch(context, WHAT, count_pieces, e->n_rows + 1, THREADS, *e, piece_first);
    if (status == SPK_OK)
        status = scan_lengths(context, e->n_rows, scratch, piece_first, &e->n_pieces);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->values, e->n_pieces, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    e->piece_first = piece_first;
    e->piece_row = static_cast<uint32_t *>(scratch->values.data);
    if (e->n_pieces > 0)
        status = gpu_launch(context, WHAT, number_pieces, e->n_pieces, THREADS, *e,
                            gpu_words(scratch->values));
    return status;
}

/* Keeps what the ends give where that takes at most half of the lists' memory. */
spk_status reserve_kept(spk_context *context, uint64_t memory, gpu_buffer *kept, extension *e)
{
    uint64_t bytes = e->n_pieces * PIECE * sizeof(uint2);
    if (bytes > memory / 2)
        return SPK_OK;
    spk_status status = gpu_reserve(context, kept, bytes, 1, WHAT);
    e->kept = static_cast<uint2 *>(kept->data);
    return status == SPK_ERR_MEMORY ? SPK_OK : status; /* it can do without */
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
    uint64_t threads = e.n_pieces * GPU_WARP;
    if (e.n_pieces > 0 && e.view.within != nullptr)
        status = gpu_launch(context, WHAT, measure_pieces<in_table>, threads, THREADS, e, start);
    else if (e.n_pieces > 0 && e.view.word != nullptr)
        status = gpu_launch(context, WHAT, measure_pieces<in_words>, threads, THREADS, e, start);
    else if (e.n_pieces > 0)
        status = gpu_launch(context, WHAT, measure_pieces<in_ranks>, threads, THREADS, e, start);
    if (status == SPK_OK)
        status = gpu_clear(context, start + e.n_pieces, sizeof *start, WHAT);
    return status == SPK_OK ? scan_lengths(context, e.n_pieces, scratch, start, total) : status;
}

spk_status write_lists(spk_context *context, const extension &e, uint64_t total,
                       csweep_scratch *scratch, csweep_lists *out, bool *fits)
{
    spk_status status = gpu_reserve(context, &out->first, e.n_rows + 1, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &out->entry, total, sizeof(csweep_entry), WHAT);
    *fits = status != SPK_ERR_MEMORY; /* levels and results may have grown beyond their share */
    if (status != SPK_OK)
        return *fits ? status : SPK_OK;
    const uint64_t *start = static_cast<const uint64_t *>(scratch->keys.data);
    csweep_entry *entry = static_cast<csweep_entry *>(out->entry.data);
    uint64_t threads = e.n_pieces * GPU_WARP;
    if (e.n_pieces > 0 && e.kept != nullptr)
        status = gpu_launch(context, WHAT, write_kept, threads, THREADS, e, start, entry);
    else if (e.n_pieces > 0 && e.view.within != nullptr)
        status =
            gpu_launch(context, WHAT, write_pieces<in_table>, threads, THREADS, e, start, entry);
    else if (e.n_pieces > 0 && e.view.word != nullptr)
        status =
            gpu_launch(context, WHAT, write_pieces<in_words>, threads, THREADS, e, start, entry);
    else if (e.n_pieces > 0)
        status =
            gpu_launch(context, WHAT, write_pieces<in_ranks>, threads, THREADS, e, start, entry);
    if (status == SPK_OK)
        status = gpu_launch(context, WHAT, write_first, e.n_rows + 1, THREADS, e, start,
                            static_cast<uint64_t *>(out->first.data));
    out->begin = e.begin;
    out->end = e.begin + e.n_rows;
    out->n_entries = total;
    return status;
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
    gpu_buffer kept = {};
    extension e = {};
    assert(level->size >= 2 && begin < end && end <= level->n);
    assert((parents == nullptr) == (level->size == 2));
    e.view = index->view;
    e.begin = begin;
    e.n_rows = end - begin;
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
        status = reserve_kept(context, memory, &kept, &e);
    if (status == SPK_OK)
        status = measure(context, e, scratch, &total);
    *fits = total <= memory / sizeof(csweep_entry);
    /* Entries that measuring kept save a second pass, but only where the lists have room beside
     * them. */
    if (total > (memory - kept.bytes) / sizeof(csweep_entry)) {
        gpu_release(&kept);
        e.kept = nullptr;
    }
    if (status == SPK_OK && *fits)
        status = write_lists(context, e, total, scratch, out, fits);
    gpu_release(&kept);
    return status;
}
