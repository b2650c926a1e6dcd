/* A ZeroMQ publisher: each line is a message of two frames, its type and the object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "live/library/zmq.h"
#include "live/sinks/sink.h"

/* Messages kept for a subscriber that is slow; ZeroMQ drops what is beyond them. */
enum { HIGH_WATER = 100000, LINGER_MS = 1000 };

typedef struct publisher {
    const spk_zmq *zmq;
    void *library; /* ZeroMQ's context */
    void *socket;
    uint64_t unsent;
} publisher;

static void close_publisher(void *sink)
{
    publisher *self = sink;
    if (self->socket != NULL)
        self->zmq->close(self->socket);
    if (self->library != NULL)
        self->zmq->ctx_term(self->library);
    free(self);
}

static spk_status bind_socket(const live_sink_setup *setup, publisher *self,
                              const live_address *address)
{
    char endpoint[320];
    const int high_water = HIGH_WATER, linger = LINGER_MS;
    const bool is_any = strcmp(address->host, "0.0.0.0") == 0;
    const bool is_ipv6 = strchr(address->host, ':') != NULL;
    snprintf(endpoint, sizeof endpoint, "tcp://%s%s%s:%s", is_ipv6 ? "[" : "",
             is_any ? "*" : address->host, is_ipv6 ? "]" : "", address->port);
    self->library = self->zmq->ctx_new();
    if (self->library != NULL)
        self->socket = self->zmq->socket(self->library, SPK_ZMQ_PUB);
    if (self->socket == NULL)
        return spk_fail(setup->context, SPK_ERR_IO, "%s: ZeroMQ cannot open a socket: %s",
                        setup->address, self->zmq->strerror(self->zmq->error_number()));
    self->zmq->setsockopt(self->socket, SPK_ZMQ_SNDHWM, &high_water, sizeof high_water);
    self->zmq->setsockopt(self->socket, SPK_ZMQ_LINGER, &linger, sizeof linger);
    if (self->zmq->bind(self->socket, endpoint) != 0)
        return spk_fail(setup->context, SPK_ERR_IO,
                        "%s: cannot publish: %s; is another program there? take another port",
                        setup->address, self->zmq->strerror(self->zmq->error_number()));
    return SPK_OK;
}

static spk_status open_publisher(const live_sink_setup *setup, void **out)
{
    live_address address;
    publisher *self = NULL;
    *out = NULL;
    if (!live_address_parse(setup->rest, "127.0.0.1", NULL, &address))
        return live_sink_fail_address(setup, live_sink_zmq.usage);
    spk_status status = spk_alloc_zero(setup->context, &self, 1, "a sink");
    if (status != SPK_OK)
        return status;
    status = spk_zmq_get(setup->context, &self->zmq);
    if (status == SPK_OK)
        status = bind_socket(setup, self, &address);
    if (status == SPK_OK)
        *out = self;
    else
        close_publisher(self);
    return status;
}

/* The line begins {"type":"episode". */
static void publish(publisher *self, const char *line, size_t n)
{
    static const char start[] = "{\"type\":\"";
    const size_t from = strlen(start);
    const char *end = n > from ? memchr(line + from, '"', n - from) : NULL;
    const size_t length = end != NULL ? (size_t)(end - line) - from : 0;
    if (self->zmq->send(self->socket, line + (end != NULL ? from : 0), length,
                        SPK_ZMQ_SNDMORE | SPK_ZMQ_DONTWAIT) < 0 ||
        self->zmq->send(self->socket, line, n, SPK_ZMQ_DONTWAIT) < 0)
        self->unsent++;
}

static spk_status put_lines(void *sink, const char *text, size_t n)
{
    const char *end = text + n;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop != NULL ? stop : end;
        publish(sink, text, (size_t)(stop - text));
        text = stop + 1;
    }
    return SPK_OK;
}

static void get_facts(const void *sink, live_sink_facts *out)
{
    const publisher *self = sink;
    out->unsent += self->unsent;
}

const live_sink_kind live_sink_zmq = {
    .name = "zmq",
    .usage = "zmq:PORT or zmq:ADDRESS:PORT, such as zmq:7001",
    .open = open_publisher,
    .lines = put_lines,
    .get_facts = get_facts,
    .close = close_publisher,
};
