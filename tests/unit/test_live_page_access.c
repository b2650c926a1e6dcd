/* Who may see the page of a live stream, and how large a request may be. */
#include "support/page_client.h"
#include "support/test.h"

/* ---- who is let in --------------------------------------------------------------------------- */

static void test_no_token_no_data(void **state)
{
    (void)state;
    rig r;
    open_rig(&r, NULL);
    static const char *const path[] = {"/data", "/state", "/news", "/nothing", "/../etc/passwd"};
    for (size_t k = 0; k < sizeof path / sizeof path[0]; k++) {
        assert_int_equal(get(&r, path[k]), 403);
        assert_non_null(strstr(answer, "Content-Type: text/plain"));
        assert_null(strstr(answer, TOKEN));
    }
    assert_int_equal(get(&r, "/state?token="), 403);
    assert_int_equal(get(&r, "/state?token=0123456789abcdef-_XYz"), 403);
    assert_int_equal(get(&r, "/state?token=" TOKEN "0"), 403);
    assert_int_equal(get(&r, "/state?tokens=" TOKEN), 403);
    assert_int_equal(get(&r, "/state?token=" TOKEN), 200);
    assert_true(facts_of(&r).refused > 0 || (rest(200), facts_of(&r).refused > 0));
    close_rig(&r);
}

/* The page's own files are the same for everybody. No answer sets a cookie, which a browser would
 * send to whoever listens at another port, and no cookie is taken for a token. */
static void test_the_token_is_no_cookie(void **state)
{
    (void)state;
    rig r;
    char more[512];
    static const char *const file[] = {"/", "/live.js", "/live.css", ("/?token=" TOKEN),
                                       "/?token=wrong"};
    open_rig(&r, NULL);
    for (size_t k = 0; k < sizeof file / sizeof file[0]; k++) {
        assert_int_equal(get(&r, file[k]), 200);
        assert_null(strstr(answer, "Set-Cookie"));
        assert_null(strstr(answer, TOKEN));
        assert_non_null(strstr(answer, "Cache-Control: no-store"));
        assert_non_null(strstr(answer, "default-src 'none'"));
        assert_null(strstr(answer, "unsafe"));
    }
    snprintf(more, sizeof more,
             "Host: localhost:%u\r\nOrigin: http://localhost:%u\r\nCookie: token=" TOKEN
             "; spikemine_%u=" TOKEN "\r\n",
             r.port, r.port, r.port);
    assert_int_equal(ask(&r, "GET", "/data", more, NULL, NULL), 403);
    snprintf(more, sizeof more, "Host: localhost:%u\r\nX-Spikemine-Token: " TOKEN "\r\n", r.port);
    assert_int_equal(ask(&r, "GET", "/data", more, NULL, NULL), 200);
    assert_int_equal(ask(&r, "GET", "/nothing", more, NULL, NULL), 404);
    close_rig(&r);
}

/* Says `n` bytes, which have a zero byte in them, and hears the answer. */
static int with_bytes(const rig *r, const char *text, size_t n)
{
    const int client = dial(r);
    say(client, text, n);
    const int status = hear(client, NULL);
    close(client);
    return status;
}

/* What follows a zero byte is nothing that a text is compared with. */
static void test_zero_bytes_are_refused(void **state)
{
    (void)state;
    rig r;
#define END " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    static const char address[] = "GET /state\0x?token=" TOKEN END "\r\n";
    static const char query[] = "GET /state?token=" TOKEN "\0x" END "\r\n";
    static const char header[] = "GET /state" END "X-Spikemine-Token: " TOKEN "\0x\r\n\r\n";
    static const char host[] =
        "GET /state?token=" TOKEN " HTTP/1.1\r\nHost: localhost\0.evil.org\r\n\r\n";
    open_rig(&r, NULL);
    assert_int_equal(get(&r, "/state?token=" TOKEN "%00"), 400);
    assert_int_equal(get(&r, "/state?token=" TOKEN "%00more"), 400);
    assert_int_equal(get(&r, "/state%00x?token=" TOKEN), 400);
    assert_int_equal(get(&r, "/%00?token=" TOKEN), 400);
    assert_int_not_equal(with_bytes(&r, address, sizeof address - 1), 200);
    assert_int_not_equal(with_bytes(&r, query, sizeof query - 1), 200);
    assert_int_not_equal(with_bytes(&r, header, sizeof header - 1), 200);
    assert_int_not_equal(with_bytes(&r, host, sizeof host - 1), 200);
    static const char plain[] =
        "GET /state HTTP/1.0\nHost: localhost\nX-Spikemine-Token: " TOKEN "\nAccept: */*\n\n";
    assert_int_equal(with_bytes(&r, plain, sizeof plain - 1), 200);
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
    memset(more, 'a', 3000);
    more[3000] = '\0';
    snprintf(path, sizeof path, "bb8\r\n%.3000s\r\n0\r\n\r\n", more);
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_token_no_data),
        cmocka_unit_test(test_the_token_is_no_cookie),
        cmocka_unit_test(test_zero_bytes_are_refused),
        cmocka_unit_test(test_foreign_names_are_refused),
        cmocka_unit_test(test_sizes_are_limited),
    };
    return spk_live_page_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
