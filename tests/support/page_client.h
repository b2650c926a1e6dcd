/* A stream with its page for tests, and a client of raw sockets that asks for it. Failures fail the
 * test. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "spikemine/spikemine.h"

#define TOKEN "0123456789abcdef-_XYZ"

enum { ANSWER = 1 << 22 };

typedef struct rig {
    spk_context *context;
    spk_live_stream *stream; /* 1000 ticks a second, units "<0>" to "<3>" */
    spk_live_page *page;
    unsigned port;
} rig;

/* What the client heard last, as text. */
extern char answer[ANSWER];

/* Opens and closes both; `options` may be NULL, and the token is TOKEN unless they have another. */
void open_rig(rig *r, const spk_live_page_options *options);
void close_rig(rig *r);

void push(rig *r, uint64_t n, const int64_t *time, const uint32_t *unit);
spk_live_page_facts facts_of(rig *r);

void rest(int ms);
double now_s(void);

/* A connection, what is said through it, and everything until the server closes it: the status of
 * the answer, 0 where there was none. */
int dial(const rig *r);
void say(int to, const char *text, size_t n);
int hear(int from, size_t *bytes);

/* One request in a connection of its own; `more` are header lines, each ending in \r\n. */
int ask(const rig *r, const char *method, const char *path, const char *more, const char *body,
        size_t *bytes);

/* GET under the server's own name. */
int get(const rig *r, const char *path);

/* What stands behind the header lines of the answer. */
const char *body_of(void);
