/*
 * Recordings replayed through the watch: what was mined in them is counted live as offline, and
 * each occurrence of episodes is the offline one. Work for a spike stays what it is, however long
 * the stream.
 */
#include "live/watch.h"
#include "support/context.h"

enum { MOST_EPISODES = 500, MOST_DIGESTS = 40 };

/* ---- replay ---------------------------------------------------------------------------------- */

/* What was told of the first episodes: the times of all occurrences in one number each. */
typedef struct digests {
    uint64_t value[MOST_DIGESTS];
    uint64_t item; /* of an offline search */
    uint64_t n_told;
} digests;

static void add_number(uint64_t *digest, uint64_t number)
{
    *digest = (*digest ^ number) * 0x100000001b3u;
    *digest ^= *digest >> 29;
}

static void add_occurrence(digests *d, uint64_t item, uint64_t segment, uint32_t size,
                           const int64_t *time)
{
    add_number(&d->value[item], segment);
    for (uint32_t p = 0; p < size; p++)
        add_number(&d->value[item], (uint64_t)time[p]);
}

static spk_status take_live(void *user, const spk_live_occurrence *o)
{
    digests *d = user;
    d->n_told++;
    if (!o->is_pattern && o->item < MOST_DIGESTS)
        add_occurrence(d, o->item, o->segment, o->size, o->time);
    return SPK_OK;
}

static spk_status take_offline(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    digests *d = user;
    add_occurrence(d, d->item, segment, size, time);
    return SPK_OK;
}

typedef struct replay {
    spk_live_stream *stream;
    spk_live_watch *watch;
    digests told;
} replay;

static replay *open_replay(const spk_recording *recording, spk_duration bin)
{
    replay *r = calloc(1, sizeof *r);
    spk_live_stream_options of_stream;
    spk_live_watch_options of_watch;
    assert_non_null(r);
    spk_live_stream_options_init(&of_stream, sizeof of_stream);
    spk_live_watch_options_init(&of_watch, sizeof of_watch);
    of_stream.rate = spk_recording_rate(recording);
    of_watch.bin = bin;
    assert_int_equal(spk_live_stream_create(context, &of_stream, &r->stream), SPK_OK);
    assert_int_equal(spk_live_watch_create(context, r->stream, &of_watch, &r->watch), SPK_OK);
    spk_live_watch_set_sink(r->watch, take_live, &r->told);
    return r;
}

static void close_replay(replay *r)
{
    spk_live_watch_free(r->watch);
    spk_live_stream_free(r->stream);
    free(r);
}

/* Sends all events of a segment in random chunks. */
static void send_segment(replay *r, const spk_recording *recording, const spk_segment *segment,
                         test_random *random, const uint32_t *number)
{
    spk_events e = spk_recording_events(recording);
    uint32_t unit[512];
    for (uint64_t k = 0, n; k < e.n_events; k += n) {
        n = 1;
        if (e.time[k] < segment->start || e.time[k] >= segment->stop)
            continue;
        uint64_t most = 1 + test_random_below(random, 512);
        while (n < most && k + n < e.n_events && e.time[k + n] < segment->stop)
            n++;
        for (uint64_t i = 0; i < n; i++)
            unit[i] = number[e.unit[k + i]];
        assert_int_equal(spk_live_stream_push(context, r->stream, n, e.time + k, unit, NULL),
                         SPK_OK);
    }
}

static void send(replay *r, const spk_recording *recording)
{
    size_t n = 0;
    uint32_t n_units = spk_recording_events(recording).n_units;
    uint32_t *number = calloc(n_units + 1, sizeof *number);
    const spk_segment *segments = spk_recording_segments(recording, &n);
    test_random random = test_random_make(test_seed("replay"), 0);
    assert_non_null(number);
    for (uint32_t u = n_units; u-- > 0;)
        assert_int_equal(
            spk_live_stream_unit(context, r->stream, spk_recording_label(recording, u), &number[u]),
            SPK_OK);
    for (size_t k = 0; k < n; k++) {
        spk_time_range exact; /* where no duration holds them, the first event is the start */
        bool known = spk_recording_segment_times(recording, k, &exact);
        assert_int_equal(spk_live_stream_border(context, r->stream, known ? &exact.start : NULL,
                                                known ? &exact.stop : NULL),
                         SPK_OK);
        send_segment(r, recording, &segments[k], &random, number);
    }
    assert_int_equal(spk_live_stream_end(context, r->stream), SPK_OK);
    free(number);
}

/* ---- episodes -------------------------------------------------------------------------------- */

static spk_status keep_some(void *user, const spk_episode_columns *episodes)
{
    spk_episode_columns some = *episodes;
    uint64_t had = spk_episode_list_columns(user).n;
    uint64_t room = had < MOST_EPISODES ? MOST_EPISODES - had : 0;
    some.n = some.n < room ? some.n : room;
    return spk_episode_list_add(user, &some);
}

/* Frequent episodes with delays up to `ms` and up to twice that, with one of these supports: the
 * largest with which there are some of several sizes. */
static spk_episode_list *mine(const spk_recording *recording, int64_t ms)
{
    static const spk_fraction supports[] = {{1, -2}, {4, -3}, {2, -3}, {1, -3}, {3, -4}};
    const spk_delay delays[] = {{{0, 0, 0}, {ms, -3, 0}}, {{ms, -3, 0}, {2 * ms, -3, 0}}};
    spk_episode_list *list = NULL;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays;
    options.n_delays = 2;
    options.max_size = 3;
    for (int k = 0; k < 5; k++) {
        spk_episode_list_free(list);
        options.support = spk_episode_support(recording, supports[k]);
        assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
        assert_int_equal(spk_episode_mine(context, recording, &options, keep_some, list, NULL),
                         SPK_OK);
        spk_episode_columns e = spk_episode_list_columns(list);
        if (e.n > 40 && e.offset[e.n] - e.offset[e.n - 1] > 2)
            break;
    }
    return list;
}

static void check_occurrences(const spk_recording *recording, const spk_episode_columns *e,
                              const digests *told)
{
    digests *offline = calloc(1, sizeof *offline);
    assert_non_null(offline);
    for (uint64_t k = 0; k < e->n && k < MOST_DIGESTS; k++) {
        spk_delay delay[SPK_EPISODE_MAX_SIZE];
        uint32_t size = (uint32_t)(e->offset[k + 1] - e->offset[k]);
        for (uint32_t p = 1; p < size; p++)
            delay[p - 1] = e->delays[e->delay[e->offset[k] + p]];
        offline->item = k;
        assert_int_equal(spk_episode_occurrences_in_segments(context, recording, size,
                                                             e->unit + e->offset[k], delay,
                                                             take_offline, offline),
                         SPK_OK);
        assert_true(offline->value[k] == told->value[k]);
    }
    free(offline);
}

static void check_episodes(const char *path, const spk_read_options *options, int64_t ms)
{
    spk_recording *recording = NULL;
    if (spk_recording_read(context, path, options, &recording) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    spk_episode_list *list = mine(recording, ms);
    spk_episode_columns e = spk_episode_list_columns(list);
    uint64_t *count = calloc(e.n, sizeof *count), sum = 0;
    replay *r = open_replay(recording, (spk_duration){.digits = 0});
    print_message("%s: %" PRIu64 " episodes\n", path, e.n);
    assert_true(e.n > 20 && e.offset[e.n] - e.offset[e.n - 1] > 1 && count != NULL);
    assert_int_equal(spk_live_watch_add_episodes(context, r->watch, recording, &e), SPK_OK);
    send(r, recording);
    spk_live_watch_counts(r->watch, count, NULL);
    for (uint64_t k = 0; k < e.n; k++) {
        assert_int_equal(count[k], e.count[k]);
        sum += count[k];
    }
    assert_int_equal(r->told.n_told, sum);
    check_occurrences(recording, &e, &r->told);
    close_replay(r);
    free(count);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

static void bundled_episodes(void **state)
{
    (void)state;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    options.sort = true;
    check_episodes(test_bundled("movement_PGHF.spikes.txt"), &options, 5);
    check_episodes(test_bundled("songbird_spikes.txt"), &options, 50);
}

static void external_episodes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t samples;
    } recordings[] = {{"wagenaar/2-1-20.spk.txt", 0}, {"wagenaar/2-1-10.spk.txt", 0},
                      {"wagenaar/8-1-31.spk.txt", 0}, {"tdm/tdminer_sample_stream.csv", 0},
                      {"tdm/sim-64-size20.csv", 0},   {"reach_to_grasp/test_short.spikes.txt", 0},
                      {"nwb/A8604-211122.nwb", 0},    {"phy", 30000}};
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    options.sort = true;
    if (test_external(".") == NULL || !test_whole_recordings())
        skip();
    for (size_t k = 0; k < sizeof recordings / sizeof recordings[0]; k++) {
        const char *path = test_external(recordings[k].name);
        options.sample_rate = (spk_rate){recordings[k].samples, recordings[k].samples > 0};
        options.time_unit = recordings[k].samples > 0 ? SPK_TIME_SAMPLES : SPK_TIME_GUESS;
        if (path != NULL)
            check_episodes(path, &options, 5);
    }
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void check_patterns(const char *name, uint32_t window, uint64_t support, uint32_t min_spikes)
{
    spk_recording *recording = NULL;
    spk_read_options options;
    spk_window_options binning;
    spk_pattern_options mining;
    spk_windows *windows = NULL;
    spk_pattern_list *list = NULL;
    spk_read_options_init(&options, sizeof options);
    options.sort = true;
    spk_window_options_init(&binning, sizeof binning);
    binning.bin = (spk_duration){5, -3, 0};
    binning.window = window;
    spk_pattern_options_init(&mining, sizeof mining);
    mining.support = support;
    mining.min_spikes = min_spikes;
    recording = test_recording_read(context, test_bundled(name), &options);
    assert_int_equal(spk_windows_create(context, recording, &binning, &windows), SPK_OK);
    assert_int_equal(spk_pattern_list_create(context, window, &list), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &mining, spk_pattern_list_add, list, NULL),
                     SPK_OK);
    spk_pattern_columns p = spk_pattern_list_columns(list);
    uint64_t *count = calloc(p.n, sizeof *count);
    replay *r = open_replay(recording, binning.bin);
    print_message("%s: %" PRIu64 " patterns\n", name, p.n);
    assert_true(p.n > 20 && count != NULL);
    assert_int_equal(spk_live_watch_add_patterns(context, r->watch, recording, &p), SPK_OK);
    send(r, recording);
    spk_live_watch_counts(r->watch, NULL, count);
    for (uint64_t k = 0; k < p.n; k++)
        assert_int_equal(count[k], p.count[k]);
    close_replay(r);
    free(count);
    spk_pattern_list_free(list);
    spk_windows_free(windows);
    spk_recording_free(recording);
}

static void bundled_patterns(void **state)
{
    (void)state;
    check_patterns("movement_PGHF.spikes.txt", 20, 110, 3);
    check_patterns("songbird_spikes.txt", 20, 20, 3);
}

/* ---- constant work --------------------------------------------------------------------------- */

static uint64_t memory_of(const spk_live_watch *watch)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < watch->trie.n_queues; k++)
        n += watch->trie.queue[k].capacity;
    for (uint64_t k = 0; k < watch->trie.n_ends; k++)
        n += watch->trie.end[k].recent.capacity;
    for (uint64_t k = 0; k < watch->patterns.n_trains; k++)
        n += watch->patterns.train[k].capacity;
    return n;
}

/* Looks at what 20,000 further spikes cost, after few and after many. */
static void work_does_not_grow(void **state)
{
    (void)state;
    enum { UNITS = 50, SPIKES = 20000 };
    static const spk_delay delay[] = {{{0, 0, 0}, {5, -3, 0}}, {{5, -3, 0}, {1, -2, 0}}};
    spk_live_stream_options of_stream;
    spk_live_watch_options of_watch;
    spk_live_stream *stream = NULL;
    spk_live_watch *watch = NULL;
    spk_recording *labels = NULL;
    spk_episode_list *list = NULL;
    test_random random = test_random_make(1, 1);
    spk_live_stream_options_init(&of_stream, sizeof of_stream);
    spk_live_watch_options_init(&of_watch, sizeof of_watch);
    of_stream.rate = (spk_rate){1000, 1};
    of_watch.window = (spk_duration){1, 0, 0};
    assert_int_equal(spk_live_stream_create(context, &of_stream, &stream), SPK_OK);
    assert_int_equal(spk_live_watch_create(context, stream, &of_watch, &watch), SPK_OK);
    assert_int_equal(test_recording_create(context, 0, NULL, NULL, UNITS, NULL, of_stream.rate,
                                           NULL, NULL, &labels),
                     SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    for (int k = 0; k < 500; k++) {
        uint32_t unit[4], number;
        for (int p = 0; p < 4; p++)
            unit[p] = (uint32_t)test_random_below(&random, UNITS);
        assert_int_equal(
            spk_episode_list_append(context, list, 4, unit,
                                    (const spk_delay[]){delay[k % 2], delay[1], delay[0]}),
            SPK_OK);
        if (k < UNITS)
            assert_int_equal(spk_live_stream_unit(context, stream,
                                                  spk_recording_label(labels, (uint32_t)k),
                                                  &number),
                             SPK_OK);
    }
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_live_watch_add_episodes(context, watch, labels, &columns), SPK_OK);
    uint64_t touched[40], memory[40];
    int64_t time = 0;
    for (int round = 0; round < 40; round++) {
        uint64_t before = watch->touched;
        for (int k = 0; k < SPIKES; k++) {
            uint32_t unit = (uint32_t)test_random_below(&random, UNITS);
            time += (int64_t)test_random_below(&random, 3);
            assert_int_equal(spk_live_stream_push(context, stream, 1, &time, &unit, NULL), SPK_OK);
        }
        touched[round] = watch->touched - before;
        memory[round] = memory_of(watch);
    }
    assert_true(touched[39] < touched[0] + touched[0] / 20);
    assert_true(memory[39] <= memory[4] + memory[4] / 2);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_episode_list_free(list);
    spk_recording_free(labels);
}

/* Occurrences that begin with the same spike and end later are not kept for the recent counts. */
static void recent_is_bounded(void **state)
{
    (void)state;
    static const spk_delay any = {{0, 0, 0}, {1, SPK_DURATION_INFINITE, 0}};
    static const uint32_t unit[] = {0, 1};
    spk_live_stream_options of_stream;
    spk_live_watch_options of_watch;
    spk_live_stream *stream = NULL;
    spk_live_watch *watch = NULL;
    spk_recording *labels = NULL;
    spk_episode_list *list = NULL;
    uint32_t number;
    uint64_t recent = 0;
    spk_live_stream_options_init(&of_stream, sizeof of_stream);
    spk_live_watch_options_init(&of_watch, sizeof of_watch);
    of_stream.rate = (spk_rate){1000, 1};
    of_watch.window = (spk_duration){1, 5, 0};
    assert_int_equal(spk_live_stream_create(context, &of_stream, &stream), SPK_OK);
    assert_int_equal(spk_live_watch_create(context, stream, &of_watch, &watch), SPK_OK);
    assert_int_equal(
        test_recording_create(context, 0, NULL, NULL, 2, NULL, of_stream.rate, NULL, NULL, &labels),
        SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(spk_episode_list_append(context, list, 2, unit, &any), SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_live_watch_add_episodes(context, watch, labels, &columns), SPK_OK);
    assert_int_equal(spk_live_stream_unit(context, stream, "0", &number), SPK_OK);
    assert_int_equal(spk_live_stream_unit(context, stream, "1", &number), SPK_OK);
    for (int64_t time = 0; time < 5000; time++)
        assert_int_equal(spk_live_stream_push(context, stream, 1, &time, &unit[time > 0], NULL),
                         SPK_OK);
    spk_live_watch_recent(watch, &recent, NULL);
    assert_int_equal(recent, 1);
    assert_true(memory_of(watch) < 20);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_episode_list_free(list);
    spk_recording_free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_episodes),  cmocka_unit_test(external_episodes),
        cmocka_unit_test(bundled_patterns),  cmocka_unit_test(work_does_not_grow),
        cmocka_unit_test(recent_is_bounded),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
