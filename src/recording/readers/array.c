/* Opening arrays, and turning their values into numbers of this machine. */
#include "recording/readers/array.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/reads.h"

enum { BLOCK_BYTES = 1 << 18 };

/* ---- streams --------------------------------------------------------------------------------- */

static spk_status fail_cut(spk_context *context, const spk_array *array, uint64_t n)
{
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: is cut off: it should have %" PRIu64 " bytes of data, and has %" PRIu64
                    "; fetch or save it again",
                    array->name, array->header.n_bytes, n);
}

/* Reads the header of a stream; *text gets all bytes so far, n of them. */
static spk_status load_header(spk_context *context, spk_array *array, spk_feed_fn *read, void *feed,
                              char **text, size_t *n)
{
    uint64_t capacity = 0;
    size_t needed = 10;
    spk_status status = SPK_OK;
    while (status == SPK_OK && needed > 0) {
        size_t got = 0, want = needed - *n;
        status = spk_grow(context, text, &capacity, needed, "the header of an array");
        if (status == SPK_OK)
            status = read(context, feed, *text + *n, want, &got);
        *n += got;
        if (status == SPK_OK)
            status = spk_npy_header_parse(context, array->name, *text, *n, &array->header, &needed);
        if (status == SPK_OK && needed > 0 && got < want)
            status =
                spk_fail(context, SPK_ERR_FORMAT,
                         "%s: is cut off within its header; fetch or save it again", array->name);
    }
    return status;
}

/* Memory grows with what is there, not with what the header says. */
static spk_status load_data(spk_context *context, spk_array *array, spk_feed_fn *read, void *feed)
{
    uint64_t n = 0, capacity = 0;
    const uint64_t all = array->header.n_bytes;
    spk_status status = spk_alloc(context, &array->memory, 0, "an array");
    while (status == SPK_OK && n < all) {
        size_t got = 0, want = all - n < BLOCK_BYTES ? (size_t)(all - n) : BLOCK_BYTES;
        status = spk_grow(context, &array->memory, &capacity, n + want, "an array");
        if (status == SPK_OK)
            status = read(context, feed, (char *)array->memory + n, want, &got);
        n += got;
        if (status == SPK_OK && got < want)
            return fail_cut(context, array, n);
    }
    return status;
}

spk_status spk_array_load(spk_context *context, const char *name, spk_feed_fn *read, void *feed,
                          spk_array *out)
{
    char *text = NULL;
    size_t n = 0;
    *out = (spk_array){.descriptor = -1};
    spk_status status = spk_strdup(context, &out->name, name);
    if (status == SPK_OK)
        status = load_header(context, out, read, feed, &text, &n);
    assert(status != SPK_OK || n == out->header.data_at);
    if (status == SPK_OK)
        status = load_data(context, out, read, feed);
    free(text);
    if (status != SPK_OK)
        spk_array_close(out);
    return status;
}

static spk_status feed_input(spk_context *context, void *feed, char *buffer, size_t size,
                             size_t *n_read)
{
    return spk_input_read(context, feed, buffer, size, n_read);
}

spk_status spk_array_load_input(spk_context *context, spk_input *input, spk_array *out)
{
    return spk_array_load(context, spk_input_name(input), feed_input, input, out);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Bytes of a file from `at` on; fewer at its end only. */
static spk_status read_at(spk_context *context, const spk_array *array, uint64_t at, void *out,
                          size_t size, size_t *n)
{
    *n = 0;
    while (*n < size) {
        ssize_t got =
            pread(array->descriptor, (char *)out + *n, size - *n, (off_t)(at + (uint64_t)*n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return spk_fail(context, SPK_ERR_IO, "%s: reading failed: %s", array->name,
                            strerror(errno));
        if (got == 0)
            break;
        *n += (size_t)got;
    }
    return SPK_OK;
}

typedef struct file_feed {
    const spk_array *array;
    uint64_t at;
} file_feed;

static spk_status feed_file(spk_context *context, void *user, char *buffer, size_t size,
                            size_t *n_read)
{
    file_feed *feed = user;
    spk_status status = read_at(context, feed->array, feed->at, buffer, size, n_read);
    feed->at += *n_read;
    return status;
}

/* Opens the descriptor of a plain .npy file; it stays -1 for anything else. */
static spk_status open_plain(spk_context *context, const char *path, spk_array *array,
                             uint64_t *size)
{
    struct stat info;
    char head[6];
    size_t n = 0;
    array->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (array->descriptor < 0)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot open: %s; check the name", path,
                        strerror(errno));
    bool regular = fstat(array->descriptor, &info) == 0 && S_ISREG(info.st_mode);
    spk_status status = regular ? read_at(context, array, 0, head, sizeof head, &n) : SPK_OK;
    if (status == SPK_OK)
        status = spk_reads_add(context, array->descriptor);
    if (status == SPK_OK && spk_npy_is(head, n)) {
        *size = (uint64_t)info.st_size;
        return SPK_OK;
    }
    close(array->descriptor);
    array->descriptor = -1;
    return status;
}

static spk_status open_other(spk_context *context, const char *path, spk_array *out)
{
    spk_input *input = NULL;
    spk_array_close(out);
    spk_status status = spk_input_open(context, path, &input);
    if (status == SPK_OK)
        status = spk_array_load_input(context, input, out);
    spk_input_close(input);
    return status;
}

spk_status spk_array_open(spk_context *context, const char *path, spk_array *out)
{
    char *text = NULL;
    size_t n = 0;
    uint64_t size = 0;
    *out = (spk_array){.descriptor = -1};
    spk_status status = spk_strdup(context, &out->name, path);
    if (status == SPK_OK)
        status = open_plain(context, path, out, &size);
    if (status == SPK_OK && out->descriptor < 0)
        return open_other(context, path, out);
    file_feed feed = {.array = out};
    if (status == SPK_OK)
        status = load_header(context, out, feed_file, &feed, &text, &n);
    if (status == SPK_OK && size - out->header.data_at < out->header.n_bytes)
        status = fail_cut(context, out, size - out->header.data_at);
    free(text);
    if (status != SPK_OK)
        spk_array_close(out);
    return status;
}

void spk_array_close(spk_array *array)
{
    if (array->name != NULL && array->descriptor >= 0)
        close(array->descriptor);
    free(array->name);
    free(array->memory);
    *array = (spk_array){.descriptor = -1};
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The shape as rows and columns, a list being one column; false for more dimensions. */
static bool as_table(const spk_array *array, uint64_t *rows, uint64_t *columns)
{
    const spk_npy_header *h = &array->header;
    *rows = h->n_dimensions > 0 ? h->shape[0] : 1;
    *columns = h->n_dimensions > 1 ? h->shape[1] : 1;
    return h->n_dimensions <= 2;
}

static bool is_list(const spk_array *array)
{
    uint64_t rows, columns;
    return as_table(array, &rows, &columns) && (rows == 1 || columns == 1);
}

bool spk_array_list(const spk_array *array, spk_values *out)
{
    const spk_npy_header *h = &array->header;
    *out = (spk_values){array, h->type, h->n_items, 0, h->item_size};
    return h->n_fields == 0 && is_list(array);
}

bool spk_array_column(const spk_array *array, uint64_t k, uint64_t n_columns, spk_values *out)
{
    const spk_npy_header *h = &array->header;
    uint64_t rows, columns;
    if (h->n_fields > 0 || !as_table(array, &rows, &columns) || columns != n_columns)
        return false;
    assert(k < columns);
    *out = (spk_values){array, h->type, rows, k * h->item_size, columns * h->item_size};
    if (h->fortran) {
        out->at = k * rows * h->item_size;
        out->stride = h->item_size;
    }
    return true;
}

bool spk_array_field(const spk_array *array, size_t k, spk_values *out)
{
    const spk_npy_header *h = &array->header;
    if (k >= h->n_fields || !is_list(array))
        return false;
    *out = (spk_values){array, h->field[k].type, h->n_items, h->field[k].at, h->item_size};
    return true;
}

/* ---- values as stored ------------------------------------------------------------------------ */

/* Bytes [at, at + size) of the data. */
static spk_status read_data(spk_context *context, const spk_array *array, uint64_t at, void *out,
                            size_t size)
{
    size_t n = 0;
    assert(at + size <= array->header.n_bytes);
    if (array->descriptor < 0) {
        memcpy(out, array->memory + at, size);
        return SPK_OK;
    }
    spk_status status = read_at(context, array, array->header.data_at + at, out, size, &n);
    return status == SPK_OK && n < size ? fail_cut(context, array, at + n) : status;
}

spk_status spk_values_raw(spk_context *context, const spk_values *values, uint64_t first,
                          uint64_t n, void *out)
{
    const size_t size = values->type.size;
    unsigned char *block = NULL, *to = out;
    spk_status status = SPK_OK;
    assert(first + n <= values->n);
    if (n == 0)
        return SPK_OK;
    if (values->stride == size)
        return read_data(context, values->array, values->at + first * size, out, (size_t)n * size);
    /* The last value of a block ends it: the rest of its row may lie behind the data. */
    uint64_t most = BLOCK_BYTES / values->stride > 0 ? BLOCK_BYTES / values->stride : 1;
    status = spk_alloc(context, &block, most * values->stride, "reading");
    while (status == SPK_OK && n > 0) {
        uint64_t rows = n < most ? n : most;
        status = read_data(context, values->array, values->at + first * values->stride, block,
                           (size_t)((rows - 1) * values->stride + size));
        for (uint64_t i = 0; i < rows && status == SPK_OK; i++, to += size)
            memcpy(to, block + i * values->stride, size);
        first += rows;
        n -= rows;
    }
    spk_free(context, block);
    return status;
}

/* ---- values as numbers ----------------------------------------------------------------------- */

static uint64_t load_bits(const unsigned char *at, const spk_npy_type *type)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (type->size) {
    case 1:
        return *at;
    case 2:
        memcpy(&two, at, sizeof two);
        return type->swap ? __builtin_bswap16(two) : two;
    case 4:
        memcpy(&four, at, sizeof four);
        return type->swap ? __builtin_bswap32(four) : four;
    default:
        memcpy(&eight, at, sizeof eight);
        return type->swap ? __builtin_bswap64(eight) : eight;
    }
}

static int64_t extend_sign(uint64_t bits, const spk_npy_type *type)
{
    unsigned shift = 64 - 8 * (unsigned)type->size;
    return type->kind == 'i' ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
}

static double half_value(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double mantissa = (double)(bits & 1023), value;
    if (exponent == 31)
        value = mantissa != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        value = mantissa * 0x1p-24;
    else
        value = ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 != 0 ? -value : value;
}

static double load_real(const unsigned char *at, const spk_npy_type *type)
{
    uint64_t bits = load_bits(at, type);
    double value;
    float single;
    uint32_t word = (uint32_t)bits;
    if (type->kind == 'i')
        return (double)extend_sign(bits, type);
    if (type->kind != 'f')
        return (double)bits;
    if (type->size == 2)
        return half_value(bits);
    if (type->size == 4) {
        memcpy(&single, &word, sizeof single);
        return single;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_native(const spk_npy_type *type)
{
    return type->size == 8 && !type->swap;
}

static spk_status fail_large(spk_context *context, const spk_values *values, uint64_t index)
{
    return spk_fail(context, SPK_ERR_RANGE,
                    "%s: value %" PRIu64 " (from 0) is larger than int64 holds; is this the right "
                    "array?",
                    values->array->name, index);
}

/* Values stored in `size` bytes are read into the end of the place for 8, and then spread. */
spk_status spk_values_whole(spk_context *context, const spk_values *values, uint64_t first,
                            uint64_t n, int64_t *out)
{
    const spk_npy_type *type = &values->type;
    const size_t size = type->size;
    assert(spk_values_are_whole(values));
    unsigned char *raw = (unsigned char *)out + n * (sizeof *out - size);
    spk_status status = spk_values_raw(context, values, first, n, raw);
    if (status != SPK_OK)
        return status;
    for (uint64_t i = 0; i < n && !(is_native(type) && type->kind == 'i'); i++) {
        uint64_t bits = load_bits(raw + i * size, type);
        if (type->kind == 'u' && bits > INT64_MAX)
            return fail_large(context, values, first + i);
        out[i] = extend_sign(bits, type);
    }
    return SPK_OK;
}

spk_status spk_values_real(spk_context *context, const spk_values *values, uint64_t first,
                           uint64_t n, double *out)
{
    const spk_npy_type *type = &values->type;
    const size_t size = type->size;
    assert(!spk_values_are_text(values));
    unsigned char *raw = (unsigned char *)out + n * (sizeof *out - size);
    spk_status status = spk_values_raw(context, values, first, n, raw);
    for (uint64_t i = 0; i < n && status == SPK_OK && !(is_native(type) && type->kind == 'f'); i++)
        out[i] = load_real(raw + i * size, type);
    return status;
}
