/* An open file, as file.c and data.c share it. */
#pragma once

#include "base/context.h"
#include "hdf5/file.h"
#include "hdf5/library.h"

#if SPIKEMINE_HAVE_HDF5
struct spk_h5_file {
    const spk_h5 *h5;
    spk_h5_visit visit;
    char *name;
    uint64_t bytes;
    hid_t id;
    hid_t access;        /* how links are followed: none into other files */
    bool left_the_file;  /* a link into another file was met, and not followed */
    char other_file[80]; /* which, for a message */
};

/* Fails for the object at `path`: "FILE: PATH cannot be read (what HDF5 says)". */
spk_status spk_h5_fail(spk_context *context, spk_h5_file *file, const char *path);
#endif

/* ---- the rehearsal --------------------------------------------------------------------------- */

/*
 * A child process reads first. libhdf5 may crash or spin on damaged texts of variable length: it
 * trusts the lengths and addresses that a file gives for them. What ends the child does not end the
 * program, and becomes an error like any other.
 */

typedef spk_status spk_h5_reading(spk_context *context, void *user);

/* Processor time of a child, which reads names and small tables only. */
enum { SPK_H5_REHEARSAL_SECONDS = 20 };

/* Calls read(context, user) in a child process. Whatever it makes is lost with the child; its
 * failure is this function's, with the same message. A child that crashes, or takes more than
 * `seconds` of a processor or 2 GB of memory, is SPK_ERR_FORMAT; `name` stands for the file.
 * Where no process is to be had nothing is tried, and that is SPK_OK. */
spk_status spk_h5_rehearse(spk_context *context, const char *name, unsigned seconds,
                           spk_h5_reading *read, void *user);
