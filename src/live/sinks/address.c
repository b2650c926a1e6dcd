/* "HOST:PORT" of a sink. */
#include "live/sinks/sink.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"

static bool take_port(const char *text, live_address *out)
{
    const char *end = text + strlen(text);
    uint64_t number = 0;
    if (!spk_whole_scan(&text, end, &number) || text != end || number < 1 || number > 65535)
        return false;
    out->number = (unsigned)number;
    snprintf(out->port, sizeof out->port, "%u", out->number);
    return true;
}

static bool take_host(const char *text, size_t n, live_address *out)
{
    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    } else if (memchr(text, ':', n) != NULL) {
        return false; /* IPv6 without brackets: which colon is the port's? */
    }
    if (n == 0 || n >= sizeof out->host)
        return false;
    memcpy(out->host, text, n);
    out->host[n] = '\0';
    return true;
}

bool live_address_parse(const char *text, const char *host, const char *port, live_address *out)
{
    *out = (live_address){.number = 0};
    size_t n = strlen(text);
    const char *colon = strrchr(text, ':');
    bool bracketed = n > 0 && text[n - 1] == ']';
    if (colon != NULL && !bracketed)
        return take_port(colon + 1, out) && take_host(text, (size_t)(colon - text), out);
    if (host != NULL)
        return take_port(text, out) && take_host(host, strlen(host), out);
    return port != NULL && take_port(port, out) && take_host(text, n, out);
}

spk_status live_sink_fail_address(const live_sink_setup *setup, const char *usage)
{
    return spk_fail(setup->context, SPK_ERR_ARGUMENT, "%s: is no address of this sink; write %s",
                    setup->address, usage);
}
