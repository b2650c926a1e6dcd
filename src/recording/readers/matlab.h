/*
 * Variables of a MATLAB 7.3 file, which is HDF5, shared by the files that make up its reader. A
 * numeric array is a dataset with its dimensions in reverse, a cell array one of references, a
 * struct a group. Other HDF5 files that look like that are read, too.
 */
#pragma once

#include "hdf5/file.h"
#include "recording/labels.h"
#include "recording/recording.h"

enum {
    SPK_MATLAB_NAME = 256,
    SPK_MATLAB_VARIABLES = 1000,
    SPK_MATLAB_DIGEST_BYTES = 256 << 20 /* of larger files no digest is made */
};

typedef enum spk_matlab_kind {
    SPK_MATLAB_CELLS,  /* of numbers: the times of a unit in each */
    SPK_MATLAB_TEXTS,  /* cells of text */
    SPK_MATLAB_MATRIX, /* n x 2 numbers */
    SPK_MATLAB_VECTOR, /* numbers */
    SPK_MATLAB_OTHER
} spk_matlab_kind;

typedef struct spk_matlab_variable {
    char name[SPK_MATLAB_NAME]; /* "data.spikes" */
    char path[SPK_MATLAB_NAME]; /* "/data/spikes" */
    spk_matlab_kind kind;
    bool is_transposed; /* a matrix that has its two columns in the first dimension */
    uint64_t n;         /* cells, rows of a matrix, numbers of a vector */
} spk_matlab_variable;

/* All variables of the file, in order of their names; free() them. */
spk_status spk_matlab_list(spk_context *context, spk_h5_file *file, spk_matlab_variable **out,
                           size_t *n);

/* Which variables hold the events: `time` alone (cells or a matrix), or `time` and `unit`
 * (vectors). */
typedef struct spk_matlab_choice {
    const spk_matlab_variable *time;
    const spk_matlab_variable *unit; /* NULL: none */
} spk_matlab_choice;
spk_status spk_matlab_choose(spk_context *context, const char *name,
                             const spk_read_options *options, const spk_matlab_variable *variable,
                             size_t n, spk_matlab_choice *out);

/* The variable of this name ("data.spikes", "data/spikes"); NULL where there is none. */
const spk_matlab_variable *spk_matlab_find(const spk_matlab_variable *variable, size_t n,
                                           const char *name);

/* Events as they were read, with numbers as the file has them. */
typedef struct spk_matlab_events {
    double *time; /* n; to be freed, as is unit */
    uint32_t *unit;
    uint64_t n;
    uint64_t capacity;
    uint64_t n_unread; /* of units that are not wanted */
    spk_labels labels; /* spk_labels_clear */
    bool is_single;    /* times were stored in 32 bit */
} spk_matlab_events;

/* Reads the events. `labels` names the units of cells; NULL: they are 1, 2, ... */
spk_status spk_matlab_read(spk_context *context, spk_h5_file *file, const spk_read_options *options,
                           spk_matlab_choice choice, const spk_h5_names *labels,
                           spk_matlab_events *out);

/* The labels that a variable of texts or of numbers holds; spk_h5_names_free. */
spk_status spk_matlab_read_labels(spk_context *context, spk_h5_file *file,
                                  const spk_matlab_variable *variable, spk_h5_names *out);
