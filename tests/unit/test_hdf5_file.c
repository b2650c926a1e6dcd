/* HDF5 files as the readers see them: what is read, and what is refused. */
#include "base/context.h"
#include "hdf5/file.h"
#include "hdf5/library.h"
#include "support/context.h"
#include "support/h5_make.h"

#if SPIKEMINE_HAVE_HDF5

static void assert_message(spk_status status, spk_status expected, const char *part)
{
    assert_int_equal(status, expected);
    const char *message = spk_context_message(context);
    if (strstr(message, part) == NULL)
        fail_msg("'%s' does not say '%s'", message, part);
    assert_null(strchr(message, '\n'));
}

/* The first `n` numbers of a dataset that must be readable. */
static void read_doubles(spk_h5_file *file, const char *path, uint64_t n, double *out)
{
    spk_h5_data data;
    if (spk_h5_data_open(context, file, path, &data) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    assert_int_equal(spk_h5_read_doubles(context, &data, (spk_h5_part){0, 0, n, 1}, out), SPK_OK);
    spk_h5_data_close(&data);
}

static void numbers_of_all_types_are_read(void **state)
{
    (void)state;
    const double values[] = {0.5, 1.25, -3, 1e9};
    const int64_t integers[] = {-7, 0, 200, 30000};
    double out[4];
    hid_t made = h5_new("types.h5", 0);
    h5_numbers(made, "/f32", H5T_IEEE_F32BE, H5T_NATIVE_DOUBLE, 4, values);
    h5_numbers(made, "/f64", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 4, values);
    h5_numbers(made, "/i16", H5T_STD_I16BE, H5T_NATIVE_INT64, 4, integers);
    h5_matrix(made, "/deflated", H5T_STD_I32LE, H5T_NATIVE_INT64, 4, 1, 2, integers);
    h5_end(made);
    spk_h5_file *file = NULL;
    assert_int_equal(spk_h5_open(context, test_path("types.h5"), &file), SPK_OK);
    read_doubles(file, "/f32", 4, out);
    assert_memory_equal(out, values, sizeof out);
    read_doubles(file, "/f64", 4, out);
    assert_memory_equal(out, values, sizeof out);
    read_doubles(file, "/i16", 4, out);
    assert_true(out[0] == -7 && out[3] == 30000);
    read_doubles(file, "/deflated", 4, out);
    assert_true(out[0] == -7 && out[2] == 200);
    spk_h5_close(file);
}

static void large_integers_are_no_negative_ones(void **state)
{
    (void)state;
    const uint64_t values[] = {7, UINT64_MAX};
    int64_t out[2];
    spk_h5_data data;
    hid_t made = h5_new("large.h5", 0);
    h5_numbers(made, "/u", H5T_STD_U64LE, H5T_NATIVE_UINT64, 2, values);
    h5_end(made);
    spk_h5_file *file = NULL;
    assert_int_equal(spk_h5_open(context, test_path("large.h5"), &file), SPK_OK);
    assert_int_equal(spk_h5_data_open(context, file, "/u", &data), SPK_OK);
    assert_int_equal(spk_h5_read_integers(context, &data, (spk_h5_part){0, 0, 1, 1}, out), SPK_OK);
    assert_int_equal(out[0], 7);
    assert_message(spk_h5_read_integers(context, &data, (spk_h5_part){0, 0, 2, 1}, out),
                   SPK_ERR_RANGE, "18446744073709551615 at row 1");
    spk_h5_data_close(&data);
    spk_h5_close(file);
}

static void texts_of_both_kinds_are_read(void **state)
{
    (void)state;
    static const char *const texts[] = {"good", "", "\xc3\xbc", "abcdefgh"};
    static const char *const paths[] = {"/variable", "/fixed"};
    hid_t made = h5_new("texts.h5", 0);
    h5_texts(made, paths[0], 0, 4, texts);
    h5_texts(made, paths[1], 8, 4, texts);
    h5_text_of(made, "/fixed", "note", "what it is");
    h5_number_of(made, "/fixed", "rate", 30000.5);
    h5_end(made);
    spk_h5_file *file = NULL;
    assert_int_equal(spk_h5_open(context, test_path("texts.h5"), &file), SPK_OK);
    for (int k = 0; k < 2; k++) {
        spk_h5_data data;
        spk_h5_names names;
        assert_int_equal(spk_h5_data_open(context, file, paths[k], &data), SPK_OK);
        assert_int_equal(data.type, SPK_H5_TEXT);
        assert_int_equal(spk_h5_read_texts(context, &data, &names), SPK_OK);
        assert_int_equal(names.n, 4);
        for (int i = 0; i < 4; i++)
            assert_string_equal(names.name[i], texts[i]);
        spk_h5_names_free(&names);
        spk_h5_data_close(&data);
    }
    char text[32];
    double rate = 0;
    bool found = false;
    assert_int_equal(spk_h5_text_of(context, file, "/fixed", "note", text, sizeof text, &found),
                     SPK_OK);
    assert_true(found && strcmp(text, "what it is") == 0);
    assert_int_equal(spk_h5_number_of(context, file, "/fixed", "rate", &rate, &found), SPK_OK);
    assert_true(found && rate == 30000.5);
    assert_int_equal(spk_h5_number_of(context, file, "/fixed", "none", &rate, &found), SPK_OK);
    assert_false(found);
    spk_h5_close(file);
}

static void groups_are_listed(void **state)
{
    (void)state;
    const double value = 1;
    spk_h5_kind kind;
    spk_h5_names names;
    hid_t made = h5_new("groups.h5", 0);
    h5_group(made, "/b");
    h5_group(made, "/a");
    h5_doubles(made, "/b/x", 1, &value);
    H5Lcreate_soft("/nowhere", made, "/gone", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/loop", made, "/loop", H5P_DEFAULT, H5P_DEFAULT);
    h5_end(made);
    spk_h5_file *file = NULL;
    assert_int_equal(spk_h5_open(context, test_path("groups.h5"), &file), SPK_OK);
    assert_int_equal(spk_h5_list(context, file, "/", &names), SPK_OK);
    assert_int_equal(names.n, 4);
    assert_string_equal(names.name[0], "a");
    assert_string_equal(names.name[3], "loop");
    spk_h5_names_free(&names);
    assert_int_equal(spk_h5_find(context, file, "/b/x", &kind), SPK_OK);
    assert_int_equal(kind, SPK_H5_DATA);
    assert_int_equal(spk_h5_find(context, file, "/b", &kind), SPK_OK);
    assert_int_equal(kind, SPK_H5_GROUP);
    assert_int_equal(spk_h5_find(context, file, "/c/x", &kind), SPK_OK);
    assert_int_equal(kind, SPK_H5_NOTHING);
    assert_message(spk_h5_find(context, file, "/loop", &kind), SPK_ERR_FORMAT, "/loop");
    assert_message(spk_h5_find(context, file, "/gone", &kind), SPK_ERR_FORMAT, "/gone");
    assert_int_equal(spk_h5_find_within(file, "/gone"), SPK_H5_OTHER);
    assert_int_equal(spk_h5_find_within(file, "/b"), SPK_H5_GROUP);
    spk_h5_close(file);
}

static void other_files_are_not_opened(void **state)
{
    (void)state;
    const double values[] = {1, 2};
    const hsize_t n = 2;
    spk_h5_kind kind;
    spk_h5_data data;
    hid_t made = h5_new("other.h5", 0);
    h5_doubles(made, "/x", 2, values);
    h5_end(made);
    made = h5_new("links.h5", 0);
    H5Lcreate_external("other.h5", "/x", made, "/x", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/x", made, "/soft", H5P_DEFAULT, H5P_DEFAULT);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, NULL);
    H5Pset_external(creation, "/etc/passwd", 0, 16);
    hid_t outside =
        H5Dcreate2(made, "/outside", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    hid_t virtual_creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(virtual_creation, space, "other.h5", "/x", space);
    hid_t virtual = H5Dcreate2(made, "/virtual", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                               virtual_creation, H5P_DEFAULT);
    assert_true(outside >= 0 && virtual >= 0);
    H5Dclose(outside);
    H5Dclose(virtual);
    H5Pclose(creation);
    H5Pclose(virtual_creation);
    H5Sclose(space);
    h5_end(made);
    spk_h5_file *file = NULL;
    assert_int_equal(spk_h5_open(context, test_path("links.h5"), &file), SPK_OK);
    assert_message(spk_h5_find(context, file, "/x", &kind), SPK_ERR_FORMAT, "other.h5");
    spk_h5_close(file);
    assert_int_equal(spk_h5_open(context, test_path("links.h5"), &file), SPK_OK);
    assert_message(spk_h5_find(context, file, "/soft", &kind), SPK_ERR_FORMAT, "another file");
    spk_h5_close(file);
    static const char *const paths[] = {"/outside", "/virtual"};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(spk_h5_open(context, test_path("links.h5"), &file), SPK_OK);
        assert_message(spk_h5_data_open(context, file, paths[k], &data), SPK_ERR_FORMAT, paths[k]);
        assert_non_null(strstr(spk_context_message(context), "h5repack"));
        spk_h5_data_close(&data);
        spk_h5_close(file);
    }
}

static htri_t can_apply(hid_t creation, hid_t type, hid_t space)
{
    (void)creation, (void)type, (void)space;
    return 1;
}

static size_t do_nothing(unsigned flags, size_t n, const unsigned values[], size_t bytes,
                         size_t *size, void **buffer)
{
    (void)flags, (void)n, (void)values, (void)size, (void)buffer;
    return bytes;
}

static void missing_filters_are_named(void **state)
{
    (void)state;
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, 32001,     1,    1,
                                 "blosc",          can_apply, NULL, do_nothing};
    const hsize_t n = 4;
    const double values[] = {1, 2, 3, 4};
    spk_h5_data data;
    assert_true(H5Zregister(&filter) >= 0);
    hid_t made = h5_new("blosc.h5", 0);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, NULL);
    H5Pset_chunk(creation, 1, &n);
    H5Pset_filter(creation, 32001, 0, 0, NULL);
    hid_t packed =
        H5Dcreate2(made, "/x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(H5Dwrite(packed, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(packed);
    H5Pclose(creation);
    H5Sclose(space);
    h5_end(made);
    H5Zunregister(32001);
    spk_h5_file *file = NULL;
    assert_int_equal(spk_h5_open(context, test_path("blosc.h5"), &file), SPK_OK);
    assert_message(spk_h5_data_open(context, file, "/x", &data), SPK_ERR_UNAVAILABLE, "blosc");
    spk_h5_data_close(&data);
    spk_h5_close(file);
}

static void promises_that_cannot_hold_are_refused(void **state)
{
    (void)state;
    const hsize_t n = (hsize_t)1 << 40, chunk = 1024;
    spk_h5_data data;
    hid_t made = h5_new("promise.h5", 0);
    hid_t space = H5Screate_simple(1, &n, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Dclose(
        H5Dcreate2(made, "/late", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Pset_chunk(creation, 1, &chunk);
    H5Dclose(
        H5Dcreate2(made, "/chunked", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
    h5_end(made);
    spk_h5_file *file = NULL;
    assert_int_equal(spk_h5_open(context, test_path("promise.h5"), &file), SPK_OK);
    assert_message(spk_h5_data_open(context, file, "/late", &data), SPK_ERR_FORMAT, "promises");
    spk_h5_data_close(&data);
    assert_message(spk_h5_data_open(context, file, "/chunked", &data), SPK_ERR_FORMAT, "promises");
    spk_h5_data_close(&data);
    assert_message(spk_h5_data_open(context, file, "/none", &data), SPK_ERR_FORMAT, "missing");
    spk_h5_data_close(&data);
    spk_h5_close(file);
}

static void no_file_is_told(void **state)
{
    (void)state;
    spk_h5_file *file = NULL;
    assert_message(spk_h5_open(context, test_path("no.h5"), &file), SPK_ERR_IO, "no.h5");
    assert_message(spk_h5_open(context, test_file("text.h5", "0.5 a\n"), &file), SPK_ERR_FORMAT,
                   "is no HDF5 file");
    assert_message(spk_h5_open(context, "/dev/null", &file), SPK_ERR_FORMAT, "pipe");
    const double values[] = {1, 2, 3, 4};
    hid_t made = h5_new("cut.h5", 0);
    h5_doubles(made, "/x", 4, values);
    h5_end(made);
    assert_int_equal(truncate(test_path("cut.h5"), 1000), 0);
    assert_message(spk_h5_open(context, test_path("cut.h5"), &file), SPK_ERR_FORMAT, "truncated");
    assert_null(file);
}

static herr_t count_errors(hid_t stack, void *user)
{
    (void)stack;
    ++*(int *)user;
    return 0;
}

/* A program that uses HDF5 itself keeps its way of printing errors. */
static void the_callers_errors_stay_its_own(void **state)
{
    (void)state;
    int printed = 0;
    spk_h5_file *file = NULL;
    H5E_auto2_t before = NULL;
    void *before_data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
    H5Eset_auto2(H5E_DEFAULT, count_errors, &printed);
    assert_message(spk_h5_open(context, test_path("cut.h5"), &file), SPK_ERR_FORMAT, "damaged");
    assert_int_equal(printed, 0);
    assert_true(H5Fopen("/nowhere", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    assert_int_equal(printed, 1);
    H5Eset_auto2(H5E_DEFAULT, before, before_data);
}

#else

static void it_is_said_what_to_install(void **state)
{
    (void)state;
    const char *reason = "";
    spk_h5_file *file = NULL;
    assert_false(spk_h5_available(&reason));
    assert_non_null(strstr(reason, "libhdf5-dev"));
    assert_int_equal(spk_h5_open(context, "a.nwb", &file), SPK_ERR_UNAVAILABLE);
    assert_non_null(strstr(spk_context_message(context), "libhdf5-dev"));
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if SPIKEMINE_HAVE_HDF5
        cmocka_unit_test(numbers_of_all_types_are_read),
        cmocka_unit_test(large_integers_are_no_negative_ones),
        cmocka_unit_test(texts_of_both_kinds_are_read),
        cmocka_unit_test(groups_are_listed),
        cmocka_unit_test(other_files_are_not_opened),
        cmocka_unit_test(missing_filters_are_named),
        cmocka_unit_test(promises_that_cannot_hold_are_refused),
        cmocka_unit_test(no_file_is_told),
        cmocka_unit_test(the_callers_errors_stay_its_own),
#else
        cmocka_unit_test(it_is_said_what_to_install),
#endif
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
