/* Datasets: checked, then read in parts. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hdf5/file.h"
#include "hdf5/inside.h"

#if SPIKEMINE_HAVE_HDF5

enum {
    SMALL_BYTES = 64 << 20,   /* that every dataset may hold, whatever is stored */
    CACHE_BYTES = 1 << 20,    /* of a dataset's chunks, unless set */
    TEXT_ITEM_BYTES = 1 << 16 /* of a text of fixed length */
};

/* ---- what it is made of ---------------------------------------------------------------------- */

static void name_type(const spk_h5 *h5, spk_h5_data *data)
{
    static const struct {
        H5T_class_t class;
        spk_h5_type type;
        const char *name;
    } types[] = {
        {H5T_FLOAT, SPK_H5_FLOAT, "floating point"},
        {H5T_INTEGER, SPK_H5_INTEGER, "integer"},
        {H5T_ENUM, SPK_H5_INTEGER, "enumeration"},
        {H5T_STRING, SPK_H5_TEXT, "text"},
        {H5T_REFERENCE, SPK_H5_REFERENCE, "reference"},
        {H5T_COMPOUND, SPK_H5_OTHER_TYPE, "compound"},
        {H5T_VLEN, SPK_H5_OTHER_TYPE, "variable-length"},
        {H5T_ARRAY, SPK_H5_OTHER_TYPE, "array"},
        {H5T_OPAQUE, SPK_H5_OTHER_TYPE, "opaque"},
        {H5T_BITFIELD, SPK_H5_OTHER_TYPE, "bit field"},
    };
    H5T_class_t class = h5->H5Tget_class(data->type_id);
    data->type = SPK_H5_OTHER_TYPE;
    data->type_name = "unknown";
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (types[k].class == class) {
            data->type = types[k].type;
            data->type_name = types[k].name;
        }
    data->item_bytes = h5->H5Tget_size(data->type_id);
    data->is_signed = class != H5T_INTEGER || h5->H5Tget_sign(data->type_id) != H5T_SGN_NONE;
    data->is_variable = data->type == SPK_H5_TEXT && h5->H5Tis_variable_str(data->type_id) > 0;
}

static spk_status look_at_shape(spk_context *context, spk_h5_data *data)
{
    const spk_h5 *h5 = data->file->h5;
    hsize_t dims[H5S_MAX_RANK] = {0};
    hid_t space = h5->H5Dget_space(data->id);
    if (space < 0)
        return spk_h5_fail(context, data->file, data->path);
    H5S_class_t class = h5->H5Sget_simple_extent_type(space);
    int rank = class == H5S_SIMPLE ? h5->H5Sget_simple_extent_dims(space, dims, NULL) : 0;
    h5->H5Sclose(space);
    if (rank < 0 || class == H5S_NO_CLASS)
        return spk_h5_fail(context, data->file, data->path);
    if (rank > 2)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: %s has %d dimensions; at most two are expected", data->file->name,
                        data->path, rank);
    data->rank = rank;
    data->rows = class == H5S_NULL ? 0 : rank >= 1 ? dims[0] : 1;
    data->columns = rank >= 2 ? dims[1] : 1;
    return SPK_OK;
}

/* ---- what is stored -------------------------------------------------------------------------- */

static const char *filter_name(int filter, const char *stored)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{305, "lzo"},     {307, "bzip2"},  {32000, "lzf"},
                 {32001, "blosc"}, {32004, "lz4"},  {32008, "bitshuffle"},
                 {32013, "zfp"},   {32015, "zstd"}, {32026, "blosc2"}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (known[k].number == filter)
            return known[k].name;
    return stored[0] != '\0' ? stored : "unknown";
}

static spk_status check_filters(spk_context *context, const spk_h5_data *data, hid_t creation)
{
    const spk_h5 *h5 = data->file->h5;
    int n = h5->H5Pget_nfilters(creation);
    if (n < 0)
        return spk_h5_fail(context, data->file, data->path);
    for (int k = 0; k < n; k++) {
        char stored[64] = "";
        unsigned flags = 0;
        size_t n_values = 0;
        H5Z_filter_t filter = h5->H5Pget_filter2(creation, (unsigned)k, &flags, &n_values, NULL,
                                                 sizeof stored, stored, NULL);
        stored[sizeof stored - 1] = '\0';
        if (filter < 0)
            return spk_h5_fail(context, data->file, data->path);
        if (h5->H5Zfilter_avail(filter) <= 0)
            return spk_fail(context, SPK_ERR_UNAVAILABLE,
                            "%s: %s is compressed with %s (HDF5 filter %d), which is not here; "
                            "install the plugin (HDF5_PLUGIN_PATH), or write the file with gzip "
                            "(h5repack -f GZIP=4)",
                            data->file->name, data->path, filter_name(filter, stored), filter);
    }
    return SPK_OK;
}

static spk_status fail_size(spk_context *context, const spk_h5_data *data)
{
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: %s promises %" PRIu64 " x %" PRIu64 " values of %zu bytes, more than the "
                    "file can hold; it is damaged or not complete: copy it again",
                    data->file->name, data->path, data->rows, data->columns, data->item_bytes);
}

/* Chunks grow when they are decompressed, within the limit that compressed files have. */
static spk_status check_chunks(spk_context *context, const spk_h5_data *data, hid_t creation,
                               uint64_t bytes, uint64_t *chunk_bytes)
{
    const spk_h5 *h5 = data->file->h5;
    hsize_t dims[H5S_MAX_RANK] = {0};
    uint64_t stored = h5->H5Dget_storage_size(data->id), allowed = 0;
    int rank = h5->H5Pget_chunk(creation, H5S_MAX_RANK, dims);
    if (rank < 0)
        return spk_h5_fail(context, data->file, data->path);
    *chunk_bytes = data->item_bytes;
    for (int k = 0; k < rank; k++)
        if (__builtin_mul_overflow(*chunk_bytes, dims[k], chunk_bytes))
            return fail_size(context, data);
    stored = stored < data->file->bytes ? stored : data->file->bytes;
    if (__builtin_mul_overflow(stored, spk_context_max_expansion(context), &allowed))
        allowed = UINT64_MAX;
    allowed = allowed > SMALL_BYTES ? allowed : SMALL_BYTES;
    return bytes <= allowed && *chunk_bytes <= allowed ? SPK_OK : fail_size(context, data);
}

static spk_status check_layout(spk_context *context, const spk_h5_data *data, hid_t creation,
                               uint64_t bytes, uint64_t *chunk_bytes)
{
    const spk_h5 *h5 = data->file->h5;
    switch (h5->H5Pget_layout(creation)) {
    case H5D_COMPACT:
        return bytes <= data->file->bytes ? SPK_OK : fail_size(context, data);
    case H5D_CONTIGUOUS:
        break;
    case H5D_CHUNKED:
        return check_chunks(context, data, creation, bytes, chunk_bytes);
    default:
        return spk_fail(
            context, SPK_ERR_FORMAT,
            "%s: %s is virtual: its data lie in other files, which are not opened; copy "
            "them into one file (h5repack -l CONTI)",
            data->file->name, data->path);
    }
    if (h5->H5Pget_external_count(creation) != 0)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: the data of %s lie in another file, which is not opened; copy them "
                        "into one file (h5repack -l CONTI)",
                        data->file->name, data->path);
    haddr_t at = h5->H5Dget_offset(data->id);
    if (bytes > 0 &&
        (at == HADDR_UNDEF || at > data->file->bytes || bytes > data->file->bytes - at))
        return fail_size(context, data);
    return SPK_OK;
}

static spk_status look_at_storage(spk_context *context, const spk_h5_data *data,
                                  uint64_t *chunk_bytes)
{
    const spk_h5 *h5 = data->file->h5;
    uint64_t bytes = 0;
    if (data->item_bytes == 0 || __builtin_mul_overflow(data->rows, data->columns, &bytes) ||
        __builtin_mul_overflow(bytes, data->item_bytes, &bytes))
        return fail_size(context, data);
    hid_t creation = h5->H5Dget_create_plist(data->id);
    if (creation < 0)
        return spk_h5_fail(context, data->file, data->path);
    spk_status status = check_filters(context, data, creation);
    if (status == SPK_OK)
        status = check_layout(context, data, creation, bytes, chunk_bytes);
    h5->H5Pclose(creation);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static spk_status look(spk_context *context, spk_h5_data *data, uint64_t *chunk_bytes)
{
    const spk_h5 *h5 = data->file->h5;
    data->type_id = h5->H5Dget_type(data->id);
    if (data->type_id < 0)
        return spk_h5_fail(context, data->file, data->path);
    name_type(h5, data);
    spk_status status = look_at_shape(context, data);
    return status == SPK_OK ? look_at_storage(context, data, chunk_bytes) : status;
}

/* Opens it anew with room for two chunks, so that none is decompressed twice. */
static spk_status widen_cache(spk_context *context, spk_h5_data *data, uint64_t chunk_bytes)
{
    const spk_h5 *h5 = data->file->h5;
    hid_t access = h5->H5Pcreate(*h5->H5P_CLS_DATASET_ACCESS_ID_g);
    if (access < 0 || h5->H5Pset_chunk_cache(access, 521, (size_t)chunk_bytes * 2, 1.0) < 0)
        return spk_h5_fail(context, data->file, data->path);
    h5->H5Dclose(data->id);
    data->id = h5->H5Dopen2(data->file->id, data->path, access);
    spk_status status = data->id >= 0 ? SPK_OK : spk_h5_fail(context, data->file, data->path);
    h5->H5Pclose(access);
    return status;
}

static spk_status begin(spk_context *context, spk_h5_file *file, const char *path, spk_h5_data *out)
{
    *out = (spk_h5_data){.file = file, .id = -1, .type_id = -1, .type_name = ""};
    return spk_strdup(context, &out->path, path);
}

spk_status spk_h5_data_open(spk_context *context, spk_h5_file *file, const char *path,
                            spk_h5_data *out)
{
    spk_h5_kind kind = SPK_H5_NOTHING;
    uint64_t chunk_bytes = 0;
    spk_status status = begin(context, file, path, out);
    if (status == SPK_OK)
        status = spk_h5_find(context, file, path, &kind);
    if (status != SPK_OK)
        return status;
    if (kind != SPK_H5_DATA)
        return spk_fail(context, SPK_ERR_FORMAT, "%s: %s is %s", file->name, path,
                        kind == SPK_H5_NOTHING ? "missing" : "no dataset");
    out->id = file->h5->H5Dopen2(file->id, path, H5P_DEFAULT);
    if (out->id < 0)
        return spk_h5_fail(context, file, path);
    status = look(context, out, &chunk_bytes);
    if (status == SPK_OK && chunk_bytes * 2 > CACHE_BYTES)
        status = widen_cache(context, out, chunk_bytes);
    return status;
}

spk_status spk_h5_data_open_reference(spk_context *context, spk_h5_file *file, uint64_t reference,
                                      const char *path, spk_h5_data *out, bool *is_data)
{
    const spk_h5 *h5 = file->h5;
    hobj_ref_t address = reference;
    uint64_t chunk_bytes = 0;
    *is_data = false;
    spk_status status = begin(context, file, path, out);
    if (status != SPK_OK)
        return status;
    hid_t object = h5->H5Rdereference2(file->id, H5P_DEFAULT, H5R_OBJECT, &address);
    if (object < 0)
        return spk_h5_fail(context, file, path);
    *is_data = h5->H5Iget_type(object) == H5I_DATASET;
    if (!*is_data) {
        h5->H5Oclose(object);
        return SPK_OK;
    }
    out->id = object;
    return look(context, out, &chunk_bytes);
}

void spk_h5_data_close(spk_h5_data *data)
{
    if (data->type_id >= 0 && data->file != NULL)
        data->file->h5->H5Tclose(data->type_id);
    if (data->id >= 0 && data->file != NULL)
        data->file->h5->H5Dclose(data->id);
    free(data->path);
    *data = (spk_h5_data){.id = -1, .type_id = -1};
}

/* ---- reading --------------------------------------------------------------------------------- */

static spk_status read_part(spk_context *context, const spk_h5_data *data, spk_h5_part part,
                            hid_t type, void *out)
{
    const spk_h5 *h5 = data->file->h5;
    const hsize_t start[2] = {part.row, part.column}, count[2] = {part.n_rows, part.n_columns};
    hsize_t n = part.n_rows * part.n_columns;
    hid_t there = -1, here = -1;
    assert(part.row <= data->rows && part.n_rows <= data->rows - part.row);
    assert(part.column <= data->columns && part.n_columns <= data->columns - part.column);
    if (n == 0)
        return SPK_OK;
    there = h5->H5Dget_space(data->id);
    here = h5->H5Screate_simple(1, &n, NULL);
    bool read = there >= 0 && here >= 0;
    if (read && data->rank > 0)
        read = h5->H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    read = read && h5->H5Dread(data->id, type, here, there, H5P_DEFAULT, out) >= 0;
    spk_status status = read ? SPK_OK : spk_h5_fail(context, data->file, data->path);
    if (there >= 0)
        h5->H5Sclose(there);
    if (here >= 0)
        h5->H5Sclose(here);
    return status;
}

spk_status spk_h5_read_doubles(spk_context *context, const spk_h5_data *data, spk_h5_part part,
                               double *out)
{
    assert(data->type == SPK_H5_FLOAT || data->type == SPK_H5_INTEGER);
    return read_part(context, data, part, *data->file->h5->H5T_NATIVE_DOUBLE_g, out);
}

spk_status spk_h5_read_integers(spk_context *context, const spk_h5_data *data, spk_h5_part part,
                                int64_t *out)
{
    const spk_h5 *h5 = data->file->h5;
    assert(data->type == SPK_H5_INTEGER);
    if (data->is_signed)
        return read_part(context, data, part, *h5->H5T_NATIVE_INT64_g, out);
    spk_status status = read_part(context, data, part, *h5->H5T_NATIVE_UINT64_g, out);
    for (uint64_t k = 0; status == SPK_OK && k < part.n_rows * part.n_columns; k++)
        if (out[k] < 0) /* read as unsigned */
            status = spk_fail(context, SPK_ERR_RANGE,
                              "%s: %s has %" PRIu64 " at row %" PRIu64 ", too large a number",
                              data->file->name, data->path, (uint64_t)out[k],
                              part.row + k / part.n_columns);
    return status;
}

spk_status spk_h5_read_references(spk_context *context, const spk_h5_data *data, spk_h5_part part,
                                  uint64_t *out)
{
    assert(data->type == SPK_H5_REFERENCE && data->item_bytes == sizeof *out);
    return read_part(context, data, part, *data->file->h5->H5T_STD_REF_OBJ_g, out);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Copies text of variable length, which the library allocated and frees. */
static spk_status copy_variable(spk_context *context, const spk_h5_data *data, spk_h5_names *out)
{
    const spk_h5 *h5 = data->file->h5;
    char **text = NULL;
    hsize_t n = data->rows;
    spk_status status = spk_alloc_zero(context, &text, n, "labels");
    if (status == SPK_OK)
        status = read_part(context, data, (spk_h5_part){0, 0, n, 1}, data->type_id, text);
    for (; status == SPK_OK && out->n < n; out->n += status == SPK_OK)
        status = spk_strdup(context, &out->name[out->n], text[out->n] != NULL ? text[out->n] : "");
    hid_t space = text != NULL ? h5->H5Screate_simple(1, &n, NULL) : -1;
    if (space >= 0) {
        h5->H5Dvlen_reclaim(data->type_id, space, H5P_DEFAULT, text);
        h5->H5Sclose(space);
    }
    free(text);
    return status;
}

static spk_status copy_fixed(spk_context *context, const spk_h5_data *data, spk_h5_names *out)
{
    size_t size = data->item_bytes;
    char *bytes = NULL;
    if (size > TEXT_ITEM_BYTES)
        return spk_fail(context, SPK_ERR_RANGE, "%s: %s has texts of %zu bytes; the most is %d",
                        data->file->name, data->path, size, TEXT_ITEM_BYTES);
    spk_status status = spk_alloc_bytes_zero(context, &bytes, data->rows, size, "labels");
    if (status == SPK_OK)
        status = read_part(context, data, (spk_h5_part){0, 0, data->rows, 1}, data->type_id, bytes);
    for (; status == SPK_OK && out->n < data->rows; out->n += status == SPK_OK) {
        const char *text = bytes + out->n * size;
        size_t length = strnlen(text, size);
        while (length > 0 && text[length - 1] == ' ') /* Fortran pads */
            length--;
        status = spk_alloc_zero(context, &out->name[out->n], length + 1, "labels");
        if (status == SPK_OK)
            memcpy(out->name[out->n], text, length);
    }
    free(bytes);
    return status;
}

spk_status spk_h5_read_texts(spk_context *context, const spk_h5_data *data, spk_h5_names *out)
{
    assert(data->type == SPK_H5_TEXT && data->columns == 1);
    *out = (spk_h5_names){NULL, 0};
    spk_status status = spk_alloc_zero(context, &out->name, data->rows, "labels");
    if (status == SPK_OK)
        status =
            data->is_variable ? copy_variable(context, data, out) : copy_fixed(context, data, out);
    if (status != SPK_OK)
        spk_h5_names_free(out);
    return status;
}

#endif
