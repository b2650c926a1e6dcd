/* HTTP by libmicrohttpd. */
#include "live/page/page.h"

#include "base/build_config.h"
#include "base/memory.h"

#if SPIKEMINE_HAVE_MICROHTTPD
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    REQUEST_MEMORY = 16 << 10, /* of a connection: header lines, and what is on its way out */
    SEND_BUFFER = 256 << 10,   /* in the system, for a client */
    REQUEST_SECONDS = 30,      /* that a request may take from its first byte to its last */
    SPARE_CLIENTS = 16         /* connections that were ended and are not closed yet */
};

/* One connection. */
typedef struct client {
    struct client *next, *before;
    int socket;
    int64_t since_ms; /* since when its request is under way, or it was idle */
    bool reads_news;
    bool waits; /* it has read all news */
    bool known; /* it has shown the token */
    bool ended; /* shut down by us */
} client;

/* One request. */
typedef struct exchange {
    const char *address; /* of path and query, as it came; to compare places only */
    size_t address_length;
    bool has_nul;
    bool checked;
    char body[REQUEST_MOST_BODY];
    size_t body_length;
    bool body_too_long;
} exchange;

/* A browser that waits for news. */
typedef struct reader {
    struct reader *next, *before;
    http *server;
    struct MHD_Connection *connection;
    client *client;
    uint64_t seen; /* number of the last news that it was given */
    char *text;    /* on its way */
    size_t n, sent;
    bool suspended;
} reader;

struct http {
    spk_live_page *page;
    struct MHD_Daemon *daemon;
    client *clients;
    reader *readers;
    uint64_t n_clients, n_readers;
    uint64_t answers, refused, dropped;
    uint64_t max_clients;
    double timeout_s;
    int64_t swept_ms;
    bool closing;
};

/* ---- connections ----------------------------------------------------------------------------- */

/* Ends a connection; libmicrohttpd closes it in its next step. */
static void end_client(http *server, client *gone)
{
    gone->ended = true;
    server->dropped++;
    shutdown(gone->socket, SHUT_RDWR);
}

/* Whether `a` goes rather than `b`: one that stands with an answer or idle before one that has read
 * all news, and then the older one. */
static bool goes_before(const client *a, const client *b)
{
    return a->waits != b->waits ? b->waits : a->since_ms <= b->since_ms;
}

/* As many clients with the token as are allowed, and as many without: one too many ends another one
 * of its kind. So strangers keep out nobody who has the token, and who has it comes in. */
static void keep_to_limit(http *server, const client *fresh)
{
    client *first = NULL;
    uint64_t n = 1;
    for (client *each = server->clients; each != NULL; each = each->next) {
        if (each->ended || each == fresh || each->known != fresh->known)
            continue;
        n++;
        if (first == NULL || goes_before(each, first))
            first = each;
    }
    if (n > server->max_clients && first != NULL)
        end_client(server, first);
}

static void add_client(http *server, struct MHD_Connection *connection, void **place)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    client *made = calloc(1, sizeof *made);
    *place = made;
    if (made == NULL)
        return;
    made->socket = info != NULL ? info->connect_fd : -1;
    made->since_ms = page_now_ms();
    made->next = server->clients;
    if (made->next != NULL)
        made->next->before = made;
    server->clients = made;
    server->n_clients++;
    const int size = SEND_BUFFER;
    if (made->socket >= 0)
        setsockopt(made->socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    keep_to_limit(server, made);
}

static void remove_client(http *server, client *gone)
{
    if (gone == NULL)
        return;
    if (gone->before != NULL)
        gone->before->next = gone->next;
    else
        server->clients = gone->next;
    if (gone->next != NULL)
        gone->next->before = gone->before;
    server->n_clients--;
    free(gone);
}

static void connection_changed(void *user, struct MHD_Connection *connection, void **place,
                               enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        add_client(user, connection, place);
    } else {
        remove_client(user, *place);
        *place = NULL;
    }
}

static client *client_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

/* Ends connections whose request takes too long, byte by byte though it may come. */
static void sweep(http *server)
{
    const int64_t now = page_now_ms();
    if (now - server->swept_ms < 250)
        return;
    server->swept_ms = now;
    const double seconds =
        server->timeout_s < REQUEST_SECONDS ? 2 * server->timeout_s : server->timeout_s;
    for (client *each = server->clients; each != NULL; each = each->next) {
        if (each->reads_news || each->ended || (double)(now - each->since_ms) < 1000 * seconds)
            continue;
        end_client(server, each);
    }
}

/* ---- news ------------------------------------------------------------------------------------ */

static void remove_reader(void *user)
{
    reader *gone = user;
    http *server = gone->server;
    if (gone->before != NULL)
        gone->before->next = gone->next;
    else
        server->readers = gone->next;
    if (gone->next != NULL)
        gone->next->before = gone->before;
    server->n_readers--;
    free(gone->text);
    free(gone);
}

/* Takes a copy of the newest text, unless the reader has had it. */
static bool take_news(reader *r)
{
    const page_news *news = &r->server->page->news;
    if (news->number == r->seen || news->text == NULL)
        return false;
    char *copy = realloc(r->text, news->n);
    if (copy == NULL)
        return false;
    memcpy(copy, news->text, news->n);
    r->text = copy;
    r->n = news->n;
    r->sent = 0;
    r->seen = news->number;
    return true;
}

static ssize_t read_news(void *user, uint64_t position, char *out, size_t most)
{
    reader *r = user;
    (void)position;
    if (r->server->closing)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (r->sent == r->n && !take_news(r)) {
        r->suspended = true;
        if (r->client != NULL)
            r->client->waits = true;
        MHD_suspend_connection(r->connection);
        return 0;
    }
    const size_t left = r->n - r->sent, n = left < most ? left : most;
    memcpy(out, r->text + r->sent, n);
    r->sent += n;
    return (ssize_t)n;
}

static struct MHD_Response *make_news(http *server, struct MHD_Connection *connection)
{
    static const char first[] = "retry: 1000\n\n";
    reader *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->server = server;
    made->connection = connection;
    made->client = client_of(connection);
    made->n = sizeof first - 1;
    made->text = malloc(made->n);
    struct MHD_Response *response = NULL;
    if (made->text != NULL)
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_news, made,
                                                     remove_reader);
    if (response == NULL) {
        free(made->text);
        free(made);
        return NULL;
    }
    memcpy(made->text, first, made->n);
    made->next = server->readers;
    if (made->next != NULL)
        made->next->before = made;
    server->readers = made;
    server->n_readers++;
    server->page->news.wanted = true;
    if (made->client != NULL)
        made->client->reads_news = true;
    return response;
}

void http_tell_news(http *server)
{
    for (reader *r = server->readers; r != NULL; r = r->next) {
        if (!r->suspended)
            continue;
        r->suspended = false;
        if (r->client != NULL)
            r->client->waits = false;
        MHD_resume_connection(r->connection);
    }
}

uint64_t http_n_readers(const http *server)
{
    return server->n_readers;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* What browsers are told of every answer: nothing may be kept, embedded, or fetched elsewhere. */
static bool add_headers(struct MHD_Response *response, const char *type)
{
    static const char *const header[][2] = {
        {"Cache-Control", "no-store"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src "
         "'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"}};
    bool whole = MHD_add_response_header(response, "Content-Type", type) == MHD_YES;
    for (size_t k = 0; k < sizeof header / sizeof header[0]; k++)
        whole &= MHD_add_response_header(response, header[k][0], header[k][1]) == MHD_YES;
    return whole;
}

static enum MHD_Result send_answer(http *server, struct MHD_Connection *connection,
                                   http_answer *answer)
{
    struct MHD_Response *response;
    client *who = client_of(connection);
    const bool stays = who != NULL && who->known;
    void *fixed; /* the library takes a pointer that it does not write through */
    memcpy(&fixed, &answer->bytes, sizeof fixed);
    if (answer->news)
        response = make_news(server, connection);
    else if (answer->owned != NULL)
        response = MHD_create_response_from_buffer(answer->n, answer->owned, MHD_RESPMEM_MUST_FREE);
    else
        response = MHD_create_response_from_buffer(answer->n, fixed, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        free(answer->owned);
        return MHD_NO;
    }
    enum MHD_Result result = MHD_NO;
    if (add_headers(response, answer->type) &&
        (stays || MHD_add_response_header(response, "Connection", "close") == MHD_YES))
        result = MHD_queue_response(connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(http *server, struct MHD_Connection *connection, int status,
                              const char *why)
{
    char text[256];
    const int n = snprintf(text, sizeof text, "%s\n", why);
    server->refused++;
    struct MHD_Response *response =
        MHD_create_response_from_buffer((size_t)n, text, MHD_RESPMEM_MUST_COPY);
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result result = MHD_NO;
    if (add_headers(response, "text/plain; charset=utf-8") &&
        MHD_add_response_header(response, "Connection", "close") == MHD_YES)
        result = MHD_queue_response(connection, (unsigned)status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The whole address, before anything of it is read. */
static void *address_seen(void *user, const char *address, struct MHD_Connection *connection)
{
    (void)user;
    exchange *made = calloc(1, sizeof *made);
    client *who = client_of(connection);
    if (made != NULL) {
        made->address = address;
        made->address_length = strlen(address);
        made->has_nul = strstr(address, "%00") != NULL;
    }
    if (who != NULL)
        who->since_ms = page_now_ms();
    return made;
}

static void request_ended(void *user, struct MHD_Connection *connection, void **place,
                          enum MHD_RequestTerminationCode how)
{
    http *server = user;
    client *who = client_of(connection);
    if (who != NULL) {
        who->since_ms = page_now_ms();
        who->reads_news = who->waits = false;
    }
    if (how == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED && (who == NULL || !who->ended)) {
        server->dropped++;
        if (who != NULL)
            who->ended = true;
    }
    free(*place);
    *place = NULL;
}

static const char *query_of(void *user, const char *name)
{
    return MHD_lookup_connection_value(user, MHD_GET_ARGUMENT_KIND, name);
}

/* Ends the walk at the header that begins at the place in *user, which it takes away. */
static enum MHD_Result look_for_begin(void *user, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    const char **place = user;
    (void)kind;
    (void)value;
    if (name != *place)
        return MHD_YES;
    *place = NULL;
    return MHD_NO;
}

/* A header that was ended by a zero byte: what stands behind it in the buffer is neither the end of
 * its line nor the next header. Newer versions of libmicrohttpd refuse it by themselves. */
static bool goes_on(struct MHD_Connection *connection, const char *value)
{
    const char *rest = value + strlen(value) + 1;
    rest += strspn(rest, " \t");
    if (*rest == '\0' || *rest == '\r' || *rest == '\n')
        return false;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, look_for_begin, &rest);
    return rest != NULL;
}

static const char *header_of(struct MHD_Connection *connection, const char *name, bool *has_nul)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    *has_nul |= value != NULL && goes_on(connection, value);
    return value;
}

/* A length that is no number is one too large. */
static uint64_t announced_length(const char *text)
{
    uint64_t value = 0;
    return text == NULL || request_number(text, &value) ? value : UINT64_MAX;
}

/* The version stands behind the address in the line that came: one byte further than the address
 * ends, unless a zero byte ended it before. */
static bool is_cut(const exchange *e, const char *version)
{
    const uintptr_t from = (uintptr_t)e->address, to = (uintptr_t)version;
    return to > from && to - from < REQUEST_MEMORY && to - from != e->address_length + 1;
}

static int check(http *server, struct MHD_Connection *connection, const exchange *e,
                 const char *path, const char *method, const char **why)
{
    bool nul = e->has_nul;
    client *who = client_of(connection);
    request_facts r = {.method = method,
                       .host = header_of(connection, MHD_HTTP_HEADER_HOST, &nul),
                       .origin = header_of(connection, MHD_HTTP_HEADER_ORIGIN, &nul),
                       .query_token = query_of(connection, "token"),
                       .header_token = header_of(connection, "X-Spikemine-Token", &nul),
                       .address_length = e->address_length,
                       .is_open = page_is_open(path)};
    r.body_length = announced_length(header_of(connection, MHD_HTTP_HEADER_CONTENT_LENGTH, &nul));
    r.has_nul = nul;
    if (who != NULL && !who->known && request_is_known(&server->page->guard, &r)) {
        who->known = true;
        keep_to_limit(server, who);
    }
    return request_check(&server->page->guard, &r, why);
}

static void take_body(exchange *e, const char *bytes, size_t n)
{
    if (e->body_too_long || n > sizeof e->body - e->body_length) {
        e->body_too_long = true;
        return;
    }
    memcpy(e->body + e->body_length, bytes, n);
    e->body_length += n;
}

static enum MHD_Result answer(http *server, struct MHD_Connection *connection, const exchange *e,
                              const char *path, const char *method)
{
    const http_request asked = {.path = path,
                                .posts = strcmp(method, "POST") == 0,
                                .query = query_of,
                                .user = connection,
                                .body = e->body,
                                .body_length = e->body_length};
    http_answer made = {0};
    page_answer(server->page, &asked, &made);
    if (made.status == 200)
        server->answers++;
    else
        server->refused++;
    return send_answer(server, connection, &made);
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *bytes,
                              size_t *n_bytes, void **place)
{
    http *server = user;
    exchange *e = *place;
    if (e == NULL)
        return MHD_NO;
    if (!e->checked) {
        const char *why;
        e->checked = true;
        e->has_nul |= is_cut(e, version);
        const int status = check(server, connection, e, path, method, &why);
        return status != 0 ? refuse(server, connection, status, why) : MHD_YES;
    }
    if (*n_bytes > 0) {
        take_body(e, bytes, *n_bytes);
        *n_bytes = 0;
        return MHD_YES;
    }
    if (e->body_too_long)
        return refuse(server, connection, 413, "the request has a body that is too large");
    return answer(server, connection, e, path, method);
}

/* ---- life ------------------------------------------------------------------------------------ */

static spk_status fail_address(spk_context *context, const http_options *options, const char *why)
{
    return spk_fail(context, SPK_ERR_IO,
                    "the page cannot be served on %s port %u: %s; take "
                    "another address or port",
                    options->address, (unsigned)options->port, why);
}

/* A socket that listens on the address. */
static spk_status listen_on(spk_context *context, const http_options *options, int *out,
                            uint16_t *port)
{
    char service[8];
    struct addrinfo *found = NULL;
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    snprintf(service, sizeof service, "%u", (unsigned)options->port);
    if (getaddrinfo(options->address, service, &hints, &found) != 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "'%s' is no address of the page; give one such as 127.0.0.1 or ::1",
                        options->address);
    spk_status status = SPK_OK;
    const int on = 1;
    const int made = socket(found->ai_family, SOCK_STREAM, 0);
    if (made < 0 || setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(made, found->ai_addr, found->ai_addrlen) != 0 || listen(made, SOMAXCONN) != 0)
        status = fail_address(context, options, strerror(errno));
    struct sockaddr_storage taken;
    socklen_t length = sizeof taken;
    if (status == SPK_OK && (getsockname(made, (struct sockaddr *)&taken, &length) != 0 ||
                             getnameinfo((struct sockaddr *)&taken, length, NULL, 0, service,
                                         sizeof service, NI_NUMERICSERV) != 0))
        status = fail_address(context, options, "its port is unknown");
    freeaddrinfo(found);
    if (status != SPK_OK) {
        if (made >= 0)
            close(made);
        return status;
    }
    *out = made;
    *port = (uint16_t)strtoul(service, NULL, 10);
    return SPK_OK;
}

/* libmicrohttpd would print what it thinks of clients. */
static void be_silent(void *user, const char *format, va_list arguments)
{
    (void)user;
    (void)format;
    (void)arguments;
}

static spk_status start(spk_context *context, const http_options *options, http *server, int socket)
{
    const unsigned flags =
        MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
        (MHD_is_feature_supported(MHD_FEATURE_EPOLL) == MHD_YES ? (unsigned)MHD_USE_EPOLL : 0u);
    const double timeout = options->client_timeout_s < 1 ? 1 : options->client_timeout_s;
    server->daemon = MHD_start_daemon(
        flags, options->port, NULL, NULL, handle, server, MHD_OPTION_EXTERNAL_LOGGER, be_silent,
        NULL, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT,
        2 * (unsigned)options->max_clients + SPARE_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MEMORY,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server, MHD_OPTION_NOTIFY_COMPLETED,
        request_ended, server, MHD_OPTION_URI_LOG_CALLBACK, address_seen, server,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    if (server->daemon != NULL)
        return SPK_OK;
    close(socket);
    return fail_address(context, options, "libmicrohttpd did not start");
}

spk_status http_open(spk_context *context, const http_options *options, spk_live_page *page,
                     http **out, uint16_t *port)
{
    http *server = NULL;
    int socket = -1;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &server, 1, "the server of a page");
    if (status == SPK_OK)
        status = listen_on(context, options, &socket, port);
    if (status == SPK_OK) {
        server->page = page;
        server->max_clients = options->max_clients;
        server->timeout_s = options->client_timeout_s;
        status = start(context, options, server, socket);
    }
    if (status == SPK_OK)
        *out = server;
    else
        free(server);
    return status;
}

void http_close(http *server)
{
    if (server == NULL)
        return;
    server->closing = true;
    http_tell_news(server);
    for (int k = 0; k < 3; k++)
        MHD_run_wait(server->daemon, 0);
    MHD_stop_daemon(server->daemon);
    free(server);
}

void http_step(http *server, int timeout_ms)
{
    MHD_run_wait(server->daemon, timeout_ms);
    sweep(server);
}

void http_facts(const http *server, spk_live_page_facts *out)
{
    out->clients = server->n_clients;
    out->answers = server->answers;
    out->refused = server->refused;
    out->dropped = server->dropped;
}

#else

spk_status http_open(spk_context *context, const http_options *options, spk_live_page *page,
                     http **out, uint16_t *port)
{
    (void)options;
    (void)page;
    (void)port;
    *out = NULL;
    return spk_fail(context, SPK_ERR_UNAVAILABLE,
                    "this build serves no page: it has no libmicrohttpd; install "
                    "libmicrohttpd-dev (Debian, Ubuntu) or libmicrohttpd-devel (Fedora) and build "
                    "again");
}

void http_close(http *server)
{
    (void)server;
}

void http_step(http *server, int timeout_ms)
{
    (void)server;
    (void)timeout_ms;
}

void http_tell_news(http *server)
{
    (void)server;
}

uint64_t http_n_readers(const http *server)
{
    (void)server;
    return 0;
}

void http_facts(const http *server, spk_live_page_facts *out)
{
    (void)server;
    (void)out;
}
#endif
