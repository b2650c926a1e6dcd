/*
 * One process at a time writes a checkpoint: the one that holds the lock of a file beside it,
 * FILE.lock. The file goes with the owner, also where a signal ends the process. A kill leaves it,
 * but the system gives the lock back: the file hinders nobody, and the next owner removes it.
 */
#ifndef SPK_SIGNIFICANCE_MAXIMA_OWNER_H
#define SPK_SIGNIFICANCE_MAXIMA_OWNER_H

#include "base/context.h"
#include "base/temporary_list.h"

/* Begins as zeros; an owner without a path holds nothing. */
typedef struct spk_owner {
    char *path; /* of the lock's file */
    int file;
    spk_temporary_slot *slot; /* so that a signal handler removes the file */
} spk_owner;

/* SPK_ERR_IO where another one is the owner. Where no file can be made beside the checkpoint
 * nothing is held: the writing of the checkpoint tells why. */
spk_status spk_owner_become(spk_context *context, const char *checkpoint, spk_owner *owner);
void spk_owner_leave(spk_owner *owner);

#endif
