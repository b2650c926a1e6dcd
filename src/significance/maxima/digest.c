/* Digests of content: numbers as 8 bytes, the lowest first, each list behind its length. */
#include "significance/maxima/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "distribute/ranks.h"
#include "recording/grid.h"
#include "recording/recording.h"
#include "recording/segments.h"
#include "spikemine/ranks.h"

static void add_time(spk_sha256 *digest, spk_duration time)
{
    time = spk_duration_reduce(time);
    spk_sha256_add_u64(digest, (uint64_t)time.digits);
    spk_sha256_add_u64(digest, (uint64_t)(int64_t)time.exponent);
    spk_sha256_add_u64(digest, time.divisor);
}

static void add_range(spk_sha256 *digest, const spk_time_range *range)
{
    add_time(digest, range->start);
    add_time(digest, range->stop);
}

static void add_segment(spk_sha256 *digest, const spk_segment *segment)
{
    spk_sha256_add_u64(digest, (uint64_t)segment->start);
    spk_sha256_add_u64(digest, (uint64_t)segment->stop);
}

static void add_events(spk_sha256 *digest, const spk_events *events)
{
    enum { AT_ONCE = 512 };
    unsigned char bytes[AT_ONCE * 12];
    spk_sha256_add_u64(digest, events->n_events);
    for (uint64_t e = 0; e < events->n_events;) {
        size_t n = 0;
        for (; n < sizeof bytes && e < events->n_events; e++) {
            for (unsigned k = 0; k < 8; k++)
                bytes[n++] = (unsigned char)((uint64_t)events->time[e] >> 8 * k);
            for (unsigned k = 0; k < 4; k++)
                bytes[n++] = (unsigned char)(events->unit[e] >> 8 * k);
        }
        spk_sha256_add(digest, bytes, n);
    }
}

/* With the trials that they are parts of, where these are others than the segments. */
static void add_segments(spk_sha256 *digest, const spk_recording *recording)
{
    size_t n = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    spk_sha256_add_u64(digest, n);
    for (size_t k = 0; k < n; k++) {
        spk_time_range exact = {.start = {0}, .stop = {0}};
        bool known = spk_recording_segment_times(recording, k, &exact);
        add_segment(digest, &segments[k]);
        spk_sha256_add_u64(digest, known);
        if (known)
            add_range(digest, &exact);
    }
    if (spk_trials_are_segments(recording))
        return;
    spk_sha256_add_u64(digest, spk_recording_trials(recording));
    for (size_t k = 0; k < n; k++)
        spk_sha256_add_u64(digest, spk_recording_trial(recording, k));
}

void spk_recording_content(const spk_recording *recording, char hex[SPK_SHA256_HEX])
{
    spk_events events = spk_recording_events(recording);
    spk_rate rate = spk_recording_rate(recording);
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add_u64(&digest, rate.numerator);
    spk_sha256_add_u64(&digest, rate.denominator);
    spk_sha256_add_u64(&digest, (uint64_t)spk_recording_start(recording));
    spk_sha256_add_u64(&digest, (uint64_t)spk_recording_stop(recording));
    add_segments(&digest, recording);
    spk_sha256_add_u64(&digest, events.n_units);
    for (uint32_t u = 0; u < events.n_units; u++) {
        const char *label = spk_recording_label(recording, u);
        spk_sha256_add(&digest, label, strlen(label) + 1);
    }
    add_events(&digest, &events);
    spk_sha256_end(&digest, hex);
}

void spk_trials_content(const spk_window_options *windows, char hex[SPK_SHA256_HEX])
{
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add_u64(&digest, windows->n_trials);
    for (size_t k = 0; windows->trials != NULL && k < windows->n_trials; k++)
        add_segment(&digest, &windows->trials[k]);
    spk_sha256_add_u64(&digest, windows->n_trial_times);
    for (size_t k = 0; windows->trial_times != NULL && k < windows->n_trial_times; k++)
        add_range(&digest, &windows->trial_times[k]);
    spk_sha256_end(&digest, hex);
}

spk_status spk_ranks_compare_recording(spk_context *context, const spk_recording *recording)
{
    char hex[SPK_SHA256_HEX];
    if (spk_context_ranks(context) == NULL)
        return SPK_OK;
    spk_recording_content(recording, hex);
    return spk_ranks_compare(context, "recording", hex);
}

/* ---- parts that ranks have read -------------------------------------------------------------- */

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

/* What a rank tells of the stretch of its own: events of each unit, of all, its spk_part_grid, and
 * its times where they are too few to tell of a grid alone. */
static spk_status pack_own(spk_context *context, const spk_recording *recording, spk_blob *out)
{
    const spk_events events = spk_recording_events(recording);
    const uint64_t margin = recording->part.margin, n = events.n_events - margin;
    const uint64_t n_counts = (uint64_t)events.n_units + 2;
    uint64_t *count = NULL;
    spk_status status = spk_alloc_zero(context, &count, n_counts, "counts of units");
    if (status != SPK_OK)
        return status;
    for (uint64_t e = margin; e < events.n_events; e++)
        count[events.unit[e]]++;
    count[events.n_units] = n;
    count[events.n_units + 1] = recording->part.grid;
    status = spk_blob_add(context, out, count, n_counts * sizeof *count);
    if (status == SPK_OK && recording->part.grid == SPK_PART_TOO_FEW && n > 0)
        status = spk_blob_add(context, out, events.time + margin, n * sizeof *events.time);
    free(count);
    return status;
}

/* What all ranks tell of the grid. */
typedef struct told {
    bool rounded;  /* by one of them */
    bool no_grid;  /* by one of them */
    uint64_t n;    /* times of those that had too few */
    int64_t *time; /* of all ranks, in order */
} told;

static bool take_grid(spk_blob_reader *bytes, uint64_t n, told *t)
{
    uint64_t grid = 0;
    if (!spk_blob_take(bytes, &grid, sizeof grid))
        return false;
    t->rounded |= grid == SPK_PART_ROUNDED;
    t->no_grid |= grid == SPK_PART_NO_GRID;
    if (grid != SPK_PART_TOO_FEW)
        return true;
    t->n += n;
    return spk_blob_take(bytes, t->time + t->n - n, n * sizeof *t->time);
}

/* Adds what rank k has to what this one knows of the whole. */
static spk_status add_rank(spk_context *context, const spk_exchanged *all, int k, int own,
                           uint32_t n_units, spk_part *part, told *t)
{
    spk_blob_reader bytes = spk_exchanged_of(all, k);
    uint64_t n = 0;
    for (uint32_t u = 0; u < n_units; u++) {
        if (!spk_blob_take(&bytes, &n, sizeof n))
            return spk_ranks_fail(context, k);
        part->unit_count[u] += n;
    }
    if (!spk_blob_take(&bytes, &n, sizeof n) || !take_grid(&bytes, n, t) || bytes.at != bytes.end)
        return spk_ranks_fail(context, k);
    part->n_events += n;
    part->before += k < own ? n : 0;
    return SPK_OK;
}

/* Adds what all ranks have; fails where times are rounded, which all of them together tell. */
static spk_status add_ranks(spk_context *context, const spk_ranks *ranks, const spk_exchanged *all,
                            const spk_recording *recording, spk_part *part)
{
    const spk_events events = spk_recording_events(recording);
    told t = {.rounded = false};
    spk_whole_grid whole = {.rounded = false};
    spk_status status = spk_alloc_zero(context, &t.time, all->first[ranks->n_ranks] / 8, "times");
    for (int k = 0; k < ranks->n_ranks && status == SPK_OK; k++)
        status = add_rank(context, all, k, ranks->rank, events.n_units, part, &t);
    if (status == SPK_OK && !t.no_grid && t.n == part->n_events)
        spk_times_fit_grid(t.time, t.n, spk_recording_rate(recording), &whole);
    spk_free(context, t.time);
    if (status == SPK_OK && (t.rounded || whole.rounded))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the times are rounded multiples of a step, which needs all of them to be "
                        "taken away; do so once (spikemine convert FILE EXACT.txt), or let each "
                        "rank read the whole file");
    return status;
}

static spk_status join(spk_context *context, const spk_ranks *ranks, spk_recording *recording)
{
    spk_blob mine = {.bytes = NULL};
    spk_exchanged all = {.bytes = NULL};
    spk_part part = recording->part;
    uint32_t n_units = spk_recording_events(recording).n_units;
    spk_status status = spk_alloc_zero(context, &part.unit_count, n_units, "counts of units");
    if (status == SPK_OK)
        status = pack_own(context, recording, &mine);
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, ranks, &mine, &all);
    if (status == SPK_OK)
        status = add_ranks(context, ranks, &all, recording, &part);
    spk_exchanged_free(&all);
    spk_blob_free(&mine);
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
