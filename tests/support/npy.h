/* NumPy files made by hand, without NumPy. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* An .npy file with this header text (a Python dictionary) and n bytes of data; returns its length.
 * Versions 1 to 3. */
size_t test_npy_make(int version, const char *header, const void *data, size_t n, char *out,
                     size_t size);

/* The same as a file of the test's folder; returns its path (test_path). `header` and the rest are
 * "<f8" and a shape: '(3,)'. */
const char *test_npy_file(const char *name, const char *type, const char *shape, const void *data,
                          size_t n);
