/*
 * One .npy file as a recording: times with their units in a second file; a table of two columns; or
 * records with a field of each, such as SpikeInterface's spike vector.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "recording/readers/reader.h"
#include "recording/readers/spikes.h"

static const char *const TIME_NAMES[] = {"sample_index", "sample_ind", "time",   "times", "t",
                                         "spike_times",  "sample",     "samples"};
static const char *const UNIT_NAMES[] = {"unit_index", "unit_ind", "unit",  "units",
                                         "id",         "ids",      "label", "spike_clusters"};
static const char *const SEGMENT_NAMES[] = {"segment_index", "segment_ind"};
enum { N_NAMES = 8, N_SEGMENT_NAMES = 2, NO_FIELD = SPK_NPY_FIELDS };

static spk_match recognise(const spk_probe *probe)
{
    return !probe->is_folder && spk_npy_is(probe->head, probe->n_head) ? SPK_MATCH_SURE
                                                                       : SPK_MATCH_NO;
}

/* ---- records --------------------------------------------------------------------------------- */

static size_t find_field(const spk_npy_header *header, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t f = 0; f < header->n_fields; f++)
            if (strcasecmp(header->field[f].name, names[k]) == 0)
                return f;
    return NO_FIELD;
}

/* The field that an option names, by name or by number from 1, or one of the usual names. */
static size_t choose_field(const spk_npy_header *header, const char *option,
                           const char *const *names)
{
    uint64_t number = 0;
    const char *at = option;
    if (option == NULL)
        return find_field(header, names, N_NAMES);
    size_t field = find_field(header, &option, 1);
    if (field == NO_FIELD && spk_whole_scan(&at, option + strlen(option), &number) && *at == '\0' &&
        number >= 1 && number <= header->n_fields)
        field = (size_t)number - 1;
    return field;
}

static spk_status fail_field(spk_context *context, const spk_array *array, const char *what,
                             const char *option)
{
    char names[200] = "";
    size_t at = 0;
    for (size_t f = 0; f < array->header.n_fields && at < sizeof names; f++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", f > 0 ? ", " : "",
                               array->header.field[f].name);
    return spk_fail(
        context, SPK_ERR_FORMAT,
        "%s: cannot tell which field of its records holds the %ss; pass --%s-column with "
        "one of %s",
        array->name, what, option, names);
}

/* Times of several segments all count from 0: they are no recording with one clock. */
static spk_status check_segments(spk_context *context, const spk_array *array)
{
    int64_t segment = 0;
    spk_values values;
    size_t field = find_field(&array->header, SEGMENT_NAMES, N_SEGMENT_NAMES);
    if (field == NO_FIELD || !spk_array_field(array, field, &values) || values.n == 0 ||
        !spk_values_are_whole(&values))
        return SPK_OK;
    /* Spike vectors are in order of segment. */
    int64_t first = 0;
    spk_status status = spk_values_whole(context, &values, 0, 1, &first);
    if (status == SPK_OK)
        status = spk_values_whole(context, &values, values.n - 1, 1, &segment);
    if (status != SPK_OK || segment == first)
        return status;
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: holds segments %" PRId64 " to %" PRId64
                    ", whose samples all count from their own begin; save one alone, with "
                    "sorting.select_segments([0]).to_spike_vector()",
                    array->name, first, segment);
}

static spk_status take_records(spk_context *context, const spk_array *array,
                               const spk_read_options *options, spk_spikes *out)
{
    const spk_npy_header *h = &array->header;
    size_t time = choose_field(h, options->time_column, TIME_NAMES);
    size_t unit = choose_field(h, options->unit_column, UNIT_NAMES);
    if (time == NO_FIELD)
        return fail_field(context, array, "time", "time");
    if (unit == NO_FIELD || unit == time)
        return fail_field(context, array, "unit", "unit");
    if (!spk_array_field(array, time, &out->times) || !spk_array_field(array, unit, &out->units))
        return spk_fail(context, SPK_ERR_FORMAT, "%s: is no list of records; save one list",
                        array->name);
    out->samples = strncasecmp(h->field[time].name, "sample", 6) == 0;
    return check_segments(context, array);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static spk_status fail_shape(spk_context *context, const spk_array *array, const char *remedy)
{
    const spk_npy_header *h = &array->header;
    char shape[100] = "";
    size_t at = 0;
    for (size_t k = 0; k < h->n_dimensions; k++)
        at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%" PRIu64, k > 0 ? ", " : "",
                               h->shape[k]);
    return spk_fail(context, SPK_ERR_FORMAT, "%s: has the shape (%s); %s", array->name, shape,
                    remedy);
}

static spk_status take_table(spk_context *context, const spk_array *array,
                             const spk_read_options *options, spk_spikes *out)
{
    const bool unit_first =
        options->columns == SPK_COLUMNS_UNIT_TIME ||
        (options->time_column != NULL && strcmp(options->time_column, "2") == 0) ||
        (options->unit_column != NULL && strcmp(options->unit_column, "1") == 0);
    if (!spk_array_column(array, unit_first ? 1 : 0, 2, &out->times) ||
        !spk_array_column(array, unit_first ? 0 : 1, 2, &out->units))
        return fail_shape(context, array,
                          "give a list of times and --unit-file, or a table of two columns, time "
                          "and unit");
    return SPK_OK;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static spk_status take_pair(spk_context *context, const spk_array *array,
                            const spk_read_options *options, spk_array *ids, spk_spikes *out)
{
    if (!spk_array_list(array, &out->times))
        return fail_shape(context, array,
                          "with --unit-file it must be a list of times, of shape (n,)");
    spk_status status = spk_array_open(context, options->unit_file, ids);
    if (status == SPK_OK && !spk_array_list(ids, &out->units))
        status = fail_shape(context, ids, "it must be a list of units, of shape (n,)");
    return status;
}

static spk_status fail_alone(spk_context *context, const spk_array *array)
{
    const char *slash = strrchr(array->name, '/');
    const char *name = slash != NULL ? slash + 1 : array->name;
    bool folder = strcmp(name, "spike_times.npy") == 0 || strstr(name, "spikes.times") == name;
    return spk_fail(context, SPK_ERR_FORMAT, "%s: holds times only; %s", array->name,
                    folder ? "give the folder, which has the units, too"
                           : "pass --unit-file ids.npy with the unit of each");
}

static spk_status take_columns(spk_context *context, const spk_array *array,
                               const spk_read_options *options, spk_array *ids, spk_spikes *out)
{
    spk_values list;
    if (options->unit_file != NULL)
        return take_pair(context, array, options, ids, out);
    if (array->header.n_fields > 0)
        return take_records(context, array, options, out);
    if (spk_array_list(array, &list) &&
        !(array->header.n_dimensions == 2 && array->header.shape[1] == 2))
        return fail_alone(context, array);
    return take_table(context, array, options, out);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static spk_status read_npy(spk_context *context, const spk_probe *probe, spk_input *input,
                           const spk_read_options *options, spk_recording **out)
{
    spk_array array = {.descriptor = -1}, ids = {.descriptor = -1};
    spk_spikes spikes = {.name = probe->path};
    const bool sliced = options->start != NULL || options->stop != NULL;
    spk_status status = probe->is_stream ? spk_array_load_input(context, input, &array)
                                         : spk_array_open(context, probe->path, &array);
    if (status == SPK_OK) {
        spikes.name = array.name;
        status = take_columns(context, &array, options, &ids, &spikes);
    }
    if (status == SPK_OK)
        status = spk_spikes_read(context, &spikes, options, out);
    /* A slice reads a part, of which the digest would say nothing. */
    if (status == SPK_OK && !sliced)
        status = spk_input_digest(context, input, (*out)->facts.sha256);
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    spk_array_close(&array);
    spk_array_close(&ids);
    return status;
}

const spk_reader spk_reader_npy = {
    .name = "npy",
    .summary = "a NumPy array: times with --unit-file, two columns, or records of a spike vector",
    .endings = ".npy",
    .options = "columns time_unit time_column unit_column unit_file",
    .recognise = recognise,
    .read = read_npy,
};
