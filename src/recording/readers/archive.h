/* The arrays of an .npz file, which is a zip archive of .npy files. */
#pragma once

#include "recording/readers/array.h"
#include "recording/readers/reader.h"

/* An array of the archive, known by its header. */
typedef struct spk_member {
    char *name; /* without ".npy" */
    spk_npy_header header;
    bool
        readable; /* false: objects, or another type that is not read; it may be of no use anyway */
} spk_member;

/* Starts zeroed. */
typedef struct spk_archive {
    const char *name; /* for messages */
    const char *path; /* NULL: in memory */
    char *bytes;      /* of a stream */
    size_t n_bytes;
    uint64_t stored; /* bytes of the file */
    size_t n_members;
    spk_member *member;
    uint64_t capacity;
} spk_archive;

/* Why this build cannot read archives; NULL when it can. */
const char *spk_archive_missing(void);

/* Lists the arrays. `input` is read only where the probe is a stream. Errors: SPK_ERR_IO,
 * SPK_ERR_FORMAT (damaged), SPK_ERR_MEMORY, SPK_ERR_UNAVAILABLE. */
spk_status spk_archive_open(spk_context *context, const spk_probe *probe, spk_input *input,
                            spk_archive *out);

/* Number of the member; SIZE_MAX where there is none. */
size_t spk_archive_find(const spk_archive *archive, const char *name);

/* Loads `n` members in one pass, each into its array. Errors: also SPK_ERR_RANGE (they grow beyond
 * all measure), SPK_ERR_FORMAT (of a type that is not read, cut off). */
spk_status spk_archive_load(spk_context *context, const spk_archive *archive, size_t n,
                            const size_t *member, spk_array *arrays);

/* Gets array k of those that are wanted; it is closed afterwards. */
typedef spk_status spk_member_fn(void *user, size_t k, spk_array *array);

/* The same, one array in memory at a time, in the order of the archive. `member` NULL: all n. */
spk_status spk_archive_each(spk_context *context, const spk_archive *archive, size_t n,
                            const size_t *member, spk_member_fn *take, void *user);

void spk_archive_close(spk_archive *archive);
