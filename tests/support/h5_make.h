/* Makes small HDF5 files for tests, through HDF5 itself. Every failure ends the test program. */
#pragma once

#include "base/build_config.h"

#if SPIKEMINE_HAVE_HDF5
#include <stddef.h>
#include <stdint.h>

#include <hdf5.h>

/* A new file in the tests' folder (support/folder.h); `user_block` bytes before it. */
hid_t h5_new(const char *name, size_t user_block);
void h5_end(hid_t file);

void h5_group(hid_t file, const char *path);

/* A dataset of `n` items of `type`, or of rows x columns; chunked with `chunk` > 0. */
void h5_numbers(hid_t file, const char *path, hid_t stored, hid_t type, hsize_t n,
                const void *values);
void h5_matrix(hid_t file, const char *path, hid_t stored, hid_t type, hsize_t rows,
               hsize_t columns, hsize_t chunk, const void *values);

void h5_doubles(hid_t file, const char *path, hsize_t n, const double *values);
void h5_int64s(hid_t file, const char *path, hsize_t n, const int64_t *values);

/* Texts of variable length, or of `length` bytes each. */
void h5_texts(hid_t file, const char *path, size_t length, hsize_t n, const char *const *texts);

/* References to the objects at these paths. */
void h5_references(hid_t file, const char *path, hsize_t rows, hsize_t columns,
                   const char *const *to);

void h5_number_of(hid_t file, const char *path, const char *attribute, double value);
void h5_text_of(hid_t file, const char *path, const char *attribute, const char *value);
#endif
