/* The parts of a recording that the ranks have read, joined. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "distribute/ranks.h"
#include "recording/describe.h"
#include "significance/maxima/digest.h"

/* What all parts have alike: the bytes of the file and its columns, where they were digested, the
 * extent, the units. */
static void digest_whole(const spk_recording *recording, char hex[SPK_SHA256_HEX])
{
    spk_events events = spk_recording_events(recording);
    spk_rate rate = spk_recording_rate(recording);
    const char *file = recording->facts.sha256;
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add(&digest, file, strlen(file) + 1);
    spk_sha256_add(&digest, recording->part.columns, sizeof recording->part.columns);
    spk_sha256_add_u64(&digest, rate.numerator);
    spk_sha256_add_u64(&digest, rate.denominator);
    spk_sha256_add_u64(&digest, (uint64_t)spk_recording_start(recording));
    spk_sha256_add_u64(&digest, (uint64_t)spk_recording_stop(recording));
    spk_sha256_add_u64(&digest, events.n_units);
    for (uint32_t u = 0; u < events.n_units; u++) {
        const char *label = spk_recording_label(recording, u);
        spk_sha256_add(&digest, label, strlen(label) + 1);
    }
    spk_sha256_end(&digest, hex);
}

/* Events of the stretch of its own: of each unit, and then of all; and whether times are rounded.
 */
static spk_status count_own(spk_context *context, const spk_recording *recording, uint64_t **out)
{
    spk_events events = spk_recording_events(recording);
    uint64_t margin = recording->part.margin;
    spk_status status =
        spk_alloc_zero(context, out, (uint64_t)events.n_units + 2, "counts of units");
    for (uint64_t e = margin; e < events.n_events && status == SPK_OK; e++)
        (*out)[events.unit[e]]++;
    if (status == SPK_OK)
        (*out)[events.n_units] = events.n_events - margin;
    if (status == SPK_OK)
        (*out)[events.n_units + 1] = recording->part.rounded;
    return status;
}

/* Adds what rank k has to what this one knows of the whole. */
static spk_status add_rank(spk_context *context, const spk_exchanged *all, int k, int own,
                           uint32_t n_units, spk_part *part)
{
    spk_blob_reader bytes = spk_exchanged_of(all, k);
    uint64_t n = 0;
    for (uint32_t u = 0; u < n_units; u++) {
        if (!spk_blob_take(&bytes, &n, sizeof n))
            return spk_ranks_fail(context, k);
        part->unit_count[u] += n;
    }
    uint64_t rounded = 0;
    if (!spk_blob_take(&bytes, &n, sizeof n) || !spk_blob_take(&bytes, &rounded, sizeof rounded) ||
        bytes.at != bytes.end)
        return spk_ranks_fail(context, k);
    part->n_events += n;
    part->before += k < own ? n : 0;
    if (rounded != 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the times are rounded multiples of a step, which needs all of them to be "
                        "taken away; do so once (spikemine convert FILE EXACT.txt), or let each "
                        "rank read the whole file");
    return SPK_OK;
}

static spk_status join(spk_context *context, const spk_ranks *ranks, spk_recording *recording)
{
    uint64_t *own = NULL;
    spk_blob mine = {.bytes = NULL};
    spk_exchanged all = {.bytes = NULL};
    spk_part part = recording->part;
    uint32_t n_units = spk_recording_events(recording).n_units;
    spk_status status = count_own(context, recording, &own);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &part.unit_count, n_units, "counts of units");
    if (status == SPK_OK)
        status = spk_blob_add(context, &mine, own, ((uint64_t)n_units + 2) * sizeof *own);
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, ranks, &mine, &all);
    for (int k = 0; k < ranks->n_ranks && status == SPK_OK; k++)
        status = add_rank(context, &all, k, ranks->rank, n_units, &part);
    spk_exchanged_free(&all);
    spk_blob_free(&mine);
    free(own);
    if (status != SPK_OK) {
        free(part.unit_count);
        return status;
    }
    part.before -= part.margin;
    part.joined = true;
    recording->part = part;
    return SPK_OK;
}

spk_status spk_ranks_join_parts(spk_context *context, spk_recording *recording)
{
    char hex[SPK_SHA256_HEX];
    const spk_ranks *ranks = spk_context_ranks(context);
    const char *how = recording->part.divided ? "in parts" : "as a whole";
    if (ranks == NULL && !recording->part.divided)
        return SPK_OK;
    if (ranks == NULL || recording->part.joined)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "parts of a recording are joined by ranks, once; read the whole");
    spk_status status = spk_ranks_compare(context, "way to read the recording", how);
    if (status == SPK_OK && !recording->part.divided)
        return spk_ranks_compare_recording(context, recording);
    digest_whole(recording, hex);
    if (status == SPK_OK)
        status = spk_ranks_compare(context, "recording", hex);
    if (status == SPK_OK)
        status = join(context, ranks, recording);
    return status == SPK_OK ? spk_recording_tell_rates(context, recording, "the recording")
                            : status;
}
