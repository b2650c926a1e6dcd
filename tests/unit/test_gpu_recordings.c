/*
 * Real and generated recordings through every setting of every GPU engine, on one GPU and on all,
 * against `sweep` on the CPU: those below SPIKEMINE_DATA (or ../shared/data, data-local), the
 * bundled one, and a generated culture of ten million events. Without a GPU nothing is tested here,
 * and the program says so.
 */
#include <glob.h>

#include "base/context.h"
#include "cuda/gpus.h"
#include "support/context.h"
#include "support/gpu_settings.h"

enum { MOST_INTERVALS = 3 };

static int n_gpus;

typedef struct interval_set {
    size_t n;
    const char *text[MOST_INTERVALS];
} interval_set;

static const interval_set one = {1, {"5ms:10ms"}};
static const interval_set three = {3, {"0:5ms", "5ms:10ms", "10ms:15ms"}};
static const interval_set wide = {3, {"0:10ms", "10ms:2s", "0:inf"}};

/* The setting that took longest. */
typedef struct slowest_run {
    test_gpu_setting setting;
    double seconds;
} slowest_run;

static void check_setting(const char *what, const spk_recording *recording,
                          const spk_episode_options *options, const test_gpu_setting *setting,
                          const test_mined *expected, slowest_run *slowest)
{
    double start = spk_seconds_now();
    test_gpu_check(context, recording, options, setting, expected, what);
    double seconds = spk_seconds_now() - start;
    if (seconds > slowest->seconds)
        *slowest = (slowest_run){*setting, seconds};
}

/* `only`: one engine's settings, NULL: all. */
static void check_engines(const char *what, const spk_recording *recording, const interval_set *set,
                          uint64_t support, const char *only)
{
    spk_delay delays[MOST_INTERVALS];
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    for (size_t d = 0; d < set->n; d++)
        assert_int_equal(spk_delay_parse(context, set->text[d], &delays[d]), SPK_OK);
    options.delays = delays;
    options.n_delays = set->n;
    options.support = support;
    options.engine = "sweep";
    test_mined expected = test_mine(context, recording, &options, 0);
    test_gpu_setting setting = {.name = NULL};
    slowest_run slowest = {.seconds = 0};
    double start = spk_seconds_now();
    int n_runs = 0;
    while (test_gpu_setting_next(&setting)) {
        if (only != NULL && strcmp(only, setting.name) != 0)
            continue;
        setting.gpus = 1;
        check_setting(what, recording, &options, &setting, &expected, &slowest);
        setting.gpus = n_gpus;
        if (n_gpus > 1)
            check_setting(what, recording, &options, &setting, &expected, &slowest);
        n_runs += n_gpus > 1 ? 2 : 1;
    }
    print_message("%s, %zu interval(s), support %llu: %llu episodes, equal in %d runs, %.1f s; "
                  "the slowest: %s, two passes %d, compaction %d, %d GPU(s), %.1f s\n",
                  what, set->n, (unsigned long long)support, (unsigned long long)expected.n, n_runs,
                  spk_seconds_now() - start, slowest.setting.name, slowest.setting.two_pass,
                  slowest.setting.compaction, slowest.setting.gpus, slowest.seconds);
}

static uint64_t at_least(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static spk_recording *read_recording(const char *path)
{
    spk_read_options options;
    spk_recording *recording = NULL;
    spk_read_options_init(&options, sizeof options);
    options.sort = true;
    spk_status status = spk_recording_read_text(context, path, &options, &recording);
    if (status != SPK_OK)
        print_message("%s\n", spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    return recording;
}

/* ---- real ones ------------------------------------------------------------------------------- */

/* Text recordings in the folder and in those in it, and one further down. */
static void find_recordings(const char *folder, glob_t *found)
{
    static const char *const below[] = {"", "*/", "*/*/"};
    static const char *const names[] = {"*.spk.txt", "*.spikes.txt", "*_spikes.txt"};
    char pattern[4096];
    int flags = 0;
    for (size_t k = 0; k < sizeof below / sizeof below[0]; k++) {
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            snprintf(pattern, sizeof pattern, "%s/%s%s", folder, below[k], names[n]);
            int status = glob(pattern, flags, NULL, found);
            assert_true(status == 0 || status == GLOB_NOMATCH);
            flags = GLOB_APPEND;
        }
    }
}

static void recordings(void **state)
{
    (void)state;
    if (test_scaled(1000) < 10) {
        print_message("recordings are left out: a sanitizer would take too long\n");
        return;
    }
    glob_t found = {.gl_pathc = 0};
    const char *folder = test_external(".");
    if (folder != NULL)
        find_recordings(folder, &found);
    if (found.gl_pathc == 0)
        print_message("SPIKEMINE_DATA names no recordings: only the bundled one is compared\n");
    for (size_t k = 0; k < found.gl_pathc; k++) {
        spk_recording *recording = read_recording(found.gl_pathv[k]);
        uint64_t n = spk_recording_events(recording).n_events;
        const char *name = strrchr(found.gl_pathv[k], '/') + 1;
        check_engines(name, recording, &one, at_least(n / 500, 50), NULL);
        check_engines(name, recording, &three, at_least(n / 300, 100), NULL);
        spk_recording_free(recording);
    }
    if (folder != NULL)
        globfree(&found);
    const char *culture = test_external("wagenaar/2-1-20.spk.txt");
    if (culture != NULL) {
        spk_recording *recording = read_recording(culture);
        check_engines("2-1-20", recording, &one, 173, "cuda-sweep");
        check_engines("2-1-20", recording, &three, 173, "cuda-sweep");
        spk_recording_free(recording);
    }
}

static void bundled(void **state)
{
    (void)state;
    if (test_scaled(1000) < 10)
        return;
    spk_recording *recording = read_recording(test_bundled("movement_PGHF.spikes.txt"));
    check_engines("movement_PGHF", recording, &one, 60, NULL);
    check_engines("movement_PGHF", recording, &three, 60, "cuda-sweep");
    check_engines("movement_PGHF", recording, &wide, 400, "cuda-sweep");
    spk_recording_free(recording);
}

/* ---- a generated one ------------------------------------------------------------------------- */

static spk_recording *make_culture(uint64_t seed, uint64_t n_events)
{
    spk_culture_options options;
    spk_recording *recording = NULL;
    spk_culture_options_init(&options, sizeof options);
    options.seed = seed;
    options.n_events = n_events;
    spk_status status = spk_simulate_culture(context, &options, &recording, NULL);
    if (status != SPK_OK)
        print_message("%s\n", spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    return recording;
}

static void generated(void **state)
{
    (void)state;
    spk_recording *recording = make_culture(1, test_scaled(10000000));
    uint64_t n = spk_recording_events(recording).n_events;
    check_engines("generated culture", recording, &one, at_least(3 * n / 1000, 10), NULL);
    spk_recording_free(recording);
}

/* The same events in shorter ticks and among more units, most without events: on the way to a
 * device both take 2, 4, 8 or 1, 2, 4 bytes, sent by several threads. */
static void of_any_width(void **state)
{
    (void)state;
    static const struct {
        uint64_t factor;
        uint32_t n_units;
    } cases[] = {{1, 59}, {100000, 300}, {10000000000, 70000}};
    spk_recording *culture = make_culture(3, test_scaled(1000000));
    spk_events events = spk_recording_events(culture);
    spk_rate rate = spk_recording_rate(culture);
    int64_t *time = calloc(events.n_events, sizeof *time);
    assert_non_null(time);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        spk_recording *recording = NULL;
        spk_rate finer = {rate.numerator * cases[c].factor, rate.denominator};
        for (uint64_t i = 0; i < events.n_events; i++)
            time[i] = events.time[i] * (int64_t)cases[c].factor;
        assert_int_equal(test_recording_create(context, events.n_events, time, events.unit,
                                               cases[c].n_units, NULL, finer, NULL, NULL,
                                               &recording),
                         SPK_OK);
        check_engines("a culture in finer ticks", recording, &one,
                      at_least(5 * events.n_events / 1000, 10), "cuda-sweep");
        spk_recording_free(recording);
    }
    free(time);
    spk_recording_free(culture);
}

/* As many events as SPIKEMINE_TEST_EVENTS says, with 32 bytes of memory each; nothing without it.
 */
static void as_many_as_wanted(void **state)
{
    (void)state;
    const char *wanted = getenv("SPIKEMINE_TEST_EVENTS");
    if (wanted == NULL)
        return;
    double start = spk_seconds_now();
    spk_recording *recording = make_culture(2, strtoull(wanted, NULL, 10));
    uint64_t n = spk_recording_events(recording).n_events;
    print_message("%llu events, made in %.1f s\n", (unsigned long long)n,
                  spk_seconds_now() - start);
    spk_delay delay;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    assert_int_equal(spk_delay_parse(context, one.text[0], &delay), SPK_OK);
    options.delays = &delay;
    options.n_delays = 1;
    options.support = at_least(7 * n / 1000, 10);
    options.engine = "sweep";
    start = spk_seconds_now();
    test_mined expected = test_mine(context, recording, &options, 0);
    print_message("%llu episodes, sweep %.1f s\n", (unsigned long long)expected.n,
                  spk_seconds_now() - start);
    test_gpu_setting setting = {.name = "cuda-sweep", .two_pass = SPK_TWO_PASS_OFF};
    for (setting.gpus = 1; setting.gpus <= n_gpus; setting.gpus++) {
        start = spk_seconds_now();
        test_gpu_check(context, recording, &options, &setting, &expected, "generated culture");
        print_message("cuda-sweep, %d GPU(s): equal, %.1f s\n", setting.gpus,
                      spk_seconds_now() - start);
    }
    spk_recording_free(recording);
}

int main(void)
{
    char reason[160];
    if (!spk_gpus_available(reason, sizeof reason)) {
        print_message("nothing tested: %s\n", reason);
        return 0;
    }
    n_gpus = spk_gpu_count();
    print_message("%d GPU(s)\n", n_gpus);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled),           cmocka_unit_test(generated),
        cmocka_unit_test(of_any_width),      cmocka_unit_test(recordings),
        cmocka_unit_test(as_many_as_wanted),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
