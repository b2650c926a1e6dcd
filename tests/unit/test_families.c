/*
 * Families of near-duplicates: planted sequences come back as that many families, sequences of the
 * same units in opposite orders stay apart, chance makes no large family, and the order of the list
 * changes nothing. Average linkage against a slow one.
 */
#include "select/founders.h"
#include "support/context.h"

enum { MOST_EVENTS = 200000, MS = 10 /* ticks */ };

static uint64_t seed;
static const spk_delay within_10ms = {{0, 0}, {10, -3}};

/* ---- recordings with sequences --------------------------------------------------------------- */

typedef struct events {
    uint64_t n;
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
} events;

typedef struct event {
    int64_t time;
    uint32_t unit;
} event;

static int compare_events(const void *a, const void *b)
{
    const event *x = a;
    const event *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static events *events_make(void)
{
    events *e = calloc(1, sizeof *e);
    assert_non_null(e);
    return e;
}

static void add(events *e, int64_t time, uint32_t unit)
{
    assert_true(e->n < MOST_EVENTS);
    e->time[e->n] = time;
    e->unit[e->n++] = unit;
}

/* Each unit fires n times, anywhere. */
static void add_background(events *e, test_random *random, uint32_t n_units, uint32_t n,
                           int64_t stop)
{
    for (uint32_t u = 0; u < n_units; u++)
        for (uint32_t k = 0; k < n; k++)
            add(e, test_random_between(random, 0, stop - 1), u);
}

/* Units first, first + step, ... one after the other, 3 to 6 ms apart, n times. */
static void add_sequence(events *e, test_random *random, uint32_t first, int step, uint32_t size,
                         uint32_t n, int64_t stop)
{
    for (uint32_t k = 0; k < n; k++) {
        int64_t time = test_random_between(random, 0, stop - 1000 * MS);
        for (uint32_t p = 0; p < size; p++) {
            add(e, time, (uint32_t)((int)first + (int)p * step));
            time += test_random_between(random, 3 * MS, 6 * MS);
        }
    }
}

/* Frees the events. */
static spk_recording *recording_of(events *e, uint32_t n_units)
{
    spk_recording *recording = NULL;
    event *sorted = calloc(e->n + 1, sizeof *sorted);
    assert_non_null(sorted);
    for (uint64_t k = 0; k < e->n; k++)
        sorted[k] = (event){e->time[k], e->unit[k]};
    qsort(sorted, e->n, sizeof *sorted, compare_events);
    for (uint64_t k = 0; k < e->n; k++) {
        e->time[k] = sorted[k].time;
        e->unit[k] = sorted[k].unit;
    }
    assert_int_equal(test_recording_create(context, e->n, e->time, e->unit, n_units, NULL,
                                           (spk_rate){1000 * MS, 1}, NULL, NULL, &recording),
                     SPK_OK);
    free(sorted);
    free(e);
    return recording;
}

static spk_episode_list *mine(const spk_recording *recording, const spk_delay *delay,
                              uint64_t support)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delay;
    options.n_delays = 1;
    options.support = support;
    spk_episode_list *list = NULL;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, recording, &options, spk_episode_list_add, list, NULL), SPK_OK);
    return list;
}

static spk_families *group(const spk_recording *recording, const spk_episode_list *list)
{
    spk_families *families = NULL;
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_families_of_episodes(context, recording, &columns, NULL, &families),
                     SPK_OK);
    return families;
}

/* ---- planted sequences ----------------------------------------------------------------------- */

/* The family whose units are these, in this order; NULL where none has them. */
static const spk_family *find_family(const spk_family_columns *columns, uint32_t first, int step,
                                     uint32_t size)
{
    for (uint64_t k = 0; k < columns->n; k++) {
        const spk_family *f = &columns->family[k];
        bool same = f->n_units == size;
        for (uint32_t p = 0; p < size && same; p++)
            same = f->unit[p] == (uint32_t)((int)first + (int)p * step);
        if (same)
            return f;
    }
    return NULL;
}

static void planted_sequences(void **state)
{
    (void)state;
    enum { SIZE = 6, TIMES = 60 };
    const int64_t stop = 200000 * MS;
    for (uint32_t n_sequences = 1; n_sequences <= 4; n_sequences++) {
        test_random random = test_random_make(seed, n_sequences);
        events *e = events_make();
        add_background(e, &random, 24, 400, stop);
        for (uint32_t s = 0; s < n_sequences; s++)
            add_sequence(e, &random, SIZE * s, 1, SIZE, TIMES, stop);
        spk_recording *recording = recording_of(e, 24);
        spk_episode_list *list = mine(recording, &within_10ms, 30);
        spk_families *families = group(recording, list);
        spk_family_columns columns = spk_families_columns(families);
        assert_int_equal(columns.n, n_sequences);
        assert_int_equal(columns.core_units, 4);
        for (uint32_t s = 0; s < n_sequences; s++) {
            const spk_family *f = find_family(&columns, SIZE * s, 1, SIZE);
            assert_non_null(f);
            assert_true(f->n_cores > 5 && f->n_members > f->n_cores);
            assert_in_range(f->n_occurrences, TIMES * 3 / 4, TIMES * 5 / 4);
            /* The best member is the whole sequence. */
            spk_episode_columns c = spk_episode_list_columns(list);
            assert_int_equal(c.offset[f->best + 1] - c.offset[f->best], SIZE);
        }
        spk_families_free(families);
        spk_episode_list_free(list);
        spk_recording_free(recording);
    }
}

/* What may be no sequence is the best of a family only where all are so; such a family is last. */
static void what_stands_aside_comes_last(void **state)
{
    (void)state;
    enum { SIZE = 5, TIMES = 60, UNITS = 12 };
    const int64_t stop = 100000 * MS;
    test_random random = test_random_make(seed, 77);
    events *e = events_make();
    add_background(e, &random, UNITS, 200, stop);
    for (uint32_t s = 0; s < 2; s++)
        add_sequence(e, &random, (SIZE + 1) * s, 1, SIZE + s, TIMES, stop);
    spk_recording *recording = recording_of(e, UNITS);
    spk_episode_list *list = mine(recording, &within_10ms, 30);
    const spk_episode_columns columns = spk_episode_list_columns(list);
    const uint64_t n = columns.n;
    uint8_t *aside = calloc(n, 1);
    spk_family_options options;
    spk_families *families = group(recording, list);
    const spk_family_columns before = spk_families_columns(families);
    assert_non_null(aside);
    assert_int_equal(before.n, 2);
    const uint64_t best = before.family[0].best, last = before.family[1].best;
    spk_family_options_init(&options, sizeof options);
    options.aside = aside;
    for (int all = 0; all < 2; all++) {
        spk_families *other = NULL;
        for (uint64_t i = 0; i < n; i++)
            aside[i] = i == best || (all && before.member[i] == 0);
        check(spk_families_of_episodes(context, recording, &columns, &options, &other));
        const spk_family_columns after = spk_families_columns(other);
        assert_int_equal(after.n, 2);
        assert_int_equal(after.family[0].n_members, before.family[all].n_members);
        assert_true(all ? after.family[0].best == last && after.family[1].best == best
                        : after.family[0].best != best && !aside[after.family[0].best]);
        spk_families_free(other);
    }
    free(aside);
    spk_families_free(families);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

static void in_words(void **state)
{
    (void)state;
    spk_family family[7] = {{.n_members = 1}};
    spk_family_columns columns = {.n = 0, .family = family};
    char text[100], small[9];
    for (uint64_t k = 1; k < 7; k++)
        family[k].n_members = 2000 / k;
    static const char *const words[] = {"0 families",
                                        "1 family (1 member)",
                                        "2 families (1 and 2,000 members)",
                                        "3 families (1, 2,000 and 1,000 members)",
                                        NULL,
                                        NULL,
                                        "6 families (1, 2,000, 1,000, 666, 500 and 400 members)",
                                        "7 families (1, 2,000, 1,000, 666, 500, 400, ... members)"};
    for (; columns.n < 8; columns.n++) {
        const char *wanted = words[columns.n];
        if (wanted == NULL)
            continue;
        assert_int_equal(spk_family_format(&columns, text, sizeof text), strlen(wanted));
        assert_string_equal(text, wanted);
        assert_int_equal(spk_family_format(&columns, small, sizeof small), strlen(wanted));
        assert_memory_equal(small, wanted, sizeof small - 1);
    }
}

/* Forward at some times, backward at others: two families, though the units are the same. */
static void opposite_sequences(void **state)
{
    (void)state;
    const int64_t stop = 200000 * MS;
    test_random random = test_random_make(seed, 10);
    events *e = events_make();
    add_background(e, &random, 6, 300, stop);
    add_sequence(e, &random, 0, 1, 6, 60, stop);
    add_sequence(e, &random, 5, -1, 6, 60, stop);
    spk_recording *recording = recording_of(e, 6);
    spk_episode_list *list = mine(recording, &within_10ms, 30);
    spk_families *families = group(recording, list);
    spk_family_columns columns = spk_families_columns(families);
    assert_int_equal(columns.n, 2);
    assert_non_null(find_family(&columns, 0, 1, 6));
    assert_non_null(find_family(&columns, 5, -1, 6));
    spk_families_free(families);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* Units that know nothing of each other: no family gathers what is not the same. */
static void independent_units(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 20);
    events *e = events_make();
    add_background(e, &random, 12, 2000, 100000 * MS);
    spk_recording *recording = recording_of(e, 12);
    spk_episode_list *list = mine(recording, &within_10ms, 10);
    spk_families *families = group(recording, list);
    spk_family_columns columns = spk_families_columns(families);
    assert_true(columns.n_cores > 300);
    for (uint64_t k = 0; k < columns.n; k++)
        assert_true(columns.family[k].n_cores < columns.n_cores / 10);
    spk_families_free(families);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* ---- the order of the list ------------------------------------------------------------------- */

static spk_episode_list *turned(const spk_episode_columns *columns)
{
    spk_episode_list *list = NULL;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    for (uint64_t i = columns->n; i-- > 0;) {
        spk_episode_columns one = *columns;
        one.n = 1;
        one.offset += i;
        one.count += i;
        assert_int_equal(spk_episode_list_add(list, &one), SPK_OK);
    }
    return list;
}

static void order_of_the_list(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 30);
    events *e = events_make();
    add_background(e, &random, 14, 1000, 100000 * MS);
    add_sequence(e, &random, 0, 1, 5, 40, 100000 * MS);
    add_sequence(e, &random, 7, 1, 5, 40, 100000 * MS);
    spk_recording *recording = recording_of(e, 14);
    spk_episode_list *list = mine(recording, &within_10ms, 12);
    spk_episode_columns columns = spk_episode_list_columns(list);
    spk_episode_list *other = turned(&columns);
    spk_families *a = group(recording, list);
    spk_families *b = group(recording, other);
    spk_family_columns x = spk_families_columns(a);
    spk_family_columns y = spk_families_columns(b);
    assert_int_equal(x.n, y.n);
    assert_true(x.n >= 2);
    for (uint64_t i = 0; i < columns.n; i++)
        assert_int_equal(x.member[i], y.member[columns.n - 1 - i]);
    for (uint64_t k = 0; k < x.n; k++) {
        assert_int_equal(x.family[k].best, columns.n - 1 - y.family[k].best);
        assert_int_equal(x.family[k].n_occurrences, y.family[k].n_occurrences);
        assert_int_equal(x.family[k].n_units, y.family[k].n_units);
        assert_memory_equal(x.family[k].unit, y.family[k].unit,
                            x.family[k].n_units * sizeof *x.family[k].unit);
    }
    spk_families_free(a);
    spk_families_free(b);
    spk_episode_list_free(list);
    spk_episode_list_free(other);
    spk_recording_free(recording);
}

/* ---- recordings ------------------------------------------------------------------------------ */

static void songbird(void **state)
{
    (void)state;
    if (!test_whole_recordings())
        skip();
    static const spk_delay delay = {{0, 0}, {2, -1}};
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    options.sort = true;
    spk_recording *recording =
        test_recording_read(context, SPK_SOURCE_DIR "/data/songbird_spikes.txt", &options);
    spk_episode_list *list = mine(recording, &delay, 12);
    spk_families *families = group(recording, list);
    spk_family_columns columns = spk_families_columns(families);
    assert_int_equal(columns.n_results, 11313);
    assert_int_equal(columns.n, 2);
    assert_int_equal(columns.family[0].n_units + columns.family[1].n_units, 23);
    assert_true(columns.n_members > 9000);
    /* Nearly all cores belong to one of them. */
    assert_true(columns.n_cores == 3098 &&
                columns.family[0].n_cores + columns.family[1].n_cores > 3000);
    spk_families_free(families);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* Frequent episodes of the macaque that chance gives, too, are no one sequence. */
static void macaque(void **state)
{
    (void)state;
    if (!test_whole_recordings())
        skip();
    static const spk_delay delay = {{5, -3}, {10, -3}};
    spk_recording *recording =
        test_recording_read(context, SPK_SOURCE_DIR "/data/movement_PGHF.spikes.txt", NULL);
    spk_episode_list *list = mine(recording, &delay, 40);
    spk_families *families = group(recording, list);
    spk_family_columns columns = spk_families_columns(families);
    assert_true(columns.n_results > 500);
    assert_true(columns.n_small > columns.n);
    for (uint64_t k = 0; k < columns.n; k++)
        assert_true(columns.family[k].n_cores < columns.n_cores / 4);
    spk_families_free(families);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void planted_patterns(void **state)
{
    (void)state;
    const int64_t stop = 100000 * MS;
    test_random random = test_random_make(seed, 40);
    events *e = events_make();
    add_background(e, &random, 12, 600, stop);
    for (uint32_t k = 0; k < 40; k++)
        for (uint32_t s = 0; s < 2; s++) {
            int64_t time = test_random_between(&random, 0, stop / (50 * MS) - 1) * 50 * MS;
            for (uint32_t p = 0; p < 5; p++)
                add(e, time + (int64_t)(10 * MS * p), 6 * s + p);
        }
    spk_recording *recording = recording_of(e, 12);
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){5, -3};
    cut.window = 10;
    spk_windows *windows = NULL;
    spk_pattern_list *list = NULL;
    spk_families *families = NULL;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.min_spikes = 3;
    options.support = 10;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    assert_int_equal(spk_pattern_list_create(context, 10, &list), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &options, spk_pattern_list_add, list, NULL),
                     SPK_OK);
    spk_pattern_columns patterns = spk_pattern_list_columns(list);
    assert_int_equal(spk_families_of_patterns(context, windows, &patterns, NULL, &families),
                     SPK_OK);
    spk_family_columns columns = spk_families_columns(families);
    assert_int_equal(columns.n, 2);
    for (uint32_t s = 0; s < 2; s++) {
        const spk_family *f = find_family(&columns, 6 * s, 1, 5);
        assert_non_null(f);
        assert_in_range(f->n_occurrences, 30, 50);
    }
    spk_families_free(families);
    spk_pattern_list_free(list);
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Two events of unit 0, two of unit 1. */
static spk_recording *small_recording(void)
{
    events *e = events_make();
    for (uint32_t k = 0; k < 4; k++)
        add(e, (int64_t)k * MS, k % 2);
    return recording_of(e, 2);
}

/* The file begins with the text. */
static void assert_text(const char *name, const char *expected)
{
    char *text = test_file_text(name);
    assert_non_null(text);
    assert_true(strlen(text) >= strlen(expected));
    text[strlen(expected)] = '\0';
    assert_string_equal(text, expected);
    free(text);
}

static void tables_of_episodes(void **state)
{
    (void)state;
    static const uint32_t units[] = {1, 0};
    static const uint64_t offset[] = {0, 2, 3};
    static const uint32_t unit[] = {0, 1, 1};
    static const uint16_t delay[] = {0, 0, 0};
    static const uint64_t count[] = {2, 2};
    const spk_episode_columns columns = {1, offset, unit, delay, count, &within_10ms, 1, NULL};
    const spk_family family = {.n_members = 7, .n_occurrences = 3, .n_units = 2, .unit = units};
    const spk_family_columns families = {.n = 1, .family = &family};
    spk_recording *recording = small_recording();
    spk_writer *writer = NULL;
    for (int json = 0; json < 2; json++) {
        assert_int_equal(
            spk_episode_writer_open(context, test_path(json ? "families.json" : "families.tsv"),
                                    json ? SPK_FORM_JSON : SPK_FORM_TSV, recording, &writer),
            SPK_OK);
        assert_int_equal(spk_writer_set_families(writer, &families), SPK_OK);
        assert_int_equal(spk_episode_writer_add(writer, &columns), SPK_OK);
        assert_int_equal(spk_writer_set_families(writer, &families), SPK_ERR_ARGUMENT);
        assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
    }
    assert_text("families.tsv", "size\tcount\tepisode\tmembers\tfamily_occurrences\tfamily_units\n"
                                "2\t2\t0 (0,10ms] 1\t7\t3\t1 0\n");
    assert_text("families.json",
                "{\"format\": \"spikemine episodes 1\",\n \"delays\": [\"(0,10ms]\"],\n"
                " \"episodes\": [\n  {\"size\": 2, \"count\": 2, \"units\": [\"0\", \"1\"], "
                "\"delays\": [0],\"members\":7,\"family_occurrences\":3,"
                "\"family_units\":[\"1\",\"0\"]}\n ]");
    /* More rows than families. */
    const spk_episode_columns two = {2, offset, unit, delay, count, &within_10ms, 1, NULL};
    assert_int_equal(
        spk_episode_writer_open(context, test_path("two.tsv"), SPK_FORM_TSV, recording, &writer),
        SPK_OK);
    assert_int_equal(spk_writer_set_families(writer, &families), SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &two), SPK_ERR_ARGUMENT);
    spk_writer_free(writer);
    spk_recording_free(recording);
}

static void tables_of_patterns(void **state)
{
    (void)state;
    static const uint32_t units[] = {1};
    static const uint64_t offset[] = {0, 2};
    static const uint32_t item[] = {0, 3};
    static const uint32_t count[] = {2};
    const spk_pattern_columns columns = {1, 2, offset, item, count};
    const spk_family family = {.n_members = 4, .n_occurrences = 5, .n_units = 1, .unit = units};
    const spk_family_columns families = {.n = 1, .family = &family};
    spk_recording *recording = small_recording();
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, -3};
    cut.window = 2;
    spk_windows *windows = NULL;
    spk_writer *writer = NULL;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    assert_int_equal(spk_pattern_writer_open(context, test_path("patterns.tsv"), SPK_FORM_TSV,
                                             windows, recording, &writer),
                     SPK_OK);
    assert_int_equal(spk_writer_set_families(writer, &families), SPK_OK);
    assert_int_equal(spk_pattern_writer_add(writer, &columns), SPK_OK);
    assert_int_equal(spk_writer_set_families(writer, &families), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
    assert_text("patterns.tsv",
                "spikes\toccurrences\tneurons\tduration\tpattern\tmembers\tfamily_occurrences\t"
                "family_units\n2\t2\t2\t1\t0@0 1@1\t4\t5\t1\n");
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* ---- average linkage ------------------------------------------------------------------------- */

enum { MOST = 40 };

/* Joins the nearest two groups as long as they are near enough; means over all pairs anew. */
static void link_slowly(uint32_t n, const float *similarity, float limit, uint32_t *group_of)
{
    for (uint32_t i = 0; i < n; i++)
        group_of[i] = i;
    for (;;) {
        double most = limit;
        uint32_t a = n, b = n;
        for (uint32_t g = 0; g < n; g++)
            for (uint32_t h = g + 1; h < n; h++) {
                double sum = 0;
                uint32_t pairs = 0;
                for (uint32_t i = 0; i < n; i++)
                    for (uint32_t j = 0; j < n; j++)
                        if (group_of[i] == g && group_of[j] == h) {
                            sum += (double)similarity[i * n + j];
                            pairs++;
                        }
                if (pairs > 0 && sum / pairs > most) {
                    most = sum / pairs;
                    a = g;
                    b = h;
                }
            }
        if (a == n)
            return;
        for (uint32_t i = 0; i < n; i++)
            group_of[i] = group_of[i] == b ? a : group_of[i];
    }
}

static void average_linkage(void **state)
{
    (void)state;
    static float similarity[MOST * MOST];
    uint32_t expected[MOST], found[MOST], n_groups = 0;
    uint64_t n_cases = test_scaled(100);
    for (uint64_t k = 0; k < n_cases; k++) {
        test_random random = test_random_make(seed, 100 + k);
        uint32_t n = (uint32_t)test_random_between(&random, 1, MOST);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j <= i; j++)
                similarity[i * n + j] = similarity[j * n + i] =
                    (float)(test_random_real(&random) - (i % 3 == j % 3 ? 0.2 : 0.6));
        link_slowly(n, similarity, 0.1F, expected);
        assert_int_equal(spk_linkage_average(context, n, similarity, 0.1F, found, &n_groups),
                         SPK_OK);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(found[i] < n_groups);
            for (uint32_t j = 0; j < i; j++)
                assert_int_equal(found[i] == found[j], expected[i] == expected[j]);
        }
    }
}

/* ---- options and errors ---------------------------------------------------------------------- */

static void options_and_errors(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 50);
    events *e = events_make();
    add_background(e, &random, 6, 200, 100000 * MS);
    add_sequence(e, &random, 0, 1, 3, 40, 100000 * MS);
    spk_recording *recording = recording_of(e, 6);
    spk_episode_list *list = mine(recording, &within_10ms, 25);
    spk_episode_columns columns = spk_episode_list_columns(list);
    spk_families *families = group(recording, list);
    assert_int_equal(spk_families_columns(families).core_units, 3); /* there is nothing larger */
    assert_int_equal(spk_families_columns(families).n, 1); /* in a short list one will do */
    spk_families_free(families);
    spk_family_options options;
    spk_family_options_init(&options, sizeof options);
    options.core_units = 2;
    assert_int_equal(spk_families_of_episodes(context, recording, &columns, &options, &families),
                     SPK_OK);
    assert_int_equal(spk_families_columns(families).n, 1);
    assert_non_null(find_family(
        &(spk_family_columns){1, spk_families_columns(families).family, 0, NULL, 0, 0, 0, 0, 0}, 0,
        1, 3));
    spk_families_free(families);
    uint8_t *among = calloc(columns.n + 1, 1); /* nothing is left */
    assert_non_null(among);
    options.among = among;
    assert_int_equal(spk_families_of_episodes(context, recording, &columns, &options, &families),
                     SPK_OK);
    assert_int_equal(spk_families_columns(families).n, 0);
    assert_int_equal(spk_families_columns(families).n_results, 0);
    spk_families_free(families);
    free(among);
    options.among = NULL;
    options.coincidence = 1;
    assert_int_equal(spk_families_of_episodes(context, recording, &columns, &options, &families),
                     SPK_ERR_ARGUMENT);
    assert_null(families);
    options.coincidence = 0.2;
    options.core_units = 1;
    assert_int_equal(spk_families_of_episodes(context, recording, &columns, &options, &families),
                     SPK_ERR_ARGUMENT);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

int main(void)
{
    seed = test_seed("test_families");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_sequences),
        cmocka_unit_test(opposite_sequences),
        cmocka_unit_test(independent_units),
        cmocka_unit_test(order_of_the_list),
        cmocka_unit_test(songbird),
        cmocka_unit_test(macaque),
        cmocka_unit_test(tables_of_episodes),
        cmocka_unit_test(tables_of_patterns),
        cmocka_unit_test(planted_patterns),
        cmocka_unit_test(average_linkage),
        cmocka_unit_test(options_and_errors),
        cmocka_unit_test(in_words),
        cmocka_unit_test(what_stands_aside_comes_last),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
