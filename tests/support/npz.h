/* Zip archives of arrays made by hand, without compression. */
#pragma once

#include <stddef.h>

/* An array of an archive: type and shape as in test_npy_file. */
typedef struct test_npz_array {
    const char *name;
    const char *type;
    const char *shape;
    const void *data;
    size_t n;
} test_npz_array;

/* A file of the test's folder with these arrays; returns its path (test_path). */
const char *test_npz_file(const char *name, size_t n, const test_npz_array *arrays);
