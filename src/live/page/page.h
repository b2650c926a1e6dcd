/*
 * The page from inside. Two threads: the feeding one calls the public functions and uses `feed` and
 * `box`; the serving one uses `history`, `state`, `fixed`, `news` and `http`. What both use is
 * `box` and `shared`, each with a lock.
 */
#ifndef SPK_LIVE_PAGE_PAGE_H
#define SPK_LIVE_PAGE_PAGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "live/page/history.h"
#include "live/page/http.h"
#include "live/page/inbox.h"
#include "live/page/request.h"
#include "live/page/state.h"
#include "spikemine/live.h"
#include "spikemine/live_page.h"
#include "spikemine/partitions.h"

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

#endif
