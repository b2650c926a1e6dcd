/* NWB 2 as a format. */
#include "recording/readers/nwb.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hdf5/inside.h"
#include "hdf5/library.h"
#include "recording/readers/hdf5_match.h"
#include "recording/readers/reader.h"
#include "recording/readers/seconds.h"

/* A digest is made of files that are not much larger than the spikes in them: others hold raw
 * signals, and reading those would take far longer than reading the spikes. */
enum { DIGEST_BYTES = 64 << 20, DIGEST_TIMES = 4 };

static void nwb_free(spk_nwb *nwb)
{
    spk_h5_data_close(&nwb->times);
    spk_h5_names_free(&nwb->labels);
    free(nwb->first);
    free(nwb->keep);
    spk_h5_close(nwb->file);
}

static spk_status nwb_open(spk_context *context, const spk_probe *probe,
                           const spk_read_options *options, spk_nwb *nwb)
{
    *nwb = (spk_nwb){.context = context,
                     .options = options,
                     .name = probe->path,
                     .times = {.id = -1, .type_id = -1},
                     .scale = 1};
    return spk_h5_open(context, probe->path, &nwb->file);
}

/* Numbers the wanted rows, in place of the rows of the events. */
static spk_status number_units(spk_nwb *nwb, spk_nwb_events *events, const char ***labels,
                               uint32_t *n)
{
    uint32_t *number = NULL;
    spk_status status =
        spk_alloc_columns(nwb->context, "unit labels", SPK_COLUMN(&number, nwb->n_units),
                          SPK_COLUMN(labels, nwb->n_units));
    *n = 0;
    for (uint32_t u = 0; u < nwb->n_units && status == SPK_OK; u++) {
        number[u] = *n;
        if (nwb->keep[u])
            (*labels)[(*n)++] = nwb->labels.name[u];
    }
    for (uint64_t i = 0; i < events->n && status == SPK_OK; i++)
        events->row[i] = number[events->row[i]];
    free(number);
    return status;
}

static spk_status make_recording(spk_nwb *nwb, spk_nwb_events *events, const char *sha256,
                                 spk_recording **out)
{
    const char **labels = NULL;
    spk_time_range *segments = NULL;
    size_t n_segments = 0;
    spk_clock clock;
    spk_seconds seconds = {.name = nwb->name,
                           .options = nwb->options,
                           .has_ends = events->has_ends,
                           .first = events->first_s,
                           .last = events->last_s,
                           .n_unread = nwb->first[nwb->n_units] - events->n,
                           .in_order = events->in_order};
    spk_status status = number_units(nwb, events, &labels, &seconds.n_units);
    memcpy(seconds.sha256, sha256, sizeof seconds.sha256);
    seconds.labels = labels;
    seconds.time = events->seconds;
    seconds.unit = events->row;
    seconds.n = events->n;
    events->seconds = NULL;
    events->row = NULL;
    if (status == SPK_OK)
        status = spk_seconds_find_clock(nwb->context, &seconds, &nwb->hints, &clock);
    if (status == SPK_OK)
        status = spk_nwb_read_segments(nwb, clock.rate, &segments, &n_segments);
    if (status == SPK_OK)
        status = spk_seconds_finish(nwb->context, &seconds, &clock, segments, n_segments, out);
    spk_seconds_free(&seconds);
    free(segments);
    free(labels);
    return status;
}

static spk_status digest(spk_nwb *nwb, spk_input *input, uint64_t n_read, char sha256[65])
{
    const spk_read_options *o = nwb->options;
    bool whole = o->start == NULL && o->stop == NULL && o->units == NULL;
    uint64_t most = DIGEST_BYTES + DIGEST_TIMES * n_read * sizeof(double);
    sha256[0] = '\0';
    return whole && spk_h5_size(nwb->file) <= most ? spk_input_digest(nwb->context, input, sha256)
                                                   : SPK_OK;
}

/* All but the times: names, columns, which rows are wanted. */
static spk_status read_tables(spk_context *context, const spk_probe *probe,
                              const spk_read_options *options, spk_nwb *nwb)
{
    spk_status status = nwb_open(context, probe, options, nwb);
    if (status == SPK_OK)
        status = spk_nwb_open_table(nwb);
    if (status == SPK_OK)
        status = spk_nwb_find_rates(nwb);
    if (status == SPK_OK)
        status = spk_nwb_keep_units(nwb);
    return status;
}

typedef struct question {
    const spk_probe *probe;
    const spk_read_options *options;
} question;

static spk_status rehearse(spk_context *context, void *user)
{
    spk_nwb nwb;
    const question *asked = user;
    spk_status status = read_tables(context, asked->probe, asked->options, &nwb);
    nwb_free(&nwb);
    return status;
}

static spk_status read_nwb(spk_context *context, const spk_probe *probe, spk_input *input,
                           const spk_read_options *options, spk_recording **out)
{
    spk_nwb nwb = {.file = NULL, .times = {.id = -1, .type_id = -1}};
    spk_nwb_events events = {.n = 0};
    char sha256[65] = "";
    question asked = {probe, options};
    spk_status status =
        spk_h5_rehearse(context, probe->path, SPK_H5_REHEARSAL_SECONDS, rehearse, &asked);
    if (status == SPK_OK)
        status = read_tables(context, probe, options, &nwb);
    if (status == SPK_OK)
        status = spk_nwb_read_times(&nwb, &events);
    if (status == SPK_OK)
        status = digest(&nwb, input, events.n, sha256);
    if (status == SPK_OK)
        status = make_recording(&nwb, &events, sha256, out);
    free(events.seconds);
    free(events.row);
    nwb_free(&nwb);
    return status;
}

static spk_status read_intervals(spk_context *context, const spk_probe *probe, const char *table,
                                 spk_time_range **out, size_t *n)
{
    spk_nwb nwb;
    spk_read_options options;
    *out = NULL;
    *n = 0;
    spk_read_options_init(&options, sizeof options);
    spk_status status = nwb_open(context, probe, &options, &nwb);
    if (status == SPK_OK)
        status = spk_nwb_find_rates(&nwb);
    if (status == SPK_OK)
        status = spk_nwb_read_intervals(&nwb, table, out, n);
    nwb_free(&nwb);
    return status;
}

static spk_match recognise(const spk_probe *probe)
{
    return spk_is_hdf5(probe) && !spk_is_matlab_73(probe) ? SPK_MATCH_SURE : SPK_MATCH_NO;
}

const spk_reader spk_reader_nwb = {
    .name = "nwb",
    .summary = "NWB 2: the units table of an HDF5 file, with its observed intervals",
    .endings = ".nwb",
    .options = "time_column label_column select",
    .available = spk_h5_available,
    .recognise = recognise,
    .read = read_nwb,
    .intervals = read_intervals,
};
