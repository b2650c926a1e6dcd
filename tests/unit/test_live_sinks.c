/* Sinks, latencies and the recorder of live sessions. */
#include <time.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/stage.h"
#include "live/sinks/line.h"
#include "live/sinks/sink.h"
#include "support/context.h"

/* ---- latencies ------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The quantiles of random times of all sizes, against those of the sorted times. */
static void quantiles(void **state)
{
    (void)state;
    static const double share[] = {0, 0.001, 0.5, 0.9, 0.99, 0.999, 1};
    enum { MOST = 3000 };
    static int64_t time[MOST];
    static spk_live_latency latency;
    const uint64_t seed = test_seed("quantiles");
    for (uint64_t k = 0; k < test_scaled(100); k++) {
        test_random random = test_random_make(seed, k);
        const uint64_t n = 1 + test_random_below(&random, MOST);
        memset(&latency, 0, sizeof latency);
        assert_int_equal(spk_live_latency_quantile(&latency, 0.5), 0);
        for (uint64_t i = 0; i < n; i++) {
            time[i] = test_random_between(&random, 0, INT64_MAX) >> test_random_below(&random, 63);
            spk_live_latency_add(&latency, time[i]);
        }
        qsort(time, n, sizeof *time, compare_times);
        assert_int_equal(latency.n, n);
        assert_int_equal(latency.most, time[n - 1]);
        for (size_t q = 0; q < sizeof share / sizeof share[0]; q++) {
            uint64_t rank = 1; /* the least with rank / n >= share */
            while ((double)rank < share[q] * (double)n)
                rank++;
            const double right = (double)time[rank - 1];
            const double got = (double)spk_live_latency_quantile(&latency, share[q]);
            assert_true(got >= right * 0.99 && got <= right * 1.01);
        }
    }
    spk_live_latency_add(&latency, -5);
    assert_int_equal(spk_live_latency_quantile(&latency, 0), 0);
}

/* ---- lines and addresses --------------------------------------------------------------------- */

static void lines(void **state)
{
    (void)state;
    live_line line = {.context = context};
    live_line_put_string(&line, "a\"b\\c\n\x01\xc3\xa4\xff");
    live_line_put_time(&line, 1500, (spk_rate){1000, 1});
    live_line_put(&line, " ");
    live_line_put_time(&line, -1, (spk_rate){1000000000, 1});
    live_line_put(&line, " ");
    live_line_put_time(&line, INT64_MAX, (spk_rate){1000000000, 1});
    live_line_put(&line, " ");
    live_line_put_time(&line, 3, (spk_rate){30000, 1});
    live_line_put(&line, " ");
    live_line_put_time(&line, 0, (spk_rate){1, 1});
    live_line_put(&line, " ");
    live_line_put_decimal(&line, 12.50, 1);
    live_line_put(&line, " ");
    live_line_put_decimal(&line, -0.04, 1);
    live_line_put(&line, " ");
    live_line_put_decimal(&line, 1e300, 1);
    live_line_put_bytes(&line, "", 1);
    assert_int_equal(line.status, SPK_OK);
    assert_string_equal(line.text, "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa4\xef\xbf\xbd\""
                                   "1.5 -0.000000001 9223372036.854775807 0.0001 0 12.5 0 null");
    live_line_clear(&line);
}

static void addresses(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",        "0",     "65536", "x",
                                        "1.2.3.4", "a:",    ":7",    "::1:7",
                                        "a:7x",    "[::1]", "a:b:7", "99999999999999999999"};
    live_address address;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_false(live_address_parse(wrong[k], "127.0.0.1", NULL, &address));
    assert_true(live_address_parse("7000", "127.0.0.1", NULL, &address));
    assert_string_equal(address.host, "127.0.0.1");
    assert_string_equal(address.port, "7000");
    assert_true(live_address_parse("[::1]:7000", "127.0.0.1", NULL, &address));
    assert_string_equal(address.host, "::1");
    assert_true(live_address_parse("rig", NULL, "5556", &address));
    assert_string_equal(address.host, "rig");
    assert_int_equal(address.number, 5556);
}

/* ---- sinks ----------------------------------------------------------------------------------- */

static spk_live_stream *make_stream(spk_rate rate, spk_duration tolerance)
{
    spk_live_stream_options options;
    spk_live_stream *stream = NULL;
    spk_live_stream_options_init(&options, sizeof options);
    options.rate = rate;
    options.tolerance = tolerance;
    assert_int_equal(spk_live_stream_create(context, &options, &stream), SPK_OK);
    return stream;
}

/* One with the units A and B. */
static spk_live_stream *make_stream_of_two(void)
{
    uint32_t unit = 0;
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    assert_int_equal(spk_live_stream_unit(context, stream, "A", &unit), SPK_OK);
    assert_int_equal(spk_live_stream_unit(context, stream, "B", &unit), SPK_OK);
    return stream;
}

/* A port that nobody listens at, as far as one can know. */
static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(descriptor, (struct sockaddr *)&address, &size), 0);
    close(descriptor);
    return ntohs(address.sin_port);
}

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return descriptor;
}

static void nap(void)
{
    const struct timespec time = {.tv_nsec = 3000000};
    nanosleep(&time, NULL);
}

static void emit_some(spk_live_emit *emit, uint64_t from, uint64_t n)
{
    static const uint32_t unit[] = {0, 1};
    for (uint64_t k = from; k < from + n; k++) {
        const int64_t time[] = {(int64_t)k * 10, (int64_t)k * 10 + 5};
        const spk_live_occurrence occurrence = {
            .size = 2, .unit = unit, .time = time, .name = "A (0,10ms] \"b c\"", .count = k + 1};
        assert_int_equal(spk_live_emit_occurrence(emit, &occurrence), SPK_OK);
    }
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
}

/* Everything that a client gets until the server closes. */
static char *read_all(int descriptor, size_t *n)
{
    char *text = malloc(64 << 20);
    ssize_t got;
    *n = 0;
    while ((got = read(descriptor, text + *n, ((size_t)64 << 20) - *n - 1)) > 0)
        *n += (size_t)got;
    text[*n] = '\0';
    close(descriptor);
    return text;
}

static spk_live_emit *open_tcp(int *port, uint64_t client_bytes, const spk_live_stream *stream)
{
    char address[32];
    spk_live_emit *emit = NULL;
    spk_live_emit_options options;
    spk_live_emit_options_init(&options, sizeof options);
    options.client_bytes = client_bytes;
    *port = free_port();
    snprintf(address, sizeof address, "tcp:%d", *port);
    assert_int_equal(spk_live_emit_open(context, address, &options, &emit), SPK_OK);
    spk_live_emit_set_stream(emit, stream);
    return emit;
}

typedef struct client_text {
    int descriptor;
    char *text;
} client_text;

static void *read_client(void *user)
{
    client_text *c = user;
    size_t n = 0;
    c->text = read_all(c->descriptor, &n);
    return NULL;
}

/* The greeting, then n lines as emit_some sends them. A sanitizer reads a string to its end each
 * time that a function for strings gets it. */
static void check_lines(const char *text, uint64_t n)
{
    static const char hello[] = "{\"type\":\"hello\",\"format\":1}\n";
    const char *const end = text + strlen(text);
    char expected[256];
    assert_memory_equal(text, hello, strlen(hello));
    text += strlen(hello);
    for (uint64_t k = 0; k < n; k++) {
        snprintf(expected, sizeof expected,
                 "{\"type\":\"episode\",\"item\":0,\"episode\":\"A (0,10ms] \\\"b c\\\"\","
                 "\"units\":[\"A\",\"b c\"],\"times_s\":[%.10g,%.10g],\"count\":%d,"
                 "\"segment\":1,\"trial\":1,\"latency_us\":",
                 (double)k / 100, (double)k / 100 + 0.005, (int)k + 1);
        assert_true((size_t)(end - text) > strlen(expected));
        assert_memory_equal(text, expected, strlen(expected));
        text = memchr(text, '\n', (size_t)(end - text));
        assert_non_null(text++);
    }
    assert_ptr_equal(text, end);
}

/* Two clients get every line from the first one after they came; one that reads nothing is dropped
 * and delays nobody. */
static void clients(void **state)
{
    (void)state;
    enum { N = 40000 };
    int port = 0;
    uint32_t unit = 0;
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    assert_int_equal(spk_live_stream_unit(context, stream, "A", &unit), SPK_OK);
    assert_int_equal(spk_live_stream_unit(context, stream, "b c", &unit), SPK_OK);
    spk_live_emit *emit = open_tcp(&port, 64 << 20, stream);
    int slow = connect_to(port), quick = connect_to(port);
    nap();
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    assert_int_equal(spk_live_emit_get_facts(emit).clients, 2);
    emit_some(emit, 0, N);
    spk_live_emit_facts facts = spk_live_emit_get_facts(emit);
    assert_int_equal(facts.occurrences, N);
    assert_int_equal(facts.dropped, 0);
    assert_int_equal(spk_live_emit_latency(emit)->n, N);
    pthread_t reader; /* reads while the server drains */
    client_text got = {.descriptor = quick};
    assert_int_equal(pthread_create(&reader, NULL, read_client, &got), 0);
    spk_live_emit_free(emit); /* gives them a second */
    assert_int_equal(pthread_join(reader, NULL), 0);
    check_lines(got.text, N);
    free(got.text);
    close(slow);
    spk_live_stream_free(stream);
}

/* Whether the server has closed a connection whose greeting was read. */
static bool is_closed(int descriptor)
{
    char byte;
    return recv(descriptor, &byte, 1, MSG_DONTWAIT) == 0;
}

/* Clients that only hold a place keep nobody out, and a flood ends nobody of those who came first.
 */
static void clients_make_room(void **state)
{
    (void)state;
    enum { PLACES = 64, MORE = 100 };
    int client[PLACES + MORE], port = 0;
    char greeting[64];
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    spk_live_emit *emit = open_tcp(&port, 100000, stream);
    for (int k = 0; k < PLACES + MORE; k++) {
        client[k] = connect_to(port);
        for (int tries = 0; recv(client[k], greeting, sizeof greeting, MSG_DONTWAIT) < 20;
             tries++) {
            assert_true(tries < 1000);
            nap();
            assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
        }
    }
    spk_live_emit_facts facts = spk_live_emit_get_facts(emit);
    assert_int_equal(facts.clients, PLACES);
    assert_int_equal(facts.served, PLACES + MORE);
    assert_int_equal(facts.dropped, MORE);
    for (int k = 0; k < PLACES + MORE; k++) {
        assert_int_equal(is_closed(client[k]), k >= PLACES / 2 && k < PLACES / 2 + MORE);
        close(client[k]);
    }
    spk_live_emit_free(emit);
    spk_live_stream_free(stream);
}

/* What is kept for clients counts against the memory limit; one for whom nothing is left goes. */
static void clients_keep_to_the_limit(void **state)
{
    (void)state;
    int port = 0;
    spk_live_stream *stream = make_stream_of_two();
    spk_live_emit *emit = open_tcp(&port, 1 << 30, stream);
    int slow = connect_to(port);
    nap();
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    spk_context_set_memory_limit(context, 4000000);
    const uint64_t left = spk_memory_left(context);
    for (uint64_t k = 0; k < 300 && spk_live_emit_get_facts(emit).dropped == 0; k++)
        emit_some(emit, k * 1000, 1000);
    assert_int_equal(spk_live_emit_get_facts(emit).dropped, 1);
    assert_true(left - spk_memory_left(context) < 200000); /* the lines in the making */
    spk_context_set_memory_limit(context, 0);
    close(slow);
    spk_live_emit_free(emit);
    spk_live_stream_free(stream);
}

static void slow_client(void **state)
{
    (void)state;
    int port = 0;
    spk_live_stream *stream = make_stream_of_two();
    spk_live_emit *emit = open_tcp(&port, 100000, stream);
    int slow = connect_to(port), gone = connect_to(port);
    nap();
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    close(gone);
    for (uint64_t k = 0; k < 200; k++)
        emit_some(emit, k * 1000, 1000);
    spk_live_emit_facts facts = spk_live_emit_get_facts(emit);
    assert_int_equal(facts.served, 2);
    assert_int_equal(facts.clients, 0);
    assert_int_equal(facts.dropped, 1); /* who has gone was not slow */
    size_t n = 0;
    char *text = read_all(slow, &n);
    assert_true(n > 0 && n < 200000 * 100u);
    free(text);
    spk_live_emit_free(emit);
    spk_live_stream_free(stream);
}

/* Partitions go to sinks that take lines; a skipped one has no episodes. */
static void partition_line(void **state)
{
    (void)state;
    int port = 0;
    size_t n = 0;
    const spk_partition_result skipped = {.number = 3,
                                          .slice = {3000, 9000},
                                          .n_events = 7,
                                          .state = SPK_PARTITION_SKIPPED,
                                          .why = "4 partitions wait",
                                          .lag_s = 0.25,
                                          .skipped = 2};
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    spk_live_emit *emit = open_tcp(&port, 100000, stream);
    int client = connect_to(port);
    nap();
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    assert_int_equal(spk_live_emit_partition(emit, &skipped), SPK_OK);
    spk_live_emit_free(emit);
    char *text = read_all(client, &n);
    assert_string_equal(text, "{\"type\":\"hello\",\"format\":1}\n"
                              "{\"type\":\"partition\",\"number\":3,\"series\":1,\"start_s\":3,"
                              "\"stop_s\":9,\"state\":\"skipped\",\"why\":\"4 partitions wait\","
                              "\"events\":7,\"lag_s\":0.25,\"skipped\":2}\n");
    free(text);
    spk_live_stream_free(stream);
}

/* A mark is a line, too; its text is escaped. */
static void mark_line(void **state)
{
    (void)state;
    int port = 0;
    size_t n = 0;
    const spk_live_mark mark = {2, 40050, "cue \"η\"", 6};
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    spk_live_emit *emit = open_tcp(&port, 100000, stream);
    int client = connect_to(port);
    nap();
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    assert_int_equal(spk_live_emit_mark(emit, &mark), SPK_OK);
    spk_live_emit_free(emit);
    char *text = read_all(client, &n);
    assert_string_equal(text, "{\"type\":\"hello\",\"format\":1}\n"
                              "{\"type\":\"mark\",\"time_s\":40.05,\"segment\":3,"
                              "\"trial\":7,\"text\":\"cue \\\"η\\\"\"}\n");
    free(text);
    spk_live_stream_free(stream);
}

/* Choices are lines; before the first spike of a segment there is no time. */
static void choice_lines(void **state)
{
    (void)state;
    int port = 0;
    size_t n = 0;
    const spk_live_choice choice[] = {
        {true,
         1,
         "A (0,5ms] \"B C\"",
         {.spikes = 12, .segment = 2, .has_time = true, .time = 40050}},
        {false, 1, "A (0,5ms] \"B C\"", {.spikes = 12, .segment = 3, .trial = 6}}};
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    spk_live_emit *emit = open_tcp(&port, 100000, stream);
    int client = connect_to(port);
    nap();
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(spk_live_emit_choice(emit, &choice[k]), SPK_OK);
    spk_live_emit_free(emit);
    char *text = read_all(client, &n);
    assert_string_equal(
        text, "{\"type\":\"hello\",\"format\":1}\n"
              "{\"type\":\"watch\",\"state\":\"begun\",\"item\":1,"
              "\"episode\":\"A (0,5ms] \\\"B C\\\"\",\"spikes\":12,\"segment\":3,\"trial\":1,"
              "\"after_s\":40.05}\n"
              "{\"type\":\"watch\",\"state\":\"ended\",\"item\":1,"
              "\"episode\":\"A (0,5ms] \\\"B C\\\"\",\"spikes\":12,\"segment\":4,\"trial\":7,"
              "\"after_s\":null}\n");
    free(text);
    spk_live_stream_free(stream);
}

/* The lines of Open Ephys are those of the list: of two occurrences for a rig that is not there one
 * is left. */
static void choices_drive_nothing(void **state)
{
    (void)state;
    const uint32_t unit = 0;
    const int64_t time = 5;
    const spk_live_choice choice = {.begins = true, .item = 1, .name = "B"};
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    spk_live_emit *emit = NULL;
    const spk_status status = spk_live_emit_open(context, "open-ephys:127.0.0.1:1", NULL, &emit);
    if (status == SPK_OK) {
        spk_live_emit_set_stream(emit, stream);
        assert_int_equal(spk_live_emit_choice(emit, &choice), SPK_OK);
        for (uint64_t item = 0; item < 2; item++) {
            const spk_live_occurrence o = {
                .item = item, .size = 1, .unit = &unit, .time = &time, .name = "B", .count = 1};
            assert_int_equal(spk_live_emit_occurrence(emit, &o), SPK_OK);
        }
        assert_int_equal(spk_live_emit_drain(emit), SPK_OK);
        assert_int_equal(spk_live_emit_get_facts(emit).unsent, 1);
    } else {
        assert_int_equal(status, SPK_ERR_UNAVAILABLE); /* no ZeroMQ */
    }
    spk_live_emit_free(emit);
    spk_live_stream_free(stream);
}

/* The counts of the whole stream and of a window, against those of the few spikes. */
static void counts_line(void **state)
{
    (void)state;
    static const int64_t time[] = {0, 1, 1000, 1001, 2000};
    int port = 0;
    size_t n = 0;
    spk_live_watch_options options;
    spk_live_watch *watch[2];
    spk_recording *labels = NULL;
    spk_episode_list *list = NULL;
    uint32_t unit[2];
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    static const char *const names[] = {"a", "b"};
    static const spk_delay delay = {{0, 0, 0}, {5, -3, 0}};
    static const uint32_t both[][2] = {{0, 1}, {1, 0}};
    assert_int_equal(test_recording_create(context, 0, NULL, NULL, 2, names, (spk_rate){1000, 1},
                                           NULL, NULL, &labels),
                     SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(spk_episode_list_append(context, list, 2, both[k], &delay), SPK_OK);
    const spk_episode_columns episodes = spk_episode_list_columns(list);
    spk_live_watch_options_init(&options, sizeof options);
    for (int k = 0; k < 2; k++) {
        options.window = (spk_duration){15 * k, -1, 0}; /* none, then 1.5 s */
        assert_int_equal(spk_live_watch_create(context, stream, &options, &watch[k]), SPK_OK);
        assert_int_equal(spk_live_watch_has_window(watch[k]), k == 1);
        assert_int_equal(spk_live_watch_add_episodes(context, watch[k], labels, &episodes), SPK_OK);
    }
    spk_live_emit *emit = open_tcp(&port, 100000, stream);
    int client = connect_to(port);
    nap();
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    assert_int_equal(spk_live_stream_unit(context, stream, "a", &unit[0]), SPK_OK);
    assert_int_equal(spk_live_stream_unit(context, stream, "b", &unit[1]), SPK_OK);
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(spk_live_stream_push(context, stream, 1, &time[k], &unit[k % 2], NULL),
                         SPK_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(spk_live_emit_counts(emit, watch[k]), SPK_OK);
    assert_int_equal(spk_live_emit_drain(emit), SPK_OK);
    assert_int_equal(spk_live_emit_drain(emit), SPK_OK); /* nothing is left to do */
    assert_int_equal(spk_live_emit_get_facts(emit).dropped, 0);
    spk_live_emit_free(emit);
    char *got = read_all(client, &n);
    assert_string_equal(got, "{\"type\":\"hello\",\"format\":1}\n"
                             "{\"type\":\"counts\",\"spikes\":5,\"episode_counts\":[2,0],"
                             "\"pattern_counts\":[]}\n"
                             "{\"type\":\"counts\",\"spikes\":5,\"episode_counts\":[2,0],"
                             "\"pattern_counts\":[],\"recent_episode_counts\":[1,0],"
                             "\"recent_pattern_counts\":[]}\n");
    free(got);
    for (int k = 0; k < 2; k++)
        spk_live_watch_free(watch[k]);
    spk_episode_list_free(list);
    spk_recording_free(labels);
    spk_live_stream_free(stream);
}

static void sink_errors(void **state)
{
    (void)state;
    static const char *const wrong[] = {"tcp",           "tcp:",  "tcp:x",     "udp:7",
                                        "stdout:1",      "lsl:",  ",stdout",   "stdout,",
                                        "stdout,stdout", "zmq:0", "open-ephys"};
    char address[32];
    int port = 0;
    spk_live_emit *emit = NULL, *second = NULL;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(spk_live_emit_open(context, wrong[k], NULL, &emit), SPK_ERR_ARGUMENT);
        assert_null(emit);
    }
    emit = open_tcp(&port, 1000, NULL);
    snprintf(address, sizeof address, "tcp:%d", port);
    assert_int_equal(spk_live_emit_open(context, address, NULL, &second), SPK_ERR_IO);
    assert_non_null(strstr(spk_context_message(context), "take another port"));
    spk_live_emit_free(emit);
    assert_int_equal(spk_live_emit_open(context, NULL, NULL, &emit), SPK_OK);
    assert_int_equal(spk_live_emit_flush(emit), SPK_OK);
    spk_live_emit_free(emit);
    spk_live_emit_free(NULL);
}

/* ---- the recorder ---------------------------------------------------------------------------- */

/* What the stream handed on, as a recording would have it. */
typedef struct kept {
    uint64_t n;
    int64_t time[4096];
    uint32_t unit[4096];
    uint64_t n_segments;
    uint64_t first[64]; /* spike of each segment; n behind the last */
    bool bounded[64];
    spk_duration start[64];
    spk_duration stop[64];
} kept;

static spk_status keep_batch(void *user, const spk_live_batch *batch)
{
    kept *k = user;
    if (batch->begins_segment) {
        k->bounded[k->n_segments] = batch->has_start;
        k->start[k->n_segments] = batch->start;
        k->stop[k->n_segments] = batch->stop;
        k->first[k->n_segments++] = k->n;
    }
    for (uint64_t i = 0; i < batch->n; i++) {
        k->time[k->n] = batch->time[i];
        k->unit[k->n++] = batch->unit[i];
    }
    k->first[k->n_segments] = k->n;
    return SPK_OK;
}

static const char *const labels[] = {"1", "left hand", "\"quoted\"", "#7", "\xc3\xa4", "silent"};
enum { N_LABELS = 6, N_FIRING = 5 };

static void push_random(test_random *random, spk_live_stream *stream, const uint32_t *unit,
                        int64_t from, int64_t length)
{
    int64_t time = from;
    for (uint64_t n = test_random_below(random, 60); n > 0 && time < from + length; n--) {
        int64_t jittered = time - (int64_t)test_random_below(random, 4);
        uint32_t u = unit[test_random_below(random, N_FIRING)];
        jittered = jittered < from ? from : jittered;
        assert_int_equal(spk_live_stream_push(context, stream, 1, &jittered, &u, NULL), SPK_OK);
        time += (int64_t)test_random_below(random, (uint64_t)length / 30 + 1);
    }
}

/* Whether the recording has these spikes; segments in order, each later by whole seconds. */
static void check_recorded(const spk_recording *recording, const kept *k, spk_rate rate)
{
    size_t n = 0, written = 0;
    uint64_t at = 0;
    spk_events events = spk_recording_events(recording);
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert_int_equal(events.n_events, k->n);
    assert_int_equal(spk_recording_rate(recording).numerator, rate.numerator);
    assert_int_equal(spk_recording_rate(recording).denominator, rate.denominator);
    for (uint64_t s = 0; s < k->n_segments; s++) {
        const uint64_t first = k->first[s], last = k->first[s + 1];
        if (first == last && !k->bounded[s])
            continue;
        assert_true(written < n);
        const int64_t shift =
            k->bounded[s] ? segments[written].start - spk_duration_first_tick(k->start[s], rate)
                          : segments[written].start - k->time[first];
        assert_true(shift >= 0 && shift % (int64_t)rate.numerator == 0);
        if (written > 0)
            assert_true(segments[written].start >= segments[written - 1].stop);
        if (!k->bounded[s])
            assert_int_equal(segments[written].stop, k->time[last - 1] + 1 + shift);
        for (uint64_t i = first; i < last; i++) { /* ties stand in any order in the stream */
            bool found = false;
            for (uint64_t j = at; j < k->n && events.time[j] <= k->time[i] + shift; j++)
                found |=
                    events.time[j] == k->time[i] + shift &&
                    strcmp(spk_recording_label(recording, events.unit[j]), labels[k->unit[i]]) == 0;
            assert_true(found);
        }
        at += last - first;
        written++;
    }
}

static void record_random(uint64_t seed, uint64_t number)
{
    static const spk_rate rates[] = {{1000, 1}, {1000000000, 1}, {30000, 1}, {390625, 16}};
    static kept k;
    test_random random = test_random_make(seed, number);
    const spk_rate rate = rates[test_random_below(&random, 4)];
    spk_live_stream *stream = make_stream(rate, (spk_duration){1, -4, 0});
    spk_live_recorder *recorder = NULL;
    spk_recording *recording = NULL;
    uint32_t unit[N_LABELS], found = 0;
    char path[256];
    const int64_t second = (int64_t)(rate.numerator / rate.denominator);
    snprintf(path, sizeof path, "%s",
             test_path(SPIKEMINE_HAVE_LIBARCHIVE && number % 5 == 0 ? "rec.txt.gz" : "rec.txt"));
    memset(&k, 0, sizeof k);
    for (uint32_t u = 0; u < N_LABELS; u++)
        assert_int_equal(spk_live_stream_unit(context, stream, labels[u], &unit[u]), SPK_OK);
    assert_int_equal(spk_live_stream_add_sink(context, stream, keep_batch, &k), SPK_OK);
    spk_status status = spk_live_recorder_open(context, stream, path, &recorder);
    if (status == SPK_ERR_UNAVAILABLE)
        return; /* a build without compression */
    assert_int_equal(status, SPK_OK);
    int64_t from = test_random_between(&random, -second, second);
    for (uint64_t s = test_random_below(&random, 5); s < 6; s++) {
        const bool bounded = test_random_chance(&random, 0.3);
        const spk_duration start = {test_random_between(&random, -40, 40), -1, 7};
        const spk_duration stop = {start.digits + 30, -1, 7};
        if (bounded)
            from = spk_duration_first_tick(start, rate);
        if (s > 0 || bounded)
            assert_int_equal(spk_live_stream_border(context, stream, bounded ? &start : NULL,
                                                    bounded ? &stop : NULL),
                             SPK_OK);
        push_random(&random, stream, unit, from, second / 3);
        assert_int_equal(spk_live_recorder_flush(recorder), SPK_OK);
        from += test_random_between(&random, -second, 2 * second);
    }
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    const uint64_t n = k.n;
    assert_int_equal(spk_live_recorder_commit(recorder), SPK_OK);
    spk_status read = spk_recording_read(context, path, NULL, &recording);
    if (read != SPK_OK)
        print_message("case %d: %s\n", (int)number, spk_context_message(context));
    assert_int_equal(read, SPK_OK);
    if (n > 0)
        check_recorded(recording, &k, rate);
    assert_true(spk_recording_find_unit(recording, "silent", &found));
    spk_recording_free(recording);
    unlink(path);
    spk_live_stream_free(stream);
}

static void recorded(void **state)
{
    (void)state;
    const uint64_t seed = test_seed("recorded");
    for (uint64_t k = 0; k < test_scaled(300); k++)
        record_random(seed, k);
}

/* A late spike is a comment; the part can be read before the end, and stays after a crash. */
static void recorded_part(void **state)
{
    (void)state;
    static const int64_t time[] = {5, 3, 9};
    static const uint32_t unit[] = {0, 0, 0};
    char path[256];
    uint32_t number = 0;
    spk_live_recorder *recorder = NULL, *second = NULL;
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    snprintf(path, sizeof path, "%s", test_path("new.txt"));
    assert_int_equal(spk_live_stream_unit(context, stream, "u", &number), SPK_OK);
    assert_int_equal(spk_live_recorder_open(context, stream, test_path("x.npz"), &recorder),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_recorder_open(context, stream, path, &recorder), SPK_OK);
    assert_int_equal(spk_live_recorder_open(context, stream, path, &second), SPK_ERR_IO);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(spk_live_stream_push(context, stream, 1, &time[k], &unit[k], NULL),
                         SPK_OK);
    assert_int_equal(spk_live_recorder_flush(recorder), SPK_OK);
    assert_false(test_file_exists("new.txt"));
    char *text = test_file_text("new.txt.part");
    assert_string_equal(text, "time_s\tunit\n0.005\tu\n# late 0.003\tu\n0.009\tu\n");
    free(text);
    spk_live_recorder_free(recorder);
    assert_true(test_file_exists("new.txt.part"));
    assert_int_equal(spk_live_recorder_commit(NULL), SPK_OK);
    spk_live_recorder_free(NULL);
    spk_live_stream_free(stream);
}

/* A label that is longer than the recorder's buffer is kept as every other one. */
static void recorded_long_label(void **state)
{
    (void)state;
    enum { LENGTH = 700000 };
    static const int64_t time[] = {500, 700, 900};
    char path[256];
    char *label = malloc(LENGTH + 1);
    uint32_t unit[] = {0, 0, 0};
    spk_live_recorder *recorder = NULL;
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    assert_non_null(label);
    memset(label, 'x', LENGTH);
    label[LENGTH] = '\0';
    snprintf(path, sizeof path, "%s", test_path("long.txt"));
    assert_int_equal(spk_live_stream_unit(context, stream, "u", &unit[0]), SPK_OK);
    assert_int_equal(spk_live_stream_unit(context, stream, label, &unit[1]), SPK_OK);
    assert_int_equal(spk_live_recorder_open(context, stream, path, &recorder), SPK_OK);
    assert_int_equal(spk_live_stream_push(context, stream, 3, time, unit, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    assert_int_equal(spk_live_recorder_commit(recorder), SPK_OK);
    char *text = test_file_text("long.txt");
    const char *second = strstr(text, "0.700\t");
    assert_non_null(second);
    assert_memory_equal(second + 6, label, LENGTH);
    assert_string_equal(second + 6 + LENGTH, "\n0.900\tu\n");
    free(text);
    free(label);
    spk_live_stream_free(stream);
}

/* Marks stand in the file as comments, in its times: the second segment is written later than it
 * came, and readers pass them over. */
static void recorded_marks(void **state)
{
    (void)state;
    static const int64_t time[] = {500, 700};
    static const uint32_t unit[] = {0, 0};
    static const spk_live_mark mark[] = {{0, 612, "first"}, {1, 650, ""}, {1, 650, "# \"η\""}};
    static const spk_live_mark wrong[] = {{0, 1, "two\nlines"}, {0, 1, "\xff"}};
    char path[256];
    uint32_t number = 0;
    spk_live_recorder *recorder = NULL;
    spk_recording *recording = NULL;
    spk_live_stream *stream = make_stream((spk_rate){1000, 1}, (spk_duration){0, 0, 0});
    snprintf(path, sizeof path, "%s", test_path("marks.txt"));
    assert_int_equal(spk_live_stream_unit(context, stream, "u", &number), SPK_OK);
    assert_int_equal(spk_live_recorder_open(context, stream, path, &recorder), SPK_OK);
    assert_int_equal(spk_live_stream_push(context, stream, 2, time, unit, NULL), SPK_OK);
    assert_int_equal(spk_live_recorder_mark(recorder, &mark[0]), SPK_OK);
    assert_int_equal(spk_live_stream_border(context, stream, NULL, NULL), SPK_OK);
    assert_int_equal(spk_live_stream_push(context, stream, 2, time, unit, NULL), SPK_OK);
    for (size_t k = 1; k < 3; k++)
        assert_int_equal(spk_live_recorder_mark(recorder, &mark[k]), SPK_OK);
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(spk_live_recorder_mark(recorder, &wrong[k]), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_live_stream_end(context, stream), SPK_OK);
    assert_int_equal(spk_live_recorder_commit(recorder), SPK_OK);
    char *text = test_file_text("marks.txt");
    assert_non_null(strstr(text, "0.700\tu\n# mark 0.612 first\n"));
    assert_non_null(strstr(text, "1.700\tu\n# mark 1.650\n# mark 1.650 # \"η\"\n"));
    free(text);
    assert_int_equal(spk_recording_read(context, path, NULL, &recording), SPK_OK);
    assert_int_equal(spk_recording_events(recording).n_events, 4);
    spk_recording_free(recording);
    spk_live_stream_free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),           cmocka_unit_test(lines),
        cmocka_unit_test(addresses),           cmocka_unit_test(clients),
        cmocka_unit_test(clients_make_room),   cmocka_unit_test(clients_keep_to_the_limit),
        cmocka_unit_test(slow_client),         cmocka_unit_test(partition_line),
        cmocka_unit_test(sink_errors),         cmocka_unit_test(recorded),
        cmocka_unit_test(recorded_part),       cmocka_unit_test(recorded_marks),
        cmocka_unit_test(recorded_long_label), cmocka_unit_test(mark_line),
        cmocka_unit_test(choice_lines),        cmocka_unit_test(choices_drive_nothing),
        cmocka_unit_test(counts_line),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
