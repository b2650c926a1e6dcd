/* spikemine: one process. The ranks of spikemine-mpi begin in mpi/main.c. */
#include "commands.h"
#include "session.h"

int main(int argc, char **argv)
{
    cli_output_begin();
    return cli_output_end(cli_dispatch(argc, argv, NULL));
}
