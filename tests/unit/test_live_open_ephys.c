/*
 * Open Ephys as a live source: its messages by themselves, and over ZeroMQ from publishers written
 * after the published format, one here and one with pyzmq.
 */
#include <time.h>

#include "live/library/zmq.h"
#include "live/sources/open_ephys_messages.h"
#include "support/live.h"
#include "support/test.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static bool look(const char *text, const char *path, char *out, size_t size)
{
    spk_json_value value;
    return spk_json_look(text, strlen(text), 1, &path, &value) && spk_json_copy(&value, out, size);
}

static void json_values(void **state)
{
    (void)state;
    char out[32];
    static const struct {
        const char *text, *path, *value; /* NULL: not there */
    } cases[] = {
        {"{\"a\":1}", "a", "1"},
        {"{ \"a\" : { \"b\" : \"x\" } , \"b\" : 2 }", "a.b", "x"},
        {"{\"a\":{\"b\":\"x\"},\"b\":2}", "b", "2"},
        {"{\"a\":[1,{\"b\":2},[]],\"b\":true}", "b", "true"},
        {"{\"a\":[{\"b\":2}]}", "a.b", NULL},
        {"{\"a\":\"\\u00e9\\n\\ud83d\\ude00\\\"\"}", "a", "\xc3\xa9\n\xf0\x9f\x98\x80\""},
        {"{\"a\":\"\\ud83d\"}", "a", NULL},
        {"{\"a\":\"\\u0000\"}", "a", NULL},
        {"{\"ab\":1}", "a", NULL},
        {"{}", "a", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(look(cases[k].text, cases[k].path, out, sizeof out),
                         cases[k].value != NULL);
        if (cases[k].value != NULL)
            assert_string_equal(out, cases[k].value);
    }
    static const char *const wrong[] = {
        "",           "[1]",       "{\"a\":1",    "{\"a\" 1}",   "{a:1}",
        "{\"a\":1}x", "{\"a\":,}", "{\"a\":1 2}", "{\"a\":\"x}", "{\"a\":tru}"};
    spk_json_value value;
    const char *path = "a";
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_false(spk_json_look(wrong[k], strlen(wrong[k]), 1, &path, &value));
    char deep[200];
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    assert_false(spk_json_look(deep, sizeof deep, 1, &path, &value));
}

static void json_whole_numbers(void **state)
{
    (void)state;
    long long whole = 0;
    static const struct {
        const char *text;
        bool good;
        long long value;
    } cases[] = {{"123", true, 123},   {"-5", true, -5},  {"30000.0", true, 30000},
                 {"1e3", true, 1000},  {"1.5", false, 0}, {"9223372036854775808", false, 0},
                 {"1e18000", false, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const spk_json_value value = {cases[k].text, strlen(cases[k].text), false};
        assert_int_equal(spk_json_whole(&value, &whole), cases[k].good);
        if (cases[k].good)
            assert_int_equal(whole, cases[k].value);
    }
}

/* ---- messages by themselves ------------------------------------------------------------------ */

typedef struct fed {
    spk_collector collector;
    spk_open_ephys_messages messages;
} fed;

static void fed_begin(fed *f)
{
    memset(f, 0, sizeof *f);
    f->messages.numbered = true;
    assert_int_equal(spk_collector_init(NULL, &f->collector, 100), SPK_OK);
}

static bool feed(fed *f, const char *envelope, const char *header)
{
    spk_status status = SPK_OK;
    const bool taken = spk_open_ephys_take(&f->messages, &f->collector, envelope,
                                           strlen(envelope) + 1, header, strlen(header), &status);
    assert_int_equal(status, SPK_OK);
    return taken;
}

static bool feed_spike(fed *f, long long number, long long sample, const char *stream)
{
    char text[300];
    snprintf(text, sizeof text,
             "{\"message_num\":%lld,\"type\":\"spike\",\"spike\":{\"stream\":\"%s\","
             "\"source_node\":104,\"electrode\":\"E 1\",\"sample_num\":%lld,\"sorted_id\":2}}",
             number, stream, sample);
    return feed(f, "EVENT", text);
}

static const char data_ap[] = "{\"message_num\":1,\"content\":{\"stream\":\"AP\",\"sample_rate\":"
                              "30000.0}}";

static void messages(void **state)
{
    (void)state;
    fed f;
    fed_begin(&f);
    assert_true(feed_spike(&f, 0, 500, "AP"));
    assert_int_equal(f.collector.rate.numerator, 0);
    assert_true(feed(&f, "DATA",
                     "{\"message_num\":1,\"content\":{\"stream\":\"LFP\","
                     "\"sample_rate\":2500}}"));
    assert_int_equal(f.collector.rate.numerator, 0); /* of another stream */
    assert_true(feed(&f, "DATA", data_ap));
    assert_int_equal(f.collector.rate.numerator, 30000);
    f.collector.facts.reconnects = 0;
    assert_true(feed_spike(&f, 5, 510, "AP")); /* 2, 3, 4 are missing */
    assert_int_equal(f.collector.facts.lost, 3);
    assert_int_equal(f.collector.facts.gaps, 1);
    assert_true(feed_spike(&f, 6, 510, "LFP"));   /* another clock */
    assert_int_equal(f.collector.facts.other, 3); /* and two of rates */
    assert_true(feed(&f, "EVENT", "{\"message_num\":7,\"type\":\"event\",\"content\":{}}"));
    assert_true(feed(&f, "EVENT", "no JSON"));
    assert_true(feed(&f, "OTHER", "{}"));
    assert_true(feed(&f, "EVENT", "{\"message_num\":8,\"type\":\"spike\",\"spike\":{}}"));
    assert_int_equal(f.collector.facts.garbage, 3);
    assert_int_equal(f.collector.n, 2);
    assert_string_equal(spk_labels_text(&f.collector.labels, 0), "104/E 1/2");
    assert_int_equal(f.collector.time[1], 510);
    spk_collector_clear(&f.collector);
}

/* Ticks cannot change their length. */
static void rate_must_stay(void **state)
{
    (void)state;
    fed f;
    fed_begin(&f);
    spk_status status = SPK_OK;
    const char *other = "{\"message_num\":2,\"content\":{\"stream\":\"AP\",\"sample_rate\":20000}}";
    assert_true(feed_spike(&f, 0, 500, "AP"));
    assert_true(feed(&f, "DATA", data_ap));
    assert_true(
        spk_open_ephys_take(&f.messages, &f.collector, "DATA", 5, other, strlen(other), &status));
    assert_int_equal(status, SPK_ERR_FORMAT);
    assert_int_equal(f.collector.rate.numerator, 30000);
    spk_collector_clear(&f.collector);
}

/* Acquisition began anew: its samples are counted from 0 again. */
static void restart_is_a_border(void **state)
{
    (void)state;
    fed f;
    fed_begin(&f);
    assert_true(feed_spike(&f, 0, 5000000, "AP"));
    assert_true(feed(&f, "DATA", data_ap));
    assert_true(feed_spike(&f, 2, 4999000, "AP")); /* late by less than a second */
    assert_false(feed_spike(&f, 3, 100, "AP"));    /* what came before goes first */
    assert_int_equal(f.collector.n, 2);
    f.collector.n = 0;
    assert_true(feed_spike(&f, 3, 100, "AP"));
    assert_true(f.collector.head.border);
    assert_int_equal(f.collector.n, 1);
    assert_int_equal(f.collector.facts.restarts, 1);
    assert_int_equal(f.collector.facts.lost, 0);
    spk_collector_clear(&f.collector);
}

/* Without a sample rate spikes are held back, and those beyond are counted. */
static void bounded_without_a_rate(void **state)
{
    (void)state;
    fed f;
    fed_begin(&f);
    for (long long k = 0; k < SPK_COLLECTOR_SPIKES + 10; k++)
        assert_true(feed_spike(&f, k, k, "AP"));
    assert_int_equal(f.collector.n, SPK_COLLECTOR_SPIKES);
    assert_int_equal(f.collector.facts.lost, 10);
    assert_int_equal(f.collector.facts.unrated, 10);
    assert_int_equal(f.collector.facts.messages, SPK_COLLECTOR_SPIKES + 10);
    spk_collector_clear(&f.collector);
}

/* ---- over ZeroMQ ----------------------------------------------------------------------------- */

typedef struct rig {
    const spk_zmq *zmq;
    void *context, *publisher, *heart;
    int port;
    long long number;
} rig;

static bool rig_begin(rig *r)
{
    *r = (rig){.number = 0};
    if (spk_zmq_get(NULL, &r->zmq) != SPK_OK)
        return false;
    char endpoint[40];
    const int many = 0;
    r->context = r->zmq->ctx_new();
    for (r->port = 21000 + (int)(getpid() % 1000) * 2; r->port < 60000; r->port += 2) {
        r->publisher = r->zmq->socket(r->context, SPK_ZMQ_PUB);
        r->heart = r->zmq->socket(r->context, SPK_ZMQ_REP);
        r->zmq->setsockopt(r->publisher, SPK_ZMQ_SNDHWM, &many, sizeof many);
        snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%d", r->port);
        const bool first = r->zmq->bind(r->publisher, endpoint) == 0;
        snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%d", r->port + 1);
        if (first && r->zmq->bind(r->heart, endpoint) == 0)
            return true;
        r->zmq->close(r->publisher);
        r->zmq->close(r->heart);
    }
    fail_msg("no two neighbouring ports are free");
    return false;
}

static void rig_end(rig *r)
{
    const int none = 0;
    r->zmq->setsockopt(r->publisher, SPK_ZMQ_LINGER, &none, sizeof none);
    r->zmq->setsockopt(r->heart, SPK_ZMQ_LINGER, &none, sizeof none);
    r->zmq->close(r->publisher);
    r->zmq->close(r->heart);
    r->zmq->ctx_term(r->context);
}

static void rig_send(rig *r, const char *envelope, const char *header)
{
    static const float waveform[40];
    r->zmq->send(r->publisher, envelope, strlen(envelope) + 1, SPK_ZMQ_SNDMORE);
    r->zmq->send(r->publisher, header, strlen(header), SPK_ZMQ_SNDMORE);
    assert_true(r->zmq->send(r->publisher, waveform, sizeof waveform, 0) >= 0);
}

static void rig_spike(rig *r, long long sample)
{
    char text[300];
    snprintf(text, sizeof text,
             "{\"message_num\":%lld,\"type\":\"spike\",\"spike\":{\"stream\":\"AP\","
             "\"source_node\":1,\"electrode\":\"T\",\"sample_num\":%lld,\"sorted_id\":0}}",
             r->number++, sample);
    rig_send(r, "EVENT", text);
}

static void rig_rate(rig *r)
{
    char text[200];
    snprintf(text, sizeof text,
             "{\"message_num\":%lld,\"content\":{\"stream\":\"AP\",\"sample_rate\":25000}}",
             r->number++);
    rig_send(r, "DATA", text);
}

/* Whether a heartbeat came; it is answered. */
static bool hear_beat(rig *r)
{
    spk_zmq_message beat;
    r->zmq->msg_init(&beat);
    const bool came = r->zmq->msg_recv(&beat, r->heart, SPK_ZMQ_DONTWAIT) >= 0;
    if (came) {
        assert_true(strncmp(r->zmq->msg_data(&beat), "{\"application\":\"spikemine\"", 26) == 0);
        r->zmq->send(r->heart, "ok", 2, 0);
    }
    r->zmq->msg_close(&beat);
    return came;
}

/* Answers heartbeats until the subscription is there: something sent has come in. */
static void meet(rig *r, test_live *live)
{
    bool beaten = false;
    for (int k = 0; k < 500 && !(beaten && test_live_facts(live).messages > 0); k++) {
        beaten |= hear_beat(r);
        rig_rate(r);
        test_live_poll(live, 10);
    }
    assert_true(beaten);
    for (int k = 0; k < 10; k++)
        test_live_poll(live, 1);
}

static void over_zmq(void **state)
{
    (void)state;
    rig r;
    test_live live;
    char address[64];
    if (!rig_begin(&r))
        skip();
    snprintf(address, sizeof address, "open-ephys://127.0.0.1:%d", r.port);
    test_live_open(&live, address, NULL);
    assert_true(strncmp(test_live_facts(&live).state, "waiting for 127.0.0.1:", 22) == 0);
    meet(&r, &live);
    assert_true(strncmp(test_live_facts(&live).state, "connected to", 12) == 0);
    rig_spike(&r, 90);
    test_live_poll(&live, 50);
    assert_int_equal(live.n, 0); /* held back: the stream is known now, its rate comes */
    rig_rate(&r);
    test_live_wait(&live, 1);
    assert_int_equal(spk_live_source_rate(live.source).numerator, 25000);
    for (long long k = 0; k < 1000; k++)
        rig_spike(&r, 100 + k * 10);
    test_live_wait(&live, 1001);
    assert_int_equal(live.n, 1001);
    for (size_t k = 1; k < live.n; k++)
        assert_int_equal(live.spike[k].time, 90 + (int64_t)k * 10);
    assert_string_equal(live.spike[5].label, "1/T/0");
    assert_int_equal(live.lost, 0);
    r.number += 7;
    rig_spike(&r, 50);
    test_live_wait(&live, 1002);
    assert_int_equal(live.lost, 7);
    assert_int_equal(live.borders, 0); /* not more than a second back */
    r.number = 0;
    rig_spike(&r, 60000); /* a publisher that began anew */
    rig_spike(&r, 0);     /* and its acquisition */
    test_live_wait(&live, 1004);
    assert_int_equal(live.borders, 1);
    assert_int_equal(live.spike[1003].segment, 1);
    assert_int_equal(test_live_facts(&live).reconnects, 1);
    assert_int_equal(test_live_facts(&live).restarts, 1);
    test_live_close(&live);
    rig_end(&r);
}

/* Spikes whose sample rate never comes: they wait, and are lost at the end, each counted. */
static void without_a_rate(void **state)
{
    (void)state;
    rig r;
    test_live live;
    char address[64];
    enum { N = 1000 };
    spk_live_source_options options;
    spk_live_source_options_init(&options, sizeof options);
    options.reconnect = false;
    if (!rig_begin(&r))
        skip();
    snprintf(address, sizeof address, "open-ephys://127.0.0.1:%d", r.port);
    test_live_open(&live, address, &options);
    for (int k = 0; k < 500 && test_live_facts(&live).messages == 0; k++) {
        hear_beat(&r);
        rig_send(&r, "EVENT", "{\"type\":\"event\"}");
        test_live_poll(&live, 10);
    }
    for (long long k = 0; k < N; k++)
        rig_spike(&r, k);
    rig_send(&r, "EVENT", "no JSON");
    r.zmq->send(r.publisher, "EVENT", 5, 0); /* one frame */
    for (int k = 0; k < 500 && test_live_facts(&live).garbage < 2; k++)
        test_live_poll(&live, 10);
    assert_int_equal(live.n, 0);
    assert_int_equal(live.lost, 0);
    assert_int_equal(test_live_facts(&live).held, N);
    assert_int_equal(test_live_facts(&live).garbage, 2);
    test_live_close(&live);
    rig_end(&r);
}

/* A session that ends before the sample rate came tells all of them as lost. */
static void session_without_a_rate(void **state)
{
    (void)state;
    rig r;
    char address[64];
    enum { N = 500 };
    spk_context *context;
    spk_live_session *session;
    spk_live_session_options options;
    spk_live_session_facts facts;
    bool ended = false;
    spk_live_session_options_init(&options, sizeof options);
    if (!rig_begin(&r))
        skip();
    snprintf(address, sizeof address, "open-ephys://127.0.0.1:%d", r.port);
    options.source = address;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(spk_live_session_create(context, &options, &session), SPK_OK);
    memset(&facts, 0, sizeof facts);
    for (int k = 0; k < 500 && facts.source.messages == 0; k++) {
        hear_beat(&r);
        rig_send(&r, "EVENT", "{\"type\":\"event\"}");
        assert_int_equal(spk_live_session_step(session, 10, &ended), SPK_OK);
        spk_live_session_get_facts(session, &facts);
    }
    for (long long k = 0; k < N; k++)
        rig_spike(&r, k);
    for (int k = 0; k < 500 && facts.source.held < N; k++) {
        assert_int_equal(spk_live_session_step(session, 10, &ended), SPK_OK);
        spk_live_session_get_facts(session, &facts);
    }
    assert_int_equal(facts.counts.lost, 0);
    assert_int_equal(spk_live_session_end(session), SPK_OK);
    spk_live_session_get_facts(session, &facts);
    assert_int_equal(facts.counts.lost, N);
    assert_int_equal(facts.counts.received, 0);
    spk_live_session_free(session);
    spk_context_free(context);
    rig_end(&r);
}

/* A publisher that is faster than we are: what ZeroMQ drops is seen by the numbers. */
static void flood(void **state)
{
    (void)state;
    rig r;
    test_live live;
    char address[64];
    spk_live_source_options options;
    spk_live_source_options_init(&options, sizeof options);
    options.sample_rate = (spk_rate){30000, 1};
    if (!rig_begin(&r))
        skip();
    snprintf(address, sizeof address, "open-ephys://127.0.0.1:%d", r.port);
    test_live_open(&live, address, &options);
    meet(&r, &live);
    const long long n = 60000;
    for (long long k = 0; k < n; k++)
        rig_spike(&r, k);
    for (int k = 0; k < 200 && live.n + live.lost < (size_t)n; k++) {
        test_live_poll(&live, 10);
        if (k % 20 == 19)
            rig_spike(&r, n); /* a gap is seen by what follows it */
    }
    assert_true(live.n + live.lost >= (size_t)n);
    assert_true(live.n > 0);
    assert_int_equal(live.lost, test_live_facts(&live).lost);
    bool beaten = false; /* heartbeats go on while messages never cease */
    for (int k = 0; k < 2500 && !beaten; k++) {
        rig_spike(&r, n + k);
        rig_spike(&r, n + k);
        test_live_poll(&live, 0);
        const struct timespec rest = {0, 1000000};
        nanosleep(&rest, NULL);
        beaten = hear_beat(&r);
    }
    assert_true(beaten);
    test_live_close(&live);
    rig_end(&r);
}

/* A Python that has pyzmq; NULL: none. */
static const char *python_with_zmq(void)
{
    static const char *const names[] = {"python3", "/usr/bin/python3"};
    char command[80];
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        snprintf(command, sizeof command, "%s -c 'import zmq' 2>/dev/null", names[k]);
        if (system(command) == 0)
            return names[k];
    }
    return NULL;
}

/* A real publisher: pyzmq. */
static void from_pyzmq(void **state)
{
    (void)state;
    enum { N = 1000 };
    int in[2], out[2];
    test_live live;
    char address[64];
    char count[16];
    const char *reason = NULL;
    const char *python = spk_zmq_available(&reason) ? python_with_zmq() : NULL;
    if (python == NULL) {
        print_message("no libzmq, or no Python with pyzmq: install libzmq5 and python3-zmq\n");
        skip();
    }
    snprintf(count, sizeof count, "%d", N);
    assert_true(pipe(in) == 0 && pipe(out) == 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        execlp(python, python, SPK_SOURCE_DIR "/tests/live/open_ephys.py", count, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    FILE *words = fdopen(out[0], "r");
    int port = 0, sent = 0;
    assert_int_equal(fscanf(words, "%d", &port), 1);
    snprintf(address, sizeof address, "open-ephys://127.0.0.1:%d", port);
    test_live_open(&live, address, NULL);
    /* 1100 messages and the event are numbered, every 50th was not sent. */
    const size_t missing = (N + N / 10 + 1) / 50;
    test_live_wait(&live, 1); /* it has begun */
    assert_int_equal(fscanf(words, "%d", &sent), 1);
    for (int k = 0; k < 400 && test_live_facts(&live).messages < (size_t)sent - missing; k++)
        test_live_poll(&live, 20);
    assert_int_equal(live.lost, missing);
    assert_int_equal(test_live_facts(&live).messages, (size_t)sent - missing);
    assert_int_equal(spk_live_source_rate(live.source).numerator, 30000);
    for (size_t k = 0; k < live.n; k++) {
        char label[48];
        const int number = (int)(live.spike[k].time / 100);
        snprintf(label, sizeof label, "104/E%d/%d", number % 7, number % 3);
        assert_string_equal(live.spike[k].label, label);
        assert_true(k == 0 || live.spike[k].time > live.spike[k - 1].time);
    }
    assert_true(live.n >= N - missing);
    test_live_close(&live);
    fclose(words);
    close(in[1]);
}

static void needs_a_rate(void **state)
{
    (void)state;
    spk_live_source *source = NULL;
    spk_live_source_options options;
    spk_live_source_options_init(&options, sizeof options);
    options.events_only = true;
    const char *reason = NULL;
    assert_int_equal(spk_live_source_open(NULL, "open-ephys://127.0.0.1", &options, &source),
                     spk_zmq_available(&reason) ? SPK_ERR_ARGUMENT : SPK_ERR_UNAVAILABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_values),
        cmocka_unit_test(json_whole_numbers),
        cmocka_unit_test(messages),
        cmocka_unit_test(rate_must_stay),
        cmocka_unit_test(restart_is_a_border),
        cmocka_unit_test(bounded_without_a_rate),
        cmocka_unit_test(over_zmq),
        cmocka_unit_test(without_a_rate),
        cmocka_unit_test(session_without_a_rate),
        cmocka_unit_test(flood),
        cmocka_unit_test(from_pyzmq),
        cmocka_unit_test(needs_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
