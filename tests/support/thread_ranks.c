/* Ranks as threads. */
#include "support/thread_ranks.h"

#include <pthread.h>

spk_context *alone;

int alone_setup(void **state)
{
    (void)state;
    return spk_context_create(&alone) != SPK_OK;
}

int alone_teardown(void **state)
{
    (void)state;
    spk_context_free(alone);
    return 0;
}

/* Bytes on their way. */
typedef struct parcel {
    struct parcel *next;
    int from;
    uint64_t n;
    unsigned char bytes[];
} parcel;

typedef struct world {
    int n;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int arrived;
    uint64_t round;
    bool broken; /* a rank has failed */
    uint64_t counter;
    uint64_t size[TEST_MOST_RANKS];
    const void *bytes[TEST_MOST_RANKS];
    parcel *sent[TEST_MOST_RANKS]; /* to each rank, in order of arrival */
} world;

typedef struct member {
    world *world;
    int rank;
    test_rank_work *work;
    void *user;
    spk_status status;
    char message[256];
} member;

/* All come here before one goes on. */
static spk_status meet(world *w)
{
    pthread_mutex_lock(&w->lock);
    uint64_t round = w->round;
    if (++w->arrived == w->n) {
        w->arrived = 0;
        w->round++;
        pthread_cond_broadcast(&w->changed);
    }
    while (w->round == round && !w->broken)
        pthread_cond_wait(&w->changed, &w->lock);
    spk_status status = w->round != round ? SPK_OK : SPK_ERR_CANCELLED;
    pthread_mutex_unlock(&w->lock);
    return status;
}

static spk_status sizes(void *user, uint64_t mine, uint64_t *all)
{
    member *m = user;
    m->world->size[m->rank] = mine;
    spk_status status = meet(m->world);
    for (int k = 0; k < m->world->n && status == SPK_OK; k++)
        all[k] = m->world->size[k];
    return status == SPK_OK ? meet(m->world) : status;
}

static spk_status gather(void *user, const void *mine, const uint64_t *bytes, void *all)
{
    member *m = user;
    unsigned char *to = all;
    m->world->bytes[m->rank] = mine;
    spk_status status = meet(m->world);
    for (int k = 0; k < m->world->n && status == SPK_OK; k++) {
        if (bytes[k] > 0)
            memcpy(to, m->world->bytes[k], bytes[k]);
        to += bytes[k];
    }
    return status == SPK_OK ? meet(m->world) : status;
}

static spk_status begin(void *user)
{
    member *m = user;
    spk_status status = meet(m->world);
    if (status == SPK_OK && m->rank == 0)
        m->world->counter = 0;
    return status == SPK_OK ? meet(m->world) : status;
}

static spk_status next(void *user, uint64_t *number)
{
    member *m = user;
    pthread_mutex_lock(&m->world->lock);
    *number = m->world->counter++;
    pthread_mutex_unlock(&m->world->lock);
    return SPK_OK;
}

static spk_status look(void *user, uint64_t *number)
{
    member *m = user;
    pthread_mutex_lock(&m->world->lock);
    *number = m->world->counter;
    pthread_mutex_unlock(&m->world->lock);
    return SPK_OK;
}

static spk_status send_bytes(void *user, int to, const void *bytes, uint64_t n)
{
    const member *m = user;
    parcel *sent = malloc(sizeof *sent + n);
    if (sent == NULL || n == 0)
        abort();
    *sent = (parcel){.from = m->rank, .n = n};
    memcpy(sent->bytes, bytes, n);
    pthread_mutex_lock(&m->world->lock);
    parcel **end = &m->world->sent[to];
    while (*end != NULL)
        end = &(*end)->next;
    *end = sent;
    pthread_cond_broadcast(&m->world->changed);
    pthread_mutex_unlock(&m->world->lock);
    return SPK_OK;
}

/* The first parcel of a rank to this one, where it is; NULL: there is none. */
static parcel **find_parcel(const member *m, int from)
{
    parcel **at = &m->world->sent[m->rank];
    while (*at != NULL && (*at)->from != from)
        at = &(*at)->next;
    return *at != NULL ? at : NULL;
}

static spk_status receive_bytes(void *user, int from, void *bytes, uint64_t n)
{
    const member *m = user;
    parcel **at = NULL;
    parcel *taken = NULL;
    pthread_mutex_lock(&m->world->lock);
    while ((at = find_parcel(m, from)) == NULL && !m->world->broken)
        pthread_cond_wait(&m->world->changed, &m->world->lock);
    if (at != NULL) {
        taken = *at;
        *at = taken->next;
    }
    pthread_mutex_unlock(&m->world->lock);
    if (taken == NULL)
        return SPK_ERR_CANCELLED;
    if (taken->n != n)
        abort();
    memcpy(bytes, taken->bytes, n);
    free(taken);
    return SPK_OK;
}

static void *run_rank(void *user)
{
    member *m = user;
    spk_context *context = NULL;
    m->status = spk_context_create(&context);
    spk_ranks ranks = {sizeof ranks, m->rank,    m->world->n,   m,   sizes, gather, begin,
                       next,         send_bytes, receive_bytes, look};
    spk_context_set_threads(context, 1);
    if (m->status == SPK_OK)
        m->status = spk_context_set_ranks(context, &ranks);
    if (m->status == SPK_OK)
        m->status = m->work(context, m->rank, m->user);
    snprintf(m->message, sizeof m->message, "%s", spk_context_message(context));
    if (m->status != SPK_OK) {
        pthread_mutex_lock(&m->world->lock);
        m->world->broken = true;
        pthread_cond_broadcast(&m->world->changed);
        pthread_mutex_unlock(&m->world->lock);
    }
    spk_context_free(context);
    return NULL;
}

/* Those that a rank which failed did not take. */
static void drop_parcels(world *w, int to)
{
    while (w->sent[to] != NULL) {
        parcel *first = w->sent[to];
        w->sent[to] = first->next;
        free(first);
    }
}

void test_ranks_run(int n_ranks, test_rank_work *work, void *user, spk_status *status,
                    char (*message)[256])
{
    static world w;
    static member m[TEST_MOST_RANKS];
    pthread_t thread[TEST_MOST_RANKS];
    w = (world){.n = n_ranks};
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.changed, NULL);
    for (int k = 0; k < n_ranks; k++) {
        m[k] = (member){.world = &w, .rank = k, .work = work, .user = user};
        if (pthread_create(&thread[k], NULL, run_rank, &m[k]) != 0)
            abort();
    }
    for (int k = 0; k < n_ranks; k++) {
        pthread_join(thread[k], NULL);
        status[k] = m[k].status;
        if (message != NULL)
            memcpy(message[k], m[k].message, sizeof message[k]);
    }
    for (int k = 0; k < n_ranks; k++)
        drop_parcels(&w, k);
    pthread_cond_destroy(&w.changed);
    pthread_mutex_destroy(&w.lock);
}

void test_ranks_succeed(int n_ranks, test_rank_work *work, void *user)
{
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    test_ranks_run(n_ranks, work, user, status, message);
    for (int k = 0; k < n_ranks; k++)
        if (status[k] != SPK_OK)
            fail_msg("rank %d of %d: %s", k, n_ranks, message[k]);
}
