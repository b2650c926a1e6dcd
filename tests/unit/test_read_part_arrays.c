/*
 * Arrays that ranks read in parts: the parts put together are the recording of one process, in
 * every layout of files, and each rank holds its share. What cannot be read in parts is read whole,
 * and what cannot be read fails in all ranks as in one process.
 */
#include <sys/stat.h>

#include "recording/recording.h"
#include "support/npy.h"
#include "support/npz.h"
#include "support/parts.h"
#include "support/test.h"
#include "support/thread_ranks.h"

static uint64_t seed;

static const int rank_numbers[] = {1, 2, 3, 4, 5, 7, 8};
enum { N_RANK_NUMBERS = sizeof rank_numbers / sizeof rank_numbers[0], MOST_EVENTS = 1 << 18 };

/* The events of a file. */
typedef struct columns {
    uint64_t n;
    int64_t time[MOST_EVENTS];
    int64_t unit[MOST_EVENTS];
} columns;

static columns events;

typedef struct job {
    int n;
    spk_duration reach;
    uint32_t steps;
    uint64_t memory; /* limit of a rank, 0: none */
    char path[256];
    char last_path[256]; /* of the last rank; "": that of all */
    char unit_file[256];
    spk_read_options options;
    spk_recording *recording[TEST_MOST_RANKS];
    char notes[TEST_MOST_RANKS][512];
} job;

/* ---- files ----------------------------------------------------------------------------------- */

static unsigned char bytes[2][MOST_EVENTS * 16];

/* Writes n values of a type like ">i4" one after the other, `stride` bytes apart; returns the size
 * of all. */
static size_t pack(const int64_t *value, uint64_t n, const char *type, size_t stride,
                   unsigned char *out)
{
    size_t size = (size_t)(type[2] - '0');
    for (uint64_t e = 0; e < n; e++)
        for (size_t k = 0; k < size; k++) {
            size_t place = type[0] == '>' ? size - 1 - k : k;
            out[e * stride + place] = (unsigned char)((uint64_t)value[e] >> (8 * k));
        }
    return (size_t)n * stride;
}

static const char *list_file(const char *name, const int64_t *value, const char *type)
{
    char shape[40];
    size_t size = (size_t)(type[2] - '0');
    snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)events.n);
    return test_npy_file(name, type, shape, bytes[0], pack(value, events.n, type, size, bytes[0]));
}

static void set_path(job *j, const char *path)
{
    snprintf(j->path, sizeof j->path, "%s", path);
}

static void in_samples(job *j)
{
    spk_read_options_init(&j->options, sizeof j->options);
    j->options.time_unit = SPK_TIME_SAMPLES;
    j->options.samples_per_second = 100;
}

static void write_pair(job *j, test_random *random)
{
    static const char *const types[] = {"<i8", ">i8", "<i4", ">i2", "<i2"};
    const bool is_long = events.n > 0 && events.time[events.n - 1] > INT16_MAX;
    const char *type = types[test_random_below(random, is_long ? 3 : 5)];
    in_samples(j);
    set_path(j, list_file("times.npy", events.time, type));
    snprintf(j->unit_file, sizeof j->unit_file, "%s",
             list_file("units.npy", events.unit, types[test_random_below(random, 5)]));
    j->options.unit_file = j->unit_file;
}

static void write_table(job *j, test_random *random)
{
    char shape[40];
    const bool unit_first = test_random_chance(random, 0.5);
    snprintf(shape, sizeof shape, "(%llu, 2)", (unsigned long long)events.n);
    in_samples(j);
    j->options.columns = unit_first ? SPK_COLUMNS_UNIT_TIME : SPK_COLUMNS_GUESS;
    pack(events.time, events.n, "<i4", 8, bytes[0] + (unit_first ? 4 : 0));
    pack(events.unit, events.n, "<i4", 8, bytes[0] + (unit_first ? 0 : 4));
    set_path(j, test_npy_file("table.npy", "<i4", shape, bytes[0], (size_t)events.n * 8));
}

static void write_records(job *j, test_random *random)
{
    char shape[40];
    (void)random;
    snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)events.n);
    in_samples(j);
    pack(events.time, events.n, "<i8", 12, bytes[0]);
    pack(events.unit, events.n, "<i4", 12, bytes[0] + 8);
    set_path(j, test_npy_file("vector.npy", "[('sample_index', '<i8'), ('unit_index', '<i4')]",
                              shape, bytes[0], (size_t)events.n * 12));
}

/* Of a sorting, with a cluster of noise that is left out and one that has no spike. */
static void write_phy(job *j, test_random *random)
{
    spk_read_options_init(&j->options, sizeof j->options);
    (void)mkdir(test_path("phy"), 0700);
    list_file("phy/spike_times.npy", events.time, "<i8");
    list_file("phy/spike_clusters.npy", events.unit, "<i4");
    test_file("phy/params.py", "sample_rate = 100.\n");
    test_file("phy/cluster_group.tsv",
              "cluster_id\tgroup\n0\tnoise\n1\tgood\n2\tgood\n3\tmua\n77\tgood\n");
    j->options.group = test_random_chance(random, 0.3) ? "all" : NULL;
    set_path(j, test_path("phy"));
}

static void write_alf(job *j, test_random *random)
{
    (void)random;
    in_samples(j);
    (void)mkdir(test_path("alf"), 0700);
    list_file("alf/spikes.times.npy", events.time, "<i8");
    list_file("alf/spikes.clusters.npy", events.unit, "<i4");
    set_path(j, test_path("alf"));
}

static void write_npz(job *j, test_random *random)
{
    char shape[40];
    (void)random;
    snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)events.n);
    test_npz_array arrays[] = {{"times", "<i8", shape, bytes[0], 0},
                               {"units", "<i8", shape, bytes[1], 0}};
    arrays[0].n = pack(events.time, events.n, "<i8", 8, bytes[0]);
    arrays[1].n = pack(events.unit, events.n, "<i8", 8, bytes[1]);
    in_samples(j);
    set_path(j, test_npz_file("pair.npz", 2, arrays));
}

/* As a recording writes itself, with a unit that never fires. */
static void write_ours(job *j, test_random *random)
{
    static uint32_t unit[MOST_EVENTS];
    spk_recording *recording = NULL;
    spk_recording_source source;
    const int64_t start = -1000, stop = 1000000;
    spk_recording_source_init(&source, sizeof source);
    for (uint64_t e = 0; e < events.n; e++)
        unit[e] = (uint32_t)events.unit[e];
    source.n_events = events.n;
    source.time = events.time;
    source.unit = unit;
    source.n_units = 12;
    source.rate = (spk_rate){100, 1};
    source.start = test_random_chance(random, 0.5) ? &start : NULL;
    source.stop = test_random_chance(random, 0.5) ? &stop : NULL;
    assert_int_equal(spk_recording_create(alone, &source, &recording), SPK_OK);
    set_path(j, test_path("ours.npz"));
    assert_int_equal(spk_recording_write(alone, recording, j->path, NULL), SPK_OK);
    spk_recording_free(recording);
    spk_read_options_init(&j->options, sizeof j->options);
}

typedef void write_fn(job *j, test_random *random);

/* The last two are archives. */
static write_fn *const layouts[] = {write_pair, write_table, write_records, write_phy,
                                    write_alf,  write_npz,   write_ours};
enum { N_PLAIN = 5, N_LAYOUTS = SPIKEMINE_HAVE_LIBARCHIVE ? 7 : N_PLAIN };

/* ---- events ---------------------------------------------------------------------------------- */

/* Ties over many events, duplicates, units that come up late. */
static void draw_events(test_random *random, uint64_t n)
{
    double together = test_random_chance(random, 0.4) ? 0.9 : 0.2;
    uint64_t n_units = 1 + test_random_below(random, 4);
    int64_t now = test_random_between(random, -500, 500);
    events.n = n;
    for (uint64_t e = 0; e < n; e++) {
        now += test_random_chance(random, together) ? 0 : test_random_between(random, 0, 3);
        events.time[e] = now;
        events.unit[e] = (int64_t)test_random_below(random, n_units + 6 * e / n);
    }
}

static void make_reach(job *j, test_random *random)
{
    j->steps = 1 + (uint32_t)test_random_below(random, 3);
    j->reach = (spk_duration){test_random_between(random, 1, 100), -2};
    if (test_random_chance(random, 0.1))
        j->reach = (spk_duration){1, SPK_DURATION_INFINITE};
}

/* ---- readers --------------------------------------------------------------------------------- */

static void keep_note(void *user, const char *text)
{
    char *notes = user;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof((job *)NULL)->notes[0] - n, "%s\n", text);
}

static spk_status read_and_join(spk_context *context, int rank, void *user)
{
    job *j = user;
    spk_read_options options = j->options;
    spk_read_part part = {.number = rank, .n = j->n, .reach = j->reach, .steps = j->steps};
    options.part = &part;
    j->notes[rank][0] = '\0';
    spk_context_set_note(context, keep_note, j->notes[rank]);
    if (j->memory > 0)
        spk_context_set_memory_limit(context, j->memory);
    const bool other = j->last_path[0] != '\0' && rank + 1 == j->n;
    spk_status status =
        spk_recording_read(context, other ? j->last_path : j->path, &options, &j->recording[rank]);
    return status == SPK_OK ? spk_ranks_join_parts(context, j->recording[rank]) : status;
}

static void free_parts(job *j)
{
    for (int k = 0; k < j->n; k++) {
        spk_recording_free(j->recording[k]);
        j->recording[k] = NULL;
    }
}

/* The file of the job read by ranks and by one process: the same, or the same failure. Numbers of
 * ranks are that at the place `first`, and every `step` behind it. */
static void check_numbers(job *j, bool divided, uint64_t c, int first, int step)
{
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    spk_recording *whole = NULL;
    spk_status expected = spk_recording_read(alone, j->path, &j->options, &whole);
    for (int i = first; i < N_RANK_NUMBERS; i += step) {
        j->n = rank_numbers[i];
        test_ranks_run(j->n, read_and_join, j, status, message);
        for (int k = 0; k < j->n; k++) {
            if (status[k] != expected ||
                (expected != SPK_OK && strncmp(message[k], spk_context_message(alone), 255) != 0))
                fail_msg("case %d, rank %d of %d: '%s', but alone '%s'", (int)c, k, j->n,
                         message[k], expected != SPK_OK ? spk_context_message(alone) : "");
            if (expected == SPK_OK && (!divided || j->n == 1))
                test_parts_check_whole(j->recording[k], whole);
        }
        if (expected == SPK_OK && divided && j->n > 1)
            test_parts_check(j->n, j->recording, whole, j->reach, j->steps);
        free_parts(j);
    }
    spk_recording_free(whole);
}

static void check_file(job *j, bool divided, uint64_t c)
{
    check_numbers(j, divided, c, 0, 1);
}

/* Random cases have the one half of the numbers and the other in turn, four by four: the case tells
 * what it is by its rest, too. */
static void check_random(job *j, bool divided, uint64_t c)
{
    check_numbers(j, divided, c, (int)(c / 4 % 2), 2);
}

/* ---- in parts -------------------------------------------------------------------------------- */

static uint64_t draw_length(test_random *random, uint64_t c)
{
    return c % 4 == 0 ? 1 + test_random_below(random, 12) : 1 + test_random_below(random, 600);
}

static void test_every_layout(void **state)
{
    static job j;
    (void)state;
    for (uint64_t c = 0; c < N_LAYOUTS + test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        draw_events(&random, draw_length(&random, c));
        make_reach(&j, &random);
        layouts[c % N_LAYOUTS](&j, &random);
        check_random(&j, true, c);
    }
}

static void test_nothing_and_one_time(void **state)
{
    static job j;
    test_random random = test_random_make(seed, 9000);
    (void)state;
    for (uint64_t n = 0; n < 40; n += test_whole_recordings() ? 13 : 39)
        for (size_t k = 0; k < N_LAYOUTS; k++) {
            events.n = n;
            for (uint64_t e = 0; e < n; e++) {
                events.time[e] = 7;
                events.unit[e] = (int64_t)(e % 5);
            }
            make_reach(&j, &random);
            layouts[k](&j, &random);
            check_file(&j, true, 9000 + n);
        }
}

/* A stretch of which no event is read, between others, has no margin either. */
static void test_stretch_of_noise(void **state)
{
    static job j = {.reach = {50, -2}, .steps = 2};
    test_random random = test_random_make(seed, 9100);
    (void)state;
    events.n = 800;
    for (uint64_t e = 0; e < events.n; e++) {
        events.time[e] = (int64_t)e;
        events.unit[e] = e >= 200 && e < 600 ? 0 : 1 + (int64_t)(e % 3);
    }
    write_phy(&j, &random);
    j.options.group = NULL;
    check_file(&j, true, 9100);
}

/* Times at both ends of int64, with a margin that would go beyond. */
static void test_times_at_the_ends(void **state)
{
    static job j = {.reach = {1, 9}, .steps = 4};
    (void)state;
    events.n = 40;
    for (int64_t e = 0; e < 40; e++) {
        events.time[e] = e < 20 ? INT64_MIN + e / 3 : INT64_MAX - (39 - e) / 3;
        events.unit[e] = e % 4;
    }
    test_random random = test_random_make(seed, 9200);
    write_records(&j, &random);
    check_file(&j, true, 9200);
    j.reach = (spk_duration){1, -2};
    check_file(&j, true, 9201);
}

/* Fails the test unless one process needs more memory than that. */
static void check_whole_needs_more(job *j)
{
    spk_recording *recording = NULL;
    spk_context_set_memory_limit(alone, j->memory);
    assert_int_equal(spk_recording_read(alone, j->path, &j->options, &recording), SPK_ERR_MEMORY);
    spk_context_set_memory_limit(alone, UINT64_MAX);
}

/* A rank holds its share, its margin and no more, while it reads and afterwards. */
static void test_shares(void **state)
{
    static job j = {.n = 8, .reach = {30, -2}, .steps = 2, .memory = 2500000};
    spk_status status[TEST_MOST_RANKS];
    test_random random = test_random_make(seed, 9300);
    (void)state;
    events.n = MOST_EVENTS;
    for (uint64_t e = 0; e < events.n; e++) {
        events.time[e] = (int64_t)(e / 3);
        events.unit[e] = (int64_t)(test_random_below(&random, 5) * 3 + e % 3);
    }
    for (size_t k = 0; k < N_PLAIN; k++) {
        layouts[k](&j, &random);
        j.options.group = layouts[k] == write_phy ? "all" : NULL;
        check_whole_needs_more(&j);
        test_ranks_run(j.n, read_and_join, &j, status, NULL);
        for (int r = 0; r < j.n; r++) {
            assert_int_equal(status[r], SPK_OK);
            assert_int_equal(spk_recording_whole_events(j.recording[r]), MOST_EVENTS);
            assert_in_range(spk_recording_events(j.recording[r]).n_events, MOST_EVENTS / 8 - 3,
                            MOST_EVENTS / 8 + 3 + 3 * 2 * 33);
        }
        free_parts(&j);
    }
}

/* Rates that are told are those of the whole. */
static void test_notes_on_rates(void **state)
{
    static job j = {.n = 8, .reach = {1, 0}, .steps = 1};
    spk_status status[TEST_MOST_RANKS];
    test_random random = test_random_make(seed, 9350);
    (void)state;
    events.n = 1600;
    for (int64_t apart = 5; apart <= 1000; apart *= 200) { /* seconds */
        for (uint64_t e = 0; e < events.n; e++) {
            events.time[e] = (int64_t)(e - e % 2) * apart * 100 + (int64_t)(e % 2);
            events.unit[e] = (int64_t)(e / 2 % 4); /* twice, as neurons do */
        }
        write_records(&j, &random);
        test_ranks_run(j.n, read_and_join, &j, status, NULL);
        for (int k = 0; k < j.n; k++) {
            assert_int_equal(status[k], SPK_OK);
            if (apart == 5)
                assert_string_equal(j.notes[k], "");
            else
                assert_string_equal(j.notes[k], "the recording: half of the units fire less than "
                                                "0.00025 times a second; is the unit of time right "
                                                "(--time-unit)?\n");
        }
        free_parts(&j);
    }
}

/* ---- as a whole ------------------------------------------------------------------------------ */

/* One time that is out of order, wherever it stands, is seen by all. */
static void test_disorder(void **state)
{
    static job j;
    const uint64_t many = test_scaled_from(100000, 20000);
    (void)state;
    for (uint64_t c = 0; c < N_LAYOUTS + test_scaled(60); c++) {
        test_random random = test_random_make(seed, 9400 + c);
        if (layouts[c % N_LAYOUTS] == write_ours) /* which is in order always */
            continue;
        draw_events(&random, c % 3 == 0 ? many : 2 + test_random_below(&random, 2000));
        uint64_t at = test_random_below(&random, events.n - 1);
        if (layouts[c % N_LAYOUTS] == write_npz && events.n > 10000) { /* as its helper holds */
            events.n = 10000;
            at %= 9999;
        }
        events.time[at] = events.time[at + 1] + 1 + (int64_t)test_random_below(&random, 500);
        make_reach(&j, &random);
        layouts[c % N_LAYOUTS](&j, &random);
        check_random(&j, false, 9400 + c);
    }
}

static void test_options_that_need_the_whole(void **state)
{
    static job j;
    const spk_duration start = {3, 0}, stop = {6, 0};
    test_random random = test_random_make(seed, 9500);
    (void)state;
    draw_events(&random, 500);
    events.time[499] = 2000;
    make_reach(&j, &random);
    for (int k = 0; k < 4; k++) {
        write_records(&j, &random);
        j.options.sort = k == 0;
        j.options.start = k == 1 ? &start : NULL;
        j.options.stop = k == 2 ? &stop : NULL;
        j.options.units = k == 3 ? "0" : NULL;
        check_file(&j, false, 9500 + (uint64_t)k);
    }
}

/* The clock of floating point is found from all times. */
static void test_floating_point(void **state)
{
    static job j;
    static double seconds[500];
    test_random random = test_random_make(seed, 9600);
    (void)state;
    draw_events(&random, 500);
    make_reach(&j, &random);
    write_pair(&j, &random);
    for (int scale = 1; scale <= 100; scale *= 100) {
        for (uint64_t e = 0; e < events.n; e++)
            seconds[e] = (double)events.time[e] / scale;
        set_path(&j, test_npy_file("real.npy", "<f8", "(500,)", seconds, sizeof seconds));
        j.options.time_unit = scale == 1 ? SPK_TIME_SAMPLES : SPK_TIME_SECONDS;
        check_file(&j, false, 9600);
    }
}

static void test_segments(void **state)
{
    static job j;
    spk_recording *recording = NULL, *cut = NULL;
    const spk_time_range ranges[] = {{{0, 0}, {2, 0}}, {{3, 0}, {5, 0}}};
    test_random random = test_random_make(seed, 9700);
    (void)state;
    if (!SPIKEMINE_HAVE_LIBARCHIVE)
        skip();
    draw_events(&random, 600);
    make_reach(&j, &random);
    write_ours(&j, &random);
    assert_int_equal(spk_recording_read(alone, j.path, &j.options, &recording), SPK_OK);
    assert_int_equal(spk_recording_cut(alone, recording, 2, ranges, &cut), SPK_OK);
    assert_int_equal(remove(j.path), 0);
    assert_int_equal(spk_recording_write(alone, cut, j.path, NULL), SPK_OK);
    check_file(&j, false, 9700);
    spk_recording_free(recording);
    spk_recording_free(cut);
}

/* ---- what fails ------------------------------------------------------------------------------ */

static void test_bad_values(void **state)
{
    static job j;
    static double unit[300];
    (void)state;
    for (uint64_t c = 0; c < 8 + test_scaled(60); c++) {
        test_random random = test_random_make(seed, 9800 + c);
        draw_events(&random, 300);
        make_reach(&j, &random);
        write_pair(&j, &random);
        for (uint64_t e = 0; e < events.n; e++)
            unit[e] = (double)events.unit[e];
        /* A time that int64 does not hold, or a unit that is none, or both. */
        for (uint64_t e = 0; e < events.n; e++)
            events.time[e] += 1000;
        for (uint64_t e = test_random_below(&random, 300); c % 3 != 0 && e < events.n; e++)
            events.time[e] = -1;
        set_path(&j, list_file("large.npy", events.time, "<u8"));
        if (c % 3 != 1) {
            unit[test_random_below(&random, 300)] = 1.5;
            test_npy_file("units.npy", "<f8", "(300,)", unit, sizeof unit);
        }
        check_random(&j, false, 9800 + c);
    }
}

/* An archive of ours whose events lie outside its start and stop. */
static void test_events_outside(void **state)
{
    static job j = {.reach = {2, -2}, .steps = 1};
    static const int64_t time[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint32_t unit[8];
    (void)state;
    if (!SPIKEMINE_HAVE_LIBARCHIVE)
        skip();
    for (int64_t outside = 0; outside < 3; outside++) {
        int32_t version = 1;
        uint64_t rate[] = {100, 1};
        int64_t start = outside == 1 ? 2 : 0, stop = outside == 2 ? 8 : 20;
        test_npz_array arrays[] = {
            {"spikemine", "<i4", "(1,)", &version, sizeof version},
            {"ticks", "<i8", "(8,)", time, sizeof time},
            {"index", "<u4", "(8,)", unit, sizeof unit},
            {"labels", "|S1", "(1,)", "a", 1},
            {"rate", "<u8", "(2,)", rate, sizeof rate},
            {"segment_start", "<i8", "(1,)", &start, sizeof start},
            {"segment_stop", "<i8", "(1,)", &stop, sizeof stop},
            {"segment_bounds", "|S4", "(2,)", "ticktick", 8},
        };
        set_path(&j, test_npz_file("outside.npz", 8, arrays));
        spk_read_options_init(&j.options, sizeof j.options);
        check_file(&j, outside == 0, 9900 + (uint64_t)outside);
    }
}

/* Two files with the same units and extent, of which one has an event somewhere else, or of another
 * unit: where a rank reads the other one, all say so. */
static void test_other_files(void **state)
{
    static job j = {.n = 3, .reach = {2, -2}, .steps = 1};
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    test_random random = test_random_make(seed, 9950);
    (void)state;
    for (int change = 0; change < 3; change++) {
        events.n = 300;
        for (uint64_t e = 0; e < events.n; e++) {
            events.time[e] = 3 * (int64_t)e;
            events.unit[e] = (int64_t)(e % 4);
        }
        write_alf(&j, &random);
        snprintf(j.last_path, sizeof j.last_path, "%s", test_path("other"));
        (void)mkdir(j.last_path, 0700);
        for (uint64_t e = 0; e < events.n && change == 2; e++)
            events.unit[e] = 3 - events.unit[e];
        events.time[100] += change == 0;
        events.unit[100] = change == 1 ? 1 - events.unit[100] : events.unit[100];
        list_file("other/spikes.times.npy", events.time, "<i8");
        list_file("other/spikes.clusters.npy", events.unit, "<i4");
        test_ranks_run(j.n, read_and_join, &j, status, message);
        for (int k = 0; k < j.n; k++) {
            assert_int_equal(status[k], SPK_ERR_ARGUMENT);
            if (k == 0 || k == 2)
                assert_non_null(strstr(message[k], "rank 2 has another recording than rank 0"));
        }
        free_parts(&j);
    }
}

int main(void)
{
    seed = test_seed("test_read_part_arrays");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_layout),     cmocka_unit_test(test_nothing_and_one_time),
        cmocka_unit_test(test_stretch_of_noise), cmocka_unit_test(test_times_at_the_ends),
        cmocka_unit_test(test_shares),           cmocka_unit_test(test_notes_on_rates),
        cmocka_unit_test(test_disorder),         cmocka_unit_test(test_options_that_need_the_whole),
        cmocka_unit_test(test_floating_point),   cmocka_unit_test(test_segments),
        cmocka_unit_test(test_bad_values),       cmocka_unit_test(test_events_outside),
        cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, alone_setup, alone_teardown);
}
