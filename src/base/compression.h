/* What compresses: the kind goes by the ending of a file's name, as readers know it by the first
 * bytes. Bytes become a member, which a reader takes for a whole file; members behind each other
 * are one file, too. The same bytes always give the same member. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

struct archive;

typedef struct spk_compression {
    const char *ending;
    size_t block_bytes;     /* what becomes a member: enough that more would save little */
    uint64_t encoder_bytes; /* what making one takes, about */
    int (*add_filter)(struct archive *archive); /* NULL without libarchive */
} spk_compression;

/* What "out.tsv.gz" asks for; gives NULL where the name asks for nothing. .gz, .bz2, .xz and .zst
 * do. Errors: SPK_ERR_UNAVAILABLE (built without libarchive, or that without this kind). */
spk_status spk_compression_find(spk_context *context, const char *path,
                                const spk_compression **out);

/* Bytes that grow; begins as {0}, and its owner frees `bytes`. */
typedef struct spk_member {
    char *bytes;
    size_t n;
    uint64_t capacity;
} spk_member;

/* Replaces what is in the member; from any thread. False: memory is out. */
bool spk_compress(const spk_compression *kind, const char *bytes, size_t n, spk_member *member);
