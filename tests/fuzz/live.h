/*
 * What the fuzz targets of live sources share: bytes are handed over whole and in pieces, and what
 * comes out of both must be the same.
 */
#pragma once

#include "fuzz.h"
#include "live/sources/bytes.h"
#include "live/sources/collector.h"

/* A collector without content. Its columns are kept for all inputs: they are large. */
static inline spk_collector *fresh_collector(uint32_t max_units)
{
    static spk_collector c;
    if (c.time == NULL && spk_collector_init(NULL, &c, max_units) != SPK_OK)
        stop("no memory");
    spk_labels_clear(&c.labels);
    c = (spk_collector){
        .max_units = max_units, .time = c.time, .unit = c.unit, .arrival_ns = c.arrival_ns};
    return &c;
}

/* A digest of spikes, borders and counters. */
typedef struct outcome {
    uint64_t spikes;
    uint64_t digest;
    uint64_t garbage, restarts, wraps, outside, other, cut;
    spk_status status;
} outcome;

static void mix(outcome *o, uint64_t value)
{
    o->digest = (o->digest ^ value) * 0x100000001b3u;
}

/* What is handed over goes into the digest. True: there was something. */
static inline bool gather(spk_collector *c, outcome *o)
{
    const bool any = c->n > 0 || c->head.border;
    if (c->head.border)
        mix(o, 0xb0bdeb);
    for (uint64_t i = 0; i < c->n; i++) {
        if (c->unit[i] >= c->labels.n)
            stop("a unit without a label");
        mix(o, (uint64_t)c->time[i]);
        mix(o, c->unit[i]);
    }
    o->spikes += c->n;
    c->n = 0;
    c->head = (spk_live_arrivals){.n = 0};
    return any;
}

/* Whatever came in is in one counter. */
static inline void check_sum(const spk_collector *c, uint64_t spikes, uint64_t garbage)
{
    const spk_live_source_facts *f = &c->facts;
    if (f->messages != spikes + c->n + f->unrated + garbage + f->outside + f->other)
        stop("a message in no counter, or in two");
}

static inline void take_counters(const spk_collector *c, outcome *o)
{
    o->garbage = c->facts.garbage;
    o->restarts = c->facts.restarts;
    o->wraps = c->facts.wraps;
    o->outside = c->facts.outside;
    o->other = c->facts.other;
    o->cut = c->facts.cut_digits;
    if (memchr(c->facts.example, '\0', sizeof c->facts.example) == NULL ||
        strchr(c->facts.example, '\n') != NULL)
        stop("an example that is no line");
}

/* Hands over bytes in pieces of `piece`, as spk_bytes does. */
static inline outcome run(spk_bytes_take *take, void *parser, spk_collector *c, const uint8_t *data,
                          size_t size, size_t piece)
{
    outcome o = {.digest = 0xcbf29ce484222325u};
    size_t first = 0, filled = 0;
    while (o.status == SPK_OK) {
        const bool last = filled == size;
        bool again = true;
        while (again && o.status == SPK_OK) {
            size_t taken = 0;
            /* A copy of its own, so that a sanitizer sees each byte read beyond it. */
            char *copy = malloc(filled - first + 1);
            if (copy == NULL)
                break;
            memcpy(copy, data + first, filled - first);
            copy = realloc(copy, filled - first > 0 ? filled - first : 1);
            o.status = take(parser, c, copy, filled - first, last, &taken);
            if (taken > filled - first)
                stop("more was taken than there is");
            free(copy);
            first += taken;
            again = gather(c, &o);
        }
        if (last)
            break;
        filled = size - filled < piece ? size : filled + piece;
    }
    take_counters(c, &o);
    return o;
}

static inline void compare(const outcome *a, const outcome *b)
{
    if (a->status != b->status)
        stop("another status in pieces");
    if (a->status == SPK_OK && memcmp(a, b, sizeof *a) != 0)
        stop("other spikes or counters in pieces");
}
