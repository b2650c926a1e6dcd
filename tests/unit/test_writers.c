/* The front of all writers, and npz files, read here by hand: zip and npy as their formats say. */
#include "support/context.h"

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct bytes {
    unsigned char *data;
    size_t n;
} bytes;

static bytes read_all(const char *path)
{
    bytes all = {malloc(1 << 20), 0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(all.data);
    all.n = fread(all.data, 1, 1 << 20, file);
    assert_true(all.n < 1 << 20);
    fclose(file);
    return all;
}

static uint64_t little(const unsigned char *at, int n)
{
    uint64_t value = 0;
    while (n > 0)
        value = value << 8 | at[--n];
    return value;
}

/* CRC-32 bit by bit. */
static uint32_t slow_checksum(const unsigned char *at, size_t n)
{
    uint32_t c = UINT32_MAX;
    for (size_t k = 0; k < n; k++) {
        c ^= at[k];
        for (int bit = 0; bit < 8; bit++)
            c = (c & 1) != 0 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

/* Finds NAME.npy through the list at the end of the archive; checks header, sizes and checksum.
 * Gives the bytes behind the npy head, and the head. */
static const unsigned char *find_array(bytes file, const char *name, const char **head, size_t *n)
{
    const unsigned char *end = file.data + file.n - 22; /* 32-bit end, 64-bit locator before it */
    assert_int_equal(little(end, 4), 0x06054b50);
    assert_int_equal(little(end - 20, 4), 0x07064b50);
    const unsigned char *end64 = file.data + little(end - 20 + 8, 8);
    assert_int_equal(little(end64, 4), 0x06064b50);
    assert_ptr_equal(end64 + 12 + little(end64 + 4, 8), end - 20);
    const unsigned char *entry = file.data + little(end64 + 48, 8);
    assert_ptr_equal(entry + little(end64 + 40, 8), end64);
    char wanted[64];
    int length = snprintf(wanted, sizeof wanted, "%s.npy", name);
    for (uint64_t k = little(end64 + 32, 8); k > 0; k--) {
        assert_int_equal(little(entry, 4), 0x02014b50);
        uint64_t name_bytes = little(entry + 28, 2);
        const unsigned char *extra = entry + 46 + name_bytes;
        const unsigned char *local = file.data + little(extra + 20, 8);
        uint64_t size = little(extra + 4, 8);
        if (name_bytes == (uint64_t)length && memcmp(entry + 46, wanted, name_bytes) == 0) {
            assert_int_equal(little(local, 4), 0x04034b50);
            assert_memory_equal(local + 30, wanted, name_bytes);
            assert_int_equal(little(local + 30 + name_bytes + 4, 8), size);
            assert_int_equal(little(local + 14, 4), little(entry + 16, 4));
            const unsigned char *npy = local + 30 + name_bytes + little(local + 28, 2);
            assert_int_equal(slow_checksum(npy, size), little(entry + 16, 4));
            assert_memory_equal(npy, "\x93NUMPY\x01\x00", 8);
            *head = (const char *)npy + 10;
            *n = size - 10 - little(npy + 8, 2);
            assert_int_equal((10 + little(npy + 8, 2)) % 64, 0);
            return npy + 10 + little(npy + 8, 2);
        }
        entry = extra + little(entry + 30, 2);
    }
    return NULL;
}

/* The array holds these bytes, and its head says this. */
static void assert_array(bytes file, const char *name, const char *says, const void *expected,
                         size_t n_expected)
{
    const char *head = NULL;
    size_t n = 0;
    const unsigned char *data = find_array(file, name, &head, &n);
    if (data == NULL)
        fail_msg("there is no array %s", name);
    if (strncmp(head, says, strlen(says)) != 0)
        fail_msg("%s: the head is %.100s", name, head);
    assert_int_equal(n, n_expected);
    assert_memory_equal(data, expected, n);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* At 30 kHz, from -4 to 60, with a unit that never fires. */
static spk_recording *make(void)
{
    static const char *const labels[] = {"b10", "b2", "\xc3\xa9", "silent"};
    static const int64_t time[] = {-3, 0, 0, 45};
    static const uint32_t unit[] = {0, 0, 1, 2};
    static const int64_t start = -4, stop = 60;
    spk_recording *out = NULL;
    assert_int_equal(test_recording_create(context, 4, time, unit, 4, labels, (spk_rate){30000, 1},
                                           &start, &stop, &out),
                     SPK_OK);
    return out;
}

static void npz_holds_the_recording(void **state)
{
    (void)state;
    static const int64_t ticks[] = {-3, 0, 0, 45}, start = -4, stop = 60;
    static const uint32_t index[] = {1, 0, 1, 3}, keys[] = {0, 1, 2, 3};
    static const uint64_t rate[] = {30000, 1};
    static const double t[] = {-0.0001, 0, 0, 0.0015}, from = -4.0 / 30000, to = 0.002;
    static const uint32_t labels[4][6] = {
        {'b', '2'}, {'b', '1', '0'}, {'s', 'i', 'l', 'e', 'n', 't'}, {0xe9}};
    spk_recording *recording = make();
    const char *path = test_path("rec.npz");
    assert_int_equal(spk_recording_write(context, recording, path, NULL), SPK_OK);
    bytes file = read_all(path);
#define HEAD(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': (" shape ",), }"
    assert_array(file, "spikemine", HEAD("<i4", "1"), &(int32_t){1}, 4);
    assert_array(file, "ticks", HEAD("<i8", "4"), ticks, sizeof ticks);
    assert_array(file, "index", HEAD("<u4", "4"), index, sizeof index);
    assert_array(file, "labels", HEAD("<U6", "4"), labels, sizeof labels);
    assert_array(file, "rate", HEAD("<u8", "2"), rate, sizeof rate);
    assert_array(file, "segment_start", HEAD("<i8", "1"), &start, 8);
    assert_array(file, "segment_stop", HEAD("<i8", "1"), &stop, 8);
    assert_array(file, "t", HEAD("<f8", "4"), t, sizeof t);
    assert_array(file, "keys", HEAD("<u4", "4"), keys, sizeof keys);
    assert_array(file, "start", HEAD("<f8", "1"), &from, 8);
    assert_array(file, "end", HEAD("<f8", "1"), &to, 8);
#undef HEAD
    free(file.data);
    spk_recording_free(recording);
}

/* More than one piece of an array, and bytes that are the same in every run. */
static void long_arrays_are_whole(void **state)
{
    (void)state;
    enum { N = 100001 };
    static int64_t time[N];
    static uint32_t unit[N];
    spk_recording *recording = NULL;
    for (int k = 0; k < N; k++) {
        time[k] = 3 * k;
        unit[k] = (uint32_t)(k % 7);
    }
    assert_int_equal(test_recording_create(context, N, time, unit, 7, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    const char *path = test_path("long.npz");
    assert_int_equal(spk_recording_write(context, recording, path, "npz"), SPK_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static unsigned char all[4 << 20];
    bytes read = {all, fread(all, 1, sizeof all, file)};
    fclose(file);
    assert_true(read.n > (8 + 4 + 8) * N && read.n < sizeof all);
    assert_array(read, "ticks", "{'descr': '<i8'", time, sizeof time);
    assert_array(read, "index", "{'descr': '<u4'", unit, sizeof unit);
    spk_recording_free(recording);
}

/* The ending tells the format, also before that of a compression, and text is what is left. */
static void endings_choose_the_format(void **state)
{
    (void)state;
    static const struct {
        const char *name, *format, *begins;
    } files[] = {{"a.npz", NULL, "PK\x03\x04"},    {"b.NPZ", NULL, "PK\x03\x04"},
                 {"c.txt", NULL, "# spikemine"},   {"d", NULL, "# spikemine"},
                 {"e.npz", "text", "# spikemine"}, {"f.txt", "npz", "PK\x03\x04"},
                 {"npz", NULL, "# spikemine"}};
    spk_recording *recording = make();
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        const char *path = test_path(files[k].name);
        assert_int_equal(spk_recording_write(context, recording, path, files[k].format), SPK_OK);
        bytes file = read_all(path);
        assert_memory_equal(file.data, files[k].begins, strlen(files[k].begins));
        free(file.data);
    }
    assert_int_equal(spk_recording_write(context, recording, test_path("g"), "papyrus"),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "text, npz"));
    spk_recording_free(recording);
}

/* Text under the name of a format that is only read would mislead whoever opens it. */
static void endings_of_readers_are_refused(void **state)
{
    (void)state;
    assert_int_equal(spk_recording_check_write(context, "a.npy", NULL), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "npy is read, not written"));
    assert_int_equal(spk_recording_check_write(context, "a.npy", "text"), SPK_OK);
    assert_int_equal(spk_recording_check_write(context, "a.csv.gz", NULL), SPK_OK);
    assert_int_equal(spk_recording_check_write(context, "a.b", NULL), SPK_OK);
    assert_int_equal(spk_recording_check_write(context, "a", "papyrus"), SPK_ERR_ARGUMENT);
}

static void bad_labels_are_refused(void **state)
{
    (void)state;
    static const char *const labels[] = {"\xff"};
    spk_recording *recording = NULL;
    const char *path = test_path("bad.npz");
    assert_int_equal(test_recording_create(context, 1, (int64_t[]){1}, (uint32_t[]){0}, 1, labels,
                                           (spk_rate){1, 1}, NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_recording_write(context, recording, path, NULL), SPK_ERR_FORMAT);
    assert_null(fopen(path, "rb"));
    spk_recording_free(recording);
}

static void formats_that_are_written_say_so(void **state)
{
    (void)state;
    bool text_writes = false;
    for (size_t k = 0; k < spk_format_count(); k++) {
        spk_format_info info;
        assert_int_equal(spk_format_describe(context, k, &info), SPK_OK);
        if (strcmp(info.name, "text") == 0)
            text_writes = info.writes;
    }
    assert_true(text_writes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npz_holds_the_recording),
        cmocka_unit_test(long_arrays_are_whole),
        cmocka_unit_test(endings_choose_the_format),
        cmocka_unit_test(endings_of_readers_are_refused),
        cmocka_unit_test(bad_labels_are_refused),
        cmocka_unit_test(formats_that_are_written_say_so),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
