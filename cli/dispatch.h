/* Which subcommand runs: what spikemine and spikemine-mpi share. */
#ifndef CLI_DISPATCH_H
#define CLI_DISPATCH_H

#include "spikemine/spikemine.h"

/* Runs the subcommand that argv names, as one of `ranks` (NULL: by itself); returns the exit code.
 */
int cli_dispatch(int argc, char **argv, const spk_ranks *ranks);

#endif
