/* The loop of a source whose connection carries one stream of bytes. */
#include "live/sources/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What is held back for a guess goes after this time. */
static const int64_t HOLD_NS = 1000000000;

spk_status spk_bytes_init(spk_context *context, spk_bytes *bytes)
{
    bytes->starved = true;
    return spk_alloc(context, &bytes->buffer, (uint64_t)SPK_BYTES_KEPT + SPK_BYTES_READ + 1,
                     "a buffer of live input");
}

void spk_bytes_clear(spk_bytes *bytes)
{
    spk_link_close(&bytes->link);
    free(bytes->buffer);
    bytes->buffer = NULL;
}

static spk_status take(spk_bytes *bytes, spk_collector *collector, bool urge)
{
    size_t taken = 0;
    const size_t n = bytes->filled - bytes->first;
    spk_status status =
        bytes->take(bytes->parser, collector, bytes->buffer + bytes->first, n, urge, &taken);
    bytes->first += taken;
    /* The parser stops early only where what it gathered must go first. */
    bytes->starved = taken == n || !spk_collector_has_news(collector);
    if (taken == n)
        bytes->held_ns = 0;
    else if (taken > 0 || bytes->held_ns == 0 || urge)
        bytes->held_ns = spk_now_ns();
    return status;
}

/* The parser leaves less than SPK_BYTES_KEPT when it wants more: the rest has room. */
static void make_room(spk_bytes *bytes)
{
    if (bytes->first == 0)
        return;
    bytes->filled -= bytes->first;
    memmove(bytes->buffer, bytes->buffer + bytes->first, bytes->filled);
    bytes->first = 0;
    assert(bytes->filled <= SPK_BYTES_KEPT);
}

/* What is left of the connection that broke. */
static void drop_rest(spk_bytes *bytes, spk_collector *collector)
{
    const size_t n = bytes->filled - bytes->first;
    if (n > 0)
        spk_collect_garbage(collector, bytes->counts_bytes ? n : 1, bytes->buffer + bytes->first, n,
                            "cut off where the connection broke");
    collector->facts.messages += n > 0 && !bytes->counts_bytes;
    bytes->first = bytes->filled = 0;
    bytes->held_ns = 0;
    bytes->starved = true;
}

static void begin_connection(spk_bytes *bytes, spk_collector *collector)
{
    collector->facts.reconnects += bytes->counted;
    collector->fresh = bytes->counted;
    bytes->counted = true;
    bytes->renew(bytes->parser);
}

static spk_status end_connection(spk_bytes *bytes, spk_collector *collector, bool ends)
{
    /* The last line of standard input needs no line end. */
    if (bytes->link.way == SPK_LINK_STDIN && bytes->filled > bytes->first)
        bytes->buffer[bytes->filled++] = '\n';
    bytes->ending = ends;
    spk_status status = take(bytes, collector, true);
    if (bytes->starved)
        drop_rest(bytes, collector);
    return status;
}

static spk_status read_once(spk_context *context, spk_bytes *bytes, spk_collector *collector,
                            int64_t until_ns)
{
    size_t n = 0;
    spk_link_event event = SPK_LINK_NOTHING;
    const bool held = bytes->held_ns != 0 && bytes->filled > bytes->first;
    if (held && until_ns > bytes->held_ns + HOLD_NS)
        until_ns = bytes->held_ns + HOLD_NS;
    make_room(bytes);
    spk_status status = spk_link_read(context, &bytes->link, bytes->buffer + bytes->filled,
                                      SPK_BYTES_READ, until_ns, &n, &event);
    if (status != SPK_OK)
        return status;
    if (event == SPK_LINK_OPENED) {
        begin_connection(bytes, collector);
    } else if (event == SPK_LINK_CLOSED || event == SPK_LINK_ENDED) {
        status = end_connection(bytes, collector, event == SPK_LINK_ENDED);
    } else if (event == SPK_LINK_BYTES) {
        collector->now_ns = spk_now_ns();
        collector->facts.bytes += n;
        bytes->filled += n;
        status = take(bytes, collector, false);
    } else if (held && spk_now_ns() >= bytes->held_ns + HOLD_NS) {
        status = take(bytes, collector, true);
    }
    return status;
}

spk_status spk_bytes_poll(spk_context *context, spk_bytes *bytes, spk_collector *collector,
                          int64_t until_ns)
{
    spk_status status = SPK_OK;
    bool first = true;
    bytes->starved = false; /* what was gathered is gone: a border may follow it */
    while (status == SPK_OK && !spk_collector_has_news(collector)) {
        if (!bytes->starved) {
            status = take(bytes, collector, bytes->ending);
            if (bytes->starved && !bytes->link.open)
                drop_rest(bytes, collector);
        } else if (bytes->ending) {
            collector->head.ended = true;
        } else if (first || (!bytes->stepwise && spk_now_ns() < until_ns)) {
            status = read_once(context, bytes, collector, until_ns);
            first = false;
        } else {
            break;
        }
        if (status == SPK_OK)
            status = spk_check_cancel(context);
    }
    return status;
}
