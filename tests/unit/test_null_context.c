/*
 * Every public function that takes a context, called with NULL in its place: with arguments that
 * are right and, where it can fail, with one that is wrong. The status must be the same as with a
 * context. tools/check-api.py sees to it that no function is missing here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spikemine/spikemine.h"
#include "support/folder.h"

enum { N_EVENTS = 60, N_UNITS = 3 };

static const spk_delay delay = {{1, -3}, {3, -3}};
static const int64_t time_zero;
static spk_recording *recording; /* units 0 1 2 in turn, every 2 ms */
static spk_windows *windows;     /* of it, four bins of 2 ms each */
static spk_episode_list *list;   /* 0 -> 1 */

/* Builds without cairo or CUDA say so. */
static spk_status drawn(void)
{
    return spk_figure_available(NULL) ? SPK_OK : SPK_ERR_UNAVAILABLE;
}

static spk_status no_such_gpu(void)
{
    return spk_gpu_count() > 0 ? SPK_ERR_ARGUMENT : SPK_ERR_UNAVAILABLE;
}

static spk_status make_recording(spk_rate rate, spk_recording **out)
{
    static int64_t time[N_EVENTS];
    static uint32_t unit[N_EVENTS];
    for (int k = 0; k < N_EVENTS; k++) {
        time[k] = 2 * k;
        unit[k] = (uint32_t)(k % N_UNITS);
    }
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = N_EVENTS;
    source.time = time;
    source.unit = unit;
    source.n_units = N_UNITS;
    source.rate = rate;
    return spk_recording_create(NULL, &source, out);
}

static int setup(void **state)
{
    (void)state;
    static const uint32_t units[] = {0, 1};
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){2, -3};
    options.window = 4;
    return make_recording((spk_rate){1000, 1}, &recording) != SPK_OK ||
           spk_windows_create(NULL, recording, &options, &windows) != SPK_OK ||
           spk_episode_list_create(NULL, &list) != SPK_OK ||
           spk_episode_list_append(NULL, list, 2, units, &delay) != SPK_OK;
}

static int teardown(void **state)
{
    (void)state;
    spk_episode_list_free(list);
    spk_windows_free(windows);
    spk_recording_free(recording);
    test_folder_remove();
    return 0;
}

/* What ends a handle accepts that there is none, as programs that failed early have it. */
static void ends(void **state)
{
    (void)state;
    spk_context_free(NULL);
    spk_surrogates_free(NULL);
    spk_recording_free(NULL);
    spk_truth_free(NULL);
    spk_episode_list_free(NULL);
    spk_occurrence_list_free(NULL);
    spk_windows_free(NULL);
    spk_families_free(NULL);
    spk_pattern_list_free(NULL);
    spk_spectrum_free(NULL);
    spk_pattern_locator_free(NULL);
    spk_pattern_writer_discard(NULL);
    spk_episode_writer_discard(NULL);
    spk_episode_occurrence_writer_discard(NULL);
    spk_pattern_occurrence_writer_discard(NULL);
    spk_spectrum_writer_discard(NULL);
    spk_pvalue_writer_discard(NULL);
    spk_pattern_figure_free(NULL);
    spk_maxima_free(NULL);
    spk_live_watch_free(NULL);
    spk_live_stream_free(NULL);
    spk_live_page_stop(NULL);
    spk_live_emit_close(NULL);
    spk_live_recorder_discard(NULL);
    spk_live_session_free(NULL);
    spk_energy_free(NULL);
}

/* ---- context.h, duration.h ------------------------------------------------------------------- */

static void listen_to_notes(void *user, const char *text)
{
    (void)user, (void)text;
}

static void listen_to_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)user, (void)what, (void)done, (void)total;
}

static void contexts(void **state)
{
    (void)state;
    spk_context *child = NULL;
    assert_int_equal(spk_context_create_child(NULL, &child), SPK_OK);
    assert_int_equal(spk_context_threads(child), spk_context_threads(NULL));
    assert_false(spk_context_cancelled(child));
    spk_context_free(child);
    assert_string_equal(spk_context_message(NULL), "");
    int processors = spk_context_threads(NULL);
    spk_context_set_threads(NULL, processors + 1);
    assert_int_equal(spk_context_threads(NULL), processors);
    spk_context_set_memory_limit(NULL, 5);
    spk_context_set_default_memory_limit(NULL);
    assert_int_equal(spk_context_memory_limit(NULL), 0);
    spk_context_set_max_expansion(NULL, 5);
    assert_int_equal(spk_context_max_expansion(NULL), SPK_MAX_EXPANSION_DEFAULT);
    spk_context_set_disk_reserve(NULL, 5);
    assert_int_equal(spk_context_disk_reserve(NULL), 0);
    spk_context_abandon_files(NULL);
    assert_int_equal(spk_context_set_ranks(NULL, NULL), SPK_OK);
    assert_int_equal(spk_ranks_compare(NULL, "word", "any"), SPK_OK);
    spk_context_set_progress(NULL, listen_to_progress, NULL);
    assert_int_equal(spk_context_tally(NULL).results + spk_context_tally(NULL).bytes, 0);
    spk_context_set_note(NULL, listen_to_notes, NULL);
    spk_context_cancel(NULL);
    assert_false(spk_context_cancelled(NULL));
    spk_context_cancel_clear(NULL);
}

static void energies(void **state)
{
    (void)state;
    spk_energy *energy = NULL;
    assert_int_equal(spk_energy_begin(NULL, &energy), SPK_OK);
    spk_energy_free(energy);
}

static void formats(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    spk_format_info info;
    assert_int_equal(spk_format_describe(NULL, 0, &info), SPK_OK);
    assert_int_equal(spk_format_describe(NULL, spk_format_count(), &info), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_read(NULL, test_file("two", "0.1 a\n0.2 a\n"), NULL, &out),
                     SPK_OK);
    spk_recording_free(out);
    assert_int_equal(spk_recording_read(NULL, test_path("none"), NULL, &out), SPK_ERR_IO);
    assert_int_equal(spk_recording_write(NULL, recording, test_path("a.npz"), NULL), SPK_OK);
    assert_int_equal(spk_recording_write(NULL, recording, test_path("a"), "?"), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_check_write(NULL, "a.npz", NULL), SPK_OK);
    assert_int_equal(spk_recording_check_write(NULL, "a", "?"), SPK_ERR_ARGUMENT);
}

static void files(void **state)
{
    (void)state;
    const spk_file_use use[] = {{test_path("a"), SPK_FILE_RESULT, "the table", NULL},
                                {test_path("a"), SPK_FILE_OUTPUT, "the figure", NULL}};
    assert_int_equal(spk_files_check(NULL, use, 1, false), SPK_OK);
    assert_int_equal(spk_files_check(NULL, use, 2, false), SPK_ERR_ARGUMENT);
    bool has_name = true;
    assert_int_equal(spk_file_has_name(NULL, "-", &has_name), SPK_OK);
    assert_false(has_name);
}

static void durations(void **state)
{
    (void)state;
    spk_duration out;
    assert_int_equal(spk_duration_parse(NULL, "5ms", 3, &out), SPK_OK);
    assert_int_equal(spk_duration_parse(NULL, "5", 1, &out), SPK_ERR_FORMAT);
    spk_rate rate;
    assert_int_equal(spk_rate_parse(NULL, "30000", 5, &rate), SPK_OK);
    assert_int_equal(spk_rate_parse(NULL, "x", 1, &rate), SPK_ERR_FORMAT);
    spk_recording_description description;
    assert_int_equal(spk_recording_describe(NULL, recording, &description), SPK_OK);
    assert_int_equal(description.rate_doubt, SPK_RATES_PLAUSIBLE);
}

/* ---- recording.h ----------------------------------------------------------------------------- */

static void recordings(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    uint32_t unknown = N_UNITS;
    assert_int_equal(make_recording((spk_rate){0, 1}, &out), SPK_ERR_ARGUMENT);
    assert_null(out);
    assert_int_equal(spk_recording_slice(NULL, recording, &time_zero, NULL, 0, NULL, &out), SPK_OK);
    assert_int_equal(spk_recording_events(out).n_events, N_EVENTS);
    spk_recording_free(out);
    assert_int_equal(spk_recording_slice(NULL, recording, NULL, NULL, 1, &unknown, &out),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_shuffle(NULL, recording, 1, &out), SPK_OK);
    spk_recording_free(out);
    const spk_time_range range = {{0, 0, 0}, {1, -2, 0}};
    spk_recording *taken = NULL;
    assert_int_equal(spk_recording_cut(NULL, recording, 1, &range, &taken), SPK_OK);
    assert_int_equal(spk_recording_cut_take(NULL, taken, 1, &range, &out), SPK_OK);
    spk_recording_free(out);
    assert_int_equal(spk_recording_cut(NULL, recording, 1, &range, &taken), SPK_OK);
    assert_int_equal(spk_recording_cut_take(NULL, taken, 0, &range, &out), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_cut(NULL, recording, 0, &range, &out), SPK_ERR_ARGUMENT);
    const char *const further[] = {"new", "2"};
    assert_int_equal(spk_recording_add_units(NULL, recording, 1, further, &out), SPK_OK);
    spk_recording_free(out);
    assert_int_equal(spk_recording_add_units(NULL, recording, 2, further, &out), SPK_ERR_ARGUMENT);
}

static void taken_recordings(void **state)
{
    (void)state;
    static const int64_t time[] = {1, 2};
    static const uint32_t unit[] = {0, 0};
    spk_recording *out = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 2;
    source.time = time;
    source.unit = unit;
    source.n_units = 1;
    source.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_recording_take(NULL, &source, NULL, NULL, &out), SPK_OK);
    spk_recording_free(out);
    source.n_units = 0;
    assert_int_equal(spk_recording_take(NULL, &source, NULL, NULL, &out), SPK_ERR_ARGUMENT);
    const double time_s = 0.5;
    spk_seconds_source seconds;
    spk_seconds_source_init(&seconds, sizeof seconds);
    seconds.n_events = 1;
    seconds.time = &time_s;
    seconds.unit = unit;
    seconds.n_units = 1;
    assert_int_equal(spk_recording_create_from_seconds(NULL, &seconds, &out), SPK_OK);
    spk_recording_free(out);
    seconds.n_units = 0;
    assert_int_equal(spk_recording_create_from_seconds(NULL, &seconds, &out), SPK_ERR_ARGUMENT);
}

static void engines(void **state)
{
    (void)state;
    spk_engine_info info;
    assert_int_equal(spk_engine_describe(NULL, SPK_EPISODES, 0, &info), SPK_OK);
    assert_int_equal(spk_engine_describe(NULL, SPK_PATTERNS, SIZE_MAX, &info), SPK_ERR_ARGUMENT);
}

static void text_files(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    spk_episode_suggestion suggestion;
    assert_int_equal(spk_episode_suggest(NULL, recording, &suggestion), SPK_OK);
    spk_unit_check check[N_UNITS];
    spk_unit_check_options limits;
    spk_unit_check_options_init(&limits, sizeof limits);
    assert_int_equal(spk_recording_check_units(NULL, recording, &limits, check), SPK_OK);
    limits.coincidence.exponent = SPK_DURATION_INFINITE;
    assert_int_equal(spk_recording_check_units(NULL, recording, &limits, check), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_write_text(NULL, recording, test_path("events")), SPK_OK);
    assert_int_equal(spk_recording_write_text(NULL, recording, test_path("no/events")), SPK_ERR_IO);
    assert_int_equal(spk_recording_read_text(NULL, test_path("events"), NULL, &out), SPK_OK);
    assert_int_equal(spk_recording_events(out).n_events, N_EVENTS);
    spk_recording_free(out);
    assert_int_equal(spk_recording_read_text(NULL, test_path("none"), NULL, &out), SPK_ERR_IO);
    assert_int_equal(spk_recording_read_text(NULL, test_file("bad", "0.1 a\n0.2\n"), NULL, &out),
                     SPK_ERR_FORMAT);
}

/* ---- simulate.h ------------------------------------------------------------------------------ */

static void simulations(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    spk_truth *truth = NULL;
    spk_sym26_options sym26;
    spk_sym26_options_init(&sym26, sizeof sym26);
    sym26.duration = (spk_duration){1, 0};
    assert_int_equal(spk_simulate_sym26(NULL, &sym26, &out, &truth), SPK_OK);
    assert_int_equal(spk_truth_write(NULL, out, truth, test_path("truth")), SPK_OK);
    assert_int_equal(spk_truth_write(NULL, recording, truth, test_path("truth")), SPK_ERR_ARGUMENT);
    spk_truth_free(truth);
    spk_recording_free(out);
    sym26.rate_hz = -1;
    assert_int_equal(spk_simulate_sym26(NULL, &sym26, &out, NULL), SPK_ERR_ARGUMENT);

    spk_network_options network;
    spk_network_options_init(&network, sizeof network);
    network.duration = (spk_duration){1, 0};
    assert_int_equal(spk_simulate_network(NULL, &network, &out, NULL), SPK_OK);
    spk_recording_free(out);
    network.n_units = 0;
    assert_int_equal(spk_simulate_network(NULL, &network, &out, NULL), SPK_ERR_ARGUMENT);

    spk_culture_options culture;
    spk_culture_options_init(&culture, sizeof culture);
    culture.n_events = 2000;
    assert_int_equal(spk_simulate_culture(NULL, &culture, &out, NULL), SPK_OK);
    spk_recording_free(out);
    culture.n_units = 0;
    assert_int_equal(spk_simulate_culture(NULL, &culture, &out, NULL), SPK_ERR_ARGUMENT);
}

/* ---- episode.h ------------------------------------------------------------------------------- */

static void surrogate_makers(void **state)
{
    (void)state;
    spk_surrogate_options options;
    spk_surrogates *surrogates = NULL;
    spk_recording *out = NULL;
    spk_surrogate_options_init(&options, sizeof options);
    assert_int_equal(spk_surrogates_create(NULL, recording, &options, &surrogates), SPK_OK);
    assert_int_equal(spk_surrogates_make(NULL, surrogates, 1, &out), SPK_OK);
    spk_recording_free(out);
    assert_int_equal(spk_surrogates_make(NULL, surrogates, 0, &out), SPK_ERR_ARGUMENT);
    spk_surrogates_free(surrogates);
    options.method = "no such method";
    assert_int_equal(spk_surrogates_create(NULL, recording, &options, &surrogates),
                     SPK_ERR_ARGUMENT);
}

static void episode_lists(void **state)
{
    (void)state;
    static const uint32_t units[] = {2, 0};
    spk_episode_list *own = NULL;
    spk_episode_columns all = spk_episode_list_columns(list);
    assert_int_equal(spk_episode_list_create(NULL, &own), SPK_OK);
    assert_int_equal(spk_episode_list_append(NULL, own, 2, units, &delay), SPK_OK);
    assert_int_equal(spk_episode_list_append(NULL, own, 0, units, &delay), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_list_add(own, &all), SPK_OK);
    all.n_delays = 0;
    assert_int_equal(spk_episode_list_add(own, &all), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_list_columns(own).n, 2);
    spk_episode_list_free(own);
}

static void episode_texts(void **state)
{
    (void)state;
    spk_delay out;
    uint64_t support = 0;
    spk_episode_list *own = NULL;
    assert_int_equal(spk_delay_parse(NULL, "(5ms,10ms]", &out), SPK_OK);
    assert_int_equal(spk_delay_parse(NULL, "10ms:5ms", &out), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_support_parse(NULL, recording, "50%", &support), SPK_OK);
    assert_int_equal(support, N_EVENTS / 2);
    assert_int_equal(spk_episode_support_parse(NULL, recording, "0", &support), SPK_ERR_ARGUMENT);
    test_file("episodes", "0 (1ms,4ms] 1\n");
    assert_int_equal(spk_episode_list_read(NULL, recording, test_path("episodes"), &own), SPK_OK);
    assert_int_equal(spk_episode_parse(NULL, recording, "2 (1ms,4ms] 0", own), SPK_OK);
    assert_int_equal(spk_episode_parse(NULL, recording, "2 (1ms,4ms] 7", own), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_parse(NULL, recording, "2 (1ms", own), SPK_ERR_FORMAT);
    assert_int_equal(spk_episode_list_columns(own).n, 2);
    spk_episode_list_free(own);
    assert_int_equal(spk_episode_list_read(NULL, recording, test_path("none"), &own), SPK_ERR_IO);
    spk_recording *widened = NULL;
    test_file("episodes", "0 (1ms,4ms] 7\n");
    assert_int_equal(
        spk_episode_list_read_widened(NULL, recording, test_path("episodes"), &widened, &own),
        SPK_OK);
    assert_int_equal(spk_recording_events(widened).n_units, N_UNITS + 1);
    spk_recording_free(widened);
    spk_episode_list_free(own);
    assert_int_equal(
        spk_episode_list_read_widened(NULL, recording, test_path("none"), &widened, &own),
        SPK_ERR_IO);
}

static void episode_jobs(void **state)
{
    (void)state;
    spk_episode_list *found = NULL;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.support = 5;
    options.max_size = 2;
    assert_int_equal(spk_episode_list_create(NULL, &found), SPK_OK);
    assert_int_equal(spk_episode_mine(NULL, recording, &options, spk_episode_list_add, found, NULL),
                     SPK_OK);
    assert_int_equal(spk_episode_list_columns(found).n, 2 * N_UNITS);
    assert_int_equal(spk_episode_count(NULL, recording, &options, list, NULL), SPK_OK);
    assert_int_equal(spk_episode_list_columns(list).count[0], N_EVENTS / N_UNITS);
    options.engine = "abacus";
    assert_int_equal(spk_episode_mine(NULL, recording, &options, spk_episode_list_add, found, NULL),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_count(NULL, recording, &options, list, NULL), SPK_ERR_ARGUMENT);
    spk_episode_list_free(found);
}

static spk_status count_in_segment(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    (void)segment;
    (void)size;
    (void)time;
    ++*(uint64_t *)user;
    return SPK_OK;
}

static spk_status count_occurrence(void *user, uint32_t size, const int64_t *time)
{
    *(uint64_t *)user += size == 2 && time[0] < time[1];
    return SPK_OK;
}

static void episode_occurrences(void **state)
{
    (void)state;
    static const uint32_t units[] = {0, 1};
    uint64_t n = 0;
    assert_int_equal(
        spk_episode_occurrences(NULL, recording, 2, units, &delay, count_occurrence, &n), SPK_OK);
    assert_int_equal(n, N_EVENTS / N_UNITS);
    assert_int_equal(
        spk_episode_occurrences(NULL, recording, 0, units, &delay, count_occurrence, &n),
        SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_occurrences_in_segments(NULL, recording, 2, units, &delay,
                                                         count_in_segment, &n),
                     SPK_OK);
    spk_occurrence_list *occurrences = NULL;
    assert_int_equal(spk_occurrence_list_create(NULL, &occurrences), SPK_OK);
    assert_int_equal(spk_occurrence_list_add(occurrences, 0, 1, &time_zero), SPK_OK);
    assert_int_equal(spk_occurrence_list_add(occurrences, 0, 2, &time_zero), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_occurrence_list_columns(occurrences).n, 1);
    spk_occurrence_list_free(occurrences);
}

/* ---- pattern.h ------------------------------------------------------------------------------- */

static void window_makers(void **state)
{
    (void)state;
    spk_windows *out = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.window = 0;
    assert_int_equal(spk_windows_create(NULL, recording, &options, &out), SPK_ERR_ARGUMENT);
    test_file("transactions", "0 2\n1\n");
    assert_int_equal(spk_windows_read_transactions(NULL, test_path("transactions"), 0, 1, &out),
                     SPK_OK);
    spk_windows_free(out);
    assert_int_equal(spk_windows_read_transactions(NULL, test_path("none"), 0, 1, &out),
                     SPK_ERR_IO);
    assert_int_equal(spk_windows_parse_transactions(NULL, "text", "0 1\n", 4, 0, 1, &out), SPK_OK);
    spk_windows_free(out);
    assert_int_equal(spk_windows_parse_transactions(NULL, "text", "0 x\n", 4, 0, 1, &out),
                     SPK_ERR_FORMAT);
}

static void trials(void **state)
{
    (void)state;
    spk_time_range *out = NULL;
    size_t n = 0;
    test_file("trials", "0 10ms\n");
    assert_int_equal(spk_intervals_read(NULL, recording, test_path("trials"), &out, &n), SPK_OK);
    assert_int_equal(n, 1);
    free(out);
    assert_int_equal(spk_intervals_read(NULL, recording, test_path("none"), &out, &n), SPK_ERR_IO);
    const char *events = test_file("two", "0.1 a\n0.2 b\n");
    assert_int_equal(spk_intervals_read_table(NULL, events, NULL, "trials", &out, &n),
                     SPK_ERR_UNSUPPORTED);
    assert_int_equal(spk_intervals_read_table(NULL, "-", NULL, "trials", &out, &n),
                     SPK_ERR_UNSUPPORTED);
}

static void pattern_jobs(void **state)
{
    (void)state;
    spk_pattern_list *own = NULL;
    spk_pattern_supports least;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    assert_int_equal(spk_pattern_list_create(NULL, 4, &own), SPK_OK);
    assert_int_equal(spk_pattern_mine(NULL, windows, &options, spk_pattern_list_add, own, NULL),
                     SPK_OK);
    assert_true(spk_pattern_list_columns(own).n > 0);
    spk_pattern_list_free(own);
    options.engine = "abacus";
    assert_int_equal(spk_pattern_mine(NULL, windows, &options, NULL, NULL, NULL), SPK_ERR_ARGUMENT);
    spk_pattern_maximum *maxima = NULL;
    size_t n_maxima = 0;
    assert_int_equal(spk_pattern_find_maxima(NULL, windows, &options, true, &maxima, &n_maxima),
                     SPK_ERR_ARGUMENT);
    options.engine = "auto";
    assert_int_equal(spk_pattern_find_maxima(NULL, windows, &options, true, &maxima, &n_maxima),
                     SPK_OK);
    assert_true(n_maxima > 0);
    free(maxima);
    assert_int_equal(spk_pattern_estimate(NULL, windows, 3, &least), SPK_OK);
    assert_int_equal(spk_pattern_estimate(NULL, windows, 0, &least), SPK_ERR_ARGUMENT);
    spk_pattern_recipe_options recipe;
    spk_pattern_recipe_options_init(&recipe, sizeof recipe);
    assert_int_equal(spk_pattern_estimate_published(NULL, windows, &recipe, &least), SPK_OK);
    recipe.alpha = 2;
    assert_int_equal(spk_pattern_estimate_published(NULL, windows, &recipe, &least),
                     SPK_ERR_ARGUMENT);
}

/* What keeps a context keeps NULL. */
static void pattern_keepers(void **state)
{
    (void)state;
    static const uint32_t items[] = {0, 1u << 30};
    static const uint64_t offset[] = {0, 1};
    static const uint32_t count[] = {7};
    const spk_pattern_columns one = {1, 4, offset, items, count};
    spk_spectrum *spectrum = NULL;
    const spk_spectrum_entry *entries = NULL;
    uint64_t n = 0;
    assert_int_equal(spk_spectrum_create(NULL, false, &spectrum), SPK_OK);
    assert_int_equal(spk_spectrum_add(spectrum, &one), SPK_OK);
    assert_int_equal(spk_spectrum_entries(spectrum, &entries, &n), SPK_OK);
    assert_int_equal(n, 1);
    spk_spectrum_writer *writer = NULL;
    assert_int_equal(
        spk_spectrum_writer_open(NULL, test_path("spectrum"), SPK_FORMAT_TSV, false, NULL, &writer),
        SPK_OK);
    assert_int_equal(spk_spectrum_writer_add(writer, entries, n), SPK_OK);
    assert_int_equal(spk_spectrum_writer_commit(writer, NULL), SPK_OK);
    assert_int_equal(spk_spectrum_writer_open(NULL, test_path("no/spectrum"), SPK_FORMAT_TSV, false,
                                              NULL, &writer),
                     SPK_ERR_IO);
    spk_spectrum_free(spectrum);
    spk_pvalue_writer *pvalues = NULL;
    spk_significance test;
    spk_significance_init(&test, sizeof test);
    assert_int_equal(
        spk_pvalue_writer_open(NULL, test_path("pvalues"), SPK_FORMAT_JSON, NULL, &test, &pvalues),
        SPK_OK);
    assert_int_equal(spk_pvalue_writer_add(pvalues), SPK_OK);
    assert_int_equal(spk_pvalue_writer_commit(pvalues, NULL), SPK_OK);
    assert_int_equal(spk_pvalue_writer_open(NULL, test_path("no/pvalues"), SPK_FORMAT_TSV, NULL,
                                            &test, &pvalues),
                     SPK_ERR_IO);

    spk_pattern_locator *locator = NULL;
    const uint32_t *where = NULL;
    uint32_t found = 0;
    assert_int_equal(spk_pattern_locator_create(NULL, windows, &locator), SPK_OK);
    assert_int_equal(spk_pattern_locate(locator, 1, items, &where, &found), SPK_OK);
    assert_int_equal(found, N_EVENTS / N_UNITS);
    assert_int_equal(spk_pattern_locate(locator, 2, items, &where, &found), SPK_ERR_ARGUMENT);
    spk_pattern_locator_free(locator);
    spk_pattern_list *read = NULL;
    test_file("patterns", "0@0 1@1\n");
    assert_int_equal(spk_pattern_list_read(NULL, recording, test_path("patterns"), 0, NULL, &read),
                     SPK_OK);
    spk_pattern_list_free(read);
    assert_int_equal(spk_pattern_list_read(NULL, recording, test_path("patterns"), 1, NULL, &read),
                     SPK_ERR_RANGE);
}

static void pattern_files(void **state)
{
    (void)state;
    static const uint32_t items[] = {0};
    static const uint64_t offset[] = {0, 1};
    static const uint32_t count[] = {7};
    const spk_pattern_columns one = {1, 4, offset, items, count};
    spk_pattern_writer *writer = NULL;
    spk_pattern_occurrence_writer *times = NULL;
    const char *path = test_path("patterns");
    assert_int_equal(
        spk_pattern_writer_open(NULL, path, SPK_FORMAT_JSON, windows, recording, &writer), SPK_OK);
    assert_int_equal(spk_pattern_writer_add(writer, &one), SPK_OK);
    assert_int_equal(spk_pattern_writer_commit(writer, NULL), SPK_OK);
    assert_int_equal(spk_pattern_occurrence_writer_open(NULL, path, windows, recording, &times),
                     SPK_OK);
    assert_int_equal(spk_pattern_occurrence_writer_add(times, &one), SPK_OK);
    assert_int_equal(spk_pattern_occurrence_writer_commit(times, NULL), SPK_OK);
    path = test_path("no/patterns");
    assert_int_equal(spk_pattern_writer_open(NULL, path, SPK_FORMAT_TSV, windows, NULL, &writer),
                     SPK_ERR_IO);
    assert_int_equal(spk_pattern_occurrence_writer_open(NULL, path, windows, NULL, &times),
                     SPK_ERR_IO);
}

/* ---- significance.h -------------------------------------------------------------------------- */

static void significance(void **state)
{
    (void)state;
    static const uint32_t items[] = {0, 5};
    static const uint64_t offset[] = {0, 2}, number = 1, first[] = {0, 1};
    static const uint32_t counts[] = {7};
    static const spk_pattern_maximum steps[] = {{2, 0, 7}};
    static const spk_spectrum_entry seen = {2, 7, 0, 1};
    const spk_pattern_columns one = {1, 4, offset, items, counts};
    const spk_maxima_columns maxima = {1, false, &number, first, steps};
    const double half = 0.5, two = 2;
    uint8_t flag;
    spk_pvalue *values;
    spk_signature signature;
    uint64_t n;
    assert_int_equal(spk_correct(NULL, "holm", 0.05, 1, &half, &flag, NULL), SPK_OK);
    assert_int_equal(spk_correct(NULL, "holm", 0.05, 1, &two, &flag, NULL), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_pvalue_spectrum(NULL, &maxima, NULL, &values, &n), SPK_OK);
    free(values);
    assert_int_equal(spk_signatures_test(NULL, &maxima, &seen, 1, NULL, &signature), SPK_OK);
    assert_int_equal(spk_pattern_spectrum_filter(NULL, &one, &signature, 1, false, &flag), SPK_OK);
    assert_int_equal(spk_pattern_spectrum_filter(NULL, &one, &signature, 0, false, &flag),
                     SPK_ERR_ARGUMENT);
    const spk_pattern_columns wrong = {1, 3, offset, items, counts};
    double share;
    spk_stability_options options;
    spk_stability_options_init(&options, sizeof options);
    assert_int_equal(spk_pattern_reduce(NULL, windows, &one, NULL, &flag), SPK_OK);
    assert_int_equal(spk_pattern_reduce(NULL, windows, &wrong, NULL, &flag), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_pattern_stability(NULL, windows, &one, NULL, &share, NULL), SPK_OK);
    options.epsilon = 0;
    assert_int_equal(spk_pattern_stability(NULL, windows, &one, &options, &share, NULL),
                     SPK_ERR_ARGUMENT);
}

/* ---- select.h -------------------------------------------------------------------------------- */

static void selections(void **state)
{
    (void)state;
    spk_episode_columns episodes = spk_episode_list_columns(list);
    spk_select_options options;
    spk_select_options_init(&options, sizeof options);
    options.maximal = true;
    uint64_t chosen[1];
    uint64_t n = 0;
    assert_int_equal(spk_select_episodes(NULL, &episodes, &options, chosen, &n), SPK_OK);
    assert_int_equal(n, 1);
    const spk_pattern_columns empty = {.window = 1};
    const spk_pattern_columns wrong = {.window = 0};
    assert_int_equal(spk_select_patterns(NULL, &empty, &options, chosen, &n), SPK_OK);
    assert_int_equal(spk_select_patterns(NULL, &wrong, &options, chosen, &n), SPK_ERR_ARGUMENT);
    spk_families *families = NULL;
    spk_family_options family_options;
    spk_family_options_init(&family_options, sizeof family_options);
    assert_int_equal(spk_families_of_episodes(NULL, recording, &episodes, NULL, &families), SPK_OK);
    spk_families_free(families);
    const uint64_t no_offset[] = {0};
    const spk_pattern_columns none = {.window = spk_windows_columns(windows).window,
                                      .offset = no_offset};
    assert_int_equal(spk_families_of_patterns(NULL, windows, &none, NULL, &families), SPK_OK);
    spk_families_free(families);
    family_options.coincidence = 2;
    assert_int_equal(
        spk_families_of_episodes(NULL, recording, &episodes, &family_options, &families),
        SPK_ERR_ARGUMENT);
    assert_int_equal(spk_families_of_patterns(NULL, windows, &none, &family_options, &families),
                     SPK_ERR_ARGUMENT);
}

/* ---- maxima.h -------------------------------------------------------------------------------- */

static void maxima(void **state)
{
    (void)state;
    spk_window_options window_options;
    spk_maxima_options options;
    spk_maxima *own = NULL, *read = NULL;
    spk_window_options_init(&window_options, sizeof window_options);
    window_options.bin = (spk_duration){2, -3};
    window_options.window = 4;
    spk_maxima_options_init(&options, sizeof options);
    assert_int_equal(spk_maxima_run(NULL, recording, &options, &own), SPK_ERR_ARGUMENT);
    options.windows = &window_options;
    options.n_surrogates = 3;
    assert_int_equal(spk_maxima_run(NULL, recording, &options, &own), SPK_OK);
    assert_int_equal(spk_ranks_compare_recording(NULL, recording), SPK_OK);
    assert_int_equal(spk_ranks_join_parts(NULL, recording), SPK_OK);
    assert_int_equal(spk_maxima_check(NULL, own, recording, &options), SPK_OK);
    options.n_surrogates = 4;
    assert_int_equal(spk_maxima_check(NULL, own, recording, &options), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_maxima_write(NULL, own, test_path("maxima")), SPK_OK);
    assert_int_equal(spk_maxima_write(NULL, own, test_path("no/maxima")), SPK_ERR_IO);
    spk_maxima_free(own);
    assert_int_equal(spk_maxima_read(NULL, test_path("maxima"), &read), SPK_OK);
    const spk_maxima *const parts[] = {read, read};
    assert_int_equal(spk_maxima_merge(NULL, 1, parts, &own), SPK_OK);
    spk_maxima_free(own);
    assert_int_equal(spk_maxima_merge(NULL, 2, parts, &own), SPK_ERR_ARGUMENT);
    spk_maxima_free(read);
    assert_int_equal(spk_maxima_read(NULL, test_path("none"), &read), SPK_ERR_IO);
}

static void choosing(void **state)
{
    (void)state;
    spk_choose_options options;
    spk_support_choice choice;
    spk_choose_options_init(&options, sizeof options);
    assert_int_equal(spk_choose_support(NULL, recording, &delay, 1, &options, &choice), SPK_OK);
    spk_delay_table *table = NULL;
    const spk_delay_set set = {&delay, 1};
    assert_int_equal(spk_choose_delays(NULL, recording, &set, 1, &options, &table), SPK_OK);
    spk_delay_plan plan;
    assert_int_equal(spk_choose_plan(NULL, recording, table, 0, 1, &plan), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_choose_plan(NULL, recording, table, 0.05, 1, &plan), SPK_OK);
    spk_delay_table_free(table);
    spk_delay_table_free(NULL);
    options.n_surrogates = 0;
    assert_int_equal(spk_choose_support(NULL, recording, &delay, 1, &options, &choice),
                     SPK_ERR_ARGUMENT);
    spk_exact_options test;
    spk_exact_estimate estimate;
    spk_exact_options_init(&test, sizeof test);
    assert_int_equal(spk_choose_estimate(NULL, recording, &test, 0.05, &estimate),
                     SPK_ERR_ARGUMENT);
}

static void exact_tests(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    spk_episode_options episodes;
    spk_window_options window_options;
    spk_pattern_options patterns;
    spk_exact_options options;
    spk_exact_verdict verdict;
    spk_maxima *own = NULL;
    double p = 0;
    uint32_t left_out = 0;
    const spk_episode_columns all = spk_episode_list_columns(list);
    static const uint64_t offset[] = {0, 2};
    static const uint32_t item[] = {0, 5}, count[] = {3};
    const spk_pattern_columns one = {1, 4, offset, item, count};
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_window_options_init(&window_options, sizeof window_options);
    spk_pattern_options_init(&patterns, sizeof patterns);
    spk_exact_options_init(&options, sizeof options);
    episodes.delays = &delay, episodes.n_delays = 1, episodes.support = 2, episodes.max_size = 3;
    window_options.bin = (spk_duration){2, -3, 0}, window_options.window = 4;
    options.jitter = &jitter, options.n_jitter = 1, options.n_surrogates = 2;
    assert_int_equal(spk_exact_run(NULL, recording, &options, &own), SPK_ERR_ARGUMENT);
    options.episodes = &episodes;
    assert_int_equal(spk_exact_run(NULL, recording, &options, &own), SPK_OK);
    assert_int_equal(spk_exact_check(NULL, own, recording, &options), SPK_OK);
    assert_int_equal(spk_exact_columns_of(own).n, 2);
    assert_int_equal(spk_exact_test_episodes(NULL, recording, &options, own, &all, &verdict, NULL),
                     SPK_OK);
    assert_int_equal(
        spk_exact_explain_episodes(NULL, recording, &options, &all, &verdict, &p, &left_out),
        SPK_OK);
    assert_int_equal(spk_exact_test_patterns(NULL, recording, &options, own, &one, &verdict, NULL),
                     SPK_ERR_ARGUMENT);
    spk_maxima_free(own);
    options.episodes = NULL, options.windows = &window_options, options.patterns = &patterns;
    assert_int_equal(spk_exact_run(NULL, recording, &options, &own), SPK_OK);
    assert_int_equal(spk_exact_test_patterns(NULL, recording, &options, own, &one, &verdict, NULL),
                     SPK_OK);
    assert_int_equal(
        spk_exact_explain_patterns(NULL, recording, &options, &one, &verdict, &p, &left_out),
        SPK_OK);
    assert_int_equal(
        spk_exact_explain_episodes(NULL, recording, &options, &all, &verdict, &p, &left_out),
        SPK_ERR_ARGUMENT);
    spk_maxima_free(own);
}

static spk_status take_round(void *user, const spk_peel_round *round)
{
    *(uint32_t *)user = round->number;
    return SPK_OK;
}

static void peeling(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    spk_episode_options episodes;
    spk_exact_options test;
    spk_peel_options options;
    uint32_t n_rounds = 0;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_exact_options_init(&test, sizeof test);
    spk_peel_options_init(&options, sizeof options);
    episodes.delays = &delay, episodes.n_delays = 1, episodes.support = 2, episodes.max_size = 3;
    test.episodes = &episodes, test.jitter = &jitter, test.n_jitter = 1, test.n_surrogates = 2;
    assert_int_equal(spk_exact_peel(NULL, recording, &options, take_round, &n_rounds),
                     SPK_ERR_ARGUMENT);
    options.test = &test;
    assert_int_equal(spk_exact_peel(NULL, recording, &options, take_round, &n_rounds), SPK_OK);
    assert_int_equal(n_rounds, 1);
}

static void comparisons(void **state)
{
    (void)state;
    static const uint8_t condition[] = {0, 1, 1};
    static const spk_time_range range[] = {
        {{0, 0, 0}, {3, -2, 0}}, {{3, -2, 0}, {6, -2, 0}}, {{6, -2, 0}, {9, -2, 0}}};
    static const char *const labels[] = {"a", "b", "b"};
    spk_compare_options options;
    spk_compare_verdict verdict[N_UNITS];
    spk_conditions *conditions = NULL;
    spk_recording *cut = NULL;
    spk_windows *own = NULL;
    spk_episode_list *units = NULL;
    spk_window_options window_options;
    static const uint64_t offset[] = {0, 1};
    static const uint32_t item[] = {0}, count[] = {15};
    const spk_pattern_columns one = {1, 4, offset, item, count};
    spk_window_options_init(&window_options, sizeof window_options);
    window_options.bin = (spk_duration){2, -3, 0}, window_options.window = 4;
    spk_compare_options_init(&options, sizeof options);
    options.n_trials = 3, options.condition = condition;
    assert_int_equal(spk_recording_cut(NULL, recording, 3, range, &cut), SPK_OK);
    assert_int_equal(spk_episode_list_create(NULL, &units), SPK_OK);
    assert_int_equal(spk_episode_parse(NULL, cut, "1", units), SPK_OK);
    assert_int_equal(spk_episode_count(NULL, cut, NULL, units, NULL), SPK_OK);
    const spk_episode_columns columns = spk_episode_list_columns(units);
    assert_int_equal(spk_compare_episodes(NULL, cut, &options, &columns, verdict, NULL), SPK_OK);
    assert_int_equal(spk_compare_episodes(NULL, recording, &options, &columns, verdict, NULL),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_windows_create(NULL, cut, &window_options, &own), SPK_OK);
    assert_int_equal(spk_compare_patterns(NULL, cut, own, &options, &one, verdict, NULL), SPK_OK);
    options.n_trials = 2;
    assert_int_equal(spk_compare_patterns(NULL, cut, own, &options, &one, verdict, NULL),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_conditions_create(NULL, 3, labels, &conditions), SPK_OK);
    spk_conditions_free(conditions);
    assert_int_equal(spk_conditions_create(NULL, 1, labels, &conditions), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_conditions_read(NULL, test_file("labels", "a\nb\n"), 2, &conditions),
                     SPK_OK);
    assert_int_equal(spk_conditions_columns(conditions).n_trials, 2);
    spk_conditions_free(conditions);
    assert_int_equal(spk_conditions_read(NULL, test_path("none"), 2, &conditions), SPK_ERR_IO);
    spk_conditions_free(NULL);
    spk_recording *joined = NULL;
    assert_int_equal(spk_recording_join(NULL, cut, recording, &joined), SPK_OK);
    assert_int_equal(spk_recording_events(joined).n_events,
                     spk_recording_events(cut).n_events + N_EVENTS);
    spk_recording_free(joined);
    spk_recording *fine = NULL; /* its ticks have no common ones with those of `cut` */
    assert_int_equal(make_recording((spk_rate){INT64_MAX - 24, 1}, &fine), SPK_OK);
    assert_int_equal(spk_recording_join(NULL, cut, fine, &joined), SPK_ERR_RANGE);
    spk_recording_free(fine);
    spk_windows_free(own);
    spk_episode_list_free(units);
    spk_recording_free(cut);
}

static void calibrations(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    spk_episode_options episodes;
    spk_exact_options test;
    spk_calibrate_options options;
    spk_calibration_report report;
    spk_calibration *own = NULL;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_exact_options_init(&test, sizeof test);
    spk_calibrate_options_init(&options, sizeof options);
    spk_calibration_report_init(&report, sizeof report);
    episodes.delays = &delay, episodes.n_delays = 1, episodes.support = 2, episodes.max_size = 3;
    test.episodes = &episodes, test.jitter = &jitter, test.n_jitter = 1, test.n_surrogates = 2;
    options.n_runs = 2;
    assert_int_equal(spk_exact_calibrate(NULL, recording, &options, &own), SPK_ERR_ARGUMENT);
    options.test = &test;
    assert_int_equal(spk_exact_calibrate(NULL, recording, &options, &own), SPK_OK);
    report.jitter = &jitter, report.n_jitter = 1;
    assert_int_equal(spk_calibration_write(NULL, test_path("c.tsv"), SPK_FORMAT_TSV, recording, own,
                                           &report, NULL),
                     SPK_OK);
    report.n_jitter = 2;
    assert_int_equal(spk_calibration_write(NULL, test_path("d.tsv"), SPK_FORMAT_TSV, recording, own,
                                           &report, NULL),
                     SPK_ERR_ARGUMENT);
    spk_calibration_free(own);
    spk_calibration_free(NULL);
}

/* ---- report.h -------------------------------------------------------------------------------- */

static void compare_files(void **state)
{
    (void)state;
    static const spk_compare_verdict verdict = {.p = 1};
    spk_compare_report report;
    spk_episode_writer *writer = NULL;
    spk_pattern_writer *patterns = NULL;
    const spk_episode_columns columns = spk_episode_list_columns(list);
    spk_compare_report_init(&report, sizeof report);
    report.label[0] = "a", report.label[1] = "b";
    report.verdict = &verdict, report.n_rows = 1;
    assert_int_equal(
        spk_episode_writer_open(NULL, test_path("compared"), SPK_FORMAT_JSON, recording, &writer),
        SPK_OK);
    assert_int_equal(spk_episode_writer_set_compare(writer, &report), SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &columns), SPK_OK);
    assert_int_equal(spk_episode_writer_set_compare(writer, &report), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_writer_add(writer, &columns), SPK_ERR_ARGUMENT); /* no row */
    spk_episode_writer_discard(writer);
    assert_int_equal(spk_pattern_writer_open(NULL, test_path("compared"), SPK_FORMAT_TSV, windows,
                                             recording, &patterns),
                     SPK_OK);
    assert_int_equal(spk_pattern_writer_set_compare(patterns, &report), SPK_OK);
    assert_int_equal(spk_pattern_writer_commit(patterns, NULL), SPK_OK);
}

static void exact_files(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    static const spk_exact_verdict verdict = {.p = 1};
    static const uint32_t left_out = 1;
    const spk_episode_columns all = spk_episode_list_columns(list);
    spk_episode_writer *writer = NULL;
    spk_pattern_writer *patterns = NULL;
    spk_exact_report test;
    spk_exact_report_init(&test, sizeof test);
    test.jitter = &jitter, test.n_jitter = 1;
    assert_int_equal(
        spk_episode_writer_open(NULL, test_path("tested"), SPK_FORMAT_TSV, recording, &writer),
        SPK_OK);
    assert_int_equal(spk_episode_writer_set_exact(writer, &test), SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &all), SPK_ERR_ARGUMENT); /* no rows */
    spk_episode_writer_discard(writer);
    test.verdict = &verdict, test.left_out = &left_out, test.n_rows = 1;
    assert_int_equal(
        spk_episode_writer_open(NULL, test_path("tested"), SPK_FORMAT_TSV, recording, &writer),
        SPK_OK);
    assert_int_equal(spk_episode_writer_set_exact(writer, &test), SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &all), SPK_OK);
    assert_int_equal(spk_episode_writer_set_exact(writer, &test), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_writer_commit(writer, NULL), SPK_OK);
    assert_int_equal(spk_pattern_writer_open(NULL, test_path("tested"), SPK_FORMAT_JSON, windows,
                                             recording, &patterns),
                     SPK_OK);
    assert_int_equal(spk_pattern_writer_set_exact(patterns, &test), SPK_OK);
    assert_int_equal(spk_pattern_writer_commit(patterns, NULL), SPK_OK);
}

static void episode_files(void **state)
{
    (void)state;
    static const spk_provenance provenance = {.incomplete = NULL};
    spk_episode_columns all = spk_episode_list_columns(list);
    spk_episode_writer *writer = NULL;
    for (int format = SPK_FORMAT_TSV; format <= SPK_FORMAT_JSON; format++) {
        assert_int_equal(spk_episode_writer_open(NULL, test_path("found"), (spk_format)format,
                                                 recording, &writer),
                         SPK_OK);
        assert_int_equal(spk_episode_writer_add(writer, &all), SPK_OK);
        assert_int_equal(spk_episode_writer_commit(writer, &provenance), SPK_OK);
    }
    assert_int_equal(
        spk_episode_writer_open(NULL, test_path("no/found"), SPK_FORMAT_TSV, recording, &writer),
        SPK_ERR_IO);
}

static void occurrence_files(void **state)
{
    (void)state;
    spk_episode_columns all = spk_episode_list_columns(list);
    spk_episode_occurrence_writer *writer = NULL;
    assert_int_equal(
        spk_episode_occurrence_writer_open(NULL, test_path("times"), recording, 1, &writer),
        SPK_OK);
    assert_int_equal(spk_episode_occurrence_writer_add(writer, &all), SPK_OK);
    assert_int_equal(spk_episode_occurrence_writer_commit(writer, NULL), SPK_OK);
    assert_int_equal(
        spk_episode_occurrence_writer_open(NULL, test_path("no/times"), recording, 1, &writer),
        SPK_ERR_IO);
}

/* ---- figure.h, page.h, gpu.h ----------------------------------------------------------------- */

static void figures(void **state)
{
    (void)state;
    spk_episode_columns all = spk_episode_list_columns(list);
    spk_pattern_figure *figure = NULL;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    const char *svg = test_path("figure.svg");
    assert_int_equal(spk_figure_check(NULL, svg), drawn());
    assert_int_not_equal(spk_figure_check(NULL, test_path("figure.doc")), SPK_OK);
    assert_int_equal(spk_figure_options_check(NULL, SPK_FIGURE_EPISODES, NULL), drawn());
    assert_int_equal(spk_figure_episodes(NULL, recording, &all, NULL, svg), drawn());
    assert_int_equal(
        spk_pattern_figure_create(NULL, recording, windows, (spk_duration){2, -3}, &figure),
        SPK_OK);
    assert_int_equal(
        spk_pattern_mine(NULL, windows, &options, spk_pattern_figure_add, figure, NULL), SPK_OK);
    assert_int_equal(spk_pattern_figure_draw(NULL, figure, NULL, svg), drawn());
    spk_pattern_figure_free(figure);
}

static void pages(void **state)
{
    (void)state;
    spk_episode_columns all = spk_episode_list_columns(list);
    spk_pattern_list *patterns = NULL;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    const char *html = test_path("page.html");
    assert_int_equal(spk_page_check(NULL, html), SPK_OK);
    assert_int_equal(spk_page_check(NULL, test_path("page.doc")), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_page_episodes(NULL, recording, &all, NULL, html), SPK_OK);
    assert_int_equal(spk_pattern_list_create(NULL, spk_windows_columns(windows).window, &patterns),
                     SPK_OK);
    assert_int_equal(
        spk_pattern_mine(NULL, windows, &options, spk_pattern_list_add, patterns, NULL), SPK_OK);
    spk_pattern_columns mined = spk_pattern_list_columns(patterns);
    assert_int_equal(
        spk_page_patterns(NULL, recording, windows, (spk_duration){2, -3}, &mined, NULL, html),
        SPK_OK);
    spk_pattern_list_free(patterns);
}

static void gpus(void **state)
{
    (void)state;
    spk_gpu_info info;
    spk_papers_calibration calibration;
    assert_int_equal(spk_gpu_describe(NULL, -1, &info), no_such_gpu());
    assert_int_equal(spk_papers_calibrate(NULL, -1, &calibration), no_such_gpu());
    char *path = NULL;
    assert_int_equal(spk_papers_calibration_path(NULL, &path), SPK_OK);
    free(path);
}

/* ---- live.h ---------------------------------------------------------------------------------- */

static spk_status take_live_batch(void *user, const spk_live_batch *batch)
{
    (void)user, (void)batch;
    return SPK_OK;
}

static void live(void **state)
{
    (void)state;
    spk_live_stream_options options;
    spk_live_watch_options watching;
    spk_live_stream *stream = NULL;
    spk_live_watch *watch = NULL;
    uint32_t unit;
    spk_live_stream_options_init(&options, sizeof options);
    spk_live_watch_options_init(&watching, sizeof watching);
    assert_int_equal(spk_live_stream_create(NULL, &options, &stream), SPK_ERR_ARGUMENT);
    options.rate = (spk_rate){1000, 1};
    options.max_units = 1;
    assert_int_equal(spk_live_stream_create(NULL, &options, &stream), SPK_OK);
    assert_int_equal(spk_live_stream_add_sink(NULL, stream, take_live_batch, NULL), SPK_OK);
    watching.window.digits = -1;
    assert_int_equal(spk_live_watch_create(NULL, stream, &watching, &watch), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_watch_create(NULL, stream, NULL, &watch), SPK_OK);
    spk_episode_columns episodes = spk_episode_list_columns(list);
    spk_pattern_columns patterns = {.n = 0};
    assert_int_equal(spk_live_watch_add_episodes(NULL, watch, recording, &episodes), SPK_OK);
    assert_int_equal(spk_live_watch_add_patterns(NULL, watch, recording, &patterns),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_stream_unit(NULL, stream, "0", &unit), SPK_OK);
    assert_int_equal(spk_live_stream_unit(NULL, stream, "1", &unit), SPK_ERR_RANGE);
    unit = 0;
    assert_int_equal(spk_live_state_save(NULL, stream, watch, test_path("state")), SPK_OK);
    assert_int_equal(spk_live_state_load(NULL, stream, watch, test_path("state")), SPK_OK);
    assert_int_equal(spk_live_state_load(NULL, stream, watch, test_path("none")), SPK_ERR_IO);
    assert_int_equal(spk_live_stream_border(NULL, stream, NULL, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_push(NULL, stream, 1, &time_zero, &unit, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_settle(NULL, stream), SPK_OK);
    assert_int_equal(spk_live_stream_end(NULL, stream), SPK_OK);
    assert_int_equal(spk_live_stream_push(NULL, stream, 1, &time_zero, &unit, NULL),
                     SPK_ERR_ARGUMENT);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
}

static void live_partitions(void **state)
{
    (void)state;
    spk_live_stream_options stream_options;
    spk_partitions_options options;
    spk_episode_options episodes;
    spk_live_stream *stream = NULL;
    spk_partitions *partitions = NULL;
    const spk_partition_result *result = NULL;
    uint32_t unit;
    spk_live_stream_options_init(&stream_options, sizeof stream_options);
    spk_partitions_options_init(&options, sizeof options);
    spk_episode_options_init(&episodes, sizeof episodes);
    stream_options.rate = (spk_rate){1000, 1};
    episodes.delays = &delay, episodes.n_delays = 1;
    assert_int_equal(spk_live_stream_create(NULL, &stream_options, &stream), SPK_OK);
    assert_int_equal(spk_partitions_create(NULL, stream, &options, &partitions), SPK_ERR_ARGUMENT);
    options.episodes = &episodes;
    assert_int_equal(spk_partitions_create(NULL, stream, &options, &partitions), SPK_OK);
    assert_int_equal(spk_live_stream_unit(NULL, stream, "0", &unit), SPK_OK);
    assert_int_equal(spk_live_stream_push(NULL, stream, 1, &time_zero, &unit, NULL), SPK_OK);
    assert_int_equal(spk_partitions_take(NULL, partitions, 0, &result), SPK_OK);
    assert_null(result);
    assert_int_equal(spk_live_stream_end(NULL, stream), SPK_OK);
    assert_int_equal(spk_partitions_take(NULL, partitions, 0, &result), SPK_OK);
    assert_int_equal(result->state, SPK_PARTITION_CUT);
    assert_int_equal(spk_partitions_totals(partitions).mined, 1);
    spk_partitions_free(partitions);
    spk_partitions_free(NULL);
    spk_live_stream_free(stream);
}

static void live_sources(void **state)
{
    (void)state;
    spk_live_source_options options;
    spk_live_source *source = NULL;
    spk_live_arrivals arrivals;
    spk_live_source_kind kind;
    spk_live_source_options_init(&options, sizeof options);
    options.speed = 0;
    const char *path = test_file("live.txt", "0.5 a\n");
    assert_int_equal(spk_live_source_open(NULL, "nothing://", &options, &source), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_source_open(NULL, path, &options, &source), SPK_OK);
    assert_int_equal(spk_live_source_poll(NULL, source, 0, &arrivals), SPK_OK);
    assert_int_equal(arrivals.n, 1);
    assert_int_equal(spk_live_source_poll(NULL, source, 0, NULL), SPK_ERR_ARGUMENT);
    spk_live_source_close(source);
    assert_int_equal(spk_live_source_describe(NULL, 0, &kind), SPK_OK);
    assert_int_equal(spk_live_source_describe(NULL, SIZE_MAX, &kind), SPK_ERR_ARGUMENT);
}

static void live_pages(void **state)
{
    (void)state;
    spk_live_stream_options streaming;
    spk_live_page_options options;
    spk_live_stream *stream = NULL;
    spk_live_page *page = NULL;
    uint32_t unit;
    spk_live_stream_options_init(&streaming, sizeof streaming);
    streaming.rate = (spk_rate){1000, 1};
    spk_live_page_options_init(&options, sizeof options);
    assert_int_equal(spk_live_stream_create(NULL, &streaming, &stream), SPK_OK);
    assert_int_equal(spk_live_stream_unit(NULL, stream, "0", &unit), SPK_OK);
    const spk_status served = spk_live_page_available() ? SPK_OK : SPK_ERR_UNAVAILABLE;
    options.token = "short";
    assert_int_equal(spk_live_page_start(NULL, stream, &options, &page), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_page_start(NULL, stream, NULL, &page), served);
    if (served == SPK_OK) {
        assert_int_equal(spk_live_page_item(NULL, page, false, 0, "0", 1, &unit), SPK_OK);
        assert_int_equal(spk_live_page_item(NULL, page, false, 0, "0", 1, &unit), SPK_ERR_ARGUMENT);
        const spk_partition_result result = {.state = SPK_PARTITION_SKIPPED, .why = "late"};
        assert_int_equal(spk_live_page_partition(NULL, page, &result), SPK_OK);
    }
    spk_live_page_stop(page);
    spk_live_stream_free(stream);
}

/* ---- live_session.h -------------------------------------------------------------------------- */

static void live_sinks(void **state)
{
    (void)state;
    spk_live_stream_options options;
    spk_live_emit_options sinks;
    spk_live_stream *stream = NULL;
    spk_live_emit *emit = NULL;
    spk_live_recorder *recorder = NULL;
    const spk_partition_result skipped = {.state = SPK_PARTITION_SKIPPED, .why = ""};
    const spk_live_mark mark = {.text = "cue"}, wrong = {.text = "a\nb"};
    const uint32_t unit = 0;
    const spk_live_occurrence occurrence = {
        .size = 1, .unit = &unit, .time = &time_zero, .name = "0", .count = 1};
    spk_live_stream_options_init(&options, sizeof options);
    options.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_live_stream_create(NULL, &options, &stream), SPK_OK);
    spk_live_emit_options_init(&sinks, sizeof sinks);
    assert_int_equal(spk_live_emit_open(NULL, "nowhere", &sinks, &emit), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_emit_open(NULL, "", &sinks, &emit), SPK_OK);
    spk_live_emit_set_stream(emit, stream);
    assert_int_equal(spk_live_emit_occurrence(emit, &occurrence), SPK_OK);
    assert_int_equal(spk_live_emit_partition(emit, &skipped), SPK_OK);
    assert_int_equal(spk_live_emit_mark(emit, &mark), SPK_OK);
    spk_live_watch *watch = NULL;
    assert_int_equal(spk_live_watch_create(NULL, stream, NULL, &watch), SPK_OK);
    assert_false(spk_live_watch_has_window(watch));
    assert_int_equal(spk_live_emit_counts(emit, watch), SPK_OK);
    assert_int_equal(spk_live_emit_drain(emit), SPK_OK);
    spk_live_watch_free(watch);
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    assert_int_equal(spk_live_emit_get_facts(emit).occurrences, 1);
    spk_live_emit_close(emit);
    char *path = strdup(test_path("live.npz"));
    assert_non_null(path);
    assert_int_equal(spk_live_recorder_open(NULL, stream, path, &recorder), SPK_ERR_ARGUMENT);
    free(path);
    path = strdup(test_path("recorded.txt"));
    assert_int_equal(spk_live_recorder_open(NULL, stream, path, &recorder), SPK_OK);
    assert_int_equal(spk_live_recorder_mark(recorder, &wrong), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_recorder_mark(recorder, &mark), SPK_OK);
    assert_int_equal(spk_live_recorder_flush(recorder), SPK_OK);
    assert_int_equal(spk_live_recorder_commit(recorder), SPK_OK);
    free(path);
    spk_live_stream_free(stream);
}

static void live_sessions(void **state)
{
    (void)state;
    spk_live_session_options options;
    spk_live_session_facts facts;
    spk_live_session *session = NULL;
    bool ended = false;
    spk_live_session_options_init(&options, sizeof options);
    assert_int_equal(spk_live_session_create(NULL, &options, &session), SPK_ERR_ARGUMENT);
    options.source = test_file("session.txt", "0.5 a\n1.5 b\n");
    assert_int_equal(spk_live_session_create(NULL, &options, &session), SPK_OK);
    while (!ended)
        assert_int_equal(spk_live_session_step(session, 10, &ended), SPK_OK);
    assert_int_equal(spk_live_session_end(session), SPK_OK);
    spk_live_session_get_facts(session, &facts);
    assert_int_equal(facts.counts.accepted, 2);
    spk_live_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends),
        cmocka_unit_test(contexts),
        cmocka_unit_test(energies),
        cmocka_unit_test(files),
        cmocka_unit_test(formats),
        cmocka_unit_test(durations),
        cmocka_unit_test(recordings),
        cmocka_unit_test(taken_recordings),
        cmocka_unit_test(engines),
        cmocka_unit_test(text_files),
        cmocka_unit_test(simulations),
        cmocka_unit_test(surrogate_makers),
        cmocka_unit_test(episode_lists),
        cmocka_unit_test(episode_texts),
        cmocka_unit_test(episode_jobs),
        cmocka_unit_test(episode_occurrences),
        cmocka_unit_test(window_makers),
        cmocka_unit_test(trials),
        cmocka_unit_test(pattern_jobs),
        cmocka_unit_test(pattern_keepers),
        cmocka_unit_test(maxima),
        cmocka_unit_test(choosing),
        cmocka_unit_test(exact_tests),
        cmocka_unit_test(peeling),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(calibrations),
        cmocka_unit_test(exact_files),
        cmocka_unit_test(compare_files),
        cmocka_unit_test(pattern_files),
        cmocka_unit_test(significance),
        cmocka_unit_test(selections),
        cmocka_unit_test(episode_files),
        cmocka_unit_test(occurrence_files),
        cmocka_unit_test(figures),
        cmocka_unit_test(pages),
        cmocka_unit_test(live),
        cmocka_unit_test(live_partitions),
        cmocka_unit_test(live_sources),
        cmocka_unit_test(live_pages),
        cmocka_unit_test(gpus),
        cmocka_unit_test(live_sinks),
        cmocka_unit_test(live_sessions),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
