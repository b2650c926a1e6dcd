/* The page of a live stream as a client of raw sockets sees it: start and end, what is remembered,
 * partitions and orders. */
#include <sys/socket.h>

#include "support/live_blocks.h"
#include "support/page_client.h"
#include "support/test.h"

#define LETTERS_16  "0123456789abcdef"
#define LETTERS_64  LETTERS_16 LETTERS_16 LETTERS_16 LETTERS_16
#define LETTERS_128 LETTERS_64 LETTERS_64

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
    spk_live_page_free(r.page);
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
    spk_live_page_free(page);
    close_rig(&r);
}

/* A page without a stream serves its meters and takes no marks; with the stream it goes on as any.
 */
static void test_page_before_its_stream(void **state)
{
    (void)state;
    rig r;
    spk_live_page_options options;
    spk_live_meters meters = {.state = "waiting for rig:5556 (try 3)"};
    const uint32_t unit = 0;
    char more[128];
    open_rig(&r, NULL);
    spk_live_page_free(r.page);
    spk_live_page_options_init(&options, sizeof options);
    options.token = TOKEN;
    options.port = (uint16_t)r.port;
    assert_int_equal(spk_live_page_start(r.context, NULL, &options, &r.page), SPK_OK);
    assert_int_equal(spk_live_page_item(r.context, r.page, false, 0, "0", 1, &unit),
                     SPK_ERR_ARGUMENT);
    spk_live_page_meters(r.page, &meters);
    const int client = dial(&r);
    const char *const text = "GET /news?token=" TOKEN " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    say(client, text, strlen(text));
    size_t n = 0;
    while (strstr(answer, "waiting for rig:5556") == NULL || n == 0) {
        const ssize_t got = recv(client, answer + n, ANSWER - 1 - n, 0);
        assert_true(got > 0);
        n += (size_t)got;
        answer[n] = '\0';
    }
    close(client);
    assert_non_null(strstr(answer, "\"rate\":[0,0]"));
    snprintf(more, sizeof more,
             "Host: localhost\r\nContent-Length: 19\r\nX-Spikemine-Token: " TOKEN "\r\n");
    assert_int_equal(ask(&r, "POST", "/action", more, "action=mark&place=0", NULL), 409);
    assert_int_equal(spk_live_page_set_stream(r.context, r.page, r.stream), SPK_OK);
    assert_int_equal(spk_live_page_set_stream(r.context, r.page, r.stream), SPK_ERR_ARGUMENT);
    push(&r, 2, (const int64_t[]){100, 250}, (const uint32_t[]){0, 1});
    rest(300);
    assert_int_equal(ask(&r, "POST", "/action", more, "action=mark&place=0", NULL), 200);
    assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    assert_non_null(strstr(answer, "\"labels\":[\"\\u003c0\\u003e\""));
    assert_int_equal(facts_of(&r).history_spikes, 2);
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
    assert_int_equal(get(&r, "/state?counts=0&token=" TOKEN), 200);
    assert_non_null(strstr(answer, "\"counts\":[0,41]"));
    assert_int_equal(get(&r, "/state?counts=1&token=" TOKEN), 200);
    assert_non_null(strstr(answer, "\"counts_from\":1,\"counts\":[41]"));
    assert_int_equal(get(&r, "/state?counts=0&token=" TOKEN), 200);
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

#define STEP  " (4ms,6ms] "
#define SHAPE ",[2,0,1],[4,6,4,6]" /* units, and ticks of the steps */
#define TRENDS(new, growing, vanished)                                                             \
    "\"trends\":{\"new\":" new ",\"growing\":" growing                                             \
                               ",\"steady\":0,\"shrinking\":0,\"vanished\":" vanished "}"
#define LT "\\u003c"
#define GT "\\u003e"

/* A rig whose stream is mined each second, with steps of 5 ms. */
static spk_partitions *open_mined(rig *r)
{
    static const spk_delay delay = {{4, -3}, {6, -3}};
    spk_episode_options episodes;
    spk_partitions_options options;
    spk_partitions *partitions;
    open_rig(r, NULL);
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = &delay;
    episodes.n_delays = 1;
    episodes.support = 3;
    spk_partitions_options_init(&options, sizeof options);
    options.length = options.step = (spk_duration){1, 0};
    options.episodes = &episodes;
    assert_int_equal(spk_partitions_create(r->context, r->stream, &options, &partitions), SPK_OK);
    return partitions;
}

/* Bursts of one unit come behind episodes between different ones, though they are longer. */
static void test_bursts_are_last(void **state)
{
    (void)state;
    rig r;
    spk_partitions *partitions = open_mined(&r);
    for (int k = 0; k < 9; k++)
        push(&r, 1, (const int64_t[]){5 * k}, (const uint32_t[]){3});
    push_chains(&r, 400, 4);
    push(&r, 1, (const int64_t[]){1100}, (const uint32_t[]){3});
    take_partition(&r, partitions);
    rest(300);
    assert_int_equal(get(&r, "/state?labels=4&token=" TOKEN), 200);
    const char *chain = strstr(answer, "[\"" LT "2" GT STEP LT "0" GT STEP LT "1" GT "\",4");
    const char *pair = strstr(answer, "[\"" LT "2" GT STEP LT "0" GT "\",4");
    const char *burst = strstr(answer, "[\"" LT "3" GT STEP LT "3" GT STEP LT "3" GT "\",3");
    assert_true(chain != NULL && chain < pair && pair < burst);
    spk_partitions_free(partitions);
    close_rig(&r);
}

/* Names, counts, trends and steps of two partitions; units of steps are the stream's. */
static void test_partitions_are_told(void **state)
{
    (void)state;
    rig r;
    spk_partitions *partitions = open_mined(&r);
    push_chains(&r, 0, 5);
    push_chains(&r, 1000, 17);
    push(&r, 1, (const int64_t[]){2100}, (const uint32_t[]){3});
    push(&r, 1, (const int64_t[]){3100}, (const uint32_t[]){3});
    for (int k = 0; k < 3; k++)
        take_partition(&r, partitions);
    rest(300);
    assert_int_equal(get(&r, "/state?labels=4&token=" TOKEN), 200);
    const char *first = strstr(
        answer, "{\"number\":0,\"state\":\"mined\",\"start_s\":0,\"stop_s\":1,\"events\":15");
    const char *second = strstr(
        answer, "{\"number\":1,\"state\":\"mined\",\"start_s\":1,\"stop_s\":2,\"events\":51");
    const char *third = strstr(answer, "{\"number\":2,\"state\":\"mined\",");
    assert_non_null(first);
    assert_non_null(second);
    assert_non_null(third);
    static const char *const names[] = {
        "[\"" LT "2" GT STEP LT "0" GT STEP LT "1" GT "\",5,null,\"new\",null" SHAPE ",null]",
        "[\"" LT "2" GT STEP LT "0" GT STEP LT "1" GT "\",17,5,\"growing\",null" SHAPE ",null]",
        "[\"" LT "2" GT STEP LT "0" GT STEP LT "1" GT "\",17" SHAPE "]"};
    const char *found = strstr(answer, names[0]);
    assert_true(found > first && found < second);
    found = strstr(answer, names[1]);
    assert_true(found > second && found < third);
    found = strstr(answer, names[2]); /* vanished */
    assert_true(found > third);
    assert_non_null(strstr(first, "[2,0,5,\"new\"]"));
    assert_non_null(strstr(second, "[2,0,17,\"growing\"]"));
    assert_non_null(strstr(second, "[0,1,17,\"growing\"]"));
    assert_non_null(strstr(first, TRENDS("3", "0", "0")));
    assert_true(strstr(second, TRENDS("0", "3", "0")) < third);
    assert_non_null(strstr(third, TRENDS("0", "0", "3")));
    assert_non_null(strstr(answer, "\"partitions_from\":0"));
    assert_int_equal(get(&r, "/state?labels=4&partitions=2&token=" TOKEN), 200);
    assert_null(strstr(answer, "{\"number\":1"));
    assert_non_null(strstr(answer, "{\"number\":2"));
    spk_partitions_free(partitions);
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
    assert_int_equal(order(&r, "", "action=pause&value=1"), 403);
    assert_int_equal(order(&r, token, "action=pause&value=1"), 200);
    assert_int_equal(order(&r, token, "action=unmark&place=1"), 200);
    assert_int_equal(order(&r, token, "action=unmark&place=1"), 409);
    /* The newest spike is the last moment that can be marked. */
    assert_int_equal(order(&r, token, "action=mark&place=151"), 409);
    assert_int_equal(order(&r, token, "action=mark&place=9007199254740992"), 409);
    assert_int_equal(order(&r, token, "action=mark&place=0&text=%D7%A9+%F0%9F%98%80"), 200);
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
                                        "action=mark&text=" LETTERS_128,
                                        "action=mark&text=%ff",
                                        "action=mark&text=a%E2%80%AEb",
                                        "action=mark&text=%E2%81%A6",
                                        "action=mark&text=%E2%80%8F",
                                        "action=mark&text=%D8%9C",
                                        "action=mark&text=a%E2%80%A8b",
                                        "action=mark&text=%E2%80%A9",
                                        "action=mark&text=%C2%85",
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

/* What is watched is chosen where the program allows it, on a page that this machine alone reaches;
 * a choice ends once, and there is room for so many. */
static void test_choices(void **state)
{
    (void)state;
    rig r;
    const char *const token = "X-Spikemine-Token: " TOKEN "\r\n";
    const char *const watch = "action=watch&text=%3C0%3E+(0,5ms]+%3C1%3E";
    spk_live_page_options options;
    spk_live_page_action action;
    spk_live_page_options_init(&options, sizeof options);
    for (int k = 0; k < 3; k++) {
        options.may_watch = k > 0;
        options.address = k == 1 ? "0.0.0.0" : "127.0.0.1";
        open_rig(&r, &options);
        assert_int_equal(order(&r, token, watch), k == 2 ? 200 : 409);
        if (k < 2)
            close_rig(&r);
    }
    assert_int_equal(order(&r, "", watch), 403);
    assert_int_equal(order(&r, token, "action=watch"), 400);
    assert_true(spk_live_page_next_action(r.page, &action));
    assert_int_equal(action.request, SPK_LIVE_PAGE_WATCH);
    assert_string_equal(action.text, "<0> (0,5ms] <1>");
    assert_int_equal(order(&r, token, "action=unwatch&place=0"), 409);
    const uint32_t unit[] = {0, 1};
    for (uint64_t item = 0; item < 257; item++) {
        assert_int_equal(spk_live_page_item(r.context, r.page, false, item, action.text, 2, unit),
                         SPK_OK);
        if (item > 0)
            spk_live_page_choice(r.page, item, true);
    }
    spk_live_page_choice(r.page, 257, true); /* nobody told of it */
    rest(300);
    assert_int_equal(order(&r, token, watch), 409);
    assert_int_equal(order(&r, token, "action=unwatch&place=0"), 409);
    assert_int_equal(order(&r, token, "action=unwatch&place=256"), 200);
    assert_true(spk_live_page_next_action(r.page, &action));
    assert_int_equal(action.request, SPK_LIVE_PAGE_UNWATCH);
    assert_int_equal(action.item, 256);
    spk_live_page_choice(r.page, 256, false);
    rest(300);
    assert_int_equal(order(&r, token, "action=unwatch&place=256"), 409);
    assert_int_equal(get(&r, "/state?items=256&token=" TOKEN), 200);
    assert_non_null(strstr(body_of(), "[255,true],[256,false]]"));
    close_rig(&r);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_page_before_its_stream),
        cmocka_unit_test(test_browser_gets_what_was_pushed),
        cmocka_unit_test(test_partitions_are_told),
        cmocka_unit_test(test_bursts_are_last),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_choices),
    };
    return spk_live_page_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
