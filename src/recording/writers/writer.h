/*
 * A writer: one format of files, as a table of functions. To add one, write its file with its
 * table, `const spk_writer spk_writer_NAME`, and add NAME to the list below; nothing else.
 */
#pragma once

#include <stdbool.h>

#include "base/context.h"
#include "spikemine/recording.h"

typedef struct spk_writer {
    const char *name;    /* the reader of the same format has the same */
    const char *endings; /* of names, separated by blanks: ".csv .tsv" */
    /* Whether this build can write it; *reason (static) says what to install. NULL: always. */
    bool (*available)(const char **reason);
    /* Writes a file that appears under its name only when complete (base/output.h). Errors: as
     * spk_recording_write. */
    spk_status (*write)(spk_context *context, const spk_recording *recording, const char *path);
} spk_writer;

/* The writer of this format; NULL where there is none. */
const spk_writer *spk_writer_find(const char *format);

/* The writer for a path and a format, which may be NULL, as spk_recording_write takes it. Errors:
 * SPK_ERR_ARGUMENT, SPK_ERR_UNAVAILABLE. */
spk_status spk_writer_choose(spk_context *context, const char *path, const char *format,
                             const spk_writer **out);

/* Whether the path, without the ending of a compression, has one of these endings, which blanks
 * separate. */
bool spk_path_has_ending(const char *path, const char *endings);

/* "text, npz", for messages. */
const char *spk_writer_names(void);

/* Every writer of the library: X(symbol) stands for spk_writer_SYMBOL. The first one writes files
 * whose names tell no format. */
#define SPK_WRITERS(X) X(text) X(npz) X(nwb)
