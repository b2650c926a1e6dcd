/*
 * Engine cuda-bitmap without a GPU: its search runs on the host, one lane after the other, against
 * engine bitmap. Lists must be the same to the byte, in the same order; so must largest counts. The
 * GPU itself is tested where every engine is: test_patterns.c, test_maxima.c.
 */
#include "distribute/ranks.h"
#include "pattern/engine/engine.h"
#include "support/context.h"
#include "support/raster.h"

#if SPIKEMINE_HAVE_CUDA

#include "pattern/engine/cuda/engine.h"

/* ---- cases ----------------------------------------------------------------------------------- */

enum { MOST_EVENTS = 8192 };

/* A recording with bursts, planted patterns, silence and, now and then, trials. */
static spk_recording *draw(test_random *random)
{
    static int64_t time[MOST_EVENTS];
    static uint32_t unit[MOST_EVENTS];
    static const int64_t start = 0;
    const uint32_t n_units = 1 + test_below(random, test_random_chance(random, 0.2) ? 40 : 9);
    const int64_t stop = 200 + test_below(random, 400);
    const double chance = (0.5 + 1.5 * test_random_real(random)) / (4 + n_units);
    spk_segment segment[4];
    spk_recording_source source;
    spk_recording *recording = NULL;
    uint64_t n = 0;
    spk_recording_source_init(&source, sizeof source);
    for (int64_t t = 0; t < stop; t++) {
        if (t % 150 > 120 && t % 300 > 150)
            continue;
        const bool planted = test_random_chance(random, 0.05);
        for (uint32_t u = 0; u < n_units && n + 8 < MOST_EVENTS; u++)
            if (test_random_chance(random, chance / (1 + u % 3)) || (planted && u < 4)) {
                time[n] = t + (planted ? u % 3 : 0) < stop ? t + (planted ? u % 3 : 0) : t;
                unit[n++] = u;
            }
    }
    source.n_segments = test_random_chance(random, 0.6) ? 0 : 1 + test_below(random, 4);
    for (size_t k = 0; k < source.n_segments; k++) {
        const int64_t length = stop / (int64_t)source.n_segments;
        segment[k] = (spk_segment){length * (int64_t)k,
                                   length * (int64_t)(k + 1) - (int64_t)test_below(random, 8)};
    }
    source.n_events = n;
    source.time = time;
    source.unit = unit;
    source.n_units = n_units;
    source.rate = (spk_rate){1000, 1};
    source.start = &start;
    source.stop = &stop;
    source.segments = source.n_segments > 0 ? segment : NULL;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    return recording;
}

static spk_windows *bin(test_random *random, const spk_recording *recording)
{
    spk_windows *windows = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){1 + test_below(random, 3), -3};
    options.window = 1 + test_below(random, 12);
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_OK);
    return windows;
}

static spk_pattern_limits draw_limits(test_random *random, uint32_t n_windows)
{
    spk_pattern_limits l = {.min_spikes = 1 + test_below(random, 5),
                            .max_spikes = UINT32_MAX,
                            .min_support = 2 + test_below(random, 2 + n_windows / 20),
                            .max_count = UINT32_MAX,
                            .min_neurons = 1 + test_below(random, 4)};
    if (test_random_chance(random, 0.3))
        l.max_spikes = l.min_spikes + test_below(random, 4);
    if (test_random_chance(random, 0.2))
        l.max_count = l.min_support + test_below(random, 9);
    return l;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A sieve that keeps all; the host is the device. */
typedef struct kept {
    spk_pattern_list *list;
    uint32_t window;
} kept;

static spk_status keep_all(void *user, const spk_pattern_pile *pile)
{
    const kept *k = user;
    spk_status status = SPK_OK;
    uint64_t n_words = 0;
    for (uint64_t i = 0; i < pile->n && status == SPK_OK; i++) {
        const uint32_t *word = pile->word + pile->place[i];
        const uint64_t offset[] = {0, word[2]};
        const spk_pattern_columns one = {.n = 1,
                                         .window = k->window,
                                         .offset = offset,
                                         .item = word + SPK_PATTERN_PILE_HEAD,
                                         .count = word + 3};
        n_words += SPK_PATTERN_PILE_HEAD + word[2];
        status = spk_pattern_list_add(k->list, &one);
    }
    assert_int_equal(n_words, pile->n_words);
    return status;
}

static spk_pattern_list *list_of(const spk_pattern_job *given, bool by_bitmap, bool by_sieve)
{
    spk_pattern_list *list = NULL;
    assert_int_equal(spk_pattern_list_create(context, given->windows->window, &list), SPK_OK);
    kept keeps = {list, given->windows->window};
    const spk_pattern_sieve sieve = {keep_all, &keeps};
    spk_pattern_job own = *given, *job = &own;
    own.sieve = by_sieve ? &sieve : NULL;
    const spk_status status =
        by_bitmap ? spk_pattern_engine_bitmap.mine(context, job, spk_pattern_list_add, list)
                  : cp_mine(context, &cp_machine_host, job, spk_pattern_list_add, list);
    if (status != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return list;
}

static uint64_t compare_lists(spk_pattern_job *job)
{
    uint64_t dropped[2] = {0, 0};
    job->n_dropped = &dropped[0];
    spk_pattern_list *expected = list_of(job, true, false);
    job->n_dropped = &dropped[1];
    spk_pattern_list *found = list_of(job, false, job->unordered && job->limits.min_support % 2);
    if (job->unordered) {
        assert_int_equal(spk_pattern_list_sort(expected), SPK_OK);
        assert_int_equal(spk_pattern_list_sort(found), SPK_OK);
    }
    const spk_pattern_columns a = spk_pattern_list_columns(expected);
    const spk_pattern_columns b = spk_pattern_list_columns(found);
    if (a.n != b.n || dropped[0] != dropped[1])
        fail_msg(
            "%u windows of %u bins, %u units; spikes %u..%u, count %u..%u, neurons %u, ends of "
            "%u, memory %llu, unordered %d: %llu patterns, %llu dropped, found %llu, %llu",
            (unsigned)job->windows->n_windows, job->windows->window, job->windows->n_units,
            job->limits.min_spikes, job->limits.max_spikes, job->limits.min_support,
            job->limits.max_count, job->limits.min_neurons, job->drop_ends_of,
            (unsigned long long)job->memory, job->unordered, (unsigned long long)a.n,
            (unsigned long long)dropped[0], (unsigned long long)b.n,
            (unsigned long long)dropped[1]);
    assert_memory_equal(a.offset, b.offset, (a.n + 1) * sizeof *a.offset);
    assert_memory_equal(a.count, b.count, a.n * sizeof *a.count);
    assert_memory_equal(a.item, b.item, a.offset[a.n] * sizeof *a.item);
    const uint64_t n = a.n;
    spk_pattern_list_free(expected);
    spk_pattern_list_free(found);
    return n;
}

/* A job of random limits on windows of a random recording. */
typedef void draw_job(test_random *random, spk_pattern_job *job);

static void compare_random_lists(uint64_t seed, uint64_t n, draw_job *draw_own)
{
    uint64_t n_patterns = 0;
    for (uint64_t number = 0; number < n; number++) {
        test_random random = test_random_make(seed, number);
        spk_recording *recording = draw(&random);
        spk_windows *windows = bin(&random, recording);
        const spk_window_columns columns = spk_windows_columns(windows);
        spk_pattern_job job = {.windows = &columns,
                               .limits = draw_limits(&random, (uint32_t)columns.n_windows),
                               .threads = 1};
        draw_own(&random, &job);
        if (columns.window > 1 && test_random_chance(&random, 0.6))
            job.drop_ends_of = job.limits.max_spikes;
        /* Little memory: many rounds, batches of few roots, branches that need a large arena. */
        if (test_random_chance(&random, 0.5))
            job.memory = UINT64_C(1) << (18 + test_below(&random, 5));
        n_patterns += compare_lists(&job);
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    print_message("%llu patterns\n", (unsigned long long)n_patterns);
    assert_true(n_patterns > n);
}

static void draw_list(test_random *random, spk_pattern_job *job)
{
    job->unordered = test_random_chance(random, 0.2);
}

static void lists_are_those_of_bitmap(void **state)
{
    (void)state;
    compare_random_lists(test_seed("lists_are_those_of_bitmap"), test_scaled_from(250, 40),
                         draw_list);
}

/* Patterns of several neurons in no order: sets around the rarest unit's spikes. Units that fire
 * together make sets that are not closed. */
static void draw_sets(test_random *random, spk_pattern_job *job)
{
    job->unordered = true;
    job->limits.min_spikes = 2 + test_below(random, 4);
    job->limits.min_neurons = 3 + test_below(random, 3);
    job->limits.max_spikes = job->limits.max_count = UINT32_MAX;
}

static void sets_are_the_same_patterns(void **state)
{
    (void)state;
    compare_random_lists(test_seed("sets_are_the_same_patterns"), test_scaled_from(400, 40),
                         draw_sets);
}

static void lists_of_transactions_too(void **state)
{
    (void)state;
    uint64_t seed = test_seed("lists_of_transactions_too"), n_patterns = 0,
             n = test_scaled_from(250, 40);
    for (uint64_t number = 0; number < n; number++) {
        test_random random = test_random_make(seed, number);
        const uint32_t n_windows = 1 + test_below(&random, 60);
        spk_window_columns columns =
            test_windows_random(&random, n_windows, 1 + test_below(&random, 6),
                                1 + test_below(&random, 6), 20 + test_below(&random, 50));
        spk_pattern_job job = {
            .windows = &columns, .limits = draw_limits(&random, n_windows), .threads = 1};
        job.limits.min_support += n_windows / 16;
        job.limits.max_count = UINT32_MAX;
        n_patterns += compare_lists(&job);
        test_windows_free(&columns);
    }
    print_message("%llu patterns\n", (unsigned long long)n_patterns);
    assert_true(n_patterns > n);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

enum { MAKERS = 3 };

/* Patterns as numbers: count, size and items of each. */
typedef struct numbers {
    spk_blob made[MAKERS];
    spk_blob all;
    uint64_t n_patterns;
} numbers;

static spk_status add_numbers(spk_blob *to, const spk_pattern_columns *patterns)
{
    for (uint64_t i = 0; i < patterns->n; i++) {
        const uint64_t size = patterns->offset[i + 1] - patterns->offset[i];
        spk_blob_add_u64(context, to, patterns->count[i]);
        spk_blob_add_u64(context, to, size);
        spk_blob_add(context, to, patterns->item + patterns->offset[i],
                     size * sizeof *patterns->item);
    }
    return SPK_OK;
}

static spk_status add_to_all(void *user, const spk_pattern_columns *patterns)
{
    numbers *n = user;
    return add_numbers(&n->all, patterns);
}

static spk_status make_numbers(void *user, int maker, const spk_pattern_columns *patterns,
                               const char **bytes, uint64_t *n_bytes)
{
    numbers *n = user;
    spk_blob *own = &n->made[maker];
    own->n = 0;
    const spk_status status = add_numbers(own, patterns);
    *bytes = (const char *)own->bytes;
    *n_bytes = own->n;
    return status;
}

static spk_status take_numbers(void *user, const char *bytes, uint64_t n_bytes, uint64_t n_patterns)
{
    numbers *n = user;
    n->n_patterns += n_patterns;
    return spk_blob_add(context, &n->all, bytes, n_bytes);
}

/* Threads make the bytes of a list; they leave in its order. */
static void bytes_leave_in_order(void **state)
{
    (void)state;
    uint64_t seed = test_seed("bytes_leave_in_order"), n_patterns = 0;
    for (uint64_t number = 0; number < test_scaled(60); number++) {
        test_random random = test_random_make(seed, number);
        spk_recording *recording = draw(&random);
        spk_windows *windows = bin(&random, recording);
        const spk_window_columns columns = spk_windows_columns(windows);
        numbers expected = {.n_patterns = 0}, found = {.n_patterns = 0};
        const spk_pattern_bytes bytes = {make_numbers, take_numbers, &found, MAKERS};
        spk_pattern_job job = {.windows = &columns,
                               .limits = draw_limits(&random, (uint32_t)columns.n_windows),
                               .threads = MAKERS};
        check(spk_pattern_engine_bitmap.mine(context, &job, add_to_all, &expected));
        job.bytes = &bytes;
        check(cp_mine(context, &cp_machine_host, &job, NULL, NULL));
        assert_int_equal(found.all.n, expected.all.n);
        if (found.all.n > 0)
            assert_memory_equal(found.all.bytes, expected.all.bytes, found.all.n);
        n_patterns += found.n_patterns;
        spk_blob_free(&expected.all);
        spk_blob_free(&found.all);
        for (int m = 0; m < MAKERS; m++)
            spk_blob_free(&found.made[m]);
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    print_message("%llu patterns\n", (unsigned long long)n_patterns);
}

/* ---- largest counts -------------------------------------------------------------------------- */

static spk_pattern_maximum *maxima_of(const spk_pattern_maxima_job *job, bool by_bitmap, size_t *n)
{
    bool done = false;
    spk_maxima_table table;
    spk_pattern_maximum *list = NULL;
    const uint32_t n_rows = job->by_duration ? job->job.windows->window : 1;
    assert_int_equal(spk_maxima_table_create(context, n_rows, &table), SPK_OK);
    const spk_status status = by_bitmap
                                  ? spk_pattern_engine_bitmap.maxima(context, job, &table, &done)
                                  : cp_maxima(context, &cp_machine_host, job, &table, &done);
    if (status != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    assert_true(done || by_bitmap);
    if (done)
        assert_int_equal(spk_maxima_list(context, &table, &list, n), SPK_OK);
    spk_maxima_table_free(&table);
    return list;
}

static void draw_supports(test_random *random, uint32_t least, spk_pattern_supports *out)
{
    uint64_t support = least;
    out->n = 2 + test_below(random, 5);
    for (uint32_t k = out->n; k >= 2; k--) {
        out->at_size[k] = support;
        support += test_below(random, 8);
    }
}

static uint64_t compare_maxima(const spk_pattern_maxima_job *job)
{
    size_t n_expected = 0, n_found = 0;
    spk_pattern_maximum *expected = maxima_of(job, true, &n_expected);
    spk_pattern_maximum *found = maxima_of(job, false, &n_found);
    if (expected != NULL) { /* what bitmap leaves to mining is compared by test_maxima.c */
        assert_int_equal(n_expected, n_found);
        assert_memory_equal(expected, found, n_found * sizeof *found);
    }
    free(expected);
    free(found);
    return n_found;
}

static void largest_counts_are_those_of_bitmap(void **state)
{
    (void)state;
    uint64_t seed = test_seed("largest_counts_are_those_of_bitmap");
    uint64_t n_maxima = 0, n = test_scaled_from(250, 40);
    for (uint64_t number = 0; number < n; number++) {
        test_random random = test_random_make(seed, number);
        spk_recording *recording = draw(&random);
        spk_windows *windows = bin(&random, recording);
        const spk_window_columns columns = spk_windows_columns(windows);
        spk_pattern_supports supports;
        spk_pattern_maxima_job job = {
            .job = {.windows = &columns,
                    .limits = draw_limits(&random, (uint32_t)columns.n_windows),
                    .threads = 1},
            .by_duration = test_random_chance(&random, 0.5)};
        job.drop_ends = job.by_duration && columns.window > 1 && test_random_chance(&random, 0.7);
        draw_supports(&random, job.job.limits.min_support, &supports);
        if (test_random_chance(&random, 0.4))
            job.supports = &supports;
        if (test_random_chance(&random, 0.5))
            job.job.memory = UINT64_C(1) << (18 + test_below(&random, 5));
        n_maxima += compare_maxima(&job);
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    print_message("%llu largest counts\n", (unsigned long long)n_maxima);
    assert_true(n_maxima > n);
}

#else

static void bytes_leave_in_order(void **state)
{
    (void)state;
    skip();
}

static void lists_are_those_of_bitmap(void **state)
{
    (void)state;
    skip();
}

static void sets_are_the_same_patterns(void **state)
{
    (void)state;
    skip();
}

static void lists_of_transactions_too(void **state)
{
    (void)state;
    skip();
}

static void largest_counts_are_those_of_bitmap(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_those_of_bitmap),
        cmocka_unit_test(sets_are_the_same_patterns),
        cmocka_unit_test(bytes_leave_in_order),
        cmocka_unit_test(lists_of_transactions_too),
        cmocka_unit_test(largest_counts_are_those_of_bitmap),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
