/* MATLAB files as formats: those of version 7.3, which are HDF5, and older ones, which are not
 * read. */
#include "recording/readers/matlab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hdf5/inside.h"
#include "hdf5/library.h"
#include "recording/readers/hdf5_match.h"
#include "recording/readers/reader.h"
#include "recording/readers/seconds.h"

/* ---- the unit of time ------------------------------------------------------------------------ */

static bool all_whole(const double *value, uint64_t n)
{
    bool whole = true;
    for (uint64_t k = 0; k < n && whole; k++)
        whole = value[k] == floor(value[k]);
    return whole;
}

/* Turns times into seconds; *rate gets the grid that the unit of time declares, or {0, 0}. */
static spk_status make_seconds(spk_context *context, const char *name,
                               const spk_read_options *options, spk_matlab_events *e,
                               spk_rate *rate)
{
    double divisor = 1;
    *rate = (spk_rate){0, 0};
    switch (options->time_unit) {
    case SPK_TIME_GUESS:
        if (e->n > 1 && all_whole(e->time, e->n))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "%s: all times are whole numbers; say what they count: --time-unit "
                            "samples@30000, ms, us or s",
                            name);
        break;
    case SPK_TIME_MILLISECONDS:
        divisor = 1e3;
        break;
    case SPK_TIME_MICROSECONDS:
        divisor = 1e6;
        break;
    case SPK_TIME_SAMPLES:
        *rate = options->sample_rate;
        if (rate->numerator == 0)
            *rate = (spk_rate){options->samples_per_second, 1};
        divisor = (double)rate->numerator / (double)rate->denominator;
        break;
    default:
        break;
    }
    for (uint64_t k = 0; k < e->n && divisor != 1; k++)
        e->time[k] /= divisor;
    return SPK_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Times of each unit ascend and are numbers. */
static spk_status check_times(spk_context *context, const char *name,
                              const spk_read_options *options, const spk_matlab_events *e,
                              spk_seconds *out)
{
    double *last = NULL;
    spk_status status = spk_alloc(context, &last, e->labels.n, "units");
    out->in_order = true;
    for (uint32_t u = 0; u < e->labels.n && status == SPK_OK; u++)
        last[u] = -HUGE_VAL;
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++) {
        double time = e->time[k];
        const char *label = spk_labels_text(&e->labels, e->unit[k]);
        if (!isfinite(time)) {
            status = spk_fail(context, SPK_ERR_FORMAT,
                              "%s: a time of unit %s is %s; remove it from the file", name, label,
                              isnan(time) ? "not a number" : "infinite");
            break;
        }
        if (time < last[e->unit[k]]) {
            out->in_order = false;
            if (!options->sort)
                status = spk_fail(context, SPK_ERR_ORDER,
                                  "%s: unit %s: time %.9g after %.9g; the times of a unit must "
                                  "ascend: pass --sort to put them in order",
                                  name, label, time, last[e->unit[k]]);
        }
        last[e->unit[k]] = time;
        out->first = k > 0 && out->first <= time ? out->first : time;
        out->last = k > 0 && out->last >= time ? out->last : time;
        out->has_ends = true;
    }
    free(last);
    return status;
}

/* ---- the recording --------------------------------------------------------------------------- */

/* The units that stay: with --units those that are listed. Others keep no number. */
static spk_status number_units(spk_context *context, const spk_read_options *options,
                               spk_matlab_events *e, const char ***labels, uint32_t *n)
{
    uint32_t *number = NULL;
    bool *listed = NULL;
    spk_status status =
        spk_alloc_columns(context, "unit labels", SPK_COLUMN(labels, e->labels.n),
                          SPK_COLUMN(&number, e->labels.n), SPK_COLUMN(&listed, e->labels.n));
    *n = 0;
    for (uint32_t u = 0; u < e->labels.n && status == SPK_OK; u++) {
        (*labels)[u] = spk_labels_text(&e->labels, u);
        listed[u] = true;
    }
    if (status == SPK_OK && options->units != NULL)
        status = spk_unit_list_apply(context, "", options->units, e->labels.n, *labels, listed);
    for (uint32_t u = 0; u < e->labels.n && status == SPK_OK; u++) {
        number[u] = *n;
        if (listed[u])
            (*labels)[(*n)++] = (*labels)[u];
    }
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++)
        e->unit[k] = number[e->unit[k]];
    free(number);
    free(listed);
    return status;
}

static spk_status make_recording(spk_context *context, const char *name,
                                 const spk_read_options *options, spk_matlab_events *e,
                                 const char *sha256, spk_recording **out)
{
    const char **labels = NULL;
    spk_rate rate;
    spk_clock clock;
    spk_seconds seconds = {.name = name, .options = options, .n_unread = e->n_unread};
    spk_status status = make_seconds(context, name, options, e, &rate);
    if (status == SPK_OK)
        status = check_times(context, name, options, e, &seconds);
    if (status == SPK_OK)
        status = number_units(context, options, e, &labels, &seconds.n_units);
    memcpy(seconds.sha256, sha256, sizeof seconds.sha256);
    seconds.labels = labels;
    seconds.time = e->time;
    seconds.unit = e->unit;
    seconds.n = e->n;
    e->time = NULL;
    e->unit = NULL;
    bool declared = rate.numerator > 0;
    const spk_clock_hints hints = {
        .rate = &rate, .n = declared, .declared = declared, .single = e->is_single};
    if (status == SPK_OK)
        status = spk_seconds_find_clock(context, &seconds, &hints, &clock);
    if (status == SPK_OK)
        status = spk_seconds_finish(context, &seconds, &clock, NULL, 0, out);
    spk_seconds_free(&seconds);
    free(labels);
    return status;
}

/* Reads the labels that --label-column names. */
static spk_status read_labels(spk_context *context, spk_h5_file *file,
                              const spk_matlab_variable *variable, size_t n, const char *name,
                              spk_h5_names *out)
{
    const spk_matlab_variable *v = spk_matlab_find(variable, n, name);
    if (v == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: --label-column: there is no variable '%.60s'", spk_h5_name(file),
                        name);
    return spk_matlab_read_labels(context, file, v, out);
}

typedef struct question {
    const spk_probe *probe;
    const spk_read_options *options;
} question;

/* The variables, which hold texts; their numbers are safe. */
static spk_status rehearse(spk_context *context, void *user)
{
    const question *asked = user;
    spk_h5_file *file = NULL;
    spk_matlab_variable *variable = NULL;
    size_t n = 0;
    spk_status status = spk_h5_open(context, asked->probe->path, &file);
    if (status == SPK_OK)
        status = spk_matlab_list(context, file, &variable, &n);
    free(variable);
    spk_h5_close(file);
    return status;
}

static spk_status read_matlab(spk_context *context, const spk_probe *probe, spk_input *input,
                              const spk_read_options *options, spk_recording **out)
{
    spk_h5_file *file = NULL;
    spk_matlab_variable *variable = NULL;
    size_t n = 0;
    spk_matlab_choice choice;
    spk_matlab_events events = {.n = 0};
    spk_h5_names labels = {NULL, 0};
    char sha256[65] = "";
    question asked = {probe, options};
    spk_status status =
        spk_h5_rehearse(context, probe->path, SPK_H5_REHEARSAL_SECONDS, rehearse, &asked);
    if (status == SPK_OK)
        status = spk_h5_open(context, probe->path, &file);
    if (status == SPK_OK)
        status = spk_matlab_list(context, file, &variable, &n);
    if (status == SPK_OK)
        status = spk_matlab_choose(context, probe->path, options, variable, n, &choice);
    if (status == SPK_OK && options->label_column != NULL)
        status = read_labels(context, file, variable, n, options->label_column, &labels);
    if (status == SPK_OK)
        status = spk_matlab_read(context, file, options, choice,
                                 options->label_column != NULL ? &labels : NULL, &events);
    if (status == SPK_OK && spk_h5_size(file) <= SPK_MATLAB_DIGEST_BYTES)
        status = spk_input_digest(context, input, sha256);
    if (status == SPK_OK)
        status = make_recording(context, probe->path, options, &events, sha256, out);
    free(events.time);
    free(events.unit);
    spk_labels_clear(&events.labels);
    spk_h5_names_free(&labels);
    free(variable);
    spk_h5_close(file);
    return status;
}

static spk_match recognise(const spk_probe *probe)
{
    return spk_is_matlab_73(probe) ? SPK_MATCH_SURE : SPK_MATCH_NO;
}

const spk_reader spk_reader_matlab = {
    .name = "matlab",
    .summary = "MATLAB 7.3: cells of times, a matrix of times and units, or a vector of each",
    .endings = ".mat",
    .options = "columns time_unit time_column unit_column label_column",
    .available = spk_h5_available,
    .recognise = recognise,
    .read = read_matlab,
};

/* ---- older files ----------------------------------------------------------------------------- */

static bool is_never_there(const char **reason)
{
    *reason = "not read; in MATLAB: save -v7.3; in Python: scipy.io.loadmat, then numpy.savez of "
              "the times and the units";
    return false;
}

static spk_match recognise_old(const spk_probe *probe)
{
    return spk_is_matlab_5(probe) ? SPK_MATCH_SURE : SPK_MATCH_NO;
}

static spk_status read_old(spk_context *context, const spk_probe *probe, spk_input *input,
                           const spk_read_options *options, spk_recording **out)
{
    const char *reason = "";
    (void)input, (void)options;
    *out = NULL;
    is_never_there(&reason);
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: matlab5: %s", probe->path, reason);
}

const spk_reader spk_reader_matlab5 = {
    .name = "matlab5",
    .summary = "MATLAB files before 7.3, which have to be converted",
    .endings = ".mat",
    .available = is_never_there,
    .recognise = recognise_old,
    .read = read_old,
};
