/*
 * Bytes between ranks (spikemine/ranks.h): what each rank has, for all of them.
 *
 *     spk_blob mine = {0};
 *     spk_blob_add(context, &mine, counts, n * sizeof *counts);
 *     status = spk_ranks_exchange(context, ranks, &mine, &all);
 *     ... all.bytes + all.first[k] .. all.first[k + 1]: what rank k gave
 */
#pragma once

#include "base/context.h"
#include "spikemine/ranks.h"

/* Bytes that grow at their end; begins as {0}. */
typedef struct spk_blob {
    unsigned char *bytes;
    uint64_t n;
    uint64_t capacity;
} spk_blob;

/* Errors: SPK_ERR_MEMORY. */
spk_status spk_blob_add(spk_context *context, spk_blob *blob, const void *bytes, uint64_t n);
spk_status spk_blob_add_u64(spk_context *context, spk_blob *blob, uint64_t number);
void spk_blob_free(spk_blob *blob);

/* What is read from one, from its beginning on; false where fewer bytes are left. */
typedef struct spk_blob_reader {
    const unsigned char *at;
    const unsigned char *end;
} spk_blob_reader;

bool spk_blob_take(spk_blob_reader *reader, void *out, uint64_t n);

/* All ranks' bytes. */
typedef struct spk_exchanged {
    unsigned char *bytes;
    uint64_t *first; /* n_ranks + 1 */
} spk_exchanged;

/* Collective. */
spk_status spk_ranks_exchange(spk_context *context, const spk_ranks *ranks, const spk_blob *mine,
                              spk_exchanged *out);
void spk_exchanged_free(spk_exchanged *all);

/* What rank k gave. */
static inline spk_blob_reader spk_exchanged_of(const spk_exchanged *all, int k)
{
    return (spk_blob_reader){all->bytes + all->first[k], all->bytes + all->first[k + 1]};
}

/* The message of a rank whose bytes make no sense. */
spk_status spk_ranks_fail(spk_context *context, int rank);
