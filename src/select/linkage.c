/*
 * Average linkage by the nearest-neighbour chain: from any group go to the nearest one, from there
 * to its nearest one, until two groups are nearest to each other; join them. Joining makes no group
 * nearer to a third one than both were, so that the rest of the chain stays.
 */
#include "select/linkage.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct linkage {
    uint32_t n;
    float *similarity;
    float limit;
    uint32_t *size;  /* 0: joined to another group, or done */
    uint32_t *into;  /* the group that it was joined to */
    uint32_t *chain; /* groups */
    uint32_t n_chain;
} linkage;

/* The nearest group of i, n where none reaches the limit. Of equal ones the one before it in the
 * chain, then the first one. */
static uint32_t nearest(const linkage *l, uint32_t i)
{
    const float *row = l->similarity + (uint64_t)i * l->n;
    uint32_t best = l->n;
    float most = l->limit;
    if (l->n_chain > 1) {
        best = l->chain[l->n_chain - 2];
        most = row[best];
    }
    for (uint32_t k = 0; k < l->n; k++) {
        if (l->size[k] == 0 || k == i)
            continue;
        if (row[k] > most || (best == l->n && row[k] >= most)) {
            most = row[k];
            best = k;
        }
    }
    return best;
}

static void join(linkage *l, uint32_t a, uint32_t b)
{
    uint32_t to = a < b ? a : b;
    uint32_t from = a < b ? b : a;
    float n_to = (float)l->size[to];
    float n_from = (float)l->size[from];
    for (uint32_t k = 0; k < l->n; k++) {
        if (l->size[k] == 0 || k == to || k == from)
            continue;
        float *cell = &l->similarity[(uint64_t)to * l->n + k];
        *cell =
            (n_to * *cell + n_from * l->similarity[(uint64_t)from * l->n + k]) / (n_to + n_from);
        l->similarity[(uint64_t)k * l->n + to] = *cell;
    }
    l->size[to] += l->size[from];
    l->size[from] = 0;
    l->into[from] = to;
}

static void follow_chains(linkage *l)
{
    uint32_t start = 0;
    for (;;) {
        while (l->n_chain == 0 && start < l->n && l->size[start] == 0)
            start++;
        if (l->n_chain == 0 && start == l->n)
            return;
        if (l->n_chain == 0)
            l->chain[l->n_chain++] = start;
        uint32_t last = l->chain[l->n_chain - 1];
        uint32_t next = nearest(l, last);
        if (next == l->n) { /* nothing will ever be near enough */
            assert(l->n_chain == 1);
            l->size[last] = 0;
            l->n_chain = 0;
        } else if (l->n_chain > 1 && next == l->chain[l->n_chain - 2]) {
            l->n_chain -= 2;
            join(l, last, next);
        } else {
            l->chain[l->n_chain++] = next;
        }
    }
}

spk_status spk_linkage_average(spk_context *context, uint32_t n, float *similarity, float limit,
                               uint32_t *group, uint32_t *n_groups)
{
    linkage l = {.n = n, .similarity = similarity, .limit = limit};
    *n_groups = 0;
    spk_status status =
        spk_alloc_columns(context, "families", SPK_COLUMN(&l.size, n), SPK_COLUMN(&l.into, n),
                          SPK_COLUMN(&l.chain, (uint64_t)n + 1));
    if (status != SPK_OK)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        l.size[i] = 1;
        l.into[i] = i;
    }
    follow_chains(&l);
    /* A group is joined to one with a smaller number. */
    for (uint32_t i = 0; i < n; i++)
        group[i] = l.into[i] == i ? (*n_groups)++ : group[l.into[i]];
    spk_free(context, l.size);
    spk_free(context, l.into);
    spk_free(context, l.chain);
    return SPK_OK;
}
