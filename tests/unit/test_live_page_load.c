/* Clients of the page that are slow or many: they are let go or wait, memory stays, and none slows
 * the feeding. */
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "support/page_client.h"
#include "support/test.h"

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

/* More idle clients than there are places keep out nobody who has the token: those go that have
 * waited longest without it. The news stay. */
static void test_strangers_keep_nobody_out(void **state)
{
    (void)state;
    rig r;
    enum { IDLE = 200 };
    spk_live_page_options options;
    spk_live_page_options_init(&options, sizeof options);
    options.max_clients = 8;
    options.client_timeout_s = 60;
    open_rig(&r, &options);
    int client[IDLE];
    const char *const text = "GET /news?token=" TOKEN " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const int reader = dial(&r);
    say(reader, text, strlen(text));
    assert_true(recv(reader, answer, ANSWER - 1, 0) > 0);
    for (int k = 0; k < IDLE; k++) {
        client[k] = dial(&r);
        if (k % 3 == 0)
            say(client[k], "GET / HT", 8);
        if (k % 20 == 19)
            assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    }
    rest(200);
    assert_true(facts_of(&r).clients <= 16);
    assert_in_range(facts_of(&r).dropped, IDLE - 16, IDLE);
    assert_true(recv(reader, answer, ANSWER - 1, 0) > 0); /* once a second at least */
    for (int k = 0; k < IDLE; k++)
        close(client[k]);
    close(reader);
    close_rig(&r);
}

/* Clients with the token that read nothing cost an answer each, of a piece of the history, whatever
 * it holds; and they keep nobody out. */
static void test_who_reads_nothing_costs_little(void **state)
{
    (void)state;
    rig r;
    enum { SPIKES = 200000, OCCURRENCES = 30000, CLIENTS = 100 };
    static int64_t time[SPIKES];
    static uint32_t unit[SPIKES];
    int client[CLIENTS];
    const char *const text = "GET /data?token=" TOKEN " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    open_rig(&r, NULL);
    for (int k = 0; k < SPIKES; k++)
        time[k] = k;
    push(&r, SPIKES, time, unit);
    assert_int_equal(spk_live_page_item(r.context, r.page, false, 0, "0", 2, unit), SPK_OK);
    for (uint64_t k = 0; k < OCCURRENCES; k++) {
        const spk_live_occurrence o = {.size = 2, .time = time + k, .count = k + 1};
        assert_int_equal(spk_live_page_occurrence(r.page, &o), SPK_OK);
    }
    rest(300);
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    size_t most = 0;
    for (int k = 0; k < CLIENTS; k++) {
        const int small = 4096;
        client[k] = dial(&r);
        setsockopt(client[k], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        say(client[k], text, strlen(text));
        const size_t now = mallinfo2().uordblks + mallinfo2().hblkhd;
        most = now > most ? now : most;
        if (k % 10 == 9)
            assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    }
    assert_true(most - before < 64 * (size_t)360000);
    assert_true(facts_of(&r).clients <= 128);
    for (int k = 0; k < CLIENTS; k++)
        close(client[k]);
    close_rig(&r);
}

/* Where every place has a reader of news, the oldest one makes room for who has the token. */
static void test_news_make_room(void **state)
{
    (void)state;
    rig r;
    int client[12];
    const char *const text = "GET /news?token=" TOKEN " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    spk_live_page_options options;
    spk_live_page_options_init(&options, sizeof options);
    options.max_clients = 4;
    open_rig(&r, &options);
    for (int k = 0; k < 12; k++) {
        client[k] = dial(&r);
        say(client[k], text, strlen(text));
        assert_true(recv(client[k], answer, ANSWER - 1, 0) > 0);
        assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    }
    for (int k = 0; k < 12; k++)
        close(client[k]);
    close_rig(&r);
}

/* ---- a flood --------------------------------------------------------------------------------- */

static void *flood(void *user)
{
    const rig *r = user;
    static const char *const text[] = {
        "GET /data?token=" TOKEN " HTTP/1.0\r\nHost: localhost\r\n\r\n",
        "GET /state?token=" TOKEN "&counts=0 HTTP/1.0\r\nHost: localhost\r\n\r\n",
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
        cmocka_unit_test(test_slow_requests_end),
        cmocka_unit_test(test_slow_reader_is_dropped),
        cmocka_unit_test(test_news),
        cmocka_unit_test(test_strangers_keep_nobody_out),
        cmocka_unit_test(test_who_reads_nothing_costs_little),
        cmocka_unit_test(test_news_make_room),
        cmocka_unit_test(test_flood_does_not_slow_the_feeding),
    };
    return spk_live_page_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
