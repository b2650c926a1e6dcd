/* Which variables a MATLAB file has, and which of them are spikes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/readers/matlab.h"

enum { DEEPEST = 4 };

typedef struct variable_list {
    spk_matlab_variable *at;
    uint64_t n;
    uint64_t capacity;
} variable_list;

/* ---- what a variable is ---------------------------------------------------------------------- */

static bool is_number(const spk_h5_data *data)
{
    return data->type == SPK_H5_FLOAT || data->type == SPK_H5_INTEGER;
}

/* Cells of text look like cells of numbers but for a mark on what they refer to. */
static spk_status look_at_cells(spk_context *context, spk_h5_file *file, const spk_h5_data *cells,
                                spk_matlab_variable *v)
{
    uint64_t reference = 0;
    bool is_data = false, found = false;
    char class[16] = "";
    spk_h5_data first = {.id = -1, .type_id = -1};
    v->n = cells->rows * cells->columns;
    if (v->n == 0 || cells->item_bytes != sizeof reference)
        return SPK_OK;
    spk_status status =
        spk_h5_read_references(context, cells, (spk_h5_part){0, 0, 1, 1}, &reference);
    if (status == SPK_OK)
        status = spk_h5_data_open_reference(context, file, reference, v->name, &first, &is_data);
    if (status == SPK_OK && is_data)
        status = spk_h5_text_in(context, &first, "MATLAB_class", class, sizeof class, &found);
    if (status == SPK_OK && is_data)
        v->kind = strcmp(class, "char") == 0 ? SPK_MATLAB_TEXTS
                  : is_number(&first)        ? SPK_MATLAB_CELLS
                                             : SPK_MATLAB_OTHER;
    spk_h5_data_close(&first);
    return status;
}

static void look_at_numbers(const spk_h5_data *data, bool is_matlab, spk_matlab_variable *v)
{
    uint64_t rows = data->rows, columns = data->columns;
    if (rows == 1 || columns == 1) {
        v->kind = rows == 1 && columns == 1 ? SPK_MATLAB_OTHER : SPK_MATLAB_VECTOR;
        v->n = rows * columns;
    } else if (rows == 2 || columns == 2) {
        v->kind = SPK_MATLAB_MATRIX;
        v->is_transposed = rows == 2 && (is_matlab || columns != 2);
        v->n = v->is_transposed ? columns : rows;
    }
}

static spk_status look_at(spk_context *context, spk_h5_file *file, spk_matlab_variable *v)
{
    spk_h5_data data;
    char class[16] = "";
    bool is_matlab = false;
    v->kind = SPK_MATLAB_OTHER;
    spk_status status = spk_h5_data_open(context, file, v->path, &data);
    if (status == SPK_OK)
        status = spk_h5_text_in(context, &data, "MATLAB_class", class, sizeof class, &is_matlab);
    if (status == SPK_OK && data.type == SPK_H5_REFERENCE)
        status = look_at_cells(context, file, &data, v);
    else if (status == SPK_OK && is_number(&data) && strcmp(class, "char") != 0)
        look_at_numbers(&data, is_matlab, v);
    if (status == SPK_ERR_FORMAT || status == SPK_ERR_UNAVAILABLE)
        status = SPK_OK; /* damaged or not for us: it cannot be spikes */
    spk_h5_data_close(&data);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static spk_status list_group(spk_context *context, spk_h5_file *file, const char *group, int depth,
                             variable_list *list);

/* Adds a variable, or what is in a struct. What leads out of the file is left out. */
static spk_status add(spk_context *context, spk_h5_file *file, const char *group, const char *name,
                      int depth, variable_list *list)
{
    spk_matlab_variable v = {.n = 0};
    if (name[0] == '#' || list->n == SPK_MATLAB_VARIABLES ||
        (size_t)snprintf(v.path, sizeof v.path, "%s/%s", group, name) >= sizeof v.path)
        return SPK_OK;
    memcpy(v.name, v.path + 1, sizeof v.name - 1);
    for (char *at = v.name; *at != '\0'; at++)
        if (*at == '/')
            *at = '.';
    spk_h5_kind kind = spk_h5_find_within(file, v.path);
    if (kind == SPK_H5_GROUP && depth > 1)
        return list_group(context, file, v.path, depth - 1, list);
    if (kind != SPK_H5_DATA)
        return SPK_OK;
    spk_status status = look_at(context, file, &v);
    if (status == SPK_OK)
        status = spk_grow(context, &list->at, &list->capacity, list->n + 1, "variables");
    if (status == SPK_OK)
        list->at[list->n++] = v;
    return status;
}

static spk_status list_group(spk_context *context, spk_h5_file *file, const char *group, int depth,
                             variable_list *list)
{
    spk_h5_names names;
    spk_status status = spk_h5_list(context, file, group[0] != '\0' ? group : "/", &names);
    for (size_t k = 0; k < names.n && status == SPK_OK; k++)
        status = add(context, file, group, names.name[k], depth, list);
    spk_h5_names_free(&names);
    return status;
}

spk_status spk_matlab_list(spk_context *context, spk_h5_file *file, spk_matlab_variable **out,
                           size_t *n)
{
    variable_list list = {.n = 0};
    spk_status status = list_group(context, file, "", DEEPEST, &list);
    if (status != SPK_OK) {
        free(list.at);
        list = (variable_list){.n = 0};
    }
    *out = list.at;
    *n = (size_t)list.n;
    return status;
}

const spk_matlab_variable *spk_matlab_find(const spk_matlab_variable *variable, size_t n,
                                           const char *name)
{
    for (size_t k = 0; k < n; k++) {
        const char *a = variable[k].name, *b = name[0] == '/' ? name + 1 : name;
        while (*a != '\0' && (*a == *b || (*a == '.' && *b == '/')))
            a++, b++;
        if (*a == '\0' && *b == '\0')
            return &variable[k];
    }
    return NULL;
}

/* ---- which are spikes ------------------------------------------------------------------------ */

/* "a, b, c": the variables of this kind, those of `length` numbers where it is not 0. */
static size_t name_all(const spk_matlab_variable *variable, size_t n, spk_matlab_kind kind,
                       uint64_t length, const spk_matlab_variable *but, char *out, size_t size)
{
    size_t used = strlen(out), found = 0;
    for (size_t k = 0; k < n; k++) {
        if (variable[k].kind != kind || (length > 0 && variable[k].n != length) ||
            &variable[k] == but)
            continue;
        found++;
        if (used + 2 < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     variable[k].name);
    }
    return found;
}

static const spk_matlab_variable *only_one(const spk_matlab_variable *variable, size_t n,
                                           spk_matlab_kind kind, uint64_t length,
                                           const spk_matlab_variable *but)
{
    const spk_matlab_variable *found = NULL;
    for (size_t k = 0; k < n; k++)
        if (variable[k].kind == kind && (length == 0 || variable[k].n == length) &&
            &variable[k] != but) {
            if (found != NULL)
                return NULL;
            found = &variable[k];
        }
    return found;
}

static spk_status find_named(spk_context *context, const char *name,
                             const spk_matlab_variable *variable, size_t n, const char *option,
                             const char *wanted, const spk_matlab_variable **out)
{
    char list[300] = "";
    *out = spk_matlab_find(variable, n, wanted);
    if (*out != NULL)
        return SPK_OK;
    for (int kind = SPK_MATLAB_CELLS; kind <= SPK_MATLAB_VECTOR; kind++)
        name_all(variable, n, (spk_matlab_kind)kind, 0, NULL, list, sizeof list);
    return spk_fail(context, SPK_ERR_ARGUMENT, "%s: %s: there is no variable '%.60s'; there are %s",
                    name, option, wanted, list[0] != '\0' ? list : "none with numbers");
}

/* The units of a vector of times: a vector as long as it. */
static spk_status choose_unit(spk_context *context, const char *name,
                              const spk_matlab_variable *variable, size_t n, spk_matlab_choice *out)
{
    char list[300] = "";
    size_t found =
        name_all(variable, n, SPK_MATLAB_VECTOR, out->time->n, out->time, list, sizeof list);
    out->unit = only_one(variable, n, SPK_MATLAB_VECTOR, out->time->n, out->time);
    if (out->unit != NULL)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: which variable has the units of the times in %s? %s%s: name it with "
                    "--unit-column",
                    name, out->time->name,
                    found > 0 ? "As long are " : "None is as long, so none can be",
                    found > 0 ? list : "");
}

/* Nothing was named: the one cell array of numbers, or else the one matrix of two columns. */
static spk_status choose_alone(spk_context *context, const char *name,
                               const spk_matlab_variable *variable, size_t n,
                               spk_matlab_choice *out)
{
    char list[300] = "";
    size_t cells = name_all(variable, n, SPK_MATLAB_CELLS, 0, NULL, list, sizeof list);
    out->time = only_one(variable, n, SPK_MATLAB_CELLS, 0, NULL);
    if (out->time != NULL)
        return SPK_OK;
    size_t matrices = name_all(variable, n, SPK_MATLAB_MATRIX, 0, NULL, list, sizeof list);
    if (cells == 0)
        out->time = only_one(variable, n, SPK_MATLAB_MATRIX, 0, NULL);
    if (out->time != NULL)
        return SPK_OK;
    size_t vectors = name_all(variable, n, SPK_MATLAB_VECTOR, 0, NULL, list, sizeof list);
    const char *first = list;
    if (cells + matrices + vectors == 0)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: has no variable that can be spikes: cells of times, a matrix of times "
                        "and units, or a vector of each",
                        name);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: which of its variables are spikes? There are %s; name them, such as "
                    "--time-column %.*s%s",
                    name, list, (int)strcspn(first, ","), first,
                    cells + matrices == 0 ? " --unit-column NAME" : "");
}

spk_status spk_matlab_choose(spk_context *context, const char *name,
                             const spk_read_options *options, const spk_matlab_variable *variable,
                             size_t n, spk_matlab_choice *out)
{
    spk_status status = SPK_OK;
    *out = (spk_matlab_choice){NULL, NULL};
    if (options->time_column == NULL && options->unit_column == NULL) {
        status = choose_alone(context, name, variable, n, out);
        if (status == SPK_OK)
            spk_note(context, "%s: spikes are taken from the variable %s", name, out->time->name);
        return status;
    }
    if (options->time_column == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: --unit-column names the units; name the times with --time-column, too",
                        name);
    status =
        find_named(context, name, variable, n, "--time-column", options->time_column, &out->time);
    if (status == SPK_OK && options->unit_column != NULL)
        return find_named(context, name, variable, n, "--unit-column", options->unit_column,
                          &out->unit);
    if (status != SPK_OK || out->time->kind != SPK_MATLAB_VECTOR)
        return status;
    status = choose_unit(context, name, variable, n, out);
    if (status == SPK_OK)
        spk_note(context, "%s: units are taken from the variable %s", name, out->unit->name);
    return status;
}
