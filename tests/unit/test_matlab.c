/* MATLAB files: spikes in cells, matrices, vectors and structs, and what is refused. */
#include "support/context.h"
#include "support/h5_make.h"

static spk_read_options options;

static int start(void **state)
{
    (void)state;
    spk_read_options_init(&options, sizeof options);
    return 0;
}

static void assert_refused(const char *path, spk_status expected, const char *part)
{
    spk_recording *out = NULL;
    assert_int_equal(spk_recording_read(context, path, &options, &out), expected);
    assert_null(out);
    const char *message = spk_context_message(context);
    if (strstr(message, part) == NULL)
        fail_msg("'%s' does not say '%s'", message, part);
    assert_null(strchr(message, '\n'));
}

/* Old files are told apart in every build. */
static void older_files_are_named(void **state)
{
    (void)state;
    char head[129] = "MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Mon";
    memset(head + strlen(head), ' ', 128 - strlen(head));
    assert_refused(test_file("old.mat", head), SPK_ERR_UNAVAILABLE, "save -v7.3");
    assert_non_null(strstr(spk_context_message(context), "scipy.io.loadmat"));
}

#if SPIKEMINE_HAVE_HDF5

static spk_recording *read_file(const char *name)
{
    spk_recording *out = NULL;
    if (spk_recording_read(context, test_path(name), &options, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return out;
}

/* ---- files as MATLAB writes them ------------------------------------------------------------- */

static hid_t new_mat(const char *name)
{
    hid_t file = h5_new(name, 512);
    h5_group(file, "/#refs#");
    return file;
}

/* Puts MATLAB's text before the HDF5 part, which must be closed. */
static void end_mat(hid_t file, const char *name)
{
    char head[128];
    h5_end(file);
    memset(head, ' ', sizeof head);
    memcpy(head, "MATLAB 7.3 MAT-file, Platform: GLNXA64", 38);
    FILE *stream = fopen(test_path(name), "r+b");
    assert_non_null(stream);
    assert_int_equal(fwrite(head, 1, sizeof head, stream), sizeof head);
    fclose(stream);
}

/* A column vector, n x 1 in MATLAB and 1 x n in HDF5. */
static void add_vector(hid_t file, const char *path, hsize_t n, const double *values)
{
    h5_matrix(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, n, 0, values);
    h5_text_of(file, path, "MATLAB_class", "double");
}

static void add_text(hid_t file, const char *path, const char *text)
{
    int64_t characters[64];
    for (size_t k = 0; text[k] != '\0'; k++)
        characters[k] = text[k];
    h5_matrix(file, path, H5T_STD_U16LE, H5T_NATIVE_INT64, strlen(text), 1, 0, characters);
    h5_text_of(file, path, "MATLAB_class", "char");
}

/* Cells `path` of three units, the second of which never fires. */
static void add_cells(hid_t file, const char *path)
{
    static const char *const to[] = {"/#refs#/a", "/#refs#/b", "/#refs#/c"};
    add_vector(file, to[0], 3, (const double[]){0.001, 0.02, 0.5});
    h5_matrix(file, to[1], H5T_STD_U64LE, H5T_NATIVE_INT64, 2, 1, 0, (const int64_t[]){0, 0});
    h5_text_of(file, to[1], "MATLAB_class", "double");
    h5_number_of(file, to[1], "MATLAB_empty", 1);
    add_vector(file, to[2], 2, (const double[]){0.01, 0.02});
    h5_references(file, path, 3, 1, to);
    h5_text_of(file, path, "MATLAB_class", "cell");
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void cells_are_units(void **state)
{
    (void)state;
    static const char *const names[] = {"/#refs#/d", "/#refs#/e", "/#refs#/f"};
    hid_t file = new_mat("cells.mat");
    add_cells(file, "/spikes");
    for (int k = 0; k < 3; k++)
        add_text(file, names[k], (const char *const[]){"one", "two", "three"}[k]);
    h5_references(file, "/names", 3, 1, names);
    h5_text_of(file, "/names", "MATLAB_class", "cell");
    add_vector(file, "/ids", 3, (const double[]){12, 4, 7});
    end_mat(file, "cells.mat");
    spk_recording *r = read_file("cells.mat");
    assert_int_equal(spk_recording_rate(r).numerator, 1000);
    test_assert_ticks(r, "1", 3, (const int64_t[]){1, 20, 500});
    test_assert_ticks(r, "2", 0, NULL);
    test_assert_ticks(r, "3", 2, (const int64_t[]){10, 20});
    spk_recording_free(r);
    options.label_column = "names";
    r = read_file("cells.mat");
    test_assert_ticks(r, "three", 2, (const int64_t[]){10, 20});
    spk_recording_free(r);
    options.label_column = "ids";
    options.units = "12,4";
    r = read_file("cells.mat");
    assert_int_equal(spk_recording_events(r).n_units, 2);
    assert_int_equal(spk_recording_get_facts(r)->outside, 2);
    test_assert_ticks(r, "12", 3, (const int64_t[]){1, 20, 500});
    test_assert_ticks(r, "4", 0, NULL);
    spk_recording_free(r);
    options.units = "5";
    assert_refused(test_path("cells.mat"), SPK_ERR_ARGUMENT, "no unit '5'");
}

static void matrices_have_two_columns(void **state)
{
    (void)state;
    /* n x 2 in MATLAB, with its columns one after the other */
    const double ids_first[] = {3, 1, 3, 0.25, 0.5, 0.75};
    const double whole[] = {1, 2, 3, 4, 5, 6};
    hid_t file = new_mat("matrix.mat");
    h5_matrix(file, "/data", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, 3, 0, ids_first);
    h5_text_of(file, "/data", "MATLAB_class", "double");
    end_mat(file, "matrix.mat");
    spk_recording *r = read_file("matrix.mat");
    test_assert_ticks(r, "3", 2, (const int64_t[]){25, 75});
    test_assert_ticks(r, "1", 1, (const int64_t[]){50});
    spk_recording_free(r);
    file = new_mat("whole.mat");
    h5_matrix(file, "/data", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, 3, 0, whole);
    h5_text_of(file, "/data", "MATLAB_class", "double");
    end_mat(file, "whole.mat");
    assert_refused(test_path("whole.mat"), SPK_ERR_ARGUMENT, "--columns time,unit");
    options.columns = SPK_COLUMNS_TIME_UNIT;
    assert_refused(test_path("whole.mat"), SPK_ERR_ARGUMENT, "--time-unit samples@30000");
    options.time_unit = SPK_TIME_SAMPLES;
    options.samples_per_second = 30000;
    r = read_file("whole.mat");
    assert_int_equal(spk_recording_rate(r).numerator, 30000);
    test_assert_ticks(r, "5", 1, (const int64_t[]){2});
    spk_recording_free(r);
}

static void vectors_in_structs_are_named(void **state)
{
    (void)state;
    hid_t file = new_mat("struct.mat");
    h5_group(file, "/data");
    h5_text_of(file, "/data", "MATLAB_class", "struct");
    add_vector(file, "/data/t", 3, (const double[]){1.5, 2.5, 4});
    add_vector(file, "/data/cell", 3, (const double[]){2, 1, 2});
    add_vector(file, "/x", 4, (const double[]){1, 2, 3, 4});
    end_mat(file, "struct.mat");
    assert_refused(test_path("struct.mat"), SPK_ERR_ARGUMENT, "data.cell, data.t, x");
    options.time_column = "data.t";
    spk_recording *r = read_file("struct.mat");
    test_assert_ticks(r, "2", 2, (const int64_t[]){15, 40});
    test_assert_ticks(r, "1", 1, (const int64_t[]){25});
    spk_recording_free(r);
    options.unit_column = "x";
    assert_refused(test_path("struct.mat"), SPK_ERR_ARGUMENT, "each time needs one");
    options.unit_column = "data.cell";
    options.time_unit = SPK_TIME_MILLISECONDS;
    r = read_file("struct.mat");
    assert_int_equal(spk_recording_rate(r).numerator, 10000);
    test_assert_ticks(r, "1", 1, (const int64_t[]){25});
    spk_recording_free(r);
    options.time_column = "data.u";
    assert_refused(test_path("struct.mat"), SPK_ERR_ARGUMENT, "no variable 'data.u'");
}

static void bad_variables_are_refused(void **state)
{
    (void)state;
    hid_t file = new_mat("bad.mat");
    add_vector(file, "/#refs#/a", 3, (const double[]){0.5, 0.25, 1});
    h5_matrix(file, "/#refs#/b", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, 2, 0,
              (const double[]){1, 2, 3, 4});
    h5_references(file, "/order", 1, 1, (const char *const[]){"/#refs#/a"});
    h5_references(file, "/square", 2, 1, (const char *const[]){"/#refs#/a", "/#refs#/b"});
    h5_references(file, "/deep", 2, 1, (const char *const[]){"/#refs#/a", "/#refs#"});
    const uint64_t nowhere[] = {0, 0xffffffffffffff};
    h5_matrix(file, "/lost", H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, 2, 1, 0, nowhere);
    end_mat(file, "bad.mat");
    options.time_column = "order";
    assert_refused(test_path("bad.mat"), SPK_ERR_ORDER, "--sort");
    options.time_column = "square";
    assert_refused(test_path("bad.mat"), SPK_ERR_FORMAT, "square{2}");
    options.time_column = "deep";
    assert_refused(test_path("bad.mat"), SPK_ERR_FORMAT, "deep{2}");
    options.time_column = "lost";
    assert_refused(test_path("bad.mat"), SPK_ERR_ARGUMENT, "lost");
    options.time_column = "order";
    options.sort = true;
    spk_recording *r = read_file("bad.mat");
    test_assert_ticks(r, "1", 3, (const int64_t[]){25, 50, 100});
    spk_recording_free(r);
    file = new_mat("none.mat");
    end_mat(file, "none.mat");
    options.time_column = NULL;
    assert_refused(test_path("none.mat"), SPK_ERR_FORMAT, "no variable that can be spikes");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(older_files_are_named, start),
#if SPIKEMINE_HAVE_HDF5
        cmocka_unit_test_setup(cells_are_units, start),
        cmocka_unit_test_setup(matrices_have_two_columns, start),
        cmocka_unit_test_setup(vectors_in_structs_are_named, start),
        cmocka_unit_test_setup(bad_variables_are_refused, start),
#endif
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
