#include "support/h5_make.h"

#if SPIKEMINE_HAVE_HDF5
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/folder.h"

/* An identifier or a result that must not be negative. */
static hid_t must(hid_t result)
{
    if (result < 0) {
        fprintf(stderr, "a test's HDF5 file cannot be made\n");
        exit(1);
    }
    return result;
}

hid_t h5_new(const char *name, size_t user_block)
{
    hid_t creation = must(H5Pcreate(H5P_FILE_CREATE));
    must(H5Pset_userblock(creation, user_block));
    hid_t file = must(H5Fcreate(test_path(name), H5F_ACC_TRUNC, creation, H5P_DEFAULT));
    must(H5Pclose(creation));
    return file;
}

void h5_end(hid_t file)
{
    must(H5Fclose(file));
}

void h5_group(hid_t file, const char *path)
{
    must(H5Gclose(must(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
}

static void write_data(hid_t file, const char *path, hid_t stored, hid_t type, hid_t space,
                       hid_t creation, const void *values)
{
    hid_t data = must(H5Dcreate2(file, path, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    if (values != NULL)
        must(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    must(H5Dclose(data));
    must(H5Sclose(space));
}

void h5_numbers(hid_t file, const char *path, hid_t stored, hid_t type, hsize_t n,
                const void *values)
{
    write_data(file, path, stored, type, must(H5Screate_simple(1, &n, NULL)), H5P_DEFAULT, values);
}

void h5_doubles(hid_t file, const char *path, hsize_t n, const double *values)
{
    h5_numbers(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, n, values);
}

void h5_int64s(hid_t file, const char *path, hsize_t n, const int64_t *values)
{
    h5_numbers(file, path, H5T_STD_I64LE, H5T_NATIVE_INT64, n, values);
}

void h5_matrix(hid_t file, const char *path, hid_t stored, hid_t type, hsize_t rows,
               hsize_t columns, hsize_t chunk, const void *values)
{
    const hsize_t dims[2] = {rows, columns};
    const hsize_t chunks[2] = {chunk < rows ? chunk : rows, columns};
    hid_t creation = must(H5Pcreate(H5P_DATASET_CREATE));
    if (chunk > 0) {
        must(H5Pset_chunk(creation, 2, chunks));
        must(H5Pset_deflate(creation, 4));
    }
    write_data(file, path, stored, type, must(H5Screate_simple(2, dims, NULL)), creation, values);
    must(H5Pclose(creation));
}

void h5_texts(hid_t file, const char *path, size_t length, hsize_t n, const char *const *texts)
{
    hid_t type = must(H5Tcopy(H5T_C_S1)), space = must(H5Screate_simple(1, &n, NULL));
    must(H5Tset_size(type, length > 0 ? length : H5T_VARIABLE));
    char *fixed = calloc(n + 1, length + 1);
    for (hsize_t k = 0; k < n && length > 0 && fixed != NULL; k++)
        memcpy(fixed + k * length, texts[k], strlen(texts[k]) < length ? strlen(texts[k]) : length);
    write_data(file, path, type, type, space, H5P_DEFAULT,
               length > 0 ? (const void *)fixed : (const void *)texts);
    free(fixed);
    must(H5Tclose(type));
}

void h5_references(hid_t file, const char *path, hsize_t rows, hsize_t columns,
                   const char *const *to)
{
    hobj_ref_t *reference = calloc(rows * columns + 1, sizeof *reference);
    for (hsize_t k = 0; k < rows * columns && reference != NULL; k++)
        must(H5Rcreate(&reference[k], file, to[k], H5R_OBJECT, -1));
    h5_matrix(file, path, H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, rows, columns, 0, reference);
    free(reference);
}

static void write_attribute(hid_t file, const char *path, const char *name, hid_t type,
                            const void *value)
{
    hid_t object = must(H5Oopen(file, path, H5P_DEFAULT)), space = must(H5Screate(H5S_SCALAR));
    hid_t attribute = must(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    must(H5Awrite(attribute, type, value));
    must(H5Aclose(attribute));
    must(H5Sclose(space));
    must(H5Oclose(object));
}

void h5_number_of(hid_t file, const char *path, const char *attribute, double value)
{
    write_attribute(file, path, attribute, H5T_NATIVE_DOUBLE, &value);
}

void h5_text_of(hid_t file, const char *path, const char *attribute, const char *value)
{
    hid_t type = must(H5Tcopy(H5T_C_S1));
    must(H5Tset_size(type, H5T_VARIABLE));
    write_attribute(file, path, attribute, type, &value);
    must(H5Tclose(type));
}
#endif
