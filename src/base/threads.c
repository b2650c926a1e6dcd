/*
 * Threads that the system gives. Two numbers are kept for the whole process: how many threads are
 * known to start, so that this is not tried for each job, and the process in which that was.
 */
#include "base/threads.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/memory.h"

static atomic_int proven_threads;
static _Atomic pid_t proven_in; /* 0: in none yet */

/* ---- trying ---------------------------------------------------------------------------------- */

/* Threads wait here for each other, so that all of them are there at once. */
typedef struct crowd {
    pthread_mutex_t lock;
    pthread_cond_t go;
    bool may_go;
} crowd;

static void *wait_to_go(void *raw)
{
    crowd *c = raw;
    pthread_mutex_lock(&c->lock);
    while (!c->may_go)
        pthread_cond_wait(&c->go, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* The stack that OpenMP gives its threads, from OMP_STACKSIZE: kilobytes, or with a letter B, K, M
 * or G. 0: the system's. */
static size_t stack_bytes(void)
{
    const char *text = getenv("OMP_STACKSIZE");
    char *end = NULL;
    unsigned long long value = text != NULL ? strtoull(text, &end, 10) : 0;
    if (value == 0 || value > 1u << 30)
        return 0;
    while (*end == ' ')
        end++;
    switch (*end) {
    case 'B':
    case 'b':
        return (size_t)value;
    case 'M':
    case 'm':
        return (size_t)value << 20;
    case 'G':
    case 'g':
        return (size_t)value << 30;
    default:
        return (size_t)value << 10;
    }
}

/* What of the address space threads may take (ulimit -v): a quarter, as the limit of memory leaves
 * one. A worker of a queue may keep the threads of the teams that it led, some 6 stacks by the last
 * tasks, whose teams grow; and the C library keeps 64 MB of addresses for what it allocates. */
static int threads_in_address_space(int wanted)
{
    enum { STACKS = 6, USUAL_STACK = 8 << 20, ARENA = 64 << 20 };
    struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY};
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY)
        return wanted;
    const size_t stack = stack_bytes();
    const rlim_t each = STACKS * (rlim_t)(stack > 0 ? stack : USUAL_STACK) + ARENA;
    const rlim_t fit = space.rlim_cur / 4 / each;
    return fit >= (rlim_t)wanted ? wanted : fit > 1 ? (int)fit : 1;
}

static int start_crowd(crowd *c, pthread_t *thread, int n)
{
    pthread_attr_t attributes;
    int started = 0;
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    size_t stack = stack_bytes();
    if (stack > 0) /* what it refuses OpenMP does without, too */
        (void)pthread_attr_setstacksize(&attributes, stack);
    while (started < n && pthread_create(&thread[started], &attributes, wait_to_go, c) == 0)
        started++;
    pthread_attr_destroy(&attributes);
    return started;
}

int spk_threads_startable(int wanted)
{
    crowd c = {.lock = PTHREAD_MUTEX_INITIALIZER, .go = PTHREAD_COND_INITIALIZER};
    pthread_t *thread = NULL;
    if (wanted <= 1 || spk_alloc(NULL, &thread, (uint64_t)wanted, "threads") != SPK_OK)
        return 1;
    int started = start_crowd(&c, thread, wanted - 1);
    pthread_mutex_lock(&c.lock);
    c.may_go = true;
    pthread_cond_broadcast(&c.go);
    pthread_mutex_unlock(&c.lock);
    for (int k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    free(thread);
    pthread_mutex_destroy(&c.lock);
    pthread_cond_destroy(&c.go);
    return started + 1;
}

/* ---- taking ---------------------------------------------------------------------------------- */

int spk_threads_take(spk_context *context)
{
    int wanted = spk_context_threads(context);
    pid_t before = 0;
    assert(wanted >= 1);
    if (wanted == 1)
        return 1;
    if (!atomic_compare_exchange_strong(&proven_in, &before, getpid()) && before != getpid()) {
        spk_note(context, "one thread works: this process was forked from one that has mined, and "
                          "OpenMP's threads do not survive a fork");
        return 1;
    }
    const int most = threads_in_address_space(wanted);
    int n = most;
    if (most > atomic_load(&proven_threads)) {
        n = spk_threads_startable(most);
        if (n == most)
            atomic_store(&proven_threads, n);
        else
            n = (n + 1) / 2; /* the rest of the address space is for what they do */
    }
    if (n < wanted)
        spk_note(context, "%d thread%s of %d: the system gives no more (ulimit -u, ulimit -v)", n,
                 n == 1 ? "" : "s", wanted);
    return n;
}

int spk_threads_for(spk_context *context, uint64_t n)
{
    const uint64_t fewest = 1 << 15;
    return n >= fewest ? spk_threads_take(context) : 1;
}
