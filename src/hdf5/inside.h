/* An open file, as file.c and data.c share it. */
#ifndef SPK_HDF5_INSIDE_H
#define SPK_HDF5_INSIDE_H

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

#endif
