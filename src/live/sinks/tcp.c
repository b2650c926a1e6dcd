/*
 * Lines to any number of clients over TCP. Nothing here waits: what a client has not taken is kept
 * up to a limit, and a client beyond it is dropped, so that one slow reader costs the others
 * nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/sockios.h>
#include <sys/ioctl.h>
#endif

#include "base/memory.h"
#include "base/stage.h"
#include "live/sinks/sink.h"

/* Where every place is taken, those that came first stay, and of the others the oldest makes room:
 * so clients that only hold a place keep nobody out, and a flood of them ends no listener that was
 * there before. */
enum { MOST_CLIENTS = 64, STAYING_CLIENTS = 32, ACCEPTED_AT_ONCE = 8 };

/* What every client gets first, so that it knows when it is heard. */
static const char hello[] = "{\"type\":\"hello\",\"format\":1}\n";

typedef struct tcp_client {
    int socket;
    char *kept; /* bytes that it has not taken: kept[from] .. kept[to - 1] */
    uint64_t from;
    uint64_t to;
    uint64_t capacity;
} tcp_client;

typedef struct tcp_server {
    spk_context *context;
    uint64_t most; /* bytes kept for a client */
    int listener;
    size_t n;
    tcp_client client[MOST_CLIENTS]; /* as they came */
    spk_holding holding;             /* what is kept for all */
    live_sink_facts facts;
} tcp_server;

/* ---- opening --------------------------------------------------------------------------------- */

static spk_status fail_listen(const live_sink_setup *setup, const char *why)
{
    return spk_fail(setup->context, SPK_ERR_IO,
                    "%s: cannot listen: %s; is another program there? take another port",
                    setup->address, why);
}

/* Its calls do not wait, and no program that is started later has it. */
static bool prepare(int descriptor)
{
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0;
}

static int make_listener(const struct addrinfo *to)
{
    const int yes = 1;
    int descriptor = socket(to->ai_family, SOCK_STREAM, 0);
    if (descriptor < 0)
        return -1;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (prepare(descriptor) && bind(descriptor, to->ai_addr, to->ai_addrlen) == 0 &&
        listen(descriptor, 64) == 0)
        return descriptor;
    int cause = errno;
    close(descriptor);
    errno = cause;
    return -1;
}

static spk_status open_server(const live_sink_setup *setup, void **out)
{
    live_address address;
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    *out = NULL;
    if (!live_address_parse(setup->rest, "127.0.0.1", NULL, &address))
        return live_sink_fail_address(setup, live_sink_tcp.usage);
    int cause = getaddrinfo(address.host, address.port, &wanted, &found);
    if (cause != 0)
        return fail_listen(setup, gai_strerror(cause));
    tcp_server *self = NULL;
    spk_status status = spk_alloc_zero(setup->context, &self, 1, "a server");
    if (status == SPK_OK) {
        self->context = setup->context;
        self->most = setup->client_bytes;
        self->listener = make_listener(found);
        if (self->listener < 0)
            status = fail_listen(setup, strerror(errno));
    }
    freeaddrinfo(found);
    if (status == SPK_OK)
        *out = self;
    else
        free(self);
    return status;
}

/* ---- one client ------------------------------------------------------------------------------ */

static void drop(tcp_server *self, size_t k)
{
    const spk_stage stage = spk_stage_open(self->context);
    close(self->client[k].socket);
    spk_free(self->context, self->client[k].kept);
    spk_stage_keep(self->context, &stage, &self->holding);
    self->n--;
    memmove(&self->client[k], &self->client[k + 1], (self->n - k) * sizeof self->client[k]);
}

/* Bytes that went out; -1: the client has gone. */
static ssize_t send_some(const tcp_client *client, const char *text, size_t n)
{
    ssize_t done;
    do
        done = send(client->socket, text, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (done < 0 && errno == EINTR);
    if (done >= 0)
        return done;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? 0 : -1;
}

static bool keep(tcp_server *self, tcp_client *client, const char *text, size_t n)
{
    if (client->to - client->from + n > self->most)
        return false;
    if (client->from > 0) {
        memmove(client->kept, client->kept + client->from, client->to - client->from);
        client->to -= client->from;
        client->from = 0;
    }
    const spk_stage stage = spk_stage_open(self->context);
    const spk_status status = spk_grow(self->context, &client->kept, &client->capacity,
                                       client->to + n, "lines for a client");
    spk_stage_keep(self->context, &stage, &self->holding);
    if (status != SPK_OK)
        return false;
    memcpy(client->kept + client->to, text, n);
    client->to += n;
    return true;
}

/* Sends what was kept; false: the client has gone. */
static bool go_on(tcp_client *client)
{
    while (client->from < client->to) {
        ssize_t done = send_some(client, client->kept + client->from, client->to - client->from);
        if (done < 0)
            return false;
        if (done == 0)
            return true;
        client->from += (uint64_t)done;
    }
    client->from = client->to = 0;
    return true;
}

/* 0: done; 1: the client has gone; 2: it is too slow. */
static int give(tcp_server *self, tcp_client *client, const char *text, size_t n)
{
    ssize_t done = 0;
    if (!go_on(client))
        return 1;
    if (client->to == 0)
        done = send_some(client, text, n);
    if (done < 0)
        return 1;
    return (size_t)done == n || keep(self, client, text + done, n - (size_t)done) ? 0 : 2;
}

/* ---- all clients ----------------------------------------------------------------------------- */

static spk_status put_lines(void *sink, const char *text, size_t n)
{
    tcp_server *self = sink;
    for (size_t k = 0; k < self->n;) {
        int outcome = give(self, &self->client[k], text, n);
        self->facts.dropped += outcome == 2;
        if (outcome != 0)
            drop(self, k);
        else
            k++;
    }
    return SPK_OK;
}

static void welcome(tcp_server *self, int descriptor)
{
    const int yes = 1;
    if (!prepare(descriptor)) {
        close(descriptor);
        return;
    }
    if (self->n == MOST_CLIENTS) {
        self->facts.dropped++;
        drop(self, STAYING_CLIENTS);
    }
    tcp_client *client = &self->client[self->n];
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    *client = (tcp_client){.socket = descriptor};
    self->n++;
    self->facts.served++;
    if (give(self, client, hello, strlen(hello)) != 0)
        drop(self, self->n - 1);
}

/* Clients say nothing; what they send is thrown away, a piece at a time. False: the client has
 * gone. */
static bool is_there(const tcp_client *client)
{
    char waste[512];
    ssize_t n = recv(client->socket, waste, sizeof waste, MSG_DONTWAIT);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

/* Those who come without end, or say something without end, hold up no lines: a few are let in at a
 * time, and one call of the system tells of all who have something. */
static spk_status serve(void *sink)
{
    tcp_server *self = sink;
    struct pollfd look[MOST_CLIENTS];
    int descriptor;
    for (int k = 0; k < ACCEPTED_AT_ONCE; k++)
        if ((descriptor = accept(self->listener, NULL, NULL)) >= 0)
            welcome(self, descriptor);
        else
            break;
    for (size_t k = 0; k < self->n; k++)
        look[k] = (struct pollfd){
            .fd = self->client[k].socket,
            .events = self->client[k].from < self->client[k].to ? POLLIN | POLLOUT : POLLIN};
    if (self->n == 0 || poll(look, (nfds_t)self->n, 0) <= 0)
        return SPK_OK;
    for (size_t k = self->n; k-- > 0;) /* those behind one that is dropped move up */
        if (look[k].revents != 0 && !(is_there(&self->client[k]) && go_on(&self->client[k])))
            drop(self, k);
    return SPK_OK;
}

/* Bytes that clients have not taken yet. */
static uint64_t bytes_left(tcp_server *self)
{
    uint64_t left = 0;
    for (size_t k = 0; k < self->n; k++)
        if (go_on(&self->client[k]))
            left += self->client[k].to - self->client[k].from;
    return left;
}

/* Bytes that the system holds for clients. Its buffers take more only when a good part of them has
 * left, so that a slow reader's progress shows here first. 0 where the system does not tell. */
static uint64_t bytes_under_way(const tcp_server *self)
{
    uint64_t under_way = 0;
#ifdef SIOCOUTQ
    for (size_t k = 0; k < self->n; k++) {
        int held = 0;
        if (ioctl(self->client[k].socket, SIOCOUTQ, &held) == 0 && held > 0)
            under_way += (uint64_t)held;
    }
#else
    (void)self;
#endif
    return under_way;
}

/* Clients that go on taking bytes are waited for; one that takes none has `ms`. */
static void drain(void *sink, int ms)
{
    enum { STEP_MS = 10 };
    tcp_server *self = sink;
    uint64_t kept = bytes_left(self), left = kept + bytes_under_way(self);
    for (int patience = ms; kept > 0 && patience > 0; patience -= STEP_MS) {
        (void)poll(NULL, 0, STEP_MS);
        kept = bytes_left(self);
        const uint64_t now = kept + bytes_under_way(self);
        if (now < left)
            patience = ms + STEP_MS;
        left = now;
    }
    for (size_t k = 0; k < self->n; k++)
        self->facts.dropped += self->client[k].to > 0;
}

static void get_facts(const void *sink, live_sink_facts *out)
{
    const tcp_server *self = sink;
    out->clients += self->n;
    out->served += self->facts.served;
    out->dropped += self->facts.dropped;
}

static void close_server(void *sink)
{
    tcp_server *self = sink;
    while (self->n > 0)
        drop(self, self->n - 1);
    spk_holding_release(&self->holding);
    close(self->listener);
    free(self);
}

const live_sink_kind live_sink_tcp = {
    .name = "tcp",
    .usage = "tcp:PORT or tcp:ADDRESS:PORT, such as tcp:7000",
    .open = open_server,
    .lines = put_lines,
    .service = serve,
    .drain = drain,
    .get_facts = get_facts,
    .close = close_server,
};
