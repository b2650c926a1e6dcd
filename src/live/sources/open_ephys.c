/*
 * Open Ephys over the plugin ZMQ Interface: a subscription at the port of the address, and a
 * heartbeat every 2 seconds at the next port, without which the plugin takes nobody for connected.
 * ZeroMQ itself connects again when the connection breaks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "live/library/zmq.h"
#include "live/sources/link.h"
#include "live/sources/open_ephys_messages.h"
#include "live/sources/source.h"

enum {
    FRAMES = 3,
    KEPT_MESSAGES = 10000,      /* that wait for us before ZeroMQ drops some */
    LONGEST_MESSAGE = 64 << 20, /* bytes; a longer one breaks the connection */
    MOST_AT_ONCE = 4096,
    REQ_CORRELATE = 52,
    REQ_RELAXED = 53
};

static const int64_t HEARTBEAT_NS = 2000000000;
static const int64_t SILENCE_NS = 10000000000; /* without a sign of life it is gone */

typedef struct open_ephys {
    const spk_zmq *zmq;
    void *context;
    void *subscriber;
    void *heart;
    spk_open_ephys_messages messages;
    spk_zmq_message frame[FRAMES];
    size_t n_frames; /* of a message that waits to be taken */
    bool waits;      /* a whole message is in `frame` */
    char place[280]; /* HOST:PORT */
    char uuid[40];
    int64_t beat_ns;  /* next heartbeat */
    int64_t alive_ns; /* last sign of life */
    int64_t since_ns; /* there has been none since, or since opening */
    bool alive;
    bool was_alive;
    unsigned tries; /* heartbeats without an answer */
} open_ephys;

/* ---- messages -------------------------------------------------------------------------------- */

static void drop_frames(open_ephys *own)
{
    for (size_t k = 0; k < own->n_frames; k++)
        own->zmq->msg_close(&own->frame[k]);
    own->n_frames = 0;
    own->waits = false;
}

/* Receives all frames of a message and keeps the first ones; false: there is none. */
static bool receive(open_ephys *own, spk_collector *c)
{
    const spk_zmq *zmq = own->zmq;
    bool more = true;
    while (more) {
        spk_zmq_message spare = {{0}};
        spk_zmq_message *frame = own->n_frames < FRAMES ? &own->frame[own->n_frames] : &spare;
        zmq->msg_init(frame);
        if (zmq->msg_recv(frame, own->subscriber, SPK_ZMQ_DONTWAIT) < 0) {
            zmq->msg_close(frame);
            return false;
        }
        c->facts.bytes += zmq->msg_size(frame);
        more = zmq->msg_more(frame) != 0;
        if (frame == &spare)
            zmq->msg_close(frame);
        else
            own->n_frames++;
    }
    own->waits = true;
    return true;
}

/* False: the message must wait until what was gathered is handed over. */
static bool take(open_ephys *own, spk_collector *c, spk_status *status)
{
    const spk_zmq *zmq = own->zmq;
    bool taken = true;
    if (own->n_frames < 2) {
        spk_collect_garbage(c, 1, zmq->msg_data(&own->frame[0]), zmq->msg_size(&own->frame[0]),
                            "a message of one frame");
        c->facts.messages++;
    } else
        taken = spk_open_ephys_take(&own->messages, c, zmq->msg_data(&own->frame[0]),
                                    zmq->msg_size(&own->frame[0]), zmq->msg_data(&own->frame[1]),
                                    zmq->msg_size(&own->frame[1]), status);
    if (taken)
        drop_frames(own);
    return taken;
}

static void show_life(open_ephys *own, spk_collector *c, int64_t now_ns)
{
    if (!own->alive && own->was_alive) {
        c->facts.reconnects++;
        own->messages.revived = true;
    }
    own->alive = own->was_alive = true;
    own->alive_ns = now_ns;
    own->tries = 0;
}

static spk_status take_all(open_ephys *own, spk_collector *c)
{
    spk_status status = SPK_OK;
    c->now_ns = spk_now_ns();
    for (int k = 0; k < MOST_AT_ONCE && status == SPK_OK; k++) {
        if (!own->waits && !receive(own, c))
            break;
        show_life(own, c, c->now_ns);
        if (!take(own, c, &status))
            break;
    }
    return status;
}

/* ---- heartbeat ------------------------------------------------------------------------------- */

static void hear_answer(open_ephys *own, spk_collector *c)
{
    spk_zmq_message answer;
    own->zmq->msg_init(&answer);
    while (own->zmq->msg_recv(&answer, own->heart, SPK_ZMQ_DONTWAIT) >= 0)
        show_life(own, c, spk_now_ns());
    own->zmq->msg_close(&answer);
}

static void beat(open_ephys *own, int64_t now_ns)
{
    char text[160];
    const int n = snprintf(text, sizeof text,
                           "{\"application\":\"spikemine\",\"uuid\":\"%s\",\"type\":\"heartbeat\"}",
                           own->uuid);
    own->zmq->send(own->heart, text, (size_t)n, SPK_ZMQ_DONTWAIT);
    own->beat_ns = now_ns + HEARTBEAT_NS;
    own->tries++;
}

/* Whether it is still there, and what follows from that. */
static spk_status watch_life(spk_context *context, spk_live_source *source, int64_t now_ns)
{
    open_ephys *own = source->own;
    const spk_live_source_options *options = &source->options;
    if (own->alive && now_ns - own->alive_ns > SILENCE_NS) {
        own->alive = false;
        own->since_ns = now_ns;
        source->collector.head.ended = !options->reconnect;
    }
    const double gone_s = own->alive ? 0 : (double)(now_ns - own->since_ns) * 1e-9;
    if ((options->reconnect && options->reconnect_s > 0 && gone_s > options->reconnect_s) ||
        (!options->reconnect && !own->was_alive && gone_s > options->connect_timeout_s))
        return spk_fail(context, SPK_ERR_IO,
                        "%s: no answer; is Open Ephys running with the plugin ZMQ Interface in its "
                        "signal chain, and is this its port?",
                        own->place);
    return SPK_OK;
}

/* ---- polling --------------------------------------------------------------------------------- */

static void wait_for_any(open_ephys *own, int64_t until_ns)
{
    spk_zmq_item items[] = {{.socket = own->subscriber, .events = SPK_ZMQ_POLLIN},
                            {.socket = own->heart, .events = SPK_ZMQ_POLLIN}};
    const int64_t now_ns = spk_now_ns();
    int64_t left_ns = until_ns - now_ns;
    if (left_ns > own->beat_ns - now_ns)
        left_ns = own->beat_ns - now_ns;
    const long ms = left_ns <= 0 ? 0 : left_ns > 199000000 ? 200 : (long)(left_ns / 1000000) + 1;
    own->zmq->poll(items, 2, ms);
}

/* What is due beside messages, also where these never cease. */
static spk_status serve(spk_context *context, spk_live_source *source)
{
    open_ephys *own = source->own;
    const int64_t now_ns = spk_now_ns();
    hear_answer(own, &source->collector);
    if (now_ns >= own->beat_ns)
        beat(own, now_ns);
    const spk_status status = watch_life(context, source, now_ns);
    return status == SPK_OK ? spk_check_cancel(context) : status;
}

static spk_status poll_open_ephys(spk_context *context, spk_live_source *source, int64_t until_ns)
{
    open_ephys *own = source->own;
    spk_collector *c = &source->collector;
    spk_status status = serve(context, source);
    if (status == SPK_OK)
        status = take_all(own, c);
    /* What is held back until the sample rate comes is no news. */
    while (status == SPK_OK && (c->rate.denominator == 0 || !spk_collector_has_news(c)) &&
           !c->head.ended && spk_now_ns() < until_ns) {
        wait_for_any(own, until_ns);
        status = serve(context, source);
        if (status == SPK_OK)
            status = take_all(own, c);
    }
    return status;
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool set_int(const spk_zmq *zmq, void *socket, int option, int value)
{
    return zmq->setsockopt(socket, option, &value, sizeof value) == 0;
}

static bool connect_to(open_ephys *own, void *socket, const char *host, unsigned port)
{
    char endpoint[300];
    snprintf(endpoint, sizeof endpoint, strchr(host, ':') != NULL ? "tcp://[%s]:%u" : "tcp://%s:%u",
             host, port);
    return set_int(own->zmq, socket, SPK_ZMQ_LINGER, 0) &&
           set_int(own->zmq, socket, SPK_ZMQ_RECONNECT_IVL, 100) &&
           set_int(own->zmq, socket, SPK_ZMQ_RECONNECT_IVL_MAX, 10000) &&
           own->zmq->connect(socket, endpoint) == 0;
}

static bool open_sockets(open_ephys *own, const char *host, unsigned port, bool events_only)
{
    const spk_zmq *zmq = own->zmq;
    const int64_t longest = LONGEST_MESSAGE;
    own->context = zmq->ctx_new();
    if (own->context == NULL)
        return false;
    own->subscriber = zmq->socket(own->context, SPK_ZMQ_SUB);
    own->heart = zmq->socket(own->context, SPK_ZMQ_REQ);
    if (own->subscriber == NULL || own->heart == NULL)
        return false;
    (void)set_int(zmq, own->heart, REQ_RELAXED, 1);
    (void)set_int(zmq, own->heart, REQ_CORRELATE, 1);
    (void)zmq->setsockopt(own->subscriber, SPK_ZMQ_MAXMSGSIZE, &longest, sizeof longest);
    const char *events = events_only ? "EVENT" : "";
    return set_int(zmq, own->subscriber, SPK_ZMQ_RCVHWM, KEPT_MESSAGES) &&
           zmq->setsockopt(own->subscriber, SPK_ZMQ_SUBSCRIBE, events, strlen(events)) == 0 &&
           connect_to(own, own->subscriber, host, port) &&
           connect_to(own, own->heart, host, port + 1);
}

static void make_uuid(open_ephys *own)
{
    uint64_t bits = (uint64_t)spk_now_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)own;
    snprintf(own->uuid, sizeof own->uuid, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(bits >> 32),
             (unsigned)(bits >> 16) & 0xffff, (unsigned)(bits >> 4) & 0xfff, (unsigned)bits & 0xfff,
             (unsigned long long)(bits * 0xbf58476d1ce4e5b9u >> 16));
}

static spk_status open_open_ephys(spk_context *context, spk_live_source *source, const char *rest)
{
    open_ephys *own = NULL;
    spk_link place;
    if (source->options.events_only && source->options.sample_rate.denominator == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: events alone do not tell the sample rate; give it", source->address);
    spk_status status =
        spk_link_init(context, &place, SPK_LINK_TCP, rest, "5556", &source->options);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &own, 1, "a live source");
    if (status != SPK_OK)
        return status;
    source->own = own;
    status = spk_zmq_get(context, &own->zmq);
    if (status != SPK_OK)
        return status;
    source->collector.rate = source->options.sample_rate;
    own->messages.select = source->select;
    own->messages.numbered = !source->options.events_only;
    own->since_ns = spk_now_ns();
    make_uuid(own);
    snprintf(own->place, sizeof own->place, "%s:%s", place.host, place.port);
    if (!open_sockets(own, place.host, (unsigned)strtoul(place.port, NULL, 10),
                      source->options.events_only))
        return spk_fail(context, SPK_ERR_IO, "%s: ZeroMQ cannot connect: %s; look at host and port",
                        own->place, own->zmq->strerror(own->zmq->error_number()));
    return SPK_OK;
}

static void close_open_ephys(spk_live_source *source)
{
    open_ephys *own = source->own;
    if (own == NULL)
        return;
    if (own->zmq != NULL) {
        drop_frames(own);
        if (own->subscriber != NULL)
            own->zmq->close(own->subscriber);
        if (own->heart != NULL)
            own->zmq->close(own->heart);
        if (own->context != NULL)
            own->zmq->ctx_term(own->context);
    }
    free(own);
}

static int fd_of_open_ephys(const spk_live_source *source)
{
    const open_ephys *own = source->own;
    int fd = -1;
    size_t size = sizeof fd;
    return own->zmq->getsockopt(own->subscriber, SPK_ZMQ_FD, &fd, &size) == 0 ? fd : -1;
}

static void state_of_open_ephys(const spk_live_source *source, spk_live_source_facts *facts)
{
    const open_ephys *own = source->own;
    const char *rate = source->collector.rate.denominator == 0 ? ", no sample rate yet" : "";
    if (own->alive)
        snprintf(facts->state, sizeof facts->state, "connected to %.60s%s", own->place, rate);
    else
        snprintf(facts->state, sizeof facts->state, "waiting for %.60s (try %u)", own->place,
                 own->tries);
}

extern const spk_live_kind spk_live_open_ephys;
const spk_live_kind spk_live_open_ephys = {.name = "open-ephys",
                                           .scheme = "open-ephys://",
                                           .address = "open-ephys://HOST[:5556]",
                                           .summary = "spikes of Open Ephys, plugin ZMQ Interface",
                                           .available = spk_zmq_available,
                                           .open = open_open_ephys,
                                           .poll = poll_open_ephys,
                                           .close = close_open_ephys,
                                           .fd = fd_of_open_ephys,
                                           .state = state_of_open_ephys};
