/*
 * The header of a NumPy array file (.npy, versions 1 to 3): a magic, the length of a text, and the
 * text, a Python dictionary of type, order and shape. Only literals are read, nothing is evaluated.
 */
#ifndef SPK_RECORDING_READERS_NPY_HEADER_H
#define SPK_RECORDING_READERS_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

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

#endif
