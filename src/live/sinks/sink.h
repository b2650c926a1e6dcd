/* A kind of sink: one const table of functions, one file each. The list of them is in emit.c. */
#pragma once

#include <stdbool.h>

#include "spikemine/live_session.h"

/* What a sink has done with what it got. */
typedef struct live_sink_facts {
    uint64_t clients;
    uint64_t served;
    uint64_t dropped;
    uint64_t unsent;
} live_sink_facts;

/* What all sinks are opened with. */
typedef struct live_sink_setup {
    spk_context *context; /* outlives the sink */
    const char *address;  /* the whole, for messages */
    const char *rest;     /* behind the colon; "" where there is none */
    uint64_t client_bytes;
} live_sink_setup;

typedef struct live_sink_kind {
    const char *name;
    const char *usage; /* what to write, for messages */
    spk_status (*open)(const live_sink_setup *setup, void **out);
    /* Takes whole lines. NULL: the kind takes occurrences. */
    spk_status (*lines)(void *sink, const char *text, size_t n);
    /* Takes one occurrence; NULL: the kind takes lines. */
    spk_status (*occurrence)(void *sink, const spk_live_occurrence *occurrence);
    bool listed_only; /* it takes no occurrence of an episode that somebody chose on the page */
    /* Takes a mark of a stream with this rate. NULL: the kind takes lines, or has no room for marks
     * in its format. */
    spk_status (*mark)(void *sink, const spk_live_mark *mark, spk_rate rate);
    /* Takes new clients, goes on with what is queued; NULL: there is nothing to do. */
    spk_status (*service)(void *sink);
    /* Gives what is queued at most `ms`; NULL: nothing is ever queued. */
    void (*drain)(void *sink, int ms);
    void (*get_facts)(const void *sink, live_sink_facts *out); /* adds; NULL: there are none */
    void (*close)(void *sink);
} live_sink_kind;

extern const live_sink_kind live_sink_stdout;
extern const live_sink_kind live_sink_tcp;
extern const live_sink_kind live_sink_zmq;
extern const live_sink_kind live_sink_lsl;
extern const live_sink_kind live_sink_open_ephys;

/* "HOST:PORT" of a sink. */
typedef struct live_address {
    char host[256]; /* without the brackets of IPv6 */
    char port[8];
    unsigned number; /* the port */
} live_address;

/* Reads "PORT", "HOST:PORT" or "[HOST]:PORT"; `host` stands where none is given, NULL: one must be.
 * With `port` "HOST" alone is read too. Ports are 1 .. 65535. False: it is none. */
bool live_address_parse(const char *text, const char *host, const char *port, live_address *out);

/* SPK_ERR_ARGUMENT with what is wrong and what to write. */
spk_status live_sink_fail_address(const live_sink_setup *setup, const char *usage);
