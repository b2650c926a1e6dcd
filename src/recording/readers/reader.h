/*
 * A reader: one format of files, as a table of functions. To add one, write its file with its
 * table, `const spk_reader spk_reader_NAME`, and add NAME to the list below. CONTRIBUTING.md says
 * what else belongs to it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"
#include "recording/input.h"
#include "spikemine/recording.h"

/* Whether an input may be of a format. */
typedef enum spk_match {
    SPK_MATCH_NO,
    SPK_MATCH_POSSIBLE, /* nothing speaks against it */
    SPK_MATCH_SURE      /* no other format looks like that */
} spk_match;

/* What is known of an input before it is read. */
typedef struct spk_probe {
    const char *path; /* "-": standard input */
    bool is_folder;
    bool is_stream;            /* standard input or a pipe: it is read once, through the input */
    const unsigned char *head; /* the first bytes, decompressed; none of a folder */
    size_t n_head;
} spk_probe;

/* Bytes of `head` unless the input is shorter. */
enum { SPK_PROBE_BYTES = 1 << 16 };

typedef struct spk_reader {
    const char *name;
    const char *summary; /* one line */
    const char *endings; /* ".csv .tsv"; "" for none */
    /* The members of spk_read_options that it heeds, of these: columns time_unit time_column
     * unit_column label_column select group unit_file. Names are separated by blanks; NULL: none.
     * The front refuses the others, so that nothing is ignored silently. Every reader heeds start,
     * stop, units and sort. */
    const char *options;
    /* Whether this build can read it; *reason (static) says what to install. NULL: always. */
    bool (*available)(const char **reason);
    spk_match (*recognise)(const spk_probe *probe);
    /* Reads. The options were checked. `input` hands out the decompressed bytes from the first one
     * on, and stays with the caller; it is NULL for a folder. Readers that need to jump open
     * probe->path themselves. Errors: as spk_recording_read. */
    spk_status (*read)(spk_context *context, const spk_probe *probe, spk_input *input,
                       const spk_read_options *options, spk_recording **out);
    /* Reads a table of intervals in the file, such as NWB's "trials", in order of the file;
     * *out is to be freed. NULL: the format has none. */
    spk_status (*intervals)(spk_context *context, const spk_probe *probe, const char *table,
                            spk_time_range **out, size_t *n);
} spk_reader;

/* Every reader of the library, in the order in which they are asked whether they know an input:
 * X(symbol) stands for spk_reader_SYMBOL. */
#define SPK_READERS(X)                                                                             \
    X(npy)                                                                                         \
    X(npz) X(phy) X(alf) X(nwb) X(matlab) X(matlab5) X(text) X(table) X(lines) X(transactions)

/* Refuses what a reader would take for its own: workbooks, which are zip archives as npz is. */
spk_status spk_foreign_refuse_early(spk_context *context, const spk_probe *probe);

/* Refuses an input that no reader recognised, when it is of another program's format or a folder;
 * SPK_OK where it may be text. `endings`: of all files that are read, separated by blanks. Errors:
 * SPK_ERR_FORMAT, SPK_ERR_IO (a folder). */
spk_status spk_foreign_refuse(spk_context *context, const spk_probe *probe, const char *endings);
