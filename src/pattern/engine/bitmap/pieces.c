/*
 * The plan of a search that several processes share. A root with more work than a fraction of what
 * one process would do in all is cut between its chunks into pieces of like work, which begin with
 * the same preparation of the root.
 * Large pieces are handed out first, so that small ones fill what is left at the end.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "pattern/engine/bitmap/bitmap.h"

/* Pieces of mean size that a process takes. More of them even the work out, and prepare roots again
 * more often. Few processes need more of them, since the work of a piece is not known before, and
 * one that turns out large must not be most of what a process does. */
enum { PIECES_PER_PROCESS = 16, MORE_PIECES_PER_PROCESS = 32, ENOUGH_PIECES = 256 };

static uint64_t pieces_wanted(int n_processes)
{
    uint64_t n = (uint64_t)n_processes;
    uint64_t more = n * MORE_PIECES_PER_PROCESS;
    more = more < ENOUGH_PIECES ? more : ENOUGH_PIECES;
    return n * PIECES_PER_PROCESS > more ? n * PIECES_PER_PROCESS : more;
}

/* Large ones first, then in the order of the search. */
static int compare_costs(const void *user, uint32_t a, uint32_t b)
{
    const spk_bitmap_piece *piece = user;
    if (piece[a].cost != piece[b].cost)
        return piece[a].cost > piece[b].cost ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Cuts the chunks of a root where a piece would grow beyond the target; `out` may be NULL. Returns
 * the number of pieces, at least 1: the root's own pattern is in the first. */
static uint64_t cut_root(uint32_t root, uint64_t n_chunks, const uint64_t *cost, uint64_t target,
                         spk_bitmap_piece *out)
{
    spk_bitmap_piece piece = {.root = root, .first = true};
    uint64_t n = 0;
    for (uint32_t c = 0; c < n_chunks; c++) {
        if (piece.end > piece.begin && piece.cost + cost[c] > target) {
            if (out != NULL)
                out[n] = piece;
            n++;
            piece = (spk_bitmap_piece){.root = root, .begin = c};
        }
        piece.end = c + 1;
        piece.cost += cost[c];
    }
    if (out != NULL)
        out[n] = piece;
    return n + 1;
}

static uint64_t cut_all(uint32_t n_roots, const uint64_t *n_chunks, const uint64_t *cost,
                        uint64_t target, spk_bitmap_piece *out)
{
    uint64_t n = 0;
    for (uint32_t r = 0; r < n_roots; cost += n_chunks[r++])
        n += cut_root(r, n_chunks[r], cost, target, out != NULL ? out + n : NULL);
    return n;
}

spk_status spk_bitmap_pieces_make(spk_context *context, uint32_t n_roots, const uint64_t *n_chunks,
                                  const uint64_t *cost, int n_processes, spk_bitmap_pieces *out)
{
    uint64_t all = 0, n = 0;
    *out = (spk_bitmap_pieces){.n = 0};
    for (uint32_t r = 0; r < n_roots; r++)
        n += n_chunks[r];
    for (uint64_t c = 0; c < n; c++)
        all += cost[c];
    uint64_t target = all / pieces_wanted(n_processes) + 1;
    out->n = cut_all(n_roots, n_chunks, cost, target, NULL);
    spk_status status =
        spk_alloc_columns(context, "pieces of the search", SPK_COLUMN(&out->piece, out->n),
                          SPK_COLUMN(&out->order, out->n));
    if (status != SPK_OK)
        return status;
    (void)cut_all(n_roots, n_chunks, cost, target, out->piece);
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
