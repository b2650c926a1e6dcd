/*
 * HDF5 files that may be damaged or hostile: what is read of them is checked first. A file is open
 * read-only, and until it is closed no other thread can use HDF5, so it is closed soon, by the
 * thread that opened it.
 *
 * Nothing outside of the file is read: links into other files, data in other files and virtual
 * datasets are refused. Errors name file, object, cause and remedy: SPK_ERR_IO, SPK_ERR_FORMAT
 * (damaged, or not as expected), SPK_ERR_RANGE (too large), SPK_ERR_UNAVAILABLE (no HDF5, or a
 * filter that is not here), SPK_ERR_MEMORY.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

typedef struct spk_h5_file spk_h5_file;

/* Opens the file `path`; compressed files and pipes are refused. */
spk_status spk_h5_open(spk_context *context, const char *path, spk_h5_file **out);

/* Closes it with all that is open in it; NULL is accepted. */
void spk_h5_close(spk_h5_file *file);

/* The path, for messages, and the file's size in bytes. */
const char *spk_h5_name(const spk_h5_file *file);
uint64_t spk_h5_size(const spk_h5_file *file);

/* ---- objects --------------------------------------------------------------------------------- */

typedef enum spk_h5_kind {
    SPK_H5_NOTHING, /* no object of this path */
    SPK_H5_GROUP,
    SPK_H5_DATA,
    SPK_H5_OTHER
} spk_h5_kind;

/* What `path` ("/units/id") is. */
spk_status spk_h5_find(spk_context *context, spk_h5_file *file, const char *path,
                       spk_h5_kind *kind);

/* The same for what need not be there: a link out of the file, or to nothing, is SPK_H5_OTHER and
 * no error. */
spk_h5_kind spk_h5_find_within(spk_h5_file *file, const char *path);

/* The names in a group, in order; none where it is no group. spk_h5_names_free frees them. At most
 * SPK_H5_MAX_NAMES: more are an error. */
enum { SPK_H5_MAX_NAMES = 100000 };
typedef struct spk_h5_names {
    char **name;
    size_t n;
} spk_h5_names;
spk_status spk_h5_list(spk_context *context, spk_h5_file *file, const char *path,
                       spk_h5_names *out);
void spk_h5_names_free(spk_h5_names *names);

/* An attribute of the object at `path`, which must be there: one number, or one text, cut to
 * `size`. *found is false where there is no such attribute, or it is of another kind. */
spk_status spk_h5_number_of(spk_context *context, spk_h5_file *file, const char *path,
                            const char *name, double *out, bool *found);
spk_status spk_h5_text_of(spk_context *context, spk_h5_file *file, const char *path,
                          const char *name, char *out, size_t size, bool *found);

/* The same of an open dataset. */
struct spk_h5_data;
spk_status spk_h5_number_in(spk_context *context, const struct spk_h5_data *data, const char *name,
                            double *out, bool *found);
spk_status spk_h5_text_in(spk_context *context, const struct spk_h5_data *data, const char *name,
                          char *out, size_t size, bool *found);

/* ---- data ------------------------------------------------------------------------------------ */

typedef enum spk_h5_type {
    SPK_H5_FLOAT,
    SPK_H5_INTEGER, /* also those of bool and other lists of names */
    SPK_H5_TEXT,
    SPK_H5_REFERENCE, /* to an object of the file */
    SPK_H5_OTHER_TYPE
} spk_h5_type;

/* An open dataset. */
typedef struct spk_h5_data {
    spk_h5_file *file;
    char *path;
    int64_t id; /* -1: not open */
    int64_t type_id;
    spk_h5_type type;
    const char *type_name; /* for messages: "text", "compound" */
    bool is_signed;
    bool is_variable; /* text of any length */
    size_t item_bytes;
    int rank;         /* 0 (one value), 1 or 2 */
    uint64_t rows;    /* the first dimension */
    uint64_t columns; /* the second; 1 where there is none */
} spk_h5_data;

/* Opens a dataset and checks that what it promises can be in the file and can be read. After a
 * failure as after success: spk_h5_data_close. Errors also: SPK_ERR_FORMAT (no dataset there). */
spk_status spk_h5_data_open(spk_context *context, spk_h5_file *file, const char *path,
                            spk_h5_data *out);

/* The same for one that a reference leads to; `path` names it in messages. *is_data is false,
 * without an error, where it leads to something else. */
spk_status spk_h5_data_open_reference(spk_context *context, spk_h5_file *file, uint64_t reference,
                                      const char *path, spk_h5_data *out, bool *is_data);
void spk_h5_data_close(spk_h5_data *data);

/* Reads the rectangle of n_rows x n_columns from (row, column) on, row by row. Numbers of any type
 * as double; integers as int64, where larger ones are SPK_ERR_RANGE; references as the file has
 * them. The type must fit and the rectangle lie within. */
typedef struct spk_h5_part {
    uint64_t row;
    uint64_t column;
    uint64_t n_rows;
    uint64_t n_columns;
} spk_h5_part;
spk_status spk_h5_read_doubles(spk_context *context, const spk_h5_data *data, spk_h5_part part,
                               double *out);
spk_status spk_h5_read_integers(spk_context *context, const spk_h5_data *data, spk_h5_part part,
                                int64_t *out);
spk_status spk_h5_read_references(spk_context *context, const spk_h5_data *data, spk_h5_part part,
                                  uint64_t *out);

/* All texts of a dataset of rank 0 or 1; spk_h5_names_free frees them. */
spk_status spk_h5_read_texts(spk_context *context, const spk_h5_data *data, spk_h5_names *out);
