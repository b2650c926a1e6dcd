/* What the first bytes of HDF5 files look like. */
#pragma once

#include <string.h>

#include "recording/readers/reader.h"

static inline bool spk_begins_with(const spk_probe *probe, size_t at, const char *bytes, size_t n)
{
    return !probe->is_folder && probe->n_head >= at + n && memcmp(probe->head + at, bytes, n) == 0;
}

/* The signature stands at the beginning, or behind a block of 512, 1024, 2048, ... bytes. */
static inline bool spk_is_hdf5(const spk_probe *probe)
{
    bool found = spk_begins_with(probe, 0, "\x89HDF\r\n\x1a\n", 8);
    for (size_t at = 512; at < SPK_PROBE_BYTES && !found; at *= 2)
        found = spk_begins_with(probe, at, "\x89HDF\r\n\x1a\n", 8);
    return found;
}

/* The text in the block before. */
static inline bool spk_is_matlab_73(const spk_probe *probe)
{
    return spk_begins_with(probe, 0, "MATLAB 7.3 MAT-file", 19);
}

static inline bool spk_is_matlab_5(const spk_probe *probe)
{
    return spk_begins_with(probe, 0, "MATLAB 5.0 MAT-file", 19);
}
