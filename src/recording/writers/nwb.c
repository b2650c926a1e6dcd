/*
 * Writes NWB 2 files with a units table (https://nwb-schema.readthedocs.io).
 *
 * HDF5 writes at many places of a file, so it gets a file of its own. Its bytes then go to the
 * output like those of every other format: it appears only when complete, may be compressed, and
 * may be a pipe.
 *
 * What NWB asks for and a recording does not know (the start of the session) is filled in, and said
 * to be unknown. The same recording gives the same bytes.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/place.h"
#include "base/random.h"
#include "base/utf8.h"
#include "hdf5/library.h"
#include "hdf5/make.h"
#include "recording/clock.h"
#include "recording/segments.h"
#include "recording/writers/writer.h"

enum { BLOCK = 1 << 15, COPY_BYTES = 1 << 20 };

#define NWB_VERSION "2.7.0"
#define NO_DATE     "1970-01-01T00:00:00+00:00"

/* The writing of one file. */
typedef struct nwb_writing {
    spk_context *context;
    const spk_recording *recording;
    spk_events events;
    spk_rate rate;
    const char *path;
    spk_h5_maker *maker;
    uint64_t seed; /* of the identifiers: it depends on the content */
    uint64_t n_objects;
    bool ids_only; /* all labels are whole numbers, and the ids say them */
    const spk_segment *segment;
    size_t n_segments; /* 0: nobody said when the recording was observed */
} nwb_writing;

/* ---- what is written ------------------------------------------------------------------------- */

/* FNV-1a over the columns, for identifiers. */
static uint64_t digest(const spk_recording *recording)
{
    spk_events e = spk_recording_events(recording);
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = 0; i < e.n_events; i++)
        hash = (hash ^ (uint64_t)e.time[i] ^ (uint64_t)e.unit[i] << 40) * 1099511628211u;
    return hash ^ e.n_units;
}

/* A whole number as it is usually written, which an id can be. */
static bool is_id(const char *label)
{
    size_t n = strlen(label);
    return n > 0 && n <= 9 && strspn(label, "0123456789") == n && (label[0] != '0' || n == 1);
}

/* Every time must come back: NWB has it in seconds, as a double. */
static spk_status check_times(const nwb_writing *w)
{
    for (uint64_t i = 0; i < w->events.n_events; i++) {
        int64_t back = 0;
        if (!spk_clock_tick(spk_clock_seconds(w->events.time[i], w->rate), w->rate, &back) ||
            back != w->events.time[i])
            return spk_fail(w->context, SPK_ERR_RANGE,
                            "%s: the time of tick %" PRId64 " has more digits than NWB holds (64 "
                            "bit floating point); write npz or text",
                            w->path, w->events.time[i]);
    }
    return SPK_OK;
}

static spk_status check_recording(nwb_writing *w)
{
    const spk_recording_bounds *given = &w->recording->given;
    w->ids_only = true;
    for (uint32_t u = 0; u < w->events.n_units; u++) {
        const char *label = spk_recording_label(w->recording, u);
        w->ids_only = w->ids_only && is_id(label);
        if (!spk_utf8_is_text(label, strlen(label)))
            return spk_fail(w->context, SPK_ERR_FORMAT,
                            "%s: the label of unit %" PRIu32 " is not UTF-8 text or has control "
                            "bytes, which NWB cannot hold; rename the unit",
                            w->path, u);
    }
    w->segment = spk_recording_segments(w->recording, &w->n_segments);
    if (w->n_segments == 1 && given->start_of_events && given->stop_of_events &&
        w->recording->n_segments == 0)
        w->n_segments = 0;
    for (size_t k = 1; k < w->n_segments; k++)
        if (w->segment[k].start < w->segment[k - 1].stop)
            return spk_fail(w->context, SPK_ERR_FORMAT,
                            "%s: segments %zu and %zu overlap, which the observed intervals of NWB "
                            "do not; write npz",
                            w->path, k, k + 1);
    return check_times(w);
}

/* ---- objects of NWB -------------------------------------------------------------------------- */

static spk_status set_text(nwb_writing *w, const char *path, const char *name, const char *text)
{
    return spk_h5_set_texts(w->context, w->maker, path, name, 0, &text);
}

/* An identifier in the form of a UUID of version 8, which the content and a count make. */
static void make_identifier(nwb_writing *w, char text[40])
{
    uint64_t a = spk_mix(w->seed + 2 * w->n_objects), b = spk_mix(w->seed + 2 * w->n_objects + 1);
    w->n_objects++;
    snprintf(text, 40, "%08" PRIx64 "-%04" PRIx64 "-8%03" PRIx64 "-a%03" PRIx64 "-%012" PRIx64,
             a >> 32, a >> 16 & 0xffff, a & 0xfff, b >> 48 & 0xfff, b & 0xffffffffffffu);
}

/* What every typed object has. */
static spk_status set_type(nwb_writing *w, const char *path, const char *space, const char *type)
{
    char identifier[40];
    make_identifier(w, identifier);
    spk_status status = set_text(w, path, "namespace", space);
    if (status == SPK_OK)
        status = set_text(w, path, "neurodata_type", type);
    if (status == SPK_OK)
        status = set_text(w, path, "object_id", identifier);
    return status;
}

static spk_status set_column(nwb_writing *w, const char *path, const char *type,
                             const char *description)
{
    spk_status status = set_type(w, path, "hdmf-common", type);
    return status == SPK_OK ? set_text(w, path, "description", description) : status;
}

static spk_status set_index(nwb_writing *w, const char *path, const char *target,
                            const char *description)
{
    spk_status status = set_column(w, path, "VectorIndex", description);
    return status == SPK_OK ? spk_h5_set_reference(w->context, w->maker, path, "target", target)
                            : status;
}

/* ---- the file around the table --------------------------------------------------------------- */

static spk_status write_frame(nwb_writing *w)
{
    static const char *const groups[] = {
        "/acquisition",           "/analysis",           "/general", "/processing", "/stimulus",
        "/stimulus/presentation", "/stimulus/templates", "/units"};
    char identifier[40];
    make_identifier(w, identifier);
    const char *const texts[][2] = {
        {"/identifier", identifier},
        {"/session_description",
         "Spikes written by spikemine. The start of the session is not known."},
        {"/session_start_time", NO_DATE},
        {"/timestamps_reference_time", NO_DATE}};
    const char *const date = NO_DATE;
    spk_status status = set_type(w, "/", "core", "NWBFile");
    if (status == SPK_OK)
        status = set_text(w, "/", "nwb_version", NWB_VERSION);
    for (size_t k = 0; k < sizeof groups / sizeof groups[0] && status == SPK_OK; k++)
        status = spk_h5_make_group(w->context, w->maker, groups[k]);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0] && status == SPK_OK; k++)
        status = spk_h5_make_texts(w->context, w->maker, texts[k][0], 0, &texts[k][1]);
    if (status == SPK_OK)
        status = spk_h5_make_texts(w->context, w->maker, "/file_create_date", 1, &date);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------- */

static spk_status write_table(nwb_writing *w)
{
    const char *columns[3];
    size_t n = 0;
    columns[n++] = "spike_times";
    if (!w->ids_only)
        columns[n++] = "unit_name";
    if (w->n_segments > 0)
        columns[n++] = "obs_intervals";
    spk_status status = set_type(w, "/units", "core", "Units");
    if (status == SPK_OK)
        status = set_text(w, "/units", "description", "units and their spikes");
    if (status == SPK_OK)
        status = spk_h5_set_texts(w->context, w->maker, "/units", "colnames", n, columns);
    return status;
}

static spk_status write_ids(nwb_writing *w)
{
    static const char path[] = "/units/id";
    int64_t *id = NULL;
    spk_status status = spk_alloc(w->context, &id, w->events.n_units, "ids");
    for (uint32_t u = 0; u < w->events.n_units && status == SPK_OK; u++)
        id[u] = w->ids_only ? strtoll(spk_recording_label(w->recording, u), NULL, 10) : u;
    if (status == SPK_OK)
        status = spk_h5_make_numbers(w->context, w->maker, path, SPK_H5_MAKE_INT64,
                                     w->events.n_units, 1);
    if (status == SPK_OK)
        status = spk_h5_put(w->context, w->maker, 0, w->events.n_units, id);
    if (status == SPK_OK)
        status = set_type(w, path, "hdmf-common", "ElementIdentifiers");
    free(id);
    return status;
}

/* Labels that are no ids. The mark tells our reader that they are the labels. */
static spk_status write_names(nwb_writing *w)
{
    static const char path[] = "/units/unit_name";
    const char **name = NULL;
    if (w->ids_only)
        return SPK_OK;
    spk_status status = spk_alloc(w->context, &name, w->events.n_units, "labels");
    for (uint32_t u = 0; u < w->events.n_units && status == SPK_OK; u++)
        name[u] = spk_recording_label(w->recording, u);
    if (status == SPK_OK)
        status = spk_h5_make_texts(w->context, w->maker, path, w->events.n_units, name);
    if (status == SPK_OK)
        status = set_column(w, path, "VectorData", "label of the unit");
    if (status == SPK_OK)
        status = set_text(w, path, "spikemine", "labels");
    free(name);
    return status;
}

static spk_status put_times(nwb_writing *w)
{
    double *block = NULL;
    const spk_events *e = &w->events;
    spk_status status = spk_alloc(w->context, &block, BLOCK, "times");
    for (uint64_t first = 0; first < e->n_events && status == SPK_OK; first += BLOCK) {
        uint64_t n = e->n_events - first < BLOCK ? e->n_events - first : BLOCK;
        for (uint64_t k = 0; k < n; k++)
            block[k] = spk_clock_seconds(e->time[e->by_unit[first + k]], w->rate);
        status = spk_check_cancel(w->context);
        if (status == SPK_OK)
            status = spk_h5_put(w->context, w->maker, first, n, block);
        spk_progress(w->context, "writing", first, e->n_events);
    }
    free(block);
    return status;
}

/* The rate goes along exactly, since not every one has a step that a double tells. */
static spk_status write_times(nwb_writing *w)
{
    static const char path[] = "/units/spike_times", index[] = "/units/spike_times_index";
    char rate[48];
    const spk_events *e = &w->events;
    snprintf(rate, sizeof rate, "%" PRIu64 "/%" PRIu64, w->rate.numerator, w->rate.denominator);
    spk_status status =
        spk_h5_make_numbers(w->context, w->maker, path, SPK_H5_MAKE_DOUBLE, e->n_events, 1);
    if (status == SPK_OK)
        status = put_times(w);
    if (status == SPK_OK)
        status = set_column(w, path, "VectorData", "spike times of all units, in seconds");
    if (status == SPK_OK)
        status = spk_h5_set_number(w->context, w->maker, path, "resolution",
                                   (double)w->rate.denominator / (double)w->rate.numerator);
    if (status == SPK_OK)
        status = set_text(w, path, "spikemine_ticks_per_second", rate);
    if (status == SPK_OK)
        status =
            spk_h5_make_numbers(w->context, w->maker, index, SPK_H5_MAKE_UINT64, e->n_units, 1);
    if (status == SPK_OK)
        status = spk_h5_put(w->context, w->maker, 0, e->n_units, e->unit_first + 1);
    return status == SPK_OK ? set_index(w, index, path, "where the times of each unit end")
                            : status;
}

static double border_seconds(spk_border border, spk_rate rate)
{
    return border.between ? spk_duration_seconds(border.time)
                          : spk_clock_seconds(border.tick, rate);
}

/* All units were observed in the same segments. */
static spk_status put_segments(nwb_writing *w)
{
    double *both = NULL;
    uint64_t n = w->n_segments;
    spk_status status = spk_alloc(w->context, &both, 2 * n, "segments");
    for (size_t k = 0; k < n && status == SPK_OK; k++) {
        spk_exact_segment exact = spk_recording_exact_segment(w->recording, k);
        both[2 * k] = border_seconds(exact.start, w->rate);
        both[2 * k + 1] = border_seconds(exact.stop, w->rate);
    }
    for (uint32_t u = 0; u < w->events.n_units && status == SPK_OK; u++)
        status = spk_h5_put(w->context, w->maker, u * n, n, both);
    free(both);
    return status;
}

static spk_status write_segments(nwb_writing *w)
{
    static const char path[] = "/units/obs_intervals", index[] = "/units/obs_intervals_index";
    uint64_t *end = NULL;
    if (w->n_segments == 0)
        return SPK_OK;
    if (!spk_trials_are_segments(w->recording))
        spk_note(w->context,
                 "%s: NWB has no place for the numbers of trials: read again, the segments are "
                 "trials 1 to %zu, in order of time; npz and text keep the numbers",
                 w->path, w->n_segments);
    uint64_t rows = (uint64_t)w->events.n_units * w->n_segments;
    spk_status status = spk_alloc(w->context, &end, w->events.n_units, "segments");
    for (uint32_t u = 0; u < w->events.n_units && status == SPK_OK; u++)
        end[u] = (u + 1) * (uint64_t)w->n_segments;
    if (status == SPK_OK)
        status = spk_h5_make_numbers(w->context, w->maker, path, SPK_H5_MAKE_DOUBLE, rows, 2);
    if (status == SPK_OK)
        status = put_segments(w);
    if (status == SPK_OK)
        status = set_column(w, path, "VectorData", "when each unit was observed, in seconds");
    if (status == SPK_OK)
        status = spk_h5_make_numbers(w->context, w->maker, index, SPK_H5_MAKE_UINT64,
                                     w->events.n_units, 1);
    if (status == SPK_OK)
        status = spk_h5_put(w->context, w->maker, 0, w->events.n_units, end);
    if (status == SPK_OK)
        status = set_index(w, index, path, "where the intervals of each unit end");
    free(end);
    return status;
}

static spk_status write_all(nwb_writing *w)
{
    spk_status status = write_frame(w);
    if (status == SPK_OK)
        status = write_table(w);
    if (status == SPK_OK)
        status = write_ids(w);
    if (status == SPK_OK)
        status = write_names(w);
    if (status == SPK_OK)
        status = write_times(w);
    return status == SPK_OK ? write_segments(w) : status;
}

/* ---- the file that HDF5 writes --------------------------------------------------------------- */

static spk_status copy_bytes(nwb_writing *w, int descriptor, spk_output *output)
{
    char *bytes = NULL;
    spk_status status = spk_alloc(w->context, &bytes, COPY_BYTES, "a copy");
    for (off_t at = 0; status == SPK_OK;) {
        ssize_t n = pread(descriptor, bytes, COPY_BYTES, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            status = spk_fail(w->context, SPK_ERR_IO, "%s: reading back what was written: %s",
                              w->path, strerror(errno));
        if (n <= 0)
            break;
        status = spk_output_write(w->context, output, bytes, (size_t)n);
        at += n;
    }
    free(bytes);
    return status;
}

/* Makes a file beside the target and begins HDF5 in it; what has no folder, such as a pipe, has it
 * among temporary files. Its name goes as soon as HDF5 has opened it, so that nothing stays behind.
 */
static spk_status begin_file(nwb_writing *w, int *descriptor)
{
    spk_place place = {0};
    char name[PATH_MAX];
    const char *folder = getenv("TMPDIR");
    *descriptor = -1;
    spk_status status = spk_place_find(w->context, w->path, &place);
    if (status != SPK_OK)
        goto done;
    folder = place.folder != NULL ? place.folder : folder != NULL ? folder : "/tmp";
    int n = snprintf(name, sizeof name, "%s/.spikemine-XXXXXX", folder);
    if (n > 0 && (size_t)n < sizeof name)
        *descriptor = mkstemp(name);
    if (*descriptor < 0) {
        status = spk_fail(w->context, SPK_ERR_IO, "%s: no temporary file can be made in %s: %s",
                          w->path, folder, strerror(errno));
        goto done;
    }
    status = spk_h5_make(w->context, name, w->path, &w->maker);
    unlink(name);
done:
    spk_place_free(&place);
    return status;
}

static spk_status write_nwb(spk_context *context, const spk_recording *recording, const char *path)
{
    int descriptor = -1;
    spk_output *output = NULL;
    nwb_writing w = {.context = context,
                     .recording = recording,
                     .events = spk_recording_events(recording),
                     .rate = spk_recording_rate(recording),
                     .path = path,
                     .seed = digest(recording)};
    spk_status status = check_recording(&w);
    if (status == SPK_OK)
        status = begin_file(&w, &descriptor);
    if (status == SPK_OK)
        status = write_all(&w);
    spk_status ended = spk_h5_make_end(status == SPK_OK ? context : NULL, w.maker);
    status = status == SPK_OK ? ended : status;
    if (status == SPK_OK)
        status = spk_output_open(context, path, &output);
    if (status == SPK_OK)
        status = copy_bytes(&w, descriptor, output);
    if (descriptor >= 0)
        close(descriptor);
    if (status == SPK_OK)
        return spk_output_commit(context, output);
    spk_output_discard(output);
    return status;
}

const spk_writer spk_writer_nwb = {
    .name = "nwb",
    .endings = ".nwb",
    .available = spk_h5_available,
    .write = write_nwb,
};
