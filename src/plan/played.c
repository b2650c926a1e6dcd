/* Ranks that one process plays. */
#include "plan/played.h"

#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/memory.h"

static spk_status sizes(void *user, uint64_t mine, uint64_t *all)
{
    const spk_played *p = user;
    for (int k = 0; k < p->ranks.n_ranks; k++)
        all[k] = mine;
    return SPK_OK;
}

static spk_status gather(void *user, const void *mine, const uint64_t *bytes, void *all)
{
    const spk_played *p = user;
    unsigned char *to = all;
    for (int k = 0; k < p->ranks.n_ranks; k++) {
        if (bytes[k] > 0)
            memcpy(to, mine, bytes[k]);
        to += bytes[k];
    }
    return SPK_OK;
}

static spk_status begin(void *user)
{
    spk_played *p = user;
    p->next = 0;
    p->since = -1;
    return SPK_OK;
}

/* The piece before has ended. */
static spk_status next(void *user, uint64_t *number)
{
    spk_played *p = user;
    double now = spk_work_seconds(p->threads);
    if (p->since >= 0) {
        spk_status status = spk_grow(NULL, &p->piece_s, &p->capacity, p->n + 1, "pieces");
        if (status != SPK_OK)
            return status;
        p->piece_s[p->n++] = now - p->since;
    }
    *number = p->next++;
    p->since = *number < p->n_pieces ? spk_work_seconds(p->threads) : -1;
    return SPK_OK;
}

static spk_status send_nothing(void *user, int to, const void *bytes, uint64_t n)
{
    (void)user, (void)to, (void)bytes, (void)n;
    return SPK_OK;
}

static spk_status receive_zeros(void *user, int from, void *bytes, uint64_t n)
{
    (void)user, (void)from;
    memset(bytes, 0, n);
    return SPK_OK;
}

void spk_played_begin(spk_played *p, int rank, int n_ranks, int threads)
{
    *p = (spk_played){.threads = threads, .since = -1, .n_pieces = (uint64_t)n_ranks * 8};
    p->ranks = (spk_ranks){.struct_size = sizeof p->ranks,
                           .rank = rank,
                           .n_ranks = n_ranks,
                           .user = p,
                           .sizes = sizes,
                           .gather = gather,
                           .begin = begin,
                           .next = next,
                           .send = send_nothing,
                           .receive = receive_zeros};
}

void spk_played_free(spk_played *p)
{
    free(p->piece_s);
    *p = (spk_played){.n = 0};
}
