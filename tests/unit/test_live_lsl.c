/*
 * Streams of the Lab Streaming Layer as a live source, with outlets of the real library, and the
 * marks of its sink. The library is looked for as the source does; SPIKEMINE_LSL may name its file,
 * such as that of pylsl.
 */
#include <time.h>

#include "live/library/lsl.h"
#include "support/live.h"
#include "support/test.h"

static const spk_lsl *lsl; /* NULL: not here */

static void *make_outlet(const char *name, const char *type, int format, const char *const *labels)
{
    void *info = lsl->create_streaminfo(name, type, 1, SPK_LSL_IRREGULAR, format, name);
    void *units = labels != NULL ? lsl->append_child(lsl->get_desc(info), "units") : NULL;
    for (size_t k = 0; labels != NULL && labels[k] != NULL; k++)
        lsl->append_child_value(lsl->append_child(units, "unit"), "label", labels[k]);
    void *outlet = lsl->create_outlet(info, 0, 360);
    lsl->destroy_streaminfo(info);
    assert_non_null(outlet);
    return outlet;
}

static void name_stream(char *name, size_t size, const char *what)
{
    snprintf(name, size, "spikemine-%s-%ld", what, (long)getpid());
}

static void open_stream(test_live *live, const char *name)
{
    char address[80];
    snprintf(address, sizeof address, "lsl:%s", name);
    test_live_open(live, address, NULL);
}

static void wait_connected(test_live *live)
{
    for (int k = 0; k < 6 && strncmp(test_live_facts(live).state, "connected", 9) != 0; k++)
        for (int i = 0; i < 100 && strncmp(test_live_facts(live).state, "connected", 9) != 0; i++)
            test_live_poll(live, 20);
    assert_int_equal(live->status, SPK_OK);
    assert_true(strncmp(test_live_facts(live).state, "connected", 9) == 0);
}

/* Every spike once, in order, with its label; the offset of one machine to itself is small. */
static void spikes(void **state)
{
    (void)state;
    static const char *const labels[] = {"left", "right", NULL};
    enum { N = 2000 };
    char name[48];
    test_live live;
    if (lsl == NULL)
        skip();
    name_stream(name, sizeof name, "spikes");
    void *outlet = make_outlet(name, "Spikes", SPK_LSL_INT32, labels);
    open_stream(&live, name);
    wait_connected(&live);
    const double start_s = lsl->local_clock();
    for (int k = 0; k < N; k++) {
        const int32_t unit = k % 4;
        lsl->push_sample_it(outlet, &unit, start_s + k * 1e-4);
    }
    const int32_t below = -1;
    lsl->push_sample_it(outlet, &below, start_s + 1);
    test_live_wait(&live, N);
    for (int k = 0; k < 50 && test_live_facts(&live).garbage == 0; k++)
        test_live_poll(&live, 20);
    assert_int_equal(live.n, N);
    static const char *const wanted[] = {"left", "right", "2", "3"};
    for (size_t k = 0; k < N; k++) {
        assert_string_equal(live.spike[k].label, wanted[k % 4]);
        const double off_s = (double)live.spike[k].time * 1e-9 - (start_s + (double)k * 1e-4);
        assert_true(off_s > -1e-3 && off_s < 1e-3);
        assert_true(k == 0 || live.spike[k].time > live.spike[k - 1].time);
    }
    assert_int_equal(test_live_facts(&live).garbage, 1);
    assert_int_equal(live.borders, 0);
    test_live_close(&live);
    lsl->destroy_outlet(outlet);
}

/* Strings are labels. A stream that ends and comes again is found again. */
static void markers_come_again(void **state)
{
    (void)state;
    char name[48];
    test_live live;
    if (lsl == NULL)
        skip();
    name_stream(name, sizeof name, "markers");
    void *outlet = make_outlet(name, "Markers", SPK_LSL_STRING, NULL);
    open_stream(&live, name);
    wait_connected(&live);
    const char *text = "A-001/2";
    lsl->push_sample_strt(outlet, &text, lsl->local_clock());
    test_live_wait(&live, 1);
    assert_int_equal(live.n, 1);
    assert_string_equal(live.spike[0].label, "A-001/2");
    lsl->destroy_outlet(outlet);
    assert_true(test_live_state(&live, "waiting for spikemine-markers"));
    outlet = make_outlet(name, "Markers", SPK_LSL_STRING, NULL);
    wait_connected(&live);
    text = "b";
    lsl->push_sample_strt(outlet, &text, lsl->local_clock());
    test_live_wait(&live, 2);
    assert_int_equal(live.n, 2);
    assert_true(live.spike[1].time > live.spike[0].time);
    assert_int_equal(test_live_facts(&live).reconnects, 1);
    assert_int_equal(live.borders, 0); /* the clock went on */
    test_live_close(&live);
    lsl->destroy_outlet(outlet);
}

static void unreadable_streams(void **state)
{
    (void)state;
    char name[48];
    test_live live;
    if (lsl == NULL)
        skip();
    name_stream(name, sizeof name, "other");
    void *outlet = make_outlet(name, "EEG", SPK_LSL_INT32, NULL);
    open_stream(&live, name);
    for (int k = 0; k < 500 && live.status == SPK_OK; k++)
        test_live_poll(&live, 20);
    assert_int_equal(live.status, SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(live.context), "Spikes"));
    test_live_close(&live);
    lsl->destroy_outlet(outlet);
}

/* A mark is a marker of its own among those of occurrences: the time marked, and the text. */
static void marks(void **state)
{
    (void)state;
    static const spk_live_mark mark[] = {{0, 40050, "cue \"η\""}, {1, -500, ""}};
    static const char *const wanted[] = {"mark 40.05 cue \"η\"", "mark -0.5"};
    char name[48], address[80];
    test_live live;
    spk_live_stream *stream = NULL;
    spk_live_stream_options options;
    spk_live_emit *emit = NULL;
    if (lsl == NULL)
        skip();
    name_stream(name, sizeof name, "marks");
    snprintf(address, sizeof address, "lsl:%s", name);
    spk_live_stream_options_init(&options, sizeof options);
    options.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_live_stream_create(NULL, &options, &stream), SPK_OK);
    assert_int_equal(spk_live_emit_open(NULL, address, NULL, &emit), SPK_OK);
    spk_live_emit_set_stream(emit, stream);
    open_stream(&live, name);
    wait_connected(&live);
    const double before_s = lsl->local_clock();
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(spk_live_emit_mark(emit, &mark[k]), SPK_OK);
    test_live_wait(&live, 2);
    assert_int_equal(live.n, 2);
    for (size_t k = 0; k < 2; k++) {
        assert_string_equal(live.spike[k].label, wanted[k]);
        const double at_s = (double)live.spike[k].time * 1e-9;
        assert_true(at_s > before_s - 0.1 && at_s < lsl->local_clock() + 0.1);
    }
    assert_int_equal(spk_live_emit_get_facts(emit).unsent, 0);
    spk_live_emit_free(emit);
    test_live_close(&live);
    spk_live_stream_free(stream);
}

static void without_the_library(void **state)
{
    (void)state;
    spk_live_source *source = NULL;
    const char *reason = "";
    assert_int_equal(spk_lsl_available(&reason), lsl != NULL);
    if (lsl != NULL)
        skip();
    assert_non_null(strstr(reason, "install"));
    assert_int_equal(spk_live_source_open(NULL, "lsl:x", NULL, &source), SPK_ERR_UNAVAILABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spikes),
        cmocka_unit_test(markers_come_again),
        cmocka_unit_test(unreadable_streams),
        cmocka_unit_test(marks),
        cmocka_unit_test(without_the_library),
    };
    if (spk_lsl_get(NULL, &lsl) != SPK_OK)
        print_message("no liblsl: install it, or set SPIKEMINE_LSL to that of pylsl\n");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
