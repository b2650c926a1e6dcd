/*
 * Intan RHX. Its commands make it stream: the sample rate and the channels are asked for, spikes of
 * the channels are switched on with one block of samples a write, which is the least delay, the
 * spike port is opened and, where RHX stands still, it is set to run. A run that is under way is
 * left alone. RHX closes its command port for good when a client leaves, so the connection is kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "live/sources/bytes.h"
#include "live/sources/intan_records.h"
#include "live/sources/source.h"

/* What is said to RHX, in this order. */
typedef enum phase {
    ASK_RATE,
    ASK_MODE,
    ASK_CHANNELS, /* of port `port` */
    SET_BLOCKS,
    SET_CHANNELS, /* of port `port`, from `channel` on */
    OPEN_OUTPUT,
    STREAMING
} phase;

enum { PORTS = 8, BATCH = 900, MOST_CHANNELS = 128 };

/* How long an answer is waited for. */
static const int64_t ANSWER_NS = 1000000000;

typedef struct intan {
    spk_link control;
    spk_bytes data;
    spk_intan_records records;
    phase phase;
    bool asked; /* the command of this phase was sent */
    int64_t asked_ns;
    unsigned port;    /* 0 .. 7: A .. H */
    unsigned channel; /* 0 .. 127, or place in the text of the selection */
    unsigned n_channels[PORTS];
    spk_rate told_rate; /* by RHX; {0, 0}: not told */
    bool running;       /* by itself */
    bool was_open;      /* the spike port, at the last look */
    bool set_running;   /* by us */
    unsigned tries;     /* of the spike port, at the last look */
    char reply[512];
    size_t n_reply;
} intan;

/* ---- commands -------------------------------------------------------------------------------- */

static bool say(intan *own, const char *text)
{
    return spk_link_send(&own->control, text, strlen(text));
}

/* The next name of the selection, "A" or "A-010", from *at on; false: none. */
static bool next_name(const char *select, size_t *at, char name[8])
{
    while (select[*at] == ',' || select[*at] == ' ')
        ++*at;
    size_t n = 0;
    for (; select[*at] != '\0' && select[*at] != ',' && select[*at] != ' '; ++*at)
        if (n < 7)
            name[n++] = select[*at];
    name[n] = '\0';
    return n > 0;
}

static bool is_port(const char *name)
{
    return name[0] >= 'A' && name[0] < 'A' + PORTS && name[1] == '\0';
}

static bool is_channel(const char *name)
{
    return strlen(name) == 5 && name[0] >= 'A' && name[0] < 'A' + PORTS && name[1] == '-' &&
           strspn(name + 2, "0123456789") == 3;
}

/* Whether all channels of the port are wanted. */
static bool wants_port(const char *select, unsigned port)
{
    char name[8];
    size_t at = 0;
    if (select == NULL)
        return true;
    while (next_name(select, &at, name))
        if (is_port(name) && name[0] == (char)('A' + port))
            return true;
    return false;
}

static spk_status check_select(spk_context *context, const char *select)
{
    char name[8];
    size_t at = 0;
    while (select != NULL && next_name(select, &at, name))
        if (!is_port(name) && !is_channel(name))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "'%s' is no port or channel of RHX; give ports and channels such as "
                            "A,B-003",
                            name);
    return SPK_OK;
}

static size_t add_enable(char *text, size_t used, size_t size, const char *name)
{
    return used + (size_t)snprintf(text + used, size - used,
                                   "set %s.TCPDataOutputEnabledSpike true;", name);
}

/* Switches on a batch of channels, as long as the buffer of RHX allows; false: there were none. */
static bool enable_batch(intan *own, const char *select)
{
    char text[BATCH + 64] = "";
    char name[8];
    size_t used = 0;
    while (used < BATCH - 64 && own->port < PORTS) {
        if (own->channel >= own->n_channels[own->port]) {
            own->port++;
            own->channel = 0;
            continue;
        }
        snprintf(name, sizeof name, "%c-%03u", (char)('A' + own->port), own->channel++ % 1000);
        used = add_enable(text, used, sizeof text, name);
    }
    size_t at = own->channel;
    while (select != NULL && own->port == PORTS && used < BATCH - 64 &&
           next_name(select, &at, name)) {
        own->channel = (unsigned)at;
        if (is_channel(name))
            used = add_enable(text, used, sizeof text, name);
    }
    return used > 0 && say(own, text);
}

/* Sends what this phase has to say; false: nothing. */
static bool speak(intan *own, const spk_live_source *source)
{
    char text[64];
    switch (own->phase) {
    case ASK_RATE:
        return say(own, "get SampleRateHertz;");
    case ASK_MODE:
        return say(own, "get RunMode;");
    case ASK_CHANNELS:
        snprintf(text, sizeof text, "get %c.NumberAmplifierChannels;", (char)('A' + own->port));
        return wants_port(source->select, own->port) && say(own, text);
    case SET_BLOCKS:
        return !own->running && say(own, "set TCPNumberDataBlocksPerWrite 1;get RunMode;");
    case SET_CHANNELS:
        return enable_batch(own, source->select) && say(own, "get RunMode;");
    case OPEN_OUTPUT:
        return say(own, "execute ConnectTCPSpikeDataOutput;get RunMode;");
    case STREAMING:
        break;
    }
    return false;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The value behind "Return: NAME " in the reply; NULL: it is not there. */
static const char *answer(const char *reply, const char *name)
{
    const char *at = reply;
    while ((at = strstr(at, "Return: ")) != NULL) {
        at += strlen("Return: ");
        size_t k = 0;
        while (name[k] != '\0' && (at[k] | 0x20) == (name[k] | 0x20))
            k++;
        if (name[k] == '\0' && at[k] == ' ')
            return at + k + 1;
    }
    return NULL;
}

/* Takes the answer to this phase; false: it has not come. */
static bool hear(intan *own)
{
    char name[40];
    const char *value = NULL;
    if (strstr(own->reply, "Error") != NULL)
        return true; /* of a port that is not there, mostly */
    switch (own->phase) {
    case ASK_RATE:
        value = answer(own->reply, "SampleRateHertz");
        if (value != NULL &&
            spk_rate_parse(NULL, value, strspn(value, "0123456789."), &own->told_rate) != SPK_OK)
            own->told_rate = (spk_rate){0, 0};
        return value != NULL;
    case ASK_CHANNELS:
        snprintf(name, sizeof name, "%c.NumberAmplifierChannels", (char)('A' + own->port));
        value = answer(own->reply, name);
        if (value != NULL) {
            const unsigned long n = strtoul(value, NULL, 10);
            own->n_channels[own->port] = (unsigned)(n < MOST_CHANNELS ? n : MOST_CHANNELS);
        }
        return value != NULL;
    default:
        value = answer(own->reply, "RunMode");
        if (value != NULL && own->phase == ASK_MODE)
            own->running = (value[0] | 0x20) != 's';
        return value != NULL;
    }
}

static void next_phase(intan *own)
{
    own->asked = false;
    own->n_reply = 0;
    own->reply[0] = '\0';
    if (own->phase == ASK_CHANNELS && ++own->port < PORTS)
        return;
    if (own->phase == SET_CHANNELS && own->port < PORTS)
        return;
    own->phase++;
    own->port = own->channel = 0;
}

static void begin_talk(intan *own, phase at)
{
    own->phase = at;
    own->port = own->channel = 0;
    own->asked = false;
    own->n_reply = 0;
    own->reply[0] = '\0';
}

/* One step of the talk, until then at most. */
static spk_status talk(spk_context *context, spk_live_source *source, int64_t until_ns)
{
    intan *own = source->own;
    size_t n = 0;
    spk_link_event event = SPK_LINK_NOTHING;
    if (own->control.open && !own->asked) {
        own->asked = speak(own, source);
        own->asked_ns = spk_now_ns();
        if (!own->asked) {
            next_phase(own);
            return SPK_OK;
        }
    }
    const int64_t limit = own->asked_ns + ANSWER_NS;
    spk_status status = spk_link_read(
        context, &own->control, own->reply + own->n_reply, sizeof own->reply - 1 - own->n_reply,
        own->asked && limit < until_ns ? limit : until_ns, &n, &event);
    if (status != SPK_OK)
        return status;
    own->n_reply += n;
    own->reply[own->n_reply] = '\0';
    if (event == SPK_LINK_OPENED || event == SPK_LINK_CLOSED)
        begin_talk(own, ASK_RATE);
    else if (event == SPK_LINK_ENDED)
        source->collector.head.ended = true;
    else if (own->asked &&
             (hear(own) || spk_now_ns() >= limit || own->n_reply == sizeof own->reply - 1))
        next_phase(own);
    return SPK_OK;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* After each step: RHX runs once the spike port is connected, and is asked again for the port when
 * that failed or was closed. */
static void follow(intan *own)
{
    const bool open = own->data.link.open;
    if (open && !own->was_open && !own->running && own->control.open)
        own->set_running = say(own, "set RunMode Run;");
    const bool failed = own->data.link.fd < 0 && own->data.link.tries > own->tries;
    if (!open && !own->data.ending && (own->was_open || failed))
        begin_talk(own, ASK_RATE);
    own->was_open = open;
    own->tries = open ? 0 : failed ? own->data.link.tries : own->tries;
}

/* What RHX says meanwhile is read, so that its buffer does not fill. */
static void drain_control(intan *own)
{
    size_t n = 0;
    spk_link_event event;
    if (own->control.open)
        (void)spk_link_read(NULL, &own->control, own->reply, sizeof own->reply - 1, 0, &n, &event);
}

static spk_status fail_without_rate(spk_context *context, const spk_live_source *source)
{
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: RHX does not tell its sample rate; give it as the sample rate",
                    source->address);
}

/* The rate may come from RHX or from the user; it never changes, and both must say the same. */
static spk_status settle_rate(spk_context *context, spk_live_source *source)
{
    const spk_rate told = ((const intan *)source->own)->told_rate;
    spk_rate *rate = &source->collector.rate;
    if (rate->denominator == 0)
        *rate = told;
    if (rate->denominator == 0)
        return fail_without_rate(context, source);
    if (told.denominator == 0 ||
        (told.numerator == rate->numerator && told.denominator == rate->denominator))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: RHX samples at %" PRIu64 " Hz now, not at %" PRIu64
                    " Hz as before or as was given; begin anew",
                    source->address, told.numerator / told.denominator,
                    rate->numerator / rate->denominator);
}

static spk_status poll_intan(spk_context *context, spk_live_source *source, int64_t until_ns)
{
    intan *own = source->own;
    spk_collector *c = &source->collector;
    spk_status status = SPK_OK;
    bool first = true;
    while (status == SPK_OK && !spk_collector_has_news(c) && (first || spk_now_ns() < until_ns)) {
        first = false;
        if (own->phase != STREAMING) {
            status = talk(context, source, until_ns);
            if (status == SPK_OK && own->phase == STREAMING)
                status = settle_rate(context, source);
        } else {
            drain_control(own);
            status = spk_bytes_poll(context, &own->data, c, until_ns);
            follow(own);
        }
        if (status == SPK_OK)
            status = spk_check_cancel(context);
    }
    return status;
}

/* ---- life ------------------------------------------------------------------------------------ */

static spk_status open_links(spk_context *context, spk_live_source *source, const char *rest)
{
    intan *own = source->own;
    char address[300];
    char port[8];
    snprintf(port, sizeof port, "%u", source->options.control_port);
    spk_status status =
        spk_link_init(context, &own->data.link, SPK_LINK_TCP, rest, "5002", &source->options);
    if (status != SPK_OK)
        return status;
    snprintf(address, sizeof address, strchr(own->data.link.host, ':') != NULL ? "[%s]" : "%s",
             own->data.link.host);
    return spk_link_init(context, &own->control, SPK_LINK_TCP, address, port, &source->options);
}

static spk_status open_intan(spk_context *context, spk_live_source *source, const char *rest)
{
    intan *own = NULL;
    spk_status status = check_select(context, source->select);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &own, 1, "a live source");
    if (status != SPK_OK)
        return status;
    own->control = own->data.link = (spk_link){.listener = -1, .fd = -1};
    own->data.parser = &own->records;
    own->data.take = spk_intan_records_take;
    own->data.renew = spk_intan_records_renew;
    own->data.stepwise = own->data.counts_bytes = true;
    source->own = own;
    if (source->options.sample_rate.denominator > 0)
        source->collector.rate = source->options.sample_rate;
    status = spk_bytes_init(context, &own->data);
    return status == SPK_OK ? open_links(context, source, rest) : status;
}

static void close_intan(spk_live_source *source)
{
    intan *own = source->own;
    if (own == NULL)
        return;
    if (own->set_running && own->control.open)
        (void)say(own, "set RunMode Stop;");
    spk_link_close(&own->control);
    spk_bytes_clear(&own->data);
    free(own);
}

static int fd_of_intan(const spk_live_source *source)
{
    const intan *own = source->own;
    return spk_link_fd(own->phase == STREAMING ? &own->data.link : &own->control);
}

static void state_of_intan(const spk_live_source *source, spk_live_source_facts *facts)
{
    const intan *own = source->own;
    if (own->phase == STREAMING || !own->control.open)
        spk_link_state(own->phase == STREAMING ? &own->data.link : &own->control, facts->state,
                       sizeof facts->state);
    else
        snprintf(facts->state, sizeof facts->state, "talking to RHX");
}

extern const spk_live_kind spk_live_intan;
const spk_live_kind spk_live_intan = {.name = "intan",
                                      .scheme = "intan://",
                                      .address = "intan://HOST[:5002]",
                                      .summary = "spikes of Intan RHX, which is told to send them",
                                      .open = open_intan,
                                      .poll = poll_intan,
                                      .close = close_intan,
                                      .fd = fd_of_intan,
                                      .state = state_of_intan};
