/* Live sources of text, with the other end of the connection played by the test. */
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#include "support/live.h"
#include "support/test.h"

static uint64_t seed;

/* A source that listens, and a sender that is connected to it. */
static int begin(test_live *live, const spk_live_source_options *options)
{
    test_live_open(live, "tcp-listen://:0", options);
    int fd = test_connect(live);
    assert_true(test_live_state(live, "connected at"));
    return fd;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void separators_quotes_comments(void **state)
{
    (void)state;
    test_live live;
    int fd = begin(&live, NULL);
    test_send_text(&live, fd,
                   "# a comment\n\ntime_s,unit\n0.001,a\n0.002;b\n0.003\tc\n 4e-3   d \r\n"
                   "0.005,\"left, \"\"hand\"\"\"\n0.006 a # behind\n-0.5 a\n+1.5 \xc3\xa9\n");
    test_live_wait(&live, 8);
    assert_int_equal(live.n, 8);
    assert_int_equal(spk_live_source_rate(live.source).numerator, 1000000000);
    test_live_assert_spike(&live, 0, 1000000, "a");
    test_live_assert_spike(&live, 1, 2000000, "b");
    test_live_assert_spike(&live, 2, 3000000, "c");
    test_live_assert_spike(&live, 3, 4000000, "d");
    test_live_assert_spike(&live, 4, 5000000, "left, \"hand\"");
    test_live_assert_spike(&live, 5, 6000000, "a");
    test_live_assert_spike(&live, 6, -500000000, "a");
    test_live_assert_spike(&live, 7, 1500000000, "\xc3\xa9");
    assert_int_equal(test_live_facts(&live).garbage, 0);
    assert_int_equal(spk_live_source_n_units(live.source), 6);
    assert_null(spk_live_source_label(live.source, 6));
    assert_true(spk_live_source_fd(live.source) >= 0);
    close(fd);
    test_live_close(&live);
}

static void units_of_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t tick;
        uint64_t rate;
        const char *label;
    } cases[] = {
        {"time_ms,unit\n1.5,7\n", 1500000, 1000000000, "7"},
        {"cell,time (us)\n7,2.5\n", 2500, 1000000000, "7"},
        {"7 0.25\n", 250000000, 1000000000, "7"}, /* the one with a point is the time */
        {"a 3\n", 3000000000, 1000000000, "a"},
        {"# spikemine time-unit samples@30000\nsample\tunit\n45001\t7\n", 45001, 30000, "7"},
        {"# spikemine time-unit samples@390625/16\nsample\tunit\n-3\t7\n", -3, 390625, "7"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        test_live live;
        int fd = begin(&live, NULL);
        test_send_text(&live, fd, cases[k].text);
        test_live_wait(&live, 1);
        assert_int_equal(live.n, 1);
        test_live_assert_spike(&live, 0, cases[k].tick, cases[k].label);
        assert_int_equal(spk_live_source_rate(live.source).numerator, cases[k].rate);
        close(fd);
        test_live_close(&live);
    }
}

/* Two columns of whole numbers: lines are held back until they tell, or for a second. */
static void columns_by_content(void **state)
{
    (void)state;
    test_live live;
    char text[16384];
    size_t n = 0;
    int fd = begin(&live, NULL);
    for (int k = 0; k < 400; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d %d\n", k % 3, 2 * k);
    test_send_text(&live, fd, text);
    test_live_wait(&live, 400);
    assert_int_equal(live.n, 400);
    test_live_assert_spike(&live, 399, 798000000000, "0");
    close(fd);
    test_live_close(&live);

    const int64_t before_ns = test_live_now_ns();
    fd = begin(&live, NULL);
    test_send_text(&live, fd, "1 2\n1 4\n2 6\n");
    test_live_poll(&live, 10);
    assert_int_equal(live.n, 0);
    test_live_wait(&live, 3);
    assert_int_equal(live.n, 3);
    assert_true(test_live_now_ns() - before_ns >= 1000000000);
    close(fd);
    test_live_close(&live);
}

static void options_of_lines(void **state)
{
    (void)state;
    test_live live;
    spk_read_options read;
    spk_live_source_options options = test_live_defaults();
    spk_read_options_init(&read, sizeof read);
    read.columns = SPK_COLUMNS_UNIT_TIME;
    read.time_unit = SPK_TIME_MILLISECONDS;
    options.read = &read;
    options.tick = (spk_rate){30000, 1};
    int fd = begin(&live, &options);
    test_send_text(&live, fd, "1 2\n2 10\n2 -0.01\n3 0.1234567890123456789012\n");
    test_live_wait(&live, 4);
    test_live_assert_spike(&live, 0, 60, "1");
    test_live_assert_spike(&live, 1, 300, "2");
    test_live_assert_spike(&live, 2, -1, "2"); /* floor */
    test_live_assert_spike(&live, 3, 3, "3");
    assert_int_equal(test_live_facts(&live).cut_digits, 2);
    close(fd);
    test_live_close(&live);

    spk_live_source *source = NULL;
    read.sort = true;
    assert_int_equal(spk_live_source_open(NULL, "tcp-listen://:0", &options, &source),
                     SPK_ERR_UNSUPPORTED);
    assert_null(source);
    spk_read_options_init(&read, sizeof read);
    read.time_unit = SPK_TIME_SECONDS;
    fd = begin(&live, &options);
    write(fd, "time_ms,unit\n1,2\n", 17) == 17 ? (void)0 : fail();
    for (int k = 0; k < 200 && live.status == SPK_OK; k++)
        test_live_poll(&live, 20);
    assert_int_equal(live.status, SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(live.context), "time_ms"));
    close(fd);
    test_live_close(&live);
}

static void garbage_is_counted(void **state)
{
    (void)state;
    test_live live;
    int fd = begin(&live, NULL);
    test_send_text(
        &live, fd,
        "0.1 a\n0.2\n0.3 b c\nx y\n0.4 \"open\n0.5 \x01\n1e40 a\n0.6 \xff\xfe\nnan a\n,a\n"
        "0.7 a\n");
    char zeros[12] = "0.8 b\0c\n0.9";
    test_random random = test_random_make(seed, 0);
    test_send(&live, fd, zeros, 11, 3, &random);
    test_send_text(&live, fd, " a\n");
    test_live_wait(&live, 3);
    assert_int_equal(live.n, 3);
    test_live_assert_spike(&live, 1, 700000000, "a");
    test_live_assert_spike(&live, 2, 900000000, "a");
    const spk_live_source_facts facts = test_live_facts(&live);
    assert_int_equal(facts.garbage, 10);
    assert_int_equal(facts.spikes, 3);
    assert_int_equal(facts.messages, 13);
    assert_string_equal(facts.example, "'0.2': one column; every line needs a time and a unit");
    close(fd);
    test_live_close(&live);
}

static void labels_are_limited(void **state)
{
    (void)state;
    test_live live;
    spk_live_source_options options = test_live_defaults();
    options.max_units = 2;
    int fd = begin(&live, &options);
    test_send_text(&live, fd, "0.1 a\n0.2 b\n0.3 c\n0.4 a\n");
    test_live_wait(&live, 3);
    assert_int_equal(live.n, 3);
    test_live_assert_spike(&live, 2, 400000000, "a");
    assert_int_equal(test_live_facts(&live).garbage, 1);
    close(fd);
    test_live_close(&live);
}

/* A label of the most bytes is one, in quotes too; of more it is garbage, new or not. */
static void long_labels(void **state)
{
    (void)state;
    enum { MOST = SPK_LIVE_MAX_LABEL };
    test_live live;
    char *text = malloc(MOST + 64);
    int fd = begin(&live, NULL);
    test_random random = test_random_make(seed, 0);
    assert_non_null(text);
    memset(text, 'x', MOST + 64);
    test_send_text(&live, fd, "0.1 a\n0.2 ");
    test_send(&live, fd, text, MOST, 1 << 17, &random);
    test_send_text(&live, fd, "\n0.3 ");
    test_send(&live, fd, text, MOST + 1, 1 << 17, &random);
    test_send_text(&live, fd, "\n0.4 \"");
    test_send(&live, fd, text, MOST + 1, 1 << 17, &random);
    test_send_text(&live, fd, "\"\n0.5 a\n");
    test_live_wait(&live, 3);
    assert_int_equal(live.n, 3);
    assert_int_equal(strlen(spk_live_source_label(live.source, 1)), MOST);
    test_live_assert_spike(&live, 2, 500000000, "a");
    assert_int_equal(test_live_facts(&live).garbage, 2);
    assert_non_null(strstr(test_live_facts(&live).example, "': the unit's label is too long"));
    free(text);
    close(fd);
    test_live_close(&live);
}

/* 3 MB without a line end, then a good line. */
static void endless_line(void **state)
{
    (void)state;
    test_live live;
    int fd = begin(&live, NULL);
    test_random random = test_random_make(seed, 0);
    const size_t n = 3 << 20;
    char *bytes = malloc(n);
    assert_non_null(bytes);
    memset(bytes, '7', n);
    test_send_text(&live, fd, "0.1 a\n");
    test_send(&live, fd, bytes, n, 1 << 17, &random);
    test_send_text(&live, fd, "\n0.2 a\n");
    test_live_wait(&live, 2);
    assert_int_equal(live.n, 2);
    test_live_assert_spike(&live, 1, 200000000, "a");
    assert_int_equal(test_live_facts(&live).garbage, 1);
    free(bytes);
    close(fd);
    test_live_close(&live);
}

/* ---- random streams -------------------------------------------------------------------------- */

typedef struct script {
    char *text;
    size_t n;
    int64_t *time;
    int *unit;
    size_t n_spikes;
    size_t n_garbage;
} script;

static void add_line(script *s, test_random *random, int64_t ns, int unit)
{
    static const char *const separators[] = {" ", "\t", ",", ";", "  ", " , "};
    const char *end = test_random_chance(random, 0.2) ? "\r\n" : "\n";
    const char *quote = test_random_chance(random, 0.2) ? "\"" : "";
    char time[40];
    if (test_random_chance(random, 0.1))
        snprintf(time, sizeof time, "%lld%09llde-9", (long long)(ns / 1000000000),
                 (long long)(ns % 1000000000));
    else
        snprintf(time, sizeof time, "%lld.%09lld", (long long)(ns / 1000000000),
                 (long long)(ns % 1000000000));
    s->n += (size_t)sprintf(s->text + s->n, "%s%s%su%d%s%s", time,
                            separators[test_random_below(random, 6)], quote, unit, quote, end);
    s->time[s->n_spikes] = ns;
    s->unit[s->n_spikes++] = unit;
}

static script make_script(test_random *random, size_t n)
{
    static const char *const damage[] = {"1.5\n", "a b c\n",  "# talk\n",
                                         "\n",    "1..2 u\n", "1 \x02\n"};
    script s = {.text = malloc(n * 80), .time = malloc(n * 8), .unit = malloc(n * sizeof(int))};
    assert_true(s.text != NULL && s.time != NULL && s.unit != NULL);
    int64_t ns = test_random_between(random, 0, 1000000000000);
    for (size_t k = 0; k < n; k++) {
        if (k > 0 && test_random_chance(random, 0.1)) {
            const size_t d = (size_t)test_random_below(random, 6);
            s.n += (size_t)sprintf(s.text + s.n, "%s", damage[d]);
            s.n_garbage += d != 2 && d != 3;
        }
        ns += test_random_between(random, -1000, 5000000);
        ns = ns < 0 ? 0 : ns;
        add_line(&s, random, ns, (int)test_random_below(random, 300));
    }
    return s;
}

static void check_script(const test_live *live, const script *s)
{
    assert_int_equal(live->n, s->n_spikes);
    for (size_t k = 0; k < s->n_spikes; k++) {
        char label[16];
        snprintf(label, sizeof label, "u%d", s->unit[k]);
        test_live_assert_spike(live, k, s->time[k], label);
    }
    assert_int_equal(test_live_facts(live).garbage, s->n_garbage);
}

static void free_script(script *s)
{
    free(s->text);
    free(s->time);
    free(s->unit);
}

/* Every spike arrives once, in order, whatever pieces the bytes come in. */
static void random_fragments(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < test_scaled(60); k++) {
        test_random random = test_random_make(seed, k);
        script s = make_script(&random, 1 + (size_t)test_random_below(&random, 400));
        const size_t most = k % 3 == 0 ? 1 : k % 3 == 1 ? 20 : 4000;
        test_live live;
        int fd = begin(&live, NULL);
        test_send(&live, fd, s.text, s.n, most, &random);
        test_live_wait(&live, s.n_spikes);
        test_live_poll(&live, 0);
        check_script(&live, &s);
        close(fd);
        test_live_close(&live);
        free_script(&s);
    }
}

/* A sender that does not wait: nothing is lost, and nothing grows. */
static void flood(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 0);
    script s = make_script(&random, (size_t)test_scaled(200000));
    test_live live;
    int fd = begin(&live, NULL);
    test_send(&live, fd, s.text, s.n, 1 << 20, &random);
    test_live_wait(&live, s.n_spikes);
    check_script(&live, &s);
    assert_int_equal(test_live_facts(&live).bytes, s.n);
    assert_int_equal(live.lost, 0);
    close(fd);
    test_live_close(&live);
    free_script(&s);
}

/* ---- segments -------------------------------------------------------------------------------- */

/* As a file has them: all announced before the first spike. */
static void segments_as_in_files(void **state)
{
    (void)state;
    test_live live;
    int fd = begin(&live, NULL);
    test_send_text(&live, fd,
                   "# spikemine segment 0s 1.5s\n# spikemine segment 2s 2.5s\n"
                   "# spikemine unit \"left hand\"\ntime_s\tunit\n0.5\ta\n1.4\ta\n1.7\ta\n2.1\tb\n"
                   "2.5\tb\n");
    test_live_wait(&live, 3);
    test_live_poll(&live, 5);
    assert_int_equal(live.n, 3);
    assert_int_equal(live.borders, 2);
    assert_int_equal(live.spike[1].segment, 1);
    assert_int_equal(live.spike[2].segment, 2);
    assert_true(live.last_border.has_start && live.last_border.has_stop);
    assert_int_equal(spk_duration_compare(live.last_border.start, (spk_duration){2, 0}), 0);
    assert_int_equal(spk_duration_compare(live.last_border.stop, (spk_duration){25, -1}), 0);
    assert_int_equal(test_live_facts(&live).outside, 2);
    assert_int_equal(spk_live_source_n_units(live.source), 3); /* the one that never fires, too */
    close(fd);
    test_live_close(&live);
}

/* As a program announces them, trial by trial, each with its own time 0. */
static void segments_between_spikes(void **state)
{
    (void)state;
    test_live live;
    int fd = begin(&live, NULL);
    test_send_text(&live, fd,
                   "0.9 a\n# spikemine segment 0s 1s\n0.1 a\n0.2 b\n"
                   "# spikemine segment 0s 1s\n");
    test_live_wait(&live, 3);
    for (int k = 0; k < 50 && live.borders < 2; k++)
        test_live_poll(&live, 20);
    assert_int_equal(live.borders, 2); /* before its first spike */
    test_send_text(&live, fd, "# spikemine segment 0s 1s\n0.1 c\n# spikemine segment - -\n7 c\n");
    test_live_wait(&live, 5);
    assert_int_equal(live.n, 5);
    static const uint64_t segment[] = {0, 1, 1, 3, 4};
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(live.spike[k].segment, segment[k]);
    assert_false(live.last_border.has_start || live.last_border.has_stop);
    test_send_text(&live, fd, "# spikemine segment 2s 1s\n# spikemine segment x\n8 c\n");
    test_live_wait(&live, 6);
    assert_int_equal(live.spike[5].segment, 4);
    assert_int_equal(test_live_facts(&live).garbage, 2);
    close(fd);
    test_live_close(&live);
}

/* ---- connections ----------------------------------------------------------------------------- */

static void count_restarts(void *user, const char *text)
{
    *(int *)user += strstr(text, "began anew, 0.500 s after 100.900 s") != NULL;
}

static void comes_again(void **state)
{
    (void)state;
    int said = 0;
    test_live live;
    char address[64];
    int port = 0;
    int listener = test_listen(&port);
    snprintf(address, sizeof address, "tcp://127.0.0.1:%d", port);
    test_live_open(&live, address, NULL);
    spk_context_set_note(live.context, count_restarts, &said);
    test_live_poll(&live, 50);
    int fd = test_accept(listener);
    test_send_text(&live, fd, "time,unit\n100.0 a\n100.5 b\n100.7 c");
    test_live_wait(&live, 2);
    close(fd); /* within the third line */
    assert_true(test_live_state(&live, "waiting for 127.0.0.1:"));
    assert_true(test_live_state(&live, "connected to"));
    fd = test_accept(listener);
    test_send_text(&live, fd, "time,unit\n100.9 a\n"); /* goes on */
    test_live_wait(&live, 3);
    assert_int_equal(live.borders, 0);
    close(fd);
    assert_true(test_live_state(&live, "waiting"));
    assert_true(test_live_state(&live, "connected to"));
    fd = test_accept(listener);
    test_send_text(&live, fd, "time,unit\n0.5 a\n"); /* its clock began anew */
    test_live_wait(&live, 4);
    assert_int_equal(live.n, 4);
    assert_int_equal(live.borders, 1);
    assert_int_equal(live.spike[3].segment, 1);
    const spk_live_source_facts facts = test_live_facts(&live);
    assert_int_equal(facts.reconnects, 2);
    assert_int_equal(facts.restarts, 1);
    assert_int_equal(said, 1);
    assert_int_equal(facts.garbage, 1);
    assert_string_equal(facts.example, "'100.7 c': cut off where the connection broke");
    close(fd);
    close(listener);
    test_live_close(&live);
}

/* The server comes later; without `reconnect` its absence is an error. */
static void server_comes_later(void **state)
{
    (void)state;
    test_live live;
    char address[64];
    int port = 0;
    close(test_listen(&port));
    snprintf(address, sizeof address, "tcp://127.0.0.1:%d", port);
    test_live_open(&live, address, NULL);
    assert_true(test_live_state(&live, "waiting for 127.0.0.1:"));
    int listener = test_listen(&port);
    assert_true(test_live_state(&live, "connected to"));
    close(test_accept(listener));
    close(listener);
    test_live_close(&live);

    spk_live_source_options options = test_live_defaults();
    options.reconnect = false;
    test_live_open(&live, address, &options);
    test_live_poll(&live, 1000);
    assert_int_equal(live.status, SPK_ERR_IO);
    assert_non_null(strstr(spk_context_message(live.context), "127.0.0.1"));
    test_live_close(&live);

    options.reconnect = true;
    options.reconnect_s = 0.05;
    test_live_open(&live, address, &options);
    for (int k = 0; k < 100 && live.status == SPK_OK; k++)
        test_live_poll(&live, 50);
    assert_int_equal(live.status, SPK_ERR_IO);
    test_live_close(&live);
}

/* Ends a connection with an error at the other side: what was sent before is not waited for. */
static void reset(int fd)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(fd);
}

/* A connection that breaks with an error is made again, and where it is not, that is no end. */
static void broken_connections(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        test_live live;
        char address[64];
        int port = 0;
        int listener = test_listen(&port);
        spk_live_source_options options = test_live_defaults();
        options.reconnect = again == 1;
        snprintf(address, sizeof address, "tcp://127.0.0.1:%d", port);
        test_live_open(&live, address, &options);
        assert_true(test_live_state(&live, "connected to"));
        int fd = test_accept(listener);
        test_send_text(&live, fd, "0.1 a\n0.2 b\n");
        test_live_wait(&live, 2);
        reset(fd);
        if (again == 1) {
            assert_true(test_live_state(&live, "waiting"));
            assert_true(test_live_state(&live, "connected to"));
        } else {
            test_live_wait(&live, 3);
            assert_int_equal(live.status, SPK_ERR_IO);
            assert_non_null(strstr(spk_context_message(live.context), "reading failed"));
        }
        assert_false(live.ended);
        assert_int_equal(live.n, 2);
        close(listener);
        test_live_close(&live);
    }
}

static void unix_sockets(void **state)
{
    (void)state;
    test_live live;
    char address[300];
    char path[250];
    spk_live_source_options options = test_live_defaults();
    options.reconnect = false;
    snprintf(path, sizeof path, "%s", test_path("spikes.socket"));
    snprintf(address, sizeof address, "unix-listen:%s", path);
    test_live_open(&live, address, &options);
    int fd = test_connect_unix(path);
    assert_true(test_live_state(&live, "connected at"));
    test_send_text(&live, fd, "0.1 a\n0.2 b\n");
    close(fd);
    test_live_wait(&live, 3);
    assert_true(live.ended);
    assert_int_equal(live.n, 2);
    assert_string_equal(test_live_facts(&live).state, "ended");
    test_live_close(&live);
    assert_false(test_file_exists("spikes.socket"));

    snprintf(address, sizeof address, "unix:%s", path);
    test_live_open(&live, address, &options);
    test_live_poll(&live, 10);
    assert_int_equal(live.status, SPK_ERR_IO);
    test_live_close(&live);
}

static void standard_input(void **state)
{
    (void)state;
    test_live live;
    int ends[2];
    const int before = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    test_live_open(&live, "-", NULL);
    assert_int_equal(write(ends[1], "0.1 a\n0.2 b", 11), 11);
    test_live_wait(&live, 1);
    assert_int_equal(live.n, 1);
    close(ends[1]); /* the last line needs no line end */
    test_live_wait(&live, 3);
    assert_true(live.ended);
    assert_int_equal(live.n, 2);
    test_live_assert_spike(&live, 1, 200000000, "b");
    assert_int_equal(test_live_facts(&live).garbage, 0);
    test_live_close(&live);
    dup2(before, STDIN_FILENO);
    close(before);
    close(ends[0]);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static void kinds(void **state)
{
    (void)state;
    spk_live_source_kind kind;
    spk_live_source *source = NULL;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (size_t k = 0; k < spk_live_source_kind_count(); k++) {
        assert_int_equal(spk_live_source_describe(context, k, &kind), SPK_OK);
        assert_true(strlen(kind.name) > 0 && strlen(kind.address) > 0 && strlen(kind.summary) > 0);
        assert_int_equal(kind.available, kind.reason[0] == '\0');
    }
    static const char *const wrong[] = {
        "nothing://host:1", "tcp://host", "tcp://:x", "unix:", "/no/such/file.txt", ""};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_not_equal(spk_live_source_open(context, wrong[k], NULL, &source), SPK_OK);
        assert_null(source);
        assert_true(strlen(spk_context_message(context)) > 0);
    }
    spk_live_source_free(NULL);
    spk_context_free(context);
}

typedef struct canceller {
    spk_context *context;
    int fd;
} canceller;

static void *cancel_and_send(void *user)
{
    const canceller *c = user;
    const struct timespec moment = {.tv_nsec = 20000000};
    nanosleep(&moment, NULL);
    spk_context_cancel(c->context);
    return send(c->fd, "1.5 a\n", 6, 0) == 6 ? NULL : user;
}

/* What was read before a poll sees the cancel is handed over; the next poll tells of the cancel. */
static void cancel_loses_nothing(void **state)
{
    (void)state;
    enum { TRIES = 20 };
    test_live live;
    int fd = begin(&live, NULL);
    bool handed = false;
    size_t sent = 0;
    for (; sent < TRIES && !handed; sent++) {
        canceller c = {live.context, fd};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, cancel_and_send, &c), 0);
        test_live_poll(&live, 5000);
        handed = live.status == SPK_OK && live.n == sent + 1;
        void *failed;
        pthread_join(thread, &failed);
        assert_null(failed);
        test_live_poll(&live, 0);
        assert_int_equal(live.status, SPK_ERR_CANCELLED);
        spk_context_cancel_clear(live.context);
        test_live_wait(&live, sent + 1);
        assert_int_equal(live.n, sent + 1);
    }
    assert_true(handed);
    close(fd);
    test_live_close(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators_quotes_comments),
        cmocka_unit_test(units_of_time),
        cmocka_unit_test(columns_by_content),
        cmocka_unit_test(options_of_lines),
        cmocka_unit_test(garbage_is_counted),
        cmocka_unit_test(labels_are_limited),
        cmocka_unit_test(long_labels),
        cmocka_unit_test(endless_line),
        cmocka_unit_test(random_fragments),
        cmocka_unit_test(flood),
        cmocka_unit_test(segments_as_in_files),
        cmocka_unit_test(segments_between_spikes),
        cmocka_unit_test(comes_again),
        cmocka_unit_test(server_comes_later),
        cmocka_unit_test(broken_connections),
        cmocka_unit_test(unix_sockets),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(kinds),
        cmocka_unit_test(cancel_loses_nothing),
    };
    seed = test_seed("live_sources");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
