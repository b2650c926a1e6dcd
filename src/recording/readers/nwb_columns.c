/* Columns of the units table: labels, and the rows that are wanted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "recording/labels.h"
#include "recording/readers/nwb.h"
#include "recording/readers/row_filter.h"

/* A column as values that can be compared and shown. */
typedef struct column {
    spk_h5_names text;
    double *number; /* NULL: texts */
} column;

static void column_free(column *c)
{
    spk_h5_names_free(&c->text);
    free(c->number);
    c->number = NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Whether a member of the table is a column with one value for each row. */
static spk_status is_plain(spk_nwb *nwb, const char *name, bool *out)
{
    char path[SPK_NWB_PATH], index[SPK_NWB_PATH];
    spk_h5_kind kind = SPK_H5_NOTHING;
    spk_h5_data data = {.id = -1, .type_id = -1};
    *out = false;
    spk_nwb_path(nwb, name, path);
    int n = snprintf(index, sizeof index, "%s_index", path);
    if (n < 0 || (size_t)n >= sizeof index)
        return SPK_OK;
    spk_status status = spk_h5_find(nwb->context, nwb->file, index, &kind);
    bool ragged = kind != SPK_H5_NOTHING;
    if (status == SPK_OK)
        status = spk_h5_find(nwb->context, nwb->file, path, &kind);
    if (status != SPK_OK || ragged || kind != SPK_H5_DATA)
        return status;
    status = spk_h5_data_open(nwb->context, nwb->file, path, &data);
    *out = status == SPK_OK && data.rank == 1 && data.rows == nwb->n_units &&
           (data.type == SPK_H5_FLOAT || data.type == SPK_H5_INTEGER || data.type == SPK_H5_TEXT);
    spk_h5_data_close(&data);
    return status;
}

/* "id, location, quality": the columns that can be asked for. */
static spk_status list_columns(spk_nwb *nwb, char *out, size_t size)
{
    spk_h5_names names;
    size_t used = 0;
    spk_status status = spk_h5_list(nwb->context, nwb->file, nwb->table, &names);
    out[0] = '\0';
    for (size_t k = 0; status == SPK_OK && k < names.n && used + 3 < size; k++) {
        const char *name = names.name[k];
        size_t length = strlen(name);
        bool plain = false;
        if (length > 6 && strcmp(name + length - 6, "_index") == 0)
            continue;
        status = is_plain(nwb, name, &plain);
        if (status == SPK_OK && plain)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    }
    spk_h5_names_free(&names);
    return status;
}

static spk_status fail_column(spk_nwb *nwb, const char *name, const char *what)
{
    char list[240];
    spk_status status = list_columns(nwb, list, sizeof list);
    return status != SPK_OK
               ? status
               : spk_fail(
                     nwb->context, SPK_ERR_ARGUMENT,
                     "%s: column '%.60s' of %s %s; columns with one value for each unit are %s",
                     nwb->name, name, nwb->table, what, list[0] != '\0' ? list : "none");
}

/* The shortest text that gives the number again. */
static void format_number(double value, char *out, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    for (char *at = out; *at != '\0'; at++) /* other locales have other points */
        if (*at == ',')
            *at = '.';
}

static spk_status read_numbers(spk_nwb *nwb, const spk_h5_data *data, column *out)
{
    spk_h5_part all = {0, 0, nwb->n_units, 1};
    int64_t *integer = NULL;
    bool is_bool = strcmp(data->type_name, "enumeration") == 0 && data->item_bytes == 1;
    spk_status status = spk_alloc_columns(
        nwb->context, "a column", SPK_COLUMN(&out->number, nwb->n_units),
        SPK_COLUMN_ZERO(&out->text.name, nwb->n_units), SPK_COLUMN(&integer, nwb->n_units));
    if (status == SPK_OK)
        status = spk_h5_read_doubles(nwb->context, data, all, out->number);
    if (status == SPK_OK && data->type == SPK_H5_INTEGER)
        status = spk_h5_read_integers(nwb->context, data, all, integer);
    for (uint32_t u = 0; status == SPK_OK && u < nwb->n_units; u++) {
        char text[40];
        if (is_bool && (integer[u] == 0 || integer[u] == 1))
            snprintf(text, sizeof text, "%s", integer[u] == 1 ? "True" : "False");
        else if (data->type == SPK_H5_INTEGER)
            snprintf(text, sizeof text, "%" PRId64, integer[u]);
        else
            format_number(out->number[u], text, sizeof text);
        status = spk_strdup(nwb->context, &out->text.name[u], text);
        out->text.n += status == SPK_OK;
    }
    free(integer);
    return status;
}

static spk_status read_column(spk_nwb *nwb, const char *name, column *out)
{
    char path[SPK_NWB_PATH];
    bool plain = false;
    spk_h5_kind kind = SPK_H5_NOTHING;
    spk_h5_data data = {.id = -1, .type_id = -1};
    *out = (column){.number = NULL};
    if (strlen(name) > SPK_NWB_PATH / 4 || strchr(name, '/') != NULL || name[0] == '\0' ||
        name[0] == '.')
        return fail_column(nwb, name, "does not exist");
    spk_nwb_path(nwb, name, path);
    spk_status status = spk_h5_find(nwb->context, nwb->file, path, &kind);
    if (status == SPK_OK && kind == SPK_H5_NOTHING)
        return fail_column(nwb, name, "does not exist");
    if (status == SPK_OK)
        status = is_plain(nwb, name, &plain);
    if (status == SPK_OK && !plain)
        return fail_column(nwb, name, "has no single number or text for each unit");
    if (status == SPK_OK)
        status = spk_h5_data_open(nwb->context, nwb->file, path, &data);
    if (status == SPK_OK)
        status = data.type == SPK_H5_TEXT ? spk_h5_read_texts(nwb->context, &data, &out->text)
                                          : read_numbers(nwb, &data, out);
    spk_h5_data_close(&data);
    return status;
}

/* ---- labels ---------------------------------------------------------------------------------- */

static spk_status number_rows(spk_nwb *nwb)
{
    spk_status status =
        spk_alloc_zero(nwb->context, &nwb->labels.name, nwb->n_units, "unit labels");
    for (uint32_t u = 0; u < nwb->n_units && status == SPK_OK; u++) {
        char text[16];
        snprintf(text, sizeof text, "%" PRIu32, u);
        status = spk_strdup(nwb->context, &nwb->labels.name[u], text);
        nwb->labels.n += status == SPK_OK;
    }
    return status;
}

/* Whether our writer put the labels beside the ids. */
static spk_status has_own_names(spk_nwb *nwb, bool *out)
{
    char path[SPK_NWB_PATH], mark[16] = "";
    spk_h5_kind kind = SPK_H5_NOTHING;
    *out = false;
    spk_status status =
        spk_h5_find(nwb->context, nwb->file, spk_nwb_path(nwb, "unit_name", path), &kind);
    if (status == SPK_OK && kind == SPK_H5_DATA)
        status = spk_h5_text_of(nwb->context, nwb->file, path, "spikemine", mark, sizeof mark, out);
    return status;
}

/* Reads the labels: of the column asked for, else the ids, else the numbers of the rows. */
static spk_status read_labels(spk_nwb *nwb)
{
    char path[SPK_NWB_PATH];
    spk_h5_kind kind = SPK_H5_NOTHING;
    column values = {.number = NULL};
    bool own = false;
    const char *name = nwb->options->label_column;
    spk_status named = name == NULL ? has_own_names(nwb, &own) : SPK_OK;
    if (named != SPK_OK)
        return named;
    name = own ? "unit_name" : name;
    spk_status status = spk_h5_find(nwb->context, nwb->file, spk_nwb_path(nwb, "id", path), &kind);
    if (status == SPK_OK && name == NULL && kind == SPK_H5_NOTHING)
        return number_rows(nwb);
    if (status == SPK_OK)
        status = read_column(nwb, name != NULL ? name : "id", &values);
    if (status == SPK_OK) {
        nwb->labels = values.text;
        values.text = (spk_h5_names){NULL, 0};
    }
    column_free(&values);
    return status;
}

static spk_status fail_repeated(spk_nwb *nwb, const char *label, uint32_t a, uint32_t b)
{
    const char *asked = nwb->options->label_column;
    return spk_fail(nwb->context, SPK_ERR_FORMAT,
                    "%s: '%.60s' in column %s names the units of rows %" PRIu32 " and %" PRIu32
                    "; take %s",
                    nwb->name, label, asked != NULL ? asked : "id", a, b,
                    asked != NULL ? "another --label-column, or none for the ids"
                                  : "a column that tells them apart (--label-column)");
}

/* Labels of wanted rows are distinct, and text. */
static spk_status check_labels(spk_nwb *nwb)
{
    spk_labels known = {0};
    uint32_t *row = NULL;
    spk_status status = spk_alloc(nwb->context, &row, nwb->n_units, "unit labels");
    for (uint32_t u = 0; u < nwb->labels.n && status == SPK_OK; u++) {
        const char *label = nwb->labels.name[u];
        uint32_t n = known.n, number = 0;
        if (!nwb->keep[u])
            continue;
        if (!spk_utf8_is_text(label, strlen(label)))
            status = spk_fail(nwb->context, SPK_ERR_FORMAT,
                              "%s: the label of row %" PRIu32 " is not UTF-8 text; take another "
                              "--label-column",
                              nwb->name, u);
        else
            status = spk_labels_intern(nwb->context, &known, label, strlen(label), &number);
        if (status == SPK_OK && known.n == n)
            status = fail_repeated(nwb, label, row[number], u);
        else if (status == SPK_OK)
            row[number] = u;
    }
    spk_labels_clear(&known);
    free(row);
    return status;
}

/* ---- which rows ------------------------------------------------------------------------------ */

static spk_status apply_term(spk_nwb *nwb, const spk_row_filter *filter, size_t term)
{
    column values;
    spk_status status = read_column(nwb, spk_row_filter_column(filter, term), &values);
    for (uint32_t u = 0; status == SPK_OK && u < values.text.n; u++) {
        spk_row_filter_value value = {.text = values.text.name[u],
                                      .n_text = strlen(values.text.name[u]),
                                      .is_number = values.number != NULL};
        value.number = values.number != NULL ? values.number[u] : 0;
        if (values.number == NULL)
            value.is_number = spk_row_filter_number(value.text, value.n_text, &value.number);
        nwb->keep[u] = nwb->keep[u] && spk_row_filter_holds(filter, term, &value);
    }
    column_free(&values);
    return status;
}

static spk_status apply_filter(spk_nwb *nwb, const char *text)
{
    spk_row_filter *filter = NULL;
    bool any = false;
    spk_status status = spk_row_filter_parse(nwb->context, text, &filter);
    for (size_t k = 0; status == SPK_OK && k < spk_row_filter_count(filter); k++)
        status = apply_term(nwb, filter, k);
    for (uint32_t u = 0; u < nwb->n_units; u++)
        any = any || nwb->keep[u];
    if (status == SPK_OK && !any)
        status = spk_fail(nwb->context, SPK_ERR_ARGUMENT,
                          "%s: no unit of %s has %s; see its values with --label-column %s",
                          nwb->name, nwb->table, text, spk_row_filter_column(filter, 0));
    spk_row_filter_free(filter);
    return status;
}

spk_status spk_nwb_keep_units(spk_nwb *nwb)
{
    spk_status status =
        spk_alloc(nwb->context, &nwb->keep, nwb->n_units, "the units that are kept");
    if (status != SPK_OK)
        return status;
    for (uint32_t u = 0; u < nwb->n_units; u++)
        nwb->keep[u] = true;
    status = read_labels(nwb);
    if (status == SPK_OK && nwb->options->row_filter != NULL)
        status = apply_filter(nwb, nwb->options->row_filter);
    if (status == SPK_OK)
        status = check_labels(nwb);
    if (status == SPK_OK && nwb->options->units != NULL)
        status = spk_unit_list_apply(nwb->context, nwb->name, nwb->options->units, nwb->n_units,
                                     (const char *const *)nwb->labels.name, nwb->keep);
    return status;
}
