/*
 * The page from inside. Two threads: the feeding one calls the public functions and uses `feed` and
 * `box`; the serving one uses `history`, `state`, `fixed`, `news` and `http`. What both use is
 * `box` and `shared`, each with a lock.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "base/context.h"
#include "live/page/history.h"
#include "live/page/request.h"
#include "live/page/state.h"
#include "spikemine/live.h"
#include "spikemine/live_page.h"
#include "spikemine/partitions.h"

/* ---- HTTP ------------------------------------------------------------------------------------ */

/*
 * HTTP by libmicrohttpd, one thread, no callbacks into it from outside: who serves calls http_step
 * again and again. What is answered is up to the page (page_answer); who may ask, to request.h.
 *
 * Bounds: connections, bytes of a request, seconds that a client may stand still, seconds that a
 * request may take; answers are made in pieces (below, state.h). A connection beyond the bound
 * ends an older one of its kind, with the token or without it. Each client of the news has one text
 * at most on its way; the next one that it gets is the newest then.
 */

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

/* ---- the inbox ------------------------------------------------------------------------------- */

/*
 * From the feeding thread to the serving one: records of bytes in a buffer of fixed size. The
 * feeding thread appends under a lock; the serving thread exchanges the full buffer for its empty
 * one under the same lock, and reads it outside of it. So the feeding thread waits for an exchange
 * of two pointers at most, whatever browsers do.
 */

enum { INBOX_BYTES = 8 << 20, INBOX_RESERVE = 2 << 20 }; /* the reserve is not for spikes */

typedef enum inbox_kind {
    INBOX_RATE,       /* spk_rate: the stream is there */
    INBOX_SPIKES,     /* inbox_spikes, n times, n units */
    INBOX_SEGMENT,    /* inbox_segment */
    INBOX_LABEL,      /* the text of the next unit, terminated */
    INBOX_ITEM,       /* inbox_item, units, the name, terminated */
    INBOX_CHOICE,     /* inbox_choice */
    INBOX_OCCURRENCE, /* inbox_occurrence, times */
    INBOX_PARTITION,  /* JSON, terminated */
    INBOX_METERS,     /* spk_live_meters */
    INBOX_COUNTS,     /* uint64_t of all items */
    INBOX_UNSEEN,     /* uint64_t spikes, uint64_t occurrences that found no room so far */
    INBOX_END         /* the stream has ended */
} inbox_kind;

/* Every record lies at a multiple of 8 and is followed by its bytes. */
typedef struct inbox_record {
    uint32_t kind;
    uint32_t bytes; /* without this header and the padding */
} inbox_record;

typedef struct inbox_spikes {
    uint64_t n;
} inbox_spikes;

typedef struct inbox_segment {
    uint64_t segment;
    uint64_t trial;
    int64_t start; /* the first tick; known where has_start */
    bool has_start;
} inbox_segment;

typedef struct inbox_item {
    uint64_t item;
    uint32_t is_pattern;
    uint32_t size;
} inbox_item;

typedef struct inbox_choice {
    uint64_t item; /* number on the page */
    bool on;
} inbox_choice;

typedef struct inbox_occurrence {
    uint64_t item; /* number on the page */
    uint64_t count;
    uint64_t segment;
    uint64_t size;
} inbox_occurrence;

typedef struct inbox {
    pthread_mutex_t lock;
    unsigned char *filling;
    size_t n;
    unsigned char *reading; /* of the serving thread alone */
    bool usable;
} inbox;

/* One piece of a record. */
typedef struct inbox_part {
    const void *bytes;
    size_t n;
} inbox_part;

spk_status inbox_open(spk_context *context, inbox *box);
void inbox_close(inbox *box);

/* Appends a record of these parts; false where it finds no room. Spikes leave the reserve free. */
bool inbox_put(inbox *box, inbox_kind kind, const inbox_part *part, size_t n_parts);

/* What has come since the last call: *bytes bytes, which stay until the next call. */
const unsigned char *inbox_take(inbox *box, size_t *bytes);

/* The record at *at, and its bytes; false behind the last one. *at goes to the next. */
bool inbox_next(const unsigned char *bytes, size_t n, size_t *at, inbox_record *record,
                const unsigned char **body);

/* Spikes in an answer: whoever reads nothing costs one answer. */
enum { PAGE_ACTIONS = 64, PAGE_NEWS_MS = 50, PAGE_MOST_SPIKES = 20000 };

/* Of the feeding thread. */
typedef struct page_feed {
    spk_live_stream *stream; /* NULL: there is none yet */
    uint32_t n_labels;       /* that the page was told of */
    uint64_t *number[2];     /* page's number of episode k, of pattern k */
    uint64_t n[2];
    uint64_t capacity[2];
    uint64_t *count; /* of all items, by the page's number */
    uint64_t n_items;
    uint64_t items_capacity;
    uint64_t unseen[2]; /* spikes, occurrences */
    bool behind;        /* counts or what was unseen are to be told */
} page_feed;

/* Of both threads. */
typedef struct page_shared {
    pthread_mutex_t lock;
    bool usable;
    spk_live_page_action action[PAGE_ACTIONS]; /* number k at k % PAGE_ACTIONS */
    uint64_t oldest_action, next_action;
    spk_live_page_facts facts;
} page_shared;

/* The text that all browsers get, and which one it is. */
typedef struct page_news {
    char *text; /* "data: {...}\n\n" */
    size_t n;
    uint64_t number;   /* from 1 */
    int64_t looked_ms; /* when it was asked last whether there are any */
    int64_t made_ms;
    bool wanted; /* something has changed */
} page_news;

struct spk_live_page {
    page_feed feed;
    inbox box;
    page_shared shared;
    atomic_bool stopping;
    pthread_t thread;
    bool serving;
    char *url;
    char *title;
    char *token;
    char *address;
    char *machine;
    char *host;
    history history;
    page_state state;
    state_fixed fixed;
    page_news news;
    request_guard guard;
    http *http;
};

/* Ticks of so many seconds. */
static inline uint64_t page_span(double seconds, spk_rate rate)
{
    const double ticks = seconds * (double)rate.numerator / (double)rate.denominator;
    return ticks < 9e18 ? (uint64_t)ticks : INT64_MAX;
}

/* Whether readers may choose what is watched; it never changes. */
static inline bool page_may_watch(const spk_live_page *page)
{
    return page->fixed.may_watch;
}

/* ---- of the serving thread ------------------------------------------------------------------- */

/* The thread's function; `user` is a spk_live_page. */
void *page_serve(void *user);

/* Milliseconds of a clock that is never set. */
static inline int64_t page_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether a path is one of the page's own files, which hold nothing of the stream. */
bool page_is_open(const char *path);

/* What a request that may be answered gets. */
void page_answer(spk_live_page *page, const http_request *request, http_answer *out);

/* ---- the JSON of a partition ----------------------------------------------------------------- */

/* Episodes, episodes that vanished, and steps from one unit to another one that are told at most.
 */
enum {
    PARTITION_EPISODES = 200,
    PARTITION_VANISHED = 50,
    PARTITION_STEPS = 150,
    PARTITION_PER_UNIT = 3
};

/* Units of steps are those of the stream. */
spk_status partition_write(spk_context *context, spk_live_stream *stream,
                           const spk_partition_result *result, FILE *out);
