#include "support/npy.h"

#include "support/test.h"

size_t test_npy_make(int version, const char *header, const void *data, size_t n, char *out,
                     size_t size)
{
    size_t length = strlen(header), n_length = version == 1 ? 2 : 4, at = 8 + n_length;
    assert_true(at + length + n <= size);
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)version;
    out[7] = 0;
    for (size_t k = 0; k < n_length; k++)
        out[8 + k] = (char)(length >> (8 * k));
    memcpy(out + at, header, length);
    if (n > 0)
        memcpy(out + at + length, data, n);
    return at + length + n;
}

const char *test_npy_file(const char *name, const char *type, const char *shape, const void *data,
                          size_t n)
{
    const char *path = test_path(name);
    char header[300];
    const char *quote = type[0] == '[' ? "" : "'";
    snprintf(header, sizeof header,
             "{'descr': %s%s%s, 'fortran_order': False, 'shape': %s, }          \n", quote, type,
             quote, shape);
    char *bytes = malloc(n + 400);
    assert_non_null(bytes);
    size_t size = test_npy_make(1, header, data, n, bytes, n + 400);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
    free(bytes);
    return path;
}
