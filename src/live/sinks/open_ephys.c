/*
 * Events back to Open Ephys: requests to the port above that of its ZMQ Interface, which answers
 * each one before it takes the next. Events wait in a queue meanwhile; one beyond it is counted and
 * left out, and so is one that gets no answer within a second.
 *
 * Marks are not sent: an event has a line and no text, and all lines belong to what is watched. Who
 * closes a loop on a line must not take a mark for an occurrence.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"
#include "base/deadline.h"
#include "base/memory.h"
#include "live/library/zmq.h"
#include "live/sinks/sink.h"

enum { QUEUE = 1024, LINES = 8 };
static const int64_t answer_ns = 1000000000;

typedef struct event {
    uint64_t item;
    int64_t sample;
} event;

typedef struct requester {
    const spk_zmq *zmq;
    void *library; /* ZeroMQ's context */
    void *socket;
    char endpoint[320];
    char uuid[40];
    bool waits; /* for an answer, since: */
    int64_t since_ns;
    event queue[QUEUE]; /* a ring */
    size_t first;
    size_t n;
    uint64_t unsent;
} requester;

/* ---- opening --------------------------------------------------------------------------------- */

static bool connect_socket(requester *self)
{
    const int linger = 0;
    self->waits = false;
    self->socket = self->zmq->socket(self->library, SPK_ZMQ_REQ);
    return self->socket != NULL &&
           self->zmq->setsockopt(self->socket, SPK_ZMQ_LINGER, &linger, sizeof linger) == 0 &&
           self->zmq->connect(self->socket, self->endpoint) == 0;
}

static void close_requester(void *sink)
{
    requester *self = sink;
    if (self->socket != NULL)
        self->zmq->close(self->socket);
    if (self->library != NULL)
        self->zmq->ctx_term(self->library);
    free(self);
}

static spk_status open_requester(const live_sink_setup *setup, void **out)
{
    live_address address;
    requester *self = NULL;
    *out = NULL;
    if (setup->rest[0] == '\0' || !live_address_parse(setup->rest, NULL, "5556", &address) ||
        address.number == 65535)
        return live_sink_fail_address(setup, live_sink_open_ephys.usage);
    spk_status status = spk_alloc_zero(setup->context, &self, 1, "a sink");
    if (status != SPK_OK)
        return status;
    snprintf(self->endpoint, sizeof self->endpoint, "tcp://%s:%u", address.host,
             address.number + 1);
    snprintf(self->uuid, sizeof self->uuid, "%08" PRIx32 "-%04x-4000-8000-%012" PRIx64,
             (uint32_t)getpid(), (unsigned)(spk_now_ns() & 0xffff),
             (uint64_t)spk_now_ns() & 0xffffffffffffu);
    status = spk_zmq_get(setup->context, &self->zmq);
    if (status == SPK_OK)
        self->library = self->zmq->ctx_new();
    if (status == SPK_OK && (self->library == NULL || !connect_socket(self)))
        status = spk_fail(setup->context, SPK_ERR_IO, "%s: ZeroMQ cannot connect: %s",
                          setup->address, self->zmq->strerror(self->zmq->error_number()));
    if (status == SPK_OK)
        *out = self;
    else
        close_requester(self);
    return status;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void send_first(requester *self)
{
    char text[320];
    const event *e = &self->queue[self->first];
    int n = snprintf(text, sizeof text,
                     "{\"application\":\"spikemine\",\"uuid\":\"%s\",\"type\":\"event\",\"event\":"
                     "{\"type\":3,\"sample_num\":%" PRId64
                     ",\"event_id\":1,\"event_channel\":%" PRIu64 "}}",
                     self->uuid, e->sample, e->item % LINES);
    if (self->zmq->send(self->socket, text, (size_t)n, SPK_ZMQ_DONTWAIT) < 0)
        return; /* nobody is connected: it stays, and is tried again */
    self->first = (self->first + 1) % QUEUE;
    self->n--;
    self->waits = true;
    self->since_ns = spk_now_ns();
}

static void take_answer(requester *self)
{
    spk_zmq_message message;
    self->zmq->msg_init(&message);
    if (self->zmq->msg_recv(&message, self->socket, SPK_ZMQ_DONTWAIT) >= 0)
        self->waits = false;
    self->zmq->msg_close(&message);
}

static spk_status go_on(void *sink)
{
    requester *self = sink;
    if (self->waits)
        take_answer(self);
    if (self->waits && spk_now_ns() - self->since_ns > answer_ns) {
        self->unsent++;
        self->zmq->close(self->socket);
        if (!connect_socket(self))
            return SPK_OK;
    }
    if (!self->waits && self->n > 0 && self->socket != NULL)
        send_first(self);
    return SPK_OK;
}

static spk_status put_occurrence(void *sink, const spk_live_occurrence *occurrence)
{
    requester *self = sink;
    if (self->n == QUEUE) {
        self->unsent++;
        return SPK_OK;
    }
    self->queue[(self->first + self->n) % QUEUE] =
        (event){occurrence->item, occurrence->time[occurrence->size - 1]};
    self->n++;
    return go_on(self);
}

static void drain(void *sink, int ms)
{
    requester *self = sink;
    const struct timespec nap = {.tv_nsec = 5000000};
    for (; ms > 0 && (self->n > 0 || self->waits); ms -= 5) {
        (void)go_on(self);
        nanosleep(&nap, NULL);
    }
    self->unsent += self->n + self->waits;
    self->n = 0;
    self->waits = false;
}

static void get_facts(const void *sink, live_sink_facts *out)
{
    const requester *self = sink;
    out->unsent += self->unsent;
}

const live_sink_kind live_sink_open_ephys = {
    .name = "open-ephys",
    .usage = "open-ephys:HOST or open-ephys:HOST:PORT, where PORT is that of the ZMQ Interface",
    .open = open_requester,
    .occurrence = put_occurrence,
    .listed_only = true,
    .service = go_on,
    .drain = drain,
    .get_facts = get_facts,
    .close = close_requester,
};
