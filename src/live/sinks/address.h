/* "HOST:PORT" of a sink. */
#ifndef SPK_LIVE_SINKS_ADDRESS_H
#define SPK_LIVE_SINKS_ADDRESS_H

#include <stdbool.h>

typedef struct live_address {
    char host[256]; /* without the brackets of IPv6 */
    char port[8];
    unsigned number; /* the port */
} live_address;

/* Reads "PORT", "HOST:PORT" or "[HOST]:PORT"; `host` stands where none is given, NULL: one must be.
 * With `port` "HOST" alone is read too. Ports are 1 .. 65535. False: it is none. */
bool live_address_parse(const char *text, const char *host, const char *port, live_address *out);

#endif
