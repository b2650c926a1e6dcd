/*
 * A source whose connection carries one stream of bytes: the loop of reading, parsing, breaking and
 * coming again, for lines and for records.
 */
#pragma once

#include "live/sources/collector.h"
#include "live/sources/link.h"

/* Takes what is complete of [bytes, bytes + n), as far as the collector has room and no border
 * stops it; *taken: how much. `urge`: nothing more may come for a while, what is held back for a
 * guess must go. */
typedef spk_status spk_bytes_take(void *parser, spk_collector *collector, const char *bytes,
                                  size_t n, bool urge, size_t *taken);

typedef struct spk_bytes {
    spk_link link;
    char *buffer;
    size_t filled;
    size_t first;      /* bytes before it were taken */
    bool starved;      /* the parser needs more bytes than there are */
    int64_t held_ns;   /* the buffer has had something that was not taken since; 0: nothing */
    bool ending;       /* the connection is gone and does not come back */
    bool counted;      /* some connection was there before */
    bool counts_bytes; /* garbage is counted in bytes, not in lines */
    bool stepwise; /* polling ends with each event of the connection, so that others can follow */
    void *parser;
    spk_bytes_take *take;
    void (*renew)(void *parser); /* a new connection: nothing of the old one counts */
} spk_bytes;

/* Bytes of an incomplete line or record that are kept. */
enum { SPK_BYTES_KEPT = 1 << 20, SPK_BYTES_READ = 1 << 18 };

spk_status spk_bytes_init(spk_context *context, spk_bytes *bytes);
spk_status spk_bytes_poll(spk_context *context, spk_bytes *bytes, spk_collector *collector,
                          int64_t until_ns);
void spk_bytes_clear(spk_bytes *bytes);
