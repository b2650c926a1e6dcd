/*
 * Ranks of MPI reach rank 0 while it computes: the counter and a long message, of which rank 0 has
 * begun to send the first part. Rank 0 sleeps as if it searched. Exit status 0: both came in time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mpi/ranks.h"

enum { SLEEP_S = 3, TAKEN = 20, LONG_MESSAGE = 8 << 20 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether a rank had to wait for rank 0. */
static int ask(const spk_ranks *ranks, unsigned char *bytes)
{
    uint64_t before = 0, number = 0;
    double begin = seconds();
    int wrong = 0;
    for (int k = 0; k < TAKEN; k++, before = number) {
        ranks->next(ranks->user, &number);
        wrong |= k > 0 && number <= before;
    }
    double counted = seconds();
    ranks->receive(ranks->user, 0, bytes, LONG_MESSAGE);
    double received = seconds();
    wrong |= bytes[0] != 7 || bytes[LONG_MESSAGE - 1] != 7;
    printf("rank %d: %d numbers in %.3f s, a message in %.3f s\n", ranks->rank, TAKEN,
           counted - begin, received - counted);
    return wrong || counted - begin > SLEEP_S / 2.0 || received - begin > SLEEP_S / 2.0;
}

static void compute(const spk_ranks *ranks, unsigned char *bytes)
{
    const struct timespec busy = {.tv_sec = SLEEP_S};
    for (int k = 0; k < LONG_MESSAGE; k++)
        bytes[k] = 7;
    for (int to = 1; to < ranks->n_ranks; to++)
        ranks->send(ranks->user, to, bytes, LONG_MESSAGE);
    nanosleep(&busy, NULL);
}

int main(int argc, char **argv)
{
    cli_mpi mpi;
    spk_ranks ranks;
    int provided = 0, wrong = 0, any = 0;
    unsigned char *bytes = malloc(LONG_MESSAGE);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    cli_mpi_open(&mpi, &ranks);
    if (bytes == NULL || provided < MPI_THREAD_SERIALIZED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    ranks.begin(ranks.user);
    if (ranks.rank == 0)
        compute(&ranks, bytes);
    else
        wrong = ask(&ranks, bytes);
    cli_mpi_stop(&mpi);
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    cli_mpi_close(&mpi);
    MPI_Finalize();
    free(bytes);
    return any;
}
