/*
 * HTTP by libmicrohttpd, one thread, no callbacks into it from outside: who serves calls http_step
 * again and again. What is answered is up to the page (page_answer); who may ask, to request.h.
 *
 * Bounds: connections, bytes of a request, seconds that a client may stand still, seconds that a
 * request may take; answers are made in pieces (page.h, state.h). A connection beyond the bound
 * ends an older one of its kind, with the token or without it. Each client of the news has one text
 * at most on its way; the next one that it gets is the newest then.
 */
#ifndef SPK_LIVE_PAGE_HTTP_H
#define SPK_LIVE_PAGE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/page/request.h"
#include "spikemine/live_page.h"

typedef struct http http;

/* What was asked for; no field is longer than the limits of request.h. */
typedef struct http_request {
    const char *path;
    bool posts;
    const char *(*query)(void *user, const char *name); /* NULL where it is not there */
    void *user;
    const char *body;
    size_t body_length;
} http_request;

/* What is answered; zeroed before. */
typedef struct http_answer {
    int status;
    const char *type;
    const unsigned char *bytes;
    size_t n;
    unsigned char *owned; /* freed afterwards: `bytes`, or NULL */
    bool news;            /* the news for as long as the client wants */
} http_answer;

typedef struct http_options {
    const char *address;
    uint16_t port;
    uint32_t max_clients;
    double client_timeout_s;
} http_options;

/* Listens. *port is the one that was taken. */
spk_status http_open(spk_context *context, const http_options *options, spk_live_page *page,
                     http **out, uint16_t *port);
void http_close(http *server);

/* Takes requests and sends answers; waits for something to do, at most so long. */
void http_step(http *server, int timeout_ms);

/* There are news: everybody who waits for them gets them. */
void http_tell_news(http *server);

/* How many wait for news. */
uint64_t http_n_readers(const http *server);

/* Fills in what the server counts. */
void http_facts(const http *server, spk_live_page_facts *out);

#endif
