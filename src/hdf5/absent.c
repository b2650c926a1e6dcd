/* Stands in for files in builds without HDF5: no file can be opened, so nothing else is called. */
#include <assert.h>
#include <stddef.h>

#include "hdf5/file.h"
#include "hdf5/library.h"
#include "hdf5/make.h"

#if !SPIKEMINE_HAVE_HDF5

spk_status spk_h5_open(spk_context *context, const char *path, spk_h5_file **out)
{
    const char *reason = "";
    *out = NULL;
    spk_h5_available(&reason);
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s", path, reason);
}

spk_status spk_h5_make(spk_context *context, const char *path, const char *name, spk_h5_maker **out)
{
    const char *reason = "";
    (void)path;
    *out = NULL;
    spk_h5_available(&reason);
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s", name, reason);
}

spk_status spk_h5_make_end(spk_context *context, spk_h5_maker *maker)
{
    (void)context, (void)maker;
    return SPK_OK;
}

void spk_h5_close(spk_h5_file *file)
{
    assert(file == NULL);
    (void)file;
}

const char *spk_h5_name(const spk_h5_file *file)
{
    (void)file;
    return "";
}

uint64_t spk_h5_size(const spk_h5_file *file)
{
    (void)file;
    return 0;
}

spk_h5_kind spk_h5_find_within(spk_h5_file *file, const char *path)
{
    (void)file, (void)path;
    return SPK_H5_NOTHING;
}

void spk_h5_names_free(spk_h5_names *names)
{
    *names = (spk_h5_names){NULL, 0};
}

void spk_h5_data_close(spk_h5_data *data)
{
    *data = (spk_h5_data){.id = -1, .type_id = -1};
}

/* The functions that need an open file. */
#define ABSENT(name, ...)                                                                          \
    spk_status name(spk_context *context, __VA_ARGS__)                                             \
    {                                                                                              \
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "this build has no HDF5");                   \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
ABSENT(spk_h5_find, spk_h5_file *file, const char *path, spk_h5_kind *kind)
ABSENT(spk_h5_list, spk_h5_file *file, const char *path, spk_h5_names *out)
ABSENT(spk_h5_number_of, spk_h5_file *file, const char *path, const char *attribute, double *out,
       bool *found)
ABSENT(spk_h5_text_of, spk_h5_file *file, const char *path, const char *attribute, char *out,
       size_t size, bool *found)
ABSENT(spk_h5_number_in, const spk_h5_data *data, const char *attribute, double *out, bool *found)
ABSENT(spk_h5_text_in, const spk_h5_data *data, const char *attribute, char *out, size_t size,
       bool *found)
ABSENT(spk_h5_data_open, spk_h5_file *file, const char *path, spk_h5_data *out)
ABSENT(spk_h5_data_open_reference, spk_h5_file *file, uint64_t reference, const char *path,
       spk_h5_data *out, bool *is_data)
ABSENT(spk_h5_read_doubles, const spk_h5_data *data, spk_h5_part part, double *out)
ABSENT(spk_h5_read_integers, const spk_h5_data *data, spk_h5_part part, int64_t *out)
ABSENT(spk_h5_read_references, const spk_h5_data *data, spk_h5_part part, uint64_t *out)
ABSENT(spk_h5_read_texts, const spk_h5_data *data, spk_h5_names *out)
ABSENT(spk_h5_make_group, spk_h5_maker *maker, const char *path)
ABSENT(spk_h5_make_texts, spk_h5_maker *maker, const char *path, size_t n, const char *const *texts)
ABSENT(spk_h5_make_numbers, spk_h5_maker *maker, const char *path, spk_h5_number number,
       uint64_t rows, uint64_t columns)
ABSENT(spk_h5_put, spk_h5_maker *maker, uint64_t first, uint64_t n, const void *values)
ABSENT(spk_h5_set_texts, spk_h5_maker *maker, const char *path, const char *attribute, size_t n,
       const char *const *texts)
ABSENT(spk_h5_set_number, spk_h5_maker *maker, const char *path, const char *attribute,
       double value)
ABSENT(spk_h5_set_reference, spk_h5_maker *maker, const char *path, const char *attribute,
       const char *to)

#endif
