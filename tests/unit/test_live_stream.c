/* The stream: order, duplicates, what is late, borders, settling, limits, errors. */
#include "base/stage.h"
#include "support/context.h"

/* What was handed on, as text: "20 30 | 5" with borders, late ones in brackets. */
typedef struct log_text {
    char text[512];
    size_t length;
} log_text;

static void put(log_text *log, const char *format, long long number)
{
    int n = snprintf(log->text + log->length, sizeof log->text - log->length, format, number);
    log->length += (size_t)n;
    assert_true(log->length < sizeof log->text);
}

static spk_status take_batch(void *user, const spk_live_batch *batch)
{
    log_text *log = user;
    if (batch->begins_segment)
        put(log, "[%lld", (long long)batch->segment);
    for (uint64_t k = 0; k < batch->n; k++)
        put(log, " %lld", (long long)batch->time[k]);
    if (batch->ends_segment)
        put(log, batch->ends ? "]." : "]", 0);
    return SPK_OK;
}

static spk_status take_late(void *user, int64_t time, uint32_t unit)
{
    (void)unit;
    put(user, " (%lld)", (long long)time);
    return SPK_OK;
}

static spk_live_stream *make(spk_live_stream_options *options, log_text *log)
{
    spk_live_stream *stream = NULL;
    uint32_t unit;
    options->rate = (spk_rate){1000, 1};
    *log = (log_text){.length = 0};
    assert_int_equal(spk_live_stream_create(context, options, &stream), SPK_OK);
    assert_int_equal(spk_live_stream_add_sink(context, stream, take_batch, log), SPK_OK);
    spk_live_stream_set_late_sink(stream, take_late, log);
    assert_int_equal(spk_live_stream_unit(context, stream, "a", &unit), SPK_OK);
    assert_int_equal(spk_live_stream_unit(context, stream, "b", &unit), SPK_OK);
    return stream;
}

static spk_live_stream *make_tolerant(int64_t tolerance_ms, log_text *log)
{
    spk_live_stream_options options;
    spk_live_stream_options_init(&options, sizeof options);
    options.tolerance = (spk_duration){tolerance_ms, -3, 0};
    return make(&options, log);
}

static void push(spk_live_stream *stream, int64_t time, uint32_t unit)
{
    assert_int_equal(spk_live_stream_push(context, stream, 1, &time, &unit, NULL), SPK_OK);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The example of live.h. */
static void puts_in_order(void **state)
{
    (void)state;
    log_text log;
    spk_live_stream *stream = make_tolerant(20, &log);
    static const int64_t time[] = {20, 50, 40, 10};
    for (int k = 0; k < 4; k++)
        push(stream, time[k], 0);
    assert_string_equal(log.text, "[0 20 (10)");
    assert_int_equal(spk_live_stream_counts(stream).held, 2);
    push(stream, 60, 0);
    assert_string_equal(log.text, "[0 20 (10) 40");
    push(stream, 40, 1); /* a tie on the frontier is not late */
    push(stream, 40, 1);
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    assert_string_equal(log.text, "[0 20 (10) 40 40 50 60].");
    spk_live_counts counts = spk_live_stream_counts(stream);
    assert_int_equal(counts.received, 7);
    assert_int_equal(counts.accepted, 5);
    assert_int_equal(counts.duplicates, 1);
    assert_int_equal(counts.late, 1);
    assert_int_equal(counts.out_of_order, 3);
    assert_int_equal(counts.held, 0);
    assert_int_equal(counts.newest, 60);
    spk_live_stream_free(stream);
}

/* Without a tolerance a spike goes on within the call that pushes it. */
static void hands_on_at_once(void **state)
{
    (void)state;
    log_text log;
    spk_live_stream *stream = make_tolerant(0, &log);
    push(stream, 5, 0);
    assert_string_equal(log.text, "[0 5");
    push(stream, 5, 1);
    push(stream, 4, 1);
    push(stream, 5, 0);
    push(stream, INT64_MAX - 1, 0);
    assert_string_equal(log.text, "[0 5 5 (4) 9223372036854775806");
    assert_int_equal(spk_live_stream_counts(stream).duplicates, 1);
    spk_live_stream_free(stream);
}

static void settles(void **state)
{
    (void)state;
    log_text log;
    spk_live_stream *stream = make_tolerant(1000, &log);
    assert_int_equal(spk_live_stream_settle(context, stream), SPK_OK);
    push(stream, 7, 0);
    push(stream, 3, 1);
    assert_string_equal(log.text, "[0");
    assert_int_equal(spk_live_stream_settle(context, stream), SPK_OK);
    push(stream, 6, 1);
    push(stream, 7, 1);
    assert_string_equal(log.text, "[0 3 7 (6) 7");
    spk_live_stream_free(stream);
}

/* A flood within the tolerance takes no more memory than allowed. */
static void holds_so_many(void **state)
{
    (void)state;
    log_text log;
    spk_live_stream_options options;
    spk_live_stream_options_init(&options, sizeof options);
    options.tolerance = (spk_duration){1, 3, 0};
    options.max_held = 3;
    spk_live_stream *stream = make(&options, &log);
    for (int64_t t = 10; t < 15; t++)
        push(stream, t, 0);
    assert_string_equal(log.text, "[0 10 11");
    push(stream, 10, 1); /* what has gone on cannot be put before */
    push(stream, 11, 1);
    assert_string_equal(log.text, "[0 10 11 (10) 11");
    assert_int_equal(spk_live_stream_counts(stream).held, 3);
    spk_live_stream_free(stream);
}

/* ---- borders --------------------------------------------------------------------------------- */

static void borders(void **state)
{
    (void)state;
    log_text log;
    spk_live_stream *stream = make_tolerant(4, &log);
    const spk_duration start = {10, -3, 0}, stop = {20, -3, 0};
    assert_int_equal(spk_live_stream_border(context, stream, &start, &stop), SPK_OK);
    push(stream, 9, 0);
    push(stream, 10, 0);
    push(stream, 20, 0);
    push(stream, 19, 0);
    assert_int_equal(spk_live_stream_border(context, stream, NULL, NULL), SPK_OK);
    push(stream, 10, 0);
    push(stream, 19, 0);
    assert_int_equal(spk_live_stream_border(context, stream, NULL, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_border(context, stream, &stop, &start), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    assert_string_equal(log.text, "[0 10 19][1 10 19][2].");
    spk_live_counts counts = spk_live_stream_counts(stream);
    assert_int_equal(counts.segments, 3);
    assert_int_equal(counts.outside, 2);
    assert_int_equal(counts.accepted, 4);
    assert_int_equal(counts.newest, 0);
    assert_int_equal(spk_live_stream_border(context, stream, NULL, NULL), SPK_ERR_ARGUMENT);
    spk_live_stream_free(stream);
}

static spk_status take_trial(void *user, const spk_live_batch *batch)
{
    if (batch->begins_segment)
        put(user, "[%lld", (long long)batch->trial);
    if (batch->ends_segment)
        put(user, "/%lld]", (long long)batch->n_trials);
    return SPK_OK;
}

/* A segment has the trial that it was given, else its number. */
static void trials(void **state)
{
    (void)state;
    log_text log, told = {.length = 0};
    spk_live_stream *stream = make_tolerant(0, &log);
    assert_int_equal(spk_live_stream_add_sink(context, stream, take_trial, &told), SPK_OK);
    assert_int_equal(spk_live_stream_border_of_trial(context, stream, NULL, NULL, 7, 9), SPK_OK);
    push(stream, 1, 0);
    assert_int_equal(spk_live_stream_border(context, stream, NULL, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_border_of_trial(context, stream, NULL, NULL, 0, 9), SPK_OK);
    assert_int_equal(spk_live_stream_border_of_trial(context, stream, NULL, NULL, 9, 9),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    assert_string_equal(told.text, "[7/9][1/0][0/9]");
    spk_live_stream_free(stream);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void units(void **state)
{
    (void)state;
    log_text log;
    spk_live_stream_options options;
    spk_live_stream_options_init(&options, sizeof options);
    options.max_units = 3;
    spk_live_stream *stream = make(&options, &log);
    uint32_t unit = 9;
    assert_int_equal(spk_live_stream_unit(context, stream, "", &unit), SPK_OK);
    assert_int_equal(unit, 2);
    assert_int_equal(spk_live_stream_unit(context, stream, "b", &unit), SPK_OK);
    assert_int_equal(unit, 1);
    assert_int_equal(spk_live_stream_unit(context, stream, "d", &unit), SPK_ERR_RANGE);
    assert_int_equal(spk_live_stream_n_units(stream), 3);
    assert_string_equal(spk_live_stream_label(stream, 2), "");
    assert_null(spk_live_stream_label(stream, 3));
    assert_int_equal(spk_live_stream_rate(stream).numerator, 1000);
    spk_live_stream_free(stream);
}

static spk_status refuse(void *user, const spk_live_batch *batch)
{
    (void)user;
    return batch->n > 0 ? SPK_ERR_IO : SPK_OK;
}

static void sinks(void **state)
{
    (void)state;
    log_text log, other = {.length = 0};
    spk_live_stream *stream = make_tolerant(0, &log);
    const int64_t time = 1;
    const uint32_t unit = 0;
    assert_int_equal(spk_live_stream_add_sink(context, stream, refuse, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_add_sink(context, stream, take_batch, &other), SPK_OK);
    assert_int_equal(spk_live_stream_push(context, stream, 1, &time, &unit, NULL), SPK_ERR_IO);
    assert_string_equal(log.text, "[0 1");
    assert_string_equal(other.text, "");
    spk_live_stream_remove_sink(stream, refuse, NULL);
    push(stream, 2, 0);
    assert_string_equal(other.text, " 2");
    spk_live_stream_lost(stream, 5);
    spk_live_stream_lost(stream, 2);
    assert_int_equal(spk_live_stream_counts(stream).lost, 7);
    spk_live_stream_free(stream);
}

static spk_status keep_arrivals(void *user, const spk_live_batch *batch)
{
    int64_t *kept = user;
    for (uint64_t k = 0; k < batch->n; k++)
        kept[batch->time[k]] = batch->arrival_ns[k];
    return SPK_OK;
}

/* Each spike keeps the time at which it arrived, also when it waits. */
static void arrivals(void **state)
{
    (void)state;
    log_text log;
    int64_t kept[10] = {0};
    static const int64_t time[] = {5, 3, 8}, arrival[] = {100, 200, 300};
    static const uint32_t unit[] = {0, 0, 0};
    spk_live_stream *stream = make_tolerant(20, &log);
    assert_int_equal(spk_live_stream_add_sink(context, stream, keep_arrivals, kept), SPK_OK);
    assert_int_equal(spk_live_stream_push(context, stream, 3, time, unit, arrival), SPK_OK);
    push(stream, 9, 0);
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    assert_true(kept[5] == 100 && kept[3] == 200 && kept[8] == 300 && kept[9] > 300);
    spk_live_stream_free(stream);
}

static void wrong_options(void **state)
{
    (void)state;
    spk_live_stream_options options;
    spk_live_stream *stream;
    for (int wrong = 0; wrong < 6; wrong++) {
        spk_live_stream_options_init(&options, sizeof options);
        options.rate = (spk_rate){1000, wrong != 0};
        options.tolerance.digits = wrong == 1 ? -1 : 0;
        options.tolerance.exponent = wrong == 2 ? SPK_DURATION_INFINITE : 0;
        options.max_units = wrong == 3 ? 0 : wrong == 4 ? SPK_MAX_UNITS + 1 : 5;
        options.max_held = wrong != 5;
        assert_int_equal(spk_live_stream_create(context, &options, &stream), SPK_ERR_ARGUMENT);
        assert_null(stream);
    }
}

/* Nothing of a wrong push is taken. */
static void wrong_spikes(void **state)
{
    (void)state;
    log_text log;
    spk_live_stream *stream = make_tolerant(0, &log);
    const int64_t time[] = {1, INT64_MAX};
    const uint32_t unit[] = {0, 2}, right[] = {0, 1};
    assert_int_equal(spk_live_stream_push(context, stream, 2, time, unit, NULL), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_stream_push(context, stream, 2, time, right, NULL), SPK_ERR_RANGE);
    assert_int_equal(spk_live_stream_counts(stream).received, 0);
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    assert_int_equal(spk_live_stream_push(context, stream, 1, time, right, NULL), SPK_ERR_ARGUMENT);
    assert_string_equal(log.text, "[0].");
    spk_live_stream_free(stream);
}

/* Labels and spikes that wait count against the limit, and are given back. */
static void memory_is_limited(void **state)
{
    (void)state;
    enum { LIMIT = 1000000 };
    spk_live_stream *stream = NULL;
    spk_live_stream_options options;
    spk_status status = SPK_OK;
    uint32_t unit = 0;
    spk_context_set_memory_limit(context, LIMIT);
    for (int waits = 0; waits < 2; waits++) {
        spk_live_stream_options_init(&options, sizeof options);
        options.rate = (spk_rate){1000, 1};
        options.tolerance = (spk_duration){1, 6, 0};
        assert_int_equal(spk_live_stream_create(context, &options, &stream), SPK_OK);
        int64_t k = 0;
        for (status = SPK_OK; status == SPK_OK && k < LIMIT; k++) {
            char label[64];
            snprintf(label, sizeof label, "a unit with a name of some length %d",
                     waits ? 0 : (int)k);
            status = spk_live_stream_unit(context, stream, label, &unit);
            if (status == SPK_OK && waits)
                status = spk_live_stream_push(context, stream, 1, &k, &unit, NULL);
        }
        assert_int_equal(status, SPK_ERR_MEMORY);
        assert_true(k > LIMIT / 200);
        assert_non_null(strstr(spk_context_message(context), "over the memory limit of 1.00 MB"));
        spk_live_stream_free(stream);
        assert_int_equal(spk_memory_left(context), LIMIT);
    }
    spk_context_set_memory_limit(context, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_in_order), cmocka_unit_test(hands_on_at_once),
        cmocka_unit_test(settles),       cmocka_unit_test(holds_so_many),
        cmocka_unit_test(borders),       cmocka_unit_test(trials),
        cmocka_unit_test(units),         cmocka_unit_test(sinks),
        cmocka_unit_test(arrivals),      cmocka_unit_test(wrong_options),
        cmocka_unit_test(wrong_spikes),  cmocka_unit_test(memory_is_limited),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
