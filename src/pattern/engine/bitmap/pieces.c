/*
 * The plan of a search that several processes share. A branch with more work than a fraction of
 * what one process would do in all is cut between its chunks into pieces of like work, which begin
 * with the same way to its node. Large pieces are handed out first, so that small ones fill what is
 * left at the end.
 *
 *     chunks of a branch, by cost    3  4  2  9      target 8
 *     pieces                         [3 4] [2] [9]   no chunk is cut
 *
 * Invariant: the plan depends on the branches and the number of processes alone, so that all
 * processes make the same one without a word. Pieces hold at most the target, or one chunk.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "pattern/engine/bitmap/bitmap.h"

/* Pieces of mean size that a process takes. More of them even the work out, and go to the same
 * nodes again more often. What a piece turns out to hold is not known before; one with too much is
 * shared again. */
enum { PIECES_PER_PROCESS = 8 };

/* Large ones first, then in the order of the search. */
static int compare_costs(const void *user, uint32_t a, uint32_t b)
{
    const spk_bitmap_piece *piece = user;
    if (piece[a].cost != piece[b].cost)
        return piece[a].cost > piece[b].cost ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Cuts the chunks of a branch where a piece would grow beyond the target; `out` may be NULL.
 * Returns the number of pieces. */
static uint64_t cut_branch(uint64_t branch, uint64_t n_chunks, const uint64_t *cost,
                           uint64_t target, spk_bitmap_piece *out)
{
    spk_bitmap_piece piece = {.branch = branch};
    uint64_t n = 0;
    for (uint32_t c = 0; c < n_chunks; c++) {
        if (piece.end > piece.begin && piece.cost + cost[c] > target) {
            if (out != NULL)
                out[n] = piece;
            n++;
            piece = (spk_bitmap_piece){.branch = branch, .begin = c};
        }
        piece.end = c + 1;
        piece.cost += cost[c];
    }
    if (n_chunks > 0 && out != NULL)
        out[n] = piece;
    return n_chunks > 0 ? n + 1 : 0;
}

static uint64_t cut_all(uint64_t n_branches, const uint64_t *n_chunks, const uint64_t *cost,
                        uint64_t target, spk_bitmap_piece *out)
{
    uint64_t n = 0;
    for (uint64_t b = 0; b < n_branches; cost += n_chunks[b++])
        n += cut_branch(b, n_chunks[b], cost, target, out != NULL ? out + n : NULL);
    return n;
}

spk_status spk_bitmap_pieces_make(spk_context *context, uint64_t n_branches,
                                  const uint64_t *n_chunks, const uint64_t *cost, int n_processes,
                                  spk_bitmap_pieces *out)
{
    uint64_t all = 0, n = 0;
    *out = (spk_bitmap_pieces){.n = 0};
    for (uint64_t b = 0; b < n_branches; b++)
        n += n_chunks[b];
    if (n > UINT32_MAX)
        return spk_fail(context, SPK_ERR_RANGE, "too many pieces of the search; use fewer ranks");
    for (uint64_t c = 0; c < n; c++)
        all += cost[c];
    uint64_t target = all / ((uint64_t)n_processes * PIECES_PER_PROCESS) + 1;
    /* Once to count the pieces, once to write them. */
    out->n = cut_all(n_branches, n_chunks, cost, target, NULL);
    spk_status status =
        spk_alloc_columns(context, "pieces of the search", SPK_COLUMN(&out->piece, out->n),
                          SPK_COLUMN(&out->order, out->n));
    if (status != SPK_OK)
        return status;
    (void)cut_all(n_branches, n_chunks, cost, target, out->piece);
    for (uint64_t k = 0; k < out->n; k++)
        out->order[k] = (uint32_t)k;
    status = spk_sort_indices(context, out->n, out->order, compare_costs, out->piece);
    if (status != SPK_OK)
        spk_bitmap_pieces_free(out);
    return status;
}

void spk_bitmap_pieces_free(spk_bitmap_pieces *pieces)
{
    free(pieces->piece);
    free(pieces->order);
    *pieces = (spk_bitmap_pieces){.n = 0};
}
