/*
 * Arrays of NumPy files and columns of them. A plain file is read where it is needed; what comes
 * compressed, through a pipe or out of an archive is held in memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "recording/input.h"
#include "recording/labels.h"

/* ---- the header of npy ----------------------------------------------------------------------- */

/*
 * The header of a NumPy array file (.npy, versions 1 to 3): a magic, the length of a text, and the
 * text, a Python dictionary of type, order and shape. Only literals are read, nothing is evaluated.
 */

enum { SPK_NPY_FIELDS = 16, SPK_NPY_DIMENSIONS = 4, SPK_NPY_NAME = 32 };

/* Longest header that is read. */
#define SPK_NPY_MAX_HEADER ((size_t)1 << 20)

/* The type of a value. */
typedef struct spk_npy_type {
    char kind;   /* 'i', 'u', 'f', 'b' numbers; 'S' bytes, 'U' UCS-4 text */
    bool swap;   /* its bytes stand in the other order */
    size_t size; /* bytes of a value */
} spk_npy_type;

/* A field of a record. */
typedef struct spk_npy_field {
    char name[SPK_NPY_NAME];
    spk_npy_type type;
    size_t at; /* bytes into the record */
} spk_npy_field;

typedef struct spk_npy_header {
    size_t data_at;    /* bytes before the data */
    spk_npy_type type; /* of an item, unless it is a record */
    size_t n_fields;   /* 0: no record */
    spk_npy_field field[SPK_NPY_FIELDS];
    size_t item_size;
    bool fortran;
    size_t n_dimensions;
    uint64_t shape[SPK_NPY_DIMENSIONS];
    uint64_t n_items;
    uint64_t n_bytes; /* of the data */
} spk_npy_header;

/* Whether the bytes begin as an .npy file does. */
bool spk_npy_is(const void *bytes, size_t n);

/* Parses the first n bytes of a file. *needed: 0, or how many bytes the header has where n are too
 * few; then nothing else is filled in. `name` stands before messages. Errors: SPK_ERR_FORMAT (no
 * such header, objects, types that are no numbers or texts, a size that overflows). */
spk_status spk_npy_header_parse(spk_context *context, const char *name, const void *bytes, size_t n,
                                spk_npy_header *out, size_t *needed);

/* The type in words for messages, "int64", "float32", "text of 8"; a buffer of 32 bytes. */
const char *spk_npy_type_name(const spk_npy_type *type, char buffer[32]);

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef struct spk_array {
    char *name; /* for messages */
    spk_npy_header header;
    int descriptor;        /* -1: in memory */
    unsigned char *memory; /* header.n_bytes of data */
} spk_array;

/* Values of one type, at equal distances in an array. */
typedef struct spk_values {
    const spk_array *array;
    spk_npy_type type;
    uint64_t n;
    uint64_t at;     /* bytes from the data's begin to the first value */
    uint64_t stride; /* bytes from one to the next */
} spk_values;

/* Opens an .npy file, plain or compressed. Errors: SPK_ERR_IO, SPK_ERR_FORMAT (also one that is cut
 * off), SPK_ERR_MEMORY. */
spk_status spk_array_open(spk_context *context, const char *path, spk_array *out);

/* Reads bytes from where they come: fewer than `size` at the end only. */
typedef spk_status spk_feed_fn(spk_context *context, void *feed, char *buffer, size_t size,
                               size_t *n_read);

/* An array in memory from a stream of bytes. */
spk_status spk_array_load(spk_context *context, const char *name, spk_feed_fn *read, void *feed,
                          spk_array *out);
spk_status spk_array_load_input(spk_context *context, spk_input *input, spk_array *out);

/* Frees it; a zeroed one is accepted. */
void spk_array_close(spk_array *array);

/* ---- columns --------------------------------------------------------------------------------- */

/* The values of an array that is a list: of shape n, (n, 1) or (1, n), and no record. False where
 * it is none. */
bool spk_array_list(const spk_array *array, spk_values *out);

/* Column k of n_columns in an array of shape (n, n_columns), which has no records. */
bool spk_array_column(const spk_array *array, uint64_t k, uint64_t n_columns, spk_values *out);

/* A field of records in an array that is a list of them. */
bool spk_array_field(const spk_array *array, size_t k, spk_values *out);

static inline bool spk_values_are_whole(const spk_values *values)
{
    return values->type.kind == 'i' || values->type.kind == 'u' || values->type.kind == 'b';
}

static inline bool spk_values_are_text(const spk_values *values)
{
    return values->type.kind == 'S' || values->type.kind == 'U';
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads n values from number `first` on, as they are stored, close together. Errors: SPK_ERR_IO,
 * SPK_ERR_FORMAT (the file has become shorter), SPK_ERR_MEMORY. */
spk_status spk_values_raw(spk_context *context, const spk_values *values, uint64_t first,
                          uint64_t n, void *out);

/* The same as whole numbers, of whole ones only. Errors: also SPK_ERR_RANGE (above INT64_MAX). */
spk_status spk_values_whole(spk_context *context, const spk_values *values, uint64_t first,
                            uint64_t n, int64_t *out);

/* The same as floating point, of whole numbers and floats. */
spk_status spk_values_real(spk_context *context, const spk_values *values, uint64_t first,
                           uint64_t n, double *out);

/* ---- texts: bytes or UCS-4, filled up with zeros; here UTF-8 --------------------------------- */

/* Writes one text of that type; `out` has room for its size. Returns the length; what is no
 * character becomes bytes that are no UTF-8. */
size_t spk_npy_text(const unsigned char *at, const spk_npy_type *type, char *out);

/* Text number `index`, terminated. Errors: SPK_ERR_FORMAT (no text, no UTF-8, too long). */
spk_status spk_values_text(spk_context *context, const spk_values *values, uint64_t index,
                           char *out, size_t size);

/* Adds all texts to the labels. Errors: SPK_ERR_FORMAT (no text, no UTF-8), SPK_ERR_RANGE (too
 * many). */
spk_status spk_values_intern(spk_context *context, const spk_values *values, spk_labels *labels);
