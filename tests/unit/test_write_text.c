/* Writing recordings and reading them back, plain and compressed. */
#include "support/test.h"

#if SPIKEMINE_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

static char folder[64];

static int setup(void **state)
{
    spk_context *context = NULL;
    strcpy(folder, "/tmp/spk_text.XXXXXX");
    if (mkdtemp(folder) == NULL || spk_context_create(&context) != SPK_OK)
        return -1;
    *state = context;
    return 0;
}

static int teardown(void **state)
{
    spk_context_free(*state);
    return rmdir(folder);
}

static const char *file_named(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static spk_recording *read_file(spk_context *context, const char *path)
{
    spk_recording *recording = NULL;
    const char *reason = NULL;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    if (spk_recording_read_text(context, path, &options, &recording) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    assert_true(spk_recording_validate(recording, &reason));
    return recording;
}

/* The same events: labels, and times as fractions of seconds. */
static void assert_same(const spk_recording *a, const spk_recording *b)
{
    spk_events x = spk_recording_events(a);
    spk_events y = spk_recording_events(b);
    spk_rate p = spk_recording_rate(a);
    spk_rate q = spk_recording_rate(b);
    assert_int_equal(x.n_events, y.n_events);
    for (uint64_t i = 0; i < x.n_events; i++) {
        /* t / rate; small enough here that the products stay in 128 bits. */
        __int128 left = (__int128)x.time[i] * (__int128)p.denominator * (__int128)q.numerator;
        __int128 right = (__int128)y.time[i] * (__int128)q.denominator * (__int128)p.numerator;
        assert_true(left == right);
        assert_string_equal(spk_recording_label(a, x.unit[i]), spk_recording_label(b, y.unit[i]));
    }
}

static const char *const LABELS[] = {
    "0",       "1",   "1.0", "01",        "a b",  "x,y;z", "say \"no\"", "#hash", "\"",  "",
    "tab\tin", "nan", "-7",  "\xc3\xa9l", "time", "unit",  "e2",         "1e5",   "ch2", "ch10"};
enum { N_LABELS = sizeof LABELS / sizeof LABELS[0], N_EVENTS = 200 };

static spk_recording *make_random(spk_context *context, spk_rate rate, test_random *random)
{
    int64_t times[N_EVENTS];
    uint32_t units[N_EVENTS];
    int64_t range = (int64_t)1 << (2 + test_random_below(random, 38));
    for (int i = 0; i < N_EVENTS; i++) {
        times[i] = test_random_between(random, 0, range - 1);
        times[i] -= test_random_chance(random, 0.5) ? range / 2 : 0;
        units[i] = (uint32_t)test_random_below(random, N_LABELS);
    }
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, N_EVENTS, times, units, N_LABELS, LABELS, rate,
                                           NULL, NULL, &recording),
                     SPK_OK);
    return recording;
}

static void random_recordings_come_back(void **state)
{
    static const spk_rate rates[] = {{1, 1},       {10, 1},         {1000, 1},
                                     {100000, 1},  {1000000000, 1}, {25000, 1},
                                     {30000, 1},   {24414, 1},      {1000000000000000000u, 1},
                                     {200, 1},     {1, 3},          {48828125, 2000},
                                     {30000, 1001}};
    const uint64_t seed = test_seed("random_recordings_come_back");
    const uint64_t n_rounds = 13 * test_scaled_from(20, 5);
    const char *path = file_named("rec.txt");
    for (uint64_t round = 0; round < n_rounds; round++) {
        test_random random = test_random_make(seed, round);
        spk_rate rate = rates[round % 13];
        spk_recording *written = make_random(*state, rate, &random);
        assert_int_equal(spk_recording_write_text(*state, written, path), SPK_OK);
        spk_recording *back = read_file(*state, path);
        assert_same(written, back);
        uint64_t power = rate.numerator;
        while (power % 10 == 0)
            power /= 10;
        if (power == 1 && rate.denominator == 1)
            assert_int_equal(spk_recording_rate(back).numerator, rate.numerator);
        spk_recording_free(written);
        spk_recording_free(back);
    }
    remove(path);
}

static void extreme_times_come_back(void **state)
{
    const int64_t times[] = {INT64_MIN, -1, 0, INT64_MAX - 1};
    const uint32_t units[] = {0, 0, 0, 0};
    static const spk_rate rates[] = {{1, 1}, {1000000000000000000u, 1}, {30000, 1}, {4, 1}};
    const char *path = file_named("rec.txt");
    for (int k = 0; k < 4; k++) {
        spk_recording *written = NULL;
        assert_int_equal(
            test_recording_create(*state, 4, times, units, 1, NULL, rates[k], NULL, NULL, &written),
            SPK_OK);
        assert_int_equal(spk_recording_write_text(*state, written, path), SPK_OK);
        spk_recording *back = read_file(*state, path);
        assert_memory_equal(spk_recording_events(back).time, times, sizeof times);
        assert_int_equal(spk_recording_rate(back).numerator, rates[k].numerator);
        spk_recording_free(written);
        spk_recording_free(back);
    }
    remove(path);
}

static void unwritable_labels_are_refused(void **state)
{
    const int64_t times[] = {1};
    const uint32_t units[] = {0};
    const char *const labels[] = {"line\nend"};
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(*state, 1, times, units, 1, labels, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_recording_write_text(*state, recording, file_named("rec.txt")),
                     SPK_ERR_FORMAT);
    assert_int_not_equal(access(file_named("rec.txt"), F_OK), 0);
    assert_int_equal(spk_recording_write_text(*state, recording, "/nowhere/rec.txt"),
                     SPK_ERR_FORMAT);
    spk_recording_free(recording);
}

/* ---- compression ----------------------------------------------------------------------------- */

#if SPIKEMINE_HAVE_LIBARCHIVE

typedef struct compression {
    const char *suffix;
    int (*add)(struct archive *);
} compression;

static const compression COMPRESSIONS[] = {{"gz", archive_write_add_filter_gzip},
                                           {"bz2", archive_write_add_filter_bzip2},
                                           {"xz", archive_write_add_filter_xz},
                                           {"zst", archive_write_add_filter_zstd}};

static char *load(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    assert_non_null(file);
    assert_non_null(bytes);
    *n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* Compresses; false when this libarchive cannot. */
static bool compress_file(const compression *c, const char *from, const char *to)
{
    size_t n = 0;
    char *bytes = load(from, &n);
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    archive_write_set_format_raw(archive);
    bool good = c->add(archive) == ARCHIVE_OK;
    archive_entry_set_filetype(entry, AE_IFREG);
    good = good && archive_write_open_filename(archive, to) == ARCHIVE_OK &&
           archive_write_header(archive, entry) == ARCHIVE_OK &&
           archive_write_data(archive, bytes, n) == (la_ssize_t)n &&
           archive_write_close(archive) == ARCHIVE_OK;
    archive_entry_free(entry);
    archive_write_free(archive);
    free(bytes);
    return good;
}

/* Cuts the file to part of its length and expects an error that says so. */
static void truncated_is_told(spk_context *context, const char *path, size_t part)
{
    size_t n = 0;
    char *bytes = load(path, &n);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, part == 0 ? n / 2 : part, file);
    fclose(file);
    free(bytes);
    spk_read_options options;
    spk_recording *recording = NULL;
    spk_read_options_init(&options, sizeof options);
    assert_int_equal(spk_recording_read_text(context, path, &options, &recording), SPK_ERR_FORMAT);
    if (strstr(spk_context_message(context), "damaged or cut off") == NULL)
        fail_msg("%s", spk_context_message(context));
}

static void compressed_recordings_are_the_same(void **state)
{
    char plain[256];
    snprintf(plain, sizeof plain, "%s", test_bundled("movement_PGHF.spikes.txt"));
    spk_recording *expected = read_file(*state, plain);
    for (size_t k = 0; k < sizeof COMPRESSIONS / sizeof COMPRESSIONS[0]; k++) {
        char name[32];
        snprintf(name, sizeof name, "rec.txt.%s", COMPRESSIONS[k].suffix);
        const char *path = file_named(name);
        if (!compress_file(&COMPRESSIONS[k], plain, path)) {
            print_message("no %s here\n", COMPRESSIONS[k].suffix);
            remove(path);
            continue;
        }
        spk_recording *recording = read_file(*state, path);
        assert_same(expected, recording);
        assert_string_not_equal(spk_recording_get_facts(recording)->sha256,
                                spk_recording_get_facts(expected)->sha256);
        spk_recording_free(recording);
        truncated_is_told(*state, path, 0);
        truncated_is_told(*state, path, 6);
        remove(path);
    }
    spk_recording_free(expected);
}

#else

static void compressed_recordings_are_the_same(void **state)
{
    const char *path = file_named("rec.gz");
    FILE *file = fopen(path, "wb");
    spk_read_options options;
    spk_recording *recording = NULL;
    assert_non_null(file);
    fwrite("\x1f\x8b\x08", 1, 3, file);
    fclose(file);
    spk_read_options_init(&options, sizeof options);
    assert_int_equal(spk_recording_read_text(*state, path, &options, &recording),
                     SPK_ERR_UNAVAILABLE);
    assert_non_null(strstr(spk_context_message(*state), "libarchive"));
    remove(path);
}

#endif

/* The digest of "0.5 a\n" as sha256sum prints it. */
static void the_digest_is_that_of_the_bytes(void **state)
{
    const char *path = file_named("rec.txt");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("0.5 a\n", file);
    fclose(file);
    spk_recording *recording = read_file(*state, path);
    assert_string_equal(spk_recording_get_facts(recording)->sha256,
                        "e218bc486933c6a95b36d4007c8e65441c5f2df34def538b8fac13bac0c72eee");
    spk_recording_free(recording);
    remove(path);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(random_recordings_come_back),     TEST(extreme_times_come_back),
        TEST(unwritable_labels_are_refused),   TEST(compressed_recordings_are_the_same),
        TEST(the_digest_is_that_of_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
