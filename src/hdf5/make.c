/* Files in the making. */
#include "hdf5/make.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "hdf5/library.h"

#if SPIKEMINE_HAVE_HDF5

struct spk_h5_maker {
    const spk_h5 *h5;
    spk_h5_visit visit;
    char *name;
    hid_t id;
    hid_t text;     /* the type of texts */
    hid_t creation; /* without dates */
    hid_t data;     /* the dataset that is open, with the type of its values in memory; -1: none */
    hid_t number;
    uint64_t columns;
    bool failed; /* the disk took something not, and takes nothing more */
};

static spk_status fail_write(spk_context *context, const spk_h5_maker *maker, const char *path)
{
    return spk_fail(context, SPK_ERR_IO, "%s: writing %s failed; is the disk full?", maker->name,
                    path);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* The library takes the process down when it cannot write what it holds back while it closes a
 * file. So after the first failure its bytes go nowhere. */
static void divert(spk_h5_maker *maker)
{
    void *descriptor = NULL; /* of an int */
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    maker->failed = true;
    if (nowhere >= 0 && maker->id >= 0 &&
        maker->h5->H5Fget_vfd_handle(maker->id, H5P_DEFAULT, &descriptor) >= 0)
        (void)!dup2(nowhere, *(const int *)descriptor);
    if (nowhere >= 0)
        close(nowhere);
}

/* Whether all is on the disk; to be asked before anything is closed. */
static bool reached_disk(spk_h5_maker *maker, bool written)
{
    if (maker->failed)
        return false;
    if (!written || maker->h5->H5Fflush(maker->id, H5F_SCOPE_LOCAL) < 0)
        divert(maker);
    return !maker->failed;
}

/* ---- the file -------------------------------------------------------------------------------- */

static spk_status begin(spk_context *context, spk_h5_maker *maker, const char *path)
{
    const spk_h5 *h5 = maker->h5;
    maker->text = h5->H5Tcopy(*h5->H5T_C_S1_g);
    maker->creation = h5->H5Pcreate(*h5->H5P_CLS_DATASET_CREATE_ID_g);
    bool set = maker->text >= 0 && maker->creation >= 0 &&
               h5->H5Tset_size(maker->text, H5T_VARIABLE) >= 0 &&
               h5->H5Tset_cset(maker->text, H5T_CSET_UTF8) >= 0 &&
               h5->H5Pset_obj_track_times(maker->creation, false) >= 0;
    if (set)
        maker->id = h5->H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return maker->id >= 0 ? SPK_OK : fail_write(context, maker, "the file");
}

spk_status spk_h5_make(spk_context *context, const char *path, const char *name, spk_h5_maker **out)
{
    spk_h5_maker *maker = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &maker, 1, "a file");
    if (status != SPK_OK)
        return status;
    maker->id = maker->text = maker->creation = maker->data = -1;
    status = spk_strdup(context, &maker->name, name);
    if (status == SPK_OK)
        status = spk_h5_enter(context, &maker->visit, &maker->h5);
    if (status == SPK_OK)
        status = begin(context, maker, path);
    if (status == SPK_OK)
        *out = maker;
    else
        (void)!spk_h5_make_end(NULL, maker);
    return status;
}

static bool close_data(spk_h5_maker *maker)
{
    bool closed = maker->data < 0 || reached_disk(maker, true);
    if (maker->data >= 0)
        closed = maker->h5->H5Dclose(maker->data) >= 0 && closed;
    maker->data = -1;
    return closed;
}

spk_status spk_h5_make_end(spk_context *context, spk_h5_maker *maker)
{
    if (maker == NULL)
        return SPK_OK;
    const spk_h5 *h5 = maker->h5;
    bool closed = close_data(maker);
    if (maker->text >= 0)
        h5->H5Tclose(maker->text);
    if (maker->creation >= 0)
        h5->H5Pclose(maker->creation);
    closed = maker->id >= 0 && reached_disk(maker, closed);
    if (maker->id >= 0)
        closed = h5->H5Fclose(maker->id) >= 0 && closed;
    spk_status status = closed ? SPK_OK : fail_write(context, maker, "the file");
    if (h5 != NULL)
        spk_h5_leave(&maker->visit);
    free(maker->name);
    free(maker);
    return status;
}

/* ---- objects --------------------------------------------------------------------------------- */

spk_status spk_h5_make_group(spk_context *context, spk_h5_maker *maker, const char *path)
{
    const spk_h5 *h5 = maker->h5;
    hid_t group = h5->H5Gcreate2(maker->id, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool made = reached_disk(maker, group >= 0);
    if (group >= 0)
        made = h5->H5Gclose(group) >= 0 && made;
    return made ? SPK_OK : fail_write(context, maker, path);
}

static hid_t make_space(const spk_h5 *h5, uint64_t rows, uint64_t columns)
{
    const hsize_t dims[2] = {rows, columns};
    return h5->H5Screate_simple(columns > 1 ? 2 : 1, dims, NULL);
}

spk_status spk_h5_make_texts(spk_context *context, spk_h5_maker *maker, const char *path, size_t n,
                             const char *const *texts)
{
    const spk_h5 *h5 = maker->h5;
    hid_t space = n > 0 ? make_space(h5, n, 1) : h5->H5Screate(H5S_SCALAR);
    hid_t data = space < 0 ? -1
                           : h5->H5Dcreate2(maker->id, path, maker->text, space, H5P_DEFAULT,
                                            maker->creation, H5P_DEFAULT);
    bool written = reached_disk(maker, data >= 0 && h5->H5Dwrite(data, maker->text, H5S_ALL,
                                                                 H5S_ALL, H5P_DEFAULT, texts) >= 0);
    if (data >= 0)
        written = h5->H5Dclose(data) >= 0 && written;
    if (space >= 0)
        h5->H5Sclose(space);
    return written ? SPK_OK : fail_write(context, maker, path);
}

spk_status spk_h5_make_numbers(spk_context *context, spk_h5_maker *maker, const char *path,
                               spk_h5_number number, uint64_t rows, uint64_t columns)
{
    const spk_h5 *h5 = maker->h5;
    const hid_t stored = number == SPK_H5_MAKE_DOUBLE  ? *h5->H5T_IEEE_F64LE_g
                         : number == SPK_H5_MAKE_INT64 ? *h5->H5T_STD_I64LE_g
                                                       : *h5->H5T_STD_U64LE_g;
    hid_t space = make_space(h5, rows, columns);
    bool closed = close_data(maker);
    maker->columns = columns;
    maker->number = number == SPK_H5_MAKE_DOUBLE  ? *h5->H5T_NATIVE_DOUBLE_g
                    : number == SPK_H5_MAKE_INT64 ? *h5->H5T_NATIVE_INT64_g
                                                  : *h5->H5T_NATIVE_UINT64_g;
    if (space >= 0) {
        maker->data = h5->H5Dcreate2(maker->id, path, stored, space, H5P_DEFAULT, maker->creation,
                                     H5P_DEFAULT);
        h5->H5Sclose(space);
    }
    return closed && reached_disk(maker, maker->data >= 0) ? SPK_OK
                                                           : fail_write(context, maker, path);
}

spk_status spk_h5_put(spk_context *context, spk_h5_maker *maker, uint64_t first, uint64_t n,
                      const void *values)
{
    const spk_h5 *h5 = maker->h5;
    const hsize_t start[2] = {first, 0}, count[2] = {n, maker->columns};
    if (n == 0)
        return SPK_OK;
    hid_t there = h5->H5Dget_space(maker->data), here = make_space(h5, n, maker->columns);
    bool written = there >= 0 && here >= 0 &&
                   h5->H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                   h5->H5Dwrite(maker->data, maker->number, here, there, H5P_DEFAULT, values) >= 0;
    if (!written)
        divert(maker);
    if (there >= 0)
        h5->H5Sclose(there);
    if (here >= 0)
        h5->H5Sclose(here);
    return written ? SPK_OK : fail_write(context, maker, "numbers");
}

/* ---- attributes ------------------------------------------------------------------------------ */

static spk_status set(spk_context *context, spk_h5_maker *maker, const char *path,
                      const char *attribute, hid_t type, size_t n, const void *value)
{
    const spk_h5 *h5 = maker->h5;
    hid_t object = h5->H5Oopen(maker->id, path, H5P_DEFAULT);
    hid_t space = n > 0 ? make_space(h5, n, 1) : h5->H5Screate(H5S_SCALAR);
    hid_t id = object >= 0 && space >= 0
                   ? h5->H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT)
                   : -1;
    bool written = reached_disk(maker, id >= 0 && h5->H5Awrite(id, type, value) >= 0);
    if (id >= 0)
        written = h5->H5Aclose(id) >= 0 && written;
    if (space >= 0)
        h5->H5Sclose(space);
    if (object >= 0)
        h5->H5Oclose(object);
    return written ? SPK_OK : fail_write(context, maker, path);
}

spk_status spk_h5_set_texts(spk_context *context, spk_h5_maker *maker, const char *path,
                            const char *attribute, size_t n, const char *const *texts)
{
    return set(context, maker, path, attribute, maker->text, n, texts);
}

spk_status spk_h5_set_number(spk_context *context, spk_h5_maker *maker, const char *path,
                             const char *attribute, double value)
{
    return set(context, maker, path, attribute, *maker->h5->H5T_NATIVE_DOUBLE_g, 0, &value);
}

spk_status spk_h5_set_reference(spk_context *context, spk_h5_maker *maker, const char *path,
                                const char *attribute, const char *to)
{
    hobj_ref_t reference = 0;
    if (maker->h5->H5Rcreate(&reference, maker->id, to, H5R_OBJECT, -1) < 0)
        return fail_write(context, maker, to);
    return set(context, maker, path, attribute, *maker->h5->H5T_STD_REF_OBJ_g, 0, &reference);
}

#endif
