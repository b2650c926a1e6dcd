/*
 * The walk through NWB and MATLAB files, on mutated ones. HDF5 keeps checksums and addresses in
 * places of its own, and answers for how it takes damage to them; what is ours begins behind it. So
 * the input is a recipe: which objects a file has, of which types, shapes and values. The file is
 * made by HDF5, then read, by both readers. Files that are read must hold a valid recording.
 */
#include <unistd.h>

#include "base/build_config.h"
#include "fuzz.h"
#include "recording/readers/reader.h"

#if SPIKEMINE_HAVE_HDF5
#include <hdf5.h>

extern const spk_reader spk_reader_nwb;

/* Bytes of the recipe, zeros behind its end. */
typedef struct recipe {
    const uint8_t *at;
    const uint8_t *end;
} recipe;

static unsigned take(recipe *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

static double take_number(recipe *r)
{
    static const double special[] = {0.0 / 0.0, 1 / 0.0, -1 / 0.0, 1e300, -1, 1e-300, 0, 4e9};
    unsigned kind = take(r);
    if (kind >= 248)
        return special[kind - 248];
    return kind < 128 ? (kind * 256 + take(r)) / 1000.0 : (double)(kind - 128);
}

/* The types that columns have, or should not have. */
static hid_t take_type(recipe *r, hid_t usual)
{
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_STD_U8LE, H5T_STD_I16BE,
                           H5T_STD_U64LE,  H5T_STD_I64LE,  H5T_STD_B8LE, H5T_STD_REF_OBJ};
    unsigned kind = take(r);
    return kind < 192 ? usual : types[kind % 8];
}

/* One dataset: its type, shape and layout come from the recipe, most often as they should be. */
static void make_numbers(recipe *r, hid_t file, const char *path, hid_t usual, unsigned columns)
{
    double values[64];
    hsize_t dims[2] = {take(r) % 17, columns}, chunk[2] = {1 + take(r) % 8, columns};
    int rank = columns > 1 || take(r) > 250 ? 2 : 1;
    hid_t type = take_type(r, usual), creation = H5Pcreate(H5P_DATASET_CREATE);
    for (size_t k = 0; k < 64; k++)
        values[k] = take_number(r);
    if (chunk[0] > 6) {
        H5Pset_chunk(creation, rank, chunk);
        H5Pset_deflate(creation, 1);
    }
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t data = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (data >= 0 && take(r) < 250)
        H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (data >= 0)
        H5Dclose(data);
    H5Sclose(space);
    H5Pclose(creation);
}

static void make_texts(recipe *r, hid_t file, const char *path)
{
    static const char *const words[] = {"good", "mua", "", "\xff", "a b", "7", "nan", "good\n"};
    const char *texts[16];
    hsize_t n = take(r) % 17;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &n, NULL);
    for (size_t k = 0; k < 16; k++)
        texts[k] = words[take(r) % 8];
    H5Tset_size(type, H5T_VARIABLE);
    hid_t data = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (data >= 0 && take(r) < 250)
        H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts);
    if (data >= 0)
        H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
}

static void make_resolution(recipe *r, hid_t file, const char *path)
{
    double value = take_number(r);
    hid_t object = H5Oopen(file, path, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t id = object < 0 ? -1
                          : H5Acreate2(object, "resolution", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                       H5P_DEFAULT);
    if (id >= 0) {
        H5Awrite(id, H5T_NATIVE_DOUBLE, &value);
        H5Aclose(id);
    }
    if (object >= 0)
        H5Oclose(object);
    H5Sclose(space);
}

static void make_group(hid_t file, const char *path)
{
    hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group >= 0)
        H5Gclose(group);
}

/* Cells: references to the datasets that are there, or to anything. */
static void make_cells(recipe *r, hid_t file)
{
    static const char *const to[] = {"/units/id", "/units/spike_times", "/units", "/data"};
    hobj_ref_t cells[8] = {0};
    hsize_t dims[2] = {1 + take(r) % 8, 1};
    for (size_t k = 0; k < 8; k++)
        if (H5Rcreate(&cells[k], file, to[take(r) % 4], H5R_OBJECT, -1) < 0)
            cells[k] = take(r);
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t data =
        H5Dcreate2(file, "/cells", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (data >= 0) {
        H5Dwrite(data, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells);
        H5Dclose(data);
    }
    H5Sclose(space);
}

static void make_file(recipe *r, const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    require(file >= 0);
    unsigned has = take(r) | take(r) << 8;
    make_group(file, "/units");
    make_group(file, "/intervals");
    make_group(file, "/intervals/trials");
    make_numbers(r, file, "/units/spike_times", H5T_IEEE_F64LE, 1);
    make_numbers(r, file, "/units/spike_times_index", H5T_STD_U16LE, 1);
    if (has & 1)
        make_numbers(r, file, "/units/id", H5T_STD_I64LE, 1);
    if (has & 2)
        make_texts(r, file, "/units/quality");
    if (has & 4) {
        make_numbers(r, file, "/units/obs_intervals", H5T_IEEE_F64LE, 2);
        make_numbers(r, file, "/units/obs_intervals_index", H5T_STD_I32LE, 1);
    }
    if (has & 8)
        make_resolution(r, file, "/units/spike_times");
    if (has & 16) {
        make_numbers(r, file, "/intervals/trials/start_time", H5T_IEEE_F64LE, 1);
        make_numbers(r, file, "/intervals/trials/stop_time", H5T_IEEE_F64LE, 1);
    }
    if (has & 32)
        make_numbers(r, file, "/data", H5T_IEEE_F64LE, 2);
    if (has & 64)
        make_cells(r, file);
    if (has & 128)
        H5Lcreate_soft("/units", file, "/processing", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
}

static void read_file(spk_context *context, recipe *r, const char *path)
{
    static const char *const formats[] = {"nwb", "matlab"};
    static const char *const selections[] = {NULL, "quality==good", "id>=2", "spike_times==1"};
    static const spk_duration bounds[] = {{1, 0}, {5, -1}, {0, 0}, {-3, 0}};
    for (int k = 0; k < 2; k++) {
        unsigned how = take(r);
        spk_recording *out = NULL;
        const char *reason = NULL;
        spk_read_options options;
        spk_read_options_init(&options, sizeof options);
        options.format = formats[k];
        options.sort = how & 1;
        options.start = how & 2 ? &bounds[how >> 6] : NULL;
        options.stop = how & 4 ? &bounds[0] : NULL;
        options.label_column = k == 0 && (how & 8) ? "quality" : NULL;
        options.row_filter = k == 0 ? selections[how >> 4 & 3] : NULL;
        options.time_unit = k == 1 && (how & 16) ? SPK_TIME_MILLISECONDS : SPK_TIME_GUESS;
        if (spk_recording_read(context, path, &options, &out) == SPK_OK)
            require(spk_recording_validate(out, &reason));
        else
            require(strchr(spk_context_message(context), '\n') == NULL || (how & 8));
        spk_recording_free(out);
    }
    spk_time_range *ranges = NULL;
    size_t n = 0;
    const spk_probe probe = {.path = path};
    if (spk_reader_nwb.intervals(context, &probe, "trials", &ranges, &n) == SPK_OK)
        for (size_t k = 0; k < n; k++)
            require(spk_duration_compare(ranges[k].start, ranges[k].stop) <= 0);
    free(ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    recipe r = {data, data + size};
    spk_context *context = NULL;
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "/tmp/fuzz_nwb_%ld.nwb", (long)getpid());
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    }
    require(spk_context_create(&context) == SPK_OK);
    spk_context_set_memory_limit(context, 100000000);
    make_file(&r, path);
    read_file(context, &r, path);
    spk_context_free(context);
    unlink(path);
    return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)data, (void)size;
    return 0;
}

#endif
