/* Ranks of MPI as the table of functions that the library wants (spikemine/ranks.h). */
#pragma once

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>

#include "spikemine/ranks.h"

enum { CLI_MPI_ON_THEIR_WAY = 4 }; /* messages that were sent and may not have come yet */

/* A thread that lets MPI go on while a rank computes. */
typedef struct cli_mpi_pump {
    pthread_t thread;
    pthread_mutex_t lock; /* of all calls of MPI, which serves one thread at a time */
    bool running;
    int stop; /* read and written atomically */
} cli_mpi_pump;

typedef struct cli_mpi {
    MPI_Win window; /* of the counter that all share; rank 0 has it */
    int64_t *counter;
    int rank;
    int n_ranks;
    MPI_Request request[CLI_MPI_ON_THEIR_WAY];
    void *sent[CLI_MPI_ON_THEIR_WAY]; /* copies of their bytes */
    int next_sent;
    cli_mpi_pump pump;
} cli_mpi;

/* Fills both; `mpi` must stay where it is. Collective. Errors of MPI end the job. */
void cli_mpi_open(cli_mpi *mpi, spk_ranks *out);
/* From here on the caller may call MPI itself, and the table is not used any more. */
void cli_mpi_stop(cli_mpi *mpi);
/* After cli_mpi_stop. Collective. */
void cli_mpi_close(cli_mpi *mpi);
