/* The page of a live stream as a client of raw sockets sees it: who is let in, what is too large,
 * who is too slow, what is remembered, and that no client slows the feeding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "spikemine/spikemine.h"
#include "support/live_blocks.h"

#define TOKEN "0123456789abcdef-_XYZ"

enum { ANSWER = 1 << 22 };

typedef struct rig {
    spk_context *context;
    spk_live_stream *stream;
    spk_live_page *page;
    unsigned port;
} rig;

static char answer[ANSWER];

/* ---- a stream and its page ------------------------------------------------------------------- */

static void open_stream(rig *r)
{
    spk_live_stream_options options;
    spk_live_stream_options_init(&options, sizeof options);
    options.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_context_create(&r->context), SPK_OK);
    assert_int_equal(spk_live_stream_create(r->context, &options, &r->stream), SPK_OK);
    for (int k = 0; k < 4; k++) {
        char label[8];
        uint32_t unit;
        snprintf(label, sizeof label, "<%d>", k);
        assert_int_equal(spk_live_stream_unit(r->context, r->stream, label, &unit), SPK_OK);
    }
}

static unsigned port_of(const char *url)
{
    const char *colon = strrchr(url, ':');
    return (unsigned)strtoul(colon + 1, NULL, 10);
}

static void open_rig(rig *r, const spk_live_page_options *options)
{
    spk_live_page_options own;
    spk_live_page_options_init(&own, sizeof own);
    if (options != NULL)
        own = *options;
    if (own.token == NULL)
        own.token = TOKEN;
    open_stream(r);
    assert_int_equal(spk_live_page_start(r->context, r->stream, &own, &r->page), SPK_OK);
    r->port = port_of(spk_live_page_url(r->page));
}

static void close_rig(rig *r)
{
    spk_live_page_stop(r->page);
    spk_live_stream_free(r->stream);
    spk_context_free(r->context);
}

static void push(rig *r, uint64_t n, const int64_t *time, const uint32_t *unit)
{
    assert_int_equal(spk_live_stream_push(r->context, r->stream, n, time, unit, NULL), SPK_OK);
}

static spk_live_page_facts facts_of(rig *r)
{
    spk_live_page_facts facts;
    spk_live_page_get_facts(r->page, &facts);
    return facts;
}

static void rest(int ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- a client -------------------------------------------------------------------------------- */

static int dial(const rig *r)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)r->port)};
    const struct timeval patience = {.tv_sec = 20};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(made >= 0);
    setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(made, (struct sockaddr *)&address, sizeof address), 0);
    return made;
}

static void say(int to, const char *text, size_t n)
{
    for (size_t sent = 0; sent < n;) {
        const ssize_t more = send(to, text + sent, n - sent, MSG_NOSIGNAL);
        if (more <= 0)
            return; /* the server has heard enough */
        sent += (size_t)more;
    }
}

/* Everything until the server closes; the status, 0 where there was no answer. */
static int hear(int from, size_t *bytes)
{
    size_t n = 0;
    for (ssize_t more; n < ANSWER - 1; n += (size_t)more) {
        more = recv(from, answer + n, ANSWER - 1 - n, 0);
        if (more <= 0)
            break;
    }
    answer[n] = '\0';
    if (bytes != NULL)
        *bytes = n;
    int status = 0;
    return sscanf(answer, "HTTP/1.%*d %d", &status) == 1 ? status : 0;
}

/* One request in a connection of its own; `more` are header lines, each ending in \r\n. */
static int ask(const rig *r, const char *method, const char *path, const char *more,
               const char *body, size_t *bytes)
{
    static char text[1 << 16];
    const int n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nConnection: close\r\n%s\r\n%s",
                           method, path, more, body != NULL ? body : "");
    const int client = dial(r);
    say(client, text, (size_t)n);
    const int status = hear(client, bytes);
    close(client);
    return status;
}

static int get(const rig *r, const char *path)
{
    char host[64];
    snprintf(host, sizeof host, "Host: 127.0.0.1:%u\r\n", r->port);
    return ask(r, "GET", path, host, NULL, NULL);
}

static const char *body_of(void)
{
    const char *body = strstr(answer, "\r\n\r\n");
    assert_non_null(body);
    return body + 4;
}

/* ---- start and stop -------------------------------------------------------------------------- */

static void test_options(void **state)
{
    (void)state;
    rig r;
    spk_live_page *page;
    spk_live_page_options options;
    open_rig(&r, NULL);
    static const char *const token[] = {"", "short", "0123456789abcde ", "0123456789abcdef\n"};
    for (size_t k = 0; k < sizeof token / sizeof token[0]; k++) {
        spk_live_page_options_init(&options, sizeof options);
        options.token = token[k];
        assert_int_equal(spk_live_page_start(r.context, r.stream, &options, &page),
                         SPK_ERR_ARGUMENT);
    }
    spk_live_page_options_init(&options, sizeof options);
    options.address = "rig.example.org";
    assert_int_equal(spk_live_page_start(r.context, r.stream, &options, &page), SPK_ERR_ARGUMENT);
    options.address = "127.0.0.1";
    options.port = (uint16_t)r.port;
    assert_int_equal(spk_live_page_start(r.context, r.stream, &options, &page), SPK_ERR_IO);
    assert_non_null(strstr(spk_context_message(r.context), "another address or port"));
    options.port = 0;
    options.history_spikes = 0;
    assert_int_equal(spk_live_page_start(r.context, r.stream, &options, &page), SPK_ERR_ARGUMENT);
    close_rig(&r);
}

/* Tokens are random, a port is free at once after a page has ended, and the next page has another
 * number, so that browsers notice. */
static void test_restart(void **state)
{
    (void)state;
    rig r;
    spk_live_page *page;
    spk_live_page_options options;
    open_rig(&r, NULL);
    assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    double before, after;
    assert_int_equal(sscanf(body_of(), "{\"server\":%lf", &before), 1);
    const int client = dial(&r);
    const char *const text = "GET /news?token=" TOKEN " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    say(client, text, strlen(text));
    assert_true(recv(client, answer, ANSWER - 1, 0) > 0);
    spk_live_page_stop(r.page);
    while (recv(client, answer, ANSWER - 1, 0) > 0)
        continue;
    close(client);
    spk_live_page_options_init(&options, sizeof options);
    options.port = (uint16_t)r.port;
    options.token = TOKEN;
    assert_int_equal(spk_live_page_start(r.context, r.stream, &options, &r.page), SPK_OK);
    assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    assert_int_equal(sscanf(body_of(), "{\"server\":%lf", &after), 1);
    assert_true(before != after);
    assert_int_equal(spk_live_page_start(r.context, r.stream, NULL, &page), SPK_OK);
    const char *token = strstr(spk_live_page_url(page), "?token=");
    assert_int_equal(strlen(token), strlen("?token=") + 32);
    assert_int_equal(strncmp(spk_live_page_url(page), "http://127.0.0.1:", 17), 0);
    spk_live_page_stop(page);
    close_rig(&r);
}

/* ---- who is let in --------------------------------------------------------------------------- */

static void test_no_token_no_data(void **state)
{
    (void)state;
    rig r;
    open_rig(&r, NULL);
    static const char *const path[] = {"/",      "/live.js", "/live.css", "/data",
                                       "/state", "/news",    "/nothing",  "/../etc/passwd"};
    for (size_t k = 0; k < sizeof path / sizeof path[0]; k++) {
        assert_int_equal(get(&r, path[k]), 403);
        assert_non_null(strstr(answer, "Content-Type: text/plain"));
        assert_null(strstr(answer, TOKEN));
        assert_null(strstr(answer, "Set-Cookie"));
    }
    assert_int_equal(get(&r, "/state?token="), 403);
    assert_int_equal(get(&r, "/state?token=0123456789abcdef-_XYz"), 403);
    assert_int_equal(get(&r, "/state?token=" TOKEN "0"), 403);
    assert_int_equal(get(&r, "/state?tokens=" TOKEN), 403);
    assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    assert_true(facts_of(&r).refused > 0 || (rest(200), facts_of(&r).refused > 0));
    close_rig(&r);
}

static void test_cookie_after_the_first_visit(void **state)
{
    (void)state;
    rig r;
    char cookie[128], more[512];
    open_rig(&r, NULL);
    assert_int_equal(get(&r, "/?token=" TOKEN), 200);
    snprintf(cookie, sizeof cookie, "spikemine_%u=" TOKEN, r.port);
    assert_non_null(strstr(answer, cookie));
    assert_non_null(strstr(answer, "HttpOnly; SameSite=Strict"));
    assert_non_null(strstr(answer, "Cache-Control: no-store"));
    assert_non_null(strstr(answer, "default-src 'none'"));
    assert_null(strstr(answer, "unsafe"));
    snprintf(more, sizeof more, "Host: localhost:%u\r\nCookie: a=b; %s\r\n", r.port, cookie);
    assert_int_equal(ask(&r, "GET", "/", more, NULL, NULL), 200);
    assert_null(strstr(answer, "Set-Cookie"));
    assert_int_equal(ask(&r, "GET", "/live.js", more, NULL, NULL), 200);
    assert_int_equal(ask(&r, "GET", "/data", more, NULL, NULL), 200);
    assert_int_equal(ask(&r, "GET", "/nothing", more, NULL, NULL), 404);
    snprintf(more, sizeof more, "Host: localhost:%u\r\nX-Spikemine-Token: " TOKEN "\r\n", r.port);
    assert_int_equal(ask(&r, "GET", "/data", more, NULL, NULL), 200);
    close_rig(&r);
}

static int with_host(const rig *r, const char *host, const char *origin)
{
    char more[512];
    const int n = host != NULL ? snprintf(more, sizeof more, "Host: %s\r\n", host) : 0;
    snprintf(more + n, sizeof more - (size_t)n, origin != NULL ? "Origin: %s\r\n" : "%s",
             origin != NULL ? origin : "");
    return ask(r, "GET", "/state?token=" TOKEN, more, NULL, NULL);
}

static void test_foreign_names_are_refused(void **state)
{
    (void)state;
    rig r;
    spk_live_page_options options;
    spk_live_page_options_init(&options, sizeof options);
    options.host = "rig.example.org";
    open_rig(&r, &options);
    static const char *const own[] = {"127.0.0.1",  "localhost:9",    "LOCALHOST",
                                      "[::1]:8080", "192.168.1.7:80", "Rig.Example.org:8080"};
    static const char *const foreign[] = {"evil.example",
                                          "localhost.evil.example",
                                          "127.0.0.1.evil.org",
                                          "127.0.0.1:80x",
                                          "evil.local",
                                          "",
                                          "[::1",
                                          "dead.beef.cafe.1",
                                          "1.2.3"};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        assert_int_equal(with_host(&r, own[k], NULL), 200);
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++)
        assert_int_not_equal(with_host(&r, foreign[k], NULL), 200);
    assert_int_not_equal(with_host(&r, NULL, NULL), 200);
    assert_int_equal(with_host(&r, "localhost:8080", "http://localhost:8080"), 200);
    assert_int_equal(with_host(&r, "localhost:8080", "http://localhost:9090"), 403);
    assert_int_equal(with_host(&r, "localhost:8080", "http://evil.example"), 403);
    assert_int_equal(with_host(&r, "localhost:8080", "null"), 403);
    assert_int_equal(with_host(&r, "localhost:8080", "file://localhost:8080"), 403);
    close_rig(&r);
}

/* ---- what is remembered ------------------------------------------------------------------------
 */

/* What was pushed is what a browser gets, by number, also in the middle; and counts, labels and
 * items in JSON. */
static void test_browser_gets_what_was_pushed(void **state)
{
    (void)state;
    rig r;
    static live_blocks got;
    size_t n;
    char path[128];
    open_rig(&r, NULL);
    assert_int_equal(spk_live_page_item(r.context, r.page, false, 0, "<0> (1,2] <1>", 2,
                                        (const uint32_t[]){0, 1}),
                     SPK_OK);
    assert_int_equal(
        spk_live_page_item(r.context, r.page, true, 0, "pattern", 3, (const uint32_t[]){3, 2, 1}),
        SPK_OK);
    push(&r, 3, (const int64_t[]){100, 103, 107}, (const uint32_t[]){0, 1, 3});
    assert_int_equal(spk_live_stream_border(r.context, r.stream, NULL, NULL), SPK_OK);
    push(&r, 2, (const int64_t[]){4, 9}, (const uint32_t[]){2, 1});
    const int64_t time[] = {4, 9, 9};
    const spk_live_occurrence o = {
        .is_pattern = true, .item = 0, .size = 3, .time = time, .count = 41, .segment = 1};
    assert_int_equal(spk_live_page_occurrence(r.page, &o), SPK_OK);
    rest(300);
    snprintf(path, sizeof path, "Host: localhost:%u\r\n", r.port);
    assert_int_equal(ask(&r, "GET", "/data?spikes=1&token=" TOKEN, path, NULL, &n), 200);
    const char *body = body_of();
    live_blocks_read((const unsigned char *)body, n - (size_t)(body - answer), 100, &got);
    assert_int_equal(got.n, 4);
    assert_int_equal(got.first, 1);
    static const int64_t want[] = {103, 107, 4, 9};
    for (int k = 0; k < 4; k++)
        assert_int_equal(got.time[k], want[k]);
    assert_int_equal(got.place[2], 7); /* the second segment begins where the first one ended */
    assert_int_equal(got.n_occurrences, 1);
    assert_int_equal(got.item[0], 1);
    assert_int_equal(got.count[0], 41);
    assert_true(got.places[0][2] == 12);
    assert_int_equal(get(&r, "/state?counts=1&token=" TOKEN), 200);
    assert_non_null(strstr(answer, "\"counts\":[0,41]"));
    assert_non_null(strstr(answer, "\"labels\":[\"\\u003c0\\u003e\""));
    assert_non_null(strstr(answer, "{\"pattern\":true,\"name\":\"pattern\",\"units\":[3,2,1]}"));
    assert_int_equal(get(&r, "/state?labels=3&items=2&token=" TOKEN), 200);
    assert_non_null(strstr(answer, "\"labels_from\":3,\"labels\":[\"\\u003c3\\u003e\"]"));
    assert_non_null(strstr(answer, "\"items\":[]"));
    assert_null(strstr(answer, "\"counts\""));
    assert_int_equal(get(&r, "/data?spikes=x&token=" TOKEN), 400);
    assert_int_equal(get(&r, "/data?spikes=-1&token=" TOKEN), 400);
    assert_int_equal(get(&r, "/data?spikes=9007199254740992&token=" TOKEN), 200);
    close_rig(&r);
}

/* ---- partitions ------------------------------------------------------------------------------ */

/* <0> then <1> then <2>, each 5 ticks after the one before, n times from `start` on. */
static void push_chains(rig *r, int64_t start, int n)
{
    for (int k = 0; k < n; k++) {
        const int64_t at = start + 50 * k;
        push(r, 3, (const int64_t[]){at, at + 5, at + 10}, (const uint32_t[]){2, 0, 1});
    }
}

static void take_partition(rig *r, spk_partitions *partitions)
{
    const spk_partition_result *result;
    assert_int_equal(spk_partitions_take(r->context, partitions, 0, &result), SPK_OK);
    assert_non_null(result);
    assert_int_equal(spk_live_page_partition(r->context, r->page, result), SPK_OK);
}

/* Names, counts, trends and steps of two partitions; units of steps are the stream's. */
static void test_partitions_are_told(void **state)
{
    (void)state;
    static const spk_delay delay = {{4, -3}, {6, -3}};
    rig r;
    spk_episode_options episodes;
    spk_partitions_options options;
    spk_partitions *partitions;
    open_rig(&r, NULL);
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = &delay;
    episodes.n_delays = 1;
    episodes.support = 3;
    spk_partitions_options_init(&options, sizeof options);
    options.length = options.step = (spk_duration){1, 0};
    options.episodes = &episodes;
    assert_int_equal(spk_partitions_create(r.context, r.stream, &options, &partitions), SPK_OK);
    push_chains(&r, 0, 5);
    push_chains(&r, 1000, 7);
    push(&r, 1, (const int64_t[]){2100}, (const uint32_t[]){3});
    push(&r, 1, (const int64_t[]){3100}, (const uint32_t[]){3});
    for (int k = 0; k < 3; k++)
        take_partition(&r, partitions);
    rest(300);
    assert_int_equal(get(&r, "/state?labels=4&token=" TOKEN), 200);
#define STEP " (4ms,6ms] "
#define LT   "\\u003c"
#define GT   "\\u003e"
    const char *first = strstr(
        answer, "{\"number\":0,\"state\":\"mined\",\"start_s\":0,\"stop_s\":1,\"events\":15");
    const char *second = strstr(
        answer, "{\"number\":1,\"state\":\"mined\",\"start_s\":1,\"stop_s\":2,\"events\":21");
    const char *third = strstr(answer, "{\"number\":2,\"state\":\"mined\",");
    assert_non_null(first);
    assert_non_null(second);
    assert_non_null(third);
    static const char *const names[] = {
        "[\"" LT "2" GT STEP LT "0" GT STEP LT "1" GT "\",5,null,\"new\",null]",
        "[\"" LT "2" GT STEP LT "0" GT STEP LT "1" GT "\",7,5,\"growing\",null]",
        "[\"" LT "2" GT STEP LT "0" GT STEP LT "1" GT "\",7]"};
    const char *found = strstr(answer, names[0]);
    assert_true(found > first && found < second);
    found = strstr(answer, names[1]);
    assert_true(found > second && found < third);
    found = strstr(answer, names[2]); /* vanished */
    assert_true(found > third);
    assert_non_null(strstr(first, "[2,0,5,\"new\"]"));
    assert_non_null(strstr(second, "[2,0,7,\"growing\"]"));
    assert_non_null(strstr(second, "[0,1,7,\"growing\"]"));
    assert_non_null(strstr(third, "\"gone\":3,"));
    assert_non_null(strstr(answer, "\"partitions_from\":0"));
    assert_int_equal(get(&r, "/state?labels=4&partitions=2&token=" TOKEN), 200);
    assert_null(strstr(answer, "{\"number\":1"));
    assert_non_null(strstr(answer, "{\"number\":2"));
    spk_partitions_free(partitions);
    close_rig(&r);
}

/* ---- what is too large ------------------------------------------------------------------------
 */

static void test_sizes_are_limited(void **state)
{
    (void)state;
    rig r;
    static char path[40000], more[40000];
    open_rig(&r, NULL);
    snprintf(path, sizeof path, "/state?token=" TOKEN "&labels=%0900d", 0);
    assert_int_equal(get(&r, path),
                     400); /* a number of 900 digits, in an address that is allowed */
    memset(path, 'a', sizeof path);
    memcpy(path, "/state?token=" TOKEN "&x=", strlen("/state?token=" TOKEN "&x="));
    path[1200] = '\0';
    assert_int_equal(get(&r, path), 414);
    memset(path + 1200, 'a', sizeof path - 1200);
    path[30000] = '\0';
    assert_int_not_equal(get(&r, path), 200);
    memset(more, 'h', sizeof more);
    memcpy(more, "Host: localhost\r\nX-Long: ", strlen("Host: localhost\r\nX-Long: "));
    memcpy(more + 30000, "\r\n", 3);
    assert_int_not_equal(ask(&r, "GET", "/state?token=" TOKEN, more, NULL, NULL), 200);
    assert_int_equal(ask(&r, "POST", "/action?token=" TOKEN,
                         "Host: localhost\r\nContent-Length: 100000\r\n", "x", NULL),
                     413);
    assert_int_equal(ask(&r, "GET", "/state?token=" TOKEN,
                         "Host: localhost\r\nContent-Length: 5\r\n", "12345", NULL),
                     413);
    memset(more, 'a', 2000);
    more[2000] = '\0';
    snprintf(path, sizeof path, "7d0\r\n%s\r\n0\r\n\r\n", more);
    assert_int_equal(ask(&r, "POST", "/action?token=" TOKEN,
                         "Host: localhost\r\nTransfer-Encoding: chunked\r\n", path, NULL),
                     413);
    assert_int_equal(ask(&r, "DELETE", "/?token=" TOKEN, "Host: localhost\r\n", NULL, NULL), 405);
    assert_int_equal(
        ask(&r, "POST", "/?token=" TOKEN, "Host: localhost\r\nContent-Length: 1\r\n", "x", NULL),
        405);
    assert_int_equal(get(&r, "/state?token=" TOKEN), 200); /* and it goes on */
    close_rig(&r);
}

/* ---- orders ---------------------------------------------------------------------------------- */

static int order(const rig *r, const char *more, const char *body)
{
    char head[512];
    snprintf(head, sizeof head, "Host: localhost:%u\r\nContent-Length: %zu\r\n%s", r->port,
             strlen(body), more);
    return ask(r, "POST", "/action", head, body, NULL);
}

static void test_orders(void **state)
{
    (void)state;
    rig r;
    char cookie[128], page[256];
    const char *const token = "X-Spikemine-Token: " TOKEN "\r\n";
    spk_live_page_action action;
    open_rig(&r, NULL);
    assert_false(spk_live_page_next_action(r.page, &action));
    /* Nothing has begun that could be marked. */
    assert_int_equal(order(&r, token, "action=mark&place=5&text=x"), 409);
    push(&r, 2, (const int64_t[]){100, 250}, (const uint32_t[]){0, 1});
    rest(300);
    assert_int_equal(order(&r, token, "action=mark&place=150&text=cue+1%21"), 200);
    assert_int_equal(order(&r, token, "action=speed&value=2.5"), 200);
    assert_true(spk_live_page_next_action(r.page, &action));
    assert_int_equal(action.request, SPK_LIVE_PAGE_MARK);
    assert_int_equal(action.time, 250); /* places count from the first tick, 100 */
    assert_string_equal(action.text, "cue 1!");
    assert_true(spk_live_page_next_action(r.page, &action));
    assert_int_equal(action.request, SPK_LIVE_PAGE_SPEED);
    assert_true(action.value == 2.5);
    assert_false(spk_live_page_next_action(r.page, &action));
    /* A cookie alone does not command: another page could make the browser send it. */
    snprintf(cookie, sizeof cookie, "Cookie: spikemine_%u=" TOKEN "\r\n", r.port);
    assert_int_equal(order(&r, cookie, "action=pause&value=1"), 403);
    snprintf(page, sizeof page, "%sOrigin: http://localhost:%u\r\n", cookie, r.port);
    assert_int_equal(order(&r, page, "action=pause&value=1"), 200);
    assert_int_equal(order(&r, page, "action=unmark&place=1"), 200);
    assert_int_equal(order(&r, page, "action=unmark&place=1"), 409);
    static const char *const wrong[] = {"",
                                        "action",
                                        "action=stop",
                                        "action=speed&value=-1",
                                        "action=speed&value=1e9",
                                        "action=speed&value=nan",
                                        "action=pause&value=2",
                                        "action=mark&place=-5",
                                        "action=mark&place=99999999999999999",
                                        "action=mark&text=%0a",
                                        "action=mark&text=%ff",
                                        "action=mark&text=%4",
                                        "value=1",
                                        "action=speed&value=1&other=2"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(order(&r, token, wrong[k]), 400);
    /* What nobody takes is refused in the end, and nothing grows. */
    int status = 200;
    for (int k = 0; k < 100 && status == 200; k++)
        status = order(&r, token, "action=speed&value=1");
    assert_int_equal(status, 409);
    close_rig(&r);
}

/* ---- slow clients, many clients -----------------------------------------------------------------
 */

static spk_live_page_options impatient(void)
{
    spk_live_page_options options;
    spk_live_page_options_init(&options, sizeof options);
    options.client_timeout_s = 1;
    return options;
}

/* One that never ends its request, and one that sends a byte at a time, are let go. */
static void test_slow_requests_end(void **state)
{
    (void)state;
    rig r;
    const spk_live_page_options options = impatient();
    open_rig(&r, &options);
    const int silent = dial(&r), slow = dial(&r);
    say(silent, "GET / HT", 8);
    const double begin = now_s();
    bool ended = false;
    for (int k = 0; k < 300 && !ended; k++) {
        struct pollfd look = {.fd = slow, .events = POLLIN};
        say(slow, "G", 1);
        ended = poll(&look, 1, 20) > 0;
    }
    assert_true(ended);
    assert_true(now_s() - begin < 5);
    assert_int_equal(hear(silent, NULL), 0);
    close(silent);
    close(slow);
    rest(200);
    assert_true(facts_of(&r).dropped >= 1);
    assert_int_equal(facts_of(&r).clients, 0);
    close_rig(&r);
}

static atomic_bool feeding;

/* Meters make news as often as there can be some. */
static void *feed_meters(void *user)
{
    rig *r = user;
    spk_live_meters meters;
    memset(&meters, 0, sizeof meters);
    memset(meters.source, 's', sizeof meters.source - 1);
    for (int64_t k = 0; atomic_load(&feeding); k++) {
        meters.counts.accepted = (uint64_t)k;
        spk_live_page_meters(r->page, &meters);
        rest(10);
    }
    return NULL;
}

/* A browser that asks for much and reads nothing is dropped; memory does not grow for it. */
static void test_slow_reader_is_dropped(void **state)
{
    (void)state;
    rig r;
    static int64_t time[100000];
    static uint32_t unit[100000];
    char text[256];
    const spk_live_page_options options = impatient();
    open_rig(&r, &options);
    for (int k = 0; k < 100000; k++) {
        time[k] = k;
        unit[k] = (uint32_t)k % 4;
    }
    push(&r, 100000, time, unit);
    rest(200);
    const int client = dial(&r);
    const int small = 4096;
    setsockopt(client, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    const int n = snprintf(text, sizeof text,
                           "GET /data?token=" TOKEN " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (int k = 0; k < 20; k++)
        say(client, text, (size_t)n);
    const double begin = now_s();
    while (facts_of(&r).dropped == 0 && now_s() - begin < 8)
        rest(50);
    assert_true(facts_of(&r).dropped >= 1);
    assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    close(client);
    close_rig(&r);
}

/* A reader of news gets them one after the other; after a pause the newest, not all. */
static void test_news(void **state)
{
    (void)state;
    rig r;
    pthread_t feeder;
    open_rig(&r, NULL);
    const int client = dial(&r);
    const char *const text = "GET /news?token=" TOKEN " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    say(client, text, strlen(text));
    atomic_store(&feeding, true);
    assert_int_equal(pthread_create(&feeder, NULL, feed_meters, &r), 0);
    rest(600);
    ssize_t n = recv(client, answer, ANSWER - 1, 0);
    assert_true(n > 0);
    answer[n] = '\0';
    assert_non_null(strstr(answer, "text/event-stream"));
    int texts = 0;
    for (const char *at = answer; (at = strstr(at, "data: {")) != NULL; at++)
        texts++;
    assert_in_range(texts, 3, 14); /* one in 50 ms at most */
    assert_non_null(strstr(answer, "\"accepted\":"));
    atomic_store(&feeding, false);
    pthread_join(feeder, NULL);
    /* The server says something each second, so that silence means it has gone. */
    while ((n = recv(client, answer, ANSWER - 1, MSG_DONTWAIT)) > 0)
        continue;
    struct pollfd look = {.fd = client, .events = POLLIN};
    assert_int_equal(poll(&look, 1, 3000), 1);
    assert_true(recv(client, answer, ANSWER - 1, 0) > 0);
    close(client);
    close_rig(&r);
}

/* More clients than there are places: the others wait, nobody is lost, the page ends in time. */
static void test_many_clients(void **state)
{
    (void)state;
    rig r;
    spk_live_page_options options;
    spk_live_page_options_init(&options, sizeof options);
    options.max_clients = 8;
    options.client_timeout_s = 1;
    open_rig(&r, &options);
    int client[40];
    const char *const text = "GET /state?token=" TOKEN " HTTP/1.0\r\nHost: localhost\r\n\r\n";
    for (int k = 0; k < 40; k++)
        client[k] = dial(&r);
    rest(200);
    assert_true(facts_of(&r).clients <= 8);
    for (int k = 0; k < 40;
         k++) /* the first eight are asked last: idle ones must go for the others */
        say(client[39 - k], text, strlen(text));
    int served = 0;
    for (int k = 0; k < 40; k++) {
        served += hear(client[k], NULL) == 200;
        close(client[k]);
    }
    assert_true(served >= 32);
    close_rig(&r);
}

/* ---- a flood --------------------------------------------------------------------------------- */

static void *flood(void *user)
{
    const rig *r = user;
    static const char *const text[] = {
        "GET /data?token=" TOKEN " HTTP/1.0\r\nHost: localhost\r\n\r\n",
        "GET /state?token=" TOKEN "&counts=1 HTTP/1.0\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n", "\x16\x03\x01nonsense\r\n\r\n"};
    char sink[65536];
    for (int k = 0; atomic_load(&feeding); k++) {
        const int client = dial(r);
        say(client, text[k % 4], strlen(text[k % 4]));
        while (recv(client, sink, sizeof sink, 0) > 0)
            continue;
        close(client);
    }
    return NULL;
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* While clients ask for the whole history again and again, a push of 100 spikes takes as long as
 * without them, but for the time in which the machine is busy elsewhere: the median tells. */
static void test_flood_does_not_slow_the_feeding(void **state)
{
    (void)state;
    rig r;
    enum { PUSHES = 3000, SPIKES = 100, FLOODERS = 3 };
    static double taken[PUSHES];
    pthread_t thread[FLOODERS];
    int64_t time[SPIKES];
    uint32_t unit[SPIKES];
    open_rig(&r, NULL);
    atomic_store(&feeding, true);
    for (int k = 0; k < FLOODERS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, flood, &r), 0);
    int64_t now = 0;
    for (int k = 0; k < PUSHES; k++) {
        for (int i = 0; i < SPIKES; i++) {
            time[i] = now++;
            unit[i] = (uint32_t)i % 4;
        }
        const double begin = now_s();
        push(&r, SPIKES, time, unit);
        taken[k] = now_s() - begin;
        if (k % 4 == 0)
            rest(1);
    }
    atomic_store(&feeding, false);
    for (int k = 0; k < FLOODERS; k++)
        pthread_join(thread[k], NULL);
    qsort(taken, PUSHES, sizeof *taken, compare_reals);
    print_message("a push beside a flood: median %.1f us, 99 of 100 %.1f us\n",
                  1e6 * taken[PUSHES / 2], 1e6 * taken[PUSHES * 99 / 100]);
    assert_true(taken[PUSHES / 2] < 1e-3);
    assert_int_equal(spk_live_stream_counts(r.stream).accepted, PUSHES * SPIKES);
    rest(200);
    const spk_live_page_facts facts = facts_of(&r);
    assert_true(facts.answers > 0 && facts.refused > 0);
    assert_int_equal(facts.history_spikes + facts.unseen, PUSHES * SPIKES);
    close_rig(&r);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_no_token_no_data),
        cmocka_unit_test(test_cookie_after_the_first_visit),
        cmocka_unit_test(test_foreign_names_are_refused),
        cmocka_unit_test(test_browser_gets_what_was_pushed),
        cmocka_unit_test(test_partitions_are_told),
        cmocka_unit_test(test_sizes_are_limited),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_slow_requests_end),
        cmocka_unit_test(test_slow_reader_is_dropped),
        cmocka_unit_test(test_news),
        cmocka_unit_test(test_many_clients),
        cmocka_unit_test(test_flood_does_not_slow_the_feeding),
    };
    return spk_live_page_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
