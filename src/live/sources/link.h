/*
 * A connection that is made again when it breaks: TCP or UNIX socket, as client or as the one that
 * listens, or standard input. It never blocks longer than it is told to, but for the resolution of
 * a host's name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "spikemine/live_source.h"

typedef enum spk_link_way {
    SPK_LINK_STDIN,
    SPK_LINK_TCP,
    SPK_LINK_TCP_LISTEN,
    SPK_LINK_UNIX,
    SPK_LINK_UNIX_LISTEN
} spk_link_way;

typedef enum spk_link_event {
    SPK_LINK_NOTHING, /* in the time given */
    SPK_LINK_OPENED,  /* a connection was made */
    SPK_LINK_BYTES,
    SPK_LINK_CLOSED, /* it broke, and is made again */
    SPK_LINK_ENDED   /* it broke, and is not made again */
} spk_link_event;

typedef struct spk_link {
    spk_link_way way;
    char host[256]; /* or path */
    char port[8];
    bool reconnect;
    int64_t give_up_ns; /* 0: never */
    int64_t timeout_ns; /* of one attempt */
    int listener;       /* -1: none */
    int fd;             /* -1: none */
    bool open;
    int64_t began_ns; /* the attempt under way */
    int64_t next_ns;  /* the next attempt, not before */
    int64_t since_ns; /* there has been no connection since */
    unsigned tries;   /* since the last connection */
    uint64_t opened;  /* connections so far */
    uint64_t random;
    int error;    /* errno of the last attempt, 0: none */
    char why[64]; /* the same where errno does not tell */
} spk_link;

/* Takes the address: HOST:PORT, or a path; a listener begins to listen. `default_port` NULL: the
 * address must have one. Errors: SPK_ERR_ARGUMENT, SPK_ERR_IO. */
spk_status spk_link_init(spk_context *context, spk_link *link, spk_link_way way,
                         const char *address, const char *default_port,
                         const spk_live_source_options *options);

/* Reads what is there, or goes on connecting, until `until_ns`. *n: bytes read. Errors: SPK_ERR_IO
 * (a connection was not made, or broke with an error, and is not to be tried again). */
spk_status spk_link_read(spk_context *context, spk_link *link, char *buffer, size_t size,
                         int64_t until_ns, size_t *n, spk_link_event *event);

/* Sends all of the text, which is short; false: the connection does not take it. */
bool spk_link_send(spk_link *link, const char *text, size_t length);

/* "connected to HOST:PORT", "waiting for HOST:PORT (try 4)". */
void spk_link_state(const spk_link *link, char *text, size_t size);

/* For poll(2), -1: none. */
int spk_link_fd(const spk_link *link);

void spk_link_close(spk_link *link);

/* Sleeps until then, at most. */
void spk_live_sleep_until(int64_t until_ns);
