/* Runs of patterns: their order, and their way to rank 0. */
#include "pattern/share_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

/* ---- the list -------------------------------------------------------------------------------- */

static spk_status add_run(spk_context *context, spk_run_list *list, const spk_run *run)
{
    spk_status status = spk_grow(context, &list->run, &list->capacity, list->n + 1, "found pieces");
    if (status == SPK_OK)
        list->run[list->n++] = *run;
    return status;
}

static spk_status find_runs(spk_context *context, spk_blob_reader given, int rank, bool apart,
                            spk_run_list *list)
{
    spk_run run = {.rank = rank};
    spk_status status = SPK_OK;
    while (status == SPK_OK && spk_blob_take(&given, &run.head, sizeof run.head)) {
        const uint64_t left = (uint64_t)(given.end - given.at);
        const uint64_t of_bytes = apart ? 0 : run.head.n_bytes;
        if (run.head.n_place > left / sizeof(uint32_t) ||
            of_bytes > left - run.head.n_place * sizeof(uint32_t))
            return spk_ranks_fail(context, rank);
        run.place = given.at;
        given.at += run.head.n_place * sizeof(uint32_t);
        run.bytes = apart ? NULL : given.at;
        given.at += of_bytes;
        status = add_run(context, list, &run);
        run.at += run.head.n_bytes;
    }
    return status == SPK_OK && given.at != given.end ? spk_ranks_fail(context, rank) : status;
}

static uint32_t place_number(const spk_run *run, uint64_t k)
{
    uint32_t number = 0;
    memcpy(&number, run->place + k * sizeof number, sizeof number);
    return number;
}

static int compare_places(const void *user, uint32_t a, uint32_t b)
{
    const spk_run_list *list = user;
    const spk_run *x = &list->run[a], *y = &list->run[b];
    for (uint64_t k = 0; k < x->head.n_place && k < y->head.n_place; k++) {
        uint32_t of_x = place_number(x, k), of_y = place_number(y, k);
        if (of_x != of_y)
            return of_x < of_y ? -1 : 1;
    }
    return x->head.n_place < y->head.n_place ? -1 : x->head.n_place > y->head.n_place;
}

spk_status spk_run_list_make(spk_context *context, const spk_exchanged *all, int n_ranks,
                             bool apart, bool ordered, spk_run_list *list)
{
    spk_status status = SPK_OK;
    for (int k = 0; k < n_ranks && status == SPK_OK; k++)
        status = find_runs(context, spk_exchanged_of(all, k), k, apart, list);
    if (status == SPK_OK && list->n > UINT32_MAX)
        status = spk_fail(context, SPK_ERR_RANGE, "too many pieces of patterns; use fewer ranks");
    if (status == SPK_OK)
        status = spk_alloc(context, &list->order, list->n, "found pieces");
    for (uint64_t k = 0; k < list->n && status == SPK_OK; k++)
        list->order[k] = (uint32_t)k;
    return status == SPK_OK && ordered
               ? spk_sort_indices(context, list->n, list->order, compare_places, list)
               : status;
}

void spk_run_list_free(spk_run_list *list)
{
    free(list->run);
    free(list->order);
    *list = (spk_run_list){.n = 0};
}

/* ---- to rank 0 ------------------------------------------------------------------------------- */

enum { CHUNK_BYTES = 4 << 20 };

/* Runs begin .. end - 1 of the order, whose bytes go to rank 0 together. */
typedef struct chunk {
    const spk_run_list *list;
    uint64_t begin;
    uint64_t end;
    uint64_t n_patterns;
    uint64_t *first; /* by rank: where its bytes begin among those of all, the total at the end */
    uint64_t *at;    /* by rank: where the next one begins */
} chunk;

static const spk_run *run_at(const chunk *c, uint64_t k)
{
    return &c->list->run[c->list->order[k]];
}

/* The next chunk: as many runs as a few megabytes hold, but one at least. */
static bool next_chunk(chunk *c, int n_ranks)
{
    uint64_t bytes = 0;
    c->begin = c->end;
    c->n_patterns = 0;
    memset(c->first, 0, ((size_t)n_ranks + 1) * sizeof *c->first);
    for (; c->end < c->list->n; c->end++) {
        const spk_run *run = run_at(c, c->end);
        if (c->end > c->begin && bytes + run->head.n_bytes > CHUNK_BYTES)
            break;
        bytes += run->head.n_bytes;
        c->n_patterns += run->head.n;
        c->first[run->rank + 1] += run->head.n_bytes;
    }
    for (int k = 0; k < n_ranks; k++)
        c->first[k + 1] += c->first[k];
    memcpy(c->at, c->first, (size_t)n_ranks * sizeof *c->at);
    return c->end > c->begin;
}

/* This rank's runs of the chunk, one behind the other. */
static void put_mine(const chunk *c, int rank, const unsigned char *mine, unsigned char *to)
{
    for (uint64_t k = c->begin; k < c->end; k++) {
        const spk_run *run = run_at(c, k);
        if (run->rank != rank || run->head.n_bytes == 0)
            continue;
        memcpy(to, mine + run->at, run->head.n_bytes);
        to += run->head.n_bytes;
    }
}

static spk_status send_chunk(const spk_ranks *ranks, const chunk *c, const unsigned char *mine,
                             unsigned char *buffer)
{
    const uint64_t n = c->first[ranks->rank + 1] - c->first[ranks->rank];
    put_mine(c, ranks->rank, mine, buffer);
    return n > 0 ? ranks->send(ranks->user, 0, buffer, n) : SPK_OK;
}

static spk_status receive_chunk(const spk_ranks *ranks, const chunk *c, const unsigned char *mine,
                                unsigned char *buffer)
{
    spk_status status = SPK_OK;
    put_mine(c, 0, mine, buffer);
    for (int k = 1; k < ranks->n_ranks && status == SPK_OK; k++) {
        const uint64_t n = c->first[k + 1] - c->first[k];
        if (n > 0)
            status = ranks->receive(ranks->user, k, buffer + c->first[k], n);
    }
    return status;
}

static spk_status take_chunk(const chunk *c, const unsigned char *buffer,
                             const spk_pattern_bytes *to)
{
    spk_status status = SPK_OK;
    for (uint64_t k = c->begin; k < c->end && status == SPK_OK; k++) {
        const spk_run *run = run_at(c, k);
        const char *bytes = (const char *)buffer + c->at[run->rank];
        status = to->take(to->user, bytes, run->head.n_bytes, run->head.n);
        c->at[run->rank] += run->head.n_bytes;
    }
    return status;
}

static spk_status collect_chunks(spk_context *context, const spk_ranks *ranks, chunk *c,
                                 const unsigned char *mine, const spk_pattern_bytes *to)
{
    unsigned char *buffer = NULL;
    uint64_t capacity = 0;
    spk_status status = SPK_OK, taken = SPK_OK;
    while (status == SPK_OK && next_chunk(c, ranks->n_ranks)) {
        const uint64_t n = ranks->rank == 0 ? c->first[ranks->n_ranks]
                                            : c->first[ranks->rank + 1] - c->first[ranks->rank];
        const bool takes = taken == SPK_OK && to->take != NULL;
        status = spk_grow(context, &buffer, &capacity, n + 1, "bytes of other ranks");
        if (status == SPK_OK)
            status = ranks->rank == 0 ? receive_chunk(ranks, c, mine, buffer)
                                      : send_chunk(ranks, c, mine, buffer);
        if (status == SPK_OK && takes)
            taken = ranks->rank == 0 ? take_chunk(c, buffer, to)
                                     : to->take(to->user, NULL, 0, c->n_patterns);
    }
    free(buffer);
    return status == SPK_OK ? taken : status;
}

spk_status spk_runs_collect(spk_context *context, const spk_ranks *ranks, const spk_run_list *list,
                            const unsigned char *mine, const spk_pattern_bytes *to)
{
    chunk c = {.list = list};
    const uint64_t n = (uint64_t)ranks->n_ranks;
    spk_status status =
        spk_alloc_columns(context, "ranks", SPK_COLUMN(&c.first, n + 1), SPK_COLUMN(&c.at, n + 1));
    if (status == SPK_OK)
        status = collect_chunks(context, ranks, &c, mine, to);
    free(c.first);
    free(c.at);
    return status;
}
