/*
 * A child process reads first. libhdf5 may crash or spin on damaged texts of variable length: it
 * trusts the lengths and addresses that a file gives for them. What ends the child does not end the
 * program, and becomes an error like any other.
 */
#ifndef SPK_HDF5_REHEARSE_H
#define SPK_HDF5_REHEARSE_H

#include "base/context.h"

typedef spk_status spk_h5_reading(spk_context *context, void *user);

/* Processor time of a child, which reads names and small tables only. */
enum { SPK_H5_REHEARSAL_SECONDS = 20 };

/* Calls read(context, user) in a child process. Whatever it makes is lost with the child; its
 * failure is this function's, with the same message. A child that crashes, or takes more than
 * `seconds` of a processor or 2 GB of memory, is SPK_ERR_FORMAT; `name` stands for the file.
 * Where no process is to be had nothing is tried, and that is SPK_OK. */
spk_status spk_h5_rehearse(spk_context *context, const char *name, unsigned seconds,
                           spk_h5_reading *read, void *user);

#endif
