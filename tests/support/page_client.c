/* A stream with its page for tests, and a client of raw sockets that asks for it. */
#include "support/page_client.h"

#include "support/test.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

char answer[ANSWER];

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

void open_rig(rig *r, const spk_live_page_options *options)
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

void close_rig(rig *r)
{
    spk_live_page_free(r->page);
    spk_live_stream_free(r->stream);
    spk_context_free(r->context);
}

void push(rig *r, uint64_t n, const int64_t *time, const uint32_t *unit)
{
    assert_int_equal(spk_live_stream_push(r->context, r->stream, n, time, unit, NULL), SPK_OK);
}

spk_live_page_facts facts_of(rig *r)
{
    spk_live_page_facts facts;
    spk_live_page_get_facts(r->page, &facts);
    return facts;
}

void rest(int ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- a client -------------------------------------------------------------------------------- */

int dial(const rig *r)
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

void say(int to, const char *text, size_t n)
{
    for (size_t sent = 0; sent < n;) {
        const ssize_t more = send(to, text + sent, n - sent, MSG_NOSIGNAL);
        if (more <= 0)
            return; /* the server has heard enough */
        sent += (size_t)more;
    }
}

/* Everything until the server closes; the status, 0 where there was no answer. */
int hear(int from, size_t *bytes)
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
int ask(const rig *r, const char *method, const char *path, const char *more, const char *body,
        size_t *bytes)
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

int get(const rig *r, const char *path)
{
    char host[64];
    snprintf(host, sizeof host, "Host: 127.0.0.1:%u\r\n", r->port);
    return ask(r, "GET", path, host, NULL, NULL);
}

const char *body_of(void)
{
    const char *body = strstr(answer, "\r\n\r\n");
    assert_non_null(body);
    return body + 4;
}
