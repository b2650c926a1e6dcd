/* What sinks share: latencies in buckets of equal ratio, 64 to each doubling and exact below 64 ns,
 * and messages of addresses. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "live/sinks/sink.h"
#include "spikemine/live_session.h"

enum { SUB_BITS = 6, SUB = 1 << SUB_BITS };

static_assert(SPK_LIVE_LATENCY_BUCKETS == (64 - SUB_BITS) * SUB + SUB, "one for every int64 time");

/* Times from 2^e on lie in SUB buckets of 2^(e - SUB_BITS) each. */
static uint32_t bucket_of(uint64_t ns)
{
    if (ns < SUB)
        return (uint32_t)ns;
    uint32_t shift = 63u - (uint32_t)__builtin_clzll(ns) - SUB_BITS;
    return (shift + 1) * SUB + (uint32_t)((ns >> shift) - SUB);
}

/* The middle of a bucket. */
static int64_t middle_of(uint32_t bucket)
{
    if (bucket < SUB)
        return bucket;
    uint32_t shift = bucket / SUB - 1;
    return (int64_t)((((uint64_t)SUB + bucket % SUB) << shift) + (((uint64_t)1 << shift) >> 1));
}

void spk_live_latency_add(spk_live_latency *latency, int64_t ns)
{
    ns = ns > 0 ? ns : 0;
    latency->n++;
    latency->most = ns > latency->most ? ns : latency->most;
    latency->bucket[bucket_of((uint64_t)ns)]++;
}

int64_t spk_live_latency_quantile(const spk_live_latency *latency, double q)
{
    double wanted = q * (double)latency->n;
    uint64_t seen = 0;
    if (latency->n == 0)
        return 0;
    for (uint32_t k = 0; k < SPK_LIVE_LATENCY_BUCKETS; k++) {
        seen += latency->bucket[k];
        if (seen > 0 && (double)seen >= wanted)
            return middle_of(k) < latency->most ? middle_of(k) : latency->most;
    }
    return latency->most;
}

/* ---- addresses ------------------------------------------------------------------------------- */

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
