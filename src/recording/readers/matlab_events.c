/* Spikes of the chosen variables. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/labels.h"
#include "recording/readers/matlab.h"

enum { MOST_TEXT = 1000 };

/* What is going on. */
typedef struct reading {
    spk_context *context;
    spk_h5_file *file;
    const spk_read_options *options;
    spk_matlab_events *out;
} reading;

static spk_status make_room(reading *r, uint64_t n)
{
    spk_matlab_events *e = r->out;
    if (n > SPK_MAX_EVENTS - e->n)
        return spk_fail(r->context, SPK_ERR_RANGE,
                        "%s: has more spikes than a recording holds (%u); read fewer units "
                        "(--units)",
                        spk_h5_name(r->file), SPK_MAX_EVENTS);
    return spk_grow_columns(r->context, &e->capacity, e->n + n, "events", SPK_COLUMN(&e->time, 1),
                            SPK_COLUMN(&e->unit, 1));
}

static bool is_number(const spk_h5_data *data)
{
    return data->type == SPK_H5_FLOAT || data->type == SPK_H5_INTEGER;
}

static spk_status fail_kind(reading *r, const spk_h5_data *data, const char *expected)
{
    return spk_fail(
        r->context, SPK_ERR_FORMAT, "%s: %s has %s values, %" PRIu64 " x %" PRIu64 "; expected %s",
        spk_h5_name(r->file), data->path, data->type_name, data->columns, data->rows, expected);
}

/* An array without elements holds its dimensions instead, and says so. */
static spk_status is_empty(reading *r, const spk_h5_data *data, bool *out)
{
    double mark = 0;
    bool found = false;
    spk_status status = spk_h5_number_in(r->context, data, "MATLAB_empty", &mark, &found);
    *out = (found && mark != 0) || data->rows == 0 || data->columns == 0;
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static spk_status read_cell(reading *r, uint64_t reference, const char *path, uint32_t unit,
                            bool keep)
{
    spk_h5_data data;
    bool is_data = false, empty = false;
    spk_matlab_events *e = r->out;
    spk_status status =
        spk_h5_data_open_reference(r->context, r->file, reference, path, &data, &is_data);
    if (status == SPK_OK && !is_data)
        status = spk_fail(r->context, SPK_ERR_FORMAT,
                          "%s: %s is a struct or a cell, not the times of a unit",
                          spk_h5_name(r->file), path);
    if (status == SPK_OK)
        status = is_empty(r, &data, &empty);
    if (status != SPK_OK || empty)
        goto done;
    if (!is_number(&data) || (data.rows != 1 && data.columns != 1)) {
        status = fail_kind(r, &data, "a vector of times");
        goto done;
    }
    uint64_t n = data.rows * data.columns;
    e->is_single |= data.type == SPK_H5_FLOAT && data.item_bytes < 8;
    if (!keep) {
        e->n_unread += n;
        goto done;
    }
    status = make_room(r, n);
    if (status == SPK_OK)
        status = spk_h5_read_doubles(r->context, &data,
                                     (spk_h5_part){0, 0, data.rows, data.columns}, e->time + e->n);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++)
        e->unit[e->n++] = unit;
done:
    spk_h5_data_close(&data);
    return status;
}

/* Labels of n cells: those given, or 1, 2, ...; `keep` marks those of --units. */
static spk_status name_cells(reading *r, uint64_t n, const spk_h5_names *labels, bool *keep)
{
    const char **name = NULL;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        char number[24];
        uint32_t unit = 0;
        snprintf(number, sizeof number, "%" PRIu64, k + 1);
        const char *label = labels != NULL ? labels->name[k] : number;
        status = spk_labels_intern(r->context, &r->out->labels, label, strlen(label), &unit);
        keep[k] = true;
        if (status == SPK_OK && unit != k)
            status = spk_fail(r->context, SPK_ERR_FORMAT,
                              "%s: the label '%.60s' stands for units %" PRIu32 " and %" PRIu64
                              "; take another --label-column, or none",
                              spk_h5_name(r->file), label, unit + 1, k + 1);
    }
    if (status == SPK_OK && r->options->units != NULL)
        status = spk_alloc(r->context, &name, n, "unit labels");
    for (uint64_t k = 0; name != NULL && k < n; k++)
        name[k] = spk_labels_text(&r->out->labels, (uint32_t)k);
    if (name != NULL)
        status = spk_unit_list_apply(r->context, spk_h5_name(r->file), r->options->units,
                                     (uint32_t)n, name, keep);
    free(name);
    return status;
}

static spk_status read_cells(reading *r, const spk_matlab_variable *v, const spk_h5_names *labels)
{
    spk_h5_data cells;
    uint64_t *reference = NULL;
    bool *keep = NULL;
    spk_status status = spk_h5_data_open(r->context, r->file, v->path, &cells);
    if (status == SPK_OK && v->n > SPK_MAX_UNITS)
        status = spk_fail(r->context, SPK_ERR_RANGE, "%s: %s has %" PRIu64 " cells; the most is %u",
                          spk_h5_name(r->file), v->name, v->n, SPK_MAX_UNITS);
    if (status == SPK_OK && labels != NULL && labels->n != v->n)
        status = spk_fail(r->context, SPK_ERR_ARGUMENT,
                          "%s: --label-column has %zu labels for the %" PRIu64 " cells of %s",
                          spk_h5_name(r->file), labels->n, v->n, v->name);
    if (status == SPK_OK)
        status = spk_alloc_columns(r->context, "cells", SPK_COLUMN(&reference, v->n),
                                   SPK_COLUMN(&keep, v->n));
    if (status == SPK_OK)
        status = spk_h5_read_references(r->context, &cells,
                                        (spk_h5_part){0, 0, cells.rows, cells.columns}, reference);
    if (status == SPK_OK)
        status = name_cells(r, v->n, labels, keep);
    for (uint64_t k = 0; k < v->n && status == SPK_OK; k++) {
        char path[SPK_MATLAB_NAME + 32];
        snprintf(path, sizeof path, "%s{%" PRIu64 "}", v->name, k + 1);
        status = spk_check_cancel(r->context);
        if (status == SPK_OK)
            status = read_cell(r, reference[k], path, (uint32_t)k, keep[k]);
    }
    spk_h5_data_close(&cells);
    free(reference);
    free(keep);
    return status;
}

/* ---- times and units side by side ------------------------------------------------------------ */

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < 0x1p53;
}

static bool all_whole(const double *value, uint64_t n)
{
    bool whole = true;
    for (uint64_t k = 0; k < n && whole; k++)
        whole = is_whole(value[k]);
    return whole;
}

/* Turns ids into units. */
static spk_status take_units(reading *r, const char *name, const double *id)
{
    spk_matlab_events *e = r->out;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++) {
        char text[32];
        if (k > 0 && id[k] == id[k - 1]) {
            e->unit[k] = e->unit[k - 1];
            continue;
        }
        if (!is_whole(id[k]))
            return spk_fail(r->context, SPK_ERR_FORMAT,
                            "%s: %s: number %" PRIu64 ", %.9g, is no whole number, so no unit; are "
                            "times and units the wrong way round?",
                            spk_h5_name(r->file), name, k + 1, id[k]);
        snprintf(text, sizeof text, "%.0f", id[k] == 0 ? 0.0 : id[k]);
        status = spk_labels_intern(r->context, &e->labels, text, strlen(text), &e->unit[k]);
        if (status == SPK_OK && e->labels.n > SPK_MAX_UNITS)
            status = spk_fail(r->context, SPK_ERR_RANGE,
                              "%s: %s has more than %u units; are times and units the wrong way "
                              "round?",
                              spk_h5_name(r->file), name, SPK_MAX_UNITS);
    }
    return status;
}

/* Reads column 0 or 1 of a matrix, or a vector (column 0). */
static spk_status read_column(reading *r, const spk_matlab_variable *v, uint64_t column,
                              double *out)
{
    spk_h5_data data;
    spk_status status = spk_h5_data_open(r->context, r->file, v->path, &data);
    spk_h5_part part = {0, 0, data.rows, data.columns};
    if (v->kind == SPK_MATLAB_MATRIX)
        part = v->is_transposed ? (spk_h5_part){column, 0, 1, v->n}
                                : (spk_h5_part){0, column, v->n, 1};
    if (status == SPK_OK)
        status = spk_h5_read_doubles(r->context, &data, part, out);
    r->out->is_single |= data.type == SPK_H5_FLOAT && data.item_bytes < 8;
    spk_h5_data_close(&data);
    return status;
}

/* Which column of a matrix has the times: as asked for, or the one that is not whole. */
static spk_status order_columns(reading *r, const spk_matlab_variable *v, double **time,
                                double **id)
{
    bool swap = r->options->columns == SPK_COLUMNS_UNIT_TIME;
    if (r->options->columns == SPK_COLUMNS_GUESS) {
        bool first = all_whole(*time, v->n), second = all_whole(*id, v->n);
        if (first == second)
            return spk_fail(r->context, SPK_ERR_ARGUMENT,
                            "%s: which column of %s has the times? Say --columns time,unit or "
                            "unit,time",
                            spk_h5_name(r->file), v->name);
        swap = first;
    }
    if (swap) {
        double *other = *time;
        *time = *id;
        *id = other;
    }
    return SPK_OK;
}

static spk_status read_pairs(reading *r, spk_matlab_choice choice)
{
    spk_matlab_events *e = r->out;
    uint64_t n = choice.time->n;
    double *id = NULL;
    bool is_matrix = choice.time->kind == SPK_MATLAB_MATRIX;
    const spk_matlab_variable *units = is_matrix ? choice.time : choice.unit;
    if (units->n != n)
        return spk_fail(r->context, SPK_ERR_ARGUMENT,
                        "%s: %s has %" PRIu64 " times, %s %" PRIu64 " units; each time needs one",
                        spk_h5_name(r->file), choice.time->name, n, units->name, units->n);
    spk_status status = make_room(r, n);
    if (status == SPK_OK)
        status = spk_alloc(r->context, &id, e->capacity, "units");
    if (status == SPK_OK)
        status = read_column(r, choice.time, 0, e->time);
    if (status == SPK_OK)
        status = read_column(r, units, is_matrix, id);
    e->n = status == SPK_OK ? n : 0;
    if (status == SPK_OK && is_matrix)
        status = order_columns(r, units, &e->time, &id);
    if (status == SPK_OK)
        status = take_units(r, units->name, id);
    free(id);
    return status;
}

/* Leaves the events of --units. */
static spk_status keep_units(reading *r)
{
    spk_matlab_events *e = r->out;
    const char **name = NULL;
    bool *keep = NULL;
    uint64_t n = 0;
    spk_status status = spk_alloc_columns(r->context, "unit labels", SPK_COLUMN(&name, e->labels.n),
                                          SPK_COLUMN(&keep, e->labels.n));
    for (uint32_t u = 0; u < e->labels.n && status == SPK_OK; u++) {
        name[u] = spk_labels_text(&e->labels, u);
        keep[u] = true;
    }
    if (status == SPK_OK)
        status = spk_unit_list_apply(r->context, spk_h5_name(r->file), r->options->units,
                                     e->labels.n, name, keep);
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++)
        if (keep[e->unit[k]]) {
            e->time[n] = e->time[k];
            e->unit[n++] = e->unit[k];
        }
    if (status == SPK_OK) {
        e->n_unread = e->n - n;
        e->n = n;
    }
    free(name);
    free(keep);
    return status;
}

spk_status spk_matlab_read(spk_context *context, spk_h5_file *file, const spk_read_options *options,
                           spk_matlab_choice choice, const spk_h5_names *labels,
                           spk_matlab_events *out)
{
    reading r = {context, file, options, out};
    const spk_matlab_variable *time = choice.time, *unit = choice.unit;
    bool is_pair =
        time->kind == SPK_MATLAB_MATRIX ||
        (time->kind == SPK_MATLAB_VECTOR && unit != NULL && unit->kind == SPK_MATLAB_VECTOR);
    *out = (spk_matlab_events){.n = 0};
    if (time->kind == SPK_MATLAB_CELLS && unit == NULL)
        return read_cells(&r, time, labels);
    if (!is_pair)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: %s cannot be spikes: cells of times, a matrix of two columns, or with "
                        "--unit-column two vectors of numbers can",
                        spk_h5_name(file),
                        unit != NULL && unit->kind != SPK_MATLAB_VECTOR ? unit->name : time->name);
    if (labels != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: --label-column names the units of cells; leave it out, %s has units",
                        spk_h5_name(file), unit != NULL ? unit->name : time->name);
    spk_status status = read_pairs(&r, choice);
    return status == SPK_OK && options->units != NULL ? keep_units(&r) : status;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Puts a character of UTF-16 that stands alone as UTF-8; returns the bytes. */
static size_t put_character(double value, char *out)
{
    unsigned c = value >= 1 && value < 0xd800 ? (unsigned)value : 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 0x3f));
    out[2] = (char)(0x80 | (c & 0x3f));
    return 3;
}

/* A text is an array of 16-bit characters. */
static spk_status read_text(reading *r, uint64_t reference, const char *path, char **out)
{
    spk_h5_data data;
    double character[MOST_TEXT];
    char text[3 * MOST_TEXT + 1];
    bool is_data = false, empty = true;
    size_t used = 0;
    spk_status status =
        spk_h5_data_open_reference(r->context, r->file, reference, path, &data, &is_data);
    if (status == SPK_OK && is_data)
        status = is_empty(r, &data, &empty);
    if (status == SPK_OK && (!is_data || (!empty && (data.type != SPK_H5_INTEGER ||
                                                     data.rows > MOST_TEXT || data.columns != 1))))
        status = fail_kind(r, &data, "a text of at most 1000 characters in each cell");
    if (status == SPK_OK && !empty)
        status =
            spk_h5_read_doubles(r->context, &data, (spk_h5_part){0, 0, data.rows, 1}, character);
    for (uint64_t k = 0; status == SPK_OK && !empty && k < data.rows; k++)
        used += put_character(character[k], text + used);
    text[used] = '\0';
    if (status == SPK_OK)
        status = spk_strdup(r->context, out, text);
    spk_h5_data_close(&data);
    return status;
}

static spk_status read_texts(reading *r, const spk_matlab_variable *v, const spk_h5_data *data,
                             spk_h5_names *out)
{
    uint64_t *reference = NULL;
    spk_status status = spk_alloc(r->context, &reference, v->n, "labels");
    if (status == SPK_OK)
        status = spk_h5_read_references(r->context, data,
                                        (spk_h5_part){0, 0, data->rows, data->columns}, reference);
    for (; out->n < v->n && status == SPK_OK; out->n += status == SPK_OK)
        status = read_text(r, reference[out->n], v->name, &out->name[out->n]);
    free(reference);
    return status;
}

static spk_status read_numbers(reading *r, const spk_matlab_variable *v, const spk_h5_data *data,
                               spk_h5_names *out)
{
    double *value = NULL;
    spk_status status = spk_alloc(r->context, &value, v->n, "labels");
    if (status == SPK_OK)
        status = spk_h5_read_doubles(r->context, data,
                                     (spk_h5_part){0, 0, data->rows, data->columns}, value);
    for (; out->n < v->n && status == SPK_OK; out->n += status == SPK_OK) {
        char text[32];
        double number = value[out->n];
        snprintf(text, sizeof text, is_whole(number) ? "%.0f" : "%.15g", number == 0 ? 0 : number);
        status = spk_strdup(r->context, &out->name[out->n], text);
    }
    free(value);
    return status;
}

spk_status spk_matlab_read_labels(spk_context *context, spk_h5_file *file,
                                  const spk_matlab_variable *v, spk_h5_names *out)
{
    reading r = {.context = context, .file = file};
    spk_h5_data data;
    *out = (spk_h5_names){NULL, 0};
    if (v->kind != SPK_MATLAB_TEXTS && v->kind != SPK_MATLAB_VECTOR)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: --label-column %s: labels are cells of text, or a vector of numbers",
                        spk_h5_name(file), v->name);
    spk_status status = spk_h5_data_open(context, file, v->path, &data);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &out->name, v->n, "labels");
    if (status == SPK_OK)
        status = v->kind == SPK_MATLAB_TEXTS ? read_texts(&r, v, &data, out)
                                             : read_numbers(&r, v, &data, out);
    spk_h5_data_close(&data);
    if (status != SPK_OK)
        spk_h5_names_free(out);
    return status;
}
