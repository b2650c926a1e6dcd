/*
 * HDF5 files in the making. As with files that are read, no other thread can use HDF5 until the
 * file is closed. What does not depend on the content is the same in each file: it holds no dates
 * and no random numbers of HDF5's. Errors: SPK_ERR_IO (writing failed), SPK_ERR_UNAVAILABLE (no
 * HDF5), SPK_ERR_MEMORY.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

typedef struct spk_h5_maker spk_h5_maker;

/* Begins a file at `path`, in place of what is there; `name` stands for it in messages. */
spk_status spk_h5_make(spk_context *context, const char *path, const char *name,
                       spk_h5_maker **out);

/* Writes what is left, closes and frees; NULL is accepted. */
spk_status spk_h5_make_end(spk_context *context, spk_h5_maker *maker);

spk_status spk_h5_make_group(spk_context *context, spk_h5_maker *maker, const char *path);

/* UTF-8 texts: one (n = 0), or a list of n. */
spk_status spk_h5_make_texts(spk_context *context, spk_h5_maker *maker, const char *path, size_t n,
                             const char *const *texts);

/* A dataset of `rows`, or of rows x columns with columns > 1. It stays open for spk_h5_put until
 * the next one is made. */
typedef enum spk_h5_number {
    SPK_H5_MAKE_DOUBLE,
    SPK_H5_MAKE_INT64,
    SPK_H5_MAKE_UINT64
} spk_h5_number;
spk_status spk_h5_make_numbers(spk_context *context, spk_h5_maker *maker, const char *path,
                               spk_h5_number number, uint64_t rows, uint64_t columns);

/* Writes n rows from row `first` on: values of 8 bytes each. */
spk_status spk_h5_put(spk_context *context, spk_h5_maker *maker, uint64_t first, uint64_t n,
                      const void *values);

/* Attributes of the object at `path`: a text, a list of n texts, a number, a reference. */
spk_status spk_h5_set_texts(spk_context *context, spk_h5_maker *maker, const char *path,
                            const char *attribute, size_t n, const char *const *texts);
spk_status spk_h5_set_number(spk_context *context, spk_h5_maker *maker, const char *path,
                             const char *attribute, double value);
spk_status spk_h5_set_reference(spk_context *context, spk_h5_maker *maker, const char *path,
                                const char *attribute, const char *to);
