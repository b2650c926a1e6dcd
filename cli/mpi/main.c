/*
 * spikemine-mpi: the command as ranks of MPI.
 *
 *     mpirun -n 8 spikemine-mpi episodes rec.txt --delay 5ms:10ms --support 0.2%
 *
 * Every rank runs the same subcommand with the same words. Rank 0 prints, and writes the files. The
 * others print nothing but errors, and an error that several ranks have is printed by one of them.
 * When a rank fails, the job ends.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../commands.h"
#include "../options.h"
#include "../screen.h"
#include "../session.h"
#include "ranks.h"

/* How long a rank that has ended waits for others that may have failed in the same way. */
static const double PATIENCE_S = 1;

/* How long a launcher may take to pass on what it has read, in moments of 2 ms. */
enum { MOMENTS_TO_PASS_ON = 25 };

/* ---- what ranks other than 0 print ----------------------------------------------------------- */

typedef struct kept_talk {
    int error;  /* standard error as it was; -1: it still is */
    int memory; /* where it goes instead */
} kept_talk;

static kept_talk keep_talk(int rank)
{
    kept_talk kept = {-1, -1};
    if (rank == 0)
        return kept;
    if (freopen("/dev/null", "w", stdout) == NULL)
        return kept;
    kept.memory = memfd_create("talk", MFD_CLOEXEC);
    if (kept.memory < 0)
        return kept;
    kept.error = dup(STDERR_FILENO);
    if (dup2(kept.memory, STDERR_FILENO) < 0)
        kept.error = -1;
    return kept;
}

/* Says the last line of what a rank had to say, which is its error. */
static void tell_error(const kept_talk *kept, int rank)
{
    char text[4096] = "";
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    if (kept->error < 0)
        return;
    off_t n = lseek(kept->memory, 0, SEEK_END);
    off_t from = n > (off_t)sizeof text - 1 ? n - ((off_t)sizeof text - 1) : 0;
    if (pread(kept->memory, text, sizeof text - 1, from) < 0)
        text[0] = '\0';
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == '\n')
        text[--end] = '\0';
    const char *line = strrchr(text, '\n');
    MPI_Get_processor_name(host, &length);
    dprintf(kept->error, "rank %d on %s: %s\n", rank, host,
            line != NULL ? line + 1 : (text[0] != '\0' ? text : "failed"));
}

/* ---- the end --------------------------------------------------------------------------------- */

static void wait_a_moment(void)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    nanosleep(&moment, NULL);
}

/* All ranks' codes, where all have come to their end; false where some have not, after a while. A
 * rank that did its work waits for all. */
static bool meet_at_end(int code, int *codes)
{
    MPI_Request request;
    int done = 0;
    double until = cli_seconds() + PATIENCE_S;
    MPI_Iallgather(&code, 1, MPI_INT, codes, 1, MPI_INT, MPI_COMM_WORLD, &request);
    while (done == 0) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0 && code != CLI_DONE && cli_seconds() > until)
            return false;
        if (done == 0)
            wait_a_moment();
    }
    return true;
}

static int first_failed(const cli_mpi *mpi, const int *codes)
{
    for (int k = 0; k < mpi->n_ranks; k++)
        if (codes[k] != CLI_DONE)
            return k;
    return -1;
}

/* Waits until the launcher has read what was written to a pipe of its, and has passed it on. An
 * abort makes some launchers drop the rest. */
static void let_through(int file)
{
    struct stat about;
    int left = 1;
    const double until = cli_seconds() + PATIENCE_S;
    if (fstat(file, &about) != 0 || !S_ISFIFO(about.st_mode))
        return;
    while (ioctl(file, FIONREAD, &left) == 0 && left > 0 && cli_seconds() < until)
        wait_a_moment();
    for (int k = 0; k < MOMENTS_TO_PASS_ON; k++)
        wait_a_moment();
}

/* Ends together with the others; does not come back where they cannot be waited for. */
static int end(cli_mpi *mpi, const kept_talk *kept, int code)
{
    int *codes = calloc((size_t)mpi->n_ranks, sizeof *codes);
    if (codes == NULL || !meet_at_end(code, codes)) {
        if (mpi->rank != 0)
            tell_error(kept, mpi->rank);
        let_through(kept->error >= 0 ? kept->error : STDERR_FILENO);
        MPI_Abort(MPI_COMM_WORLD, code != CLI_DONE ? code : CLI_FAILED);
        exit(CLI_FAILED);
    }
    int failed = first_failed(mpi, codes);
    if (failed == mpi->rank && mpi->rank != 0)
        tell_error(kept, mpi->rank);
    code = failed >= 0 ? codes[failed] : CLI_DONE;
    free(codes);
    cli_mpi_close(mpi);
    MPI_Finalize();
    return code;
}

int main(int argc, char **argv)
{
    cli_mpi mpi;
    spk_ranks ranks;
    int provided = 0;
    cli_output_begin();
    cli_screen_never();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
        fprintf(stderr, "spikemine-mpi: this MPI serves the first thread only; use one with "
                        "MPI_THREAD_SERIALIZED\n");
        MPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
    }
    cli_mpi_open(&mpi, &ranks);
    kept_talk kept = keep_talk(mpi.rank);
    int code = cli_dispatch(argc, argv, mpi.n_ranks > 1 ? &ranks : NULL);
    cli_mpi_stop(&mpi);
    return end(&mpi, &kept, cli_output_end(code));
}
