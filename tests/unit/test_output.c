/* Output files: where they are made, what they replace, what is kept, and what they do when writing
 * fails or nobody reads. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/output.h"
#include "recording/input.h"
#include "support/context.h"

static char note[1024];

/* Makes files in the making have names, as on file systems that know no others. */
static int always(spk_fault *self)
{
    (void)self;
    return EOPNOTSUPP;
}
static spk_fault named = {.strike = always};
static spk_fault *const WAYS[] = {NULL, &named};

static void keep_note(void *user, const char *text)
{
    (void)user;
    snprintf(note, sizeof note, "%s", text);
}

static int n_files(void)
{
    DIR *listing = opendir(test_path("."));
    int n = 0;
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return n;
}

static void assert_text(const char *name, const char *expected)
{
    char *text = test_file_text(name);
    assert_string_equal(text, expected);
    free(text);
}

static spk_output *open_output(const char *path)
{
    spk_output *output = NULL;
    spk_status status = spk_output_open(context, path, &output);
    if (status != SPK_OK)
        print_message("%s\n", spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    return output;
}

static void put(spk_output *output, const char *text)
{
    assert_int_equal(spk_output_write(context, output, text, strlen(text)), SPK_OK);
}

static void put_file(const char *name, const char *text)
{
    spk_output *output = open_output(test_path(name));
    put(output, text);
    assert_int_equal(spk_output_commit(context, output), SPK_OK);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void a_file_appears_when_it_is_complete(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        spk_context_set_fault(context, WAYS[k]);
        spk_output *output = open_output(test_path("new"));
        put(output, "one ");
        fputs("two", spk_output_stream(output));
        assert_false(test_file_exists("new"));
        assert_int_equal(n_files(), k); /* without a name there is nothing to see */
        assert_int_equal(spk_output_commit(context, output), SPK_OK);
        assert_text("new", "one two");
        put_file("new", "other");
        assert_text("new", "other");
        spk_output_discard(open_output(test_path("new")));
        assert_text("new", "other");
        assert_int_equal(n_files(), 1);
        unlink(test_path("new"));
    }
}

static void no_planted_file_is_written(void **state)
{
    (void)state;
    /* The name that files in the making had: of the target and the process. */
    char planted[64];
    snprintf(planted, sizeof planted, "new.%06ld.tmp", (long)getpid() % 1000000);
    test_file("victim", "precious");
    assert_int_equal(symlink("victim", test_path(planted)), 0);
    put_file("new", "text");
    assert_text("victim", "precious");
    assert_text("new", "text");
    unlink(test_path(planted));
    unlink(test_path("victim"));
    unlink(test_path("new"));
}

static void the_list_of_signal_handlers_has_them_all(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        spk_context *child = NULL;
        spk_output *other = NULL;
        spk_context_set_fault(context, WAYS[k]);
        assert_int_equal(spk_context_create_child(context, &child), SPK_OK);
        spk_output *output = open_output(test_path("new"));
        assert_int_equal(spk_output_open(child, test_path("other"), &other), SPK_OK);
        assert_int_equal(n_files(), 2 * k);
        spk_context_abandon_files(context);
        assert_int_equal(n_files(), 0);
        spk_output_discard(output);
        spk_output_discard(other);
        spk_context_free(child);
    }
}

static void a_mode_is_kept(void **state)
{
    (void)state;
    struct stat info;
    mode_t before = umask(027);
    put_file("new", "text");
    assert_int_equal(stat(test_path("new"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(chmod(test_path("new"), 0604), 0);
    put_file("new", "other");
    assert_int_equal(stat(test_path("new"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0604);
    umask(before);
    unlink(test_path("new"));
}

static void a_link_stays_and_its_target_is_written(void **state)
{
    (void)state;
    struct stat info;
    char folder[320];
    snprintf(folder, sizeof folder, "%s", test_path("folder"));
    assert_int_equal(mkdir(folder, 0700), 0);
    test_file("target", "old");
    assert_int_equal(symlink("../target", test_path("folder/second")), 0);
    assert_int_equal(symlink("folder/second", test_path("first")), 0);
    put_file("first", "text");
    assert_text("target", "text");
    assert_int_equal(lstat(test_path("first"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink(test_path("target")); /* the links lead nowhere now */
    put_file("first", "again");
    assert_text("target", "again");
    unlink(test_path("target"));
    assert_int_equal(symlink("first", test_path("target")), 0); /* round and round */
    spk_output *output = NULL;
    assert_int_equal(spk_output_open(context, test_path("first"), &output), SPK_ERR_IO);
    unlink(test_path("folder/second"));
    unlink(test_path("first"));
    unlink(test_path("target"));
    rmdir(folder);
}

static void the_longest_name_is_allowed(void **state)
{
    (void)state;
    char name[NAME_MAX + 2];
    memset(name, 'x', sizeof name);
    name[NAME_MAX] = '\0';
    put_file(name, "text");
    assert_text(name, "text");
    spk_output *output = open_output(test_path(name));
    put(output, "part");
    assert_int_equal(spk_output_commit_incomplete(context, output, "so far"), SPK_OK);
    assert_text(name, "text");
    unlink(test_path(name));
    assert_int_equal(n_files(), 1); /* NAME.incomplete, shortened */
    assert_non_null(strstr(note, "xxx.incomplete: so far"));
    name[NAME_MAX - strlen(".incomplete")] = '\0';
    strcat(name, ".incomplete");
    assert_text(name, "part");
    unlink(test_path(name));
    memset(name, 'x', sizeof name);
    name[NAME_MAX + 1] = '\0';
    assert_int_equal(spk_output_open(context, test_path(name), &output), SPK_ERR_IO);
    assert_non_null(strstr(spk_context_message(context), "shorter name"));
}

static void what_cannot_be_written_is_told_at_once(void **state)
{
    (void)state;
    spk_output *output = NULL;
    assert_int_equal(spk_output_open(context, test_path("none/new"), &output), SPK_ERR_IO);
    assert_int_equal(spk_output_open(context, test_path("."), &output), SPK_ERR_IO);
    assert_int_equal(spk_output_open(context, "", &output), SPK_ERR_IO);
    assert_int_equal(spk_output_open(context, test_file("file", ""), &output), SPK_OK);
    spk_output_discard(output);
    assert_int_equal(spk_output_open(context, test_path("file/new"), &output), SPK_ERR_IO);
    if (geteuid() != 0) {
        assert_int_equal(chmod(test_path("file"), 0444), 0);
        assert_int_equal(spk_output_open(context, test_path("file"), &output), SPK_ERR_IO);
        assert_non_null(strstr(spk_context_message(context), "write-protected"));
    }
    unlink(test_path("file"));
    assert_int_equal(n_files(), 0);
}

/* ---- in place -------------------------------------------------------------------------------- */

static void devices_are_written_in_place(void **state)
{
    (void)state;
    struct stat info;
    assert_int_equal(symlink("/dev/null", test_path("null")), 0);
    put_file("null", "text");
    assert_int_equal(stat(test_path("null"), &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    unlink(test_path("null"));
    assert_int_equal(n_files(), 0);
}

/* What the process has open leads to a regular file: nothing is renamed, and both write at one
 * place in it. */
static void open_files_are_written_in_place(void **state)
{
    (void)state;
    static const char *const paths[] = {"/dev/fd/%d", "/proc/self/fd/%d"};
    for (size_t k = 0; k < 2; k++) {
        char path[64];
        struct stat before;
        struct stat after;
        int descriptor = open(test_path("file"), O_RDWR | O_CREAT | O_TRUNC, 0600);
        assert_true(descriptor >= 0);
        assert_int_equal(write(descriptor, "one ", 4), 4);
        snprintf(path, sizeof path, paths[k], descriptor);
        assert_int_equal(symlink(path, test_path("link")), 0);
        assert_int_equal(fstat(descriptor, &before), 0);
        put_file("link", "two ");
        assert_int_equal(write(descriptor, "three", 5), 5);
        assert_int_equal(stat(test_path("file"), &after), 0);
        assert_int_equal(before.st_ino, after.st_ino);
        assert_text("file", "one two three");
        close(descriptor);
        unlink(test_path("link"));
        unlink(test_path("file"));
    }
    assert_int_equal(n_files(), 0);
}

/* ---- what is complete ------------------------------------------------------------------------ */

static void what_is_not_complete_can_be_cut(void **state)
{
    (void)state;
    spk_output *output = open_output(test_path("new"));
    put(output, "head ");
    assert_int_equal(spk_output_mark(context, output), SPK_OK);
    put(output, "rows ");
    assert_int_equal(spk_output_mark(context, output), SPK_OK);
    put(output, "more ");
    assert_int_equal(spk_output_mark(context, output), SPK_OK);
    put(output, "ro");
    assert_true(spk_output_cut(output, false));
    assert_true(spk_output_cut(output, true));
    put(output, "end");
    assert_int_equal(spk_output_commit_incomplete(context, output, "the light went out"), SPK_OK);
    assert_text("new.incomplete", "head rows end");
    assert_false(test_file_exists("new"));
    assert_non_null(strstr(note, "new.incomplete: the light went out"));
    unlink(test_path("new.incomplete"));
}

static void what_went_into_a_pipe_has_gone(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    spk_output *output = open_output(path);
    assert_true(spk_output_cut(output, false));
    put(output, "rows");
    assert_false(spk_output_cut(output, false));
    spk_output_discard(output);
    close(ends[0]);
    close(ends[1]);
}

#if SPIKEMINE_HAVE_LIBARCHIVE
static void assert_unpacked_bytes(const char *name, const char *expected, size_t n_expected)
{
    spk_input *input = NULL;
    char *bytes = malloc(n_expected + 1);
    size_t n = 0;
    assert_non_null(bytes);
    assert_int_equal(spk_input_open(context, test_path(name), &input), SPK_OK);
    for (size_t part = 1; part > 0 && n <= n_expected; n += part)
        assert_int_equal(spk_input_read(context, input, bytes + n, n_expected + 1 - n, &part),
                         SPK_OK);
    assert_int_equal(n, n_expected);
    assert_memory_equal(bytes, expected, n);
    spk_input_close(input);
    free(bytes);
}

static void assert_unpacked(const char *name, const char *expected)
{
    assert_unpacked_bytes(name, expected, strlen(expected));
}

static void names_ask_for_compression(void **state)
{
    (void)state;
    static const char *const names[] = {"new.gz", "new.bz2", "new.xz", "new.zst"};
    for (size_t k = 0; k < 4; k++) {
        char incomplete[64];
        spk_output *output = open_output(test_path(names[k]));
        put(output, "head ");
        assert_int_equal(spk_output_mark(context, output), SPK_OK);
        put(output, "rows ");
        assert_int_equal(spk_output_mark(context, output), SPK_OK);
        put(output, "more ro");
        assert_true(spk_output_cut(output, false));
        put(output, "end");
        assert_int_equal(spk_output_commit_incomplete(context, output, "over"), SPK_OK);
        snprintf(incomplete, sizeof incomplete, "%s.incomplete", names[k]);
        assert_unpacked(incomplete, "head rows end");
        unlink(test_path(incomplete));
        put_file(names[k], "text");
        assert_unpacked(names[k], "text");
        char *first = test_file_text(names[k]);
        assert_null(strstr(first, "text "));
        put_file(names[k], "");
        struct stat info;
        assert_int_equal(stat(test_path(names[k]), &info), 0);
        assert_true(info.st_size > 0); /* nothing, compressed */
        free(first);
        unlink(test_path(names[k]));
        output = open_output(test_path(names[k]));
        put(output, "text");
        spk_output_discard(output);
        assert_int_equal(n_files(), 0);
    }
    put_file(".gz", "plain"); /* a name, no ending */
    assert_text(".gz", "plain");
    unlink(test_path(".gz"));
}

/* Bytes of a generator: they cannot be compressed, but behind the first 64 kB they come again. */
static char *make_bytes(size_t n, size_t period)
{
    char *bytes = malloc(n);
    uint32_t x = 1;
    assert_non_null(bytes);
    for (size_t k = 0; k < n; k++) {
        x = x * 1664525 + 1013904223;
        bytes[k] = k < period ? (char)(x >> 24) : bytes[k - period];
    }
    return bytes;
}

/* Writes them in parts of this size, with a mark behind each. */
static void put_parts(const char *name, int threads, const char *bytes, size_t n, size_t part)
{
    spk_context_set_threads(context, threads);
    spk_output *output = open_output(test_path(name));
    for (size_t at = 0; at < n; at += part) {
        size_t n_part = n - at < part ? n - at : part;
        assert_int_equal(spk_output_write(context, output, bytes + at, n_part), SPK_OK);
        assert_int_equal(spk_output_mark_soon(context, output), SPK_OK);
    }
    assert_int_equal(spk_output_commit(context, output), SPK_OK);
}

static void assert_same_files(const char *one, const char *other)
{
    static char text[2][1 << 16];
    FILE *file[2] = {fopen(test_path(one), "rb"), fopen(test_path(other), "rb")};
    size_t n = 0;
    assert_non_null(file[0]);
    assert_non_null(file[1]);
    do {
        n = fread(text[0], 1, sizeof text[0], file[0]);
        assert_int_equal(fread(text[1], 1, sizeof text[1], file[1]), n);
        assert_memory_equal(text[0], text[1], n);
    } while (n > 0);
    fclose(file[0]);
    fclose(file[1]);
}

static void threads_and_marks_change_no_byte(void **state)
{
    (void)state;
    static const char *const names[] = {"new.gz", "new.zst"};
    const size_t n = 3500000; /* several blocks */
    char *bytes = make_bytes(n, 1 << 16);
    for (size_t k = 0; k < 2; k++) {
        put_parts(names[k], 1, bytes, n, n);
        assert_unpacked_bytes(names[k], bytes, n);
        assert_int_equal(rename(test_path(names[k]), test_path("one")), 0);
        put_parts(names[k], 5, bytes, n, 700001);
        assert_same_files(names[k], "one");
        unlink(test_path(names[k]));
        unlink(test_path("one"));
    }
    free(bytes);
}

/* What stands before a mark stays, also where the mark is inside a block. */
static void a_full_disk_leaves_what_was_marked(void **state)
{
    (void)state;
    struct rlimit before;
    const size_t n = 5 << 20, part = 700001;
    char *bytes = make_bytes(n, n);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int threads = 1; threads <= 3; threads += 2) {
        spk_status status = SPK_OK;
        struct rlimit small = {.rlim_cur = 5 << 19, .rlim_max = before.rlim_max};
        spk_context_set_threads(context, threads);
        spk_output *output = open_output(test_path("new.gz"));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (size_t at = 0; at + part <= n && status == SPK_OK; at += part) {
            status = spk_output_write(context, output, bytes + at, part);
            if (status == SPK_OK)
                status = spk_output_mark_soon(context, output);
        }
        if (status == SPK_OK)
            status = spk_output_mark(context, output);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, SPK_ERR_IO);
        assert_true(spk_output_cut(output, false));
        assert_true(spk_output_cut(output, false));
        assert_int_equal(spk_output_commit_incomplete(context, output, "full"), SPK_OK);
        /* Two blocks fit; the mark of the third lies four parts behind the beginning. */
        assert_unpacked_bytes("new.gz.incomplete", bytes, 4 * part);
        unlink(test_path("new.gz.incomplete"));
    }
    free(bytes);
}
#else
static void threads_and_marks_change_no_byte(void **state)
{
    (void)state;
    skip();
}

static void a_full_disk_leaves_what_was_marked(void **state)
{
    (void)state;
    skip();
}

static void names_ask_for_compression(void **state)
{
    (void)state;
    spk_output *output = NULL;
    assert_int_equal(spk_output_open(context, test_path("new.gz"), &output), SPK_ERR_UNAVAILABLE);
    assert_non_null(strstr(spk_context_message(context), "libarchive"));
    assert_int_equal(n_files(), 0);
}
#endif

/* ---- failures -------------------------------------------------------------------------------- */

static char block[1 << 20];

static spk_status put_blocks(spk_output *output, int n)
{
    spk_status status = SPK_OK;
    for (int k = 0; k < n && status == SPK_OK; k++)
        status = spk_output_write(context, output, block, sizeof block);
    return status;
}

static void a_disk_is_not_filled_to_the_end(void **state)
{
    (void)state;
    spk_context_set_disk_reserve(context, UINT64_MAX / 2);
    assert_int_equal(spk_context_disk_reserve(context), UINT64_MAX / 2);
    spk_output *output = open_output(test_path("new"));
    assert_int_equal(put_blocks(output, 8), SPK_OK); /* a small result is always written */
    assert_int_equal(spk_output_mark(context, output), SPK_OK);
    assert_int_equal(put_blocks(output, 9), SPK_ERR_IO);
    assert_non_null(strstr(spk_context_message(context), "is the disk full?"));
    assert_int_equal(spk_output_flush(context, output), SPK_ERR_IO); /* it is kept */
    assert_true(spk_output_cut(output, false));
    assert_int_equal(spk_output_commit_incomplete(context, output, "full"), SPK_OK);
    struct stat info;
    assert_int_equal(stat(test_path("new.incomplete"), &info), 0);
    assert_int_equal(info.st_size, 8 * sizeof block);
    unlink(test_path("new.incomplete"));
    spk_context_set_disk_reserve(context, 0);
    assert_int_equal(n_files(), 0);
}

static void a_limit_for_files_is_named(void **state)
{
    (void)state;
    struct rlimit before;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {.rlim_cur = 2 * sizeof block, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    spk_output *output = open_output(test_path("new"));
    spk_status status = put_blocks(output, 3);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, SPK_ERR_IO);
    assert_non_null(strstr(spk_context_message(context), "new: writing failed"));
    assert_non_null(strstr(spk_context_message(context), "ulimit -f"));
    assert_int_equal(spk_output_commit(context, output), SPK_ERR_IO);
    assert_int_equal(n_files(), 0);
}

static void nobody_waits_for_a_pipe_after_a_cancel(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    spk_output *output = open_output(path);
    spk_context_cancel(context);
    double start = spk_seconds_now();
    assert_int_equal(put_blocks(output, 1), SPK_ERR_CANCELLED);
    assert_true(spk_seconds_now() - start < 30); /* else it waits for ever */
    spk_context_cancel_clear(context);
    spk_output_discard(output);
    close(ends[0]);
    close(ends[1]);
}

static void a_reader_that_left_is_told_apart(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    spk_output *output = open_output(path);
    close(ends[0]);
    assert_int_equal(put_blocks(output, 1), SPK_ERR_PIPE);
    assert_int_equal(spk_output_commit(context, output), SPK_ERR_PIPE);
    close(ends[1]);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int start(void **state)
{
    (void)state;
    note[0] = '\0';
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    spk_context_set_note(context, keep_note, NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_appears_when_it_is_complete, start,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(no_planted_file_is_written, start, context_teardown),
        cmocka_unit_test_setup_teardown(the_list_of_signal_handlers_has_them_all, start,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(a_mode_is_kept, start, context_teardown),
        cmocka_unit_test_setup_teardown(a_link_stays_and_its_target_is_written, start,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(the_longest_name_is_allowed, start, context_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_told_at_once, start,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(devices_are_written_in_place, start, context_teardown),
        cmocka_unit_test_setup_teardown(open_files_are_written_in_place, start, context_teardown),
        cmocka_unit_test_setup_teardown(what_is_not_complete_can_be_cut, start, context_teardown),
        cmocka_unit_test_setup_teardown(what_went_into_a_pipe_has_gone, start, context_teardown),
        cmocka_unit_test_setup_teardown(names_ask_for_compression, start, context_teardown),
        cmocka_unit_test_setup_teardown(threads_and_marks_change_no_byte, start, context_teardown),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_what_was_marked, start,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(a_disk_is_not_filled_to_the_end, start, context_teardown),
        cmocka_unit_test_setup_teardown(a_limit_for_files_is_named, start, context_teardown),
        cmocka_unit_test_setup_teardown(nobody_waits_for_a_pipe_after_a_cancel, start,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(a_reader_that_left_is_told_apart, start, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
