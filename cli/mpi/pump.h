/*
 * A thread that lets MPI go on while a rank computes.
 *
 * Rank 1 adds one to the counter of rank 0. Where memory is not shared by both, most MPIs answer
 * only while rank 0 is in some call of MPI, and rank 0 may be in a search of half a second. The
 * thread of rank 0 therefore calls MPI each now and then. The same holds for a long message that a
 * rank has sent and left.
 */
#ifndef CLI_MPI_PUMP_H
#define CLI_MPI_PUMP_H

#include <pthread.h>
#include <stdbool.h>

typedef struct cli_mpi_pump {
    pthread_t thread;
    pthread_mutex_t lock; /* of all calls of MPI, which serves one thread at a time */
    bool running;
    int stop; /* read and written atomically */
} cli_mpi_pump;

/* Without threads the job goes on, only more slowly: nothing is reported. */
void cli_mpi_pump_start(cli_mpi_pump *pump);
void cli_mpi_pump_stop(cli_mpi_pump *pump);

#endif
