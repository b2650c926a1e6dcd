/* Ranks of MPI as the table of functions that the library wants (spikemine/ranks.h). */
#ifndef CLI_MPI_RANKS_H
#define CLI_MPI_RANKS_H

#include <mpi.h>

#include "pump.h"
#include "spikemine/ranks.h"

enum { CLI_MPI_ON_THEIR_WAY = 4 }; /* messages that were sent and may not have come yet */

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

#endif
