/*
 * A page to watch a live stream: served over HTTP by this process itself, through libmicrohttpd.
 *
 *     spk_live_page_options options;
 *     spk_live_page_options_init(&options, sizeof options);
 *     options.port = 8080;
 *     status = spk_live_page_start(context, stream, &options, &page);
 *     puts(spk_live_page_url(page));
 *     spk_live_watch_set_sink(watch, spk_live_page_occurrence, page);
 *     while (receive(&n, time, unit)) {
 *         spk_live_stream_push(context, stream, n, time, unit, NULL);
 *         spk_live_page_meters(page, &meters);
 *         while (spk_live_page_next_action(page, &action))
 *             answer(&action);
 *     }
 *     spk_live_page_free(page);
 *
 * The page is one of the stream's sinks: what is pushed appears on it. The meters are told some
 * times a second. An action is what somebody asked for on the page. Who chooses what is watched is
 * told with spk_live_page_item and spk_live_page_choice once it is.
 *
 * The page shows the raster, occurrences, counts, partitions, meters and marks; see
 * docs/how-to/watch-the-page.md. It asks nothing of any other machine.
 *
 * Who may read: a browser that knows the token, under a name that is meant for this server. The
 * address carries the token once; then the header X-Spikemine-Token of each request does. A cookie
 * would go to all ports of the machine. Without the token there are the files of the page, which
 * are the same for everybody; every other answer is 403. A request whose Host is a foreign name, or
 * whose Origin is another page, is refused: a web site cannot read the page through a visitor's
 * browser. The connection is not encrypted. The server listens on loopback unless told otherwise;
 * from another machine a tunnel (`ssh -L`) is the safe way.
 *
 * What it costs: a thread of its own answers all browsers. The feeding thread copies what it has
 * into a buffer of fixed size, behind a lock that the other thread holds to exchange two pointers.
 * Where that buffer is full, spikes are kept from the page, never from the stream, and counted.
 * What the page remembers is bounded in seconds and in spikes. Answers come in pieces, so that a
 * client that reads nothing costs half a megabyte at most.
 */
#ifndef SPIKEMINE_LIVE_PAGE_H
#define SPIKEMINE_LIVE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/live.h"
#include "spikemine/partitions.h"

SPK_BEGIN_C

/* A page in service. Threads: one at a time, the one that feeds the stream; browsers are served by
 * a thread of the page's own. */
typedef struct spk_live_page spk_live_page;

/* How a page is served. Initialise with spk_live_page_options_init; pointers are borrowed for the
 * call. */
typedef struct spk_live_page_options {
    size_t struct_size;      /* set by spk_live_page_options_init */
    const char *address;     /* to listen on, IPv4 or IPv6; "127.0.0.1" by default */
    uint16_t port;           /* 0, the default: any that is free */
    const char *token;       /* 16 to 128 letters, digits, '-' and '_'; NULL: 128 random bits */
    const char *title;       /* UTF-8; NULL: "spikemine live" */
    const char *host;        /* a further name by which browsers may call the server; NULL: none */
    double history_s;        /* seconds of the stream that are kept; 600 by default */
    uint64_t history_spikes; /* spikes that are kept at most; 2,000,000 by default */
    uint32_t max_clients;    /* connections with the token at a time, and as many without; 64 by
                              * default, 10,000 at most. One more ends an older one of its kind */
    double client_timeout_s; /* a client that stands still for it is dropped; 10 by default */
    bool may_watch; /* readers may choose what is watched, where the address is a loopback one, and
                     * the program does what SPK_LIVE_PAGE_WATCH asks for; false */
    bool mines; /* the stream is mined, which the page tells before the first partition; false */
} spk_live_page_options;

/* The values named above. */
SPK_API void spk_live_page_options_init(spk_live_page_options *options, size_t struct_size);

/* Whether this build can serve pages; without libmicrohttpd it cannot. */
SPK_API bool spk_live_page_available(void);

/* Starts to serve, and adds the page to the sinks of `stream`, which must outlive it. With NULL the
 * page says that it waits for the source until spk_live_page_set_stream; meters may be told before.
 * `options` may be NULL. Free it with spk_live_page_free. Errors: SPK_ERR_UNAVAILABLE (a build
 * without libmicrohttpd), SPK_ERR_ARGUMENT (an address or a token that is none, limits of 0),
 * SPK_ERR_IO (the port is taken), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_page_start(spk_context *context, spk_live_stream *stream,
                                                      const spk_live_page_options *options,
                                                      spk_live_page **out);

/* Gives a page that was started without one its stream, as spk_live_page_start does. Errors:
 * SPK_ERR_ARGUMENT (it has a stream), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_page_set_stream(spk_context *context,
                                                           spk_live_page *page,
                                                           spk_live_stream *stream);

/* The address with the token, for the one who may watch. Owned by the page. */
SPK_API const char *spk_live_page_url(const spk_live_page *page);

/* Tells the page of a watched episode or pattern, before its first occurrence; `item` is its number
 * among episodes, or among patterns, as in spk_live_occurrence. `name` is its text form, `unit` has
 * `size` numbers of units of the stream. Errors: SPK_ERR_ARGUMENT (no unit, a unit that the stream
 * does not have, numbers that are not told in order), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_page_item(spk_context *context, spk_live_page *page,
                                                     bool is_pattern, uint64_t item,
                                                     const char *name, uint32_t size,
                                                     const uint32_t *unit);

/* Says of an episode that the page was told of that a reader chose it, so that it can be taken away
 * again on the page; or, with `on` false, that it is watched no more. */
SPK_API void spk_live_page_choice(spk_live_page *page, uint64_t item, bool on);

/* Shows an occurrence. A spk_live_occurrence_sink; `page` is the spk_live_page. Occurrences of
 * items that the page was not told of are left out. Always SPK_OK. */
SPK_API SPK_MUST_CHECK spk_status spk_live_page_occurrence(void *page,
                                                           const spk_live_occurrence *occurrence);

/* Shows what became of a partition: its best episodes with their trend, what vanished, and who
 * follows whom. The last 120 partitions are kept. Where the page has no room the partition is left
 * out. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_page_partition(spk_context *context, spk_live_page *page,
                                                          const spk_partition_result *result);

/* What meters show. Texts are UTF-8. */
typedef struct spk_live_meters {
    spk_live_counts counts; /* of the stream */
    double spikes_per_s;    /* of a replay: a second of the recording */
    double
        latency_ms[3]; /* from a spike's arrival to the event out: p50, p99, p99.9; NAN: untold */
    char source[96];   /* "open-ephys://rig:5556" */
    char state[96];    /* "connected", "waiting for rig:5556 (try 4)" */
    uint64_t reconnects;
    uint64_t garbage; /* messages that made no sense */
    uint64_t partitions_mined;
    uint64_t partitions_skipped;
    double position_s; /* of a replay */
    double speed;      /* of a replay; 0: as fast as possible */
    double duration_s; /* of a replay; 0: unknown */
    bool replay;       /* speed and pause can be set */
    bool paused;
    char skipped_why[256]; /* why the last partition was skipped; "": none was */
    uint64_t partitions_tested;
    uint64_t tests_due; /* partitions that should have been; 0: no test was asked for */
    char untested[256]; /* why some were not tested, and what to change; "": all were */
} spk_live_meters;

/* Shows the meters; some times a second are enough. Zero them first. */
SPK_API void spk_live_page_meters(spk_live_page *page, const spk_live_meters *meters);

/* What somebody asked for on the page. */
typedef enum spk_live_page_request {
    SPK_LIVE_PAGE_SPEED,  /* of a replay; value: 2 is twice as fast as it was, 0 as fast as possible
                           */
    SPK_LIVE_PAGE_PAUSE,  /* value 1: halt the replay; 0: go on */
    SPK_LIVE_PAGE_MARK,   /* the moment `time` of `segment` was marked, with `text` */
    SPK_LIVE_PAGE_WATCH,  /* the episode of the text form `text` is to be watched */
    SPK_LIVE_PAGE_UNWATCH /* the episode `item`, which a reader chose, no more */
} spk_live_page_request;

typedef struct spk_live_page_action {
    spk_live_page_request request;
    double value;
    uint64_t segment;
    int64_t time;   /* ticks */
    char text[512]; /* UTF-8, "" where nothing was written; of a mark below 128 bytes */
    uint64_t trial; /* that the segment is a part of, from 0 */
    uint64_t item;  /* number among episodes */
} spk_live_page_action;

/* Takes the oldest request that was not taken yet; false where there is none. Up to 64 wait, more
 * are refused on the page. A mark is on the page already; who records the stream may note it. */
SPK_API bool spk_live_page_next_action(spk_live_page *page, spk_live_page_action *out);

/* What the server has done. */
typedef struct spk_live_page_facts {
    uint64_t clients; /* connections now */
    uint64_t answers; /* requests that got what they asked for */
    uint64_t refused; /* requests that did not: no token, foreign, too long, unknown */
    uint64_t dropped; /* clients that stood still, read too slowly, or made room for others */
    uint64_t unseen;  /* spikes that the page was not shown: the buffer was full */
    uint64_t unseen_occurrences;
    uint64_t history_spikes; /* spikes that are kept now */
} spk_live_page_facts;
SPK_API void spk_live_page_get_facts(spk_live_page *page, spk_live_page_facts *out);

/* Ends the service, leaves the stream and frees the page; the stream must still be there. NULL is
 * accepted. */
SPK_API void spk_live_page_free(spk_live_page *page);

SPK_END_C

#endif
