/* Live sources in tests. */
#include "support/live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "support/test.h"

int64_t test_live_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t now_ms(void)
{
    return test_live_now_ns() / 1000000;
}

/* ---- the source ------------------------------------------------------------------------------ */

spk_live_source_options test_live_defaults(void)
{
    spk_live_source_options options;
    spk_live_source_options_init(&options, sizeof options);
    return options;
}

void test_live_assert_spike(const test_live *live, size_t k, int64_t time, const char *label)
{
    assert_true(k < live->n);
    assert_int_equal(live->spike[k].time, time);
    assert_string_equal(live->spike[k].label, label);
}

void test_live_open(test_live *live, const char *address, const spk_live_source_options *options)
{
    *live = (test_live){.n = 0};
    assert_int_equal(spk_context_create(&live->context), SPK_OK);
    spk_status status = spk_live_source_open(live->context, address, options, &live->source);
    if (status != SPK_OK)
        print_error("%s\n", spk_context_message(live->context));
    assert_int_equal(status, SPK_OK);
}

static void keep(test_live *live, const spk_live_arrivals *a)
{
    if (a->border) {
        live->borders++;
        live->last_border = *a;
    }
    assert_true(a->n <= 65536); /* memory is bounded */
    live->lost += a->lost;
    live->ended |= a->ended;
    if (live->n + a->n > live->capacity) {
        live->capacity = 2 * (live->n + a->n);
        live->spike = realloc(live->spike, live->capacity * sizeof *live->spike);
        assert_non_null(live->spike);
    }
    for (uint64_t i = 0; i < a->n; i++) {
        test_live_spike *s = &live->spike[live->n++];
        *s = (test_live_spike){.time = a->time[i], .segment = live->borders};
        assert_true(a->unit[i] < spk_live_source_n_units(live->source));
        snprintf(s->label, sizeof s->label, "%s", spk_live_source_label(live->source, a->unit[i]));
        assert_true(a->arrival_ns[i] > 0);
    }
}

void test_live_poll(test_live *live, int timeout_ms)
{
    spk_live_arrivals a;
    live->status = spk_live_source_poll(live->context, live->source, timeout_ms, &a);
    if (live->status == SPK_OK)
        keep(live, &a);
}

void test_live_wait(test_live *live, size_t n)
{
    const int64_t limit = now_ms() + 5000;
    do
        test_live_poll(live, 20);
    while (live->status == SPK_OK && live->n < n && !live->ended && now_ms() < limit);
}

bool test_live_state(test_live *live, const char *state)
{
    const int64_t limit = now_ms() + 5000;
    while (strncmp(test_live_facts(live).state, state, strlen(state)) != 0) {
        if (now_ms() > limit) {
            print_error("state: %s\n", test_live_facts(live).state);
            return false;
        }
        test_live_poll(live, 5);
    }
    return true;
}

spk_live_source_facts test_live_facts(const test_live *live)
{
    spk_live_source_facts facts;
    spk_live_source_get_facts(live->source, &facts);
    return facts;
}

/* Whatever came in is in one counter. A replay counts spikes alone. */
static void check_sum(const test_live *live)
{
    const spk_live_source_facts f = test_live_facts(live);
    const bool in_bytes = strcmp(f.kind, "intan") == 0;
    const uint64_t garbage = in_bytes ? 0 : f.garbage;
    assert_int_equal(f.spikes, live->n);
    if (strcmp(f.kind, "replay") != 0)
        assert_int_equal(f.messages, f.spikes + f.held + f.unrated + garbage + f.outside + f.other);
    if (in_bytes)
        assert_in_range(f.bytes - 14 * f.messages - f.garbage, 0, 13);
    assert_true(f.unrated <= f.lost);
}

void test_live_close(test_live *live)
{
    check_sum(live);
    spk_live_source_free(live->source);
    spk_context_free(live->context);
    free(live->spike);
    *live = (test_live){.n = 0};
}

/* ---- the other end --------------------------------------------------------------------------- */

int test_listen(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)},
                                  .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    const int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

int test_accept(int listener)
{
    struct pollfd entry = {.fd = listener, .events = POLLIN};
    assert_int_equal(poll(&entry, 1, 5000), 1);
    int fd = accept(listener, NULL, NULL);
    assert_true(fd >= 0);
    return fd;
}

int test_connect(const test_live *live)
{
    const spk_live_source_facts facts = test_live_facts(live);
    const char *port = strrchr(facts.state, ':');
    assert_non_null(port);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)},
                                  .sin_port = htons((uint16_t)atoi(port + 1))};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

int test_connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

void test_send(test_live *live, int fd, const void *bytes, size_t n, size_t most,
               test_random *random)
{
    const char *at = bytes;
    while (n > 0) {
        size_t piece = 1 + (size_t)test_random_below(random, most);
        piece = piece < n ? piece : n;
        const ssize_t sent = send(fd, at, piece, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            at += sent;
            n -= (size_t)sent;
        } else {
            assert_true(errno == EAGAIN || errno == EWOULDBLOCK);
        }
        if (sent < 0 || test_random_chance(random, 0.3))
            test_live_poll(live, 0);
        assert_int_equal(live->status, SPK_OK);
    }
}

void test_send_text(test_live *live, int fd, const char *text)
{
    test_random random = test_random_make(1, 1);
    test_send(live, fd, text, strlen(text), 1 << 16, &random);
}
