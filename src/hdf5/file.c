/* Files, groups and attributes. */
#include "hdf5/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/reads.h"
#include "hdf5/inside.h"

#if SPIKEMINE_HAVE_HDF5

enum { SEARCH_BYTES = 4096, TEXT_BYTES = 4096 };

/* ---- failures -------------------------------------------------------------------------------- */

/* Takes the innermost of the errors, which tells most. */
static herr_t take_first(unsigned n, const H5E_error2_t *error, void *user)
{
    char *text = user;
    if (n == 0 && error->desc != NULL)
        snprintf(text, 160, "%s", error->desc);
    return 0;
}

spk_status spk_h5_fail(spk_context *context, spk_h5_file *file, const char *path)
{
    char text[160] = "no cause is told";
    file->h5->H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, text);
    file->h5->H5Eclear2(H5E_DEFAULT);
    bool left = file->left_the_file;
    file->left_the_file = false;
    if (left)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: %s is a link into another file (%s), which is not followed; read that "
                        "file, or copy the data into one (h5repack)",
                        file->name, path, file->other_file);
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: %s cannot be read (HDF5: %s); is the file damaged? Copy it again",
                    file->name, path, text);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A link into another file: it is remembered, and the answer forbids to follow it. */
static herr_t refuse_link(const char *parent, const char *name, const char *other,
                          const char *object, unsigned *flags, hid_t access, void *user)
{
    spk_h5_file *file = user;
    (void)parent, (void)name, (void)object, (void)flags, (void)access;
    file->left_the_file = true;
    snprintf(file->other_file, sizeof file->other_file, "%s", other != NULL ? other : "");
    return -1;
}

static const unsigned char SIGNATURE[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* Whether the stored bytes are HDF5: at the beginning, or behind a block of 512, 1024, ... bytes.
 */
static bool has_signature(FILE *stream, uint64_t size)
{
    unsigned char head[sizeof SIGNATURE];
    for (uint64_t at = 0; at + sizeof head <= size; at = at == 0 ? 512 : at * 2)
        if (fseeko(stream, (off_t)at, SEEK_SET) != 0 ||
            fread(head, 1, sizeof head, stream) != sizeof head)
            return false;
        else if (memcmp(head, SIGNATURE, sizeof head) == 0)
            return true;
    return false;
}

/* What HDF5 would say less clearly. */
static spk_status check_file(spk_context *context, const char *path, uint64_t *bytes)
{
    struct stat info;
    spk_status status = SPK_OK;
    FILE *stream = strcmp(path, "-") != 0 ? fopen(path, "rbe") : stdin;
    if (stream == NULL)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    bool is_file = stream != stdin && fstat(fileno(stream), &info) == 0 && S_ISREG(info.st_mode);
    if (!is_file)
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: HDF5 files (NWB, MATLAB) cannot be read from a pipe; save it to a "
                          "file and give its name",
                          stream == stdin ? "standard input" : path);
    else if (!has_signature(stream, (uint64_t)info.st_size))
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: is no HDF5 file as it is stored; decompress it first, or name its "
                          "format (--input-format)",
                          path);
    if (status == SPK_OK)
        status = spk_reads_add(context, fileno(stream));
    *bytes = is_file ? (uint64_t)info.st_size : 0;
    if (stream != stdin)
        fclose(stream);
    return status;
}

static spk_status open_file(spk_context *context, spk_h5_file *file)
{
    const spk_h5 *h5 = file->h5;
    hid_t access = h5->H5Pcreate(*h5->H5P_CLS_FILE_ACCESS_ID_g);
    file->access = h5->H5Pcreate(*h5->H5P_CLS_LINK_ACCESS_ID_g);
    bool set = access >= 0 && file->access >= 0 &&
               h5->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
               /* a search reads few numbers at many places */
               h5->H5Pset_sieve_buf_size(access, SEARCH_BYTES) >= 0 &&
               h5->H5Pset_elink_cb(file->access, refuse_link, file) >= 0;
    if (set)
        file->id = h5->H5Fopen(file->name, H5F_ACC_RDONLY, access);
    /* The next call takes the cause away. */
    spk_status status = file->id >= 0 ? SPK_OK : spk_h5_fail(context, file, "the file");
    if (access >= 0)
        h5->H5Pclose(access);
    return status;
}

spk_status spk_h5_open(spk_context *context, const char *path, spk_h5_file **out)
{
    *out = NULL;
    spk_h5_file *file = NULL;
    uint64_t bytes = 0;
    spk_status status = check_file(context, path, &bytes);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &file, 1, "a file");
    if (status != SPK_OK)
        return status;
    file->id = file->access = -1;
    file->bytes = bytes;
    status = spk_strdup(context, &file->name, path);
    if (status == SPK_OK)
        status = spk_h5_enter(context, &file->visit, &file->h5);
    if (status == SPK_OK)
        status = open_file(context, file);
    if (status == SPK_OK)
        *out = file;
    else
        spk_h5_close(file);
    return status;
}

void spk_h5_close(spk_h5_file *file)
{
    if (file == NULL)
        return;
    if (file->access >= 0)
        file->h5->H5Pclose(file->access);
    if (file->id >= 0)
        file->h5->H5Fclose(file->id);
    if (file->h5 != NULL)
        spk_h5_leave(&file->visit);
    free(file->name);
    free(file);
}

const char *spk_h5_name(const spk_h5_file *file)
{
    return file->name;
}

uint64_t spk_h5_size(const spk_h5_file *file)
{
    return file->bytes;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Whether links of these names are there, each of the path; what they lead to may still be missing.
 */
static spk_status has_links(spk_context *context, spk_h5_file *file, const char *path, bool *out)
{
    char *part = NULL;
    spk_status status = spk_strdup(context, &part, path);
    *out = true;
    for (char *at = part; status == SPK_OK && *out && at != NULL && *at != '\0';) {
        char *slash = strchr(at + 1, '/');
        if (slash != NULL)
            *slash = '\0';
        htri_t there =
            strcmp(part, "/") == 0 ? 1 : file->h5->H5Lexists(file->id, part, file->access);
        if (there < 0)
            status = spk_h5_fail(context, file, path);
        *out = there > 0;
        if (slash != NULL)
            *slash = '/';
        at = slash;
    }
    free(part);
    return status;
}

spk_status spk_h5_find(spk_context *context, spk_h5_file *file, const char *path, spk_h5_kind *kind)
{
    const spk_h5 *h5 = file->h5;
    bool there = false;
    *kind = SPK_H5_NOTHING;
    if (path[0] == '\0')
        return SPK_OK;
    spk_status status = has_links(context, file, path, &there);
    if (status != SPK_OK || !there)
        return status;
    hid_t object = h5->H5Oopen(file->id, path, file->access);
    if (object < 0)
        return spk_h5_fail(context, file, path);
    H5I_type_t type = h5->H5Iget_type(object);
    *kind = type == H5I_GROUP ? SPK_H5_GROUP : type == H5I_DATASET ? SPK_H5_DATA : SPK_H5_OTHER;
    h5->H5Oclose(object);
    return SPK_OK;
}

spk_h5_kind spk_h5_find_within(spk_h5_file *file, const char *path)
{
    spk_h5_kind kind = SPK_H5_NOTHING;
    return spk_h5_find(NULL, file, path, &kind) == SPK_OK ? kind : SPK_H5_OTHER;
}

void spk_h5_names_free(spk_h5_names *names)
{
    for (size_t k = 0; k < names->n; k++)
        free(names->name[k]);
    free(names->name);
    *names = (spk_h5_names){NULL, 0};
}

static spk_status take_name(spk_context *context, spk_h5_file *file, hid_t group, const char *path,
                            hsize_t k, spk_h5_names *out)
{
    const spk_h5 *h5 = file->h5;
    ssize_t n =
        h5->H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, NULL, 0, file->access);
    if (n < 0 || n > TEXT_BYTES)
        return spk_h5_fail(context, file, path);
    spk_status status = spk_alloc_zero(context, &out->name[k], (uint64_t)n + 1, "names");
    if (status != SPK_OK)
        return status;
    out->n++;
    n = h5->H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, out->name[k],
                               (size_t)n + 1, file->access);
    return n >= 0 ? SPK_OK : spk_h5_fail(context, file, path);
}

spk_status spk_h5_list(spk_context *context, spk_h5_file *file, const char *path, spk_h5_names *out)
{
    const spk_h5 *h5 = file->h5;
    spk_h5_kind kind = SPK_H5_NOTHING;
    H5G_info_t info = {.nlinks = 0};
    *out = (spk_h5_names){NULL, 0};
    spk_status status = spk_h5_find(context, file, path, &kind);
    if (status != SPK_OK || kind != SPK_H5_GROUP)
        return status;
    hid_t group = h5->H5Gopen2(file->id, path, H5P_DEFAULT);
    if (group < 0 || h5->H5Gget_info(group, &info) < 0)
        status = spk_h5_fail(context, file, path);
    else if (info.nlinks > SPK_H5_MAX_NAMES)
        status = spk_fail(context, SPK_ERR_RANGE, "%s: %s has %" PRIu64 " members, more than %d",
                          file->name, path, (uint64_t)info.nlinks, SPK_H5_MAX_NAMES);
    else
        status = spk_alloc_zero(context, &out->name, info.nlinks, "names");
    for (hsize_t k = 0; status == SPK_OK && k < info.nlinks; k++)
        status = take_name(context, file, group, path, k, out);
    if (group >= 0)
        h5->H5Gclose(group);
    if (status != SPK_OK)
        spk_h5_names_free(out);
    return status;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* An open attribute of one value, with its type. */
typedef struct attribute {
    hid_t id;
    hid_t type;
} attribute;

static void attribute_close(const spk_h5 *h5, attribute *a)
{
    if (a->type >= 0)
        h5->H5Tclose(a->type);
    if (a->id >= 0)
        h5->H5Aclose(a->id);
}

static bool has_one_value(const spk_h5 *h5, hid_t id)
{
    hid_t space = h5->H5Aget_space(id);
    hsize_t dims[H5S_MAX_RANK] = {0};
    bool one = false;
    if (space >= 0) {
        int rank = h5->H5Sget_simple_extent_ndims(space);
        H5S_class_t class = h5->H5Sget_simple_extent_type(space);
        one = class == H5S_SCALAR ||
              (class == H5S_SIMPLE && rank >= 1 && rank <= H5S_MAX_RANK &&
               h5->H5Sget_simple_extent_dims(space, dims, NULL) >= 0 && dims[0] == 1);
        for (int k = 1; k < rank; k++)
            one = one && dims[k] == 1;
        h5->H5Sclose(space);
    }
    return one;
}

/* Opens an attribute of an open object where there is one, of one value. */
static spk_status attribute_open(spk_context *context, spk_h5_file *file, const char *path,
                                 hid_t object, const char *name, attribute *a, bool *found)
{
    const spk_h5 *h5 = file->h5;
    *a = (attribute){-1, -1};
    *found = false;
    htri_t there = h5->H5Aexists(object, name);
    if (there == 0)
        return SPK_OK;
    a->id = there > 0 ? h5->H5Aopen(object, name, H5P_DEFAULT) : -1;
    a->type = a->id >= 0 ? h5->H5Aget_type(a->id) : -1;
    if (a->type < 0)
        return spk_h5_fail(context, file, path);
    *found = has_one_value(h5, a->id);
    return SPK_OK;
}

static spk_status read_number(spk_context *context, spk_h5_file *file, const char *path,
                              hid_t object, const char *name, double *out, bool *found)
{
    const spk_h5 *h5 = file->h5;
    attribute a;
    spk_status status = attribute_open(context, file, path, object, name, &a, found);
    if (status == SPK_OK && *found) {
        H5T_class_t class = h5->H5Tget_class(a.type);
        *found = class == H5T_INTEGER || class == H5T_FLOAT;
        if (*found && h5->H5Aread(a.id, *h5->H5T_NATIVE_DOUBLE_g, out) < 0)
            status = spk_h5_fail(context, file, path);
    }
    *found = *found && status == SPK_OK;
    attribute_close(h5, &a);
    return status;
}

static spk_status read_variable_text(spk_context *context, spk_h5_file *file, const char *path,
                                     const attribute *a, char *out, size_t size)
{
    const spk_h5 *h5 = file->h5;
    char *text = NULL;
    if (h5->H5Aread(a->id, a->type, &text) < 0)
        return spk_h5_fail(context, file, path);
    snprintf(out, size, "%s", text != NULL ? text : "");
    hid_t space = h5->H5Screate(H5S_SCALAR);
    if (space >= 0) {
        h5->H5Dvlen_reclaim(a->type, space, H5P_DEFAULT, &text);
        h5->H5Sclose(space);
    }
    return SPK_OK;
}

static spk_status read_text(spk_context *context, spk_h5_file *file, const char *path, hid_t object,
                            const char *name, char *out, size_t size, bool *found)
{
    const spk_h5 *h5 = file->h5;
    attribute a;
    char fixed[TEXT_BYTES + 1] = "";
    spk_status status = attribute_open(context, file, path, object, name, &a, found);
    if (status == SPK_OK && *found)
        *found = h5->H5Tget_class(a.type) == H5T_STRING;
    if (status == SPK_OK && *found && h5->H5Tis_variable_str(a.type) > 0) {
        status = read_variable_text(context, file, path, &a, out, size);
    } else if (status == SPK_OK && *found) {
        *found = h5->H5Tget_size(a.type) <= TEXT_BYTES;
        if (*found && h5->H5Aread(a.id, a.type, fixed) < 0)
            status = spk_h5_fail(context, file, path);
        snprintf(out, size, "%s", fixed);
    }
    *found = *found && status == SPK_OK;
    attribute_close(h5, &a);
    return status;
}

spk_status spk_h5_number_of(spk_context *context, spk_h5_file *file, const char *path,
                            const char *name, double *out, bool *found)
{
    *found = false;
    hid_t object = file->h5->H5Oopen(file->id, path, file->access);
    if (object < 0)
        return spk_h5_fail(context, file, path);
    spk_status status = read_number(context, file, path, object, name, out, found);
    file->h5->H5Oclose(object);
    return status;
}

spk_status spk_h5_text_of(spk_context *context, spk_h5_file *file, const char *path,
                          const char *name, char *out, size_t size, bool *found)
{
    *found = false;
    hid_t object = file->h5->H5Oopen(file->id, path, file->access);
    if (object < 0)
        return spk_h5_fail(context, file, path);
    spk_status status = read_text(context, file, path, object, name, out, size, found);
    file->h5->H5Oclose(object);
    return status;
}

spk_status spk_h5_number_in(spk_context *context, const spk_h5_data *data, const char *name,
                            double *out, bool *found)
{
    return read_number(context, data->file, data->path, data->id, name, out, found);
}

spk_status spk_h5_text_in(spk_context *context, const spk_h5_data *data, const char *name,
                          char *out, size_t size, bool *found)
{
    return read_text(context, data->file, data->path, data->id, name, out, size, found);
}

#endif
