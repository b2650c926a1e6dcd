/* Streams for tests of partitions. */
#include "support/flow.h"

#include "support/test.h"

static const char *const LABELS[TEST_FLOW_UNITS] = {"10", "b", "9", "a1", "a"};

spk_context *test_flow_context;

int test_flow_setup(void **state)
{
    (void)state;
    spk_status status = spk_context_create(&test_flow_context);
    spk_context_set_threads(test_flow_context, 1);
    return status != SPK_OK;
}

int test_flow_teardown(void **state)
{
    (void)state;
    spk_context_free(test_flow_context);
    test_flow_context = NULL;
    return 0;
}

void test_flow_check(spk_status status)
{
    if (status != SPK_OK)
        print_error("%s: %s\n", spk_status_text(status), spk_context_message(test_flow_context));
    assert_int_equal(status, SPK_OK);
}

void test_flow_clockwork(uint64_t seconds, test_flow *out)
{
    *out = (test_flow){.n = 2 * seconds,
                       .n_units = 2,
                       .rate = {10, 1},
                       .length = {4, 1},
                       .step = {2, 1},
                       .delay = {{0, 0, 0}, {1, 0, 0}},
                       .support = "2"};
    assert_true(out->n <= TEST_FLOW_SPIKES);
    for (uint64_t i = 0; i < out->n; i++) {
        out->time[i] = 5 * (int64_t)i;
        out->unit[i] = (uint32_t)(i % 2);
    }
}

spk_duration test_flow_duration(test_fraction f)
{
    char text[64];
    spk_duration out;
    snprintf(text, sizeof text, "%lld/%llds", (long long)f.up, (long long)f.down);
    test_flow_check(spk_duration_parse(test_flow_context, text, strlen(text), &out));
    return out;
}

spk_live_stream *test_flow_stream(const test_flow *f)
{
    spk_live_stream_options options;
    spk_live_stream_options_init(&options, sizeof options);
    options.rate = f->rate;
    spk_live_stream *stream = NULL;
    test_flow_check(spk_live_stream_create(test_flow_context, &options, &stream));
    for (uint32_t u = 0; u < f->n_units; u++) {
        uint32_t number;
        test_flow_check(spk_live_stream_unit(test_flow_context, stream, LABELS[u], &number));
        assert_int_equal(number, u);
    }
    return stream;
}

spk_episode_options test_flow_episodes(const test_flow *f)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &f->delay;
    options.n_delays = 1;
    options.max_size = 4;
    return options;
}

spk_partitions_options test_flow_partitions(const test_flow *f, const spk_episode_options *episodes)
{
    spk_partitions_options options;
    spk_partitions_options_init(&options, sizeof options);
    options.length = test_flow_duration(f->length);
    options.step = test_flow_duration(f->step);
    options.episodes = episodes;
    options.support_text = f->support;
    return options;
}

/* ---- segments -------------------------------------------------------------------------------- */

bool test_flow_is_border(const test_flow *f, uint64_t i)
{
    for (uint64_t k = 0; k < f->n_borders; k++)
        if (f->border[k] == i)
            return true;
    return false;
}

uint64_t test_flow_segment(const test_flow *f, uint64_t i)
{
    uint64_t k = 0;
    while (k < f->n_borders && f->border[k] <= i)
        k++;
    return k;
}

bool test_flow_goes_back(const test_flow *f, uint64_t i)
{
    uint64_t k = test_flow_segment(f, i);
    if (!test_flow_is_border(f, i))
        return false;
    return f->bounded ? f->bounds[k].start < f->bounds[k - 1].stop : f->time[i] <= f->time[i - 1];
}

static void push_border(const test_flow *f, spk_live_stream *stream, uint64_t segment)
{
    spk_duration start, stop;
    if (f->bounded) {
        assert_true(spk_duration_of_tick(f->bounds[segment].start, f->rate, &start));
        assert_true(spk_duration_of_tick(f->bounds[segment].stop, f->rate, &stop));
        test_flow_check(spk_live_stream_border(test_flow_context, stream, &start, &stop));
    } else if (segment > 0) {
        test_flow_check(spk_live_stream_border(test_flow_context, stream, NULL, NULL));
    }
}

uint64_t test_flow_push(const test_flow *f, spk_live_stream *stream, uint64_t first, uint64_t most)
{
    uint64_t end = first;
    if (first == 0 || test_flow_is_border(f, first))
        push_border(f, stream, test_flow_segment(f, first));
    do
        end++;
    while (end < f->n && end - first < most && !test_flow_is_border(f, end));
    test_flow_check(spk_live_stream_push(test_flow_context, stream, end - first, f->time + first,
                                         f->unit + first, NULL));
    return end;
}

/* ---- the recording --------------------------------------------------------------------------- */

static size_t list_segments(const test_flow *f, uint64_t first, uint64_t last, spk_segment *out)
{
    size_t n = 0;
    for (uint64_t i = first; i < last; i++) {
        if (i > first && !test_flow_is_border(f, i))
            continue;
        if (f->bounded) {
            out[n++] = f->bounds[test_flow_segment(f, i)];
            continue;
        }
        if (n > 0)
            out[n - 1].stop = f->time[i - 1] + 1;
        out[n++] = (spk_segment){i == first ? INT64_MIN / 2 : f->time[i], INT64_MAX / 2};
    }
    return n;
}

spk_recording *test_flow_record(const test_flow *f, uint64_t first, uint64_t last)
{
    static const int64_t least = INT64_MIN / 2, most = INT64_MAX / 2;
    spk_segment segments[TEST_FLOW_BORDERS + 1];
    size_t n_segments = list_segments(f, first, last, segments);
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = last - first;
    source.time = f->time + first;
    source.unit = f->unit + first;
    source.n_units = f->n_units;
    source.labels = LABELS;
    source.rate = f->rate;
    if (n_segments > 1 || f->bounded) {
        source.segments = segments;
        source.n_segments = n_segments;
        source.start = &least;
        source.stop = &most;
    }
    spk_recording *out = NULL;
    test_flow_check(spk_recording_create(test_flow_context, &source, &out));
    return out;
}
