/* Bytes between ranks. */
#include "distribute/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

spk_status spk_blob_add(spk_context *context, spk_blob *blob, const void *bytes, uint64_t n)
{
    spk_status status =
        spk_grow(context, &blob->bytes, &blob->capacity, blob->n + n, "bytes for other ranks");
    if (status == SPK_OK && n > 0)
        memcpy(blob->bytes + blob->n, bytes, n);
    if (status == SPK_OK)
        blob->n += n;
    return status;
}

spk_status spk_blob_add_u64(spk_context *context, spk_blob *blob, uint64_t number)
{
    return spk_blob_add(context, blob, &number, sizeof number);
}

void spk_blob_free(spk_blob *blob)
{
    free(blob->bytes);
    *blob = (spk_blob){.bytes = NULL};
}

bool spk_blob_take(spk_blob_reader *reader, void *out, uint64_t n)
{
    if ((uint64_t)(reader->end - reader->at) < n)
        return false;
    if (n > 0)
        memcpy(out, reader->at, n);
    reader->at += n;
    return true;
}

static spk_status exchange_sizes(spk_context *context, const spk_ranks *ranks, uint64_t mine,
                                 uint64_t *bytes, uint64_t *first)
{
    spk_status status = ranks->sizes(ranks->user, mine, bytes);
    if (status != SPK_OK)
        return spk_fail(context, status, "the ranks cannot reach each other");
    first[0] = 0;
    for (int k = 0; k < ranks->n_ranks; k++)
        first[k + 1] = first[k] + bytes[k];
    return SPK_OK;
}

spk_status spk_ranks_exchange(spk_context *context, const spk_ranks *ranks, const spk_blob *mine,
                              spk_exchanged *out)
{
    uint64_t n_ranks = (uint64_t)ranks->n_ranks;
    uint64_t *bytes = NULL;
    *out = (spk_exchanged){.bytes = NULL};
    spk_status status = spk_alloc_columns(context, "ranks", SPK_COLUMN(&bytes, n_ranks),
                                          SPK_COLUMN(&out->first, n_ranks + 1));
    if (status == SPK_OK)
        status = exchange_sizes(context, ranks, mine->n, bytes, out->first);
    if (status == SPK_OK)
        status = spk_alloc(context, &out->bytes, out->first[n_ranks], "bytes of other ranks");
    if (status == SPK_OK) {
        status = ranks->gather(ranks->user, mine->bytes, bytes, out->bytes);
        if (status != SPK_OK)
            spk_fail(context, status, "the ranks cannot reach each other");
    }
    free(bytes);
    if (status != SPK_OK)
        spk_exchanged_free(out);
    return status;
}

void spk_exchanged_free(spk_exchanged *all)
{
    free(all->bytes);
    free(all->first);
    *all = (spk_exchanged){.bytes = NULL};
}

spk_status spk_ranks_fail(spk_context *context, int rank)
{
    return spk_fail(context, SPK_ERR_INTERNAL,
                    "what rank %d sent makes no sense here; all ranks must be the same program on "
                    "machines with the same order of bytes",
                    rank);
}

/* ---- the same everywhere --------------------------------------------------------------------- */

spk_status spk_ranks_compare(spk_context *context, const char *what, const char *text)
{
    const spk_ranks *ranks = spk_context_ranks(context);
    if (ranks == NULL)
        return SPK_OK;
    spk_blob mine = {.bytes = NULL};
    spk_exchanged all;
    spk_status status = spk_blob_add(context, &mine, text, strlen(text));
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, ranks, &mine, &all);
    spk_blob_free(&mine);
    if (status != SPK_OK)
        return status;
    uint64_t n = all.first[1];
    for (int k = 1; k < ranks->n_ranks && status == SPK_OK; k++)
        if (all.first[k + 1] - all.first[k] != n ||
            memcmp(all.bytes + all.first[k], all.bytes, n) != 0)
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "rank %d has another %s than rank 0; start all ranks with the same "
                              "program, options and files",
                              k, what);
    spk_exchanged_free(&all);
    return status;
}
