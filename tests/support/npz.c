#include "support/npz.h"

#include "support/npy.h"
#include "support/test.h"

enum { MOST_BYTES = 1 << 20 };

static uint32_t checksum(const char *bytes, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t k = 0; k < n; k++) {
        crc ^= (unsigned char)bytes[k];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void put(char **at, uint32_t value, int bytes)
{
    for (int k = 0; k < bytes; k++)
        *(*at)++ = (char)(value >> (8 * k));
}

/* What the local header and the entry of the list share. */
static void put_facts(char **at, uint32_t crc, size_t size, size_t n_name)
{
    put(at, 20, 2); /* version */
    put(at, 0, 2);  /* flags */
    put(at, 0, 2);  /* stored */
    put(at, 0, 4);  /* time */
    put(at, crc, 4);
    put(at, (uint32_t)size, 4);
    put(at, (uint32_t)size, 4);
    put(at, (uint32_t)n_name, 2);
    put(at, 0, 2);
}

const char *test_npz_file(const char *name, size_t n, const test_npz_array *arrays)
{
    char *bytes = malloc(MOST_BYTES), *list = malloc(MOST_BYTES), *array = malloc(MOST_BYTES);
    assert_true(bytes != NULL && list != NULL && array != NULL);
    char *at = bytes, *entry = list;
    for (size_t k = 0; k < n; k++) {
        char header[300], file[100];
        const char *quote = arrays[k].type[0] == '[' ? "" : "'";
        snprintf(header, sizeof header,
                 "{'descr': %s%s%s, 'fortran_order': False, 'shape': %s, }\n", quote,
                 arrays[k].type, quote, arrays[k].shape);
        snprintf(file, sizeof file, "%s.npy", arrays[k].name);
        size_t size = test_npy_make(1, header, arrays[k].data, arrays[k].n, array, MOST_BYTES / 2);
        uint32_t crc = checksum(array, size), offset = (uint32_t)(at - bytes);
        put(&at, 0x04034b50, 4);
        put_facts(&at, crc, size, strlen(file));
        memcpy(at, file, strlen(file));
        at += strlen(file);
        memcpy(at, array, size);
        at += size;
        put(&entry, 0x02014b50, 4);
        put(&entry, 20, 2);
        put_facts(&entry, crc, size, strlen(file));
        put(&entry, 0, 4);
        put(&entry, 0, 2);
        put(&entry, 0, 4);
        put(&entry, offset, 4);
        memcpy(entry, file, strlen(file));
        entry += strlen(file);
        assert_true(at - bytes < MOST_BYTES / 2);
    }
    uint32_t offset = (uint32_t)(at - bytes), size = (uint32_t)(entry - list);
    memcpy(at, list, size);
    at += size;
    put(&at, 0x06054b50, 4);
    put(&at, 0, 4);
    put(&at, (uint32_t)n, 2);
    put(&at, (uint32_t)n, 2);
    put(&at, size, 4);
    put(&at, offset, 4);
    put(&at, 0, 2);
    const char *path = test_path(name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, (size_t)(at - bytes), stream), at - bytes);
    assert_int_equal(fclose(stream), 0);
    free(bytes);
    free(list);
    free(array);
    return path;
}
