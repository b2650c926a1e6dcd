/* Calls of MPI_Iprobe, which looks after everything that is on its way. */
#include "pump.h"

#include <mpi.h>
#include <time.h>

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

void cli_mpi_pump_start(cli_mpi_pump *pump)
{
    pump->stop = 0;
    pthread_mutex_init(&pump->lock, NULL);
    pump->running = pthread_create(&pump->thread, NULL, work, pump) == 0;
}

void cli_mpi_pump_stop(cli_mpi_pump *pump)
{
    __atomic_store_n(&pump->stop, 1, __ATOMIC_RELEASE);
    if (pump->running)
        pthread_join(pump->thread, NULL);
    pump->running = false;
}
