/* Public functions with NULL in place of their context: spikes as they arrive. */
#include "support/sample.h"
#include "support/test.h"

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
    spk_episode_columns episodes = spk_episode_list_columns(sample_list);
    spk_pattern_columns patterns = {.n = 0};
    assert_int_equal(spk_live_watch_add_episodes(NULL, watch, sample_recording, &episodes), SPK_OK);
    assert_int_equal(spk_live_watch_begin_episodes(NULL, watch, sample_recording, &episodes),
                     SPK_OK);
    assert_int_equal(spk_live_watch_add_episodes(NULL, watch, sample_recording, &episodes),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_watch_end_episode(NULL, watch, episodes.n), SPK_OK);
    assert_int_equal(spk_live_watch_add_patterns(NULL, watch, sample_recording, &patterns),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_stream_unit(NULL, stream, "0", &unit), SPK_OK);
    assert_int_equal(spk_live_stream_unit(NULL, stream, "1", &unit), SPK_ERR_RANGE);
    unit = 0;
    assert_int_equal(spk_live_state_save(NULL, stream, watch, test_path("state")), SPK_OK);
    assert_int_equal(spk_live_state_load(NULL, stream, watch, test_path("state")), SPK_OK);
    assert_int_equal(spk_live_state_load(NULL, stream, watch, test_path("none")), SPK_ERR_IO);
    assert_int_equal(spk_live_stream_border(NULL, stream, NULL, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_border_of_trial(NULL, stream, NULL, NULL, 2, 3), SPK_OK);
    assert_int_equal(spk_live_stream_border_of_trial(NULL, stream, NULL, NULL, 3, 3),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_stream_push(NULL, stream, 1, &sample_time, &unit, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_settle(NULL, stream), SPK_OK);
    assert_int_equal(spk_live_stream_end(NULL, stream), SPK_OK);
    assert_int_equal(spk_live_stream_push(NULL, stream, 1, &sample_time, &unit, NULL),
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
    episodes.delays = &sample_delay, episodes.n_delays = 1;
    assert_int_equal(spk_live_stream_create(NULL, &stream_options, &stream), SPK_OK);
    assert_int_equal(spk_partitions_create(NULL, stream, &options, &partitions), SPK_ERR_ARGUMENT);
    options.episodes = &episodes;
    assert_int_equal(spk_partitions_create(NULL, stream, &options, &partitions), SPK_OK);
    assert_int_equal(spk_live_stream_unit(NULL, stream, "0", &unit), SPK_OK);
    assert_int_equal(spk_live_stream_push(NULL, stream, 1, &sample_time, &unit, NULL), SPK_OK);
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
    spk_live_source_free(source);
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
        assert_int_equal(spk_live_page_set_stream(NULL, page, stream), SPK_ERR_ARGUMENT);
        assert_int_equal(spk_live_page_item(NULL, page, false, 0, "0", 1, &unit), SPK_ERR_ARGUMENT);
        const spk_partition_result result = {.state = SPK_PARTITION_SKIPPED, .why = "late"};
        assert_int_equal(spk_live_page_partition(NULL, page, &result), SPK_OK);
    }
    spk_live_page_free(page);
    spk_live_stream_free(stream);
}

static void live_sinks(void **state)
{
    (void)state;
    spk_live_stream_options options;
    spk_live_emit_options sinks;
    spk_live_stream *stream = NULL;
    spk_live_emit *emit = NULL;
    spk_live_recorder *recorder = NULL;
    const spk_partition_result skipped = {.state = SPK_PARTITION_SKIPPED, .why = ""};
    const spk_live_choice choice = {.begins = true, .name = "0"};
    const spk_live_mark mark = {.text = "cue"}, wrong = {.text = "a\nb"};
    const uint32_t unit = 0;
    const spk_live_occurrence occurrence = {
        .size = 1, .unit = &unit, .time = &sample_time, .name = "0", .count = 1};
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
    assert_int_equal(spk_live_emit_choice(emit, &choice), SPK_OK);
    spk_live_watch *watch = NULL;
    assert_int_equal(spk_live_watch_create(NULL, stream, NULL, &watch), SPK_OK);
    assert_false(spk_live_watch_has_window(watch));
    assert_int_equal(spk_live_emit_counts(emit, watch), SPK_OK);
    assert_int_equal(spk_live_emit_drain(emit), SPK_OK);
    spk_live_watch_free(watch);
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    assert_int_equal(spk_live_emit_get_facts(emit).occurrences, 1);
    spk_live_emit_free(emit);
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
        cmocka_unit_test(live),         cmocka_unit_test(live_partitions),
        cmocka_unit_test(live_sources), cmocka_unit_test(live_pages),
        cmocka_unit_test(live_sinks),   cmocka_unit_test(live_sessions),
    };
    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
