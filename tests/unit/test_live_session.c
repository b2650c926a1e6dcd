/* A live session as a whole: what it tells of a replay is what offline work on the file gives. */
#include <math.h>

#include "support/context.h"

/* What a session told. */
typedef struct told {
    uint64_t occurrences;
    uint64_t partitions;
    uint64_t episodes; /* of all partitions */
    const char *path;
} told;

static spk_status take_occurrence(void *user, const spk_live_occurrence *occurrence)
{
    told *t = user;
    assert_false(occurrence->is_pattern);
    t->occurrences++;
    return SPK_OK;
}

static const spk_delay delay = {{0, 0, 0}, {20, -3, 0}};

static void set_search(spk_episode_options *options)
{
    spk_episode_options_init(options, sizeof *options);
    options->delays = &delay;
    options->n_delays = 1;
    options->support = 40;
    options->max_size = 3;
}

/* A text file as fast as it goes. */
static void set_source(spk_live_source_options *source, spk_read_options *reading)
{
    spk_read_options_init(reading, sizeof *reading);
    reading->columns = SPK_COLUMNS_TIME_UNIT;
    spk_live_source_options_init(source, sizeof *source);
    source->speed = 0;
    source->read = reading;
}

/* Mines the slice of the file, and compares. */
static spk_status take_partition(void *user, const spk_partition_result *result)
{
    told *t = user;
    spk_episode_options options;
    spk_read_options reading;
    spk_recording *slice = NULL;
    spk_episode_list *list = NULL;
    const spk_duration start = {(int64_t)t->partitions * 10, 0, 0};
    const spk_duration stop = {(int64_t)t->partitions * 10 + 15, 0, 0};
    set_search(&options);
    spk_read_options_init(&reading, sizeof reading);
    reading.columns = SPK_COLUMNS_TIME_UNIT;
    reading.start = &start;
    reading.stop = &stop;
    assert_int_equal(spk_recording_read(context, t->path, &reading, &slice), SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(spk_episode_mine(context, slice, &options, spk_episode_list_add, list, NULL),
                     SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(result->n_events, spk_recording_events(slice).n_events);
    assert_int_equal(result->episodes->n, columns.n);
    for (uint64_t i = 0; i < columns.n; i++) {
        char expected[256], got[256];
        spk_episode_format(slice, &columns, i, expected, sizeof expected);
        spk_episode_format(result->recording, result->episodes, i, got, sizeof got);
        assert_string_equal(got, expected);
        assert_int_equal(result->episodes->count[i], columns.count[i]);
    }
    t->episodes += columns.n;
    t->partitions++;
    spk_episode_list_free(list);
    spk_recording_free(slice);
    return SPK_OK;
}

/* The count of one episode in the whole file. */
static uint64_t count_offline(const char *path, const char *list_path)
{
    spk_read_options reading;
    spk_recording *recording = NULL;
    spk_episode_list *list = NULL;
    spk_read_options_init(&reading, sizeof reading);
    reading.columns = SPK_COLUMNS_TIME_UNIT;
    assert_int_equal(spk_recording_read(context, path, &reading, &recording), SPK_OK);
    assert_int_equal(spk_episode_list_read(context, recording, list_path, &list), SPK_OK);
    assert_int_equal(spk_episode_count(context, recording, NULL, list, NULL), SPK_OK);
    const uint64_t count = spk_episode_list_columns(list).count[0];
    spk_episode_list_free(list);
    spk_recording_free(recording);
    return count;
}

static void replayed(void **state)
{
    (void)state;
    char path[256], list[256], record[256];
    told t = {.path = path};
    spk_live_source_options source;
    spk_live_session_options options;
    spk_partitions_options partitions;
    spk_episode_options search;
    spk_read_options reading;
    spk_live_session *session = NULL;
    spk_live_session_facts facts;
    bool ended = false;
    snprintf(path, sizeof path, "%s", test_bundled("movement_PGHF.spikes.txt"));
    snprintf(list, sizeof list, "%s", test_file("list.txt", "2 (0,20ms] 57\n"));
    snprintf(record, sizeof record, "%s", test_path("out.txt"));
    set_source(&source, &reading);
    set_search(&search);
    spk_partitions_options_init(&partitions, sizeof partitions);
    partitions.length = (spk_duration){15, 0, 0};
    partitions.step = (spk_duration){1, 1, 0};
    partitions.episodes = &search;
    partitions.wait = true;
    spk_live_session_options_init(&options, sizeof options);
    options.source = path;
    options.source_options = &source;
    options.episodes = list;
    options.partitions = &partitions;
    options.partition = take_partition;
    options.occurrence = take_occurrence;
    options.record = record;
    options.user = &t;
    assert_int_equal(spk_live_session_create(context, &options, &session), SPK_OK);
    assert_null(spk_live_session_stream(session));
    while (!ended)
        assert_int_equal(spk_live_session_step(session, 100, &ended), SPK_OK);
    assert_int_equal(spk_live_session_end(session), SPK_OK);
    assert_int_equal(spk_live_session_end(session), SPK_OK);
    spk_live_session_get_facts(session, &facts);
    uint64_t count = 0;
    spk_live_watch_counts(spk_live_session_watch(session), &count, NULL);
    spk_live_session_free(session);
    assert_int_equal(facts.occurrences, t.occurrences);
    assert_int_equal(count, t.occurrences);
    assert_int_equal(count, count_offline(path, list));
    assert_int_equal(count, count_offline(record, list));
    assert_true(count > 0 && t.partitions > 1 && t.episodes > t.partitions);
    assert_int_equal(facts.partitions.mined, t.partitions);
}

/* Keeps the step in the place of the start, and the start in that of the stop. */
static spk_status take_step(void *user, const spk_partition_result *result)
{
    spk_partition_result *last = user;
    last->slice.start = result->slice.start - last->slice.stop; /* the step, of all but the first */
    last->slice.stop = result->slice.start;
    return SPK_OK;
}

/* 24.8 s are five partitions, and spikes a second are those of the recording, not of the replay. */
static void a_short_replay(void **state)
{
    (void)state;
    spk_live_source_options source;
    spk_live_session_options options;
    spk_partitions_options partitions;
    spk_episode_options search;
    spk_read_options reading;
    spk_live_session *session = NULL;
    spk_live_session_facts facts;
    spk_partition_result last = {.number = 0};
    bool ended = false;
    set_source(&source, &reading);
    set_search(&search);
    search.max_size = 1;
    spk_partitions_options_init(&partitions, sizeof partitions);
    partitions.length = partitions.step = (spk_duration){0, 0, 0};
    partitions.episodes = &search;
    partitions.wait = true;
    spk_live_session_options_init(&options, sizeof options);
    options.source = test_bundled("movement_PGHF.spikes.txt");
    options.source_options = &source;
    options.partitions = &partitions;
    options.partition = take_step;
    options.user = &last;
    assert_int_equal(spk_live_session_create(context, &options, &session), SPK_OK);
    while (!ended)
        assert_int_equal(spk_live_session_step(session, 100, &ended), SPK_OK);
    const spk_rate rate = spk_live_stream_rate(spk_live_session_stream(session));
    assert_int_equal(spk_live_session_end(session), SPK_OK);
    spk_live_session_get_facts(session, &facts);
    spk_live_session_free(session);
    const double tick_s = (double)rate.denominator / (double)rate.numerator;
    assert_true(facts.partitions.mined > 40);
    assert_true(fabs((double)last.slice.start * tick_s - facts.source.duration_s / 60) < 0.01);
    assert_true(fabs(facts.spikes_per_s * facts.source.duration_s - (double)facts.counts.accepted) <
                0.01 * (double)facts.counts.accepted);
}

static void wrong_options(void **state)
{
    (void)state;
    spk_live_session_options options;
    spk_live_session *session = NULL;
    char list[256];
    snprintf(list, sizeof list, "%s", test_file("wrong.txt", "A (0,1s\n"));
    spk_live_session_options_init(&options, sizeof options);
    options.source = "-";
    options.seconds = -1;
    assert_int_equal(spk_live_session_create(context, &options, &session), SPK_ERR_ARGUMENT);
    options.seconds = 0;
    options.episodes = list;
    assert_int_equal(spk_live_session_create(context, &options, &session), SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), "wrong.txt:1"));
    options.episodes = NULL;
    options.patterns = list;
    assert_int_equal(spk_live_session_create(context, &options, &session), SPK_ERR_ARGUMENT);
    options.patterns = NULL;
    options.emit = "nowhere";
    assert_int_equal(spk_live_session_create(context, &options, &session), SPK_ERR_ARGUMENT);
    assert_null(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replayed),
        cmocka_unit_test(a_short_replay),
        cmocka_unit_test(wrong_options),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
