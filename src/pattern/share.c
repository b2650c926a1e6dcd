/*
 * Ranks, for an engine that knows pieces only. What a rank found goes to the others as runs: sizes,
 * counts and items of the patterns, or the bytes that the caller makes of them.
 */
#include "pattern/share.h"

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

/* ---- sharing a search ------------------------------------------------------------------------ */

typedef struct shared_search {
    spk_context *context;
    const spk_ranks *ranks;
    spk_exchanged given; /* what all have exchanged last */
    uint32_t *place;     /* of what the sink gets now */
    uint64_t n_place;
    uint64_t place_capacity;
    spk_blob found;                 /* heads of runs and, without `bytes`, the runs */
    spk_blob made;                  /* with `bytes`, the runs */
    uint64_t n_found;               /* bytes of both; read without a lock */
    const spk_pattern_bytes *bytes; /* NULL: the sink gets the patterns */
    bool reader_left;               /* nobody wants more of them */
    uint32_t *size;                 /* scratch */
    uint64_t capacity;
    bool unordered;
    uint32_t window;
    spk_pattern_sink *sink;
    void *user;
} shared_search;

/* Bytes that a rank keeps where no order was asked for, before all exchange what they have found.
 */
enum { FULL_BYTES = 16 << 20 };

bool spk_pattern_is_shared(const spk_context *context, const spk_pattern_engine *engine)
{
    return spk_context_ranks(context) != NULL && engine->mine_shared != NULL;
}

/* ---- the share ------------------------------------------------------------------------------- */

static spk_status begin(void *user)
{
    const shared_search *s = user;
    return s->ranks->begin(s->ranks->user);
}

static spk_status next(void *user, uint64_t *number)
{
    const shared_search *s = user;
    return s->ranks->next(s->ranks->user, number);
}

static spk_status look(void *user, uint64_t *number)
{
    const shared_search *s = user;
    return s->ranks->look(s->ranks->user, number);
}

static spk_status keep_place(void *user, const uint32_t *place, uint32_t n)
{
    shared_search *s = user;
    spk_status status = spk_grow(s->context, &s->place, &s->place_capacity, n, "a place");
    if (status == SPK_OK && n > 0)
        memcpy(s->place, place, n * sizeof *place);
    s->n_place = n;
    return status;
}

static bool full(void *user)
{
    const shared_search *s = user;
    return __atomic_load_n(&s->n_found, __ATOMIC_RELAXED) >= FULL_BYTES;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static spk_status keep_numbers(shared_search *s, const spk_pattern_columns *p)
{
    spk_status status = spk_blob_add(s->context, &s->found, s->size, p->n * sizeof *s->size);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, p->count, p->n * sizeof *p->count);
    return status == SPK_OK ? spk_blob_add(s->context, &s->found, p->item + p->offset[0],
                                           (p->offset[p->n] - p->offset[0]) * sizeof *p->item)
                            : status;
}

static spk_status keep_run(void *user, const spk_pattern_columns *p)
{
    shared_search *s = user;
    const char *bytes = NULL;
    spk_run_head head = {.n_place = s->n_place, .n = p->n};
    head.n_bytes = (2 * p->n + p->offset[p->n] - p->offset[0]) * sizeof(uint32_t);
    spk_status status = s->bytes != NULL
                            ? s->bytes->make(s->bytes->user, 0, p, &bytes, &head.n_bytes)
                            : spk_grow(s->context, &s->size, &s->capacity, p->n, "found patterns");
    for (uint64_t k = 0; k < p->n && status == SPK_OK && s->bytes == NULL; k++)
        s->size[k] = (uint32_t)(p->offset[k + 1] - p->offset[k]);
    if (status != SPK_OK && s->bytes != NULL)
        return spk_fail_memory(s->context, 1u << 20, "found patterns");
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, &head, sizeof head);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, s->place, s->n_place * sizeof *s->place);
    if (status == SPK_OK)
        status = s->bytes != NULL ? spk_blob_add(s->context, &s->made, bytes, head.n_bytes)
                                  : keep_numbers(s, p);
    __atomic_store_n(&s->n_found, s->found.n + s->made.n, __ATOMIC_RELAXED);
    return status;
}

/* One run as columns, whose arrays have room for the largest. */
static spk_status hand_on(const spk_run *run, uint32_t window, uint64_t *offset, uint32_t *numbers,
                          spk_pattern_sink *sink, void *user)
{
    const uint64_t n = run->head.n, n_numbers = run->head.n_bytes / sizeof(uint32_t);
    uint32_t *size = numbers, *count = numbers + n, *item = numbers + 2 * n;
    if (n_numbers > 0)
        memcpy(numbers, run->bytes, n_numbers * sizeof *numbers);
    offset[0] = 0;
    for (uint64_t i = 0; i < n; i++)
        offset[i + 1] = offset[i] + size[i];
    if (offset[n] != n_numbers - 2 * n)
        return SPK_ERR_INTERNAL;
    spk_pattern_columns columns = {
        .n = n, .window = window, .offset = offset, .item = item, .count = count};
    return sink(user, &columns);
}

static spk_status hand_on_all(shared_search *s, const spk_run_list *list)
{
    uint64_t largest = 0, most_numbers = 0;
    uint32_t *numbers = NULL;
    uint64_t *offset = NULL;
    for (uint64_t k = 0; k < list->n; k++) {
        const spk_run_head *head = &list->run[k].head;
        if (head->n > head->n_bytes / (2 * sizeof(uint32_t)))
            return spk_ranks_fail(s->context, list->run[k].rank);
        largest = head->n > largest ? head->n : largest;
        most_numbers = head->n_bytes / 4 > most_numbers ? head->n_bytes / 4 : most_numbers;
    }
    spk_status status =
        spk_alloc_columns(s->context, "found patterns", SPK_COLUMN(&offset, largest + 1),
                          SPK_COLUMN(&numbers, most_numbers));
    for (uint64_t k = 0; k < list->n && status == SPK_OK; k++)
        status = hand_on(&list->run[list->order[k]], s->window, offset, numbers, s->sink, s->user);
    free(numbers);
    free(offset);
    return status;
}

/* Gives rank 0 the bytes that each has made. A reader that went away stops no rank. Collective. */
static spk_status give_bytes(shared_search *s, const spk_run_list *list)
{
    const spk_pattern_bytes to = {s->bytes->make, s->reader_left ? NULL : s->bytes->take,
                                  s->bytes->user};
    spk_status status = spk_runs_collect(s->context, s->ranks, list, s->made.bytes, &to);
    spk_blob_free(&s->made);
    if (status != SPK_ERR_PIPE)
        return status;
    s->reader_left = true;
    return SPK_OK;
}

/* Gives all ranks what each has found, and hands it to the sink. Collective. */
static spk_status give_found(shared_search *s)
{
    spk_exchanged all = {.bytes = NULL};
    spk_run_list list = {.n = 0};
    spk_status status = spk_ranks_exchange(s->context, s->ranks, &s->found, &all);
    spk_blob_free(&s->found);
    __atomic_store_n(&s->n_found, 0, __ATOMIC_RELAXED);
    if (status == SPK_OK)
        status = spk_run_list_make(s->context, &all, s->ranks->n_ranks, s->bytes != NULL,
                                   !s->unordered, &list);
    if (status == SPK_OK)
        status = s->bytes != NULL ? give_bytes(s, &list) : hand_on_all(s, &list);
    spk_run_list_free(&list);
    spk_exchanged_free(&all);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

static spk_status exchange(void *user, const void *mine, uint64_t n, const void **all,
                           uint64_t *n_all)
{
    shared_search *s = user;
    spk_blob blob = {.bytes = NULL};
    spk_exchanged_free(&s->given);
    spk_status status = s->unordered ? give_found(s) : SPK_OK;
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &blob, mine, n);
    if (status == SPK_OK)
        status = spk_ranks_exchange(s->context, s->ranks, &blob, &s->given);
    spk_blob_free(&blob);
    if (status != SPK_OK)
        return status;
    *all = s->given.bytes;
    *n_all = s->given.first[s->ranks->n_ranks];
    return SPK_OK;
}

/* Adds up what all ranks have left out. Collective. */
static spk_status add_dropped(const shared_search *s, uint64_t mine, uint64_t *sum)
{
    uint64_t *all = NULL;
    spk_status status =
        spk_alloc(s->context, &all, (uint64_t)s->ranks->n_ranks, "numbers of ranks");
    if (status == SPK_OK)
        status = s->ranks->sizes(s->ranks->user, mine, all);
    for (int k = 0; k < s->ranks->n_ranks && status == SPK_OK; k++)
        *sum += all[k];
    free(all);
    return status;
}

spk_status spk_pattern_mine_shared(spk_context *context, const spk_pattern_engine *engine,
                                   const spk_pattern_job *job, const spk_pattern_bytes *bytes,
                                   spk_pattern_sink *sink, void *user)
{
    shared_search s = {.context = context,
                       .ranks = spk_context_ranks(context),
                       .bytes = bytes,
                       .unordered = job->unordered,
                       .window = job->windows->window,
                       .sink = sink,
                       .user = user};
    const spk_pattern_share share = {.part = s.ranks->rank,
                                     .n_parts = s.ranks->n_ranks,
                                     .exchange = exchange,
                                     .begin = begin,
                                     .next = next,
                                     .look = s.ranks->look != NULL ? look : NULL,
                                     .at = keep_place,
                                     .full = job->unordered ? full : NULL,
                                     .user = &s};
    spk_pattern_job ordered = *job; /* threads of a rank need no other order */
    ordered.unordered = false;
    uint64_t n_dropped = 0;
    ordered.n_dropped = &n_dropped;
    spk_status status = engine->mine_shared(context, &ordered, &share, keep_run, &s);
    if (status == SPK_OK)
        status = give_found(&s);
    if (status == SPK_OK && job->drop_ends_of != 0)
        status = add_dropped(&s, n_dropped, job->n_dropped);
    if (status == SPK_OK && s.reader_left)
        status = spk_fail(context, SPK_ERR_PIPE, "the reader of the patterns went away");
    spk_exchanged_free(&s.given);
    spk_blob_free(&s.found);
    spk_blob_free(&s.made);
    free(s.place);
    free(s.size);
    return status;
}
