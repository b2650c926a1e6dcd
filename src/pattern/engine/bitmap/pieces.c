/*
 * The plan of a search that several processes share. A root with more work than a fraction of what
 * one process would do in all is cut into parts, which begin with the same preparation of the root.
 * Large pieces are handed out first, so that small ones fill what is left at the end.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "pattern/engine/bitmap/bitmap.h"

/* Pieces of mean size that a process takes: more of them even the work out, and prepare roots again
 * more often. */
enum { PIECES_PER_PROCESS = 16 };

static uint32_t parts_of(uint64_t cost, uint64_t n_chunks, uint64_t target)
{
    uint64_t parts = (cost + target - 1) / target;
    parts = parts < n_chunks ? parts : n_chunks;
    return parts > 1 ? (uint32_t)parts : 1;
}

/* Large ones first, then in the order of the search. */
static int compare_costs(const void *user, uint32_t a, uint32_t b)
{
    const spk_bitmap_piece *piece = user;
    if (piece[a].cost != piece[b].cost)
        return piece[a].cost > piece[b].cost ? -1 : 1;
    return a < b ? -1 : a > b;
}

spk_status spk_bitmap_pieces_make(spk_context *context, uint32_t n_roots, const uint64_t *cost,
                                  const uint64_t *n_chunks, int n_processes, spk_bitmap_pieces *out)
{
    uint64_t all = 0;
    *out = (spk_bitmap_pieces){.n = 0};
    for (uint32_t r = 0; r < n_roots; r++)
        all += cost[r];
    uint64_t target = all / ((uint64_t)n_processes * PIECES_PER_PROCESS) + 1;
    for (uint32_t r = 0; r < n_roots; r++)
        out->n += parts_of(cost[r], n_chunks[r], target);
    spk_status status =
        spk_alloc_columns(context, "pieces of the search", SPK_COLUMN(&out->piece, out->n),
                          SPK_COLUMN(&out->order, out->n));
    if (status != SPK_OK)
        return status;
    uint64_t at = 0;
    for (uint32_t r = 0; r < n_roots; r++) {
        uint32_t n = parts_of(cost[r], n_chunks[r], target);
        for (uint32_t k = 0; k < n; k++)
            out->piece[at++] = (spk_bitmap_piece){r, k, n, cost[r] / n};
    }
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
