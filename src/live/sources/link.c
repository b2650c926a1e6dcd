/* A connection that is made again when it breaks. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* TCP_KEEPIDLE */
#endif
#include "live/sources/link.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "live/sources/collector.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static bool listens(const spk_link *link)
{
    return link->way == SPK_LINK_TCP_LISTEN || link->way == SPK_LINK_UNIX_LISTEN;
}

static bool is_tcp(const spk_link *link)
{
    return link->way == SPK_LINK_TCP || link->way == SPK_LINK_TCP_LISTEN;
}

/* "HOST:PORT", the path, or "standard input". */
static void name_of(const spk_link *link, char *text, size_t size)
{
    char place[300];
    if (link->way == SPK_LINK_STDIN)
        snprintf(place, sizeof place, "standard input");
    else
        snprintf(place, sizeof place, "%s%s%s", link->host, is_tcp(link) ? ":" : "", link->port);
    spk_text_printable(place, text, size);
}

/* ---- time ------------------------------------------------------------------------------------ */

void spk_live_sleep_until(int64_t until_ns)
{
    const int64_t left = until_ns - spk_now_ns();
    if (left <= 0)
        return;
    const struct timespec rest = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    nanosleep(&rest, NULL);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Time until the next attempt after `tries` that failed: 0.1 s, doubled each time up to 10 s, less
 * a random part of up to a half. */
static int64_t link_backoff_ns(unsigned tries, uint64_t *random)
{
    const int64_t most = 10000000000;
    int64_t wait = 100000000;
    for (unsigned k = 1; k < tries && wait < most; k++)
        wait *= 2;
    wait = wait < most ? wait : most;
    return wait - (int64_t)(next_random(random) % ((uint64_t)wait / 2));
}

/* Waits for `events` at most until then, and not longer than a fifth of a second, so that a cancel
 * is seen. False: they did not come. */
static bool wait_for(int fd, short events, int64_t until_ns)
{
    struct pollfd entry = {.fd = fd, .events = events};
    const int64_t left = until_ns - spk_now_ns();
    /* A part of a millisecond counts as one, so that nobody spins in the last one. */
    const int ms = left <= 0 ? 0 : left > 199000000 ? 200 : (int)(left / 1000000) + 1;
    return poll(&entry, 1, ms) > 0;
}

/* ---- address --------------------------------------------------------------------------------- */

static spk_status split_address(spk_context *context, spk_link *link, const char *address,
                                const char *default_port)
{
    const char *colon = strrchr(address, ':');
    const char *bracket = strrchr(address, ']'); /* [::1]:4000 */
    if (colon != NULL && bracket != NULL && colon < bracket)
        colon = NULL;
    const char *port = colon != NULL && colon[1] != '\0' ? colon + 1 : default_port;
    size_t n = colon != NULL ? (size_t)(colon - address) : strlen(address);
    if (n > 1 && address[0] == '[' && address[n - 1] == ']') {
        address++;
        n -= 2;
    }
    if (n == 0 && link->way == SPK_LINK_TCP_LISTEN) {
        address = "127.0.0.1";
        n = strlen(address);
    }
    if (port == NULL || n == 0 || n >= sizeof link->host || strlen(port) > 5 ||
        strspn(port, "0123456789") != strlen(port))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: no host and port; give them as HOST:PORT, for example 127.0.0.1:4000",
                        address);
    memcpy(link->host, address, n);
    link->host[n] = '\0';
    snprintf(link->port, sizeof link->port, "%s", port);
    return SPK_OK;
}

static bool unix_address(const spk_link *link, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(link->host) >= sizeof out->sun_path)
        return false;
    memcpy(out->sun_path, link->host, strlen(link->host) + 1);
    return true;
}

static int make_socket(int family)
{
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd >= 0 && (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ||
                    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0)) {
        close(fd);
        fd = -1;
    }
    /* Room for a burst while others work; the system cuts it to what it allows. */
    const int room = 4 << 20;
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    return fd;
}

static int resolve(spk_link *link, struct addrinfo **out)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = listens(link) ? AI_PASSIVE : 0};
    int failure = getaddrinfo(link->host, link->port, &hints, out);
    if (failure != 0)
        snprintf(link->why, sizeof link->why, "%s", gai_strerror(failure));
    return failure;
}

/* ---- listening ------------------------------------------------------------------------------- */

/* A socket file that nobody listens at is left over from a program that died. */
static void remove_left_over(const struct sockaddr_un *address)
{
    struct stat facts;
    if (lstat(address->sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode))
        return;
    int fd = make_socket(AF_UNIX);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
        errno == ECONNREFUSED)
        unlink(address->sun_path);
    if (fd >= 0)
        close(fd);
}

static void note_port(spk_link *link)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getsockname(link->listener, (struct sockaddr *)&bound, &size) == 0)
        (void)getnameinfo((struct sockaddr *)&bound, size, NULL, 0, link->port, sizeof link->port,
                          NI_NUMERICSERV);
}

static bool listen_tcp(spk_link *link)
{
    struct addrinfo *list = NULL;
    const int yes = 1;
    if (resolve(link, &list) != 0)
        return false;
    for (const struct addrinfo *a = list; a != NULL && link->listener < 0; a = a->ai_next) {
        link->listener = make_socket(a->ai_family);
        if (link->listener < 0)
            continue;
        (void)setsockopt(link->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (bind(link->listener, a->ai_addr, a->ai_addrlen) != 0 ||
            listen(link->listener, 4) != 0) {
            link->error = errno;
            close(link->listener);
            link->listener = -1;
        }
    }
    freeaddrinfo(list);
    if (link->listener >= 0)
        note_port(link);
    return link->listener >= 0;
}

static bool listen_unix(spk_link *link)
{
    struct sockaddr_un address;
    if (!unix_address(link, &address)) {
        link->error = ENAMETOOLONG;
        return false;
    }
    remove_left_over(&address);
    link->listener = make_socket(AF_UNIX);
    if (link->listener >= 0 &&
        bind(link->listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(link->listener, 4) == 0)
        return true;
    link->error = errno;
    if (link->listener >= 0)
        close(link->listener);
    link->listener = -1;
    return false;
}

static const char *cause(const spk_link *link)
{
    return link->why[0] != '\0' ? link->why : strerror(link->error);
}

spk_status spk_link_init(spk_context *context, spk_link *link, spk_link_way way,
                         const char *address, const char *default_port,
                         const spk_live_source_options *options)
{
    char name[300];
    *link = (spk_link){.way = way, .listener = -1, .fd = -1, .reconnect = options->reconnect};
    link->give_up_ns = (int64_t)(options->reconnect_s < 1e9 ? options->reconnect_s * 1e9 : 0);
    link->timeout_ns =
        (int64_t)((options->connect_timeout_s < 1e6 ? options->connect_timeout_s : 1e6) * 1e9);
    link->since_ns = spk_now_ns();
    link->random = (uint64_t)link->since_ns ^ (uint64_t)getpid() << 32 ^ 0x9e3779b97f4a7c15u;
    link->random += link->random == 0;
    if (way == SPK_LINK_STDIN) {
        link->fd = STDIN_FILENO;
        return SPK_OK;
    }
    if (is_tcp(link)) {
        spk_status status = split_address(context, link, address, default_port);
        if (status != SPK_OK)
            return status;
    } else if (*address == '\0' || strlen(address) >= sizeof link->host) {
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "'%s': no path of a UNIX socket; give one such as unix:/run/spikes",
                        address);
    } else {
        snprintf(link->host, sizeof link->host, "%s", address);
    }
    if (!listens(link) || (is_tcp(link) ? listen_tcp(link) : listen_unix(link)))
        return SPK_OK;
    name_of(link, name, sizeof name);
    return spk_fail(context, SPK_ERR_IO,
                    "cannot listen at %s: %s; choose another port or path, or end the program that "
                    "has it",
                    name, cause(link));
}

/* ---- connecting ------------------------------------------------------------------------------ */

static void drop(spk_link *link)
{
    if (link->fd >= 0 && link->way != SPK_LINK_STDIN)
        close(link->fd);
    link->fd = -1;
    link->open = false;
}

static void fail_attempt(spk_link *link, int error)
{
    drop(link);
    link->error = error;
    link->next_ns = spk_now_ns() + link_backoff_ns(link->tries, &link->random);
}

/* Begins to connect; on return there is a descriptor, or the attempt failed. */
static void begin_attempt(spk_link *link)
{
    struct addrinfo *list = NULL;
    struct sockaddr_un path;
    int error = 0;
    link->tries++;
    link->why[0] = '\0';
    link->began_ns = spk_now_ns();
    if (is_tcp(link)) {
        if (resolve(link, &list) != 0) {
            fail_attempt(link, 0);
            return;
        }
        /* Each attempt takes another one of the host's addresses. */
        const struct addrinfo *a = list;
        for (unsigned k = 1; k < link->tries; k++)
            a = a->ai_next != NULL ? a->ai_next : list;
        link->fd = make_socket(a->ai_family);
        if (link->fd < 0 || connect(link->fd, a->ai_addr, a->ai_addrlen) != 0)
            error = errno;
        freeaddrinfo(list);
    } else if (!unix_address(link, &path)) {
        error = ENAMETOOLONG;
    } else {
        link->fd = make_socket(AF_UNIX);
        if (link->fd < 0 || connect(link->fd, (const struct sockaddr *)&path, sizeof path) != 0)
            error = errno;
    }
    if (link->fd < 0 || (error != 0 && error != EINPROGRESS && error != EAGAIN && error != EINTR))
        fail_attempt(link, error);
}

/* A machine that vanished without a word is noticed after some 20 seconds. */
static void ask_whether_alive(int fd)
{
    const int yes = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
#ifdef TCP_KEEPIDLE
    const int seconds = 5, probes = 3;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
#endif
}

static void opened(spk_link *link)
{
    if (is_tcp(link))
        ask_whether_alive(link->fd);
    link->open = true;
    link->opened++;
    link->tries = 0;
    link->error = 0;
    link->why[0] = '\0';
}

/* Waits for the attempt under way; true when it led to a connection. */
static bool end_attempt(spk_link *link, int64_t until_ns)
{
    int error = 0;
    socklen_t size = sizeof error;
    const int64_t limit = link->began_ns + link->timeout_ns;
    if (!wait_for(link->fd, POLLOUT, until_ns < limit ? until_ns : limit)) {
        if (spk_now_ns() >= limit)
            fail_attempt(link, ETIMEDOUT);
        return false;
    }
    if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    if (error != 0) {
        fail_attempt(link, error);
        return false;
    }
    opened(link);
    return true;
}

static bool accept_one(spk_link *link, int64_t until_ns)
{
    if (!wait_for(link->listener, POLLIN, until_ns))
        return false;
    link->fd = accept(link->listener, NULL, NULL);
    if (link->fd < 0)
        return false;
    if (fcntl(link->fd, F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(link->fd, F_SETFL, fcntl(link->fd, F_GETFL) | O_NONBLOCK) < 0) {
        drop(link);
        return false;
    }
    opened(link);
    return true;
}

static spk_status fail_connection(spk_context *context, const spk_link *link)
{
    char name[300];
    name_of(link, name, sizeof name);
    return spk_fail(context, SPK_ERR_IO,
                    "%s: no connection: %s; start the sender first, and look at host and port",
                    name, link->error == 0 && link->why[0] == '\0' ? "nobody came" : cause(link));
}

static spk_status connect_until(spk_context *context, spk_link *link, int64_t until_ns)
{
    while (!link->open) {
        const int64_t now = spk_now_ns();
        const bool failed = link->tries > 0 && link->fd < 0;
        if ((failed && !link->reconnect) ||
            (link->give_up_ns > 0 && now - link->since_ns > link->give_up_ns))
            return fail_connection(context, link);
        if (listens(link)) {
            if (!accept_one(link, until_ns))
                return SPK_OK;
        } else if (link->fd >= 0) {
            if (!end_attempt(link, until_ns) && spk_now_ns() >= until_ns)
                return SPK_OK;
        } else if (now >= link->next_ns) {
            begin_attempt(link);
        } else {
            spk_live_sleep_until(link->next_ns < until_ns ? link->next_ns : until_ns);
            if (spk_now_ns() >= until_ns)
                return SPK_OK;
        }
        if (spk_context_cancelled(context))
            return spk_check_cancel(context);
    }
    return SPK_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Breaks the connection as if the other side had; it is made again after a while. */
static void link_break(spk_link *link)
{
    drop(link);
    link->since_ns = spk_now_ns();
    link->next_ns = link->since_ns + link_backoff_ns(1, &link->random);
}

static spk_link_event closed(spk_link *link)
{
    const bool again = link->reconnect && link->way != SPK_LINK_STDIN;
    link_break(link);
    return again ? SPK_LINK_CLOSED : SPK_LINK_ENDED;
}

/* What broke and is not made again has lost what was under way. */
static spk_status fail_reading(spk_context *context, spk_link *link, int error,
                               spk_link_event *event)
{
    char name[300];
    *event = closed(link);
    if (*event == SPK_LINK_CLOSED)
        return SPK_OK;
    name_of(link, name, sizeof name);
    return spk_fail(context, SPK_ERR_IO,
                    "%s: reading failed: %s; what came before it is kept, what followed is lost",
                    name, strerror(error));
}

spk_status spk_link_read(spk_context *context, spk_link *link, char *buffer, size_t size,
                         int64_t until_ns, size_t *n, spk_link_event *event)
{
    assert(size > 0);
    *n = 0;
    *event = SPK_LINK_NOTHING;
    if (!link->open && link->way == SPK_LINK_STDIN) {
        link->open = true;
    } else if (!link->open) {
        spk_status status = connect_until(context, link, until_ns);
        if (status == SPK_OK && link->open)
            *event = SPK_LINK_OPENED;
        return status;
    }
    if (!wait_for(link->fd, POLLIN, until_ns))
        return SPK_OK;
    const ssize_t got = read(link->fd, buffer, size);
    if (got > 0) {
        *n = (size_t)got;
        *event = SPK_LINK_BYTES;
    } else if (got == 0) {
        *event = closed(link);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        return fail_reading(context, link, errno, event);
    }
    return SPK_OK;
}

bool spk_link_send(spk_link *link, const char *text, size_t length)
{
    const int64_t until_ns = spk_now_ns() + 1000000000;
    while (length > 0 && link->open) {
        const ssize_t sent = send(link->fd, text, length, MSG_NOSIGNAL);
        if (sent > 0) {
            text += sent;
            length -= (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
            if (!wait_for(link->fd, POLLOUT, until_ns))
                return false;
        } else {
            return false;
        }
    }
    return length == 0;
}

/* ---- the rest -------------------------------------------------------------------------------- */

void spk_link_state(const spk_link *link, char *text, size_t size)
{
    char name[72];
    name_of(link, name, sizeof name);
    if (link->way == SPK_LINK_STDIN)
        snprintf(text, size, "reading %s", name);
    else if (link->open)
        snprintf(text, size, "connected %s %s", listens(link) ? "at" : "to", name);
    else if (listens(link))
        snprintf(text, size, "listening at %s", name);
    else
        snprintf(text, size, "waiting for %s (try %u)", name, link->tries);
}

int spk_link_fd(const spk_link *link)
{
    return link->open || !listens(link) ? link->fd : link->listener;
}

void spk_link_close(spk_link *link)
{
    drop(link);
    if (link->listener < 0)
        return;
    close(link->listener);
    link->listener = -1;
    if (link->way == SPK_LINK_UNIX_LISTEN)
        unlink(link->host);
}
