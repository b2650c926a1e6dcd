/*
 * Numbers, bytes and the shared counter, by MPI. The counter is a window of rank 0, to which the
 * others add one with MPI_Fetch_and_op: rank 0 need not answer, its pump does.
 *
 * MPI ends the job by itself when one of its calls fails, so that results are not looked at.
 */
#include "ranks.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the pump -------------------------------------------------------------------------------- */

/*
 * A thread that lets MPI go on while a rank computes.
 *
 * Rank 1 adds one to the counter of rank 0. Where memory is not shared by both, most MPIs answer
 * only while rank 0 is in some call of MPI, and rank 0 may be in a search of half a second. The
 * thread of rank 0 therefore calls MPI each now and then. The same holds for a long message that a
 * rank has sent and left.
 */
/* A search that is handed out takes ten times as long at least, and a look some microseconds. */
static const struct timespec BETWEEN = {.tv_nsec = 100000};

static void *work(void *user)
{
    cli_mpi_pump *pump = user;
    while (__atomic_load_n(&pump->stop, __ATOMIC_ACQUIRE) == 0) {
        int some;
        /* Who has the lock is in MPI. */
        if (pthread_mutex_trylock(&pump->lock) == 0) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &some, MPI_STATUS_IGNORE);
            pthread_mutex_unlock(&pump->lock);
        }
        nanosleep(&BETWEEN, NULL);
    }
    return NULL;
}

/* Without threads the job goes on, only more slowly: nothing is reported. */
static void pump_start(cli_mpi_pump *pump)
{
    pump->stop = 0;
    pthread_mutex_init(&pump->lock, NULL);
    pump->running = pthread_create(&pump->thread, NULL, work, pump) == 0;
}

static void pump_stop(cli_mpi_pump *pump)
{
    __atomic_store_n(&pump->stop, 1, __ATOMIC_RELEASE);
    if (pump->running)
        pthread_join(pump->thread, NULL);
    pump->running = false;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Numbers of bytes are int in MPI; larger messages go in parts. */
enum { PART = 1 << 30 };

/* Around all calls of MPI. */
static void enter(cli_mpi *mpi)
{
    pthread_mutex_lock(&mpi->pump.lock);
}

static void leave(cli_mpi *mpi)
{
    pthread_mutex_unlock(&mpi->pump.lock);
}

static spk_status sizes(void *user, uint64_t mine, uint64_t *all)
{
    enter(user);
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    leave(user);
    return SPK_OK;
}

/* From one rank to all, in parts. */
static void spread(unsigned char *bytes, uint64_t n, int from)
{
    for (uint64_t at = 0; at < n; at += PART)
        MPI_Bcast(bytes + at, n - at < PART ? (int)(n - at) : PART, MPI_BYTE, from, MPI_COMM_WORLD);
}

static spk_status gather(void *user, const void *mine, const uint64_t *bytes, void *all)
{
    const cli_mpi *mpi = user;
    unsigned char *to = all;
    enter(user);
    for (int k = 0; k < mpi->n_ranks; k++) {
        if (k == mpi->rank && bytes[k] > 0)
            memcpy(to, mine, bytes[k]);
        spread(to, bytes[k], k);
        to += bytes[k];
    }
    leave(user);
    return SPK_OK;
}

static spk_status begin(void *user)
{
    const cli_mpi *mpi = user;
    static const int64_t zero = 0;
    int64_t before;
    enter(user);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi->rank == 0) {
        MPI_Fetch_and_op(&zero, &before, MPI_INT64_T, 0, 0, MPI_REPLACE, mpi->window);
        MPI_Win_flush(0, mpi->window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    leave(user);
    return SPK_OK;
}

static spk_status next(void *user, uint64_t *number)
{
    const cli_mpi *mpi = user;
    static const int64_t one = 1;
    int64_t before = 0;
    enter(user);
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 0, MPI_SUM, mpi->window);
    MPI_Win_flush(0, mpi->window);
    leave(user);
    *number = (uint64_t)before;
    return SPK_OK;
}

static spk_status look(void *user, uint64_t *number)
{
    const cli_mpi *mpi = user;
    static const int64_t nothing = 0;
    int64_t now = 0;
    enter(user);
    MPI_Fetch_and_op(&nothing, &now, MPI_INT64_T, 0, 0, MPI_NO_OP, mpi->window);
    MPI_Win_flush(0, mpi->window);
    leave(user);
    *number = (uint64_t)now;
    return SPK_OK;
}

/* Waits until a message of ours has left its copy. */
static void settle(cli_mpi *mpi, int k)
{
    MPI_Wait(&mpi->request[k], MPI_STATUS_IGNORE);
    free(mpi->sent[k]);
    mpi->sent[k] = NULL;
}

/* A part of a message, as a copy of its own, so that the rank need not wait for the other one. */
static spk_status send_part(cli_mpi *mpi, int to, const void *bytes, int n)
{
    int k = mpi->next_sent;
    mpi->next_sent = (k + 1) % CLI_MPI_ON_THEIR_WAY;
    settle(mpi, k);
    mpi->sent[k] = malloc((size_t)n);
    if (mpi->sent[k] == NULL)
        return SPK_ERR_MEMORY;
    memcpy(mpi->sent[k], bytes, (size_t)n);
    MPI_Isend(mpi->sent[k], n, MPI_BYTE, to, 0, MPI_COMM_WORLD, &mpi->request[k]);
    return SPK_OK;
}

static spk_status send(void *user, int to, const void *bytes, uint64_t n)
{
    const unsigned char *from = bytes;
    spk_status status = SPK_OK;
    enter(user);
    for (uint64_t at = 0; at < n && status == SPK_OK; at += PART)
        status = send_part(user, to, from + at, n - at < PART ? (int)(n - at) : PART);
    leave(user);
    return status;
}

static spk_status receive(void *user, int from, void *bytes, uint64_t n)
{
    unsigned char *to = bytes;
    enter(user);
    for (uint64_t at = 0; at < n; at += PART)
        MPI_Recv(to + at, n - at < PART ? (int)(n - at) : PART, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    leave(user);
    return SPK_OK;
}

void cli_mpi_open(cli_mpi *mpi, spk_ranks *out)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi->n_ranks);
    MPI_Win_allocate(mpi->rank == 0 ? (MPI_Aint)sizeof(int64_t) : 0, sizeof(int64_t), MPI_INFO_NULL,
                     MPI_COMM_WORLD, (void *)&mpi->counter, &mpi->window);
    MPI_Win_lock_all(0, mpi->window);
    *out = (spk_ranks){.struct_size = sizeof *out,
                       .rank = mpi->rank,
                       .n_ranks = mpi->n_ranks,
                       .user = mpi,
                       .sizes = sizes,
                       .gather = gather,
                       .begin = begin,
                       .next = next,
                       .send = send,
                       .receive = receive,
                       .look = look};
    for (int k = 0; k < CLI_MPI_ON_THEIR_WAY; k++) {
        mpi->request[k] = MPI_REQUEST_NULL;
        mpi->sent[k] = NULL;
    }
    mpi->next_sent = 0;
    pump_start(&mpi->pump);
}

void cli_mpi_stop(cli_mpi *mpi)
{
    pump_stop(&mpi->pump);
}

void cli_mpi_close(cli_mpi *mpi)
{
    for (int k = 0; k < CLI_MPI_ON_THEIR_WAY; k++)
        settle(mpi, k);
    MPI_Win_unlock_all(mpi->window);
    MPI_Win_free(&mpi->window);
}
